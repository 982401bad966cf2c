#!/usr/bin/env bash
# make-toolchain.sh FOLDER: makes what a build for arm64 needs in FOLDER (6 GB, some minutes):
#
#   compiler   a Debian unstable for this machine with its Swift compiler, for a change of root (inside.sh)
#   sysroot    a Debian 12 for arm64 with the headers and libraries of the programs, and that Swift's library for arm64
#   bundle     the description of both for SwiftPM
#
# Compiler and library must have the same version. Both come from Debian, because there is no Swift toolchain for this
# machine with a library for arm64. Needs root, mmdebstrap and binfmt for arm64 programs (qemu-user-static).
# shellcheck disable=SC2016  # dpkg-query expands ${Version}.
set -euo pipefail
cd "$(dirname "$0")"
sources=$PWD
mirror=${MIRROR:-http://deb.debian.org/debian}
mkdir -p "$1"
cd "$1"
folder=$PWD
[ ! -e complete ] || exit 0

fail() { echo "make-toolchain: $*" >&2; exit 1; }
[ "$(id -u)" -eq 0 ] || fail "it needs root"
[ -e /proc/sys/fs/binfmt_misc/qemu-aarch64 ] || mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc 2> /dev/null || true
[ -e /proc/sys/fs/binfmt_misc/qemu-aarch64 ] || update-binfmts --enable qemu-aarch64 ||
    fail "this kernel runs no arm64 programs: install qemu-user-static and binfmt-support"

# EXPIRED=1 accepts the lists of a mirror that stands still; the signatures are checked all the same.
check=$([ -n "${EXPIRED:-}" ] && echo false || echo true)
options=(--quiet --variant=essential "--aptopt=Acquire::Check-Valid-Until \"$check\"")
libraries=libc6-dev,libstdc++-12-dev,gcc,$(sed -n 's/^build  *//p' "$sources/../debian-packages" | tr ' ' , | sed 's/,pkg-config//')
echo "make-toolchain: Debian 12 for arm64"
rm -rf sysroot
mmdebstrap "${options[@]}" --architectures=arm64 --include="$libraries" bookworm sysroot "$mirror"
echo "make-toolchain: the compiler"
rm -rf compiler
mmdebstrap "${options[@]}" --include=swiftlang,libc6-dev,libstdc++-15-dev,git,ca-certificates,pkgconf unstable compiler "$mirror"

echo "make-toolchain: the Swift library for arm64"
mkdir -p apt/lists/partial apt/cache/archives/partial
touch apt/status
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror unstable main" > apt/sources.list
cat > apt.conf << EOF
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
APT::Sandbox::User "root";
Acquire::Check-Valid-Until "$check";
Acquire::Languages "none";
Dir::State "$folder/apt";
Dir::State::Lists "$folder/apt/lists";
Dir::State::status "$folder/apt/status";
Dir::Cache "$folder/apt/cache";
Dir::Etc::SourceList "$folder/apt/sources.list";
Dir::Etc::SourceParts "/dev/null";
EOF
export APT_CONFIG=$folder/apt.conf
apt-get --quiet=2 update
version=$(chroot compiler dpkg-query --show --showformat '${Version}' swiftlang)
(cd apt/cache && apt-get --quiet=2 download "swiftlang:arm64=$version" "libswiftlang:arm64=$version")
for package in apt/cache/*.deb; do
    # Without the libraries of the compiler itself.
    dpkg-deb --fsys-tarfile "$package" | tar --extract --directory sysroot --wildcards --no-wildcards-match-slash \
        --exclude './usr/libexec/swift/lib/*.so*' ./usr/libexec/swift/lib
done
rm -rf apt

cd sysroot
# Links to absolute paths lead out of the folder.
find usr/lib -type l -lname '/*' | while read -r link; do
    target=$(readlink "$link")
    [ ! -e ".$target" ] || ln -sfr ".$target" "$link"
done
# The linker of Swift looks for its library here.
ln -s ../libexec/swift/lib/swift ../libexec/swift/lib/swift_static usr/lib/
# The static library needs hidden symbols of the static C library.
rm -f usr/lib/aarch64-linux-gnu/libm.a
aarch64-linux-gnu-gcc --sysroot="$PWD" -O2 -c "$sources/glibc.c" -o glibc.o
ar rcs usr/lib/aarch64-linux-gnu/libglibc236.a glibc.o
rm glibc.o
printf '\n-lglibc236\n' >> usr/libexec/swift/lib/swift_static/linux/static-stdlib-args.lnk

mkdir -p ../bundle/sextant-arm64.artifactbundle/arm64
cd ../bundle/sextant-arm64.artifactbundle
cat > info.json << 'EOF'
{"schemaVersion": "1.0", "artifacts": {"sextant-arm64": {"type": "swiftSDK", "version": "1", "variants": [{"path": "arm64"}]}}}
EOF
echo '{"schemaVersion": "1.0", "swiftCompiler": {"extraCLIOptions": ["-use-ld=lld"]}}' > arm64/toolset.json
cat > arm64/swift-sdk.json << 'EOF'
{"schemaVersion": "4.0", "targetTriples": {"aarch64-unknown-linux-gnu": {
    "sdkRootPath": "/cross/sysroot", "toolsetPaths": ["toolset.json"],
    "swiftResourcesPath": "/cross/sysroot/usr/libexec/swift/lib/swift",
    "swiftStaticResourcesPath": "/cross/sysroot/usr/libexec/swift/lib/swift_static"}}}
EOF
touch "$folder/complete"
