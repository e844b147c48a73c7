#!/bin/sh
# SPDX-License-Identifier: MIT
# test_join.py with a state that is ten times as large.
CONSORT_JOIN_MEGABYTES=200 exec "${PYTHON3:-python3}" "${top_srcdir:-.}/tests/daemon/test_join.py"
