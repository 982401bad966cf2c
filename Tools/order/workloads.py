"""What the programs do while `order.py` records their functions. The last phase of a trace is the steady state."""
import contextlib
import os
import random
import socket
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [f"{HERE}/../places", f"{HERE}/../../Benchmarks"]
import bridges  # noqa: E402
import figures  # noqa: E402

RELEASE = f"{HERE}/../../.build/release"
# Seconds of the steady state: satellites are sent every 4 s.
STEADY = 13
# `sextant-places` knows by the number of its process that a socket is for it.
START = 'LISTEN_PID=$$ exec "$@"'


def watch(port):
    """A client that watches, as soon as the bridge accepts it."""
    while True:
        try:
            return bridges.Watcher(port)
        except OSError:
            time.sleep(0.1)


def epochs(trace, _):
    """The daemon and the role gpsd with one client that watches. The one whose trace it is runs under valgrind."""
    name = os.path.basename(trace.program)
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        feed, port = bridges.Feed(f"{folder}/gps"), bridges.free_port()
        stack.callback(feed.end)
        with open(f"{folder}/sextant.toml", "w", encoding="utf-8") as file:
            file.write(f"[receivers]\ndiscover = false\n[[receiver]]\ndevice = \"{folder}/gps\"\npassive = true\n")
        environment = os.environ | {"SEXTANT_SOCKET": f"{folder}/socket"}
        words = {"sextantd": ["--state", f"{folder}/state", "--config", f"{folder}/sextant.toml"],
                 "sextant-bridge": ["gpsd", "--listen", f"127.0.0.1:{port}"]}
        processes = {}
        for program, options in words.items():
            command = trace.words if program == name else [f"{RELEASE}/{program}"]
            processes[program] = subprocess.Popen([*command, *options], env=environment, pass_fds=[trace.input],
                                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            stack.callback(processes[program].wait)
            stack.callback(processes[program].terminate)
            while program == "sextantd" and not os.path.exists(f"{folder}/socket"):
                time.sleep(0.1)
        watcher = watch(port)
        while len(watcher.arrived) < 10:
            time.sleep(0.1)
        trace.begun(processes[name].pid)
        time.sleep(STEADY)
        trace.end_phase()


class Client(figures.Service):
    """A connection to `sextant-places`, which runs under valgrind."""

    def __init__(self, trace, path, data):
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(path)
        listener.listen()
        environment = {"LISTEN_FDS": "1", "LISTEN_FDNAMES": "varlink", "PATH": os.environ["PATH"]}
        self.process = os.fork()
        if self.process == 0:
            os.dup2(listener.fileno(), 3, inheritable=True)
            os.execve("/bin/sh", ["sh", "-c", START, "sh", *trace.words, "--data", data], environment)
        self.client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.client.connect(path)

    def close(self):
        self.client.close()
        os.kill(self.process, 15)
        os.waitpid(self.process, 0)


def ask(client, airports, towns, generator):
    for row in generator.sample(airports, 100):
        client.reverse(row["latitude"], row["longitude"])
    for _ in range(50):
        client.reverse(generator.uniform(-90, 90), generator.uniform(-180, 180))
    for row in generator.sample(towns, 100):
        client.call("Search", text=row["name"][:generator.randrange(1, 7)].strip(",. '") or "a")
        client.call("Forward", text=f"{row['name'].split(',')[0][:60]}, {row['country']}")
        client.call("Search", text=row["name"][:3].strip(",. '") or "a", near={"latitude": row["latitude"], "longitude": row["longitude"]})
    client.call("Sources")


def places(trace, data):
    """Names of positions and positions of names, from the data that `Tools/places/fetch.py` has written into the folder `data`."""
    with tempfile.TemporaryDirectory() as scratch:
        files = [os.path.join(data, name) for name in ("cities500.txt", "divisions.txt", "areas.geojson")]
        folder = os.path.join(scratch, "places")
        figures.importing(f"{RELEASE}/sextant", [file for file in files if os.path.exists(file)], folder)
        client = Client(trace, os.path.join(scratch, "socket"), folder)
        client.call("Sources")
        trace.begun(client.process)
        ask(client, figures.load(data, "airports.json"), figures.load(data, "towns.json"), random.Random(17))
        trace.end_phase()
        client.close()


ALL = {"sextantd": epochs, "sextant-bridge": epochs, "sextant-places": places}
