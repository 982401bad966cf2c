#!/usr/bin/env bash
# make-venv.sh FOLDER REQUIREMENTS: makes a Python environment with the packages in the file REQUIREMENTS, and FOLDER/ready. Does
# nothing if that is newer than the file.
set -euo pipefail
[ ! "$1/ready" -nt "$2" ] || exit 0
rm -rf "$1"
python3 -m venv "$1"
"$1/bin/python" -m pip install --quiet --disable-pip-version-check -r "$2"
touch "$1/ready"
