/* SPDX-License-Identifier: MIT */
#include "core/session/session_map.h"
#include "core/broker/vhost.h"
#include "core/session/connection.h"
#include "core/session/session.h"

SessionMap *
session_map_new (Broker *broker)
{
  SessionMap *map = g_new0 (SessionMap, 1);

  map->broker = broker;
  map->connections = id_map_new ();
  map->sessions = id_map_new ();
  map->dirty = g_ptr_array_new ();
  map->with_confirms = g_ptr_array_new ();
  map->settled = queues_to_serve_new ();
  return map;
}

void
session_map_free (SessionMap *map)
{
  IdMapIter iter = id_map_iter (map->connections);
  gpointer value;

  /* Nobody is told any more, and nothing is settled: a state that was half read may not let it. */
  map->choose_send = NULL;
  for (IdMapIter each = id_map_iter (map->sessions); id_map_next (&each, NULL, &value);)
    {
      Session *session = value;

      session->send = NULL;
      unacked_clear (&session->unacked);
    }
  while (id_map_next (&iter, NULL, &value))
    ((Connection *) value)->client = NULL;
  session_map_all_lost (map);
  id_map_free (map->connections);
  id_map_free (map->sessions);
  g_ptr_array_unref (map->dirty);
  g_ptr_array_unref (map->with_confirms);
  g_ptr_array_unref (map->settled);
  g_free (map);
}

Connection *
session_map_lookup_connection (SessionMap *map, ConnectionId id)
{
  return id_map_lookup (map->connections, id_key_of_connection (id));
}

Session *
session_map_lookup_session (SessionMap *map, SessionId id)
{
  if (map->latest == NULL || !session_id_equal (map->latest->id, id))
    map->latest = id_map_lookup (map->sessions, id_key_of_session (id));
  return map->latest;
}

/* NULL: every connection has ended. */
static gboolean
has_ended (const Connection *connection, const MemberId *members, guint n_members)
{
  if (members == NULL)
    return TRUE;
  for (guint i = 0; i < n_members; i++)
    if (member_id_equal (connection->primary, members[i]))
      return TRUE;
  return FALSE;
}

static void
end_connections (SessionMap *map, const MemberId *members, guint n_members)
{
  GPtrArray *queues = queues_to_serve_new ();
  gpointer value;

  for (IdMapIter iter = id_map_iter (map->connections); id_map_next (&iter, NULL, &value);)
    if (has_ended (value, members, n_members))
      connection_let_go (value, queues);
  for (IdMapIter iter = id_map_iter (map->connections); id_map_next (&iter, NULL, &value);)
    if (has_ended (value, members, n_members))
      connection_close (value);
  queues_serve (map, queues);
}

void
session_map_members_lost (SessionMap *map, const MemberId *members, guint n_members)
{
  end_connections (map, members, n_members);
}

void
session_map_all_lost (SessionMap *map)
{
  end_connections (map, NULL, 0);
}

void
session_map_end_of_event (SessionMap *map)
{
  for (guint i = 0; i < map->with_confirms->len; i++)
    session_send_confirms (map->with_confirms->pdata[i]);
  g_ptr_array_set_size (map->with_confirms, 0);
}

guint64
session_map_digest (SessionMap *map)
{
  for (guint i = 0; i < map->dirty->len; i++)
    {
      Session *session = map->dirty->pdata[i];

      map->digest -= session->digest;
      session->digest = session_digest_in_full (session);
      map->digest += session->digest;
      session->dirty = FALSE;
    }
  g_ptr_array_set_size (map->dirty, 0);
  return map->digest;
}

guint64
session_map_digest_in_full (SessionMap *map)
{
  guint64 digest = 0;
  gpointer value;

  for (IdMapIter iter = id_map_iter (map->connections); id_map_next (&iter, NULL, &value);)
    digest += connection_digest_in_full (value);
  for (IdMapIter iter = id_map_iter (map->sessions); id_map_next (&iter, NULL, &value);)
    {
      Session *session = value;

      g_assert (unacked_digest_in_full (&session->unacked) == session->unacked.digest);
      digest += session_digest_in_full (session);
    }
  return digest;
}

static guint64
count_unacked (Broker *broker)
{
  NameMapIter vhosts = name_map_iter (broker_vhosts (broker));
  guint64 count = 0;
  gpointer vhost, queue;

  while (name_map_next (&vhosts, NULL, &vhost))
    for (NameMapIter iter = name_map_iter (((const Vhost *) vhost)->queues);
         name_map_next (&iter, NULL, &queue);)
      count += ((const Queue *) queue)->n_unacked;
  return count;
}

/* Every unacked message of a queue is held by one session, and by one only: it will be settled,
 * once. That each is one of its queue's was seen when it was read. */
static gboolean
each_has_one_holder (SessionMap *map)
{
  g_autoptr (IdMap) held = id_map_new ();
  gpointer value;

  for (IdMapIter iter = id_map_iter (map->sessions); id_map_next (&iter, NULL, &value);)
    {
      Unacked *unacked = &((Session *) value)->unacked;

      for (UnackedEntry *entry = unacked_first (unacked, G_MAXUINT64); entry != NULL;
           entry = unacked_next (unacked, entry))
        {
          IdKey key = { entry->queue->identity, entry->position };

          if (entry->queue->vhost == NULL)
            continue;
          if (id_map_lookup (held, key) != NULL)
            return FALSE;
          id_map_insert (held, key, entry->queue);
        }
    }
  return id_map_size (held) == count_unacked (map->broker);
}

gboolean
session_map_state (StateCodec *codec, SessionMap *map)
{
  if (!connections_state (codec, map) || !sessions_state (codec, map))
    return FALSE;
  if (state_is_reading (codec) && !each_has_one_holder (map))
    state_fail (codec);
  return state_is_good (codec);
}
