"""Reads the targets of Sources from Package.swift for the checks: their folders, dependencies and kinds."""
import re
import typing

# How the manifest declares them: `pureTarget("Base/NMEA", [...])`, `program("sextant", [...])`, `shim("CLinux")`.
DECLARATION = re.compile(
    r"^ {8}(pureTarget|edgeTarget|program|shim)\(\s*\"([\w/-]+)\"\s*(?:,\s*\[([^\]]*)\])?", re.MULTILINE)
# The folder of the kinds that are declared without one.
FOLDERS = {"program": "Programs/", "shim": "Platform/C/"}


class Target(typing.NamedTuple):
    """A target with Swift sources, or a shim in C. `folder` ends with a slash."""
    folder: str
    dependencies: frozenset
    kind: str


def targets():
    """The targets of Sources by name."""
    found = {}
    with open("Package.swift", encoding="utf-8") as file:
        for kind, path, names in DECLARATION.findall(file.read()):
            folder = f"Sources/{FOLDERS.get(kind, '')}{path}/"
            found[path.split("/")[-1]] = Target(folder, frozenset(re.findall(r'"([\w-]+)"', names or "")), kind)
    return found


def target_of(path, declared):
    """The name of the target that compiles a file: one of `declared`, or a tool of Tools; None for any other file."""
    if path.startswith("Tools/Sources/"):
        return path.split("/")[2]
    return next((name for name, target in declared.items() if path.startswith(target.folder)), None)
