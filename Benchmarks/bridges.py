#!/usr/bin/env python3
"""Measures the role gpsd of sextant-bridge with its daemon beside Debian's gpsd, at one epoch per second in one write.

usage: bridges.py [--programs FOLDER] [--seconds N]

Prints processor time, wakeups, memory and latency, and fails where a limit of thresholds.json is exceeded."""
import argparse
import json
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, f"{HERE}/../Tools/conformance")
import receiver  # noqa: E402

WATCH = b'?WATCH={"enable":true,"json":true};\n'


class Feed(receiver.Receiver):
    """A receiver that records when each epoch was written."""

    def __init__(self, link):
        self.written = {}
        super().__init__(link)

    def epoch(self):
        found = super().epoch()
        stamp = re.search(rb"GPRMC,(\d{6})", found)[1].decode()
        self.written[stamp] = time.monotonic()
        return found


class Watcher(threading.Thread):
    """A client that records when the position of each epoch arrived."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.arrived, self.socket = {}, socket.create_connection(("127.0.0.1", port))
        self.socket.sendall(WATCH)
        self.start()

    def run(self):
        held = b""
        while read := self.socket.recv(65536):
            now = time.monotonic()
            held += read
            *lines, held = held.split(b"\n")
            for line in lines:
                found = json.loads(line)
                if found["class"] == "TPV" and "time" in found:
                    stamp = re.sub(r".*T(\d\d):(\d\d):(\d\d).*", r"\1\2\3", found["time"])
                    self.arrived.setdefault(stamp, now)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def cpu_ms(process):
    folder = f"/proc/{process.pid}/task"
    return sum(int(open(f"{folder}/{task}/schedstat").read().split()[0]) for task in os.listdir(folder)) / 1e6


def switches(process):
    return int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", open(f"/proc/{process.pid}/status").read(), re.M)[1])


def private_dirty_kb(process):
    return int(re.search(r"Private_Dirty:\s+(\d+)", open(f"/proc/{process.pid}/smaps_rollup").read())[1])


def wait(port):
    for _ in range(100):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except OSError:
            time.sleep(0.1)
    sys.exit(f"bridges: nothing serves port {port}")


def latencies_us(feed, watcher):
    delays = sorted((watcher.arrived[stamp] - sent) * 1e6 for stamp, sent in feed.written.items() if stamp in watcher.arrived)
    return statistics.median(delays), delays[min(len(delays) - 1, len(delays) * 99 // 100)]


def measure(feed, port, processes, seconds):
    """Processor time per minute, latency and wakeups of the last process per epoch."""
    watcher = Watcher(port)
    time.sleep(10)
    feed.written.clear()
    before, woken = [cpu_ms(process) for process in processes], switches(processes[-1])
    time.sleep(seconds)
    used = [cpu_ms(process) - old for process, old in zip(processes, before)]
    p50, p99 = latencies_us(feed, watcher)
    return {"cpu_ms": sum(used) * 60 / seconds, "latency_p50_us": p50, "latency_p99_us": p99,
            "wakeups_per_epoch": (switches(processes[-1]) - woken) / seconds}


def sextant(programs, folder, seconds):
    feed, port = Feed(f"{folder}/gps"), free_port()
    with open(f"{folder}/sextant.toml", "w", encoding="utf-8") as file:
        # Without commands to the receiver, as gpsd with -b.
        file.write(f"[receivers]\ndiscover = false\n[[receiver]]\ndevice = \"{folder}/gps\"\npassive = true\n")
    environment = os.environ | {"SEXTANT_SOCKET": f"{folder}/socket"}
    words = [["sextantd", "--state", f"{folder}/state", "--config", f"{folder}/sextant.toml"],
             ["sextant-bridge", "gpsd", "--listen", f"127.0.0.1:{port}"]]
    processes = []
    for program, *rest in words:
        processes.append(subprocess.Popen([f"{programs}/{program}", *rest], env=environment, stdout=subprocess.DEVNULL,
                                          stderr=subprocess.DEVNULL))
        time.sleep(1)
    try:
        wait(port)
        idle = socket.create_connection(("127.0.0.1", port))
        time.sleep(3)
        woken = switches(processes[-1])
        time.sleep(5)
        found = {"idle_wakeups_per_s": (switches(processes[-1]) - woken) / 5}
        idle.close()
        found |= measure(feed, port, processes, seconds)
        one = private_dirty_kb(processes[-1])
        many = [Watcher(port) for _ in range(200)]
        time.sleep(3)
        return found | {"private_dirty_kb": one, "kb_per_client": (private_dirty_kb(processes[-1]) - one) / len(many)}
    finally:
        feed.end()
        for process in reversed(processes):
            process.terminate()
            process.wait()


def gpsd(folder, seconds):
    feed, port = Feed(f"{folder}/other"), free_port()
    process = subprocess.Popen(["gpsd", "-N", "-n", "-b", "-S", str(port), os.path.realpath(f"{folder}/other")],
                               stderr=subprocess.DEVNULL)
    try:
        wait(port)
        return measure(feed, port, [process], seconds) | {"private_dirty_kb": private_dirty_kb(process)}
    finally:
        feed.end()
        process.terminate()
        process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", default=f"{HERE}/../.build/release")
    parser.add_argument("--seconds", type=int, default=60)
    arguments = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="sextant-bench-")
    try:
        ours = sextant(arguments.programs, folder, arguments.seconds)
        theirs = gpsd(folder, arguments.seconds) if shutil.which("gpsd") else {}
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    limits = json.load(open(f"{HERE}/thresholds.json", encoding="utf-8"))["bridges"]
    print(f"{'role gpsd, 1 Hz, 1 watcher':28} {'sextant':>10} {'gpsd':>10} {'limit':>10}")
    failed = False
    for name, value in ours.items():
        limit = limits[name]["max"]
        missed = value > limit
        failed |= missed
        other = f"{theirs[name]:10.1f}" if name in theirs else f"{'-':>10}"
        print(f"{name:28} {value:10.1f} {other} {limit:10}{'  missed' if missed else ''}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
