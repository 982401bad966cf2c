"""Generates the seeds of the fuzzer from captures and interfaces: small inputs of one or a few bursts."""
import functools
import hashlib
import json
import operator
import os
import re
import shutil
import zlib

SENTENCE = re.compile(rb"[$!]([^$!*\r\n]{3,200})(?:\*([0-9A-Fa-f]{2}))?\r?\n")
TIMED = re.compile(rb"..(?:GGA|RMC|GNS),(\d{6})|..GLL,[^,]*,[^,]*,[^,]*,[^,]*,(\d{6})|PUBX,00,(\d{6})")
CORE = re.compile(rb"..(?:GGA|RMC|GNS|GLL),|PUBX,00,")
HEADINGS = [
    b"GPHDT,218.83,T", b"GNTHS,244.28,A", b"INHDG,180,5,W,10,W", b"HCHDM,093.8,M", b"SDVHW,236.6,T,235.2,M,6.2,N,11.6,K",
    b"GPHPR,070901.00,090.10,000.20,000.00,4,14,1.00,0004", b"PSAT,HPR,235410.50,89.58,3.35,,N",
    b"PTNL,AVR,181059.6,+149.4688,Yaw,+0.0134,Tilt,,,60.191,3,2.5,6", b"PSTI,036,003832.000,290322,244.28,2.77,0.00,R",
    b"PQTMTAR,1,124907.000,6,,1.729,-1.316205,-0.713165,84.344437,0.146003,0.296450,0.045169,00",
    b"PASHR,204132.000,010.51,T,+00.39,-00.79,-00.84,0.151,0.075,0.555,1,0"]
# For EpochsTarget: a pause of 32 x 32 milliseconds; a pause that ends no epoch; closing and opening the port.
SECOND, SHORT_PAUSE, REOPENED = b"\xa0", b"\x85", b"\xff"


def make(folder, captures, repository):
    """Replaces the folder with a folder of seeds for each target."""
    shutil.rmtree(folder, ignore_errors=True)
    texts = [open(path, "rb").read() for path in captures]
    for target, seeds in (("framer", framer(texts)), ("sentences", sentences(texts)), ("epochs", epochs(texts)),
                          ("requests", requests()),
                          ("varlink", varlink(repository)), ("caster", caster()), ("inlet", framer(texts)),
                          ("query", queries()), ("places", places()), ("recognizer", recognizer(texts)), ("beacons", beacons())):
        os.makedirs(f"{folder}/{target}")
        for seed in seeds:
            with open(f"{folder}/{target}/{hashlib.sha1(seed).hexdigest()}", "wb") as file:
                file.write(seed)


def beacons():
    """Advertisements of the three formats: the length and the format, then the data."""
    identity = bytes(range(16))
    yield bytes([23, 0, 0x02, 0x15]) + identity + bytes([0, 1, 0, 2, 0xc5])
    yield bytes([24, 1, 0xbe, 0xac]) + identity + bytes([0, 1, 0, 2, 0xc5, 0])
    yield bytes([18, 2, 0x00, 0xee]) + identity


def bodies(text):
    return [match[1] for match in SENTENCE.finditer(text)]


def bursts(text):
    """Lists of bodies; each has the sentences of one time."""
    found, time = [[]], None
    for body in bodies(text):
        match = TIMED.match(body)
        stated = match and next((group for group in match.groups() if group), None)
        if stated and stated != time:
            found.append([])
            time = stated
        found[-1].append(body)
    return [burst for burst in found if burst]


def line(body):
    return b"$%s*%02X\r\n" % (body, functools.reduce(operator.xor, body, 0))


def crc_line(start, body):
    """A line with the CRC of Unicore: that of zlib, without its two inversions."""
    return b"%s%s*%08x\r\n" % (start, body, zlib.crc32(body, 0xffffffff) ^ 0xffffffff)


def framer(texts):
    """Raw bytes from the beginning and middle of each capture, with damaged and binary data, and rare sentences."""
    for text in texts:
        middle = len(text) // 2
        yield text[:300]
        yield text[middle:middle + 500]
        for match in re.finditer(rb"[^\x09-\x7e]", text):
            yield text[max(0, match.start() - 100):match.start() + 200]
            break
    bare = [b"$GPGGA,092725.00,4717.11399,N,00833.91590,E,1,08,1.01,499.6,M,48.0,M,,\r\n"] * 5
    yield b"".join(bare)
    yield b"".join(bare) + line(b"GPGSV,1,1,00") + bare[0]
    yield crc_line(b"#", b"UNIHEADINGA,92,GPS,FINE,2432,388818000,0,0,18,20;SOL_COMPUTED,NARROW_INT,1.2020,123.4560,-1.3400,0.0000")
    yield b"#" + line(b"GPGSV,1,1,00") + crc_line(b"$", b"KSXT,20260820120000.00,-0.1,45.6,98.7,123.45") + b"##U"
    yield b"$" + b"x" * 1023 + line(b"GPGSV,1,1,00")
    yield b"$" + b"x" * 1030 + b"*00" + line(b"GPGSV,1,1,00")


def sentences(texts):
    """A few bodies of each shape; a shape is the set of empty fields and the lengths of the others."""
    shapes = {}
    for text in texts:
        for body in bodies(text):
            head, *fields = body.split(b",")
            shapes.setdefault((head, tuple(min(len(field), 6) for field in fields)), body)
    chosen, seen = [], {}
    for (head, _), body in shapes.items():
        seen[head] = seen.get(head, 0) + 1
        if seen[head] <= 6:
            chosen.append(body)
    yield from chosen
    # Few captures have headings.
    yield from HEADINGS
    yield b"\n".join(HEADINGS[:6])
    for start in range(0, len(chosen), 4):
        yield b"\n".join(chosen[start:start + 4])


def epochs(texts):
    """Two bursts as recorded, and eight with only the sentences that make epochs, so that their last sentence is learned."""
    for text in texts:
        found = bursts(text)
        for start in {0, len(found) // 2}:
            yield b"\n".join(SECOND + b"\n".join(burst) for burst in found[start:start + 2])[:800]
            lean = [[body for body in burst if CORE.match(body)] for burst in found[start:start + 8]]
            yield b"\n".join(SECOND + b"\n".join(burst) for burst in lean if burst)[:800]
            for mark in (SHORT_PAUSE, REOPENED):
                yield b"\n".join(mark + b"\n".join(burst) for burst in lean[:3] if burst)[:800]
        headed = [burst + [HEADINGS[index % len(HEADINGS)]] for index, burst in enumerate(found[:6])]
        yield b"\n".join(SECOND + b"\n".join(burst) for burst in headed)[:800]


def requests():
    """What clients of gpsd send."""
    yield b'?WATCH={"enable":true,"json":true};\n'
    yield b'?WATCH={"enable":true,"nmea":true,"raw":true}'
    yield b'?WATCH={"raw":2,"pps":true}\r\n'
    yield b'?WATCH={"class":"WATCH","enable":true,"json":true,"device":"/dev/a{;}\\"b","scaled":true,"timing":true};?POLL;'
    yield b'?VERSION;?DEVICES;\r\n?POLL;?DEVICE={"path":"/dev/a","bps":4800};'
    yield b'GET / HTTP/1.1\r\n\r\n'
    yield b'?WATCH={"enable":tr?POLL?FOO;'


def caster():
    """Answers of casters. The frame is the example of RTCM 10403 for message 1005."""
    frame = bytes.fromhex("d300133ed7d30202980edeef34b4bd62ac0941986f33360b98")
    for head in (b"ICY 200 OK\r\n", b"ICY 200 OK\r\nServer: x\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Type: gnss/data\r\n\r\n", b""):
        yield head + frame * 2
    yield b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n19;x=1\r\n" + frame + b"\r\nA\r\n" + frame[:10] + b"\r\nf\r\n" + frame[10:] + b"\r\n0\r\n"
    yield b"SOURCETABLE 200 OK\r\n"
    yield b"HTTP/1.1 401 Unauthorized\r\n\r\n"
    yield b"ERROR - Bad Password\r\n"


def recognizer(texts):
    """Frames of binary protocols, the text of modems and consoles, and binary parts of captures."""
    for frame in ("b5620161040050e42c17dd22", "b56205010200068a98c1", "bace04000501060000000a000501", "a0a1000283098a0d0a",
                  "24404e892117100050e42c1780090000", "d300133ed0" + "00" * 17 + "f24bf4", "04240e00fd000000000000f30d0a",
                  "10020684010000851003", "100a022600ce1003", "104b0000001003", "f1d906010300f00001fb10",
                  "a0a2002902" + "00" * 40 + "0002b0b3"):
        yield bytes.fromhex(frame)
        yield bytes.fromhex("b510aa" + frame + frame)
    yield b"\r\n+CREG: 2,1\r\n\r\nOK\r\n^RSSI:18\r\n"
    yield b"[    0.000000] Linux version 6.1\r\ngateway login: "
    yield b"!AIVDM,1,1,,A,13u?etPv2;0n:dDPwUM1U1Cb069D,0*24\r\n$GPGGA,1,2*00\r\n"
    for text in texts:
        match = re.search(rb"[^\x09-\x7e]", text)
        if match:
            yield text[match.start():match.start() + 500]


def queries():
    """What users type, and names to compare it with."""
    for text in ("nijmegen", "San José, CR", "Frankfurt/Main", "L'Aquila", "İstanbul", "東京", "St. Petersburg,,RU", "New York, NY, US"):
        yield f"{text}\n{text.upper()}\n{text},{text.split(',')[0]}x".encode()
    yield "ko\u0308ln\nKöln,Cologne\nKoln".encode()
    yield b"a b c d e f g h i\n\xff\xfe,\xcc\x88"


def places():
    """Small files of each format that can be imported."""
    town = "2750053\tNijmegen\tNijmegen\tNimega,Nimègue\t51.8425\t5.85278\tP\tPPLA2\tNL\t\t03\t0268\t\t\t158732\t\t30\tEurope/Amsterdam\t2024-01-01\n"
    yield town.encode()
    yield b"\xef\xbb\xbf" + town.replace("\n", "\r\n").encode() * 2
    yield b"NL.03\tGelderland\tGelderland\t2755634\nUS.CA.075\tSan Francisco\tSan Francisco\t5391997\n"
    yield b"#ISO\tISO3\nNL\tNLD\t528\tNL\tNetherlands\tAmsterdam\t41526\t17231017\tEU\t.nl\tEUR\tEuro\t31\t#### @@\t\tnl-NL\t2750405\tDE,BE\t\n"
    yield b"NL\t6511\tNijmegen\tGelderland\t03\tNijmegen\t0268\t\t\t51.8\t5.8\t4\n"
    yield b"1\t2750053\tde\tNimwegen\t1\t\t\t\t\t\n2\t2750053\tlink\thttps://x\t\t\t\t\n"
    yield b'name,latitude,longitude,kind,aliases\n"Depot ""North""",51.8,5.8,PPL,"a,b"\n'
    ring = [[5, 51], [6, 51], [6, 52], [5, 51]]
    for properties, kind in (({"iso_a2": "NL", "name": "x"}, "Polygon"), ({"tzid": "Europe/Amsterdam"}, "MultiPolygon"),
                             ({"featurecla": "Ocean", "name": "y"}, "Polygon")):
        area = [ring] if kind == "Polygon" else [[ring]]
        yield json.dumps({"type": "FeatureCollection", "features": [
            {"type": "Feature", "properties": properties, "geometry": {"type": kind, "coordinates": area}}] * 2}).encode()
    texts = [(b"", b""), (b"Germany", b"Deutschland")]
    table, text = [], b""
    for column in (0, 1):
        for pair in texts:
            table += [len(pair[column]), 60 + len(text)]
            text += pair[column] + b"\0"
    yield b"".join(number.to_bytes(4, "little") for number in [0x950412DE, 0, 2, 28, 44, 0, 0, *table]) + text


def varlink(repository):
    """The interfaces, each of their members, calls and replies."""
    for root, _, names in os.walk(f"{repository}/Sources/API/SextantAPI/Interfaces"):
        for name in names:
            text = open(f"{root}/{name}", "rb").read()
            yield text[:2048]
            for part in text.split(b"\n\n")[1:]:
                yield b"interface a.b\n" + re.sub(rb"(?m)^ *#.*\n", b"", part)
    for name in sorted(os.listdir(f"{repository}/captures/golden")):
        if name.endswith(".counts"):
            continue  # a table without replies
        lines = open(f"{repository}/captures/golden/{name}").readlines()
        yield json.dumps([json.loads(text) for text in lines[:3]])[:1000].rpartition(",")[0].encode() + b"}]"
        yield json.dumps("".join(lines)[:800]).encode()
        for text in lines[:3]:
            yield text.encode()
            yield json.dumps({"parameters": json.loads(text), "continues": True}).encode()
    yield from (json.dumps(message).encode() for message in messages())
    yield b"\0".join(json.dumps(message).encode() for message in messages())
    yield b"[" * 63 + b"]" * 63
    yield rb'{"s":"\ud83d\ude00\u00e9\n\"\\","f":-0.0,"i":9223372036854775807,"l":[1e308,5e-324]}'


def messages():
    inner = {"x": 1, "k": "one", "n": {"k": "two"}}
    parameters = {"t": inner, "m": {"a": [1, 2], "b": []}, "l": [1, 2.5, -3e-7], "o": {"any": [None, True]}, "s": "text", "b": False}
    for mode in ({}, {"more": True}, {"oneway": True}, {"upgrade": True}):
        yield {"method": "a.b.B", "parameters": parameters, **mode}
    yield {"method": "org.varlink.service.GetInfo"}
    yield {"method": "org.varlink.service.GetInterfaceDescription", "parameters": {"interface": "a.b"}}
    yield {"method": "a.b.C", "vendor.member": {}}
    yield {"error": "org.varlink.service.InvalidParameter", "parameters": {"parameter": "x"}}
    sample = {"b": True, "i": -1, "u": 255, "f": 1.5, "s": "é", "m": {"k": 1}, "v": [{}]}
    yield {"parameters": {**sample, "l": [sample, sample]}}
    yield {**sample, "l": [sample]}
