#!/usr/bin/env bash
# install.sh install|uninstall|list [PACKAGE]: installs or removes the files in packaging/files, or lists their paths,
# without the leading slash, as debhelper expects.
#
# The folders are variables of the environment: DESTDIR, PREFIX, UNITDIR, UDEVDIR, SYSCONFDIR (see the Makefile).
set -euo pipefail
cd "$(dirname "$0")/.."
: "${DESTDIR:=}" "${PREFIX:=/usr/local}" "${SYSCONFDIR:=/etc}"
: "${UNITDIR:=$PREFIX/lib/systemd/system}" "${UDEVDIR:=$PREFIX/lib/udev/rules.d}"
action=${1:?install, uninstall or list}
package=${2:-}

# Prints the kind, the source and the path of each file.
entries() {
    local kind owner source destination
    while read -r kind owner source destination; do
        case $kind in '#'* | '') continue ;; esac
        [ -z "$package" ] || [ "$owner" = "$package" ] || continue
        destination=${destination/#BIN/$PREFIX/bin} destination=${destination/#LIB/$PREFIX/lib}
        destination=${destination/#SHARE/$PREFIX/share} destination=${destination/#UNITS/$UNITDIR}
        destination=${destination/#UDEV/$UDEVDIR} destination=${destination/#ETC/$SYSCONFDIR}
        case $kind:$destination in
            folder:*) destination=${destination%/} ;;
            tree:*)
                find "$source" -type f | sort | while read -r file; do
                    printf 'copy %s %s\n' "$file" "$destination${file#"$source"/}"
                done
                continue
                ;;
            *:*/) destination+=${source##*/} ;;
        esac
        printf '%s %s %s\n' "$kind" "$source" "$destination"
    done < packaging/files
}

write_completions() {
    local program shell
    mkdir -p .build/completions
    for program in sextant sextant-bridge sextant-places sextant-beacons sextant-fleet sextant-web; do
        for shell in bash zsh fish; do
            # bash-completion reads the file, nothing executes it.
            .build/release/$program --generate-completion-script $shell | sed '1{/^#!/d}' > .build/completions/$program.$shell
        done
    done
}

install_file() {
    local kind=$1 source=$2 path=$DESTDIR$3
    case $kind in
        program)
            install -D -m 755 "$source" "$path"
            packaging/strip-program.sh "$path"
            ;;
        link)
            install -d "${path%/*}"
            ln -sf "$source" "$path"
            ;;
        file)
            install -d "${path%/*}"
            sed "s|/usr/bin/sextant|$PREFIX/bin/sextant|; s|/usr/share/sextant|$PREFIX/share/sextant|" "$source" > "$path"
            chmod 644 "$path"
            ;;
        copy) install -D -m 644 "$source" "$path" ;;
        setting) [ -e "$path" ] || install -D -m 644 "$source" "$path" ;;
        folder) install -d "$path" ;;
        *)
            echo "install.sh: packaging/files has the unknown kind $kind" >&2
            exit 1
            ;;
    esac
}

case $action in
    install)
        [ -x .build/release/sextantd ] || { echo 'The programs are not built; run first: make build' >&2; exit 1; }
        write_completions
        entries | while read -r kind source path; do install_file "$kind" "$source" "$path"; done
        ;;
    uninstall)
        packaging/stop-services.sh "$DESTDIR"
        entries | while read -r kind source path; do
            case $kind in program | link | file | copy) rm -f "$DESTDIR$path" ;; esac
        done
        ;;
    list) entries | while read -r kind source path; do echo "${path#/}"; done ;;
    *)
        echo "install.sh: unknown action $action" >&2
        exit 64
        ;;
esac
[ "$action" != list ] && [ -z "$DESTDIR" ] || exit 0

if command -v mandb > /dev/null; then mandb --quiet "$PREFIX/share/man" || true; fi
if [ "$action" = uninstall ]; then
    [ ! -d /run/systemd/system ] || systemctl daemon-reload
    echo 'Removed. These files stay: /etc/sextant, /var/lib/sextant and drop-ins in /etc/systemd/system'
else
    cat << 'END'

Installed. To start the service now and at every boot:
  systemd-sysusers && systemd-tmpfiles --create && journalctl --update-catalog
  systemctl daemon-reload && systemctl enable --now sextantd
  udevadm control --reload && udevadm trigger --subsystem-match=tty --subsystem-match=usb --subsystem-match=gnss
To stop it, stop the socket too, otherwise the next client starts the service again:
  systemctl stop sextantd.socket sextantd.service
END
fi
