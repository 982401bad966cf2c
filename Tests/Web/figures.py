#!/usr/bin/env python3
"""Prints the figures of the page with their limits (first sight, processor time, memory, requests, times of drawing).

    Tests/Web/figures.py [--minutes 2]      # exits with 1 if a limit is exceeded

The heap's limit is that after an hour: --minutes 60. Its growth in the second half is judged from 24 minutes on: until the 12th, the
history of 3,600 points fills. At the end are the commands for the figures that are not measured here.

The server of the page sends one position a second at most. For higher rates, a small server here sends made-up ones.
"""
import argparse
import http.server
import json
import math
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.parse

import test_demand
from browser import VIEWS, browser, open_page, show_view, wait_for_position
from scene import PAGE, ROOT, Scene

TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".json": "application/json", ".svg": "image/svg+xml"}
SATELLITES = [{"system": system, "number": number, "elevation": number * 4, "azimuth": number * 17 % 360, "carrierToNoise": 25 + number, "used": number % 4 > 0}
              for system in ("gps", "galileo", "glonass", "beidou") for number in range(1, 11)]
RECEIVER = {"name": "r", "port": "/dev/r", "says": [], "state": "hasFix", "isPrimary": True, "satellites": SATELLITES,
            "counts": dict.fromkeys(("bytes", "sentences", "checksumErrors", "missingChecksums", "overlong", "truncated", "malformed", "strayBytes"), 1)}


class FastServer(http.server.ThreadingHTTPServer):
    """Sends `rate` positions a second, and 40 satellites every second."""
    daemon_threads = True

    def __init__(self, rate):
        super().__init__(("127.0.0.1", 0), FastHandler)
        self.rate = rate
        self.url = f"http://127.0.0.1:{self.server_port}/"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, *_):
        """A browser that closes the stream is no error."""


class FastHandler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def answer(self, status, kind, data=b""):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(data)

    def do_POST(self):
        self.answer(404, "application/json", b"{}")

    def do_GET(self):
        path = urllib.parse.urlparse(self.path).path
        if path == "/events":
            return self.stream()
        file = PAGE / (path.strip("/") or "index.html")
        self.answer(200, TYPES.get(file.suffix, "application/octet-stream"), file.read_bytes())

    def event(self, name, data):
        self.wfile.write(f"event: {name}\ndata: {json.dumps(data)}\n\n".encode())
        self.wfile.flush()

    def stream(self):
        self.answer(200, "text/event-stream")
        self.event("hello", {"version": "1", "edit": False})
        step = 0
        while True:
            angle = step / self.server.rate / 40
            now = time.time()
            location = {"timestamp": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{int(now % 1 * 1000):03}Z", "latitude": 51 + 0.01 * math.sin(angle),
                        "longitude": 0.01 * math.cos(angle), "horizontalAccuracy": 3 + math.sin(angle), "accuracySource": "gst", "altitude": 20, "speed": 10,
                        "course": angle * 57.3 % 360, "mode": "3d", "quality": "autonomous", "satellitesUsed": 12, "hdop": 1, "receiver": "r"}
            self.event("location", {"sequence": step, "dropped": 0, "location": location})
            if step % self.server.rate == 0:
                self.event("receivers", {"receivers": [RECEIVER]})
            step += 1
            time.sleep(1 / self.server.rate)


# Parts of the paths of Swift files that exist for the page or the track alone.
SWIFT = ("/sextant-web/", "/sextant/Web/", "/sextant/Track/", "/sextantd/Track/", "TrackService.swift", "TrackPiece.swift", "TrackTable.swift",
         "TrackSimplifier.swift", "WebSection.swift")
# The minutes in which the history of the page fills at 5 Hz.
FILLING = 12
ELSEWHERE = [
    ("power of an M8 with a hidden page for an hour", "as without: it holds no request (above), so nothing differs for the receiver"),
    ("axe: serious or critical findings 0; contrast at least 4.5", "make test-web"),
    ("foreign Host, Origin and frame: requests that reach the daemon 0", "make test-web"),
    ("sextantd without a viewer: memory and latency unchanged", "make bench"),
    ("power cuts: 20, with nothing lost that was acknowledged", "sudo make vm-test CUTS=20"),
]


class Report:
    """Prints figures with their limits, and remembers whether one is exceeded."""

    def __init__(self):
        self.failed = False

    def line(self, name, value, limit, unit):
        self.failed |= value > limit
        print(f"{name:68} {value:10.2f} of {limit:g} {unit}{'   EXCEEDED' if value > limit else ''}", flush=True)


def processor_time():
    """Seconds that all processes of the browser that was started here have used."""
    parents, ticks = {}, {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8") as file:
                command, rest = file.read().rsplit(")", 1)
        except OSError:
            continue
        fields = rest.split()
        parents[int(name)] = int(fields[1])
        if "chrom" in command:
            ticks[int(name)] = sum(map(int, fields[11:13]))

    def is_ours(process):
        while process and process != os.getpid():
            process = parents.get(process)
        return process == os.getpid()

    return sum(ticks[process] for process in ticks if is_ours(process)) / os.sysconf("SC_CLK_TCK")


def sizes(report):
    files = [file for kind in ("html", "css", "js", "svg") for file in PAGE.rglob(f"*.{kind}")]
    report.line("HTML, CSS, JavaScript and icon, uncompressed", sum(file.stat().st_size for file in files) / 1000, 120, "kB")
    report.line("their lines", sum(file.read_text().count("\n") for file in files), 4000, "lines")
    files = [file for file in (ROOT / "Sources").rglob("*.swift") if any(one in str(file) for one in SWIFT)]
    report.line("Swift lines by hand: files of the page, the metrics and the track", sum(file.read_text().count("\n") for file in files), 4500, "lines")


def first_sight(report, program):
    """From `make web` to a position in the browser, which is already running. What must be built is built before."""
    subprocess.run(["make", "--silent", "build"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    page = open_page(program, "about:blank")
    began = time.monotonic()
    with subprocess.Popen(["make", "--silent", "web"], cwd=ROOT, stdout=subprocess.PIPE, text=True, start_new_session=True) as make:
        try:
            url = next((line for line in make.stdout if line.startswith("http")), "").split(" ")[0]
            if not url:
                sys.exit("make web prints no address: see its messages, and whether another program has the port")
            page.goto(url)
            wait_for_position(page)
            report.line("first sight: from `make web` on a built tree to a position", time.monotonic() - began, 5, "s")
        finally:
            os.killpg(make.pid, signal.SIGINT)
    page.context.close()


def first_position(report, program, url):
    times, requests = [], []
    for _ in range(20):
        page = open_page(program, "about:blank")
        page.goto(url, wait_until="commit")
        wait_for_position(page)
        times.append(page.evaluate("() => performance.now()"))
        # The files up to the first that follows the position. The browser asks for the icon whenever it likes.
        requests.append(page.evaluate("""() => {
            const files = performance.getEntriesByType('resource');
            const end = files.find((one) => /doctor|history|map.js|Reverse/.test(one.name))?.startTime ?? Infinity;
            return files.filter((one) => one.startTime < end && !one.name.endsWith('icon.svg')).length;
        }"""))
        page.context.close()
    times.sort()
    report.line("first position after the click, p95 of 20", times[18], 300, "ms")
    report.line("requests for it", max(requests) + 2, 10, "with the page itself and the stream")


def running(report, program, rate, seconds, limits):
    server = FastServer(rate)
    page = open_page(program, server.url)
    wait_for_position(page)
    page.wait_for_timeout(5000)
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")

    def busy():
        return {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}["TaskDuration"]

    before, before_busy, began = processor_time(), busy(), time.monotonic()
    page.wait_for_timeout(seconds * 1000)
    took = time.monotonic() - began
    report.line(f"browser at {rate} Hz, all processes, in percent of a core", (processor_time() - before) / took * 100, limits[0], "%")
    report.line(f"main thread at {rate} Hz", (busy() - before_busy) / took * 1000, limits[1], "ms a second")
    page.context.close()
    server.shutdown()


def drawing(report, program, url):
    page = open_page(program, url)
    wait_for_position(page)
    page.wait_for_selector(".map canvas")
    result = page.evaluate("""async () => {
        const { history } = await import('./history.js');
        const { drawChart } = await import('./drawing/linechart.js');
        const { BaseMap } = await import('./drawing/basemap.js');
        const { Projection } = await import('./drawing/projection.js');
        const { coast } = await import('./drawing/coast.js');
        const points = Array.from({ length: 3600 }, (_, index) => ({ time: index * 1000, radius: 3 + Math.sin(index / 50) + Math.random() }));
        const canvas = document.createElement('canvas');
        canvas.width = 800; canvas.height = 600;
        const pen = canvas.getContext('2d');
        const median = (run) => {
            const times = [];
            for (let index = 0; index < 15; index++) { const began = performance.now(); run(index); pen.getImageData(0, 0, 1, 1); times.push(performance.now() - began); }
            return times.sort((a, b) => a - b)[7];
        };
        const chart = median(() => drawChart(pen, 800, 120, points, { name: 'radius', write: String, startsAtZero: true }));
        const base = new BaseMap(() => 0);
        base.rings = await coast();
        const map = median((index) => { base.drawn = null; base.draw(pen, 800, 600, new Projection(51, index), 0.001, 1); });
        return { chart, map };
    }""")
    report.line("one chart of 3,600 points", result["chart"], 3, "ms")
    report.line("coasts of 1:50 million", result["map"], 25, "ms")
    page.context.close()


def memory(report, program, minutes, rate=5):
    server = FastServer(rate)
    page = open_page(program, server.url)
    wait_for_position(page)
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")

    def heap():
        session.send("HeapProfiler.collectGarbage")
        return {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}["JSHeapUsedSize"] / 1e6

    half = heap()
    for step, view in enumerate(["sky", "charts", "now", "sky", "charts", "now", "sky", "now"] * 2):
        if step == 8:
            half = heap()
        show_view(page, view)
        page.wait_for_timeout(minutes * 60000 / 16)
    report.line(f"JavaScript heap after {minutes:g} min at {rate} Hz", heap(), 12, "MB")
    if minutes >= 2 * FILLING:
        report.line("its growth in the second half", heap() - half, 0.5, "MB")
    else:
        print(f"its growth is not judged, because the history fills for {FILLING} min")
    if minutes < 60:
        print(f"{'heap after 1 h, and its growth in the last 30 min':68} make web-figures MINUTES=60", flush=True)
    counts = session.send("Memory.getDOMCounters")
    for _ in range(20):
        for view in VIEWS:
            show_view(page, view)
    show_view(page, "now")
    heap()
    later = session.send("Memory.getDOMCounters")
    for name in ("nodes", "jsEventListeners"):
        report.line(f"growth of {name} by 120 changes of view", later[name] - counts[name], 100, "")
    page.context.close()
    server.shutdown()


def hidden(report):
    """By Selenium, because Playwright's pages are always visible."""
    with Scene() as scene, test_demand.Window() as driver:
        driver.get(scene.url)
        test_demand.wait_for_position(driver)
        seconds = test_demand.seconds_until_a_hidden_page_holds_nothing(scene, driver)
        report.line("from the opening of a tab before the page to no request of it", seconds, 1, "s")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=2)
    minutes = parser.parse_args().minutes
    report = Report()
    sizes(report)
    with Scene() as scene, browser() as program:
        first_sight(report, program)
        first_position(report, program, scene.url)
        drawing(report, program, scene.url)
    hidden(report)
    with browser() as program:
        running(report, program, 1, 20, (2, 15))
        running(report, program, 10, 20, (12, 80))
        memory(report, program, minutes)
    print("\nElsewhere:")
    for name, command in ELSEWHERE:
        print(f"{name:68} {command}")
    sys.exit(report.failed)


if __name__ == "__main__":
    main()
