"""The daemon, the bridges and a receiver for tests, and what the rows of the conformance table need."""
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time

import receiver

HERE = os.path.dirname(os.path.abspath(__file__))
REPOSITORY = os.path.dirname(os.path.dirname(HERE))
# How far a position of a program may be from that of the receiver, which moves 100 thousandths of a minute.
TOLERANCE = 0.002


class Missing(Exception):
    """A program of another project is not installed."""


class System:
    """The daemon with a receiver, and the bridges."""

    def __init__(self, programs, rest=False):
        self.programs, self.folder, self.processes = programs, tempfile.mkdtemp(prefix="sextant-conformance-"), []
        self.socket = f"{self.folder}/socket"
        self.receiver = receiver.Receiver(f"{self.folder}/gps", rest)
        self.daemon = self.start_daemon()
        self.port = free_port()
        self.bridge = self.start_bridge()
        self.wait_for_fix()

    def start_daemon(self):
        return self.start("sextantd", "--device", f"{self.folder}/gps", "--socket", self.socket, "--state", f"{self.folder}/state",
                          "--config", self.write("sextant.toml", "[receivers]\ndiscover = false\n"))

    def start_bridge(self):
        return self.start("sextant-bridge", "gpsd", "--listen", f"127.0.0.1:{self.port}", "--listen", f"[::1]:{self.port}")

    def write(self, name, text):
        with open(f"{self.folder}/{name}", "w", encoding="utf-8") as file:
            file.write(text)
        return f"{self.folder}/{name}"

    def start(self, program, *words):
        log = open(f"{self.folder}/{program}.log", "ab")
        process = subprocess.Popen([f"{self.programs}/{program}", *words], stdout=log, stderr=log,
                                   env=os.environ | {"SEXTANT_SOCKET": self.socket})
        self.processes.append(process)
        return process

    def wait_for_fix(self):
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            try:
                client = Client(self.port)
                client.send('?WATCH={"enable":true,"json":true};\n')
                client.until(lambda line: line.get("class") == "TPV" and line["mode"] == 3, 15)
                # The daemon reports satellites once a second, from the first epoch on.
                client.until(lambda line: line["class"] == "SKY", 15)
                return
            except (OSError, TimeoutError):
                time.sleep(0.2)
        raise SystemExit(f"no fix; see {self.folder}")

    def kill(self, process):
        process.send_signal(signal.SIGKILL)
        process.wait()
        self.processes.remove(process)

    def end(self):
        self.receiver.end()
        for process in reversed(self.processes):
            process.terminate()
        for process in self.processes:
            process.wait(10)
        shutil.rmtree(self.folder, ignore_errors=True)


class Client:
    """A plain client of gpsd's protocol."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), 5)
        self.held, self.lines = b"", []

    def send(self, text):
        self.socket.sendall(text.encode() if isinstance(text, str) else text)

    def line(self, timeout=5):
        deadline = time.monotonic() + timeout
        while b"\n" not in self.held:
            self.socket.settimeout(max(0.01, deadline - time.monotonic()))
            try:
                read = self.socket.recv(65536)
            except socket.timeout as error:
                raise TimeoutError(f"no line in {timeout} s") from error
            if not read:
                raise ConnectionResetError("the connection has ended")
            self.held += read
        line, _, self.held = self.held.partition(b"\n")
        check(line.endswith(b"\r"), f"a line without CR: {line!r}")
        self.lines.append(line[:-1])
        return line[:-1]

    def object(self, timeout=5):
        line = self.line(timeout)
        check(line.startswith(b'{"class":"') and len(line) < 10240, f"not an object of gpsd: {line[:80]!r}")
        return json.loads(line)

    def until(self, condition, timeout=5):
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            found = self.object(max(0.1, deadline - time.monotonic()))
            if condition(found):
                return found
        raise TimeoutError("not in time")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def check(condition, problem):
    if not condition:
        raise AssertionError(problem)


def run(words, timeout=30, statuses=(0,)):
    if not shutil.which(words[0]):
        raise Missing(words[0])
    done = subprocess.run(words, capture_output=True, timeout=timeout, check=False)
    check(done.returncode in statuses, f"{words[0]} ended with {done.returncode}: {done.stderr[-200:]!r}")
    return done.stdout.decode("utf-8", "replace")


def screen(words, seconds, wanted):
    """Runs a program in a terminal and waits until its screen has all texts."""
    for program in ("tmux", words[0]):
        if not shutil.which(program):
            raise Missing(program)
    # A server for each program: one that has just lost its last session still accepts the next, and ends.
    name = f"sextant-{os.getpid()}-{words[0]}"
    tmux = ["tmux", "-L", name]
    subprocess.run([*tmux, "new-session", "-d", "-s", name, "-x", "130", "-y", "45", " ".join(words)], check=True)
    try:
        deadline, text = time.monotonic() + seconds, ""
        while time.monotonic() < deadline:
            text = subprocess.run([*tmux, "capture-pane", "-p", "-t", name], capture_output=True, text=True, check=False).stdout
            if all(re.search(pattern, text) for pattern in wanted):
                return text
            time.sleep(0.3)
        raise AssertionError(f"{[pattern for pattern in wanted if not re.search(pattern, text)]} is not on the screen:\n{text}")
    finally:
        subprocess.run([*tmux, "kill-server"], check=False, capture_output=True)


def position(text):
    latitude, longitude, altitude = map(float, text.split()[:3])
    check(abs(latitude - receiver.LATITUDE) < TOLERANCE and abs(longitude - receiver.LONGITUDE) < TOLERANCE, text)
    check(abs(altitude - receiver.ALTITUDE) < 1, f"altitude {altitude}")
