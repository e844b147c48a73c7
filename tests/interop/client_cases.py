# SPDX-License-Identifier: MIT
"""A client program against consortd: first against one member, then against three.

    client_cases.py NAME COMMAND...

COMMAND alone prints the names of its cases, a line each. COMMAND CASE HOST:PORT... runs one: its
connections go to these brokers in turn, so that what was published at one is consumed at another.
Its status is 0 if the case holds; else what it printed says why.

The case `member-crashes` needs several members. It makes the one at the first address crash with
the shell command $MEMBER_CRASH."""

import os
import shlex
import subprocess
import sys

import tap
from cluster import Cluster

CRASH = "member-crashes"


def holds(command, case, cluster):
    addresses = [f"127.0.0.1:{port}" for port in cluster.ports]
    result = subprocess.run([*command, case, *addresses], stdin=subprocess.DEVNULL, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            timeout=tap.TIME_LIMIT_SECONDS - 5)
    tap.equal(result.returncode, 0, f"{result.stdout}\nstatus")


def crash_and_come_back(command, cluster):
    os.environ["MEMBER_CRASH"] = shlex.join(cluster.control_command("member", "crash", "A"))
    holds(command, CRASH, cluster)
    tap.equal(cluster.members()["A"]["state"], "down")
    cluster.control("member", "restart", "A")
    cluster.settled()


def main():
    name, *command = sys.argv[1:]
    suite = tap.Tap()
    cases = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    for members in (1, 3):
        with Cluster(members) as cluster:
            for case in cases:
                if case != CRASH:
                    suite.case(f"/{name}/{members}/{case}", holds, command, case, cluster)
                elif members > 1 and cluster.is_ours:
                    suite.case(f"/{name}/{members}/{case}", crash_and_come_back, command, cluster)
            if cluster.is_ours:
                suite.case(f"/{name}/{members}/nothing-is-left-and-all-members-agree",
                           cluster.left_nothing)
    return suite.end()


if __name__ == "__main__":
    sys.exit(main())
