#!/usr/bin/python3
"""source.py NAME CONDITION: prints a motion source as JSON. Succeeds if the condition holds, a Python expression of its members."""
import json
import sys

from varlink import Client

sources = Client(timeout=60).call("Manager.GetMotionSources")["sources"]
source = next(({"problem": None, **source} for source in sources if source["name"] == sys.argv[1]), {"activity": "none"})
print(json.dumps(source))
sys.exit(not eval(sys.argv[2], {}, source))
