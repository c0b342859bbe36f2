"""Keeps texts in their slots: what would end one, or begin a turn, is found and made harmless."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from toolect._chats.control_tokens import any_of
from toolect._chats.ops import Fill
from toolect._chats.slot_runs import inner_texts
from toolect._chats.transcript_reader import Ends, Left, Reader
from toolect._spec.chat_model import ChatRole, ChatSlot, ChatSpec
from toolect._spec.grammar_model import Literal
from toolect._spec.leaves import leaves
from toolect.rendered import Part

_WORDS = (Part.CONTENT, Part.REASONING)
SPLITTER = "\u200b"
"""A space without width: it keeps the signs of a marker from being one."""
MAX_SPLIT = 64
"""Places of a text that are made harmless one by one. Beyond it: all that might be a marker is."""


class Guardian:
    """What may not stand in the texts of a chat: its tokens, and whatever its reader would end a text at.

    `markup` finds that of answers: content and reasoning that hold some have to be looked at.
    """

    def __init__(self, spec: ChatSpec, reader: Reader, markup: re.Pattern[str]) -> None:
        self._spec, self._reader, self.markup = spec, reader, markup
        self._own: dict[tuple[str, ChatSlot], _Guard] = {}
        self._together: dict[frozenset[tuple[str, ChatSlot]], NoneOf] = {}

    def suspects(self, held: Sequence[tuple[str, Fill, int]]) -> Sequence[tuple[str, Fill, int]]:
        """The texts that have to be looked at: all of a slot in which one holds what might be a marker there."""
        texts: dict[tuple[str, ChatSlot], list[str]] = {}
        ops: dict[tuple[str, ChatSlot], Fill] = {}
        for text, op, _ in held:
            key = op.rule, op.slot
            texts.setdefault(key, []).append(text)
            ops[key] = op
        keys = {key for key, some in texts.items() if not self._guard(ops[key]).none_of.stands_in(some)}
        return [one for one in held if (one[1].rule, one[1].slot) in keys] if keys else ()

    def none_of(self, ops: Iterable[Fill]) -> NoneOf:
        """Tells fast that texts hold no marker of any of these slots."""
        found = {(op.rule, op.slot): op for op in ops}
        key = frozenset(found)
        if key not in self._together:
            self._together[key] = NoneOf({word for op in found.values() for word in self._guard(op).words}, self.markup)
        return self._together[key]

    def breaks(self, text: str, op: Fill) -> str:
        """The first marker in `text` that would break out of its slot; empty for none."""
        guard = self._guard(op)
        found = guard.tokens.search(text) or guard.begins.match(text)
        left = None if found else guard.left(text)
        return found[0] if found else "" if left is None else left.marker

    def harmless(self, text: str, op: Fill) -> str:
        """`text` with a sign without width in each of its markers."""
        guard = self._guard(op)
        text = split_markers(text, guard.tokens)
        if begun := guard.begins.match(text):
            at = len(text) - len(text[: begun.end()].lstrip()) - (len(text) - begun.end())
            text = text[: at + 1] + SPLITTER + text[at + 1 :]
        for _ in range(MAX_SPLIT):
            left = guard.left(text)
            if left is None:
                return text
            text = text[: left.at + 1] + SPLITTER + text[left.at + 1 :]
        return split_markers(text, any_of(core for end in guard.ends for core in end.cores))

    def _guard(self, op: Fill) -> _Guard:
        guard = self._own.get((op.rule, op.slot))
        if guard is None:
            inner = inner_texts(self._spec) if op.slot in (ChatSlot.ANSWER, ChatSlot.CALLS) else ()
            tokens = {token for token in self._reader.tokens if not any(token in text for text in inner)}
            if op.role is ChatRole.RESULT:
                tokens.update(self._around(op.rule))
            ends = self._reader.ends_of(op.rule, op.slot)
            words = {*tokens, *(core for end in ends for core in end.cores)}
            # Whoever writes the system text tells of tools, if he likes; a user or a tool does not.
            others = op.role in (ChatRole.USER, ChatRole.RESULT)
            begins = self._reader.begins_of(op.rule, op.slot) if others else ()
            words.update(begins)
            markup = self.markup if op.part in _WORDS else None
            guard = self._own[op.rule, op.slot] = _Guard(
                NoneOf(words, markup), any_of(tokens), any_of(begins), ends, words
            )
        return guard

    def _around(self, rule: str) -> Iterable[str]:
        """The markers around a result: no result may hold them."""
        parts = leaves(self._spec.rules[rule].expr)
        return (text for part in parts if isinstance(part, Literal) and len(text := part.text.strip()) > 2)


class _Guard(NamedTuple):
    """What is searched for in the texts of one slot: tokens, and where the reader may end it."""

    none_of: NoneOf
    tokens: re.Pattern[str]
    begins: re.Pattern[str]
    """What a text may not begin with."""
    ends: tuple[Ends, ...]
    words: set[str]

    def left(self, text: str) -> Left | None:
        """Where the reader would leave a slot that holds `text` before its end."""
        return next((left for end in self.ends if (left := end.left(text)) is not None), None)


def split_markers(text: str, markers: re.Pattern[str]) -> str:
    """`text` with a sign without width in each of its markers."""
    return markers.sub(lambda match: match[0][:1] + SPLITTER + match[0][1:], text)


class NoneOf:
    """Tells fast that no marker stands in many texts."""

    def __init__(self, markers: Iterable[str], markup: re.Pattern[str] | None) -> None:
        self._markers, self._markup = any_of(markers), markup
        self._signs = {min(marker, key=_frequency) for marker in markers}

    def stands_in(self, texts: Sequence[str]) -> bool:
        """True when none of the markers stands in any of the texts."""
        whole = "\0".join(texts)
        if self._markup is not None and self._markup.search(whole) is not None:
            return False
        return not any(sign in whole for sign in self._signs) or self._markers.search(whole) is None


def _frequency(sign: str) -> tuple[bool, bool]:
    """How often a sign stands in texts, roughly."""
    return sign.isspace() or sign.isalnum(), sign in ".,:;!?'\"()-*#"
