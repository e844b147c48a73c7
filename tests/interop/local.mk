# SPDX-License-Identifier: MIT
# Public clients against consortd with one member and with three.
interop_tests = %D%/test_amqp_tools.sh %D%/test_amqplib.sh \
  %D%/test_pika.py %D%/test_pika_errors.py %D%/test_failover.py %D%/test_bad_input.py
TESTS += $(interop_tests)
EXTRA_DIST += $(interop_tests) \
  %D%/amqplib_client.js %D%/install_amqplib.sh %D%/package.json %D%/package-lock.json \
  %D%/client_cases.py %D%/cluster.py %D%/pika_site.py %D%/tap.py %D%/wire.py

clean-local:
	rm -rf %D%/npm %D%/npm.lock
