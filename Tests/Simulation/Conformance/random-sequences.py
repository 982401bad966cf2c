#!/usr/bin/env python3
"""random-sequences.py SEED COUNT: prints random sequences of calls for calls.c, of sockets or of files."""
import random
import sys

SOCKET_CALLS = [
    (6, "pair {f} {f}"), (1, "datagrams {d} {d}"), (1, "send {d} {text}"), (1, "recv {d} {n}"), (1, "poll {d}"), (1, "close {d}"), (2, "pipe {f} {f}"), (3, "socket {f}"),
    (4, "bind {f} {s}"), (4, "listen {f} {n}"), (5, "connect {f} {s}"), (5, "accept {f} {f}"), (3, "unlink {s}"),
    (4, "shut {f} {how}"), (9, "send {f} {text}"), (9, "recv {f} {n}"), (2, "peek {f} {n}"), (3, "error {f}"),
    (1, "type {f}"), (1, "accepting {f}"), (2, "peer {f}"), (3, "pass {f} {text} {w}"), (4, "take {f} {m} {f}"),
    (4, "read {f} {n}"), (4, "write {f} {text}"), (6, "close {f}"), (1, "close {w}"), (1, "poll {w}"), (6, "poll {f}"),
    (1, "mode {f}"), (5, "add z {f} {events}"), (2, "modify z {f} {events}"), (1, "delete z {f}"), (6, "ready z"),
    (1, "event {f} {n}"), (1, "count {f} {n}"), (1, "value {f}"),
]
FILE_CALLS = [
    (9, "open {f} {p} {flags}"), (4, "read {f} {n}"), (5, "pread {f} {n} {n}"), (5, "write {f} {text}"),
    (5, "pwrite {f} {text} {n}"), (3, "truncate {f} {n}"), (3, "seek {f} {n}"), (1, "sync {f}"), (4, "close {f}"),
    (4, "stat {p}"), (2, "lstat {p}"), (3, "fstat {f}"), (2, "access {p}"), (4, "rename {p} {p}"), (3, "unlink {p}"),
    (3, "mkdir {p}"), (2, "rmdir {p}"), (2, "symlink {name} {l}"), (1, "readlink {p}"), (1, "chmod {p}"),
    (1, "dup {f} {f}"), (1, "mode {f}"), (1, "poll {f}"),
]
NAMES = ["f", "g", "d", "d/f"]
CLEANING = "unlink /tmp/c/d/f; rmdir /tmp/c/d; " + "; ".join(
    f"unlink /tmp/c/{name}; rmdir /tmp/c/{name}" for name in ("f", "g", "d", "s", "t"))


def command(generator: random.Random, calls: list[tuple[int, str]]) -> str:
    template = generator.choices([text for _, text in calls], [weight for weight, _ in calls])[0]
    choices = {
        "{f}": lambda: generator.choice("abcde"), "{w}": lambda: generator.choice("vw"), "{s}": lambda: "/tmp/c/" + generator.choice("sst"),
        "{n}": lambda: str(generator.choice([0, 1, 2, 3, 5, 9, 20])), 
        "{how}": lambda: generator.choice(["read", "write", "both"]),
        "{text}": lambda: "abcdefghi"[: generator.randint(1, 9)], "{p}": lambda: "/tmp/c/" + generator.choice(NAMES),
        "{d}": lambda: generator.choice("xy"),
        "{m}": lambda: str(generator.choice([1, 2, 9, 20])),
        "{l}": lambda: "/tmp/c/" + generator.choice(["f", "g"]),
        "{name}": lambda: generator.choice(["f", "g"]),
        "{events}": lambda: generator.choice(["in", "in out", "out", "rdhup in", "in once", ""]),
        "{flags}": lambda: generator.choice(["r", "rwc", "rwc", "rwct", "wca", "rwcx", "rd", "rwn", "w"]),
    }
    while "{" in template:
        key = template[template.index("{"): template.index("}") + 1]
        template = template.replace(key, choices[key](), 1)
    return template


def main() -> None:
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    for index in range(count):
        generator = random.Random(seed * 1_000_000 + index)
        calls = SOCKET_CALLS if index % 2 == 0 else FILE_CALLS
        length = generator.randint(4, 25)
        # One epoll descriptor, and sockets that are passed.
        prefix = "epoll z; pair v w; " if index % 2 == 0 else ""
        print(prefix + "; ".join(command(generator, calls) for _ in range(length)) + "; " + CLEANING)


main()
