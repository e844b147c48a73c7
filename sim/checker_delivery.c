/* SPDX-License-Identifier: MIT */
#include "sim/checker_delivery_parts.h"

static void
tape_free (gpointer data)
{
  ChannelTape *tape = data;

  g_array_unref (tape->published);
  g_array_unref (tape->resolved);
  g_array_unref (tape->consumers);
  g_array_unref (tape->unsettled);
  g_array_unref (tape->settled);
  g_array_unref (tape->fresh);
  id_map_free (tape->last_first);
  g_free (tape);
}

CheckerDelivery *
checker_delivery_new (Findings *findings, const DeliveryQueue *queues, guint n_queues,
                      gint64 way_us)
{
  CheckerDelivery *checker = g_new0 (CheckerDelivery, 1);

  g_assert (n_queues <= DELIVERY_QUEUES_MAX);
  checker->findings = findings;
  memcpy (checker->queues, queues, n_queues * sizeof (DeliveryQueue));
  checker->n_queues = n_queues;
  checker->way_us = way_us;
  checker->publishes = g_array_new (FALSE, FALSE, sizeof (Publish));
  checker->tapes = g_ptr_array_new_with_free_func (tape_free);
  checker->loses = id_map_new ();
  return checker;
}

void
checker_delivery_free (CheckerDelivery *checker)
{
  g_array_unref (checker->publishes);
  g_ptr_array_unref (checker->tapes);
  id_map_free (checker->loses);
  g_free (checker);
}

ChannelTape *
channel_tape_new (CheckerDelivery *checker, const char *client, guint member)
{
  ChannelTape *tape = g_new0 (ChannelTape, 1);

  tape->checker = checker;
  tape->index = checker->tapes->len;
  tape->client = client;
  tape->published = g_array_new (FALSE, FALSE, sizeof (guint32));
  tape->resolved = g_array_new (FALSE, FALSE, sizeof (gboolean));
  tape->consumers = g_array_new (FALSE, FALSE, sizeof (Consumer));
  tape->unsettled = g_array_new (FALSE, FALSE, sizeof (Unsettled));
  tape->settled = g_array_new (FALSE, FALSE, sizeof (Unsettled));
  tape->member = member;
  tape->suffix_is_lost = id_map_lookup (checker->loses, id_key_of_number (member)) != NULL;
  tape->fresh = g_array_new (FALSE, FALSE, sizeof (Unsettled));
  tape->last_first = id_map_new ();
  g_ptr_array_add (checker->tapes, tape);
  return tape;
}

void
channel_tape_closing (ChannelTape *tape)
{
  tape->is_closing = TRUE;
}

void
channel_tape_over (ChannelTape *tape)
{
  g_array_set_size (tape->published, 0);
  g_array_set_size (tape->resolved, 0);
  g_array_set_size (tape->consumers, 0);
  g_array_set_size (tape->unsettled, 0);
  g_array_set_size (tape->settled, 0);
  g_clear_pointer (&tape->last_first, id_map_free);
  tape->last_first = id_map_new ();
  tape->n_unconfirmed = 0;
}

/* --- publishing --------------------------------------------------------------------------- */

guint32
channel_tape_publish (ChannelTape *tape, gint64 now_us, guint32 reaches, gboolean mandatory)
{
  Publish publish = {
    .tape = tape->index,
    .at_us = now_us,
    .reaches = (guint16) reaches,
    .mandatory = mandatory,
  };
  gboolean resolved = FALSE;
  guint32 number;

  g_array_append_val (tape->checker->publishes, publish);
  number = tape->checker->publishes->len;
  g_array_append_val (tape->published, number);
  g_array_append_val (tape->resolved, resolved);
  tape->n_unconfirmed++;
  return number;
}

static void
resolve (ChannelTape *tape, gint64 now_us, guint64 tag, gboolean refused)
{
  guint32 number = g_array_index (tape->published, guint32, tag - 1);
  Publish *publish = publish_at (tape->checker, number);

  g_array_index (tape->resolved, gboolean, tag - 1) = TRUE;
  tape->n_unconfirmed--;
  publish->confirmed = !refused;
  if (publish->mandatory && publish->reaches == 0 && !publish->returned && !refused)
    findings_add (tape->checker->findings, "returned-rightly",
                  "message %u (published by %s at %" G_GINT64_FORMAT
                  "us) is confirmed at %" G_GINT64_FORMAT
                  "us and was not returned, but it was mandatory and no queue "
                  "could take it",
                  number, tape->client, publish->at_us, now_us);
}

void
channel_tape_confirmed (ChannelTape *tape, gint64 now_us, guint64 tag, gboolean multiple,
                        gboolean refused)
{
  guint n_resolved = 0;
  guint64 last = tag == 0 && multiple ? tape->published->len : tag;
  guint64 first = multiple ? tape->first_unresolved + 1 : tag;

  if (last > tape->published->len || last == 0)
    {
      findings_add (tape->checker->findings, "confirmed-once",
                    "%s is told at %" G_GINT64_FORMAT "us that its publish %" G_GUINT64_FORMAT
                    " of the channel is confirmed, but it made only %u",
                    tape->client, now_us, tag, tape->published->len);
      return;
    }
  for (guint64 i = first; i <= last; i++)
    if (!g_array_index (tape->resolved, gboolean, i - 1))
      {
        resolve (tape, now_us, i, refused);
        n_resolved++;
      }
  while (tape->first_unresolved < tape->resolved->len
         && g_array_index (tape->resolved, gboolean, tape->first_unresolved))
    tape->first_unresolved++;
  if (n_resolved == 0)
    findings_add (tape->checker->findings, "confirmed-once",
                  "%s is told at %" G_GINT64_FORMAT "us that its publish %" G_GUINT64_FORMAT
                  "%s of the channel is confirmed, but that was so already",
                  tape->client, now_us, tag, multiple ? " and all before it" : "");
}

void
channel_tape_returned (ChannelTape *tape, gint64 now_us, guint32 number)
{
  CheckerDelivery *checker = tape->checker;
  Publish *publish;

  if (number == 0 || number > checker->publishes->len)
    {
      findings_add (checker->findings, "returned-rightly",
                    "%s is returned a message at %" G_GINT64_FORMAT "us that nobody published",
                    tape->client, now_us);
      return;
    }
  publish = publish_at (checker, number);
  if (!publish->mandatory || publish->reaches != 0 || publish->returned || publish->confirmed
      || publish->tape != tape->index)
    findings_add (checker->findings, "returned-rightly",
                  "message %u is returned to %s at %" G_GINT64_FORMAT "us, but it was %s", number,
                  tape->client, now_us,
                  publish->tape != tape->index ? "published on another channel"
                  : !publish->mandatory        ? "not mandatory"
                  : publish->reaches != 0      ? "bound for a queue"
                  : publish->returned          ? "returned before"
                                               : "confirmed before");
  publish->returned = TRUE;
}

guint
channel_tape_unconfirmed (const ChannelTape *tape)
{
  return tape->n_unconfirmed;
}

void
channel_tape_look (ChannelTape *tape, gint64 now_us, gint64 patience_us)
{
  guint32 number;
  gint64 at_us;

  if (tape->first_unresolved >= tape->published->len)
    return;
  number = g_array_index (tape->published, guint32, tape->first_unresolved);
  at_us = publish_at (tape->checker, number)->at_us;
  if (now_us - at_us > patience_us)
    findings_add (tape->checker->findings, "confirmed-at-last",
                  "message %u, published by %s at %" G_GINT64_FORMAT
                  "us on a channel that is still open, is not confirmed at %" G_GINT64_FORMAT "us",
                  number, tape->client, at_us, now_us);
}

/* --- consuming ------------------------------------------------------------------------------ */

void
channel_tape_qos (ChannelTape *tape, guint prefetch)
{
  tape->prefetch = prefetch;
}

void
channel_tape_window (ChannelTape *tape, guint window)
{
  tape->window = window;
}

guint
channel_tape_consume (ChannelTape *tape, guint queue, gboolean no_ack)
{
  Consumer consumer = { .queue = queue, .no_ack = no_ack, .prefetch = tape->prefetch };

  g_array_append_val (tape->consumers, consumer);
  return tape->consumers->len - 1;
}

void
channel_tape_cancelled (ChannelTape *tape, guint consumer)
{
  if (consumer < tape->consumers->len)
    g_array_index (tape->consumers, Consumer, consumer).cancelled = TRUE;
}

static void
forget_fresh (ChannelTape *tape)
{
  for (guint i = 0; i < tape->fresh->len; i++)
    {
      const Unsettled *fresh = &g_array_index (tape->fresh, Unsettled, i);
      Publish *publish = publish_at (tape->checker, fresh->number);

      publish->forgotten |= publish->seen_new & (guint16) (1u << fresh->queue);
      publish->seen &= (guint16) ~(1u << fresh->queue);
      publish->seen_new &= (guint16) ~(1u << fresh->queue);
    }
  g_array_set_size (tape->fresh, 0);
}

/* The rules for one message in one queue. Deliveries to two clients may arrive in another order
 * than they were sent in: so the redelivered flag is judged by counting, and a delivery counts as
 * sent after an acknowledgement only if it could not have been on its way. */
static void
check_seen (ChannelTape *tape, gint64 now_us, guint queue, gboolean no_ack, const Arrival *arrival)
{
  CheckerDelivery *checker = tape->checker;
  Publish *publish = publish_at (checker, arrival->number);
  const char *queue_name = checker->queues[queue].name;
  guint16 bit = (guint16) (1u << queue);
  const Unsettled fresh = { .number = arrival->number, .queue = queue };

  if ((publish->reaches & bit) == 0)
    findings_add (checker->findings, "routed-rightly",
                  "message %u came to %s at %" G_GINT64_FORMAT "us from queue '%s', to which "
                  "nothing routes it",
                  arrival->number, tape->client, now_us, queue_name);
  if (arrival->redelivered && publish->at_member != 0 && publish->at_member != tape->member + 1)
    findings_reached (checker->findings, PROBE_REDELIVERED_ELSEWHERE);
  publish->at_member = (guint16) (tape->member + 1);
  if (tape->suffix_is_lost) /* it was on its way, or its member has not noticed yet */
    return;
  if ((publish->forgotten & bit) != 0 && !arrival->redelivered)
    findings_reached (checker->findings, PROBE_TOLD_AGAIN);
  if ((publish->seen_new & bit) != 0 && !arrival->redelivered)
    findings_add (checker->findings, "delivered-once",
                  "message %u came to %s at %" G_GINT64_FORMAT "us from queue '%s' as new, but it "
                  "came as new before: it is a duplicate, or its redelivered flag lies",
                  arrival->number, tape->client, now_us, queue_name);
  if ((publish->gone & bit) != 0 && !tape->is_closing
      && now_us > publish->gone_us + checker->way_us)
    findings_add (checker->findings, "acked-is-gone",
                  "message %u came to %s at %" G_GINT64_FORMAT "us from queue '%s', but it was "
                  "acknowledged before, and that was heard",
                  arrival->number, tape->client, now_us, queue_name);
  if (no_ack && ((publish->seen & bit) != 0 || arrival->redelivered))
    findings_add (checker->findings, "auto-acked-once",
                  "message %u came to %s at %" G_GINT64_FORMAT
                  "us from queue '%s' again, but it is "
                  "consumed without acknowledgement there",
                  arrival->number, tape->client, now_us, queue_name);
  g_array_append_val (tape->fresh, fresh);
  publish->seen |= bit;
  if (!arrival->redelivered)
    publish->seen_new |= bit;
  if (no_ack)
    publish->settled |= bit;
}

/* First deliveries only: what was queued again is out of its order by right. */
static void
check_fifo (ChannelTape *tape, gint64 now_us, guint queue, guint32 number)
{
  CheckerDelivery *checker = tape->checker;
  IdKey key = { queue, publish_at (checker, number)->tape };
  guint last = GPOINTER_TO_UINT (id_map_remove (tape->last_first, key));

  if (number < last)
    findings_add (checker->findings, "queue-fifo",
                  "message %u came to %s at %" G_GINT64_FORMAT "us from queue '%s' after message "
                  "%u, but %s published it before that one, on the same channel",
                  number, tape->client, now_us, checker->queues[queue].name, last,
                  ((ChannelTape *) g_ptr_array_index (checker->tapes, key.low))->client);
  id_map_insert (tape->last_first, key, GUINT_TO_POINTER (MAX (number, last)));
}

static void
check_channel_window (ChannelTape *tape, gint64 now_us)
{
  guint n_unsettled = 0;

  for (guint i = 0; i < tape->consumers->len; i++)
    n_unsettled += g_array_index (tape->consumers, Consumer, i).n_unsettled;
  if (n_unsettled > tape->window)
    findings_add (tape->checker->findings, "window-kept",
                  "at %" G_GINT64_FORMAT
                  "us the channel of %s has %u unsettled deliveries, but asked for %u at the most",
                  now_us, tape->client, n_unsettled, tape->window);
}

/* The client counts less than its member, which does not know yet of all that is settled. */
static void
check_window (ChannelTape *tape, gint64 now_us, guint index)
{
  Consumer *consumer;

  if (index == NO_CONSUMER)
    return;
  consumer = &g_array_index (tape->consumers, Consumer, index);
  if (++consumer->n_unsettled > consumer->prefetch && consumer->prefetch > 0)
    findings_add (tape->checker->findings, "window-kept",
                  "at %" G_GINT64_FORMAT
                  "us consumer %u of %s has %u unsettled deliveries of queue "
                  "'%s', but asked for %u at the most",
                  now_us, index, tape->client, consumer->n_unsettled,
                  tape->checker->queues[consumer->queue].name, consumer->prefetch);
  if (tape->window > 0)
    check_channel_window (tape, now_us);
}

/* It went back to its place, while this client knows of later ones. */
static gboolean
is_before_newer (const ChannelTape *tape, guint queue, guint32 number)
{
  const IdKey key = { queue, publish_at (tape->checker, number)->tape };
  return number < GPOINTER_TO_UINT (id_map_lookup (tape->last_first, key));
}

static void
arrived (ChannelTape *tape, gint64 now_us, guint consumer, guint queue, gboolean no_ack,
         const Arrival *arrival)
{
  CheckerDelivery *checker = tape->checker;
  Unsettled unsettled = { arrival->tag, arrival->number, queue, consumer };

  if (arrival->tag != tape->last_tag + 1)
    findings_add (checker->findings, "tags-count-up",
                  "%s is given delivery tag %" G_GUINT64_FORMAT " at %" G_GINT64_FORMAT
                  "us, the one before was %" G_GUINT64_FORMAT,
                  tape->client, arrival->tag, now_us, tape->last_tag);
  tape->last_tag = arrival->tag;
  if (!no_ack)
    {
      g_array_append_val (tape->unsettled, unsettled);
      check_window (tape, now_us, consumer);
    }
  if (arrival->number == 0 || arrival->number > checker->publishes->len || !arrival->unaltered)
    {
      findings_add (checker->findings, "unaltered",
                    "what came to %s at %" G_GINT64_FORMAT
                    "us from queue '%s' with tag %" G_GUINT64_FORMAT
                    " is not what anybody published",
                    tape->client, now_us, checker->queues[queue].name, arrival->tag);
      return;
    }
  check_seen (tape, now_us, queue, no_ack, arrival);
  if (!arrival->redelivered)
    check_fifo (tape, now_us, queue, arrival->number);
  else if (is_before_newer (tape, queue, arrival->number))
    findings_reached (checker->findings, PROBE_REQUEUED_BEFORE_NEWER);
}

void
channel_tape_delivered (ChannelTape *tape, gint64 now_us, guint index, Arrival arrival)
{
  const Consumer *consumer;

  if (index >= tape->consumers->len || g_array_index (tape->consumers, Consumer, index).cancelled)
    {
      findings_add (tape->checker->findings, "known-consumer",
                    "%s is delivered message %u at %" G_GINT64_FORMAT
                    "us for a consumer that it %s",
                    tape->client, arrival.number, now_us,
                    index >= tape->consumers->len ? "does not have" : "has cancelled");
      return;
    }
  consumer = &g_array_index (tape->consumers, Consumer, index);
  arrived (tape, now_us, index, consumer->queue, consumer->no_ack, &arrival);
}

void
channel_tape_got (ChannelTape *tape, gint64 now_us, guint queue, gboolean no_ack, Arrival arrival)
{
  arrived (tape, now_us, NO_CONSUMER, queue, no_ack, &arrival);
}

guint
channel_tape_unsettled (const ChannelTape *tape)
{
  return tape->unsettled->len;
}

guint64
channel_tape_unsettled_tag (const ChannelTape *tape, guint index)
{
  return g_array_index (tape->unsettled, Unsettled, index).tag;
}

static void
settle_one (ChannelTape *tape, const Unsettled *unsettled, Settlement how)
{
  Publish *publish;

  if (unsettled->consumer < tape->consumers->len)
    g_array_index (tape->consumers, Consumer, unsettled->consumer).n_unsettled--;
  if (how == SETTLED_REQUEUED || unsettled->number == 0
      || unsettled->number > tape->checker->publishes->len)
    return;
  publish = publish_at (tape->checker, unsettled->number);
  publish->settled |= (guint16) (1u << unsettled->queue);
  g_array_append_val (tape->settled, *unsettled);
}

void
channel_tape_settle (ChannelTape *tape, guint64 tag, gboolean multiple, Settlement how)
{
  for (guint i = 0; i < tape->unsettled->len;)
    {
      Unsettled unsettled = g_array_index (tape->unsettled, Unsettled, i);

      if (unsettled.tag > tag)
        break;
      if (unsettled.tag != tag && !multiple)
        {
          i++;
          continue;
        }
      settle_one (tape, &unsettled, how);
      g_array_remove_index (tape->unsettled, i);
    }
}

void
channel_tape_asks (ChannelTape *tape)
{
  tape->n_asked = tape->settled->len;
  tape->n_fresh_asked = tape->fresh->len;
}

void
channel_tape_answered (ChannelTape *tape, gint64 now_us)
{
  guint n_heard = MIN (tape->n_asked, tape->settled->len);

  for (guint i = 0; i < n_heard; i++)
    {
      const Unsettled *settled = &g_array_index (tape->settled, Unsettled, i);
      Publish *publish = publish_at (tape->checker, settled->number);

      publish->gone |= (guint16) (1u << settled->queue);
      publish->gone_us = now_us;
    }
  g_array_remove_range (tape->settled, 0, n_heard);
  g_array_remove_range (tape->fresh, 0, MIN (tape->n_fresh_asked, tape->fresh->len));
  tape->n_asked = tape->n_fresh_asked = 0;
}

void
checker_delivery_late (CheckerDelivery *checker, const char *client, guint member)
{
  for (guint i = 0; i < checker->tapes->len; i++)
    {
      ChannelTape *tape = checker->tapes->pdata[i];

      if (client == NULL ? tape->member != member : !g_str_equal (tape->client, client))
        continue;
      tape->suffix_is_lost = TRUE;
      forget_fresh (tape);
    }
}

void
checker_delivery_longer_way (CheckerDelivery *checker, gint64 way_us)
{
  checker->way_us = MAX (checker->way_us, way_us);
}

void
checker_delivery_suffix_lost (CheckerDelivery *checker, guint member)
{
  if (id_map_lookup (checker->loses, id_key_of_number (member)) == NULL)
    id_map_insert (checker->loses, id_key_of_number (member), checker);
  checker_delivery_late (checker, NULL, member);
}

void
checker_delivery_suffix_kept (CheckerDelivery *checker, guint member)
{
  id_map_remove (checker->loses, id_key_of_number (member));
}
