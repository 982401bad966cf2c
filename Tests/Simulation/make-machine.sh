#!/usr/bin/env bash
# make-machine.sh FILE: compiles the library that answers the system calls of simulated programs, in place of the C library
# and the kernel.
set -euo pipefail
file=$(realpath -m "$1")
mkdir -p "$(dirname "$file")"
cd "$(dirname "$0")/Machine"
"${CC:-cc}" -shared -fPIC -fvisibility=hidden -fno-builtin -std=gnu11 -D_GNU_SOURCE -O2 -g -Wall -Wextra -Wno-missing-attributes \
    -I include -o "$file" ./*.c Preload/*.c -ldl
