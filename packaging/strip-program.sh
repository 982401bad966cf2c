#!/usr/bin/env bash
# strip-program.sh PROGRAM...: removes the symbols of programs, and what depends on the folder in which they were built.
#
# The compiler writes a hash of each module and of its options into the section .swift_modhash, to detect changes. The
# options contain the folder. No program reads the section, so zeros replace it. Removing the section would also remove
# the GNU_RELRO header (binutils 2.40), and with it the write protection of the relocated data.
set -euo pipefail
section=.swift_modhash
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

for program in "$@"; do
    objdump --section-headers "$program" > "$scratch/sections"
    if grep -qwF -e "$section" "$scratch/sections"; then
        objcopy --dump-section "$section=$scratch/hashes" "$program" "$scratch/copy"
        truncate --size 0 "$scratch/zeros"
        truncate --size "$(stat -c %s "$scratch/hashes")" "$scratch/zeros"
        objcopy --update-section "$section=$scratch/zeros" "$program"
    fi
    strip "$program"
    readelf --wide --program-headers "$program" > "$scratch/headers"
    grep -q GNU_RELRO "$scratch/headers" || { echo "strip-program: $program has lost its GNU_RELRO header" >&2; exit 1; }
done
