"""Texts and values that are nothing but words wherever they stand, whatever a chat has around them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from toolect._chats.ops import Fill
from toolect._chats.transcript_reader import Reader
from toolect._spec.chat_model import ChatSlot
from toolect.message import Call, Json, Status

Key: TypeAlias = tuple[Any, ...]
MAX_DEPTH = 8
"""How deep the arguments of a call are looked into for what is plain. Beyond it: they are not."""
_IS_WORDS = re.compile(r"[^\W\d_][\w .,:;!?/@%+=()-]*(?<! )").fullmatch
_IS_ID = re.compile(r"[A-Za-z0-9_.:-]*").fullmatch
_VALUES = frozenset("true false null none nan inf infinity undefined nil yes no on off".split())  # noqa: SIM905
"""Words that are values in some notation."""


def is_bare(text: str) -> bool:
    """True for a text without blanks at its ends, which nothing is cut off from."""
    return not text or not (text[0].isspace() or text[-1].isspace())


def key_of_call(call: Call) -> Key | None:
    """What a call with plain arguments has in common with others: its name and, of each argument, key and type.

    None for one that may be read back otherwise than others like it.
    """
    if call.status is not Status.OK or not _IS_ID(call.id or ""):
        return None
    kinds = _kind(call.arguments, 0)
    return None if kinds is None else (call.name, call.spelling is None, kinds)


def _kind(value: Json, depth: int) -> Key | None:
    """The type of a value, at any depth; None for what is not plain."""
    match value:
        case str():
            if value:
                return None if not _IS_WORDS(value) or value.lower() in _VALUES else ("text",)
            return ("no text",)
        case bool() | None:
            return ("word", value)
        case int():
            return ("number", value < 0) if -(2**53) < value < 2**53 else None
        case dict() if depth < MAX_DEPTH:
            found = [(key, _kind(item, depth + 1)) for key, item in value.items()]
            return None if any(kind is None for _, kind in found) else ("object", *found)
        case list() if depth < MAX_DEPTH:
            kinds = {_kind(item, depth + 1) for item in value}
            return None if None in kinds else ("list", len(value) > 1, frozenset(kinds))
    return None


class Edges:
    """What texts may begin or end with that makes, with what stands there in a chat, something else."""

    def __init__(self, reader: Reader, markers: Iterable[str]) -> None:
        self._reader = reader
        slots = reader.runs.slots
        cores = {core for slot, rule in slots.values() for end in reader.ends_of(rule, slot) for core in end.cores}
        words = {*cores, *reader.tokens, *markers}
        after = {run.text for state in slots for run in reader.runs.after(state)} | words
        self._ends: dict[str, tuple[str, ...]] = {}
        for start, rest in {(word[:at], word[at:]) for word in words for at in range(1, len(word))}:
            if not start.isalnum() or any(text and (text.startswith(rest) or rest.startswith(text)) for text in after):
                self._ends[start[-1]] = (*self._ends.get(start[-1], ()), start)
        self._begins: dict[tuple[str, ChatSlot], tuple[str, ...]] = {}

    def keep(self, held: Sequence[tuple[str, Fill, int]]) -> bool:
        """True when none of the texts makes anything with what stands before or after it."""
        ends, begins = self._ends, self._begins
        for text, op, _ in held:
            if not text:
                continue
            tails = ends.get(text[-1])
            if tails is not None and text.endswith(tails):
                return False
            key = op.rule, op.slot
            heads = begins.get(key)
            if heads is None:
                heads = begins[key] = tuple(one.strip() for one in self._reader.begins_of(op.rule, op.slot))
            if heads and (text.startswith(heads) or any(head.startswith(text) for head in heads)):
                return False
        return True
