# SPDX-License-Identifier: MIT
"""What operators see and order: health, drain, forget, form --force, at real processes."""

import struct
import time

import harness
from wire import METHOD, Wire, method, queue_declare


def connect(port):
    client = Wire(port)
    client.open_channel()
    return client


def is_refused(port):
    """A new client is told why, or nobody listens any more."""
    try:
        Wire(port)
    except (AssertionError, OSError):
        return True
    return False


def close_text(client):
    """The code and the text of connection.close, whatever comes before it."""
    while True:
        kind, channel, payload = client.receive_frame()
        if (kind, channel, payload[:4]) == (METHOD, 0, struct.pack("!HH", 10, 50)):
            code, length = struct.unpack("!HB", payload[4:7])
            client.send(method(0, 10, 51, b""))
            return code, payload[7:7 + length].decode()


def wait_for_health(daemon, member, exit_status, text):
    def is_so():
        ended = daemon.ctl("--member", member, "health")
        return ended.returncode == exit_status and text in ended.stdout + ended.stderr

    harness.wait_until(is_so, f"health of {member}: {text}", harness.SECONDS)


def suspended_is_loud(factory):
    """a suspended member: health 1, who is missing in status, log and what clients are told"""
    daemon = factory.serve("--members", "3")
    answer = daemon.ctl("health")
    assert answer.returncode == 0, answer
    assert answer.stdout.splitlines() == [
        f"member {name}: serves: 3 of 3 voters are here, 2 are needed" for name in "ABC"], answer
    client = connect(daemon.port("A"))
    assert daemon.ctl("member", "crash", "B").returncode == 0
    ended = daemon.ctl("health")
    assert ended.returncode == 1 and "member B: down" in ended.stderr, ended
    assert "the loss of one more would suspend it" in daemon.ctl("-m", "A", "health").stdout
    assert daemon.ctl("member", "crash", "C").returncode == 0
    reason = "suspended: 1 of 3 voters are heard, 2 are needed; missing: nodes 2 3"
    wait_for_health(daemon, "A", 1, reason)
    assert close_text(client) == (320, "CONNECTION_FORCED - " + reason)
    node = daemon.status()["A"]["node"]
    assert node["serving"] is False and node["why-not"] == reason, node
    assert node["voters"] == "1 2 3" and node["missing"] == "2 3", node
    assert reason in daemon.stderr()
    assert is_refused(daemon.port("A"))


def drain(factory):
    """drain: clients are told where to go after the grace, new ones at once, until undrain"""
    daemon = factory.serve("--members", "3")
    ports = {name: daemon.port(name) for name in "ABC"}
    client = connect(ports["B"])
    assert daemon.ctl("drain").returncode == 1, "which one?"
    assert daemon.ctl("--member", "B", "drain", "soon").returncode == 1
    answer = daemon.ctl("--member", "B", "drain", "1")
    assert answer.stdout == "member B: 1 clients have 1 s, then it leaves its group\n", answer
    assert daemon.ctl("--member", "B", "drain").returncode == 1, "drained twice"
    assert is_refused(ports["B"])
    client.send(queue_declare(1, "q"))  # it is served until then
    client.expect(1, 50, 11)
    code, text = close_text(client)
    assert code == 320, code
    assert f"127.0.0.1:{ports['A']} or 127.0.0.1:{ports['C']}" in text, text
    harness.wait_until(lambda: daemon.status()["B"]["node"]["state"] == "stopped", "it has left",
                       harness.SECONDS)
    status = daemon.status()
    assert status["A"]["node"]["expected"] == 3 and status["A"]["node"]["missing"] == "2", status
    wait_for_health(daemon, "B", 1, "drained")
    assert daemon.ctl("--member", "A", "health").returncode == 0
    assert daemon.ctl("--member", "B", "undrain").returncode == 0
    daemon.wait_until_serving()
    connect(ports["B"]).close()
    assert daemon.ctl("--member", "B", "undrain").returncode == 1, "undrained twice"


def undrain_in_time(factory):
    """undrain within the grace: nobody notices; drain without clients leaves at once"""
    daemon = factory.serve("--members", "3")
    client = connect(daemon.port("B"))
    incarnation = daemon.status()["B"]["node"]["incarnation"]
    assert daemon.ctl("--member", "B", "drain", "600").returncode == 0
    assert daemon.ctl("--member", "B", "undrain").returncode == 0
    assert daemon.status()["B"]["node"]["incarnation"] == incarnation
    client.send(queue_declare(1, "q"))
    client.expect(1, 50, 11)
    connect(daemon.port("B")).close()
    assert daemon.ctl("--member", "C", "drain", "600").returncode == 0
    harness.wait_until(lambda: daemon.status()["C"]["node"]["state"] == "stopped", "it has left",
                       harness.SECONDS)
    assert daemon.ctl("member", "restart", "C").returncode == 0
    daemon.wait_until_serving()
    assert daemon.stop() == 0


def stops_with_grace(factory):
    """TERM lets clients finish for a moment, then tells them; new ones are refused"""
    daemon = factory.serve("--members", "3")
    port = daemon.port("A")
    client = connect(port)
    started = time.monotonic()
    daemon.signal(15)
    harness.wait_until(lambda: "stopping" in daemon.stderr(), "stopping", harness.SECONDS)
    client.send(queue_declare(1, "q"))
    client.expect(1, 50, 11)
    assert is_refused(port)
    code, text = close_text(client)
    assert code == 320 and "stopping" in text, text
    client.close()
    assert daemon.wait() == 0
    assert time.monotonic() - started < 5


def forget(factory):
    """forget: not while its member is there; then its seat is free, and a newcomer takes it"""
    daemon = factory.serve("--members", "3")
    ended = daemon.ctl("forget", "3")
    assert ended.returncode == 1 and "stop it first" in ended.stderr, ended
    assert daemon.ctl("forget", "four").returncode == 1
    assert daemon.ctl("forget").returncode == 2
    assert daemon.ctl("member", "crash", "C").returncode == 0
    harness.wait_until(lambda: daemon.ctl("forget", "3").returncode == 0, "forgotten",
                       harness.SECONDS)
    harness.wait_until(lambda: daemon.status()["B"]["node"]["voters"] == "1 2", "a seat is free",
                       harness.SECONDS)
    assert daemon.ctl("member", "restart", "C").returncode == 0
    daemon.wait_until_serving()
    assert daemon.status()["C"]["node"]["voters"] == "1 2 3"


def form_by_force(factory):
    """form --force: shows what is held, asks for --yes, and empty members come in after it"""
    daemon = factory.serve("--members", "3")
    client = connect(daemon.port("A"))
    client.send(queue_declare(1, "kept"))
    client.expect(1, 50, 11)
    client.close()
    ended = daemon.ctl("--member", "A", "form", "--force")
    assert ended.returncode == 1 and "this member is active" in ended.stderr, ended
    for name in "BC":
        assert daemon.ctl("member", "crash", name).returncode == 0
    assert daemon.ctl("member", "restart", "B").returncode == 0
    wait_for_health(daemon, "A", 1, "2 of 3 voters are heard, 1 of them hold a state")
    assert daemon.ctl("--member", "A", "form").returncode == 1, "not without --force"
    assert daemon.ctl("form", "--force").returncode == 1, "which one?"
    assert daemon.ctl("status", "--force").returncode == 2
    ended = daemon.ctl("--member", "B", "form", "--force", "--yes")
    assert ended.returncode == 1 and "holds more: form there" in ended.stderr, ended
    position = daemon.status()["A"]["node"]["position"]
    ended = daemon.ctl("--member", "A", "form", "--force")
    assert ended.returncode == 1 and f"it holds position {position}, key " in ended.stderr, ended
    assert "is lost" in ended.stderr and "--yes" in ended.stderr, ended
    assert daemon.status()["A"]["node"]["state"] == "idle"
    assert daemon.ctl("--member", "A", "form", "--force", "--yes").returncode == 0
    assert daemon.ctl("member", "restart", "C").returncode == 0
    daemon.wait_until_serving()
    assert "kept" in daemon.ctl("--member", "C", "list", "queues").stdout
    assert daemon.status()["A"]["node"]["voters"] == "1 2 3"


harness.run(suspended_is_loud, drain, undrain_in_time, stops_with_grace, forget, form_by_force)
