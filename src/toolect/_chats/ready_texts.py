"""What a chat writes for conversations of one form: texts that are ready, with places for plain texts between them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from toolect._chats.call_texts import CallTexts
from toolect._chats.filler import item_facts
from toolect._chats.filling import SlotAnswer
from toolect._chats.marker_scan import NoneOf
from toolect._chats.ops import Each, Fill, Fixed
from toolect._chats.outline import Body, Outline
from toolect._chats.plain_texts import Key
from toolect._chats.plain_turns import PlainTurns
from toolect._chats.plan import Plans
from toolect._chats.writing import Writer
from toolect._spec.chat_model import ChatRole, ChatSlot
from toolect._spec.prompts import OutputKind
from toolect._turns import Assistant, Results, Turn


class ToolsPlace(NamedTuple):
    """The place of all tools, as `op` tells them."""

    op: Fill | Each
    number: int
    facts: int


class Called(NamedTuple):
    """The place of the calls of an answer: how many with calls come before it."""

    op: Fill | Each
    answer: int
    number: int
    facts: int


class Given(NamedTuple):
    """The place of a text: its index among those of the turns."""

    text: int
    op: Fill


Part: TypeAlias = str | Given | Called | ToolsPlace


class Cut(NamedTuple):
    """An answer among the parts: from a character of the text that is one part to one of the text that is another."""

    first: int
    start: int
    last: int
    end: int


class CompiledTranscript(NamedTuple):
    """The parts, every other one a text, how the form is called, and what no text may hold."""

    parts: tuple[Part, ...]
    shape: Key
    places: tuple[Given, ...]
    none_of: NoneOf
    numbers: tuple[tuple[int, int], ...]
    """The places of texts among the parts, each with its index."""
    others: tuple[tuple[int, Called | ToolsPlace], ...]
    """The places of calls and tools among the parts."""
    cuts: tuple[Cut | None, ...] = ()
    """The answers with calls; nothing where they were not looked for, None for one that is not found."""

    def filled(self, turns: PlainTurns, writer: Writer, calls: CallTexts, told: Mapping[Any, str]) -> list[str]:
        """The parts as texts, for turns of this form. Tools may be `told`; the writer holds what it wrote."""
        texts = turns.texts
        found: list[Any] = [*self.parts]
        for at, index in self.numbers:
            found[at] = texts[index]
        for at, part in self.others:
            if isinstance(part, Called):
                one = turns.answers[part.answer]
                said = SlotAnswer(one.turn.message, "", "", one.calls, True)
                found[at] = calls.text(part.op, said, part.number, part.facts, writer)
            elif (known := told.get(place_of(part, writer.tools))) is not None:
                found[at] = known
            else:
                before = len(writer.pieces)
                writer.each_or_fill(part.op, None, part.number, part.facts)
                found[at] = "".join([piece[0] for piece in writer.pieces[before:]])
        return found

    def suspects(self, turns: PlainTurns, writer: Writer) -> bool:
        """True when a text of the turns, or one that the writer holds, has to be looked at."""
        return bool(writer.held and writer.scan.suspects(writer.held)) or not self.none_of.stands_in(turns.whole)

    def held(self, turns: PlainTurns) -> list[tuple[str, Fill, int]]:
        """The texts of the turns with their places."""
        texts = turns.texts
        return [(texts[place.text], place.op, 0) for place in self.places]

    def said(self, answer: int, filled: Sequence[str]) -> str | None:
        """What stands in an answer with calls; None where it is not known where that is."""
        cut = self.cuts[answer] if self.cuts else None
        if cut is None:
            return None
        if cut.first == cut.last:
            return filled[cut.first][cut.start : cut.end]
        within = "".join(filled[cut.first + 1 : cut.last])
        return filled[cut.first][cut.start :] + within + filled[cut.last][: cut.end]

    def with_cuts(self, filled: Sequence[str], answers: Sequence[tuple[int, int] | None]) -> CompiledTranscript:
        """The same, when answers with calls stand at these characters of what is filled."""
        return self._replace(cuts=tuple(None if one is None else _cut(filled, *one) for one in answers))


def _cut(filled: Sequence[str], start: int, end: int) -> Cut | None:
    """Where characters `start:end` are: in texts that are always the same, or beside them."""
    first, last = _place(filled, start), _place(filled, end)
    return None if first is None or last is None else Cut(*first, *last)


def _place(filled: Sequence[str], at: int) -> tuple[int, int] | None:
    """The part in which a character is, one of those that are always the same."""
    before = 0
    for number, text in enumerate(filled):
        if number % 2 == 0 and before <= at <= before + len(text):
            return number, at - before
        before += len(text)
    return None


def place_of(part: ToolsPlace, tools: Sequence[Mapping[str, Any]]) -> tuple[object, ...]:
    """What the text of tools is kept under: their identity among that."""
    return part.op, part.number, part.facts, id(tools)


class _ReadyTextError(Exception):
    """Something that plain texts do not tell is written."""


def ready(outline: Outline, body: Body, turns: Sequence[Turn], shape: Key, writer: Writer) -> CompiledTranscript | None:
    """What is written by an outline; None where it is more than ready texts, those of the turns, calls and tools."""
    try:
        parts = tuple(_joined(_parts(outline, body, turns, writer)))
    except _ReadyTextError:
        return None
    places = tuple(part for part in parts if isinstance(part, Given))
    numbers = tuple((at, part.text) for at, part in enumerate(parts) if isinstance(part, Given))
    others = tuple((at, part) for at, part in enumerate(parts) if isinstance(part, Called | ToolsPlace))
    none_of = writer.scan.none_of((place.op for place in places), markup=True)
    return CompiledTranscript(parts, shape, places, none_of, numbers, others)


def _parts(outline: Outline, body: Body, turns: Sequence[Turn], writer: Writer) -> Iterator[Part]:
    starts, answers = _starts(turns)
    for pieces, op, index, number, facts in outline.steps:
        yield from (piece[0] for piece in pieces)
        turn = body.turns[index] if index >= 0 else None
        at = starts[body.first + index] if index >= 0 else 0
        if op is None:
            continue
        if isinstance(op, Each) and op.role is ChatRole.RESULT and isinstance(turn, Results):
            yield from _results(op, turn, at, facts, writer.plans)
        elif isinstance(op, Each) and op.role is ChatRole.CALL or isinstance(op, Fill) and op.slot is ChatSlot.CALLS:
            if isinstance(turn, Assistant) and turn.message.calls:
                yield Called(op, answers[body.first + index], number, facts)
        elif isinstance(op, Each) and op.role is ChatRole.TOOL or isinstance(op, Fill) and op.slot is ChatSlot.TOOLS:
            yield ToolsPlace(op, number, facts)
        elif not isinstance(op, Fill) or op.slot is not ChatSlot.TEXT:
            raise _ReadyTextError
        elif op.take is None:
            yield Given(0, op) if body.system_turn >= 0 else writer.system
        else:
            yield Given(at + (op.role is ChatRole.CONTENT), op)


def _starts(turns: Sequence[Turn]) -> tuple[list[int], list[int]]:
    """Of each turn the index of its first text, and how many answers with calls come before it."""
    starts, answers = [], []
    at = before = 0
    for turn in turns:
        starts.append(at)
        answers.append(before)
        at += 2 if isinstance(turn, Assistant) else 3 * len(turn.results) if isinstance(turn, Results) else 1
        before += isinstance(turn, Assistant) and bool(turn.message.calls)
    return starts, answers


def _results(op: Each, turn: Results, at: int, facts: int, plans: Plans) -> Iterator[Part]:
    """What is written for results, one by one."""
    if plans.spec.output is not OutputKind.TEXT:
        raise _ReadyTextError
    for index, result in enumerate(turn.results):
        plan = plans.item(op.rule, item_facts(result, index, len(turn.results) - 1, facts))
        for one in plan or ():
            first = at + 3 * index
            if isinstance(one, Fixed):
                yield one.text
            elif isinstance(one, Fill) and one.slot in _OF_RESULT:
                yield Given(first + _OF_RESULT[one.slot], one)
            else:
                raise _ReadyTextError


_OF_RESULT = {ChatSlot.TEXT: 0, ChatSlot.ID: 1, ChatSlot.NAME: 2}


def _joined(parts: Iterable[Part]) -> Iterator[Part]:
    """The same with neighbouring texts as one, and one between any other two."""
    held: list[str] = []
    for part in parts:
        if isinstance(part, str):
            held.append(part)
            continue
        yield "".join(held)
        held.clear()
        yield part
    yield "".join(held)
