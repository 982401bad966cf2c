#!/usr/bin/env python3
"""recipe-test.py [--programs DIR]: runs the recipe of fleet/ on loopback: makes a broker, adds devices, starts the consumer, and reports.

- Positions and events of sextant-fleet are in the database, each once, also after a kill of the consumer and of the broker.
- A device without a certificate cannot connect. A device cannot write topics of another one.
- Damaged messages of a device do not stop the consumer.
- A second consumer keeps the same in PostgreSQL with PostGIS, in a server of its own. Without the packages, this part says SKIPPED.

It needs mosquitto, mosquitto-clients, openssl and python3-paho-mqtt; for the last part postgresql-15-postgis-3 and python3-psycopg2."""
import argparse
import glob
import importlib.util
import os
import shutil
import sqlite3
import subprocess
import sys
import tarfile
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
RECIPE = os.path.join(HERE, "../../fleet")
specification = importlib.util.spec_from_file_location("uplink_test", os.path.join(HERE, "uplink-test.py"))
uplink_test = importlib.util.module_from_spec(specification)
specification.loader.exec_module(uplink_test)
wait_until = uplink_test.wait_until


class Recipe:
    def __init__(self, bench):
        self.bench, self.folder, self.port = bench, bench.path("fleet-ca"), uplink_test.free_port()
        subprocess.run([f"{RECIPE}/setup.sh", self.folder, "127.0.0.1", str(self.port)], check=True, stdout=subprocess.DEVNULL)
        for device in ("van1", "van2"):
            self.archive = subprocess.run([f"{RECIPE}/add-device.sh", self.folder, device], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()

    def start_broker(self):
        self.bench.start("broker", "mosquitto", "-c", f"{self.folder}/mosquitto.conf")
        wait_until("broker", lambda: uplink_test.accepts(self.port))

    def start_consumer(self):
        # The Python of Debian, which has its package of MQTT.
        self.bench.start("consumer", "/usr/bin/python3", f"{RECIPE}/consumer.py", self.folder, self.bench.path("fleet.db"))

    def is_session_stored(self):
        """Whether the broker's file has the subscription of the consumer."""
        try:
            with open(f"{self.folder}/data/mosquitto.db", "rb") as file:
                contents = file.read()
        except OSError:
            return False
        return b"consumer" in contents and b"owntracks/#" in contents

    def rows(self, query):
        try:
            with sqlite3.connect(f"file:{self.bench.path('fleet.db')}?mode=ro", uri=True) as store:
                return store.execute(query).fetchall()
        except sqlite3.Error:
            return []

    def publish(self, device, topic, payload):
        keys = f"{self.folder}/devices/{device}"
        words = ["mosquitto_pub", "-h", "127.0.0.1", "-p", str(self.port), "--cafile", f"{self.folder}/ca.pem", "-q", "1", "-t", topic, "-m", payload]
        if os.path.isdir(keys):
            words += ["--cert", f"{keys}/cert.pem", "--key", f"{keys}/key.pem"]
        return subprocess.run(words, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL, timeout=30).returncode


class PostgreSQL:
    """A server of its own in a temporary folder, which listens on a socket in that folder only."""

    def __init__(self, bench):
        self.bench, self.folder = bench, bench.path("postgres")
        os.makedirs(self.folder)
        # The server refuses to run as root.
        self.prefix = []
        if os.geteuid() == 0:
            shutil.chown(self.folder, "postgres", "postgres")
            self.prefix = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        self.address = f"postgresql://postgres@/postgres?host={self.folder}"
        subprocess.run([*self.prefix, f"{self.programs()}/initdb", "-D", f"{self.folder}/data", "-U", "postgres", "-A", "trust"], check=True, stdout=subprocess.DEVNULL)
        self.start()

    @staticmethod
    def programs():
        """The folder of the server's programs; None if there is none."""
        return max(glob.glob("/usr/lib/postgresql/*/bin"), default=None)

    @staticmethod
    def missing():
        """What is not installed; None if all is."""
        if not PostgreSQL.programs() or not glob.glob("/usr/share/postgresql/*/extension/postgis.control"):
            return "PostgreSQL with PostGIS is not installed (postgresql-15-postgis-3)"
        if subprocess.run(["/usr/bin/python3", "-c", "import psycopg2"], stderr=subprocess.DEVNULL).returncode != 0:
            return "python3-psycopg2 is not installed"
        return None

    def start(self):
        self.run()
        wait_until("PostgreSQL", self.is_ready)

    def is_ready(self):
        # After a kill it refuses to start until the processes of its clients have ended.
        if self.bench.children["postgres"].poll() is not None:
            self.run()
        return self.query("SELECT 1") == ["1"]

    def run(self):
        self.bench.start("postgres", *self.prefix, f"{self.programs()}/postgres", "-D", f"{self.folder}/data", "-k", self.folder, "-c", "listen_addresses=")

    def query(self, text):
        """The lines of an answer; none if the server or a table is missing."""
        answer = subprocess.run(["psql", self.address, "-At", "-F", "\t", "-c", text], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        return answer.stdout.splitlines()


def check_postgis(bench, recipe):
    """Sends messages of a third device, twice, to a consumer that writes into PostgreSQL, with kills of both in between."""
    if PostgreSQL.missing():
        print(f"recipe with PostGIS: SKIPPED: {PostgreSQL.missing()}", file=sys.stderr)
        return
    server = PostgreSQL(bench)
    bench.kill("consumer")
    start = lambda: bench.start("consumer", "/usr/bin/python3", f"{RECIPE}/consumer.py", recipe.folder, server.address)
    count = lambda table: server.query(f"SELECT count(*) FROM {table} WHERE device = 'van2/van2'")
    start()
    wait_until("tables", lambda: count("event") == ["0"])
    topic = "owntracks/van2/van2"
    messages = [(topic, '{"_type":"location","_id":"1","tst":1800000000,"lat":48.1234567,"lon":-11.9876543,"acc":5}'),
                (topic + "/event", '{"_type":"transition","_id":"2","tst":1800000001,"wtst":1,"event":"enter","desc":"depot \\u00e9","lat":48.1,"lon":-11.9}'),
                (topic + "/event", '{"_type":"transition","_id":"3","tst":1800000002,"wtst":1,"event":"leave","desc":"depot \\u00e9"}'),
                (topic, '{"_type":"location","_id":"9","tst":1800000000,"lat":91,"lon":0,"acc":5}'), (topic, "{"),
                (topic + "/track", '{"_type":"track","points":[[4,1800000003,481234568,-119876543,5,512,50,272],[1,60,10,-10,5,null,null,272]]}')]
    for payload in messages[:2]:
        assert recipe.publish("van2", *payload) == 0
    wait_until("first event", lambda: count("event") == ["1"])
    bench.kill("postgres")
    for payload in messages:
        assert recipe.publish("van2", *payload) == 0
    # The consumer ends when its database is away. What it has not acknowledged arrives again.
    wait_until("end of the consumer", lambda: bench.children["consumer"].poll() is not None)
    server.start()
    start()
    wait_until("rest of the positions", lambda: count("position") == ["3"])
    events = server.query("SELECT number, extract(epoch FROM time)::bigint, kind, fence, ST_Y(place::geometry), ST_X(place::geometry) FROM event ORDER BY number")
    assert events == ["2\t1800000001\tenter\tdepot \u00e9\t48.1\t-11.9", "3\t1800000002\tleave\tdepot \u00e9\t\t"], events
    rows = server.query("SELECT number, extract(epoch FROM time)::bigint, ST_Y(place::geometry), ST_X(place::geometry), accuracy, altitude, speed, course FROM position "
                        "WHERE device = 'van2/van2' ORDER BY number")
    assert rows == ["1\t1800000000\t48.1234567\t-11.9876543\t5\t\t\t", "4\t1800000003\t48.1234568\t-11.9876543\t5\t512\t50\t272",
                    "5\t1800000063\t48.1234578\t-11.9876553\t5\t\t\t272"], rows
    near = server.query("SELECT count(*) FROM position WHERE device = 'van2/van2' AND ST_DWithin(place, ST_MakePoint(-11.9876543, 48.1234567)::geography, 1)")
    assert near == ["3"], near
    print("recipe with PostGIS: 2 events and 3 positions, each once, after kills of the database and of the consumer")


def check(bench):
    recipe = Recipe(bench)
    with tarfile.open(recipe.archive) as archive:
        names = archive.getnames()
        section = archive.extractfile("etc/sextant/conf.d/fleet.toml").read().decode()
        mode = archive.getmember("etc/sextant/fleet/work/key.pem").mode
    assert {"etc/sextant/fleet/work/ca.pem", "etc/sextant/fleet/work/cert.pem", "etc/sextant/fleet/work/key.pem"} <= set(names), names
    assert mode & 0o077 == 0, f"the key has mode {mode:o}"
    recipe.start_broker()
    recipe.start_consumer()
    bench.start_daemon()
    bench.write("fleet.toml", section.replace("batch = 300", "batch = 10").replace("spread = 30", "spread = 1").replace("van2", "van1"))
    keys = f"{recipe.folder}/devices/van1"

    def start_fleet():
        bench.start("fleet", f"{bench.programs}/sextant-fleet", "--state", bench.path("state-van1"), "--configured", "work", "--config", bench.path("fleet.toml"), "--monitor", "home",
                    "--tolerance", "0", CREDENTIALS_DIRECTORY=keys, SEXTANT_SOCKET=bench.path("socket"))
    os.makedirs(bench.path("state-van1"))
    start_fleet()
    wait_until("positions", lambda: len(recipe.rows("SELECT * FROM position WHERE device = 'van1/van1'")) >= 1)
    found = lambda: [name for name, in recipe.rows("SELECT fence FROM event WHERE device = 'van1/van1' ORDER BY number")]
    expected = []
    for step in range(3):
        # Mosquitto acknowledges what it receives before it is on its disk, where it also keeps the session of the consumer. So it is killed
        # only when the consumer has all earlier events, and its session is on the disk. The next event is then in flight.
        wait_until("earlier events", lambda: set(expected) <= set(found()))
        wait_until("session of the consumer", lambda: recipe.is_session_stored())
        expected.append(f"fence-{step}")
        bench.add_fence(expected[-1])
        bench.kill("consumer" if step == 0 else "broker")
        expected.append(f"fence-{step}-b")
        bench.add_fence(expected[-1])
        recipe.start_consumer() if step == 0 else recipe.start_broker()
    for payload in ('{"_type":"location","_id":"1","tst":1,"lat":[],"lon":0,"acc":1}', '{"_type":"transition","_id":"9","tst":1e400,"event":"enter","desc":"x"}',
                    '{"_type":"track","points":[[1,2,3]]}', "[]", "{", '{"_type":"location","_id":"' + "9" * 90 + '","tst":1,"lat":0,"lon":0,"acc":1}'):
        recipe.publish("van2", "owntracks/van2/van2", payload)
    wait_until("all events", lambda: set(expected) <= set(found()), 200)
    assert found() == expected, found()
    wait_until("a batch", lambda: len(recipe.rows("SELECT * FROM position WHERE device = 'van1/van1'")) >= 8)
    assert not recipe.rows("SELECT * FROM position WHERE device = 'van2/van2'")
    assert recipe.publish("nobody", "owntracks/nobody/x", "{}") != 0, "a client without a certificate is accepted"
    recipe.publish("van2", "owntracks/van1/van1", '{"_type":"location","_id":"777777","tst":1,"lat":0,"lon":0,"acc":1}')
    recipe.publish("van2", "owntracks/van2/van2", '{"_type":"location","_id":"777777","tst":1,"lat":0,"lon":0,"acc":1}')
    wait_until("position of the second device", lambda: recipe.rows("SELECT * FROM position WHERE device = 'van2/van2'"))
    assert not recipe.rows("SELECT * FROM position WHERE device = 'van1/van1' AND number = 777777"), "a device writes for another one"
    count = len(recipe.rows("SELECT * FROM position WHERE device = 'van1/van1'"))
    print(f"recipe: {len(expected)} events, each once and in order; {count} positions; damaged and foreign messages are not kept")
    check_postgis(bench, recipe)


def main():
    parser = argparse.ArgumentParser(description="Run the recipe of fleet/ on loopback.")
    parser.add_argument("--programs", default=os.path.join(HERE, "../../.build/release"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sextant-recipe-") as folder:
        os.chmod(folder, 0o777)
        bench = uplink_test.Bench(options.programs, folder)
        try:
            check(bench)
        except (AssertionError, SystemExit) as error:
            print(f"recipe-test: {error}\n{bench.text('broker.log')[-1500:]}\n{bench.text('consumer.log')[-500:]}\n{bench.text('fleet.log')[-500:]}", file=sys.stderr)
            sys.exit(1)
        finally:
            bench.close()


if __name__ == "__main__":
    main()
