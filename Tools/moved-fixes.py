#!/usr/bin/env python3
"""moved-fixes.py [--moves N] [--seed N] SEXTANT LOG...: moves one fix of each log at random, by 10 m to 20,000 km, replays
the log, and compares the accuracy of all other fixes, from 10 s later on, with that of the undisturbed log.

Prints a line for each log. The status is 1 if an accuracy changed by more than a factor of 1.5, or a fix is missing."""
import argparse
import functools
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile

LIMIT = 1.5
# The index of the latitude and of the time in each sentence with a position.
FIELDS = {b"GGA": (2, 1), b"GNS": (2, 1), b"RMC": (3, 1), b"GLL": (1, 5)}
SENTENCE = re.compile(rb"\$(G.(GGA|RMC|GLL|GNS),[^*]*)(\*[0-9A-Fa-f]{2})?")


def angle(value, digits, decimals):
    degrees, minutes = divmod(round(abs(value) * 60 * 10**decimals), 60 * 10**decimals)
    return f"{degrees:0{digits}d}{minutes / 10**decimals:0{decimals + 3}.{decimals}f}".encode()


def moved(match, east, north):
    fields = match[1].split(b",")
    index = FIELDS[match[2]][0]
    latitude, south, longitude, west = fields[index : index + 4]
    if not latitude or not longitude:
        return match[0]
    decimals = max(4, len(latitude.partition(b".")[2]))
    y = (int(latitude[:2]) + float(latitude[2:]) / 60) * (-1 if south == b"S" else 1)
    x = (int(longitude[:3]) + float(longitude[3:]) / 60) * (-1 if west == b"W" else 1)
    x = (x + east / (111_200 * math.cos(math.radians(y))) + 180) % 360 - 180
    y += north / 111_200
    y = max(-89, min(89, 178 - y if y > 89 else y))
    fields[index : index + 4] = [
        angle(y, 2, decimals), b"S" if y < 0 else b"N", angle(x, 3, decimals), b"W" if x < 0 else b"E"]
    body = b",".join(fields)
    return b"$" + body + b"*%02X" % functools.reduce(lambda a, b: a ^ b, body)


def time_of(line):
    match = SENTENCE.search(line)
    fields = match[1].split(b",") if match else []
    return fields[FIELDS[match[2]][1]] if match and len(fields) > FIELDS[match[2]][1] else b""


def replay(sextant, path):
    """Returns the accuracy of each fix by its time, and the times of all epochs."""
    output = subprocess.run([sextant, "replay", path], stdout=subprocess.PIPE, check=True).stdout
    epochs = [json.loads(line) for line in output.splitlines()]
    return {epoch["timestamp"]: epoch.get("horizontalAccuracy") for epoch in epochs if "timestamp" in epoch}


def seconds(timestamp):
    hours, minutes, rest = timestamp[11:-1].split(":")
    return int(hours) * 3600 + int(minutes) * 60 + float(rest)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[2])
    parser.add_argument("--moves", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("sextant")
    parser.add_argument("logs", nargs="+")
    options = parser.parse_args()
    generator = random.Random(options.seed)
    failures = 0
    for log in options.logs:
        with open(log, "rb") as file:
            lines = file.read().split(b"\n")
        control = replay(options.sextant, log)
        times = [time_of(line) for line in lines]
        choices = sorted({time for time in times if time})
        if not choices or not control:
            print(f"{os.path.basename(log):32} no fixes with a time")
            continue
        worst, missing, where = 1.0, 0, ""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, os.path.basename(log))
            for _ in range(options.moves):
                chosen, metres = generator.choice(choices), 10 ** generator.uniform(1, 7.3)
                bearing = generator.uniform(0, 2 * math.pi)
                shift = (metres * math.sin(bearing), metres * math.cos(bearing))
                with open(path, "wb") as file:
                    file.write(b"\n".join(
                        SENTENCE.sub(lambda match: moved(match, *shift), line) if time == chosen else line
                        for line, time in zip(lines, times)))
                fixes = replay(options.sextant, path)
                changed = [time for time in control if fixes.get(time) != control[time]]
                begin = seconds(changed[0]) if changed else 0
                for time in changed:
                    if not 10 <= (seconds(time) - begin) % 86_400 < 43_200:
                        continue
                    before, after = control[time], fixes.get(time)
                    if before and not after:
                        missing += 1
                    elif before and max(after / before, before / after) > worst:
                        worst = max(after / before, before / after)
                        where = f" ({chosen.decode()} moved by {metres:,.0f} m, at {time})"
        failures += worst > LIMIT or missing > 0
        print(f"{os.path.basename(log):32} {options.moves} moves: factor {worst:.3f}, {missing} missing{where}", flush=True)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
