"""Ends QEMU at random moments while monitors are written, read and acknowledged, and the track is recorded.

A cut has one of three modes:

    cache      the disk has a volatile cache: what was flushed is kept, and each later write with a probability of one half
    writeback  everything that the machine has written is kept, flushed or not
    none       the same, without the host's page cache
"""
import json
import os
import random
import struct
import subprocess
import threading
import time

from machine import Machine
from promises import Promises
from receiver import Receiver
from report import spread

MODES = ("cache", "cache", "cache", "writeback", "none")
SECTOR = 512
# The block log of QEMU (the format of Linux's dm-log-writes): the head and the flags of an entry.
LOG_MAGIC, FLUSH, FORCED, DISCARD = 0x6A736677736872, 1, 2, 4


class Disk:
    """The disk of a machine, as it is after each power cut."""

    def __init__(self, folder, path, seed):
        self.path = path
        self.overlay, self.log = os.path.join(folder, "overlay.qcow2"), os.path.join(folder, "writes.log")
        self.generator = random.Random(seed)

    def drive(self, mode):
        """The options of QEMU for a machine that will lose its power in this mode."""
        if mode != "cache":
            return ["-drive", f"file={self.path},if=virtio,format=raw,cache={mode}"]
        for file in (self.overlay, self.log):
            if os.path.exists(file):
                os.unlink(file)
        subprocess.run(["qemu-img", "create", "-q", "-f", "qcow2", "-b", os.path.abspath(self.path), "-F", "raw", self.overlay],
                       check=True)
        open(self.log, "wb").close()
        return ["-blockdev", f"driver=file,filename={self.overlay},node-name=file", "-blockdev", "driver=qcow2,file=file,node-name=disk",
                "-blockdev", f"driver=file,filename={self.log},node-name=writes",
                "-blockdev", f"driver=blklogwrites,file=disk,log=writes,log-sector-size={SECTOR},log-super-update-interval=1,node-name=logged",
                "-device", "virtio-blk-pci,drive=logged,write-cache=on"]

    def wait_for_unflushed(self, limit=20):
        """Waits until something is written and not flushed."""
        position, end, is_flushed, last = SECTOR, time.monotonic() + limit, True, time.monotonic()
        with open(self.log, "rb") as log:
            while time.monotonic() < end:
                log.seek(position)
                _, count, flags, _ = read_entry(log) or (0, 0, 0, 0)
                if count or flags:
                    is_flushed = bool(flags & FLUSH) or is_flushed and not count
                    last = time.monotonic()
                    position += SECTOR + (0 if flags & DISCARD else count * SECTOR)
                elif not is_flushed and (last < time.monotonic() - 0.3 or self.generator.random() < 0.2):
                    return
                else:
                    time.sleep(0.0002)

    def settle(self):
        """Writes to the disk what a volatile cache keeps. Returns the writes after the last flush, and how many were kept."""
        with open(self.log, "rb") as log, open(self.path, "r+b") as disk:
            magic, _, count, size = struct.unpack("<QQQI", log.read(28))
            if magic != LOG_MAGIC or size != SECTOR:
                raise RuntimeError("the log of QEMU has an unknown format")
            entries, position, flushed = [], SECTOR, -1
            for index in range(count):
                log.seek(position)
                entry = read_entry(log)
                if not entry:
                    break
                sector, sectors, flags, _ = entry
                entries.append((sector, sectors, flags, position + SECTOR))
                if flags & FLUSH:
                    flushed = index
                position += SECTOR + (0 if flags & DISCARD else sectors * SECTOR)
            later = [entry for entry in entries[flushed + 1:] if entry[1]]
            kept = [entry for entry in later if entry[2] & FORCED or self.generator.random() < 0.5]
            for sector, sectors, flags, position in entries[:flushed + 1] + kept:
                if sectors:
                    log.seek(position)
                    data = bytes(sectors * SECTOR) if flags & DISCARD else log.read(sectors * SECTOR)
                    disk.seek(sector * SECTOR)
                    disk.write(data)
        return len(later), len(kept)


def read_entry(log):
    """Sector, number of sectors, flags and length of data of the entry at the position."""
    head = log.read(32)
    return struct.unpack("<QQQQ", head) if len(head) == 32 else None


def cut_power(machine, disk, mode, number, promises, generator):
    """Writes monitors until a random moment, and cuts the power. Returns a description."""
    connection, done, reports = machine.connect("storm.sock"), threading.Event(), []

    def collect():
        pending = b""
        while part := receive(connection):
            *lines, pending = (pending + part).split(b"\n")
            reports.extend(json.loads(line) for line in lines)
        done.set()

    threading.Thread(target=collect, daemon=True).start()
    machine.start(f"python3 /opt/vm/storm.py {number}")
    limit = time.monotonic() + 60
    while not any(report[0] == "event" for report in reports) and time.monotonic() < limit:
        time.sleep(0.05)
    time.sleep(generator.uniform(0.3, 10))
    if mode == "cache" and number % 4:
        disk.wait_for_unflushed()
    machine.power_cut()
    done.wait(5)
    for report in reports:
        promises.record(report)
    later, kept = disk.settle() if mode == "cache" else (0, 0)
    return f"{len(reports)} reports" + (f", {kept} of {later} unflushed writes kept" if mode == "cache" else "")


def receive(connection):
    try:
        return connection.recv(65_536)
    except OSError:
        return b""


def run(folder, images, path, report, cuts, seed):
    """Cuts the power as often as given and checks after each. Returns the machine, which runs."""
    disk, promises, generator = Disk(folder, path, seed), Promises(), random.Random(seed)
    boots, replies, events, counts = [], [], 0, {}
    for number in range(cuts + 1):
        mode = MODES[number % len(MODES)] if number < cuts else "writeback"
        machine = Machine(folder, images, disk.drive(mode)).boot()
        receiver = Receiver(machine).plug()
        boots.append(machine.boot_time)
        if number == 0:
            # By default only 20 conditions of a program are monitored.
            machine.run("printf '[monitors]\\nmax_conditions_per_program = 0\\n[track]\\nkeep = \"30 d\"\\n' > /etc/sextant/conf.d/vm.toml; sync; "
                        "systemctl restart sextantd")
        result = machine.run("python3 /opt/vm/check.py", timeout=600)
        known = len(promises.defects)
        try:
            found = json.loads(result.output)
        except ValueError:
            promises.defects.append(f"the service does not reply after power cut {number}: {result}")
            break
        events += promises.compare(found)
        replies.append(found["replied"])
        if set(found["integrity"].split()) - {"ok"} != {"active"}:
            promises.defects.append(f"a database is damaged: {found['integrity']}")
        if "was moved to" in found["journal"]:
            promises.defects.append(f"the service found damage: {found['journal']}")
        if found["restarts"] != "0":
            promises.defects.append(f"the service failed {found['restarts']} times: {found['journal'][-1000:]}")
        for defect in promises.defects[known:]:
            report.note(f"after power cut {number}: {defect}")
        if number == cuts:
            break
        counts[mode] = counts.get(mode, 0) + 1
        text = cut_power(machine, disk, mode, number, promises, generator)
        receiver.unplug()
        report.note(f"power cut {number + 1} of {cuts}, {mode}: {text}")
    report.figures["powerCuts"] = {"cuts": counts, "defects": len(promises.defects), "events": events, "boot": spread(boots),
                                   "reply": spread(replies), "reports": dict(promises.counts), "trackPoints": len(promises.track)}
    total = sum(counts.values())
    report.check("power cuts: nothing confirmed is lost, nothing acknowledged is delivered again",
                 total == cuts and not promises.defects and promises.counts["add"] > 0 and promises.track,
                 f"{total} cuts, {len(promises.defects)} defects, {promises.counts['add']} conditions and "
                 f"{promises.counts['event']} events confirmed, {len(promises.track)} points of the track read")
    return machine, receiver
