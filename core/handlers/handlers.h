/* SPDX-License-Identifier: MIT */
/* The design note's handlers, by the note's names, one file each (doc/design-note-map.md). They
 * are composed into chains by chain_builder.c. */
#pragma once

#include "core/session/frame_handler.h"

/* From the client's socket. Context: none (the frame's client). Judges syntax, keeps channel 0 for
 * the edge, and finds the channel's session id. */
extern const FrameHandlerType connection_frame_handler_type;
/* Context: MulticastOutbox. Takes the frame out of local processing into the envelope. */
extern const FrameHandlerType replicate_out_handler_type;

/* From the group. Context: SessionMap. Finds the session, sets the frame's channel and the chain
 * its answers take. */
extern const FrameHandlerType multicast_frame_handler_type;
/* Both ways. Context: none. Numbers requests and responses of the dialect that has them; passes
 * the others through. */
extern const FrameHandlerType request_response_handler_type;
/* Context: none. What the broker does. */
extern const FrameHandlerType process_frame_handler_type;

/* To the client. Context: none. Keeps what the client has been sent, on every member alike. */
extern const FrameHandlerType record_session_handler_type;
/* On the primary only. Context: Cluster. Holds what may not be told yet. */
extern const FrameHandlerType safe_reply_handler_type;
/* Context: none. On the primary only: to the client's socket. */
extern const FrameHandlerType connection_send_handler_type;
