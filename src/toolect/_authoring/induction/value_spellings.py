"""Codecs of values: how a string, a number or a whole object may be spelled in a text, and where it is found there.

A spelling finds a value from a place on, and says what the grammar has in its place: a slot, and the codec that the
entry gives it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from toolect._message import Json


def _json_escaped(text: str) -> str:
    both = (json.dumps(text, ensure_ascii=plain)[1:-1] for plain in (False, True))
    return _either(map(re.escape, dict.fromkeys(both)))


def _each(spelled: Callable[[str], str]) -> Callable[[str], str]:
    """The pattern of a text whose signs are each spelled so."""
    return lambda text: "".join(map(spelled, text))


_ENTITIES = {
    "&": "(?:&amp;|&#38;)", "<": "(?:&lt;|&#60;|<)", ">": "(?:&gt;|&#62;|>)", '"': '(?:"|&quot;|&#34;)',
    "'": "(?:'|&apos;|&#39;|&#x27;)", "\n": "(?:\n|&#10;)",
}  # fmt: skip
_PYTHON = {"\n": r"\\n", "\t": r"\\t", "\r": r"\\r", "\\": r"\\\\", '"': r'\\?"', "'": r"\\?'"}


def _percent(sign: str) -> str:
    if sign.isalnum() and sign.isascii():
        return sign
    return f"(?:{re.escape(sign)}|{''.join(f'%{byte:02X}' for byte in sign.encode())}{'|[+]' * (sign == ' ')})"


ESCAPES: Mapping[str, tuple[Callable[[str], str], str]] = {
    "": (re.escape, "TEXT"),
    "entities": (_each(lambda sign: _ENTITIES.get(sign) or re.escape(sign)), "TEXT_ENTITIES"),
    "json": (_json_escaped, "ESCAPED"),
    "python": (_each(lambda sign: _PYTHON.get(sign) or re.escape(sign)), "ESCAPED_PYTHON"),
    "apostrophes": (lambda text: re.escape(text.replace("'", "''")), "TEXT_APOSTROPHES"),
    "quotes": (lambda text: re.escape(text.replace('"', '""')), "TEXT_QUOTES"),
    "percent": (_each(_percent), "TEXT_PERCENT"),
    "signs": (_each(lambda sign: sign if sign.isalnum() else rf"\\?{re.escape(sign)}"), "ESCAPED_SIGNS"),
}
"""Spellings of the inside of a string, by the name of its escapes, and the slot in a value language."""

WORDS: Mapping[bool | None, tuple[str, ...]] = {
    True: ("true", "True", "TRUE", "yes", "on", "#t", "1", "T"),
    False: ("false", "False", "FALSE", "no", "off", "#f", "0", "F"),
    None: ("null", "None", "NULL", "nil", "~", "none"),
}
"""Spellings of the three words of JSON."""


@lru_cache(4096)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


class Finder(NamedTuple):
    """A pattern that finds a value in a text: as words, where they are that, or anywhere."""

    pattern: str
    words: bool = False

    def at(self, text: str, at: int) -> tuple[int, int] | None:
        """Span of the value if it begins at offset `at`."""
        found = _compiled(self.pattern).match(text, at)
        return found.span() if found else None

    def behind(self, text: str, at: int) -> tuple[int, int] | None:
        """Span of the first such value from offset `at` on."""
        ways = (rf"(?<![\w.+-]){self.pattern}(?!\w)",) * self.words + (self.pattern,)
        found = next(filter(None, (_compiled(way).search(text, at) for way in ways)), None)
        return found.span() if found else None


def word(text: str) -> Finder:
    """The finder of a name or a key, which stands as it is."""
    return Finder(re.escape(text), True)


class LiteralSyntax(NamedTuple):
    """Syntax of the literals of a language: quotes around strings, and around keys, with "" for none; a colon."""

    quotes: Sequence[str]
    keys: Sequence[str]
    words: Sequence[int] = (0,)
    """Indices in `WORDS` of the spellings of true, false and null."""
    colon: str = ":"


@dataclass(frozen=True, slots=True)
class ValueSpelling:
    """Spelling of values: in a slot with a codec, in a value language, or leaf by leaf in one that is induced."""

    slot: str = "TEXT"
    options: Mapping[str, Json] = field(default_factory=dict)
    strings: str = ""
    """The escapes of a string."""
    others: str = "json"
    """Spelling of all other values in a text: as JSON, as in Python, or as a chat template writes them."""
    literal: LiteralSyntax | None = None
    """Syntax of a whole value in a language."""
    leaves: bool = False
    """Each leaf is looked for by itself."""

    def finder(self, value: Json) -> Finder:
        """The finder of a value that is spelled so."""
        scalar = not isinstance(value, list | dict)
        if self.literal is not None:
            return Finder(self._literal(value, self.literal), scalar and not isinstance(value, str))
        escaped = ESCAPES[self.strings][0]
        if isinstance(value, str):
            return Finder(escaped(value), re.fullmatch(r"\w(.*\w)?", value, re.DOTALL) is not None)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return Finder(_number(value), True)
        texts = WORDS[value] if self.leaves and scalar else map(escaped, dict.fromkeys(_spelled(value, self.others)))
        return Finder(_either(texts), scalar)

    def _literal(self, value: Json, syntax: LiteralSyntax) -> str:
        """The pattern of a literal, however it is spaced."""
        match value:
            case str():
                inner = ESCAPES[self.strings][0](value)
                return _either(f"{quote}{inner}{quote}" for quote in syntax.quotes)
            case bool() | None:
                return _either(WORDS[value][i] for i in syntax.words)
            case int() | float():
                return _number(value)
            case list():
                opener, closer, items = r"\[", r"\]", [self._literal(item, syntax) for item in value]
            case _:
                opener, closer, keys = r"\{", r"\}", syntax._replace(quotes=syntax.keys)
                pairs = ((self._literal(key, keys), self._literal(item, syntax)) for key, item in value.items())
                items = [rf"{key}\s*{syntax.colon}\s*{item}" for key, item in pairs]
        return rf"{opener}\s*" + r"\s*,\s*".join(items) + rf"\s*{closer}"


def _either(texts: Iterable[str]) -> str:
    return "(?:" + "|".join(texts) + ")"


def _number(value: int | float) -> str:
    spelled = [json.dumps(value), repr(value), *([str(int(value))] if value == int(value) else [])]
    return _either(map(re.escape, dict.fromkeys(spelled))) + r"(?![\w.]*\w)"


def _spelled(value: Json, how: str) -> list[str]:
    """Texts that a value other than a string may be written as."""
    if how == "python" or how == "jinja" and not isinstance(value, list | dict):
        return [repr(value)]
    spaces = (", ", ": "), (",", ":")
    return [json.dumps(value, ensure_ascii=plain, separators=one) for one in spaces for plain in (False, True)]


_BOTH = ('"', "'")
LITERALS: tuple[ValueSpelling, ...] = (
    ValueSpelling("JSON", strings="json", literal=LiteralSyntax('"', '"')),
    ValueSpelling("python", strings="python", literal=LiteralSyntax(_BOTH, _BOTH, (0, 1))),
    ValueSpelling("python_double", strings="python", literal=LiteralSyntax(_BOTH, _BOTH, (0, 1))),
    ValueSpelling("javascript", strings="json", literal=LiteralSyntax('"', ("", '"'))),
    ValueSpelling("toml", strings="json", literal=LiteralSyntax(_BOTH, ("", *_BOTH), colon="=")),
    ValueSpelling("yaml_flow", strings="json", literal=LiteralSyntax((*_BOTH, ""), ("", *_BOTH))),
)
"""Languages of whole values: each in a slot, or a value language that comes with toolect."""


def _schema(escapes: str, others: str) -> ValueSpelling:
    options = {"codec": "schema", "spelling": others if others != "json" else "", "escapes": escapes}
    return ValueSpelling("TEXT", {key: value for key, value in options.items() if value}, escapes, others)


TEXTS = tuple(
    _schema(escapes, others)
    for escapes in ("", "entities", "percent", "json", "apostrophes", "quotes", "signs", "python")
    for others in ("json", "python", "jinja")
)
"""Raw text whose types the tools' schemas say."""
LEAVES = tuple(ValueSpelling(slot, {}, escapes, leaves=True) for escapes, (_, slot) in ESCAPES.items())
"""A value language that is induced: each leaf by itself."""
MIXED = tuple(ValueSpelling(slot, {}, escapes) for escapes, (_, slot) in ESCAPES.items())
"""Strings between markers of their own, and all else as JSON."""
