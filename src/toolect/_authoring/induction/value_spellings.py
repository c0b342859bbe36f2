"""Codecs of values: how a string, a number or a whole object may be spelled in a text, and where it is found there.

A spelling finds a value from a place on, and says what the grammar has in its place: a slot, and the codec that the
entry gives it. Nothing is evaluated: literals are parsed as data.
"""

from __future__ import annotations

import ast
import json
import re
import tomllib
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

import yaml

from toolect._message import Json, dumps, same_json

REACH = 4000
"""Characters between a key and its value that are looked through."""

Span = tuple[int, int]


def _json_escaped(text: str) -> str:
    both = (json.dumps(text, ensure_ascii=plain)[1:-1] for plain in (False, True))
    return "(?:" + "|".join(re.escape(one) for one in dict.fromkeys(both)) + ")"


def _each(text: str, spelled: Callable[[str], str]) -> str:
    return "".join(map(spelled, text))


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
    "entities": (lambda s: _each(s, lambda c: _ENTITIES.get(c) or re.escape(c)), "TEXT_ENTITIES"),
    "json": (_json_escaped, "ESCAPED"),
    "python": (lambda s: _each(s, lambda c: _PYTHON.get(c) or re.escape(c)), "ESCAPED_PYTHON"),
    "apostrophes": (lambda s: re.escape(s.replace("'", "''")), "TEXT_APOSTROPHES"),
    "quotes": (lambda s: re.escape(s.replace('"', '""')), "TEXT_QUOTES"),
    "percent": (lambda s: _each(s, _percent), "TEXT_PERCENT"),
    "signs": (lambda s: _each(s, lambda c: rf"\\?{re.escape(c)}" if not c.isalnum() else c), "ESCAPED_SIGNS"),
}
"""How the inside of a string may be written, by the name of its escapes, and the slot in a value language."""

WORDS: Mapping[bool | None, tuple[str, ...]] = {
    True: ("true", "True", "TRUE", "yes", "on", "#t", "1", "T"),
    False: ("false", "False", "FALSE", "no", "off", "#f", "0", "F"),
    None: ("null", "None", "NULL", "nil", "~", "none"),
}
"""Spellings of the three words of JSON."""


def _number(value: int | float) -> str:
    spelled = [json.dumps(value), repr(value), *([str(int(value))] if value == int(value) else [])]
    return "(?:" + "|".join(re.escape(one) for one in dict.fromkeys(spelled)) + r")(?![\w.]*\w)"


@lru_cache(4096)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


class Finder(NamedTuple):
    """What finds a value in a text: where it ends if it begins at a place, and where it stands next from a place on."""

    at: Callable[[str, int], int | None]
    find: Callable[[str, int], Span | None]
    value: Json = ""


def pattern(regex: str, words: bool = False, value: Json = "", times: int = 0) -> Finder:
    """The finder of texts that match, after some that match, too: as words, where they are that, or anywhere."""
    ways = (rf"(?<![\w.+-]){regex}(?!\w)",) * words + (regex,)

    def at(text: str, at: int) -> int | None:
        found = _compiled(regex).match(text, at)
        return found.end() if found else None

    def find(text: str, at: int, times: int = times) -> Span | None:
        found = next(filter(None, (_compiled(way).search(text, at) for way in ways)), None)
        return find(text, found.end() if found else at, times - 1) if times else found.span() if found else None

    return Finder(at, find, value)


def word(text: str, times: int = 0) -> Finder:
    """The finder of a name or a key, which stands as it is, after it has stood some times more."""
    return pattern(re.escape(text), True, times=times)


def known(start: int, end: int) -> Finder:
    """The finder of a value whose place is known."""
    return Finder(lambda _, at: end if at == start else None, lambda _, at: (start, end) if at <= start else None)


@dataclass(frozen=True, slots=True)
class ValueSpelling:
    """How values are written: in a slot with a codec, in a value language, or leaf by leaf in one that is induced."""

    slot: str = "TEXT"
    options: Mapping[str, Json] = field(default_factory=dict)
    strings: str = ""
    """The escapes of a string."""
    others: str = "json"
    """How all else is spelled in a text: as JSON, as in Python, as a chat template does, or as nothing but words."""
    read: Callable[[str], Json] | None = None
    """What reads a whole literal."""
    leaves: bool = False
    """Each leaf is looked for by itself."""

    def finder(self, value: Json) -> Finder:
        """What finds a value that is spelled so."""
        if self.read is not None:
            return self._literal(value)
        escaped = ESCAPES[self.strings][0]
        if isinstance(value, str):
            return pattern(escaped(value), re.fullmatch(r"\w(.*\w)?", value, re.DOTALL) is not None, value)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return pattern(_number(value), True, value)
        words = self.leaves and not isinstance(value, list | dict)
        texts = WORDS[value] if words else (escaped(one) for one in dict.fromkeys(_spelled(value, self.others)))
        return pattern("(?:" + "|".join(texts) + ")", not isinstance(value, list | dict), value)

    def _literal(self, value: Json) -> Finder:
        read, longest = self.read or json.loads, 8 * len(dumps(value)) + 64

        def at(text: str, at: int) -> int | None:
            end = _extent(text[: at + longest], at)
            try:
                return end if end > at and same_json(read(text[at:end]), value) else None
            except (ValueError, SyntaxError, RecursionError, MemoryError, yaml.YAMLError, TypeError):
                return None

        def find(text: str, start: int) -> Span | None:
            places = (one.start() for one in _LITERAL.finditer(text, start, start + REACH))
            return next(((place, end) for place in places if (end := at(text, place)) is not None), None)

        return Finder(at, find, value)


_LITERAL = re.compile(r"""["'\[{]|(?<![\w.+-])[-+.\w]""")
_QUOTED_OR_SIGN = re.compile(r"""(["'])(?:\\.|(?!\1)[^\\])*\1|[\[{()\]}]|["'].*""", re.DOTALL)
"""A quoted text, a bracket, or a quote that is not closed."""


def _extent(text: str, at: int) -> int:
    """Where a literal ends: behind its brackets, its quotes, or its word."""
    if text[at : at + 1] not in ("[", "{", '"', "'"):
        found = _compiled(r"[-+.\w]+").match(text, at)
        return found.end() if found else at
    depth = 0
    for piece in _QUOTED_OR_SIGN.finditer(text, at):
        depth += (piece[0] in "[{(") - (piece[0] in ")]}")
        if not depth:
            return piece.end()
    return at


def _spelled(value: Json, how: str) -> Iterator[str]:
    """Texts that a value other than a string may be written as."""
    if how == "python" or how == "jinja" and not isinstance(value, list | dict):
        yield repr(value)
        return
    for separators in ((", ", ": "), (",", ":")):
        for plain in (False, True):
            yield json.dumps(value, ensure_ascii=plain, separators=separators)


def _script(text: str) -> Json:
    """A literal of JavaScript: JSON with bare keys."""
    keyed = re.sub(r'("(?:[^"\\]|\\.)*")|([A-Za-z_$][\w$]*)(?=\s*:)', lambda m: m[1] or f'"{m[2]}"', text)
    return json.loads(keyed)


def _python(text: str) -> Json:
    with suppress(ValueError):
        return json.loads(text)  # as templates write lists and objects
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        return json.loads(json.dumps(ast.literal_eval(text)))


LITERALS: tuple[ValueSpelling, ...] = (
    ValueSpelling("JSON", read=json.loads),
    ValueSpelling("python", read=_python),
    ValueSpelling("python_double", read=_python),
    ValueSpelling("javascript", read=_script),
    ValueSpelling("toml", read=lambda text: tomllib.loads(f"x = {text}")["x"]),
    ValueSpelling("yaml_flow", read=yaml.safe_load),
)
"""Languages of whole values: each in a slot, or a value language that comes with toolect."""


def _schema(escapes: str, others: str) -> ValueSpelling:
    options: dict[str, Json] = {"codec": "schema", "spelling": others, "escapes": escapes}
    options = {key: value for key, value in options.items() if value and (key, value) != ("spelling", "json")}
    return ValueSpelling("TEXT", options, escapes, others)


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
