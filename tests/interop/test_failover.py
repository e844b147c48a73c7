# SPDX-License-Identifier: MIT
"""A member crashes under its clients: nothing confirmed is lost, what was not acknowledged comes
back in order, what was exclusive goes, and the member comes back as one of three equals."""

import struct
import sys
import threading

import tap
from cluster import Cluster, wait_until
from pika_site import Site, bodies_left, consume, exceptions, get, publish
from wire import Wire, message, method


class Publisher(threading.Thread):
    """Sends numbered messages, many of them unconfirmed at any time, until its connection ends.
    `confirmed` is what the broker has answered for."""

    WINDOW = 50

    def __init__(self, port, queue):
        super().__init__(daemon=True)
        self.wire = Wire(port)
        self.queue = queue
        self.sent = 0
        self.confirmed = 0
        self.wire.open_channel()
        self.wire.send(method(1, 85, 10, b"\x00"))
        self.wire.expect(1, 85, 11)

    def run(self):
        try:
            while True:
                while self.sent < self.confirmed + self.WINDOW:
                    self.sent += 1
                    self.wire.send(message(1, self.queue, b"%d" % self.sent, b"\x10\x00\x02"))
                got = self.wire.receive_frame()
                if got is None:
                    return
                kind, _, payload = got
                if payload[:4] != struct.pack("!HH", 60, 80):
                    return
                # One connection's messages take effect in its order, so do their confirms.
                tag = struct.unpack("!Q", payload[4:12])[0]
                self.confirmed = max(self.confirmed, tag)
        except OSError:
            return
        finally:
            self.wire.close()


def restart(cluster, name):
    cluster.control("member", "restart", name)
    cluster.settled()


def confirmed_survive(cluster):
    """The publisher's member crashes while messages flow; a consumer elsewhere gets them all."""
    site = Site(cluster.ports[1:], "stream")
    queue = site.queue(site.channel())
    consumer = site.channel()
    publisher = Publisher(cluster.ports[0], queue)
    publisher.start()
    taken = consume(consumer, queue, 200, auto_ack=True)
    wait_until(lambda: publisher.confirmed >= 300, "300 messages are confirmed")
    cluster.control("member", "crash", "A")
    publisher.join(tap.TIME_LIMIT_SECONDS)
    tap.is_true(not publisher.is_alive(), "the publisher's connection ended with its member")
    # What the crash left in the queue ends where the next message begins.
    publish(site.channel(), queue, b"end")
    while taken[-1][2] != b"end":
        taken += consume(consumer, queue, 1, auto_ack=True)
    numbers = [int(body) for _, _, body in taken[:-1]]
    tap.equal(numbers, list(range(1, len(numbers) + 1)), "each once, in order, none left out")
    tap.is_true(publisher.confirmed <= len(numbers) <= publisher.sent,
                f"{publisher.confirmed} confirmed <= {len(numbers)} there <= {publisher.sent} sent")
    tap.is_true(all(not m.redelivered for m, _, _ in taken), "no delivery was in doubt")
    restart(cluster, "A")
    site.channel().queue_delete(queue)
    site.close()


def same_digest(cluster):
    """Back again, with the state of the others, and clients of its own."""
    cluster.control("member", "crash", "A")
    tap.equal(cluster.members()["A"]["state"], "down")
    site = Site(cluster.ports[1:], "while-away")
    away = site.channel()
    away.confirm_delivery()
    queue = site.queue(away)
    publish(away, queue, *[b"%d" % i for i in range(1000)])
    restart(cluster, "A")
    tap.equal(sorted(cluster.settled()), ["A", "B", "C"])
    back = Site(cluster.ports[:1], "back")
    channel = back.channel()
    channel.confirm_delivery()
    publish(channel, queue, b"1000")
    tap.equal(bodies_left(channel, queue), [b"%d" % i for i in range(1001)], "consumed at A")
    publish(channel, queue, b"from A")
    tap.equal(consume(away, queue, 1, auto_ack=True)[0][2], b"from A")
    away.cancel()
    channel.queue_delete(queue)
    back.close()
    site.close()
    cluster.settled()


def unacked_come_back(cluster):
    near, far = Site(cluster.ports[:1], "near"), Site(cluster.ports[1:], "far")
    publisher = far.channel()
    publisher.confirm_delivery()
    queue = far.queue(publisher)
    publish(publisher, queue, *[b"%d" % i for i in range(20)])
    holder = near.channel()
    holder.basic_qos(prefetch_count=10)
    taken = consume(holder, queue, 10)
    tap.equal([body for _, _, body in taken], [b"%d" % i for i in range(10)])
    # 3 and 7 are settled: that the acknowledgement was applied is seen in the next delivery.
    holder.basic_ack(taken[3][0].delivery_tag)
    holder.basic_ack(taken[7][0].delivery_tag)
    consume(holder, queue, 2)
    cluster.control("member", "crash", "A")
    left = [i for i in range(20) if i not in (3, 7)]
    again = [get(publisher, queue) for _ in left]
    tap.equal([int(body) for body, _ in again], left, "in their old order")
    tap.equal([method.redelivered for _, method in again], [i < 12 for i in left])
    restart(cluster, "A")
    publisher.queue_delete(queue)
    far.close()


def exclusive_goes(cluster):
    near, far = Site(cluster.ports[:1], "mine"), Site(cluster.ports[1:], "others")
    queue = near.queue(near.channel(), exclusive=True)
    error = tap.raises(exceptions.ChannelClosedByBroker, far.channel().queue_declare, queue,
                       passive=True)
    tap.equal(error.reply_code, 405)
    cluster.control("member", "crash", "A")
    error = tap.raises(exceptions.ChannelClosedByBroker, far.channel().queue_declare, queue,
                       passive=True)
    tap.equal(error.reply_code, 404, "gone with the connection that had it")
    restart(cluster, "A")
    far.close()


def consumers_elsewhere_go_on(cluster):
    """Each member crashes in turn: a consumer whose member stays notices nothing."""
    for i, name in enumerate("ABC"):
        others = [port for port in cluster.ports if port != cluster.ports[i]]
        site = Site(others, f"without-{name}")
        publisher, consumer = site.channel(), site.channel()
        queue = site.queue(publisher)
        publisher.confirm_delivery()
        publish(publisher, queue, b"before")
        tap.equal(consume(consumer, queue, 1)[0][2], b"before")
        cluster.control("member", "crash", name)
        publish(publisher, queue, b"after")
        method, _, body = consume(consumer, queue, 1)[0]
        tap.equal((body, method.redelivered, method.delivery_tag), (b"after", False, 2))
        restart(cluster, name)
        publisher.queue_delete(queue)
        site.close()


def one_is_left(cluster):
    """Two of three crash and come back: what was confirmed before is there, at all of them."""
    site = Site(cluster.ports[:1], "left")
    channel = site.channel()
    queue = site.queue(channel)
    channel.confirm_delivery()
    publish(channel, queue, *[b"%d" % i for i in range(10)])
    for name in "BC":
        cluster.control("member", "crash", name)
    # Alone of three: it keeps what it holds and serves nobody, until the others are back.
    tap.equal(cluster.members()["A"]["state"], "idle")
    for name in "BC":
        cluster.control("member", "restart", name)
    cluster.settled()
    back = Site(cluster.ports[2:], "back").channel()
    tap.equal(bodies_left(back, queue), [b"%d" % i for i in range(10)])
    back.queue_delete(queue)
    back.connection.close()


def main():
    suite = tap.Tap()
    with Cluster(3) as cluster:
        if not cluster.is_ours:
            print("1..0 # SKIP only our own members can be crashed")
            return 0
        for case in (confirmed_survive, same_digest, unacked_come_back, exclusive_goes,
                     consumers_elsewhere_go_on, one_is_left):
            suite.case(f"/failover/{case.__name__.replace('_', '-')}", case, cluster)
    return suite.end()


if __name__ == "__main__":
    sys.exit(main())
