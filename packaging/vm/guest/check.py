#!/usr/bin/python3
"""check.py: all monitors of root, the events that are delivered when they are opened, the track, and the integrity of the
databases, as one JSON object. Acknowledges nothing. Stops the service for a moment.
"""
import json
import subprocess
import time

from varlink import Client


def connect():
    deadline = time.monotonic() + 90
    while True:
        try:
            return Client(timeout=60)
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)


def conditions(client, monitor):
    """Identifier and whether its persistence is unavailable, for each condition."""
    found, after = {}, None
    while True:
        page = client.call("Monitor.List", name=monitor, after=after, limit=100)
        for record in page["records"]:
            found[record["condition"]["identifier"]] = record["persistenceUnavailable"]
        after = page.get("next")
        if not after:
            return found


def events(monitor):
    """The pending events that a client gets: of each condition only the first."""
    stream, found = Client(timeout=60), []
    stream.send("Monitor.Open", more=True, name=monitor)
    try:
        while True:
            message = stream.receive()
            stream.socket.settimeout(2)
            event = message.get("parameters", {}).get("event")
            if event:
                found.append([event["id"], event["identifier"], event["kind"], event["recorded"]])
    except TimeoutError:
        return found


def track(client):
    """Time, latitude and longitude of each recorded point."""
    found, after = [], None
    while True:
        page = client.call("Location.Track", after=after)
        found += [[point["timestamp"], point["latitude"], point["longitude"]] for point in page["points"]]
        after = page.get("next")
        if not after:
            return found


def shell(command):
    return subprocess.run(command, shell=True, capture_output=True, text=True).stdout.strip()


client = connect()
client.call("Manager.GetStatus")
result = {"replied": time.monotonic(), "conditions": {}, "events": {}, "track": track(client)}
for monitor in [monitor["name"] for monitor in client.call("Monitor.ListMonitors")["monitors"]]:
    result["conditions"][monitor] = conditions(client, monitor)
    result["events"][monitor] = events(monitor)
result["restarts"] = shell("systemctl show sextantd -p NRestarts --value")
result["journal"] = shell("journalctl -b -u sextantd --no-pager -o cat -p warning")
result["integrity"] = shell(
    "systemctl stop sextantd.socket sextantd.service; "
    "for database in /var/lib/sextant/sextant.db /var/lib/sextant/track.db; do "
    "test ! -e $database || sqlite3 $database 'pragma integrity_check; pragma foreign_key_check'; done; "
    "systemctl start sextantd.socket sextantd.service; systemctl is-active sextantd")
print(json.dumps(result))
