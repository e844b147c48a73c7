# SPDX-License-Identifier: MIT
dist_man_MANS += %D%/man/consort.conf.5 %D%/man/consortctl.1 %D%/man/consortd.8
