# SPDX-License-Identifier: MIT
"""A consortd to test as a process. Each case is a function of a Factory, its docstring the claim;
what it started is ended after it, by its process id."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "interop"))

from cluster import wait_until  # noqa: E402 (the path comes first)
from tap import Tap  # noqa: E402

BUILD = os.environ.get("top_builddir", ".")
SECONDS = 30  # for what takes milliseconds: only a hang gets there


class Consortd:
    """One process. Its control socket and its output are in a directory of its own."""

    def __init__(self, directory, *arguments, environment=None, control=None):
        self.control = control or os.path.join(directory, "control")
        self.stdout_path = os.path.join(directory, "stdout")
        self.stderr_path = os.path.join(directory, "stderr")
        with open(self.stdout_path, "a") as out, open(self.stderr_path, "a") as err:
            self.process = subprocess.Popen(
                [os.path.join(BUILD, "consortd"), "--control", self.control, *arguments],
                stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                env={**os.environ, **(environment or {})})

    def stdout(self):
        with open(self.stdout_path) as file:
            return file.read()

    def stderr(self):
        with open(self.stderr_path, errors="replace") as file:
            return file.read()

    def wait_until_serving(self):
        def serving():
            assert self.process.poll() is None, "it ended: " + self.stderr()
            status = self.ctl("--json", "status")
            return status.returncode == 0 and all(
                member["node"]["state"] == "active"
                for member in json.loads(status.stdout) if member["up"])

        wait_until(serving, "all members are active", SECONDS)
        return self

    def ctl(self, *arguments):
        return subprocess.run(
            [os.path.join(BUILD, "consortctl"), "--control", self.control, *arguments],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS)

    def status(self):
        """By name, what is told of each member."""
        answer = self.ctl("--json", "status")
        assert answer.returncode == 0, answer.stderr
        return {member["member"]: member for member in json.loads(answer.stdout)}

    def port(self, member="A"):
        return int(self.status()[member]["listen"][0].rsplit(":", 1)[1])

    def wait_for_sockets(self, count, member="A"):
        wait_until(lambda: self.status()[member]["sockets"] == count, f"{count} sockets", SECONDS)

    def signal(self, number):
        self.process.send_signal(number)

    def wait(self):
        """Its exit status."""
        return self.process.wait(timeout=SECONDS)

    def stop(self):
        self.signal(signal.SIGTERM)
        return self.wait()

    def end(self):
        """However it is. A sanitizer's report is an error wherever it comes."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for word in ("Sanitizer", "runtime error:", "CRITICAL", "WARNING **"):
            assert word not in self.stderr(), self.stderr()


class Factory:
    """Makes the daemons of one case."""

    def __init__(self):
        self.directory = tempfile.mkdtemp(prefix="consort-")
        self.daemons = []

    def subdirectory(self):
        """The next daemon's."""
        path = os.path.join(self.directory, str(len(self.daemons)))
        os.makedirs(path, exist_ok=True)
        return path

    def start(self, *arguments, listen="127.0.0.1:0", **more):
        """Not waited for. Ports are the kernel's, unless told otherwise."""
        words = ["--listen", listen, *arguments] if listen else list(arguments)
        daemon = Consortd(self.subdirectory(), *words, **more)
        self.daemons.append(daemon)
        return daemon

    def serve(self, *arguments, **more):
        return self.start(*arguments, **more).wait_until_serving()

    def write(self, name, text):
        path = os.path.join(self.directory, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def end(self):
        try:
            for daemon in self.daemons:
                daemon.end()
        finally:
            shutil.rmtree(self.directory)


def run_case(case):
    factory = Factory()
    try:
        case(factory)
    except Exception:
        for daemon in factory.daemons:
            for line in daemon.stderr().splitlines()[-50:]:
                print(f"# consortd: {line}")
        raise
    finally:
        factory.end()


def run(*cases):
    """Does not return."""
    tap = Tap()
    for case in cases:
        tap.case(case.__doc__, run_case, case)
    sys.exit(tap.end())
