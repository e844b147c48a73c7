#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs one GTest program: TAP output, goes on after a failed case (-k), and a time limit,
# so that a hang is a failure with a name.
exec timeout -k 10 "${TEST_TIMEOUT:-120}" "$@" --tap -k
