#!/usr/bin/env bash
# version.sh [--debian | --date]: prints the version of this source tree.
#
# The version stands in one place: Sources/Platform/SystemCalls/SextantVersion.swift, from which the programs take it.
#
#   --debian   the version of the package: the same for a release (tag vVERSION).
#              For any other commit VERSION~DATE.COMMIT, which sorts before the release and after earlier commits.
#   --date     the date of the commit, in seconds since 1970
#
# A source archive has no commit: `make release` writes both values into its file .release.
set -euo pipefail
cd "$(dirname "$0")/.."

# constant NAME: the value of a string constant of SextantVersion.
constant() {
    local value
    value=$(sed -n "s/.*static let $1 = \"\(.*\)\"\$/\1/p" Sources/Platform/SystemCalls/SextantVersion.swift)
    [ -n "$value" ] || { echo "version.sh: no constant $1 in Sources/Platform/SystemCalls/SextantVersion.swift" >&2; exit 1; }
    echo "$value"
}

version=$(constant current)
archived_version=$version
archived_date=$(date --utc --date="$(constant releaseDate)" +%s)
if [ -e .release ]; then read -r archived_version archived_date < <(cat .release; echo); fi
is_git=
if [ -e .git ]; then
    # A repository that git refuses, such as one of another user, has commits all the same: without them, any commit
    # would get the version of the release.
    git rev-parse --git-dir > /dev/null || { echo "version.sh: git cannot read the repository in $PWD" >&2; exit 1; }
    if git rev-parse --verify --quiet HEAD > /dev/null; then is_git=yes; fi
fi

case ${1:-} in
'') echo "$version" ;;
--debian)
    if [ -z "$is_git" ]; then
        echo "$archived_version"
    elif [ -n "$(git tag --points-at HEAD --list "v$version")" ]; then
        echo "$version"
    else
        echo "$version~$(TZ=UTC git log -1 --date=format-local:%Y%m%d%H%M%S --format=%cd.%h --abbrev=9)"
    fi
    ;;
--date)
    if [ -n "${SOURCE_DATE_EPOCH:-}" ]; then
        echo "$SOURCE_DATE_EPOCH"
    elif [ -n "$is_git" ]; then
        git log -1 --format=%ct
    else
        echo "$archived_date"
    fi
    ;;
*)
    echo "usage: version.sh [--debian | --date]" >&2
    exit 64
    ;;
esac
