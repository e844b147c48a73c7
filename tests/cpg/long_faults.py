# SPDX-License-Identifier: MIT
"""A publisher at each of three nodes, and one fault after another, over real corosync daemons. In
the end: all members are equal, what was confirmed is there, and in its order.

    long_faults.py [ROUNDS]"""

import os
import sys
import tempfile
import time

import lab
from lab import NODES, node, say

QUEUE = "faults"
FAULT_SECONDS = 1.5  # longer than a loss takes to be noticed


# --- a publisher, in a process of its own ---------------------------------------------------------

def connect():
    import pika
    return pika.BlockingConnection(pika.ConnectionParameters(
        "127.0.0.1", heartbeat=0, socket_timeout=3, blocked_connection_timeout=3))


def publish(name, confirmed_path, stop_path):
    """Numbers, each until it is confirmed."""
    number = 0
    channel = None
    with open(confirmed_path, "w") as confirmed:
        while not os.path.exists(stop_path):
            try:
                if channel is None:
                    channel = connect().channel()
                    channel.queue_declare(QUEUE)
                    channel.confirm_delivery()
                channel.basic_publish("", QUEUE, f"{name} {number}".encode())
            except Exception:  # whatever it was: connect again, and say it again
                channel = None
                time.sleep(0.05)
                continue
            confirmed.write(f"{number}\n")
            number += 1


# --- faults ---------------------------------------------------------------------------------------

def cut(victim):
    others = " ".join(str(other) for other in NODES if other != victim)
    lab.lab("partition", others, victim)
    return lambda: lab.lab("heal")


def isolate(victim):
    lab.lab("isolate", victim)
    return lambda: lab.lab("heal")


def crash(victim):
    node(victim, "crash")
    return lambda: lab.start(victim)


def stop(victim):
    node(victim, "stop")
    return lambda: lab.start(victim)


def kill_corosync(victim):
    lab.lab("kill", victim)
    return lambda: lab.lab("rejoin", victim)


def freeze_corosync(victim):
    lab.lab("freeze", victim)
    return lambda: lab.lab("thaw", victim)


FAULTS = (cut, crash, kill_corosync, freeze_corosync, stop, isolate)


# --- the test -------------------------------------------------------------------------------------

def get_all():
    """Not acknowledged: whoever tries again gets all of them again."""
    channel = connect().channel()
    bodies = []
    while True:
        method, _, body = channel.basic_get(QUEUE)
        if method is None:
            return bodies
        bodies.append(body.decode())


def consume_all(path):
    for last_try in (False, False, True):
        try:
            with open(path, "w") as file:
                file.writelines(f"{body}\n" for body in get_all())
            return
        except Exception:  # a machine that is busy may lose a node at any time
            if last_try:
                raise
            time.sleep(3)


def check_publisher(name, confirmed_path, bodies):
    with open(confirmed_path) as file:
        confirmed = [int(line) for line in file]
    got = [int(body.split()[1]) for body in bodies if body.split()[0] == name]
    first = list(dict.fromkeys(got))
    lost = sorted(set(confirmed) - set(got))
    assert confirmed, f"publisher {name}: nothing was ever confirmed"
    assert not lost, f"publisher {name}: confirmed and lost: {lost[:10]} of {len(confirmed)}"
    assert first == sorted(first), f"publisher {name}: out of order"
    say(f"# publisher {name}: {len(confirmed)} confirmed, {len(got) - len(first)} twice")


def test(rounds):
    count = 0
    directory = tempfile.mkdtemp()
    stop_path, consumed_path = (os.path.join(directory, name) for name in ("stop", "consumed"))
    paths = {number: os.path.join(directory, str(number)) for number in NODES}
    publishers = [lab.client_at(number, publish, str(number), paths[number], stop_path)
                  for number in NODES]
    for turn in range(rounds):
        for index, fault in enumerate(FAULTS):
            victim = NODES[(turn + index) % len(NODES)]
            what = f"{fault.__name__} of node {victim}, round {turn + 1}"
            undo = fault(victim)
            time.sleep(FAULT_SECONDS)
            undo()
            lab.wait_until_active(what)
            count += 1
            say(f"ok {count} - {what}: all are active again")
    with open(stop_path, "w"):
        pass
    for publisher in publishers:
        lab.end_of(publisher, "a publisher")
    lab.wait_until_agreed("in the end")
    count += 1
    say(f"ok {count} - in the end all are equal")
    lab.end_of(lab.client_at(1, consume_all, consumed_path), "the consumer")
    with open(consumed_path) as file:
        bodies = file.read().splitlines()
    for number in NODES:
        check_publisher(str(number), paths[number], bodies)
    count += 1
    say(f"ok {count} - what was confirmed is there, in its order")
    say(f"1..{count}")


if __name__ == "__main__":
    lab.main(__file__, test, int(sys.argv[1]) if len(sys.argv) > 1 else 5)
