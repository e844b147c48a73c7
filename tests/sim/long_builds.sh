#!/bin/sh
# SPDX-License-Identifier: MIT
# test_builds.sh with a thousand members.
exec sh "${0%/*}/test_builds.sh" --large
