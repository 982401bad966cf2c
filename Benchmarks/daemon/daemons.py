"""Runs a location daemon on a pseudo-terminal, subscribes to it, and measures its process."""
import json
import os
import pty
import re
import resource
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import tty

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


# gpsd gives this priority to itself, and the unit of sextantd sets it. All processes of a measurement have it.
NICE = -10


def set_priority():
    """Sets the priority of this process, as far as it may."""
    try:
        os.setpriority(os.PRIO_PROCESS, 0, NICE)
    except PermissionError:
        pass


class Daemon:
    """One running process. A subclass defines its command and the message that subscribes a client."""
    name = hello = mark = None
    frame_end = 0
    max_clients = 1000

    def __init__(self, wrapper=()):
        self.folder = tempfile.mkdtemp(prefix="sextant-bench-")
        self.ours, self.theirs = pty.openpty()
        tty.setraw(self.theirs)
        self.port = os.ttyname(self.theirs)
        # gpsd drops root privileges; it must still be able to open the port and the folder.
        os.chmod(self.port, 0o666)
        os.chmod(self.folder, 0o755)
        self.prepare()
        self.log_path = os.path.join(self.folder, "log")
        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen([*wrapper, *self.command()], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            env=os.environ | self.environment(), preexec_fn=set_priority)
        self.await_listening()

    def prepare(self):
        pass

    def environment(self):
        return {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        os.close(self.ours)
        os.close(self.theirs)
        shutil.rmtree(self.folder, ignore_errors=True)

    def await_listening(self):
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                break
            try:
                self.connect().close()
                return
            except OSError:
                time.sleep(0.05)
        raise RuntimeError(f"{self.name} does not accept connections: {self.log()[-400:]}")

    def log(self):
        with open(self.log_path, encoding="utf-8", errors="replace") as log:
            return log.read()

    def connect(self):
        if self.address.startswith("/"):
            client = socket.socket(socket.AF_UNIX)
            client.connect(self.address)
            return client
        return socket.create_connection(("127.0.0.1", int(self.address)))

    def subscribe(self):
        client = self.connect()
        client.sendall(self.hello.encode() + bytes([self.frame_end]))
        client.setblocking(False)
        return client

    def play(self, feed, clients=1, hertz=0, baud=115200, skip=0):
        """Plays a feed with load.c and returns its figures. `hertz` 0: as fast as the daemon reads."""
        words = [self.ours, feed, self.address, self.hello, self.frame_end, self.mark, clients, hertz, baud, skip]
        done = subprocess.run([os.path.join(ROOT, ".build", "bench", "load"), *map(str, words)], pass_fds=[self.ours],
                              capture_output=True, text=True, timeout=900, check=False, preexec_fn=set_priority)
        if done.returncode or self.process.poll() is not None:
            raise RuntimeError(f"{self.name}: {done.stderr}{self.log()[-400:]}")
        return json.loads(done.stdout)

    def cpu_seconds(self):
        """Processor time of all threads in seconds, with nanosecond resolution."""
        return sum(int(open(f"{task}/schedstat").read().split()[0]) for task in self.tasks()) / 1e9

    def wakeups(self):
        return sum(int(re.search(r"\nvoluntary_ctxt_switches:\s*(\d+)", open(f"{task}/status").read())[1]) for task in self.tasks())

    def tasks(self):
        folder = f"/proc/{self.process.pid}/task"
        return [f"{folder}/{task}" for task in os.listdir(folder)]

    def memory(self):
        """Resident and private dirty memory in kB."""
        text = open(f"/proc/{self.process.pid}/smaps_rollup").read()
        return tuple(int(re.search(rf"^{key}:\s*(\d+)", text, re.MULTILINE)[1]) for key in ("Rss", "Private_Dirty"))


class Gpsd(Daemon):
    name = "gpsd"
    hello = '?WATCH={"enable":true,"json":true};'
    mark = '"class":"TPV"'
    frame_end = 10
    max_clients = 60  # gpsd accepts at most 64

    def prepare(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.address = str(free.getsockname()[1])

    def command(self):
        # In the foreground, with the port always open and never written to: the same conditions as for sextantd.
        return ["/usr/sbin/gpsd", "-N", "-n", "-b", "-S", self.address, self.port]

    def environment(self):
        return {"GPSD_SHM_KEY": hex(0x47500000 + os.getpid() % 65536)}


class Sextant(Daemon):
    name = "sextant"
    hello = json.dumps({"method": "io.sextant.Location.Subscribe", "parameters": {"configuration": "automotiveNavigation"}, "more": True})
    mark = '"latitude"'
    program = os.environ.get("SEXTANTD", os.path.join(ROOT, ".build", "release", "sextantd"))

    def prepare(self):
        self.address = os.path.join(self.folder, "socket")
        self.configuration = os.path.join(self.folder, "sextant.toml")
        # The fast feeds have epochs of an hour in a second. A build that limits updates would send few of them, and do less than
        # another one. Earlier builds do not know the key.
        for limits in ("max_updates_per_second = 10000\nmax_connections_per_program = 4096\n", "max_updates_per_second = 10000\n", ""):
            with open(self.configuration, "w") as file:
                file.write(f"[service]\nmax_connections_per_user = 4096\n{limits}[receivers]\ndiscover = false\n")
            if subprocess.run([self.program, "--check-config", "--config", self.configuration], capture_output=True).returncode == 0:
                return
        raise RuntimeError(f"{self.program} does not accept {self.configuration}")

    def environment(self):
        """The variables that the unit of this checkout sets."""
        with open(os.path.join(ROOT, "systemd", "sextantd.service"), encoding="utf-8") as unit:
            return dict(re.findall(r"^Environment=([^=\n]+)=(.*)$", unit.read(), re.MULTILINE))

    def command(self):
        return [self.program, "--config", self.configuration, "--device", self.port, "--socket", self.address,
                "--state", os.path.join(self.folder, "state")]


def earlier_build(path):
    """Another build of sextantd, to compare this one with. Its unit is not known: it gets no variables."""
    return type("EarlierBuild", (Sextant,), {"name": "before", "program": path, "environment": Daemon.environment})


def raise_descriptor_limit():
    maximum = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (maximum, maximum))
