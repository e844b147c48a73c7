# SPDX-License-Identifier: MIT
# Bugs that the simulator has to find. A patch that does not apply any more is seen by make check.
TESTS += %D%/test_patches.sh
LONG_TESTS += %D%/check_mutants.sh
mutants =
mutants += %D%/01-stamp-late.patch
mutants += %D%/02-window-behind.patch
mutants += %D%/03-half-is-majority.patch
EXTRA_DIST += %D%/check_mutants.sh
EXTRA_DIST += %D%/test_patches.sh
EXTRA_DIST += $(mutants)

check-mutants: all
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='%D%/check_mutants.sh'

.PHONY: check-mutants
