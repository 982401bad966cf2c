#!/usr/bin/env python3
"""Prints what a track of 100,000 points takes: bytes on disk, and seconds to export it in each form.

    Tools/track/figures.py [--programs DIR] [--points COUNT]

The points are a drive with noise, packed as TrackPiece.swift packs them. The release daemon reads them from its state directory, and the
release sextant exports them five times. The median counts. Exits with 1 if a figure is above its limit: 3 MB and 1 s."""
import argparse
import os
import random
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

PIECE, LIMIT_BYTES, LIMIT_SECONDS = 64, 3_000_000, 1.0
SCHEMA = """CREATE TABLE piece (number INTEGER PRIMARY KEY AUTOINCREMENT, first INTEGER NOT NULL, last INTEGER NOT NULL,
    count INTEGER NOT NULL, points BLOB NOT NULL) STRICT;
    CREATE INDEX piece_by_first ON piece (first); CREATE INDEX piece_by_last ON piece (last);"""


def number(value):
    rest = value << 1 if value >= 0 else (-value << 1) - 1
    result = bytearray()
    while rest >= 0x80:
        result.append(rest & 0x7F | 0x80)
        rest >>= 7
    return bytes(result + bytes([rest]))


def pack(points):
    result, last = bytearray(), (0, 0, 0, 0, 0)
    for index, point in enumerate(points):
        result.append(1 | (2 if point[0] % 900_000 < 30_000 and index else 0))
        for new, old in zip(point, last):
            result += number(new - old)
        last = point
    return bytes(result)


def write(path, count):
    source = random.Random(1)
    start = int(time.time() * 1000) - 29 * 86_400_000
    step = 28 * 86_400_000 // count
    points = [(start + index * step, 515_000_000 + index * 1800 + source.randrange(2000), -1_000_000 + index * 2000 + source.randrange(2000),
               25 + source.randrange(20), 350 + source.randrange(40)) for index in range(count)]
    database = sqlite3.connect(path)
    database.executescript(SCHEMA)
    database.execute("PRAGMA user_version=1")
    for first in range(0, count, PIECE):
        part = points[first:first + PIECE]
        database.execute("INSERT INTO piece (first, last, count, points) VALUES (?, ?, ?, ?)", (part[0][0], part[-1][0], len(part), pack(part)))
    database.commit()
    database.close()
    return os.path.getsize(path)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", default=".build/release")
    parser.add_argument("--points", type=int, default=100_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(f"{folder}/state")
        size = write(f"{folder}/state/track.db", options.points)
        with open(f"{folder}/sextant.toml", "w", encoding="ascii") as file:
            file.write('[receivers]\ndiscover = false\n[track]\nkeep = "30 d"\n')
        words = [f"{options.programs}/sextantd", "--config", f"{folder}/sextant.toml", "--state", f"{folder}/state", "--socket", f"{folder}/s"]
        failed = size > LIMIT_BYTES
        print(f"{options.points} points on disk: {size} bytes, {size / options.points:.1f} each (limit {LIMIT_BYTES})")
        with subprocess.Popen(words, stderr=subprocess.DEVNULL) as daemon:
            try:
                for form in ("gpx", "geojson", "csv"):
                    times = []
                    for _ in range(5):
                        began = time.monotonic()
                        text = subprocess.run([f"{options.programs}/sextant", "track", "export", "--format", form, "--socket", f"{folder}/s"],
                                              check=True, capture_output=True).stdout
                        times.append(time.monotonic() - began)
                    marks = {"gpx": b"<trkpt ", "geojson": b'Z"', "csv": b"point,"}[form]
                    found = text.count(marks)
                    seconds = statistics.median(times)
                    failed |= seconds > LIMIT_SECONDS or found < options.points
                    print(f"export as {form}: {seconds:.2f} s (limit {LIMIT_SECONDS}), {len(text)} bytes, {found} points")
            finally:
                daemon.send_signal(signal.SIGTERM)
    sys.exit(failed)


if __name__ == "__main__":
    main()
