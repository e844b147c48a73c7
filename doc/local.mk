# SPDX-License-Identifier: MIT
dist_doc_DATA += \
  %D%/LICENSE %D%/architecture.md %D%/design-note-map.md %D%/determinism.md \
  %D%/envelope-format.md %D%/glossary.md %D%/performance.md %D%/protocol.md \
  %D%/scenarios.md %D%/simulator.md %D%/style.md %D%/testing.md %D%/transport-contract.md

dist_man_MANS += %D%/man/consort-sim.1 %D%/man/consort.conf.5 %D%/man/consortctl.1 \
  %D%/man/consortd.8

# One page a decision that binds others.
decisionsdir = $(docdir)/decisions
dist_decisions_DATA = %D%/decisions/safe-reply-after-record.md %D%/decisions/seats.md
