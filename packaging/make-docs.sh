#!/usr/bin/env bash
# make-docs.sh: writes the documentation of the libraries into .build/docs.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p .build/docs
for module in CoreLocation CoreSpotlight SextantClient SextantAPI Varlink Chronology Geodesy NMEA Positioning Geofencing Locator; do
    SEXTANT_DOCS=1 "${SWIFT:-swift}" package --scratch-path .build-docs --allow-writing-to-directory .build/docs \
        generate-documentation --target "$module" --output-path ".build/docs/$module" \
        --transform-for-static-hosting --hosting-base-path "$module"
done
