/* SPDX-License-Identifier: MIT */
/* The syntax of our keyfiles (settings, scenarios), item by item, each with its position. What
 * the names and values mean, and whether one may come twice, is the caller's business.
 *
 *   # a comment: a line of its own, so that a value may hold any character
 *   [section]
 *   key = value        blanks around both are not part of them
 *
 * Text is UTF-8, lines end in LF or CR LF. Everything returned is a slice of the text read. */
#pragma once

#include "core/base/slice.h"

/* Both from 1; columns count characters, as editors do. */
typedef struct KeyfilePosition
{
  guint line;
  guint column;
} KeyfilePosition;

typedef enum KeyfileKind
{
  KEYFILE_END,
  KEYFILE_SECTION, /* name */
  KEYFILE_ENTRY    /* name = value; the value may be empty */
} KeyfileKind;

typedef struct KeyfileItem
{
  KeyfileKind kind;
  Slice name;
  Slice value;
  KeyfilePosition name_at;
  KeyfilePosition value_at;
} KeyfileItem;

typedef struct KeyfileReader
{
  Slice text;
  gsize next; /* where the next line begins */
  guint line;
  gboolean in_section;
} KeyfileReader;

KeyfileReader keyfile_reader_init (Slice text);
/* FALSE: a keyfile_error. After the end comes the end again. */
gboolean keyfile_reader_next (KeyfileReader *reader, KeyfileItem *ret_item, GError **error);
/* For a section of plain text: its next line that is neither empty nor a comment, without the
 * blanks around it. Of length 0: the next section begins, or the text is over. */
gboolean keyfile_reader_next_line (KeyfileReader *reader, Slice *ret_line, KeyfilePosition *ret_at,
                                   GError **error);

/* SYSTEM_ERROR_SETTING with the text "LINE:COLUMN: ...", for the caller's own complaints as well.
 */
gboolean keyfile_error (GError **error, KeyfilePosition at, const char *format, ...)
    G_GNUC_PRINTF (3, 4);
