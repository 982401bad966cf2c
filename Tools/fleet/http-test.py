#!/usr/bin/env python3
"""http-test.py [--programs DIR] [--short]: reports to servers that speak OwnTracks and Traccar over HTTP, while they refuse, are down and come back;
then checks what they got.

- Every event arrived once, in order; every position once, and no two with one time.
- OwnTracks: the user and device of each request, and _type. Traccar: id, lat, lon, timestamp of each request,
  or the members of its JSON form.
- An answer of 503 and a closed port keep the records.
- An event that the server refuses for good (422) delays positions for seconds, and is given up after five refusals; later events arrive then. Five minutes.
- A token in the path, the query or the header of a file of destinations, or of a credential, reaches the server, but no arguments, messages
  and files of the program. With a new key, the records that wait arrive.

It runs on loopback alone."""
import argparse
import datetime
import http.server
import importlib.util
import json
import os
import sys
import tempfile
import threading
import time
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
specification = importlib.util.spec_from_file_location("uplink_test", os.path.join(HERE, "uplink-test.py"))
uplink_test = importlib.util.module_from_spec(specification)
specification.loader.exec_module(uplink_test)


class Server:
    """A server that accepts, refuses (503), or is down."""

    def __init__(self, port):
        self.port, self.status, self.accepted, self.refused = port, 200, [], 0
        # Returns the status for the body of a request; None: that of all.
        self.judge = lambda body: None
        self.server = None
        self.start()

    def url(self, scheme):
        return f"{scheme}://127.0.0.1:{self.port}" + ("/pub" if scheme.startswith("owntracks") else "")

    def start(self):
        owner = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                status, answer = owner.answer(self.path, dict(self.headers), body)
                self.send_response(status)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            do_GET = do_POST

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()

    def answer(self, path, headers, body):
        status = self.judge(body) or self.status
        if status != 200:
            self.refused += 1
            return status, b""
        self.accepted.append((path, headers, body))
        return 200, b"[]"


def owntracks(request):
    path, headers, body = request
    message = json.loads(body)
    assert path == "/pub?u=jane&d=van", path
    names = {name.lower(): value for name, value in headers.items()}
    assert (names["x-limit-u"], names["x-limit-d"]) == ("jane", "van"), names
    assert names["content-type"].startswith("application/json"), names
    assert message["_type"] in ("location", "transition", "waypoint", "waypoints", "card", "lwt"), message
    if message["_type"] == "transition":
        return "event", message["desc"], message["tst"]
    return ("position", None, message["tst"]) if message["_type"] == "location" else None


def traccar(request):
    path, _, body = request
    query = urllib.parse.urlsplit(path).query or body.decode()
    fields = {name: values[0] for name, values in urllib.parse.parse_qs(query, strict_parsing=True).items()}
    assert fields["id"] == "van" and -90 <= float(fields["lat"]) <= 90 and -180 <= float(fields["lon"]) <= 180, fields
    seconds = int(fields["timestamp"])
    assert seconds > 1_600_000_000, fields
    name = fields.get("condition") or fields.get("fence") or fields.get("geofence") or fields.get("event")
    return ("event", name, seconds) if name else ("position", None, seconds)


def traccar_json(request):
    """Traccar needs all six coordinates, and a time with a zone."""
    _, headers, body = request
    names = {name.lower(): value for name, value in headers.items()}
    assert names["content-type"].startswith("application/json"), names
    message = json.loads(body)
    location = message["location"]
    assert message["device_id"] == "van" and isinstance(location["extras"]["sequence"], int), message
    assert set(location["coords"]) == {"latitude", "longitude", "accuracy", "speed", "heading", "altitude"}, message
    time_of_fix = datetime.datetime.fromisoformat(location["timestamp"].replace("Z", "+00:00"))
    assert time_of_fix.tzinfo, message
    seconds = int(time_of_fix.timestamp())
    return ("event", location["extras"]["geofence"], seconds) if "event" in location else ("position", None, seconds)


def run(bench, scheme, read, state=None, options=()):
    """Reports to a server of this kind, and returns the problems."""
    problems = []
    server = Server(uplink_test.free_port())
    state = state or scheme.partition("+")[0]
    bench.start_fleet(server.url(scheme), state=state, options=options)
    expected = []

    def add(count):
        for _ in range(count):
            expected.append(f"{state}-{len(expected)}")
            bench.add_fence(expected[-1])

    def records(kind):
        return [record for record in map(read, server.accepted) if record and record[0] == kind]

    def events():
        return [name for _, name, _ in records("event")]

    uplink_test.wait_until("position", lambda: records("position"))
    add(3)
    uplink_test.wait_until("first events", lambda: len(events()) >= 3)
    server.status = 503
    refused = server.refused
    add(3)
    uplink_test.wait_until("refused request", lambda: server.refused > refused)
    server.status = 200
    uplink_test.wait_until("events after a refusal", lambda: len(events()) >= 6)
    server.stop()
    add(3)
    time.sleep(1)
    server.start()
    uplink_test.wait_until("events after an outage", lambda: len(events()) >= 9)
    bench.kill("fleet")
    time.sleep(0.2)
    got = events()
    if got != sorted(set(got), key=lambda name: int(name.rpartition("-")[2])):
        problems.append(f"{state}: events are out of order or repeated: {got}")
    if set(expected) != set(got):
        problems.append(f"{state}: events are missing: {sorted(set(expected) - set(got))}")
    times = [seconds for _, _, seconds in records("position")]
    if len(times) != len(set(times)):
        problems.append(f"{state}: two positions have one time")
    print(f"{state}: {len(expected)} events added, {len(got)} arrived; {len(times)} positions; {server.refused} requests refused")
    server.stop()
    return problems


def run_both(bench):
    """Reports to two servers at once, one of which is down for a while, and returns the problems."""
    servers = {owntracks: Server(uplink_test.free_port()), traccar: Server(uplink_test.free_port())}
    bench.start_fleet(servers[owntracks].url("owntracks+http"), servers[traccar].url("traccar+http"), state="both")

    def events(read):
        return [record[1] for record in map(read, servers[read].accepted) if record and record[0] == "event"]

    names = [f"both-{number}" for number in range(4)]
    servers[traccar].stop()
    for name in names:
        bench.add_fence(name)
    uplink_test.wait_until("events of the first server", lambda: set(names) <= set(events(owntracks)))


    def pending():
        return [entry["events"] for entry in json.loads(bench.text("both/status.json"))["destinations"]]
    # The status is written once per second.
    uplink_test.wait_until("status", lambda: pending() == [0, len(names)])
    servers[traccar].start()
    uplink_test.wait_until("events of the second server", lambda: set(names) <= set(events(traccar)))
    bench.kill("fleet")
    problems = [f"both: {read.__name__} got {events(read)}" for read in servers if len(events(read)) != len(set(events(read)))]
    print(f"both: {len(names)} events added, {len(set(events(owntracks)))} and {len(set(events(traccar)))} arrived")
    for server in servers.values():
        server.stop()
    return problems


def run_refused(bench):
    """Drives, and reports to a server that refuses one event for good; returns the problems."""
    bench.write("drive.gpx", '<gpx version="1.1"><trk><trkseg><trkpt lat="51.3" lon="0"/><trkpt lat="51.5" lon="0"/></trkseg></trk></gpx>')
    bench.start_daemon("--speed", "30", bench.path("drive.gpx"))
    server = Server(uplink_test.free_port())
    # A position names the fences that the device has entered, too.
    server.judge = lambda body: 422 if b"transition" in body and b"refused-1" in body else None
    bench.start_fleet(server.url("owntracks+http"), state="refused")

    def events():
        return [record[1] for record in map(owntracks, server.accepted) if record and record[0] == "event"]

    uplink_test.wait_until("position", lambda: server.accepted)
    for number in range(3):
        bench.add_fence(f"refused-{number}")
    uplink_test.wait_until("first refusal", lambda: server.refused)
    count, begin = len(server.accepted), time.monotonic()
    uplink_test.wait_until("position after a refusal", lambda: len(server.accepted) > count + 3)
    delay = time.monotonic() - begin
    problems = [] if events() == ["refused-0"] else [f"refused: a later event has overtaken the refused one: {events()}"]
    uplink_test.wait_until("next event", lambda: "refused-2" in events(), 420)
    duration = time.monotonic() - begin
    if server.refused != 5 or events() != ["refused-0", "refused-2"]:
        problems.append(f"refused: {server.refused} refusals, and the events {events()}")
    uplink_test.wait_until("status", lambda: bench.status("refused").get("refusedRecords") == 1)
    bench.kill("fleet")
    server.stop()
    print(f"refused: positions go on after {delay:.1f} s, the event was given up after {duration:.0f} s")
    return problems


def run_secret(bench):
    """Reports to servers that need tokens, named by a file and by a credential, and returns the problems."""
    problems, tokens = [], ["t0ken-in-the-path", "k3y-in-the-query", "k3y-in-the-header"]
    for state in ("file", "credential"):
        server = Server(uplink_test.free_port())
        os.makedirs(bench.path(state), exist_ok=True)
        os.makedirs(bench.path(f"{state}-keys"))
        path = bench.path(f"{state}-keys/destination")
        with open(path, "w") as file:
            text = f"# the server\nowntracks+http://127.0.0.1:{server.port}/{tokens[0]}?api_key={tokens[1]}\nX-Api-Key: {tokens[2]}\n"
            file.write(text)
        os.chmod(path, 0o600)
        if state == "file":
            bench.start_fleet(state=state, words=["--destination-file", path])
        else:
            toml = bench.path("fleet.toml")
            with open(toml, "w") as file:
                file.write("[fleet.other]\ndestination = \"mqtt://127.0.0.1\"\n")
            bench.start_fleet(state=state, words=["--config", toml, "--configured", "work"],
                              CREDENTIALS_DIRECTORY=bench.path(f"{state}-keys"))
        uplink_test.wait_until(f"position for the {state}", lambda: server.accepted)
        target, headers, _ = server.accepted[0]
        if not target.startswith(f"/{tokens[0]}?api_key={tokens[1]}&") or headers.get("X-Api-Key") != tokens[2]:
            problems.append(f"{state}: the request is {target} with {headers}")
        with open(f"/proc/{bench.children['fleet'].pid}/cmdline") as file:
            arguments = file.read()
            problems += [f"{state}: the arguments contain {token}" for token in tokens if token in arguments]
        server.status = 403
        bench.add_fence(f"{state}-refused")
        uplink_test.wait_until("refused request", lambda: server.refused)
        uplink_test.wait_until("status", lambda: "403" in bench.text(f"{state}/status.json"))
        bench.kill("fleet")
        files = [os.path.join(bench.path(state), name) for name in os.listdir(bench.path(state))]
        for name in files + [bench.path("fleet.log")]:
            with open(name, "rb") as file:
                content = name.encode() + file.read()
                problems += [f"{state}: {name} contains {token}" for token in tokens if token.encode() in content]
        if state == "file":
            server.status = 200
            with open(path, "w") as file:
                file.write(text.replace(tokens[1], "n3w"))
            bench.start_fleet(state=state, words=["--destination-file", path])
            uplink_test.wait_until("event with a new key", lambda: any(
                "api_key=n3w&" in target and b"transition" in body and b"file-refused" in body for target, _, body in server.accepted))
            bench.kill("fleet")
        server.stop()
    print(f"token: {len(problems)} problems in arguments, messages and files")
    return problems


def main():
    parser = argparse.ArgumentParser(description="Report to servers over HTTP that refuse and are down; check that nothing is lost.")
    parser.add_argument("--programs", default=os.path.join(HERE, "../../.build/release"))
    parser.add_argument("--short", action="store_true", help="leave out what takes minutes")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sextant-http-") as folder:
        os.chmod(folder, 0o777)
        bench = uplink_test.Bench(options.programs, folder)
        try:
            bench.start_daemon()
            problems = run(bench, "owntracks+http", owntracks) + run(bench, "traccar+http", traccar)
            problems += run(bench, "traccar+http", traccar_json, "traccar-json", ["--traccar-json"])
            problems += run_both(bench) + run_secret(bench)
            if not options.short:
                bench.close()
                os.makedirs(os.path.join(folder, "drive"))
                bench = uplink_test.Bench(options.programs, os.path.join(folder, "drive"))
                problems += run_refused(bench)
        finally:
            bench.close()
            if sys.exc_info()[0]:
                print(bench.text("fleet.log")[-2000:], file=sys.stderr)
    for problem in problems:
        print(f"http-test: {problem}", file=sys.stderr)
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
