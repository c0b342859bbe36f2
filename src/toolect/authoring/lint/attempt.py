"""Messages that are written in a dialect and read back: what comes of it, and the smallest that shows the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from random import Random
from typing import NamedTuple

from msgspec import structs

from toolect._rendering.call import READ_BACK
from toolect._rendering.roundtrip import Tools, round_trip, tools_of
from toolect._shown import cut
from toolect.authoring.corpus import describe
from toolect.authoring.generate.minimal import minimal
from toolect.authoring.generate.random_messages import message as draw
from toolect.authoring.laws import carried
from toolect.compiled import Dialect
from toolect.message import Call, Json, Message, Segment
from toolect.rendered import Rendered, Unrepresentable

SAMPLES = 24
"""Messages drawn besides the smallest ones."""
_WIDTH = 160


class Trial(NamedTuple):
    """A message, the tools it was read with, the text it was written as, and what was read; or why it was refused."""

    message: Message
    tools: Tools
    text: Rendered | None
    back: Message | None
    refusal: Unrepresentable | None = None
    same: bool = False
    """The message came back."""

    @property
    def lost(self) -> bool:
        """True when what was written is not read as the same message, without a repair."""
        return self.back is not None and not (self.back.clean and self.same)


def attempt(dialect: Dialect, message: Message) -> Trial:
    """`message` written and read back in strict mode, with tools that declare just the types of its arguments."""
    tools = tools_of(message)
    try:
        done = round_trip(dialect, message, tools, "strict")
    except Unrepresentable as error:
        return Trial(message, tools, None, None, error)
    return Trial(*done, same=carried(done.back, message, made=dialect.spec.ids is not None))


def trials(dialect: Dialect) -> Iterator[Trial]:
    """The smallest messages of each kind and some others, written and read back."""
    for message in minimal(dialect):
        yield attempt(dialect, message)
    random = Random(dialect.name)
    for _ in range(SAMPLES):
        yield attempt(dialect, draw(dialect, random))


def single_values(found: Iterable[Trial]) -> list[tuple[Trial, Json]]:
    """The trials with nothing but a call of `f` with the argument `a`, and its value."""
    calls = [(trial, trial.message.segments[0]) for trial in found if len(trial.message.segments) == 1]
    return [
        (trial, call.arguments["a"])
        for trial, call in calls
        if isinstance(call, Call) and call.name == "f" and list(call.arguments) == ["a"]
    ]


def alike(refusal: Unrepresentable) -> bool:
    """True when a value was refused because it is written as another one is."""
    return refusal.reason.startswith(READ_BACK)


def are_apart(segments: Sequence[Segment]) -> bool:
    """False when two texts of a kind are beside each other: on the wire they are one."""
    return all(isinstance(a, Call) or type(a) is not type(b) for a, b in pairwise(segments))


def shrink(message: Message, fails: Callable[[Message], bool]) -> Message:
    """The smallest message that can be made of `message` step by step with every step failing as it does."""
    shrinking = True
    while shrinking:
        shrinking = False
        for smaller in _smaller(message):
            if fails(smaller):
                message, shrinking = smaller, True
                break
    return message


def shorten(text: str, fails: Callable[[str], bool]) -> str:
    """What is left of `text` when everything is cut out that it fails without."""
    size = max(len(text) // 2, 1)
    while size:
        at = 0
        while at < len(text):
            less = text[:at] + text[at + size :]
            if fails(less):
                text = less
            else:
                at += size
        size //= 2
    return text


def _smaller(message: Message) -> Iterator[Message]:
    """`message` with one thing less, or with a smaller one in its place."""
    segments = list(message.segments)
    for i in range(len(segments)):
        less = segments[:i] + segments[i + 1 :]
        if less and are_apart(less):
            yield Message(less)
    for i, segment in enumerate(segments):
        for smaller in _smaller_segments(segment):
            yield Message([*segments[:i], smaller, *segments[i + 1 :]])


def _smaller_segments(segment: Segment) -> Iterator[Segment]:
    if not isinstance(segment, Call):
        if segment.text != "x":
            yield structs.replace(segment, text="x")
        if len(segment.text) > 1:
            yield structs.replace(segment, text=segment.text[: len(segment.text) // 2])
        return
    for name in ("f", "g"):
        if len(segment.name) > len(name) or segment.name == "g" > name:
            yield Call(name, segment.arguments, segment.id)
    for key, value in segment.arguments.items():
        others = {k: v for k, v in segment.arguments.items() if k != key}
        yield Call(segment.name, others, segment.id)
        for smaller in _smaller_values(value):
            yield Call(segment.name, segment.arguments | {key: smaller}, segment.id)


def _smaller_values(value: Json) -> Iterator[Json]:
    if value != "x":
        yield "x"
    if isinstance(value, str) and len(value) > 1:
        yield value[: len(value) // 2]
        yield value[len(value) // 2 :]
    if isinstance(value, list) and value:
        yield value[1:]
        yield value[:-1]
        yield value[0]
    if isinstance(value, dict) and value:
        yield dict(list(value.items())[1:])
        yield next(iter(value.values()))


def told(message: Message) -> str:
    """What a message says, on one line."""
    return cut("; ".join(line.strip() for line in describe(message).splitlines()) or "nothing", _WIDTH)
