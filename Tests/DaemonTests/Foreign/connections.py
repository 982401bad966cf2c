"""Opens LIMIT connections to SOCKET and then REFUSED more of the scope SCOPE, which must be turned away with a typed error while the others stay served."""
import json
import socket
import sys
import time

path, limit, refused, scope = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
GET_INFO = b'{"method":"org.varlink.service.GetInfo"}\0'


def connect():
    client = socket.socket(socket.AF_UNIX)
    client.settimeout(20)
    client.connect(path)
    return client


def message(client):
    held = b""
    while not held.endswith(b"\0"):
        part = client.recv(65536)
        if not part:
            return None
        held += part
    return json.loads(held[:-1])


held = [connect() for _ in range(limit)]
for client in held:
    client.sendall(GET_INFO)
    assert message(client)["parameters"]["product"] == "sextantd"
for _ in range(refused):
    extra = connect()
    answer = message(extra)
    assert answer == {"error": "io.sextant.Manager.TooManyConnections", "parameters": {"limit": limit, "scope": scope}}, answer
    assert message(extra) is None
for client in held:
    client.sendall(GET_INFO)
    assert message(client) is not None
held.pop().close()
deadline = time.monotonic() + 20
while True:
    again = connect()
    try:
        again.sendall(GET_INFO)
        if "error" not in (message(again) or {"error": None}):
            break
    except BrokenPipeError:
        pass
    assert time.monotonic() < deadline, "a closed connection makes no room"
