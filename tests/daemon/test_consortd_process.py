# SPDX-License-Identifier: MIT
"""consortd as a process: how it starts, what it refuses, how it ends."""
import json
import os
import re
import signal
import socket
import subprocess
import time

import harness


def consortd(*arguments):
    """One that ends by itself."""
    return subprocess.run([os.path.join(harness.BUILD, "consortd"), *arguments],
                          capture_output=True, text=True, timeout=harness.SECONDS)


def wrong_options(factory):
    """wrong options and settings: one line, and exit status 2"""
    config = factory.write("wrong.conf", "[consort]\n\n  lsten = 127.0.0.1:1\n")
    for words, text in [
            (["--members", "0"], "--members: '0' is not a number of members from 1 to 26"),
            (["--mebmers", "3"], "Unknown option --mebmers, did you mean '--members'?"),
            (["--config", config], config + ":3:3: unknown key 'lsten', did you mean 'listen'?"),
            (["--check", "--config", config],
             config + ":3:3: unknown key 'lsten', did you mean 'listen'?")]:
        ended = consortd(*words)
        assert ended.returncode == 2, ended
        assert ended.stderr == "consortd: %s\n" % text, ended


def check_and_version(_factory):
    """--check and --version serve nobody"""
    ended = consortd("--check", "--members", "3")
    assert ended.returncode == 0 and ended.stdout == "consortd: the settings are good\n", ended
    ended = consortd("--version")
    assert ended.returncode == 0 and re.fullmatch(r"consortd \d+\.\d+\.\d+\n", ended.stdout), ended


def taken_port(factory):
    """a taken port: says so, and exit status 1"""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = "127.0.0.1:%d" % taken.getsockname()[1]
        daemon = factory.start(listen=address)
        assert daemon.wait() == 1
        text = "consortd: cannot listen on %s: Address already in use\n" % address
        assert daemon.stderr() == text, daemon.stderr()
        assert not os.path.exists(daemon.control)


def stops_on_term(factory):
    """TERM: exit status 0, the control socket is gone, the port is free again"""
    daemon = factory.serve("--members", "3")
    port = daemon.port("C")
    assert daemon.stop() == 0
    assert not os.path.exists(daemon.control)
    socket.create_server(("127.0.0.1", port)).close()


def stops_on_int(factory):
    """INT does the same"""
    daemon = factory.serve()
    daemon.signal(signal.SIGINT)
    assert daemon.wait() == 0


def second_signal(factory):
    """a second signal ends it at once, although a client is still there"""
    daemon = factory.serve()
    with socket.create_connection(("127.0.0.1", daemon.port())):
        daemon.wait_for_sockets(1)
        daemon.signal(signal.SIGTERM)
        harness.wait_until(lambda: "stopping" in daemon.stderr(), "stopping")
        daemon.signal(signal.SIGTERM)
        assert daemon.wait() == 1


def bounded_stop(factory):
    """a client that never answers delays the stop by seconds only"""
    daemon = factory.serve()
    with socket.create_connection(("127.0.0.1", daemon.port())):
        daemon.wait_for_sockets(1)
        started = time.monotonic()
        assert daemon.stop() == 0
        assert time.monotonic() - started < 8


def stale_control(factory):
    """the control socket of a killed one is taken over, with mode 0600"""
    killed = factory.serve()
    killed.signal(signal.SIGKILL)
    killed.wait()
    assert os.path.exists(killed.control)
    daemon = factory.serve(control=killed.control)
    assert os.stat(daemon.control).st_mode & 0o777 == 0o600
    assert daemon.stop() == 0


def control_in_use(factory):
    """the control socket of a living one is refused, and the living one goes on"""
    living = factory.serve()
    second = factory.start(control=living.control)
    assert second.wait() == 1
    assert second.stderr() == (
        "consortd: control socket %s: another consortd is using it; give this one its own with "
        "--control\n" % living.control), second.stderr()
    assert living.ctl("status").returncode == 0


def control_is_a_file(factory):
    """a control path that is something else is left alone"""
    path = factory.write("precious", "text")
    daemon = factory.start(control=path)
    assert daemon.wait() == 1
    assert "there is something else" in daemon.stderr(), daemon.stderr()
    with open(path) as file:
        assert file.read() == "text"


def settings_file(factory):
    """serves as its file says"""
    config = factory.write("good.conf", "[consort]\nname = west\nlisten = 127.0.0.1:0, [::1]:0\n"
                                        "log-format = json\n")
    daemon = factory.start("--config", config, listen=None).wait_until_serving()
    member = daemon.status()["west"]
    assert [address.rsplit(":", 1)[0] for address in member["listen"]] == ["127.0.0.1", "[::1]"]
    lines = [json.loads(line) for line in daemon.stderr().splitlines()]
    served = [line for line in lines if line["text"].startswith("serves AMQP")]
    assert [line["member"] for line in served] == ["west"], lines
    assert served[0]["level"] == "notice" and served[0]["text"].endswith(
        ", ".join(member["listen"])), served


def what_to_try(factory):
    """a cluster in one process says what to try next, with its own addresses"""
    daemon = factory.serve("--members", "3")
    harness.wait_until(lambda: "list queues" in daemon.stdout(), "it is told")
    text = daemon.stdout()
    assert "amqp://guest:guest@127.0.0.1:%d -q hello" % daemon.port("B") in text, text
    assert "consortctl --control %s member crash A" % daemon.control in text, text


def service_manager(factory):
    """tells the service manager: ready, stopping"""
    path = os.path.join(factory.directory, "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(path)
        manager.settimeout(harness.SECONDS)
        daemon = factory.start(environment={"NOTIFY_SOCKET": path})
        assert manager.recv(100) == b"READY=1"
        assert manager.recv(100) == b"STATUS=serving"
        daemon.signal(signal.SIGTERM)
        assert manager.recv(100) == b"STOPPING=1"
        assert daemon.wait() == 0


def journal(factory):
    """a standard error that is the journal's gets priorities and no time"""
    daemon_directory = factory.subdirectory()
    path = os.path.join(daemon_directory, "stderr")
    open(path, "w").close()
    found = os.stat(path)
    daemon = factory.serve(
        environment={"JOURNAL_STREAM": "%d:%d" % (found.st_dev, found.st_ino)})
    assert re.search(r"^<5>A: serves AMQP", daemon.stderr(), re.M), daemon.stderr()


harness.run(wrong_options, check_and_version, taken_port, stops_on_term, stops_on_int,
            second_signal, bounded_stop, stale_control, control_in_use, control_is_a_file,
            settings_file, what_to_try, service_manager, journal)
