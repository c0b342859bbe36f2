"""Scanner for markers: tells fast that texts hold no part of one, and need not be read back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TypeAlias

from toolect._chats.answers import Answers
from toolect._chats.control_tokens import any_of, has_any, rarest
from toolect._chats.ops import Fill
from toolect._chats.slot_runs import inner_texts
from toolect._chats.told_tools import in_json
from toolect._chats.transcript_reader import TranscriptReader
from toolect._rendered import Part
from toolect._spec.chat_model import ChatRole, ChatSlot, ChatSpec
from toolect._transcript import Origin

_WORDS = (Part.CONTENT, Part.REASONING)
JOINT = "\0"
"""What texts are joined by that are looked at together: no marker holds it."""
HeldText: TypeAlias = tuple[str, Fill, int]
"""A text that was filled in, its place, and the number of its piece."""


_ITEM = "{[, \t\r\n"
"""What a text may begin with that would be another item of a list of tools before it."""


class Scan:
    """What may not stand in the texts of a chat unread: its tokens, and whatever its reader may end a text at."""

    def __init__(self, spec: ChatSpec, reader: TranscriptReader, answers: Answers) -> None:
        self._spec, self._reader, self._answers = spec, reader, answers
        self._own: dict[tuple[str, ChatSlot], NoneOf] = {}
        self._signs: set[str] = set()
        """The signs one of which stands in whatever the texts of these slots are searched for."""

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        """The markers that turns are made of, and the special tokens of the chat's models."""
        return (*dict.fromkeys([*self._reader.tokens, *self._spec.special]),)

    @cached_property
    def cores(self) -> frozenset[str]:
        """What the chat's reader looks for."""
        places = {*self._reader.runs.slots.values()}
        return frozenset(
            core for slot, rule in places for end in self._reader.ends_of(rule, slot) for core in end.cores
        )

    @cached_property
    def edges(self) -> ScanEdges:
        """What no text may begin or end with."""
        return ScanEdges(self._reader, self._answers.markers)

    def suspects(self, held: Sequence[HeldText]) -> bool:
        """True when one of the texts holds what might be a marker in its place."""
        if self._own.keys() >= {(op.rule, op.slot) for _, op, _ in held} and not has_any(
            self._signs, JOINT.join([text for text, *_ in held])
        ):
            return False
        places: dict[int, tuple[Fill, list[str]]] = {}
        for text, op, _ in held:
            places.setdefault(id(op), (op, []))[1].append(text)
        return not all(self._none_of(op).stands_in(JOINT.join(texts)) for op, texts in places.values())

    def _none_of(self, op: Fill) -> NoneOf:
        """Tells fast that texts hold no marker of a slot."""
        found = self._own.get((op.rule, op.slot))
        if found is None:
            found = self._own[op.rule, op.slot] = NoneOf(self._words(op))
            self._signs |= found.signs
        return found

    def _words(self, op: Fill) -> set[str]:
        """What the texts of a slot are searched for."""
        inner = inner_texts(self._spec) if op.slot in (ChatSlot.ANSWER, ChatSlot.CALLS) else ()
        written = [*inner, self._answers.texts] if op.origin is Origin.ANSWER else inner
        words = {one for one in self._reader.tokens if not any(one in text for text in inner)}
        words |= {one for one in self._spec.special if not any(one in text for text in written)}
        words |= {core for end in self._reader.ends_of(op.rule, op.slot) for core in end.cores}
        if op.role in (ChatRole.USER, ChatRole.RESULT, ChatRole.SYSTEM):
            words.update(self._reader.begins_of(op.rule, op.slot))
        if op.part in _WORDS:
            words.update(self._answers.markers)
        return words


class NoneOf:
    """Tells fast that no marker stands in many texts."""

    def __init__(self, markers: Iterable[str]) -> None:
        markers = {*markers}
        self._markers, self.signs = any_of(markers), {rarest(marker) for marker in markers}

    def stands_in(self, whole: str) -> bool:
        """True when none of the markers stands in any of the texts that are joined by `JOINT`."""
        return not has_any(self.signs, whole) or self._markers.search(whole) is None


class ScanEdges:
    """What texts may begin or end with that makes, with what stands there in a chat, something else."""

    def __init__(self, reader: TranscriptReader, markers: Iterable[str]) -> None:
        slots = reader.runs.slots
        cores = {core for slot, rule in slots.values() for end in reader.ends_of(rule, slot) for core in end.cores}
        words = {*cores, *reader.tokens, *reader.spec.special, *markers}
        after = {run.text for state in slots for run in reader.runs.after(state)} | words
        starts = {
            start
            for start, rest in {(word[:at], word[at:]) for word in words for at in range(1, len(word))}
            if not start.isalnum() or any(text and (text.startswith(rest) or rest.startswith(text)) for text in after)
        }
        told = any(slot is ChatSlot.TOOL for slot, _ in slots.values())
        listed = told and in_json(reader.spec.tools)
        self._begins: dict[tuple[str, ChatSlot], _Words] = {}
        """What a text of a slot must not begin with, nor be the beginning of, by its first sign."""
        for slot, rule in {*slots.values()}:
            heads = {one.strip() for one in reader.begins_of(rule, slot)}
            if slot is ChatSlot.TEXT and listed:
                heads |= {*_ITEM}
            self._begins[rule, slot] = _by_sign(heads, 0)
        self._ends = _by_sign(starts, -1)

    def keep(self, held: Sequence[HeldText]) -> bool:
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
