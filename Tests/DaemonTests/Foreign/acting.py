"""Passes sockets to the daemon at SOCKET as a program that may not act for others: one of its own, and one whose other end is the
daemon, which belongs to another user. Each call must be refused, and the connection must stay that of this program."""
import json
import os
import socket
import sys

path = sys.argv[1]


def call(client, method, descriptors=()):
    socket.send_fds(client, [json.dumps({"method": method}).encode() + b"\0"], list(descriptors))
    held = b""
    while not held.endswith(b"\0"):
        read = client.recv(65536)
        assert read, f"closed after {held!r}"
        held += read
    return json.loads(held[:-1])


def connect(to):
    client = socket.socket(socket.AF_UNIX)
    client.settimeout(20)
    client.connect(to)
    return client


ours, theirs = socket.socketpair()
foreign = connect(path)
for passed in (ours, foreign):
    client = connect(path)
    answer = call(client, "io.sextant.Session.ActFor", [passed.fileno()])
    assert answer.get("error") == "io.sextant.Session.NotAllowed", answer
    assert "sextant-places" in answer["parameters"]["detail"], answer
    program = call(client, "io.sextant.Session.GetAuthorization")["parameters"]["permission"]["program"]
    assert program == str(os.getuid()), program
client = connect(path)
for _ in range(1000):
    call(client, "org.varlink.service.GetInfo", [ours.fileno(), theirs.fileno()])
print("refused")
