# SPDX-License-Identifier: MIT
"""A public client, pika, through everything that ordinary programs do."""

import datetime
import decimal
import os
import sys

import tap
from pika_site import (SECONDS, bodies_left, channel_error, consume, count, exceptions, get, named,
                       pika, publish, run, settle)
from wire import Wire, basic_get, every_field, message, method


# --- queues and exchanges ---------------------------------------------------------------------

def declare_counts(site):
    a, b = site.channel(), site.channel()
    queue = site.queue(a)
    a.confirm_delivery()
    publish(a, queue, b"1", b"2")
    declared = b.queue_declare(queue).method
    tap.equal((declared.message_count, declared.consumer_count), (2, 0))
    b.basic_consume(queue, lambda *_: None)
    declared = a.queue_declare(queue, passive=True).method
    tap.equal(declared.consumer_count, 1)
    b.connection.close()
    a.queue_delete(queue)


def server_named(site):
    channel, other = site.channel(), site.channel()
    names = {c.queue_declare("", exclusive=True).method.queue for c in (channel, other, channel)}
    tap.equal(len(names), 3, "each is another")
    tap.is_true(all(name.startswith("amq.gen-") for name in names), names)
    # "" is the queue that was declared last on the channel.
    last = channel.queue_declare("", exclusive=True).method.queue
    channel.queue_bind("", "amq.fanout")
    channel.basic_publish("amq.fanout", "", b"x")
    tap.equal(get(channel, last)[0], b"x")


def purge(site):
    a, b = site.channel(), site.channel()
    queue = site.queue(a)
    a.confirm_delivery()
    publish(a, queue, b"1", b"2", b"3")
    held = get(a, queue, auto_ack=False)[1]
    tap.equal(b.queue_purge(queue).method.message_count, 2, "only what is ready")
    a.basic_nack(held.delivery_tag)
    tap.equal(bodies_left(a, queue), [b"1"])
    a.queue_delete(queue)


def delete(site):
    a, b = site.channel(), site.channel()
    queue = site.queue(a)
    a.confirm_delivery()
    publish(a, queue, b"1", b"2")
    tap.equal(b.queue_delete(queue).method.message_count, 2)
    tap.equal(b.queue_delete(queue).method.message_count, 0, "deleting again is no error")
    b.exchange_delete(queue)


def direct(site):
    a, b = site.channel(), site.channel()
    exchange = f"direct-{os.getpid()}"
    a.exchange_declare(exchange, "direct")
    b.exchange_declare(exchange, "direct")
    a.exchange_declare(exchange, passive=True)
    red, both = site.queue(a), site.queue(a)
    a.queue_bind(red, exchange, "red")
    b.queue_bind(both, exchange, "red")
    b.queue_bind(both, exchange, "blue")
    b.queue_bind(both, exchange, "blue")
    for key in ("red", "blue", "green"):
        a.basic_publish(exchange, key, key.encode())
    tap.equal(bodies_left(a, red), [b"red"])
    tap.equal(bodies_left(a, both), [b"red", b"blue"])
    a.queue_unbind(both, exchange, "blue")
    a.queue_unbind(both, exchange, "blue")
    for key in ("red", "blue"):
        a.basic_publish(exchange, key, key.encode())
    tap.equal(bodies_left(a, both), [b"red"])
    for queue in (red, both):
        a.queue_delete(queue)
    a.exchange_delete(exchange)
    tap.raises(exceptions.ChannelClosedByBroker, a.exchange_declare, exchange, passive=True)


def fanout(site):
    a, b = site.channel(), site.channel()
    exchange = f"fanout-{os.getpid()}"
    a.exchange_declare(exchange, "fanout")
    queues = [site.queue(a) for _ in range(3)]
    for queue in queues:
        b.queue_bind(queue, exchange, f"ignored-{queue}")
        b.queue_bind(queue, exchange, "once each, all the same")
    b.basic_publish(exchange, "any", b"all")
    for queue in queues:
        tap.equal(bodies_left(b, queue), [b"all"])
        a.queue_delete(queue)
    a.exchange_delete(exchange)


def topic(site):
    a, b = site.channel(), site.channel()
    exchange = f"topic-{os.getpid()}"
    a.exchange_declare(exchange, "topic")
    rows = {
        "#": ["", "a", "a.b", "a.b.c", "x.b"],
        "*": ["a"],
        "a.*": ["a.b"],
        "a.#": ["a", "a.b", "a.b.c"],
        "*.b": ["a.b", "x.b"],
        "#.c": ["a.b.c"],
        "a.*.c": ["a.b.c"],
        "a.#.c": ["a.b.c"],
        "#.#": ["", "a", "a.b", "a.b.c", "x.b"],
        "a.b": ["a.b"],
    }
    queues = {}
    for pattern in rows:
        queues[pattern] = site.queue(a)
        a.queue_bind(queues[pattern], exchange, pattern)
    for key in ("", "a", "a.b", "a.b.c", "x.b"):
        a.basic_publish(exchange, key, key.encode())
    for pattern, keys in rows.items():
        tap.equal(bodies_left(a, queues[pattern]), [key.encode() for key in keys], pattern)
    b.queue_unbind(queues["a.#"], exchange, "a.#")
    b.basic_publish(exchange, "a.b", b"later")
    tap.equal(bodies_left(b, queues["a.#"]), [], "unbound")
    tap.equal(bodies_left(b, queues["a.*"]), [b"later"])
    for queue in queues.values():
        a.queue_delete(queue)
    a.exchange_delete(exchange)


def exclusive(site):
    owner = site.connection()
    queue = site.queue(owner.channel(), exclusive=True)
    publish(owner.channel(), queue, b"mine")
    for act in (lambda c: c.queue_declare(queue, exclusive=True),
                lambda c: c.queue_declare(queue, passive=True),
                lambda c: c.basic_get(queue),
                lambda c: c.basic_consume(queue, print),
                lambda c: c.queue_bind(queue, "amq.direct", "x"),
                lambda c: c.queue_purge(queue),
                lambda c: c.queue_delete(queue)):
        channel_error(site, 405, act)
    owner.close()
    channel_error(site, 404, lambda c: c.queue_declare(queue, passive=True))


def auto_delete(site):
    a, b = site.channel(), site.channel()
    queue = site.queue(a, auto_delete=True)
    exchange = f"auto-{os.getpid()}"
    a.exchange_declare(exchange, "fanout", auto_delete=True)
    a.queue_bind(queue, exchange)
    first = a.basic_consume(queue, print)
    second = b.basic_consume(queue, print)
    a.basic_cancel(first)
    tap.equal(count(a, queue), 0, "one consumer is left")
    b.basic_cancel(second)
    channel_error(site, 404, lambda c: c.queue_declare(queue, passive=True))
    channel_error(site, 404, lambda c: c.exchange_declare(exchange, passive=True))


# --- publishing -------------------------------------------------------------------------------

def confirms(site):
    a, b = site.channel(), site.channel()
    queue = site.queue(b)
    a.confirm_delivery()
    for i in range(100):
        publish(a, queue, b"%d" % i, delivery_mode=2 if i % 2 else 1)
    tap.equal(count(b, queue), 100, "what is confirmed is there, whichever member is asked")
    tap.equal(bodies_left(b, queue), [b"%d" % i for i in range(100)])
    b.queue_delete(queue)


def mandatory(site):
    channel = site.channel()
    channel.confirm_delivery()
    properties = pika.BasicProperties(message_id="7")
    # pika calls it unroutable only if the return came before its confirm.
    error = tap.raises(exceptions.UnroutableError, channel.basic_publish, "", "no-such-queue",
                       b"back", properties, mandatory=True)
    back = error.messages[0]
    tap.equal((back.method.reply_code, back.method.exchange, back.method.routing_key, back.body,
               back.properties.message_id), (312, "", "no-such-queue", b"back", "7"))
    channel.basic_publish("", "no-such-queue", b"dropped", mandatory=False)
    queue = site.queue(channel)
    channel.basic_publish("", queue, b"kept", mandatory=True)
    tap.equal(bodies_left(channel, queue), [b"kept"])
    channel.queue_delete(queue)


def sizes(site):
    a, b = site.channel(), site.channel()
    queue = site.queue(a)
    a.confirm_delivery()
    # Around a frame's and an envelope's borders, and over many frames.
    lengths = [0, 1, 255, 4096, 8191, 8192, 131064, 131065, 131072, 1 << 20, 3 << 20]
    for i, length in enumerate(lengths):
        publish(a, queue, bytes([i + 1]) * length)
    for i, length in enumerate(lengths):
        body = get(b, queue)[0]
        tap.equal((len(body), set(body)), (length, {i + 1} if length else set()))
    a.queue_delete(queue)


def small_frames(site):
    a = site.connection(frame_max=4096).channel()
    b = site.channel()
    queue = site.queue(a)
    body = os.urandom(100000)
    b.confirm_delivery()
    publish(b, queue, body)
    tap.equal(get(a, queue)[0], body, "from large frames to small ones")
    publish(a, queue, body)
    tap.equal(consume(b, queue, 1)[0][2], body, "and back")
    a.queue_delete(queue)


def properties_kept(site):
    a, b = site.channel(), site.channel()
    queue = site.queue(a)
    headers = {
        "text": "grün", "bytes": b"\x00\xff", "true": True, "false": False, "small": 7,
        "negative": -7, "long": 1 << 40, "none": None,
        "decimal": decimal.Decimal("3.14"),
        "time": datetime.datetime(2007, 9, 1, 12, 0, 0),
        "array": [1, "two", [3], {"four": 4}], "empty": [], "table": {"deep": {"deeper": {}}},
    }
    sent = pika.BasicProperties(
        content_type="text/plain", content_encoding="utf-8", headers=headers, delivery_mode=2,
        priority=3, correlation_id="c", reply_to="r", expiration="60000", message_id="m",
        timestamp=1188648000, type="t", user_id="guest", app_id="a")
    a.confirm_delivery()
    a.basic_publish("", queue, b"body", sent)
    a.basic_publish("", queue, b"body")
    _, got, _ = b.basic_get(queue, auto_ack=True)
    for name in sorted(vars(sent)):
        tap.equal(getattr(got, name), getattr(sent, name), name)
    _, got, _ = b.basic_get(queue, auto_ack=True)
    tap.equal(got.headers, None, "what was not given is not there")
    b.queue_delete(queue)


def every_field_type(site):
    # pika cannot write them all, so by hand; they have to come back as they were sent.
    queue = site.queue(site.channel())
    properties = b"\x20\x00" + every_field()
    with Wire(site.ports[0]) as a, Wire(site.ports[-1]) as b:
        a.open_channel()
        b.open_channel()
        a.send(method(1, 85, 10, b"\x00"))
        a.expect(1, 85, 11)
        a.send(message(1, queue, b"body", properties))
        a.expect(1, 60, 80)
        b.send(basic_get(1, queue))
        _, got, data = b.expect_content(1, 60, 71)
        tap.equal((got, data), (properties, b"body"))
    site.channel().queue_delete(queue)


# --- getting and consuming --------------------------------------------------------------------

def get_and_empty(site):
    a, b = site.channel(), site.channel()
    queue = site.queue(a)
    tap.equal(b.basic_get(queue)[0], None)
    a.confirm_delivery()
    publish(a, queue, b"1", b"2", b"3")
    method = get(b, queue, auto_ack=False)[1]
    tap.equal((method.message_count, method.redelivered, method.exchange, method.routing_key),
              (2, False, "", queue))
    tap.equal(get(b, queue, auto_ack=False)[1].delivery_tag, method.delivery_tag + 1)
    b.basic_ack(method.delivery_tag)
    b.connection.close()
    body, method = get(a, queue)
    tap.equal((body, method.redelivered), (b"2", True), "unacked, hence back, in its old place")
    body, method = get(a, queue)
    tap.equal((body, method.redelivered), (b"3", False))
    a.queue_delete(queue)


def consume_and_cancel(site):
    a, b = site.channel(), site.channel()
    queue = site.queue(a)
    publish(a, queue, *[b"%d" % i for i in range(10)])
    taken = consume(b, queue, 10)
    tap.equal([body for _, _, body in taken], [b"%d" % i for i in range(10)])
    tap.equal([method.delivery_tag for method, _, _ in taken], list(range(1, 11)))
    tap.is_true(all(not method.redelivered for method, _, _ in taken), "none is redelivered")
    b.basic_ack(10, multiple=True)
    b.cancel()
    a.confirm_delivery()
    publish(a, queue, b"later")
    declared = b.queue_declare(queue, passive=True).method
    tap.equal((declared.message_count, declared.consumer_count), (1, 0), "cancelled")
    a.queue_delete(queue)


def cancelled_by_broker(site):
    a, b = site.connection(), site.connection()
    channel = b.channel()
    queue = site.queue(channel)
    cancelled = []
    channel.add_on_cancel_callback(lambda frame: cancelled.append(frame.method.consumer_tag))
    tag = channel.basic_consume(queue, print, consumer_tag="mine")
    a.channel().queue_delete(queue)
    for _ in range(SECONDS * 10):
        if cancelled:
            break
        b.process_data_events(time_limit=0.1)
    tap.equal((cancelled, tag), (["mine"], "mine"))


def consumers_take_turns(site):
    channels = [site.channel() for _ in range(3)]
    queue = site.queue(channels[0])
    got = {i: [] for i in range(3)}

    def take_for(i):
        return lambda channel, method, properties, body: got[i].append(body)

    for i, channel in enumerate(channels):
        channel.basic_consume(queue, take_for(i), auto_ack=True)
    publish(channels[0], queue, *[b"%d" % i for i in range(9)])
    for _ in range(SECONDS * 10):
        if sum(map(len, got.values())) == 9:
            break
        for channel in channels:
            channel.connection.process_data_events(time_limit=0.03)
    tap.equal(got, {i: [b"%d" % n for n in range(i, 9, 3)] for i in range(3)})
    channels[0].queue_delete(queue)


def prefetch(site):
    a, b, c = site.channel(), site.channel(), site.channel()
    queue = site.queue(a)
    b.basic_qos(prefetch_count=3)
    got = []
    b.basic_consume(queue, lambda _c, method, _p, body: got.append((method.delivery_tag, body)))
    a.confirm_delivery()
    publish(a, queue, *[b"%d" % i for i in range(10)])
    tap.equal(count(c, queue), 7, "three are out")

    def wait_for(n):
        for _ in range(SECONDS * 10):
            if len(got) >= n:
                return
            b.connection.process_data_events(time_limit=0.1)

    wait_for(3)
    tap.equal([body for _, body in got], [b"0", b"1", b"2"])
    b.basic_ack(2)
    wait_for(4)
    tap.equal(got[3:], [(4, b"3")], "one acknowledged, one more")
    b.basic_ack(4, multiple=True)
    wait_for(7)
    tap.equal([body for _, body in got[4:]], [b"4", b"5", b"6"])
    tap.equal(count(c, queue), 3)
    a.queue_delete(queue)


def ack_multiple(site):
    a, b = site.channel(), site.channel()
    queue = site.queue(a)
    publish(a, queue, *[b"%d" % i for i in range(6)])
    consume(b, queue, 6)
    b.basic_ack(3, multiple=True)
    b.basic_ack(5)
    b.connection.close()
    tap.equal([(body, method.redelivered) for body, method in (get(a, queue), get(a, queue))],
              [(b"3", True), (b"5", True)])
    publish(a, queue, b"6", b"7")
    for body in (b"6", b"7"):
        tap.equal(get(a, queue, auto_ack=False)[0], body)
    a.basic_ack(0, multiple=True)
    tap.equal(bodies_left(a, queue), [], "0 and multiple: all that are out")
    a.queue_delete(queue)


def requeue(site):
    a, b = site.channel(), site.channel()
    queue = site.queue(a)
    a.confirm_delivery()
    publish(a, queue, *[b"%d" % i for i in range(5)])
    for i in range(3):
        tap.equal(get(b, queue, auto_ack=False)[0], b"%d" % i)
    b.basic_reject(2, requeue=True)
    b.basic_nack(3, requeue=True)
    b.basic_reject(1, requeue=True)
    order = [get(b, queue) for _ in range(5)]
    tap.equal([(body, method.redelivered) for body, method in order],
              [(b"0", True), (b"1", True), (b"2", True), (b"3", False), (b"4", False)])
    publish(a, queue, b"5", b"6", b"7", b"8")
    for _ in range(3):
        last = get(b, queue, auto_ack=False)[1].delivery_tag
    b.basic_nack(last, multiple=True, requeue=True)
    settle(b)
    tap.equal(get(a, queue)[0], b"5", "nack, multiple")
    first = get(b, queue, auto_ack=False)[1].delivery_tag
    b.basic_reject(first, requeue=False)
    second = get(b, queue, auto_ack=False)[1].delivery_tag
    b.basic_nack(second, requeue=False)
    settle(b)
    tap.equal(bodies_left(a, queue), [b"8"], "refused for good")
    a.queue_delete(queue)


def recover(site):
    channel = site.channel()
    queue = site.queue(channel)
    channel.confirm_delivery()
    publish(channel, queue, b"1", b"2")
    get(channel, queue, auto_ack=False)
    get(channel, queue, auto_ack=False)
    channel.basic_recover(requeue=True)
    again = [get(channel, queue) for _ in range(2)]
    tap.equal([(body, method.redelivered) for body, method in again],
              [(b"1", True), (b"2", True)])
    channel.queue_delete(queue)


def exclusive_consumer(site):
    a, b = site.channel(), site.channel()
    queue = site.queue(a)
    tag = a.basic_consume(queue, print, exclusive=True)
    channel_error(site, 403, lambda c: c.basic_consume(queue, print))
    a.basic_cancel(tag)
    b.basic_consume(queue, print)
    channel_error(site, 403, lambda c: c.basic_consume(queue, print, exclusive=True))
    a.queue_delete(queue)


def channel_closed(site):
    connection = site.connection()
    channel, other = connection.channel(), site.channel()
    queue = site.queue(channel)
    other.confirm_delivery()
    publish(other, queue, b"1", b"2")
    get(channel, queue, auto_ack=False)
    channel.close()
    tap.equal(count(other, queue), 2, "a closed channel gives back what it held")
    again = connection.channel(channel_number=channel.channel_number)
    body, method = get(again, queue)
    tap.equal((body, method.redelivered, method.delivery_tag), (b"1", True, 1))
    other.queue_delete(queue)


def many_channels(site):
    connection = site.connection()
    channels = [connection.channel() for _ in range(50)]
    queue = site.queue(channels[0])
    for i, channel in enumerate(channels):
        channel.confirm_delivery()
        publish(channel, queue, b"%d" % i)
    tap.equal(bodies_left(site.channel(), queue), [b"%d" % i for i in range(50)])
    channels[0].queue_delete(queue)


def heartbeats(site):
    connection = site.connection(heartbeat=2)
    channel = connection.channel()
    # Silent for more than two intervals: only heartbeats keep both sides content.
    connection.sleep(6)
    tap.is_true(connection.is_open, "both sides still hold on")
    channel.queue_declare("", exclusive=True)


def server_properties(site):
    connection = site.connection()
    impl = connection._impl
    capabilities = impl.server_capabilities
    for name in ("publisher_confirms", "basic.nack", "consumer_cancel_notify",
                 "authentication_failure_close"):
        tap.equal(capabilities.get(name), True, name)
    tap.is_true(impl.server_properties.get("product"), "it says what it is")


CASES = named([
    declare_counts, server_named, purge, delete, direct, fanout, topic, exclusive, auto_delete,
    confirms, mandatory, sizes, small_frames, properties_kept, every_field_type,
    get_and_empty, consume_and_cancel, cancelled_by_broker, consumers_take_turns, prefetch,
    ack_multiple, requeue, recover, exclusive_consumer, channel_closed, many_channels, heartbeats,
    server_properties,
])

if __name__ == "__main__":
    sys.exit(run(CASES))
