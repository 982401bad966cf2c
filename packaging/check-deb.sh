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
fleet=$(ls "$first"/sextant-fleet_*.deb)
dpkg-deb --field "$fleet" Package Version Architecture Depends Installed-Size
# The service of positions must not need TLS, MQTT or HTTP.
! dpkg-deb --field "$package" Depends | grep -E 'mosquitto|curl|ssl' || fail "the package sextant depends on the libraries above"
contents+=$'\n'$(dpkg-deb --fsys-tarfile "$fleet" | tar --list)
for path in ./usr/bin/sextantd ./usr/bin/sextant ./usr/bin/sextant-{bridge,places} ./lib/systemd/system/sextantd.{service,socket} \
    ./lib/systemd/system/sextant-{gpsd,geoclue,time,nmea@,inlet@}.service ./lib/systemd/system/sextant-{gpsd,gpsd6,geoclue,nmea@}.socket \
    ./lib/systemd/system/sextant-places.{service,socket} ./lib/systemd/system/sextant-wake@.{path,service} \
    ./usr/lib/systemd/user/sextant-wake@.{path,service} \
    ./usr/share/man/man8/sextant-{bridge,places}.8.gz ./usr/share/bash-completion/completions/sextant-{bridge,places} \
    ./lib/systemd/system/sextant-fence@.service ./lib/udev/rules.d/60-sextant.rules ./usr/lib/sysusers.d/sextant.conf \
    ./usr/lib/tmpfiles.d/sextant.conf ./usr/lib/systemd/catalog/sextant.catalog ./etc/sextant/sextant.toml ./etc/sextant/conf.d/ ./etc/sextant/fence.d/ \
    ./usr/share/man/man1/sextant.1.gz ./usr/share/man/man5/sextant.toml.5.gz ./usr/share/man/man8/sextantd.8.gz \
    ./usr/share/bash-completion/completions/sextant ./usr/share/zsh/site-functions/_sextant \
    ./usr/share/fish/vendor_completions.d/sextant.fish \
    ./usr/bin/sextant-fleet ./lib/systemd/system/sextant-fleet@.service ./usr/lib/sysusers.d/sextant-fleet.conf \
    ./usr/share/man/man8/sextant-fleet.8.gz ./usr/share/doc/sextant{,-fleet}/{copyright,sbom.spdx.json,NOTICE.swift-log}; do
    grep -qxF -e "$path" <<< "$contents" || fail "the packages do not contain $path"
done
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
