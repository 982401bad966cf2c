"""Reads Swift source for the checks: the files, their code without strings and comments, their functions and types."""
import bisect
import re
import subprocess

# A string literal opens with any number of # and one or three quotes; a comment opens with // or /*.
OPENING = re.compile(r'(#*)("""|")|//|/\*')
DECLARATION = re.compile(r"(?<![\w.`])(?:func\s+(?P<name>[\w`]+|[^\s\w(]+)|(?P<special>init|deinit|subscript)\b(?=[?!]?\s*[(<{]))")
TYPE = re.compile(r"(?<![\w.`])(?<!import )(?P<keyword>struct|class|enum|actor|protocol|extension)\s+"
                  r"(?!(?:func|var|let|subscript)\b)(?P<name>`?\w+`?(?:\.\w+)*)[^{};]*\{")
TYPE_ALIAS = re.compile(r"(?<![\w.`])typealias\s+(\w+)")
# The tuple on the left of an assignment or of a declaration by tuple.
TUPLE_ASSIGNMENT = re.compile(r"^[ \t]*(?:(?:let|var)\s+)?\((?P<members>[^()\n]*(?:\([^()\n]*\)[^()\n]*)*)\)\s*=(?![=>])",
                              re.MULTILINE)
# What can follow a requirement of a protocol, which has no body.
NEXT_DECLARATION = re.compile(
    r"(?:@|\b(?:func|var|let|init|deinit|subscript|static|mutating|nonmutating|case|typealias|associatedtype|struct|enum|extension)\b)")


def files(*folders):
    """Swift files of the working tree in these folders, without the files that git ignores."""
    listing = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *folders],
                             check=True, capture_output=True, text=True).stdout
    return sorted(name for name in listing.split("\0") if name.endswith(".swift"))


def code(text):
    """The text with strings and comments replaced by blanks, except code inside \\( ). Length and lines stay."""
    kept, index = [], 0
    while match := OPENING.search(text, index):
        kept.append(text[index:match.start()])
        if match.group(2):
            blanked, index = _string(text, match)
        else:
            end = _comment_end(text, match)
            blanked, index = _blank(text[match.start():end]), end
        kept.append(blanked)
    return "".join(kept) + text[index:]


def functions(text):
    """Yields (name, first line, number of lines) of every function, initialiser and subscript with a body."""
    source = code(text)
    newlines = [index for index, character in enumerate(source) if character == "\n"]
    for match in DECLARATION.finditer(source):
        body = _body(source, match.end())
        if body:
            first, last = (bisect.bisect_left(newlines, index) + 1 for index in (match.start(), body[1]))
            yield match.group("name") or match.group("special"), first, last - first + 1


def types(text):
    """Yields (qualified name, whether it is an extension, number of lines) of every type and extension in the text."""
    source = code(text)
    enclosing = []
    for match in TYPE.finditer(source):
        while enclosing and enclosing[-1][1] < match.start():
            enclosing.pop()
        end = _closing_brace(source, match.end() - 1)
        name = ".".join([*(outer for outer, _ in enclosing[-1:]), match.group("name").strip("`")])
        enclosing.append((name, end))
        yield name, match.group("keyword") == "extension", source.count("\n", match.start(), end) + 1


def declared_names(text):
    """The names of all types that the text declares or extends, each without its enclosing types."""
    names = {name.rpartition(".")[2] for name, _, _ in types(text)}
    return names | {name for name, is_extension, _ in types(text) if is_extension} | set(TYPE_ALIAS.findall(code(text)))


def tuple_assignments(text):
    """Yields (line, number of members) of every assignment to a tuple."""
    source = code(text)
    for match in TUPLE_ASSIGNMENT.finditer(source):
        depth, members = 0, 1
        for character in match.group("members"):
            depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(character, 0)
            members += character == "," and depth == 0
        yield source.count("\n", 0, match.start("members")) + 1, members


def _blank(text):
    return re.sub(r"[^\n]", " ", text)


def _comment_end(text, match):
    if match.group() == "//":
        end = text.find("\n", match.end())
        return end if end >= 0 else len(text)
    depth, index = 1, match.end()
    while depth and (edge := re.compile(r"/\*|\*/").search(text, index)):
        depth += 1 if edge.group() == "/*" else -1
        index = edge.end()
    return index if not depth else len(text)


def _string(text, match):
    """The literal as blanks with the code of its interpolations, and the index of its end."""
    hashes, quotes = match.group(1), match.group(2)
    edge = re.compile(rf"\\{hashes}(?P<interpolation>\()|\\{hashes}.|(?P<close>{quotes}{hashes})", re.DOTALL)
    kept, index, start = [], match.end(), match.start()
    while found := edge.search(text, index):
        index = found.end()
        if found.group("close"):
            return "".join(kept) + _blank(text[start:index]), index
        if found.group("interpolation"):
            inner = code(text[index:_closing_parenthesis(text, index)])
            kept += [_blank(text[start:index]), inner]
            index = start = index + len(inner)
    return "".join(kept) + _blank(text[start:]), len(text)


def _closing_parenthesis(text, index):
    """The index of the ) that ends the interpolation that starts at `index`."""
    depth = 1
    while index < len(text):
        literal = OPENING.match(text, index)
        if literal and literal.group(2):
            index = _string(text, literal)[1]
            continue
        depth += {"(": 1, ")": -1}.get(text[index], 0)
        if not depth:
            return index
        index += 1
    return index


def _body(source, index):
    """The indices of the braces around the body of the declaration at `index`; None if it has no body."""
    depth = 0
    while index < len(source):
        character = source[index]
        if character in "([":
            depth += 1
        elif character in ")]":
            depth -= 1
        elif depth == 0 and character == "{":
            return index, _closing_brace(source, index)
        elif depth == 0 and (character in "};" or NEXT_DECLARATION.match(source, index) and source[index - 1].isspace()):
            return None
        index += 1
    return None


def _closing_brace(source, index):
    depth = 0
    for brace in re.compile(r"[{}]").finditer(source, index):
        depth += 1 if brace.group() == "{" else -1
        if not depth:
            return brace.start()
    return len(source) - 1
