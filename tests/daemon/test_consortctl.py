# SPDX-License-Identifier: MIT
"""consortctl, and the control socket behind it."""
import json
import resource
import socket

import harness


def exit_statuses(factory):
    """exit status: 0 done, 1 refused, 2 usage, 3 no daemon"""
    daemon = factory.serve()
    for words, exit_status, text in [
            (["status"], 0, ""),
            (["help"], 0, ""),
            (["member", "crash", "Z"], 1, "no member 'Z' in this process, only A"),
            (["--member", "Z", "list", "queues"], 1, "no member 'Z' in this process, only A"),
            (["member", "restart", "A"], 1, "member A is up; crash it first"),
            (["list", "qeues"], 2, "unknown command 'list qeues', did you mean 'list queues'?"),
            (["member", "crash"], 2, "'member crash' needs NAME"),
            (["status", "now"], 2, "too many words: 'status' takes none"),
            (["--nonsense"], 2, "Unknown option --nonsense"),
            ([], 2, "Commands:")]:
        ended = daemon.ctl(*words)
        assert ended.returncode == exit_status and text in ended.stderr, (words, ended)
    assert daemon.stop() == 0
    ended = daemon.ctl("status")
    assert ended.returncode == 3 and "no consortd at " + daemon.control in ended.stderr, ended


def crash_and_restart(factory):
    """member crash resets its clients and leaves the others; restart brings it back"""
    daemon = factory.serve("--members", "3")
    ports = {name: daemon.port(name) for name in "ABC"}
    with socket.create_connection(("127.0.0.1", ports["B"]), harness.SECONDS) as client:
        daemon.wait_for_sockets(1, "B")
        assert daemon.ctl("member", "crash", "B").stdout == "member B crashed\n"
        try:
            assert client.recv(100) == b"", "it said something"
            raise AssertionError("closed, but not reset")
        except ConnectionResetError:
            pass
    members = daemon.status()
    assert [members[name]["up"] for name in "ABC"] == [True, False, True]
    assert members["B"]["node"] is None
    refused = daemon.ctl("--member", "B", "list", "queues")
    assert refused.returncode == 1 and "member B is down" in refused.stderr, refused
    assert daemon.ctl("member", "crash", "B").returncode == 1
    try:
        socket.create_connection(("127.0.0.1", ports["B"]), harness.SECONDS).close()
        raise AssertionError("it still listens")
    except ConnectionRefusedError:
        pass
    assert daemon.ctl("--json", "member", "restart", "B").stdout == (
        '{"member": "B", "up": true}\n')
    daemon.wait_until_serving()
    assert daemon.port("B") == ports["B"]
    socket.create_connection(("127.0.0.1", ports["B"]), harness.SECONDS).close()
    assert daemon.stop() == 0


def restart_finds_its_port_taken(factory):
    """a member whose port was taken meanwhile stays down, and can be tried again"""
    daemon = factory.serve("--members", "2")
    port = daemon.port("B")
    daemon.ctl("member", "crash", "B")
    with socket.create_server(("127.0.0.1", port)):
        refused = daemon.ctl("member", "restart", "B")
        assert refused.returncode == 1 and "Address already in use" in refused.stderr, refused
        assert not daemon.status()["B"]["up"]
    assert daemon.ctl("member", "restart", "B").returncode == 0
    daemon.wait_until_serving()


def all_down(factory):
    """with all members down it says so, and they form again"""
    daemon = factory.serve("--members", "2")
    for name in "AB":
        assert daemon.ctl("member", "crash", name).returncode == 0
    refused = daemon.ctl("list", "queues")
    assert refused.returncode == 1 and "all members are down" in refused.stderr, refused
    assert daemon.ctl("status").returncode == 0
    for name in "AB":
        assert daemon.ctl("member", "restart", name).returncode == 0
    daemon.wait_until_serving()


def every_list_parses(factory):
    """every list parses as JSON, and is a table otherwise"""
    daemon = factory.serve("--members", "2")
    for kind in ["queues", "connections", "sessions", "exchanges", "bindings"]:
        answer = daemon.ctl("--json", "list", kind)
        assert answer.returncode == 0 and isinstance(json.loads(answer.stdout), list), answer
        answer = daemon.ctl("list", kind)
        assert answer.returncode == 0 and answer.stdout.endswith("\n"), answer
        assert answer.stdout == daemon.ctl("--member", "B", "list", kind).stdout
    one = daemon.ctl("--json", "--member", "B", "status")
    assert json.loads(one.stdout)["member"] == "B", one


def connect(daemon):
    client = socket.socket(socket.AF_UNIX)
    client.settimeout(harness.SECONDS)
    client.connect(daemon.control)
    return client


def read_all(client):
    text = b""
    while True:
        data = client.recv(65536)
        if not data:
            return text
        text += data


def wrong_requests(factory):
    """requests that are none are refused in a bounded way"""
    daemon = factory.serve()
    for request, text in [
            (b"status\n", b"a request is: text|json MEMBER|* COMMAND..."),
            (b"xml * status\n", b"a request is: text|json MEMBER|* COMMAND..."),
            (b"x" * 5000, b"a request is one line of text"),
            (b"text * status\ntext * status\n", b"a request is one line of text"),
            (b"text * st\0atus\n", b"a request is one line of text")]:
        with connect(daemon) as client:
            client.sendall(request)
            client.shutdown(socket.SHUT_WR)
            try:
                reply = read_all(client)
            except ConnectionResetError:
                reply = None  # it hung up with some of a long request unread
            assert reply is None or reply.startswith(b"refused ") and text in reply, reply
    assert daemon.ctl("status").returncode == 0


def request_in_pieces(factory):
    """a request may come in pieces, and another one after its reply"""
    daemon = factory.serve()
    with connect(daemon) as client:
        for _ in range(2):
            for piece in [b"text ", b"* sta", b"tus\n"]:
                client.sendall(piece)
            reply = client.recv(65536)
            assert reply.startswith(b"ok ") and b"member A on " in reply, reply


def silent_clients(factory):
    """silent control clients neither block the loop nor lock anybody out"""
    daemon = factory.serve()
    silent = [connect(daemon) for _ in range(40)]
    slow = connect(daemon)
    slow.sendall(b"text * status\n")
    assert daemon.ctl("status").returncode == 0
    for client in silent + [slow]:
        client.close()
    assert daemon.stop() == 0


def out_of_descriptors(factory):
    """out of file descriptors it pauses accepting, and still answers consortctl"""
    limit = 64
    daemon = factory.serve()
    resource.prlimit(daemon.process.pid, resource.RLIMIT_NOFILE, (limit, limit))
    clients = [socket.create_connection(("127.0.0.1", daemon.port()), harness.SECONDS)]
    port = clients[0].getpeername()[1]
    clients += [socket.create_connection(("127.0.0.1", port), harness.SECONDS)
                for _ in range(limit + 10)]
    harness.wait_until(lambda: "not accepting" in daemon.stderr(), "it is told")
    accepted = daemon.status()["A"]["accepted"]
    assert accepted < limit, accepted
    for client in clients:
        client.close()
    harness.wait_until(lambda: daemon.status()["A"]["accepted"] == limit + 11, "all were accepted")
    assert daemon.stderr().count("not accepting") == 1, daemon.stderr()


harness.run(exit_statuses, crash_and_restart, restart_finds_its_port_taken, all_down,
            every_list_parses, wrong_requests, request_in_pieces, silent_clients,
            out_of_descriptors)
