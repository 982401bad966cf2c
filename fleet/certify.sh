#!/bin/sh
# certify.sh FOLDER TARGET NAME ALTERNATIVE DAYS: makes the key and the certificate of NAME in the folder TARGET. ALTERNATIVE
# is a name of a server as in openssl's subjectAltName, or empty.
set -eu
folder=$1 target=$2 name=$3 alternative=$4 days=$5
umask 077
mkdir -p "$target"
openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$name" -keyout "$target/key.pem" \
    -out "$target/request.pem" 2>/dev/null
printf 'basicConstraints=CA:FALSE\n' >"$target/extensions"
if [ -n "$alternative" ]; then
    printf 'subjectAltName=%s\nextendedKeyUsage=serverAuth\n' "$alternative" >>"$target/extensions"
else
    printf 'extendedKeyUsage=clientAuth\n' >>"$target/extensions"
fi
openssl x509 -req -in "$target/request.pem" -CA "$folder/ca.pem" -CAkey "$folder/authority.key" -CAcreateserial \
    -days "$days" -extfile "$target/extensions" -out "$target/cert.pem" 2>/dev/null
cp "$folder/ca.pem" "$target/ca.pem"
rm "$target/request.pem" "$target/extensions"
