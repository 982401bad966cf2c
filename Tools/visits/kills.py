#!/usr/bin/env python3
"""Kills the daemon again and again while visits begin and end and events wait for their program, and checks that no closed visit is
lost, none is invented, and each event starts its program.

    kills.py [--kills 1000] [--programs FOLDER] [--seed N] [--speed 200]

A receiver on a pseudo-terminal rests at one place after the other, which are 1.1 km apart. The clocks of the daemon and the
receiver run --speed times faster. Two monitors have conditions on visits and on movements. Their program opens a monitor only
when the file at which systemd would start it exists; sometimes it ends without an acknowledgement, and must be started again.
The receiver travels on when the program knows the arrival and the visit is on disk, and rests when it knows the departure.

The exit status is 1 if an event or a visit is missing, is repeated, or has not happened."""
import argparse
import datetime
import functools
import glob
import json
import math
import operator
import os
import pty
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import tty

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Degrees of latitude between two places: 1,112 m. At 15 m/s a travel takes 74 s.
STEP, SPEED, FIRST = 0.01, 15.0, 10.0
# Seconds of the receiver between two fixes, and after which nothing happened although it must have.
INTERVAL, LATEST = 5.0, 7200.0
EPOCH = int(datetime.datetime(2026, 6, 1, 12, tzinfo=datetime.timezone.utc).timestamp()) * 10**9


class Failure(Exception):
    pass


class Client:
    def __init__(self, path):
        self.socket, self.held = socket.socket(socket.AF_UNIX), b""
        self.socket.settimeout(10)
        self.socket.connect(path)

    def send(self, method, more=False, **parameters):
        call = {"method": f"io.sextant.{method}", "parameters": parameters} | ({"more": True} if more else {})
        self.socket.sendall(json.dumps(call).encode() + b"\0")

    def replies(self):
        """The replies that are there."""
        self.socket.setblocking(False)
        try:
            while True:
                part = self.socket.recv(65536)
                if not part:
                    raise ConnectionError("closed")
                self.held += part
        except BlockingIOError:
            pass
        finally:
            self.socket.settimeout(10)
        *messages, self.held = self.held.split(b"\0")
        return [json.loads(message) for message in messages]

    def call(self, method, **parameters):
        self.send(method, **parameters)
        while b"\0" not in self.held:
            part = self.socket.recv(65536)
            if not part:
                raise ConnectionError("closed")
            self.held += part
        message, self.held = self.held.split(b"\0", 1)
        reply = json.loads(message)
        if "error" in reply:
            raise Failure(f"{method}: {reply}")
        return reply["parameters"]

    def close(self):
        self.socket.close()


class Program:
    """The program that owns a monitor. It runs only while the file of the monitor has started it."""

    def __init__(self, test, name):
        self.test, self.name, self.client, self.until, self.isCareless = test, name, None, 0, False
        # The events by number, and those whose acknowledgement was confirmed.
        self.events, self.done, self.starts, self.repeated, self.unneeded, self.taken = {}, set(), 0, 0, 0, 0

    def step(self):
        try:
            if self.client is None:
                if self.test.wakes(self.name):
                    self.start()
            else:
                for reply in self.client.replies():
                    self.take(reply)
                if time.monotonic() >= self.until:
                    if self.taken == 0:
                        self.unneeded += 1
                    self.end()
        except (OSError, ConnectionError):
            self.end()

    def start(self):
        client = Client(self.test.socket)
        self.client, self.taken = client, 0
        self.isCareless = self.test.random.random() < 0.3
        self.until = time.monotonic() + self.test.random.uniform(0.02, 0.2)
        self.starts += 1
        client.send("Monitor.Open", more=True, name=self.name)

    def take(self, reply):
        if "error" in reply:
            # The daemon may not know yet that the last run has ended.
            if reply["error"].endswith("MonitorInUse"):
                raise ConnectionError("in use")
            raise Failure(f"{self.name}: {reply}")
        event = reply["parameters"].get("event")
        if not event:
            return
        self.taken += 1
        number = event["id"]
        known = self.events.get(number)
        if known:
            self.repeated += 1
            if known != event:
                raise Failure(f"{self.name}: {event} was sent as {known} before")
        if number in self.done:
            raise Failure(f"{self.name}: {event} was acknowledged")
        self.events[number] = event
        if self.isCareless and self.test.random.random() < 0.5:
            return
        client = Client(self.test.socket)
        try:
            if client.call("Monitor.Acknowledge", name=self.name, events=[number])["acknowledged"] == 1:
                self.done.add(number)
        finally:
            client.close()

    def end(self):
        if self.client:
            self.client.close()
        self.client = None

    def ordered(self):
        return [self.events[number] for number in sorted(self.events)]


class Test:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.random = random.Random(options.seed)
        self.socket, self.zero = f"{folder}/socket", time.monotonic_ns()
        self.clock = f"{folder}/clock.so"
        subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", self.clock, os.path.join(os.path.dirname(__file__), "clock.c"), "-ldl"],
                       check=True)
        self.master, slave = pty.openpty()
        tty.setraw(slave)
        os.set_blocking(self.master, False)
        os.symlink(os.ttyname(slave), f"{folder}/gps")
        with open(f"{folder}/sextant.toml", "w") as file:
            file.write('[receivers]\ndiscover = false\npower = "off"\n[permissions]\ndefault = "always"\n')
        self.log = open(f"{folder}/log", "ab")
        self.daemon = self.watcher = None
        self.kills, self.departed = 0, set()
        # The number of the present place, where the receiver is, and since when it is there or has left; places that were visited.
        self.place, self.latitude, self.isResting, self.changed, self.lastFix = 0, FIRST, True, 0.0, -INTERVAL
        self.watched = False
        self.programs = [Program(self, "visits"), Program(self, "moves")]
        self.start()
        client = self.connect()
        client.call("Monitor.Add", name="visits", conditions=[{"identifier": "visits", "visits": True}])
        client.call("Monitor.Add", name="moves", conditions=[{"identifier": "moves", "significantChange": {"interval": 0}}])
        client.close()

    def now(self):
        """The time of the receiver in seconds since the beginning."""
        return (time.monotonic_ns() - self.zero) * self.options.speed / 1e9

    def start(self):
        self.daemon = subprocess.Popen(
            [f"{self.options.programs}/sextantd", "--device", f"{self.folder}/gps", "--socket", self.socket, "--state",
             f"{self.folder}/state", "--config", f"{self.folder}/sextant.toml"], stdout=self.log, stderr=self.log,
            env=os.environ | {"LD_PRELOAD": self.clock, "CLOCK_FACTOR": str(self.options.speed), "CLOCK_ZERO": str(self.zero),
                              "CLOCK_EPOCH": str(EPOCH)})

    def kill(self):
        self.daemon.send_signal(signal.SIGKILL)
        self.daemon.wait()
        self.watcher = None
        self.kills += 1
        self.start()

    def connect(self):
        for _ in range(1000):
            try:
                return Client(self.socket)
            except OSError:
                if self.daemon.poll() is not None:
                    raise Failure("the daemon has ended")
                time.sleep(0.01)
        raise Failure("the daemon does not answer")

    def wakes(self, name):
        """Whether the file of a monitor exists, at which systemd would start its program."""
        return any(os.path.basename(path).split(":")[-1] == name for path in glob.glob(f"{self.folder}/wake/{os.getuid()}/*"))

    def step(self):
        now = self.now()
        if now - self.lastFix >= INTERVAL:
            self.send(now)
            self.lastFix = now
        for program in self.programs:
            program.step()
        self.watch()
        self.travel(now)
        if now - self.changed > LATEST:
            raise Failure(f"nothing happened at place {self.place}, resting {self.isResting}; {self.summary()}")

    def watch(self):
        """Watches visits: those of a watcher are kept."""
        try:
            if self.watcher is None:
                self.watcher = Client(self.socket)
                self.watcher.send("Location.WatchVisits", more=True)
            for reply in self.watcher.replies():
                visit = reply["parameters"].get("visit")
                if visit and self.is_at(visit, self.place) and not visit["departed"]:
                    self.watched = True
                if visit and visit["departed"]:
                    self.departed.add(self.number(visit))
        except (OSError, ConnectionError):
            self.watcher = None

    def travel(self, now):
        visits = self.programs[0].ordered()
        if self.isResting:
            if self.watched and any(event["state"] == "satisfied" and self.is_at(event["location"], self.place) for event in visits):
                self.isResting, self.changed, self.watched = False, now, False
        elif self.latitude >= FIRST + (self.place + 1) * STEP - 1e-9 and any(
                event["kind"] == "left" and self.is_at(event["location"], self.place) for event in visits):
            self.place += 1
            self.isResting, self.changed = True, now

    def send(self, now):
        if not self.isResting:
            self.latitude = min(FIRST + self.place * STEP + (now - self.changed) * SPEED / 111_195, FIRST + (self.place + 1) * STEP)
        arrived = self.isResting or self.latitude >= FIRST + (self.place + 1) * STEP - 1e-9
        clock = datetime.datetime.fromtimestamp(EPOCH / 1e9 + now, datetime.timezone.utc)
        noise = [self.random.gauss(0, 0.5) / 111_195 for _ in range(2)]
        latitude, longitude = self.latitude + noise[0], 20 + noise[1]
        place = f"{int(latitude):02d}{latitude % 1 * 60:09.6f},N,{int(longitude):03d}{longitude % 1 * 60:09.6f},E"
        time_, date = clock.strftime("%H%M%S.") + f"{clock.microsecond // 10000:02d}", clock.strftime("%d%m%y")
        bodies = (f"GPGGA,{time_},{place},1,09,0.9,525.0,M,47.0,M,,",
                  f"GPRMC,{time_},A,{place},{0 if arrived else SPEED / 0.514444:.1f},000.0,{date},,,A")
        burst = "".join(f"${body}*{functools.reduce(operator.xor, body.encode()):02X}\r\n" for body in bodies).encode()
        try:
            os.read(self.master, 4096)
        except OSError:
            pass
        try:
            os.write(self.master, burst)
        except OSError:
            pass  # nobody has the port open

    @staticmethod
    def number(place):
        """The number of the place of a visit or an event."""
        number = (place["latitude"] - FIRST) / STEP
        if abs(number - round(number)) * STEP * 111_195 > 60 or abs(place["longitude"] - 20) > 0.001:
            raise Failure(f"nobody has visited {place}")
        return round(number)

    def is_at(self, place, number):
        return bool(place) and abs(place["latitude"] - FIRST - number * STEP) * 111_195 < 60

    def run(self):
        began = time.monotonic()
        while self.kills < self.options.kills:
            # An arrival takes 300 s, a departure some 100 s.
            until = time.monotonic() + self.random.uniform(0, 450) / self.options.speed + self.random.uniform(0, 0.1)
            # The daemon must live long enough for an arrival now and then.
            if self.random.random() < 0.3:
                until += 600 / self.options.speed
            while time.monotonic() < until:
                self.step()
                time.sleep(min(0.005, INTERVAL / self.options.speed / 2))
            self.kill()
            if self.kills % 100 == 0:
                print(f"{self.kills} kills: {self.summary()}", file=sys.stderr, flush=True)
        # The last events.
        quiet = time.monotonic() + 2 + 900 / self.options.speed
        while time.monotonic() < quiet or not self.is_settled():
            self.step()
            time.sleep(0.005)
            if time.monotonic() > quiet + 30:
                raise Failure(f"events wait but start nobody; {self.summary()}")
        self.judge()
        print(f"{self.kills} kills in {time.monotonic() - began:.0f} s (seed {self.options.seed}): {self.summary()}; "
              "no visit or event was lost, repeated after an acknowledgement, or invented; each event started its program")

    def is_settled(self):
        client = self.connect()
        try:
            monitors = client.call("Monitor.ListMonitors")["monitors"]
            return all(monitor["pending"] == 0 for monitor in monitors) and not any(self.wakes(one.name) for one in self.programs)
        finally:
            client.close()

    def judge(self):
        events = self.programs[0].ordered()
        expected = [(number, kind) for number in range(self.place + 1) for kind in ("satisfied", "unsatisfied")]
        found = [(self.number(event["location"]), event["state"]) for event in events]
        if found != expected[:len(found)] or len(found) < 2 * self.place:
            raise Failure(f"events on visits: {found}, expected {expected}")
        if any(event["folded"] for event in events):
            raise Failure("events were folded")
        moves = [event["location"]["latitude"] for event in self.programs[1].ordered()]
        if any(b - a < 400 / 111_195 for a, b in zip(moves, moves[1:])) or len(moves) < self.place:
            raise Failure(f"movements: {moves}")
        client, rows, after = self.connect(), [], {}
        while True:
            page = client.call("Location.Visits", **after)
            rows += page["visits"]
            if "next" not in page:
                break
            after = {"after": page["next"]}
        numbers = [self.number(row) for row in rows]
        if sorted(numbers) != list(range(len(numbers))) or len(numbers) < self.place:
            raise Failure(f"kept visits: {numbers}, expected {self.place}")
        closed = {self.number(row) for row in rows if row["departed"]}
        if not self.departed <= closed or closed - set(range(self.place + 1)) or len(closed) < self.place:
            raise Failure(f"closed visits: {sorted(closed)}, told {sorted(self.departed)}, places {self.place}")

    def summary(self):
        visits, moves = self.programs
        return (f"{self.place} visits closed, {len(visits.events)} events on visits, {len(moves.events)} on movements, "
                f"{visits.starts + moves.starts} starts of programs, {visits.repeated + moves.repeated} events sent again, "
                f"{visits.unneeded + moves.unneeded} starts without an event")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--programs", default=os.path.join(ROOT, ".build/release"))
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--speed", type=int, default=200)
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="sextant-visits-")
    test = None
    try:
        test = Test(options, folder)
        test.run()
        shutil.rmtree(folder)
    except Failure as failure:
        sys.exit(f"visits: {failure}\nseed {options.seed}; the folder is {folder}")
    finally:
        if test and test.daemon:
            test.daemon.kill()
            test.daemon.wait()


if __name__ == "__main__":
    main()
