"""A service of places that has one time zone everywhere: time_zones.py SOCKET ZONE."""
import json
import socket
import sys
import threading

listener = socket.socket(socket.AF_UNIX)
listener.bind(sys.argv[1])
listener.listen(16)


def serve(connection):
    pending = b""
    while data := connection.recv(65536):
        *calls, pending = (pending + data).split(b"\0")
        for call in map(json.loads, calls):
            mark = {**call["parameters"], "timeZone": sys.argv[2]}
            connection.sendall(json.dumps({"parameters": {"placemarks": [mark]}}).encode() + b"\0")


while True:
    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
