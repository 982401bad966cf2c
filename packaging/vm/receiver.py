"""A receiver behind the USB serial port of a machine."""
import fcntl
import math
import socket
import struct
import termios
import threading
import time

BAUD = 9600
LATITUDE = 51.48


def sentence(body):
    checksum = 0
    for byte in body.encode():
        checksum ^= byte
    return f"${body}*{checksum:02X}\r\n"


def angle(degrees, digits):
    whole = int(degrees)
    return f"{whole:0{digits}d}{(degrees - whole) * 60:08.5f}"


def burst(now, latitude, speed, course):
    """The sentences of one second at longitude 0, about 400 bytes."""
    utc = time.gmtime(now)
    clock, date = time.strftime("%H%M%S.00", utc), time.strftime("%d%m%y", utc)
    place = f"{angle(latitude, 2)},N,{angle(0.0, 3)},E"
    return "".join(map(sentence, (
        f"GPGGA,{clock},{place},1,09,0.90,25.0,M,47.0,M,,",
        "GPGSA,A,3,02,05,07,09,13,16,20,27,30,,,,1.60,0.90,1.30",
        "GPGSV,3,1,09,02,45,100,42,05,60,200,44,07,30,050,40,09,20,310,38",
        "GPGSV,3,2,09,13,70,010,46,16,15,150,35,20,50,260,43,27,25,080,39",
        "GPGSV,3,3,09,30,35,330,41",
        f"GPRMC,{clock},A,{place},{speed / 0.514444:.3f},{course:.2f},{date},,,A",
        f"GPGST,{clock},3.0,2.0,1.5,45.0,1.8,1.7,3.5"))).encode()


def drive(now):
    """A device that goes north and south: latitude, speed and course agree, otherwise its positions would count as outliers."""
    amplitude, period = 400.0, 40.0
    phase = 2 * math.pi * now / period
    speed = amplitude * 2 * math.pi / period * math.cos(phase)
    return LATITUDE + amplitude * math.sin(phase) / 111_200, abs(speed), 0.0 if speed > 0 else 180.0


class Receiver:
    """A receiver that sends one burst per second. Connecting to its socket plugs it in, closing the socket unplugs it."""

    def __init__(self, machine):
        self.machine = machine
        self.socket = None
        self.stopping = None
        self.is_in_burst = False
        self.received = bytearray()

    def plug(self):
        self.stopping = threading.Event()
        self.socket = self.machine.connect("usb.sock")
        self.thread = threading.Thread(target=self._send, args=(self.socket, self.stopping), daemon=True)
        self.thread.start()
        threading.Thread(target=self._receive, args=(self.socket,), daemon=True).start()
        return self

    def unplug(self):
        self.stopping.set()
        try:
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.socket.close()
        self.thread.join(5)

    def _receive(self, connection):
        while True:
            try:
                data = connection.recv(4096)
            except OSError:
                return
            if not data:
                return
            self.received += data

    def _send(self, connection, stopping):
        due = time.monotonic()
        while True:
            now = time.time()
            data, sent_at = burst(now, *drive(now)), time.monotonic()
            self.is_in_burst = True
            for start in range(0, len(data), 32):
                part = data[start:start + 32]
                try:
                    # QEMU stops reading while the port is closed. A serial line does not wait: the data is lost.
                    if struct.unpack("i", fcntl.ioctl(connection, termios.TIOCOUTQ, bytes(4)))[0] < 2500:
                        connection.sendall(part)
                except (OSError, ValueError):
                    return
                sent_at += len(part) * 10 / BAUD
                if stopping.wait(max(0, sent_at - time.monotonic())):
                    return
            self.is_in_burst = False
            due = max(due + 1, time.monotonic())
            if stopping.wait(due - time.monotonic()):
                return
