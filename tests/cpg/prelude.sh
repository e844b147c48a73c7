# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# For the tests of this folder, which print TAP and begin with
#
#     . "$top_srcdir/tests/cpg/prelude.sh"
#     in_sandbox "$0"
#
# From there on they run in a sandbox of their own (lab.sh), or were skipped with the reason. Where
# CI=true a reason is a failure.
# top_srcdir and top_builddir are set by make check.
. "${top_srcdir:?}/tests/need.sh"
CONSORT_LAB=${top_srcdir:?}/tests/cpg/lab.sh
export CONSORT_LAB

lab() {
  "$CONSORT_LAB" "$@"
}

start_lab() { # number of nodes
  if lab start "$1" && lab wait "$1"; then return 0; fi
  for i in $(seq 1 "$1"); do tail -n 20 "$(lab log "$i")" 2> /dev/null | sed 's/^/# /'; done
  echo "Bail out! the laboratory does not work"
  exit 1
}

in_sandbox() { # script
  [ "${CONSORT_IN_SANDBOX:-}" != true ] || return 0
  need lab check
  LAB_DIR=$(mktemp -d)
  CONSORT_IN_SANDBOX=true
  export LAB_DIR CONSORT_IN_SANDBOX
  status=0
  lab sandbox timeout -k 10 "${TEST_TIMEOUT:-120}" sh "$1" || status=$?
  rm -rf "$LAB_DIR"
  exit $status
}
