"""Calls every method of every interface at SOCKET as a program that may not know the full location (MODE "denied" or "reduced"), and proves
that no reply tells LATITUDE and LONGITUDE, where the receiver is. Between the calls and the later replies it waits for a writer of the pipe GATE. Every field of a reply must be known here: whoever
adds one decides whether it tells where the device is. A method without parameters in CALLS is called without any, with and without "more"."""
import json
import math
import re
import socket
import sys

path, mode, latitude, longitude, gate = sys.argv[1], sys.argv[2], float(sys.argv[3]), float(sys.argv[4]), sys.argv[5]

# Fields that tell, or help to tell, where the device is, whether it moves, or when it was where.
TELLING = set("""altitude azimuth burstAge carrierToNoise corrections course courseAccuracy datum departed departure arrival distance elevation ellipsoidalAltitude
bearing heading headingAccuracy magneticHeading measured measuredAccuracy station trueHeading variation variationSource verdict begins evaluated event fixes hdop horizontalAccuracy lastEpoch lastEvent latitude location longitude margin neighbours pdop pending points restingSince
satellites satellitesUsed says sentences silent speed speedAccuracy stationary timestamp vdop verticalAccuracy visit
departures distrustedUntil falseChecks lastReport rareChecks reports sources trust use
all beacons count pace rssi zone""".split())
# Fields that do not, or that a program wrote itself. Parameters need no entry: the daemon does not tell them.
HARMLESS = set("""accessory accuracy accuracyLimited accuracySource acknowledged activities activity added age allowsSleep alwaysAuthorizationDenied
application assisted assuming author authorization authorizationDenied authorizationDeniedGlobally authorizationRequestInProgress
authorizationRestricted baud bytes cause center checksumErrors chip chipset circle closed condition conditionLimit conditionLimitExceeded
conditions configuration connections consumers contradictedCourses contradictedSpeeds corridor counts date day days decidedBy default defaultAccuracy
desiredAccuracy detail diagnostics discovers distanceFilter driver dropped dwell enabled ending epochs estimates expiry features file firmware
folded freeBytes from fullAccuracyDenied geojson grants held holds holes id identifier identity inUse ineffective insufficientlyInUse interval isMorePending
isOpen isPrimary isTruncated isUnresponsive joules key kind known lastStart leases limit line locationUnavailable malformed maxConfiguration metadata
milliwatts missingChecksums mode module monitor monitors name network next number operation outliers overlong overruledBy owner passive path
period permission permissionDenied permissionsUnreadable persistenceUnavailable pid place polygon port positions problem process product
program protocolVersion purpose quality radius radiusTooSmall rate reason receiver receivers receiversWithFix record recorded recording records remedy
removed replaced request requireSession requirement ring rules saving scope search seconds sequence serialNumber serviceSessionRequired sessions share
signal significantChange simulated since sleepMethod socket source standby start starts state stateDirectory status strayBytes streams summary
switch system time to truncated uid unconfirmedPorts unit unknown unmonitored updates updatesDropped updatesSent uptime usageDescription usb used
uses vendor version visits wakeups wakeupsPerFix wakeupsPerMinute width withdrawn written
beacon conditionUnsupported major minor power uuid""".split())
# What a program with reduced accuracy may get besides, inside a location.
REDUCED = {"location", "latitude", "longitude", "horizontalAccuracy", "timestamp"}
# A count, which is 0 or does not follow the position.
COUNTS = {"pending", "points", "fixes", "sentences"}

# Its digits may be those of a coordinate.
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
FAR = {"latitude": -10.0, "longitude": 100.0}
CIRCLE = {"identifier": "x", "circle": {"center": FAR, "radius": 100.0}}
FEATURE = {"type": "Feature", "id": "y", "properties": {"radius": 100}, "geometry": {"type": "Point", "coordinates": [100.0, -10.0]}}
MONITOR = {"name": "home"}
# The methods in an order in which they can be called, with their parameters. The last element: called with "more".
CALLS = [
    ("Location.Subscribe", {}, False), ("Location.Subscribe", {"configuration": "automotiveNavigation", "application": "org.example.Boat"}, True),
    ("Location.GetLocation", {"maximumAge": 3600, "timeout": 0}, False), ("Location.GetLocation", {"maximumAge": 0, "timeout": 0.2}, False),
    ("Location.GetLocation", {"maximumAge": 0, "timeout": 2.2, "timesBurst": True}, False),
    ("Location.WatchVisits", {}, False), ("Location.WatchVisits", {}, True),
    ("Location.Visits", {"limit": 9}, False), ("Location.ForgetVisits", {}, False), ("Location.Track", {"limit": 9}, False),
    ("Location.WatchHeading", {}, False), ("Location.WatchHeading", {"headingFilter": 1.0}, True),
    ("Receiver.List", {}, False), ("Receiver.Watch", {}, False), ("Receiver.Watch", {}, True), ("Receiver.Watch", {"minimumInterval": 4.0}, True), ("Receiver.Feed", {"name": "x"}, False), ("Receiver.Sentences", {}, True),
    ("Receiver.WriteCorrections", {"frames": ["0wAA"], "source": "x"}, False),
    ("Manager.GetStatus", {}, False), ("Manager.GetPower", {}, False), ("Manager.GetConsumers", {}, False),
    ("Manager.Watch", {}, False), ("Manager.Watch", {"minimumInterval": 0.2}, True),
    ("Manager.GetMotionSources", {}, False), ("Manager.ReportMotion", {"source": "x"}, False),
    ("Manager.ForgetMotionSource", {"source": "x"}, False),
    ("Monitor.Add", MONITOR | {"conditions": [CIRCLE]}, False), ("Monitor.Import", MONITOR | {"geojson": FEATURE}, False),
    ("Monitor.Open", MONITOR, True), ("Monitor.List", MONITOR, False), ("Monitor.Export", MONITOR, False),
    ("Monitor.GetRecord", MONITOR | {"identifier": "x"}, False), ("Monitor.ListMonitors", {}, False), ("Monitor.Nearest", {}, False),
    ("Monitor.Watch", {}, True),
    ("Monitor.Acknowledge", MONITOR | {"events": [1]}, False), ("Monitor.Remove", MONITOR | {"identifiers": ["x"]}, False),
    ("Monitor.Delete", MONITOR, False),
    ("Session.Declare", {}, False), ("Session.Declare", {"requirement": "always"}, True), ("Session.KeepActive", {}, True), ("Session.EndGrace", {}, False),
    ("Session.GetAuthorization", {}, False), ("Session.WatchAuthorization", {}, True), ("Session.ActFor", {}, False),
    ("Permission.List", {}, False), ("Permission.Explain", {}, False),
    ("Permission.Set", {"program": "0", "authorization": "always"}, False), ("Permission.Remove", {"program": "0"}, False),
    ("Permission.SetEnabled", {"enabled": True}, False), ("Permission.GetUsage", {}, False), ("Permission.Forget", {}, False),
    ("Beacon.Range", {}, False), ("Beacon.Range", {}, True), ("Beacon.Scan", {}, True),
    ("Beacon.Report", {"sightings": [], "listened": 1.0}, False),
    ("Agent.Serve", {}, True), ("Agent.Answer", {"number": 1, "authorization": "always"}, False),
]
# What only an administrator may do.
FORBIDDEN = {"Permission.Set", "Permission.Remove", "Permission.SetEnabled", "Permission.Forget", "Receiver.Feed", "Receiver.WriteCorrections", "Manager.ReportMotion", "Manager.ForgetMotionSource", "Beacon.Scan", "Beacon.Report"}


class Client:
    def __init__(self):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(20)
        self.socket.connect(path)
        self.held = b""

    def send(self, method, parameters, more=False):
        request = {"method": method, "parameters": parameters} | ({"more": True} if more else {})
        self.socket.sendall(json.dumps(request).encode() + b"\0")
        return self.receive()

    def receive(self):
        while b"\0" not in self.held:
            read = self.socket.recv(65536)
            assert read, "the daemon has closed the connection"
            self.held += read
        message, self.held = self.held.split(b"\0", 1)
        return json.loads(message)


def metres(a, b):
    north, east = (a[0] - b[0]) * 111_200, (a[1] - b[1]) * 111_200 * math.cos(math.radians(a[0]))
    return math.hypot(north, east)


def walk(value, method, trail=()):
    """Fails if a reply tells more than the mode allows."""
    if isinstance(value, dict):
        if "latitude" in value and "longitude" in value and value != FAR:
            assert mode == "reduced", (method, trail, value)
            distance = metres((value["latitude"], value["longitude"]), (latitude, longitude))
            assert distance > 1000, f"{method} tells a place {distance:.0f} m from the device"
        for name, inner in value.items():
            own = bool({"center", "metadata", "geojson"} & set(trail))
            known = own or name in HARMLESS or name in COUNTS and isinstance(inner, int) or mode == "reduced" and name in REDUCED
            # An empty list tells nothing.
            assert known or inner in ([], None), f"{method} tells {name} ({inner}) to a program that is {mode}: {'.'.join(trail)}"
            # The distance above judges the coordinates of a reduced location: one of them may be near by chance.
            if mode == "reduced" and name in ("latitude", "longitude"):
                continue
            walk(inner, method, trail + (name,))
    elif isinstance(value, list):
        for inner in value:
            walk(inner, method, trail)
    elif isinstance(value, float):
        for secret in (latitude, longitude):
            assert abs(value - secret) > 0.001, f"{method} tells {value}: {'.'.join(trail)}"
    elif isinstance(value, str) and not TIME.fullmatch(value):
        for secret in (latitude, longitude):
            assert f"{secret:.3f}"[:-1] not in value, f"{method} tells {value}"


directory = Client()
methods, fields = set(), set()
for interface in directory.send("org.varlink.service.GetInfo", {})["parameters"]["interfaces"]:
    if interface.startswith("io.sextant."):
        text = directory.send("org.varlink.service.GetInterfaceDescription", {"interface": interface})["parameters"]["description"]
        text = re.sub(r"#.*", "", text)
        methods |= {f"{interface.removeprefix('io.sextant.')}.{name}" for name in re.findall(r"^method (\w+)", text, re.MULTILINE)}
        text = re.sub(r"^(method \w+)\s*\(.*?\)\s*->", r"\1 ->", text, flags=re.MULTILINE | re.DOTALL)
        fields |= set(re.findall(r"\b([a-zA-Z]\w*)\s*:", text))
called = {name for name, _, _ in CALLS}
assert called <= methods, f"no interface has {called - methods}"
CALLS += [(name, {}, more) for name in sorted(methods - called) for more in (False, True)]
assert not fields - TELLING - HARMLESS, f"decide whether these fields tell where the device is: {fields - TELLING - HARMLESS}"

kept = []
for name, parameters, more in CALLS:
    client = Client()
    answer = client.send("io.sextant." + name, parameters, more)
    if name in FORBIDDEN:
        assert answer.get("error") in ("io.sextant.Permission.NotAllowed", "io.sextant.Receiver.FeedNotAllowed", "io.sextant.Manager.MotionReportNotAllowed", "io.sextant.Beacon.NotAllowed"), (name, answer)
    elif name not in called:
        assert not answer.get("error", "").startswith("org.varlink.service."), f"CALLS needs parameters of {name}: {answer}"
    walk(answer.get("parameters", {}), name)
    if name == "Manager.GetStatus":
        # A count of 0 would be a wrong value, not an unknown one.
        told = {"updatesSent", "updatesDropped", "wakeups"} & set(answer["parameters"]["status"])
        assert not told, f"the status has {told} for a program that is {mode}"
    if name == "Monitor.Open":
        client.socket.close()
    elif answer.get("continues"):
        kept.append((name, client))
# What open streams get later, while the receiver sends epochs.
with open(gate, encoding="ascii") as pipe:
    pipe.read()
for name, client in kept:
    client.socket.settimeout(0.05)
    try:
        while True:
            walk(client.receive().get("parameters", {}), name)
    except (TimeoutError, socket.timeout):
        pass
print(len(methods), "methods,", len(fields), "fields,", mode)
