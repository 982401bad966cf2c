#!/usr/bin/env python3
"""start.py: measures the start of sextantd with a receiver whose port it knows from an earlier run.

The receiver sends a burst of sentences per second on a pseudo-terminal. Printed are the medians and maxima of 20 starts:

    ready_ms      from the start of the process to READY=1, the message for systemd
    first_fix_ms  from the start of the process to the first position that a client receives
    own_share_ms  first_fix_ms without the time from the opening of the port to the last byte of the receiver's first burst

Exit status 1 when a limit of thresholds.json is not met.
"""
import json
import os
import pty
import select
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import tty

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "daemon"))
from daemons import Sextant

HERE = os.path.dirname(os.path.abspath(__file__))
STARTS, LIMIT = 20, 30
# When a start opens the port, the receiver is somewhere between two bursts.
PAUSE_BEFORE_BURST = 0.3


def sentence(body):
    checksum = 0
    for byte in body.encode():
        checksum ^= byte
    return f"${body}*{checksum:02X}\r\n".encode()


def burst(now):
    clock, date = time.strftime("%H%M%S.00", time.gmtime(now)), time.strftime("%d%m%y", time.gmtime(now))
    place = "4807.03800,N,01131.00000,E"
    return b"".join(map(sentence, (
        f"GPGGA,{clock},{place},1,09,0.90,525.0,M,47.0,M,,",
        "GPGSA,A,3,02,05,07,09,13,16,20,27,30,,,,1.60,0.90,1.30",
        f"GPRMC,{clock},A,{place},0.010,,{date},,,A")))


class Receiver:
    """Waits until somebody opens the port, then sends a burst per second."""

    def __init__(self, ours):
        self.ours, self.opened, self.first_sent, self.ended = ours, None, None, False
        self.thread = threading.Thread(target=self.send)
        self.thread.start()

    def send(self):
        poll = select.poll()
        poll.register(self.ours, 0)
        while not self.ended and poll.poll(0):  # hung up: no process has the port open
            time.sleep(0.0002)
        self.opened = time.monotonic()
        time.sleep(PAUSE_BEFORE_BURST)
        due = time.monotonic()
        while not self.ended:
            os.write(self.ours, burst(time.time()))
            self.first_sent = self.first_sent or time.monotonic()
            due += 1
            while not self.ended and time.monotonic() < due:
                time.sleep(0.01)

    def end(self):
        self.ended = True
        self.thread.join()


class Start:
    """One start of the daemon under the protocol of sd_notify(3)."""

    def __init__(self, folder, port, ours):
        notifications = os.path.join(folder, "notify")
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify:
            notify.bind(notifications)
            notify.settimeout(LIMIT)
            receiver = Receiver(ours)
            begun = time.monotonic()
            process = subprocess.Popen(
                [Sextant.program, "--config", os.path.join(folder, "sextant.toml"), "--device", port, "--socket",
                 os.path.join(folder, "socket"), "--state", os.path.join(folder, "state")],
                env=os.environ | {"NOTIFY_SOCKET": notifications}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                while b"READY=1" not in notify.recv(4096):
                    pass
                self.ready = time.monotonic() - begun
                self.first_fix = self.first_position(os.path.join(folder, "socket")) - begun
                self.own_share = self.first_fix - (receiver.first_sent - receiver.opened)
            finally:
                process.terminate()
                process.wait(LIMIT)
                receiver.end()
                os.remove(notifications)

    def first_position(self, path):
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(LIMIT)
            client.connect(path)
            client.sendall(Sextant.hello.encode() + b"\0")
            received = b""
            while Sextant.mark.encode() not in received:
                received += client.recv(65536)
            return time.monotonic()


def main():
    with open(os.path.join(HERE, "thresholds.json"), encoding="utf-8") as file:
        limits = json.load(file)["start"]
    folder = tempfile.mkdtemp(prefix="sextant-start-")
    try:
        ours, theirs = pty.openpty()
        tty.setraw(theirs)
        port = os.ttyname(theirs)
        os.close(theirs)
        with open(os.path.join(folder, "sextant.toml"), "w", encoding="utf-8") as file:
            file.write("[receivers]\ndiscover = false\n")
        Start(folder, port, ours)  # the daemon learns the port
        starts = [Start(folder, port, ours) for _ in range(STARTS)]
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    failed = False
    print(f"{'start':14}   median  maximum")
    for name in ("ready", "first_fix", "own_share"):
        values = [getattr(start, name) * 1000 for start in starts]
        figure, verdict = f"{name}_ms", ""
        if figure in limits:
            met = max(values) <= limits[figure]["max"]
            failed |= not met
            verdict = f"  max {limits[figure]['max']}: {'met' if met else 'EXCEEDED'}"
        print(f"{figure:14} {statistics.median(values):8.1f} {max(values):8.1f}{verdict}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
