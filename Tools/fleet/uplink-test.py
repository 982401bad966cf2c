#!/usr/bin/env python3
"""uplink-test.py [--kills N] [--seed N] [--programs DIR]: kills the broker and sextant-fleet (SIGKILL) at random times while a
simulated receiver moves and fences are added; then checks what a subscriber of the broker got.

- Every event arrived, and the first arrivals are in the order of their numbers.
- A number (_id) always has the same contents, and no two numbers have one time.
- No more than 30 s of track are missing around a kill of sextant-fleet.
- Every message is valid by schema.json, and accepted by the rules of the Recorder and of Home Assistant.
- A broker with a certificate of another authority gets nothing, and the status states why.

It needs mosquitto, mosquitto_sub and openssl, and runs on loopback alone."""
import argparse
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import payloads  # noqa: E402

# A circle around the simulated receiver.
AROUND = "51.478,0,50000"
BROKER = """listener {port} 127.0.0.1
allow_anonymous true
persistence true
persistence_location {folder}/
autosave_on_changes true
autosave_interval 1
max_queued_messages 0
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until(what, condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            sys.exit(f"uplink-test: no {what} after {seconds} s")
        time.sleep(0.05)


def accepts(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


class Bench:
    """A simulated receiver, a daemon, a broker, a subscriber and sextant-fleet."""

    def __init__(self, programs, folder):
        self.programs, self.folder = programs, folder
        self.port = free_port()
        self.children = {}
        self.write("broker.conf", BROKER.format(port=self.port, folder=folder))

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def text(self, name):
        try:
            with open(self.path(name), encoding="utf-8", errors="replace") as file:
                return file.read()
        except FileNotFoundError:
            return ""

    def start(self, name, *words, **environment):
        with open(self.path(name + ".log"), "ab") as log:
            self.children[name] = subprocess.Popen(
                words, stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=os.environ | environment,
                restore_signals=False)

    def kill(self, name):
        child = self.children.pop(name, None)
        if child:
            child.send_signal(signal.SIGKILL)
            child.wait()

    def start_broker(self):
        self.start("broker", "mosquitto", "-c", self.path("broker.conf"))
        wait_until("broker", lambda: accepts(self.port))

    def start_fleet(self, *urls, state="fleet", batch=None, words=None, options=(), **environment):
        destinations = words or [word for url in urls or [f"mqtt://127.0.0.1:{self.port}"] for word in ("--destination", url)]
        if batch:
            destinations += ["--batch", batch]
        os.makedirs(self.path(state), exist_ok=True)
        self.start(
            "fleet", f"{self.programs}/sextant-fleet", "--state", self.path(state), *destinations, "--user", "jane", "--device", "van", "--tolerance", "0", "--monitor", "home", *options,
            SEXTANT_SOCKET=self.path("socket"), **environment)

    def start_daemon(self, *words):
        self.start("receiver", f"{self.programs}/sextant", "simulate", "--json", *words)
        wait_until("simulated receiver", lambda: "port" in self.text("receiver.log"))
        port = json.loads(self.text("receiver.log").splitlines()[0])["port"]
        self.write("sextant.toml", "[monitors]\nmax_conditions_per_program = 10000\n")
        self.start("daemon", f"{self.programs}/sextantd", "--config", self.path("sextant.toml"), "--device", port,
                   "--socket", self.path("socket"), "--state", self.path("state"))

    def start_all(self):
        self.start_daemon()
        self.start_broker()
        self.start("subscriber", "mosquitto_sub", "-p", str(self.port), "-i", "observer", "-c", "-q", "1", "-t", "owntracks/#", "-v")
        self.start_fleet()
        wait_until("position", lambda: self.locations())

    def messages(self, kind):
        found = []
        for line in self.text("subscriber.log").splitlines():
            topic, _, payload = line.partition(" ")
            try:
                message = json.loads(payload)
            except ValueError:
                continue
            # The card is also on the topic of the will, which it replaces there.
            if message.get("_type") == kind and (kind != "card" or topic.endswith("/info")):
                found.append(message)
        return found

    def locations(self):
        return self.messages("location")

    def add_fence(self, identifier):
        # The simulated receiver is in it, which is an event at once.
        words = [f"{self.programs}/sextant", "fence", "add", identifier, "--monitor", "home", "--circle", AROUND]
        subprocess.run(words, check=True, env=os.environ | {"SEXTANT_SOCKET": self.path("socket")}, stdout=subprocess.DEVNULL)

    def status(self, state="fleet"):
        try:
            return json.loads(self.text(f"{state}/status.json"))["destinations"][0]
        except ValueError:
            return {}

    def close(self):
        for name in list(self.children):
            self.kill(name)


def check(bench, expected):
    transitions, problems = bench.messages("transition"), []
    first = {}
    for message in transitions:
        first.setdefault(message["desc"], int(message["_id"]))
    missing = [name for name in expected if name not in first]
    if missing:
        problems.append(f"{len(missing)} events are missing: {missing[:5]}")
    numbers = list(first.values())
    if numbers != sorted(numbers):
        problems.append("events are out of order")
    contents, times = {}, {}
    for message in bench.locations() + transitions:
        key = {name: value for name, value in message.items() if name != "t"}
        if contents.setdefault(message["_id"], key) != key:
            problems.append(f"two contents have the number {message['_id']}")
        if message["_type"] == "location" and times.setdefault(message["tst"], message["_id"]) != message["_id"]:
            problems.append(f"two positions have the time {message['tst']}")
    problems += payload_problems(bench)
    seen = sorted(times)
    gap = max((b - a for a, b in zip(seen, seen[1:])), default=0)
    if gap > 35:
        problems.append(f"{gap} s of track are missing")
    print(f"events: {len(expected)} added, {len(first)} arrived, {len(transitions) - len(first)} repeated")
    print(f"positions: {len(times)}, {len(bench.locations()) - len(times)} repeated, longest gap {gap} s")
    return problems


def payload_problems(bench):
    """The messages that are not valid."""
    count, problems = 0, []
    for line in bench.text("subscriber.log").splitlines():
        topic, _, text = line.partition(" ")
        if not topic.startswith("owntracks/") or topic.endswith("/cmd"):
            continue
        count += 1
        problems += payloads.check(topic, json.loads(text))
    print(f"messages: {count} checked")
    return problems[:5]


def check_wrong_authority(bench):
    """A broker whose certificate another authority has signed."""
    for name in ("right", "wrong"):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                        "-subj", f"/CN={name}", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", bench.path(f"{name}.key"),
                        "-out", bench.path(f"{name}.pem")], check=True, stderr=subprocess.DEVNULL)
        os.chmod(bench.path(f"{name}.key"), 0o644)
    port = free_port()
    bench.write("tls.conf", f"listener {port} 127.0.0.1\nallow_anonymous true\ncertfile {bench.path('right.pem')}\n"
                            f"keyfile {bench.path('right.key')}\n")
    bench.start("tls", "mosquitto", "-c", bench.path("tls.conf"))
    problems = []
    for authority, expected in (("wrong", False), ("right", True)):
        bench.kill("fleet")
        os.makedirs(bench.path(f"keys-{authority}"))
        os.symlink(bench.path(f"{authority}.pem"), bench.path(f"keys-{authority}/ca.pem"))
        state = f"tls-{authority}"
        bench.start_fleet(f"mqtts://127.0.0.1:{port}", state=state, CREDENTIALS_DIRECTORY=bench.path(f"keys-{authority}"))

        def status():
            return bench.status(state)
        wait_until(f"answer with the {authority} authority",
                   lambda: (status().get("bytesThisMonth", 0) > 0) if expected else "lastError" in status())
        print(f"{authority} authority: connected {status()['connected']}, {status().get('lastError', 'no error')}")
        if status()["connected"] != expected:
            problems.append(f"the {authority} authority: connected is {not expected}")
    return problems


def main():
    parser = argparse.ArgumentParser(description="Kill the broker and sextant-fleet; check that nothing is lost.")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--programs", default=os.path.join(os.path.dirname(__file__), "../../.build/release"))
    options = parser.parse_args()
    chance = random.Random(options.seed)
    with tempfile.TemporaryDirectory(prefix="sextant-uplink-") as folder:
        os.chmod(folder, 0o777)
        bench, expected = Bench(options.programs, folder), []
        try:
            bench.start_all()
            for number in range(options.kills):
                for _ in range(chance.randint(1, 5)):
                    expected.append(f"fence-{len(expected)}")
                    bench.add_fence(expected[-1])
                time.sleep(chance.uniform(0, 2))
                victim = chance.choice(["broker", "fleet"])
                bench.kill(victim)
                time.sleep(chance.uniform(0, 1))
                bench.start_broker() if victim == "broker" else bench.start_fleet()
            wait_until("last event", lambda: set(expected) <= {m["desc"] for m in bench.messages("transition")}, 180)
            wait_until("empty outbox", lambda: bench.status().get("points", 9) <= 2, 180)
            problems = check(bench, expected) + check_wrong_authority(bench)
        finally:
            bench.close()
    for problem in problems:
        print(f"uplink-test: {problem}", file=sys.stderr)
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
