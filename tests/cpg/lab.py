# SPDX-License-Identifier: MIT
"""For the Python tests of this folder: the commands of lab.sh and three_nodes.sh, a process that is
a client at another node, and what the members say of themselves.

A test calls `main`, with what is to be run in the sandbox."""

import ctypes
import glob
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
LAB = os.path.join(HERE, "lab.sh")
NODES = (1, 2, 3)
SECONDS = 30
CLONE_NEWNET = 0x40000000

sys.path.insert(0, os.path.join(HERE, "..", "interop"))


def run(*command, timeout=60):
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout)


def lab(*command):
    result = run(LAB, *(str(word) for word in command))
    assert result.returncode == 0, f"lab.sh {command}: {result.stderr}"
    return result.stdout


def node(number, *command):
    """What consortctl prints; see three_nodes.sh."""
    return run("node", str(number), *command).stdout


def start(number):
    # Its consortd keeps the outputs of the command open.
    subprocess.run(["node", str(number), "start"], stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, timeout=60)


# --- processes ------------------------------------------------------------------------------------

def enter(number):
    """This thread's new sockets are that node's from now on."""
    libc = ctypes.CDLL(None, use_errno=True)
    with open(f"/run/netns/lab-{number}") as namespace:
        if libc.setns(namespace.fileno(), CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), "setns")


def client_at(number, function, *arguments):
    """A process at that node, which has begun; `end_of` waits for its end."""
    def body():
        enter(number)
        function(*arguments)
    process = multiprocessing.get_context("fork").Process(target=body, daemon=True)
    process.start()
    return process


def end_of(client, what):
    client.join(2 * SECONDS)
    assert client.exitcode == 0, f"{what} did not end well: {client.exitcode}"


def consortd_of(number):
    with open(os.path.join(os.environ["LAB_DIR"], f"consortd-{number}.pid")) as file:
        return int(file.read())


def corosync_of(number):
    with open(os.path.join(os.environ["LAB_DIR"], str(number), "run", "corosync.pid")) as file:
        return int(file.read())


def kill_corosync(number):
    pid = corosync_of(number)
    os.kill(pid, signal.SIGKILL)
    for rings in glob.glob(f"/dev/shm/qb-{pid}-*"):
        shutil.rmtree(rings, ignore_errors=True)  # its clients remove them too


# --- what the members say -------------------------------------------------------------------------

def agreement(number):
    lines = node(number, "status").splitlines()
    told = dict(line.split(None, 1) for line in lines if len(line.split(None, 1)) == 2)
    return tuple(told.get(key) for key in ("state", "members", "position", "digest"))


def is_active(number):
    return agreement(number)[0] == "active"


def wait_for(what, holds, seconds=SECONDS):
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, f"not within {seconds} s: {what}"
        time.sleep(0.05)


def wait_until_agreed(what):
    told = []

    def agreed():
        told[:] = [agreement(number) for number in NODES]
        return told[0][0] == "active" and len(set(told)) == 1
    try:
        wait_for("all agree", agreed)
    except AssertionError:
        raise AssertionError(f"{what}: no agreement: {told}") from None


def wait_until_active(what):
    wait_for(f"{what}: all are active", lambda: all(is_active(number) for number in NODES))


# --- the test -------------------------------------------------------------------------------------

def say(text):
    print(text, flush=True)


def print_logs():
    for number in NODES:
        for line in node(number, "log").splitlines()[-40:]:
            say(f"# node {number}: {line}")


def main(script, test, *arguments):
    """Runs test (*arguments) in a lab of three nodes, each with its consortd; what the caller was
    given on the command line is given to it there too."""
    if os.environ.get("CONSORT_IN_SANDBOX") == "true":
        try:
            test(*arguments)
        except Exception as error:  # whatever it is, the rest cannot be trusted
            print_logs()
            say("".join(f"# {line}\n" for line in traceback.format_exc().splitlines())
                + f"Bail out! {error}")
            sys.exit(1)
        return
    possible = run(LAB, "check")
    if possible.returncode != 0:
        if os.environ.get("CI") == "true":
            say(f"Bail out! {possible.stderr.strip()}")
            sys.exit(1)
        say(f"1..0 # SKIP {possible.stderr.strip()}")
        return
    os.execvp("sh", ["sh", os.path.join(HERE, "three_nodes.sh"),
                     os.environ.get("top_builddir", "build"), sys.executable, script,
                     *sys.argv[1:]])
