#!/bin/sh
# SPDX-License-Identifier: MIT
# The one list of Debian 12 packages, by purpose, each with its reason.
#
#     sh tests/packages.sh build test      installs what is missing of these
#     . tests/packages.sh; packages_install build
#
# Purposes: build, test, word32, corosync, fuzz. With word32 GLib for 32 bit is unpacked, too, into
# $GLIB32 or build-check/glib32.

packages_build='
gcc                  the compiler
libc6-dev            its C library
make                 runs the build
autoconf             makes configure
automake             makes Makefile.in
pkgconf              finds the libraries
libglib2.0-dev       GLib and GIO
libcpg-dev           the corosync transport
libquorum-dev        the same: whether corosync is quorate
libcorosync-common-dev    the same: what its errors are called
'
packages_test='
patch                plants the bugs that the simulator has to find
python3              the client tests are written in it
python3-pika         a public client
amqp-tools           amqp-publish, amqp-consume: another public client
librabbitmq-dev      another public client, for C
nodejs               runs amqplib, another public client
npm                  installs amqplib into the build directory
amqp-specs           the XML specifications, to hold our method tables against
clang-format-14      the style check; another version formats differently
clang-14             another compiler: a seed has to be the same run
xz-utils             the archive that make distcheck packs
'
packages_word32='
gcc-multilib         builds for 32 bit: a seed has to be the same run
'
packages_corosync='
corosync             the real group
iproute2             a network namespace for each daemon
util-linux           the sandbox around them
procps               finds the daemons
'
packages_fuzz='
clang-14             the compiler that knows libFuzzer
libclang-rt-14-dev   libFuzzer and the sanitizers
llvm-14              names instead of addresses in its reports
'

# The names of the purposes that are given.
packages_names() {
  for purpose in "$@"; do
    case $purpose in
      build) lines=$packages_build ;;
      test) lines=$packages_test ;;
      word32) lines=$packages_word32 ;;
      corosync) lines=$packages_corosync ;;
      fuzz) lines=$packages_fuzz ;;
      *)
        echo "packages: '$purpose' is none of build, test, word32, corosync, fuzz" >&2
        return 2
        ;;
    esac
    printf '%s\n' "$lines" | sed -n 's/^\([a-z0-9][a-z0-9.+-]*\) .*/\1/p'
  done
}

# Node.js is often there from elsewhere: Debian's is not put beside it.
packages_is_there() { # name
  case $1 in
    nodejs | npm) if command -v "${1%js}" > /dev/null; then return 0; fi ;;
  esac
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2> /dev/null)" = installed ]
}

packages_missing() {
  packages_names "$@" | while read -r name; do
    packages_is_there "$name" || printf ' %s' "$name"
  done
}

# Installs what is missing; says what it does, and what to do where it cannot.
packages_install() {
  packages_names "$@" > /dev/null || return
  case " $* " in
    *' word32 '*) packages_unpack_glib32 || echo "packages: no GLib for 32 bit" >&2 ;;
  esac
  if ! command -v dpkg-query > /dev/null; then
    echo "packages: not a Debian system; these are needed by their Debian names:" >&2
    packages_names "$@" | sed 's/^/  /' >&2
    echo "packages: going on without looking" >&2
    return 0
  fi
  missing=$(packages_missing "$@")
  [ -n "$missing" ] || return 0
  echo "packages: installing$missing" >&2
  as_root=
  if [ "$(id -u)" != 0 ]; then
    as_root=sudo
    if ! command -v sudo > /dev/null; then
      echo "packages: neither root nor sudo; as root, please: apt-get install$missing" >&2
      return 1
    fi
  fi
  # The lists may be absent or old: the second attempt is with new ones.
  # shellcheck disable=SC2086
  packages_apt install $missing || { packages_apt update && packages_apt install $missing; } || {
    echo "packages: apt-get could not install:$missing" >&2
    return 1
  }
}

# GLib of another architecture cannot be installed beside the one that is: its package for
# development is fetched and unpacked. apt's lists of that architecture are kept apart, so that the
# system does not learn of it; a source that has none is passed over.
packages_unpack_glib32() {
  glib32=${GLIB32:-build-check/glib32}
  [ ! -d "$glib32/usr" ] || return 0
  command -v apt-get > /dev/null && command -v dpkg-deb > /dev/null || return
  mkdir -p "$glib32/lists/partial" "$glib32/archives/partial" || return
  : > "$glib32/status"
  (
    cd "$glib32" || exit 1
    apt_apart() {
      apt-get -q -o APT::Architecture=i386 -o APT::Architectures::=i386 -o Debug::NoLocking=1 \
        -o "APT::Sandbox::User=$(id -un)" -o "Dir::State=$PWD" -o "Dir::State::status=$PWD/status" \
        -o "Dir::Cache=$PWD" "$@" < /dev/null >&2
    }
    echo "packages: unpacking GLib for 32 bit into $PWD" >&2
    apt_apart update || echo "packages: going on with the lists that came" >&2
    apt_apart download libglib2.0-dev && dpkg-deb -x libglib2.0-dev_*_i386.deb . || exit
    rm -rf lists archives status ./*.deb ./*.bin
  )
}

packages_apt() {
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends "$@" \
    < /dev/null >&2
}

case ${0##*/} in
  packages.sh) packages_install "$@" ;;
esac
