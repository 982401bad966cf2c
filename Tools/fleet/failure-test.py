#!/usr/bin/env python3
"""failure-test.py [--programs DIR] [ONLY ...]: what sextant-fleet does when things fail. Each line of the output is a case.

- expired: a broker with an expired certificate gets nothing, and the status states why.
- reset: a server that resets each connection during TLS is tried again with growing pauses, and not after a minute as a refusal.
- daemon: an error of the daemon leaves the error of the server in the status, and is a member of its own.
- token: the path of a destination, which may contain a token, is in no name of a file; an outbox of an earlier version is renamed.
- slow-daemon: while the daemon does not answer, other commands are carried out at once; the refused change leaves nothing in the daemon.
- fences: fences of a server are kept with their times through kills, while the order of the destinations changes.
- duplicate: two programs with one client identifier take turns, and the pauses between connections grow.
- full-disk: while the disk is full, no event is acknowledged to the daemon; later all arrive, in order.
- backlog: 100,000 positions and some events wait: the newest position arrives within 2 s, then the events, then all the others.
- hostile-broker: endless commands, bad JSON and a huge message do not stop the program or keep the daemon busy.
- hostile-http: an endless answer and a redirect to a file are errors; the records wait.
- loss: 10 % of the packets are lost (tc netem in a network namespace); every event arrives. Skipped without the right to make one.

It needs mosquitto, mosquitto_sub and openssl."""
import argparse
import http.server
import importlib.util
import json
import os
import random
import resource
import signal
import socket
import sqlite3
import struct
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
specification = importlib.util.spec_from_file_location("uplink_test", os.path.join(HERE, "uplink-test.py"))
uplink_test = importlib.util.module_from_spec(specification)
specification.loader.exec_module(uplink_test)
wait_until = uplink_test.wait_until


def names(bench):
    """The events that the subscriber got, without repetitions."""
    return list(dict.fromkeys(message["desc"] for message in bench.messages("transition")))


def memory(pid):
    """The private dirty memory of a process in KiB."""
    with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:
        return sum(int(line.split()[1]) for line in file if line.startswith("Private_Dirty"))


def expired(bench):
    run = lambda *words: subprocess.run(words, check=True, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL, cwd=bench.folder)
    run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "9", "-subj", "/CN=authority", "-keyout", "ca.key", "-out", "ca.pem")
    run("openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=broker", "-keyout", "old.key", "-out", "old.csr")
    bench.write("ca.conf", "[ca]\ndefault_ca=c\n[c]\ndatabase=index.txt\nnew_certs_dir=.\nserial=serial\ndefault_md=sha256\npolicy=p\nx509_extensions=e\n"
                           "[p]\ncommonName=supplied\n[e]\nsubjectAltName=IP:127.0.0.1\n")
    bench.write("index.txt", "")
    bench.write("serial", "01\n")
    run("openssl", "ca", "-batch", "-config", "ca.conf", "-cert", "ca.pem", "-keyfile", "ca.key", "-in", "old.csr", "-out", "old.pem", "-startdate", "20200101000000Z",
        "-enddate", "20210101000000Z", "-notext")
    os.chmod(bench.path("old.key"), 0o644)
    port = uplink_test.free_port()
    bench.write("tls.conf", f"listener {port} 127.0.0.1\nallow_anonymous true\ncertfile {bench.path('old.pem')}\nkeyfile {bench.path('old.key')}\n")
    bench.start("tls", "mosquitto", "-c", bench.path("tls.conf"))
    wait_until("broker", lambda: uplink_test.accepts(port))
    os.makedirs(bench.path("keys"))
    os.symlink(bench.path("ca.pem"), bench.path("keys/ca.pem"))
    bench.start_daemon()
    wait_until("daemon", lambda: os.path.exists(bench.path("socket")))
    bench.start_fleet(f"mqtts://127.0.0.1:{port}", state="expired", CREDENTIALS_DIRECTORY=bench.path("keys"))
    wait_until("error", lambda: "TLS" in bench.status("expired").get("lastError", "") or "certificate" in bench.status("expired").get("lastError", ""))
    status = bench.status("expired")
    bench.kill("tls")
    assert not status["connected"] and status["bytesThisMonth"] == 0, status
    return status["lastError"]


def reset(bench):
    server = socket.create_server(("127.0.0.1", 0))
    attempts = []

    def run():
        while True:
            client = server.accept()[0]
            client.recv(4096)
            attempts.append(time.monotonic())
            # Close with RST.
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            client.close()
    threading.Thread(target=run, daemon=True).start()
    results = []
    for scheme in ("mqtts", "owntracks+https"):
        attempts.clear()
        if scheme == "owntracks+https":
            # Over HTTP the first attempt follows the first position.
            bench.start_daemon()
        bench.start_fleet(f"{scheme}://127.0.0.1:{server.getsockname()[1]}", state=scheme)
        # Three pauses of 1, 2 and 4 s at most; a refusal would wait for a minute.
        wait_until(f"four attempts over {scheme}", lambda: len(attempts) >= 4, 50)
        results.append(f"{scheme}: 4 attempts in {attempts[3] - attempts[0]:.1f} s, {bench.status(scheme).get('lastError')}")
        bench.kill("fleet")
    return "; ".join(results)


def daemon(bench):
    bench.start_daemon()
    wait_until("daemon", lambda: os.path.exists(bench.path("socket")))
    port = uplink_test.free_port()
    bench.start_fleet(f"mqtt://127.0.0.1:{port}", state="daemon-error")
    wait_until("error of the server", lambda: "lastError" in bench.status("daemon-error"))
    before = bench.status("daemon-error")["lastError"]
    bench.kill("daemon")
    wait_until("error of the daemon", lambda: "daemonError" in bench.status("daemon-error"), 30)
    status = bench.status("daemon-error")
    assert status["lastError"] == before, status
    return f"server: {before}; daemon: {status['daemonError']}"


def token(bench):
    os.makedirs(bench.path("token"))
    former = bench.path("token/outbox-owntracks-http-127.0.0.1-9-secret-token.db")
    with sqlite3.connect(former) as store:
        store.execute("CREATE TABLE kept (number INTEGER)")
    store.close()
    bench.start_fleet("owntracks+http://127.0.0.1:9/secret-token", state="token")
    wait_until("outbox", lambda: "status.json" in os.listdir(bench.path("token")))
    names = os.listdir(bench.path("token"))
    assert not any("secret" in name for name in names), names
    bench.kill("fleet")
    path = next(bench.path(f"token/{name}") for name in names if name.startswith("outbox-") and name.endswith(".db"))
    with sqlite3.connect(path) as store:
        assert store.execute("SELECT count(*) FROM kept").fetchone() == (0,), "the former outbox is not used"
    store.close()
    assert "secret" not in bench.text("fleet.log") + bench.text("token/status.json"), "the path is in a message"
    return os.path.basename(path)


def command(bench, action, **members):
    words = ["mosquitto_pub", "-p", str(bench.port), "-q", "1", "-t", "owntracks/jane/van/cmd", "-m", json.dumps({"_type": "cmd", "action": action, **members})]
    subprocess.run(words, check=True)


def set_fences(bench, names):
    around = [float(text) for text in uplink_test.AROUND.split(",")]
    waypoints = [{"_type": "waypoint", "desc": name, "lat": around[0], "lon": around[1], "rad": around[2], "tst": 1_700_000_000 + int(name[1:])} for name in names]
    command(bench, "setWaypoints", waypoints={"_type": "waypoints", "waypoints": waypoints, "replace": True})


def fences_of_daemon(bench):
    words = [f"{bench.programs}/sextant", "fence", "list", "--monitor", "fleet", "--json"]
    answer = subprocess.run(words, check=False, env=os.environ | {"SEXTANT_SOCKET": bench.path("socket")}, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return sorted(json.loads(line)["record"]["condition"]["identifier"] for line in answer.stdout.splitlines())


def slow_daemon(bench):
    bench.start_all()
    set_fences(bench, ["f1"])
    wait_until("first fence", lambda: len(bench.messages("status")) == 1)
    bench.children["daemon"].send_signal(signal.SIGSTOP)
    begin = time.monotonic()
    set_fences(bench, ["f1", "f2"])
    # A position needs the daemon, this refusal does not.
    command(bench, "dump")
    wait_until("other answer", lambda: bench.messages("status")[-1]["action"] == "dump")
    delay = time.monotonic() - begin
    wait_until("refusal", lambda: len(bench.messages("status")) == 3, 30)
    answer = bench.messages("status")[-1]
    refused = time.monotonic() - begin
    bench.children["daemon"].send_signal(signal.SIGCONT)
    assert delay < 1.5, f"the other answer came after {delay:.1f} s"
    assert answer["result"] == "refused" and answer["fences"] == 1 and "no answer in time" in answer["reason"], answer
    # The daemon carries the change out when it goes on, and the program undoes it.
    wait_until("first fence alone", lambda: fences_of_daemon(bench) == ["f1"], 40)
    time.sleep(6)
    assert fences_of_daemon(bench) == ["f1"], fences_of_daemon(bench)
    return f"other answer after {delay:.1f} s, refusal after {refused:.0f} s"


def fences(bench):
    chance = random.Random(1)
    bench.start_broker()
    bench.start("subscriber", "mosquitto_sub", "-p", str(bench.port), "-i", "observer", "-c", "-q", "1", "-t", "owntracks/#", "-v")
    bench.start_daemon()
    urls = [f"mqtt://127.0.0.1:{bench.port}", f"owntracks+http://127.0.0.1:{uplink_test.free_port()}"]

    def restart(minimum):
        bench.kill("fleet")
        urls.reverse()
        bench.start_fleet(*urls)
        wait_until("card", lambda: len(bench.messages("card")) > minimum)
    restart(0)
    for number in range(8):
        set_fences(bench, [f"f{index}" for index in range(number % 3, number + 1)])
        time.sleep(chance.uniform(0, 0.1))
        restart(len(bench.messages("card")))
    expected, count = [f"f{index}" for index in range(3, 7)], len(bench.messages("status"))
    set_fences(bench, expected)
    done = lambda: [message for message in bench.messages("status")[count:] if message["result"] == "done" and message["fences"] == len(expected)]
    wait_until("last change", done)
    restart(len(bench.messages("card")))
    count = len(bench.messages("status"))
    command(bench, "waypoints")
    wait_until("list", lambda: len(bench.messages("status")) > count)
    wait_until("fences of the daemon", lambda: fences_of_daemon(bench) == expected)
    found = {waypoint["desc"]: waypoint["tst"] for waypoint in bench.messages("waypoints")[-1]["waypoints"]}
    assert found == {name: 1_700_000_000 + int(name[1:]) for name in expected}, found
    wait_until("events", lambda: set(expected) <= set(names(bench)))
    wrong = [message for message in bench.messages("transition") if message["wtst"] != 1_700_000_000 + int(message["desc"][1:])]
    assert not wrong, wrong
    return f"{len(expected)} fences and {len(bench.messages('transition'))} events with their times after 10 kills"


def duplicate(bench):
    bench.start_broker()
    bench.start_fleet(state="first")
    bench.children["other"] = bench.children.pop("fleet")
    bench.start_fleet(state="second")
    time.sleep(20)
    count = bench.text("broker.log").count("New client connected")
    bench.kill("other")
    bench.kill("fleet")
    # Without pauses there would be thousands.
    assert 2 <= count <= 60, f"{count} connections in 20 s"
    return f"{count} connections in 20 s"


def full_disk(bench):
    bench.start_all()
    bench.add_fence("before")
    wait_until("first event", lambda: names(bench) == ["before"])
    process = bench.children["fleet"]
    _, hard = resource.prlimit(process.pid, resource.RLIMIT_FSIZE)
    # A write beyond the limit fails with EFBIG, as one on a full disk does with ENOSPC.
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (1, hard))
    expected = ["before"]
    for number in range(5):
        expected.append(f"full-{number}")
        bench.add_fence(expected[-1])
    time.sleep(8)
    assert process.poll() is None, "sextant-fleet has ended"
    during = names(bench)
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (hard, hard))
    wait_until("events after the disk was full", lambda: set(names(bench)) == set(expected))
    assert names(bench) == expected, names(bench)
    return f"{len(during) - 1} of 5 events during, {len(expected) - 1} of 5 after"


def backlog(bench):
    count, begin = 100_000, int(time.time()) - 200_000
    bench.start_broker()
    bench.start_fleet(state="backlog")
    wait_until("outbox", lambda: any(name.startswith("outbox-") for name in os.listdir(bench.path("backlog"))) and bench.status("backlog").get("connected"))
    bench.children["fleet"].terminate()
    bench.children.pop("fleet").wait()
    database = next(name for name in os.listdir(bench.path("backlog")) if name.startswith("outbox-") and name.endswith(".db"))
    with sqlite3.connect(bench.path(f"backlog/{database}")) as store:
        rows = ((number + 1, 0, struct.pack(">qiiHhHH", (begin + number) * 1000, 520_000_000 + number * 10, 48_000_000, 5, 0, 1000, 9000)) for number in range(count))
        store.executemany("INSERT INTO record VALUES (?, ?, ?)", rows)
        events = [(count + number + 1, 1, json.dumps({"kind": "enter", "identifier": f"e{number}", "monitor": "home", "time": (begin + count + number) * 1000}))
                  for number in range(5)]
        store.executemany("INSERT INTO record VALUES (?, ?, ?)", [(number, kind, data.encode()) for number, kind, data in events])
        store.execute("INSERT OR REPLACE INTO value VALUES ('sequence', ?)", (count + 100,))
    store.close()
    bench.start("subscriber", "mosquitto_sub", "-p", str(bench.port), "-q", "1", "-t", "owntracks/#", "-v")
    time.sleep(1)
    started = time.monotonic()
    bench.start_fleet(state="backlog", batch="60")
    wait_until("newest position", lambda: bench.locations(), 30)
    first = time.monotonic() - started
    pid = bench.children["fleet"].pid
    wait_until("events", lambda: len(names(bench)) == 5)
    early = memory(pid)
    wait_until("empty outbox", lambda: bench.status("backlog").get("points", count) <= 2, 300)
    duration, late = time.monotonic() - started, memory(pid)
    numbers = {int(message["_id"]) for message in bench.locations()}
    for message in bench.messages("track"):
        number = 0
        for row in message["points"]:
            number += row[0]
            numbers.add(number)
    missing = set(range(1, count + 1)) - numbers
    bench.kill("subscriber")
    assert not missing, f"{len(missing)} positions are missing"
    assert int(bench.locations()[0]["_id"]) >= count and first <= 2.5, (bench.locations()[0], first)
    assert late - early < 2000, f"{early} to {late} KiB"
    return f"newest after {first:.1f} s, all after {duration:.0f} s, private memory {early} to {late} KiB"


class HostileBroker:
    """A broker that sends garbage after the connection."""

    def __init__(self):
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port = self.server.getsockname()[1]
        self.sent, self.answers = 0, b""
        threading.Thread(target=self.run, daemon=True).start()

    @staticmethod
    def publish(topic, payload):
        body = struct.pack(">H", len(topic)) + topic + payload
        length, head = len(body), b"\x30"
        while True:
            byte = length & 0x7F
            length >>= 7
            head += bytes([byte | (0x80 if length else 0)])
            if not length:
                return head + body

    def run(self):
        while True:
            try:
                client = self.server.accept()[0]
                client.recv(4096)
                client.sendall(b"\x20\x02\x00\x00")
                client.settimeout(0.001)
                topic = b"owntracks/jane/van/cmd"
                bad = [b"", b"{", b"[" * 5000, b"\xff\xfe\x00", b'{"_type":"cmd","action":"' + b"x" * 200_000 + b'"}', b'{"_type":"cmd","action":"setWaypoints","waypoints":{"waypoints":{}}}']
                good = b'{"_type":"cmd","action":"setWaypoints","waypoints":{"waypoints":[{"desc":"f%d","lat":1,"lon":2,"rad":50}]}}'
                messages = [self.publish(topic, entry) for entry in bad]
                messages += [self.publish(topic, good % number) for number in range(2000)]
                messages.append(self.publish(topic, b"y" * 8_000_000))
                for message in messages:
                    client.settimeout(5)
                    client.sendall(message)
                    self.sent += 1
                    client.settimeout(0.001)
                    try:
                        self.answers += client.recv(65536)
                    except (TimeoutError, BlockingIOError):
                        pass
                client.sendall(b"\xf0\xff\xff\xff\xff\xff")
                client.close()
            except OSError:
                pass


def hostile_broker(bench):
    bench.start_daemon()
    broker = HostileBroker()
    bench.start_fleet(f"mqtt://127.0.0.1:{broker.port}", state="hostile")
    wait_until("garbage", lambda: broker.sent > 2006, 120)
    time.sleep(2)
    process = bench.children["fleet"]
    assert process.poll() is None, f"sextant-fleet has ended with {process.returncode}"
    fences = broker.answers.count(b'"action":"setWaypoints"')
    assert fences <= 60, f"{fences} commands were carried out"
    return f"{broker.sent} messages, {fences} answered, {memory(process.pid)} KiB"


def hostile_http(bench):
    bench.start_daemon()
    results = []
    for kind in ("endless", "redirect"):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                if kind == "redirect":
                    self.send_response(302)
                    self.send_header("Location", "file:///etc/passwd")
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                    return
                self.send_response(200)
                self.end_headers()
                try:
                    while True:
                        self.wfile.write(b"x" * 65536)
                except OSError:
                    pass

            def log_message(self, *_):
                pass
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        state = f"http-{kind}"
        bench.start_fleet(f"owntracks+http://127.0.0.1:{server.server_address[1]}/pub", state=state)
        wait_until(f"error of {kind}", lambda: "lastError" in bench.status(state) and bench.status(state)["points"] > 0, 20)
        results.append(f"{kind}: {bench.status(state)['lastError']}")
        bench.kill("fleet")
        server.shutdown()
    return "; ".join(results)


def loss(bench):
    space = f"sextant-{os.getpid()}"
    run = lambda *words: subprocess.run(words, check=True, stderr=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        run("ip", "netns", "add", space)
    except (OSError, subprocess.CalledProcessError) as error:
        return f"SKIPPED: no network namespace can be made: {getattr(error, 'stderr', b'') or error}"
    try:
        run("ip", "-n", space, "link", "set", "lo", "up")
        try:
            run("ip", "netns", "exec", space, "tc", "qdisc", "add", "dev", "lo", "root", "netem", "loss", "10%")
        except (OSError, subprocess.CalledProcessError) as error:
            return f"SKIPPED: tc netem cannot be used: {getattr(error, 'stderr', b'') or error}"
        answer = subprocess.run(["ip", "netns", "exec", space, os.path.join(HERE, "simulation.py"), "--programs", bench.programs, "--devices", "20", "--seconds", "20", "--json"],
                                stdout=subprocess.PIPE)
        figures = json.loads(answer.stdout)["outages"]
        assert figures["lost"] == 0 and figures["disordered"] == 0, figures
        return f"{figures['arrived']} of {figures['events']} events arrived"
    finally:
        subprocess.run(["ip", "netns", "delete", space], check=False)


CASES = {"expired": expired, "reset": reset, "daemon": daemon, "token": token, "slow-daemon": slow_daemon, "fences": fences, "duplicate": duplicate, "full-disk": full_disk, "backlog": backlog, "hostile-broker": hostile_broker, "hostile-http": hostile_http, "loss": loss}


def main():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    parser = argparse.ArgumentParser(description="Check what sextant-fleet does when things fail.")
    parser.add_argument("--programs", default=os.path.join(HERE, "../../.build/release"))
    parser.add_argument("only", nargs="*", help=" ".join(CASES))
    options = parser.parse_args()
    failed = []
    for name, case in CASES.items():
        if options.only and name not in options.only:
            continue
        with tempfile.TemporaryDirectory(prefix="sextant-failure-") as folder:
            os.chmod(folder, 0o777)
            bench = uplink_test.Bench(options.programs, folder)
            try:
                print(f"{name}: {case(bench)}", flush=True)
            except (AssertionError, SystemExit) as error:
                failed.append(name)
                print(f"{name}: FAILED: {error}\n{bench.text('fleet.log')[-1000:]}", file=sys.stderr)
            finally:
                bench.close()
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
