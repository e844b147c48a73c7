/* SPDX-License-Identifier: MIT */
#include "sim/channel_order.h"

void
channel_order_sent (ChannelOrder *order, MethodId id)
{
  if (id == METHOD_CHANNEL_OPEN)
    order->stage = CHANNEL_OPENING;
  else if (id == METHOD_CHANNEL_CLOSE)
    order->owed_close_ok = TRUE;
}

gboolean
channel_order_heard (ChannelOrder *order, MethodId id)
{
  ChannelStage stage = order->stage;

  if (id == METHOD_CHANNEL_OPEN_OK)
    {
      order->stage = CHANNEL_OPEN;
      return stage == CHANNEL_OPENING;
    }
  /* Both sides may close at once: then it comes behind the other's channel.close. */
  if (id == METHOD_CHANNEL_CLOSE_OK && order->owed_close_ok)
    {
      order->owed_close_ok = FALSE;
      if (stage == CHANNEL_OPEN)
        order->stage = CHANNEL_CLOSED;
      return TRUE;
    }
  if (id == METHOD_CHANNEL_CLOSE)
    {
      order->stage = CHANNEL_CLOSED;
      return stage != CHANNEL_CLOSED;
    }
  return stage == CHANNEL_OPEN && id != METHOD_CHANNEL_CLOSE_OK;
}

const char *
channel_stage_name (ChannelStage stage)
{
  static const char *const names[] = {
    [CHANNEL_CLOSED] = "closed",
    [CHANNEL_OPENING] = "not open yet",
    [CHANNEL_OPEN] = "open",
  };

  return names[stage];
}
