#!/usr/bin/env bash
# test-deb.sh [PACKAGE]: installs, upgrades, downgrades, removes and purges the Debian packages in a small Debian 12 with
# a running systemd, and checks each step. PACKAGE is by default the one in .build/packages (`make deb`); that of
# sextant-fleet is beside it.
#
# The system is a folder below SCRATCH (default: .build/test-deb) with namespaces of its own for processes, mounts and
# control groups. It has no udev and no real receiver: `sextant simulate` plays one. Its base is downloaded once and kept
# in SCRATCH/base.tar (270 MB). Needs root and mmdebstrap; otherwise the test is skipped with a message.
#
# shellcheck disable=SC2016  # Shells inside the system expand what is in single quotes.
set -euo pipefail
cd "$(dirname "$0")/.."
repository=$PWD

skip() { printf '\n!!! test-deb: SKIPPED, NOTHING WAS TESTED: %s\n\n' "$*" >&2; exit 0; }
fail() {
    printf 'test-deb: FAILED: %s\n' "$*" >&2
    [ -z "${leader:-}" ] || inside journalctl --no-pager --lines 40 --unit 'sextant*' >&2 || true
    exit 1
}
passed() { printf 'ok   %s\n' "$*"; }

[ "$(id -u)" -eq 0 ] || skip "it needs root"
command -v mmdebstrap > /dev/null || skip "mmdebstrap is not installed"
unshare --mount --pid --fork --mount-proc true 2> /dev/null || skip "this machine permits no namespaces"
package=${1:-$(ls .build/packages/sextant_*.deb 2> /dev/null || true)}
[ -e "$package" ] || { echo "test-deb: there is no package; run first: make deb" >&2; exit 1; }

scratch=${SCRATCH:-.build/test-deb}
mkdir -p "$scratch"
scratch=$(cd "$scratch" && pwd)
root=$scratch/root
supervisor=
cleanup() {
    if [ -n "$supervisor" ]; then
        kill -KILL "$supervisor" 2> /dev/null || true
        wait "$supervisor" 2> /dev/null || true
        unshare --mount bash -c remove_control_groups || true
    fi
    rm -rf "$root" "$scratch/packages"
}
trap cleanup EXIT

# --- the system ---

base=$scratch/base.tar
parts=systemd,systemd-sysv,dbus,kmod,udev,man-db,libsqlite3-0,libmosquitto1,libsodium23,libcurl4,libmicrohttpd12,procps,make,binutils
if [ ! -e "$base" ] || [ "$(cat "$base.parts" 2> /dev/null)" != "$parts" ]; then
    mmdebstrap --quiet --format=tar --variant=minbase --include="$parts" bookworm "$base.part" \
        "${MIRROR:-http://deb.debian.org/debian}" 2> "$scratch/mmdebstrap.log" ||
        { tail -n 3 "$scratch/mmdebstrap.log" >&2; skip "mmdebstrap cannot make a Debian 12"; }
    mv "$base.part" "$base"
    echo "$parts" > "$base.parts"
fi
rm -rf "$root"
mkdir "$root"
tar --extract --file "$base" --directory "$root" 2> /dev/null || true
mkdir -p "$root/repository"
[ -x "$root/lib/systemd/systemd" ] || skip "the base system is incomplete"

# start: enters a control group of its own, so that the system adds none beside those of this machine.
start() {
    mount -t cgroup2 cgroup2 "$groups"
    mkdir "$groups/sextant-test"
    echo $$ > "$groups/sextant-test/cgroup.procs"
    exec unshare --mount --pid --fork --cgroup --ipc --kill-child bash -c boot
}
# remove_control_groups: waits until the processes of the system have ended, 5 s at most.
remove_control_groups() {
    mount -t cgroup2 cgroup2 "$groups"
    for _ in $(seq 50); do
        find "$groups/sextant-test" -depth -type d -exec rmdir {} + 2> /dev/null || true
        [ -d "$groups/sextant-test" ] || return 0
        sleep 0.1
    done
    echo "test-deb: the control group sextant-test is still in use" >&2
}
# boot: becomes the first process of the system.
boot() {
    mount --make-rprivate /
    mount --bind "$root" "$root"
    cd "$root"
    mount -t proc proc proc
    mount --bind proc/sys proc/sys
    mount -o remount,bind,ro proc/sys
    mount -t sysfs -o ro sysfs sys
    mount -t cgroup2 cgroup2 sys/fs/cgroup
    mount -t tmpfs tmpfs run
    mount -t tmpfs -o mode=755 tmpfs dev
    for device in null zero full random urandom tty; do touch "dev/$device"; mount --bind "/dev/$device" "dev/$device"; done
    mkdir dev/pts dev/shm
    mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts dev/pts
    ln -s pts/ptmx dev/ptmx
    mount --bind "$repository" repository
    mount -o remount,bind,ro repository
    # make install writes the completions of shells there.
    mount -t tmpfs tmpfs repository/.build/completions
    export container=sextant-test PATH=/usr/sbin:/usr/bin:/sbin:/bin
    exec chroot . /lib/systemd/systemd --log-target=journal
}
groups=$scratch/cgroup
mkdir -p "$groups" .build/completions
export -f boot start remove_control_groups
export root repository groups
unshare --mount bash -c start < /dev/null > "$scratch/boot.log" 2>&1 &
supervisor=$!

# inside COMMAND...: runs a command in the system.
inside() {
    nsenter --target "$leader" --mount --pid --ipc --cgroup --root --wd \
        env --ignore-environment PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@" < /dev/null
}
# within SECONDS COMMAND...: repeats a command in the system until it succeeds.
within() {
    local deadline=$((SECONDS + $1))
    shift
    until inside "$@" > "$scratch/output" 2>&1; do
        [ "$SECONDS" -lt "$deadline" ] || { cat "$scratch/output" >&2; return 1; }
        sleep 0.3
    done
}
leader=
for _ in $(seq 100); do
    leader=$(pgrep --parent "$supervisor" || true)
    if [ -n "$leader" ] && [ -S "$root/run/dbus/system_bus_socket" ] ||
        { [ -n "$leader" ] && inside systemctl list-units > /dev/null 2>&1; }; then
        break
    fi
    kill -0 "$supervisor" 2> /dev/null || { cat "$scratch/boot.log" >&2; skip "systemd does not start in a namespace here"; }
    sleep 0.2
done
if [ -z "$leader" ] || ! within 30 systemctl list-units; then skip "systemd does not start in a namespace here"; fi

# files: every path of the system except for logs, caches, and files of dpkg and of systemd that only grow.
files() {
    inside find / -xdev \( -path /proc -o -path /sys -o -path /run -o -path /dev -o -path /repository -o -path /tmp \
        -o -path /var/log -o -path /var/cache -o -path /var/lib/dpkg -o -path /var/lib/apt -o -path /var/tmp \
        -o -path /var/lib/systemd/timers -o -path /var/lib/systemd/random-seed \) -prune -o -print | LC_ALL=C sort
}
# added: the paths that exist now and did not when $scratch/before was written.
added() {
    files > "$scratch/after"
    LC_ALL=C comm -13 "$scratch/before" "$scratch/after"
}
state_of() { inside systemctl show --property "$2" --value "$1"; }
count_of() { inside sh -c "$1" | wc -l; }

# A later and an earlier version of the same package, to upgrade and downgrade.
mkdir -p "$scratch/packages"
version=$(dpkg-deb --field "$package" Version)
mkdir -p "$root/packages"
cp "$package" "$root/packages/this.deb"
for other in fleet web; do cp "${package/\/sextant_//sextant-${other}_}" "$root/packages/$other.deb"; done
repack() {
    rm -rf "$scratch/packages/tree"
    dpkg-deb --raw-extract "$package" "$scratch/packages/tree"
    sed -i "s/^Version: .*/Version: $1/" "$scratch/packages/tree/DEBIAN/control"
    dpkg-deb --root-owner-group -Znone --build "$scratch/packages/tree" "$root/packages/$2.deb" > /dev/null
}
repack "$version+later" later

# test_page: the page is served while somebody looks, and its service ends afterwards.
test_page() {
    inside sextant web > /dev/null || fail "sextant web finds no page"
    [ "$(state_of sextant-web.service ActiveState)" = inactive ] || fail "sextant-web runs without a viewer"
    local request='exec 3<> /dev/tcp/127.0.0.1/8947; printf "GET $0 HTTP/1.1\r\nHost: localhost\r\nSextant-Request: 1\r\n\r\n" >&3
        timeout "$1" cat <&3; true'
    inside bash -c "$request" / 1 > "$scratch/answer" || fail "no connection to the page"
    head -n 1 "$scratch/answer" | grep -q ' 200 ' || { cat "$scratch/answer" >&2; fail "the page is not served"; }
    inside bash -c "$request" '/events?pace=watch' 2 > "$scratch/answer" || fail "no connection for events"
    grep -q 'event: hello' "$scratch/answer" || { cat "$scratch/answer" >&2; fail "a viewer gets no events"; }
    [ "$(state_of sextant-web.service ActiveState)" = active ] || fail "sextant-web does not run for a viewer"
    within 50 sh -c '[ "$(systemctl show --property ActiveState --value sextant-web.service)" = inactive ]' ||
        fail "sextant-web does not end after its last viewer"
    [ "$(state_of sextant-web.service Result)/$(state_of sextant-web.socket ActiveState)" = success/active ] || fail "the end of sextant-web"
    passed "the socket starts sextant-web for a viewer, who gets page and events, and it ends after the last one"
}

# --- install ---

printf '#!/bin/sh\necho "$SEXTANT_KIND" >> /run/events\n' > "$root/my-script"
files > "$scratch/before"
inside apt-get install --yes --no-install-recommends /packages/this.deb > "$scratch/install.log" 2>&1 ||
    { cat "$scratch/install.log" >&2; fail "apt install"; }
passed "apt install ./sextant_*.deb needs nothing beyond the base system, systemd and libsqlite3"
for unit in sextantd.socket sextantd.service; do
    [ "$(state_of $unit ActiveState)/$(state_of $unit UnitFileState)" = active/enabled ] || fail "$unit is not active and enabled"
done
inside sextant status > /dev/null || fail "sextant status"
passed "service and socket are enabled and run, the service replies"
[ "$(inside stat -c '%U %a' /var/lib/sextant)" = "sextant 700" ] || fail "/var/lib/sextant"
[ "$(inside stat -c '%U %a' /etc/sextant/fence.d)" = "root 755" ] || fail "/etc/sextant/fence.d"
passed "user, state directory and /etc/sextant/fence.d exist with their modes"
pages=(sextant-beacons.8 sextant-bridge.8 sextant-places.8 sextant.1 sextant.toml.5 sextantd.8)
within 60 sh -c "test \"\$(man -k sextant | wc -l)\" -ge ${#pages[@]}"
[ "$(inside man -k sextant | sed 's/ *(/./; s/).*//' | LC_ALL=C sort | tr '\n' ' ')" = "${pages[*]} " ] ||
    fail "man -k sextant: $(inside man -k sextant)"
passed "man -k sextant finds ${#pages[@]} pages"
inside dpkg --verify sextant || fail "dpkg --verify"
passed "the files on disk are those of the package"
for other in fleet web; do
    inside test ! -e /usr/bin/sextant-$other || fail "the package sextant contains sextant-$other"
    inside apt-get install --yes --no-install-recommends /packages/$other.deb > "$scratch/install.log" 2>&1 ||
        { cat "$scratch/install.log" >&2; fail "apt install of sextant-$other"; }
    inside sextant-$other --version > /dev/null || fail "sextant-$other does not run"
    inside id sextant-$other > /dev/null || fail "there is no user sextant-$other"
    [ $other != web ] || [ "$(state_of sextant-web.socket ActiveState)" = active ] || fail "sextant-web.socket is not active"
    [ $other != web ] || test_page
    inside dpkg --purge sextant-$other > "$scratch/purge.log" 2>&1 || fail "purge of sextant-$other"
    passed "sextant-$other is a package of its own, which can be removed alone"
done

# --- a receiver, a client, a fence ---

inside sh -c 'mkdir -p /etc/systemd/system/sextantd.service.d
    printf "[Service]\nDeviceAllow=char-pts rw\n" > /etc/systemd/system/sextantd.service.d/test.conf
    printf "[receivers]\ndiscover = false\n[[receiver]]\ndevice = \"/run/receiver/port\"\n" > /etc/sextant/conf.d/test.toml
    install -d -o sextant /run/receiver'
inside systemd-run --quiet --unit test-receiver --uid sextant sextant simulate --stationary 48.1,11.5 --link /run/receiver/port
within 20 test -e /run/receiver/port
inside systemctl daemon-reload
inside systemctl restart sextantd
within 60 sextant locate --timeout 5 || fail "no position"
passed "a position from a simulated receiver"
inside systemd-run --quiet --unit test-client --property StandardOutput=append:/run/client.log \
    sextant watch --no-pause --json
within 20 test -s /run/client.log

# The recipe in sextant-fence@.service, word for word.
inside sextant fence add home --here 150 > /dev/null
inside sh -c 'cd / && install -D -m 755 my-script /etc/sextant/fence.d/home'
inside systemctl enable --quiet --now sextant-fence@home
within 60 grep -qx determined /run/events || fail "the event handler did not run"
passed "the recipe of sextant-fence@.service runs the program for an event"

# --- stop ---

inside systemctl stop sextantd 2> "$scratch/stop.log" || fail "systemctl stop"
grep -q sextantd.socket "$scratch/stop.log" || fail "systemctl does not name the socket: $(cat "$scratch/stop.log")"
within 30 systemctl is-active sextantd || fail "the client did not start the service again"
passed "systemctl stop sextantd does not last while a client reconnects, and systemctl warns of it"
inside systemctl stop sextantd.socket sextantd.service
sleep 3
[ "$(state_of sextantd.service ActiveState)" = inactive ] || fail "stopping both does not last"
passed "stopping the socket and the service lasts"
inside systemctl start sextantd.socket sextantd.service
within 60 sextant locate --timeout 5

# --- upgrade ---

sleep 1
client=$(state_of test-client MainPID)
daemon=$(state_of sextantd MainPID)
socket_since=$(state_of sextantd.socket ActiveEnterTimestampMonotonic)
# A second fence without a handler: its event stays pending over the upgrade.
inside sextant fence add pending --here 200 > /dev/null
within 30 sh -c 'sextant fence list | grep -q "pending.*inside"'
# Administrator's change of a configuration file.
inside sh -c 'echo "# a change of the administrator" >> /etc/sextant/sextant.toml'
inside sh -c 'while [ ! -e /run/stop ]; do [ -S /run/sextant/io.sextant ] || echo missing; sleep 0.01; done > /run/socket.log 2>&1' &
probe=$!
inside dpkg --install /packages/later.deb > "$scratch/upgrade.log" 2>&1 || { cat "$scratch/upgrade.log" >&2; fail "upgrade"; }
inside touch /run/stop
wait "$probe"
[ "$(count_of 'cat /run/socket.log')" -eq 0 ] || fail "the socket disappeared during the upgrade"
[ "$(state_of sextantd MainPID)" != "$daemon" ] || fail "the upgrade did not restart the service"
[ "$(state_of sextantd.socket ActiveEnterTimestampMonotonic)" = "$socket_since" ] || fail "the upgrade restarted the socket"
lines=$(count_of 'cat /run/client.log')
within 60 sh -c "test \$(wc -l < /run/client.log) -gt $((lines + 3))" || fail "the client gets no updates after the upgrade"
[ "$(state_of test-client MainPID)" = "$client" ] || fail "the client did not survive the upgrade"
away=$((($(state_of sextantd ActiveEnterTimestampMonotonic) - $(state_of sextantd ActiveExitTimestampMonotonic)) / 1000))
passed "upgrade: the service restarts in $away ms, the socket stays, the connected client gets updates again"
inside sextant fence watch pending --peek --json --duration 2s | grep -q determined || fail "the pending event is lost"
inside tail -n 1 /etc/sextant/sextant.toml | grep -q administrator || fail "the configuration file was replaced"
[ "$(state_of sextant-fence@home ActiveState)" = active ] || fail "the event handler does not run"
passed "upgrade: pending events, the changed configuration and the event handler are kept"

# --- downgrade over a database of a later schema ---

inside systemctl stop sextantd.socket sextantd.service
python3 - "$root/var/lib/sextant/sextant.db" << 'EOF'
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute("PRAGMA user_version=99")
connection.commit()
EOF
inside chown sextant: /var/lib/sextant/sextant.db
inside dpkg --install --force-downgrade /packages/this.deb > "$scratch/downgrade.log" 2>&1 || fail "downgrade"
grep -q "downgraded from $version+later to $version" "$scratch/downgrade.log" || { cat "$scratch/downgrade.log" >&2; fail "no message"; }
within 30 sh -c 'journalctl --unit sextantd | grep -q "schema version 99, but this program supports"' || fail "no message in the journal"
inside sextant status > /dev/null || fail "the service does not run after the downgrade"
passed "downgrade: dpkg and the journal name the database, the schema version and the remedy; the service runs"

# --- remove and purge ---

inside dpkg --remove sextant > "$scratch/remove.log" 2>&1 || fail "remove"
for unit in sextantd.socket sextantd.service sextant-fence@home.service; do
    [ "$(state_of $unit ActiveState)" != active ] || fail "$unit still runs after the removal"
done
inside test ! -e /run/sextant || fail "/run/sextant is left"
inside test -e /var/lib/sextant/sextant.db -a -e /etc/sextant/sextant.toml || fail "remove took state or configuration"
passed "remove: service, socket and event handler are stopped; state and configuration stay"
inside systemctl stop test-client test-receiver 2> /dev/null || true
# What the test itself has added.
inside rm -rf /etc/systemd/system/sextantd.service.d
inside dpkg --purge sextant > "$scratch/purge.log" 2>&1 || fail "purge"
[ ! -s "$scratch/purge.log" ] || ! grep -i warning "$scratch/purge.log" || fail "purge warns"
# The user stays; systemd-sysusers keeps a copy and a lock of the user database.
added > "$scratch/left"
sed -i -E '\,^/etc/(passwd-|group-|shadow-|gshadow-|\.pwd\.lock)$,d' "$scratch/left"
[ ! -s "$scratch/left" ] || { cat "$scratch/left" >&2; fail "the purge left the files above"; }
[ -z "$(LC_ALL=C comm -23 "$scratch/before" "$scratch/after")" ] || fail "the purge removed: $(LC_ALL=C comm -23 "$scratch/before" "$scratch/after")"
passed "purge: no file is left ($(wc -l < "$scratch/after") compared)"
[ "$(count_of 'systemctl list-unit-files "sextant*" --no-legend --plain')" -eq 0 ] || fail "units are left"
passed "purge: systemd knows no unit"

# --- make install, make uninstall ---

if [ -x .build/release/sextantd ]; then
    files > "$scratch/before"
    inside make --directory /repository --silent install > "$scratch/make.log" 2>&1 || { cat "$scratch/make.log" >&2; fail "make install"; }
    inside sh -c 'systemd-sysusers && systemd-tmpfiles --create; systemctl daemon-reload' 2> /dev/null || true
    inside systemctl enable --quiet --now sextantd
    inside sextant status > /dev/null || fail "the service does not run after make install"
    inside install -m 755 /my-script /etc/sextant/fence.d/home
    inside systemctl enable --quiet --now sextant-fence@home
    [ "$(count_of 'man -k sextant')" -eq "$(grep -c ' packaging/man/' packaging/files)" ] || fail "make install: man -k sextant: $(inside man -k sextant)"
    inside make --directory /repository --silent uninstall > "$scratch/make.log" 2>&1 || { cat "$scratch/make.log" >&2; fail "make uninstall"; }
    for unit in sextantd.socket sextantd.service sextant-fence@home.service; do
        [ "$(state_of $unit ActiveState)" != active ] || fail "make uninstall: $unit still runs"
    done
    [ -z "$(inside find /etc/systemd/system -xtype l -name 'sextant*')" ] || fail "make uninstall leaves dangling links"
    inside rm -rf /etc/sextant /var/lib/sextant
    # Empty directories below /usr/local stay.
    added | while read -r path; do inside test -d "$path" -a ! -L "$path" || echo "$path"; done > "$scratch/left"
    [ ! -s "$scratch/left" ] || { cat "$scratch/left" >&2; fail "make uninstall left the files above"; }
    passed "make install and make uninstall: the service is stopped, no file and no dangling link is left"
fi
echo "test-deb: all passed"
