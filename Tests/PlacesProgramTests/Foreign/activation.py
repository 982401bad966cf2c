"""activation.py PROGRAM DATA SOCKET: starts `sextant-places` as systemd does, for the first connection; asks for a name, closes the
connection and waits until the program ends by itself. Then does it once more, and with a call that waits for a daemon that never
answers, longer than an idle program runs."""
import json
import os
import select
import socket
import sys

program, data, path = sys.argv[1:4]
listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
listener.bind(path)
listener.listen()
daemon = path + ".daemon"
silent = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
silent.bind(daemon)
silent.listen()


def start():
    process = os.fork()
    if process == 0:
        os.dup2(listener.fileno(), 100)
        os.dup2(100, 3, inheritable=True)
        os.closerange(4, 101)
        os.execve(program, [program, "--data", data], {
            "SEXTANT_SOCKET": daemon, "LISTEN_FDS": "1", "LISTEN_FDNAMES": "varlink", "LISTEN_PID": str(os.getpid())})
    return process


def ask(method, parameters):
    client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    client.connect(path)
    client.settimeout(30)
    client.sendall(json.dumps({"method": "io.sextant.Places." + method, "parameters": parameters}).encode() + b"\0")
    assert select.select([listener], [], [], 15)[0]
    service = start()
    answer = b""
    while not answer.endswith(b"\0"):
        part = client.recv(65536)
        assert part, f"the connection has ended after {answer!r}"
        answer += part
    client.close()
    assert os.waitpid(service, 0)[1] == 0
    return json.loads(answer[:-1])


for _ in range(2):
    answer = ask("Reverse", {"latitude": 51.8425, "longitude": 5.8528})
    assert answer["parameters"]["placemarks"][0]["locality"] == "Nijmegen", answer
answer = ask("Where", {})
assert answer.get("error") == "io.sextant.Places.DaemonUnavailable", answer
assert "has not answered in 15 s" in answer["parameters"]["reason"], answer
print("ended three times", flush=True)
