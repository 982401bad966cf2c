#!/usr/bin/python3
"""storm.py RUN: adds, removes and acknowledges as fast as one client can, and reports each step to the host before the next one.

One JSON array per line on the virtio-serial port "storm". An intention starts with "?" and precedes its call: whether a call
without a reply had an effect is uncertain.

    ["?add", monitor, identifier]   ["add", ...]   ["?remove", ...]   ["removed", ...]
    ["event", monitor, id, identifier, kind, recorded]   ["?ack", monitor, id]   ["ack", monitor, id]
    ["track", [time, latitude, longitude], ...]
"""
import json
import os
import random
import sys
import threading
import time

from varlink import Client

LATITUDE = 51.48
run = sys.argv[1]
port = os.open("/dev/virtio-ports/storm", os.O_WRONLY)
lock = threading.Lock()


def report(*fields):
    data = (json.dumps(fields) + "\n").encode()
    with lock:
        while data:
            data = data[os.write(port, data):]


def circle(latitude, radius):
    return {"center": {"latitude": latitude, "longitude": 0.0}, "radius": radius}


def change(monitor):
    """Adds conditions around the receiver, which are determined at the next fix, and removes old ones."""
    client, number, added = Client(timeout=60), 0, []
    generator = random.Random(f"{run} {monitor}")
    while True:
        number += 1
        identifier = f"{run}-{number}"
        condition = {"identifier": identifier, "circle": circle(LATITUDE if generator.random() < 0.5 else 51.9, 3000.0),
                     "metadata": {"run": run, "filler": "x" * generator.randrange(0, 2000)}}
        report("?add", monitor, identifier)
        client.call("Monitor.Add", name=monitor, conditions=[condition])
        report("add", monitor, identifier)
        added.append(identifier)
        if len(added) > 6:
            oldest = added.pop(0)
            report("?remove", monitor, oldest)
            client.call("Monitor.Remove", name=monitor, identifiers=[oldest])
            report("removed", monitor, oldest)
        time.sleep(generator.random() * 0.3)


def follow(monitor):
    """Follows a monitor and acknowledges about half of its events."""
    stream, client = Client(), Client(timeout=60)
    stream.send("Monitor.Open", more=True, name=monitor)
    generator = random.Random(f"{run} follow {monitor}")
    while True:
        message = stream.receive()
        if "error" in message:
            return report("error", monitor, message)
        event = message["parameters"].get("event")
        if not event:
            continue
        report("event", monitor, event["id"], event["identifier"], event["kind"], event["recorded"])
        if generator.random() < 0.5 or event["identifier"].startswith("home"):
            report("?ack", monitor, event["id"])
            client.call("Monitor.Acknowledge", name=monitor, events=[event["id"]])
            report("ack", monitor, event["id"])


def read_track(_):
    """Reads the track again and again, and reports its new points: they are on disk when the service has sent them."""
    client, place = Client(timeout=60), {}
    while True:
        page = client.call("Location.Track", **place)
        points = [[point["timestamp"], point["latitude"], point["longitude"]] for point in page["points"]]
        report("track", *points)
        if page.get("next"):
            place = {"after": page["next"]}
        elif points:
            place = {"since": points[-1][0]}
        time.sleep(0.5)


def guarded(function, monitor):
    try:
        function(monitor)
    except Exception as error:
        report("error", function.__name__, monitor, repr(error))


client = Client(timeout=60)
monitors = ("storm-a", "storm-b")
for monitor in monitors:
    for radius in (60, 120, 240):
        report("?add", monitor, f"home{radius}")
        home = {"identifier": f"home{radius}", "circle": circle(LATITUDE, float(radius)), "dwell": 3.0}
        client.call("Monitor.Add", name=monitor, conditions=[home])
        report("add", monitor, f"home{radius}")
for monitor in monitors:
    for function in (follow, change):
        threading.Thread(target=guarded, args=(function, monitor), daemon=True).start()
threading.Thread(target=guarded, args=(read_track, ""), daemon=True).start()
# A stream keeps the receiver awake.
stream = Client()
stream.send("Location.Subscribe", more=True, configuration="automotiveNavigation", pausesWhenStationary=False)
while True:
    stream.receive()
