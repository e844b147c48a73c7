/* SPDX-License-Identifier: MIT */
/* What this member has to say to the group: entries gather in an envelope, envelopes wait for the
 * transport, and what was sent stays in the own window until it is seen delivered.
 *
 * The window is the back-pressure on our clients (the group itself has none), it keeps merges free
 * of holes, and it is what is sent again, in order and before anything new, when a view change
 * begins a new epoch (protocol: resend). */
#pragma once

#include "core/cluster/envelope.h"
#include "transport/transport.h"

typedef struct MulticastOutbox MulticastOutbox;

/* Fills a header for the ordered envelope with that sequence. */
typedef void (*OutboxStamp) (gpointer user_data, guint64 sequence, EnvelopeHeader *ret_header);

/* That envelope was taken by the transport. */
typedef void (*OutboxSent) (gpointer user_data, const EnvelopeHeader *header);

/* `fill`: an envelope is closed once it holds so many bytes. */
MulticastOutbox *multicast_outbox_new (gsize fill, OutboxStamp stamp, OutboxSent sent,
                                       gpointer user_data);
void multicast_outbox_free (MulticastOutbox *outbox);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (MulticastOutbox, multicast_outbox_free)

/* Where to put one entry (envelope_put_*), then multicast_outbox_done. */
ByteWriter *multicast_outbox_entry (MulticastOutbox *outbox);
void multicast_outbox_done (MulticastOutbox *outbox);
/* One more frame of a session; frames of one session in a row share an entry. */
void multicast_outbox_frame (MulticastOutbox *outbox, SessionId id, ProtocolVersion version,
                             const Frame *frame);

/* No more than so many bytes are sent until this is called again (but one envelope at least), and
 * clients are to be read accordingly; G_MAXSIZE, and at first: as much as there is. */
void multicast_outbox_pace (MulticastOutbox *outbox, gsize bytes);
/* Clients should not be read. */
gboolean multicast_outbox_is_full (const MulticastOutbox *outbox);
gboolean multicast_outbox_is_empty (const MulticastOutbox *outbox);

/* What it holds, in bytes. */
typedef struct OutboxLoad
{
  gsize waiting; /* entries and envelopes that were not sent yet */
  gsize window;
} OutboxLoad;

OutboxLoad multicast_outbox_load (const MulticastOutbox *outbox);

/* Sends as much as transport and window take; with LIMIT_OWN_ENVELOPES on their way, full envelopes
 * only. TRUE: there is more, the transport was full. */
gboolean multicast_outbox_flush (MulticastOutbox *outbox, Transport *transport);
/* An own ordered envelope was accepted. FALSE: it is not the one that was sent first. */
gboolean multicast_outbox_delivered (MulticastOutbox *outbox, guint64 sequence);
/* All that is in the window goes again, first, under new headers, from sequence 0. */
void multicast_outbox_resend (MulticastOutbox *outbox);
/* Nothing was ever said. */
void multicast_outbox_clear (MulticastOutbox *outbox);
