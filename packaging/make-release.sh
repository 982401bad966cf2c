#!/usr/bin/env bash
# make-release.sh [FOLDER]: writes the files of a release into FOLDER (default .build/packages): source archive, Debian
# packages, SPDX lists and their checksums. See docs/releasing.md.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:-.build/packages}

fail() { echo "make-release: $*" >&2; exit 1; }
changes=$(git status --porcelain)
[ -z "$changes" ] || fail "the source tree has changes that are not committed; commit or stash them"
version=$(packaging/version.sh)
package_version=$(packaging/version.sh --debian)
if [ "$version" = "$package_version" ]; then
    date=$(sed -n 's/.*static let releaseDate = "\(.*\)"$/\1/p' Sources/Platform/SystemCalls/SextantVersion.swift)
    grep -qxF "## [$version] - $date" CHANGELOG.md ||
        fail "CHANGELOG.md has no heading '## [$version] - $date', the version and date in SextantVersion.swift"
    [ -e "$folder/sextant_${version}_arm64.deb" ] ||
        fail "there are no packages for arm64 in $folder; build them first: make deb ARCH=arm64"
else
    echo "make-release: commit $(git rev-parse --short HEAD) has no tag v$version: this is a test, version $package_version"
fi

packaging/build-deb.sh "$folder"

commit_date=$(packaging/version.sh --date)
# The archive contains what a build without git needs: versions of the dependencies, version and date of the package.
rm -f "$folder"/sextant-*.tar.gz
archive=sextant-$package_version
git archive --format=tar --prefix="$archive/" --add-file=Package.resolved \
    --add-virtual-file="$archive/.release:$package_version $commit_date" HEAD |
    gzip --no-name --best > "$folder/$archive.tar.gz"

cd "$folder"
sha256sum "$archive.tar.gz" sextant_*.deb sextant-fleet_*.deb sextant-web_*.deb sextant*_*.spdx.json sextant_*.buildinfo sextant_*.changes > SHA256SUMS
printf '\n'
cat SHA256SUMS
