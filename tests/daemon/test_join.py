# SPDX-License-Identifier: MIT
"""How long confirms pause while a member with much state lets a newcomer join. All members are one
process and share one thread, so that what the newcomer does counts too."""

import os
import threading
import time

import harness
from test_consortd_clients import close, connect, declare, publish
from wire import method

MEGABYTES = int(os.environ.get("CONSORT_JOIN_MEGABYTES", "20"))
BODY = 1000
CONFIRMS_BEFORE = 500
# Generous: a machine that runs tests is busy.
PAUSE_MS_MAX = 1000


def select_confirms(client):
    client.send(method(1, 85, 10, b"\0"))
    client.expect(1, 85, 11)


def fill(port, queue, count):
    """So many messages nobody consumes; the last one's confirm is waited for."""
    publisher = connect(port)
    declare(publisher, queue)
    for _ in range(count - 1):
        publish(publisher, queue, bytes(BODY))
    select_confirms(publisher)
    publish(publisher, queue, bytes(BODY))
    publisher.expect(1, 60, 80)
    close(publisher)


class Publisher(threading.Thread):
    """Publishes one message after the other, each when the one before is confirmed."""

    def __init__(self, port):
        super().__init__()
        self.client = connect(port)
        declare(self.client, "small")
        select_confirms(self.client)
        self.times = []
        self.ends = False
        self.failure = None

    def run(self):
        try:
            while not self.ends:
                publish(self.client, "small", b"x")
                self.client.expect(1, 60, 80)
                self.times.append(time.monotonic())
        except Exception as failure:  # pylint: disable=broad-except
            self.failure = failure

    def wait_for_more(self, count):
        """So many confirms more."""
        until = len(self.times) + count
        deadline = time.monotonic() + harness.SECONDS
        while len(self.times) < until and self.is_alive():
            assert time.monotonic() < deadline, "confirms stopped"
            time.sleep(0.01)

    def longest_pause_ms(self, since, until):
        times = [each for each in self.times if since <= each <= until]
        assert len(times) > 1, "confirms stopped"
        return 1000 * max(b - a for a, b in zip(times, times[1:] + [until]))


def newcomer(factory):
    """confirms go on while a member with much state lets a newcomer join"""
    daemon = factory.serve("--members", "3")
    fill(daemon.port("A"), "large", MEGABYTES * 1000000 // BODY)
    assert daemon.ctl("member", "crash", "C").returncode == 0
    publisher = Publisher(daemon.port("A"))
    publisher.start()
    publisher.wait_for_more(1)
    started = time.monotonic()
    publisher.wait_for_more(CONFIRMS_BEFORE)
    begun = time.monotonic()
    assert daemon.ctl("member", "restart", "C").returncode == 0
    daemon.wait_until_serving()
    joined = time.monotonic()
    publisher.wait_for_more(1)
    publisher.ends = True
    publisher.join(harness.SECONDS)
    assert publisher.failure is None, publisher.failure
    before = publisher.longest_pause_ms(started, begun)
    pause = publisher.longest_pause_ms(begun, joined)
    print(f"# {MEGABYTES} MB: {len(publisher.times)} confirms, in after {joined - begun:.2f} s; "
          f"longest pause {pause:.1f} ms, before {before:.1f} ms")
    assert pause < PAUSE_MS_MAX, f"no confirm for {pause:.0f} ms"


if __name__ == "__main__":
    harness.run(newcomer)
