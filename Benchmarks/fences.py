#!/usr/bin/env python3
"""fences.py: measures the time per fix with 0, 100 and 100,000 conditions, and the memory per condition.

A drive of 20 minutes at 90 km/h and 5 Hz through circles of 100 m, distributed over 200 km by 200 km. Turns of the first
determination are in processor time. The fastest of three runs counts. Exit status 1 when a limit of thresholds.json is
exceeded.
"""
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.join(HERE, "..", ".build", "release", "FenceBenchmark")
MINUTES, RUNS = 20, 3


def measure(count):
    runs = [json.loads(subprocess.run([PROGRAM, str(count), str(MINUTES)], check=True, capture_output=True).stdout) for _ in range(RUNS)]
    best = {figure: min(run[figure] for run in runs) for figure in runs[0]}
    print(f"{count:6} conditions: p50 {best['p50']:5} ns, p99 {best['p99']:5} ns, worst {best['worst'] / 1000:.0f} us, {best['events']} events; "
          f"added in {best['add_ms']:.1f} ms, determined in {best['determine_ms']:.0f} ms, slowest turn {best['slowest_turn'] / 1e6:.2f} ms, "
          f"{best['bytes']:.0f} bytes each")
    return best


def main():
    none, few, many = measure(0), measure(100), measure(100_000)
    figures = {"none_p99_ns": none["p99"], "few_p99_ns": few["p99"], "many_p99_ns": many["p99"], "bytes": many["bytes"],
               "add_ms": many["add_ms"], "slowest_turn_ms": many["slowest_turn"] / 1e6}
    with open(os.path.join(HERE, "thresholds.json")) as file:
        limits = json.load(file)["fences"]
    failed = False
    for figure, value in figures.items():
        limit = limits[figure]["max"]
        failed |= value > limit
        print(f"{figure:16} {value:8.4g}  max {limit}: {'met' if value <= limit else 'EXCEEDED'}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
