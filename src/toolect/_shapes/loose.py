"""Whether JSON begins as a call, and where it ends when it is broken: found as it arrives."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from enum import Enum
from functools import lru_cache

from toolect._shapes.alternatives import items, objects, once, options
from toolect._shapes.meant import CLOSING
from toolect._spec.shape_model import Keyed, Many, Obj, Shape
from toolect.message import dumps

MAX_GUESSES = 16
"""How often in one text broken bare JSON is taken for a call and is none, or is written again. Beyond it: content."""
MAX_GUESS = 1 << 15
"""Characters of broken bare JSON that may be a call. Beyond it: content."""

QUOTES = "\"'“”„‘’«»"
"""What models write for quotes."""
_BLANK = r"(?:\s|//[^\n]*\n|/\*(?:[^*]|\*(?!/))*\*/|\#[^\n]*\n)*"
_BEFORE_KEY = re.compile(rf"""(?:\[{_BLANK})?\{{?{_BLANK}[{QUOTES}]?""")
_WORD = re.compile(r"\w*")
_AFTER_KEY = re.compile(rf"""[{QUOTES}]?\s*""")
_NEAR = 512  # characters in which the first key must be
_TEXTS = 4
"""Texts that may come before the arguments of a call without its marker: an id, a type, the name."""
_OPENERS = {"{": "}", "[": "]"}


class Guess(Enum):
    """Whether broken JSON begins with a key of the shape."""

    YES = 1
    NO = 2
    MORE = 3
    """More text is needed to know."""


@once
def keys_of(shape: Shape) -> frozenset[str]:
    """The keys of the outermost objects that `shape` describes, and of the items of its lists."""
    kinds = options(shape)
    found = objects((*kinds, *items(kinds)))
    return frozenset(key for o in found if isinstance(o, Obj) for field in o.fields for key in field.keys)


def _keys(shape: Shape) -> str | None:
    """What matches a key of a call in `shape`, in its quotes; None where no object is first."""
    first = options(shape)[0]
    first = options(first.item)[0] if isinstance(first, Many) else first
    if not isinstance(first, Obj):
        return None
    return "|".join(re.escape(dumps(key)) for field in first.fields for key in field.keys)


@once
def first_keys(shape: Shape) -> tuple[re.Pattern[str], re.Pattern[str]] | None:
    """What matches how a call in `shape` begins, and what matches a first key that is none of it.

    It begins with two keys, or with one and an object.
    """
    keys = _keys(shape)
    if keys is None:
        return None
    before = r"(?:\[\s*)?\{\s*"
    string = r'"(?:[^"\\]|\\.)*"'
    whole = rf"{before}(?:{keys})\s*:\s*(?:{string}\s*,\s*(?:{keys})\s*:|\{{)"
    return re.compile(whole), re.compile(rf'{before}(?:(?!{keys}){string}|[^\s"])|\[\s*[^\s{{]')


@once
def bare_keys(shape: Shape) -> tuple[re.Pattern[str], re.Pattern[str]] | None:
    """What matches the beginning of a call in `shape` up to its arguments, and what matches a beginning that is none.

    Texts come first, the name among them: the group has their keys and values.
    """
    before = r"(?:\[\s*+)?+\{\s*+"
    if any(isinstance(kind, Keyed) for kind in objects((*options(shape), *items(options(shape))))):
        name = r'"([\w.:/-]++)"'
        no = r'[^\s"]|"[\w.:/-]*+[^\w.:/"-]|"[\w.:/-]*+"\s*+(?:[^\s:]|:\s*+[^\s{])'
        return re.compile(rf"{before}{name}\s*+:\s*+\{{"), re.compile(rf"\[\s*+[^\s{{]|{before}(?:{no})")
    keys = _keys(shape)
    if keys is None:
        return None
    string = r'"(?:[^"\\\n]|\\.)*+"'
    texts = rf"(?:(?:{keys})\s*+:\s*+{string}\s*+,\s*+)"
    no = rf"(?:(?!{keys}){string}|[^\s\"]|(?:{keys})\s*+(?:[^\s:]|:\s*+(?:[^\s\"]|{string}\s*+[^\s,])))"
    return (
        re.compile(rf'{before}({texts}{{1,{_TEXTS}}}?)(?:{keys})\s*+:\s*+"?+\s*+\{{'),
        re.compile(rf"\[\s*+[^\s{{]|{before}{texts}*+{no}"),
    )


_ITEM = re.compile(r"\}\s*+,\s*+(?=\{)")
_KEYED = re.compile(r'\{\s*+"([^"\\\n]{1,256})"\s*+:\s*+\{')


def next_item(text: str, keys: frozenset[str], tools: Container[str]) -> int:
    """Where the next item of a list that is a call with one of `keys` begins in `text`; -1 for none.

    It has a text there, and the next key, or an object; or it is an object under the name of a declared tool.
    """
    begins = _item(keys) if keys else None
    for sign in _ITEM.finditer(text):
        at = sign.end()
        if begins is not None:
            if begins.match(text, at) is not None:
                return at
        elif (match := _KEYED.match(text, at)) is not None and match[1] in tools:
            return at
    return -1


@lru_cache(maxsize=64)
def _item(keys: frozenset[str]) -> re.Pattern[str]:
    """What matches the beginning of an object with `keys`. Signs that are escaped are those of a string."""
    key = "|".join(re.escape(dumps(one)) for one in sorted(keys))
    string = r'"(?:[^"\\\n]|\\.)*+"'
    return re.compile(rf"\{{\s*+(?:{key})\s*+:\s*+(?:{string}\s*+,\s*+(?:{key})\s*+:|\{{)")


def guess(text: str, keys: frozenset[str]) -> Guess:
    """Does the broken JSON `text` begin with one of `keys`, in quotes or not?"""
    text = text[:_NEAR]
    more = Guess.MORE if len(text) < _NEAR else Guess.NO
    at = _BEFORE_KEY.match(text).end()  # type: ignore[union-attr]  # matches the empty string
    word = _WORD.match(text, at)[0]  # type: ignore[index]
    after = _AFTER_KEY.match(text, at + len(word)).end()  # type: ignore[union-attr]
    if at + len(word) == len(text):
        return more if any(key.startswith(word) for key in keys) else Guess.NO
    if word not in keys:
        return more if not word and text[at] in "/#" else Guess.NO  # a comment may not be over
    if after == len(text):
        return more
    quoted = text[at - 1] in QUOTES and text[at + len(word)] in QUOTES
    return Guess.YES if text[after] == ":" or quoted and text[after] in '"{[' else Guess.NO


def begins_call(text: str, at: int, shape: Shape) -> Guess:
    """Is what begins at index `at`, which is no JSON, a call in `shape`?"""
    return guess(text[at : at + _NEAR], keys_of(shape))


class LooseEnd:
    """Looks for the end of broken JSON in which the brackets `opened` are open.

    A quote closes a string only where a comma, a colon or a closing bracket follows. An object that follows another
    one, inside of an object, is a value of its own: the first was not closed.
    """

    __slots__ = ("_open", "_escaped", "_maybe", "_quote", "_before", "_closed")

    def __init__(self, opened: Iterable[str], in_string: bool, after_value: bool) -> None:
        self._open = list(opened)
        self._quote = '"' if in_string else ""
        self._escaped = False
        self._maybe = False  # a quote came that may have closed the string
        self._closed = after_value  # nothing but commas came after a closing bracket
        self._before = "" if after_value else ","  # the last character that is no blank

    @property
    def closed(self) -> bool:
        """True once no bracket is open."""
        return not self._open

    def find(self, text: str, pos: int) -> int:
        """The index in `text` where the value ends, from `pos` on, or -1 if it goes on."""
        for at in range(pos, len(text)):
            char = text[at]
            if self._quote and not self._closes(char):
                continue
            if char in CLOSING and (char == '"' or self._before in "{[,:"):
                self._quote = CLOSING[char]
                self._escaped = self._maybe = False
            elif char == "{" and self._closed and self._open[-1:] == ["{"]:
                return at
            elif char in _OPENERS:
                self._open.append(char)
            elif char in "}]" and self._open:
                self._open.pop()
                if not self._open:
                    return at + 1
            elif char.isspace():
                continue
            self._closed = char in "}]" or char == "," and self._closed
            self._before = char
        return -1

    def _closes(self, char: str) -> bool:
        """Inside a string: is it over, and `char` the next of what follows?"""
        if self._maybe:
            if char.isspace():
                return False
            self._maybe = False
            if char in ",:}]":
                self._quote, self._closed = "", False
                self._before = '"'
                return True
        if self._escaped:
            self._escaped = False
        elif char == "\\":
            self._escaped = True
        elif char in self._quote:
            self._maybe = True
        return False
