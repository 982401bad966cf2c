#!/usr/bin/env python3
"""order.py MAP DATA [SERVICE]...: uses services of the release build under valgrind as `workloads.py` says, and writes the functions that
each has executed into its part of packaging/sextantd.order, by which the linker puts them next to each other: first those of the steady
state, in the order in which they were executed, then the others. Behind them are the variables that were zero and that it has written,
since each page with one is private memory. MAP is the linker's list of sections: it moves a section as a whole, so large ones with few of
these symbols come last. DATA is a folder of places, without which sextant-places is left out.

Prints how many pages of code the steady state needs in this build. A function that is new or renamed since then costs time and
memory, nothing else."""
import bisect
import collections
import os
import re
import subprocess
import sys
import threading
import time

import workloads

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
# The size of a section in bytes that is small enough to count as one function.
SMALL = 8192


class Trace(threading.Thread):
    """The addresses of the blocks that a program executes under valgrind, each once per phase, in the order of their first execution."""

    def __init__(self, program):
        super().__init__(daemon=True)
        self.program, self.base, self.process, self.variables = program, None, None, []
        self.output, self.input = os.pipe()
        os.set_inheritable(self.input, True)
        # A block contains no part of a function that it calls.
        self.words = ["valgrind", "--tool=lackey", "--trace-superblocks=yes", "--basic-counts=no", "--vex-guest-chase=no",
                      f"--log-fd={self.input}", self.program]
        self.blocks, self.phases, self.length = {}, [], 0
        self.start()

    def run(self):
        with os.fdopen(self.output, "rb", buffering=1 << 20) as log:
            for line in log:
                self.length += 1
                if line.startswith(b"SB "):
                    self.blocks.setdefault(line, None)

    def begun(self, process):
        """Ends the phase of the start of a process, when it waits, and reads where the program is in its memory."""
        self.end_phase()
        self.process = process
        with open(f"/proc/{process}/maps", encoding="utf-8") as file:
            path = os.path.realpath(self.program)
            self.base = next(int(line.split("-")[0], 16) for line in file if line.split()[2:3] == ["00000000"] and path in line)

    def end_phase(self):
        """Waits until the program waits, and begins another phase."""
        length = -1
        while length != self.length:
            length = self.length
            time.sleep(0.5)
        self.phases.append(list(self.blocks))
        self.blocks = {}
        if self.process:
            with open(f"/proc/{self.process}/mem", "rb") as memory:
                self.variables = [name for address, size, name in self.symbols("bB")
                                  if any(os.pread(memory.fileno(), size, self.base + address))]

    def symbols(self, types):
        """Address, size and name of the symbols of these types, which are letters of nm(1)."""
        lines = subprocess.run(["nm", "--print-size", self.program], check=True, text=True, stdout=subprocess.PIPE).stdout.splitlines()
        words = (line.split(maxsplit=3) for line in lines)
        return sorted((int(word[0], 16), int(word[1], 16), word[3]) for word in words if len(word) == 4 and word[2] in types)

    def pages(self):
        """The number of pages of the program whose code is executed in the last phase."""
        addresses = (int(line[3:], 16) - self.base for line in self.phases[-1])
        return len({address >> 12 for address in addresses if 0 <= address < os.path.getsize(self.program)})

    def functions(self):
        """The names of the functions: those of the last phase, then those of the earlier ones."""
        symbols = self.symbols("tTwWV")
        starts, found = [symbol[0] for symbol in symbols], {}
        for phase in reversed(self.phases):
            for line in phase:
                address = int(line[3:], 16) - self.base
                start, size, name = symbols[max(0, bisect.bisect_right(starts, address) - 1)]
                # Others are those of libraries.
                if start <= address < start + size:
                    found.setdefault(name, None)
        return list(found)


def sections(path):
    """The section of each symbol, with its size, from the map of lld: address, address, size, alignment, then the section or symbol by
    its indentation."""
    found, section = {}, ("", 0)
    with open(path, encoding="utf-8") as file:
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
        return (0, 0.0, "") if size <= SMALL else (1, size / counts[section], section)

    return sorted(names, key=rank)


def main():
    linked, data, *names = sys.argv[1:]
    path = os.path.join(ROOT, "packaging/sextantd.order")
    with open(path, encoding="utf-8") as file:
        parts = {part.split("\n")[0]: part for part in file.read().split("# ")[1:]}
    table = sections(linked)
    for name in names or workloads.ALL:
        if name == "sextant-places" and not os.path.isdir(data):
            continue
        trace = Trace(os.path.join(ROOT, ".build/release", name))
        workloads.ALL[name](trace, data)
        parts[name] = "\n".join([name, *ordered(trace.functions(), table), *ordered(trace.variables, table), ""])
        print(f"{name}: {len(trace.functions())} functions, {len(trace.variables)} variables; "
              f"the steady state needs {trace.pages()} pages of code")
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(f"# {part}" for part in parts.values())


main()
