#!/usr/bin/env bash
# stop-services.sh [ROOT]: stops and disables everything of Sextant that systemd runs, before its files are removed:
# the service, its socket, the bridges, the service of places, and the event handlers of fences. Leaves no link in /etc/systemd/system to their units.
# With ROOT nothing runs: only the links below ROOT are removed.
set -euo pipefail
root=${1:-}

if [ -z "$root" ] && [ -d /run/systemd/system ]; then
    # One job for all units: otherwise a client could start the service again through the socket.
    systemctl stop 'sextant-wake@*' 'sextant-fence@*.service' 'sextant-gpsd*' 'sextant-nmea@*' sextant-geoclue.socket sextant-geoclue.service sextant-time.service sextant-time-step.service sextant-zone.service sextant-modem.service 'sextant-inlet@*' 'sextant-fleet@*.service' sextant-places.socket sextant-places.service sextant-beacons.path sextant-beacons.service sextant-web.socket sextant-web.service \
        sextantd.socket sextantd.service || true
    systemctl reset-failed 'sextant-wake@*' 'sextant-fence@*.service' 'sextant-gpsd*' 'sextant-nmea@*' sextant-geoclue.socket sextant-geoclue.service sextant-time.service sextant-time-step.service sextant-zone.service sextant-modem.service 'sextant-inlet@*' 'sextant-fleet@*.service' sextant-places.socket sextant-places.service sextant-beacons.path sextant-beacons.service sextant-web.socket sextant-web.service \
        sextantd.socket sextantd.service 2> /dev/null || true
fi

# The links by which units are enabled. `systemctl disable` accepts no pattern, and fails without the units.
shopt -s nullglob
for link in "$root"/etc/systemd/system/*.{wants,requires}/{sextantd.service,sextantd.socket,sextant-places.socket,sextant-beacons.path,sextant-web.socket,sextant-fence@*.service,sextant-{gpsd,gpsd6,geoclue}.socket,sextant-{gpsd,time,time-step,zone,modem}.service,sextant-nmea@*,sextant-inlet@*,sextant-fleet@*.service,sextant-wake@*}; do
    if [ -L "$link" ]; then rm -v "$link"; fi
done

# The service preserves the directory of its socket. The socket itself is removed here: a client gets a clear error.
if [ -z "$root" ]; then rm -rf /run/sextant; fi
