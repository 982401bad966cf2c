#!/usr/bin/env bash
# check-deb.sh [FOLDER]: checks the Debian package: lintian, contents, dependencies, and that a second build gives the
# same bytes.
#
# The second build starts from a clean clone in another folder, with another language, time zone and file mode mask. It
# compiles everything again. With FOLDER the clone is kept there, and a later check compiles only changes.
set -euo pipefail
cd "$(dirname "$0")/.."
first=$PWD/.build/packages

fail() { echo "check-deb: $*" >&2; exit 1; }
changes=$(git status --porcelain)
[ -z "$changes" ] || fail "the source tree has changes that are not committed; the second build is a clone"

if [ -n "${1:-}" ]; then
    mkdir -p "$1"
    clone=$(cd "$1" && pwd)/sextant
else
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    clone=$scratch/sextant
fi

packaging/build-deb.sh "$first"

echo
echo "==> lintian"
# The tables of the Swift runtime contain parts of words, which lintian takes for spelling errors.
lintian --fail-on error,warning --display-info --tag-display-limit 0 --suppress-tags spelling-error-in-binary \
    "$first"/*.changes
echo "lintian: no errors, no warnings"

echo
echo "==> contents"
package=$(ls "$first"/sextant_*.deb)
dpkg-deb --field "$package" Package Version Architecture Depends Installed-Size
contents=$(dpkg-deb --fsys-tarfile "$package" | tar --list)
for other in "$first"/sextant-{fleet,web}_*.deb; do
    dpkg-deb --field "$other" Package Version Architecture Depends Installed-Size
    contents+=$'\n'$(dpkg-deb --fsys-tarfile "$other" | tar --list)
done
# The service of positions must not need TLS, MQTT or HTTP.
! dpkg-deb --field "$package" Depends | grep -E 'mosquitto|curl|ssl|microhttpd' || fail "the package sextant depends on the libraries above"
installed=$(PREFIX=/usr UNITDIR=/lib/systemd/system UDEVDIR=/lib/udev/rules.d packaging/install.sh list)
documents=$(printf '%s\n' usr/share/doc/sextant{,-fleet,-web}/{copyright,sbom.spdx.json,NOTICE.swift-log})
while read -r path; do
    grep -qxE -e "\./${path//./\\.}(/|\.gz)?" <<< "$contents" || fail "the packages do not contain $path"
done <<< "$installed"$'\n'"$documents"
paths=$(dpkg-deb --fsys-tarfile "$package" | tar --extract --to-stdout | grep -acF -e "$PWD" || true)
[ "$paths" -eq 0 ] || fail "the package contains the path of the build, $PWD"
echo "contents: complete, without the path of the build"

echo
echo "==> second build in $clone"
if [ -d "$clone/.git" ]; then
    git -C "$clone" fetch --quiet "$PWD" HEAD
    git -C "$clone" checkout --quiet --detach FETCH_HEAD
else
    git clone --quiet "$PWD" "$clone"
fi
# SwiftPM resolves the dependencies; both builds use the same versions.
cp Package.resolved "$clone/"
(
    umask 027
    mkdir -p "$clone/.build/home"
    LANG=C LC_ALL=C TZ=Pacific/Chatham HOME=$clone/.build/home "$clone/packaging/build-deb.sh" "$clone/.build/packages"
)

echo
echo "==> comparison"
is_different=
for package in "$first"/*.deb; do
    second=$clone/.build/packages/${package##*/}
    sha256sum "$package" "$second"
    cmp "$package" "$second" || is_different=yes
done
[ -z "$is_different" ] || fail "the builds differ; diffoscope shows where"
echo "check-deb: two builds, the same bytes"
