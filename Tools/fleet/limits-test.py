#!/usr/bin/env python3
"""limits-test.py [--programs DIR]: what a server may know and set, with a real broker. Each line of the output is a case.

- place: the exit from a fence at a quiet place is reported with the first position after it, because Home Assistant ignores
  positions between an entry and an exit; nothing is reported at the quiet place.
- hours: in quiet hours no position is reported, neither by itself nor on request.
- fences: the fences that a server has set are the same after a kill of sextant-fleet, and they can be listed.
- monitors: the fences of a monitor are reported when they change, except one at a quiet place; a polygon as a circle and exact.

It needs mosquitto, mosquitto_sub and mosquitto_pub."""
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
wait_until = uplink_test.wait_until
METRE = 1 / 111_200
START = 48.0


def north(metres):
    return START + metres * METRE


def command(bench, action, **members):
    text = json.dumps({"_type": "cmd", "action": action} | members)
    subprocess.run(["mosquitto_pub", "-p", str(bench.port), "-q", "1", "-t", "owntracks/jane/van/cmd", "-m", text], check=True)


def start(bench, *receiver, options=()):
    bench.start_broker()
    bench.start("subscriber", "mosquitto_sub", "-p", str(bench.port), "-i", "observer", "-c", "-q", "1", "-t", "owntracks/#", "-v")
    bench.start_daemon(*receiver)
    wait_until("daemon", lambda: os.path.exists(bench.path("socket")))
    bench.start_fleet(options=options)
    wait_until("card", lambda: bench.messages("card"))


def place(bench):
    """Drives north: into a fence of 300 to 1,100 m, out of it at a quiet place of 1,000 to 1,700 m, and on.

    The daemon needs some 9 s, here 360 m, to be certain of a crossing."""
    points = "".join(f'<trkpt lat="{north(metres):.7f}" lon="11.0"/>' for metres in (0, 2500))
    bench.write("drive.gpx", f'<gpx version="1.1"><trk><trkseg>{points}</trkseg></trk></gpx>')
    start(bench, "--speed", "40", bench.path("drive.gpx"), options=["--quiet-place", f"{north(1350):.7f},11.0,350"])
    words = [f"{bench.programs}/sextant", "fence", "add", "depot", "--monitor", "home", "--circle", f"{north(700):.7f},11.0,400"]
    subprocess.run(words, check=True, env=os.environ | {"SEXTANT_SOCKET": bench.path("socket")}, stdout=subprocess.DEVNULL)
    wait_until("exit", lambda: any(message["event"] == "leave" for message in bench.messages("transition")), 90)
    events = [(message["event"], (message["lat"] - START) / METRE) for message in bench.messages("transition")]
    # At the start the device is outside the fence, and has not left it.
    assert [kind for kind, _ in events] == ["enter", "leave"], events
    assert 290 < events[0][1] < 990 and 1690 < events[1][1] < 2000, events
    places = [((message["lat"] - START) / METRE, message) for message in bench.locations()]
    quiet = [message for metres, message in places if 1010 < metres < 1690]
    assert not quiet, quiet
    inside = [message.get("inregions") for metres, message in places if events[0][1] + 80 < metres < 1000]
    assert inside and all(names == ["depot"] for names in inside), inside
    return f"entered at {events[0][1]:.0f} m, left at {events[1][1]:.0f} m"


def hours(bench):
    clock = lambda seconds: time.strftime("%H:%M", time.localtime(time.time() + seconds))
    start(bench, "--stationary", "48,11", options=["--quiet-hours", f"{clock(-3600)}-{clock(3600)}"])
    command(bench, "reportLocation")
    # Commands are carried out in order: the answer to the second one follows that to the first.
    command(bench, "waypoints")
    wait_until("status", lambda: bench.messages("status"))
    assert not bench.locations(), bench.locations()
    return "no position"


def fences(bench):
    start(bench, "--stationary", "48,11")
    waypoint = {"_type": "waypoint", "desc": "depot", "lat": 10.0, "lon": 10.0, "rad": 100, "tst": 1_800_000_000}
    command(bench, "setWaypoints", waypoints={"_type": "waypoints", "waypoints": [waypoint]})
    wait_until("answer", lambda: bench.messages("status"))
    bench.kill("fleet")
    bench.start_fleet()
    wait_until("second card", lambda: len(bench.messages("card")) == 2)
    command(bench, "waypoints")
    wait_until("second answer", lambda: len(bench.messages("status")) == 2)
    before, after = bench.messages("status")
    assert before["hash"] == after["hash"] and after["fences"] == 1, (before, after)
    found = bench.messages("waypoints")[-1]["waypoints"]
    assert len(found) == 1 and waypoint.items() <= found[0].items(), found
    return f"hash {after['hash']}"


def monitors(bench):
    """A circle, a polygon and a fence at a quiet place before the start; a corridor after it; and a kill."""
    def add(name, *shape):
        words = [f"{bench.programs}/sextant", "fence", "add", name, "--monitor", "home", *shape]
        subprocess.run(words, check=True, env=os.environ | {"SEXTANT_SOCKET": bench.path("socket")}, stdout=subprocess.DEVNULL)
    options = ["--quiet-place", "10,10,500"]
    start(bench, "--stationary", "48,11", options=options)
    add("here", "--circle", "48,11,400")
    wait_until("waypoint", lambda: bench.messages("waypoint"))
    wait_until("entry", lambda: bench.messages("transition"))
    waypoint, entry = bench.messages("waypoint")[0], bench.messages("transition")[0]
    assert (waypoint["desc"], waypoint["tst"], waypoint["rid"], waypoint["rad"]) == ("here", entry["wtst"], entry["rid"], 400), (waypoint, entry)
    wait_until("region", lambda: any(message.get("inrids") == [entry["rid"]] for message in bench.locations()))
    bench.kill("fleet")
    add("yard", "--polygon", "48.01,11 48.01,11.01 48.02,11.01 48.02,11")
    add("secret", "--circle", "10,10,100")
    count = len(bench.messages("card"))
    bench.start_fleet(options=options)
    wait_until("list", lambda: bench.messages("waypoints"))
    listed = {entry["desc"]: entry for entry in bench.messages("waypoints")[-1]["waypoints"]}
    assert sorted(listed) == ["here", "yard"] and listed["here"] == waypoint, listed
    shape = bench.messages("fence")[-1]
    assert shape["rid"] == listed["yard"]["rid"] and len(shape["geometry"]["coordinates"][0]) == 5, shape
    assert 660 <= listed["yard"]["rad"] <= 700, listed
    # An end before the acknowledgement is stored would repeat the list.
    time.sleep(1)
    bench.children["fleet"].terminate()
    bench.children.pop("fleet").wait()
    bench.start_fleet(options=options)
    wait_until("another card", lambda: len(bench.messages("card")) >= count + 2)
    time.sleep(1)
    assert len(bench.messages("waypoints")) == 1, bench.messages("waypoints")
    return f"{len(listed)} of 3 fences listed, {shape['geometry']['type']} exact"


CASES = {"place": place, "hours": hours, "fences": fences, "monitors": monitors}


def main():
    parser = argparse.ArgumentParser(description="Check what a server may know and set.")
    parser.add_argument("--programs", default=os.path.join(HERE, "../../.build/release"))
    options = parser.parse_args()
    failed = False
    for name, case in CASES.items():
        with tempfile.TemporaryDirectory(prefix="sextant-limits-") as folder:
            os.chmod(folder, 0o777)
            bench = uplink_test.Bench(options.programs, folder)
            try:
                print(f"{name}: {case(bench)}", flush=True)
                problems = uplink_test.payload_problems(bench)
                assert not problems, problems
            except (AssertionError, SystemExit) as error:
                failed = True
                print(f"{name}: FAILED: {error}\n{bench.text('fleet.log')[-1000:]}", file=sys.stderr)
            finally:
                bench.close()
    sys.exit(failed)


if __name__ == "__main__":
    main()
