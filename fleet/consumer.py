#!/usr/bin/env python3
"""consumer.py FOLDER DATABASE: keeps the positions and events that devices report.

FOLDER is that of setup.sh. DATABASE is the path of an SQLite file, or postgresql://... with PostGIS. A message is acknowledged
when the database has it. One that arrives twice has the same number, and is kept once.

It needs python3-paho-mqtt, and python3-psycopg2 for PostgreSQL."""
import argparse
import contextlib
import json
import os
import signal
import sqlite3
import sys
import time

import paho.mqtt.client

SQLITE = """
CREATE TABLE IF NOT EXISTS position (device TEXT, number INTEGER, time INTEGER, latitude REAL, longitude REAL, accuracy INTEGER,
    altitude INTEGER, speed INTEGER, course INTEGER, PRIMARY KEY (device, number)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS position_by_time ON position (device, time);
CREATE TABLE IF NOT EXISTS event (device TEXT, number INTEGER, time INTEGER, kind TEXT, fence TEXT, latitude REAL, longitude REAL,
    PRIMARY KEY (device, number)) WITHOUT ROWID;
"""
POSTGIS = """
CREATE EXTENSION IF NOT EXISTS postgis;
CREATE TABLE IF NOT EXISTS position (device text, number bigint, time timestamptz, place geography(Point), accuracy integer,
    altitude integer, speed integer, course integer, PRIMARY KEY (device, number));
CREATE INDEX IF NOT EXISTS position_by_time ON position (device, time);
CREATE INDEX IF NOT EXISTS position_by_place ON position USING gist (place);
CREATE TABLE IF NOT EXISTS event (device text, number bigint, time timestamptz, kind text, fence text, place geography(Point),
    PRIMARY KEY (device, number));
"""


class SQLite:
    def __init__(self, path):
        self.database = sqlite3.connect(path)
        self.database.executescript("PRAGMA journal_mode = WAL;" + SQLITE)

    def keep(self, positions, events):
        with self.database:
            self.database.executemany("INSERT OR IGNORE INTO position VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", positions)
            self.database.executemany("INSERT OR IGNORE INTO event VALUES (?, ?, ?, ?, ?, ?, ?)", events)


class PostGIS:
    PLACE = "ST_MakePoint(%s, %s)::geography"

    def __init__(self, address):
        import psycopg2
        self.database = psycopg2.connect(address)
        with self.database, self.database.cursor() as cursor:
            cursor.execute(POSTGIS)

    def keep(self, positions, events):
        with self.database, self.database.cursor() as cursor:
            for device, number, time, latitude, longitude, *rest in positions:
                cursor.execute(f"INSERT INTO position VALUES (%s, %s, to_timestamp(%s), {self.PLACE}, %s, %s, %s, %s) ON CONFLICT DO NOTHING",
                               (device, number, time, longitude, latitude, *rest))
            for device, number, time, kind, fence, latitude, longitude in events:
                cursor.execute(f"INSERT INTO event VALUES (%s, %s, to_timestamp(%s), %s, %s, {self.PLACE}) ON CONFLICT DO NOTHING",
                               (device, number, time, kind, fence, longitude, latitude))


def whole(value, limit=2**53):
    """A whole number that every database accepts; a damaged message must not stop the consumer."""
    number = int(value)
    if abs(number) > limit:
        raise ValueError(value)
    return number


def known(value):
    return None if value is None else whole(value, 2**31 - 1)


def degrees(value, limit):
    number = float(value)
    if not -limit <= number <= limit:
        raise ValueError(value)
    return number


def text(value):
    if not isinstance(value, str) or "\0" in value:
        raise ValueError(value)
    return value.encode(errors="replace").decode()


def records(topic, payload):
    """The positions and events of a message; none if it is another one, or damaged."""
    parts = topic.split("/")
    try:
        message = json.loads(payload)
        device, kind = "/".join(parts[1:3]), message["_type"]
        if kind == "location":
            return [(device, whole(message["_id"]), whole(message["tst"], 10**11), degrees(message["lat"], 90), degrees(message["lon"], 180),
                     *(known(message.get(name)) for name in ("acc", "alt", "vel", "cog")))], []
        if kind == "transition":
            place = [degrees(message[name], limit) if name in message else None for name, limit in (("lat", 90), ("lon", 180))]
            return [], [(device, whole(message["_id"]), whole(message["tst"], 10**11), text(message["event"]), text(message["desc"]), *place)]
        if kind == "track":
            sums, rows = [0, 0, 0, 0], []
            for row in message["points"]:
                sums = [whole(a + whole(b)) for a, b in zip(sums, row[:4], strict=True)]
                number, time, latitude, longitude = sums
                rows.append((device, number, whole(time, 10**11), degrees(latitude / 1e7, 90), degrees(longitude / 1e7, 180),
                             *(known(row[index]) for index in range(4, 8))))
            return rows, []
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, OverflowError, RecursionError):
        print(f"consumer.py: a message on {topic!r} is damaged", file=sys.stderr)
    return [], []


def main():
    parser = argparse.ArgumentParser(description="Keep the positions and events that devices report.")
    parser.add_argument("folder")
    parser.add_argument("database")
    options = parser.parse_args()
    store = (PostGIS if options.database.startswith("postgresql://") else SQLite)(options.database)
    with open(os.path.join(options.folder, "host"), encoding="utf-8") as file:
        host = file.read().strip()
    with open(os.path.join(options.folder, "port"), encoding="utf-8") as file:
        port = int(file.read())
    keys = os.path.join(options.folder, "devices/consumer")
    arguments = {"client_id": "consumer", "clean_session": False}
    if hasattr(paho.mqtt.client, "CallbackAPIVersion"):
        arguments["callback_api_version"] = paho.mqtt.client.CallbackAPIVersion.VERSION1
    client = paho.mqtt.client.Client(**arguments)
    client.tls_set(f"{keys}/ca.pem", f"{keys}/cert.pem", f"{keys}/key.pem")
    client.on_connect = lambda client, *_: client.subscribe("owntracks/#", 1)

    def keep(_client, _data, message):
        try:
            store.keep(*records(message.topic, message.payload))
        except Exception as error:  # paho would go on and acknowledge the message
            print(f"consumer.py: the database refuses a message: {error}", file=sys.stderr, flush=True)
            os._exit(1)
    client.on_message = keep
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    client.connect_async(host, port, 60)
    while True:
        try:
            client.loop_forever(retry_first_connection=True)
            return
        except OSError as error:  # paho does not catch that TLS ends while it sends an acknowledgement
            print(f"consumer.py: the connection was lost: {error}; trying again", file=sys.stderr, flush=True)
            time.sleep(1)
            with contextlib.suppress(OSError):
                client.reconnect()


if __name__ == "__main__":
    main()
