#!/bin/sh
# Regenerates every capture in this folder with the simulator; the result is identical, byte for byte.
#
#   swift build --product sextant && captures/make.sh [PATH-OF-SEXTANT]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
sextant=${1:-$here/../.build/debug/sextant}

# capture FILE NAME NOTE ARGUMENTS...
capture() {
    file=$1 name=$2 note=$3
    shift 3
    "$sextant" simulate --force --output "$here/$file.nmea" --name "$name" --note "$note" "$@"
}

# The input of `make run` and `make bench`: full epochs with all sentences of a current receiver.
capture demo 'u-blox M9 on a drive with two stops' 'four constellations, NMEA 4.10, every sentence in every epoch' \
    --receiver ubloxM9 --sentences RMC,VTG,GGA,GSA,GSV,GLL,GST,ZDA,GBS --seed 90 --start 2026-03-14T16:20:00Z --duration 120s

# The order in which each make sends its sentences.
capture ublox-6 'u-blox 6 on a drive' 'GPS only, NMEA 2.3; RMC first, GLL last' \
    --receiver ublox6 --seed 6 --start 2026-03-14T09:26:53Z --duration 120s
capture ublox-m8 'u-blox M8 on a drive with two stops' 'GPS and GLONASS, NMEA 4.0; a GSA per constellation; PUBX,00 and GST after GLL' \
    --receiver ublox8 --sentences RMC,VTG,GGA,GSA,GSV/5,GLL,GST,PUBX00 --seed 8 --start 2026-03-14T10:00:00Z --duration 150s
capture mtk 'MediaTek MT3339 on a drive' 'GGA first, VTG last; GSV every fifth epoch' \
    --receiver mtk --seed 33 --start 2026-04-02T17:05:00Z --duration 180s
capture sirf 'SiRFstar III on a drive' 'measures 487 ms past the second; RMC last; GSV every fifth epoch' \
    --receiver sirf --seed 3 --start 2026-04-03T06:30:00Z --duration 180s
capture casic 'CASIC AT6558 on a drive' 'talkers GP and BD for the satellites, GN for the rest; ZDA and TXT end the epoch' \
    --receiver casic --seed 65 --start 2026-04-04T12:00:00Z --duration 90s
capture garmin 'Garmin GPS 18x on a drive' 'whole seconds, one decimal; PGRME last' \
    --receiver garmin --seed 18 --start 2026-04-05T15:45:00Z --duration 120s
capture quectel 'Quectel LC29H on a drive' 'NMEA 4.11; two signals for three of four constellations' \
    --receiver quectel --sentences GGA,GSA,GSV/10,RMC,VTG,GLL --seed 29 --start 2026-04-06T08:00:00Z --duration 100s
capture compass 'A satellite compass on a drive' 'THS after RMC; no fix and no heading from 60 s to 77 s' \
    --receiver ublox8 --sentences RMC,THS,GGA --fault dropout@60s+15s --seed 72 --start 2026-04-07T10:20:00Z --duration 120s

# Faults and special conditions.
capture cold-start 'u-blox M9 from cold' 'no time, then no date, then no fix, then a fix after 24 s; NMEA 4.10' \
    --receiver ubloxM9 --sentences RMC,VTG,GGA,GSA,GSV/2,GLL --cold --seed 9 --start 2026-05-01T04:00:00Z --duration 60s \
    --stationary 47.2849,8.5653,450
capture cold-start-clock 'MediaTek MT3339 from cold' 'its clock begins on 6 January 1980 until it has a time; a fix after 33 s' \
    --receiver mtk --cold --seed 34 --start 2026-05-02T04:00:00Z --duration 75s --stationary '-33.8568,151.2153,5'
capture tunnel 'u-blox M8 through a tunnel' 'no fix from 40 s to 62 s' \
    --receiver ublox8 --sentences RMC,VTG,GGA,GSA,GSV/5,GLL --fault dropout@40s+20s --seed 81 --start 2026-05-03T11:00:00Z --duration 110s
capture midnight 'Garmin GPS 18x over midnight and the new year' 'the date changes in RMC only' \
    --receiver garmin --sentences RMC,GGA,GSA,GSV/5,GLL,PGRME --seed 19 --start 2026-12-31T23:59:15Z --duration 90s \
    --stationary 64.1466,-21.9426,20
capture rollover 'SiRFstar III that missed a rollover of the GPS week' 'dates are 1024 weeks (7168 days) low; the date above is the true one' \
    --receiver sirf --rollovers 1 --seed 4 --start 2026-06-15T18:20:00Z --duration 90s
capture multi-constellation-10hz 'u-blox M9 at 10 Hz' 'four constellations, NMEA 4.10, GSV once a second, GST' \
    --receiver ubloxM9 --rate 10 --baud 230400 --sentences RMC,GGA,GSA,GSV/10,GST --seed 10 --start 2026-06-20T07:00:00Z --duration 18s
capture corrupt-lines 'u-blox 6 on a bad cable' 'one byte in 300 has a bit flipped from 20 s to 80 s; nothing arrives from 90 s to 95 s' \
    --receiver ublox6 --sentences RMC,VTG,GGA,GSA,GSV/5,GLL --fault corruption@20s+60s:0.0033 --fault silence@90s+5s --seed 66 \
    --start 2026-06-21T13:00:00Z --duration 120s
capture no-date 'A receiver that never states a date' 'only GGA, GSA and GLL; the day is known from the header alone' \
    --receiver generic --sentences GGA,GSA,GLL --seed 5 --start 2026-06-22T21:15:00Z --duration 120s
capture undated 'A capture whose day nobody noted' 'only GGA and GLL, and no Date above: fixes without a timestamp' \
    --receiver generic --sentences GGA,GLL --seed 56 --start 2026-06-23T09:10:00Z --duration 30s
capture parked 'u-blox M8 in a parked car' 'comes to rest after 90 s and stays; RMC and GGA only, PUBX,00 for the accuracy' \
    --receiver ublox8 --sentences RMC,GGA,PUBX00 --seed 7 --start 2026-06-24T18:00:00Z --duration 330s --stationary 47.0502,8.3093,435
sed -i '/^# Date: /d' "$here/undated.nmea"
