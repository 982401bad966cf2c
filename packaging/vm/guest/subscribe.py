#!/usr/bin/python3
"""subscribe.py CONFIGURATION LOG: one subscription; writes each reply to LOG, one JSON array per line:

    [monotonic clock, cause or null, latitude or null, receiver or null, detail of the cause or null, error or null]

The last line is [clock, "END", reason] if the service closed the connection.
"""
import json
import sys
import time

from varlink import Client

log = open(sys.argv[2], "a", buffering=1)
client = Client()
client.send("Location.Subscribe", more=True, configuration=sys.argv[1], pausesWhenStationary=False)
try:
    while True:
        message = client.receive()
        parameters = message.get("parameters", {})
        location = parameters.get("location") or {}
        cause = parameters.get("cause") if parameters.get("locationUnavailable") else None
        log.write(json.dumps([round(time.monotonic(), 6), cause, location.get("latitude"), location.get("receiver"),
                              parameters.get("detail") if cause else None, message.get("error")]) + "\n")
except EOFError as error:
    log.write(json.dumps([time.monotonic(), "END", str(error)]) + "\n")
