"""Watches the monitors at SOCKET as a user that the configuration names in monitors.readers. After the first reply it waits for a writer of the
pipe GATE. Then nothing more may have come (MODE "denied": the user may not know the location), or the daemon must have closed the connection
(MODE "revoked": the configuration names the user no longer)."""
import json
import socket
import sys

path, mode, gate = sys.argv[1:4]
client = socket.socket(socket.AF_UNIX)
client.settimeout(20)
client.connect(path)
client.sendall(b'{"method":"io.sextant.Monitor.Watch","more":true}\0')
held = b""
while b"\0" not in held:
    held += client.recv(65536)
first, held = held.split(b"\0", 1)
monitor = json.loads(first)["parameters"]["monitor"]
assert monitor["name"] == "home", monitor
assert (mode == "denied") == ("authorizationRestricted" in monitor), monitor
with open(gate, encoding="ascii") as pipe:
    pipe.read()
if mode == "denied":
    client.settimeout(0.05)
    try:
        held += client.recv(65536)
    except (TimeoutError, socket.timeout):
        pass
    assert held == b"", held
else:
    while True:
        read = client.recv(65536)
        if not read:
            break
