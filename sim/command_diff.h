/* SPDX-License-Identifier: MIT */
/* consort-sim diff: the first event that is not the same in two runs. */
#pragma once

/* Arguments behind "diff". The exit status of the program. */
int command_diff (int argc, char **argv);
