#!/usr/bin/env bash
# fetch-data.sh FOLDER: fetches the data that `make places` compares with into FOLDER/data, unless it is there.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=$1
if [ "$folder/data" -nt Tools/places/fetch.py ]; then exit; fi
if packaging/make-venv.sh "$folder/venv" Tools/places/requirements.txt && "$folder/venv/bin/python" Tools/places/fetch.py "$folder/data"; then
    touch "$folder/data"
else
    echo 'make places: SKIPPED, because the data to compare with cannot be fetched' >&2
fi
