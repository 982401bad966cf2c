#!/usr/bin/env python3
"""attack.py: measures how an unprivileged user can delay another user of the daemon.

    attack.py [--daemon PATH] [--seconds 5 | --short] [--slow-fsync MILLISECONDS] [ATTACK...]

A receiver on a pseudo-terminal sends five epochs per second. One client streams the positions, another opens a connection for
each GetStatus. Meanwhile user 65534 runs each attack. The table shows the delay of both clients in milliseconds (p50, p99 and
maximum), what the attack leaves behind, and the wakeups and processor time of the daemon afterwards, when the receiver is
silent. The figures are judged by `limits.json`; the exit status is 1 if one is missed. An attack with fewer than 100 samples
has no p99 of its own: then that of all attacks is judged. Needs root, because the attacker must be another user. --slow-fsync
needs gcc.
"""
import argparse
import ctypes
import json
import math
import os
import pty
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import tty

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ATTACKER = 65_534
HERTZ = 5
LIMITS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "limits.json")
# The fewest samples whose p99 is not their maximum.
SAMPLES = 100
SLOW_FSYNC = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>
static void pause_before(void) { usleep(1000 * atoi(getenv("SLOW_FSYNC"))); }
int fsync(int file) { pause_before(); return ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(file); }
int fdatasync(int file) { pause_before(); return ((int (*)(int))dlsym(RTLD_NEXT, "fdatasync"))(file); }
"""


def message(method, **parameters):
    return json.dumps({"method": "io.sextant." + method, "parameters": parameters}).encode() + b"\0"


def circle(name, latitude=48.0, longitude=11.0, radius=200.0):
    return {"identifier": name, "circle": {"center": {"latitude": latitude, "longitude": longitude}, "radius": radius}}


def polygon(name, points=1000):
    """A polygon with as many points as a message can hold."""
    ring = [{"latitude": round(48 + math.cos(2 * math.pi * number / points), 6),
             "longitude": round(11 + math.sin(2 * math.pi * number / points), 6)} for number in range(points)]
    return {"identifier": name, "polygon": {"ring": ring}}


def connect(path):
    client = socket.socket(socket.AF_UNIX)
    # With a timeout Python would not wait for space in the queue of the listening socket.
    client.connect(path)
    client.settimeout(60)
    return client


def reply(client):
    held = b""
    while not held.endswith(b"\0"):
        part = client.recv(1 << 20)
        if not part:
            raise ConnectionError("the daemon has closed the connection")
        held += part
    return held[:-1]


def call(client, request):
    client.sendall(request)
    return json.loads(reply(client))


class Daemon:
    """A daemon in a temporary folder, with a receiver on a pseudo-terminal."""

    def __init__(self, program, slow_fsync):
        self.folder = tempfile.mkdtemp(prefix="sextant-attack-")
        os.chmod(self.folder, 0o755)
        self.ours, theirs = pty.openpty()
        tty.setraw(theirs)
        self.socket = os.path.join(self.folder, "socket")
        configuration = os.path.join(self.folder, "sextant.toml")
        with open(configuration, "w", encoding="utf-8") as file:
            file.write('[receivers]\ndiscover = false\npower = "off"\n')
        environment = dict(os.environ)
        if slow_fsync:
            library = os.path.join(self.folder, "slow.so")
            subprocess.run(["gcc", "-shared", "-fPIC", "-x", "c", "-o", library, "-", "-ldl"], input=SLOW_FSYNC.encode(), check=True)
            environment |= {"LD_PRELOAD": library, "SLOW_FSYNC": str(slow_fsync)}
        self.log = open(os.path.join(self.folder, "log"), "wb")
        self.process = subprocess.Popen(
            [program, "--config", configuration, "--device", os.ttyname(theirs), "--socket", self.socket,
             "--state", os.path.join(self.folder, "state")],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, env=environment)
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            try:
                return connect(self.socket).close()
            except OSError:
                time.sleep(0.05)

    def disk(self):
        folder = os.path.join(self.folder, "state")
        return sum(os.path.getsize(os.path.join(folder, name)) for name in os.listdir(folder)) if os.path.isdir(folder) else 0

    def memory(self):
        with open(f"/proc/{self.process.pid}/status", encoding="utf-8") as file:
            return int(next(line for line in file if line.startswith("RssAnon")).split()[1])

    def activity(self, seconds):
        """Returns the wakeups per second and the processor time in percent, while no receiver sends and no client asks."""
        def now():
            with open(f"/proc/{self.process.pid}/status", encoding="utf-8") as file:
                switches = sum(int(line.split()[1]) for line in file if line.startswith("voluntary_ctxt"))
            with open(f"/proc/{self.process.pid}/stat", encoding="utf-8") as file:
                fields = file.read().rpartition(")")[2].split()
            return switches, (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        before = now()
        time.sleep(seconds)
        after = now()
        return (after[0] - before[0]) / seconds, 100 * (after[1] - before[1]) / seconds

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


class Victims:
    """Feeds the receiver and measures the delay of a stream and of new connections."""

    def __init__(self, daemon):
        self.daemon = daemon
        self.sent, self.delays, self.calls, self.refused = {}, [], [], 0
        self.stop = threading.Event()
        self.threads = [threading.Thread(target=work, daemon=True) for work in (self.feed, self.stream, self.ask)]
        for thread in self.threads:
            thread.start()

    def reset(self):
        self.delays, self.calls, self.refused = [], [], 0
        self.sent.clear()

    def feed(self):
        start = time.monotonic()
        number = 0
        while not self.stop.is_set():
            clock = 36_000 + number / HERTZ
            stamp = f"{int(clock / 3600):02}{int(clock / 60) % 60:02}{clock % 60:05.2f}"
            place = f"48{number % 10_000 / 1000:07.4f},N,01100.0000,E"
            key = f"2026-03-14T{int(clock / 3600):02}:{int(clock / 60) % 60:02}:{clock % 60:06.3f}Z"
            self.sent[key] = time.monotonic()
            for body in (f"GPGGA,{stamp},{place},1,09,0.9,8.1,M,45.9,M,,", f"GPRMC,{stamp},A,{place},021.4,000.0,140326,,,A"):
                total = 0
                for byte in body.encode():
                    total ^= byte
                os.write(self.daemon.ours, f"${body}*{total:02X}\r\n".encode())
            number += 1
            time.sleep(max(0, start + number / HERTZ - time.monotonic()))

    def stream(self):
        client = connect(self.daemon.socket)
        client.sendall(json.dumps({"method": "io.sextant.Location.Subscribe", "parameters": {"configuration": "automotiveNavigation"},
                                   "more": True}).encode() + b"\0")
        held = b""
        client.settimeout(0.5)
        while not self.stop.is_set():
            try:
                held += client.recv(1 << 16)
            except TimeoutError:
                continue
            *whole, held = held.split(b"\0")
            now = time.monotonic()
            for one in whole:
                stamp = json.loads(one)["parameters"].get("location", {}).get("timestamp")
                # An update replaces earlier ones that were not sent; these count as delivered with it.
                for earlier in [key for key in list(self.sent) if stamp and key <= stamp]:
                    self.delays.append(1000 * (now - self.sent.pop(earlier)))

    def ask(self):
        while not self.stop.is_set():
            began = time.monotonic()
            try:
                with connect(self.daemon.socket) as client:
                    if "error" in call(client, message("Manager.GetStatus")):
                        self.refused += 1
                self.calls.append(1000 * (time.monotonic() - began))
            except OSError:
                self.refused += 1
            time.sleep(0.05)

    def pending(self):
        """The delay so far of the oldest epoch that was not delivered."""
        oldest = min(list(self.sent.values()), default=time.monotonic())
        return 1000 * (time.monotonic() - oldest)

    def end(self):
        self.stop.set()
        for thread in self.threads:
            thread.join(5)


def pipeline(path, requests, connections, seconds):
    """Keeps the input of all connections full of these requests, and reads the replies."""
    clients = [connect(path) for _ in range(connections)]
    block = b"".join(requests)
    unsent = {}
    for client in clients:
        client.setblocking(False)
        unsent[client] = block
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and clients:
        readable, writable, _ = select.select(clients, clients, [], 0.1)
        for client in writable:
            try:
                sent = client.send(unsent[client])
                unsent[client] = unsent[client][sent:] or block
            except (BlockingIOError, BrokenPipeError, ConnectionError):
                pass
        for client in readable:
            try:
                if not client.recv(1 << 20):
                    clients.remove(client)
            except (BlockingIOError, ConnectionError):
                pass


def connect_flood(path, _, __, seconds):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        for _ in range(100):
            client = socket.socket(socket.AF_UNIX)
            client.setblocking(False)
            try:
                client.connect(path)
            except OSError:
                pass
            client.close()


def never_read(path, requests, connections, seconds):
    """Subscribes on many connections and reads nothing."""
    clients = [connect(path) for _ in range(connections)]
    for client in clients:
        client.setblocking(False)
        for request in requests:
            try:
                client.send(request)
            except OSError:
                pass
    time.sleep(seconds)


def garbage(path, _, __, seconds):
    """Sends bytes that are no message, as fast as the daemon closes the connections."""
    deadline = time.monotonic() + seconds
    noise = os.urandom(1 << 16).replace(b"\0", b"x")
    while time.monotonic() < deadline:
        try:
            with connect(path) as client:
                client.settimeout(1)
                for part in (b"{" * 1000 + b"\0", noise, noise):
                    client.sendall(part)
        except OSError:
            pass


def fill(path, requests):
    with connect(path) as client:
        for request in requests:
            call(client, request)


def programs(path, _, __, seconds):
    """Creates monitors under invented programs, and empty ones."""
    deadline = time.monotonic() + seconds
    number = 0
    with connect(path) as client:
        while time.monotonic() < deadline:
            number += 1
            call(client, message("Monitor.Add", name="m", program=f"{ATTACKER}:x{number}",
                                 conditions=[circle(f"c{number}-{index}") for index in range(190)]))
            call(client, message("Monitor.Add", name=f"empty{number}", program=f"{ATTACKER}:y{number}", conditions=[]))


CIRCLES = [circle(f"c{number}", 48 + number / 1000) for number in range(190)]
ADD_CIRCLES = message("Monitor.Add", name="home", conditions=CIRCLES)
OTHERS = [circle(f"c{number}", 48 + number / 1000, radius=300.0) for number in range(190)]
POLYGONS = [message("Monitor.Add", name="big", conditions=[polygon(f"p{number}", 900)]) for number in range(180)]
SUBSCRIBE = json.dumps({"method": "io.sextant.Location.Subscribe", "parameters": {"configuration": "automotiveNavigation"},
                        "more": True}).encode() + b"\0"
NEVER = message("Monitor.Add", name="never", conditions=[circle("never") | {"expiry": "9999-12-31T23:59:59Z", "dwell": 31_536_000}])
# Name: requests before the attack, requests of the attack, connections, function.
ATTACKS = {
    "quiet": ([], [], 0, lambda path, requests, connections, seconds: time.sleep(seconds)),
    "nearest": ([ADD_CIRCLES], [message("Monitor.Nearest", count=100)] * 390, 1, pipeline),
    "export": (POLYGONS, [message("Monitor.Export", name="big", limit=200)] * 20, 30, pipeline),
    "list": (POLYGONS, [message("Monitor.List", name="big", limit=200)] * 20, 30, pipeline),
    "add-remove": ([], [message("Monitor.Add", name="one", conditions=[circle("a")]),
                        message("Monitor.Remove", name="one", identifiers=["a"])], 16, pipeline),
    "replace": ([ADD_CIRCLES], [ADD_CIRCLES, message("Monitor.Add", name="home", conditions=OTHERS)], 16, pipeline),
    "add-delete": ([], [ADD_CIRCLES, message("Monitor.Delete", name="home")], 4, pipeline),
    "import": ([], [message("Monitor.Add", name="big", conditions=[polygon("p", 900)])] * 2, 30, pipeline),
    "status": ([], [message("Manager.GetStatus")] * 1000, 60, pipeline),
    "programs": ([], [], 1, programs),
    "connect-flood": ([], [], 1, connect_flood),
    "never-read": ([], [SUBSCRIBE] + [message("Manager.GetStatus")] * 200, 60, never_read),
    "garbage": ([], [], 1, garbage),
    "far-expiry": ([NEVER], [NEVER], 1, pipeline),
}
# The attacks that hurt most before they were bounded.
SHORT = ["nearest", "list", "add-remove", "status", "connect-flood", "far-expiry"]


def attack(name, daemon, victims, seconds):
    before, requests, connections, function = ATTACKS[name]
    child = os.fork()
    if child == 0:
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)
        os.setgroups([])
        os.setgid(ATTACKER)
        os.setuid(ATTACKER)
        try:
            fill(daemon.socket, before)
            os.kill(os.getpid(), signal.SIGSTOP)
            function(daemon.socket, requests, connections, seconds)
        finally:
            os._exit(0)
    os.waitpid(child, os.WUNTRACED)
    time.sleep(0.5)
    memory = daemon.memory()
    victims.reset()
    os.kill(child, signal.SIGCONT)
    os.waitpid(child, 0)
    time.sleep(0.2)
    longest = victims.pending()
    deadline = time.monotonic() + 60
    while victims.pending() > 500 and time.monotonic() < deadline:
        time.sleep(0.05)
    return victims.delays + [longest], victims.calls, victims.refused, memory


def percentile(values, part):
    return sorted(values)[min(len(values) - 1, int(len(values) * part))] if values else 0


class Verdicts:
    """Compares figures with the limits and keeps those that miss theirs."""

    def __init__(self, slow_fsync):
        with open(LIMITS, encoding="utf-8") as file:
            self.limits = json.load(file)
        self.suffix = ", slow fsync" if slow_fsync else ""
        self.missed = []

    def judge(self, attack, figure, value):
        limit = self.limits.get(figure + self.suffix, self.limits[figure])
        if value > limit:
            self.missed.append(f"{attack}: {figure} is {value:.1f}, the limit is {limit}")

    def judge_delays(self, attack, updates, calls):
        for figure, values in (("updates p99 ms", updates), ("GetStatus p99 ms", calls)):
            if len(values) >= SAMPLES:
                self.judge(attack, figure, percentile(values, 0.99))


def figures(values):
    if not values:
        return f"{'none':>24}"
    values = sorted(values)
    return "".join(f"{values[min(len(values) - 1, int(len(values) * part))]:8.1f}" for part in (0.5, 0.99, 1))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--daemon", default=os.path.join(ROOT, ".build", "release", "sextantd"))
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--short", action="store_true", help="the attacks that hurt most, one second each: less than a minute")
    parser.add_argument("--slow-fsync", type=int, default=0)
    parser.add_argument("attacks", nargs="*", metavar="ATTACK")
    options = parser.parse_args()
    if os.getuid() != 0:
        sys.exit("attack.py: must run as root, because the attacker must be another user")
    if not os.access(options.daemon, os.X_OK):
        sys.exit(f"attack.py: there is no daemon {options.daemon}; build it first: make build")
    seconds, rest = (1, 1) if options.short else (options.seconds, 3)
    verdicts = Verdicts(options.slow_fsync)
    all_delays, all_calls = [], []
    print(f"{'':14}{'updates p50     p99     max':>24}   {'GetStatus p50   p99     max':>24}  refused  memory kB  disk kB  wakeups/s  CPU %"
          "  verdict")
    for name in options.attacks or (SHORT if options.short else list(ATTACKS)):
        daemon = Daemon(options.daemon, options.slow_fsync)
        # The database is created once in the life of a device.
        fill(daemon.socket, [message("Monitor.Add", name="home", conditions=[circle("home")])])
        victims = Victims(daemon)
        time.sleep(1 if options.short else 2)
        delays, calls, refused, memory = attack(name, daemon, victims, seconds)
        victims.end()
        # Memory is returned within ten seconds.
        deadline = time.monotonic() + 10
        while (growth := daemon.memory() - memory) > verdicts.limits["memory growth kB"] and time.monotonic() < deadline:
            time.sleep(0.5)
        disk = daemon.disk() // 1024
        wakeups, load = daemon.activity(rest)
        daemon.end()
        before = len(verdicts.missed)
        verdicts.judge(name, "updates max ms", max(delays))
        verdicts.judge(name, "longest turn ms", max(delays + calls))
        verdicts.judge(name, "GetStatus refused", refused)
        verdicts.judge(name, "memory growth kB", growth)
        verdicts.judge(name, "disk kB", disk)
        verdicts.judge(name, "wakeups per second at rest", wakeups)
        verdicts.judge(name, "CPU at rest %", load)
        verdicts.judge_delays(name, delays, calls)
        all_delays, all_calls = all_delays + delays, all_calls + calls
        verdict = "missed" if len(verdicts.missed) > before else "ok"
        print(f"{name:14}{figures(delays)}   {figures(calls)}  {refused:7}  {growth:9}  {disk:7}  {wakeups:9.1f}  {load:5.1f}  {verdict}",
              flush=True)
    verdicts.judge_delays("all attacks", all_delays, all_calls)
    print(f"{'all':14}{figures(all_delays)}   {figures(all_calls)}")
    for text in verdicts.missed:
        print(f"missed: {text}")
    sys.exit(bool(verdicts.missed))


if __name__ == "__main__":
    main()
