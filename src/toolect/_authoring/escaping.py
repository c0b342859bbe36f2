"""Prompt injection by slot: the shortest text that leaves a slot when put there as it is, and what it can forge.

`render` refuses or escapes such texts. Whoever fills a template by hand has to do so too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from functools import cached_property
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from toolect._authoring.generate.facts import facts
from toolect._compiled import Dialect
from toolect._graph.symbols import Mark, is_echo
from toolect._message import Call, Content, Message, Reasoning, Segment
from toolect._rendered import Part, Rendered, RenderError
from toolect._rendering.differences import IDS, MEANING, unchanged
from toolect._rendering.roundtrip import render, tools_of, write

FORGED = "forged"
"""Name of every forged tool, key and text."""
FREE = (Part.CONTENT, Part.REASONING, Part.VALUE, Part.ARGUMENTS)
"""The slots that take free text; the others have expressions that their texts must match."""
_PUT = "x"
"""Text that fills the slot at first."""


class EscapeResult(StrEnum):
    """Outcome of rendering a text that would leave its slot."""

    REFUSES = "refuses"
    """It raises RenderError."""
    ESCAPES = "escapes"
    """It writes the text in another way, and that is read as the text."""
    WRITES = "writes"
    """It writes it: a hole."""


class Escape(msgspec.Struct, frozen=True, dict=True):
    """A slot that a text can leave."""

    left: RawSlot
    intended: Segment
    """Segment with the witness in it."""
    witness: str
    """The shortest text found that leaves the slot."""
    closer: str
    """The marker that ends the slot; empty for none."""
    anywhere: bool
    """True when the witness leaves the slot after other text, too."""
    text: str
    """A message with the witness in the slot."""
    read: Message
    """Message read from `text`."""
    answer: EscapeResult

    @property
    def slot(self) -> Part:
        """The part of a message that fills the slot."""
        return self.left.slot

    @cached_property
    def forgeries(self) -> dict[str, str]:
        """Segments that can be forged (argument, call, content, reasoning), each with a text that forges it."""
        return dict(self.left.forgeries())


def escapes(dialect: Dialect) -> Iterator[Escape]:
    """The slots of a dialect that a text can leave. JSON is none: its strings hide what they hold."""
    for part, make in _slots(dialect):
        text = _written(dialect, make(_PUT))
        if text is not None and (at := _place(text, part)) is not None:
            slot = RawSlot(dialect, part, make, str(text[: at[0]]), str(text[at[1] :]))
            if (found := slot.escape()) is not None:
                yield found


Make = Callable[[str], list[Segment]]


def _slots(dialect: Dialect) -> Iterator[tuple[Part, Make]]:
    """The parts that may have a slot of their own, each with a function that makes a message with a text in it."""
    yield Part.CONTENT, lambda text: [Content(text)]
    yield Part.REASONING, lambda text: [Reasoning(text), Content("Hi.")]
    yield Part.NAME, lambda text: [Call(text, {"a": "b"})]
    yield Part.ID, lambda text: [Call("f", {"a": "b"}, text)]
    yield Part.KEY, lambda text: [Call("f", {text: "b"})]
    yield Part.VALUE, lambda text: [Call("f", {"a": text})]
    known = facts(dialect)
    for key in known.alone:
        for name in known.fixed or ("f",):
            yield Part.ARGUMENTS, _alone(name, key)


def _alone(name: str, key: str) -> Make:
    """A call with a text as its only argument."""
    return lambda text: [Call(name, {key: text})]


class Goal(NamedTuple):
    """Something to be forged: the message that has it behind the slot, and whether a segment that was read is it."""

    aim: Callable[[list[Segment]], list[Segment]]
    met: Callable[[Segment], bool]


GOALS = {
    "argument": Goal(
        lambda given: [replace(one, arguments=one.arguments | {FORGED: "x"}) for one in _calls(given)] or given,
        lambda read: any(one.name != FORGED and FORGED in one.arguments for one in _calls([read])),
    ),
    "call": Goal(
        lambda given: [*given[:1], Call(FORGED, {FORGED: "x"})],
        lambda read: any(one.name == FORGED for one in _calls([read])),
    ),
    "content": Goal(lambda given: [*given[:1], Content(FORGED)], lambda read: read == Content(FORGED)),
    "reasoning": Goal(lambda given: [*given[:1], Reasoning(FORGED)], lambda read: read == Reasoning(FORGED)),
}
"""Goals of a forgery, by name."""


class RawSlot(NamedTuple):
    """A slot of a message that was written: `before` and `after` are the text around it; `make` gives the message."""

    dialect: Dialect
    slot: Part
    make: Make
    before: str
    after: str

    def escape(self) -> Escape | None:
        """The shortest text that leaves the slot, if there is one."""
        known = sorted(cores(self.dialect), key=len, reverse=True)
        closers = [one for one in known if self.after.startswith(one) and not self.after[len(one) :][:1].isspace()]
        for witness in sorted(_candidates(self.dialect), key=lambda text: (len(text), text)):
            read = self.read(witness)
            if not self.stays(witness, read):
                return Escape(
                    left=self,
                    intended=self.make(witness)[0],
                    witness=witness,
                    anywhere=not self.stays(_PUT + witness, self.read(_PUT + witness)),
                    text=self.before + witness + self.after,
                    read=read,
                    closer=next(iter(closers), ""),
                    answer=self.answer(witness),
                )
        return None

    def read(self, text: str) -> Message:
        """The message with `text` in the slot."""
        return self.dialect.parse(self.before + text + self.after, self.tools(text))

    def tools(self, text: str) -> list[dict[str, Any]]:
        """The tools that a message with `text` in the slot calls, and the one that is forged."""
        return tools_of(Message([*self.make(text), Call(FORGED, {FORGED: "x"})]))

    def stays(self, text: str, read: Message) -> bool:
        """True when what was `read` has `text` in the slot, and everything else as it was."""
        return unchanged(Message(self.make(text)), read, MEANING | IDS if self.slot is Part.ID else MEANING)

    def answer(self, text: str) -> EscapeResult:
        """Outcome of rendering `text` in the slot."""
        tools = self.tools(text)
        try:
            written = render(self.dialect, Message(self.make(text)), tools)
        except RenderError:
            return EscapeResult.REFUSES
        if self.stays(text, self.dialect.parse(written, tools, mode="strict")):
            return EscapeResult.ESCAPES
        return EscapeResult.WRITES

    def forgeries(self) -> Iterator[tuple[str, str]]:
        """The names of goals that can be met from this slot, each with a text that meets it."""
        for name, goal in GOALS.items():
            target = goal.aim(self.make(_PUT))
            text = _written(self.dialect, target) if target != self.make(_PUT) and name != self.slot else None
            at = None if text is None else _place(text, self.slot)
            if text is None or at is None:
                continue
            rest = str(text[at[1] :])
            for more in dict.fromkeys((rest.removesuffix(self.after), rest)):
                if any(map(goal.met, self.read(_PUT + more).segments)):
                    yield name, _PUT + more
                    break


def _calls(segments: Sequence[Segment]) -> list[Call]:
    return [segment for segment in segments if isinstance(segment, Call) and segment.runnable]


def _written(dialect: Dialect, segments: list[Segment]) -> Rendered | None:
    message = Message(segments)
    try:
        return write(dialect, message, tools_of(message))
    except RenderError:
        return None


def _place(text: Rendered, slot: Part) -> tuple[int, int] | None:
    """Span of the text put into the slot, where it stands as it is; None where it does not."""
    places = ((start, end) for start, end, part, _ in text.spans if part is slot and text[start:end] == _PUT)
    return next(places, None)


def _candidates(dialect: Dialect) -> set[str]:
    """Texts that might end a slot: markers of the dialect, alone and after other text; whole calls, also bare."""
    calls = (_written(dialect, [Call(FORGED, arguments)]) for arguments in ({}, {"a": 1}))
    ends = cores(dialect) | {str(text) for text in calls if text}
    return {text for end in ends for text in (end, _PUT + end)}


def cores(dialect: Dialect) -> set[str]:
    """The dialect's markers, without the whitespace around them."""
    marks = (edge.symbol for state in dialect._graph().network.states for edge in state.edges)
    found = {mark.core for mark in marks if isinstance(mark, Mark) and not is_echo(mark.core)}
    return (found | {*dialect._graph().ends}) - {""}
