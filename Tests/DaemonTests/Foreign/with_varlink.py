"""Calls every method of the daemon at SOCKET with the PyPI client `varlink`, which parses the interface descriptions itself."""
import sys

import varlink

path, receiver = sys.argv[1], sys.argv[2]


def error(call, *arguments, **parameters):
    try:
        reply = call(*arguments, **parameters)
    except varlink.VarlinkError as failure:
        return failure.error(), failure.parameters() or {}
    raise AssertionError(f"no error but {reply}")


client = varlink.Client(address=f"unix:{path}")
called = set()
with client.open("org.varlink.service") as service:
    info = service.GetInfo()
    assert (info["vendor"], info["product"]) == ("Sextant", "sextantd"), info
    assert "org.varlink.service" in info["interfaces"] and len(info["interfaces"]) > 7, info
    parsed = {}
    for name in info["interfaces"]:
        parsed[name] = varlink.Interface(service.GetInterfaceDescription(name)["description"])
        assert parsed[name].name == name
    assert error(service.GetInterfaceDescription, "io.sextant.Nothing") == (
        "org.varlink.service.InterfaceNotFound", {"interface": "io.sextant.Nothing"})
    called |= {"org.varlink.service.GetInfo", "org.varlink.service.GetInterfaceDescription"}

with client.open("io.sextant.Location") as location:
    first = None
    for count, update in enumerate(location.Subscribe("automotiveNavigation", None, _more=True), 1):
        assert update["sequence"] == count + update["dropped"], update
        if update.get("location"):
            first = first or update["location"]["timestamp"]
            if update["location"]["timestamp"] > first:
                break
    assert update["location"]["receiver"] == receiver
called.add("io.sextant.Location.Subscribe")

with client.open("io.sextant.Location") as location:
    assert location.Subscribe("default", receiver)["sequence"] == 1
    position = location.GetLocation(0, 10, receiver)
    assert 51 < position["location"]["latitude"] < 53 and position["age"] == 0, position
    assert error(location.GetLocation, 1, 10, "nobody") == ("io.sextant.Location.NoSuchReceiver", {"receiver": "nobody", "known": [receiver]})
    assert error(location.GetLocation, 1, 1000, None) == ("org.varlink.service.InvalidParameter", {"parameter": "timeout"})
    called.add("io.sextant.Location.GetLocation")
    assert not location.WatchVisits().get("visit")
    called.add("io.sextant.Location.WatchVisits")
with client.open("io.sextant.Location") as location, client.open("io.sextant.Location") as watching:
    assert not next(watching.WatchVisits(_more=True)).get("visit")
    assert location.Visits(None, None, None, 5)["visits"] == []
    assert error(location.Visits, "yesterday", None, None, None) == ("org.varlink.service.InvalidParameter", {"parameter": "since"})
    assert location.ForgetVisits(None) == {"visits": 0}
    called |= {f"io.sextant.Location.{name}" for name in ("Visits", "ForgetVisits")}

with client.open("io.sextant.Location") as location, client.open("io.sextant.Location") as watching:
    # The drive has a course, which is the heading without a compass.
    state = location.WatchHeading(None, None)
    heading = next(watching.WatchHeading(5.0, True, _more=True)).get("heading") or state.get("heading")
    assert not heading or heading["source"] == "course" and heading["receiver"] == receiver, heading
    assert error(location.WatchHeading, 181.0, None) == ("org.varlink.service.InvalidParameter", {"parameter": "headingFilter"})
    called.add("io.sextant.Location.WatchHeading")

with client.open("io.sextant.Receiver") as receivers:
    listed = receivers.List()["receivers"]
    assert [one["name"] for one in listed] == [receiver] and listed[0]["state"] == "hasFix", listed
    assert listed[0]["counts"]["sentences"] > 0
    assert error(receivers.Watch, "nobody")[0] == "io.sextant.Receiver.NoSuchReceiver"
    watched = receivers.Watch(receiver, _more=True)
    assert next(watched)["receivers"][0]["name"] == receiver
    bytes_then = listed[0]["counts"]["bytes"]
    while next(watched)["receivers"][0]["counts"]["bytes"] <= bytes_then:
        pass
    called |= {"io.sextant.Receiver.List", "io.sextant.Receiver.Watch"}

with client.open("io.sextant.Receiver") as receivers:
    # An upgrade leaves the protocol that this client speaks.
    assert error(receivers.Feed, "phone", None)[0] == "io.sextant.Receiver.UpgradeRequired"
    reply = receivers.WriteCorrections(["0wAAR+pL"], "a test", receiver)
    assert reply["receiver"] == receiver and reply["written"] in (True, False), reply
    reply = next(receivers.Sentences(receiver, ["RMC"], _more=True))
    assert reply["receiver"] == receiver and reply["sentences"][0][3:6] == "RMC", reply
    called |= {"io.sextant.Receiver.Feed", "io.sextant.Receiver.Sentences", "io.sextant.Receiver.WriteCorrections"}

with client.open("io.sextant.Manager") as manager:
    status = manager.GetStatus()["status"]
    assert status["socket"] == path and status["receiversWithFix"] == 1, status
    manager.GetStatus(_oneway=True)
    assert manager.GetStatus()["status"]["pid"] == status["pid"]
    power = manager.GetPower(1, None)
    assert power["start"]["operation"] > 0 and power["days"][0]["consumers"], power
    assert error(manager.GetPower, 61, None) == ("org.varlink.service.InvalidParameter", {"parameter": "days"})
    who = manager.GetConsumers()
    assert [one["receiver"] for one in who["activities"]] == [receiver], who
    assert error(manager.ReportMotion, "a b") == ("org.varlink.service.InvalidParameter", {"parameter": "source"})
    manager.ReportMotion("ignition")
    sources = manager.GetMotionSources()["sources"]
    assert [(one["name"], one["reports"]) for one in sources] == [("ignition", 1)], sources
    manager.ForgetMotionSource("ignition")
    called |= {f"io.sextant.Manager.{name}" for name in (
        "GetStatus", "GetPower", "GetConsumers", "GetMotionSources", "ReportMotion", "ForgetMotionSource")}

CIRCLE = {"identifier": "door", "circle": {"center": {"latitude": 10.0, "longitude": 20.0}, "radius": 150.0}}
with client.open("io.sextant.Monitor") as monitor, client.open("io.sextant.Monitor") as held:
    assert monitor.Add("home", [CIRCLE], None) == {"added": 1, "replaced": 0, "unmonitored": []}
    opened = held.Open("home", None, _more=True)
    assert next(opened)["monitor"]["conditions"] == 1
    event = next(opened)["event"]
    assert (event["identifier"], event["kind"], event["state"]) == ("door", "determined", "unsatisfied"), event
    name, parameters = error(lambda: list(monitor.Open("home", None, _more=True)))
    assert (name, parameters["name"]) == ("io.sextant.Monitor.MonitorInUse", "home"), (name, parameters)
    assert monitor.Acknowledge("home", [event["id"]], None)["acknowledged"] == 1
    assert monitor.GetRecord("home", "door", None)["record"]["lastEvent"]["id"] == event["id"]
    assert monitor.List("home", None, None, None)["records"][0]["state"] == "unsatisfied"
    assert monitor.Nearest("home", 1, None)["neighbours"][0]["monitor"] == "home"
    geojson = monitor.Export("home", None, None, None)["geojson"]
    assert geojson["features"][0]["geometry"] == {"type": "Point", "coordinates": [20, 10]}, geojson
    assert monitor.Import("away", geojson, None)["added"] == 1
    assert monitor.Remove("away", ["door"], None)["removed"] == 1
    monitor.Delete("away", None)
    assert [one["name"] for one in monitor.ListMonitors()["monitors"]] == ["home"]
    called |= {f"io.sextant.Monitor.{name}" for name in (
        "Open Add Remove List GetRecord Acknowledge Import Export ListMonitors Delete Nearest").split()}

with client.open("io.sextant.Session") as session, client.open("io.sextant.Session") as held:
    permission = session.GetAuthorization()["permission"]
    assert (permission["authorization"], permission["accuracy"]) == ("always", "full") and not permission.get("detail"), permission
    assert session.Declare("whenInUse", "navigation") == {"diagnostics": {}}
    assert next(held.KeepActive(_more=True)) == {"held": True}
    assert session.EndGrace() == {}
    assert error(session.ActFor)[0] == "io.sextant.Session.UnknownClient"
    called |= {f"io.sextant.Session.{name}" for name in ("GetAuthorization", "Declare", "KeepActive", "EndGrace", "ActFor")}

with client.open("io.sextant.Permission") as permissions, client.open("io.sextant.Session") as watching:
    changes = watching.WatchAuthorization(_more=True)
    assert next(changes)["permission"] == permission
    assert not permissions.Set(permission["program"], "denied", None).get("overruledBy")
    assert next(changes)["permission"]["authorization"] == "denied"
    assert [grant["program"] for grant in permissions.List()["grants"]] == [permission["program"]]
    assert "sextant grant" in permissions.Explain(None)["detail"]
    assert permissions.Remove(permission["program"]) == {"removed": True}
    permissions.SetEnabled(True)
    assert error(permissions.Explain, "+1")[0] == "io.sextant.Permission.InvalidProgram"
    usage = permissions.GetUsage(None, None, 1)
    assert len(usage["records"]) == 1 and usage["records"][0]["program"] == permission["program"], usage
    assert permissions.GetUsage(permission["program"], usage["next"], None)["records"], usage
    assert error(permissions.GetUsage, None, "x", None) == ("org.varlink.service.InvalidParameter", {"parameter": "after"})
    assert permissions.Forget()["uses"] >= 2
    called |= {"io.sextant.Session.WatchAuthorization"} | {f"io.sextant.Permission.{name}" for name in "Set Remove List Explain SetEnabled GetUsage Forget".split()}

with client.open("io.sextant.Agent") as agent, client.open("io.sextant.Agent") as serving:
    assert next(serving.Serve(_more=True)) == {}
    assert error(agent.Answer, 1, "always", None, None) == ("io.sextant.Agent.NoSuchRequest", {"number": 1})
    called |= {"io.sextant.Agent.Serve", "io.sextant.Agent.Answer"}

with client.open("io.sextant.Monitor") as watching:
    watched = next(watching.Watch(name="none", program=None, application=None, _more=True))
    assert watched["name"] == "none" and not watched.get("monitor"), watched
    called.add("io.sextant.Monitor.Watch")

with client.open("io.sextant.Beacon") as beacons:
    for call in (lambda: beacons.Report(sightings=[], problem=None, listened=1.0), lambda: next(beacons.Scan(_more=True))):
        try:
            call()
        except varlink.VarlinkError as failure:
            assert failure.error() == "io.sextant.Beacon.NotAllowed", failure
    called |= {"io.sextant.Beacon.Report", "io.sextant.Beacon.Scan"}

with client.open("io.sextant.Beacon") as beacons:
    assert next(beacons.Range(None, _more=True))["beacons"] == []
    called.add("io.sextant.Beacon.Range")

every = {f"{name}.{member}" for name, interface in parsed.items() for member in interface.members
         if type(interface.members[member]).__name__ == "_Method"}
assert called <= every, f"not declared: {called - every}"
# Those without a test above are served at least: an error is one of their interface.
for full in sorted(every - called):
    interface, member = full.rsplit(".", 1)
    with client.open(interface) as others:
        try:
            getattr(others, member)()
        except varlink.VarlinkError as failure:
            assert not failure.error().startswith("org.varlink.service."), (full, failure)
called = every
print(f"{len(called)} methods called")
