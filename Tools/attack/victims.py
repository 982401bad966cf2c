"""The daemon under attack, and the clients of another user whose delays are measured."""
import json
import os
import pty
import select
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import tty
from messages import call, connect, epoch, message, milliseconds_of_day

# A receiver at 20 Hz: streams that begin at different epochs get their updates at different moments.
PERIOD = 50
STREAM_PERIOD = 200
STREAMS = 8
ASKERS = 2
SLOW_FSYNC = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>
static void pause_before(void) { usleep(1000 * atoi(getenv("SLOW_FSYNC"))); }
int fsync(int file) { pause_before(); return ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(file); }
int fdatasync(int file) { pause_before(); return ((int (*)(int))dlsym(RTLD_NEXT, "fdatasync"))(file); }
"""


class Line:
    """A pseudo-terminal: the daemon's end has a name, the receiver's end a descriptor."""

    def __init__(self):
        self.receiver, self.theirs = pty.openpty()
        tty.setraw(self.theirs)
        self.port = os.ttyname(self.theirs)

    def close(self):
        os.close(self.receiver)
        os.close(self.theirs)


class Daemon:
    """A daemon in a temporary folder, with an honest receiver and one that may lie."""

    def __init__(self, program, slow_fsync, niceness):
        self.folder = tempfile.mkdtemp(prefix="sextant-attack-")
        os.chmod(self.folder, 0o755)
        self.honest, self.other = Line(), Line()
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
            [program, "--config", configuration, "--device", self.honest.port, "--device", self.other.port,
             "--socket", self.socket, "--state", os.path.join(self.folder, "state")],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, env=environment)
        os.setpriority(os.PRIO_PROCESS, self.process.pid, niceness)
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
        """The private anonymous memory in kB. It has no pages of code, which are read again when they are needed."""
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
        self.log.close()
        self.honest.close()
        self.other.close()
        shutil.rmtree(self.folder, ignore_errors=True)


class Stream:
    """A stream of positions at 5 Hz, with the time of day of its last update."""

    def __init__(self, daemon):
        self.client = connect(daemon.socket)
        self.client.sendall(message("Location.Subscribe", more=True, configuration="automotiveNavigation",
                                    receiver=daemon.honest.port))
        self.client.setblocking(False)
        self.held = b""
        self.last = None

    def updates(self):
        """The times of day of the updates that have arrived."""
        self.held += self.client.recv(1 << 16)
        *whole, self.held = self.held.split(b"\0")
        for one in whole:
            stamp = json.loads(one)["parameters"].get("location", {}).get("timestamp")
            if stamp:
                yield milliseconds_of_day(stamp)


class Victims:
    """Feeds the receiver and measures the delays of streams and of new connections."""

    def __init__(self, daemon):
        self.daemon = daemon
        self.streams = []
        # The time of day of each epoch, and when it was sent.
        self.sent = {}
        self.reset()
        self.stop = threading.Event()
        self.threads = [threading.Thread(target=self.feed, daemon=True)]
        self.threads += [threading.Thread(target=self.ask, daemon=True) for _ in range(ASKERS)]
        for thread in self.threads:
            thread.start()

    def reset(self):
        self.delays, self.calls, self.refused = [], [], 0

    def feed(self):
        start = time.monotonic()
        number = 0
        while not self.stop.is_set():
            clock = 36_000_000 + number * PERIOD
            self.sent[clock] = time.monotonic()
            os.write(self.daemon.honest.receiver, epoch(clock, number % 10_000 / 4000))
            number += 1
            self.sent.pop(clock - 120_000, None)
            # One more stream per epoch, so that they differ in the epochs that they get.
            if number > 20 and len(self.streams) < STREAMS:
                self.streams.append(Stream(self.daemon))
            self.read(until=start + number * PERIOD / 1000)
        for stream in self.streams:
            stream.client.close()

    def read(self, until):
        while (left := until - time.monotonic()) > 0:
            ready = select.select([stream.client for stream in self.streams], [], [], left)[0]
            now = time.monotonic()
            for stream in self.streams:
                if stream.client in ready:
                    for clock in stream.updates():
                        self.record(stream, clock, now)

    def record(self, stream, clock, now):
        # An update replaces earlier ones that were not sent; these count as delivered with it.
        due = clock if stream.last is None else min(clock, stream.last + STREAM_PERIOD)
        for one in range(due, clock + 1, STREAM_PERIOD):
            if one in self.sent:
                self.delays.append(1000 * (now - self.sent[one]))
        stream.last = clock

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
            time.sleep(0.03)

    def pending(self):
        """The delay so far, in milliseconds, of the oldest update that a stream has not got."""
        now = time.monotonic()
        due = [self.sent.get((stream.last or 0) + STREAM_PERIOD, now) for stream in self.streams]
        return 1000 * (now - min(due, default=now))

    def end(self):
        self.stop.set()
        for thread in self.threads:
            thread.join(5)
