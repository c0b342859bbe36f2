"""Texts and values that are nothing but words wherever they stand, whatever a chat has around them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from toolect._chats.guarding import has_any, is_common, rarest
from toolect._chats.ops import Fill
from toolect._chats.transcript_reader import Reader
from toolect._message import Call, Json, Status
from toolect._spec.chat_model import ChatSlot

Key: TypeAlias = tuple[Any, ...]
MAX_DEPTH = 8
"""How deep the arguments of a call are looked into for what is plain. Beyond it: they are not."""
_IS_WORDS = re.compile(r"[^\W\d_][\w .,:;!?/@%+=()-]*(?<! )").fullmatch
_IS_ID = re.compile(r"[A-Za-z0-9_.:-]*").fullmatch
_IS_NAME = re.compile(r"[A-Za-z0-9_.:/-]+").fullmatch
_VALUES = frozenset("true false null none nan inf infinity undefined nil yes no on off".split())  # noqa: SIM905
"""Words that are values in some notation."""


def is_bare(text: str) -> bool:
    """True for a text without blanks at its ends, which nothing is cut off from."""
    return not text or not (text[0].isspace() or text[-1].isspace())


def may_have_arguments(text: str) -> bool:
    """True for a text with a sign that arguments may begin with: after the name of a tool it may be read as a call."""
    return "{" in text or "(" in text or "[" in text or "<" in text


def has_plain_names(call: Call) -> bool:
    """True for a call that was read, whose name and id are nothing but that wherever they stand."""
    return call.status is Status.OK and _IS_ID(call.id or "") is not None and _IS_NAME(call.name) is not None


def key_of_call(call: Call) -> Key | None:
    """What a call with plain arguments has in common with others: its name and, of each argument, key and type.

    None for one that may be read back otherwise than others like it.
    """
    kinds = _kind(call.arguments, 0)
    return None if kinds is None else (call.name, call.spelling is None, kinds)


def _kind(value: Json, depth: int) -> Key | None:
    """The type of a value, at any depth; None for what is not plain."""
    kind = type(value)
    if kind is str:
        if value:
            return None if not _IS_WORDS(value) or value.lower() in _VALUES else _TEXT
        return _NO_TEXT
    if kind is int:
        return ("number", value < 0) if -(2**53) < value < 2**53 else None
    if kind is dict and depth < MAX_DEPTH:
        found: list[Any] = ["object"]
        for key, item in value.items():
            inner = _kind(item, depth + 1)
            if inner is None:
                return None
            found += (key, inner)
        return (*found,)
    if kind is list and depth < MAX_DEPTH:
        kinds = {_kind(item, depth + 1) for item in value}
        return None if None in kinds else ("list", len(value) > 1, frozenset(kinds))
    return ("word", value) if kind is bool or value is None else None


_TEXT, _NO_TEXT = ("text",), ("no text",)


class Edges:
    """What texts may begin or end with that makes, with what stands there in a chat, something else."""

    def __init__(self, reader: Reader, markers: Iterable[str]) -> None:
        slots = reader.runs.slots
        cores = {core for slot, rule in slots.values() for end in reader.ends_of(rule, slot) for core in end.cores}
        words = {*cores, *reader.tokens, *markers}
        after = {run.text for state in slots for run in reader.runs.after(state)} | words
        starts = {
            start
            for start, rest in {(word[:at], word[at:]) for word in words for at in range(1, len(word))}
            if not start.isalnum() or any(text and (text.startswith(rest) or rest.startswith(text)) for text in after)
        }
        self._begins: dict[tuple[str, ChatSlot], _Words] = {}
        """What a text of a slot must not begin with, nor be the beginning of, by its first sign."""
        for slot, rule in {*slots.values()}:
            heads = {one.strip() for one in reader.begins_of(rule, slot)}
            self._begins[rule, slot] = _by_sign(heads, 0)
        self._ends = _by_sign(starts, -1)
        first = {sign for heads in self._begins.values() for sign in heads}
        self._signs = {sign for sign in (*map(rarest, starts), *first) if not is_common(sign)}
        """Signs one of which is in most of all that. Of the rest the first and the last signs:"""
        self._first = first - self._signs
        self._last = {start[-1] for start in starts if not has_any(self._signs, start)}

    def keep_all(self, texts: Sequence[str], whole: str) -> bool:
        """True when none of the texts, joined `whole`, has any of it, so that `keep` is true of them in any places."""
        if has_any(self._signs, whole) or not self._last.isdisjoint([text[-1:] for text in texts]):
            return False
        return not self._first or self._first.isdisjoint([text[:1] for text in texts])

    def keep(self, held: Sequence[tuple[str, Fill, int]]) -> bool:
        """True when none of the texts makes anything with what stands before or after it."""
        ends, begins = self._ends, self._begins
        for text, op, _ in held:
            if not text:
                continue
            tails = ends.get(text[-1])
            if tails is not None and text.endswith(tails):
                return False
            begin = begins.get((op.rule, op.slot))
            heads = begin.get(text[0]) if begin else None
            if heads is not None and (text.startswith(heads) or any(head.startswith(text) for head in heads)):
                return False
        return True


_Words: TypeAlias = dict[str, tuple[str, ...]]


def _by_sign(words: Iterable[str], at: int) -> _Words:
    """Words by their first or last sign."""
    found: _Words = {}
    for word in words:
        found[word[at]] = (*found.get(word[at], ()), word)
    return found
