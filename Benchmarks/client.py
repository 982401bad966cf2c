#!/usr/bin/env python3
"""client.py: measures what SextantClient adds to the time of an update from the socket to a `for await` loop.

The median of five runs, each of 500 updates. Exit status 1 when a limit of thresholds.json is not met.
"""
import json
import os
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.join(HERE, "..", ".build", "release", "ClientBenchmark")
UPDATES, ROUNDS = 500, 5


def main():
    rounds = [json.loads(subprocess.run([PROGRAM, str(UPDATES)], check=True, capture_output=True).stdout) for _ in range(ROUNDS)]
    with open(os.path.join(HERE, "thresholds.json"), encoding="utf-8") as file:
        limits = json.load(file)["client"]
    failed = False
    for figure in rounds[0]:
        value = statistics.median(run[figure] for run in rounds)
        verdict = ""
        if figure in limits:
            met = value <= limits[figure]["max"]
            failed |= not met
            verdict = f"  max {limits[figure]['max']}: {'met' if met else 'EXCEEDED'}"
        print(f"{figure:14} {value:8.1f}{verdict}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
