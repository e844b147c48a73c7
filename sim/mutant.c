/* SPDX-License-Identifier: MIT */
#include "sim/mutant.h"
#include "transport/view.h"

typedef struct Mutant
{
  Transport transport;
  Transport *inner;
  MutantPool *pool;
  MemberId kept_sender;
  Buffer *kept; /* a message to be told later; NULL: none */
} Mutant;

void
mutant_pool_clear (MutantPool *pool)
{
  g_clear_pointer (&pool->prepared, buffer_unref);
}

static gboolean
is_victim (const Mutant *mutant)
{
  return member_id_equal (mutant->pool->victim, mutant->transport.self);
}

static void
pass_on (Mutant *mutant, const TransportMessage *message)
{
  mutant->transport.listener->delivered (mutant->transport.user_data, message);
}

/* A message that the network does not give now. */
static void
tell (Mutant *mutant, MemberId sender, Buffer *bytes)
{
  MessageCache cache = { 0 };
  const TransportMessage message = { .sender = sender, .bytes = bytes, .cache = &cache };

  pass_on (mutant, &message);
  if (cache.value != NULL)
    cache.destroy (cache.value);
  buffer_unref (bytes);
}

static void
tell_altered (Mutant *mutant, const TransportMessage *message)
{
  Buffer *bytes = buffer_new_copy (message->bytes->bytes, message->bytes->size);

  bytes->bytes[MIN (bytes->size, 100) - 1] ^= 1;
  tell (mutant, message->sender, bytes);
}

static void
keep (Mutant *mutant, const TransportMessage *message)
{
  g_clear_pointer (&mutant->kept, buffer_unref);
  mutant->kept = buffer_ref (message->bytes);
  mutant->kept_sender = message->sender;
}

/* TRUE: it was told, or is not to be. */
static gboolean
mutate (Mutant *mutant, const TransportMessage *message)
{
  MutantPool *pool = mutant->pool;

  switch (pool->mutation)
    {
    case MUTATION_NONE:
    case MUTATION_WRONG_VIEW:
      return FALSE;
    case MUTATION_POSTHUMOUS:
      if (!member_id_equal (message->sender, mutant->transport.self))
        keep (mutant, message);
      return FALSE;
    case MUTATION_REORDER:
    case MUTATION_OVERTAKE:
      if (mutant->kept == NULL)
        {
          keep (mutant, message);
          return TRUE;
        }
      /* Another pair, if these are not such a one. */
      if (member_id_equal (mutant->kept_sender, message->sender)
          != (pool->mutation == MUTATION_OVERTAKE))
        {
          tell (mutant, mutant->kept_sender, g_steal_pointer (&mutant->kept));
          return FALSE;
        }
      pool->is_done = TRUE;
      pass_on (mutant, message);
      tell (mutant, mutant->kept_sender, g_steal_pointer (&mutant->kept));
      return TRUE;
    case MUTATION_DUPLICATE:
      pool->is_done = TRUE;
      pass_on (mutant, message);
      tell (mutant, message->sender, buffer_ref (message->bytes));
      return TRUE;
    case MUTATION_DROP:
      pool->is_done = TRUE;
      return TRUE;
    case MUTATION_PREMATURE:
      if (pool->prepared == NULL)
        return FALSE;
      pool->is_done = TRUE;
      tell (mutant, pool->prepared_by, g_steal_pointer (&pool->prepared));
      return FALSE;
    case MUTATION_ALTERED:
      pool->is_done = TRUE;
      tell_altered (mutant, message);
      return TRUE;
    }
  g_assert_not_reached ();
}

static void
mutant_delivered (gpointer user_data, const TransportMessage *message)
{
  Mutant *mutant = user_data;

  if (!is_victim (mutant) || mutant->pool->is_done || message->directed
      || !mutate (mutant, message))
    pass_on (mutant, message);
}

static void
tell_view_without_one (Mutant *mutant, const View *view)
{
  g_autofree MemberId *members = g_memdup2 (view->members, view->n_members * sizeof (MemberId));
  guint other = member_id_equal (members[0], mutant->transport.self) ? 1 : 0;
  View mutated = *view;

  mutant->pool->is_done = TRUE;
  memmove (members + other, members + other + 1, (view->n_members - other - 1) * sizeof (MemberId));
  mutated.members = members;
  mutated.n_members--;
  mutant->transport.listener->view_changed (mutant->transport.user_data, &mutated);
}

static void
mutant_view_changed (gpointer user_data, const View *view)
{
  Mutant *mutant = user_data;
  MutantPool *pool = mutant->pool;
  gboolean may = is_victim (mutant) && !pool->is_done;

  if (mutant->kept != NULL && pool->mutation != MUTATION_POSTHUMOUS)
    tell (mutant, mutant->kept_sender, g_steal_pointer (&mutant->kept));
  if (may && pool->mutation == MUTATION_WRONG_VIEW && view->n_members > 1)
    {
      tell_view_without_one (mutant, view);
      return;
    }
  mutant->transport.listener->view_changed (mutant->transport.user_data, view);
  if (!may || pool->mutation != MUTATION_POSTHUMOUS || mutant->kept == NULL
      || view_holds (view, mutant->kept_sender))
    return;
  pool->is_done = TRUE;
  tell (mutant, mutant->kept_sender, g_steal_pointer (&mutant->kept));
}

static void
mutant_writable (gpointer user_data)
{
  Mutant *mutant = user_data;

  mutant->transport.listener->writable (mutant->transport.user_data);
}

static void
mutant_failed (gpointer user_data, const GError *error)
{
  Mutant *mutant = user_data;

  mutant->transport.over = TRUE;
  mutant->transport.listener->failed (mutant->transport.user_data, error);
}

static const TransportListener mutant_listener = {
  .delivered = mutant_delivered,
  .view_changed = mutant_view_changed,
  .writable = mutant_writable,
  .failed = mutant_failed,
};

static gboolean
mutant_join (Transport *transport, const char *group, GError **error)
{
  Mutant *mutant = (Mutant *) transport;

  return transport_join (mutant->inner, group, &mutant_listener, mutant, error);
}

static TransportResult
mutant_multicast (Transport *transport, Buffer *message)
{
  Mutant *mutant = (Mutant *) transport;
  MutantPool *pool = mutant->pool;

  if (pool->mutation == MUTATION_PREMATURE && !is_victim (mutant) && !pool->is_done
      && pool->prepared == NULL)
    {
      pool->prepared = buffer_new_copy (message->bytes, message->size);
      pool->prepared_by = transport->self;
      return TRANSPORT_FULL;
    }
  return transport_multicast (mutant->inner, message);
}

static TransportResult
mutant_send_to (Transport *transport, MemberId to, Buffer *message)
{
  return transport_send_to (((Mutant *) transport)->inner, to, message);
}

static void
mutant_leave (Transport *transport)
{
  transport_leave (((Mutant *) transport)->inner);
}

static void
mutant_free (Transport *transport)
{
  Mutant *mutant = (Mutant *) transport;

  transport_free (mutant->inner);
  g_clear_pointer (&mutant->kept, buffer_unref);
  g_free (mutant);
}

static const TransportType mutant_type = {
  .name = "mutant",
  .join = mutant_join,
  .multicast = mutant_multicast,
  .send_to = mutant_send_to,
  .leave = mutant_leave,
  .free = mutant_free,
};

Transport *
mutant_new (Transport *inner, MutantPool *pool)
{
  Mutant *mutant = g_new0 (Mutant, 1);

  mutant->transport.type = &mutant_type;
  mutant->transport.self = inner->self;
  mutant->inner = inner;
  mutant->pool = pool;
  return &mutant->transport;
}
