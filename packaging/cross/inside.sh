#!/usr/bin/env bash
# inside.sh FOLDER COMMAND...: runs a command in the compiler's Debian of make-toolchain.sh. FOLDER is /cross there, and this
# repository has the path that it has here, so that the same source gives the same programs.
set -euo pipefail
folder=$(cd "$1" && pwd)
repository=$(cd "$(dirname "$0")/../.." && pwd)
shift
mkdir -p "$folder/compiler/cross" "$folder/compiler$repository"
# shellcheck disable=SC2016  # The shell inside expands them.
exec unshare --mount --propagation private bash -c '
set -e
folder=$1 repository=$2
shift 2
mount -t proc proc "$folder/compiler/proc"
mount --rbind /dev "$folder/compiler/dev"
mount --bind "$folder" "$folder/compiler/cross"
mount --bind "$repository" "$folder/compiler$repository"
exec chroot "$folder/compiler" env --chdir="$repository" -i HOME=/root LC_ALL=C.UTF-8 \
    PATH=/usr/libexec/swift/bin:/usr/bin:/bin PKG_CONFIG_PATH=/cross/sysroot/usr/lib/aarch64-linux-gnu/pkgconfig "$@"
' - "$folder" "$repository" "$@"
