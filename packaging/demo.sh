#!/usr/bin/env bash
# Demonstrates Sextant without a receiver: `sextant simulate` plays a capture on a pseudo-terminal, sextantd reads it,
# `sextant watch` shows the position. Ends on Ctrl-C or after DURATION seconds, and removes its files.
#
#   DURATION=N      seconds to run; default: until Ctrl-C on a terminal, else 5
#   CAPTURE=FILE    capture that the simulated receiver plays
#   PROGRAMS=DIR    directory of sextantd and sextant
set -euo pipefail
cd "$(dirname "$0")/.."

programs=${PROGRAMS:-.build/release}
capture=${CAPTURE:-captures/demo.nmea}
duration=${DURATION:-}
if [ -z "$duration" ] && [ ! -t 1 ]; then duration=5; fi

scratch=$(mktemp -d)
started=()
cleanup() {
    trap - EXIT INT TERM HUP
    for process in "${started[@]}"; do kill -TERM "$process" 2> /dev/null || true; done
    for _ in $(seq 30); do
        kill -0 "${started[@]}" 2> /dev/null || break
        sleep 0.1
    done
    for process in "${started[@]}"; do kill -KILL "$process" 2> /dev/null || true; done
    wait 2> /dev/null || true
    rm -rf "$scratch"
}
trap cleanup EXIT
trap 'exit 0' INT
trap 'exit 143' TERM HUP

# wait_for PATH PROCESS NAME: waits until PATH exists, 10 s at most; fails when PROCESS exits.
wait_for() {
    for _ in $(seq 100); do
        [ ! -e "$1" ] || return 0
        kill -0 "$2" 2> /dev/null || break
        sleep 0.1
    done
    echo "$3 did not start:" >&2
    cat "$scratch/$3.log" >&2
    exit 1
}

printf '[receivers]\ndiscover = false\n' > "$scratch/sextant.toml"

"$programs/sextant" simulate --loop --link "$scratch/receiver" "$capture" > "$scratch/simulate.log" 2>&1 < /dev/null &
started+=($!)
wait_for "$scratch/receiver" $! simulate

"$programs/sextantd" --config "$scratch/sextant.toml" --device "$scratch/receiver" --socket "$scratch/io.sextant" \
    --state "$scratch/state" > "$scratch/sextantd.log" 2>&1 < /dev/null &
started+=($!)
wait_for "$scratch/io.sextant" $! sextantd

watch=("$programs/sextant" watch --socket "$scratch/io.sextant")
if [ -n "$duration" ]; then watch=(timeout --foreground --signal=INT "$duration" "${watch[@]}"); fi
status=0
"${watch[@]}" || status=$?
case $status in
0 | 124 | 130 | 141) ;; # q, the end of DURATION, Ctrl-C, a closed output
*)
    echo "sextant watch failed with status $status. Last messages of sextantd:" >&2
    tail -n 20 "$scratch/sextantd.log" >&2
    exit "$status"
    ;;
esac
