#!/bin/sh
# SPDX-License-Identifier: MIT
# A public client of Node.js, amqplib, through what ordinary programs do with it.
set -u
. "${top_srcdir:?}/tests/need.sh"
here=$top_srcdir/tests/interop
need sh "$here/install_amqplib.sh"
NODE_PATH=${top_builddir:?}/tests/interop/npm/node_modules
export NODE_PATH
exec "${PYTHON3:-python3}" "$here/client_cases.py" amqplib node "$here/amqplib_client.js"
