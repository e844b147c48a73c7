/* SPDX-License-Identifier: MIT */
/* What may be heard on a client's channel: nothing before channel.open-ok, and nothing behind
 * channel.close or close-ok until the next one (0-9-1 section 2.2.8). So what is meant for one life
 * of a channel number is never taken for the next. */
#pragma once

#include "core/amqp/method.h"

typedef enum ChannelStage
{
  CHANNEL_CLOSED,
  CHANNEL_OPENING, /* channel.open was sent */
  CHANNEL_OPEN
} ChannelStage;

typedef struct ChannelOrder
{
  ChannelStage stage;
  gboolean owed_close_ok; /* channel.close was sent */
} ChannelOrder;

void channel_order_sent (ChannelOrder *order, MethodId id);
/* FALSE: it has no business there. */
gboolean channel_order_heard (ChannelOrder *order, MethodId id);
const char *channel_stage_name (ChannelStage stage);
