"""Hypothesis strategies for tests of what reads or writes tool calls: messages, wire text, broken text, chunkings.

They draw with the generator of `toolect.authoring.generate`, whose every choice Hypothesis makes, and can shrink.
"""

from __future__ import annotations

from random import Random
from typing import TypeVar

import toolect
from toolect import _extras as extras
from toolect._rendering.roundtrip import tools_of as tools_for
from toolect.authoring.generate import Corruption, corrupt, texts
from toolect.authoring.generate import message as draw_message
from toolect.authoring.generate.facts import facts
from toolect.authoring.generate.json_values import value as draw_value
from toolect.authoring.generate.sampler import Walker
from toolect.authoring.generate.samples import Sample, derivation, rendered
from toolect.compiled import Dialect
from toolect.message import Json, Message

try:
    from hypothesis import strategies as st
except ImportError:
    raise extras.Missing("hypothesis", "testing") from None

__all__ = [
    "chunkings", "corrupted", "derivations", "garbage", "messages", "samples", "tools_for", "values", "wire_texts",
]  # fmt: skip

T = TypeVar("T")

MISTAKES = 3
"""How often a corrupted text is broken, at most."""
CUTS = 12
"""Into how many pieces a text is cut, at most, besides the first."""


def messages(dialect: Dialect | str, *, hostile: bool = False) -> st.SearchStrategy[Message]:
    """Messages of the kinds that the dialect knows; `hostile` ones need not be representable."""
    found = _dialect(dialect)
    return _randoms().map(lambda random: draw_message(found, random, hostile=hostile))


def samples(dialect: Dialect | str, *, hostile: bool = False) -> st.SearchStrategy[Sample]:
    """Representable messages with the wire text that they are rendered as, and the tools that they call."""
    found = _dialect(dialect)

    drawn = messages(found, hostile=hostile).map(lambda message: rendered(found, message))
    return _present(drawn)


def derivations(dialect: Dialect | str) -> st.SearchStrategy[Sample]:
    """Texts that the grammar allows in all its spellings, with the messages that they are read as."""
    found = _dialect(dialect)
    walker = Walker(found.spec)
    return _present(_randoms().map(lambda random: derivation(found, walker, random)))


def wire_texts(dialect: Dialect | str, *, hostile: bool = False) -> st.SearchStrategy[str]:
    """Wire texts that strict mode reads: rendered messages, and what else the grammar allows."""
    return st.one_of(samples(dialect, hostile=hostile), derivations(dialect)).map(lambda sample: sample.text)


def corrupted(dialect: Dialect | str) -> st.SearchStrategy[str]:
    """Wire texts broken in one to three of the ways that models break them."""
    found = _dialect(dialect)

    def draw(text: str, ways: list[Corruption], random: Random) -> str:
        for how in ways:
            text = corrupt(text, found.spec, random, how)
        return text

    ways = st.lists(st.sampled_from(Corruption), min_size=1, max_size=MISTAKES)
    return st.builds(draw, wire_texts(found), ways, _randoms())


def garbage(dialect: Dialect | str) -> st.SearchStrategy[str]:
    """Texts that are no answer: markers of the dialect, halves of calls and anything else, in any order."""
    found = _dialect(dialect)
    return _randoms().map(lambda random: texts.garbage(facts(found).markers, random))


def values() -> st.SearchStrategy[Json]:
    """JSON values of every type, with harmless strings."""
    return _randoms().map(lambda random: draw_value(random, texts.harmless, texts.harmless, extreme=True))


def chunkings(text: str) -> st.SearchStrategy[list[str]]:
    """The text in pieces: some empty, some of one character, some long."""
    places = st.lists(st.integers(0, len(text)), max_size=CUTS).map(sorted)
    return places.map(lambda cuts: [text[i:j] for i, j in zip([0, *cuts], [*cuts, len(text)], strict=True)])


def _present(drawn: st.SearchStrategy[T | None]) -> st.SearchStrategy[T]:
    """What is drawn, without nothing."""
    return drawn.filter(lambda one: one is not None)  # type: ignore[return-value]  # which it says by filtering


def _randoms() -> st.SearchStrategy[Random]:
    """Sources of randomness that Hypothesis decides about."""
    return st.randoms(use_true_random=False)


def _dialect(dialect: Dialect | str) -> Dialect:
    """The dialect, which may be given by its name."""
    return toolect.dialect(dialect) if isinstance(dialect, str) else dialect
