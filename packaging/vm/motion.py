"""Motion sources of a real kernel: a key of an input device (uinput) and a CAN bus (vcan), read by the service in its sandbox.

The accesses are those of sextant.toml(5).
"""
from drivers import SimulatedReceiver, asleep
from machine import wait_until

CONFIGURATION = "/etc/sextant/conf.d/motion.toml"
SOURCES = """[[motion.source]]
name = "button"
kind = "input"
device = "/dev/input/vm-button"
key = 148

[[motion.source]]
name = "bus"
kind = "can"
device = "vcan0"
"""
# The link is the name of the device, and gives no access.
LINK = 'SUBSYSTEM=="input", KERNEL=="event*", ATTRS{name}=="vm-button", SYMLINK+="input/vm-button"\n'
ACCESS = {
    "/etc/udev/rules.d/80-vm.rules": LINK[:-1] + ', GROUP="sextant", MODE="0640"\n',
    "/etc/systemd/system/sextantd.service.d/motion.conf":
        "[Service]\nDeviceAllow=char-input r\nRestrictAddressFamilies=AF_CAN\n",
    "/etc/apparmor.d/local/sextantd": "/dev/input/event* r,\nnetwork can raw,\n",
}
RELOAD = ("udevadm control --reload; udevadm trigger --settle --subsystem-match=input; "
          "apparmor_parser --replace /etc/apparmor.d/sextantd; systemctl daemon-reload; systemctl restart sextantd")
PLUG = "systemd-run --quiet --collect --unit=button python3 /opt/vm/button.py"
PRESS = "systemctl kill --signal={0} button"
FRAMES, FRAME = "/tmp/frames.log", "123"
LINK_UP = "busybox ip link add dev vcan0 type vcan && busybox ip link set vcan0 up"
# A stream at rest is checked after 280 s. What wakes the receiver within this time is the report.
WAKE_SECONDS = 150


def run(machine, report, program):
    """Starts and ends with nothing plugged in."""
    receiver = SimulatedReceiver(machine, program).plug()
    _write(machine, {CONFIGURATION: SOURCES, "/etc/udev/rules.d/80-vm.rules": LINK})
    machine.run(f"udevadm control --reload; modprobe -a uinput vcan; {PLUG}; {LINK_UP}")
    machine.wait_for("test -e /dev/input/vm-button")
    try:
        access(machine, report)
        machine.start(f"exec python3 /opt/vm/bus.py vcan0 > {FRAMES}")
        machine.start("exec sextant watch --json > /dev/null", user="alice")
        # Rest is found after 90 s of positions.
        expect(machine, report, "at rest the key is watched", "button", 'activity == "armed"', timeout=400)
        asleep(machine, receiver, report, "a stream of a device at rest lets the receiver sleep")
        button(machine, report, receiver)
        bus(machine, report, receiver)
    finally:
        machine.run("pkill -f '[s]extant watch'; pkill -f '[b]us.py'; systemctl stop button; busybox ip link del vcan0; "
                    f"rm -f {CONFIGURATION} {' '.join(ACCESS)}; {RELOAD}")
        receiver.unplug()
        receiver.end()


def access(machine, report):
    """The package gives no access to a device of input or a bus; the administrator does."""
    machine.run("systemctl reload sextantd")
    expect(machine, report, "the sandbox of the service denies an input device that its owner did not allow",
           "button", 'activity == "denied"')
    expect(machine, report, "it denies a CAN bus that its owner did not allow", "bus", 'activity == "denied"')
    doctor = machine.run("sextant doctor motion --json")
    report.check("doctor motion names the remedy", doctor.status == 2 and "give the service access" in doctor.output, doctor)
    _write(machine, ACCESS)
    restarted = machine.run(RELOAD)
    report.check("the accesses of sextant.toml(5) are accepted", restarted.status == 0, restarted)
    for source in ("button", "bus"):
        expect(machine, report, f"with them the service reads the {source}", source, 'activity in ("idle", "armed")')


def button(machine, report, receiver):
    """A key, its device unplugged and plugged in again."""
    before = receiver.sent
    machine.run(PRESS.format("USR2"))
    machine.run(PRESS.format("USR1"))
    expect(machine, report, "a key that is pressed is one report, another key is none", "button", "reports == 1")
    report.check("it wakes the sleeping receiver", wait_until(lambda: receiver.sent > before, WAKE_SECONDS),
                 f"{receiver.sent - before} bytes")
    asleep(machine, receiver, report, "fixes find no movement, and the receiver sleeps again")
    expect(machine, report, "the check counts as one without a departure", "button", "falseChecks == 1")

    machine.run("systemctl stop button")
    expect(machine, report, "an input device that is unplugged is reported as absent", "button", 'activity == "absent" and problem')
    doctor = machine.run("sextant doctor motion")
    report.check("doctor motion says that it cannot be read", doctor.status == 2 and "button cannot be read" in doctor.output, doctor)
    machine.run(PLUG)
    expect(machine, report, "plugged in again it is read again", "button", 'activity == "armed" and not problem')
    machine.run(PRESS.format("USR1"))
    expect(machine, report, "its key is a report again", "button", "reports == 2")


def bus(machine, report, receiver):
    """Frames, and an interface that goes down and comes back, and one that is removed."""
    asleep(machine, receiver, report, "until a frame comes the receiver sleeps")
    results, before = [], receiver.sent
    # The key has caused checks: the next one that a report may cause comes two minutes later at most.
    report.check("a frame on a CAN bus wakes the sleeping receiver",
                 wait_until(lambda: results.append(send(machine)) or receiver.sent > before, WAKE_SECONDS), f"{len(results)} frames")
    expect(machine, report, "frames are reports", "bus", "reports > 0")
    asleep(machine, receiver, report, "after the frames the receiver sleeps again")

    machine.run("busybox ip link set vcan0 down")
    expect(machine, report, "an interface that is down is reported", "bus", 'activity == "absent" and problem')
    reports = machine.lines_of("/opt/vm/source.py bus True")[0].get("reports", 0)
    machine.run("busybox ip link set vcan0 up")
    results.append(send(machine))
    expect(machine, report, "its first frame after it is up again is a report", "bus", f"reports > {reports} and not problem")
    frames = machine.read(FRAMES).split()
    report.check("the service sends no frame", frames == [FRAME] * sum(results), f"{sum(results)} sent by the test, on the bus: {frames}")

    machine.run("busybox ip link del vcan0")
    expect(machine, report, "an interface that is removed is reported", "bus", 'activity == "absent" and problem')
    machine.run(LINK_UP)
    send(machine)
    expect(machine, report, "one with its name is read again", "bus", f"reports > {reports + 1} and not problem")


def send(machine):
    """Sends a frame. Returns whether it was sent."""
    return machine.run(f"python3 /opt/vm/bus.py vcan0 {FRAME}").status == 0


def expect(machine, report, name, source, condition, timeout=180):
    """Checks that a condition on a source holds soon."""
    holds = machine.wait_for(f"python3 /opt/vm/source.py {source} '{condition}'", timeout)
    report.check(name, holds, "" if holds else machine.run(
        f"python3 /opt/vm/source.py {source} True; sextant doctor motion; journalctl -b -u sextantd -o cat --no-pager -n 8"))


def _write(machine, files):
    for path, text in files.items():
        machine.run(f"install -d $(dirname {path}); cat > {path} << 'END'\n{text}END")
