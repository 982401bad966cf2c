#!/usr/bin/env python3
"""Kills the daemon and the role gpsd of sextant-bridge again and again under clients of several kinds, and counts the clients that
lose their connection, or that get no new position. The bridge has the store of descriptors that systemd gives to a service.

usage: kills.py [--programs FOLDER] [--daemon KILLS] [--bridge KILLS] [--clients N]"""
import argparse
import os
import re
import select
import signal
import socket
import sys
import threading
import time

import harness

# How long a client may wait for a new position. The reference for this figure is the time to restart a service with a receiver
# that sends once a second.
GAP_LIMIT = 5
# After which time a client that gets nothing counts as lost.
LOST = 20
WATCHES = ['?WATCH={"enable":true,"json":true};\n', '?WATCH={"enable":true,"nmea":true};\n',
           '?WATCH={"enable":true,"json":true,"nmea":true}', '?WATCH={"enable":true}']


class Store:
    """The part of a service manager that starts a service with its socket and the descriptors that it has stored."""

    def __init__(self, path, words, environment):
        self.words, self.environment, self.stored, self.lock = words, environment | {"NOTIFY_SOCKET": path}, {}, threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=100)
        self.notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.notify.bind(path)
        self.notify.setblocking(False)
        threading.Thread(target=self.receive, daemon=True).start()

    def receive(self):
        while True:
            select.select([self.notify], [], [])
            with self.lock:
                self.handle_messages()

    def handle_messages(self):
        """Handles the messages that have arrived. The lock is held, so that none is taken and not handled yet."""
        while True:
            try:
                data, descriptors, _, _ = socket.recv_fds(self.notify, 4096, 4)
            except BlockingIOError:
                return
            fields = dict(line.split("=", 1) for line in data.decode().split("\n") if "=" in line)
            if "FDSTORE" in fields:
                self.stored[fields["FDNAME"]] = descriptors[0]
            elif "FDSTOREREMOVE" in fields and fields["FDNAME"] in self.stored:
                os.close(self.stored.pop(fields["FDNAME"]))

    def start(self):
        with self.lock:
            # A service manager handles the messages of a process before its end.
            self.handle_messages()
            passed = [("socket", os.dup(self.listener.fileno())), *((name, os.dup(number)) for name, number in self.stored.items())]
        process = os.fork()
        if process == 0:
            # Each kill of the daemon is a line.
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            # Above all numbers in use first, so that no copy closes one that is still needed.
            for index, (_, number) in enumerate(passed):
                os.dup2(number, 2000 + index)
            for index in range(len(passed)):
                os.dup2(2000 + index, 3 + index, inheritable=True)
            os.closerange(3 + len(passed), 4000)
            os.execve(self.words[0], self.words, self.environment | {
                "LISTEN_FDS": str(len(passed)), "LISTEN_FDNAMES": ":".join(name for name, _ in passed),
                "LISTEN_PID": str(os.getpid())})
        for _, number in passed:
            os.close(number)
        return process


class Client:
    """A client that watches, or polls once a second, and remembers when it got its last new position."""

    def __init__(self, port, kind):
        self.polls, self.held, self.position, self.isLost = kind == 3, b"", "", False
        self.changed = time.monotonic()
        self.socket = socket.create_connection(("127.0.0.1", port), 10)
        self.socket.sendall(WATCHES[kind].encode())

    def poll(self):
        if self.polls and not self.isLost:
            try:
                self.socket.sendall(b"?POLL;\n")
            except OSError:
                self.isLost = True

    def read(self):
        try:
            read = self.socket.recv(65536)
        except OSError:
            read = b""
        self.isLost = not read
        self.held += read
        *lines, self.held = self.held.split(b"\n")
        for line in lines:
            found = re.search(rb'"mode":[23],"time":"([^"]+)","lat"|^\$GPRMC,([^,]+),A', line)
            position = found and (found[1] or found[2]) or b""
            if found and position != self.position:
                self.position, self.changed = position, time.monotonic()


class Clients:
    """All clients, read in a thread."""

    def __init__(self, port, count):
        self.all = [Client(port, number % len(WATCHES)) for number in range(count)]
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        polled = 0
        while True:
            now = time.monotonic()
            if now - polled >= 1:
                polled = now
                for client in self.all:
                    client.poll()
            sockets = {client.socket: client for client in self.all if not client.isLost}
            for ready in select.select(list(sockets), [], [], 0.2)[0]:
                sockets[ready].read()

    @property
    def lost(self):
        now = time.monotonic()
        return sum(client.isLost or now - client.changed > LOST for client in self.all)

    def wait_for_positions(self, since):
        """Waits until each client has had two positions after this time: the first may have been on its way."""
        seen = {client: 0 for client in self.all}
        last = dict.fromkeys(self.all, since)
        while time.monotonic() < since + LOST and not all(seen[client] >= 2 or client.isLost for client in self.all):
            for client in self.all:
                if client.changed > last[client]:
                    seen[client], last[client] = seen[client] + 1, client.changed
            time.sleep(0.05)


class Gaps:
    """The longest time without a new position of any client, sampled."""

    def __init__(self, clients):
        self.clients, self.longest, self.ended = clients, 0, threading.Event()
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while not self.ended.wait(0.05):
            now = time.monotonic()
            # A poller gets a position per poll, which adds up to a second.
            self.longest = max([self.longest, *(now - client.changed for client in self.clients.all if not client.isLost)])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", default=f"{harness.REPOSITORY}/.build/release")
    parser.add_argument("--daemon", type=int, default=50, help="kills of the daemon")
    parser.add_argument("--bridge", type=int, default=50, help="kills of the bridge")
    parser.add_argument("--clients", type=int, default=20)
    arguments = parser.parse_args()
    system = harness.System(arguments.programs)
    store = Store(f"{system.folder}/notify", [f"{arguments.programs}/sextant-bridge", "gpsd"],
                  os.environ | {"SEXTANT_SOCKET": system.socket})
    service = store.start()
    clients = Clients(store.listener.getsockname()[1], arguments.clients)
    try:
        clients.wait_for_positions(time.monotonic())
        print(f"{'killed':8} {'kills':>6} {'clients':>8} {'lost':>6} {'longest gap s':>14}")
        failed = clients.lost > 0
        for name, kills in (("daemon", arguments.daemon), ("bridge", arguments.bridge)):
            gaps = Gaps(clients)
            for _ in range(kills):
                if name == "daemon":
                    system.kill(system.daemon)
                    system.daemon = system.start_daemon()
                else:
                    os.kill(service, signal.SIGKILL)
                    os.waitpid(service, 0)
                    service = store.start()
                clients.wait_for_positions(time.monotonic())
            gaps.ended.set()
            print(f"{name:8} {kills:6} {len(clients.all):8} {clients.lost:6} {gaps.longest:14.1f}", flush=True)
            failed |= clients.lost > 0 or gaps.longest > GAP_LIMIT
    finally:
        os.kill(service, signal.SIGKILL)
        os.waitpid(service, 0)
        system.end()
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
