#!/usr/bin/env bash
# swift.sh ARGUMENT...: the compiler of make-toolchain.sh, which builds for arm64; a value for SWIFT of the Makefile. CROSS is
# the folder of make-toolchain.sh.
set -euo pipefail
command=${1:?swift.sh ARGUMENT...}
shift
case $command in
    build) set -- --swift-sdks-path /cross/bundle --swift-sdk sextant-arm64 --disable-automatic-resolution \
        --pkg-config-path /cross/sysroot/usr/lib/aarch64-linux-gnu/pkgconfig "$@" ;;
esac
exec "$(dirname "$0")/inside.sh" "${CROSS:?the folder of make-toolchain.sh}" swift "$command" "$@"
