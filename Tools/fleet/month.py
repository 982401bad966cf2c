#!/usr/bin/env python3
"""month.py CAPTURE [--factor N] [--json]: counts the bytes that reports of a drive take on the wire, with TLS, and estimates a month.

A receiver plays the capture of a drive at N times its speed (default 10). sextant-fleet reports to a Mosquitto on loopback, once each
position by itself and once with --batch, whose time is divided by N. Counted are the packets of IP in both directions. A month has
30 days of 4 h driving, 20 h with an open connection at rest, and 4 connections a day.

It needs root, mosquitto, mosquitto_sub and openssl."""
import argparse
import importlib.util
import json
import os
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SPECIFICATION = importlib.util.spec_from_file_location("uplink", os.path.join(HERE, "uplink-test.py"))
uplink = importlib.util.module_from_spec(SPECIFICATION)
SPECIFICATION.loader.exec_module(uplink)

BATCH, TOLERANCE = 300, 25
DAYS, DRIVING, CONNECTIONS = 30, 4, 4
KEEPALIVE = {"batch": 1200, "single": 300}


class Counter:
    """Counts the bytes of IP that pass a port of the loopback interface."""

    def __init__(self, port):
        self.port, self.bytes, self.packets = port, 0, 0
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(0x0003))
        self.socket.bind(("lo", 0))
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            packet, address = self.socket.recvfrom(65_536)
            # Loopback shows each packet twice: as sent and as received.
            if address[2] == socket.PACKET_OUTGOING or len(packet) < 40 or packet[9] != socket.IPPROTO_TCP:
                continue
            start = (packet[0] & 15) * 4
            if self.port in struct.unpack("!HH", packet[start:start + 4]):
                self.bytes += struct.unpack("!H", packet[2:4])[0]
                self.packets += 1

    def during(self, action):
        before = self.bytes
        action()
        time.sleep(0.5)
        return self.bytes - before


def make_broker(bench):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                    "-subj", "/CN=broker", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", bench.path("key.pem"),
                    "-out", bench.path("ca.pem")], check=True, stderr=subprocess.DEVNULL)
    os.chmod(bench.path("key.pem"), 0o644)
    os.makedirs(bench.path("credentials"))
    os.symlink(bench.path("ca.pem"), bench.path("credentials/ca.pem"))
    # The subscriber has a listener of its own, which is not counted.
    observed = uplink.free_port()
    bench.write("broker.conf", f"per_listener_settings true\nlistener {bench.port} 127.0.0.1\nallow_anonymous true\n"
                               f"certfile {bench.path('ca.pem')}\nkeyfile {bench.path('key.pem')}\n"
                               f"listener {observed} 127.0.0.1\nallow_anonymous true\n")
    bench.start_broker()
    return observed


def ping_bytes(bench, counter):
    """The bytes of an exchange that only shows that the device is there."""
    bench.start("pinging", "mosquitto_sub", "-p", str(bench.port), "-h", "127.0.0.1", "--cafile", bench.path("ca.pem"), "-k", "5", "-t", "none")
    time.sleep(2)
    counted = counter.during(lambda: time.sleep(19.5))
    bench.kill("pinging")
    return counted / 4


def drive(bench, counter, capture, factor, batch):
    """Reports one drive. Returns the bytes of the connection, the bytes and positions of the drive, and its seconds."""
    bench.start("receiver", f"{bench.programs}/sextant", "simulate", capture, "--rate", str(factor), "--json")
    uplink.wait_until("simulated receiver", lambda: "port" in bench.text("receiver.log"))
    port = json.loads(bench.text("receiver.log").splitlines()[-1])["port"]
    bench.write("sextant.toml", "")
    name = "batch" if batch else "single"
    bench.start("daemon", f"{bench.programs}/sextantd", "--config", bench.path("sextant.toml"), "--device", port,
                "--socket", bench.path("socket"), "--state", bench.path(f"state-{name}"))
    uplink.wait_until("socket", lambda: os.path.exists(bench.path("socket")))
    words = ["--batch", str(max(BATCH / factor, 30))] if batch else []
    began = time.monotonic()
    before = counter.bytes
    bench.start("fleet", f"{bench.programs}/sextant-fleet", "--state", bench.path(name), "--destination", f"mqtts://127.0.0.1:{bench.port}",
                "--user", "jane", "--device", "van", "--tolerance", str(TOLERANCE), *words,
                SEXTANT_SOCKET=bench.path("socket"), CREDENTIALS_DIRECTORY=bench.path("credentials"))
    uplink.wait_until("connection", lambda: bench.status(name).get("connected"))
    time.sleep(1)
    connection = counter.bytes - before
    bench.children["receiver"].wait()
    seconds = (time.monotonic() - began) * factor
    time.sleep(2)
    counted = counter.bytes - before - connection
    for child in ("fleet", "daemon", "receiver"):
        bench.kill(child)
    os.unlink(bench.path("socket"))
    os.unlink(bench.path("receiver.log"))
    return connection, counted, seconds


def positions(text):
    """The numbers of the positions in the log of the subscriber."""
    found = set()
    for line in text.splitlines():
        try:
            message = json.loads(line.partition(" ")[2])
        except ValueError:
            continue
        if message.get("_type") == "location":
            found.add(int(message["_id"]))
        elif message.get("_type") == "track":
            number = 0
            for difference in message["_id"]:
                number += difference
                found.add(number)
    return found


def main():
    parser = argparse.ArgumentParser(description="Count the bytes of a month of reports.")
    parser.add_argument("capture")
    parser.add_argument("--factor", type=float, default=10)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--programs", default=os.path.join(HERE, "../../.build/release"))
    options = parser.parse_args()
    if os.geteuid() != 0:
        sys.exit("month: only root can count packets")
    figures = {}
    with tempfile.TemporaryDirectory(prefix="sextant-month-") as folder:
        os.chmod(folder, 0o777)
        bench = uplink.Bench(options.programs, folder)
        try:
            observed = make_broker(bench)
            counter = Counter(bench.port)
            ping = ping_bytes(bench, counter)
            for name in ("single", "batch"):
                figures[name] = measure(bench, counter, options, name, observed) | {"ping": ping}
        finally:
            bench.close()
    report(figures, options.json)


def measure(bench, counter, options, name, observed):
    bench.start("subscriber", "mosquitto_sub", "-p", str(observed), "-h", "127.0.0.1", "-q", "1", "-t", "owntracks/#", "-t", "sextant/#", "-v")
    time.sleep(1)
    connection, counted, seconds = drive(bench, counter, options.capture, options.factor, name == "batch")
    bench.kill("subscriber")
    found = positions(bench.text("subscriber.log"))
    os.unlink(bench.path("subscriber.log"))
    return {"connection": connection, "drive": counted, "seconds": seconds, "positions": len(found)}


def month(figure, name):
    """Megabytes of a month: driving, what shows that the device is there at rest, and connections."""
    driving = figure["drive"] / figure["seconds"] * 3600 * DRIVING
    resting = (24 - DRIVING) * 3600 / KEEPALIVE[name] * figure["ping"]
    return (driving + resting + CONNECTIONS * figure["connection"]) * DAYS / 1e6


def report(figures, as_json):
    single = figures["single"]
    for name, figure in figures.items():
        figure["positionsPerHour"] = figure["positions"] / figure["seconds"] * 3600
        figure["megabytesPerMonth"] = month(figure, name)
    # One position every 30 s, each by itself.
    interval = dict(single, drive=single["drive"] / max(single["positions"], 1) * single["seconds"] / 30)
    figures["every30s"] = {"megabytesPerMonth": month(interval, "single"), "positionsPerHour": 120}
    if as_json:
        print(json.dumps(figures))
        return
    print(f"{'':28} {'positions/h':>12} {'bytes/position':>15} {'MB/month':>9}")
    for title, name in (("every 30 s", "every30s"), (f"{TOLERANCE} m, each by itself", "single"),
                        (f"{TOLERANCE} m, --batch {BATCH}", "batch")):
        size = single if name == "every30s" else figures[name]
        print(f"{title:28} {figures[name]['positionsPerHour']:12.0f} {size['drive'] / max(size['positions'], 1):15.0f} "
              f"{figures[name]['megabytesPerMonth']:9.2f}")
    print(f"a connection: {figures['batch']['connection']} bytes; an exchange at rest: {single['ping']:.0f} bytes")


if __name__ == "__main__":
    main()
