#!/usr/bin/env python3
"""Measures how long a change of a grant takes until its frame has reached each of 1,000 open streams of the program.

usage: permission.py [--daemon PROGRAM] [--streams N] [--changes N]

Prints p50, p99 and the maximum in milliseconds, from the call to the arrival of the frame, and fails above the limit of 50 ms for p99.
Run it as root: only an administrator may decide."""
import argparse
import json
import os
import select
import socket
import subprocess
import sys
import tempfile
import time

LIMIT_MS = 50


class Connection:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.held = b""

    def send(self, method, parameters=None, more=False):
        request = {"method": method, "parameters": parameters or {}} | ({"more": True} if more else {})
        self.socket.sendall(json.dumps(request).encode() + b"\0")

    def receive(self):
        while b"\0" not in self.held:
            read = self.socket.recv(65536)
            if not read:
                raise EOFError("the daemon has closed the connection")
            self.held += read
        message, self.held = self.held.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, parameters=None):
        self.send(method, parameters)
        return self.receive()


def connect(path):
    end = time.monotonic() + 10
    while True:
        try:
            return Connection(path)
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)


def change(caller, streams, program, choice):
    """Decides, and returns the milliseconds until the frame of each stream."""
    waiting = {stream.socket.fileno(): stream for stream in streams}
    poller = select.epoll()
    for number in waiting:
        poller.register(number, select.EPOLLIN)
    delays = []
    began = time.monotonic()
    caller.send("io.sextant.Permission.Set", {"program": program, "authorization": choice})
    while waiting:
        ready = poller.poll(10)
        if not ready:
            sys.exit(f"{len(waiting)} streams got no frame within 10 s")
        for number, _ in ready:
            stream = waiting.pop(number)
            poller.unregister(number)
            frame = stream.receive()["parameters"]
            delays.append((time.monotonic() - began) * 1000)
            assert ("authorizationDenied" in frame) == (choice == "denied"), frame
    assert "error" not in caller.receive()
    return delays


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--daemon", default=".build/release/sextantd")
    parser.add_argument("--streams", type=int, default=1000)
    parser.add_argument("--changes", type=int, default=20)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path, configuration = os.path.join(folder, "socket"), os.path.join(folder, "sextant.toml")
        with open(configuration, "w", encoding="utf-8") as file:
            file.write(f"[service]\nmax_connections_per_program = {arguments.streams + 8}\n"
                       f"max_connections_per_user = {arguments.streams + 8}\n[receivers]\ndiscover = false\n")
        daemon = subprocess.Popen([arguments.daemon, "--config", configuration, "--state", os.path.join(folder, "state"), "--socket", path],
                                  stderr=subprocess.DEVNULL)
        try:
            caller = connect(path)
            program = caller.call("io.sextant.Session.GetAuthorization")["parameters"]["permission"]["program"]
            streams = []
            for _ in range(arguments.streams):
                stream = Connection(path)
                stream.send("io.sextant.Location.Subscribe", more=True)
                stream.receive()
                streams.append(stream)
            delays = []
            for number in range(arguments.changes):
                delays += change(caller, streams, program, "denied" if number % 2 == 0 else "always")
        finally:
            daemon.terminate()
            daemon.wait()
    delays.sort()
    p99 = delays[int(len(delays) * 0.99)]
    print(f"{arguments.streams} streams, {arguments.changes} changes: p50 {delays[len(delays) // 2]:.1f} ms, p99 {p99:.1f} ms, "
          f"maximum {delays[-1]:.1f} ms (limit of p99: {LIMIT_MS} ms)")
    return 0 if p99 <= LIMIT_MS else 1


if __name__ == "__main__":
    sys.exit(main())
