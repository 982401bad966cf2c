"""Whether a program is in use follows the login sessions of a real systemd-logind."""

POLICY = '[permissions]\\ndefault = "whenInUse"\\n'
# A session on the first console, as getty and login begin it.
LOGIN = ("systemd-run --quiet --unit=login-alice -p User=alice -p PAMName=login -p TTYPath=/dev/tty1 -p StandardInput=tty "
         "-p StandardOutput=journal -p UtmpIdentifier=tty1 -p UtmpMode=user sleep 100000")
LOG = "/tmp/presence.log"


def run(machine, report):
    """A robot without logind, a user who logs in and out, and logind itself that ends."""
    machine.run(f"printf '{POLICY}' > /etc/sextant/conf.d/presence.toml; systemctl reload sextantd")
    located = machine.run("sextant locate --timeout 60", user="alice")
    report.check("without logind a program counts as in use", located.status == 0, located)

    started = start_logind(machine)
    refused = machine.wait_for("! sextant locate --timeout 5") and machine.run("sextant locate --timeout 60", user="alice")
    report.check("with logind and no login session a program is not in use", started and refused and refused.status == 77, refused)

    machine.start(f"exec python3 /opt/vm/subscribe.py automotiveNavigation {LOG}", user="alice")
    machine.wait_for(f"test -s {LOG}")
    report.check("its stream begins without a location", not _has_location(machine.lines(LOG)[-1]), machine.lines(LOG))
    result = machine.run(LOGIN)
    active = machine.wait_for("loginctl user-status alice | grep -q 'State: active'")
    located = _waits_for_location(machine)
    report.check("the open stream gets the location when its user logs in", active and located,
                 "" if active and located else f"{result}; {machine.run('loginctl list-sessions').output}")
    machine.run("systemctl stop login-alice")
    report.check("it loses the location when the user logs out", machine.wait_for(f"tail -n 1 {LOG} | grep -q 'null, null, null'"),
                 machine.run(f"tail -n 1 {LOG}").output.strip())

    machine.run(LOGIN)
    report.check("a second login is noticed", _waits_for_location(machine))
    machine.run("systemctl stop login-alice")
    stop_logind(machine)
    machine.run(f"pkill -f '[s]ubscribe.py automotiveNavigation {LOG}'")
    machine.run("rm -f /etc/sextant/conf.d/presence.toml; systemctl reload sextantd")


def start_logind(machine):
    """Starts logind, which the disk has masked. Returns whether it did."""
    machine.run("rm -f /etc/systemd/system/systemd-logind.service; systemctl daemon-reload; systemctl start systemd-logind")
    return machine.wait_for("loginctl list-sessions && test -e /run/systemd/seats/seat0")


def stop_logind(machine):
    machine.run("systemctl mask --now systemd-logind; rm -rf /run/systemd/seats/seat0")


def _has_location(reply):
    return len(reply) > 2 and reply[2] is not None


def _waits_for_location(machine):
    return machine.wait_for(f"tail -n 1 {LOG} | grep -q '\"ttyUSB'")
