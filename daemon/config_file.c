/* SPDX-License-Identifier: MIT */
#include "daemon/config_file.h"
#include "core/base/error.h"
#include "core/base/keyfile.h"
#include "core/base/limits.h"
#include "core/base/name_map.h"
#include "core/base/suggest.h"

#include <errno.h>
#include <stdio.h>

typedef enum Section
{
  SECTION_NONE,
  SECTION_CONSORT,
  SECTION_USERS
} Section;

typedef struct Loader
{
  Settings *settings;
  Section section;
  NameMap *seen; /* "section" and "section key" -> the line it stands in */
} Loader;

/* FALSE: it was there before, and the error says where. */
static gboolean
check_first (Loader *loader, const KeyfileItem *item, const char *what, GError **error)
{
  g_autofree char *name = slice_to_text (item->name);
  g_autofree char *full_name = item->kind == KEYFILE_SECTION
                                   ? g_strdup (name)
                                   : g_strdup_printf ("%d %s", (int) loader->section, name);
  guint line = GPOINTER_TO_UINT (name_map_lookup (loader->seen, slice_of_text (full_name)));

  if (line != 0)
    return keyfile_error (error, item->name_at, "%s '%s' was given in line %u already", what, name,
                          line);
  name_map_insert (loader->seen, slice_of_text (full_name), GUINT_TO_POINTER (item->name_at.line));
  return TRUE;
}

static gboolean
unknown (const KeyfileItem *item, const char *what, const char *const *known, guint n_known,
         GError **error)
{
  g_autofree char *name = slice_to_text (item->name);
  g_autofree char *suggestion = suggest_text (name, known, n_known);

  return keyfile_error (error, item->name_at, "unknown %s '%s'%s", what, name, suggestion);
}

static gboolean
enter_section (Loader *loader, const KeyfileItem *item, GError **error)
{
  static const char *const known[] = { "consort", "users" };

  if (slice_equal_text (item->name, "consort"))
    loader->section = SECTION_CONSORT;
  else if (slice_equal_text (item->name, "users"))
    {
      loader->section = SECTION_USERS;
      node_config_clear_users (loader->settings->node);
    }
  else
    return unknown (item, "section", known, G_N_ELEMENTS (known), error);
  return check_first (loader, item, "section", error);
}

static gboolean
apply_setting (Loader *loader, const KeyfileItem *item, GError **error)
{
  g_autofree char *name = slice_to_text (item->name);
  g_autofree char *value = slice_to_text (item->value);
  g_autoptr (GError) reason = NULL;
  guint n_known;
  const char *const *known = settings_names (&n_known);

  for (guint i = 0; i < n_known; i++)
    if (g_str_equal (known[i], name))
      return check_first (loader, item, "key", error)
             && (settings_apply (loader->settings, name, value, &reason)
                 || keyfile_error (error, item->value_at, "%s: %s", name, reason->message));
  return unknown (item, "key", known, n_known, error);
}

static gboolean
add_user (Loader *loader, const KeyfileItem *item, GError **error)
{
  g_autofree char *name = slice_to_text (item->name);
  g_autofree char *password = slice_to_text (item->value);

  if (item->value.length == 0)
    return keyfile_error (error, item->value_at, "user '%s' has no password", name);
  if (item->name.length > LIMIT_NAME || item->value.length > LIMIT_NAME)
    return keyfile_error (error, item->name_at, "a user's name or password of more than %u bytes",
                          LIMIT_NAME);
  if (!check_first (loader, item, "user", error))
    return FALSE;
  node_config_add_user (loader->settings->node, name, password);
  return TRUE;
}

static gboolean
apply_item (Loader *loader, const KeyfileItem *item, GError **error)
{
  switch (item->kind)
    {
    case KEYFILE_END:
      return TRUE;
    case KEYFILE_SECTION:
      return enter_section (loader, item, error);
    case KEYFILE_ENTRY:
      break;
    }
  return loader->section == SECTION_USERS ? add_user (loader, item, error)
                                          : apply_setting (loader, item, error);
}

gboolean
config_file_parse (Settings *settings, const char *path, Slice text, GError **error)
{
  g_autoptr (NameMap) seen = name_map_new ();
  g_autoptr (GError) reason = NULL;
  Loader loader = { .settings = settings, .seen = seen };
  KeyfileReader reader = keyfile_reader_init (text);
  KeyfileItem item;

  do
    if (!keyfile_reader_next (&reader, &item, &reason) || !apply_item (&loader, &item, &reason))
      return system_error (error, SYSTEM_ERROR_SETTING, "%s:%s", path, reason->message);
  while (item.kind != KEYFILE_END);
  return TRUE;
}

gboolean
config_file_load (Settings *settings, const char *path, GError **error)
{
  g_autofree char *text = g_malloc (LIMIT_CONFIG_FILE + 1);
  FILE *file = fopen (path, "re");
  gsize length = 0;
  int failure = errno;

  if (file != NULL)
    {
      length = fread (text, 1, LIMIT_CONFIG_FILE + 1, file);
      failure = ferror (file) ? errno : 0;
      fclose (file);
    }
  if (failure != 0)
    return system_error (error, SYSTEM_ERROR_SETTING, "%s: %s", path, g_strerror (failure));
  if (length > LIMIT_CONFIG_FILE)
    return system_error (error, SYSTEM_ERROR_SETTING, "%s: larger than %u bytes", path,
                         LIMIT_CONFIG_FILE);
  return config_file_parse (settings, path, slice_new (text, length, NULL), error);
}
