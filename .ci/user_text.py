"""The text that people read, cut into sentences: Markdown, man pages, interface comments, configuration, Swift source."""
import re

# A string literal in all its spellings starts with some # and one or three quotes; a comment with // or /*.
LITERAL_OR_COMMENT = re.compile(r'(#*)("""|")|//|/\*')
# Stands for code, an interpolated value or a formatted name: one word of a sentence.
PLACEHOLDER = "X"
ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|etc|vs|approx|ed|sec|St)\.$")
SENTENCE_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[\"'(\[]*[A-Z0-9`*])")
WORD = re.compile(r"[^\W_]")
# An entry of a list in a comment: two spaces or more before the name and behind it.
DEFINITION = re.compile(r"\s{2,}\S+(?: \S+)?\s{2,}(?P<text>\S.*)")
# A setting that is commented out.
SETTING = re.compile(r"\w+ = |\[+\w+\]+$")
BLOCK_MACROS = {".Dd", ".Dt", ".Os", ".Nd", ".Sh", ".Ss", ".Pp", ".It", ".Bl", ".El", ".Bd", ".Ed", ".Op", ".br", ""}


class Block:
    """A paragraph, a table cell, a list item or a string: its text and the line on which it starts."""

    def __init__(self, line, text):
        self.line, self.text = line, " ".join(text.split())


def sentences(text):
    """Sentences of a block. A full stop inside a number, a name or an abbreviation ends none."""
    start = 0
    for end in SENTENCE_END.finditer(text):
        if not ABBREVIATION.search(text, start, end.start()):
            yield text[start:end.start()]
            start = end.end()
    yield text[start:]


def word_count(sentence):
    return sum(1 for token in sentence.split() if WORD.search(token))


def markdown(text):
    """Paragraphs, headings, list items and table cells; code, addresses and raw HTML are left out."""
    text = re.sub(r"<!--.*?-->", lambda match: "\n" * match.group().count("\n"), text, flags=re.DOTALL)
    lines, start, is_fenced, follows_blank = [], 0, False, True

    def flush():
        nonlocal lines
        if lines:
            yield Block(start, inline_markdown("\n".join(lines)))
        lines = []

    for number, line in enumerate(text.split("\n"), 1):
        stripped = line.strip()
        if stripped.startswith("```"):
            yield from flush()
            is_fenced = not is_fenced
        elif is_fenced or (line.startswith("    ") and not lines and follows_blank):
            continue
        elif not stripped or stripped.startswith("<"):
            yield from flush()
            follows_blank = True
            continue
        elif stripped.startswith("|"):
            yield from flush()
            for cell in inline_markdown(stripped).strip("|").split("|"):
                if WORD.search(cell):
                    yield Block(number, cell)
        else:
            if re.match(r"#+ |[-*] |\d+\. |\(\d+\) ", stripped):
                yield from flush()
                stripped = re.sub(r"^(?:#+|[-*]|\d+\.) +", "", stripped)
            start = start if lines else number
            lines.append(stripped)
            if line.startswith("#"):
                yield from flush()
        follows_blank = False
    yield from flush()


def inline_markdown(text):
    text = re.sub(r"(`+).+?\1", PLACEHOLDER, text, flags=re.DOTALL)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"https?://\S+", PLACEHOLDER, text)
    return re.sub(r"[*_]{1,3}(?=\S)(.+?)(?<=\S)[*_]{1,3}", r"\1", text)


def comments(text, marker="#"):
    """Comment paragraphs of a configuration, a unit or an interface file, and the Description= of a unit."""
    lines, start = [], 0
    for number, line in enumerate([*text.split("\n"), ""], 1):
        stripped = line.strip()
        is_comment = stripped.startswith(marker) and not stripped.startswith("#!")
        content = stripped.lstrip(marker) if is_comment else ""
        if SETTING.match(content.strip()):
            content = ""
        entry = DEFINITION.match(content)
        if lines and (not content.strip() or entry or content.strip().startswith("- ")):
            yield Block(start, quoted_code("\n".join(lines)))
            lines = []
        if content.strip():
            start = start if lines else number
            lines.append(entry.group("text") if entry else content.strip())
        elif stripped.startswith("Description="):
            yield Block(number, stripped.removeprefix("Description="))


def makefile_help(text):
    """The help texts behind the ## of a Makefile's targets."""
    for number, line in enumerate(text.split("\n"), 1):
        name, marker, rest = line.partition("## ")
        if marker and re.match(r"[a-z-]+:", name):
            yield Block(number, quoted_code(rest))


def quoted_code(text):
    """Text of a comment in which quoted code and settings (name = value) are one word each."""
    text = re.sub(r"(`+).+?\1", PLACEHOLDER, text, flags=re.DOTALL)
    return re.sub(r"https?://\S+", PLACEHOLDER, text)


def man_page(text):
    """Paragraphs of a man page written with mdoc macros. Names are one word each; displays (.Bd) and synopses are left out."""
    lines, start, is_display = [], 0, False
    for number, line in enumerate([*text.split("\n"), ".Pp"], 1):
        macro, _, rest = line.partition(" ")
        is_display = macro == ".Bd" or is_display and macro != ".Ed"
        if macro in BLOCK_MACROS and lines:
            yield Block(start, " ".join(lines))
            lines = []
        if macro == ".Nd":
            yield Block(number, rest)
        if macro in BLOCK_MACROS or is_display or line.startswith('.\\"'):
            continue
        if macro == ".Pq":
            line = f"({rest})"
        elif macro.startswith("."):
            # A name, and the punctuation behind it.
            punctuation = re.search(r"(?: [.,;:)])*$", rest).group().replace(" ", "")
            line = PLACEHOLDER + punctuation
        start = start if lines else number
        lines.append(re.sub(r"\\(?:\(..|\[[^\]]*\]|[&%/,e-])", "", line))


def swift(text):
    """Strings of more than one word in a Swift file."""
    found = []
    _scan_swift(text, 0, len(text), found)
    for position, content in found:
        yield from _string_blocks(content, text.count("\n", 0, position) + 1)


def _scan_swift(text, position, end, found):
    while match := LITERAL_OR_COMMENT.search(text, position, end):
        if match.group() == "//":
            stop = text.find("\n", match.end())
            position = stop if stop >= 0 else end
        elif match.group() == "/*":
            stop = text.find("*/", match.end())
            position = stop + 2 if stop >= 0 else end
        else:
            position = _scan_string(text, match, end, found)


def _scan_string(text, match, end, found):
    """Adds the literal that starts at `match`, interpolations replaced by a placeholder, and the literals within those."""
    hashes, quotes = match.group(1), match.group(2)
    edge = re.compile(rf"\\{hashes}(?P<interpolation>\()|\\{hashes}(?P<escape>.)|(?P<close>{quotes}{hashes})", re.DOTALL)
    index, position, parts = len(found), match.end(), []
    while edge_match := edge.search(text, position, end):
        parts.append(text[position:edge_match.start()])
        position = edge_match.end()
        if edge_match.group("close"):
            break
        if edge_match.group("interpolation"):
            close = _closing_parenthesis(text, position, end)
            _scan_swift(text, position, close, found)
            parts.append(PLACEHOLDER)
            position = close + 1
        else:
            parts.append({"n": "\n\n", "\n": " "}.get(edge_match.group("escape"), edge_match.group("escape")))
    else:
        position = end
    found.insert(index, (match.start(), "".join(parts)))
    return position


def _closing_parenthesis(text, position, end):
    depth = 1
    while position < end:
        literal = LITERAL_OR_COMMENT.match(text, position, end)
        if literal and literal.group(2):
            position = _scan_string(text, literal, end, [])
            continue
        depth += {"(": 1, ")": -1}.get(text[position], 0)
        if not depth:
            return position
        position += 1
    return end


def _string_blocks(content, line):
    if re.match(r"\s*(?:SELECT|INSERT|CREATE|UPDATE|DELETE|DROP|ALTER|PRAGMA|WITH|BEGIN)\b", content):
        return
    if any(len(token) > 80 for token in content.split()):
        return
    if content.lstrip().startswith("# "):
        yield from (Block(line, block.text) for block in comments(content))
        return
    paragraph, margin = [], _margin(content)
    for piece in [*content.split("\n"), ""]:
        # A line of an example or a list stands alone.
        stands_alone = piece.strip() and len(piece) - len(piece.lstrip()) >= margin + 2
        if (not piece.strip() or stands_alone) and paragraph:
            yield Block(line, quoted_code(" ".join(paragraph)))
            paragraph = []
        if stands_alone:
            yield Block(line, quoted_code(piece))
        elif len(piece.split()) > 1 or paragraph:
            paragraph.append(piece)


def _margin(content):
    return min((len(piece) - len(piece.lstrip()) for piece in content.split("\n")[1:] if piece.strip()), default=0)
