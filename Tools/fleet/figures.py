#!/usr/bin/env python3
"""figures.py [--captures DIR] [--kills N] [--devices N] [--programs DIR] [--only TEXT] [--json]: the figures of sextant-fleet with their
limits, one line each. The exit status is 1 if a limit is not met.

Most of them come from the other programs of this folder, which say what they do. Those measured here:

- track: recorded drives at 25 m, played through the core of the daemon; the distance of each position at 1 Hz, and of a reference
  if there is one, from the track at its own time. Positions per hour of the log. The reference is moved to the antenna of the receiver.
- process: sextant-fleet with TLS while the device drives for two minutes.
- rest: sextant-fleet with TLS for two minutes of a device at rest, and the share of a day at rest for which the receiver sleeps.

It takes about 20 minutes, needs mosquitto, mosquitto_sub and openssl, and runs on loopback alone."""
import argparse
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
import time

import track

HERE = os.path.dirname(os.path.abspath(__file__))
DRIVES = {"google_F9K_drive.nmea": "google_SPAN_reference.gga", "dotmorten_sample.nmea": None}
MONTH = 30 * 86_400
# A device at rest reports a position every half hour, and sends a keepalive after 300 s without a message.
REST_POSITION_INTERVAL, KEEPALIVE = 1800, 300


def module(name):
    specification = importlib.util.spec_from_file_location(name.replace("-", "_"), os.path.join(HERE, f"{name}.py"))
    found = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(found)
    return found


uplink_test, month = module("uplink-test"), module("bytes")


class Table:
    """The lines of the output."""

    def __init__(self, is_json):
        self.is_json, self.rows = is_json, []

    def add(self, name, value, limit, is_met):
        self.rows.append({"name": name, "value": value, "limit": limit, "met": is_met})
        if not self.is_json:
            print(f"{name:52} {value:34} {limit:22} {'met' if is_met else 'NOT MET'}", flush=True)


def run(*words):
    """The output and the exit status of a program of this folder."""
    done = subprocess.run([sys.executable, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.stdout, done.returncode


def kills(table, options):
    output, status = run(os.path.join(HERE, "uplink-test.py"), "--programs", options.programs, "--kills", str(options.kills))
    events, gap = re.search(r"events: (\d+) added, (\d+) arrived, (\d+) repeated", output), re.search(r"longest gap (\d+) s", output)
    if not events or not gap:
        return table.add(f"{options.kills} kills", output[-200:], "a result", False)
    table.add(f"{options.kills} kills of broker and program: events", f"{events[2]} of {events[1]} in order", "all in order", status == 0)
    table.add("    repeated, with the same _id", events[3], "stated", status == 0)
    table.add("    track lost", f"{gap[1]} s at most", "30 s, and 5 s of starts", int(gap[1]) <= 35)
    table.add("    payloads by schema and the rules of servers", re.search(r"messages: (\d+) checked", output)[1] + " valid", "all valid", status == 0)


def backlog(table, options):
    output, status = run(os.path.join(HERE, "failure-test.py"), "--programs", options.programs, "backlog")
    found = re.search(r"newest after ([\d.]+) s, all after (\d+) s, private memory (\d+) to (\d+) KiB", output)
    if not found:
        return table.add("backlog", output[-200:], "a result", False)
    table.add("100,000 positions waited: newest", f"{found[1]} s after the start", "2 s", status == 0 and float(found[1]) <= 2)
    table.add("    all", f"{found[2]} s", "600 s", int(found[2]) <= 600)
    table.add("    private memory", f"{found[3]} to {found[4]} KiB", "flat", int(found[4]) - int(found[3]) < 500)


def drives(table, options):
    for name, reference in DRIVES.items():
        path = os.path.join(options.captures, name)
        if not os.path.exists(path):
            table.add(f"track of {name}", "the log is not there", "--captures DIR", False)
            continue
        figures = track.judge(f"{options.programs}/sextant", path, reference and os.path.join(options.captures, reference))
        table.add(f"track of {name}", f"{figures['perHour']:.0f} positions an hour", "170", figures["perHour"] <= 170)
        table.add("    farthest of its positions from the track", f"{figures['farthest']:.1f} m of {figures['compared']}", "25 m", figures["farthest"] <= 25)
        if reference:
            table.add("    reference farther than 25 m and R68", f"{figures['beyond']} of {figures['references']}", "0", figures["beyond"] == 0)
            table.add(f"    the same at its own antenna, {figures['antenna']:.2f} m away", f"{figures['beyondRaw']}, by {figures['excessRaw']:.1f} m", "stated", True)
            table.add("    reference farther than R68 from all fixes", f"{figures['fixesBeyondRaw']} of {figures['references']}", "stated", True)


def wakeups(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return int(re.search(r"\nvoluntary_ctxt_switches:\s*(\d+)", file.read())[1])


def memory(pid):
    with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:
        return int(re.search(r"^Private_Dirty:\s*(\d+)", file.read(), re.MULTILINE)[1])


def start(bench, broker):
    state = bench.path("state-tls")
    bench.start("fleet", f"{bench.programs}/sextant-fleet", "--state", state, "--destination", f"mqtts://127.0.0.1:{broker.port}", "--user", "jane",
                "--device", "van", "--tolerance", "25", SEXTANT_SOCKET=bench.path("socket"), CREDENTIALS_DIRECTORY=bench.path("keys"))
    uplink_test.wait_until("acknowledged position", lambda: bench.status("state-tls").get("bytesThisMonth", 0) > 0)
    return bench.children["fleet"].pid, state


def writes(state, seconds):
    """How often a file of the outbox was written to in these seconds; writes within 0.2 s count once."""
    names, changes, before, end = [], 0, None, time.monotonic() + seconds
    while time.monotonic() < end:
        names = [os.path.join(state, name) for name in os.listdir(state) if ".db" in name]
        present = tuple(sorted((name, os.stat(name).st_mtime_ns) for name in names if os.path.exists(name)))
        changes += before is not None and present != before
        before = present
        time.sleep(0.2)
    return changes


def process(table, bench, broker):
    bench.start_daemon()
    pid, state = start(bench, broker)
    count = writes(state, 120)
    threads = len(os.listdir(f"/proc/{pid}/task"))
    table.add("process with TLS, driving: private memory", f"{memory(pid)} KiB", "2,253 KiB (2.2 MB)", memory(pid) <= 2253)
    table.add("    threads", str(threads), "1", threads == 1)
    table.add("    writes of the outbox in 120 s", str(count), "4", count <= 4)
    for name in ("fleet", "daemon", "receiver"):
        bench.kill(name)


def rest(table, bench, broker):
    bench.start_daemon("--stationary", "48.1,11.5")
    pid, _ = start(bench, broker)

    def is_resting():
        status = subprocess.run([f"{bench.programs}/sextant", "receivers", "--json"], stdout=subprocess.PIPE, text=True, check=False,
                                env=os.environ | {"SEXTANT_SOCKET": bench.path("socket")}).stdout
        return "asleep" in status
    uplink_test.wait_until("rest", is_resting, 300)
    before = wakeups(pid)
    time.sleep(300)
    rate = (wakeups(pid) - before) / 300
    table.add("device at rest: wakeups of the process", f"{rate:.4f} per s", "0.01 per s", rate <= 0.01)


def resting_receiver(table, bench):
    points = "".join(f'<trkpt lat="48.1" lon="11.5"><time>2026-06-0{day}T00:00:00Z</time></trkpt>\n' for day in (1, 2))
    bench.write("rest.gpx", f'<gpx version="1.1"><trk><trkseg>\n{points}</trkseg></trk></gpx>\n')
    answer = subprocess.run([f"{bench.programs}/sextant", "rehearse", "--route", bench.path("rest.gpx"), "--stream", track.CONFIGURATION, "--tolerance", "25",
                             "--summary", "--json"], check=True, stdout=subprocess.PIPE, text=True).stdout
    share = 1 - json.loads(answer.splitlines()[-1])["receiverOnSeconds"] / 86_400
    table.add("    the receiver sleeps", f"{share:.2%} of a day", "99 %", share >= 0.99)


def measured_here(table, options):
    with tempfile.TemporaryDirectory(prefix="sextant-figures-") as folder:
        os.chmod(folder, 0o777)
        bench = uplink_test.Bench(options.programs, folder)
        try:
            broker = month.TLSBroker(bench)
            process(table, bench, broker)
            rest(table, bench, broker)
            resting_receiver(table, bench)
        finally:
            bench.close()


def simulation(table, options):
    output, status = run(os.path.join(HERE, "simulation.py"), "--programs", options.programs, "--devices", str(options.devices), "--json")
    try:
        results = json.loads(output[output.index("{"):output.rindex("}") + 1])
    except ValueError:
        return table.add(f"{options.devices} devices", output[-200:], "a result", False)
    for name, title in (("no outage", f"{options.devices} devices: events"), ("outages", "    with a broker that is killed: events")):
        figures = results[name]
        table.add(title, f"{figures['arrived']} of {figures['events']}, {figures['disordered']} disordered", "all in order",
                  not figures["lost"] and not figures["disordered"])
    table.add("    p99 of the delay of events without outage", f"{results['no outage']['delayP99']} s", "2 s", results["no outage"]["delayP99"] <= 2)
    table.add("    until all are connected again", f"{results['outages']['longestReturn']} s", "120 s", results["outages"]["longestReturn"] <= 120)
    table.add("    connections in one second", str(results["outages"]["connectsPerSecond"]), "100", results["outages"]["connectsPerSecond"] <= 100)


def bytes_of_a_month(table, options):
    output, _ = run(os.path.join(HERE, "bytes.py"), "--programs", options.programs, "--json")
    figures = json.loads(output)
    for row in figures["month"]:
        is_judged = "batches of 300 s" in row["reports"] or "batches of 600 s" in row["reports"]
        table.add(f"month of 4 h driving a day, {row['reports']}", f"{row['tls'] / 1e6:.2f} MB TLS, {row['ip'] / 1e6:.2f} IP", "3 MB" if is_judged else "stated",
                  not is_judged or row["ip"] <= 3e6)
    single, ping = next(row for row in figures["month"] if row["reports"] == "25 m"), figures["keepalive"]["ip"]
    position = (single["ip"] / 30 - single["keepalives"] * ping) / single["positions"]
    count = MONTH / REST_POSITION_INTERVAL
    # A position takes the place of a keepalive.
    total = count * position + (MONTH / KEEPALIVE - count) * ping
    table.add("month at rest, with IP and TCP", f"{total / 1e6:.2f} MB", "2.5 MB", total <= 2.5e6)


def energy(table, options):
    commuter = os.path.join(HERE, "../../Benchmarks/commuter-day")
    output, _ = run(commuter, "--seeds", "3", "--sextant", f"{options.programs}/sextant")
    found = re.search(r"sextant-fleet and two fences: energy ([\d.]+)%", output)
    table.add("energy of a day with two fences, of always on", f"{found[1]} %" if found else output[-100:], "15 %", bool(found) and float(found[1]) <= 15)


GROUPS = {"kills": kills, "backlog": backlog, "drives": drives, "measured": measured_here, "simulation": simulation, "month": bytes_of_a_month,
          "energy": energy}


def main():
    parser = argparse.ArgumentParser(description="Print the figures of sextant-fleet with their limits.")
    parser.add_argument("--programs", default=os.path.join(HERE, "../../.build/release"))
    parser.add_argument("--captures", default=os.path.join(HERE, "../../captures"), help="folder with the recorded drives")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--devices", type=int, default=1000)
    parser.add_argument("--only", help="one of " + ", ".join(GROUPS), choices=GROUPS)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    table = Table(options.json)
    for name, group in GROUPS.items():
        if options.only in (None, name):
            group(table, options)
    if options.json:
        print(json.dumps(table.rows))
    sys.exit(any(not row["met"] for row in table.rows))


if __name__ == "__main__":
    main()
