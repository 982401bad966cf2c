#!/bin/sh
# Regenerates every golden result: the output of `sextant replay` for each capture in this folder.
#
#   swift build --product sextant && captures/make-goldens.sh [PATH-OF-SEXTANT]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
sextant=${1:-$here/../.build/debug/sextant}

mkdir -p "$here/golden"
for capture in "$here"/*.nmea; do
    "$sextant" replay "$capture" > "$here/golden/$(basename "$capture" .nmea).fixes"
done

# updates NAME CONFIGURATION: the updates of a subscriber with this configuration.
updates() {
    "$sextant" replay --emit updates --configuration "$2" "$here/$1.nmea" > "$here/golden/$1.$2.updates"
}
"$sextant" replay --emit visits "$here/parked.nmea" > "$here/golden/parked.visits"
"$sextant" replay --emit headings "$here/compass.nmea" > "$here/golden/compass.headings"
"$sextant" replay --emit headings "$here/tunnel.nmea" > "$here/golden/tunnel.headings"
updates parked default
updates tunnel default
updates multi-constellation-10hz automotiveNavigation
updates cold-start fitness

# events NAME FENCES: the events of the conditions in FENCES.geojson.
events() {
    "$sextant" replay --emit events --fences "$here/$2.geojson" "$here/$1.nmea" > "$here/golden/$1.$2.events"
}
for capture in mtk tunnel ublox-m8 undated multi-constellation-10hz; do events "$capture" park; done
