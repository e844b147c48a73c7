# SPDX-License-Identifier: MIT
"""Bytes that no client should send. After each: the right close, the member serves others as
before, and the other members never heard of it.

What is judged where: syntax at the member that the bytes arrive at, before anything is multicast;
what is judged before connection.open leaves no trace in the cluster at all."""

import socket
import struct
import sys
import time

import tap
from cluster import Cluster, wait_until
from wire import (BODY, CONTENT_HEADER, HEADER, HEARTBEAT, METHOD, Wire, basic_get, basic_publish,
                  body, content_header, frame, long, message, method, queue_declare, short, table)

# The limits that core/base/limits.h sets.
FRAME_MAX, CHANNEL_MAX, HANDSHAKE_SECONDS, CLOSE_SECONDS = 131072, 2047, 10, 5
TABLE_VALUES, MESSAGE_SIZE = 4096, 128 * 1024 * 1024
LIMIT_SECONDS = 20


def nested(levels):
    fields = b""
    for _ in range(levels):
        fields = short("t") + b"F" + long(fields)
    return long(fields)


def arrays(levels):
    value = b""
    for _ in range(levels):
        value = b"A" + long(value)
    return table([("a", value)])


def raw_queue_declare(arguments):
    """The method's payload, to be cut or put into a frame."""
    return struct.pack("!HHH", 50, 10, 0) + short("bad") + b"\x00" + arguments


PUBLISH = basic_publish(1, "", "bad")
DECLARE_OK = raw_queue_declare(table())

# What is sent on a connection with channel 1 open: (text, bytes, code, ids in the close; None:
# not looked at). The codes are RabbitMQ 3.10's wherever it sends a close at all, but for these:
# what cannot be decoded is 502 SYNTAX_ERROR here as in the specification (there 501), content on a
# channel that was never opened is 504 as a method there is (505), and unknown methods are 540
# (there the stream just ends).
AFTER_OPEN = [
    # frames (0-9-1 section 4.2.3)
    ("frame-larger-than-frame-max", struct.pack("!BHI", METHOD, 1, FRAME_MAX - 7) + bytes(64),
     501, None),
    ("frame-of-four-gibibytes", struct.pack("!BHI", BODY, 1, 0xFFFFFFFF) + bytes(64), 501, None),
    ("frame-with-a-wrong-end", frame(METHOD, 1, DECLARE_OK, b"\xcd"), 501, None),
    ("frame-of-an-unknown-type", frame(42, 1, b"x"), 501, None),
    ("frame-on-a-channel-never-opened", queue_declare(7, "bad"), 504, (50, 10)),
    ("body-on-a-channel-never-opened", body(7, b"x"), 504, None),
    ("channel-above-channel-max", method(CHANNEL_MAX + 1, 20, 10, short("")), 504, (20, 10)),
    ("channel-opened-twice", method(1, 20, 10, short("")), 504, (20, 10)),
    # methods
    ("method-of-three-bytes", frame(METHOD, 1, b"\x00\x32\x00"), 502, None),
    ("method-cut-short", frame(METHOD, 1, DECLARE_OK[:9]), 502, (50, 10)),
    ("method-with-bytes-left-over", frame(METHOD, 1, DECLARE_OK + b"x"), 502, (50, 10)),
    ("unknown-class", method(1, 99, 10), 540, (99, 10)),
    ("unknown-method", method(1, 50, 99), 540, (50, 99)),
    ("method-that-only-brokers-send", method(1, 50, 11, short("q") + bytes(8)), 503, (50, 11)),
    ("queue-method-on-channel-0", queue_declare(0, "bad"), (503, 504), (50, 10)),
    ("channel-open-on-channel-0", method(0, 20, 10, short("")), (503, 504), (20, 10)),
    ("connection-method-on-channel-1", method(1, 10, 40, short("/") + short("") + b"\x00"),
     (503, 504), (10, 40)),
    ("connection-open-twice", method(0, 10, 40, short("/") + short("") + b"\x00"),
     (503, 504), (10, 40)),
    ("content-on-channel-0", frame(CONTENT_HEADER, 0, struct.pack("!HHQH", 60, 0, 1, 0)),
     (501, 503, 504, 505), None),
    # content (0-9-1 section 2.3.5.2)
    ("body-before-its-header", PUBLISH + body(1, b"x"), 505, None),
    ("method-before-the-header", PUBLISH + queue_declare(1, "bad"), 505, None),
    ("method-before-the-body", PUBLISH + content_header(1, 3) + queue_declare(1, "bad"),
     505, None),
    ("method-inside-the-body",
     PUBLISH + content_header(1, 3) + body(1, b"a") + queue_declare(1, "bad"), 505, None),
    ("header-without-a-method", content_header(1, 3), 505, None),
    ("body-without-a-method", body(1, b"x"), 505, None),
    ("body-after-an-empty-message", PUBLISH + content_header(1, 0) + body(1, b"x"), 505, None),
    ("header-of-another-class", PUBLISH + content_header(1, 3, 50), 505, None),
    ("header-twice", PUBLISH + content_header(1, 3) + content_header(1, 3), 505, None),
    ("more-body-than-announced", PUBLISH + content_header(1, 3) + body(1, b"four"), 501, None),
    ("header-cut-short", PUBLISH + frame(CONTENT_HEADER, 1, b"\x00\x3c\x00\x00\x00"), 502, None),
    ("header-with-a-property-cut-short",
     PUBLISH + content_header(1, 3, 60, b"\x80\x00\x09text"), 502, None),
    ("header-with-bytes-left-over", PUBLISH + content_header(1, 3, 60, b"\x00\x00x"), 502, None),
    ("message-of-more-than-the-limit", PUBLISH + content_header(1, MESSAGE_SIZE + 1), 506, None),
    ("message-of-16-exbibytes", PUBLISH + content_header(1, 0xFFFFFFFFFFFFFFFF), 506, None),
    # field tables
    ("table-of-1000-levels", queue_declare(1, "bad", 0, nested(1000)), 502, (50, 10)),
    ("table-of-1000-arrays", queue_declare(1, "bad", 0, arrays(1000)), 502, (50, 10)),
    ("table-of-too-many-values",
     queue_declare(1, "bad", 0, table([("", b"V")] * (TABLE_VALUES + 1))), 502, (50, 10)),
    ("array-of-too-many-values",
     queue_declare(1, "bad", 0, table([("a", b"A" + long(b"V" * (TABLE_VALUES + 1)))])),
     502, (50, 10)),
    ("table-longer-than-its-frame", queue_declare(1, "bad", 0, b"\x00\x10\x00\x00V"),
     502, (50, 10)),
    ("table-of-four-gibibytes", queue_declare(1, "bad", 0, b"\xff\xff\xff\xff"), 502, (50, 10)),
    ("string-longer-than-its-table",
     queue_declare(1, "bad", 0, table([("s", b"S\xff\xff\xff\xff")])), 502, (50, 10)),
    ("array-longer-than-its-table",
     queue_declare(1, "bad", 0, table([("a", b"A\x00\x00\x10\x00")])), 502, (50, 10)),
    ("value-of-an-unknown-type", queue_declare(1, "bad", 0, table([("z", b"Z\x00")])),
     502, (50, 10)),
    ("table-in-a-property",
     PUBLISH + content_header(1, 0, 60, b"\x20\x00" + nested(1000)), 502, None),
]


def check_close(got, code, ids):
    codes = code if isinstance(code, tuple) else (code,)
    tap.is_true(got[0] in codes, f"reply code {got[0]}, expected {code}")
    if ids is not None:
        tap.equal(got[1:], ids, "class and method in the close")


class World:
    def __init__(self, cluster):
        self.cluster = cluster
        self.port = cluster.ports[0]

    def rest(self):
        """What the cluster knows, once it is quiet and agrees: the position too, so that nothing
        ordered goes unseen."""
        def quiet():
            before, after = self.cluster.settled(), self.cluster.settled()
            same = [m["position"] for m in before.values()] == [m["position"]
                                                                for m in after.values()]
            return after if same else None
        members = wait_until(quiet, "the cluster is quiet")
        known = [self.cluster.list(what) for what in ("queues", "connections", "sessions")]
        return next(iter(members.values()))["position"], known

    def serves(self):
        """Every member, a good client: declare, publish, get."""
        with Wire(self.port) as near, Wire(self.cluster.ports[-1]) as far:
            for wire in (near, far):
                wire.open_channel()
            near.send(queue_declare(1, "good"))
            near.expect(1, 50, 11)
            near.send(method(1, 85, 10, b"\x00"))
            near.expect(1, 85, 11)
            near.send(message(1, "good", b"fine"))
            near.expect(1, 60, 80)
            far.send(basic_get(1, "good"))
            tap.equal(far.expect_content(1, 60, 71)[2], b"fine")
            far.send(method(1, 50, 40, b"\x00\x00" + short("good") + b"\x00"))
            far.expect(1, 50, 41)
            for wire in (near, far):
                wire.send(method(0, 10, 50, b"\x00\xc8" + short("bye") + bytes(4)))
                wire.expect(0, 10, 51)
                wire.expect_end()

    def unheard(self, act):
        """act() is nothing to the cluster: no ordered event at all."""
        before = self.rest() if self.cluster.is_ours else None
        act()
        if before is not None:
            tap.equal(self.rest(), before, "position and lists, before and after")
        self.serves()

    def without_effect(self, act):
        """act() opens a connection; once that is gone all is as before."""
        before = self.rest()[1] if self.cluster.is_ours else None
        act()
        if before is not None:
            wait_until(lambda: self.rest()[1] == before, "the lists are as before")
        self.serves()


# --- before connection.open ------------------------------------------------------------------

def refused_header(world, header):
    with Wire(world.port, "connect") as wire:
        wire.send(header)
        tap.equal(wire.receive(1000), HEADER, "our header, and the end of the stream")


def early_close(world, up_to, data, code, ids):
    with Wire(world.port, up_to) as wire:
        wire.send(data)
        check_close(wire.expect_close(), code, ids)


def tune_ok(channel_max, frame_max, heartbeat=0):
    return method(0, 10, 31, struct.pack("!HIH", channel_max, frame_max, heartbeat))


OPEN = method(0, 10, 40, short("/") + short("") + b"\x00")

EARLY = [
    ("tune-ok-with-a-larger-frame-max", "start", tune_ok(CHANNEL_MAX, FRAME_MAX + 1),
     530, (10, 31)),
    ("tune-ok-with-a-larger-channel-max", "start", tune_ok(CHANNEL_MAX + 1, FRAME_MAX),
     530, (10, 31)),
    ("tune-ok-with-a-tiny-frame-max", "start", tune_ok(CHANNEL_MAX, 100), (501, 530), (10, 31)),
    ("open-before-tune-ok", "start", OPEN, (503, 504), (10, 40)),
    ("channel-open-before-connection-open", "tune", method(1, 20, 10, short("")),
     (503, 504), (20, 10)),
    ("frame-larger-than-frame-max", "tune", struct.pack("!BHI", METHOD, 0, FRAME_MAX) + bytes(9),
     501, None),
    ("start-ok-with-a-table-of-1000-levels", "header",
     method(0, 10, 11, nested(1000) + short("PLAIN") + long("\0guest\0guest") + short("en_US")),
     502, (10, 11)),
]


def unknown_vhost(world):
    # What there is, only the order can tell: judged at delivery.
    early_close(world, "tune", method(0, 10, 40, short("none") + short("") + b"\x00"),
                530, (10, 40))


def no_limits(world):
    """Zeros in tune-ok: the client has no limits of its own, so ours hold (0-9-1 section
    1.4.2.6). RabbitMQ refuses them."""
    with Wire(world.port, "start") as wire:
        wire.send(tune_ok(0, 0) + OPEN)
        wire.expect(0, 10, 41)
        wire.send(struct.pack("!BHI", METHOD, 1, FRAME_MAX - 7))
        check_close(wire.expect_close(), 501, None)


def wrong_password(world):
    with Wire(world.port, "header") as wire:
        wire.send(Wire.start_ok("guest", "wrong", ["authentication_failure_close"]))
        check_close(wire.expect_close(), 403, (10, 11))


def wrong_password_of_an_old_client(world):
    # Without the capability the specification's way: the stream ends, nothing is said.
    with Wire(world.port, "header") as wire:
        wire.send(Wire.start_ok("nobody", "guest"))
        tap.equal(wire.receive_frame(), None)


def halves(world):
    """The end of the stream at every kind of place."""
    for up_to, data in (("connect", b""), ("connect", HEADER[:3]), ("header", b""),
                        ("header", Wire.start_ok()[:20]), ("start", b"\x01"), ("tune", OPEN[:-1])):
        with Wire(world.port, up_to) as wire:
            wire.send(data)
            wire.socket.shutdown(socket.SHUT_WR)
            wire.expect_end()


# --- after it ---------------------------------------------------------------------------------

def late_close(world, data, code, ids):
    with Wire(world.port) as wire:
        wire.open_channel()
        wire.send(data)
        check_close(wire.expect_close(), code, ids)


def late_halves(world):
    whole = message(1, "bad", b"body")
    for data in (queue_declare(1, "bad")[:10], whole[:5], whole[:-1], PUBLISH,
                 PUBLISH + content_header(1, 9)):
        with Wire(world.port) as wire:
            wire.open_channel()
            wire.send(data)
            wire.socket.shutdown(socket.SHUT_WR)
            wire.expect_end()


def earlier_frames_count(world):
    """What came before the wrong bytes takes effect; what came with and after them does not."""
    with Wire(world.port) as wire:
        wire.open_channel()
        wire.send(queue_declare(1, "before") + message(1, "before", b"kept")
                  + frame(METHOD, 1, DECLARE_OK[:9]) + message(1, "before", b"never"))
        wire.expect(1, 50, 11)
        check_close(wire.expect_close(), 502, (50, 10))
    with Wire(world.cluster.ports[-1]) as wire:
        wire.open_channel()
        wire.send(basic_get(1, "before"))
        tap.equal(wire.expect_content(1, 60, 71)[2], b"kept")
        wire.send(basic_get(1, "before"))
        wire.expect(1, 60, 72)
        wire.send(method(1, 50, 40, b"\x00\x00" + short("before") + b"\x00"))
        wire.expect(1, 50, 41)


def byte_by_byte(world):
    with Wire(world.port, "connect") as wire:
        def drip(data):
            for i in range(len(data)):
                wire.send(data[i:i + 1])
        drip(HEADER)
        wire.expect(0, 10, 10)
        drip(Wire.start_ok())
        wire.expect(0, 10, 30)
        drip(tune_ok(CHANNEL_MAX, FRAME_MAX) + OPEN)
        wire.expect(0, 10, 41)
        drip(method(1, 20, 10, short("")))
        wire.expect(1, 20, 11)
        drip(frame(HEARTBEAT, 0, b"") + queue_declare(1, "drip") + message(1, "drip", b"slowly")
             + basic_get(1, "drip"))
        wire.expect(1, 50, 11)
        tap.equal(wire.expect_content(1, 60, 71)[2], b"slowly")
        drip(method(1, 50, 40, b"\x00\x00" + short("drip") + b"\x00"))
        wire.expect(1, 50, 41)


def close_never_answered(world):
    """A client that does not answer connection.close is not waited for long."""
    started = time.monotonic()
    with Wire(world.port) as wire:
        wire.open_channel()
        wire.send(method(1, 99, 10))
        wire.expect(0, 10, 50)
        wire.expect_end()
    elapsed = time.monotonic() - started
    tap.is_true(CLOSE_SECONDS - 1 < elapsed < CLOSE_SECONDS + LIMIT_SECONDS,
                f"ended after {elapsed:.1f} s")


def silence(world, started, wires):
    """Nothing, or not enough, for the time that a handshake may take: the stream ends, not
    before that time and not long after."""
    for wire in wires:
        wire.socket.settimeout(LIMIT_SECONDS + HANDSHAKE_SECONDS)
        wire.expect_end()
    elapsed = time.monotonic() - started
    tap.is_true(elapsed < HANDSHAKE_SECONDS + LIMIT_SECONDS, f"ended after {elapsed:.1f} s")


def main():
    suite = tap.Tap()
    with Cluster(3) as cluster:
        world = World(cluster)

        def case(name, judge, act, *args):
            suite.case(f"/bad-input/{name}", judge, lambda: act(world, *args))

        for name, header in (("garbage", b"GET / HTTP/1.1\r\n\r\n"), ("zeros", bytes(8)),
                             ("version-2-0", b"AMQP\x00\x02\x00\x00"),
                             ("almost", b"AMQP\x00\x00\x09\x02")):
            case(f"header/{name}", world.unheard, refused_header, header)
        for name, up_to, data, code, ids in EARLY:
            case(f"early/{name}", world.unheard, early_close, up_to, data, code, ids)
        case("early/wrong-password", world.unheard, wrong_password)
        case("early/wrong-password-of-an-old-client", world.unheard,
             wrong_password_of_an_old_client)
        case("early/unknown-virtual-host", world.without_effect, unknown_vhost)
        case("early/tune-ok-of-zeros-means-our-limits", world.without_effect, no_limits)
        case("early/half-a-frame-then-the-end", world.unheard, halves)
        for name, data, code, ids in AFTER_OPEN:
            case(name, world.without_effect, late_close, data, code, ids)
        case("half-a-frame-then-the-end", world.without_effect, late_halves)
        case("frames-before-it-count", world.without_effect, earlier_frames_count)
        case("byte-by-byte-is-fine", world.without_effect, byte_by_byte)

        started = time.monotonic()
        wires = [Wire(world.port, up_to) for up_to in ("connect", "header", "start", "tune")]
        wires[0].send(HEADER[:4])
        case("close-never-answered", world.without_effect, close_never_answered)
        case("handshake-time", world.unheard, silence, started, wires)
    return suite.end()


if __name__ == "__main__":
    sys.exit(main())
