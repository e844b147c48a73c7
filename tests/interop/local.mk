# SPDX-License-Identifier: MIT
# Public clients against consortd with one member and with three.
interop_tests = %D%/test_amqp_tools.sh %D%/test_amqplib.sh %D%/test_rabbitmq_c.sh \
  %D%/test_pika.py %D%/test_pika_errors.py %D%/test_failover.py %D%/test_bad_input.py
TESTS += $(interop_tests)
EXTRA_DIST += $(interop_tests) \
  %D%/amqplib_client.js %D%/install_amqplib.sh %D%/package.json %D%/package-lock.json \
  %D%/client_cases.py %D%/cluster.py %D%/pika_site.py %D%/tap.py %D%/wire.py
if HAVE_LIBRABBITMQ
check_PROGRAMS += %D%/rabbitmq_c_client
tests_interop_rabbitmq_c_client_SOURCES = %D%/rabbitmq_c_client.c \
  %D%/rabbitmq_c_site.c %D%/rabbitmq_c_site.h
tests_interop_rabbitmq_c_client_CFLAGS = $(AM_CFLAGS) $(LIBRABBITMQ_CFLAGS)
tests_interop_rabbitmq_c_client_LDADD = $(LIBRABBITMQ_LIBS) $(GLIB_LIBS)
endif

clean-local:
	rm -rf %D%/npm %D%/npm.lock
