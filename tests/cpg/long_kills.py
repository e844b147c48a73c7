# SPDX-License-Identifier: MIT
"""The losses of test_kills.py again and again, each node in its turn, and how long others wait.

    long_kills.py [ROUNDS]"""

import sys

import lab
import test_kills

if __name__ == "__main__":
    lab.main(__file__, test_kills.test, int(sys.argv[1]) if len(sys.argv) > 1 else 20)
