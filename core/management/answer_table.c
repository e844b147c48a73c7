/* SPDX-License-Identifier: MIT */
#include "core/management/answer_table.h"

typedef struct Cell
{
  char *text;
  gboolean is_text; /* JSON quotes it */
} Cell;

struct AnswerTable
{
  const char *const *columns;
  guint n_columns;
  GArray *cells; /* of Cell, row by row */
};

static void
clear_cell (gpointer data)
{
  g_free (((Cell *) data)->text);
}

AnswerTable *
answer_table_new (const char *const *columns)
{
  AnswerTable *table = g_new0 (AnswerTable, 1);

  table->columns = columns;
  while (columns[table->n_columns] != NULL)
    table->n_columns++;
  table->cells = g_array_new (FALSE, FALSE, sizeof (Cell));
  g_array_set_clear_func (table->cells, clear_cell);
  return table;
}

void
answer_table_free (AnswerTable *table)
{
  g_array_unref (table->cells);
  g_free (table);
}

static void
add (AnswerTable *table, char *take_text, gboolean is_text)
{
  Cell cell = { take_text, is_text };

  g_array_append_val (table->cells, cell);
}

/* Names come from clients: what is no UTF-8, or would leave its line, is made visible. */
void
answer_table_text (AnswerTable *table, const char *text)
{
  char *valid = g_utf8_make_valid (text, -1);

  for (char *at = valid; *at != '\0'; at++)
    if (g_ascii_iscntrl (*at))
      *at = '?';
  add (table, valid, TRUE);
}

void
answer_table_number (AnswerTable *table, guint64 number)
{
  add (table, g_strdup_printf ("%" G_GUINT64_FORMAT, number), FALSE);
}

void
answer_table_boolean (AnswerTable *table, gboolean value)
{
  add (table, g_strdup (value ? "true" : "false"), FALSE);
}

static const Cell *
cell_at (const AnswerTable *table, guint row, guint column)
{
  return &g_array_index (table->cells, Cell, row * table->n_columns + column);
}

static guint
n_rows (const AnswerTable *table)
{
  g_assert (table->cells->len % table->n_columns == 0);
  return table->cells->len / table->n_columns;
}

static void
put_json_text (GString *out, const char *text)
{
  g_string_append_c (out, '"');
  for (; *text != '\0'; text++)
    {
      if (*text == '"' || *text == '\\')
        g_string_append_c (out, '\\');
      g_string_append_c (out, *text);
    }
  g_string_append_c (out, '"');
}

static void
put_json_row (const AnswerTable *table, guint row, GString *out)
{
  for (guint column = 0; column < table->n_columns; column++)
    {
      const Cell *cell = cell_at (table, row, column);

      g_string_append (out, column == 0 ? "{" : ", ");
      put_json_text (out, table->columns[column]);
      g_string_append (out, ": ");
      if (cell->is_text)
        put_json_text (out, cell->text);
      else
        g_string_append (out, cell->text);
    }
  g_string_append_c (out, '}');
}

static void
pad (GString *out, const char *text, glong width)
{
  g_string_append (out, text);
  for (glong n = g_utf8_strlen (text, -1); n < width; n++)
    g_string_append_c (out, ' ');
}

static void
put_text_list (const AnswerTable *table, GString *out)
{
  g_autofree glong *widths = g_new0 (glong, table->n_columns);
  guint last = table->n_columns - 1;

  for (guint column = 0; column < table->n_columns; column++)
    {
      widths[column] = g_utf8_strlen (table->columns[column], -1);
      for (guint row = 0; row < n_rows (table); row++)
        widths[column]
            = MAX (widths[column], g_utf8_strlen (cell_at (table, row, column)->text, -1));
    }
  for (guint column = 0; column <= last; column++)
    pad (out, table->columns[column], column == last ? 0 : widths[column] + 2);
  g_string_append_c (out, '\n');
  for (guint row = 0; row < n_rows (table); row++)
    {
      for (guint column = 0; column <= last; column++)
        pad (out, cell_at (table, row, column)->text, column == last ? 0 : widths[column] + 2);
      g_string_append_c (out, '\n');
    }
}

char *
answer_table_list (const AnswerTable *table, ManagementFormat format)
{
  GString *out = g_string_new (NULL);

  switch (format)
    {
    case MANAGEMENT_TEXT:
      put_text_list (table, out);
      break;
    case MANAGEMENT_JSON:
      g_string_append_c (out, '[');
      for (guint row = 0; row < n_rows (table); row++)
        {
          if (row > 0)
            g_string_append (out, ",\n ");
          put_json_row (table, row, out);
        }
      g_string_append (out, "]\n");
      break;
    }
  return g_string_free (out, FALSE);
}

char *
answer_table_object (const AnswerTable *table, ManagementFormat format)
{
  GString *out = g_string_new (NULL);
  glong width = 0;

  g_assert (n_rows (table) == 1);
  switch (format)
    {
    case MANAGEMENT_TEXT:
      for (guint column = 0; column < table->n_columns; column++)
        width = MAX (width, g_utf8_strlen (table->columns[column], -1));
      for (guint column = 0; column < table->n_columns; column++)
        {
          pad (out, table->columns[column], width + 2);
          g_string_append (out, cell_at (table, 0, column)->text);
          g_string_append_c (out, '\n');
        }
      break;
    case MANAGEMENT_JSON:
      put_json_row (table, 0, out);
      g_string_append_c (out, '\n');
      break;
    }
  return g_string_free (out, FALSE);
}
