#!/usr/bin/env python3
"""attack.py: measures how an unprivileged user or a receiver can delay another user of the daemon.

    attack.py [--daemon PATH] [--seconds 27 | --short] [--untimed] [--slow-fsync MILLISECONDS] [ATTACK...]

A receiver on a pseudo-terminal sends 20 epochs per second. Eight clients stream the positions at 5 Hz, two others open a
connection for each GetStatus. Meanwhile user 65534 runs each attack. The table shows the delays of these clients in milliseconds
(p50, p99 and maximum), what the attack leaves behind, and the wakeups and processor time of the daemon afterwards, when the
receiver is silent. The figures are judged by `limits.json`; the exit status is 1 if one is missed. An attack has a p99 of its own
from 1,000 samples on; a short run judges that of all attacks together. --untimed prints the delays and does not judge them: on
a busy machine they contain the wait for a processor, also that of the kernel's worker that passes on what a pseudo-terminal
receives.

Memory is the private anonymous memory ten seconds after the attack, minus that before it. Before that every method was called
once: what the first call of a method needs for good is not a consequence of an attack.

Needs root, because the attacker must be another user. A slow fsync needs gcc.
"""
import argparse
import ctypes
import json
import os
import signal
import sys
import time
from attacks import ATTACKER, ATTACKS, SHORT, SLOW_FSYNC, Target, fill, warm_up
from messages import circle, message
from victims import Daemon, Victims

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
# The fewest samples with a p99 of their own: ten are above it.
SAMPLES = 1000
# The duration of an attack in seconds: it gives that many samples, in a short run all attacks together.
DURATION, SHORT_DURATION = 27, 4
# The daemon runs above the other programs of the machine, so that the attack alone causes the delays.
NICENESS = -20
# The time after which the memory must be returned.
MEMORY_SECONDS = 10
# The time after which the daemon rests: it reads a port without low-latency streams up to 5 s after the receiver has sent.
SETTLING_SECONDS = 6


def measure_before_all_others():
    """Gives this process a real-time priority: it measures when the daemon has sent, not when a processor is free to see it.

    With automatic groups of the scheduler, the niceness of a process counts only within its session (sched(7)).
    """
    try:
        os.setsid()
        with open("/proc/self/autogroup", "w", encoding="ascii") as file:
            file.write(str(NICENESS))
    except OSError:
        pass
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(1))
    except OSError as error:
        print(f"attack.py: no real-time priority ({error}): the delays include those of this program", file=sys.stderr)


def as_attacker(work):
    """Runs `work` as another user, up to its first stop. Returns the process and where its figures are read."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)
        # As any other program: above the kernel's own threads, which deliver a receiver's data, it would delay those.
        os.setsid()
        os.setpriority(os.PRIO_PROCESS, 0, 0)
        os.setgroups([])
        os.setgid(ATTACKER)
        os.setuid(ATTACKER)
        try:
            os.write(theirs, json.dumps(work() or {}).encode())
        finally:
            os._exit(0)
    os.close(theirs)
    os.waitpid(child, os.WUNTRACED)
    return child, ours


def attack(name, daemon, victims, seconds):
    before, requests, connections, function = ATTACKS[name]

    def work():
        warm_up(daemon.socket)
        fill(daemon.socket, before)
        os.kill(os.getpid(), signal.SIGSTOP)
        target = Target(daemon.socket, seconds, daemon.other.receiver, daemon.other.port)
        return function(target, requests, connections)

    child, figures = as_attacker(work)
    # Unused memory is released once per second.
    time.sleep(1.5)
    memory = daemon.memory()
    victims.reset()
    os.kill(child, signal.SIGCONT)
    os.waitpid(child, 0)
    time.sleep(0.2)
    longest = victims.pending()
    deadline = time.monotonic() + 60
    while victims.pending() > 500 and time.monotonic() < deadline:
        time.sleep(0.05)
    with os.fdopen(figures, "rb") as file:
        text = file.read()
    own = json.loads(text) if text else {"attacks that failed": 1}
    return victims.delays + [longest], victims.calls, victims.refused, memory, own


def percentile(values, part):
    return sorted(values)[min(len(values) - 1, int(len(values) * part))] if values else 0


class Verdicts:
    """Compares figures with the limits and keeps those that miss theirs."""

    def __init__(self, untimed):
        self.untimed = untimed
        with open(os.path.join(HERE, "limits.json"), encoding="utf-8") as file:
            self.limits = json.load(file)
        self.missed = []

    def judge(self, attack_name, figure, value, slow_fsync=0):
        limit = self.limits[figure]
        if slow_fsync:
            limit = self.limits.get(figure + ", slow fsync", limit)
        if value > limit and not (self.untimed and figure.endswith(" ms")):
            self.missed.append(f"{attack_name}: {figure} is {value:.1f}, the limit is {limit}")

    def judge_delays(self, attack_name, updates, calls, least, slow_fsync=0):
        for figure, values in (("updates p99 ms", updates), ("GetStatus p99 ms", calls)):
            if len(values) >= least:
                self.judge(attack_name, figure, percentile(values, 0.99), slow_fsync)


def figures(values):
    if not values:
        return f"{'none':>31}"
    return f"{len(values):7}" + "".join(f"{percentile(values, part):8.1f}" for part in (0.5, 0.99, 1))


def measure(name, options, verdicts):
    """Runs one attack on a daemon of its own. Prints and judges its figures, and returns the delays."""
    slow_fsync = options.slow_fsync or SLOW_FSYNC.get(name, 0)
    daemon = Daemon(options.daemon, slow_fsync, NICENESS)
    # The database is created once in the life of a device.
    fill(daemon.socket, [message("Monitor.Add", name="home", conditions=[circle("home")])])
    victims = Victims(daemon)
    time.sleep(2)
    delays, calls, refused, memory, own = attack(name, daemon, victims, SHORT_DURATION if options.short else options.seconds)
    deadline = time.monotonic() + MEMORY_SECONDS
    victims.end()
    while (growth := daemon.memory() - memory) > verdicts.limits["memory growth kB"] and time.monotonic() < deadline:
        time.sleep(0.5)
    time.sleep(SETTLING_SECONDS)
    growth = daemon.memory() - memory
    disk = daemon.disk() // 1024
    wakeups, load = daemon.activity(1 if options.short else 3)
    daemon.end()
    before = len(verdicts.missed)
    for figure, value in (
            ("updates max ms", max(delays)), ("longest turn ms", max(delays + calls)), ("GetStatus refused", refused),
            ("memory growth kB", growth), ("disk kB", disk), ("wakeups per second at rest", wakeups), ("CPU at rest %", load),
            *own.items()):
        verdicts.judge(name, figure, value, slow_fsync)
    verdicts.judge_delays(name, delays, calls, SAMPLES, slow_fsync)
    verdict = "missed" if len(verdicts.missed) > before else "ok"
    print(f"{name:14}{figures(delays)} {figures(calls)}  {refused:7}  {growth:9}  {disk:7}  {wakeups:9.1f}  {load:5.1f}  {verdict}",
          flush=True)
    return ([], []) if slow_fsync else (delays, calls)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--daemon", default=os.path.join(ROOT, ".build", "release", "sextantd"))
    parser.add_argument("--seconds", type=float, default=DURATION, help="the duration of each attack")
    parser.add_argument("--short", action="store_true", help=f"the attacks that hurt most, {SHORT_DURATION} s each")
    parser.add_argument("--untimed", action="store_true", help="do not judge delays: other programs use the machine")
    parser.add_argument("--slow-fsync", type=int, default=0, help="the duration of an fsync in milliseconds")
    parser.add_argument("attacks", nargs="*", metavar="ATTACK", help=", ".join(ATTACKS))
    options = parser.parse_args()
    if os.getuid() != 0:
        sys.exit("attack.py: must run as root, because the attacker must be another user")
    if not os.access(options.daemon, os.X_OK):
        sys.exit(f"attack.py: there is no daemon {options.daemon}; build it first: make build")
    for name in options.attacks:
        if name not in ATTACKS:
            sys.exit(f"attack.py: there is no attack {name}; the attacks are {', '.join(ATTACKS)}")
    measure_before_all_others()
    verdicts = Verdicts(options.untimed)
    all_delays, all_calls = [], []
    print(f"{'':14}{'updates n     p50     p99     max':>31} {'GetStatus n   p50     p99     max':>31}  refused  memory kB  disk kB"
          "  wakeups/s  CPU %  verdict")
    for name in options.attacks or (SHORT if options.short else list(ATTACKS)):
        delays, calls = measure(name, options, verdicts)
        all_delays, all_calls = all_delays + delays, all_calls + calls
    verdicts.judge_delays("all attacks", all_delays, all_calls, SAMPLES)
    print(f"{'all':14}{figures(all_delays)} {figures(all_calls)}")
    for text in verdicts.missed:
        print(f"missed: {text}")
    sys.exit(bool(verdicts.missed))


if __name__ == "__main__":
    main()
