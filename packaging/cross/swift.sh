#!/usr/bin/env bash
# swift.sh ARGUMENT...: the compiler of make-toolchain.sh, which builds for arm64; a value for SWIFT of the Makefile. CROSS is
# the folder of make-toolchain.sh.
set -euo pipefail
command=${1:?swift.sh ARGUMENT...}
shift
inside() { "$(dirname "$0")/inside.sh" "${CROSS:?the folder of make-toolchain.sh}" swift "$@"; }

if [ "$command" != build ]; then
    inside "$command" "$@"
    exit
fi
# One program at a time: the examples of the package do not link with this library.
for program in sextantd sextant sextant-fleet sextant-web; do
    inside build --swift-sdks-path /cross/bundle --swift-sdk sextant-arm64 --disable-automatic-resolution \
        --pkg-config-path /cross/sysroot/usr/lib/aarch64-linux-gnu/pkgconfig --product "$program" "$@"
done
