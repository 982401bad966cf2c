"""What a van's gateway with two services and a phone with an agent do with permissions, under a real systemd."""
import json

from presence import start_logind, stop_logind

POLICY = "/etc/sextant/conf.d/programs.toml"
VAN = """[permissions]
default = "denied"

[[permissions.grant]]
unit = "van-map.service"
authorization = "always"

[[permissions.grant]]
unit = "van-log.service"
authorization = "always"
accuracy = "reduced"
"""
PHONE = '[permissions]\ndefault = "ask"\n'
# A login session of alice on the first console in which a command runs.
SESSION = ("systemd-run --quiet --unit={unit} -p User=alice -p PAMName=login -p TTYPath=/dev/tty1 -p StandardInput=tty "
           "-p StandardOutput=journal -p RemainAfterExit=yes {command}")


def run(machine, report):
    start_logind(machine)
    van(machine, report)
    phone(machine, report)
    stop_logind(machine)
    machine.run(f"rm -f {POLICY}; systemctl reload sextantd")


def van(machine, report):
    """Two services of one user with rules of their own, another one without, and a login of the same user."""
    _apply(machine, VAN)
    results = {unit: _locate(machine, unit) for unit in ("van-map", "van-log", "van-other")}
    accuracy = {unit: _accuracy(result) for unit, result in results.items()}
    report.check("the map of a van gets the position", (accuracy["van-map"] or 1e9) < 100, results["van-map"])
    report.check("its log gets an area", 100 < (accuracy["van-log"] or 0) < 1e5, results["van-log"])
    report.check("a service without a rule is denied", results["van-other"].status == 77, results["van-other"])
    grants = machine.run("sextant grants").output
    report.check("grants names the file of each rule", grants.count("programs.toml") >= 2, grants)

    before = _locate_in_session(machine, "before")
    machine.run("sextant grant 1000 --when-in-use")
    after = _locate_in_session(machine, "after")
    report.check("the login session of its user gets the position after a grant, not before", (before, after) == ("77", "0"),
                 f"exit statuses {before} and {after}")
    machine.run("sextant revoke 1000")


def phone(machine, report):
    """A program that is asked about, without and with an agent in the login session."""
    _apply(machine, PHONE)
    refused = _locate(machine, "phone-map")
    report.check("without an agent a new program of a phone is denied", refused.status == 77, refused)
    machine.run(SESSION.format(unit="phone-agent", command="sextant agent --exec 'echo whenInUse'"))
    machine.wait_for("pgrep -f '[s]extant agent'")
    allowed = _locate(machine, "phone-map")
    report.check("the agent is asked, and its answer gives the position", allowed.status == 0, allowed)
    grants = machine.run("sextant grants").output
    report.check("grants names the agent", "phone-map" in grants and "agent" in grants, grants)
    machine.run("systemctl stop phone-agent")
    logged_out = _locate(machine, "phone-map")
    report.check("the answer holds only while the user is logged in", logged_out.status == 77, logged_out)
    machine.run("sextant revoke 1000:phone-map.service")


def _apply(machine, policy):
    lines = policy.replace("\n", "\\n")
    machine.run(f"printf '{lines}' > {POLICY}; systemctl reload sextantd")


def _locate(machine, unit):
    return machine.run(f"systemd-run --quiet --wait --pipe --collect --unit={unit} -p User=alice sextant locate --timeout 60 --json")


def _locate_in_session(machine, unit):
    machine.run(SESSION.format(unit=unit, command="sextant locate --timeout 60"))
    machine.wait_for(f"test $(systemctl show --value -p SubState {unit}) != running")
    status = machine.run(f"systemctl show --value -p ExecMainStatus {unit}").output.strip()
    machine.run(f"systemctl stop {unit}; systemctl reset-failed {unit}")
    return status


def _accuracy(result):
    """The accuracy in metres of the position that a command printed; None without one."""
    try:
        reply = json.loads(result.output)
    except ValueError:
        return None
    return reply.get("location", reply).get("horizontalAccuracy")
