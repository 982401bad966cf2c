#!/usr/bin/env python3
"""bytes.py [--programs DIR] [--json] [--judge]: prints the bytes of a month of reports over TLS, as a proxy between sextant-fleet and
Mosquitto counts them.

The track is a day: 4 h of driving through a town, the rest of the time parked. sextant-fleet sends it with its own outbox and
connection, each message after the acknowledgement of the one before. A second, idle connection shows the bytes of a keepalive.
A month has 30 days and one connection a day.

- TLS: the bytes in the connection of TCP, both directions, without retransmissions.
- IP: with 52 bytes for each packet: IPv4, TCP and its time stamps. A packet is reckoned for each read of the proxy, and one
  without data for each two: an answer acknowledges its request, and is acknowledged itself.

It needs mosquitto and openssl, and runs on loopback alone."""
import argparse
import importlib.util
import json
import math
import os
import random
import selectors
import socket
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
specification = importlib.util.spec_from_file_location("uplink_test", os.path.join(HERE, "uplink-test.py"))
uplink_test = importlib.util.module_from_spec(specification)
specification.loader.exec_module(uplink_test)

HEADER = 52
START = 1_790_000_000
LIMIT = 3_000_000


class Proxy:
    """Passes bytes between a client and the broker, and counts them."""

    def __init__(self, target):
        self.target, self.bytes, self.packets, self.running = target, 0, 0, True
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port = self.server.getsockname()[1]
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        chooser = selectors.DefaultSelector()
        chooser.register(self.server, selectors.EVENT_READ)
        peers = {}
        while self.running:
            for key, _ in chooser.select(0.1):
                if key.fileobj is self.server:
                    client = self.server.accept()[0]
                    broker = socket.create_connection(("127.0.0.1", self.target))
                    for side in (client, broker):
                        side.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                        chooser.register(side, selectors.EVENT_READ)
                    peers[client], peers[broker] = broker, client
                    continue
                try:
                    data = key.fileobj.recv(65536)
                except OSError:
                    data = b""
                if not data:
                    for side in (key.fileobj, peers.pop(key.fileobj, None)):
                        if side and side.fileno() >= 0:
                            peers.pop(side, None)
                            chooser.unregister(side)
                            side.close()
                    continue
                self.bytes += len(data)
                self.packets += math.ceil(len(data) / 1400)
                try:
                    peers[key.fileobj].sendall(data)
                except (OSError, KeyError):
                    pass

    def count(self):
        return {"tls": self.bytes, "ip": self.bytes + math.ceil(1.5 * self.packets) * HEADER}


def day(path, chance):
    """Writes a GPX file: two drives of 2 h at 0 to 70 km/h with turns, curves and stops, and rests."""
    north, east, seconds, course, speed, target = 0.0, 0.0, 0, 0.0, 0.0, 14.0
    latitude, longitude = 52.4, 4.8
    points = []

    def add():
        points.append((latitude + north / 111_200, longitude + east / (111_200 * math.cos(math.radians(latitude))), seconds))
    add()
    for rest in (7 * 3600, 8 * 3600):
        seconds += rest
        add()
        end = seconds + 7200
        until, bend, stop = seconds, 0.0, 0
        while seconds < end:
            if seconds >= until:
                until = seconds + chance.randint(20, 60)
                bend = chance.choice([0, 0, chance.uniform(-1.5, 1.5)])
                course += math.radians(chance.choice([0, 0, 90, -90, 30, -30]))
                target = chance.choice([8.0, 14.0, 14.0, 19.0])
                stop = chance.choice([0, 0, 0, 25]) + seconds
            wanted = 0.0 if seconds < stop else target
            speed += max(-2.5, min(1.5, wanted - speed))
            course += math.radians(bend) * (speed > 1)
            north += speed * math.cos(course)
            east += speed * math.sin(course)
            seconds += 1
            add()
    seconds = 86_400
    add()
    with open(path, "w", encoding="utf-8") as file:
        file.write('<gpx version="1.1"><trk><trkseg>\n')
        for lat, lon, second in points:
            stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(START + second))
            file.write(f'<trkpt lat="{lat:.7f}" lon="{lon:.7f}"><time>{stamp}</time></trkpt>\n')
        file.write("</trkseg></trk></gpx>\n")


class TLSBroker:
    def __init__(self, bench):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=broker",
                        "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", bench.path("key.pem"), "-out", bench.path("ca.pem")],
                       check=True, stderr=subprocess.DEVNULL)
        os.chmod(bench.path("key.pem"), 0o644)
        os.makedirs(bench.path("keys"))
        os.symlink(bench.path("ca.pem"), bench.path("keys/ca.pem"))
        self.port = uplink_test.free_port()
        bench.write("tls.conf", f"listener {self.port} 127.0.0.1\nallow_anonymous true\ncertfile {bench.path('ca.pem')}\nkeyfile {bench.path('key.pem')}\n")
        bench.start("broker", "mosquitto", "-c", bench.path("tls.conf"))
        uplink_test.wait_until("broker", lambda: uplink_test.accepts(self.port))


def simulate(bench, broker, name, *words):
    """Sends the track, and returns the figures of the program and the bytes that the proxy saw."""
    proxy = Proxy(broker.port)
    os.makedirs(bench.path(name))
    answer = subprocess.run(
        [f"{bench.programs}/fleet-load", "--destination", f"mqtts://127.0.0.1:{proxy.port}", "--state", bench.path(name), "--gpx", bench.path("gpx"),
         "--compressed", "--json", *words],
        check=True, stdout=subprocess.PIPE, env=os.environ | {"CREDENTIALS_DIRECTORY": bench.path("keys")})
    time.sleep(0.3)
    proxy.running = False
    return json.loads(answer.stdout), proxy.count()


def keepalive(bench, broker):
    """The bytes of one keepalive: two of an idle connection, less those after its start."""
    proxy = Proxy(broker.port)
    bench.start("fleet", f"{bench.programs}/sextant-fleet", "--state", bench.path("idle"), "--destination", f"mqtts://127.0.0.1:{proxy.port}", "--user", "u",
                "--device", "idle", "--keepalive", "10", CREDENTIALS_DIRECTORY=bench.path("keys"), SEXTANT_SOCKET=bench.path("none"))
    uplink_test.wait_until("connection", lambda: bench.status("idle").get("connected"))
    time.sleep(3)
    before, packets = proxy.count(), proxy.packets
    uplink_test.wait_until("keepalive", lambda: proxy.packets >= packets + 2, 30)
    time.sleep(0.5)
    after = proxy.count()
    bench.kill("fleet")
    proxy.running = False
    return {unit: after[unit] - before[unit] for unit in after}


def main():
    parser = argparse.ArgumentParser(description="Print the bytes of a month of reports over TLS.")
    parser.add_argument("--programs", default=os.path.join(HERE, "../../.build/release"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--judge", action="store_true", help=f"fail above {LIMIT} bytes with batches of 300 s and of 600 s")
    options = parser.parse_args()
    rows, plain = [], ["--no-home-assistant"]
    with tempfile.TemporaryDirectory(prefix="sextant-bytes-") as folder:
        os.chmod(folder, 0o777)
        bench = uplink_test.Bench(options.programs, folder)
        try:
            os.makedirs(bench.path("gpx"))
            day(bench.path("gpx/day.gpx"), random.Random(options.seed))
            broker = TLSBroker(bench)
            ping = keepalive(bench, broker)
            kinds = [("every 30 s, all day", ["--every", "30", "--tolerance", "0", *plain]), ("25 m", plain),
                     ("25 m, and Home Assistant (default)", []), ("25 m, batches of 60 s", ["--batch", "60", *plain]),
                     ("25 m, batches of 300 s (fleet/)", ["--batch", "300", "--keepalive", "600", *plain]),
                     ("25 m, batches of 600 s", ["--batch", "600", *plain])]
            for index, (name, words) in enumerate(kinds):
                figures, count = simulate(bench, broker, f"state-{index}", *words)
                row = {"reports": name, "positions": figures["positions"], "keepalives": figures["idleIntervals"]}
                for unit in count:
                    row[unit] = 30 * (count[unit] + figures["idleIntervals"] * ping[unit])
                rows.append(row)
        finally:
            bench.close()
    if options.json:
        print(json.dumps({"keepalive": ping, "month": rows}))
    else:
        print(f"a keepalive: {ping['tls']} bytes of TLS, {ping['ip']} of IP\n")
        print(f"{'a month of 4 h driving a day':36} {'positions/day':>14} {'keepalives/day':>15} {'TLS, MB':>8} {'IP, MB':>8}")
        for row in rows:
            print(f"{row['reports']:36} {row['positions']:14} {row['keepalives']:15} {row['tls'] / 1e6:8.2f} {row['ip'] / 1e6:8.2f}")
    for row in rows[-2:] if options.judge else []:
        if row["ip"] > LIMIT:
            sys.exit(f"bytes: {row['ip']} bytes a month are more than {LIMIT}")


if __name__ == "__main__":
    main()
