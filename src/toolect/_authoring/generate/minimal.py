"""The smallest messages that show each feature of a dialect, in order of size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from toolect._authoring.generate.facts import Facts, facts
from toolect._authoring.generate.random_messages import numbered
from toolect._compiled import Dialect
from toolect._message import Call, Content, Json, Message, Reasoning, Segment, dumps
from toolect._regular.sample import sample

VALUES: tuple[Json, ...] = (
    "x", 0, 7, -1, 0.5, 1.0, True, False, None, "", [], {}, [1], {"b": 1}, "7", "true", "null", " x ", "x\ny", "\n",
    [[], {}], {"b": {"c": [None, "x"]}}, 2**53 + 1,
)  # fmt: skip
"""One value of each JSON type, empty and nested, and strings that look like other types."""
TEXT, THOUGHT = Content("Let me look."), Reasoning("They ask for the time.")
ROME, OSLO = Call("get_time", {"place": "Rome"}), Call("get_time", {"place": "Oslo"})
"""What is said in messages that people are shown."""
_SEED = 0


def minimal(dialect: Dialect) -> Iterator[Message]:
    """Small messages, one for each feature, in order of size; not every dialect can carry every one."""
    found = [Message(numbered(dialect.spec, segments)) for segments in _segments(dialect)]
    yield from sorted(dict.fromkeys(found), key=_size)


def _segments(dialect: Dialect) -> Iterator[Sequence[Segment]]:
    yield [Content("Hi.")]
    yield from ([call] for call in _calls(facts(dialect)))
    yield from _together(facts(dialect))


def _calls(known: Facts) -> Iterator[Call]:
    """Calls by themselves: of every kind of name, with every kind of arguments."""
    names = ("f", *known.fixed)
    yield from (Call(name, {}) for name in names)
    yield from (Call("f", {"a": value}) for value in VALUES)
    yield Call("f", {"a": 1, "b": "y"})
    yield Call("f", {"path": "x"})
    yield from (Call(name, {key: "x"}) for name in names for key in known.alone)
    yield from (Call("f", {"a": f"x{_drawn(regex)}y"}) for regex in known.strings)
    yield from (Call(_drawn(regex), {}) for regex in known.names)
    yield from (Call("f", {_drawn(regex): 1}) for regex in known.keys)
    if known.has_ids:
        yield Call("f", {}, _id(known, 1))


def _together(known: Facts) -> Iterator[Sequence[Segment]]:
    """Several segments: calls side by side, text and reasoning before, between and after them."""
    text, thought = Content("Hi."), Reasoning("Hm.")
    call, other = Call("f", {"a": "x"}), Call("g", {})
    found: list[list[Segment]] = [[call, call], [call, other], [other, call, other]]
    found += [[text, call], [call, text], [text, call, other], [call, text, other], [text, call, Content("Done.")]]
    if known.has_reasoning:
        found += [[thought], [thought, text], [thought, call], [thought, text, call], [call, thought, other]]
    yield from found
    if known.has_ids:
        yield [Call("f", {}, _id(known, 1)), Call("f", {}, _id(known, 2))]
        yield [Call("f", {}, _id(known, 1)), Call("f", {})]


def _id(known: Facts, number: int) -> str:
    """An id that the dialect has a place for."""
    return _drawn(known.ids[0], number) if known.ids else f"id{number}"


def _drawn(regex: str, seed: int = _SEED) -> str:
    """A text that the expression matches, always the same."""
    return sample(regex, Random(seed))


def _size(message: Message) -> tuple[int, int]:
    """How many segments a message has, and how many characters."""
    written = (
        len(s.name) + len(dumps(s.arguments)) + len(s.id or "") if isinstance(s, Call) else len(s.text)
        for s in message.segments
    )
    return len(message.segments), sum(written)
