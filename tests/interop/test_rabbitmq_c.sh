#!/bin/sh
# SPDX-License-Identifier: MIT
# A public client of C programs, librabbitmq, through what ordinary programs do with it.
set -u
. "${top_srcdir:?}/tests/need.sh"
program=${top_builddir:?}/tests/interop/rabbitmq_c_client
built() {
  [ -x "$program" ] || { echo 'librabbitmq was not found by configure'; return 1; }
}
need built
exec "${PYTHON3:-python3}" "$top_srcdir/tests/interop/client_cases.py" rabbitmq-c "$program"
