"""The service under its AppArmor profile and its filter of system calls: nothing that it does is denied."""

DROP_IN = "/etc/systemd/system/sextantd.service.d/vm.conf"
# A denied call returns an error by default, which the service may handle. Here it ends the service. ProtectClock= still answers
# with an error when the service asks whether the clock is synchronized, which it handles (HostClock).
SETTINGS = "[Service]\nSystemCallErrorNumber=kill\nSystemCallFilter=adjtimex clock_adjtime\n"


def enforce(machine, report):
    """Makes a denied system call end the service, and checks that the profile is enforced."""
    machine.run(f"install -d {DROP_IN.rpartition('/')[0]}; cat > {DROP_IN} << 'END'\n{SETTINGS}END\nsync; "
                "systemctl daemon-reload; systemctl restart sextantd")
    profile = machine.run("cat /proc/$(systemctl show --property MainPID --value sextantd)/attr/current")
    report.check("the AppArmor profile of the service is enforced", profile.output.strip() == "sextantd (enforce)", profile)
    reload = machine.run("systemctl reload sextantd")
    report.check("the service reloads its configuration under the profile", reload.status == 0, reload)


def judge(machine, report, when):
    """Checks that nothing was denied since the last start of the machine."""
    journal = "journalctl --boot --no-pager --output cat"
    denied = machine.run(f"{journal} | grep 'apparmor=\"DENIED\"' | grep sextantd | sed 's/.*operation=/operation=/' | sort | uniq --count")
    report.check(f"AppArmor denied nothing {when}", not denied.output.strip(), denied.output.strip()[:1000])
    killed = machine.run(f"{journal} --unit sextantd | grep -E 'SIGSYS|status=31'")
    report.check(f"no system call was denied {when}", not killed.output.strip(), killed.output.strip()[:1000])


def release(machine):
    """Removes what `enforce` has changed."""
    machine.run(f"rm -r {DROP_IN.rpartition('/')[0]}; systemctl daemon-reload")
