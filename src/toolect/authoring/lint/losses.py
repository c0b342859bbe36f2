"""Messages that do not come back as they were: the smallest, and what in the spec is to blame."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum, auto
from typing import NamedTuple

from msgspec import structs

from toolect._rendering.differences import MEANING, differences
from toolect._spec.model import Gaps
from toolect._values.schema_keywords import type_of
from toolect.authoring.lint.attempt import Trial, attempt, shrink
from toolect.compiled import Dialect
from toolect.message import Call, Json, Message, Segment, same_json

MAX_LOSSES = 12
"""Lost messages that are looked into: what is wrong shows in the first ones."""


class Cause(Enum):
    """What keeps a message from coming back."""

    VALUE = auto()
    """The value of an argument: with a word in its place the message comes back."""
    GAP = auto()
    """The whitespace between segments: without it the message comes back."""
    GRAMMAR = auto()
    """Anything else."""


class LostMessage(NamedTuple):
    """A message that is read back as another, made as small as can be."""

    cause: Cause
    trial: Trial

    @property
    def odd(self) -> Segment:
        """The first segment that did not come back."""
        message, back = self.trial.message, self.trial.back or Message()
        odd = next(differences(message, back, MEANING), None)
        return odd.old if odd is not None and odd.old is not None else message.segments[-1]

    @property
    def values(self) -> tuple[Json, Json] | None:
        """The innermost value that was read as another one, and that; nothing when a schema could not decide it."""
        back = self.trial.back
        for old, new in zip(self.trial.message.calls, back.calls if back else (), strict=False):
            if found := _innermost(old.arguments, new.arguments, []):
                *_, beside = found
                declared = {type_of(value) for value in beside}
                declared |= {"integer"} if "number" in declared else set()
                return found[:2] if type_of(found[1]) not in declared else None
        return None


def _innermost(old: Json, new: Json, beside: list[Json]) -> tuple[Json, Json, list[Json]] | None:
    """The innermost difference of two values, and what its schema was made from: itself, and the items `beside`."""
    if isinstance(old, dict) and isinstance(new, dict) and old.keys() == new.keys():
        pairs = [(old[key], new[key], [old[key]]) for key in old]
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        pairs = [(a, b, old) for a, b in zip(old, new, strict=True)]
    else:
        pairs = []
    inner = (_innermost(*pair) for pair in pairs)
    return next((found for found in inner if found), None if same_json(old, new) else (old, new, beside or [old]))


def losses(dialect: Dialect, found: Iterable[Trial]) -> Iterator[LostMessage]:
    """The losses among the trials, each message once."""
    ungapped = Dialect(structs.replace(dialect.spec, gaps=Gaps()))
    met: list[Message] = []
    lost = (trial for trial in found if trial.lost)
    for trial, _ in zip(lost, range(MAX_LOSSES), strict=False):
        smallest = shrink(trial.message, lambda message: attempt(dialect, message).lost)
        if smallest not in met:
            met.append(smallest)
            yield LostMessage(_cause(dialect, ungapped, smallest), attempt(dialect, smallest))


def _cause(dialect: Dialect, ungapped: Dialect, message: Message) -> Cause:
    plain = Message([_with_words(segment) for segment in message.segments])
    if plain != message and attempt(dialect, plain).same:
        return Cause.VALUE
    bare = attempt(ungapped, message)
    return Cause.GAP if bare.back is not None and not bare.lost else Cause.GRAMMAR


def _with_words(segment: Segment) -> Segment:
    """A call with a word for each value; any other segment as it is."""
    return (
        Call(segment.name, dict.fromkeys(segment.arguments, "x"), segment.id) if isinstance(segment, Call) else segment
    )
