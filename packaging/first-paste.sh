#!/usr/bin/env bash
# Runs the README's first commands without a receiver again and again, each time in a new terminal (tmux) and in a new
# shell without a terminal. Prints how often they gave a position, and how often other text was on the screen.
# Exits with 1 unless every run gave a position on a clean screen and left no file in /tmp.
#
#   RUNS=N          runs of each kind; default: 100
#   PROGRAMS=DIR    directory of sextantd and sextant; default: .build/release
set -euo pipefail
cd "$(dirname "$0")/.."

runs=${RUNS:-100}
programs=$(realpath "${PROGRAMS:-.build/release}")
scratch=$(mktemp -d)
tmux() { command tmux -L "first-paste-$$" "$@"; }
trap 'tmux kill-server 2> /dev/null || true; rm -rf "$scratch"' EXIT

# in_script NUMBER: a receiver, the daemon and a client that all start at the same moment, in a shell without a terminal.
in_script() {
    local home=$scratch/$1
    mkdir "$home"
    PATH=$programs:$PATH SEXTANT_SOCKET=$home/io.sextant bash -c '
        sextant simulate --link "$0/gps" > "$0/gps.log" 2>&1 &
        receiver=$!
        sextantd --device "$0/gps" --state "$0/state" 2> "$0/sextantd.log" &
        daemon=$!
        status=0
        sextant locate > "$0/position" 2> "$0/errors" || status=$?
        kill "$receiver" "$daemon" && wait
        exit "$status"' "$home" && grep -q '°' "$home/position"
}

# in_terminal NUMBER: `sextant demo` as a user types it. A log line or a message of another program tears the screen.
in_terminal() {
    local screen=$scratch/screen
    tmux new-session -d -x 80 -y 24 -s "run$1" "bash --norc"
    tmux send-keys -t "run$1" "export PATH=$programs:\$PATH; clear; sextant demo" Enter
    for _ in $(seq 150); do
        tmux capture-pane -p -t "run$1" > "$screen"
        if grep -q '[0-9]°.*[0-9]°' "$screen"; then break; fi
        sleep 0.1
    done
    # The receiver gets its commands in the first seconds.
    sleep 4
    tmux capture-pane -p -t "run$1" > "$screen"
    tmux send-keys -t "run$1" q
    for _ in $(seq 50); do
        compgen -G '/tmp/sextant-demo.*' > /dev/null || break
        sleep 0.1
    done
    tmux kill-session -t "run$1"
    ! compgen -G '/tmp/sextant-demo.*' > /dev/null || return 1
    grep -q '[0-9]°.*[0-9]°' "$screen" || return 1
    if grep -qE 'simulate:|sextantd|the reader' "$screen"; then torn=$((torn + 1)); fi
}

scripts=0 terminals=0 torn=0
for number in $(seq "$runs"); do
    if in_script "$number"; then scripts=$((scripts + 1)); else cat "$scratch/$number/errors" >&2; fi
    if in_terminal "$number"; then terminals=$((terminals + 1)); else cat "$scratch/screen" >&2; fi
done
echo "script: $scripts of $runs gave a position"
echo "terminal: $terminals of $runs gave a position and left no file; $torn screens had other text"
[ "$scripts" = "$runs" ] && [ "$terminals" = "$runs" ] && [ "$torn" = 0 ]
