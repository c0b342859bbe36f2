"""Cache of what came back as it was written: kinds of calls and texts of tools, which need not be read back again."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from math import isfinite
from typing import Any, TypeAlias

import msgspec

from toolect._chats.answers import Answers
from toolect._chats.comparing import calls_of, is_same_call
from toolect._chats.control_tokens import any_of
from toolect._chats.marker_scan import Scan
from toolect._chats.told_tools import TEXT
from toolect._chats.value_ends import ValueEnds
from toolect._message import Call, Json, Status
from toolect._transcript import Origin, Transcript
from toolect.conversation import Conversation

Kind: TypeAlias = tuple[Any, ...]
MAX_DEPTH = 8
"""How deep the arguments of a call are looked into. Beyond it: it is read back."""
MAX_KINDS = 4096
"""Kinds that are kept at a time. Beyond it: all are forgotten, and found out anew."""
MAX_TOOLS, MAX_TEXT = 256, 1 << 16
"""Texts of tools that are kept at a time, and the characters of one. Beyond it: as with kinds."""
MAX_DIGITS = 15
"""Digits of a number that every notation carries."""
_is_id = re.compile(r"[A-Za-z0-9_.:-]*").fullmatch
_is_name = re.compile(r"[A-Za-z0-9_.:/-]+").fullmatch
_is_words = re.compile(r"[^\W\d_][\w .,:;!?/@%+=()-]*(?<!\s)").fullmatch
_is_prose = re.compile(r"[\w#$@./-][^\\&\0-\t\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028\u2029\ufeff]*(?<!\s)").fullmatch
_is_number = re.compile(r"[+-]?(0[xob][\da-f_]+|[\d_.,]+(e[+-]?\d+)?|\.\d+)j?", re.IGNORECASE).fullmatch
_signs = re.compile(r"[^\w .,]").findall
_VALUES = frozenset("true false null none nan inf infinity undefined nil yes no on off".split())  # noqa: SIM905
"""Words that are values in some notation."""
_SIMPLE = frozenset(("type", "description", "title", "enum", "default", "examples", "format", "minimum", "maximum"))
"""What may be said of an argument of one type."""
_AROUND = frozenset(("type", "properties", "required", "description", "title", "additionalProperties", "$schema"))
"""What may be said of all arguments."""
_encode = msgspec.json.Encoder().encode


class _UnusualCallError(ValueError):
    """A call that is always read back."""


_UNUSUAL = TypeError, ValueError, OverflowError, RecursionError
"""What is raised of such a call, its own error among them."""


class ReadBackCache:
    """What came back in one chat: kinds of calls, by name, by type and by the signs of texts, and texts of tools."""

    def __init__(self, scan: Scan, answers: Answers) -> None:
        self._scan, self._answers = scan, answers
        self._ends = ValueEnds(answers)
        self._known: set[Kind] = set()
        self.tools: set[str] = set()

    def has(self, calls: Sequence[Call], tools: Sequence[Mapping[str, Any]]) -> bool:
        """True when all of the calls are of kinds that came back."""
        try:
            return all(self._known.issuperset(self._kinds(call, tools)) for call in calls)
        except _UNUSUAL:
            return False

    def is_harmless(self, calls: Sequence[Call], tools: Sequence[Mapping[str, Any]]) -> bool:
        """True when the names of the calls came back, and no argument holds what might end it.

        Such a call is one call whatever it loses; what it loses is not known.
        """
        try:
            return all(next(self._kinds(one, tools)) in self._known and self._ends.none_in(one) for one in calls)
        except _UNUSUAL:
            return False

    def learn(self, given: Conversation, text: Transcript, back: Conversation) -> None:
        """Keep what of a conversation was read `back` from its text as it is."""
        if len(self.tools) > MAX_TOOLS:
            self.tools = set()
        self.tools |= {one for one, origin, *_ in text.pieces if origin is Origin.TOOLS and len(one) < MAX_TEXT}
        was, now = calls_of(given.turns), calls_of(back.turns)
        if len(was) != len(now):
            return
        if len(self._known) > MAX_KINDS:
            self._known = set()
        for one, two in zip(was, now, strict=True):
            if is_same_call(one, two):
                with suppress(*_UNUSUAL):  # its name is known all the same
                    for kind in self._kinds(one, given.tools):
                        self._known.add(kind)

    def _kinds(self, call: Call, tools: Sequence[Mapping[str, Any]]) -> Iterator[Kind]:
        """The kinds of a call's name and of its arguments, each by what its tool declares."""
        arguments = call.arguments
        if call.status is not Status.OK or not isinstance(arguments, dict):
            raise _UnusualCallError
        if _is_id(call.id or "") is None or _is_name(call.name) is None:
            raise _UnusualCallError
        schema = _schema_of(call.name, tools)
        name: Json = self._name(call.name)
        if name or schema is None:
            name = call.name, *(tool.get("function", tool).get("name") for tool in tools)
        yield "call", name, call.spelling is None, min(len(arguments), 2), bool(tools)
        properties = schema.get("properties") if schema else None
        properties = properties if isinstance(properties, dict) else {}
        around = _encode({**schema, "properties": None}) if schema and not schema.keys() <= _AROUND else b""
        for key, value in arguments.items():
            declared = _declared(properties[key]) if key in properties else ""
            yield "argument", name, self._name(key), declared, around, self._kind(value, 0)

    def _name(self, name: str) -> str:
        """A name that is not like any other; empty for one that is."""
        if _is_name(name) is None:
            raise _UnusualCallError
        return "" if name.isidentifier() and not self._answers.has_word(name) else name

    def _kind(self, value: Json, depth: int) -> Kind:
        """What decides how a value is read, at any depth."""
        kind = type(value)
        if kind is str:
            return self._kind_of_text(value)
        if kind is bool or value is None:
            return "word", value
        if kind is int and -(2**53) < value < 2**53:
            return "int", value < 0
        if kind is float and isfinite(value) and not value.is_integer() and "e" not in repr(value):
            return "float", value < 0
        if depth < MAX_DEPTH:
            if kind is dict:
                return "object", frozenset((self._name(key), self._kind(one, depth + 1)) for key, one in value.items())
            if kind is list:
                return "list", len(value) > 1, frozenset(self._kind(one, depth + 1) for one in value)
        raise _UnusualCallError

    def _kind_of_text(self, text: str) -> Kind:
        if not text:
            return ("no text",)
        if self._beginnings.search(text) or not self._answers.is_text((text,), ()):
            raise _UnusualCallError
        if _is_words(text):
            return "words", text if text.lower() in _VALUES else ""
        if text.isdecimal():
            return "digits", text.isascii(), text[0] == "0", text == "0", len(text) > MAX_DIGITS
        if not _is_prose(text) or _is_number(text):
            raise _UnusualCallError
        ends = [sign if _signs(sign) else sign.isalpha() for sign in (text[0], text[-1])]
        return "prose", *ends, frozenset(_signs(text))

    @cached_property
    def _beginnings(self) -> re.Pattern[str]:
        """Finds what markers begin with."""
        words = {word.strip() for word in (*self._scan.tokens, *self._scan.cores, *self._answers.markers)}
        return any_of({word if word[0].isalnum() else word[:2] for word in words if word})


def _schema_of(name: str, tools: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """What the one tool of this name declares; None where there is none."""
    found = None
    for tool in tools:
        inner = tool.get("function", tool)
        if tool.get("type") == TEXT or inner.get("name") == name and found is not None:
            raise _UnusualCallError
        if inner.get("name") == name:
            found = inner.get("parameters") or {}
    if found is not None and not isinstance(found, dict):
        raise _UnusualCallError
    return found


def _declared(schema: Json) -> Json:
    """The type that a schema declares; where it says more than that, all of it as JSON."""
    if isinstance(schema, dict) and isinstance(kind := schema.get("type"), str) and schema.keys() <= _SIMPLE:
        return kind
    return _encode(schema)
