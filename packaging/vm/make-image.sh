#!/usr/bin/env bash
# make-image.sh FOLDER ARCHITECTURE: builds the disk of a small Debian 12 with kernel, systemd, udev and the agent of `make vm-test`.
#
# Leaves base.img, vmlinuz and initrd in FOLDER. The packages are downloaded once and kept in FOLDER/root.tar; the disk
# is made again when this folder has changed. Sextant is not installed. Needs root and mmdebstrap, and programs of another
# architecture must run here (qemu-user-static).
#
# shellcheck disable=SC2016  # Shells of mmdebstrap expand what is in single quotes.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
cd "$1"
packages=linux-image-$2,busybox-static,initramfs-tools,systemd-sysv,libpam-systemd,udev,dbus,kmod,python3,libsqlite3-0,sqlite3,procps,apparmor,gpsd,modemmanager,bluez,bluez-test-tools

if [ ! -e root.tar ] || [ "$(cat root.packages 2> /dev/null)" != "$packages" ]; then
    mmdebstrap --quiet --architectures="$2" --format=tar --variant=minbase --include="$packages" \
        --essential-hook='mkdir -p "$1/etc/initramfs-tools/conf.d"; echo MODULES=list > "$1/etc/initramfs-tools/conf.d/vm"' \
        --customize-hook='chroot "$1" apt-get clean' \
        bookworm root.tar.part "${MIRROR:-http://deb.debian.org/debian}"
    mv root.tar.part root.tar
    echo "$packages" > root.packages
    rm -f base.img
fi

stamp=$(cat "$here/make-image.sh" "$here"/guest/* | sha256sum)
[ ! -e base.img ] || [ "$(cat base.stamp 2> /dev/null)" != "$stamp" ] || exit 0
rm -rf root initrd.root base.img
mkdir root
trap 'rm -rf root initrd.root' EXIT
tar --directory root --numeric-owner --extract --file root.tar --exclude='./dev/*'
mkdir -p root/opt/vm root/var/log/journal root/etc/systemd/system/multi-user.target.wants
install -m 755 "$here"/guest/*.py root/opt/vm/
install -m 644 "$here/guest/vm-agent.service" root/etc/systemd/system/
ln -s ../vm-agent.service root/etc/systemd/system/multi-user.target.wants/
# Nothing here concerns the service, and each costs seconds of emulated time.
for unit in e2scrub_reap.service systemd-logind.service apt-daily.timer apt-daily-upgrade.timer e2scrub_all.timer fstrim.timer dpkg-db-backup.timer \
    gpsd.service gpsd.socket ModemManager.service getty@tty1.service serial-getty@ttyS0.service serial-getty@ttyAMA0.service; do
    ln -s /dev/null "root/etc/systemd/system/$unit"
done
chroot root useradd --create-home alice
echo sextant-vm > root/etc/hostname
printf '[Journal]\nRateLimitIntervalSec=0\n' > root/etc/systemd/journald.conf
printf '/dev/vda / ext4 rw 0 1\n' > root/etc/fstab
cp -L root/vmlinuz vmlinuz

# An initrd that only loads the modules of the disk and mounts it: that of Debian starts udev, which takes the emulated
# machine half a minute.
kernel=$(basename root/lib/modules/*)
mkdir -p initrd.root/{bin,dev,root}
cp root/bin/busybox initrd.root/bin/
for module in virtio_pci virtio_blk ext4 crc32c_generic; do
    chroot root modprobe --set-version "$kernel" --show-depends "$module"
done | awk '$1 == "insmod" && !seen[$2]++ {print $2}' > initrd.root/modules
while read -r module; do install -D -m 644 "root$module" "initrd.root$module"; done < initrd.root/modules
cat > initrd.root/init << 'END'
#!/bin/busybox sh
/bin/busybox mount -t devtmpfs dev /dev
while read -r module; do /bin/busybox insmod "$module"; done < /modules
until /bin/busybox mount -t ext4 /dev/vda /root; do /bin/busybox sleep 0.1; done
exec /bin/busybox switch_root /root /lib/systemd/systemd
END
chmod 755 initrd.root/init
(cd initrd.root && find . | cpio --quiet --create --format=newc) > initrd
mke2fs -q -t ext4 -d root base.img.part "${SIZE:-1800M}"
mv base.img.part base.img
echo "$stamp" > base.stamp
