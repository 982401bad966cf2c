#!/usr/bin/env bash
# Builds a package that depends on the product SextantClient, as a user of the library does: without the development
# packages of the daemon, and without its targets. Prints size and memory of the smallest program beside one that imports
# Foundation, and judges what the library adds to one that imports nothing but Glibc. SWIFT names the compiler driver, JOBS the number of concurrent compilations.
set -euo pipefail
cd "$(dirname "$0")/.."
repository=$PWD
scratch=$(mktemp -d)
trap 'kill "${pids[@]}" 2> /dev/null || true; rm -rf "$scratch"' EXIT
pids=()

# The only modules that may be compiled, and the limits of what the library adds to a program with a task of its own, in kB.
allowed='CLinux Chronology ClientTransport SextantClient SystemCalls Varlink'
max_size=3000
max_memory=6000

mkdir -p "$scratch"/user/Sources/{locator,hello,plain}
cp Examples/where-am-i/Sources/where-am-i/main.swift "$scratch/user/Sources/locator/"
cat > "$scratch/user/Sources/hello/main.swift" << 'END'
import Foundation

print("hello", Date())
Thread.sleep(forTimeInterval: 60)
END
cat > "$scratch/user/Sources/plain/main.swift" << 'END'
import Glibc

print("hello")
await Task { _ = sleep(60) }.value
END
cat > "$scratch/user/Package.swift" << END
// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "user",
    dependencies: [.package(name: "sextant", path: "$repository")],
    targets: [
        .executableTarget(name: "locator", dependencies: [.product(name: "SextantClient", package: "sextant")]),
        .executableTarget(name: "hello"),
        .executableTarget(name: "plain"),
    ]
)
END

# An empty folder is the only place where pkg-config searches: no development package is installed.
mkdir "$scratch/empty"
PKG_CONFIG_LIBDIR=$scratch/empty PKG_CONFIG_PATH=$scratch/empty "${SWIFT:-swift}" build --package-path "$scratch/user" \
    -c release --static-swift-stdlib -j "${JOBS:-2}" > "$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }

built=$(cd "$scratch/user/.build/release" && for folder in *.build; do
    [ -z "$(find "$folder" -name '*.o' -print -quit)" ] || echo "${folder%.build}"
done)
echo "compiled modules: ${built//$'\n'/ }"
for module in $built; do
    case " $allowed locator hello plain " in
        *" $module "*) ;;
        *) echo "SextantClient compiles $module, which a client does not need"; exit 1 ;;
    esac
done

# A service that sends one update, and then nothing.
socket=$scratch/socket
python3 - "$socket" << 'END' &
import json, socket, sys
listener = socket.socket(socket.AF_UNIX)
listener.bind(sys.argv[1])
listener.listen(1)
client, _ = listener.accept()
client.recv(65536)
location = {"latitude": 51.5, "longitude": -0.1, "horizontalAccuracy": 4.0, "accuracySource": "gst", "mode": "3d",
            "quality": "autonomous", "receiver": "gps"}
reply = {"parameters": {"sequence": 1, "dropped": 0, "location": location}, "continues": True}
client.sendall(json.dumps(reply).encode() + b"\0")
client.recv(1)
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

# Sets `size` of a stripped program, and its resident `memory` while it runs, in kB.
measure() {
    strip -o "$scratch/$1" "$scratch/user/.build/release/$1"
    SEXTANT_SOCKET=$socket stdbuf -oL "$scratch/$1" > "$scratch/$1.out" &
    pids+=($!)
    await -s "$scratch/$1.out" $!
    size=$(($(stat -c %s "$scratch/$1") / 1000))
    memory=$(awk '/VmRSS/ { print $2 }' "/proc/$!/status")
}

measure hello
echo "hello, imports Foundation: stripped $size kB, resident $memory kB"
measure plain
plain_size=$size
plain_memory=$memory
echo "hello, imports Glibc: stripped $plain_size kB, resident $plain_memory kB"
measure locator
grep -q '^51.5 -0.1' "$scratch/locator.out" || { echo "the program prints no location:"; cat "$scratch/locator.out"; exit 1; }
echo "where-am-i, SextantClient: stripped $size kB, resident $memory kB"
if [ $((size - plain_size)) -gt $max_size ] || [ $((memory - plain_memory)) -gt $max_memory ]; then
    echo "the library adds more than $max_size kB and $max_memory kB"
    exit 1
fi
