"""Rows with programs of a desktop, without a display: GeoClue on a bus of its own, and xgps on a virtual screen."""
import os
import re
import shutil
import socket
import subprocess
import threading
import time

import receiver
from harness import Missing, TOLERANCE, check, free_port

GEOCLUE, DEMOS = "/usr/libexec/geoclue", "/usr/libexec/geoclue-2.0/demos"
BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>system</type><listen>unix:path={path}</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy>
</busconfig>
"""
# GeoClue reads only this file, so another one is mounted over it for this process.
CONFIGURATION, PRIVATE = "/etc/geoclue/geoclue.conf", 'mount --bind "$0" /etc/geoclue/geoclue.conf && exec "$@"'
SETTINGS = """[agent]
whitelist=geoclue-demo-agent
[network-nmea]
enable=true
nmea-socket={socket}
[3g]
enable=false
[cdma]
enable=false
[modem-gps]
enable=false
[wifi]
enable=false
[compass]
enable=false
"""


def wait_for(path):
    deadline = time.monotonic() + 10
    while not os.path.exists(path):
        check(time.monotonic() < deadline, f"{path} does not appear")
        time.sleep(0.1)


def wait_for_name(environment):
    """Waits until GeoClue is on the bus."""
    words = ["dbus-send", "--system", "--print-reply", "--dest=org.freedesktop.DBus", "/", "org.freedesktop.DBus.NameHasOwner",
             "string:org.freedesktop.GeoClue2"]
    deadline = time.monotonic() + 20
    while "true" not in subprocess.run(words, capture_output=True, text=True, env=environment, check=False).stdout:
        check(time.monotonic() < deadline, "GeoClue is not on the bus")
        time.sleep(0.1)


def geoclue(system):
    """A desktop program gets the position through GeoClue, with an accuracy that is not below the truth."""
    for program in (GEOCLUE, f"{DEMOS}/agent", f"{DEMOS}/where-am-i", shutil.which("dbus-daemon") or "dbus-daemon"):
        if not os.path.exists(program):
            raise Missing(program)
    if os.getuid() != 0:
        raise Missing("root, to give GeoClue its configuration")
    path, bus = f"{system.folder}/geoclue.sock", f"{system.folder}/bus"
    environment = os.environ | {"DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={bus}", "DBUS_SESSION_BUS_ADDRESS": f"unix:path={bus}"}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "env": environment}
    system.start("sextant-bridge", "geoclue", "--unix", path)
    words = [["dbus-daemon", "--nofork", f"--config-file={system.write('bus.conf', BUS.format(path=bus))}"],
             ["unshare", "--mount", "sh", "-c", PRIVATE, system.write("geoclue.conf", SETTINGS.format(socket=path)), GEOCLUE, "-t", "60"],
             [f"{DEMOS}/agent"]]
    processes = []
    try:
        for line, wait in zip(words, (lambda: wait_for(bus), lambda: wait_for_name(environment), lambda: wait_for(path))):
            processes.append(subprocess.Popen(line, **quiet))
            wait()
        done = subprocess.run([f"{DEMOS}/where-am-i", "-a", "8", "-t", "10"], capture_output=True, text=True, timeout=40, env=environment,
                              check=False)
        found = {name: float(value) for name, value in re.findall(r"(Latitude|Longitude|Accuracy): +(-?[\d.]+)", done.stdout)}
        check({"Latitude", "Longitude", "Accuracy"} <= set(found), f"no location: {done.stdout[-200:]!r} {done.stderr[-200:]!r}")
        check(abs(found["Latitude"] - receiver.LATITUDE) < TOLERANCE and abs(found["Longitude"] - receiver.LONGITUDE) < TOLERANCE, found)
        check(found["Accuracy"] >= 3, found)
    finally:
        for process in reversed(processes):
            process.terminate()
            process.wait(10)


class Relay:
    """Passes the bytes of one connection on, and keeps what the client has sent."""

    def __init__(self, port, own=0):
        self.sent, self.received = b"", 0
        self.listener, self.target = socket.create_server(("127.0.0.1", own)), socket.create_connection(("127.0.0.1", port))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        client, _ = self.listener.accept()
        threading.Thread(target=self.answer, args=(client,), daemon=True).start()
        try:
            while read := client.recv(4096):
                self.sent += read
                self.target.sendall(read)
        except OSError:
            pass  # The row has ended the program.

    def answer(self, client):
        try:
            while read := self.target.recv(65536):
                self.received += len(read)
                client.sendall(read)
        except OSError:
            pass  # The row has ended the program.


def xgps(system):
    """xgps watches, and runs without an error while it draws."""
    for program in ("Xvfb", "xgps"):
        if not shutil.which(program):
            raise Missing(program)
    relay, display = Relay(system.port), f":{free_port() % 1000 + 200}"
    screen = subprocess.Popen(["Xvfb", display, "-screen", "0", "1024x768x24", "-nolisten", "tcp"], stderr=subprocess.DEVNULL)
    process = None
    try:
        wait_for(f"/tmp/.X11-unix/X{display[1:]}")
        process = subprocess.Popen(["xgps", f"127.0.0.1:{relay.port}"], env=os.environ | {"DISPLAY": display, "NO_AT_BRIDGE": "1"},
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 20
        while relay.received < 4000:
            check(process.poll() is None and time.monotonic() < deadline, f"{relay.received} bytes read")
            time.sleep(0.2)
        process.terminate()
        errors = process.communicate(timeout=10)[1]
        check(b"?WATCH={" in relay.sent, relay.sent)
        check("Traceback" not in errors, errors[-300:])
    finally:
        for running in (process, screen):
            if running and running.poll() is None:
                running.terminate()
                running.wait(10)
