#!/bin/sh
# SPDX-License-Identifier: MIT
# From a fresh checkout to a cluster of three in one terminal: installs the packages that are
# missing, builds into ./build, and runs consortd with three members until Ctrl-C. Arguments go
# to consortd.
set -eu
cd "$(dirname "$0")/.."
. tests/packages.sh
packages_install build
[ -f configure ] || ./autogen.sh
mkdir -p build
cd build
[ -f Makefile ] || ../configure --quiet
make -j"$(nproc)" > make.log 2>&1 || {
  tail -n 40 make.log >&2
  exit 1
}
cd ..
exec build/consortd --members 3 "$@"
