# SPDX-License-Identifier: MIT
"""A publisher at each of three nodes, and one fault after another, over real corosync daemons. In
the end: all members are equal, what was confirmed is there, and in its order.

    long_faults.py [ROUNDS]"""

import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
LAB = os.path.join(HERE, "lab.sh")
NODES = (1, 2, 3)
QUEUE = "faults"
FAULT_SECONDS = 1.5  # longer than a loss takes to be noticed
AGREE_SECONDS = 30


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def lab(*command):
    result = run(LAB, *command)
    assert result.returncode == 0, f"lab.sh {command}: {result.stderr}"


def node(number, *command):
    """What consortctl prints; see three_nodes.sh."""
    return run("node", str(number), *command).stdout


def start(number):
    # Its consortd keeps the outputs of the command open.
    subprocess.run(["node", str(number), "start"], stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, timeout=60)


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
    lab("partition", others, str(victim))
    return lambda: lab("heal")


def isolate(victim):
    lab("isolate", str(victim))
    return lambda: lab("heal")


def crash(victim):
    node(victim, "crash")
    return lambda: start(victim)


def stop(victim):
    node(victim, "stop")
    return lambda: start(victim)


def kill_corosync(victim):
    lab("kill", str(victim))
    return lambda: lab("rejoin", str(victim))


def freeze_corosync(victim):
    lab("freeze", str(victim))
    return lambda: lab("thaw", str(victim))


FAULTS = (cut, crash, kill_corosync, freeze_corosync, stop, isolate)


def agreement(number):
    lines = node(number, "status").splitlines()
    told = dict(line.split(None, 1) for line in lines if len(line.split(None, 1)) == 2)
    return tuple(told.get(key) for key in ("state", "members", "position", "digest"))


def wait_until_agreed(what):
    deadline = time.monotonic() + AGREE_SECONDS
    while True:
        told = [agreement(number) for number in NODES]
        if told[0][0] == "active" and len(set(told)) == 1:
            return
        assert time.monotonic() < deadline, f"{what}: no agreement: {told}"
        time.sleep(0.05)


def wait_until_active(what):
    deadline = time.monotonic() + AGREE_SECONDS
    while any(agreement(number)[0] != "active" for number in NODES):
        assert time.monotonic() < deadline, f"{what}: not all are active"
        time.sleep(0.05)


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


def consume_all():
    for last_try in (False, False, True):
        try:
            print("\n".join(get_all()))
            return
        except Exception:  # a machine that is busy may lose a node at any time
            if last_try:
                raise
            time.sleep(3)


def in_lab(number, *arguments, **more):
    command = [LAB, "exec", str(number), sys.executable, __file__, *arguments]
    return subprocess.Popen(command, **more)


def check_publisher(name, confirmed_path, bodies):
    with open(confirmed_path) as file:
        confirmed = [int(line) for line in file]
    got = [int(body.split()[1]) for body in bodies if body.split()[0] == name]
    first = list(dict.fromkeys(got))
    lost = sorted(set(confirmed) - set(got))
    assert confirmed, f"publisher {name}: nothing was ever confirmed"
    assert not lost, f"publisher {name}: confirmed and lost: {lost[:10]} of {len(confirmed)}"
    assert first == sorted(first), f"publisher {name}: out of order"
    print(f"# publisher {name}: {len(confirmed)} confirmed, {len(got) - len(first)} twice")


def test(rounds):
    count = 0
    directory = tempfile.mkdtemp()
    stop_path = os.path.join(directory, "stop")
    paths = {number: os.path.join(directory, str(number)) for number in NODES}
    publishers = [in_lab(number, "publish", str(number), paths[number], stop_path)
                  for number in NODES]
    for turn in range(rounds):
        for index, fault in enumerate(FAULTS):
            victim = NODES[(turn + index) % len(NODES)]
            what = f"{fault.__name__} of node {victim}, round {turn + 1}"
            undo = fault(victim)
            time.sleep(FAULT_SECONDS)
            undo()
            wait_until_active(what)
            count += 1
            print(f"ok {count} - {what}: all are active again", flush=True)
    with open(stop_path, "w"):
        pass
    for publisher in publishers:
        assert publisher.wait(30) == 0
    wait_until_agreed("in the end")
    count += 1
    print(f"ok {count} - in the end all are equal", flush=True)
    consumer = in_lab(1, "consume", stdout=subprocess.PIPE, text=True)
    bodies = consumer.communicate(timeout=60)[0].splitlines()
    for number in NODES:
        check_publisher(str(number), paths[number], bodies)
    count += 1
    print(f"ok {count} - what was confirmed is there, in its order")
    print(f"1..{count}")


def main():
    if sys.argv[1:2] == ["publish"]:
        publish(*sys.argv[2:])
    elif sys.argv[1:] == ["consume"]:
        consume_all()
    elif os.environ.get("CONSORT_IN_SANDBOX") == "true":
        try:
            test(int(sys.argv[1]))
        except AssertionError as error:
            for number in NODES:
                for line in node(number, "log").splitlines()[-40:]:
                    print(f"# node {number}: {line}")
            print(f"Bail out! {error}")
            sys.exit(1)
    else:
        possible = run(LAB, "check")
        if possible.returncode != 0 and os.environ.get("CI") != "true":
            print(f"1..0 # SKIP {possible.stderr.strip()}")
            sys.exit(0)
        os.execvp("sh", ["sh", os.path.join(HERE, "three_nodes.sh"),
                         os.environ.get("top_builddir", "build"), sys.executable, __file__,
                         sys.argv[1] if len(sys.argv) > 1 else "5"])


if __name__ == "__main__":
    main()
