/* SPDX-License-Identifier: MIT */
#include "core/session/session.h"
#include "core/base/digest.h"
#include "core/broker/vhost.h"

/* The session takes its place in its connection and in the map. */
static void
enter_map (Session *session)
{
  Connection *connection = session->connection;
  SessionMap *map = connection->map;

  if (session->channel >= connection->n_channels)
    {
      guint n = session->channel + 1u;

      connection->channels = g_renew (Session *, connection->channels, n);
      while (connection->n_channels < n)
        connection->channels[connection->n_channels++] = NULL;
    }
  connection->channels[session->channel] = session;
  connection->n_sessions++;
  id_map_insert (map->sessions, id_key_of_session (session->id), session);
  session_touch (session);
  if (map->choose_send != NULL)
    map->choose_send (map->chains, session);
}

static Session *
session_new (Connection *connection, SessionId id, guint16 channel)
{
  Session *session = g_new0 (Session, 1);

  session->id = id;
  session->connection = connection;
  session->channel = channel;
  session->subscriptions = name_map_new ();
  session->next_delivery_tag = 1;
  return session;
}

Session *
session_open (Connection *connection, const SessionOpening *opening, GError **error)
{
  Session *session;

  if (opening->channel == 0 || opening->channel > connection->channel_max)
    {
      reply_error (error, REPLY_CHANNEL_ERROR,
                   "channel %u is not one of 1 to %u, as agreed in connection.tune-ok",
                   opening->channel, connection->channel_max);
      return NULL;
    }
  if (connection_lookup_channel (connection, opening->channel) != NULL)
    {
      reply_error (error, REPLY_CHANNEL_ERROR, "second 'channel.open' seen on channel %u",
                   opening->channel);
      return NULL;
    }
  session = session_new (connection, opening->id, opening->channel);
  session->secret[0] = opening->secret[0];
  session->secret[1] = opening->secret[1];
  session->name_seed = opening->name_seed;
  enter_map (session);
  return session;
}

static void
session_free (Session *session)
{
  name_map_free (session->subscriptions);
  unacked_clear (&session->unacked);
  content_assembler_clear (&session->content);
  g_free (session->last_queue);
  g_free (session);
}

GPtrArray *
queues_to_serve_new (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) queue_unref);
}

void
queues_serve (const SessionMap *map, GPtrArray *take_queues)
{
  guint n = take_queues->len;
  guint first = n == 0 ? 0 : (guint) (digest_mix (map->position) % n);

  for (guint i = 0; i < n; i++)
    queue_dispatch (take_queues->pdata[(first + i) % n]);
  g_ptr_array_unref (take_queues);
}

/* Unacked messages first: then a consumer that goes has none to be forgotten by. */
void
session_let_go (Session *session, GPtrArray *queues)
{
  NameMapIter iter = name_map_iter (session->subscriptions);
  UnackedEntry *entry;
  gpointer value;

  session_touch (session);
  while ((entry = unacked_first (&session->unacked, G_MAXUINT64)) != NULL)
    {
      queue_requeue (entry->queue, entry->position);
      if (queues->len == 0 || queues->pdata[queues->len - 1] != entry->queue)
        g_ptr_array_add (queues, queue_ref (entry->queue));
      unacked_remove (&session->unacked, entry);
    }
  while (name_map_next (&iter, NULL, &value))
    subscription_cancel (value);
  content_assembler_clear (&session->content);
}

void
session_close (Session *session)
{
  Connection *connection = session->connection;
  SessionMap *map = connection->map;
  GPtrArray *queues = queues_to_serve_new ();

  session_let_go (session, queues);
  if (session->dirty)
    g_ptr_array_remove_fast (map->dirty, session);
  map->digest -= session->digest;
  g_ptr_array_remove (map->with_confirms, session);
  connection->channels[session->channel] = NULL;
  connection->n_sessions--;
  id_map_remove (map->sessions, id_key_of_session (session->id));
  map->latest = NULL;
  session_free (session);
  queues_serve (map, queues);
}

void
session_fail (Session *session, const GError *error, guint16 class_id, guint16 method_id)
{
  g_autofree char *text = NULL;
  Method method = { .id = METHOD_CHANNEL_CLOSE };
  GPtrArray *queues;

  g_assert (error->domain == REPLY_ERROR);
  if (reply_code_is_hard ((guint) error->code))
    {
      connection_fail (session->connection, error, class_id, method_id);
      return;
    }
  session_send_confirms (session);
  session->state = SESSION_CLOSING;
  text = reply_error_text (error);
  method.channel_close.reply_code = (guint16) error->code;
  method.channel_close.reply_text = slice_of_text (text);
  method.channel_close.class_id = class_id;
  method.channel_close.method_id = method_id;
  session_send (session, &method);
  queues = queues_to_serve_new ();
  session_let_go (session, queues);
  queues_serve (session->connection->map, queues);
}

void
session_touch (Session *session)
{
  if (session->dirty)
    return;
  session->dirty = TRUE;
  g_ptr_array_add (session->connection->map->dirty, session);
}

static void
send (Session *session, const Method *method, Message *content, gboolean must_be_safe)
{
  SessionMap *map = session->connection->map;
  SessionFrame frame = {
    .session_id = session->id,
    .session = session,
    .frame = { .type = FRAME_METHOD, .channel = session->channel },
    .method = method,
    .content = content,
    .must_be_safe = must_be_safe,
    .position = map->position,
  };

  session_touch (session);
  if (must_be_safe && !session->is_served_here)
    map->report_position = map->position;
  if (session->send != NULL)
    frame_handler_handle (session->send, &frame);
}

void
session_send (Session *session, const Method *method)
{
  send (session, method, NULL, FALSE);
}

void
session_send_content (Session *session, const Method *method, Message *content)
{
  send (session, method, content, FALSE);
}

void
session_send_safe (Session *session, const Method *method)
{
  send (session, method, NULL, TRUE);
}

void
session_owes_confirm (Session *session)
{
  SessionMap *map = session->connection->map;

  if (session->n_published == session->n_confirmed)
    g_ptr_array_add (map->with_confirms, session);
  session->n_published++;
}

void
session_send_confirms (Session *session)
{
  Method method = { .id = METHOD_BASIC_ACK };

  if (session->n_published == session->n_confirmed)
    return;
  method.basic_ack.delivery_tag = session->n_published;
  method.basic_ack.multiple = session->n_published - session->n_confirmed > 1;
  session->n_confirmed = session->n_published;
  session_send_safe (session, &method);
}

char *
session_draw_name (Session *session, const char *prefix)
{
  guint64 number = ++session->n_names;

  session_touch (session);
  return g_strdup_printf ("%s%016" G_GINT64_MODIFIER "x%016" G_GINT64_MODIFIER "x", prefix,
                          digest_combine (session->name_seed, number),
                          digest_combine (number, session->name_seed));
}

char *
session_channel_id (const Session *session)
{
  char id[ID_TEXT_SIZE];

  return g_strdup_printf ("%s-%016" G_GINT64_MODIFIER "x%016" G_GINT64_MODIFIER "x",
                          session_id_to_text (session->id, id), session->secret[0],
                          session->secret[1]);
}

/* --- as state ------------------------------------------------------------------------------- */

guint64
session_digest_in_full (const Session *session)
{
  const SessionRecord *record = &session->record;
  NameMapIter iter = name_map_iter (session->subscriptions);
  guint64 subscriptions = 0;
  guint64 digest = digest_session (2, session->id);
  gpointer value;

  while (name_map_next (&iter, NULL, &value))
    subscriptions += subscription_digest (value);
  digest = digest_connection (digest, session->connection->id);
  digest = digest_combine (digest, session->channel);
  digest = digest_combine (digest, session->state);
  digest = digest_combine (digest, session->secret[0]);
  digest = digest_combine (digest, session->secret[1]);
  digest = digest_combine (digest, session->name_seed);
  digest = digest_combine (digest, subscriptions);
  digest = digest_combine (digest, session->unacked.digest);
  digest = digest_combine (digest, session->next_delivery_tag);
  digest = digest_combine (digest, session->prefetch_next);
  digest = digest_combine (digest, session->prefetch_channel);
  digest = digest_combine (digest, (guint64) session->confirming);
  digest = digest_combine (digest, session->n_published);
  digest = digest_combine (digest, session->n_confirmed);
  digest = digest_text (digest, session->last_queue == NULL ? "" : session->last_queue);
  digest = digest_combine (digest, session->n_names);
  digest = digest_combine (digest, session->content.digest);
  digest = digest_combine (digest, session->content.content_digest);
  digest = digest_combine (digest, session->content.body_left);
  digest = digest_combine (digest, record->frames_sent);
  digest = digest_combine (digest, record->tape);
  return digest_combine (digest, record->delivery_tag_sent);
}

static gboolean
record_state (StateCodec *codec, SessionRecord *record)
{
  state_u64 (codec, &record->frames_sent);
  state_u64 (codec, &record->tape);
  state_u64 (codec, &record->delivery_tag_sent);
  return state_is_good (codec);
}

gboolean
session_state (StateCodec *codec, Session *session)
{
  guint8 state = (guint8) session->state;

  state_u8 (codec, &state);
  session->state = (SessionChannelState) state;
  if (state > SESSION_CLOSING)
    state_fail (codec);
  state_u64 (codec, &session->secret[0]);
  state_u64 (codec, &session->secret[1]);
  state_u64 (codec, &session->name_seed);
  subscriptions_state (codec, session);
  session_unacked_state (codec, session);
  state_u64 (codec, &session->next_delivery_tag);
  state_u32 (codec, &session->prefetch_next);
  state_u32 (codec, &session->prefetch_channel);
  state_boolean (codec, &session->confirming);
  state_u64 (codec, &session->n_published);
  state_u64 (codec, &session->n_confirmed);
  state_text (codec, &session->last_queue);
  state_u64 (codec, &session->n_names);
  content_assembler_state (codec, &session->content);
  return record_state (codec, &session->record);
}

static gboolean
session_read (StateCodec *codec, SessionMap *map)
{
  SessionId id = { 0 };
  ConnectionId connection_id = { 0 };
  guint16 channel = 0;
  Connection *connection;
  Session *session;

  state_session_id (codec, &id);
  state_connection_id (codec, &connection_id);
  state_u16 (codec, &channel);
  connection = session_map_lookup_connection (map, connection_id);
  if (!state_is_good (codec) || connection == NULL || session_id_is_none (id) || channel == 0
      || channel > connection->channel_max || session_map_lookup_session (map, id) != NULL
      || connection_lookup_channel (connection, channel) != NULL)
    {
      state_fail (codec);
      return FALSE;
    }
  session = session_new (connection, id, channel);
  enter_map (session);
  return session_state (codec, session);
}

gboolean
sessions_state (StateCodec *codec, SessionMap *map)
{
  guint count = state_count (codec, id_map_size (map->sessions));
  IdMapIter iter = id_map_iter (map->sessions);
  gpointer value;

  if (state_is_reading (codec))
    {
      for (guint i = 0; i < count && session_read (codec, map); i++)
        ;
      return state_is_good (codec);
    }
  while (id_map_next (&iter, NULL, &value))
    {
      Session *session = value;

      state_session_id (codec, &session->id);
      state_connection_id (codec, &session->connection->id);
      state_u16 (codec, &session->channel);
      session_state (codec, session);
    }
  return TRUE;
}
