#!/usr/bin/env bash
# Builds each package of Examples by its own manifest, as users who copy one do. The root package builds the same sources,
# but not these manifests. The packages share a folder for what they compile.
set -euo pipefail
cd "$(dirname "$0")/.."
scratch=$PWD/.build/examples
failed=0
for manifest in Examples/*/Package.swift; do
    package=$(dirname "$manifest")
    if "${SWIFT:-swift}" build --package-path "$package" --scratch-path "$scratch" -j "${JOBS:-2}" > "$scratch.log" 2>&1; then
        echo "$package: built"
    else
        cat "$scratch.log"
        echo "$package: FAILED"
        failed=1
    fi
    # The resolved versions are those of the root package.
    rm -f "$package/Package.resolved"
done
exit $failed
