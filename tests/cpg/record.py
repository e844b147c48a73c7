# SPDX-License-Identifier: MIT
"""Records what members of real corosync daemons are told, situation by situation, into the files
that tests/transport/test_recordings reads.

    record.py DIRECTORY [SITUATION...]

Runs where lab.sh has three nodes (record.sh). A member is NODE.PROCESS, processes counted from 1.
A recording is what was done, in order, and then a tape of each membership: `-- N` where the N-th
thing was done (from 1), views, `failed`, and lines of `>NUMBER` (it multicast that) and
`SENDER:NUMBER` (it was told that)."""

import os
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
LAB = os.path.join(HERE, "lab.sh")
TAPE = os.path.join(os.environ.get("top_builddir", "build"), "tests", "transport", "corosync_tape")
NODES = (1, 2, 3)
INTERVAL_MS = 60
TOKENS_A_LINE = 12
SECONDS = 20  # that a thing may take
CALM = 0.25   # between two things, for messages to come and go
TOKEN_SECONDS = 0.3


def lab(*command):
    subprocess.run([LAB, *(str(word) for word in command)], check=True, timeout=60)


class Process:
    """A process that is a member, again and again if it is told to; `lines` is what it printed."""

    def __init__(self, node):
        self.node = node
        self.lines = []
        self.child = subprocess.Popen([LAB, "exec", str(node), TAPE, str(INTERVAL_MS)], text=True,
                                      stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=1)
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        self.is_alive = True

    def read(self):
        for line in self.child.stdout:
            self.lines.append(line.split())

    def say(self, command):
        self.child.stdin.write(command + "\n")
        self.child.stdin.flush()

    def kill(self):
        self.child.kill()
        self.end()

    def end(self):
        self.child.stdin.close()
        self.child.wait(SECONDS)
        self.reader.join(SECONDS)
        self.is_alive = False

    def last_view(self):
        """Nodes of its members; () after a failure, or before the first."""
        for line in reversed(self.lines):
            if line[0] in ("failed", "joining"):
                return ()
            if line[0] == "view":
                return tuple(int(word.split(".")[0]) for word in members_of(line))
        return ()


def members_of(view):
    members = []
    for word in view[2:]:
        if word in ("left", "joined"):
            break
        members.append(word)
    return members


class Recorder:
    def __init__(self):
        self.processes = []
        self.done = []

    def of(self, node):
        return [process for process in self.processes if process.node == node][-1]

    def mark(self, what):
        """From here on what is told is because of that."""
        self.done.append(what)
        for process in self.processes:
            process.lines.append(["--", str(len(self.done))])

    def name(self, node):
        return f"{node}.{len([1 for process in self.processes if process.node == node])}"

    def wait(self, **views):
        """Until the last views of those nodes (n1=...) are these."""
        deadline = time.monotonic() + SECONDS
        while any(self.of(int(node[1])).last_view() != tuple(view) for node, view in views.items()):
            told = {node: self.of(int(node[1])).last_view() for node in views}
            assert time.monotonic() < deadline, f"after {self.done[-1]}: {told}, not {views}"
            time.sleep(0.005)
        time.sleep(CALM)

    # --- what is done -----------------------------------------------------------------------------

    def join(self, node, again=False):
        if not again:
            self.processes.append(Process(node))
        self.mark(f"join {self.name(node)}")
        self.of(node).lines.append(["joining"])
        self.of(node).say("join")

    def leave(self, node):
        self.mark(f"leave {self.name(node)}")
        self.of(node).say("leave")

    def kill(self, node):
        self.mark(f"kill {self.name(node)}")
        self.of(node).kill()

    def stop_daemon(self, node):
        self.mark(f"stop-daemon {node}")
        lab("leave", node)

    def kill_daemon(self, node):
        self.mark(f"kill-daemon {node}")
        lab("kill", node)

    def start_daemon(self, node):
        self.mark(f"start-daemon {node}")
        lab("rejoin", node)

    def freeze(self, node):
        self.mark(f"freeze {node}")
        lab("freeze", node)

    def thaw(self, node):
        self.mark(f"thaw {node}")
        lab("thaw", node)

    def partition(self, *parts):
        digits = ["0"] * len(NODES)
        for number, part in enumerate(parts):
            for node in part.split():
                digits[int(node) - 1] = str(number)
        self.mark(f"partition {''.join(digits)}")
        lab("partition", *parts)

    def heal(self):
        self.mark("heal")
        lab("heal")

    def blink(self, node, seconds):
        self.mark(f"blink {node}")
        lab("partition", *(str(other) for other in NODES if other == node),
            " ".join(str(other) for other in NODES if other != node))
        time.sleep(seconds)
        lab("heal")


# --- the situations -------------------------------------------------------------------------------

def join(recorder):
    pass  # that is how each begins


def leave(recorder):
    recorder.leave(2)
    recorder.wait(n1=(1, 3), n3=(1, 3))


def rejoin(recorder):
    recorder.leave(2)
    recorder.wait(n1=(1, 3), n3=(1, 3))
    recorder.join(2, again=True)
    recorder.wait(n1=NODES, n2=NODES, n3=NODES)


def kill(recorder):
    recorder.kill(3)
    recorder.wait(n1=(1, 2), n2=(1, 2))
    recorder.join(3)
    recorder.wait(n1=NODES, n2=NODES, n3=NODES)


def daemon_stops(recorder):
    recorder.stop_daemon(3)
    recorder.wait(n1=(1, 2), n2=(1, 2), n3=())


def daemon_is_killed(recorder):
    recorder.kill_daemon(3)
    recorder.wait(n1=(1, 2), n2=(1, 2), n3=())


def daemon_comes_back(recorder):
    daemon_is_killed(recorder)
    recorder.start_daemon(3)
    lab("wait", 3)
    recorder.join(3, again=True)
    recorder.wait(n1=NODES, n2=NODES, n3=NODES)


def daemon_comes_back_at_once(recorder):
    recorder.kill_daemon(3)
    recorder.start_daemon(3)
    recorder.wait(n1=(1, 2), n2=(1, 2), n3=())
    recorder.join(3, again=True)
    recorder.wait(n1=NODES, n2=NODES, n3=NODES)


def partition(recorder):
    recorder.partition("1 2", "3")
    recorder.wait(n1=(1, 2), n2=(1, 2), n3=(3,))


def heal(recorder):
    partition(recorder)
    recorder.heal()
    recorder.wait(n1=NODES, n2=NODES, n3=NODES)


def all_alone(recorder):
    recorder.partition("1", "2", "3")
    recorder.wait(n1=(1,), n2=(2,), n3=(3,))
    recorder.heal()
    recorder.wait(n1=NODES, n2=NODES, n3=NODES)


def leave_while_apart(recorder):
    partition(recorder)
    recorder.leave(2)
    recorder.wait(n1=(1,))
    recorder.heal()
    recorder.wait(n1=(1, 3), n3=(1, 3))


def pause(recorder):
    recorder.freeze(3)
    recorder.wait(n1=(1, 2), n2=(1, 2))
    recorder.thaw(3)
    recorder.wait(n1=NODES, n2=NODES, n3=NODES)


def blink(recorder):
    recorder.blink(3, TOKEN_SECONDS / 3)
    time.sleep(4 * TOKEN_SECONDS)
    recorder.wait(n1=NODES, n2=NODES, n3=NODES)


SITUATIONS = {function.__name__.replace("_", "-"): function for function in (
    join, leave, rejoin, kill, daemon_stops, daemon_is_killed, daemon_comes_back,
    daemon_comes_back_at_once, partition, heal, all_alone, leave_while_apart, pause, blink)}


# --- files ----------------------------------------------------------------------------------------

def renamed(processes):
    """Process ids, by node, to their number on that node."""
    names = {}
    for process in processes:
        for line in process.lines:
            if line[0] != "view":
                continue
            for word in line[2:]:
                node = word.split(".")[0]
                if "." in word and word not in names and int(node) == process.node:
                    taken = len([1 for other in names if other.split(".")[0] == node])
                    names[word] = f"{node}.{taken + 1}"
    return names


def tape_lines(lines, names):
    tokens = []
    for line in lines:
        if line[0] == "sent":
            tokens.append(f">{line[1]}")
        elif line[0] == "message":
            tokens.append(f"{names[line[1]]}:{line[2]}")
        if tokens and (line[0] not in ("sent", "message") or len(tokens) == TOKENS_A_LINE):
            yield " ".join(tokens)
            tokens = []
        if line[0] == "view":
            yield " ".join(line[:2] + [names.get(word, word) for word in line[2:]])
        elif line[0] not in ("sent", "message"):
            yield " ".join(line)
    if tokens:
        yield " ".join(tokens)


def memberships(lines):
    """The lines of each, without what came before the first."""
    tape, marks = None, []
    for line in lines:
        if line[0] == "--":
            marks = [line]
        if line[0] == "joining":
            if tape is not None:
                yield tape
            tape = list(marks)
        elif tape is not None:
            tape.append(line)
    if tape is not None:
        yield tape


def write(path, recorder, version):
    names = renamed(recorder.processes)
    transport, token = os.environ.get("LAB_TRANSPORT", "udpu"), os.environ.get("LAB_TOKEN", "300")
    with open(path, "w") as file:
        file.write(f"# {version}, {transport}, token {token} ms; tests/cpg/record.py\n")
        for what in recorder.done:
            file.write(f"do {what}\n")
        counts = {}
        for process in recorder.processes:
            counts[process.node] = counts.get(process.node, 0) + 1
            for tape in memberships(process.lines):
                file.write(f"tape {process.node}.{counts[process.node]}\n")
                file.writelines(line + "\n" for line in tape_lines(tape, names))


def settle(recorder):
    """Until nothing more has come for a while."""
    before = None
    while before != (before := [len(process.lines) for process in recorder.processes]):
        time.sleep(CALM)


def record(situation, path, version):
    recorder = Recorder()
    for node in NODES:
        recorder.join(node)
        recorder.wait(**{f"n{other}": NODES[:node] for other in NODES[:node]})
    SITUATIONS[situation](recorder)
    for process in recorder.processes:
        if process.is_alive:
            process.say("quiet")
    settle(recorder)
    # What comes of ending them is no part of it.
    ends = [len(process.lines) for process in recorder.processes]
    for process in recorder.processes:
        if process.is_alive:
            process.end()
    for process, end in zip(recorder.processes, ends):
        del process.lines[end:]
    write(path, recorder, version)
    lab("heal")
    for node in NODES:
        lab("rejoin", node)
    lab("wait", len(NODES))


def main():
    version = subprocess.run(["corosync", "-v"], capture_output=True, text=True,
                             check=True).stdout.splitlines()[0]
    version = "corosync " + version.split("'")[1]
    for situation in sys.argv[2:] or SITUATIONS:
        record(situation, os.path.join(sys.argv[1], situation + ".txt"), version)


if __name__ == "__main__":
    main()
