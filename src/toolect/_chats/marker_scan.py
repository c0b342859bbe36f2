"""Scanner for markers: tells fast that texts hold no part of one, and need not be read back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import NamedTuple, TypeAlias

from toolect._chats.answers import Answers
from toolect._chats.control_tokens import Needles, has_any, is_common, rarest
from toolect._chats.plan_ops import Fill
from toolect._chats.prompt_tools import in_json, is_json
from toolect._chats.slot_ends import MAX_SIGNS
from toolect._chats.slot_runs import SlotRun, inner_texts
from toolect._chats.transcript_reader import TranscriptReader
from toolect._spec.chat_model import ChatRole, ChatSlot, ChatSpec
from toolect._spec.prompts import OutputKind
from toolect._transcript import Origin

MAX_PLACES = 4096
"""Places of texts that are known at a time. Beyond it: all are found out anew."""
MAX_TOOLS, MAX_TEXT = 256, 1 << 16
"""Texts of tools that are kept at a time, and the characters of one. Beyond it: they are looked at anew."""
JOINT = "\0"
"""Separator of texts that are scanned together: no marker holds it."""
HeldText: TypeAlias = tuple[str, Fill]
"""A text that was filled in, and its place."""


_CLOSERS = '}])"'
"""Last signs of answers in JSON or code."""
_ITEM = "{[, \t\r\n"
"""First signs of a text that would be another item of a list of tools before it."""
_Words: TypeAlias = dict[str, tuple[str, ...]]
"""Words by their first or last sign."""


_Half: TypeAlias = tuple[str, str, bool]
"""A marker cut in two, and whether the first half is made of common signs alone."""


class _Place(NamedTuple):
    """Scan of a place: whether arguments or tools stand in it, signs of markers, heads and tails that no text has, and
    whether JSON in it is read as one value. In a result that is `alone` nothing parts it from others.

    An end of common signs alone is one of `tails`; the others, `rare_tails`, hold one of the signs.
    """

    op: Fill
    of_arguments: bool
    of_tools: bool
    signs: tuple[str, ...]
    heads: _Words
    tails: _Words
    listed: bool
    rare_tails: _Words
    markers: Needles
    alone: Needles


class Scan:
    """Scans the texts of a chat for its tokens, and for all that its reader may end a text at: these are read back."""

    def __init__(self, spec: ChatSpec, reader: TranscriptReader, answers: Answers) -> None:
        self._spec, self._reader, self._answers = spec, reader, answers
        self._places: dict[int, _Place] = {}
        """Places by the identity of their `Fill`, which they keep."""
        self._kinds: dict[tuple[object, ...], _Place] = {}
        """Places by slot, role, rule and origin, which decide what is searched for."""
        self._tools: dict[str, ChatSlot] = {}
        """Texts of tools that hold nothing, or came back as they were, with the slot of each."""

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        """The markers that turns are made of, and the special tokens of the chat's models."""
        return (*dict.fromkeys([*self._reader.tokens, *self._spec.special]),)

    @cached_property
    def cores(self) -> frozenset[str]:
        """Words that the chat's reader searches for."""
        places = {*self._reader.runs.slots.values()}
        return frozenset(
            core for slot, rule in places for end in self._reader.ends_of(rule, slot) for core in end.cores
        )

    @cached_property
    def beginnings(self) -> frozenset[str]:
        """Texts that no slot may begin with: each makes a text of the chat with what is before the slot."""
        places = {*self._reader.runs.slots.values()}
        return frozenset(one.strip() for slot, rule in places for one in self._reader.begins_of(rule, slot))

    @cached_property
    def _halves(self) -> frozenset[_Half]:
        """Cuts of the markers that any text might begin: tokens, and those around and between the parts of answers."""
        parts = self._answers.dialect._graph().parts  # that begin with a letter end words: `lls>`
        return _cut({*self.tokens, *(one for one in self._answers.markers if one not in parts or not one[0].isalpha())})

    def suspects(self, held: Sequence[HeldText], are_alone: Callable[[], bool], are_known: bool = False) -> bool:
        """True when one of the texts holds what might be a marker in its place, or makes one with what is beside it.

        `are_alone`: each result is the only one, of the only call. `are_known`: arguments are of kinds that came back.
        """
        places, tools, new_tools = self._places, self._tools, False
        for text, op in held:
            if not text:
                continue
            place = places.get(id(op)) or self._place(op)
            if place.of_arguments and are_known:
                continue
            if place.of_tools:
                if tools.get(text) is op.slot:
                    continue
                new_tools = True
            if place.listed and text[0] in "{[":
                if not is_json(text) or has_any(self.tokens, text):  # a text after it may close it
                    return True
                continue
            if has_any(place.signs, text):
                if place.markers.within(text) and (place.alone.within(text) or not are_alone()):
                    return True
                if _ends_with(text, place.rare_tails):
                    return True
            if _ends_with(text, place.tails) or _begins_with(text, place.heads):
                return True
        if new_tools:
            self.learn_tools(held)
        return False

    def learn_tools(self, held: Sequence[HeldText]) -> None:
        """Keep the texts of tools among some that hold nothing, or were read back as they are; none that goes on."""
        found = {
            text: op.slot
            for text, op in held
            if op.origin is Origin.TOOLS and 0 < len(text) < MAX_TEXT and not _goes_on(text, self._place(op))
        }
        if found:
            self._tools = (self._tools if len(self._tools) < MAX_TOOLS else {}) | found

    def _place(self, op: Fill) -> _Place:
        if len(self._places) >= MAX_PLACES:
            self._places = {}
        place = self._kinds.get(op[:4])
        if place is None:
            words, alone = Needles(self._words(op)), Needles(self._words(op, alone=True))
            ends = set() if self._is_enclosed(op) else self._tails(op)
            tails = {end for end in ends if all(map(is_common, end))}
            slots = self._reader.runs.slots
            listed = any(slots[state] == (op.slot, op.rule) for state in self._reader.listed)
            signs = (*dict.fromkeys(map(rarest, {*words.words, *ends} - tails)),)
            heads, common, rare = _by_sign(self._heads(op), 0), _by_sign(tails, -1), _by_sign(ends - tails, -1)
            of_tools = op.origin is Origin.TOOLS
            of_arguments = op.role is ChatRole.ARGUMENT or op.slot in (ChatSlot.ARGUMENTS, ChatSlot.CALLS)
            place = _Place(op, of_arguments, of_tools, signs, heads, common, listed, rare, words, alone)
            self._kinds[op[:4]] = place
        place = self._places[id(op)] = place._replace(op=op)
        return place

    def _words(self, op: Fill, alone: bool = False) -> set[str]:
        """Words that the texts of a slot are searched for.

        For a result that is `alone` without those that part it from others: see `ConversationReader`.
        """
        inner = inner_texts(self._spec) if op.slot in (ChatSlot.ANSWER, ChatSlot.CALLS) else ()
        written = [*inner, self._answers.texts] if op.origin is Origin.ANSWER else inner
        words = {one for one in self._reader.tokens if not any(one in text for text in inner)}
        words |= {one for one in self._spec.special if not any(one in text for text in written)}
        alone = alone and op.role is ChatRole.RESULT
        between = self._between(op) if alone else ()
        words |= {word for end in self._reader.ends_of(op.rule, op.slot) for word in end.needed(between)}
        if op.role in (ChatRole.USER, ChatRole.RESULT, ChatRole.SYSTEM):
            begins = self._reader.begins_of(op.rule, op.slot)
            words.update(one for one in begins if not alone or len(one) > MAX_SIGNS)
        return words

    def _between(self, op: Fill) -> list[SlotRun]:
        """Runs of few signs between the texts of one turn."""
        runs, place = self._reader.runs, (op.slot, op.rule)
        after = (run for state, one in runs.slots.items() if one == place for run in runs.after(state))
        return [
            run
            for run in after
            if runs.slots.get(run.state) == place and len(run.text) <= MAX_SIGNS and not runs.turns(run)
        ]

    def _is_enclosed(self, op: Fill) -> bool:
        """True for a place whose texts end with what their notation ends them with: a bracket, a quote, a digit."""
        if op.slot in (ChatSlot.TOOL, ChatSlot.TOOLS):
            return in_json(self._spec.tools)
        return op.slot is ChatSlot.ARGUMENTS or op.role is ChatRole.RESULT and self._spec.output is not OutputKind.TEXT

    def _heads(self, op: Fill) -> set[str]:
        """Texts that a text of a slot must not begin with, nor be the beginning of."""
        runs, place = self._reader.runs, (op.slot, op.rule)
        ends = self._reader.ends_of(op.rule, op.slot)
        heads = {core for end in ends if end.after for core in end.cores if len(core) <= MAX_SIGNS}
        if place not in runs.slots.values():
            return heads
        begins = self._reader.begins_of(op.rule, op.slot)
        heads |= {one.strip() for one in begins} | {one[0] for one in begins if one[0].isspace()}
        if op.slot is not ChatSlot.TEXT or not in_json(self._spec.tools):
            return heads
        tools = (state for state, (slot, _) in runs.slots.items() if slot is ChatSlot.TOOL)
        beside = (run for state in tools for run in runs.after(state) if runs.slots.get(run.state) == place)
        return heads if all(run.text.strip() for run in beside) else heads | {*_ITEM}

    def _tails(self, op: Fill) -> set[str]:
        """Endings that no text of a slot may have: they would make a marker with what stands after it."""
        runs, place = self._reader.runs, (op.slot, op.rule)
        after = {run.text for state, one in runs.slots.items() if one == place for run in runs.after(state)}
        if not after or "" in after and op.origin is Origin.ANSWER:  # the dialect goes on
            after |= {*self._answers.texts.split(JOINT)}
        closers = _CLOSERS if op.slot is ChatSlot.ANSWER else ""

        def completes(rest: str) -> bool:
            return any(text and (text.startswith(rest) or rest.startswith(text)) for text in after)

        ends = self._reader.ends_of(op.rule, op.slot)
        halves = self._halves | _cut({core for end in ends for core in (*end.cores, *end.needed())})
        found = {start for start, rest, common in halves if start.strip(closers) and (not common or completes(rest))}
        prose = {text for end in ends for text in end.prose}
        return found | {text[:at] for text in prose for at in range(1, len(text)) if completes(text[at:])}


def _goes_on(text: str, place: _Place) -> bool:
    """True for a text that may make a marker with what is beside it."""
    return any(_ends_with(text, tails) for tails in (place.tails, place.rare_tails)) or _begins_with(text, place.heads)


def _begins_with(text: str, heads: _Words) -> bool:
    """True for a text that begins with a word, or is the beginning of one."""
    starts = heads.get(text[0])
    return starts is not None and (text.startswith(starts) or any(start.startswith(text) for start in starts))


def _ends_with(text: str, tails: _Words) -> bool:
    ends = tails.get(text[-1])
    return ends is not None and text.endswith(ends)


def _cut(markers: Iterable[str]) -> frozenset[_Half]:
    cuts = ((word[:at], word[at:]) for word in markers for at in range(1, len(word)))
    return frozenset((start, rest, all(map(is_common, start))) for start, rest in cuts)


def _by_sign(words: Iterable[str], at: int) -> _Words:
    """Words by their first or last sign."""
    found: dict[str, list[str]] = {}
    for word in words:
        found.setdefault(word[at], []).append(word)
    return {sign: tuple(those) for sign, those in found.items()}
