"""service_manager.py PROGRAM ROLE DAEMON NOTIFY KILLS: runs `sextant-bridge ROLE` as systemd does, with a listening socket and a
store of descriptors, and kills it under a client that watches."""
import json
import os
import select
import signal
import socket
import sys
import threading

program, role, daemon, path, kills = *sys.argv[1:5], int(sys.argv[5])
listener = socket.create_server(("127.0.0.1", 0))
notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
notify.bind(path)
notify.setblocking(False)
stored, lock = {}, threading.Lock()


def receive():
    """Handles the messages of the service as they arrive."""
    while True:
        select.select([notify], [], [])
        with lock:
            handle_messages()


def handle_messages():
    """Handles the messages that have arrived. The lock is held, so that none is taken and not handled yet."""
    while True:
        try:
            data, descriptors, _, _ = socket.recv_fds(notify, 4096, 4)
        except BlockingIOError:
            return
        fields = dict(line.split("=", 1) for line in data.decode().split("\n") if "=" in line)
        if "FDSTORE" in fields:
            stored[fields["FDNAME"]] = descriptors[0]
        elif "FDSTOREREMOVE" in fields:
            stored.pop(fields["FDNAME"], None)


def start():
    """Starts the service with its socket and what it has stored."""
    with lock:
        # The service that was killed may have sent some, as the service manager handles them before the end of a process.
        handle_messages()
        passed = [("socket", listener.fileno()), *stored.items()]
    # Numbers above those of this process, so that no duplicate closes one that is still needed.
    copies = [os.dup(os.dup2(number, 200 + index)) for index, (_, number) in enumerate(passed)]
    process = os.fork()
    if process == 0:
        for index, number in enumerate(copies):
            os.dup2(number, 100 + index)
        for index in range(len(copies)):
            os.dup2(100 + index, 3 + index, inheritable=True)
        os.closerange(3 + len(copies), 400)
        names = ":".join(name for name, _ in passed)
        os.execve(program, [program, role, "--socket", daemon], {
            "LISTEN_FDS": str(len(copies)), "LISTEN_FDNAMES": names, "LISTEN_PID": str(os.getpid()),
            "NOTIFY_SOCKET": path})
    for number in copies:
        os.close(number)
    return process


threading.Thread(target=receive, daemon=True).start()
service = start()
client = socket.create_connection(listener.getsockname())
client.settimeout(15)
lines = client.makefile("r", newline="\r\n")
if role == "gpsd":
    client.sendall(b'?WATCH={"enable":true,"json":true};\n')


def next_position():
    """Reads whole lines up to the next position, and returns its time."""
    while True:
        line = lines.readline()
        assert line.endswith("\r\n"), f"the connection has ended: {line!r}"
        if role == "gpsd":
            report = json.loads(line)
            if report["class"] == "TPV" and report["mode"] == 3:
                return report["time"]
        elif "RMC," in line and ",A," in line:
            return line.split(",")[1]


next_position()
for _ in range(kills):
    os.kill(service, signal.SIGKILL)
    os.waitpid(service, 0)
    service = start()
    before = next_position()
    while next_position() == before:
        pass
os.kill(service, signal.SIGKILL)
print(f"survived {kills} kills", flush=True)
