"""A simulated receiver that obeys commands, behind the USB serial port: sleep, wake, crash and power cut while it sleeps."""
import json
import os
import socket
import subprocess
import termios
import threading
import tty

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ASLEEP = "sextant receivers --json | grep -q '\"state\":\"asleep\"'"
MODEL, PLACE = "ublox8", "51.48,0,25"
# A receiver that sends a burst per second and has been silent for this time is asleep.
SILENT_SECONDS = 5


class SimulatedReceiver:
    """A receiver of `sextant simulate`, whose pseudo-terminal is connected to the machine's port. It keeps its power, its
    settings and its sleep while the machine is switched off."""

    def __init__(self, machine, program):
        self.machine, self.program = machine, program
        self.sent, self.written = 0, b""
        self.socket = self.process = None
        self.be_at(PLACE)

    def be_at(self, place):
        """Is another receiver in another place from now on, which is awake, behind the same port."""
        self.end()
        self.process = subprocess.Popen([self.program, "simulate", "--receiver", MODEL, "--stationary", place, "--json"],
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.port = os.open(json.loads(self.process.stdout.readline())["port"], os.O_RDWR | os.O_NOCTTY)
        tty.setraw(self.port)
        settings = termios.tcgetattr(self.port)
        settings[4] = settings[5] = termios.B9600
        termios.tcsetattr(self.port, termios.TCSANOW, settings)
        threading.Thread(target=self._from_receiver, args=(self.port,), daemon=True).start()

    def plug(self):
        self.socket = self.machine.connect("usb.sock")
        threading.Thread(target=self._to_receiver, args=(self.socket,), daemon=True).start()
        return self

    def unplug(self):
        # Without this a thread that reads from it keeps the connection.
        try:
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.socket.close()

    def end(self):
        if self.process:
            self.process.terminate()
            self.process.wait()

    def _from_receiver(self, port):
        while True:
            try:
                data = os.read(port, 512)
            except OSError:
                return os.close(port)
            self.sent += len(data)
            try:
                self.socket.sendall(data)
            except (OSError, AttributeError):
                pass  # nothing is plugged in: a serial line does not wait

    def _to_receiver(self, connection):
        while True:
            try:
                data = connection.recv(512)
                if not data:
                    return
                self.written += data
                os.write(self.port, data)
            except OSError:
                return


def simulator(machine, package):
    """The program `sextant` of the package. If the package is for another architecture, that of this repository:
    under the emulation of single programs it opens no pseudo-terminal."""
    own = subprocess.run(["dpkg", "--print-architecture"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    if machine.architecture != own:
        return os.path.join(ROOT, ".build/release/sextant")
    folder = machine.path("package")
    subprocess.run(["dpkg-deb", "--extract", package, folder], check=True)
    return os.path.join(folder, "usr/bin/sextant")


def run(machine, report, program):
    """Starts with nothing plugged in and ends so, after a power cut."""
    receiver = SimulatedReceiver(machine, program).plug()
    try:
        locate(machine, report, f"a simulated {MODEL} on a real port gives a position")
        asleep(machine, receiver, report, "without demand it is put to sleep")
        locate(machine, report, "a request wakes it")
        asleep(machine, receiver, report, "it sleeps again")
        machine.run("systemctl kill --signal=KILL sextantd")
        locate(machine, report, "after a crash while it sleeps, it is woken")
        asleep(machine, receiver, report, "the restarted service puts it to sleep")
        machine.power_cut()
        receiver.unplug()
        machine.boot()
        receiver.plug()
        locate(machine, report, "after a power cut while it sleeps, it is woken")
        report.figures["drivers"] = {"bytesWritten": len(receiver.written), "bytesSent": receiver.sent}
    finally:
        receiver.unplug()
        receiver.end()


def locate(machine, report, name):
    result = machine.run("sextant locate --timeout 90", user="alice")
    report.check(name, result.status == 0, result)


def asleep(machine, receiver, report, name):
    """The daemon says that the receiver rests, and the receiver is silent."""
    rests = machine.wait_for(ASLEEP, timeout=150)
    before = receiver.sent
    machine.run(f"sleep {SILENT_SECONDS}")
    report.check(name, rests and receiver.sent == before, f"{receiver.sent - before} bytes in {SILENT_SECONDS} s")
