"""Calls every method of the daemon at SOCKET with the PyPI client `asyncvarlink`, which holds each call and reply against Python types.

The types are made from the interface descriptions as the parser of `varlink` reads them, so that both clients agree about them too.
"""
import asyncio
import inspect
import sys
import typing

import asyncvarlink
import asyncvarlink.serviceinterface as service
import varlink.scanner as scanner

path, receiver = sys.argv[1], sys.argv[2]


def annotation(interface, declared):
    if isinstance(declared, scanner._Maybe):
        return typing.Optional[annotation(interface, declared.element_type)]
    if isinstance(declared, scanner._Object):
        return dict[str, typing.Any]
    if isinstance(declared, scanner._Array):
        return list[annotation(interface, declared.element_type)]
    if isinstance(declared, scanner._CustomType):
        return annotation(interface, interface.members[declared.name].type)
    if isinstance(declared, scanner._Enum):
        return typing.Literal[tuple(declared.fields)]
    if isinstance(declared, scanner._Struct):
        return typing.TypedDict("Structure", {name: annotation(interface, field) for name, field in declared.fields.items()})
    return type(declared)


def method(interface, declared, more):
    if more:
        async def function(self, **parameters):
            yield
    else:
        async def function(self, **parameters):
            pass
    parameters = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)] + [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation(interface, field),
                          **({"default": None} if isinstance(field, scanner._Maybe) else {}))
        for name, field in declared.in_type.fields.items()]
    result = annotation(interface, declared.out_type)
    returned = typing.AsyncIterator[result] if more else result
    function.__name__ = declared.name
    function.__signature__ = inspect.Signature(parameters, return_annotation=returned)
    return asyncvarlink.varlinkmethod(allow_foreign=True)(function)


def python_class(interface, more):
    methods = [member for member in interface.members.values() if isinstance(member, scanner._Method)]
    return type("Foreign", (asyncvarlink.VarlinkInterface,), {one.name: method(interface, one, one.name in more) for one in methods},
                name=interface.name)


async def connect():
    return await asyncvarlink.connect_unix_varlink(asyncvarlink.VarlinkClientProtocol, path)


async def error(call):
    try:
        reply = await call
    except asyncvarlink.VarlinkErrorReply as failure:
        return failure.name, failure.paramstojson()
    raise AssertionError(f"no error but {reply}")


async def main():
    _, protocol = await connect()
    offered = protocol.make_proxy(service.VarlinkServiceInterface)
    info = await offered.GetInfo()
    assert info["product"] == "sextantd", info
    parsed = {}
    for name in info["interfaces"]:
        parsed[name] = scanner.Interface((await offered.GetInterfaceDescription(interface=name))["description"])
    assert (await error(offered.GetInterfaceDescription(interface="a.b")))[0] == "org.varlink.service.InterfaceNotFound"

    single = {name: protocol.make_proxy(python_class(interface, set())) for name, interface in parsed.items()}
    location, receivers, manager, monitor = (
        single[f"io.sextant.{name}"] for name in ("Location", "Receiver", "Manager", "Monitor"))
    # Sent ahead on one connection, answered in order.
    update, listed, status = await asyncio.gather(location.Subscribe(), receivers.List(), manager.GetStatus())
    assert update["sequence"] == 1 and listed["receivers"][0]["name"] == receiver and status["status"]["socket"] == path
    position = await location.GetLocation(maximumAge=0.0, receiver=receiver)
    assert position["location"]["receiver"] == receiver and position["age"] == 0, position
    assert (await receivers.Watch(receiver=receiver))["receivers"][0]["port"].endswith(receiver)
    assert (await manager.GetPower(days=1))["start"]["wakeups"] > 0 and len((await manager.GetConsumers())["activities"]) == 1
    assert not (await location.WatchVisits()).get("visit")
    state = await location.WatchHeading(headingFilter=5.0)
    assert bool(state.get("heading")) != bool(state.get("detail")), state
    assert await error(location.GetLocation(timeout=-1.0)) == ("org.varlink.service.InvalidParameter", {"parameter": "timeout"})
    assert await error(receivers.Watch(receiver="nobody")) == ("io.sextant.Receiver.NoSuchReceiver", {"receiver": "nobody", "known": [receiver]})

    streams = {"io.sextant.Location": ("Subscribe", {"configuration": "airborne"}), "io.sextant.Receiver": ("Watch", {})}
    for name, (member, parameters) in streams.items():
        transport, protocol = await connect()
        proxy = protocol.make_proxy(python_class(parsed[name], {member}))
        count = 0
        async for reply in getattr(proxy, member)(**parameters):
            count += 1
            if count == 3:
                break
        assert "location" in reply or reply["receivers"][0]["state"] == "hasFix", reply
        transport.close()

    circle = {"identifier": "gate", "circle": {"center": {"latitude": -10.0, "longitude": 179.5}, "radius": 80.0}}
    assert (await monitor.Add(name="work", conditions=[circle]))["added"] == 1
    transport, protocol = await connect()
    events = protocol.make_proxy(python_class(parsed["io.sextant.Monitor"], {"Open"})).Open(name="work")
    assert (await anext(events))["monitor"]["name"] == "work"
    event = (await anext(events))["event"]
    assert (event["identifier"], event["kind"]) == ("gate", "determined"), event
    assert (await monitor.Acknowledge(name="work", events=[event["id"]]))["acknowledged"] == 1
    assert (await monitor.List(name="work"))["records"][0]["condition"]["identifier"] == "gate"
    assert (await monitor.GetRecord(name="work", identifier="gate"))["record"]["state"] == "unsatisfied"
    assert len((await monitor.Nearest())["neighbours"]) == 1
    geojson = (await monitor.Export(name="work"))["geojson"]
    assert (await monitor.Import(name="other", geojson=geojson))["added"] == 1
    assert (await monitor.Remove(name="other", identifiers=["gate"]))["removed"] == 1
    await monitor.Delete(name="other")
    assert len((await monitor.ListMonitors())["monitors"]) == 1
    transport.close()
    print("every method called")


asyncio.run(asyncio.wait_for(main(), 20))
