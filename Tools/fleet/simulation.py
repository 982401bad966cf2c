#!/usr/bin/env python3
"""simulation.py [--devices N] [--seconds N] [--outages N] [--gpx FOLDER] [--programs DIR] [--json]: reports of simulated devices to a
Mosquitto on loopback, first without an outage, then with brokers that are killed (SIGKILL) and started again.

It prints the figures of `fleet-load`, and fails

- if an event is lost or out of order,
- if the 99th percentile of the delays of events is above 2 s without an outage,
- if the devices need more than 120 s to be connected again, or more than 100 connect in one second.

It needs mosquitto, and runs on loopback alone."""
import argparse
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
specification = importlib.util.spec_from_file_location("uplink_test", os.path.join(HERE, "uplink-test.py"))
uplink_test = importlib.util.module_from_spec(specification)
specification.loader.exec_module(uplink_test)

MAX_DELAY, MAX_RETURN, MAX_CONNECTS = 2, 120, 100


def run(bench, options, name, outages):
    """Simulates once, and returns the figures."""
    os.makedirs(bench.path(name))
    words = ["--gpx", options.gpx] if options.gpx else []
    process = subprocess.Popen(
        [f"{bench.programs}/fleet-load", "--devices", str(options.devices), "--seconds", str(options.seconds), "--state", bench.path(name),
         "--destination", f"mqtt://127.0.0.1:{bench.port}", "--spread", str(options.spread), "--json", *words],
        stdout=subprocess.PIPE)
    for _ in range(outages):
        time.sleep(options.seconds / (outages + 1))
        bench.kill("broker")
        time.sleep(3)
        bench.start_broker()
    answer = process.communicate()[0]
    return json.loads(answer)


def problems(name, figures, has_outages):
    found = []
    if figures["lost"] or figures["disordered"]:
        found.append(f"{figures['lost']} events are lost, {figures['disordered']} out of order")
    if not has_outages and figures["delayP99"] > MAX_DELAY:
        found.append(f"the 99th percentile of delays is {figures['delayP99']} s")
    if figures["longestReturn"] > MAX_RETURN:
        found.append(f"{figures['longestReturn']} s until all devices are connected")
    if figures["connectsPerSecond"] > MAX_CONNECTS:
        found.append(f"{figures['connectsPerSecond']} devices connect in one second")
    return [f"{name}: {text}" for text in found]


def main():
    parser = argparse.ArgumentParser(description="Simulate many devices that report to a broker which is killed; check that no event is lost.")
    parser.add_argument("--programs", default=os.path.join(HERE, "../../.build/release"))
    parser.add_argument("--devices", type=int, default=1000)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--outages", type=int, default=1)
    parser.add_argument("--spread", type=int, default=30)
    parser.add_argument("--gpx", help="folder with the tracks of the devices")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    results, found = {}, []
    # The devices of a fleet do not share one disk, so the outboxes are in memory.
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="sextant-simulation-", dir=memory) as folder:
        os.chmod(folder, 0o777)
        bench = uplink_test.Bench(options.programs, folder)
        try:
            bench.start_broker()
            for name, outages in (("no outage", 0), ("outages", options.outages)):
                results[name] = run(bench, options, name, outages)
                found += problems(name, results[name], outages > 0)
        finally:
            bench.close()
    if options.json:
        print(json.dumps(results))
    else:
        print(f"{'':20} {'no outage':>12} {'outages':>12}")
        for key in results["no outage"]:
            print(f"{key:20} {results['no outage'][key]:12} {results['outages'][key]:12}")
    for problem in found:
        print(f"simulation: {problem}", file=sys.stderr)
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
