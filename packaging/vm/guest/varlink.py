"""A minimal Varlink client."""
import json
import socket

SOCKET = "/run/sextant/io.sextant"


class Client:
    def __init__(self, timeout=None):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(timeout)
        self.socket.connect(SOCKET)
        self.pending = b""

    def send(self, method, more=False, **parameters):
        message = {"method": "io.sextant." + method, "parameters": {k: v for k, v in parameters.items() if v is not None}}
        if more:
            message["more"] = True
        self.socket.sendall(json.dumps(message).encode() + b"\0")

    def receive(self):
        while b"\0" not in self.pending:
            part = self.socket.recv(65_536)
            if not part:
                raise EOFError("the service closed the connection")
            self.pending += part
        message, self.pending = self.pending.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.send(method, **parameters)
        reply = self.receive()
        if "error" in reply:
            raise RuntimeError(json.dumps(reply))
        return reply.get("parameters", {})
