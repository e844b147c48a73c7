# SPDX-License-Identifier: MIT
# Bugs that the simulator has to find. A patch that does not apply any more is seen by make check.
TESTS += %D%/test_patches.sh
LONG_TESTS += %D%/check_mutants.sh
mutants =
mutants += %D%/01-stamp-late.patch
mutants += %D%/02-window-behind.patch
mutants += %D%/03-half-is-majority.patch
mutants += %D%/04-agreed-by-fewer.patch
mutants += %D%/05-early-by-one.patch
mutants += %D%/06-sequence-goes-on.patch
mutants += %D%/07-promise-forgotten.patch
mutants += %D%/08-best-by-position.patch
mutants += %D%/09-blank-majority.patch
mutants += %D%/10-bump-left-out.patch
mutants += %D%/11-stepdown-by-epoch.patch
mutants += %D%/12-any-cut.patch
mutants += %D%/13-replay-skips.patch
mutants += %D%/14-one-left.patch
mutants += %D%/15-report-once.patch
mutants += %D%/16-frames-stay-open.patch
mutants += %D%/17-prefetch-transfer.patch
mutants += %D%/18-binding-transfer.patch
mutants += %D%/19-channel-window-nowhere.patch
mutants += %D%/20-turn-nowhere.patch
mutants += %D%/21-purge-digest.patch
mutants += %D%/22-bindings-by-address.patch
mutants += %D%/23-redelivered-unset.patch
mutants += %D%/24-requeue-at-end.patch
mutants += %D%/25-lost-not-requeued.patch
mutants += %D%/26-multiple-short.patch
mutants += %D%/27-reject-requeues.patch
mutants += %D%/28-closed-not-served.patch
mutants += %D%/29-auto-delete-stays.patch
mutants += %D%/30-owner-gone.patch
mutants += %D%/31-exclusive-second.patch
mutants += %D%/32-close-before-confirms.patch
mutants += %D%/33-window-plus-one.patch
mutants += %D%/34-sim-suffix.patch
mutants += %D%/35-sim-joined.patch
mutants += %D%/36-sim-gap.patch
mutants += %D%/37-sim-put-off.patch
EXTRA_DIST += %D%/check_mutants.sh
EXTRA_DIST += %D%/test_patches.sh
EXTRA_DIST += $(mutants)

check-mutants: all
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='%D%/check_mutants.sh'

.PHONY: check-mutants
