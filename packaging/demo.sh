#!/usr/bin/env bash
# The whole road on one machine without a receiver: a virtual one plays a capture into a pseudo terminal, sextantd
# reads it, `sextant watch` shows it. Ends on Ctrl-C, or after DURATION seconds, and leaves nothing behind.
#
#   DURATION=N      seconds to run; without a terminal 5, on a terminal until Ctrl-C
#   CAPTURE=FILE    what the virtual receiver plays
#   PROGRAMS=DIR    where sextantd and sextant are
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

# wait_for PATH PROCESS NAME: until PATH exists, while PROCESS lives, 10 s at most.
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
0 | 124 | 130 | 141) ;; # by itself, by the clock, by Ctrl-C, because nobody reads any more
*)
    echo "sextant watch ended with $status; sextantd said:" >&2
    tail -n 20 "$scratch/sextantd.log" >&2
    exit "$status"
    ;;
esac
