"""gps_module.py PORT COUNT: watches with python3-gps, as xgps and gpsprof do, and prints the position of each TPV."""
import sys

import gps

session = gps.gps(host="localhost", port=sys.argv[1])
session.stream(gps.WATCH_ENABLE)
count = 0
for report in session:
    if report["class"] == "TPV" and report.mode == 3:
        print(f"{report.time} {report.lat:.6f} {report.lon:.6f} {report.alt} {report.eph}", flush=True)
        count += 1
        if count == int(sys.argv[2]):
            break
