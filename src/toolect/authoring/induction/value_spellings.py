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

import yaml

from toolect.message import Json, same_json

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


@dataclass(frozen=True, slots=True)
class Pattern:
    """Texts that a value may be spelled as, as a regular expression."""

    text: str
    words: bool = False
    """It begins and ends as a word does, and is looked for as one."""

    def at(self, text: str, at: int) -> int | None:
        """Where the value ends that begins at a place."""
        found = _compiled(self.text).match(text, at)
        return found.end() if found else None

    def find(self, text: str, at: int) -> Span | None:
        """The first place from `at` on: as a word, where it is one, or else anywhere."""
        for pattern in (rf"(?<![\w.+-]){self.text}(?!\w)",) * self.words + (self.text,):
            if found := _compiled(pattern).search(text, at):
                return found.span()
        return None


def word(text: str) -> Pattern:
    """A name or a key, which stands as it is."""
    return Pattern(re.escape(text), True)


def _is_word(text: str) -> bool:
    return bool(re.fullmatch(r"\w(.*\w)?", text, re.DOTALL))


@dataclass(frozen=True, slots=True)
class Spelling:
    """How values are written: in a slot with a codec, in a value language, or leaf by leaf in one that is induced."""

    title: str
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
    numbers: bool = True

    def pattern(self, value: Json) -> Pattern | None:
        """What a value looks like; None for one of a literal, which `literal` finds."""
        escaped = ESCAPES[self.strings][0]
        if self.leaves:
            if isinstance(value, str):
                return Pattern(escaped(value), _is_word(value))
            if isinstance(value, bool) or value is None:
                return Pattern("(?:" + "|".join(map(re.escape, WORDS[value])) + ")", True)
            return Pattern(_number(value), True) if isinstance(value, int | float) else None
        if isinstance(value, str):
            return Pattern(escaped(value), _is_word(value))
        if isinstance(value, int | float) and not isinstance(value, bool):
            return Pattern(_number(value), True)
        texts = dict.fromkeys(_spelled(value, self.others))
        return Pattern("(?:" + "|".join(map(escaped, texts)) + ")", not isinstance(value, list | dict))

    def at(self, text: str, at: int, value: Json) -> int | None:
        """Where a value ends that begins at a place; None where there is another one."""
        if self.read is None:
            pattern = self.pattern(value)
            return pattern.at(text, at) if pattern else None
        end = _extent(text, at)
        try:
            return end if end > at and same_json(self.read(text[at:end]), value) else None
        except (ValueError, SyntaxError, RecursionError, MemoryError, yaml.YAMLError, TypeError):
            return None

    def find(self, text: str, at: int, value: Json) -> Span | None:
        """Where a value stands next."""
        if self.read is None:
            pattern = self.pattern(value)
            return pattern.find(text, at) if pattern else None
        for begins in _LITERAL.finditer(text, at, at + REACH):
            if (end := self.at(text, begins.start(), value)) is not None:
                return begins.start(), end
        return None


_LITERAL = re.compile(r"""["'\[{]|(?<![\w.+-])[-+.\w]""")


def _extent(text: str, at: int) -> int:
    """Where a literal ends: behind its brackets, its quotes, or its word."""
    depth, quote, i = 0, "", at
    if text[at : at + 1] not in ("[", "{", '"', "'"):
        found = _compiled(r"[-+.\w]+").match(text, at)
        return found.end() if found else at
    while i < len(text):
        sign = text[i]
        if quote:
            i += sign == "\\"
            quote = "" if sign == quote else quote
        elif sign in "\"'":
            quote = sign
        elif sign in "[{(":
            depth += 1
        elif sign in ")]}":
            depth -= 1
        i += 1
        if not depth and not quote:
            return i
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


def _toml(text: str) -> Json:
    return tomllib.loads(f"x = {text}")["x"]


def _python(text: str) -> Json:
    with suppress(ValueError):
        return json.loads(text)  # as templates write lists and objects
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        return json.loads(json.dumps(ast.literal_eval(text)))


LITERALS: tuple[Spelling, ...] = (
    Spelling("JSON", "JSON", read=json.loads),
    Spelling("Python literals", "python", read=_python),
    Spelling("Python literals in double quotes", "python_double", read=_python),
    Spelling("JavaScript literals", "javascript", read=_script),
    Spelling("TOML", "toml", read=_toml),
    Spelling("YAML's flow style", "yaml_flow", read=yaml.safe_load),
)
"""Languages of whole values: each in a slot, or a value language that comes with toolect."""


def _texts() -> Iterator[Spelling]:
    for escapes in ("", "entities", "percent", "json", "apostrophes", "quotes", "signs", "python"):
        for others in ("json", "python", "jinja"):
            options: dict[str, Json] = {"codec": "schema"}
            options |= {"spelling": others} if others != "json" else {}
            options |= {"escapes": escapes} if escapes else {}
            title = f"raw text, all else as in {others}" + (f", escapes of {escapes}" if escapes else "")
            yield Spelling(title, "TEXT", options, escapes, others)


TEXTS = tuple(_texts())
"""Raw text whose types the tools' schemas say."""
LEAVES = tuple(
    Spelling(f"strings with {escapes or 'no'} escapes, leaf by leaf", slot, {}, escapes, leaves=True)
    for escapes, (_, slot) in ESCAPES.items()
)
"""A value language that is induced: each leaf by itself."""
MIXED = tuple(
    Spelling(f"strings with {escapes or 'no'} escapes, all else JSON", slot, {}, escapes, "json")
    for escapes, (_, slot) in ESCAPES.items()
)
"""Strings between markers of their own, and all else as JSON."""
