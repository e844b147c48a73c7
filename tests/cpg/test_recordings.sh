#!/bin/sh
# SPDX-License-Identifier: MIT
# What corosync tells its members today, recorded here and now, is what the simulated network can
# tell (tests/transport/test_recordings.c).
#
# RECORD   which situations of record.py (a few; nothing for all of them)
# ROUNDS   how often: corosync does not always tell the same (1)
set -u
. "${top_srcdir:?}/tests/cpg/prelude.sh"
RECORD=${RECORD-kill daemon-is-killed heal pause}
ROUNDS=${ROUNDS:-1}
export RECORD ROUNDS
in_sandbox "$0"
start_lab 3
mkdir "$LAB_DIR/recordings"
for round in $(seq "$ROUNDS"); do
  mkdir "$LAB_DIR/round"
  # shellcheck disable=SC2086
  if ! "${PYTHON:-python3}" "$top_srcdir/tests/cpg/record.py" "$LAB_DIR/round" $RECORD; then
    echo "Bail out! nothing could be recorded"
    exit 1
  fi
  for file in "$LAB_DIR"/round/*.txt; do
    mv "$file" "$LAB_DIR/recordings/$(basename "$file" .txt)-$round.txt"
  done
  rmdir "$LAB_DIR/round"
done
status=0
"${top_builddir:?}/tests/transport/test_recordings" --tap -k "$LAB_DIR/recordings" || status=$?
# Whatever was not accepted is worth keeping.
[ $status = 0 ] || sed 's/^/# /' "$LAB_DIR"/recordings/*.txt
exit $status
