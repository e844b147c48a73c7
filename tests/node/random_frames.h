/* SPDX-License-Identifier: MIT */
/* What a client might say, drawn from a seed: every method with fields of every kind, content in
 * and out of its order. */
#pragma once

#include "core/amqp/frame_writer.h"

/* A method of those that clients send, or rarely another one. What it borrows is static. */
Method random_method (GRand *random);
/* A frame or a few on some channel, mostly such as a client in its right mind would send. */
void random_frames_write (GRand *random, FrameWriter *writer);
