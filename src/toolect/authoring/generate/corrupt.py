"""Breaks wire text in the ways that models, servers and tokenizers break it, each under its name."""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import StrEnum
from random import Random
from typing import TypeAlias

from toolect._spec.model import Spec
from toolect.authoring.generate.facts import closers, fixed, markers, openers
from toolect.authoring.generate.texts import hostile

_DRIFT = ("", " ", "\n", "\n\n", "\t ", "\r\n")
_QUOTES = (('"', "'"), ("'", '"'), ("\"'", "”’"))
_SPLITS = (" ", "\n", "-", "\u200b", "<", "x")


class Corruption(StrEnum):
    """A way to break wire text. One that finds nothing to break leaves the text as it is."""

    MISSING_CLOSER = "missing-closer"
    """A marker that ends something is left out."""
    MISSING_OPENER = "missing-opener"
    """A marker that begins something is left out."""
    SPLIT = "split"
    """A blank or another sign stands in the middle of a marker."""
    TRUNCATION = "truncation"
    """The text stops somewhere."""
    LOST_BEGINNING = "lost-beginning"
    """The first characters are gone."""
    WRONG_QUOTES = "wrong-quotes"
    """Double quotes are single ones, single ones are double, or all are typographic."""
    DOUBLED_MARKER = "doubled-marker"
    """A marker stands there twice."""
    SWAPPED_MARKERS = "swapped-markers"
    """Two markers stand in each other's place."""
    DROPPED_CHARACTER = "dropped-character"
    """A character of a marker is missing."""
    WHITESPACE_DRIFT = "whitespace-drift"
    """Whitespace is more, less, of another kind, or at the side of a marker where there was none."""
    SPLICED_GARBAGE = "spliced-garbage"
    """Something that does not belong there stands in the text: halves of markers, signs, controls."""


def corrupt(text: str, spec: Spec, random: Random, how: Corruption) -> str:
    """`text`, broken in the way `how`; the same text where there is nothing to break in this way."""
    return _WAYS[how](text, spec, random)


def _place(text: str, wanted: list[str], random: Random) -> tuple[int, int] | None:
    """Where in the text one of the markers stands; nothing when none does."""
    either = "|".join(re.escape(marker) for marker in wanted)
    found = [match.span() for match in re.finditer(either, text)] if either else []
    return random.choice(found) if found else None


def _left_out(text: str, wanted: list[str], random: Random) -> str:
    """The text without one of the markers."""
    place = _place(text, wanted, random)
    return text if place is None else text[: place[0]] + text[place[1] :]


def _missing_closer(text: str, spec: Spec, random: Random) -> str:
    return _left_out(text, closers(spec), random)


def _missing_opener(text: str, spec: Spec, random: Random) -> str:
    return _left_out(text, openers(spec), random)


def _split(text: str, spec: Spec, random: Random) -> str:
    place = _place(text, [marker for marker in fixed(spec) if len(marker.strip()) > 1], random)
    if place is None:
        return text
    at = random.randint(place[0] + 1, place[1] - 1)
    return text[:at] + random.choice(_SPLITS) + text[at:]


def _truncated(text: str, _spec: Spec, random: Random) -> str:
    return text[: random.randint(0, len(text) - 1)] if text else text


def _beheaded(text: str, _spec: Spec, random: Random) -> str:
    return text[random.randint(1, min(30, len(text))) :] if text else text


def _requoted(text: str, _spec: Spec, random: Random) -> str:
    ways = [(old, new) for old, new in _QUOTES if any(quote in text for quote in old)]
    return text.translate(str.maketrans(*random.choice(ways))) if ways else text


def _doubled(text: str, spec: Spec, random: Random) -> str:
    start, end = _place(text, fixed(spec), random) or (0, 0)
    return text[:end] + text[start:end] + text[end:]


def _swapped(text: str, spec: Spec, random: Random) -> str:
    either = "|".join(map(re.escape, fixed(spec)))
    found = list(re.finditer(either, text))
    one = random.choice(found) if found else None
    others = [match for match in found if one and match[0] != one[0]]
    if one is None or not others:
        return text
    first, second = sorted((one, random.choice(others)), key=re.Match.start)
    between = text[first.end() : second.start()]
    return text[: first.start()] + second[0] + between + first[0] + text[second.end() :]


def _dropped(text: str, spec: Spec, random: Random) -> str:
    place = _place(text, fixed(spec), random)
    if place is None:
        return text
    at = random.randint(place[0], place[1] - 1)
    return text[:at] + text[at + 1 :]


def _drifted(text: str, spec: Spec, random: Random) -> str:
    places = [match.span() for match in re.finditer(r"\s+", text)]
    marker = _place(text, fixed(spec), random)
    if marker is not None:
        places += [(at, at) for at in marker]
    if not places:
        return text
    start, end = random.choice(places)
    return text[:start] + random.choice([blank for blank in _DRIFT if blank != text[start:end]]) + text[end:]


def _spliced(text: str, spec: Spec, random: Random) -> str:
    at = random.randint(0, len(text))
    return text[:at] + (hostile(markers(spec), random) or "{") + text[at:]


_Way: TypeAlias = Callable[[str, Spec, Random], str]
_WAYS: dict[Corruption, _Way] = {
    Corruption.MISSING_CLOSER: _missing_closer,
    Corruption.MISSING_OPENER: _missing_opener,
    Corruption.SPLIT: _split,
    Corruption.TRUNCATION: _truncated,
    Corruption.LOST_BEGINNING: _beheaded,
    Corruption.WRONG_QUOTES: _requoted,
    Corruption.DOUBLED_MARKER: _doubled,
    Corruption.SWAPPED_MARKERS: _swapped,
    Corruption.DROPPED_CHARACTER: _dropped,
    Corruption.WHITESPACE_DRIFT: _drifted,
    Corruption.SPLICED_GARBAGE: _spliced,
}
