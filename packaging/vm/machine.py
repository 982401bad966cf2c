"""A machine under QEMU without hardware virtualization, and the agent in it that runs commands."""
import atexit
import itertools
import json
import os
import re
import socket
import subprocess
import threading
import time


class MachineError(Exception):
    pass


# The program and the options of QEMU, and of the kernel, for each architecture.
ARCHITECTURES = {
    "amd64": (["qemu-system-x86_64", "-M", "q35", "-cpu", "max,la57=off"], "console=ttyS0 no_timer_check tsc=unstable"),
    "arm64": (["qemu-system-aarch64", "-M", "virt", "-cpu", "cortex-a72"], "console=ttyAMA0"),
}


class Result:
    """The result of a command. Status 124 is a timeout, -1 a machine that has stopped."""

    def __init__(self, status, output="", errors=""):
        self.status, self.output, self.errors = status, output, errors

    def __str__(self):
        text = (self.output + self.errors).strip()
        return f"status {self.status}" + (f": {text[-1500:]}" if text else "")


class Machine:
    """A machine with the kernel in `images`, whose disk is `drive`, options of QEMU. `folder` gets its sockets and its console."""

    architecture = "amd64"

    def __init__(self, folder, images, drive):
        self.folder, self.images, self.drive = folder, images, drive
        os.makedirs(folder, exist_ok=True)
        self.process = None

    def path(self, name):
        return os.path.join(self.folder, name)

    def boot(self, timeout=900, attempts=3):
        """Starts the machine and waits for the agent in it.

        On a busy host the kernel can fail before it reads the disk, because its timers come too late: then it starts again.
        """
        for attempt in range(attempts):
            try:
                return self._boot(timeout)
            except MachineError:
                self.power_cut()
                if attempt == attempts - 1:
                    raise

    def _boot(self, timeout):
        names = ["agent.sock", "storm.sock", "usb.sock"]
        for name in [*names, "monitor.sock"]:
            if os.path.exists(self.path(name)):
                os.unlink(self.path(name))
        emulator, kernel = ARCHITECTURES[self.architecture]
        command = [*emulator, "-accel", "tcg,tb-size=256", "-m", "768", "-smp", "2", "-display", "none",
                   "-no-reboot", "-nic", "none", "-kernel", f"{self.images}/vmlinuz", "-initrd", f"{self.images}/initrd",
                   "-append", f"root=/dev/vda rw {kernel} loglevel=4 mitigations=off nokaslr panic=-1", *self.drive,
                   "-serial", "file:" + self.path("console.log"), "-device", "qemu-xhci", "-device", "virtio-serial",
                   "-qmp", f"unix:{self.path('monitor.sock')},server=on,wait=off"]
        for name in names:
            command += ["-chardev", f"socket,id={name},path={self.path(name)},server=on,wait=off"]
        command += ["-device", "virtserialport,chardev=agent.sock,name=agent",
                    "-device", "virtserialport,chardev=storm.sock,name=storm",
                    "-device", "usb-serial,chardev=usb.sock"]
        began = time.monotonic()
        with open(self.path("qemu.log"), "ab") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            preexec_fn=lambda: os.nice(10))
        atexit.register(self.power_cut)
        self.identifiers, self.waiting, self.lock = itertools.count(1), {}, threading.Lock()
        self.is_up = threading.Event()
        self.agent = self.connect("agent.sock")
        threading.Thread(target=self._receive, args=(self.agent,), daemon=True).start()
        while not self.is_up.wait(1):
            if self.process.poll() is not None:
                raise MachineError(f"QEMU ended; see {self.path('qemu.log')}")
            if time.monotonic() - began > timeout:
                raise MachineError(f"the machine did not boot within {timeout} s; see {self.path('console.log')}")
        self.boot_time = time.monotonic() - began
        return self

    def connect(self, name):
        """Connects to one of the machine's sockets."""
        for _ in range(100):
            try:
                connection = socket.socket(socket.AF_UNIX)
                connection.connect(self.path(name))
                return connection
            except OSError:
                connection.close()
                time.sleep(0.1)
        raise MachineError(f"QEMU did not start; see {self.path('qemu.log')}")

    def _receive(self, agent):
        pending = b""
        while True:
            try:
                part = agent.recv(65_536)
            except OSError:
                part = b""
            if not part:
                break
            *lines, pending = (pending + part).split(b"\n")
            for line in lines:
                try:
                    answer = json.loads(line)
                except ValueError:
                    continue
                if answer["id"] == 0:
                    self.is_up.set()
                elif waiting := self.waiting.pop(answer["id"], None):
                    waiting[1].append(Result(answer["status"], answer["output"], answer["errors"]))
                    waiting[0].set()
        for done, results in list(self.waiting.values()):
            results.append(Result(-1, errors="the machine has stopped"))
            done.set()

    def _request(self, limit, **request):
        done, results = threading.Event(), []
        with self.lock:
            request["id"] = next(self.identifiers)
            self.waiting[request["id"]] = (done, results)
            try:
                self.agent.sendall((json.dumps(request) + "\n").encode())
            except OSError as error:
                return Result(-1, errors=str(error))
        return results[0] if done.wait(limit + 60) else Result(124, errors="the agent does not reply")

    def run(self, command, user="root", timeout=240):
        """Runs a command of the shell and returns its result."""
        return self._request(timeout, command=command, user=user, timeout=timeout)

    def start(self, command, user="root", timeout=7 * 86_400):
        """Runs a command without waiting for it. The agent kills it after the time limit, which is longer than any campaign."""
        threading.Thread(target=self.run, args=(command, user, timeout), daemon=True).start()

    def lines(self, path):
        """The lines of a JSON log; the last one may not be complete."""
        return parse_lines(self.read(path))

    def lines_of(self, command):
        """The JSON lines that a command prints."""
        return parse_lines(self.run(command).output)

    def read_output(self, command):
        """The output of a command, of any length."""
        self.run(f"{command} > /tmp/output")
        return self.read("/tmp/output")

    def read(self, path, size=150_000):
        """The text of a file, in parts: the agent limits the output of a command."""
        parts = [""]
        while True:
            part = self.run(f"tail -c +{sum(map(len, parts)) + 1} {path} | head -c {size}").output
            parts.append(part)
            if len(part) < size:
                return "".join(parts)

    def wait_for(self, command, timeout=180):
        """Repeats a command until it succeeds. Returns whether it did."""
        return self.run(f"until {command}; do sleep 0.3; done >/dev/null 2>&1", timeout=timeout).status == 0

    def monitor(self, command):
        """Executes a command of QEMU's monitor, and returns its result."""
        with self.connect("monitor.sock") as connection, connection.makefile("rw") as lines:
            lines.readline()  # the greeting
            for name in ("qmp_capabilities", command):
                print(json.dumps({"execute": name}), file=lines, flush=True)
                reply = json.loads(lines.readline())
                while "event" in reply:
                    reply = json.loads(lines.readline())
            return reply.get("return", reply)

    def power_cut(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def shut_down(self, timeout=300):
        self.start("systemctl poweroff")
        try:
            self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.power_cut()
            raise MachineError("the machine did not shut down") from None


def wait_until(condition, timeout=180):
    """Waits until a condition on the host holds. Returns whether it does."""
    limit = time.monotonic() + timeout
    while not condition():
        if time.monotonic() > limit:
            return False
        time.sleep(0.1)
    return True


def parse_lines(text):
    found = []
    for line in text.splitlines():
        try:
            found.append(json.loads(line))
        except ValueError:
            pass
    return found


def kernel_times(log, source, action):
    """The monotonic times of an action on a USB serial port in a log of `udevadm monitor`; the source is KERNEL or UDEV."""
    return [float(match) for match in re.findall(rf"{source} *\[([\d.]+)\] {action} +/devices/\S*/tty/ttyUSB\d", log)]
