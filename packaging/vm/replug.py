"""Plugs and unplugs the receiver while two programs follow its position."""
import collections
import random
import time

from machine import kernel_times, parse_lines
from report import spread

CONFIGURATIONS = ("automotiveNavigation", "fitness")
# A replug so short that the receiver need not have had a fix. The emulated machine needs most of it.
MIN_SECONDS_TO_FIX = 4.0
EXPECTED_CAUSES = ("noReceiver", "receiverLost", "starting", "noFix")
# The growth of private memory that counts as none: 2 %, or ten pages.
MAX_GROWTH, MAX_GROWN_KIB = 0.02, 40


def run(machine, receiver, report, cycles, seed):
    """Starts with an unplugged receiver and ends with a plugged one."""
    generator = random.Random(seed)
    # A client of an earlier check that ends meanwhile would look like a change of the service's descriptors.
    machine.run("pkill -f '[/]opt/vm/subscribe.py'; sleep 3")
    machine.start("exec udevadm monitor --kernel --udev --subsystem-match=tty >/tmp/devices.log 2>&1")
    for configuration in CONFIGURATIONS:
        machine.start(f"exec python3 /opt/vm/subscribe.py {configuration} /tmp/{configuration}.log", user="alice")
    ready = " && ".join(f"test -s /tmp/{configuration}.log" for configuration in CONFIGURATIONS)
    if not report.check("the subscribers get a first reply", machine.wait_for(ready + " && test -s /tmp/devices.log")):
        return receiver.plug()
    samples, in_burst, long = [], 0, 0
    for cycle in range(cycles):
        receiver.plug()
        # Of five replugs one is too short for a fix. Every second one ends within a burst.
        time.sleep(generator.choice((0.05, 0.3, 1.0)) if cycle % 5 == 4 else generator.uniform(2.5, 5))
        # The kernel must see a receiver that stays for seconds, after one that was away for longer than 0.2 s.
        long += cycle % 5 != 4 and cycle % 7 != 0
        if cycle % 2:
            limit = time.monotonic() + 1.5
            while not receiver.is_in_burst and time.monotonic() < limit:
                time.sleep(0.002)
            in_burst += receiver.is_in_burst
        if cycle % 10 == 9 or cycle in (2, cycles - 1):
            samples += machine.lines_of("python3 /opt/vm/sample.py")
        receiver.unplug()
        time.sleep(generator.choice((0.02, 0.2)) if cycle % 7 == 6 else generator.uniform(0.5, 2))
        if cycle % 50 == 49:
            report.note(f"{cycle + 1} of {cycles} replugs")
    receiver.plug()
    judge_updates(machine, report, cycles, long, in_burst)
    judge_memory(machine, report, samples)
    return receiver


def judge_updates(machine, report, cycles, long, in_burst):
    machine.wait_for("sextant locate --timeout 20")
    logs = {name: machine.read(f"/tmp/{name}.log") for name in ("devices", *CONFIGURATIONS)}
    logs["journal"] = machine.read_output("journalctl -b -u sextantd -o short-monotonic --no-pager")
    for name, text in logs.items():
        with open(machine.path(f"replug-{name}.log"), "w", encoding="utf-8") as file:
            file.write(text)
    devices = logs["devices"]
    added, removed = (kernel_times(devices, "KERNEL", action) for action in ("add", "remove"))
    figures = {"replugs": cycles, "unpluggedInBurst": in_burst, "kernelAdded": len(added), "kernelRemoved": len(removed),
               "udevDelay": spread([b - a for a, b in zip(added, kernel_times(devices, "UDEV", "add"))])}
    report.figures["replug"] = figures
    # A replug within milliseconds can reach the kernel as none. The last plug is no part of the cycles.
    report.check("the kernel saw the replugs", len(added) > long and abs(len(added) - len(removed)) <= 1,
                 f"{len(added)} added, {len(removed)} removed, of {cycles}, of which {long} took seconds")
    for configuration in CONFIGURATIONS:
        log = parse_lines(logs[configuration])
        lost, found, missed, without_fix, causes = follow(log, added, removed)
        figures[configuration] = {"unplugToUpdate": spread(lost), "plugToFix": spread(found), "causes": causes}
        report.check(f"{configuration}: notified of every unplug", lost and not missed,
                     f"{len(lost)} unplugs, {missed} missed, {spread(lost)}")
        report.check(f"{configuration}: a fix after every plug", found and not without_fix,
                     f"{len(found)} plugs, {without_fix} without a fix, {spread(found)}")
        wrong = [reply[1:5:3] for reply in log if reply[1] not in (None, "END", *EXPECTED_CAUSES)]
        report.check(f"{configuration}: no wrong cause", not wrong and "receiverLost" in causes, f"{causes} {wrong[:3] or ''}")
        report.check(f"{configuration}: the subscription did not end", log and log[-1][1] != "END")
    # A program without a rule is refused earlier, by permissions.default.
    refused = [line for line in logs["journal"].splitlines()
               if "cannot open" in line or "permission" in line.lower() and "may not know the location" not in line]
    report.check("the journal reports no missing permission", not refused, "; ".join(refused[:3]))


def follow(log, added, removed):
    """Delays from unplug to update and from plug to fix, how many of each never came, and the count of each cause."""
    lost, found, missed, without_fix, causes = [], [], 0, 0, {}
    replies = [reply for reply in log if reply[1] != "END"]
    for reply in replies:
        if reply[1]:
            causes[reply[1]] = causes.get(reply[1], 0) + 1
    for plugged, next_plugged in zip(added, added[1:] + [float("inf")]):
        unplugged = next((time for time in removed if plugged < time < next_plugged), None)
        end = next_plugged if unplugged is None else unplugged
        fix = next((reply for reply in replies if plugged < reply[0] < end and reply[2] is not None), None)
        if fix:
            found.append(fix[0] - plugged)
        elif unplugged is not None and end - plugged > MIN_SECONDS_TO_FIX:
            without_fix += 1
        if unplugged is None:
            continue
        before = next((reply for reply in reversed(replies) if reply[0] < unplugged), None)
        if not before or before[1] in ("noReceiver", "receiverLost"):
            continue  # the subscriber did not know of the receiver yet
        update = next((reply for reply in replies if unplugged <= reply[0] < next_plugged + 0.5 and reply[1]), None)
        if update:
            lost.append(update[0] - unplugged)
        else:
            missed += 1
    return lost, found, missed, without_fix, causes


def judge_memory(machine, report, samples):
    if len(samples) < 2:
        return
    first, last = samples[0], samples[-1]
    report.figures["memory"] = {"first": first, "last": last, "samples": len(samples)}
    grown = last["private"] - first["private"]
    report.check("private memory does not grow", grown <= max(MAX_GROWN_KIB, MAX_GROWTH * first["private"]),
                 f"{first['private']} KiB after the first replugs, {last['private']} KiB at the end")
    # A sample is taken with the port open or closed.
    for state, has_port in (("open", True), ("closed", False)):
        found = [sample["descriptors"] for sample in samples if has_port == any("tty" in path for path in sample["descriptors"])]
        if not found:
            report.note(f"no sample was taken with the port {state}")
            continue
        counts = [len(descriptors) for descriptors in found]
        report.check(f"descriptors with the port {state} stay the same", max(counts) - min(counts) <= 1,
                     f"{len(counts)} samples, {min(counts)} to {max(counts)} descriptors, "
                     f"the last ones {dict(collections.Counter(found[-1]))}")
    report.check("the service was not restarted", last["process"] == first["process"] and last["restarts"] == 0)
