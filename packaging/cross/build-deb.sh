#!/usr/bin/env bash
# build-deb.sh arm64 [FOLDER]: builds the Debian packages for arm64 on a machine of another architecture, into FOLDER
# (default .build/packages), and checks there that the programs run and replay the captures with the expected results.
#
# The programs need glibc 2.36: Debian 12, Raspberry Pi OS (bookworm), Ubuntu 24.04. Builds a clone of the committed
# state below CROSS (default .build/cross/arm64), beside the compiler (make-toolchain.sh).
set -euo pipefail
cd "$(dirname "$0")/../.."
repository=$PWD
architecture=${1:?arm64}
folder=${2:-.build/packages}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)

fail() { echo "cross/build-deb: $*" >&2; exit 1; }
[ "$architecture" = arm64 ] || fail "packages can be built for this machine and for arm64, not for $architecture"
packaging/need-packages.sh build deb cross
[ -z "$(git status --porcelain)" ] || fail "the source tree has changes that are not committed; the build is a clone"
mkdir -p "${CROSS:=.build/cross/$architecture}"
CROSS=$(cd "$CROSS" && pwd)
export CROSS
packaging/cross/make-toolchain.sh "$CROSS"

clone=$CROSS/source
if [ -d "$clone/.git" ]; then
    git -C "$clone" fetch --quiet "$repository" HEAD
    git -C "$clone" checkout --quiet --detach FETCH_HEAD
else
    git clone --quiet "$repository" "$clone"
fi
cd "$clone"
# The compiler has no network.
"${SWIFT:-swift}" package resolve

# The programs of binutils for arm64, under the names that the scripts use.
tools=$CROSS/tools
mkdir -p "$tools"
for tool in nm objcopy objdump readelf strip; do ln -sf "$(command -v aarch64-linux-gnu-$tool)" "$tools/$tool"; done
export PATH=$tools:$PATH QEMU_LD_PREFIX=$CROSS/sysroot SYSROOT=$CROSS/sysroot SWIFT=$clone/packaging/cross/swift.sh
packages=$clone/.build/packages
ARCH=$architecture packaging/build-deb.sh "$packages"

# The same results as on this machine, byte for byte.
captures/make-goldens.sh "$clone/.build/release/sextant"
git diff --exit-code --stat captures/golden || fail "the programs for $architecture have other results"
echo "captures: the results of the programs for $architecture are the expected ones"
rm -f "$folder"/sextant*_"$architecture".*
cp "$packages"/sextant*_"$architecture".* "$folder/"
