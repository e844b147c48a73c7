# SPDX-License-Identifier: MIT
"""What the pika tests share: brokers, a case's connections to them, and short words for what
cases do all the time."""

import os
import sys

try:
    import pika
    from pika import exceptions
except ImportError:
    print("1..0 # SKIP python3-pika is not installed")
    sys.exit(0)

import tap
from cluster import Cluster

SECONDS = 20


class Site:
    """The brokers, and a case's connections to them: each new one at the next member."""

    def __init__(self, ports, name):
        self.ports = ports
        self.name = name
        self.turn = 0
        self.n_queues = 0
        self.open = []

    def connection(self, **options):
        port = self.ports[self.turn % len(self.ports)]
        self.turn += 1
        options.setdefault("heartbeat", 0)
        connection = pika.BlockingConnection(pika.ConnectionParameters(
            "127.0.0.1", port, blocked_connection_timeout=SECONDS, socket_timeout=SECONDS,
            **options))
        self.open.append(connection)
        return connection

    def channel(self):
        return self.connection().channel()

    def queue(self, channel, **options):
        """A new queue of this case's name."""
        self.n_queues += 1
        name = f"{self.name}-{os.getpid()}-{self.n_queues}"
        channel.queue_declare(name, **options)
        return name

    def close(self):
        for connection in self.open:
            if connection.is_open:
                connection.close()


def publish(channel, queue, *bodies, **properties):
    for body in bodies:
        channel.basic_publish("", queue, body, pika.BasicProperties(**properties))


def get(channel, queue, auto_ack=True):
    """(body, method) of the next message; it must be there."""
    method, _, body = channel.basic_get(queue, auto_ack=auto_ack)
    tap.is_true(method is not None, f"a message in {queue}")
    return body, method


def bodies_left(channel, queue):
    """All of a queue, in order."""
    found = []
    while True:
        method, _, body = channel.basic_get(queue, auto_ack=True)
        if method is None:
            return found
        found.append(body)


def settle(channel):
    """Acknowledgements have no answer: a method that has one shows that they took effect, before
    another connection looks."""
    channel.basic_qos()


def count(channel, queue):
    return channel.queue_declare(queue, passive=True).method.message_count


def consume(channel, queue, n, **options):
    """The next n deliveries, (method, properties, body) each."""
    taken = []
    for method, properties, body in channel.consume(queue, inactivity_timeout=SECONDS, **options):
        tap.is_true(method is not None, f"delivery {len(taken) + 1} of {n} within {SECONDS} s")
        taken.append((method, properties, body))
        if len(taken) == n:
            return taken


def channel_error(site, code, act):
    """act(channel) has to close its channel with this code, and the connection lives on."""
    connection = site.connection()
    error = tap.raises(exceptions.ChannelClosedByBroker, act, connection.channel())
    tap.equal(error.reply_code, code, error.reply_text)
    tap.is_true(connection.is_open, "the connection lives on")
    connection.channel().queue_declare("", exclusive=True)


def connection_error(site, code, act):
    connection = site.connection()
    error = tap.raises(exceptions.ConnectionClosedByBroker, act, connection.channel())
    tap.equal(error.reply_code, code, error.reply_text)


# --- running ----------------------------------------------------------------------------------

def run(cases):
    """Each (name, function of a site): first against one member, then against three, where a
    case's connections are spread over the members. Returns the exit status."""
    suite = tap.Tap()

    def with_site(ports, name, act):
        site = Site(ports, name)
        try:
            act(site)
        finally:
            site.close()

    for members in (1, 3):
        with Cluster(members) as cluster:
            for name, act in cases:
                suite.case(f"/pika/{members}/{name}", with_site, cluster.ports, name, act)
            if cluster.is_ours:
                suite.case(f"/pika/{members}/nothing-is-left-and-all-members-agree",
                           cluster.left_nothing)
    return suite.end()


def named(functions):
    return [(function.__name__.replace("_", "-"), function) for function in functions]
