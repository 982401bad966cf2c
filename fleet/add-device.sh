#!/bin/sh
# add-device.sh FOLDER NAME: makes the key and the certificate of a device, and an archive with its configuration.
#
# On the device: sudo tar -C / -xf NAME.tar && sudo systemctl enable --now sextant-fleet@work
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:?usage: add-device.sh FOLDER NAME}
name=${2:?usage: add-device.sh FOLDER NAME}
case $name in
*[!a-z0-9-]* | "")
    echo "add-device.sh: a name has lower-case letters, digits and hyphens only" >&2
    exit 1
    ;;
esac
if [ -e "$folder/devices/$name" ]; then
    echo "add-device.sh: $name exists; delete $folder/devices/$name to make new keys" >&2
    exit 1
fi
umask 077
"$here/certify.sh" "$folder" "$folder/devices/$name" "$name" "" 825
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
mkdir -p "$stage/etc/sextant/fleet/work" "$stage/etc/sextant/conf.d"
cp "$folder/devices/$name"/*.pem "$stage/etc/sextant/fleet/work"
cat >"$stage/etc/sextant/conf.d/fleet.toml" <<END
[fleet.work]
destination = "mqtts://$(cat "$folder/host"):$(cat "$folder/port")"
user = "$name"
device = "$name"
batch = 300
keepalive = 600
spread = 30
home_assistant = false
END
chmod 755 "$stage/etc" "$stage/etc/sextant" "$stage/etc/sextant/conf.d"
chmod 644 "$stage/etc/sextant/conf.d/fleet.toml"
tar -C "$stage" --owner=root --group=root -cf "$folder/devices/$name/$name.tar" etc/sextant/fleet/work etc/sextant/conf.d/fleet.toml
echo "$folder/devices/$name/$name.tar"
