#!/bin/sh
# SPDX-License-Identifier: MIT
# All situations of test_recordings.sh, several times.
set -u
RECORD=
ROUNDS=5
TEST_TIMEOUT=600
export RECORD ROUNDS TEST_TIMEOUT
exec sh "${top_srcdir:?}/tests/cpg/test_recordings.sh"
