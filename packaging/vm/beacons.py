"""Bluetooth beacons between two virtual adapters (btvirt of BlueZ): one sends as an iBeacon, the service receives with the other.

The virtual adapters tell no strength (127).
"""

BEACON = "F7826DA6-4FA4-4E98-8024-BC5B71E0893E/1/2"
# An iBeacon's advertising data.
DATA = "1AFF4C000215" + BEACON[:36].replace("-", "") + "00010002C5"
POWER_ON = "busctl set-property org.bluez /org/bluez/hci{0} org.bluez.Adapter1 Powered b true"
POWERED = "busctl get-property org.bluez /org/bluez/hci{0} org.bluez.Adapter1 Powered | grep -q true"
JOURNAL = "journalctl -b -u sextant-beacons -u sextantd -o cat --no-pager -n 20"


def run(machine, report):
    has_adapters = start_adapters(machine)
    if not report.check("BlueZ has two virtual adapters", has_adapters, "" if has_adapters else machine.run("hciconfig -a")):
        return
    machine.run(f"systemd-run --quiet --collect --unit=beacon python3 /opt/vm/beacon.py 1 {DATA}")
    idle = machine.run("pgrep sextant-beacons; ls /run/sextant/beacons")
    report.check("without a condition on beacons no process receives them", not idle.output, idle)
    machine.run(f"sextant fence add door --beacon {BEACON}")
    entered = machine.wait_for("sextant fence list --json | grep -q '\"state\":\"satisfied\"'")
    report.check("a condition on the beacon is satisfied", entered, "" if entered else machine.run(f"sextant fence list; {JOURNAL}"))
    replies = machine.lines_of("timeout 60 sextant beacons --json --duration 20s")
    seen = [reading for reply in replies for reading in reply.get("beacons", []) if reading["beacon"]["uuid"] == BEACON[:36]]
    report.check("ranging names the beacon with its numbers", seen and seen[-1]["beacon"].get("minor") == 2, replies[-1:])
    report.check("without a strength its distance is unknown", seen and all(
        reading["zone"] == "unknown" and "rssi" not in reading for reading in seen), seen[-1:])
    machine.run("sextant fence remove door")
    ended = machine.wait_for("! pgrep sextant-beacons")
    report.check("the process ends with the condition", ended, "" if ended else machine.run("systemctl status sextant-beacons"))
    machine.run("systemctl stop beacon bluetooth btvirt; rm -rf /var/lib/bluetooth/*")


def start_adapters(machine):
    """Starts two virtual adapters. On a busy host the kernel may fail to read one in time: then they start again."""
    ready = " && ".join(f"({POWER_ON.format(number)}; {POWERED.format(number)})" for number in (0, 1))
    for _ in range(3):
        machine.run("modprobe hci_vhci; systemd-run --quiet --collect --unit=btvirt btvirt -l2; systemctl start bluetooth")
        if machine.wait_for(ready, timeout=60):
            return True
        machine.run("systemctl stop bluetooth btvirt")
    return False
