# SPDX-License-Identifier: MIT
"""Test functions as TAP: one line each, a time limit each, and why it failed."""

import signal
import sys
import traceback

TIME_LIMIT_SECONDS = 60


class Late(Exception):
    pass


def _late(*_):
    raise Late(f"not done after {TIME_LIMIT_SECONDS} s")


def equal(got, expected, what=""):
    if got != expected:
        raise AssertionError(f"{what}: got {got!r}, expected {expected!r}")


def is_true(value, what):
    if not value:
        raise AssertionError(what)


def raises(exception, function, *args, **named):
    """Returns the exception, which must come."""
    try:
        function(*args, **named)
    except exception as error:
        return error
    raise AssertionError(f"{function} went well, {exception} was expected")


class Tap:
    def __init__(self):
        self.count = 0
        self.failed = 0
        signal.signal(signal.SIGALRM, _late)

    def case(self, name, function, *args):
        self.count += 1
        signal.alarm(TIME_LIMIT_SECONDS)
        try:
            function(*args)
        except Exception:  # whatever it is, it is this case's failure
            self.failed += 1
            print(f"not ok {self.count} - {name}")
            for line in traceback.format_exc().rstrip().split("\n"):
                print(f"# {line}")
        else:
            print(f"ok {self.count} - {name}")
        finally:
            signal.alarm(0)
            sys.stdout.flush()

    def end(self):
        print(f"1..{self.count}")
        return 1 if self.failed else 0
