#!/usr/bin/env python3
"""order.py DATA MAP OUTPUT: imports the data that `fetch.py` has written into the folder DATA, asks `sextant-places` under valgrind
for names, and writes the functions that it has executed into the file OUTPUT, by which the linker puts them next to each other. MAP
is the linker's list of sections: it moves a section as a whole, so large ones with few of these functions come last.

A function that is new or renamed since then costs memory, nothing else."""
import collections
import os
import random
import re
import socket
import subprocess
import sys
import tempfile

import figures

PROGRAM = os.path.join(figures.ROOT, ".build/release/sextant-places")
# The size of a section in bytes that is small enough to count as one function.
SMALL = 8192
START = 'LISTEN_PID=$$ exec valgrind --tool=callgrind --demangle=no --callgrind-out-file="$0" "$1" --data "$2"'


class Client(figures.Service):
    """A connection to a program that runs under valgrind."""

    def __init__(self, path, trace, data):
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(path)
        listener.listen()
        self.process = os.fork()
        if self.process == 0:
            os.dup2(listener.fileno(), 100)
            os.dup2(100, 3, inheritable=True)
            os.closerange(4, 101)
            os.execve("/bin/sh", ["sh", "-c", START, trace, PROGRAM, data],
                      {"LISTEN_FDS": "1", "LISTEN_FDNAMES": "varlink", "PATH": os.environ["PATH"]})
        self.client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.client.connect(path)

    def close(self):
        self.client.close()
        os.kill(self.process, 15)
        os.waitpid(self.process, 0)


def ask(client, airports, towns, generator):
    for row in generator.sample(airports, 100):
        client.reverse(row["latitude"], row["longitude"])
    for _ in range(50):
        client.reverse(generator.uniform(-90, 90), generator.uniform(-180, 180))
    for row in generator.sample(towns, 100):
        client.call("Search", text=row["name"][:generator.randrange(1, 7)].strip(",. '") or "a")
        client.call("Forward", text=f"{row['name'].split(',')[0][:60]}, {row['country']}")
        client.call("Search", text=row["name"][:3].strip(",. '") or "a", near={"latitude": row["latitude"], "longitude": row["longitude"]})
    client.call("Sources")


def executed(trace):
    """The names of the program's functions in callgrind's output, which states a name once and then its number."""
    names, objects, found, current = {}, {}, set(), ""
    with open(trace) as file:
        for line in file:
            match = re.match(r"(c?)(fn|ob)=\((\d+)\)(?: (.*))?", line)
            if not match:
                continue
            called, kind, number, name = match.groups()
            table = names if kind == "fn" else objects
            if name:
                table[number] = name.strip()
            if kind == "ob" and not called:
                current = objects[number]
            elif kind == "fn" and not called and current.endswith("/sextant-places"):
                found.add(re.sub(r"'\d+$", "", names[number]))
    return found


def sections(path):
    """The section of each symbol, with its size, from the map of lld: address, address, size, alignment, then the section or symbol by
    its indentation."""
    found, section = {}, ("", 0)
    with open(path) as file:
        for line in file:
            match = re.match(r" *[0-9a-f]+ +[0-9a-f]+ +([0-9a-f]+) +\d+ ( *)(\S.*)$", line)
            if match and len(match[2]) == 8:
                section = (match[3], int(match[1], 16))
            elif match and len(match[2]) == 16:
                found[match[3]] = section
    return found


def ordered(names, table):
    """The names, first those with a section of their own, then sections by the part of them that is executed. In the map, names of C++
    are readable ones, which are not looked up: these functions have sections of their own."""
    counts = collections.Counter(table[name][0] for name in names if name in table)

    def rank(name):
        section, size = table.get(name, ("", 0))
        return (0, 0.0, "", name) if size <= SMALL else (1, size / counts[section], section, name)

    return sorted(names, key=rank)


def main():
    data, listing, output = sys.argv[1:]
    generator = random.Random(17)
    with tempfile.TemporaryDirectory() as scratch:
        files = [os.path.join(data, name) for name in ("cities500.txt", "divisions.txt", "areas.geojson")]
        folder, trace = os.path.join(scratch, "places"), os.path.join(scratch, "trace")
        figures.importing(os.path.join(figures.ROOT, ".build/release/sextant"), [file for file in files if os.path.exists(file)], folder)
        client = Client(os.path.join(scratch, "socket"), trace, folder)
        ask(client, figures.load(data, "airports.json"), figures.load(data, "towns.json"), generator)
        client.close()
        found = executed(trace)
    symbols = subprocess.run(["nm", PROGRAM], check=True, text=True, stdout=subprocess.PIPE).stdout.splitlines()
    with open(output, "w") as file:
        file.writelines(f"{name}\n" for name in ordered(found & {line.split()[-1] for line in symbols}, sections(listing)))


main()
