# SPDX-License-Identifier: MIT
"""What pika is told when it asks for what cannot be: the exact reply codes; errors of a channel
leave its connection alive."""

import os
import sys

import tap
from pika_site import (channel_error, connection_error, count, exceptions, get, named, pika,
                       publish, run)


# --- what goes wrong --------------------------------------------------------------------------

def _used(channel, site):
    queue = site.queue(channel, auto_delete=True)
    channel.basic_consume(queue, print)
    return queue


CHANNEL_ERRORS = [
    ("queue.declare passive of none", 404, lambda c, s: c.queue_declare("none", passive=True)),
    ("exchange.declare passive of none", 404,
     lambda c, s: c.exchange_declare("none", passive=True)),
    ("queue.bind of no queue", 404, lambda c, s: c.queue_bind("none", "amq.direct", "k")),
    ("queue.bind to no exchange", 404,
     lambda c, s: c.queue_bind(c.queue_declare("", exclusive=True).method.queue, "none", "k")),
    ("queue.purge of none", 404, lambda c, s: c.queue_purge("none")),
    ("basic.get of none", 404, lambda c, s: c.basic_get("none")),
    ("basic.consume of none", 404, lambda c, s: c.basic_consume("none", print)),
    ("basic.publish to no exchange", 404,
     lambda c, s: (c.confirm_delivery(), c.basic_publish("none", "k", b""))),
    ("queue.declare with other arguments", 406,
     lambda c, s: c.queue_declare(s.queue(c, exclusive=True), exclusive=True, auto_delete=True)),
    ("exchange.declare with another type", 406,
     lambda c, s: c.exchange_declare("amq.direct", "fanout", durable=True)),
    ("queue.declare in amq.", 403, lambda c, s: c.queue_declare("amq.mine")),
    ("exchange.declare in amq.", 403, lambda c, s: c.exchange_declare("amq.mine", "direct")),
    ("exchange.delete of a predeclared one", 403, lambda c, s: c.exchange_delete("amq.topic")),
    ("queue.bind to the default exchange", 403,
     lambda c, s: c.queue_bind(c.queue_declare("", exclusive=True).method.queue, "", "k")),
    ("queue.delete if unused, but used", 406,
     lambda c, s: c.queue_delete(_used(c, s), if_unused=True)),
    ("basic.ack of an unknown tag", 406, lambda c, s: (c.basic_ack(99), c.basic_qos())),
    ("basic.reject of an unknown tag", 406, lambda c, s: (c.basic_reject(99), c.basic_qos())),
    ("basic.nack of an unknown tag", 406, lambda c, s: (c.basic_nack(99), c.basic_qos())),
]


def queue_not_empty(site):
    channel = site.channel()
    queue = site.queue(channel)
    channel.confirm_delivery()
    publish(channel, queue, b"x")
    channel_error(site, 406, lambda c: c.queue_delete(queue, if_empty=True))
    channel.queue_delete(queue)


def exchange_in_use(site):
    channel = site.channel()
    exchange = f"used-{os.getpid()}"
    channel.exchange_declare(exchange, "direct")
    channel.queue_bind(channel.queue_declare("", exclusive=True).method.queue, exchange, "k")
    channel_error(site, 406, lambda c: c.exchange_delete(exchange, if_unused=True))
    channel.exchange_delete(exchange)


def internal_exchange(site):
    channel = site.channel()
    exchange = f"internal-{os.getpid()}"
    channel.exchange_declare(exchange, "fanout", internal=True)
    channel_error(site, 403, lambda c: (c.confirm_delivery(),
                                        c.basic_publish(exchange, "", b"x")))
    channel.exchange_delete(exchange)


def failed_channel_gives_back(site):
    a, b = site.channel(), site.channel()
    queue = site.queue(a)
    a.confirm_delivery()
    publish(a, queue, b"1", b"2")
    get(b, queue, auto_ack=False)
    tap.raises(exceptions.ChannelClosedByBroker, b.queue_declare, "none", passive=True)
    tap.equal(count(a, queue), 2)
    a.queue_delete(queue)


def hard_errors(site):
    def same_tag(channel):
        queue = channel.queue_declare("", exclusive=True).method.queue
        channel.basic_consume(queue, print, consumer_tag="same")
        # pika itself would refuse the same tag.
        channel._impl._consumers.pop("same")
        channel._consumer_infos.pop("same")
        channel.basic_consume(queue, print, consumer_tag="same")

    connection_error(site, 530, same_tag)
    connection_error(site, 503, lambda c: c.exchange_declare(f"x-{os.getpid()}", "no-such-type"))
    connection_error(site, 540, lambda c: c.basic_qos(prefetch_size=1))


def wrong_password(site):
    error = tap.raises(exceptions.ProbableAuthenticationError, site.connection,
                       credentials=pika.PlainCredentials("guest", "wrong"))
    tap.is_true("403" in str(error), str(error))


def unknown_vhost(site):
    error = tap.raises(exceptions.ProbableAccessDeniedError, site.connection, virtual_host="none")
    tap.is_true("(530)" in str(error), str(error))


def _closes_channel(code, act):
    return lambda site: channel_error(site, code, lambda channel: act(channel, site))


CASES = named([
    queue_not_empty, exchange_in_use, internal_exchange, failed_channel_gives_back, hard_errors,
    wrong_password, unknown_vhost,
]) + [(f"{code}: {text}", _closes_channel(code, act)) for text, code, act in CHANNEL_ERRORS]

if __name__ == "__main__":
    sys.exit(run(CASES))
