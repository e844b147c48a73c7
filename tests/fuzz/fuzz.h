/* SPDX-License-Identifier: MIT */
/* What libFuzzer, or replay_corpus.c in its place, calls. The name is libFuzzer's. */
#pragma once

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);
