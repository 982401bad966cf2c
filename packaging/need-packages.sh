#!/usr/bin/env bash
# need-packages.sh PACKAGE...: installs the Debian packages that are missing, and touches nothing when none is.
set -euo pipefail

missing=()
for package in "$@"; do
    status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2> /dev/null || true)
    [ "$status" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

echo "Missing Debian packages: ${missing[*]}"
as_root=()
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo > /dev/null || {
        echo "Neither root nor sudo here. As root:  apt-get install ${missing[*]}" >&2
        exit 1
    }
    as_root=(sudo)
fi
command -v apt-get > /dev/null || {
    echo "No apt-get here. Install what corresponds to: ${missing[*]}" >&2
    exit 1
}
export DEBIAN_FRONTEND=noninteractive
install=(apt-get install --yes --no-install-recommends "${missing[@]}")
# The package lists may be old or absent: fetch them only when the first try fails.
"${as_root[@]}" "${install[@]}" < /dev/null || { "${as_root[@]}" apt-get update && "${as_root[@]}" "${install[@]}" < /dev/null; }
