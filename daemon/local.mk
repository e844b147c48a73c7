# SPDX-License-Identifier: MIT
noinst_LIBRARIES += %D%/libdaemon.a
if WITH_CPG
corosync_transport = transport/libtransport_cpg.a $(CPG_LIBS)
else
corosync_transport =
endif
daemon_libs = %D%/libdaemon.a core/management/libmanagement.a $(corosync_transport) \
  transport/libtransport_sim.a $(node_libs) $(GLIB_LIBS)
daemon_libdaemon_a_SOURCES = \
  %D%/client_io.c %D%/client_io.h %D%/config_file.c %D%/config_file.h \
  %D%/control_commands.c %D%/control_commands.h %D%/control_protocol.c %D%/control_protocol.h \
  %D%/control_socket.c %D%/control_socket.h %D%/daemon_options.c %D%/daemon_options.h \
  %D%/embedded.c %D%/embedded.h %D%/embedded_member.c %D%/embedded_member.h \
  %D%/glib_env.c %D%/glib_env.h %D%/group_network.c %D%/group_network.h \
  %D%/io_poller.c %D%/io_poller.h %D%/io_poller_epoll.c \
  %D%/io_poller_poll.c %D%/listen_address.c %D%/listen_address.h %D%/listener.c %D%/listener.h \
  %D%/log_setup.c %D%/log_setup.h %D%/service_notify.c %D%/service_notify.h \
  %D%/settings.c %D%/settings.h %D%/signals.c %D%/signals.h

bin_PROGRAMS += consortd
consortd_SOURCES = %D%/main.c
consortd_LDADD = $(daemon_libs)

bin_PROGRAMS += consortctl
consortctl_SOURCES = %D%/ctl_main.c
consortctl_LDADD = daemon/libdaemon.a core/base/libbase.a $(GLIB_LIBS)

dist_doc_DATA += %D%/consort.conf.example

# What is installed for the service manager; its paths are known only when make runs.
systemdsystemunitdir = $(prefix)/lib/systemd/system
nodist_systemdsystemunit_DATA = %D%/consortd.service
EXTRA_DIST += %D%/consortd.service.in
CLEANFILES += $(nodist_systemdsystemunit_DATA)
%D%/consortd.service: %D%/consortd.service.in Makefile
	$(AM_V_GEN)$(MKDIR_P) %D% && \
	$(SED) -e 's,[@]bindir[@],$(bindir),' -e 's,[@]sysconfdir[@],$(sysconfdir),' \
	  $(srcdir)/%D%/consortd.service.in >$@.tmp && mv $@.tmp $@
