# SPDX-License-Identifier: MIT
# Over real corosync daemons, in namespaces.
cpg_tests = %D%/test_contract.sh
EXTRA_DIST += $(cpg_tests) %D%/lab.sh %D%/prelude.sh
if WITH_CPG
TESTS += $(cpg_tests)
endif
