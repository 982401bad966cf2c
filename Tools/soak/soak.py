#!/usr/bin/env python3
"""soak.py: runs the daemon for hours under changing clients and measures whether it grows.

    soak.py [--hours 2] [--daemon PATH] [--seed 1] [--json]

Three receivers on pseudo-terminals send one burst per second and are replugged at random. Clients come, go and misbehave: they
follow positions and fences, do not read, send garbage or half messages, or add and remove fences. The configuration is
reloaded every few minutes. Every five minutes all clients close for a moment, and the daemon is measured at rest: private
memory, descriptors and processor time. One line per hour has the figures.

The exit status is 1 if private memory grows by more than 2 % after the first 10 minutes, if descriptors are left, if a reply
takes longer than 5 s, or if the daemon ends.
"""
import argparse
import collections
import json
import math
import os
import pty
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import tty

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LATITUDE = 48.1
RECEIVERS = 3
WARM_UP, ROUND, MAX_GROWTH, MAX_REPLY = 600, 300, 0.02, 5.0


def sentence(body):
    checksum = 0
    for byte in body.encode():
        checksum ^= byte
    return f"${body}*{checksum:02X}\r\n".encode()


def burst(now, number):
    """One second of a receiver that goes north and south; the receivers differ by some metres."""
    amplitude, period = 300.0, 300.0
    phase = 2 * math.pi * now / period
    latitude = LATITUDE + (amplitude * math.sin(phase) + number * 3) / 111_200
    speed = amplitude * 2 * math.pi / period * math.cos(phase)
    place = f"{int(latitude):02d}{latitude % 1 * 60:08.5f},N,01130.00000,E"
    clock, date = time.strftime("%H%M%S.00", time.gmtime(now)), time.strftime("%d%m%y", time.gmtime(now))
    course = 0.0 if speed > 0 else 180.0
    return b"".join(map(sentence, (
        f"GPGGA,{clock},{place},1,09,{0.9 + number / 10:.2f},525.0,M,47.0,M,,",
        "GPGSA,A,3,02,05,07,09,13,16,20,27,30,,,,1.60,0.90,1.30",
        f"GPRMC,{clock},A,{place},{abs(speed) / 0.514444:.3f},{course:.2f},{date},,,A")))


class Receiver:
    """A receiver on a pseudo-terminal behind a link, which is what the configuration names."""

    def __init__(self, link, number):
        self.link, self.number, self.master, self.lock = link, number, None, threading.Lock()
        self.plug()
        threading.Thread(target=self.send, daemon=True).start()

    def plug(self):
        with self.lock:
            self.master, terminal = pty.openpty()
            tty.setraw(terminal)
            os.set_blocking(self.master, False)
            os.symlink(os.ttyname(terminal), self.link)
            os.close(terminal)

    def unplug(self):
        with self.lock:
            os.unlink(self.link)
            os.close(self.master)
            self.master = None

    def send(self):
        while True:
            time.sleep(1 - time.time() % 1)
            with self.lock:
                if self.master is not None:
                    try:
                        os.read(self.master, 4096)
                    except OSError:
                        pass
                    try:
                        os.write(self.master, burst(round(time.time()), self.number))
                    except OSError:
                        pass  # nobody has the port open


class Client:
    """One connection to the daemon."""

    def __init__(self, path, timeout=30):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(timeout)
        self.socket.connect(path)
        self.pending = b""

    def send(self, method, more=False, **parameters):
        request = {"method": "io.sextant." + method, "parameters": parameters}
        if more:
            request["more"] = True
        self.socket.sendall(json.dumps(request).encode() + b"\0")

    def receive(self):
        while b"\0" not in self.pending:
            part = self.socket.recv(65_536)
            if not part:
                raise ConnectionError("closed")
            self.pending += part
        message, self.pending = self.pending.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.send(method, **parameters)
        return self.receive()

    def close(self):
        self.socket.close()


class Soak:
    def __init__(self, folder, daemon, seed):
        self.folder, self.path = folder, os.path.join(folder, "socket")
        self.random = random.Random(seed)
        self.counts = collections.Counter()
        self.slowest = 0.0
        self.problems = []
        self.may_run = threading.Event()
        self.active, self.lock = set(), threading.Lock()
        self.receivers = [Receiver(os.path.join(folder, f"receiver{number}"), number) for number in range(RECEIVERS)]
        self.reloads = 0
        self.write_configuration()
        self.log = open(os.path.join(folder, "log"), "wb")
        self.daemon = subprocess.Popen(
            [daemon, "--config", os.path.join(folder, "sextant.toml"), "--socket", self.path, "--state", os.path.join(folder, "state")],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        while not os.path.exists(self.path):
            if self.daemon.poll() is not None:
                sys.exit(f"soak: the daemon did not start: {open(self.log.name, encoding='utf-8').read()}")
            time.sleep(0.1)

    def write_configuration(self):
        level = "info" if self.reloads % 2 else "notice"
        text = f'[service]\nlog_level = "{level}"\n[receivers]\ndiscover = false\n'
        text += "".join(f'[[receiver]]\ndevice = "{receiver.link}"\n' for receiver in self.receivers)
        with open(os.path.join(self.folder, "sextant.toml"), "w", encoding="utf-8") as file:
            file.write(text)

    # What clients do. Each returns when it is done or when clients must close.

    def connect(self):
        client = Client(self.path)
        with self.lock:
            self.active.add(client)
        self.counts["connections"] += 1
        return client

    def until(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.may_run.is_set():
            yield

    def follow(self, client, generator):
        client.send("Location.Subscribe", more=True,
                    configuration=generator.choice(("default", "fitness", "automotiveNavigation", "airborne", "otherNavigation")))
        for _ in self.until(generator.uniform(1, 60)):
            client.receive()
            self.counts["updates"] += 1

    def ask(self, client, generator):
        for _ in self.until(generator.uniform(1, 20)):
            began = time.monotonic()
            client.call(generator.choice(("Manager.GetStatus", "Receiver.List", "Monitor.ListMonitors")))
            self.slowest = max(self.slowest, time.monotonic() - began)
            self.counts["calls"] += 1
            time.sleep(0.1)

    def locate(self, client, generator):
        client.call("Location.GetLocation", timeout=5.0, maximumAge=generator.choice((0.0, 2.0)))
        self.counts["calls"] += 1

    def leave_unread(self, client, generator):
        client.send("Location.Subscribe", more=True, configuration="automotiveNavigation")
        for _ in self.until(generator.uniform(5, 60)):
            time.sleep(0.2)

    def send_garbage(self, client, generator):
        client.socket.sendall(generator.randbytes(generator.randrange(1, 5000)) + b"\0")
        client.receive()

    def send_half(self, client, generator):
        client.socket.sendall(b'{"method":"io.sextant.Location.Subscribe","parameters":{' + b" " * generator.randrange(60_000))
        for _ in self.until(generator.uniform(1, 20)):
            time.sleep(0.2)

    def change_fences(self, client, generator):
        monitor = f"soak{generator.randrange(3)}"
        for _ in self.until(generator.uniform(1, 30)):
            name = f"fence{generator.randrange(6)}"
            if generator.random() < 0.6:
                place = {"latitude": LATITUDE + generator.uniform(-0.003, 0.003), "longitude": 11.5}
                condition = {"identifier": name, "circle": {"center": place, "radius": generator.uniform(50, 300)},
                             "metadata": {"text": "x" * generator.randrange(2000)}}
                client.call("Monitor.Add", name=monitor, conditions=[condition])
            else:
                client.call("Monitor.Remove", name=monitor, identifiers=[name])
            self.counts["fenceChanges"] += 1
            time.sleep(generator.uniform(0.1, 1))

    def follow_fences(self, client, generator):
        monitor = f"soak{generator.randrange(3)}"
        client.send("Monitor.Open", more=True, name=monitor)
        client.socket.settimeout(5)
        for _ in self.until(generator.uniform(5, 60)):
            try:
                message = client.receive()
            except TimeoutError:
                continue
            if "error" in message:
                return
            event = message["parameters"].get("event")
            if event and generator.random() < 0.8:
                other = Client(self.path)
                other.call("Monitor.Acknowledge", name=monitor, events=[event["id"]])
                other.close()
                self.counts["events"] += 1

    def client_thread(self, seed):
        generator = random.Random(seed)
        kinds = (self.follow, self.follow, self.ask, self.locate, self.leave_unread, self.send_garbage, self.send_half,
                 self.change_fences, self.follow_fences)
        while True:
            self.may_run.wait()
            client = None
            try:
                client = self.connect()
                generator.choice(kinds)(client, generator)
            except (OSError, ValueError):
                pass  # the daemon closes connections that break the protocol
            finally:
                if client:
                    client.close()
                    with self.lock:
                        self.active.discard(client)
            time.sleep(generator.uniform(0, 0.5))

    def disturb(self):
        """Replugs receivers and reloads the configuration."""
        while True:
            time.sleep(self.random.uniform(2, 30))
            if self.random.random() < 0.2:
                self.reloads += 1
                self.write_configuration()
                self.daemon.send_signal(signal.SIGHUP)
                self.counts["reloads"] += 1
            else:
                receiver = self.random.choice(self.receivers)
                receiver.unplug()
                time.sleep(self.random.choice((0.01, 0.5, 5)))
                receiver.plug()
                self.counts["replugs"] += 1

    def measure(self):
        """Closes all clients and measures the daemon at rest."""
        self.may_run.clear()
        time.sleep(1)
        with self.lock:
            for client in self.active:
                try:
                    client.socket.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
        deadline = time.monotonic() + 30
        while self.active and time.monotonic() < deadline:
            time.sleep(0.2)
        time.sleep(20)  # the daemon releases memory some seconds after the last client
        process = self.daemon.pid
        with open(f"/proc/{process}/smaps_rollup", encoding="ascii") as file:
            fields = {line.split()[0]: int(line.split()[1]) for line in file if line.split()[0].endswith(":")}
        with open(f"/proc/{process}/stat", encoding="ascii") as file:
            times = file.read().rpartition(")")[2].split()
        descriptors = [os.readlink(f"/proc/{process}/fd/{name}") for name in os.listdir(f"/proc/{process}/fd")]
        # Pages of the program itself count as private too, while only one process maps it. The kernel drops them at will,
        # so only written pages are compared. Ports may be closed at this moment by a replug.
        others = sum("/dev/pts/" not in target for target in descriptors)
        self.may_run.set()
        return {"private": fields["Private_Dirty:"], "descriptors": others,
                "processor": (int(times[11]) + int(times[12])) / os.sysconf("SC_CLK_TCK")}

    def stop(self):
        self.may_run.clear()
        self.daemon.terminate()
        try:
            return self.daemon.wait(10)
        except subprocess.TimeoutExpired:
            self.daemon.kill()
            return "no exit after SIGTERM"


def run(soak, hours, report):
    """Measures until the end. Returns the samples, each with the time since the start."""
    began = time.monotonic()
    soak.may_run.set()
    for number in range(10):
        threading.Thread(target=soak.client_thread, args=(number,), daemon=True).start()
    threading.Thread(target=soak.disturb, daemon=True).start()
    samples, next_report, before = [], 3600, collections.Counter()
    while True:
        time.sleep(max(1, min(ROUND, hours * 3600 - (time.monotonic() - began))))
        if soak.daemon.poll() is not None:
            soak.problems.append(f"the daemon ended with status {soak.daemon.returncode}")
            return samples
        sample = soak.measure()
        elapsed = time.monotonic() - began
        samples.append({"seconds": round(elapsed), **sample})
        is_last = elapsed >= hours * 3600
        if elapsed >= next_report or is_last:
            next_report += 3600
            report(elapsed, sample, soak.counts - before)
            before = collections.Counter(soak.counts)
        if is_last:
            return samples


def judge(soak, samples):
    warm = [sample for sample in samples if sample["seconds"] >= WARM_UP]
    if len(warm) < 2:
        soak.problems.append("too short for a verdict: at least 20 minutes are needed")
        return None
    # The minimum of three samples at each end: a report or a trim may be in progress in one of them.
    first, last = (min(sample["private"] for sample in part) for part in (warm[:3], warm[-3:]))
    growth = last / first - 1
    if growth > MAX_GROWTH:
        soak.problems.append(f"private memory grew by {growth:.1%} after the first 10 minutes, from {first} to {last} KiB")
    descriptors = [sample["descriptors"] for sample in warm]
    if descriptors[-1] > min(descriptors):
        soak.problems.append(f"descriptors are left: {min(descriptors)}, at the end {descriptors[-1]}")
    if soak.slowest > MAX_REPLY:
        soak.problems.append(f"a reply took {soak.slowest:.1f} s")
    return growth


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hours", type=float, default=2)
    parser.add_argument("--daemon", default=os.path.join(ROOT, ".build/release/sextantd"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="print one object instead of the table")
    options = parser.parse_args()
    names = ("connections", "updates", "calls", "fenceChanges", "events", "replugs", "reloads")
    if not options.json:
        print("  hours  private KiB  descriptors  processor s  " + "  ".join(names), flush=True)

    def report(elapsed, sample, counts):
        if not options.json:
            figures = "  ".join(f"{counts[name]:{len(name)}}" for name in names)
            print(f"{elapsed / 3600:7.2f}  {sample['private']:11}  {sample['descriptors']:11}  {sample['processor']:11.1f}  {figures}", flush=True)

    with tempfile.TemporaryDirectory() as folder:
        soak = Soak(folder, options.daemon, options.seed)
        try:
            samples = run(soak, options.hours, report)
            growth = judge(soak, samples)
        finally:
            status = soak.stop()
        if status != 0:
            soak.problems.append(f"the daemon ended with status {status}")
    if options.json:
        print(json.dumps({"passed": not soak.problems, "problems": soak.problems, "growth": growth, "slowestReply": round(soak.slowest, 3),
                          "counts": soak.counts, "samples": samples}))
    else:
        if growth is not None:
            print(f"private memory after the first 10 minutes: {growth:+.1%}; slowest reply {soak.slowest:.2f} s")
        print("soak: passed" if not soak.problems else "soak: FAILED: " + "; ".join(soak.problems))
    sys.exit(1 if soak.problems else 0)


main()
