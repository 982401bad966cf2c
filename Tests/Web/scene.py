"""A simulated receiver, a daemon and the server of the page, in a temporary folder."""
import http.client
import json
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = pathlib.Path(os.environ.get("PROGRAMS", ROOT / ".build/release"))
PAGE = ROOT / "Sources/Programs/sextant-web/Page"
PATIENCE = 20


def wait(condition, what, seconds=PATIENCE):
    """Waits until a condition holds, and returns what it gave."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        result = condition()
        if result:
            return result
        time.sleep(0.05)
    raise AssertionError(f"{what} did not happen in {seconds} s")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Gate:
    """A socket before that of the daemon, which counts the connections and the bytes that go to the daemon."""

    def __init__(self, path, daemon):
        self.daemon, self.connections, self.bytes = str(daemon), 0, 0
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        self.listener.listen(64)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, server = self.listener.accept()[0], socket.socket(socket.AF_UNIX)
            self.connections += 1
            server.connect(self.daemon)
            for source, target in ((client, server), (server, client)):
                threading.Thread(target=self.copy, args=(source, target, source is client), daemon=True).start()

    def copy(self, source, target, is_counted):
        while part := source.recv(65536):
            self.bytes += len(part) if is_counted else 0
            target.sendall(part)
        target.shutdown(socket.SHUT_WR)


class Scene:
    """Runs until the `with` ends. `receiver` are options of `sextant simulate`."""

    def __init__(self, *receiver, daemon_settings="", web=(), has_gate=False):
        self.receiver, self.daemon_settings, self.web, self.has_gate = receiver, daemon_settings, web, has_gate
        self.processes = {}

    def __enter__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="sextant-web-test."))
        self.socket = self.folder / "io.sextant"
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}/"
        settings = f"[receivers]\ndiscover = false\n[web]\nedit = true\n{self.daemon_settings}"
        (self.folder / "sextant.toml").write_text(settings)
        try:
            self.start_receiver()
            self.start_daemon()
            self.gate = Gate(self.folder / "gate", self.socket) if self.has_gate else None
            self.start_web()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for name in list(self.processes):
            self.end(name)
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self, name, *command):
        with open(self.folder / f"{name}.log", "ab") as log:
            self.processes[name] = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def start_receiver(self):
        self.start("receiver", PROGRAMS / "sextant", "simulate", "--link", self.folder / "receiver", *self.receiver)
        wait(lambda: os.path.lexists(self.folder / "receiver"), "the start of the receiver")

    def start_daemon(self):
        self.start("daemon", PROGRAMS / "sextantd", "--config", self.folder / "sextant.toml", "--device", self.folder / "receiver",
                   "--socket", self.socket, "--state", self.folder / "state")
        wait(self.socket.exists, "the start of the daemon")

    def start_web(self):
        self.start("web", PROGRAMS / "sextant-web", "--page", PAGE, "--listen", f"127.0.0.1:{self.port}",
                   "--socket", self.folder / "gate" if self.gate else self.socket,
                   "--config", self.folder / "sextant.toml", *self.web)
        wait(self.answers, "the start of the server")

    def answers(self):
        try:
            return self.request("GET", "/").status == 200
        except OSError:
            return False

    def end(self, name, signal=None):
        """Ends one program; with signal 9 as a crash does."""
        process = self.processes.pop(name)
        process.send_signal(signal or 15)
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def request(self, method, path, headers=None, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        connection.request(method, path, body, headers or {})
        reply = connection.getresponse()
        reply.text = "" if reply.getheader("Content-Type", "").startswith("text/event-stream") else reply.read().decode(errors="replace")
        connection.close()
        return reply

    def call(self, method, parameters=None):
        """Calls a method of the daemon on its socket, not through the server."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(5)
            connection.connect(str(self.socket))
            connection.sendall(json.dumps({"method": f"io.sextant.{method}", "parameters": parameters or {}}).encode() + b"\0")
            data = b""
            while not data.endswith(b"\0"):
                part = connection.recv(65536)
                if not part:
                    raise ConnectionError(f"no answer to {method}")
                data += part
        reply = json.loads(data[:-1])
        if "error" in reply:
            raise AssertionError(f"{method}: {reply}")
        return reply["parameters"]

    def viewers(self):
        """The requests for positions that the server holds for its viewers."""
        consumers = self.call("Manager.GetConsumers")["consumers"]
        return [one for one in consumers if one.get("program") == "sextant-web" and one["purpose"] != "receivers"]
