#!/usr/bin/env python3
"""encryption-test.py [--programs DIR]: reports with an encryption key to a real broker, and reads everything that it passes on.

- Each message is `encrypted`; opened with the key, positions, the card and the will are valid, and nothing else is on the broker.
- A command that is encrypted with the key is carried out; a plain one is refused; one with another key is ignored.
- With a destination of Traccar the program ends and states why.

It needs mosquitto, mosquitto_sub, mosquitto_pub and libsodium."""
import argparse
import base64
import ctypes
import importlib.util
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
specification = importlib.util.spec_from_file_location("uplink_test", os.path.join(HERE, "uplink-test.py"))
uplink_test = importlib.util.module_from_spec(specification)
specification.loader.exec_module(uplink_test)
wait_until = uplink_test.wait_until
KEY = "correct horse battery staple"
NONCE, AUTHENTICATOR = 24, 16


class Box:
    """crypto_secretbox of libsodium."""

    def __init__(self, key):
        self.sodium, self.key = ctypes.CDLL("libsodium.so.23"), key.encode().ljust(32, b"\0")
        assert self.sodium.sodium_init() >= 0

    def seal(self, message):
        text, nonce = json.dumps(message).encode(), os.urandom(NONCE)
        box = ctypes.create_string_buffer(len(text) + AUTHENTICATOR)
        assert self.sodium.crypto_secretbox_easy(box, text, ctypes.c_ulonglong(len(text)), nonce, self.key) == 0
        return json.dumps({"_type": "encrypted", "data": base64.b64encode(nonce + box.raw).decode()})

    def open(self, message):
        sealed = base64.b64decode(message["data"], validate=True)
        text = ctypes.create_string_buffer(len(sealed) - NONCE - AUTHENTICATOR)
        status = self.sodium.crypto_secretbox_open_easy(
            text, sealed[NONCE:], ctypes.c_ulonglong(len(sealed) - NONCE), sealed[:NONCE], self.key)
        assert status == 0, "a message cannot be opened with the key"
        return json.loads(text.raw)


def opened(bench, box):
    """All messages of the broker as (topic, message)."""
    found = []
    for line in bench.text("subscriber.log").splitlines():
        topic, _, text = line.partition(" ")
        message = json.loads(text)
        if topic.endswith("/cmd"):
            continue
        assert set(message) == {"_type", "data"} and message["_type"] == "encrypted", f"a plain message on {topic}: {text[:80]}"
        found.append((topic, box.open(message)))
    return found


def types(bench, box):
    return [message["_type"] for _, message in opened(bench, box)]


def command(bench, text):
    subprocess.run(["mosquitto_pub", "-p", str(bench.port), "-q", "1", "-t", "owntracks/jane/van/cmd", "-m", text], check=True)


def check(bench):
    box = Box(KEY)
    os.makedirs(bench.path("credentials"))
    bench.write("credentials/encryption-key", KEY + "\n")
    bench.start_daemon()
    bench.start_broker()
    bench.start("subscriber", "mosquitto_sub", "-p", str(bench.port), "-i", "observer", "-c", "-q", "1", "-t", "#", "-v")
    bench.start_fleet(CREDENTIALS_DIRECTORY=bench.path("credentials"))
    wait_until("position and card", lambda: {"location", "card"} <= set(types(bench, box)))

    action = {"_type": "cmd", "action": "reportLocation"}
    requested = lambda: [message for _, message in opened(bench, box) if message.get("t") == "r"]
    command(bench, Box("another key").seal(action))
    command(bench, json.dumps(action))
    wait_until("refusal", lambda: "status" in types(bench, box))
    status = next(message for _, message in opened(bench, box) if message["_type"] == "status")
    assert status["result"] == "refused" and "not encrypted" in status["reason"], status
    assert not requested(), "a command without the key was carried out"
    command(bench, box.seal(action))
    wait_until("requested position", requested)
    command(bench, box.seal({"_type": "cmd", "action": "setWaypoints", "waypoints": {"_type": "waypoints", "waypoints": [
        {"_type": "waypoint", "desc": "depot", "lat": 10.0, "lon": 10.0, "rad": 100, "tst": 1_800_000_000}]}}))
    wait_until("list of fences", lambda: "waypoints" in types(bench, box))
    bench.kill("fleet")
    wait_until("will", lambda: "lwt" in types(bench, box))
    count = len(opened(bench, box))

    bench.start_fleet("traccar+http://127.0.0.1:9", state="traccar", CREDENTIALS_DIRECTORY=bench.path("credentials"))
    status = bench.children["fleet"].wait(20)
    assert status != 0 and "cannot read encrypted messages" in bench.text("fleet.log"), bench.text("fleet.log")[-300:]
    return f"{count} messages, all encrypted; commands need the key"


def main():
    parser = argparse.ArgumentParser(description="Report encrypted messages to a real broker.")
    parser.add_argument("--programs", default=os.path.join(HERE, "../../.build/release"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sextant-encryption-") as folder:
        os.chmod(folder, 0o777)
        bench = uplink_test.Bench(options.programs, folder)
        try:
            print(f"encryption: {check(bench)}", flush=True)
        except (AssertionError, SystemExit) as error:
            sys.exit(f"encryption: FAILED: {error}\n{bench.text('fleet.log')[-1000:]}")
        finally:
            bench.close()


if __name__ == "__main__":
    main()
