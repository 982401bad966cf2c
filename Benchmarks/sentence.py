#!/usr/bin/env python3
"""sentence.py CAPTURE: measures nanoseconds and allocations per sentence.

128 sentences, alternately GGA and RMC, with verified checksums, as on a port. Exit status 1 when a limit of
thresholds.json is not met.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "daemon"))
from feed import write_feed  # noqa: E402

PROGRAM = os.path.join(HERE, "..", ".build", "release", "SentenceBenchmark")
COUNTER = os.path.join(HERE, "..", ".build", "bench", "count.so")
EPOCHS, PASSES, ROUNDS = 64, 2000, 15


def allocations(feed, passes):
    """Allocations of a run with this number of passes."""
    done = subprocess.run([PROGRAM, feed, str(passes), "1"], env=os.environ | {"LD_PRELOAD": COUNTER}, check=True,
                          capture_output=True, text=True)
    return int(re.search(r"^allocations (\d+)$", done.stderr, re.MULTILINE)[1])


def main():
    with tempfile.TemporaryDirectory() as folder:
        feed = os.path.join(folder, "feed")
        write_feed(sys.argv[1], feed, epochs=EPOCHS, kinds={"GGA", "RMC"})
        timed = json.loads(subprocess.run([PROGRAM, feed, str(PASSES), str(ROUNDS)], check=True, capture_output=True).stdout)
        more, fewer = allocations(feed, 101), allocations(feed, 1)
    figures = {"parse_ns": timed["parse"], "stream_ns": timed["stream"], "allocations": (more - fewer) / (200 * timed["sentences"])}
    print(f"{timed['sentences']} sentences; median rounds {timed['parse_median']:.1f} and {timed['stream_median']:.1f} ns; "
          f"{fewer} allocations at start-up")

    with open(os.path.join(HERE, "thresholds.json")) as file:
        limits = json.load(file)["sentence"]
    failed = False
    for figure, value in figures.items():
        for kind, limit in limits[figure].items():
            met = value <= limit if kind == "max" else value == limit
            failed |= not met
            print(f"{figure:12} {value:8.4g}  {kind} {limit}: {'met' if met else 'EXCEEDED'}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
