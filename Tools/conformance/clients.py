"""Programs written for gpsd in Python: `clients.py NAME PORT` prints latitude, longitude and altitude as the program sees them."""
import asyncio
import sys
import time


def gpsd_py3(port):
    import gpsd
    gpsd.connect(host="127.0.0.1", port=port)
    for _ in range(30):
        packet = gpsd.get_current()
        if packet.mode >= 2:
            return packet.lat, packet.lon, packet.alt
        time.sleep(0.5)


def gpsd2(port):
    import gpsd2 as gpsd
    gpsd.connect(host="127.0.0.1", port=port)
    for _ in range(30):
        packet = gpsd.get_current()
        if packet.mode >= 2:
            return packet.lat, packet.lon, packet.alt
        time.sleep(0.5)


def gpsdclient(port):
    from gpsdclient import GPSDClient
    with GPSDClient(host="127.0.0.1", port=port, timeout=20) as client:
        for result in client.dict_stream(filter=["TPV"]):
            if result.get("mode", 0) >= 2:
                return result["lat"], result["lon"], result["alt"]


def gps3(port):
    from gps3 import gps3 as module
    stream, data = module.GPSDSocket(), module.DataStream()
    stream.connect(host="127.0.0.1", port=port)
    stream.watch()
    end = time.monotonic() + 20
    for new in stream:
        if new:
            data.unpack(new)
            if data.TPV["lat"] not in ("n/a", None):
                return data.TPV["lat"], data.TPV["lon"], data.TPV["alt"]
        if time.monotonic() > end:
            return None


def agps3(port):
    """What Home Assistant uses."""
    from gps3.agps3threaded import AGPS3mechanism
    mechanism = AGPS3mechanism()
    mechanism.stream_data(host="127.0.0.1", port=port)
    mechanism.run_thread(daemon=True)
    times, last = set(), None
    end = time.monotonic() + float(sys.argv[3])
    while time.monotonic() < end:
        stream = mechanism.data_stream
        if stream.time != "n/a":
            times.add(stream.time)
            if "n/a" in (stream.lat, stream.alt):
                raise SystemExit(f"n/a after a fix: {stream.lat} {stream.alt}")
            last = stream.lat, stream.lon, stream.alt
        time.sleep(0.1)
    print("times", len(times), file=sys.stderr)
    return last


def pygpsd(port):
    from pygpsd import GPSD
    client = GPSD(host="127.0.0.1", port=port)
    for _ in range(30):
        data = client.poll()
        if data.mode.value >= 2:
            return data.geo.position.latitude, data.geo.position.longitude, data.geo.position.altitude
        time.sleep(0.5)


def gpsd_client_async(port):
    import gpsd_client_async as module

    async def run():
        async with module.GpsdClient("127.0.0.1", port=port) as client:
            async for packet in client:
                if isinstance(packet, module.TpvMessage) and packet.lat is not None:
                    return packet.lat, packet.lon, packet.alt
    return asyncio.run(asyncio.wait_for(run(), 20))


def gps_module(port):
    """The module `gps` of gpsd itself."""
    import gps
    session = gps.gps(host="127.0.0.1", port=port, mode=gps.WATCH_ENABLE)
    for _ in range(60):
        session.next()
        if session.fix.mode >= 2:
            return session.fix.latitude, session.fix.longitude, session.fix.altitude


def aiogps(port):
    import gps.aiogps

    async def run():
        async with gps.aiogps.aiogps(connection_args={"host": "127.0.0.1", "port": port}) as session:
            async for message in session:
                if message.get("class") == "TPV" and message["mode"] >= 2:
                    return message["lat"], message["lon"], message["alt"]
    return asyncio.run(asyncio.wait_for(run(), 20))


if __name__ == "__main__":
    found = globals()[sys.argv[1]](int(sys.argv[2]))
    if not found:
        raise SystemExit("no position")
    print(*found)
