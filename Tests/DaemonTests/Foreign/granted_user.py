"""Calls the methods of io.sextant.Monitor at SOCKET for the monitor "home" of PROGRAM, which belongs to another user. The configuration names the
user who runs this in MODE: monitors.readers or monitors.editors."""
import json
import socket
import sys

path, program, mode = sys.argv[1:4]
CIRCLE = {"identifier": "y", "circle": {"center": {"latitude": 48.0, "longitude": 11.0}, "radius": 100.0}}
FEATURE = {"type": "Feature", "id": "z", "geometry": {"type": "Point", "coordinates": [11.0, 48.0]}, "properties": {"radius": 100}}
READING = {"List": {}, "Export": {}, "GetRecord": {"identifier": "x"}, "Nearest": {}}
EDITING = {"Add": {"conditions": [CIRCLE]}, "Import": {"geojson": FEATURE}, "Remove": {"identifiers": ["y"]}}
TAKING = {"Open": {}, "Acknowledge": {"events": [1]}}


def call(method, more=False, **parameters):
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(20)
        client.connect(path)
        request = {"method": "io.sextant.Monitor." + method, "parameters": parameters} | ({"more": True} if more else {})
        client.sendall(json.dumps(request).encode() + b"\0")
        held = b""
        while b"\0" not in held:
            held += client.recv(65536)
        return json.loads(held[: held.index(b"\0")])


DENIED = "org.varlink.service.PermissionDenied"
for method, parameters in READING.items():
    answer = call(method, name="home", program=program, **parameters)
    assert "error" not in answer, (method, answer)
listed = call("ListMonitors")["parameters"]["monitors"]
assert [monitor["program"] for monitor in listed] == [program], listed
for parameters in ({}, {"name": "home", "program": program}):
    watched = call("Watch", more=True, **parameters)["parameters"]
    assert watched["monitor"]["conditions"] == 1 and watched["program"] == program, watched
for method, parameters in EDITING.items():
    answer = call(method, name="home", program=program, **parameters)
    assert (answer.get("error") == DENIED) == (mode == "readers"), (method, answer)
for method, parameters in TAKING.items():
    answer = call(method, more=method == "Open", name="home", program=program, **parameters)
    assert answer.get("error") == DENIED, (method, answer)
answer = call("Delete", name="home", program=program)
assert (answer.get("error") == DENIED) == (mode == "readers"), answer
