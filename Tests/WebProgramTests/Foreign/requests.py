"""requests.py SOCKET: sends the requests of standard input, one JSON object per line, each on a connection of its own, and prints
the status and the content of each answer as JSON. Of an endless answer it prints what arrives until `until` is part of it."""
import http.client
import json
import socket
import sys


class Connection(http.client.HTTPConnection):
    """A connection to a Unix socket, or to a port of this machine."""

    def connect(self):
        path = sys.argv[1]
        if path.startswith("/"):
            self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            self.sock.settimeout(30)
            self.sock.connect(path)
        else:
            self.sock = socket.create_connection(("127.0.0.1", int(path)), 30)


def answer(request):
    connection = Connection("localhost", timeout=30)
    connection.putrequest(request.get("method", "GET"), request["path"], skip_host=True, skip_accept_encoding=True)
    headers = {"Host": "localhost:8947"} | request.get("headers", {})
    body = request.get("body")
    if body is not None:
        headers.setdefault("Content-Length", str(len(body.encode())))
    for name, values in headers.items():
        for value in values if isinstance(values, list) else [values]:
            if value is not None:
                connection.putheader(name, value)
    connection.endheaders()
    if body is not None:
        try:
            connection.send(body.encode())
        except OSError:
            pass  # The server has refused the head.
    response = connection.getresponse()
    content = b""
    until = request.get("until")
    while until is None or until.encode() not in content:
        part = response.read1(65536)
        if not part:
            break
        content += part
    connection.close()
    return {
        "status": response.status, "headers": {name.lower(): value for name, value in response.getheaders()},
        "body": content.decode("utf-8", "replace"),
    }


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
