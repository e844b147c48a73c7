#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes ./configure from configure.ac. Run once after a checkout.
set -e
cd "$(dirname "$0")"
exec autoreconf --install --force --warnings=all,no-obsolete
