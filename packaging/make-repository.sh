#!/usr/bin/env bash
# make-repository.sh [FOLDER]: makes a signed apt repository in FOLDER (default .build/repository) from the packages in
# .build/packages, for every architecture that is there. Put the folder on any web server.
#
# URL is the address that FOLDER will have; without it the repository can be used on this machine only (file:). KEY names
# the OpenPGP key that signs; without it a key is made once and kept in KEYS, by default in your data directory. Whoever
# loses this key must give every user a new sextant.sources.
#
# FOLDER/sextant.sources has the address and the key, so that users need this file alone. Packages of earlier versions
# stay in FOLDER/pool until they are removed there.
set -euo pipefail
cd "$(dirname "$0")/.."
packages=$PWD/.build/packages
folder=${1:-.build/repository}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
keys=${KEYS:-${XDG_DATA_HOME:-$HOME/.local/share}/sextant/repository-key}

fail() { echo "make-repository: $*" >&2; exit 1; }
ls "$packages"/sextant_*.deb > /dev/null 2>&1 || fail "there is no package in $packages; run first: make deb"
case ${URL:=file:$folder} in
    https://* | http://* | file:*) ;;
    *) fail "URL is the address of the folder on the web server, such as https://example.org/apt, and not $URL" ;;
esac

# --- the key ---

if [ -z "${KEY:-}" ]; then
    export GNUPGHOME=$keys
    mkdir -p "$keys" && chmod 700 "$keys"
    if [ -z "$(gpg --batch --no-auto-check-trustdb --list-secret-keys 2> /dev/null)" ]; then
        gpg --batch --quiet --no-auto-check-trustdb --passphrase '' --quick-generate-key 'Sextant packages' ed25519 sign never
        echo "make-repository: made a key in $keys; keep a copy of this folder in a safe place"
    fi
    KEY=$(gpg --batch --no-auto-check-trustdb --with-colons --list-secret-keys | sed -n '/^fpr:/{s/^fpr:*//; s/:$//; p; q}')
fi
gpg --batch --no-auto-check-trustdb --list-secret-keys "$KEY" > /dev/null 2>&1 || fail "there is no secret key $KEY; gpg --list-secret-keys lists yours"

# --- packages and their lists ---

mkdir -p "$folder/pool"
cp --update --preserve=timestamps "$packages"/sextant*_*.deb "$folder/pool/"
cd "$folder"
for package in pool/*.deb; do dpkg-deb --field "$package" Architecture; done | sort -u > architectures
rm -rf dists.new
while read -r architecture; do
    lists=dists.new/stable/main/binary-$architecture
    mkdir -p "$lists/by-hash/SHA256"
    apt-ftparchive --arch "$architecture" packages pool > "$lists/Packages"
    gzip --no-name --best --keep "$lists/Packages"
    # apt fetches the lists by their checksums. Those of the previous release stay for clients that have its InRelease.
    previous=dists/stable/main/binary-$architecture
    for list in "$lists"/Packages* "$previous"/Packages*; do
        [ ! -e "$list" ] || cp "$list" "$lists/by-hash/SHA256/$(sha256sum < "$list" | cut -d ' ' -f 1)"
    done
done < architectures
release=(Origin=Sextant Label=Sextant Suite=stable Codename=stable Components=main Acquire-By-Hash=yes
    "Architectures=$(paste -s -d ' ' architectures)" 'Description=Location service for GNSS receivers')
options=()
for field in "${release[@]}"; do options+=(-o "APT::FTPArchive::Release::${field%%=*}=${field#*=}"); done
(cd dists.new/stable && apt-ftparchive "${options[@]}" release . > ../Release && mv ../Release .)
gpg --batch --yes --quiet --local-user "$KEY" --clearsign --output dists.new/stable/InRelease dists.new/stable/Release
gpg --batch --yes --quiet --local-user "$KEY" --armor --detach-sign --output dists.new/stable/Release.gpg dists.new/stable/Release

{
    printf 'Types: deb\nURIs: %s\nSuites: stable\nComponents: main\nSigned-By:\n' "$URL"
    # An empty line is a dot in this format.
    gpg --batch --armor --export "$KEY" | sed 's/^$/./; s/^/ /'
} > sextant.sources
# Files are replaced one by one, the signed list of them last.
mkdir -p dists/stable
cp --recursive dists.new/stable/main dists/stable/
for file in Release Release.gpg InRelease; do mv "dists.new/stable/$file" "dists/stable/$file"; done
find dists -path '*/by-hash/*' -type f | while read -r list; do
    [ -e "dists.new/${list#dists/}" ] || rm "$list"
done
rm -rf dists.new architectures

printf '%s: ' "$folder"
sed -n 's/^Architectures: //p' dists/stable/Release
for package in pool/*.deb; do echo "  ${package#pool/}"; done
cat << EOF
Users type, once the folder is at ${URL}:
  sudo curl -fsSLo /etc/apt/sources.list.d/sextant.sources $URL/sextant.sources
  sudo apt update && sudo apt install sextant
EOF
