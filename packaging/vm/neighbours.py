"""Other programs that want the serial port of a receiver: ModemManager and gpsd."""

HAS_PORT = "ls -l /proc/$(pidof gpsd)/fd 2> /dev/null | grep -q ttyUSB"


def run(machine, receiver, report):
    """Starts with an unplugged receiver and ends with a plugged one."""
    modem_manager(machine, receiver, report)
    gpsd_first(machine, report)
    gpsd_second(machine, report)


def modem_manager(machine, receiver, report):
    """A modem manager writes AT commands to ports that may be a modem, and a receiver may take them for its own."""
    machine.run("systemctl unmask ModemManager; systemctl start ModemManager")
    is_active = machine.wait_for("systemctl is-active --quiet ModemManager", timeout=60)
    receiver.plug()
    result = machine.run("sextant locate --timeout 60; sleep 20", user="alice")
    written = bytes(receiver.received)
    report.check("beside ModemManager a receiver gives a position and gets no AT command",
                 is_active and result.status == 0 and b"AT" not in written, written[:100] or result)
    machine.run("systemctl stop ModemManager; systemctl mask ModemManager")


def gpsd_first(machine, report):
    """The daemon starts while gpsd has the port open, and gpsd ends later."""
    machine.run("systemctl stop sextantd.service")
    machine.start("exec gpsd -n -N /dev/ttyUSB0")
    opened = machine.wait_for(HAS_PORT, timeout=60)
    refused = machine.run("sextant locate --timeout 20", user="alice")
    # The service may not look into processes of other users, so the message names the command that finds out.
    report.check("a user learns that the port is in use, and how to find out by whom",
                 opened and refused.status != 0 and "in use" in str(refused) and "sudo sextant doctor" in str(refused), refused)
    doctor = machine.run("sextant doctor")
    report.check("doctor names gpsd", doctor.status != 0 and "gpsd" in doctor.output, doctor)
    machine.run("pkill -x gpsd")
    found = machine.run("sextant locate --timeout 90", user="alice")
    report.check("the position comes when gpsd ends", found.status == 0, found)


def gpsd_second(machine, report):
    """An administrator starts gpsd on the port that the daemon uses."""
    machine.start("exec python3 /opt/vm/subscribe.py automotiveNavigation /tmp/neighbour.log", user="alice")
    machine.wait_for("grep -q ttyUSB /tmp/neighbour.log")
    machine.start("exec gpsd -n -N /dev/ttyUSB0")
    machine.run("sleep 15")
    has_both = machine.run(HAS_PORT).status == 0
    doctor = machine.run("sextant doctor")
    machine.run("pkill -x gpsd")
    before = len(machine.lines("/tmp/neighbour.log"))
    returned = machine.wait_for(f"tail -n +{before + 1} /tmp/neighbour.log | grep -q ttyUSB", timeout=60)
    report.check("gpsd that starts later does not get the port, or doctor names it",
                 not has_both or "gpsd" in doctor.output, doctor)
    report.check("the positions go on after it", returned)
    machine.run("pkill -f '[n]eighbour.log'")
