"""A receiver on a pseudo-terminal: one epoch per second, each in one write, with the time of this machine."""
import datetime
import functools
import operator
import os
import pty
import threading
import time
import tty

LATITUDE, LONGITUDE, ALTITUDE = 48.1173, 11.516666667, 545.4


class Receiver:
    """`rest` holds the position still; otherwise it moves north, so that each epoch is another one."""

    def __init__(self, link, rest=False):
        self.rest, self.epochs = rest, 0
        self.master, self.slave = pty.openpty()
        tty.setraw(self.slave)
        os.symlink(os.ttyname(self.slave), link)
        self.ended = threading.Event()
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        start = time.monotonic()
        while not self.ended.wait(max(0, start + self.epochs - time.monotonic())):
            os.write(self.master, self.epoch())
            self.epochs += 1

    def epoch(self):
        now = datetime.datetime.now(datetime.timezone.utc)
        clock, date = now.strftime("%H%M%S.00"), now.strftime("%d%m%y")
        minutes = 7.038 + (0 if self.rest else self.epochs % 100 * 1e-3)
        latitude, speed = f"48{minutes:08.5f}", "0.0" if self.rest else "3.6"
        bodies = [
            f"GPRMC,{clock},A,{latitude},N,01131.00000,E,{speed},000.0,{date},,,A",
            f"GPGGA,{clock},{latitude},N,01131.00000,E,1,08,0.9,{ALTITUDE},M,46.9,M,,",
            "GPGSA,A,3,04,05,09,12,24,25,29,31,,,,,1.8,0.9,1.5",
            "GPGSV,3,1,10,01,40,083,46,02,17,308,41,12,07,344,39,04,22,228,45",
            "GPGSV,3,2,10,05,40,083,46,09,17,308,41,24,07,344,39,25,22,228,45",
            "GPGSV,3,3,10,29,40,083,46,31,17,308,41", f"GPGST,{clock},1.2,1.0,0.8,10.0,0.9,0.8,1.6"]
        return "".join(f"${body}*{functools.reduce(operator.xor, body.encode()):02X}\r\n" for body in bodies).encode()

    def end(self):
        self.ended.set()
