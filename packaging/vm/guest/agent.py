#!/usr/bin/python3
"""Runs the commands that the host sends through the virtio-serial port "agent", one JSON object per line in each direction.

    {"id": 1, "command": "uname -a", "user": "alice", "timeout": 60}  ->  {"id": 1, "status": 0, "output": "...", "errors": "..."}

Each command runs in a thread of its own, so that a slow one delays no other.
"""
import json
import os
import signal
import subprocess
import threading
import time

PORT = "/dev/virtio-ports/agent"
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
lock = threading.Lock()


def answer(port, identifier, status, output="", errors=""):
    data = (json.dumps({"id": identifier, "status": status, "output": output, "errors": errors}) + "\n").encode()
    with lock:
        while data:
            data = data[os.write(port, data):]


def run(request):
    """Returns status, output and errors of a command. Everything that it started is killed after the time limit."""
    user = request.get("user", "root")
    arguments = ["/bin/bash", "-c", request["command"]]
    if user != "root":
        arguments = ["setpriv", "--reuid", user, "--regid", user, "--init-groups", "--"] + arguments
    environment = {"PATH": PATH, "USER": user, "LANG": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive",
                   "HOME": "/root" if user == "root" else "/home/" + user}
    process = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               env=environment, cwd="/", start_new_session=True)
    try:
        output, errors = process.communicate(timeout=request.get("timeout", 120))
        status = process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, errors = process.communicate()
        status = 124
    return status, output.decode(errors="replace")[-200_000:], errors.decode(errors="replace")[-20_000:]


def serve(port, request):
    try:
        answer(port, request["id"], *run(request))
    except Exception as error:
        answer(port, request.get("id"), 255, errors=repr(error))


def main():
    port = os.open(PORT, os.O_RDWR)
    answer(port, 0, 0)
    pending = b""
    while True:
        part = os.read(port, 65_536)
        if not part:
            time.sleep(0.1)
            continue
        *lines, pending = (pending + part).split(b"\n")
        for line in lines:
            try:
                request = json.loads(line)
            except ValueError:
                continue
            threading.Thread(target=serve, args=(port, request), daemon=True).start()


main()
