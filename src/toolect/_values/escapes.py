"""Escapes in text, by the language that they are of: what stands for signs that a text could not hold otherwise."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from json.decoder import scanstring  # type: ignore[attr-defined]  # not in the stubs
from typing import NamedTuple

from toolect._spec.grammar_model import Escapes

_SAME = {sign: sign for sign in "\\'\"/`"}
"""Signs that a backslash is written before in some language: each is read in all of them."""
_JSON = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"} | _SAME
_HEX = r"u([0-9a-fA-F]{4})"
_LONG = "U([0-9a-fA-F]{8})"
_YAML = _JSON | {"0": "\0", "a": "\a", "v": "\v", "e": "\x1b", " ": " ", "N": "\x85", "_": "\xa0"}
_YAML |= {"L": "\u2028", "P": "\u2029", "\n": ""}
_PAIR = r"u(?P<pair>[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})"
"""Both halves of a surrogate pair. Those that come as they are stay as they are."""
_NUMBER = r"(?P<octal>0[0-7]{0,2})|x([0-9a-fA-F]{2})|" + _HEX
_NAMES = {"\n": "\\n", "\t": "\\t", "\r": "\\r", "\\": "\\\\"}
_PAGES = {"\b": "\\b", "\f": "\\f"}
_ENTITIES = {"&": "amp", '"': "quot", "'": "apos", "<": "lt", ">": "gt"}
_SIGNS = {name: sign for sign, name in _ENTITIES.items()}


class _Language(NamedTuple):
    """The escapes of a language."""

    escape: re.Pattern[str]
    """Matches an escape."""
    resolve: Callable[[re.Match[str]], str]
    """Text of an escape; the escape itself for one that the language does not have."""
    open: re.Pattern[str]
    """Matches what may be the beginning of an escape."""
    always: str
    """The signs that are never written as they are: what belongs between the brackets of a regular expression."""
    write: Callable[[str], str]
    """Escape for a character."""


def _backslashes(signs: dict[str, str], numbers: str, control: str, names: dict[str, str]) -> _Language:
    """A language of backslashes: `signs` is what a character after one stands for.

    Control characters are written as `names` says, or with their number as in `control`.
    """
    names = _NAMES | names
    escape = re.compile(rf"\\(?:{_PAIR}|{numbers}|(.))", re.DOTALL)

    def resolve(match: re.Match[str]) -> str:
        if match.lastgroup == "pair":
            high, low = (int(half, 16) for half in match["pair"].split("\\u"))
            return chr(0x10000 + ((high - 0xD800) << 10) + low - 0xDC00)
        if match.lastindex == escape.groups:
            return signs.get(match[escape.groups], match[0])
        base = 8 if match.lastgroup == "octal" else 16
        return chr(min(int(match[match.lastindex or 0], base), 0x10FFFF))

    def write(char: str) -> str:
        if char in names or char in _SAME:
            return names.get(char, "\\" + char)
        units = char.encode("utf-16-be", "surrogatepass").hex()
        return control.format(ord(char)) if char < "\x80" else re.sub("(....)", r"\\u\1", units)

    return _Language(escape, resolve, _OPEN_BACKSLASH, r"\\\x00-\x1f\x7f", write)


def _twice(sign: str) -> _Language:
    """The language in which `sign` is written twice."""
    return _Language(re.compile(sign * 2), lambda _: sign, re.compile(sign), sign, lambda char: char * 2)


def _entity(match: re.Match[str]) -> str:
    """The sign that an entity of XML names, by its name or its number."""
    if match[1] is not None:
        return _SIGNS[match[1]]
    code = int(match[2]) if match[2] is not None else int(match[3], 16)
    return chr(code) if code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF else match[0]


_OPEN_BACKSLASH = re.compile(
    r"\\(?:0[0-7]?|x[0-9a-fA-F]?|u[0-9a-fA-F]{0,3}|u[dD][89abAB][0-9a-fA-F]{2}|u\{[0-9a-fA-F]{0,6}|U[0-9a-fA-F]{0,7})?"
)
_LANGUAGES = {
    Escapes.JSON: _backslashes(_JSON, _HEX, "\\u{:04x}", _PAGES),
    Escapes.PYTHON: _backslashes(_JSON | {"v": "\v", "a": "\a", "\n": ""}, f"{_NUMBER}|{_LONG}", "\\x{:02x}", {}),
    Escapes.JAVASCRIPT: _backslashes(
        _JSON | {"v": "\v", "\n": "", "$": "$"},
        _NUMBER + r"|u\{([0-9a-fA-F]{1,6})\}",
        "\\x{:02x}",
        _PAGES | {"\v": "\\v"},
    ),
    Escapes.TOML: _backslashes(_JSON | {"e": "\x1b"}, f"{_HEX}|{_LONG}", "\\u{:04x}", _PAGES),
    Escapes.YAML: _backslashes(_YAML, rf"x([0-9a-fA-F]{{2}})|{_HEX}|{_LONG}", "\\x{:02x}", {}),
    Escapes.SIGNS: _Language(
        re.compile(r"\\(.)", re.DOTALL), lambda match: match[1], re.compile(r"\\"), r"\\", lambda char: "\\" + char
    ),
    Escapes.APOSTROPHES: _twice("'"),
    Escapes.QUOTES: _twice('"'),
    Escapes.ENTITIES: _Language(
        re.compile("&(?:(amp|quot|apos|lt|gt)|#([0-9]{1,7})|#[xX]([0-9a-fA-F]{1,6}));"),
        _entity,
        re.compile("&(?:[a-z]{0,4}|#[0-9]{0,7}|#[xX][0-9a-fA-F]{0,6})"),
        "&",
        lambda char: f"&{_ENTITIES.get(char) or f'#{ord(char)}'};",
    ),
    Escapes.PERCENT: _Language(
        re.compile(
            "%[0-7]H|%[cCdD]H_|%[eE]H_ _|%[fF][0-7]_ _ _".replace(" ", "")
            .replace("_", "%[89abAB]H")
            .replace("H", "[0-9a-fA-F]")
        ),
        lambda match: bytes.fromhex(match[0].replace("%", "")).decode(errors="ignore") or match[0],
        re.compile("(?:%[c-fC-F][0-9a-fA-F](?:%[89abAB][0-9a-fA-F]){0,2})?(?:%[0-9a-fA-F]?)?"),
        r"\0-,/:-@\[-^`{-}\x7f-\ud7ff\ue000-\U0010ffff",  # all but what a part of a URL may have as it is
        lambda char: "".join(f"%{byte:02X}" for byte in char.encode()),
    ),
}
LEAD = dict.fromkeys(Escapes, "\\") | {Escapes.ENTITIES: "&", Escapes.PERCENT: "%"}
LEAD |= {Escapes.APOSTROPHES: "'", Escapes.QUOTES: '"'}
"""First character of an escape."""
_TWICE = ("'", '"')
"""Quotes that are escaped by writing them twice."""
_usual = re.compile(r"[^\\]*+(?:\\[\\'\"nrtbf][^\\]*+)*+\Z").match
"""Matches text whose escapes stand for the same in all languages of backslashes, and in Python's codec."""
_ASIDE = "\ufdd0"
"""No character: it stands for a backslash until all other escapes are resolved."""
_LONGEST = 12
"""Characters of the longest escape, and then some."""
_HIGH_SURROGATE = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}")


def unescape(text: str, escapes: Escapes) -> str:
    """`text` with its escapes resolved; one that the language does not have stays as it is."""
    if LEAD[escapes] not in text:
        return text
    language = _LANGUAGES[escapes]
    if language.open is _OPEN_BACKSLASH and _usual(text) is not None:
        return text.encode("latin-1", "backslashreplace").decode("unicode_escape")  # read in C, as what follows is
    if language.open is _OPEN_BACKSLASH and _ASIDE not in text:
        # What all of these languages share is JSON but for its quotes.
        bare = text.replace("\\\\", _ASIDE).replace("\\'", "'").replace("\\`", "`").replace('\\"', '"')
        try:
            found: str = scanstring(bare.replace('"', '\\"') + '"', 0, False)[0]
        except ValueError:
            pass
        else:
            return found.replace(_ASIDE, "\\")
    return language.escape.sub(language.resolve, text)


def escape(text: str, ends: Iterable[str], escapes: Escapes, only: str | None = None) -> str:
    """`text` that `ends` may end, with their first signs escaped if they can be: the inverse of `unescape`.

    `only`: the signs that are escaped, besides what escapes begin with, where that is said.
    """
    language = _LANGUAGES[escapes]
    firsts = () if LEAD[escapes] in _TWICE else sorted({end[:1] for end in ends})
    always = language.always if only is None else re.escape(LEAD[escapes])
    hidden = f"[{always}{''.join(map(re.escape, firsts if only is None else only))}]"
    return re.sub(hidden, lambda match: language.write(match[0]), text)


def whole_escapes(text: str, start: int, end: int, escapes: Escapes) -> int:
    """The end of the last escape in `text[start:end]` that cannot go on; `start` is not inside of one."""
    lead, opens = LEAD[escapes], _LANGUAGES[escapes].open.fullmatch
    if lead in _TWICE:
        return end - (run_before(text, start, end, lead) % 2)
    if lead != "\\":
        near = max(start, end - _LONGEST)
        while (near := text.find(lead, near, end)) >= 0:
            if opens(text, near, end) is not None:
                return near
            near += 1
        return end
    last = text.rfind(lead, max(start, end - _LONGEST), end)
    if last < 0 or not _is_escape(text, start, last) or opens(text, last, end) is None:
        return end
    # Half of a surrogate pair waits for the other half.
    before = last - 6
    while before >= start and _HIGH_SURROGATE.fullmatch(text, before, last) and _is_escape(text, start, before):
        last, before = before, before - 6
    return last


def _is_escape(text: str, start: int, at: int) -> bool:
    """True when the backslash `text[at]` is not itself escaped; `start` is not inside of an escape."""
    return run_before(text, start, at, "\\") % 2 == 0


def run_before(text: str, start: int, at: int, sign: str) -> int:
    """Number of `sign` in a row right before index `at` of `text`, counted from index `start` on."""
    first = at
    while first > start and text[first - 1] == sign:
        first -= 1
    return at - first


def hides(escapes: Escapes, text: str, start: int, at: int, before: int = 0, final: bool = True) -> bool | None:
    """True when the sign at index `at` of `text` is a part of an escape; None when more text is needed.

    The text begins at index `start`, perhaps after as many as `before` of what escapes begin with.
    """
    lead = LEAD[escapes]
    if lead != "\\" and (lead not in _TWICE or text[at] != lead):
        return False
    run = run_before(text, start, at, lead)
    run += before if run == at - start else 0
    if lead == "\\" or run % 2:
        return run % 2 == 1
    return text[at + 1] == lead if at + 1 < len(text) else None if not final else False


class Unescaped:
    """Text that arrives in pieces, with its escapes resolved; what may be the beginning of one waits for more."""

    __slots__ = ("_escapes", "_held")

    def __init__(self, escapes: Escapes) -> None:
        self._escapes, self._held = escapes, ""

    def more(self, text: str) -> str:
        """Read on in the text, and return what is new and sure."""
        text = self._held + text
        end = whole_escapes(text, 0, len(text), self._escapes)
        self._held = text[end:]
        return unescape(text[:end], self._escapes)

    def rest(self) -> str:
        """The text left at its end."""
        held, self._held = self._held, ""
        return unescape(held, self._escapes)
