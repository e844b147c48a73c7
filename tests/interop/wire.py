# SPDX-License-Identifier: MIT
"""AMQP 0-9-1 by hand, over a plain socket: to send what no library would."""

import socket
import struct

HEADER = b"AMQP\x00\x00\x09\x01"
METHOD, CONTENT_HEADER, BODY, HEARTBEAT = 1, 2, 3, 8
SECONDS = 20


def short(text):
    data = text.encode()
    return struct.pack("!B", len(data)) + data


def long(data):
    data = data.encode() if isinstance(data, str) else data
    return struct.pack("!I", len(data)) + data


def table(fields=b""):
    """Of (name, type and value) pairs, or of bytes that stand for them."""
    if not isinstance(fields, bytes):
        fields = b"".join(short(name) + value for name, value in fields)
    return long(fields)


def every_field():
    """A table with every type that deployed clients send."""
    nested = table([("deep", b"F" + table([("deeper", b"F" + table())]))])
    return table([
        ("S", b"S" + long("text")), ("x", b"x" + long(b"\x00\xff")), ("t", b"t\x01"),
        ("b", b"b\x80"), ("B", b"B\xff"), ("s", b"s\x80\x00"), ("u", b"u\xff\xff"),
        ("I", b"I\x80\x00\x00\x00"), ("i", b"i\xff\xff\xff\xff"), ("l", b"l" + b"\x80" + bytes(7)),
        ("L", b"L" + b"\x7f" + bytes(7)), ("f", b"f" + struct.pack("!f", 1.5)),
        ("d", b"d" + struct.pack("!d", -2.5)), ("D", b"D\x02\x00\x00\x01\x3a"),
        ("T", b"T" + struct.pack("!Q", 1188648000)), ("V", b"V"), ("F", b"F" + nested),
        ("A", b"A" + long(b"t\x01" + b"V" + b"A" + long(b"") + b"F" + nested)),
        ("", b"V"), ("n" * 255, b"S" + long("")),
    ])


def frame(kind, channel, payload, end=b"\xce"):
    return struct.pack("!BHI", kind, channel, len(payload)) + payload + end


def method(channel, class_id, method_id, arguments=b""):
    return frame(METHOD, channel, struct.pack("!HH", class_id, method_id) + arguments)


def content_header(channel, size, class_id=60, properties=b"\x00\x00"):
    return frame(CONTENT_HEADER, channel, struct.pack("!HHQ", class_id, 0, size) + properties)


def body(channel, data):
    return frame(BODY, channel, data)


def queue_declare(channel, queue, bits=0, arguments=None):
    return method(channel, 50, 10, struct.pack("!H", 0) + short(queue) + struct.pack("!B", bits)
                  + (table() if arguments is None else arguments))


def basic_publish(channel, exchange, key, bits=0):
    return method(channel, 60, 40, struct.pack("!H", 0) + short(exchange) + short(key)
                  + struct.pack("!B", bits))


def message(channel, key, data, properties=b"\x00\x00"):
    return (basic_publish(channel, "", key) + content_header(channel, len(data), 60, properties)
            + (body(channel, data) if data else b""))


def basic_get(channel, queue, no_ack=True):
    return method(channel, 60, 70, struct.pack("!H", 0) + short(queue) + bytes([no_ack]))


class Wire:
    """One connection. `up_to` says how far its handshake goes by itself: connect, header, start,
    tune, open."""

    def __init__(self, port, up_to="open", user="guest", password="guest", vhost="/",
                 capabilities=()):
        self.socket = socket.create_connection(("127.0.0.1", port), SECONDS)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        steps = ("connect", "header", "start", "tune", "open")
        far = steps.index(up_to)
        if far >= 1:
            self.send(HEADER)
            self.expect(0, 10, 10)
        if far >= 2:
            self.send(self.start_ok(user, password, capabilities))
            self.tune = struct.unpack("!HIH", self.expect(0, 10, 30))
        if far >= 3:
            self.send(method(0, 10, 31, struct.pack("!HIH", self.tune[0], self.tune[1], 0)))
        if far >= 4:
            self.send(method(0, 10, 40, short(vhost) + short("") + b"\x00"))
            self.expect(0, 10, 41)

    @staticmethod
    def start_ok(user="guest", password="guest", capabilities=()):
        known = table([(name, b"t\x01") for name in capabilities])
        return method(0, 10, 11, table([("capabilities", b"F" + known)]) + short("PLAIN")
                      + long(f"\0{user}\0{password}") + short("en_US"))

    def open_channel(self, channel=1):
        self.send(method(channel, 20, 10, short("")))
        self.expect(channel, 20, 11)

    def send(self, data):
        self.socket.sendall(data)

    def receive(self, size):
        """So many bytes; fewer at the end of the stream."""
        data = b""
        while len(data) < size:
            try:
                more = self.socket.recv(size - len(data))
            except ConnectionResetError:
                more = b""
            if not more:
                break
            data += more
        return data

    def receive_frame(self):
        """(kind, channel, payload), heartbeats left out; None at the end of the stream."""
        while True:
            head = self.receive(7)
            if len(head) < 7:
                return None
            kind, channel, size = struct.unpack("!BHI", head)
            payload = self.receive(size)
            if self.receive(1) != b"\xce":
                return None
            if kind != HEARTBEAT:
                return kind, channel, payload

    def expect(self, channel, class_id, method_id):
        """The arguments of the next method, which has to be this one."""
        got = self.receive_frame()
        wanted = (METHOD, channel, struct.pack("!HH", class_id, method_id))
        if got is None or (got[0], got[1], got[2][:4]) != wanted:
            raise AssertionError(f"expected {class_id},{method_id} on {channel}, got {got}")
        return got[2][4:]

    def expect_content(self, channel, class_id, method_id):
        """(arguments, properties, body) of a method with content."""
        arguments = self.expect(channel, class_id, method_id)
        kind, _, header = self.receive_frame()
        if kind != CONTENT_HEADER:
            raise AssertionError(f"expected a content header, got a frame of kind {kind}")
        size, data = struct.unpack("!Q", header[4:12])[0], b""
        while len(data) < size:
            data += self.receive_frame()[2]
        return arguments, header[12:], data

    def expect_close(self):
        """(code, class id, method id) of connection.close, whatever comes before it; answers it,
        and the broker has to end the stream."""
        while True:
            got = self.receive_frame()
            if got is None:
                raise AssertionError("the stream ended without connection.close")
            kind, channel, payload = got
            if (kind, channel, payload[:4]) == (METHOD, 0, struct.pack("!HH", 10, 50)):
                break
        code, length = struct.unpack("!HB", payload[4:7])
        ids = struct.unpack("!HH", payload[7 + length:])
        try:
            self.send(method(0, 10, 51))
            self.socket.shutdown(socket.SHUT_WR)
        except OSError:
            pass
        self.expect_end()
        return (code, *ids)

    def expect_end(self):
        while self.receive_frame() is not None:
            pass
        self.close()

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
