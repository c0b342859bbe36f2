"""Messages whose names, keys, values and ids are signs: what is rendered at all must be read back in any chunks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from toolect._authoring.generate.random_messages import numbered
from toolect._authoring.generate.samples import TRIES, Sample, rendered
from toolect._compiled import Dialect
from toolect._message import Call, Content, Json, Message, Segment
from tools.fuzz.damage import SIGNS

_PLAIN = ("f", "a", "get_x", "x", "1")
_SCALARS = (0, -1, 2.5, 1e300, True, False, None)


def odd_samples(dialect: Dialect, random: Random, markers: Sequence[str]) -> Iterator[Sample]:
    """Messages that the dialect can carry, rendered; none where it carries too few of them."""
    signs = (*SIGNS, *markers)
    failed = 0
    while failed < TRIES:
        sample = rendered(dialect, Message(numbered(dialect.spec, _segments(random, signs))))
        failed = failed + 1 if sample is None else 0
        if sample is not None:
            yield sample


def _segments(random: Random, signs: Sequence[str]) -> list[Segment]:
    calls: list[Segment] = [
        Call(_name(random, signs), _members(random, signs, 0), random.choice((None, "1", _text(random, signs))))
        for _ in range(random.randint(1, 2))
    ]
    return [Content(_text(random, signs)), *calls] if random.randrange(3) == 0 else calls


def _members(random: Random, signs: Sequence[str], depth: int) -> dict[str, Json]:
    return {_name(random, signs): _value(random, signs, depth) for _ in range(random.randrange(3))}


def _value(random: Random, signs: Sequence[str], depth: int) -> Json:
    match random.randrange(8):
        case 0:
            return random.choice(_SCALARS)
        case 1 if depth < 2:
            return _members(random, signs, depth + 1)
        case 2 if depth < 2:
            return [_value(random, signs, depth + 1) for _ in range(random.randrange(3))]
    return _text(random, signs)


def _name(random: Random, signs: Sequence[str]) -> str:
    """A plain name, mostly."""
    return random.choice(_PLAIN) if random.randrange(3) else _text(random, signs) or "f"


def _text(random: Random, signs: Sequence[str]) -> str:
    """Signs, with a word among them perhaps."""
    return "".join(random.choice(signs if random.randrange(4) else _PLAIN) for _ in range(random.randint(1, 3)))
