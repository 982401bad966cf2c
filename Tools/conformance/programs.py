"""Rows with further programs of Debian that are clients of gpsd or of ntpd's shared memory."""
import glob
import os
import re
import shutil
import socket
import subprocess
import time

import receiver
from desktop import Relay, wait_for
from harness import Missing, REPOSITORY, TOLERANCE, check, free_port

NAVIT = "/etc/navit/navit.xml"
COLLECTD = """Hostname "host"
FQDNLookup false
Interval 1
BaseDir "{folder}"
PIDFile "{folder}/collectd.pid"
TypesDB "/usr/share/collectd/types.db"
LoadPlugin csv
LoadPlugin gps
<Plugin csv>
 DataDir "{folder}"
</Plugin>
<Plugin gps>
 Host "127.0.0.1"
 Port "{port}"
 Timeout 0.015
 PauseConnect 1
</Plugin>
"""
# Without `disable ntp` it would set the clock of this machine.
NTPD = "disable ntp\nrefclock shm unit {unit} minpoll 4 maxpoll 4 refid GNSS\nstatsdir {folder}/\nstatistics clockstats peerstats\n"
DIREWOLF = "ADEVICE stdin null\nAGWPORT 0\nKISSPORT 0\nCHANNEL 0\nMYCALL TEST\nGPSD 127.0.0.1 {port}\nTBEACON delay=0:01 every=0:05 symbol=car\n"


def wait_until(condition, process, seconds=30, log=None):
    """Waits until a program that runs has done what the row wants. `log` is the path of its output."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        check(process.poll() is None, f"the program has ended with {process.returncode}")
        check(time.monotonic() < deadline, f"nothing in {seconds} s; {text_of(log)[-500:] if log else ''}")
        time.sleep(0.2)
    return found


def running(words, **options):
    """A program without output, which the row ends."""
    if not shutil.which(words[0]):
        raise Missing(words[0])
    return subprocess.Popen(words, **{"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "stdin": subprocess.DEVNULL} | options)


def end(*processes):
    for process in processes:
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def virtual_screen():
    """A screen without a display, with its name."""
    display = f":{free_port() % 1000 + 200}"
    screen = running(["Xvfb", display, "-screen", "0", "1024x768x24", "-nolisten", "tcp"])
    wait_for(f"/tmp/.X11-unix/X{display[1:]}")
    return screen, display


def text_of(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def navit(system):
    """navit logs its position as GPX."""
    if not os.path.exists(NAVIT):
        raise Missing("navit")
    path = f"{system.folder}/navit.gpx"
    log = f'<log type="gpx" data="{path}" flush_size="1" flush_time="1"/>'
    text = text_of(NAVIT).replace('<gui type="gtk" enabled="no"', '<gui type="gtk" enabled="yes"')
    text = re.sub(r'<gui type="internal" enabled="yes">.*?</gui>', "", text, flags=re.DOTALL)
    text = re.sub(r'(<vehicle [^>]*source=")gpsd://localhost("[^>]*>)', rf"\1gpsd://127.0.0.1:{system.port}\2{log}", text)
    configuration = system.write("navit.xml", text)
    screen, display = virtual_screen()
    process = running(["navit", "-c", configuration], env=os.environ | {"HOME": system.folder, "DISPLAY": display, "NO_AT_BRIDGE": "1"})
    try:
        points = wait_until(lambda: re.findall(r'<trkpt lat="([\d.]+)" lon="([\d.]+)"', text_of(path)), process)
        check(abs(float(points[0][0]) - receiver.LATITUDE) < TOLERANCE, points)
        check(abs(float(points[0][1]) - receiver.LONGITUDE) < TOLERANCE, points)
    finally:
        end(process, screen)


def foxtrotgps(system):
    """foxtrotGPS, which connects to the standard port only, watches and reads."""
    if not shutil.which("foxtrotgps"):
        raise Missing("foxtrotgps")
    try:
        relay = Relay(system.port, 2947)
    except OSError as error:
        raise Missing("the free port 2947") from error
    screen, display = virtual_screen()
    process = running(["foxtrotgps"], env=os.environ | {
        "DISPLAY": display, "NO_AT_BRIDGE": "1", "HOME": system.folder, "GSETTINGS_BACKEND": "memory"})
    try:
        wait_until(lambda: b"?WATCH={" in relay.sent and relay.received > 4000, process)
    finally:
        relay.listener.close()
        end(process, screen)


def collectd(system):
    """collectd counts the satellites."""
    configuration = system.write("collectd.conf", COLLECTD.format(folder=system.folder, port=system.port))
    if not glob.glob("/usr/lib/collectd/gps.so"):
        raise Missing("collectd's plugin gps")
    process = running(["collectd", "-f", "-C", configuration])
    try:
        def used():
            files = glob.glob(f"{system.folder}/host/gps/satellites-used-*")
            return any(re.search(r",8(\.0*)?$", text_of(path), re.MULTILINE) for path in files)
        wait_until(used, process)
    finally:
        end(process)


def direwolf(system):
    """direwolf sends beacons with its position."""
    if not shutil.which("direwolf"):
        raise Missing("direwolf")
    # It knows no ports above 49151.
    relay = Relay(system.port, next(port for port in iter(free_port, None) if port < 49152))
    configuration = system.write("direwolf.conf", DIREWOLF.format(port=relay.port))
    path = f"{system.folder}/direwolf.log"
    with open(path, "wb") as log:
        process = running(["stdbuf", "-oL", "direwolf", "-t", "0", "-d", "g", "-c", configuration], stdout=log, stderr=log, stdin=subprocess.PIPE)
    try:
        wait_until(lambda: re.search(r"!4807\.\d+N.01131\.\d+E", text_of(path)), process, log=path)
    finally:
        relay.listener.close()
        end(process)


def gps2udp(system):
    """gps2udp passes sentences on."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as target:
        target.bind(("127.0.0.1", 0))
        target.settimeout(20)
        process = running(["gps2udp", "-n", "-u", f"127.0.0.1:{target.getsockname()[1]}", f"127.0.0.1:{system.port}"])
        try:
            for _ in range(30):
                if re.match(rb"\$GPGGA,\d{6}[.\d]*,4807\.\d+,N,01131\.", target.recv(4096)):
                    return
            raise AssertionError("no GGA")
        finally:
            end(process)


def ntpshmmon(system):
    """A reader of ntpd's shared memory gets samples."""
    if not shutil.which("ntpshmmon"):
        raise Missing("ntpshmmon")
    unit = 2 + os.getpid() % 6
    process = system.start("sextant-bridge", "time", "--shm", str(unit), "--interval", "1")
    try:
        # ntpshmmon opens the memories that are there when it starts.
        wait_until(lambda: re.search(rf"^ *{0x4E545030 + unit} ", text_of("/proc/sysvipc/shm"), re.MULTILINE), process)
        # The first sample of each of the 8 units may be an old one.
        done = subprocess.run(["ntpshmmon", "-n", "12", "-t", "40"], capture_output=True, text=True, timeout=50, check=False)
        samples = [line.split()[2:5] for line in done.stdout.splitlines() if line.startswith(f"sample NTP{unit} ")]
        recent = [(float(clock), float(real)) for seen, clock, real in samples if float(seen) - float(clock) < 10]
        check(len(recent) >= 3 and all(abs(real - clock) < 1.5 for clock, real in recent), done.stdout)
    finally:
        end(process)
        subprocess.run(["ipcrm", "-M", hex(0x4E545030 + unit)], check=False, capture_output=True)


def ntpd(system):
    """ntpd of NTPsec, which is not installed beside chrony but unpacked, hears its clock and finds it near the fed time."""
    program = f"{REPOSITORY}/.build/conformance/ntpsec/usr/sbin/ntpd"
    if not os.path.exists(program):
        raise Missing("ntpsec")
    if os.getuid() != 0:
        raise Missing("root, for ntpd")
    unit = 2 + os.getpid() % 6
    bridge = system.start("sextant-bridge", "time", "--shm", str(unit), "--interval", "1")
    configuration = system.write("ntp.conf", NTPD.format(unit=unit, folder=system.folder))
    # In a network of its own: port 123 of this machine may be taken.
    process = None
    try:
        wait_until(lambda: re.search(rf"^ *{0x4E545030 + unit} ", text_of("/proc/sysvipc/shm"), re.MULTILINE), bridge)
        log = f"{system.folder}/ntpd.log"
        process = running(["unshare", "--net", program, "-n", "-c", configuration, "-l", log])
        offset = wait_until(lambda: re.search(rf"^\d+ [\d.]+ SHM\({unit}\) [0-9a-f]+ (-?[\d.]+) ", text_of(f"{system.folder}/peerstats"), re.MULTILINE),
                            process, 90, log)
        check(abs(float(offset[1])) < 1.5, offset[0])
    finally:
        end(*([process] if process else []), bridge)
        subprocess.run(["ipcrm", "-M", hex(0x4E545030 + unit)], check=False, capture_output=True)


ROWS = [("navit", navit), ("foxtrotGPS", foxtrotgps), ("collectd", collectd), ("direwolf", direwolf), ("gps2udp", gps2udp),
        ("ntpshmmon", ntpshmmon), ("ntpd", ntpd)]
