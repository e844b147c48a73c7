# SPDX-License-Identifier: MIT
# consort-sim once more, with another compiler or word size, in the present directory: what
# configure found out is taken from the build tree, all else is given by test_builds.sh.
sources := $(shell cd $(top_srcdir) && find core sim -name '*.c' && \
  find transport -name '*.c' ! -name 'corosync_*')
objects := $(sources:.c=.o)
compile = $(CC) $(CFLAGS) -DG_LOG_DOMAIN='"consort"' -I$(top_srcdir) -I$(top_builddir)

consort-sim: $(objects)
	@$(CC) $(CFLAGS) -o $@ $(objects) $(LIBS)

# Read once: GLib's headers cost more than all of ours.
common.h.gch:
	@echo '#include <glib.h>' >common.h
	@$(compile) -MD -MF common.h.d -x c-header -o $@ common.h

$(objects): %.o: $(top_srcdir)/%.c common.h.gch
	@mkdir -p $(@D)
	@$(compile) -MMD -MP -include common.h -c -o $@ $<

-include common.h.d $(objects:.o=.d)
