"""Finds places for mutants of error paths in the daemon's source, by text, and writes a source that has them all."""
import bisect
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../.ci"))
import swift_source  # noqa: E402

FOLDERS = ["Sources/Programs/sextantd", "Sources/Engine/Receivers", "Sources/Engine/Locator", "Sources/Engine/Permission",
           *("Sources/Platform/" + name for name in ("ServiceRuntime", "SQLite", "StateStore", "SerialPorts", "SystemCalls"))]
# Of the libraries, what only other programs call.
OF_OTHERS = re.compile(r"/(?:DaemonCalls|DaemonStream|LoopClient|IdleExit|ShellCompletion|SpawnedProcess|TerminalText|PortSymlink|"
                       r"Generated/.*|Replay/.*)(?:\.swift)?$")
# Words by which code speaks of what went wrong or is tried again.
ERROR = re.compile(r"(?i)error|fail|errno|trouble|retr[iy]|deadline|timeout|backoff|\bclosed\b|\blost\b|refus|unavailable|< 0\b")
HANDLING = re.compile(r"\bcatch\b|\btry\?|errno|[Ff]ail|[Rr]etr[iy]|[Dd]eadline|[Bb]ackoff|[Tt]imeout|\berror\b")
DEADLINE = re.compile(r"(?i)(?:^|\.|_)(?!on[A-Z])(?:\w*(?:retry|deadline|attempt|timeout|expiry|backoff)\w*|next[A-Z]\w*|until|due\w*)$")
BODIES = [("catch", re.compile(r"\bcatch\b[^{}\n]*\{")), ("defer", re.compile(r"\bdefer\s*\{")),
          ("guard", re.compile(r"[^}\s]\s+else\s*\{")), ("if", re.compile(r"\bif\s+(?P<condition>[^{}\n]+)\{"))]
CONDITION = re.compile(r"\b(?:if\s+(?P<if>[^{}\n]+?)\s*\{|guard\s+(?P<guard>[^{}\n]+?)\s+else\s*\{)")
# What is no Boolean expression.
BINDING = re.compile(r"\b(?:let|var|case)\b|#|,(?![^(\[]*[)\]])|[^=!<>]=[^=]")
KEYWORD = re.compile(r"(?:if|guard|for|while|repeat|switch|return|throw|let|var|defer|do|case|default|break|continue|func)\b")
CALL = re.compile(r"(?:_ = )?(?:\(?try[?!]? )?[A-Za-z_][\w.?!]*\(.*\)", re.DOTALL)
ASSIGNMENT = re.compile(r"(?P<name>[A-Za-z_][\w.?!]*)(?:\[[^\]\n]*\])?[?!]? (?:[-+*/|&]|&[-+])?= .*", re.DOTALL)
RESET = re.compile(r"(?<=[\n{;])[ \t]*(?P<call>[A-Za-z_][\w.?!]*\.reset\(\))[ \t]*(?=[\n};])")
# Numbers of times and limits, which are doubled.
NUMBER = re.compile(r"(?:\.(?:milli)?seconds\(|\b(?:attempts: |(?i:static let \w*(?:max|limit|attempts|capacity|needed|required|failures)\w*"
                    r"(?:: \w+)? = )))(?P<number>\d[\d_.]*(?: \* \d[\d_.]*)*)(?![\w.]| [*/])")
# Forms that were added later follow all others, whose order stays the same.
LATER = ("double the number", "skip the reset")
RESULT = re.compile(r"return (?P<value>true|false)")
# Not judged: what is written to the log.
LOG = re.compile(r"(?:\w+\.)?(?:log|report)\.\w+\(|Logger\(")
# A statement goes on before and after these.
OPEN = re.compile(r"(?:[-+*/=<>&|?:,(\[{]|\b(?:in|throws|else))$")
GOING_ON = re.compile(r"\s*(?:[.?:&|+*/=<>)\]}]|- |else\b|\{)")


class Mutant:
    """A text that is skipped, inverted or doubled. Its number is set later."""

    def __init__(self, path, text, start, end, form):
        self.path, self.start, self.end, self.form, self.number = path, start, end, form, None
        self.first, self.last = text.count("\n", 0, start) + 1, text.count("\n", 0, end) + 1
        self.text = " ".join(text[start:end].split())

    def insertions(self):
        """(position, order among those at the same position, text)."""
        if self.form == "double the number":
            return [(self.start, self.end, f"(mutant({self.number}) ? 2 * {self.text} : "), (self.end, -self.start, ")")]
        if self.form.startswith("invert"):
            return [(self.start, self.end, f"mutant({self.number}) != ("), (self.end, -self.start, ")")]
        return [(self.start, self.end, f"if !mutant({self.number}) {{ "), (self.end, -self.start, " }")]


def masked(text):
    """The code with strings and comments blank, except the quotes of strings."""
    lines = zip(text.splitlines(True), swift_source.code(text).splitlines(True))
    return "".join("".join(old if old == '"' else new for old, new in zip(line[:line.find("//")] if "//" in line else line, code))
                   + (code[line.find("//"):] if "//" in line else "") for line, code in lines)


def statements(source, start, end):
    """Yields the range of each statement of a body."""
    depth, first = 0, start
    for index in range(start, end + 1):
        character = source[index] if index < end else "\n"
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(character, 0)
        if depth or character not in "\n;":
            continue
        piece = source[first:index].rstrip()
        if index < end and character == "\n" and (OPEN.search(piece) or piece.strip() and GOING_ON.match(source[index:end])):
            continue
        if piece.strip():
            yield first + len(piece) - len(piece.lstrip()), first + len(piece)
        first = index + 1


def find(path, text):
    """The mutants of a file."""
    source, found = masked(text), {}

    def add(start, end, form):
        found.setdefault((start, end), Mutant(path, text, start, end, form))

    for kind, opening in BODIES:
        for match in opening.finditer(source):
            if kind == "if" and not ERROR.search(match.group("condition")):
                continue
            start, end = match.end(), swift_source._closing_brace(source, match.end() - 1)
            parts = list(statements(source, start, end))
            for first, last in parts:
                statement = source[first:last]
                if result := RESULT.fullmatch(statement):
                    add(first + result.start("value"), last, f"invert the result in {kind}")
                elif not KEYWORD.match(statement) and not LOG.match(statement) and (ASSIGNMENT.fullmatch(statement) or CALL.fullmatch(statement)):
                    add(first, last, f"skip in {kind}")
            leaves = re.search(r"\b(?:return|throw|break|continue)\b", source[start:end])
            if len(parts) > 1 and kind in ("catch", "defer") and not leaves:
                add(start, end, f"skip the {kind}")
    newlines = [index for index, character in enumerate(source) if character == "\n"]
    for _, line, count in swift_source.functions(text):
        start, end = ([-1] + newlines)[line - 1] + 1, newlines[min(line + count - 1, len(newlines)) - 1]
        if not HANDLING.search(source, start, end):
            continue
        for match in CONDITION.finditer(source, start, end):
            kind = match.lastgroup
            condition = match.group(kind)
            if not BINDING.search(condition) and condition.count("(") == condition.count(")"):
                add(match.start(kind), match.end(kind), f"invert the {kind}")
    # Each line that assigns a deadline, with the lines on which it goes on.
    for match in re.finditer(r"(?<=[\n{;])[ \t]*(?P<name>[a-z][\w.?!]*) = ", source):
        if DEADLINE.search(match.group("name").rstrip("?!")):
            first, last = next(statements(source, match.start("name"), _end_of_block(source, match.start())))
            add(first, last, "skip the deadline")
    for match in RESET.finditer(source):
        add(*match.span("call"), "skip the reset")
    for match in NUMBER.finditer(source):
        add(*match.span("number"), "double the number")
    return [found[place] for place in sorted(found)]


def _end_of_block(source, index):
    depth = 0
    while index < len(source) and depth >= 0:
        depth += {"{": 1, "}": -1}.get(source[index], 0)
        index += 1
    return index - 1


def written(text, mutants):
    """The source with these mutants of the file, whose lines keep their numbers."""
    pieces, end = [], len(text)
    for position, _, inserted in sorted((place for mutant in mutants for place in mutant.insertions()), key=_order, reverse=True):
        pieces[:0] = [inserted, text[position:end]]
        end = position
    imports = re.search(r"^(?:public |internal |package )?import ", text, re.MULTILINE)
    start = imports.start() if imports else 0
    changed = text[:end] + "".join(pieces)
    return changed[:start] + "import CMutant; " + changed[start:] if mutants else text


def _order(place):
    position, key, inserted = place
    # At one position what ends comes before what begins; an outer text begins earlier and ends later.
    return (position, not inserted.endswith(")") and not inserted.endswith("}"), -abs(key))


def affected(mutants, text, line):
    """The mutants that an error in a line is about: those in this line, or else those of the function."""
    near = [mutant for mutant in mutants if mutant.first <= line <= mutant.last]
    if near:
        smallest = min(mutant.last - mutant.first for mutant in near)
        return [mutant for mutant in near if mutant.last - mutant.first == smallest]
    spans = [(count, first) for _, first, count in swift_source.functions(text) if first <= line < first + count]
    count, first = min(spans, default=(0, 0))
    return [mutant for mutant in mutants if first <= mutant.first < first + count]
