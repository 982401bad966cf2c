#!/usr/bin/env bash
# build-deb.sh [FOLDER]: builds the Debian packages into FOLDER (default .build/packages) and prints their paths. ARCH is
# another architecture than this machine's, for packaging/cross/build-deb.sh.
#
# Builds in the source tree, so that the programs of an earlier `make build` are used again. Writes debian/changelog
# from the version and the commit: neither stands in a second place.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:-.build/packages}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)

version=$(packaging/version.sh --debian)
SOURCE_DATE_EPOCH=$(packaging/version.sh --date)
export SOURCE_DATE_EPOCH
maintainer=$(sed -n 's/^Maintainer: //p' debian/control)
cat > debian/changelog << EOF
sextant ($version) unstable; urgency=medium

  * Version $version.
  * /usr/share/doc/sextant/CHANGELOG.md.gz lists the changes.

 -- $maintainer  $(LC_ALL=C date --utc --rfc-email --date="@$SOURCE_DATE_EPOCH")
EOF

# The environment is part of the input: the same for all builds.
export LC_ALL=C.UTF-8 DEB_DESTDIR=$folder
unset MAKEFLAGS MAKELEVEL DESTDIR PREFIX
umask 022
architecture=${ARCH:-$(dpkg --print-architecture)}
# Packages of another architecture stay.
rm -f "$folder"/sextant*_"$architecture".{deb,buildinfo,changes} "$folder"/sextant*.spdx.json
dpkg-buildpackage --build=binary --no-sign ${ARCH:+--host-arch="$ARCH" --no-check-builddeps} \
    --buildinfo-file="$folder/sextant_${version}_$architecture.buildinfo" --buildinfo-option="-u$folder" \
    --changes-file="$folder/sextant_${version}_$architecture.changes" --changes-option="-u$folder"
for package in sextant sextant-fleet sextant-web; do
    cp "debian/$package/usr/share/doc/$package/sbom.spdx.json" "$folder/${package}_$version.spdx.json"
done
printf '\n'
for package in "$folder"/*.deb; do
    echo "$package: $(stat -c %s "$package") bytes," \
        "$(dpkg-deb --field "$package" Installed-Size) kB installed"
done
