"""activation.py PROGRAM DATA SOCKET: starts `sextant-places` as systemd does, for the first connection; asks for a name, closes the
connection and waits until the program ends by itself. Then does it once more."""
import json
import os
import select
import socket
import sys

program, data, path = sys.argv[1:4]
listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
listener.bind(path)
listener.listen()


def start():
    process = os.fork()
    if process == 0:
        os.dup2(listener.fileno(), 100)
        os.dup2(100, 3, inheritable=True)
        os.closerange(4, 101)
        os.execve(program, [program, "--data", data], {
            "LISTEN_FDS": "1", "LISTEN_FDNAMES": "varlink", "LISTEN_PID": str(os.getpid())})
    return process


for _ in range(2):
    client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    client.connect(path)
    client.settimeout(15)
    client.sendall(b'{"method":"io.sextant.Places.Reverse","parameters":{"latitude":51.8425,"longitude":5.8528}}\0')
    assert select.select([listener], [], [], 15)[0]
    service = start()
    answer = b""
    while not answer.endswith(b"\0"):
        part = client.recv(65536)
        assert part, f"the connection has ended after {answer!r}"
        answer += part
    assert json.loads(answer[:-1])["parameters"]["placemarks"][0]["locality"] == "Nijmegen", answer
    client.close()
    assert os.waitpid(service, 0)[1] == 0
print("ended twice", flush=True)
