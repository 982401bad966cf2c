#!/usr/bin/env python3
"""Measures the index of sextant-places: 10,000 items in batches of 100, searches, the size of its files, a start, and the removal
of all items.

    make build && Benchmarks/index.py [--json]

A batch is on disk before its reply. Each search has a connection of its own, as those of the library have. A cold start is the
time from the start of the program to the answer of its first search; the system has the files in its cache. "Search meanwhile" is
the slowest search while removed items are erased. Fails if a limit is exceeded."""
import json
import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time

ITEMS, BATCH, SEARCHES = 10_000, 100, 3_000
LIMITS = {"indexing, s": 3.0, "search p50, ms": None, "search p99, ms": 5.0, "condition p99, ms": None, "disk, MB": 20.0,
          "resident, MB": None, "cold start, ms": None, "removal of all, ms": None, "search meanwhile, ms": None}
WORDS = "latte espresso filter mocha oat almond order street market bridge harbour garden north south green morning".split()


def call(path, method, **parameters):
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(path)
        client.sendall(json.dumps({"method": f"io.sextant.Index.{method}", "parameters": parameters}).encode() + b"\0")
        answer = b""
        while not answer.endswith(b"\0"):
            answer += client.recv(1 << 20) or sys.exit("the service closed the connection")
    answer = json.loads(answer[:-1])
    if "error" in answer:
        sys.exit(f"{method} failed: {answer}")
    return answer["parameters"]


def item(number, draw):
    words = draw.sample(WORDS, 6)
    return {"identifier": f"order-{number}", "domain": f"orders.{number % 12}", "expiry": "2099-01-01T00:00:00Z", "attributes": {
        "title": f"{words[0]} {words[1]} {number}", "contentDescription": " ".join(draw.choices(WORDS, k=16)),
        "keywords": words[2:], "rating": number % 6, "contentCreationDate": "2026-11-01T08:00:00.000Z",
        "latitude": draw.uniform(50, 53), "longitude": draw.uniform(4, 7)}}


def start(program, folder):
    """Starts the service and waits for its socket."""
    path = f"{folder}/socket"
    if os.path.exists(path):
        os.unlink(path)
    service = subprocess.Popen([program, "--socket", path, "--state", f"{folder}/state", "--data", folder])
    while not os.path.exists(path):
        time.sleep(0.001)
    return service


def times(path, count, parameters):
    result = []
    for _ in range(count):
        start = time.perf_counter()
        call(path, "Search", **parameters())
        result.append(1000 * (time.perf_counter() - start))
    return sorted(result)


def main():
    draw = random.Random(35)
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.build/release/sextant-places")
    folder = tempfile.mkdtemp(dir=os.path.dirname(program))
    path = f"{folder}/socket"
    service = start(program, folder)
    try:
        items = [item(number, draw) for number in range(ITEMS)]
        begin = time.perf_counter()
        for first in range(0, ITEMS, BATCH):
            call(path, "Change", items=items[first:first + BATCH], state="MTAw")
        figures = {"indexing, s": time.perf_counter() - begin}
        texts = lambda: {"text": " ".join(word[:draw.randint(1, 8)] for word in draw.sample(WORDS, draw.randint(1, 3)))}
        searches = times(path, SEARCHES, texts)
        conditions = times(path, 200, lambda: {"query": f'title == "*{draw.choice(WORDS)[1:]}*"cd && rating > 3'})
        figures["search p50, ms"], figures["search p99, ms"] = searches[SEARCHES // 2], searches[SEARCHES * 99 // 100]
        figures["condition p99, ms"] = conditions[198]
        figures["disk, MB"] = sum(os.path.getsize(f"{folder}/state/{name}") for name in os.listdir(f"{folder}/state")) / 1e6
        with open(f"/proc/{service.pid}/status", encoding="ascii") as status:
            figures["resident, MB"] = next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1000
        service.terminate()
        service.wait()
        begin = time.perf_counter()
        service = start(program, folder)
        call(path, "Search", **texts())
        figures["cold start, ms"] = 1000 * (time.perf_counter() - begin)
        begin = time.perf_counter()
        if call(path, "Change", all=True)["removed"] != ITEMS:
            sys.exit("not all items were removed")
        figures["removal of all, ms"] = 1000 * (time.perf_counter() - begin)
        figures["search meanwhile, ms"] = times(path, 1000, texts)[-1]
    finally:
        service.terminate()
        service.wait()
        shutil.rmtree(folder)
    if "--json" in sys.argv:
        print(json.dumps(figures))
    else:
        for name, value in figures.items():
            limit = LIMITS[name]
            verdict = "" if limit is None else f"  limit {limit:g}: {'met' if value <= limit else 'EXCEEDED'}"
            print(f"index: {name:21} {value:8.2f}{verdict}")
    sys.exit(any(limit is not None and figures[name] > limit for name, limit in LIMITS.items()))


if __name__ == "__main__":
    main()
