# SPDX-License-Identifier: MIT
dist_doc_DATA += \
  %D%/LICENSE %D%/design-note-map.md %D%/determinism.md %D%/glossary.md %D%/protocol.md \
  %D%/style.md %D%/testing.md %D%/transport-contract.md
