#!/usr/bin/env python3
"""figures.py [--program PATH]: prints the figures of `sextant-web` with their limits, in two minutes; fails if one is exceeded.

A daemon of its own sends updates to the program as fast as needed; viewers are plain sockets. What an update costs with one viewer is
mostly the kernel's part: waking the program and sending by TCP. relay.c, the least program that does both, shows it."""
import argparse
import atexit
import json
import os
import re
import select
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--program", default=".build/release/sextant-web")
program = os.path.abspath(parser.parse_args().program)
LOCATION = {
    "timestamp": "2026-11-27T08:37:22.000Z", "latitude": 51.483114, "longitude": -0.004951167, "horizontalAccuracy": 4.5,
    "accuracySource": "hdop", "altitude": 4.6, "ellipsoidalAltitude": 50.5, "verticalAccuracy": 8.299, "speed": 11.027, "speedAccuracy": 0.1,
    "course": 73.19, "courseAccuracy": 0.52, "mode": "3d", "quality": "autonomous", "satellitesUsed": 14, "hdop": 0.65, "receiver": "gps"}
failures = 0


def report(name, value, limit, unit="", tolerance=0):
    """The tolerance is for what the measurement itself adds."""
    global failures
    is_good = value <= limit + tolerance
    failures += not is_good
    allowed = f"at most {limit}" + (f", tolerance {tolerance}" if tolerance else "")
    print(f"{name:58} {value:10.2f}  ({allowed}) {unit}{'' if is_good else '  EXCEEDED'}", flush=True)


class Daemon:
    """Answers each call for a stream with whatever `send` gets."""

    def __init__(self, path):
        self.streams, self.count = [], 0
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(path)
        self.listener.listen(64)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            connection, _ = self.listener.accept()
            if b"Subscribe" in connection.recv(65536):
                self.streams.append(connection)

    def send(self, padding=0):
        self.count += 1
        parameters = {"sequence": self.count, "dropped": 0, "location": LOCATION}
        if padding:
            parameters["detail"] = "x" * padding
        message = json.dumps({"parameters": parameters, "continues": True}, separators=(",", ":")).encode() + b"\0"
        for stream in list(self.streams):
            try:
                stream.sendall(message)
            except OSError:
                self.streams.remove(stream)


class Web:
    """The program with its sockets, which it gets from here as from the service manager."""

    def __init__(self, folder, program):
        os.mkdir(folder)
        self.daemon = Daemon(os.path.join(folder, "daemon"))
        os.mkdir(os.path.join(folder, "page"))
        with open(os.path.join(folder, "page/index.html"), "w") as file:
            file.write("<!doctype html>")
        open(os.path.join(folder, "toml"), "w").close()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        arguments = [program, "--page", os.path.join(folder, "page"), "--socket", os.path.join(folder, "daemon"),
                     "--config", os.path.join(folder, "toml")]
        environment = dict(os.environ, LISTEN_FDS="1", LISTEN_FDNAMES="web")
        pid = os.fork()
        if pid == 0:
            try:
                os.dup2(self.listener.fileno(), 3)
                os.set_inheritable(3, True)
                environment["LISTEN_PID"] = str(os.getpid())
                os.execve(program, arguments, environment)
            except OSError as error:
                print(f"{program}: {error.strerror}", file=sys.stderr, flush=True)
            finally:
                os._exit(1)
        self.pid = pid
        atexit.register(self.end)

    def end(self):
        """Ends the program, if it has not ended."""
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        self.pid = None

    def has_ended(self):
        if self.pid and os.waitpid(self.pid, os.WNOHANG)[0]:
            self.pid = None
        return self.pid is None

    def wait_for_stream(self):
        end = time.monotonic() + 10
        while not self.daemon.streams:
            if self.has_ended() or time.monotonic() > end:
                sys.exit("figures.py: the program has requested no stream")
            time.sleep(0.01)

    def view(self, query="pace=live", buffer=None):
        viewer = socket.socket()
        if buffer:
            viewer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        viewer.connect(("127.0.0.1", self.port))
        agent = os.urandom(4).hex()
        viewer.sendall(f"GET /events?{query} HTTP/1.1\r\nHost: localhost:{self.port}\r\nUser-Agent: {agent}\r\nSextant-Request: 1\r\n\r\n".encode())
        viewer.settimeout(10)
        read_until(viewer, b"event: hello")
        return viewer

    def dirty(self):
        text = open(f"/proc/{self.pid}/smaps_rollup").read()
        return int(re.search(r"Private_Dirty: +(\d+)", text).group(1))

    def processor(self):
        return int(open(f"/proc/{self.pid}/schedstat").read().split()[0]) / 1000

    def sleeps(self):
        return int(re.search(r"\nvoluntary_ctxt_switches:\s+(\d+)", open(f"/proc/{self.pid}/status").read()).group(1))


def read_until(viewer, text):
    """What a viewer gets until a text arrives, within 10 s for each part."""
    received = b""
    while text not in received:
        part = viewer.recv(65536)
        if not part:
            sys.exit(f"figures.py: the stream of a viewer has ended before {text.decode()}")
        received += part
    return received


def delay(web, viewer, updates=200):
    """The median of the milliseconds from an update of the daemon to a viewer."""
    times = []
    for _ in range(updates):
        start = time.monotonic()
        web.daemon.send()
        read_until(viewer, f'"sequence":{web.daemon.count},'.encode())
        times.append((time.monotonic() - start) * 1000)
        time.sleep(0.005)
    return statistics.median(times)


class Reading:
    """Reads what viewers get, and throws it away, until it ends."""

    def __init__(self, viewers):
        self.viewers, self.stop = viewers, threading.Event()
        # A daemon thread: an error elsewhere must end the program.
        self.thread = threading.Thread(target=self.drain, daemon=True)
        self.thread.start()

    def drain(self):
        while not self.stop.is_set():
            for ready in select.select(self.viewers, [], [], 0.1)[0]:
                ready.recv(1 << 20)

    def end(self):
        self.stop.set()
        self.thread.join()


def cost(web, updates=500):
    """Microseconds of processor time per update."""
    before = web.processor()
    for _ in range(updates):
        web.daemon.send()
        time.sleep(0.01)
    time.sleep(0.2)
    return (web.processor() - before) / updates


def build_relay(folder):
    if not shutil.which("cc"):
        sys.exit("figures.py: a C compiler is missing: apt install gcc libc6-dev")
    relay = os.path.join(folder, "relay.bin")
    subprocess.run(["cc", "-O2", "-o", relay, os.path.join(os.path.dirname(os.path.abspath(__file__)), "relay.c")], check=True)
    return relay


def cost_of_relay(folder, relay):
    """The same for the least program, with one viewer: what the kernel takes."""
    web = Web(os.path.join(folder, "relay"), relay)
    reading = Reading([web.view()])
    web.wait_for_stream()
    result = cost(web)
    reading.end()
    web.end()
    return result


def main():
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    relay = build_relay(folder)
    web = Web(os.path.join(folder, "web"), program)
    viewers = [web.view()]
    web.wait_for_stream()
    reading = Reading(viewers)
    for _ in range(50):
        web.daemon.send()
        time.sleep(0.01)
    one = web.dirty()
    report("private memory with one viewer", one / 1024, 1.5, "MB")
    sleeps, updates = web.sleeps(), 500
    microseconds = cost(web, updates)
    report("wakeups per update", (web.sleeps() - sleeps) / updates, 1, tolerance=0.05)
    report("processor time per update, one viewer", microseconds, 30, "us")
    print(f"{'of it the kernel: the same by the least program, relay.c':58} {cost_of_relay(folder, relay):10.2f}", flush=True)
    reading.end()
    more = 30
    viewers += [web.view() for _ in range(more)]
    reading = Reading(viewers)
    for _ in range(50):
        web.daemon.send()
        time.sleep(0.01)
    report("private memory of each further viewer", (web.dirty() - one) / more, 16, "kB")
    report("processor time per update and viewer, 31 viewers", cost(web, updates) / len(viewers), 30, "us")
    other = web.view()
    alone = delay(web, other)
    stalled = web.view(buffer=4096)
    before = web.daemon.count
    viewers.append(other)
    for _ in range(2000):
        web.daemon.send(padding=1600)
        time.sleep(0.001)
    time.sleep(0.5)
    viewers.remove(other)
    # The reader may still wait for it.
    time.sleep(0.2)
    report("what another viewer waits longer beside a stalled one", delay(web, other) - alone, 0, "ms", tolerance=0.5)
    viewers.append(other)
    newest = web.daemon.count
    received = read_until(stalled, f'"sequence":{newest},'.encode())
    numbers = [int(number) for number in re.findall(rb'"sequence":(\d+),', received)]
    report("old updates that a stalled viewer still gets", len([n for n in numbers if before < n < newest]), 40)
    reading.end()
    start = time.monotonic()
    for viewer in viewers:
        viewer.close()
    stopped = web.view()
    while web.daemon.streams and time.monotonic() - start < 90:
        web.daemon.send()
        time.sleep(0.1)
    report("seconds until a stopped viewer holds no stream", time.monotonic() - start, 60, "s", tolerance=1)
    start = time.monotonic()
    last = web.view()
    web.wait_for_stream()
    for viewer in (last, stalled, stopped):
        viewer.close()
    while web.daemon.streams and time.monotonic() - start < 5:
        web.daemon.send()
        time.sleep(0.01)
    report("seconds until no stream is left after the last viewer", time.monotonic() - start, 1, "s")
    web.listener.close()
    while not web.has_ended() and time.monotonic() - start < 60:
        time.sleep(0.1)
    report("seconds until the program has ended", time.monotonic() - start, 30, "s", tolerance=1)
    sys.exit(1 if failures else 0)


signal.signal(signal.SIGPIPE, signal.SIG_IGN)
main()
