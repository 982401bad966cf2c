"""Calls every method of io.sextant.Monitor at SOCKET for the monitor "home" of PROGRAM, which belongs to another user than USER, who runs
this, and for programs that do not exist. All must be refused."""
import json
import socket
import sys

path, program, user, event = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
CIRCLE = {"identifier": "y", "circle": {"center": {"latitude": 48.0, "longitude": 11.0}, "radius": 100.0}}
FEATURE = {"type": "Feature", "id": "z", "geometry": {"type": "Point", "coordinates": [11.0, 48.0]}, "properties": {"radius": 100}}
CREATING = {"Add": {"conditions": [CIRCLE]}, "Import": {"geojson": FEATURE}, "Open": {}}
OTHERS = {"List": {}, "Export": {}, "GetRecord": {"identifier": "x"}, "Remove": {"identifiers": ["x"]}, "Acknowledge": {"events": [event]},
          "Nearest": {}, "Delete": {}}

client = socket.socket(socket.AF_UNIX)
client.settimeout(20)
client.connect(path)


def call(method, more=False, **parameters):
    request = {"method": "io.sextant.Monitor." + method, "parameters": parameters} | ({"more": True} if more else {})
    client.sendall(json.dumps(request).encode() + b"\0")
    held = b""
    while not held.endswith(b"\0"):
        held += client.recv(65536)
    return json.loads(held[:-1])


for method, parameters in (CREATING | OTHERS).items():
    answer = call(method, more=method == "Open", name="home", program=program, **parameters)
    assert answer.get("error") == "org.varlink.service.PermissionDenied", (method, answer)
assert call("ListMonitors")["parameters"]["monitors"] == [], "the monitors of others are listed"

# Any other spelling of the own user is refused, by every method.
for text in ("0" + user, "+" + user, user + ":", user + ":x1", user + ":a b.service", user + ":\u0001.service"):
    for method, parameters in (CREATING | OTHERS).items():
        answer = call(method, more=method == "Open", name="home", program=text, **parameters)
        assert answer.get("error") == "io.sextant.Monitor.InvalidProgram", (method, text, answer)
        assert "user ID without sign" in answer["parameters"]["reason"], answer
# A program of the own user that is not connected cannot be invented.
for method, parameters in CREATING.items():
    answer = call(method, more=method == "Open", name="home", program=user + ":invented.service", **parameters)
    assert answer.get("error") == "io.sextant.Monitor.InvalidProgram", (method, answer)
    assert "connected" in answer["parameters"]["reason"], answer
assert call("Add", name="home", program=user, conditions=[CIRCLE])["parameters"]["added"] == 1

# Connections that come too fast are refused with an error, while this one is served, and accepted again later.


def knock():
    knocking = socket.socket(socket.AF_UNIX)
    knocking.settimeout(20)
    knocking.connect(path)
    try:
        knocking.sendall(b'{"method":"org.varlink.service.GetInfo"}\0')
        return json.loads(knocking.recv(65536).rstrip(b"\0") or b"{}").get("error")
    except (BrokenPipeError, ConnectionResetError):
        return None


REFUSED = "io.sextant.Manager.TooManyNewConnections"
assert any(knock() == REFUSED for _ in range(5000)), "no connection is refused"
assert call("Delete", name="home", program=user) == {"parameters": {}}
assert any(knock() is None for _ in range(5000)), "no connection is accepted again"
