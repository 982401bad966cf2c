#!/usr/bin/env bash
# test-repository.sh: makes an apt repository of the packages in .build/packages, serves it on this machine, and installs
# from it in a fresh Debian 12, with the commands that users type; with ARCH=arm64 under emulation. Checks that an upgrade
# is found, and that apt refuses lists and packages that somebody changed.
#
# The system is a folder below SCRATCH (default: .build/test-repository) without systemd; its base is downloaded once.
# Needs root and mmdebstrap; otherwise the test is skipped with a message.
# shellcheck disable=SC2016  # dpkg-query expands ${Version}.
set -euo pipefail
cd "$(dirname "$0")/.."

skip() { printf '\n!!! test-repository: SKIPPED, NOTHING WAS TESTED: %s\n\n' "$*" >&2; exit 0; }
fail() { printf 'test-repository: FAILED: %s\n' "$*" >&2; exit 1; }
passed() { printf 'ok   %s\n' "$*"; }

[ "$(id -u)" -eq 0 ] || skip "it needs root"
command -v mmdebstrap > /dev/null || skip "mmdebstrap is not installed"
architecture=${ARCH:-$(dpkg --print-architecture)}
package=$(ls .build/packages/sextant_*_"$architecture".deb 2> /dev/null || true)
[ -e "$package" ] || { echo "test-repository: there is no package; run first: make deb" >&2; exit 1; }

scratch=${SCRATCH:-.build/test-repository}
mkdir -p "$scratch"
scratch=$(cd "$scratch" && pwd)
root=$scratch/root served=$scratch/served
server=
programs=()
cleanup() {
    [ -z "$server" ] || kill "$server" 2> /dev/null || true
    [ ${#programs[@]} -eq 0 ] || kill "${programs[@]}" 2> /dev/null || true
    for mounted in "$root/proc" "$root/dev/pts"; do ! mountpoint --quiet "$mounted" || umount --lazy "$mounted"; done
    rm -rf "$root" "$served" "$scratch/keys"
}
trap cleanup EXIT

base=$scratch/base-$architecture.tar
if [ ! -e "$base" ]; then
    mmdebstrap --quiet --format=tar --variant=apt --architectures="$architecture" \
        --include=ca-certificates,curl bookworm "$base.part" "${MIRROR:-http://deb.debian.org/debian}" 2> "$scratch/mmdebstrap.log" ||
        { tail -n 3 "$scratch/mmdebstrap.log" >&2; skip "mmdebstrap cannot make a Debian 12"; }
    mv "$base.part" "$base"
fi
rm -rf "$root" "$served" "$scratch/keys" "$scratch/port"
mkdir "$root" "$served"
tar --extract --file "$base" --directory "$root" --exclude './dev/*'
cp /etc/resolv.conf "$root/etc/resolv.conf"
mknod -m 666 "$root/dev/null" c 1 3
# Programs in Swift read their arguments there.
mount -t proc proc "$root/proc"
# For the simulated receiver.
mkdir -p "$root/dev/pts"
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
ln -sf pts/ptmx "$root/dev/ptmx"

inside() { DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 chroot "$root" "$@"; }
refused() { ! inside "$@" > "$scratch/output" 2>&1; }

# --- the repository ---

python3 -c '
import functools, http.server, sys
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=sys.argv[1])
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
print(server.server_port, flush=True)
server.serve_forever()' "$served" > "$scratch/port" 2> "$scratch/server.log" &
server=$!
until [ -s "$scratch/port" ]; do kill -0 "$server" || fail "the web server did not start"; sleep 0.1; done
URL=http://127.0.0.1:$(cat "$scratch/port")
export URL KEYS=$scratch/keys
packaging/make-repository.sh "$served" > "$scratch/output"
passed "make-repository: $(sed -n 's/^Architectures: //p' "$served/dists/stable/Release")"

# --- a user ---

# The commands of the README, as they are typed: those of the section Install up to the packages for one machine, and the
# first one for a position. Whoever types them answers apt's question.
mapfile -t commands < <(
    sed -n '/^## Install/,/^For one machine/s/^    //p' README.md
    sed -n '/^## First position/,/^Without/s/^    \(sextant locate\) .*/\1/p' README.md
)
echo 'APT::Get::Assume-Yes "true";' > "$root/etc/apt/apt.conf.d/99-answer"
typed() { inside bash -euo pipefail -c "sudo() { \"\$@\"; }; ${1//'https://example.org/apt'/$URL}"; }
for command in "${commands[@]}"; do
    if [ "$command" = 'sextant locate' ]; then
        # systemd, which is not here, would have started the service, and udev would have found the receiver.
        inside install -d -o sextant /run/sextant
        chroot --userspec=sextant:sextant "$root" sextant simulate --link /tmp/gps > "$scratch/simulate.log" 2>&1 &
        programs+=($!)
        chroot --userspec=sextant:sextant "$root" sextantd --device /tmp/gps > "$scratch/sextantd.log" 2>&1 &
        programs+=($!)
    fi
    typed "$command" > "$scratch/output" 2>&1 || { tail -n 20 "$scratch/output" >&2; fail "$command"; }
done
grep -q '±' "$scratch/output" || { cat "$scratch/output" >&2; fail "sextant locate printed no position"; }
kill "${programs[@]}"
wait "${programs[@]}" 2> /dev/null || true
programs=()
[ "${#commands[@]}" -eq 3 ] || fail "the README has ${#commands[@]} commands to a position instead of 3: ${commands[*]}"
! printf '%s\n' "${commands[@]}" | grep -qwE 'nano|vim?|emacs|sudoedit|tee|edit' || fail "a command is an editor: ${commands[*]}"
passed "${#commands[@]} commands to a position, none of them an editor: $(cut -c -60 "$scratch/output" | head -n 1)"
version=$(inside dpkg-query --show --showformat '${Version}' sextant)
[ "$version" = "$(dpkg-deb --field "$package" Version)" ] || fail "the version $version is installed"
inside sextant --version > "$scratch/output"
passed "installed from the repository: $(cat "$scratch/output")"

# --- the next version ---

next=$version+1
dpkg-deb --raw-extract "$package" "$scratch/next"
sed -i "s/^Version: .*/Version: $next/" "$scratch/next/DEBIAN/control"
dpkg-deb --root-owner-group --build "$scratch/next" "$served/pool/sextant_${next}_$architecture.deb" > "$scratch/output"
rm -rf "$scratch/next"
packaging/make-repository.sh "$served" > "$scratch/output"
inside apt-get update --quiet=2
inside apt-get install --yes --quiet=2 --only-upgrade sextant > "$scratch/output" 2>&1 || fail "the upgrade"
[ "$(inside dpkg-query --show --showformat '${Version}' sextant)" = "$next" ] || fail "the next version was not found"
passed "upgraded to $next"

# --- somebody changes the files ---

inside apt-get remove --yes --quiet=2 sextant > "$scratch/output" 2>&1
inside apt-get clean
printf 'x' >> "$served/pool/sextant_${next}_$architecture.deb"
refused apt-get install --yes sextant || fail "a changed package was installed"
passed "a changed package is refused"
sed -i "s/^Description: .*/Description: changed/" "$served/dists/stable/InRelease"
refused apt-get update -o APT::Update::Error-Mode=any || fail "a changed list was accepted"
grep -q -e BADSIG -e 'not signed' -e 'invalid signature' "$scratch/output" || { cat "$scratch/output"; fail "refused for another reason"; }
passed "a changed list is refused"
echo "test-repository: all passed"
