# SPDX-License-Identifier: MIT
"""What goes wrong around a consortd over corosync: what it says, and whether it comes back by
itself or ends. Of three nodes, the third is the one with the mistakes."""

import glob
import os
import re
import shutil
import signal
import subprocess
import time

import lab
from lab import say
from tap import Tap, equal, is_true
import wire

PORT = 5672
CONSORTD = os.path.join(os.environ.get("top_builddir", "build"), "consortd")
PROGRAM = "/run/consortd"  # a copy, where every user may run it
NOBODY = 65534


class Consortd:
    """One with options of its own at the third node, in the place of the node's."""

    def __init__(self, *options, name="other", user=None):
        self.path = os.path.join(os.environ["LAB_DIR"], f"{name}.log")
        self.control = f"/run/consort-{name}/control"
        os.makedirs(os.path.dirname(self.control), exist_ok=True)
        os.chmod(os.path.dirname(self.control), 0o777)
        if "--control" in options:
            self.control = options[options.index("--control") + 1]
        as_user = [] if user is None else ["setpriv", "--reuid", str(user), "--regid", str(user),
                                           "--clear-groups"]
        with open(self.path, "w") as log:
            self.process = subprocess.Popen(
                [lab.LAB, "exec", "3", *as_user, PROGRAM, "--transport", "cpg",
                 "--name", name, "--control", self.control, *options],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def log(self):
        with open(self.path) as file:
            return file.read()

    def wait_for(self, what, holds):
        try:
            lab.wait_for(what, holds, 15)
        except AssertionError as error:
            raise AssertionError(f"{error}; the log is:\n{self.log()}") from None

    def says(self, text):
        self.wait_for(f"'{text}' in the log", lambda: text in self.log())

    def told(self, key):
        """By consortctl; None while it is not there."""
        told = lab.run(os.path.join(os.path.dirname(CONSORTD), "consortctl"), "--control",
                       self.control, "status").stdout
        found = re.search(rf"^{key} +(\S+)", told, re.M)
        return found and found[1]

    def becomes(self, state):
        self.wait_for(state, lambda: self.told("state") == state)

    def ends(self, status, *texts):
        equal(self.process.wait(10), status, self.log())
        for text in texts:
            is_true(text in self.log(), f"'{text}' not in {self.log()}")

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(10)
        if kind is None:
            equal(status, 0, f"status of an orderly end; the log is:\n{self.log()}")


def refusal(number, port=PORT):
    """The text of the connection.close that connection.open is answered with; None: served."""
    answer = os.path.join(os.environ["LAB_DIR"], "refusal")

    def ask():
        client = wire.Wire(port, up_to="tune")
        client.send(wire.method(0, 10, 40, wire.short("/") + wire.short("") + b"\0"))
        _, _, payload = client.receive_frame()
        with open(answer, "w") as file:
            if payload[:4] == b"\0\x0a\0\x32":
                file.write(f"{int.from_bytes(payload[4:6], 'big')} {payload[7:7 + payload[6]]}")
    lab.end_of(lab.client_at(number, ask), "the client")
    with open(answer) as file:
        return file.read() or None


def is_refused(number, text, port=PORT):
    told = refusal(number, port)
    is_true(told is not None and told.startswith("320 ") and text in told, f"{text}: {told}")


def wait_until_left():
    """The two others have seen the third go."""
    lab.wait_for("two members", lambda: all(len(lab.agreement(number)[1].split()) == 2
                                            for number in (1, 2)))


def stop_third():
    lab.node(3, "stop")
    wait_until_left()


# --- mistakes -------------------------------------------------------------------------------------

def missing_expected_members():
    Consortd().ends(2, "say how many members the cluster has (expected-members)")


def other_expected_members():
    """5 where the others say 3, and 1, which could begin alone."""
    for expected in ("5", "1"):
        with Consortd("--expected-members", expected) as other:
            other.says("are ignored: of another cluster: its name, expected-members or voters are "
                       "not the same there")
            time.sleep(0.5)
            equal(other.log().count("are ignored"), 1, "said again and again")
            other.becomes("idle")
            is_refused(3, "waits for the others to begin")
            equal(refusal(1), None, "the others go on")
        wait_until_left()


def other_group():
    with Consortd("--expected-members", "3", "--group", "elsewhere") as other:
        other.says("view: 1 members")
        other.becomes("idle")
        is_refused(3, "suspended: 1 of 3 voters are heard, 2 are needed")
    Consortd("--group", "no good name").ends(2, "'no good name' is not a name")


def no_permission():
    """As soon as it is allowed it is a member."""
    with Consortd("--expected-members", "3", name="nobody", user=NOBODY) as other:
        other.says("corosync does not allow it: this user needs a line in uidgid.d")
        time.sleep(2.5)
        is_true(other.log().count("does not allow") <= 4, f"said too often: {other.log()}")
        other.becomes("outside")
        is_refused(3, "not in its group")
        equal(lab.run(lab.LAB, "exec", "3", "corosync-cmapctl", "-s", f"uidgid.uid.{NOBODY}",
                      "u8", "1").returncode, 0, "corosync-cmapctl")
        other.becomes("active")
    wait_until_left()


def one_control_path():
    with Consortd("--expected-members", "3") as first:
        first.becomes("active")
        Consortd("--expected-members", "3", "--control", first.control, "--listen",
                 "127.0.0.1:5673", name="second").ends(1, "another consortd is using it")
        Consortd("--expected-members", "3", name="third").ends(1, "127.0.0.1:5672: ")
        first.becomes("active")
    wait_until_left()


def two_of_one_name():
    """Both serve, and are one voice."""
    with Consortd("--expected-members", "3") as first:
        first.becomes("active")
        with Consortd("--expected-members", "3", "--listen", "127.0.0.1:5673", "--control",
                      first.control + "2", "--name", "other", name="copy") as second:
            second.becomes("active")
            first.says("on this node too: both are one voice")
            second.says("on this node too: both are one voice")
    wait_until_left()


def no_corosync_at_start():
    lab.lab("leave", 3)
    with Consortd("--expected-members", "3") as other:
        other.says("corosync does not run here, or has ended; trying again every second")
        time.sleep(2.5)
        equal(other.log().count("corosync does not run"), 1, other.log())
        other.becomes("outside")
        is_refused(3, "not in its group")
        lab.lab("rejoin", 3)
        other.becomes("active")
        equal(refusal(3), None, "served")
        restarted(other)
    wait_until_left()


def restarted(other):
    """corosync ends in good order and comes again under a running consortd."""
    before = other.told("incarnation")
    lab.lab("leave", 3)
    other.says("leaving the group, to join it again")
    other.becomes("outside")
    is_refused(3, "not in its group")
    lab.lab("rejoin", 3)
    other.becomes("active")
    equal(refusal(3), None, "served")
    is_true(other.told("incarnation") != before, "a new membership has a new incarnation")


# --- quorum ---------------------------------------------------------------------------------------

def alone(*options):
    """A cluster of one member, so that its own majority does not depend on the other nodes."""
    return Consortd("--expected-members", "1", "--group", "alone", *options)


def not_quorate():
    """Clients that are connected go on, new ones are refused; the group knows nothing of it."""
    seen, go = (os.path.join(os.environ["LAB_DIR"], name) for name in ("seen", "go"))

    def stay():
        with wire.Wire(PORT) as client:
            client.open_channel()
            with open(seen, "w"):
                pass
            lab.wait_for("going on", lambda: os.path.exists(go))
            client.send(wire.queue_declare(1, "declared"))
            client.expect(1, 50, 11)
    with alone() as other:
        other.becomes("active")
        stays = lab.client_at(3, stay)
        lab.wait_for("a client", lambda: os.path.exists(seen))
        lab.lab("isolate", 3)
        other.says("corosync is not quorate: new clients are refused")
        is_refused(3, "corosync is not quorate here")
        with open(go, "w"):
            pass
        lab.end_of(stays, "the client that was there")
        equal(other.told("state"), "active", "the member does not depend on it")
        equal(other.told("queues"), "1", "the queue of the client that was there")
        lab.lab("heal")
        other.says("corosync is quorate: new clients are welcome")
        equal(refusal(3), None, "served")


def not_followed():
    path = os.path.join(os.environ["LAB_DIR"], "not-followed.conf")
    with open(path, "w") as file:
        file.write("[consort]\nfollow-votequorum = no\n")
    with alone("--config", path) as other:
        other.becomes("active")
        lab.lab("isolate", 3)
        lab.lab("wait", 1, 3)
        equal(refusal(3), None, "served")
        lab.lab("heal")
        is_true("quorate" not in other.log(), other.log())


def no_provider():
    """corosync counts no votes; said once, and clients are served."""
    conf = os.path.join(os.environ["LAB_DIR"], "corosync.conf")
    lab.lab("leave", 3)
    with open(conf) as file:
        text = file.read()
    with open(conf, "w") as file:
        file.write(text.replace("  provider: corosync_votequorum\n", ""))
    lab.lab("rejoin", 3)
    with Consortd("--expected-members", "3") as other:
        other.becomes("active")
        other.says("corosync has no quorum provider: clients are accepted without asking it")
        equal(refusal(3), None, "served")
        equal(other.log().count("quorum provider"), 1, other.log())
    wait_until_left()
    with open(conf, "w") as file:
        file.write(text)


def has_other_users():
    with open("/proc/self/uid_map") as file:
        return any(int(first) <= NOBODY < int(first) + int(count)
                   for first, _, count in (line.split() for line in file))


def nothing_else_in_logs():
    logs = "".join(lab.node(number, "log") for number in lab.NODES)
    for path in glob.glob(os.path.join(os.environ["LAB_DIR"], "*.log")):
        with open(path) as file:
            logs += file.read()
    found = [line for line in logs.splitlines()
             if re.search(r"Sanitizer|runtime error|CRITICAL|WARNING \*\*", line)]
    equal(found, [], "in the logs")


def test():
    tap = Tap()
    shutil.copy(CONSORTD, PROGRAM)
    stop_third()
    tap.case("missing expected-members", missing_expected_members)
    tap.case("other expected-members than the others", other_expected_members)
    tap.case("another group", other_group)
    if has_other_users():
        tap.case("a user whom corosync does not allow", no_permission)
    else:
        tap.count += 1
        say(f"ok {tap.count} - a user whom corosync does not allow # SKIP there is one user here")
    tap.case("one control path, one address", one_control_path)
    tap.case("two members of one name", two_of_one_name)
    tap.case("corosync comes later, and again", no_corosync_at_start)
    tap.case("corosync is not quorate", not_quorate)
    tap.case("follow-votequorum = no", not_followed)
    tap.case("no quorum provider", no_provider)
    tap.case("nothing in their logs that should not be there", nothing_else_in_logs)
    assert tap.end() == 0, "see above"


if __name__ == "__main__":
    lab.main(__file__, test)
