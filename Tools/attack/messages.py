"""The messages of clients to the daemon, and the sentences of a receiver."""
import json
import math
import socket


def message(method, more=False, **parameters):
    """A call as bytes. `method` lacks its prefix unless it is one of the protocol."""
    name = method if method.startswith("org.") else "io.sextant." + method
    request = {"method": name, "parameters": parameters}
    return json.dumps(request | ({"more": True} if more else {})).encode() + b"\0"


def circle(name, latitude=48.0, longitude=11.0, radius=200.0):
    return {"identifier": name, "circle": {"center": {"latitude": latitude, "longitude": longitude}, "radius": radius}}


def ring(points):
    return [{"latitude": round(48 + math.cos(2 * math.pi * number / points), 6),
             "longitude": round(11 + math.sin(2 * math.pi * number / points), 6)} for number in range(points)]


def polygon(name, points=1000):
    """A polygon with as many points as a message can hold."""
    return {"identifier": name, "polygon": {"ring": ring(points)}}


def feature(name, points=1000):
    """The same polygon as GeoJSON."""
    places = [[place["longitude"], place["latitude"]] for place in ring(points)]
    return {"type": "Feature", "id": name, "properties": {},
            "geometry": {"type": "Polygon", "coordinates": [places + places[:1]]}}


def connect(path):
    client = socket.socket(socket.AF_UNIX)
    # With a timeout Python would not wait for space in the queue of the listening socket.
    client.connect(path)
    client.settimeout(60)
    return client


def reply(client):
    held = b""
    while not held.endswith(b"\0"):
        part = client.recv(1 << 20)
        if not part:
            raise ConnectionError("the daemon has closed the connection")
        held += part
    return held[:-1]


def call(client, request):
    client.sendall(request)
    return json.loads(reply(client))


def epoch(milliseconds, minutes):
    """The sentences of a receiver at this time of day, and at a latitude of 48 degrees and these minutes."""
    hours, rest = divmod(milliseconds % 86_400_000, 3_600_000)
    stamp = f"{hours:02}{rest // 60_000:02}{rest % 60_000 / 1000:05.2f}"
    place = f"48{minutes:08.5f},N,01100.00000,E"
    text = b""
    for body in (f"GPGGA,{stamp},{place},1,09,0.9,8.1,M,45.9,M,,", f"GPRMC,{stamp},A,{place},021.4,000.0,140326,,,A"):
        total = 0
        for byte in body.encode():
            total ^= byte
        text += f"${body}*{total:02X}\r\n".encode()
    return text


def milliseconds_of_day(timestamp):
    """The time of day of `2026-03-14THH:MM:SS.mmmZ`."""
    hours, minutes, seconds = timestamp[11:-1].split(":")
    return int(hours) * 3_600_000 + int(minutes) * 60_000 + round(float(seconds) * 1000)
