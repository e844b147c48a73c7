# SPDX-License-Identifier: MIT
# Over real corosync daemons, in namespaces.
cpg_tests = \
  %D%/test_contract.sh %D%/test_kills.py %D%/test_mistakes.py %D%/test_recordings.sh \
  %D%/test_three_nodes.sh
EXTRA_DIST += $(cpg_tests) %D%/lab.sh %D%/prelude.sh %D%/three_nodes.sh \
  %D%/lab.py %D%/long_faults.py %D%/long_kills.py %D%/long_recordings.sh %D%/record.py \
  %D%/record.sh
if WITH_CPG
TESTS += $(cpg_tests)
LONG_TESTS += %D%/long_faults.py %D%/long_kills.py %D%/long_recordings.sh
endif
