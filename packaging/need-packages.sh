#!/usr/bin/env bash
# need-packages.sh PURPOSE...: installs the missing Debian packages of packaging/debian-packages; does nothing when none is
# missing.
set -euo pipefail

packages=()
for purpose in "$@"; do
    mapfile -t -O "${#packages[@]}" packages < <(
        sed -n "s/^$purpose  *//p" "$(dirname "$0")/debian-packages" | tr ' ' '\n')
done
[ ${#packages[@]} -gt 0 ] || { echo "need-packages.sh: packaging/debian-packages has no packages for: $*" >&2; exit 64; }

missing=()
for package in "${packages[@]}"; do
    status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2> /dev/null || true)
    [ "$status" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

echo "Missing Debian packages: ${missing[*]}"
as_root=()
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo > /dev/null || {
        echo "Installing packages needs root or sudo. Run as root:  apt-get install ${missing[*]}" >&2
        exit 1
    }
    as_root=(sudo)
fi
command -v apt-get > /dev/null || {
    echo "This system has no apt-get. Install the packages that correspond to: ${missing[*]}" >&2
    exit 1
}
export DEBIAN_FRONTEND=noninteractive
install=(apt-get install --yes --no-install-recommends "${missing[@]}")
# The package lists can be old or absent: update them only when the first attempt fails.
"${as_root[@]}" "${install[@]}" < /dev/null || { "${as_root[@]}" apt-get update && "${as_root[@]}" "${install[@]}" < /dev/null; }
