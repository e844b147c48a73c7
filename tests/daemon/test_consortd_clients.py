# SPDX-License-Identifier: MIT
"""Many clients at a consortd, and some that misbehave."""

import signal
import socket
import struct
import time

import harness
from wire import (Wire, basic_get, basic_publish, body, content_header, method, queue_declare,
                  short, table)

MEBIBYTE = 1024 * 1024


def connect(port):
    client = Wire(port)
    client.open_channel()
    return client


def declare(client, queue):
    client.send(queue_declare(1, queue))
    client.expect(1, 50, 11)


def publish(client, queue, data):
    chunk = client.tune[1] - 8
    client.send(basic_publish(1, "", queue) + content_header(1, len(data))
                + b"".join(body(1, data[i:i + chunk]) for i in range(0, len(data), chunk)))


def get(client, queue):
    """The next message; it must be there."""
    client.send(basic_get(1, queue))
    return client.expect_content(1, 60, 71)[2]


def close(client):
    """In good order."""
    client.send(method(0, 10, 50, struct.pack("!H", 200) + short("") + bytes(4)))
    client.expect(0, 10, 51)
    client.expect_end()


def round_trip(port, other_port, queue="q"):
    """What is published at one member is got at another."""
    publisher, getter = connect(port), connect(other_port)
    declare(publisher, queue)
    publisher.send(method(1, 85, 10, b"\0"))
    publisher.expect(1, 85, 11)
    publish(publisher, queue, b"hello")
    publisher.expect(1, 60, 80)
    assert get(getter, queue) == b"hello"
    close(publisher)
    close(getter)


def other_member(factory):
    """a message published at one member is got at another, after the first one crashed"""
    daemon = factory.serve("--members", "3")
    ports = [daemon.port(name) for name in "ABC"]
    round_trip(ports[0], ports[2])
    publisher = connect(ports[0])
    publish(publisher, "q", b"kept")
    close(publisher)
    assert daemon.ctl("member", "crash", "A").returncode == 0
    assert get(connect(ports[1]), "q") == b"kept"
    assert daemon.ctl("member", "restart", "A").returncode == 0
    daemon.wait_until_serving()
    round_trip(ports[0], ports[2])


def idle_connections(factory):
    """200 idle connections, and others are served; the ends of all are noticed"""
    daemon = factory.serve("--members", "3")
    port, other_port = daemon.port("A"), daemon.port("B")
    clients = [connect(port) for _ in range(200)]
    daemon.wait_for_sockets(200)
    round_trip(port, other_port)
    for client in clients[:100]:
        close(client)
    for client in clients[100:]:
        client.close()
    daemon.wait_for_sockets(0)
    assert daemon.stop() == 0


def never_reads_deliveries(factory):
    """a consumer that never reads does not stop others, and is not sent without end"""
    daemon = factory.serve("--members", "2")
    port, other_port = daemon.port("A"), daemon.port("B")
    deaf, publisher = connect(port), connect(port)
    declare(deaf, "deaf")
    deaf.send(method(1, 60, 20, bytes(2) + short("deaf") + short("") + b"\2" + table()))
    deaf.expect(1, 60, 21)
    for _ in range(40):
        publish(publisher, "deaf", bytes(MEBIBYTE))
    round_trip(port, other_port)
    written = daemon.status()["A"]["bytes_written"]
    assert written < 30 * MEBIBYTE, written
    close(publisher)
    deaf.close()
    daemon.wait_for_sockets(0)
    round_trip(port, other_port)


def never_reads_replies(factory):
    """a client that asks and never reads is not read any more; others are served"""
    daemon = factory.serve()
    port = daemon.port()
    deaf = connect(port)
    deaf.socket.setblocking(False)
    request = queue_declare(1, "q")
    requests = request * 1000
    sent = 0  # of the present request
    stuck_since = None
    deadline = time.monotonic() + harness.SECONDS
    while stuck_since is None or time.monotonic() - stuck_since < 0.5:
        assert time.monotonic() < deadline, "it is read for ever"
        try:
            sent = (sent + deaf.socket.send(requests[sent:])) % len(request)
            stuck_since = None
        except BlockingIOError:
            stuck_since = stuck_since or time.monotonic()
            time.sleep(0.01)
    round_trip(port, port, "other")


def told_of_the_stop(factory):
    """a stop closes clients with 320 CONNECTION_FORCED, and waits for them"""
    daemon = factory.serve()
    client = connect(daemon.port())
    daemon.signal(signal.SIGTERM)
    assert client.expect_close() == (320, 0, 0)
    assert daemon.wait() == 0


def other_protocol(factory):
    """another protocol's greeting is answered with ours, whole, before the socket is closed"""
    daemon = factory.serve()
    with socket.create_connection(("127.0.0.1", daemon.port()), harness.SECONDS) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" + bytes(100000))
        answer = b""
        while True:
            data = client.recv(100)
            if not data:
                break
            answer += data
        assert answer == b"AMQP\0\0\x09\x01", answer


def half_closed(factory):
    """what a client sent before it closed its sending half is still answered"""
    daemon = factory.serve()
    client = connect(daemon.port())
    client.send(queue_declare(1, "q") + method(0, 10, 50, struct.pack("!H", 200) + short("")
                                               + bytes(4)))
    client.socket.shutdown(socket.SHUT_WR)
    client.expect(1, 50, 11)
    client.expect(0, 10, 51)
    client.expect_end()
    daemon.wait_for_sockets(0)


if __name__ == "__main__":
    harness.run(other_member, idle_connections, never_reads_deliveries, never_reads_replies,
                told_of_the_stop, other_protocol, half_closed)
