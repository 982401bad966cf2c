#!/usr/bin/env python3
"""Runs programs that are written for gpsd, NMEA 0183 and chrony against the bridges, unmodified, and prints a table.

A program that is not installed makes its row "missing", which fails with --strict."""
import argparse
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time

import desktop
import programs
import receiver
from harness import HERE, REPOSITORY, TOLERANCE, Client, Missing, System, check, free_port, position, run, screen


# The rows.

def gpspipe_json(system):
    lines = run(["gpspipe", "-w", "-n", "6", f"127.0.0.1:{system.port}"]).splitlines()
    classes = [json.loads(line)["class"] for line in lines]
    check(classes[:3] == ["VERSION", "DEVICES", "WATCH"] and {"TPV", "SKY"} <= set(classes[3:]), classes)


def gpspipe_sentences(system):
    for option in ("-r", "-R"):
        text = run(["gpspipe", option, "-n", "14", f"127.0.0.1:{system.port}"])
        times = {kind: set(re.findall(rf"\$G[PN]{kind},(\d{{6}})", text)) for kind in ("RMC", "GGA")}
        check(times["RMC"] & times["GGA"], f"{option}: no RMC and GGA of the same second: {text}")


def cgps(system):
    screen(["cgps", "-s", f"127.0.0.1:{system.port}"], 15, [r"48\.1\d+", r"11\.516", r"3D FIX", r"Seen +10/Used +8"])


def gpsmon(system):
    screen(["gpsmon", f"127.0.0.1:{system.port}"], 20, [r"NMEA0183>", r"RMC", r"GGA", r"4807\.\d+", r"GSV|Ch|SV"])


def gpxlogger(system):
    program = "gpxlogger"
    if not shutil.which(program):
        raise Missing(program)
    process = subprocess.Popen([program, "-e", "sockets", f"127.0.0.1:{system.port}"], stdout=subprocess.PIPE, text=True)
    time.sleep(6.5)
    process.terminate()
    text = process.communicate(timeout=10)[0]
    times = re.findall(r"<time>(.*?)</time>", text)[1:]
    check(text.count("<trkpt") >= 5 and "<ele>" in text, f"{text.count('<trkpt')} points")
    check(all(a < b for a, b in zip(times, times[1:])), times)


def gpsprof(system):
    check("plot" in run(["gpsprof", "-n", "5", "-f", "space", f"127.0.0.1:{system.port}"]), "no plot")


def gpscsv(system):
    lines = run(["gpscsv", "-n", "3", f"127.0.0.1:{system.port}"]).splitlines()
    check(sum("48.1" in line for line in lines) >= 2, lines)


def gpsctl(system):
    done = run(["gpsctl", "-T", "10", "-t", "NMEA0183", f"127.0.0.1:{system.port}"], statuses=(0, 1))
    check("Traceback" not in done, done)


def python_client(name, python, *more):
    def row(system):
        if not shutil.which(python):
            raise Missing(python)
        done = subprocess.run([python, f"{HERE}/clients.py", name, str(system.port), *more], capture_output=True, text=True,
                              timeout=120, check=False)
        if "ModuleNotFoundError" in done.stderr:
            raise Missing(done.stderr.strip().splitlines()[-1])
        check(done.returncode == 0, done.stderr[-300:])
        position(done.stdout)
        if name == "agps3":
            check(int(done.stderr.split()[-1]) >= float(more[0]) * 55 / 60, done.stderr)
    return row


def requests(system):
    """Each request cut at every byte, joined and without terminator: the same answers."""
    text = '?WATCH={"enable":true};?DEVICES;?POLL;?VERSION;'
    expected = ["VERSION", "DEVICES", "WATCH", "DEVICES", "POLL", "VERSION"]
    for cut in range(len(text) + 1):
        client = Client(system.port)
        client.send(text[:cut])
        time.sleep(0.005)
        client.send(text[cut:] or "\n")
        classes = [client.object()["class"] for _ in expected]
        check(classes == expected, f"cut at {cut}: {classes}")
    for watch in ('?WATCH={"enable":true,"json":true}', '?WATCH={"enable":true,"json":true}?WATCH={"json":true};',
                  '?WATCH={"class":"WATCH","enable":true,"json":true,"nmea":true,"raw":true}'):
        client = Client(system.port)
        client.send(watch)
        if "nmea" not in watch:
            client.until(lambda line: line["class"] == "TPV")
        else:
            while not client.line().startswith(b"$GPGGA"):
                pass
    client = Client(system.port)
    client.send(b"x" * 65536)
    client.send("?DEVICES;\n")
    check(client.object()["class"] == "VERSION", "no VERSION")


def polling(system):
    """gpsd-py3 and pygpsd read exactly one line after each POLL."""
    client = Client(system.port)
    client.object()
    client.send('?WATCH={"enable":true}')
    check([client.object()["class"] for _ in range(2)] == ["DEVICES", "WATCH"], "not DEVICES and WATCH")
    for _ in range(4):
        client.send("?POLL;\n")
        poll = client.object()
        check(poll["class"] == "POLL" and poll["active"] == 1 and poll["tpv"] and poll["sky"], poll)
        time.sleep(1)


def killed(system):
    """A killed daemon costs no connection."""
    client = Client(system.port)
    client.send('?WATCH={"enable":true,"json":true};\n')
    client.until(lambda line: line["class"] == "TPV" and line["mode"] == 3)
    for _ in range(3):
        system.kill(system.daemon)
        system.daemon = system.start_daemon()
        start = time.monotonic()
        before = system.receiver.epochs
        client.until(lambda line: line["class"] == "TPV" and line["mode"] == 3 and system.receiver.epochs > before + 1, 15)
        check(time.monotonic() - start < 10, "more than 10 s")


def many(system):
    """A client that never reads, 500 that watch and 1,000 that only connect."""
    lazy = Client(system.port)
    lazy.send('?WATCH={"enable":true,"json":true,"nmea":true};\n')
    idle = [socket.create_connection(("127.0.0.1", system.port)) for _ in range(1000)]
    watchers = [Client(system.port) for _ in range(500)]
    for client in watchers:
        client.send('?WATCH={"enable":true,"json":true};\n')
    for client in watchers:
        client.until(lambda line: line["class"] == "TPV", 20)
    times = []
    for client in watchers:
        client.until(lambda line: line["class"] == "TPV", 20)
        times.append(time.monotonic())
    for connection in idle:
        connection.close()


def rest(programs):
    """At rest a watcher gets a TPV at least every 4 s."""
    system = System(programs, rest=True)
    try:
        client = Client(system.port)
        client.send('?WATCH={"enable":true,"json":true};\n')
        end, last, longest = time.monotonic() + 30, None, 0
        while time.monotonic() < end:
            client.until(lambda line: line["class"] == "TPV", 6)
            now = time.monotonic()
            longest = max(longest, now - last if last else 0)
            last = now
        check(longest <= 4.2, f"{longest:.1f} s without a TPV")
    finally:
        system.end()


def relay(system):
    """gpsd takes its data from the bridge."""
    if not shutil.which("gpsd"):
        raise Missing("gpsd")
    port = free_port()
    process = subprocess.Popen(["gpsd", "-N", "-n", "-S", str(port), f"gpsd://127.0.0.1:{system.port}"], stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 20
        while True:
            try:
                client = Client(port)
                client.send('?WATCH={"enable":true,"json":true};\n')
                found = client.until(lambda line: line["class"] == "TPV" and line.get("mode", 0) >= 2, 5)
                break
            except (OSError, TimeoutError, AssertionError):
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.3)
        check(abs(found["lat"] - receiver.LATITUDE) < TOLERANCE, found)
    finally:
        process.terminate()
        process.wait()


def perl(system):
    code = ('use Net::GPSD3; my $g=Net::GPSD3->new(host=>"127.0.0.1",port=>$ARGV[0]);'
            '$g->addHandler(sub{my $o=shift; if($o->class eq "TPV" and $o->mode>=2){print $o->lat," ",$o->lon," ",$o->alt; exit 0}});'
            '$g->watch;')
    if subprocess.run(["perl", "-MNet::GPSD3", "-e", "1"], capture_output=True, check=False).returncode:
        raise Missing("libnet-gpsd3-perl")
    position(run(["perl", "-e", code, str(system.port)]))


PROGRAM = r"""
#include <gps.h>
#include <math.h>
#include <stdio.h>
int main(int argc, char **argv) {
    struct gps_data_t data;
    if (gps_open("127.0.0.1", argv[1], &data)) return 1;
    gps_stream(&data, WATCH_ENABLE | WATCH_JSON, NULL);
    int hasSky = 0;
    for (int i = 0; i < 200 && gps_waiting(&data, 5000000); i++) {
        if (gps_read(&data, NULL, 0) < 0) return 2;
        if (data.set & SATELLITE_SET) hasSky = data.satellites_used == 8 && data.satellites_visible == 10;
        if (hasSky && data.fix.mode == 3 && isfinite(data.fix.eph) && isfinite(data.fix.altMSL)) {
            printf("%.6f %.6f %.2f\n", data.fix.latitude, data.fix.longitude, data.fix.altMSL);
            return 0;
        }
    }
    return 3;
}
"""


def libgps(system):
    if not os.path.exists("/usr/include/gps.h") or not shutil.which("gcc"):
        raise Missing("libgps-dev")
    source = system.write("client.c", PROGRAM)
    run(["gcc", "-o", f"{system.folder}/client", source, "-lgps", "-lm"])
    position(run([f"{system.folder}/client", str(system.port)]))


def chrony(system):
    """chronyd without control of the clock reads samples."""
    if not shutil.which("chronyd"):
        raise Missing("chrony")
    path = f"/run/chrony.sextant-{os.getpid()}.sock"
    os.makedirs("/run/chrony", mode=0o700, exist_ok=True)
    shutil.chown("/run/chrony", "_chrony", "_chrony")
    configuration = system.write("chrony.conf", f"refclock SOCK {path} refid GNSS poll 0 filter 1 delay 0.5\ncmdport 0\n"
                                 "bindcmdaddress /run/chrony/chronyd.sock\npidfile /run/chrony/sextant-conformance.pid\n")
    process = subprocess.Popen(["chronyd", "-x", "-d", "-L", "0", "-f", configuration], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 60
        while not os.path.exists(path):
            check(process.poll() is None and time.monotonic() < deadline, "chronyd does not run")
            time.sleep(0.1)
        system.start("sextant-bridge", "time", "--chrony", path, "--interval", "1")
        text = ""
        while time.monotonic() < deadline:
            done = subprocess.run(["chronyc", "-h", "/run/chrony/chronyd.sock", "-c", "sources"], capture_output=True, text=True,
                                  check=False)
            text = done.stdout
            fields = text.strip().split(",")
            if len(fields) > 7 and fields[2] == "GNSS" and int(fields[5]) >= 7:
                check(abs(float(fields[7])) < 1.5, text)
                return
            time.sleep(1)
        raise AssertionError(f"chrony has no samples: {text}")
    finally:
        process.terminate()
        process.wait()
        if os.path.exists(path):
            os.unlink(path)


def sentences(system):
    """NMEA over TCP, whole lines with right checksums."""
    port = free_port()
    system.start("sextant-bridge", "nmea", "--tcp", f"127.0.0.1:{port}", "--talker", "GN")
    deadline = time.monotonic() + 10
    while True:
        try:
            client = Client(port)
            break
        except OSError:
            check(time.monotonic() < deadline, "no port")
            time.sleep(0.1)
    kinds = set()
    while {"$GNRMC", "$GNGGA"} - kinds:
        line = client.line(10)
        total = 0
        for byte in line[1:-3]:
            total ^= byte
        check(line[-2:] == b"%02X" % total, line)
        kinds.add(line[:6].decode())


def rows(arguments):
    seconds = "10" if arguments.short else "60"
    table = [
        ("gpspipe -w", gpspipe_json), ("gpspipe -r, -R", gpspipe_sentences), ("cgps", cgps), ("gpsmon", gpsmon),
        ("gpxlogger", gpxlogger), ("gpsprof", gpsprof), ("gpscsv", gpscsv), ("gpsctl", gpsctl), ("libgps", libgps),
        ("Net::GPSD3", perl)]
    for name in ("gpsd_py3", "gpsd2", "gpsdclient", "gps3", "pygpsd", "gpsd_client_async"):
        table.append((name, python_client(name, arguments.python)))
    table += [("Debian's module gps", python_client("gps_module", "/usr/bin/python3")),
              ("module gps 3.27", python_client("gps_module", arguments.python)), ("aiogps", python_client("aiogps", arguments.python))]
    table += [
        ("Home Assistant's agps3", python_client("agps3", arguments.python, seconds)), ("requests cut and joined", requests),
        ("polling", polling), ("killed daemon", killed), ("many clients", many), ("gpsd as client", relay),
        ("NMEA over TCP", sentences), ("chrony", chrony)]
    if not arguments.short:
        table += [("GeoClue", desktop.geoclue), ("portal", desktop.portal), ("xgps", desktop.xgps), *programs.ROWS]
    return table


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", default=f"{REPOSITORY}/.build/release", help="folder with sextantd and sextant-bridge")
    parser.add_argument("--python", default=f"{REPOSITORY}/.build/conformance/bin/python", help="with the packages of requirements.txt")
    parser.add_argument("--runs", type=int, default=1, help="repeat all rows")
    parser.add_argument("--only", help="only rows whose name contains this text")
    parser.add_argument("--short", action="store_true", help="without the long rows")
    parser.add_argument("--strict", action="store_true", help="a missing program fails")
    arguments = parser.parse_args()
    results = {}
    for _ in range(arguments.runs):
        system = System(arguments.programs)
        try:
            for name, row in rows(arguments):
                if not arguments.only or arguments.only in name:
                    results.setdefault(name, []).append(judged(name, row, system))
        finally:
            system.end()
        if not arguments.short and (not arguments.only or arguments.only in "at rest"):
            results.setdefault("at rest", []).append(judged("at rest", rest, arguments.programs))
    print(f"\n{'program':28} passed of")
    for name, outcomes in results.items():
        print(f"{name:28} {outcomes.count('passed'):6} {len(outcomes)}{'  missing' if 'missing' in outcomes else ''}")
    missing = [name for name, outcomes in results.items() if "missing" in outcomes]
    if missing:
        print(f"\nCONFORMANCE IS NOT CHECKED WITH {len(missing)} OF {len(results)} PROGRAMS: {', '.join(missing)}. "
              "make conformance installs them.", flush=True)
    failed = [name for name, outcomes in results.items()
              if "failed" in outcomes or arguments.strict and "missing" in outcomes]
    sys.exit(1 if failed else 0)


def judged(name, row, argument):
    start = time.monotonic()
    try:
        row(argument)
        outcome = "passed"
    except Missing as error:
        outcome = "missing"
        print(f"conformance: {name}: {error} is not installed", file=sys.stderr)
    except Exception as error:
        outcome = "failed"
        print(f"conformance: {name}: {type(error).__name__}: {error}", file=sys.stderr)
    print(f"{name:28} {outcome} in {time.monotonic() - start:.1f} s", flush=True)
    return outcome


if __name__ == "__main__":
    main()
