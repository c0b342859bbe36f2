"""Hypothesis strategies for tests of what reads or writes tool calls: messages, wire text, broken text, chunkings.

They draw with the generator of `toolect._authoring.generate`, whose every choice Hypothesis makes, and can shrink.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from random import Random
from typing import TypeVar

import toolect
from toolect import _extras as extras
from toolect._authoring.generate import Corruption, corrupt
from toolect._authoring.generate import message as draw_message
from toolect._authoring.generate.facts import facts
from toolect._authoring.generate.random_values import garbage as draw_garbage
from toolect._authoring.generate.random_values import harmless
from toolect._authoring.generate.random_values import value as draw_value
from toolect._authoring.generate.sampler import Walker
from toolect._authoring.generate.samples import Sample, derivation, rendered
from toolect._compiled import Dialect
from toolect._message import Json, Message
from toolect._rendering.roundtrip import tools_of as tools_for
from toolect._values.toolset import tool_schemas

try:
    from hypothesis import strategies as st
except ImportError:
    raise extras.MissingExtraError("hypothesis", "testing") from None

__all__ = [
    "chunkings", "corrupted", "derivations", "garbage", "messages", "samples", "tools_for", "values", "wire_texts",
]  # fmt: skip

T = TypeVar("T")

MISTAKES = 3
"""Corruptions of one text, at most."""
CUTS = 12
"""Cuts of a text into pieces, at most."""


def messages(
    dialect: Dialect | str, *, hostile: bool = False, tools: Sequence[Json] = ()
) -> st.SearchStrategy[Message]:
    """Messages of the kinds that the dialect knows; `hostile` ones need not be representable.

    Their calls are of the `tools`, if there are any, with arguments that fit their schemas.
    """
    return _drawn(partial(draw_message, _dialect(dialect), hostile=hostile, tools=tool_schemas(tools)))


def samples(dialect: Dialect | str, *, hostile: bool = False, tools: Sequence[Json] = ()) -> st.SearchStrategy[Sample]:
    """Representable messages with the wire text that they are rendered as, and the tools, or those that they call."""
    found, declared = _dialect(dialect), tool_schemas(tools)

    def draw(random: Random) -> Sample | None:
        return rendered(found, draw_message(found, random, hostile=hostile, tools=declared), tools)

    return _present(_drawn(draw))


def derivations(dialect: Dialect | str) -> st.SearchStrategy[Sample]:
    """Texts that the grammar allows in all its spellings, with the messages that they are read as."""
    found = _dialect(dialect)
    return _present(_drawn(partial(derivation, found, Walker(found.spec))))


def wire_texts(dialect: Dialect | str, *, hostile: bool = False) -> st.SearchStrategy[str]:
    """Wire texts that strict mode reads: rendered messages, and what else the grammar allows."""
    return st.one_of(samples(dialect, hostile=hostile), derivations(dialect)).map(lambda sample: sample.text)


def corrupted(dialect: Dialect | str) -> st.SearchStrategy[str]:
    """Wire texts broken in one to three of the ways that models break them."""
    return _corrupted(_dialect(dialect))


@st.composite
def _corrupted(draw: st.DrawFn, dialect: Dialect) -> str:
    text = draw(wire_texts(dialect))
    for how in draw(st.lists(st.sampled_from(Corruption), min_size=1, max_size=MISTAKES)):
        text = corrupt(text, dialect.spec, draw(_RANDOMS), how)
    return text


def garbage(dialect: Dialect | str) -> st.SearchStrategy[str]:
    """Texts that are no answer: markers of the dialect, halves of calls and anything else, in any order."""
    found = _dialect(dialect)
    return _drawn(partial(draw_garbage, facts(found).markers))


def values() -> st.SearchStrategy[Json]:
    """JSON values of every type, with harmless strings."""
    return _drawn(partial(draw_value, text=harmless, key=harmless, extreme=True))


def chunkings(text: str) -> st.SearchStrategy[list[str]]:
    """The text in pieces: some empty, some of one character, some long."""
    places = st.lists(st.integers(0, len(text)), max_size=CUTS).map(sorted)
    return places.map(lambda cuts: [text[i:j] for i, j in zip([0, *cuts], [*cuts, len(text)], strict=True)])


def _present(drawn: st.SearchStrategy[T | None]) -> st.SearchStrategy[T]:
    """The strategy without None."""
    return drawn.filter(lambda one: one is not None)  # type: ignore[return-value]  # which it says by filtering


_RANDOMS = st.randoms(use_true_random=False)
"""Sources of randomness that Hypothesis decides about."""


@st.composite
def _drawn(draw: st.DrawFn, make: Callable[[Random], T]) -> T:
    """The value that `make` draws. It is shown as itself, and not as how it was made."""
    return make(draw(_RANDOMS))


def _dialect(dialect: Dialect | str) -> Dialect:
    """The dialect, which may be given by its name."""
    return toolect.dialect(dialect) if isinstance(dialect, str) else dialect
