#!/usr/bin/env bash
# Builds a package that depends on the products SextantClient and CoreLocation, as users of the libraries do: without the
# development packages of the daemon, and without its targets. Prints size and memory of the smallest program with each, and
# judges what the library adds: SextantClient to a program that imports nothing but Glibc, CoreLocation to one that imports
# Foundation. Both of these wait in a task, since the runtime of tasks is not the library's. SWIFT names the compiler driver,
# JOBS the number of concurrent compilations.
set -euo pipefail
cd "$(dirname "$0")/.."
repository=$PWD
scratch=$(mktemp -d)
trap 'kill "${pids[@]}" 2> /dev/null || true; rm -rf "$scratch"' EXIT
pids=()
# An empty folder is the only place where pkg-config searches: no development package is installed.
mkdir "$scratch/empty"
export PKG_CONFIG_LIBDIR=$scratch/empty PKG_CONFIG_PATH=$scratch/empty

# The limits of what a library adds to a program with a task of its own, in kB.
max_size=3000
max_memory=6000
failed=0

# Targets of this repository that are in no library product. A user's package may have targets of the same names.
taken_elsewhere='Bridges Fleet Locator NMEA Permission Places SerialPorts Settings SQLite'

# The package, with programs and with targets of names that this repository uses too.
user=$scratch/user
for name in $taken_elsewhere; do
    mkdir -p "$user/Sources/$name"
    echo 'public let user = 1' > "$user/Sources/$name/Module.swift"
done
mkdir -p "$user/Sources"/{locator,plain,updates,hello}
cp Examples/where-am-i/Sources/where-am-i/main.swift "$user/Sources/locator/main.swift"
cat > "$user/Sources/plain/main.swift" << 'END'
import Glibc

print("hello")
await Task { _ = sleep(60) }.value
END
cat > "$user/Sources/updates/main.swift" << 'END'
import CoreLocation

for try await update in CLLocationUpdate.liveUpdates() {
    if let place = update.location?.coordinate { print(place.latitude, place.longitude) }
}
END
cat > "$user/Sources/hello/main.swift" << 'END'
import Foundation

func rest() { Thread.sleep(forTimeInterval: 60) }
print("hello", Date())
await Task { rest() }.value
END
cat > "$user/Package.swift" << END
// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "user",
    dependencies: [.package(name: "sextant", path: "$repository")],
    targets: [
        .executableTarget(name: "locator", dependencies: [.product(name: "SextantClient", package: "sextant")]),
        .executableTarget(name: "plain"),
        .executableTarget(name: "updates", dependencies: [.product(name: "CoreLocation", package: "sextant")]),
        .executableTarget(name: "hello"),
$(for name in $taken_elsewhere; do echo "        .target(name: \"$name\"),"; done)
    ]
)
END

# build LIBRARY OPTION MODULE...: builds the package, or the product that the option names, and checks that only these
# modules are compiled so far.
build() {
    local library=$1 option=$2 folder module built
    # shellcheck disable=SC2086 # the option is empty, or has a value
    "${SWIFT:-swift}" build --package-path "$user" -c release --static-swift-stdlib -j "${JOBS:-2}" $option \
        > "$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }
    built=$(cd "$user/.build/release" && for folder in *.build; do
        [ -z "$(find "$folder" -name '*.o' -print -quit)" ] || echo "${folder%.build}"
    done)
    echo "$library: compiled modules: ${built//$'\n'/ }"
    shift 2
    for module in $built; do
        case " $* " in
            *" $module "*) ;;
            *) echo "$library compiles $module, which a client does not need"; exit 1 ;;
        esac
    done
}

# A service that sends one update to each stream, and then nothing.
socket=$scratch/socket
python3 - "$socket" << 'END' &
import json, socket, sys, threading
location = {"latitude": 51.5, "longitude": -0.1, "horizontalAccuracy": 4.0, "accuracySource": "gst", "mode": "3d",
            "quality": "autonomous", "receiver": "gps"}
reply = {"parameters": {"sequence": 1, "dropped": 0, "location": location}, "continues": True}

def serve(client):
    if b"Location.Subscribe" in client.recv(65536):
        client.sendall(json.dumps(reply).encode() + b"\0")
    client.recv(1)

listener = socket.socket(socket.AF_UNIX)
listener.bind(sys.argv[1])
listener.listen(8)
while True:
    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
END
pids+=($!)

# Waits until a test(1) of a file holds, while a process runs.
await() {
    local deadline=$((SECONDS + 30))
    until test "$1" "$2"; do
        if [ $SECONDS -gt $deadline ] || ! kill -0 "$3" 2> /dev/null; then
            echo "$2 did not appear"
            exit 1
        fi
        sleep 0.05
    done
}
await -S "$socket" $!

# measure PROGRAM: sets `size` of a stripped program, and its resident `memory` while it runs, in kB: the median of nine
# starts, because the kernel maps more or fewer pages around those that are read (0.5 MB of difference).
measure() {
    local values=() output
    strip -o "$scratch/$1" "$user/.build/release/$1"
    size=$(($(stat -c %s "$scratch/$1") / 1000))
    for _ in {1..9}; do
        output=$(mktemp -p "$scratch")
        SEXTANT_SOCKET=$socket stdbuf -oL "$scratch/$1" > "$output" &
        pids+=($!)
        await -s "$output" $!
        values+=("$(awk '/VmRSS/ { print $2 }' "/proc/$!/status")")
        kill $!
        wait $! 2> /dev/null || true
        unset 'pids[-1]'
        mv "$output" "$scratch/$1.out"
    done
    memory=$(printf '%s\n' "${values[@]}" | sort -n | sed -n 5p)
}

# judge LIBRARY PROGRAM BASELINE: prints the figures of both programs, and what the first has more.
judge() {
    local less_size less_memory verdict=met
    measure "$3"
    printf '%-28s stripped %6d kB, resident %6d kB\n' "$3" "$size" "$memory"
    less_size=$size less_memory=$memory
    measure "$2"
    printf '%-28s stripped %6d kB, resident %6d kB\n' "$2, $1" "$size" "$memory"
    grep -q '^51.5 -0.1' "$scratch/$2.out" || { echo "the program prints no location:"; cat "$scratch/$2.out"; exit 1; }
    if [ $((size - less_size)) -gt $max_size ] || [ $((memory - less_memory)) -gt $max_memory ]; then
        verdict=EXCEEDED
        failed=1
    fi
    echo "$1 adds $((size - less_size)) kB (max $max_size) and $((memory - less_memory)) kB (max $max_memory): $verdict"
}

client='CLinux Chronology SystemCalls Varlink VarlinkClient SextantAPI'
# shellcheck disable=SC2086 # a list of modules
build SextantClient '--product locator' $client SextantClient locator
# shellcheck disable=SC2086
build CoreLocation '' $client SextantClient CoreLocation Geodesy locator plain updates hello $taken_elsewhere
judge SextantClient locator plain
judge CoreLocation updates hello
exit $failed
