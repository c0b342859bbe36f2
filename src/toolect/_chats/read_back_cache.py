"""Cache of what came back as it was written: kinds of calls and texts of tools, which need not be read back again."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, lru_cache
from math import isfinite
from string import ascii_letters, digits
from typing import Any, NamedTuple, TypeAlias

import msgspec

from toolect._building.quotation import QUOTES, line_before, quoted
from toolect._chats.answers import Answers
from toolect._chats.control_tokens import Needles, any_of
from toolect._chats.conversation_diff import Change, is_same_call
from toolect._chats.marker_scan import HeldText, Scan
from toolect._chats.prompt_tools import TEXT, is_json, read_definition
from toolect._message import Call, Json, Status
from toolect._spec.grammar_model import SlotKind
from toolect._spec.model import Role
from toolect._transcript import Given

Kind: TypeAlias = tuple[Any, ...]
MAX_DEPTH = 8
"""Depth to which the arguments of a call are looked into. Beyond it: it is read back."""
MAX_KINDS = 4096
"""Kinds that are kept at a time. Beyond it: all are forgotten, and found out anew."""
MAX_TOOLS, MAX_BYTES = 256, 1 << 16
"""Lists of tools that are kept at a time, and the bytes of one as JSON. Beyond it: as with kinds."""
MAX_CALLS = 512
"""Calls that are kept of one list of tools. Beyond it: as with kinds."""
MAX_DIGITS = 15
"""Digits of a number that every notation carries."""
_is_id = re.compile(r"[A-Za-z0-9_.:-]*").fullmatch
_is_name = re.compile(r"[A-Za-z0-9_.:/-]+").fullmatch
_WORDS = frozenset(f"{ascii_letters}{digits}_ .,")
_SENTENCE = r"[\w .,:;!?/@%+=()-]"
_are_of_words = re.compile(f"{_SENTENCE}+").fullmatch
_is_prose = re.compile(r"[\w#$@./<{\[\"-][^\\\0-\t\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028\u2029\ufeff]*(?<!\s)").fullmatch
_is_number = re.compile(r"[+-]?(0[xob][\da-f_]+|[\d_.,]+(e[+-]?\d+)?|\.\d+)j?", re.IGNORECASE).fullmatch
_escapes = re.compile(r"\\.?|&(?:#?\w+;)?", re.DOTALL).findall
_OPENERS = frozenset('{["')
_QUOTES = frozenset("\n").union(QUOTES)
"""Signs that together decide how a text is spelled."""
_counted = re.compile(r"[1-9]\d*").sub
_VALUES = frozenset("true false null none nan inf infinity undefined nil yes no on off".split())  # noqa: SIM905
"""Words that are values in some notation."""
MAX_VALUE = max(map(len, _VALUES))
_SIMPLE = frozenset(("type", "description", "title", "enum", "default", "examples", "format", "minimum", "maximum"))
"""Keywords of an argument's schema of which only the type counts."""
_AROUND = frozenset(("type", "properties", "required", "description", "title", "additionalProperties", "$schema"))
"""Keywords of the schema around the arguments that do not change how they are read."""
_encode = msgspec.json.Encoder().encode


def _signs(text: str) -> frozenset[str]:
    """The signs of a text, a backslash with what it may be an escape of, entities as they are."""
    signs = frozenset(text) - _WORDS
    if not text.isascii():
        signs = frozenset(sign for sign in signs if not sign.isalnum())
    return signs.union(_escapes(text)) if "\\" in signs or "&" in signs else signs


class _Declared(NamedTuple):
    """Declaration of a tool: its name if that is a kind of its own, the kinds of its arguments, and all else of its
    schema.
    """

    name: Json
    arguments: dict[str, Json]
    around: bytes


class ListedTools(NamedTuple):
    """One list of tools, with a cache for it: declarations by name, calls whose kinds all came back, the text of the
    list in each place, and the losses of the list, where it is written and where it is not.
    """

    tools: Sequence[Mapping[str, Any]]
    declared: dict[str, _Declared]
    same: set[Kind]
    written: dict[tuple[Any, ...], tuple[list[Given], list[HeldText]]]
    losses: dict[bool, tuple[Change, ...]]


class _UnusualCallError(ValueError):
    """A call that is always read back."""


_UNUSUAL = TypeError, ValueError, OverflowError, RecursionError
"""Errors raised for such a call, its own among them."""


class ReadBackCache:
    """Cache of what came back in a chat: kinds of calls, by name, by type and by signs of texts, and texts of tools."""

    def __init__(self, scan: Scan, answers: Answers) -> None:
        self._scan, self._answers = scan, answers
        self._known: dict[Kind, bool] = {}
        """Kinds that were read as the same call; True where they came back as they were."""
        self._lists: dict[bytes, ListedTools] = {}
        """By the tools as JSON."""
        self._name = lru_cache(MAX_KINDS)(self._kind_of_name)
        self.definitions = lru_cache(MAX_TOOLS)(self._read_definitions)
        """The tools that are read of their texts."""

    def listed(self, tools: Sequence[Mapping[str, Any]]) -> ListedTools:
        """Return these tools with their cache; a new one for very large ones, and for those that are no JSON."""
        try:
            key = _encode(tools)
        except _UNUSUAL:
            key = b""
        found = self._lists.get(key)
        if found is None:
            found = ListedTools(tools, {}, set(), {}, {})
            if 0 < len(key) < MAX_BYTES:
                if len(self._lists) >= MAX_TOOLS:
                    self._lists = {}
                self._lists[key] = found
        return found

    def has(self, calls: Sequence[Call], listed: ListedTools) -> bool:
        """True when all of the calls are of kinds that came back."""
        try:
            for call in calls:
                whole = self._whole(call)
                if whole not in listed.same:
                    if not all(self._known.get(kind) or self._has_parts(kind) for kind in self._kinds(call, listed)):
                        return False
                    if len(listed.same) >= MAX_CALLS:
                        listed.same.clear()
                    listed.same.add(whole)
        except _UNUSUAL:
            return False
        return True

    def _whole(self, call: Call) -> Kind:
        """The keys of a call, and the kinds of what stands under each."""
        arguments = call.arguments
        if call.status is not Status.OK or type(arguments) is not dict or _is_id(call.id or "") is None:
            raise _UnusualCallError
        return call.name, call.spelling is None, *arguments, *[self._kind(value, 0) for value in arguments.values()]

    def _has_parts(self, kind: Kind) -> bool:
        """True for a kind whose parts came back in others."""
        if kind[0] != "argument" or not all(map(self._known.get, _parts(kind))):
            return False
        self._add(kind, True)
        return True

    def _add(self, kind: Kind, is_same: bool) -> None:
        if len(self._known) > MAX_KINDS:
            self._known = {}
        self._known[kind] = is_same or self._known.get(kind, False)

    def is_harmless(self, calls: Sequence[Call], listed: ListedTools) -> bool:
        """True when all of the calls are of kinds that were read as these calls, whatever they lost."""
        try:
            return all(kind in self._known for one in calls for kind in self._kinds(one, listed))
        except _UNUSUAL:
            return False

    def _read_definitions(self, texts: tuple[str, ...]) -> Sequence[dict[str, Any]]:
        spec = self._answers.plans.spec.tools
        return [tool for text in dict.fromkeys(texts) for tool in read_definition(spec, text)]

    def learn(self, given: Sequence[Call], back: Sequence[Call], listed: ListedTools, are_calls: bool = False) -> None:
        """Keep the kinds of calls that were read `back` as they are; `are_calls`: or otherwise, but as these calls."""
        now = iter(back)  # in some chats fewer
        for one in given:
            is_same = any(is_same_call(one, two) for two in now)
            if not (is_same or are_calls):
                continue
            with suppress(*_UNUSUAL):  # its name is known all the same
                for kind in self._kinds(one, listed):
                    self._add(kind, is_same)
                    for part in _parts(kind) if is_same else ():
                        self._add(part, True)

    def _kinds(self, call: Call, listed: ListedTools) -> Iterator[Kind]:
        """The kinds of a call's name and of its arguments, each by what its tool declares."""
        _, is_plain, *rest = self._whole(call)
        declared = listed.declared.get(call.name)
        if declared is None:
            declared = listed.declared[call.name] = self._read_declared(call.name, listed.tools)
        name, kinds, around = declared
        count = len(rest) // 2
        yield "call", name, is_plain, min(count, 2), bool(listed.tools)
        for key, kind in zip(rest[:count], rest[count:], strict=True):
            yield "argument", name, self._name(key), kinds.get(key, ""), around, kind

    def _read_declared(self, name: str, tools: Sequence[Mapping[str, Any]]) -> _Declared:
        schema = _schema_of(name, tools)
        own: Json = self._name(name)
        if own or schema is None:
            own = name, *(tool.get("function", tool).get("name") for tool in tools)
        properties = schema.get("properties") if schema else None
        declared = (
            {key: _kind_of_schema(one) for key, one in properties.items()} if isinstance(properties, dict) else {}
        )
        around = _encode({**schema, "properties": None}) if schema and not schema.keys() <= _AROUND else b""
        return _Declared(own, declared, around)

    def _kind_of_name(self, name: str) -> str:
        """A name that is not like any other; empty for one that is."""
        if _is_name(name) is None:
            raise _UnusualCallError
        is_odd = not name.isidentifier() or self._answers.has_word(name) or self._beginnings.within(name)
        return name if is_odd else ""

    def _kind(self, value: Json, depth: int) -> Kind:
        """The kind of a value: all that decides how it is read, at any depth."""
        kind = type(value)
        if kind is str:
            return self._kind_of_text(value)
        if kind is bool or value is None:
            return "word", value
        if kind is int and -(2**53) < value < 2**53:
            return "int", value < 0
        if kind is float and isfinite(value):
            return "float", value < 0, value.is_integer(), "e" in repr(value)
        if depth < MAX_DEPTH:
            if kind is dict:
                return "object", frozenset((self._name(key), self._kind(one, depth + 1)) for key, one in value.items())
            if kind is list:
                return "list", len(value) > 1, frozenset(self._kind(one, depth + 1) for one in value)
        raise _UnusualCallError

    def _kind_of_text(self, text: str) -> Kind:
        if not text:
            return ("no text",)
        if self._is_words(text):
            return "words", text if len(text) <= MAX_VALUE and text.lower() in _VALUES else ""
        if text.isdecimal():
            return "digits", text.isascii(), text[0] == "0", text == "0", len(text) > MAX_DIGITS
        signs = _signs(text)
        is_quoted = not _QUOTES.isdisjoint(signs) and quoted(line_before(text, 0, len(text)))
        is_free = self._takes_any and not is_quoted
        if self._beginnings.within(text) or not (is_free or self._answers.is_text(text)):
            raise _UnusualCallError
        first, last, is_value = text[0], text[-1], False
        if first.isspace() or last.isspace():
            bare = text.strip()
            if not bare or bare.lower() in _VALUES or bare[0] in _OPENERS or _is_number(bare):
                raise _UnusualCallError
        if not first.isalpha():
            if _is_number(text):
                return "number", _counted("1", text)
            is_value = first in _OPENERS and is_json(text)
        if not is_free and (first in _OPENERS and not is_value or not _is_prose(text)):
            raise _UnusualCallError
        ends: list[Json] = [sign.isalpha() if sign.isalnum() or sign in "_.," else sign for sign in (first, last)]
        if is_value:
            ends[0] = "JSON", first
        return "free text" if is_free else "text", *ends, signs

    @cached_property
    def _is_words(self) -> Callable[[str], object]:
        """Matches texts of words in which nothing can be a marker."""
        inside = [word for word in {*self._beginnings.words, *self._answers.signs} if _are_of_words(word)]
        none = f"(?!.*(?:{any_of(inside).pattern}))" if inside else ""
        return re.compile(rf"{none}[^\W\d_]{_SENTENCE}*(?<!\s)").fullmatch

    @cached_property
    def _takes_any(self) -> bool:
        """True for a dialect whose arguments are JSON, or raw texts between markers."""
        spec = self._answers.dialect.spec
        is_raw = any(role is Role.VALUE and place.endswith(f"/{SlotKind.TEXT}") for place, role in spec.roles.items())
        return not spec.code and (is_raw or not any(rule.value for rule in spec.rules.values()))

    @cached_property
    def _beginnings(self) -> Needles:
        """The beginnings of markers."""
        own = self._answers.dialect._graph().starts
        words = {word.strip() for word in (*self._scan.tokens, *self._scan.cores, *self._answers.markers, *own)}
        return Needles({word if word[0].isalnum() else word[:3] for word in words if len(word) > 1})


def _parts(kind: Kind) -> Iterator[Kind]:
    """The parts of a kind, each with its place: of objects and lists the items, of texts the signs.

    Of a text that only reading it back proves harmless all signs count together.
    """
    *where, found = kind
    match found:
        case "object", inner if inner:
            yield from (part for name, one in inner for part in _parts((*where, "in object", name, one)))
        case "list", several, inner if inner:
            yield from (part for one in inner for part in _parts((*where, "in list", several, one)))
        case "free text", first, last, signs:
            yield (*where, "begins", first)
            yield (*where, "ends", last)
            yield (*where, "quotes", signs & _QUOTES)
            yield from ((*where, "sign", sign) for sign in signs - _QUOTES)
        case _:
            yield kind


def _schema_of(name: str, tools: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """The schema of the one tool of this name; None without such a tool."""
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


def _kind_of_schema(schema: Json) -> Json:
    """The type that a schema declares; where it says more than that, all of it as JSON."""
    if isinstance(schema, dict) and isinstance(kind := schema.get("type"), str) and schema.keys() <= _SIMPLE:
        return kind
    return _encode(schema)
