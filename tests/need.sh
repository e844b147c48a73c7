# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# For tests that print TAP and cannot run everywhere:
#
#     . "$top_srcdir/tests/need.sh"
#     need COMMAND...      goes on if COMMAND is successful; else what it printed is the reason why
#                          all is skipped, and where CI=true a failure
need() {
  if reason=$("$@" 2>&1); then return 0; fi
  if [ "${CI:-}" = true ]; then
    echo "Bail out! $reason"
    exit 1
  fi
  echo "1..0 # SKIP $reason"
  exit 0
}
