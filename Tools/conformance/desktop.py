"""Rows with programs of a desktop, without a display: GeoClue on a bus of its own, and xgps on a virtual screen."""
import json
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
PORTAL = "/usr/libexec/xdg-desktop-portal"
PORTAL_SERVICES = [
    ("/usr/libexec/xdg-permission-store", "org.freedesktop.impl.portal.PermissionStore"),
    (f"{PORTAL}-gtk", "org.freedesktop.impl.portal.desktop.gtk"), (PORTAL, "org.freedesktop.portal.Desktop")]
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


class GeoClue:
    """A bus that is system and session bus, with GeoClue and an agent on it, fed by the role `geoclue`."""

    def __init__(self, system):
        for program in (GEOCLUE, f"{DEMOS}/agent", f"{DEMOS}/where-am-i", shutil.which("dbus-daemon") or "dbus-daemon"):
            if not os.path.exists(program):
                raise Missing(program)
        if os.getuid() != 0:
            raise Missing("root, to give GeoClue its configuration")
        path, bus = f"{system.folder}/geoclue.sock", f"{system.folder}/bus"
        self.environment = os.environ | {"DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={bus}", "DBUS_SESSION_BUS_ADDRESS": f"unix:path={bus}"}
        self.processes = [system.start("sextant-bridge", "geoclue", "--unix", path)]
        settings = system.write("geoclue.conf", SETTINGS.format(socket=path))
        try:
            self.start("dbus-daemon", "--nofork", f"--config-file={system.write('bus.conf', BUS.format(path=bus))}")
            wait_for(bus)
            self.start("unshare", "--mount", "sh", "-c", PRIVATE, settings, GEOCLUE, "-t", "60")
            self.wait_for_name("org.freedesktop.GeoClue2")
            self.start(f"{DEMOS}/agent")
            wait_for(path)
        except BaseException:
            self.end()
            raise

    def start(self, *words):
        self.processes.append(subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=self.environment))

    def run(self, *words):
        return subprocess.run(words, capture_output=True, text=True, timeout=40, env=self.environment, check=False)

    def wait_for_name(self, name):
        """Waits until a program has a name on the bus."""
        words = ["dbus-send", "--system", "--print-reply", "--dest=org.freedesktop.DBus", "/",
                 "org.freedesktop.DBus.NameHasOwner", f"string:{name}"]
        deadline = time.monotonic() + 20
        while "true" not in self.run(*words).stdout:
            check(time.monotonic() < deadline, f"{name} is not on the bus")
            time.sleep(0.1)

    def end(self):
        for process in reversed(self.processes):
            process.terminate()
            process.wait(10)


def check_position(found):
    check(abs(found["Latitude"] - receiver.LATITUDE) < TOLERANCE and abs(found["Longitude"] - receiver.LONGITUDE) < TOLERANCE, found)
    check(found["Accuracy"] >= 3, found)


def geoclue(system):
    """A desktop program gets the position through GeoClue, with an accuracy that is not below the truth."""
    bus = GeoClue(system)
    try:
        done = bus.run(f"{DEMOS}/where-am-i", "-a", "8", "-t", "10")
        found = {name: float(value) for name, value in re.findall(r"(Latitude|Longitude|Accuracy): +(-?[\d.]+)", done.stdout)}
        check({"Latitude", "Longitude", "Accuracy"} <= set(found), f"no location: {done.stdout[-200:]!r} {done.stderr[-200:]!r}")
        check_position(found)
    finally:
        bus.end()


def portal(system):
    """A program that asks the portal, as one in a sandbox does, gets the position."""
    for program in (PORTAL, f"{PORTAL}-gtk", shutil.which("Xvfb") or "Xvfb", "/usr/lib/python3/dist-packages/gi"):
        if not os.path.exists(program):
            raise Missing(program)
    bus = GeoClue(system)
    try:
        display = f":{free_port() % 1000 + 200}"
        os.makedirs(f"{system.folder}/glib-2.0/settings", exist_ok=True)
        system.write("glib-2.0/settings/keyfile", "[org/gnome/system/location]\nenabled=true\n")
        bus.environment |= {
            "DISPLAY": display, "HOME": system.folder, "XDG_CONFIG_HOME": system.folder, "XDG_DATA_HOME": system.folder,
            "XDG_RUNTIME_DIR": system.folder, "XDG_CURRENT_DESKTOP": "GNOME", "GSETTINGS_BACKEND": "keyfile", "NO_AT_BRIDGE": "1"}
        bus.start("Xvfb", display, "-screen", "0", "640x480x24", "-nolisten", "tcp")
        wait_for(f"/tmp/.X11-unix/X{display[1:]}")
        for program, name in PORTAL_SERVICES:
            bus.start(program)
            bus.wait_for_name(name)
        done = bus.run("/usr/bin/python3", os.path.join(os.path.dirname(os.path.abspath(__file__)), "portal_client.py"))
        check(done.returncode == 0, done.stderr[-300:])
        check_position(json.loads(done.stdout))
    finally:
        bus.end()


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
