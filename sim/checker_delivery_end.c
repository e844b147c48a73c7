/* SPDX-License-Identifier: MIT */
/* What queues owe when they are empty. */
#include "sim/checker_delivery_parts.h"

/* The kept queues that owe it still. */
static guint
owed_by (const CheckerDelivery *checker, const Publish *publish)
{
  guint owed = 0;

  if (!publish->confirmed)
    return 0;
  for (guint queue = 0; queue < checker->n_queues; queue++)
    if (checker->queues[queue].kept)
      owed |= 1u << queue;
  return owed & publish->reaches & (guint) ~publish->settled;
}

guint
checker_delivery_missing (const CheckerDelivery *checker)
{
  guint n_missing = 0;

  for (guint i = 0; i < checker->publishes->len; i++)
    n_missing += owed_by (checker, &g_array_index (checker->publishes, Publish, i)) != 0;
  return n_missing;
}

void
checker_delivery_count (const CheckerDelivery *checker, guint queue, guint64 *ret_sent,
                        guint64 *ret_confirmed)
{
  *ret_sent = *ret_confirmed = 0;
  for (guint i = 0; i < checker->publishes->len; i++)
    {
      const Publish *publish = &g_array_index (checker->publishes, Publish, i);

      if ((publish->reaches & 1u << queue) == 0)
        continue;
      ++*ret_sent;
      *ret_confirmed += publish->confirmed != FALSE;
    }
}

void
checker_delivery_end (CheckerDelivery *checker, gint64 now_us)
{
  for (guint i = 0; i < checker->publishes->len; i++)
    {
      const Publish *publish = &g_array_index (checker->publishes, Publish, i);
      const ChannelTape *tape = g_ptr_array_index (checker->tapes, publish->tape);
      guint owed = owed_by (checker, publish);

      for (guint queue = 0; queue < checker->n_queues; queue++)
        if ((owed & 1u << queue) != 0)
          findings_add (
              checker->findings, "nothing-lost",
              "message %u, published by %s at %" G_GINT64_FORMAT
              "us, was confirmed, but %s from queue '%s', which is empty at %" G_GINT64_FORMAT "us",
              i + 1, tape->client, publish->at_us,
              (publish->seen & 1u << queue) != 0 ? "its delivery was never settled"
                                                 : "it never came",
              checker->queues[queue].name, now_us);
    }
}
