#!/usr/bin/env python3
"""Packs Natural Earth's coasts (public domain) for the map of the page, from Debian's r-cran-rnaturalearthdata.

    Tools/coast/pack.py [FILE]     # writes coast.bin, 1:50 million; needs PyPI's rdata

The file is a sequence of unsigned LEB128 numbers: for each ring its number of points, then for each point the differences
from the point before in longitude and latitude, in hundredths of a degree, zigzag coded. The difference in longitude is the
shorter way around the Earth, so that no ring is cut at the antimeridian. Rings are closed: the first point is not repeated.
The smaller of the two areas that a ring bounds is on its left.
"""
import lzma
import math
import pathlib
import sys
import warnings
import zlib

import rdata

DATA = pathlib.Path("/usr/lib/R/site-library/rnaturalearthdata/data/Rdata")
PAGE = pathlib.Path(__file__).resolve().parents[2] / "Sources/Programs/sextant-web/Page"
STEP = 0.01
TURN = round(360 / STEP)


def lines(name):
    """The lines of a data set of the package: lists of (longitude, latitude)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        index = rdata.conversion.convert(rdata.parser.parse_file(DATA.with_suffix(".rdx")))
        start, length = index["variables"][name]
        block = DATA.with_suffix(".rdb").read_bytes()[start:start + length]
        # A block of R's lazy loading: the length in 4 bytes, the letter of the compression, here xz without its header.
        filters = [{"id": lzma.FILTER_LZMA2, "preset": 6}]
        root = rdata.parser.parse_data(lzma.decompress(block[5:], format=lzma.FORMAT_RAW, filters=filters)).object
    yield from lines_below(root)


def lines_below(item):
    """The matrices of two columns and more than two rows (a box has two) below an object of R."""
    if item is None or item.info.type == rdata.parser.RObjectType.NILVALUE:
        return
    if item.info.type == rdata.parser.RObjectType.REAL and item.attributes is not None and len(item.value) > 4:
        rows = len(item.value) // 2
        yield list(zip(item.value[:rows], item.value[rows:]))
        return
    parts = [item.attributes]
    if item.info.type in (rdata.parser.RObjectType.LIST, rdata.parser.RObjectType.VEC):
        parts += item.value
    for part in parts:
        yield from lines_below(part)


def shorter(difference):
    return (difference + TURN // 2) % TURN - TURN // 2


def whole(line):
    """The points in steps, without those that the step makes equal."""
    points = []
    for longitude, latitude in line:
        point = (round(longitude / STEP), round(latitude / STEP))
        if not points or shorter(point[0] - points[-1][0]) or point[1] != points[-1][1]:
            points.append(point)
    return points


def key(point):
    return (point[0] % TURN, point[1])


def rings(parts):
    """Joins lines that end where others begin: a coast is cut at the antimeridian."""
    open_parts, closed = [], []
    for part in parts:
        (closed if len(part) > 3 and key(part[0]) == key(part[-1]) else open_parts).append(part)
    while open_parts:
        ring = open_parts.pop()
        while key(ring[0]) != key(ring[-1]):
            following = next((part for part in open_parts if key(ring[-1]) in (key(part[0]), key(part[-1]))), None)
            if following is None:
                break
            open_parts.remove(following)
            ring = ring + (following if key(following[0]) == key(ring[-1]) else following[::-1])[1:]
        closed.append(ring)
    return [ring[:-1] if key(ring[0]) == key(ring[-1]) else ring for ring in closed if len(ring) > 3]


def left_is_smaller(ring):
    """The ring in the direction in which the smaller of the two areas that it bounds is on the left."""
    area = 0.0
    for (longitude, latitude), (next_longitude, next_latitude) in zip(ring, ring[1:] + ring[:1]):
        sines = math.sin(math.radians(latitude * STEP)) + math.sin(math.radians(next_latitude * STEP))
        area += math.radians(shorter(next_longitude - longitude) * STEP) * (2 + sines) / 2
    # `area` is that on the right, towards the south pole, of a sphere of radius 1.
    return ring if -area % (4 * math.pi) < 2 * math.pi else ring[::-1]


def number(value):
    data = bytearray()
    while value > 127:
        data.append(value & 127 | 128)
        value >>= 7
    data.append(value)
    return data


def packed(all_rings):
    data = bytearray()
    for ring in all_rings:
        data += number(len(ring))
        longitude = latitude = 0
        for point in ring:
            for difference in (shorter(point[0] - longitude), point[1] - latitude):
                data += number(difference * 2 if difference >= 0 else -difference * 2 - 1)
            longitude, latitude = point
    return data


def main():
    result = [left_is_smaller(ring) for ring in rings([whole(line) for line in lines("coastline50")])]
    data = packed(result)
    path = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else PAGE / "coast.bin"
    path.write_bytes(data)
    print(f"{path}: {len(result)} rings, {sum(map(len, result))} points, {len(data)} bytes, {len(zlib.compress(bytes(data), 9))} compressed")


if __name__ == "__main__":
    main()
