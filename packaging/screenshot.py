#!/usr/bin/env python3
"""Draws `sextant watch` as an SVG file.

    packaging/screenshot.py [--programs .build/release] [--capture captures/demo.nmea] [--output docs/watch.svg]

Simulates a receiver from a capture, runs sextantd on it and `sextant watch` on a pseudo-terminal of 80 columns and
32 rows. Interprets the terminal output and draws the last complete screen. Needs only Python 3 and the programs.
"""
import argparse
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unicodedata
from dataclasses import dataclass
from xml.sax.saxutils import escape

COLUMNS, ROWS = 80, 32
# Seconds that `sextant watch` runs: long enough for the satellites and several updates.
WATCH_SECONDS = 14
START_TIMEOUT = 20
# Size of one character cell, border and font size, in SVG units.
CELL_WIDTH, CELL_HEIGHT, BORDER, FONT_SIZE = 8.4, 18, 16, 14
BACKGROUND, FOREGROUND = "#11151c", "#d5dae3"
COLOURS = {31: "#e06c75", 32: "#7fbf6b", 33: "#d9b35c", 34: "#6aa5e8", 35: "#c08be0", 36: "#56b6c2", 37: "#d5dae3",
           91: "#ff7b86", 92: "#9be07f", 93: "#f0cf7a", 94: "#8cbcf5", 95: "#d6a8f0", 96: "#79d3de", 97: "#ffffff"}
ESCAPE = re.compile(r"\x1b\[([?0-9;]*)([@-~])|\x1b[()][A-Z0-9]|\x1b[=>78]")
THICKNESS = {"─": 1, "━": 4}
BRAILLE_DOTS = ((0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3))


@dataclass(frozen=True)
class Style:
    """Colour and weight of one character."""
    colour: str = FOREGROUND
    is_bold: bool = False
    is_dim: bool = False

    def applying(self, parameters):
        """The style after an SGR sequence with these parameters."""
        style = self
        for parameter in parameters:
            if parameter == 0:
                style = Style()
            elif parameter in (1, 2, 22):
                style = Style(style.colour, parameter == 1, parameter == 2)
            elif parameter == 39 or parameter in COLOURS:
                style = Style(COLOURS.get(parameter, FOREGROUND), style.is_bold, style.is_dim)
        return style


class Screen:
    """The character cells that a terminal would show."""

    def __init__(self):
        self.style = Style()
        self.row = self.column = 0
        self.clear()

    def clear(self):
        self.cells = [[(" ", Style())] * COLUMNS for _ in range(ROWS)]

    def write(self, text):
        index = 0
        while index < len(text):
            sequence = ESCAPE.match(text, index)
            if sequence:
                if sequence.group(2):
                    self.control(sequence.group(1), sequence.group(2))
                index = sequence.end()
            else:
                self.character(text[index])
                index += 1

    def control(self, arguments, command):
        if arguments.startswith("?"):
            return
        numbers = [int(number or 0) for number in arguments.split(";")]
        if command == "m":
            self.style = self.style.applying(numbers)
        elif command == "H":
            self.row = max(numbers[0], 1) - 1
            self.column = (max(numbers[1], 1) if len(numbers) > 1 else 1) - 1
        elif command == "J":
            self.clear()
        elif command == "K" and self.row < ROWS:
            self.cells[self.row][self.column:] = [(" ", Style())] * (COLUMNS - self.column)

    def character(self, character):
        if character == "\r":
            self.column = 0
        elif character == "\n":
            self.row += 1
        elif character >= " " and not unicodedata.combining(character):
            if self.row < ROWS and self.column < COLUMNS:
                self.cells[self.row][self.column] = (character, self.style)
            self.column += 1


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", default=".build/release", help="directory of sextant and sextantd")
    parser.add_argument("--capture", default="captures/demo.nmea", help="capture that the simulated receiver plays")
    parser.add_argument("--output", default="docs/watch.svg", help="SVG file to write")
    return parser.parse_args()


def wait_for(path, process):
    """Waits until `path` exists; ends this program when `process` exits or the time is over."""
    deadline = time.monotonic() + START_TIMEOUT
    while not os.path.exists(path):
        if process.poll() is not None or time.monotonic() > deadline:
            sys.exit(f"screenshot: {' '.join(process.args[:2])} did not start")
        time.sleep(0.05)


def terminal_output(arguments):
    """What `sextant watch` writes to its terminal, as text."""
    programs, capture = os.path.abspath(arguments.programs), os.path.abspath(arguments.capture)
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "sextant.toml"), "w") as file:
            file.write("[receivers]\ndiscover = false\n")
        started = []

        def start(path, *command):
            process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
            started.append(process)
            wait_for(os.path.join(folder, path), process)

        try:
            start("gps", f"{programs}/sextant", "simulate", "--loop", "--link", "gps", capture)
            start("socket", f"{programs}/sextantd", "--config", "sextant.toml", "--device", f"{folder}/gps",
                  "--socket", f"{folder}/socket", "--state", f"{folder}/state")
            return watch(f"{programs}/sextant", folder).replace(f"{folder}/gps", "/tmp/gps")
        finally:
            for process in reversed(started):
                process.send_signal(signal.SIGTERM)
                process.wait(10)


def watch(program, folder):
    """Runs `sextant watch` on a pseudo-terminal and returns its output up to the end of the last frame."""
    process, terminal = pty.fork()
    if process == 0:
        os.environ.update(TERM="xterm-256color", LC_ALL="C.UTF-8", TZ="UTC")
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        os.execv(program, [program, "watch", "--socket", f"{folder}/socket"])
    output, deadline = b"", time.monotonic() + WATCH_SECONDS
    while (remaining := deadline - time.monotonic()) > 0:
        if select.select([terminal], [], [], remaining)[0]:
            try:
                output += os.read(terminal, 65536)
            except OSError:
                sys.exit("screenshot: sextant watch ended early")
    os.kill(process, signal.SIGINT)
    os.waitpid(process, 0)
    return output.decode("utf-8", "ignore").rpartition("\x1b[?2026l")[0]


def drawing(screen):
    """The screen as SVG."""
    width, height = COLUMNS * CELL_WIDTH + 2 * BORDER, ROWS * CELL_HEIGHT + 2 * BORDER
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
             f'height="{height:g}" role="img" aria-label="sextant watch">',
             f'<rect width="100%" height="100%" rx="10" fill="{BACKGROUND}"/>',
             f'<g font-family="ui-monospace,DejaVu Sans Mono,Menlo,Consolas,monospace" font-size="{FONT_SIZE}">']
    for row, cells in enumerate(screen.cells):
        column = 0
        while column < COLUMNS:
            end = column + 1
            while end < COLUMNS and cells[end][1] == cells[column][1] and kind(cells[end][0]) == kind(cells[column][0]):
                end += 1
            parts += run("".join(character for character, _ in cells[column:end]), cells[column][1], column, row)
            column = end
    return "\n".join([*parts, "</g>", "</svg>", ""])


def kind(character):
    """How a character is drawn: as text, or as a shape that does not depend on a font."""
    if "\u2800" <= character <= "\u28ff":
        return "braille"
    if "\u2581" <= character <= "\u2588":
        return "bar"
    return "line" if character in THICKNESS else "text"


def run(text, style, column, row):
    """SVG elements for characters of one style and kind that begin at this cell."""
    left, top = BORDER + column * CELL_WIDTH, BORDER + row * CELL_HEIGHT
    opacity = ' opacity=".55"' if style.is_dim else ""
    shape = kind(text[0])
    if shape == "text":
        weight = ' font-weight="bold"' if style.is_bold else ""
        for words in re.finditer(r"\S+(?: \S+)*", text):
            x, length = left + words.start() * CELL_WIDTH, len(words.group()) * CELL_WIDTH
            yield (f'<text x="{x:.5g}" y="{top + 13.5:.5g}" textLength="{length:.5g}" fill="{style.colour}"{weight}'
                   f'{opacity}>{escape(words.group())}</text>')
    elif shape == "line":
        yield (f'<path d="M{left:.5g} {top + CELL_HEIGHT / 2:.5g}h{len(text) * CELL_WIDTH:.5g}" '
               f'stroke="{style.colour}" stroke-width="{THICKNESS[text[0]]}"{opacity}/>')
    elif shape in ("bar", "braille"):
        path = "".join((bar if shape == "bar" else braille)(character, left + offset * CELL_WIDTH, top)
                       for offset, character in enumerate(text))
        if path:
            yield f'<path d="{path}" fill="{style.colour}"{opacity}/>'


def bar(character, left, top):
    """The path of a block character, which fills its cell from below by eighths."""
    height = (ord(character) - 0x2580) * (CELL_HEIGHT - 3) / 8
    return f"M{left + 0.6:.5g} {top + CELL_HEIGHT - 1:.5g}v-{height:.4g}h{CELL_WIDTH - 1.2:.4g}v{height:.4g}z"


def braille(character, left, top):
    """The path of a Braille character: a small square for each dot."""
    bits = ord(character) - 0x2800
    return "".join(f"M{left + 1.3 + x * CELL_WIDTH / 2:.5g} {top + 1.5 + y * CELL_HEIGHT / 4:.5g}h1.9v1.9h-1.9z"
                   for bit, (x, y) in enumerate(BRAILLE_DOTS) if bits >> bit & 1)


def main():
    arguments = parse_arguments()
    screen = Screen()
    screen.write(terminal_output(arguments))
    with open(arguments.output, "w", encoding="utf-8") as file:
        file.write(drawing(screen))
    print(f"{arguments.output}: {os.path.getsize(arguments.output) / 1000:.1f} kB")


if __name__ == "__main__":
    main()
