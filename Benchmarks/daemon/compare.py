#!/usr/bin/env python3
"""compare.py CAPTURE: measures sextantd and gpsd alternately, with the same input; with --before another build in place of gpsd.

Compare the ratios: absolute times vary with the machine. Exit status 1 when a limit of thresholds.json is not met.
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

from daemons import HERE, Gpsd, Sextant, earlier_build, raise_descriptor_limit
from feed import write_feed

# The daemon reports silence once: 5 s after the last byte, or 10 s if no client requested a high rate before.
SILENCE_SETTLES, SILENCE_LASTS = 12, 20


def cpu(daemon, feeds):
    """Microseconds of processor time per sentence with one subscriber, as fast as the daemon reads."""
    with daemon() as running:
        before = running.cpu_seconds()
        figures = running.play(feeds["200k"])
        used = running.cpu_seconds() - before
    return {"cpu_us_per_sentence": used / figures["sentences"] * 1e6, "epochs_received_fast": figures["received"] / figures["epochs"],
            "sentences_per_second": figures["sentences"] / figures["seconds"]}


def silence(daemon, feeds):
    """Wakeups and memory with an open port, a silent receiver and one subscriber."""
    with daemon() as running:
        running.play(feeds["short"], hertz=5)
        subscriber = running.subscribe()
        time.sleep(SILENCE_SETTLES)
        wakeups, used = running.wakeups(), running.cpu_seconds()
        time.sleep(SILENCE_LASTS)
        # Before the subscriber disconnects, which wakes the daemon.
        wakeups, used = running.wakeups() - wakeups, running.cpu_seconds() - used
        resident, dirty = running.memory()
        subscriber.close()
        return {"silent_wakeups_per_s": wakeups / SILENCE_LASTS, "threads": len(running.tasks()),
                "silent_cpu_ms_per_s": used / SILENCE_LASTS * 1e3,
                "rss_kb": resident, "private_dirty_kb": dirty}


def latency(daemon, feeds):
    """Microseconds from an epoch's last byte to the subscriber: 5 Hz, lines at the speed of 115200 baud.

    Negative if the update arrives earlier: the bursts of the demonstration end with ZDA and GBS, which add nothing to a
    fix. Combines many short alternating rounds, so that a disturbance of the machine affects both daemons.
    """
    with daemon() as running:
        figures = running.play(feeds["5hz"], hertz=5, skip=20)
    return {"latency_us": figures["latencies"], "updates_per_epoch": figures["updates"] / figures["epochs"], "epochs_missed": figures["epochs"] - figures["received"]}


def loaded_latency(daemon, feeds):
    """The latency while as many programs as there are processors compute without a pause, like compilers."""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count() or 1)]
    try:
        return {"loaded_latency_us": latency(daemon, feeds)["latency_us"]}
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def rmc_latency(daemon, feeds):
    """The latency for a receiver that sends only RMC: the fix is unknown before its last byte."""
    with daemon() as running:
        figures = running.play(feeds["5hz_rmc"], hertz=5, skip=20)
    return {"rmc_latency_us": figures["latencies"]}


def crowd(daemon, feeds):
    """A thousand subscribers at 1 Hz, or the maximum of the daemon: missed epochs and the largest latency."""
    with daemon() as running:
        figures = running.play(feeds["1hz"], clients=running.max_clients, hertz=1, skip=2)
        resident, _ = running.memory()
    expected = running.max_clients * (figures["epochs"] - 2)
    return {"crowd": figures["clients"], "crowd_served": figures["served"], "crowd_dropped": figures["dropped"],
            "crowd_missed": expected - figures["measured"], "crowd_latest_ms": figures["latest"] / 1000, "crowd_rss_kb": resident}


def instructions(daemon, feeds):
    """User-space instructions per sentence by callgrind: the slope between two lengths, so start-up does not count."""
    counted, received = [], 1
    for feed in ("5k", "25k"):
        with tempfile.NamedTemporaryFile(suffix=".callgrind") as log:
            os.chmod(log.name, 0o666)
            with daemon(("valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", f"--log-file={log.name}")) as running:
                figures = running.play(feeds[feed])
            counted.append((int(re.search(r"Collected : (\d+)", open(log.name).read())[1]), figures["sentences"]))
            received = min(received, figures["received"] / figures["epochs"])
    (few, short), (many, long) = counted
    # The count is only valid if the subscriber received the epochs.
    return {"instructions_per_sentence": (many - few) / (long - short), "epochs_received_callgrind": received}


# name -> (measurement, number of repetitions)
MEASUREMENTS = {"cpu": (cpu, 3), "silence": (silence, 1), "latency": (latency, 6), "load": (loaded_latency, 6), "rmc": (rmc_latency, 6), "crowd": (crowd, 1), "instructions": (instructions, 1)}


def make_feeds(capture, folder):
    lengths = {"200k": dict(sentences=200_000), "25k": dict(sentences=25_000), "5k": dict(sentences=5_000),
               "short": dict(epochs=10, hertz=5), "5hz": dict(epochs=100, hertz=5),
               "5hz_rmc": dict(epochs=100, hertz=5, kinds={"RMC"}),
               "1hz": dict(epochs=15, kinds={"RMC", "GGA", "GSA", "GLL", "VTG"})}
    feeds = {name: os.path.join(folder, name) for name in lengths}
    for name, length in lengths.items():
        write_feed(capture, feeds[name], **length)
    return feeds


def measure(names, feeds, daemons):
    """{daemon: {figure: value}}: the median of the repetitions; the daemons alternate."""
    runs = {daemon.name: {} for daemon in daemons}
    for name in names:
        measurement, repetitions = MEASUREMENTS[name]
        for repetition in range(repetitions):
            for daemon in daemons:
                print(f"{name} {repetition + 1}/{repetitions}: {daemon.name}", file=sys.stderr, flush=True)
                for figure, value in measurement(daemon, feeds).items():
                    runs[daemon.name].setdefault(figure, []).append(value)
    return {name: {key: value for figure, values in figures.items() for key, value in summary(figure, values).items()}
            for name, figures in runs.items()}


def summary(figure, values):
    """The median of a figure's repetitions; of a distribution, its quantiles over all of them."""
    if not isinstance(values[0], list):
        return {figure: statistics.median(values)}
    pooled = sorted(value for repetition in values for value in repetition)
    quantiles = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "max": 1}
    name, unit = figure.rsplit("_", 1)
    return {f"{name}_{key}_{unit}": pooled[round(q * (len(pooled) - 1))] for key, q in quantiles.items()}


def evaluate(figure, ours, ratio, limits):
    """The limits of a figure as text, and whether they are met."""
    demands = limits.get(figure, {})
    met = [(ratio if kind == "ratio" else ours) is not None and (ratio if kind == "ratio" else ours) <= limit
            if kind != "equal" else ours == limit for kind, limit in demands.items()]
    return ", ".join(f"{kind} {limit:g}" for kind, limit in demands.items()), all(met)


def number(value):
    return "-" if value is None else f"{value:.4g}" if abs(value) < 1000 else f"{value:,.0f}"


def table(results, limits, peer_name):
    """Prints every figure of both daemons with ratio and limit; true if all limits are met."""
    ours, theirs = results.get("sextant", {}), results.get(peer_name, {})
    all_met = True
    print(f"\n{'figure':28} {peer_name:>12} {'sextant':>12} {'ratio':>8}  limit")
    for figure in {**theirs, **ours}:
        mine, peer = ours.get(figure), theirs.get(figure)
        ratio = mine / peer if mine is not None and peer else None
        demand, met = evaluate(figure, mine, ratio, limits) if ours else ("", True)
        all_met &= met
        verdict = demand and f"{demand}: {'met' if met else 'EXCEEDED'}"
        print(f"{figure:28} {number(peer):>12} {number(mine):>12} {number(ratio):>8}  {verdict}".rstrip())
    return all_met


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("capture")
    parser.add_argument("--only", default=",".join(MEASUREMENTS), help=f"measurements to run, of {','.join(MEASUREMENTS)}")
    parser.add_argument("--daemons", default="gpsd,sextant")
    parser.add_argument("--before", metavar="PROGRAM", help="compare with this build of sextantd, not with gpsd")
    parser.add_argument("--json", help="also write the figures to this file")
    chosen = parser.parse_args()
    raise_descriptor_limit()
    daemons = [daemon for daemon in (Gpsd, Sextant) if daemon.name in chosen.daemons.split(",")]
    with open(os.path.join(HERE, "..", "thresholds.json")) as file:
        limits = json.load(file)["daemon"]
    if chosen.before:
        # The limits apply beside gpsd.
        daemons, limits = [earlier_build(os.path.abspath(chosen.before)), Sextant], {}
    with tempfile.TemporaryDirectory() as folder:
        results = measure(chosen.only.split(","), make_feeds(chosen.capture, folder), daemons)
    if chosen.json:
        with open(chosen.json, "w") as file:
            json.dump(results, file, indent=2)
    sys.exit(0 if table(results, limits, "before" if chosen.before else "gpsd") else 1)


if __name__ == "__main__":
    main()
