#!/usr/bin/python3
"""sample.py: memory (KiB), descriptors and restarts of the service as one JSON object."""
import json
import os
import subprocess

shown = subprocess.run(["systemctl", "show", "sextantd", "-pMainPID", "-pNRestarts"], capture_output=True, text=True).stdout
values = dict(line.split("=", 1) for line in shown.splitlines())
process = values["MainPID"]
with open(f"/proc/{process}/smaps_rollup", encoding="ascii") as file:
    fields = {line.split()[0]: int(line.split()[1]) for line in file if line.split()[0].endswith(":")}
targets = []
for descriptor in os.listdir(f"/proc/{process}/fd"):
    try:
        targets.append(os.readlink(f"/proc/{process}/fd/{descriptor}").rstrip("0123456789[]"))
    except FileNotFoundError:
        pass
print(json.dumps({"process": int(process), "restarts": int(values["NRestarts"]), "resident": fields["Rss:"],
                  "private": fields["Private_Dirty:"],
                  "descriptors": sorted(targets)}))
