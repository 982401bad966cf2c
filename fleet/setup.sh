#!/bin/sh
# setup.sh FOLDER HOST [PORT]: makes the authority and the certificate of a broker, and its configuration.
#
# HOST is the name or address by which devices reach the broker. Run it once. Keep FOLDER/authority.key secret: who has it
# can add devices. Then start the broker with `mosquitto -c FOLDER/mosquitto.conf`.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:?usage: setup.sh FOLDER HOST [PORT]}
host=${2:?usage: setup.sh FOLDER HOST [PORT]}
port=${3:-8883}
if [ -e "$folder/authority.key" ]; then
    echo "setup.sh: $folder has an authority already; delete the folder to begin again" >&2
    exit 1
fi
umask 077
mkdir -p "$folder/devices" "$folder/data"
folder=$(cd "$folder" && pwd)
case $host in
*[!0-9.]*) name=DNS:$host ;;
*) name=IP:$host ;;
esac
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3650 -subj "/CN=fleet authority" \
    -keyout "$folder/authority.key" -out "$folder/ca.pem" 2>/dev/null
printf '%s\n' "$host" >"$folder/host"
printf '%s\n' "$port" >"$folder/port"
"$here/certify.sh" "$folder" "$folder/broker" broker "$name" 825

cat >"$folder/mosquitto.conf" <<END
# Devices authenticate themselves by certificates; the common name is the user.
per_listener_settings false
listener $port
cafile $folder/ca.pem
certfile $folder/broker/cert.pem
keyfile $folder/broker/key.pem
require_certificate true
use_identity_as_username true
allow_anonymous false
acl_file $folder/acl
# Messages for a consumer that is not connected wait on disk. Each change is written, but after its
# acknowledgement: a kill in these milliseconds loses a message for a consumer that is not connected.
persistence true
persistence_location $folder/data/
autosave_on_changes true
autosave_interval 1
max_queued_messages 0
persistent_client_expiration 30d
# A message of sextant-fleet has 4 kB at most.
max_packet_size 65536
max_keepalive 3600
END
cat >"$folder/acl" <<END
# A device reads and writes its own topics only.
pattern readwrite owntracks/%u/#

# The consumer reads all, and sends commands.
user consumer
topic read owntracks/#
topic write owntracks/+/+/cmd
END
"$here/add-device.sh" "$folder" consumer >/dev/null
# Mosquitto leaves root's rights and then reads these files.
if [ "$(id -u)" = 0 ] && id mosquitto >/dev/null 2>&1; then
    chmod 711 "$folder" "$folder/broker"
    chmod 644 "$folder/ca.pem" "$folder/broker/cert.pem" "$folder/acl" "$folder/mosquitto.conf"
    chown mosquitto "$folder/broker/key.pem" "$folder/data"
fi
echo "start the broker: mosquitto -c $folder/mosquitto.conf"
