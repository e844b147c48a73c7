# SPDX-License-Identifier: MIT
"""An embedded cluster for a test: consortd with its members on free loopback ports.

    with Cluster(members=3) as cluster:
        cluster.ports            # of the members' AMQP listeners
        cluster.control("member", "crash", "A")
        cluster.settled()        # all members active, at one position, with one digest

The end of the block stops it with SIGTERM; a status other than 0 or a sanitizer's report is an
error. As a program it runs a command with a cluster around it, the ports in $AMQP_PORTS:

    cluster.py MEMBERS COMMAND...

Where AMQP_PORTS is set already, the brokers that listen there are used as they are: so the client
tests can be held against another broker."""

import json
import os
import random
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

START_SECONDS = 60
STOP_SECONDS = 30
POLL_SECONDS = 0.02


def wait_until(condition, what, seconds=30):
    """Returns the first true value of condition(); an error after so many seconds."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"after {seconds} s still not: {what}")
        select.select([], [], [], POLL_SECONDS)


def _is_free(port):
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def _free_ports(count):
    """As many in a row; below the range that the kernel gives to clients."""
    while True:
        first = random.randrange(10240, 32768 - count)
        if all(_is_free(port) for port in range(first, first + count)):
            return list(range(first, first + count))


class Cluster:
    def __init__(self, members=3):
        self.n_members = members
        self.ports = [int(port) for port in os.environ.get("AMQP_PORTS", "").split()]
        self.is_ours = not self.ports
        self.process = None

    def __enter__(self):
        if self.is_ours:
            self._start()
        return self

    def __exit__(self, kind, *_):
        if not self.is_ours:
            return
        try:
            self._stop()
        except AssertionError:
            if kind is None:
                raise
        finally:
            for line in self.log().splitlines()[-200:]:
                print(f"# consortd: {line}")
            shutil.rmtree(self.directory, ignore_errors=True)

    def _program(self, name):
        return os.path.join(os.environ.get("top_builddir", "."), name)

    def _start(self):
        self.directory = tempfile.mkdtemp(prefix="consort-")
        self.socket_path = os.path.join(self.directory, "control")
        self.log_path = os.path.join(self.directory, "log")
        # Between looking and listening another test may take a port: then look again.
        for _ in range(10):
            self.ports = _free_ports(self.n_members)
            with open(self.log_path, "w") as log:
                self.process = subprocess.Popen(
                    [self._program("consortd"), "--members", str(self.n_members),
                     "--listen", f"127.0.0.1:{self.ports[0]}", "--control", self.socket_path],
                    stdin=subprocess.DEVNULL, stdout=log, stderr=log)
            if wait_until(self._serves_or_ended, "consortd serves", START_SECONDS) == "serves":
                return
            if "in use" not in self.log():
                break
        raise AssertionError("consortd ended:\n" + self.log())

    def _serves_or_ended(self):
        if self.process.poll() is not None:
            return "ended"
        try:
            members = self.members()
        except AssertionError:
            return None
        states = [member["state"] for member in members.values()]
        return "serves" if states == ["active"] * self.n_members else None

    def _stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError(f"consortd did not stop within {STOP_SECONDS} s")
        finally:
            log = self.log()
        for word in ("Sanitizer", "runtime error:", "CRITICAL", "WARNING **"):
            if word in log:
                raise AssertionError(f"consortd's log holds '{word}'")
        if status != 0:
            raise AssertionError(f"consortd ended with status {status}")

    def log(self):
        with open(self.log_path, errors="replace") as log:
            return log.read()

    # --- steering and looking -----------------------------------------------------------

    def control_command(self, *command):
        return [self._program("consortctl"), "--control", self.socket_path, *command]

    def control(self, *command):
        """consortctl's answer; an error where it says that it went wrong."""
        result = subprocess.run(
            self.control_command(*command),
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=START_SECONDS)
        if result.returncode != 0:
            raise AssertionError(f"consortctl {' '.join(command)}: {result.stderr.strip()}")
        return result.stdout

    def members(self):
        """By name, what each member says of itself; a member that is down has the state "down"."""
        down = {"state": "down"}
        return {member["member"]: member["node"] or down
                for member in json.loads(self.control("status", "--json"))}

    def list(self, what):
        return json.loads(self.control("list", what, "--json"))

    def settled(self):
        """The status of all members once they agree on position and digest, all active."""
        def agreed():
            members = self.members()
            if any(member["state"] != "active" for member in members.values()):
                return None
            told = {(member["position"], member["digest"]) for member in members.values()}
            return members if len(told) == 1 else None
        return wait_until(agreed, "all members active, at one position, with one digest")

    def left_nothing(self):
        """After cases that clean up behind them: an error if something is still there."""
        self.settled()
        for what in ("queues", "connections", "sessions"):
            left = self.list(what)
            if left:
                raise AssertionError(f"{what} are left: {left}")


def main():
    with Cluster(int(sys.argv[1])) as cluster:
        os.environ["AMQP_PORTS"] = " ".join(str(port) for port in cluster.ports)
        return subprocess.run(sys.argv[2:]).returncode


if __name__ == "__main__":
    sys.exit(main())
