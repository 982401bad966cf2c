#!/usr/bin/env python3
"""vm-test.py: installs the Debian package in a small Debian 12 under QEMU and tests it with a receiver that is plugged in.

    vm-test.py [--arch NAME] [--package FILE] [--short] [--only PART] [--cycles N] [--cuts N] [--seed N] [--folder FOLDER] [--json]

Prints a verdict per check; the exit status is 1 if one has failed. Without QEMU, mmdebstrap or root nothing is tested, which
one line reports; with CI=true the reason must be listed in .ci/skips. packaging/vm/README.md describes the parts.
"""
import argparse
import glob
import json
import os
import shutil
import signal
import subprocess
import sys

import beacons
import confinement
import drivers
import motion
import neighbours
import powercut
import presence
import programs
import replug
import suspension
from machine import ARCHITECTURES, Machine, MachineError
from receiver import Receiver
from report import Report

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HERE = os.path.dirname(os.path.abspath(__file__))
# What a purge must leave as it was. Logs, caches and the files of dpkg and systemd only grow.
FILES = ("find / -xdev \\( -path /proc -o -path /sys -o -path /run -o -path /dev -o -path /tmp -o -path /opt -o -path /var/log "
         "-o -path /var/cache -o -path /var/lib/dpkg -o -path /var/lib/apt -o -path /var/tmp -o -path /var/lib/systemd "
         "-o -path /root -o -name lost+found \\) -prune -o -print | LC_ALL=C sort")
# The member of a reply that names the receiver. Details name its path.
RECEIVER = "'\"ttyUSB[0-9]\"'"
# The script that dh_apparmor adds to packages removes this directory if it is empty.
APPARMOR_FOLDER = {"/etc/apparmor.d/disable"}
# systemd-sysusers keeps a copy and a lock of the user database; the user stays.
USER_FILES = {"/etc/passwd-", "/etc/group-", "/etc/shadow-", "/etc/gshadow-", "/etc/.pwd.lock"}


def skip(reason):
    """Reports that nothing is tested and ends."""
    print(f"\n!!! vm-test: SKIPPED, NOTHING WAS TESTED: {reason}\n", file=sys.stderr)
    with open(os.path.join(ROOT, ".ci/skips"), encoding="utf-8") as file:
        listed = {line.split("|")[1].strip() for line in file if line.count("|") == 2}
    if os.environ.get("CI") == "true" and f"vm-test: {reason}" not in listed:
        sys.exit(f"vm-test: .ci/skips does not list 'vm-test: {reason}'")
    sys.exit(0)


def make_image(folder):
    if os.geteuid() != 0:
        skip("it needs root")
    emulator = ARCHITECTURES[Machine.architecture][0][0]
    if not all(map(shutil.which, (emulator, "qemu-img", "mmdebstrap", "mke2fs", "cpio"))):
        skip("QEMU or mmdebstrap is not installed")
    if shutil.which("arch-test") and subprocess.run(["arch-test", Machine.architecture], stdout=subprocess.DEVNULL).returncode != 0:
        skip(f"programs for {Machine.architecture} do not run here: install qemu-user-static and binfmt-support")
    print("vm-test: making the disk, which takes some minutes the first time", file=sys.stderr)
    result = subprocess.run([os.path.join(HERE, "make-image.sh"), folder, Machine.architecture], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if result.returncode != 0:
        print(result.stdout[-2000:], file=sys.stderr)
        if not os.path.exists(os.path.join(folder, "root.tar")):
            skip("mmdebstrap cannot make a Debian 12")
        sys.exit("vm-test: cannot make the disk")


def install(machine, report, package):
    """Installs the package while a receiver is plugged in. Returns the receiver, and the files that existed before."""
    before = machine.read_output(FILES)
    receiver = Receiver(machine).plug()
    machine.wait_for("test -e /dev/ttyUSB0")
    # The package is the second disk: the connection to the agent is slow.
    machine.run(f"head -c {os.path.getsize(package)} /dev/vdb > /root/sextant.deb")
    result = machine.run("apt-get install --yes --no-install-recommends /root/sextant.deb", timeout=900)
    report.check("apt install of the package", result.status == 0, "" if result.status == 0 else result)
    states = machine.run("systemctl is-active sextantd.socket sextantd.service; systemctl is-enabled sextantd.socket sextantd.service")
    report.check("service and socket are ready and enabled", states.output.split() == ["active", "active", "enabled", "enabled"],
                 " ".join(states.output.split()))
    machine.run("sync")
    return receiver, before


def fix(machine, report):
    """The first position, for a user who is in no group."""
    result = machine.run("sextant locate --timeout 60", user="alice")
    report.check("a user gets a position from the receiver that was plugged in", result.status == 0, result)
    result = machine.run("sextant doctor", user="alice")
    report.check("doctor finds no problem", result.status == 0, "" if result.status == 0 else result)


def unplug(machine, receiver, report):
    """The cause and the change back, as a subscriber sees them."""
    machine.start("exec python3 /opt/vm/subscribe.py automotiveNavigation /tmp/unplug.log", user="alice")
    machine.wait_for(f"grep -q {RECEIVER} /tmp/unplug.log")
    receiver.unplug()
    machine.wait_for("grep -q receiverLost /tmp/unplug.log")
    causes = [reply[1] for reply in machine.lines("/tmp/unplug.log") if reply[1]]
    report.check("a subscriber learns that the receiver was unplugged", causes and causes[-1] == "receiverLost", causes)
    receiver.plug()
    found = machine.wait_for(f"tail -n 1 /tmp/unplug.log | grep -q {RECEIVER}")
    report.check("the position returns after it is plugged in again", found)
    receiver.unplug()
    machine.run("pkill -f '[u]nplug.log'")
    # The journal may be seconds late on a busy machine.
    logged = [machine.wait_for(f"journalctl -b -u sextantd -o cat --no-pager | grep -q '{text}'") for text in ("was lost", "connected again")]
    report.check("the journal reports loss and return", all(logged), "" if all(logged) else logged)


def read_only(machine, report):
    """The kernel makes the file system read-only, as after an error of the disk. Open files still accept writes."""
    add = "sextant fence add {0} --circle 51.48,0,300"
    machine.run(add.format("before"))
    machine.run("sync; echo u > /proc/sysrq-trigger")
    machine.wait_for("grep -q '^/dev/[a-z]* / ext4 ro' /proc/mounts")
    refused = machine.run(add.format("during"))
    machine.run("mount -o remount,rw /")
    accepted = machine.run(add.format("after"))
    names = machine.run("sextant fence list").output
    report.check("a fence is refused while the file system is read-only, and accepted afterwards",
                 refused.status != 0 and accepted.status == 0 and "during" not in names and "after" in names,
                 refused.errors.strip() or f"refused: {refused}; accepted: {accepted}")
    machine.run("sextant fence remove before; sextant fence remove after")


def purge(machine, receiver, report, before):
    receiver.unplug()
    result = machine.run("apt-get purge --yes sextant", timeout=900)
    report.check("apt purge of the package", result.status == 0, "" if result.status == 0 else result)
    machine.run("rm -f /etc/sextant/conf.d/vm.toml")
    after = set(machine.read_output(FILES).splitlines())
    before = set(before.splitlines())
    left, gone = sorted(after - before - USER_FILES), sorted(before - after - APPARMOR_FOLDER)
    report.check("the purge leaves no file", not left, f"{len(after)} compared" if not left else ", ".join(left[:10]))
    report.check("the purge removes no other file", not gone, ", ".join(gone[:10]))
    units = machine.run("systemctl list-units --all --no-legend --plain 'sextant*'; ls -d /run/sextant 2>&1 | grep -v cannot")
    report.check("no unit and no socket is left", not units.output.strip(), units.output.strip())


# The parts between installation and power cuts, in their order.
PARTS = {
    "fix": lambda run: fix(run.machine, run.report),
    "presence": lambda run: presence.run(run.machine, run.report),
    "programs": lambda run: programs.run(run.machine, run.report),
    "beacons": lambda run: beacons.run(run.machine, run.report),
    "unplug": lambda run: unplug(run.machine, run.receiver, run.report),
    "read-only": lambda run: read_only(run.machine, run.report),
    "replug": lambda run: replug.run(run.machine, run.receiver, run.report, run.cycles, run.seed),
    "neighbours": lambda run: neighbours.run(run.machine, run.receiver, run.report),
    "motion": lambda run: motion.run(run.machine, run.report, run.program),
    "suspension": lambda run: suspension.run(run.machine, run.report, run.program),
    "drivers": lambda run: drivers.run(run.machine, run.report, run.program),
}
WITH_RECEIVER = ("fix", "presence", "programs", "beacons", "unplug")


def run_parts(run):
    """Runs the parts that the options select."""
    left_out = ([] if run.cycles else ["replug"]) + (["neighbours", "drivers"] if run.short else [])
    for name in [run.only] if run.only else [name for name in PARTS if name not in left_out]:
        if name not in WITH_RECEIVER:
            run.receiver.unplug()
        if name == "drivers":
            confinement.judge(run.machine, run.report, "before a power cut")
        PARTS[name](run)
    confinement.judge(run.machine, run.report, "in these parts")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arch", choices=ARCHITECTURES, default="amd64", help="architecture of the machine; default amd64")
    parser.add_argument("--package", help="default: the newest package of the architecture in .build/packages")
    parser.add_argument("--short", action="store_true", help="3 replugs and 1 power cut")
    parser.add_argument("--only", metavar="PART", choices=PARTS, help="install the package and run one part: " + ", ".join(PARTS))
    parser.add_argument("--cycles", type=int, help="number of replugs; default 20")
    parser.add_argument("--cuts", type=int, help="number of power cuts; default 5")
    parser.add_argument("--seed", type=int, default=1, help="start of the random numbers")
    parser.add_argument("--folder", help="folder of the disks; default .build/vm-ARCH")
    parser.add_argument("--json", action="store_true", help="print one object at the end; the verdicts go to standard error")
    options = parser.parse_args()
    if options.cycles is None:
        options.cycles = 3 if options.short else 20
    if options.cuts is None:
        options.cuts = 0 if options.only else 1 if options.short else 5
    Machine.architecture = options.arch
    options.folder = options.folder or os.path.join(ROOT, f".build/vm-{options.arch}")
    packages = glob.glob(os.path.join(ROOT, f".build/packages/sextant_*_{options.arch}.deb"))
    package = options.package or max(packages, key=os.path.getmtime, default=None)
    if not package or not os.path.exists(package):
        sys.exit(f"vm-test: there is no package; run first: make deb ARCH={options.arch}")
    make_image(options.folder)

    # The end of this program ends its machine.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("vm-test: terminated"))
    report = Report(options.json)
    run, disk = os.path.join(options.folder, "run"), os.path.join(options.folder, "disk.img")
    shutil.rmtree(run, ignore_errors=True)
    subprocess.run(["cp", "--sparse=always", os.path.join(options.folder, "base.img"), disk], check=True)
    try:
        machine = Machine(run, options.folder, [
            "-drive", f"file={disk},if=virtio,format=raw,cache=unsafe",
            "-drive", f"file={os.path.abspath(package)},if=virtio,format=raw,readonly=on"]).boot()
        report.check("the machine boots", True, f"{machine.boot_time:.0f} s")
        receiver, before = install(machine, report, package)
        confinement.enforce(machine, report)
        run_parts(argparse.Namespace(machine=machine, receiver=receiver, report=report,
                                     program=drivers.simulator(machine, package), **vars(options)))
        receiver.unplug()
        if options.cuts:
            machine.shut_down()
            machine, receiver = powercut.run(run, options.folder, disk, report, options.cuts, options.seed)
            confinement.judge(machine, report, "after the last power cut")
        confinement.release(machine)
        purge(machine, receiver, report, before)
        machine.shut_down()
    except MachineError as error:
        report.check("the machine runs", False, error)
    if os.path.exists(disk):
        os.unlink(disk)
    sys.exit(report.finish())


main()
