#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs amqplib, as package-lock.json wants it, into the build directory, unless it is there;
# never into the sources. Says why it cannot. It is then in
# $top_builddir/tests/interop/npm/node_modules.
set -u
sources=${top_srcdir:?}/tests/interop
npm=${top_builddir:?}/tests/interop/npm

for program in node npm; do
  command -v $program > /dev/null || { echo "$program is not installed"; exit 1; }
done

# Tests that run at the same time want the same: one installs, the others wait.
mkdir -p "${npm%/*}"
exec 9> "$npm.lock"
flock 9
if cmp -s "$sources/package-lock.json" "$npm/installed"; then exit 0; fi

rm -rf "$npm"
mkdir "$npm"
cp "$sources/package.json" "$sources/package-lock.json" "$npm"
cd "$npm" || exit 1
timeout 60 npm ci --ignore-scripts --no-audit --no-fund --loglevel=error \
  --fetch-retry-mintimeout=1000 --fetch-retry-maxtimeout=5000 > log 2>&1 < /dev/null || {
  why=$(grep -m 1 reason: log || paste -s -d ' ' log)
  echo "npm could not install amqplib: ${why:-no answer}"
  exit 1
}
node -e 'require("amqplib")' > log 2>&1 || {
  echo "amqplib does not load in node $(node --version): $(grep Error log)"
  exit 1
}
cp package-lock.json installed
