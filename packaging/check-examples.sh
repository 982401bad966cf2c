#!/usr/bin/env bash
# Builds one package of Examples by its own manifest, as users who copy it do, and resolves the others. The root package builds
# the same sources, but not these manifests.
set -euo pipefail
cd "$(dirname "$0")/.."
scratch=$PWD/.build/examples
failed=0
for manifest in Examples/*/Package.swift; do
    package=$(dirname "$manifest")
    case $package in
        Examples/ios-shared) done=built words=(build -j "${JOBS:-2}") ;;
        *) done=resolved words=(package show-dependencies) ;;
    esac
    if "${SWIFT:-swift}" "${words[@]}" --package-path "$package" --scratch-path "$scratch" > "$scratch.log" 2>&1; then
        echo "$package: $done"
    else
        cat "$scratch.log"
        echo "$package: FAILED"
        failed=1
    fi
    # The resolved versions are those of the root package.
    rm -f "$package/Package.resolved"
done
exit $failed
