"""logind suspends the machine (ACPI S3) with a simulated receiver on its port; the monitor of QEMU wakes it."""
import json
import time

import presence
from drivers import SILENT_SECONDS, SimulatedReceiver
from machine import wait_until

POLICY, LOG = "/etc/sextant/conf.d/suspension.toml", "/tmp/suspension.log"
# UBX-RXM-PMREQ, with which a u-blox receiver is put to sleep.
SLEEP_COMMAND = b"\xb5\x62\x02\x41"
ELSEWHERE = "51.5,0,25"
STATE = "sextant fence list --json | grep -q '\"state\":\"{0}\"'"
IDENTIFIED = "sextant receivers --json | grep -q '\"chip\"'"
ENDS = "journalctl -b -u sextantd -o cat --no-pager | grep -c 'the host was suspended until now'"


def run(machine, report, program):
    """Starts and ends with nothing plugged in."""
    if machine.architecture != "amd64":
        return report.note("not tested: QEMU suspends no machine of this architecture")
    presence.start_logind(machine)
    machine.run(f"printf '[permissions]\\ndefault = \"always\"\\n' > {POLICY}; systemctl reload sextantd")
    receiver = SimulatedReceiver(machine, program).plug()
    try:
        machine.start(f"exec python3 /opt/vm/subscribe.py automotiveNavigation {LOG}")
        machine.run("sextant fence add here --circle 51.48,0,200")
        inside = machine.wait_for(f"grep -q ttyUSB {LOG} && {STATE.format('satisfied')}")
        locks = machine.run("systemd-inhibit --list --no-pager")
        report.check("the service holds a lock of logind that delays a suspension", inside and "sextantd" in locks.output, locks)
        if stay(machine, report, receiver):
            carry_away(machine, report, receiver)
        began = time.monotonic()
        left = machine.wait_for(STATE.format("unsatisfied"), timeout=60)
        report.check("a fence that was left during the suspension is left at once", left,
                     f"{time.monotonic() - began:.0f} s after the first position" if left
                     else machine.run("sextant fence list; sextant receivers"))
    finally:
        machine.run(f"pkill -f '[s]ubscribe.py automotiveNavigation {LOG}'; sextant fence remove here; rm -f {POLICY}")
        presence.stop_logind(machine)
        machine.run("systemctl reload sextantd")
        receiver.unplug()
        receiver.end()


def stay(machine, report, receiver):
    """The kernel suspends its devices for 5 s and not the processor: QEMU resumes at once from a second real suspension.
    Returns whether the receiver is identified again after it."""
    if not report.check("the receiver is identified", machine.wait_for(IDENTIFIED)):
        return False
    written, ends = len(receiver.written), int(machine.run(ENDS).output)
    machine.run("echo devices > /sys/power/pm_test; systemctl suspend")
    resume(machine, report, ends, "devices suspended")
    machine.run("echo none > /sys/power/pm_test")
    told = SLEEP_COMMAND in receiver.written[written:]
    report.check("devices suspended: the receiver was put to sleep before", told, "" if told else receiver.written[written:].hex(" "))
    return report.check("devices suspended: the receiver is identified again", machine.wait_for(IDENTIFIED))


def carry_away(machine, report, receiver):
    """Suspends the machine and wakes it. Meanwhile the receiver is exchanged for one in another place."""
    written, ends = len(receiver.written), int(machine.run(ENDS).output)
    machine.start("systemctl suspend")
    is_suspended = wait_until(lambda: machine.monitor("query-status")["status"] == "suspended", 120)
    if not report.check("logind suspends the machine", is_suspended, machine.monitor("query-status")):
        return
    commands, before = receiver.written[written:], receiver.sent
    time.sleep(SILENT_SECONDS)
    report.check("suspended: the receiver was put to sleep before", SLEEP_COMMAND in commands and receiver.sent == before,
                 f"{len(commands)} bytes written; {receiver.sent - before} bytes received in {SILENT_SECONDS} s")
    receiver.be_at(ELSEWHERE)
    machine.monitor("system_wakeup")
    resume(machine, report, ends, "suspended")


def resume(machine, report, ends, case):
    """Checks what follows the end of a suspension, of which there were some before."""
    ended = machine.wait_for(f"[ $({ENDS}) -gt {ends} ]")
    woken = time.time()
    report.check(f"{case}: the service notices the end", ended, "" if ended else _journal(machine))
    returned = wait_until(lambda: _timestamp(machine) > time.strftime("%FT%T", time.gmtime(woken)), 120)
    report.check(f"{case}: the port is open again, and the position returns", returned,
                 f"after {time.time() - woken:.0f} s" if returned else f"{machine.run('sextant receivers')} {_journal(machine)}")


def _timestamp(machine):
    """The time of the present position in UTC, as text; empty without one."""
    result = machine.run("sextant locate --timeout 20 --json")
    reply = json.loads(result.output) if result.status == 0 else {}
    return reply.get("location", reply).get("timestamp", "")


def _journal(machine):
    return machine.run("journalctl -b -u sextantd -o cat --no-pager -n 15").output
