/* SPDX-License-Identifier: MIT */
/* What a consortd is told to be. A setting is one row of a table: its name is the key in the file
 * and the long option on the command line, its value is judged in one place for both. */
#pragma once

#include "core/base/log.h"
#include "core/node/node_config.h"
#include "daemon/listen_address.h"

typedef enum LogFormat
{
  LOG_FORMAT_TEXT,
  LOG_FORMAT_JSON
} LogFormat;

typedef enum TransportKind
{
  TRANSPORT_KIND_SIM,
  TRANSPORT_KIND_CPG
} TransportKind;

typedef struct Settings
{
  TransportKind transport;
  guint members;              /* in this process; more than one: they are called A, B, C, ... */
  gboolean named;             /* a name was given */
  gboolean expected_is_given; /* so was how many members are expected */
  gboolean follow_votequorum; /* no new clients while corosync is not quorate */
  NodeConfig *node;           /* what all members of this process have in common */
  GArray *listen;             /* of ListenAddress; see settings_member_addresses */
  char *control;              /* path of the control socket; NULL: control_socket_default_path */
  LogLevel log_level;
  LogFormat log_format;
} Settings;

Settings *settings_new (void);
void settings_free (Settings *settings);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Settings, settings_free)

const char *const *settings_names (guint *ret_n);
/* Replaces what was there. `name` is one of settings_names; SYSTEM_ERROR_SETTING says what was
 * expected. */
gboolean settings_apply (Settings *settings, const char *name, const char *value, GError **error);
/* What only the whole can tell: enough addresses for the members, and the like. */
gboolean settings_check (const Settings *settings, GError **error);

/* "A" for 0 when there are several, else the name given; over corosync by default the host's.
 * Yours. */
char *settings_member_name (const Settings *settings, guint index);
/* Of ListenAddress, yours: all for an only member; else the one that is listed for it, or the
 * first one's port plus `index`. */
GArray *settings_member_addresses (const Settings *settings, guint index);
