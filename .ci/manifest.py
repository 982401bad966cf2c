"""Reads the targets of Sources from Package.swift for the checks: their folders, dependencies and kinds."""
import re
import typing

# How the manifest declares them: `pureTarget("Base/NMEA", base + [...])`, `program("sextant", [...])`, `shim("CLinux")`.
DECLARATION = re.compile(r"(?:^ {4}|\), )(pureTarget|edgeTarget|program|shim)\(\s*\"([\w/-]+)\"", re.MULTILINE)
SET = re.compile(r"^let (\w+): Dependencies = (.*)$", re.MULTILINE)
# Arguments after the dependencies.
LABEL = re.compile(r",\s*\w+: ")
NAME = re.compile(r'"([\w-]+)"|(\w+)')
# The folder of the kinds that are declared without one.
FOLDERS = {"program": "Programs/", "shim": "Platform/C/"}


class Target(typing.NamedTuple):
    """A target with Swift sources, or a shim in C. `folder` ends with a slash."""
    folder: str
    dependencies: frozenset
    kind: str


def arguments(text, start):
    """The text from `start` to the parenthesis that ends the call."""
    depth = 1
    for index in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[index], 0)
        if depth == 0:
            return text[start:index]
    return text[start:]


def names(expression, sets):
    """The names in a sum of lists and sets."""
    found = set()
    for quoted, variable in NAME.findall(expression):
        found |= {quoted} if quoted else sets.get(variable, set())
    return found


def targets():
    """The targets of Sources by name."""
    found, sets = {}, {}
    text = _text()
    for name, expression in SET.findall(text):
        sets[name] = names(expression, sets)
    for match in DECLARATION.finditer(text):
        kind, path = match.groups()
        listed = "" if kind == "shim" else LABEL.split(arguments(text, match.end()))[0]
        folder = f"Sources/{FOLDERS.get(kind, '')}{path}/"
        found[path.split("/")[-1]] = Target(folder, frozenset(names(listed, sets)), kind)
    return found


def optimized_targets():
    """The names of targets that are optimized in debug builds too."""
    return set(re.findall(r'"([\w-]+)"', re.search(r"^let optimized.*? : (\[.*\])$", _text(), re.MULTILINE)[1]))


def products():
    """The names of the targets of the products."""
    return {name for listed in re.findall(r"\.library\([^\[]*\[([^\]]*)\]", _text()) for name in re.findall(r'"([\w-]+)"', listed)}


def _text():
    with open("Package.swift", encoding="utf-8") as file:
        return file.read()


def target_of(path, declared):
    """The name of the target that compiles a file: one of `declared`, or a tool of Tools; None for any other file."""
    if path.startswith("Tools/Sources/"):
        return path.split("/")[2]
    return next((name for name, target in declared.items() if path.startswith(target.folder)), None)
