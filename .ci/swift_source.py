"""Swift source as the checks see it: which files there are, their code without strings and comments, their functions."""
import bisect
import re
import subprocess

# A string literal in all its spellings opens with some # and one or three quotes; a comment with // or /*.
OPENING = re.compile(r'(#*)("""|")|//|/\*')
DECLARATION = re.compile(r"(?<![\w.`])(?:func\s+(?P<name>[\w`]+|[^\s\w(]+)|(?P<special>init|deinit|subscript)\b(?=[?!]?\s*[(<{]))")
# What may follow a requirement of a protocol, which has no body.
NEXT_DECLARATION = re.compile(
    r"(?:@|\b(?:func|var|let|init|deinit|subscript|static|mutating|nonmutating|case|typealias|associatedtype|struct|enum|extension)\b)")


def files(*folders):
    """Swift files of the working tree in these folders, ignored ones left out."""
    listing = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *folders],
                             check=True, capture_output=True, text=True).stdout
    return sorted(name for name in listing.split("\0") if name.endswith(".swift"))


def code(text):
    """The text with strings and comments blanked; the code inside \\( ) stays. Same length, same lines."""
    kept, at = [], 0
    while match := OPENING.search(text, at):
        kept.append(text[at:match.start()])
        if match.group(2):
            blanked, at = _string(text, match)
        else:
            end = _comment_end(text, match)
            blanked, at = _blank(text[match.start():end]), end
        kept.append(blanked)
    return "".join(kept) + text[at:]


def functions(text):
    """(name, first line, number of lines) of every function, initialiser and subscript with a body."""
    source = code(text)
    newlines = [at for at, character in enumerate(source) if character == "\n"]
    for match in DECLARATION.finditer(source):
        body = _body(source, match.end())
        if body:
            first, last = (bisect.bisect_left(newlines, at) + 1 for at in (match.start(), body[1]))
            yield match.group("name") or match.group("special"), first, last - first + 1


def _blank(text):
    return re.sub(r"[^\n]", " ", text)


def _comment_end(text, match):
    if match.group() == "//":
        end = text.find("\n", match.end())
        return end if end >= 0 else len(text)
    depth, at = 1, match.end()
    while depth and (edge := re.compile(r"/\*|\*/").search(text, at)):
        depth += 1 if edge.group() == "/*" else -1
        at = edge.end()
    return at if not depth else len(text)


def _string(text, match):
    """A literal blanked but for its interpolations, and where it ends."""
    hashes, quotes = match.group(1), match.group(2)
    edge = re.compile(rf"\\{hashes}(?P<interpolation>\()|\\{hashes}.|(?P<close>{quotes}{hashes})", re.DOTALL)
    kept, at, start = [], match.end(), match.start()
    while found := edge.search(text, at):
        at = found.end()
        if found.group("close"):
            return "".join(kept) + _blank(text[start:at]), at
        if found.group("interpolation"):
            inner = code(text[at:_closing_parenthesis(text, at)])
            kept += [_blank(text[start:at]), inner]
            at = start = at + len(inner)
    return "".join(kept) + _blank(text[start:]), len(text)


def _closing_parenthesis(text, at):
    """The index of the ) that ends the interpolation that starts here."""
    depth = 1
    while at < len(text):
        literal = OPENING.match(text, at)
        if literal and literal.group(2):
            at = _string(text, literal)[1]
            continue
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if not depth:
            return at
        at += 1
    return at


def _body(source, at):
    """Where the braces of the declaration that starts here open and close; None without a body."""
    depth = 0
    while at < len(source):
        character = source[at]
        if character in "([":
            depth += 1
        elif character in ")]":
            depth -= 1
        elif depth == 0 and character == "{":
            return at, _closing_brace(source, at)
        elif depth == 0 and (character in "};" or NEXT_DECLARATION.match(source, at) and source[at - 1].isspace()):
            return None
        at += 1
    return None


def _closing_brace(source, at):
    depth = 0
    for brace in re.compile(r"[{}]").finditer(source, at):
        depth += 1 if brace.group() == "{" else -1
        if not depth:
            return brace.start()
    return len(source) - 1
