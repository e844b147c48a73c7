/* SPDX-License-Identifier: MIT */
/* Rows of named values, printed for people (columns padded by blanks) or as JSON. */
#pragma once

#include "core/management/management.h"

typedef struct AnswerTable AnswerTable;

/* Column names, NULL at the end; borrowed, of static life. */
AnswerTable *answer_table_new (const char *const *columns);
void answer_table_free (AnswerTable *table);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AnswerTable, answer_table_free)

/* The next value, row by row. Text may be any bytes. */
void answer_table_text (AnswerTable *table, const char *text);
void answer_table_number (AnswerTable *table, guint64 number);
void answer_table_boolean (AnswerTable *table, gboolean value);

/* Yours. A list is a table with a header line, or an array of objects. */
char *answer_table_list (const AnswerTable *table, ManagementFormat format);
/* The one row, as a line a value, or as an object. */
char *answer_table_object (const AnswerTable *table, ManagementFormat format);
