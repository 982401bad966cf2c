"""Checks messages of sextant-fleet by schema.json, with the part of JSON Schema that it uses, and by the rules of the consumers."""
import json
import os
import re

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "schema.json"), encoding="utf-8") as file:
    SCHEMA = json.load(file)
TYPES = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "null": type(None), "boolean": bool}
KEYWORDS = {"type", "required", "properties", "additionalProperties", "items", "minItems", "maxItems", "minimum", "maximum", "multipleOf", "const", "enum", "pattern", "$ref"}
# The last part of the topic of each message; empty: the topic of the device.
TOPICS = {"location": "", "lwt": "", "transition": "event", "waypoint": "waypoint", "waypoints": "waypoints", "status": "status", "card": "info", "track": "track",
          "fence": "fence"}


def problems(value, schema, place="message"):
    """The differences between a value and a schema."""
    if "$ref" in schema:
        for part in schema["$ref"].removeprefix("#/").split("/"):
            schema = (SCHEMA if part in SCHEMA else schema)[part] if part != "$defs" else SCHEMA["$defs"]
    unknown = set(schema) - KEYWORDS
    assert not unknown, f"schema.json uses {unknown}, which payloads.py does not know"
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and (isinstance(value, bool) and "boolean" not in kinds or not any(isinstance(value, TYPES[kind]) for kind in kinds)):
        return [f"{place} is no {' or '.join(kinds)}: {value!r}"]
    found = []
    if "const" in schema and value != schema["const"] or "enum" in schema and value not in schema["enum"]:
        found.append(f"{place} has another value: {value!r}")
    if isinstance(value, str) and "pattern" in schema and not re.search(schema["pattern"], value, re.DOTALL):
        found.append(f"{place} does not match {schema['pattern']}: {value!r}")
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if value < schema.get("minimum", value) or value > schema.get("maximum", value):
            found.append(f"{place} is out of range: {value!r}")
        unit = schema.get("multipleOf")
        if unit and abs(value / unit - round(value / unit)) > 1e-4:
            found.append(f"{place} has too many digits: {value!r}")
    if isinstance(value, dict):
        known = schema.get("properties", {})
        found += [f"{place} has no {name}" for name in schema.get("required", []) if name not in value]
        if schema.get("additionalProperties") is False:
            found += [f"{place} has the unknown member {name}" for name in value if name not in known]
        for name, member in value.items():
            if name in known:
                found += problems(member, known[name], f"{place}.{name}")
    if isinstance(value, list):
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            found.append(f"{place} has {len(value)} entries")
        for index, entry in enumerate(value if "items" in schema else []):
            found += problems(entry, schema["items"], f"{place}[{index}]")
    return found


def check(topic, message):
    """The problems of a message on a topic of OwnTracks: by the schema, and the Recorder's rules for topics."""
    parts = topic.split("/")
    kind = message.get("_type")
    if kind not in TOPICS:
        return [f"{topic}: unknown _type {kind!r}"]
    found = problems(message, SCHEMA[kind])
    if len(parts) < 3 or parts[0] != "owntracks" or topic != topic.lower():
        found.append(f"the Recorder does not accept the topic {topic}")
    # The Recorder reads a card on every topic (recorder.c, T_CARD); on that of the will it shows that the device is online.
    if "/".join(parts[3:]) not in {TOPICS[kind], "" if kind == "card" else TOPICS[kind]}:
        found.append(f"{kind} on the topic {topic}")
    return found
