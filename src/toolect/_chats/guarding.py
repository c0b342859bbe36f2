"""Keeps texts in their slots: what would end one, or begin a turn, is found and made harmless."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from toolect._chats.control_tokens import any_of
from toolect._chats.ops import Fill
from toolect._chats.slot_ends import Ends, Left
from toolect._chats.slot_runs import inner_texts
from toolect._chats.transcript_reader import Reader
from toolect._rendered import Part
from toolect._spec.chat_model import ChatRole, ChatSlot, ChatSpec
from toolect._spec.grammar_model import Literal
from toolect._spec.leaves import leaves
from toolect._transcript import Origin

_WORDS = (Part.CONTENT, Part.REASONING)
SPLITTER = "\u200b"
"""A space without width: it keeps the signs of a marker from being one."""
JOINT = "\0"
"""What texts are joined by that are looked at together: no marker holds it."""
MAX_SPLIT = 64
"""Places of a text that are made harmless one by one. Beyond it: all that might be a marker is."""


class Guardian:
    """What may not stand in the texts of a chat: its tokens, and whatever its reader would end a text at.

    `markup` is that of answers: content and reasoning that hold some have to be looked at. `written` is all that their
    dialect writes.
    """

    def __init__(self, spec: ChatSpec, reader: Reader, markup: Sequence[str], written: str) -> None:
        self._spec, self._reader, self._markup, self._written = spec, reader, markup, written
        self._own: dict[tuple[str, ChatSlot], _Guard] = {}
        self._quick: dict[frozenset[int], tuple[NoneOf, tuple[Fill, ...]]] = {}
        """What tells fast that texts of places, by their identity, hold no marker; and the places, to keep that."""
        self._together: dict[tuple[bool, frozenset[tuple[str, ChatSlot]]], NoneOf] = {}

    def suspects(self, held: Sequence[tuple[str, Fill, int]]) -> Sequence[tuple[str, Fill, int]]:
        """The texts that have to be looked at: all of a slot in which one holds what might be a marker there."""
        places = {id(op): op for _, op, _ in held}
        quick = self._quick.get(together := frozenset(places))
        if quick is None:
            quick = self._quick[together] = self.none_of(places.values()), (*places.values(),)
        if quick[0].stands_in(JOINT.join([text for text, _, _ in held])):
            return ()
        texts: dict[tuple[str, ChatSlot], list[str]] = {}
        ops: dict[tuple[str, ChatSlot], Fill] = {}
        for text, op, _ in held:
            key = op.rule, op.slot
            texts.setdefault(key, []).append(text)
            ops[key] = op
        keys = {key for key, some in texts.items() if not self._guard(ops[key]).none_of.stands_in(JOINT.join(some))}
        return [one for one in held if (one[1].rule, one[1].slot) in keys] if keys else ()

    def none_of(self, ops: Iterable[Fill], markup: bool = False) -> NoneOf:
        """Tells fast that texts hold no marker of any of these slots, and with `markup` none of answers."""
        found = {(op.rule, op.slot): op for op in ops}
        key = markup, frozenset(found)
        if key not in self._together:
            words = {word for op in found.values() for word in self._guard(op).searched}
            self._together[key] = NoneOf(words.union(self._markup if markup else ()))
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
            own = self._written if op.origin is Origin.ANSWER else ""
            own += self._spec.system or "" if op.role is ChatRole.SYSTEM else ""
            special = (token for token in self._spec.tokens.special if token not in own)
            tokens = {token for token in (*self._reader.tokens, *special) if not any(token in text for text in inner)}
            if op.role is ChatRole.RESULT:
                tokens.update(self._around(op.rule))
            ends = self._reader.ends_of(op.rule, op.slot)
            words = {*tokens, *(core for end in ends for core in end.cores)}
            # Whoever writes the system text tells of tools, if he likes; a user or a tool does not.
            others = op.role in (ChatRole.USER, ChatRole.RESULT)
            begins = self._reader.begins_of(op.rule, op.slot) if others else ()
            words.update(begins)
            if op.part in _WORDS:
                words.update(self._markup)
            guard = self._own[op.rule, op.slot] = _Guard(NoneOf(words), any_of(tokens), any_of(begins), ends, words)
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
    searched: set[str]
    """All that the texts are searched for at first."""

    def left(self, text: str) -> Left | None:
        """Where the reader would leave a slot that holds `text` before its end."""
        return next((left for end in self.ends if (left := end.left(text)) is not None), None)


def split_markers(text: str, markers: re.Pattern[str]) -> str:
    """`text` with a sign without width in each of its markers."""
    return markers.sub(lambda match: match[0][:1] + SPLITTER + match[0][1:], text)


class NoneOf:
    """Tells fast that no marker stands in many texts."""

    def __init__(self, markers: Iterable[str]) -> None:
        markers = {*markers}
        self._markers, self._signs = any_of(markers), {rarest(marker) for marker in markers}

    def stands_in(self, whole: str) -> bool:
        """True when none of the markers stands in any of the texts that are joined by `JOINT`."""
        return not has_any(self._signs, whole) or self._markers.search(whole) is None


def rarest(word: str) -> str:
    """The sign of a word that stands in texts least often."""
    return min(word, key=_frequency)


def has_any(signs: Iterable[str], text: str) -> bool:
    """True when one of the signs stands in the text."""
    for sign in signs:  # noqa: SIM110 - `any` takes twice as long for the few that there are
        if sign in text:
            return True
    return False


def _frequency(sign: str) -> tuple[bool, bool]:
    """How often a sign stands in texts, roughly."""
    return sign.isspace() or sign.isalnum(), is_common(sign)


def is_common(sign: str) -> bool:
    """True for the signs of words, sentences and names."""
    return sign.isalnum() or sign.isspace() or sign in ".,:;!?'\"()-*#_"
