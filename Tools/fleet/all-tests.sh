#!/usr/bin/env bash
# all-tests.sh [--kills N] [--seed N] [--short]: runs the tests of sextant-fleet with real servers.
set -euo pipefail
cd "$(dirname "$0")"
short=() cases=() uplink=()
while [ $# -gt 0 ]; do
    case $1 in
        --short)
            short=(--short)
            cases=(expired reset daemon token slow-daemon fences duplicate full-disk hostile-broker hostile-http)
            shift
            ;;
        *) uplink+=("$1" "$2") && shift 2 ;;
    esac
done
./uplink-test.py "${uplink[@]}"
./http-test.py "${short[@]}"
./failure-test.py "${cases[@]}"
./encryption-test.py
./limits-test.py
