"""Finds the words of calls where no tools are declared: keys stand alike, and so do names, with keys behind them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple, TypeAlias

from toolect.authoring.scaffold.json_calls import json_values
from toolect.authoring.scaffold.notations import script_literal
from toolect.authoring.scaffold.seen import tokens

MAX_WORDS = 2_000
"""Words of all samples. Beyond it: no names or keys are looked for."""
MAX_FRAMES = 12
"""Ways in which keys may stand that are tried. Beyond it: those with the fewest words are not."""
MAX_TWO = 60
"""Characters of the two words that stand before another on its line, with what follows them."""
NEAR = 10
"""Words before the first key of a sample among which the name is."""
IDENTIFIER = re.compile(r"[A-Za-z_][\w]*(?:[.-]\w+)*")

Frame: TypeAlias = tuple[str | None, str | None]
"""What stands before a word and behind it; None where that may be anything."""


class Place(NamedTuple):
    """A word where it stands."""

    sample: int
    start: int
    end: int
    text: str


class Reading(NamedTuple):
    """Calls, each as its name and its keys, if these words were names and those keys."""

    calls: tuple[tuple[Place, tuple[Place, ...]], ...]
    stray: int = 0
    """Words that stand as keys do where no name is before them."""


_WORD = re.compile(r"\w+(?:[.-]\w+)*")
_QUOTED = re.compile(r"""(?<!\w)"(?:[^"\\\n]|\\.){0,2000}"|(?<!\w)'(?:[^'\\\n]|\\.){0,2000}'""")
_NESTED = re.compile(r"(?:(?<=[:=,])|(?<=[-=]>)|(?<=[:=>,] ))[\[{](?=[\w\"'\[{ \]}])")
_TOKEN = re.compile(r"<[|｜][^<>\n]{1,60}[|｜]>")
_SIGNED = re.compile(r"[^\w\s.,!?'\"]")
_SIGN = re.compile(r"(?<=.)[\"'`\[{(-]")


def readings(texts: Sequence[str]) -> Iterator[Reading]:
    """The ways to tell names from keys in samples by where words stand."""
    shown = [_without_objects(text) for text in texts]
    words = [_words(i, text) for i, text in enumerate(shown)]
    if sum(map(len, words)) > MAX_WORDS:
        return
    frames = _frames(shown, words)
    apart = [_QUOTED.sub(_dotted, text) for text in shown]
    outer = [_words(i, text) for i, text in enumerate(apart)]
    leaves, parents = _elements(shown)
    options = [tuple(leaves), *_likely(frames), *_likely(_frames(apart, outer))]
    for keys in dict.fromkeys(options):
        for names in _names(words, frames, parents, keys) if keys else ():
            yield _reading(names, keys)


def _words(sample: int, text: str) -> list[Place]:
    return [Place(sample, *match.span(), match[0]) for match in _WORD.finditer(text)]


def _marked(texts: Sequence[str], words: Iterable[Place]) -> set[Place]:
    """Words of special tokens."""
    spans = {(i, at) for i, text in enumerate(texts) for m in _TOKEN.finditer(text) for at in range(*m.span())}
    return {word for word in words if (word.sample, word.start) in spans}


def _dotted(match: re.Match[str]) -> str:
    return match[0][0] + "." * (len(match[0]) - 2) + match[0][-1]


def _without_objects(text: str) -> str:
    """The text with full stops in place of what JSON objects, and values in brackets, have in them."""
    for start, end, _ in json_values(text):
        text = text[: start + 1] + "." * (end - start - 2) + text[end - 1 :]
    at = 0
    while match := _NESTED.search(text, at):
        literal = script_literal(text, match.start())
        at = literal.end if literal else match.end()
        if literal:
            text = text[: match.end()] + "." * (at - match.end() - 1) + text[at - 1 :]
    return text


def _frames(texts: Sequence[str], words: Sequence[Sequence[Place]]) -> dict[Frame, list[Place]]:
    """Identifiers by what is around them, near and far."""
    frames: dict[Frame, list[Place]] = defaultdict(list)
    marked = _marked(texts, chain.from_iterable(words))
    for text, here in zip(texts, words, strict=True):
        for second, last, word, after in zip([None, None, *here], [None, *here], here, [*here[1:], None], strict=False):
            if not IDENTIFIER.fullmatch(text, word.start, word.end) or word in marked:
                continue
            before = text[last.end if last else 0 : word.start]
            behind = text[word.end : after.start if after else len(text)]
            rights = dict.fromkeys(_rights(behind, after))
            two = text[second.start : word.start] if second is not None else "\n"
            for left in dict.fromkeys(_lefts(before, last, two)):
                for right in rights:
                    frames[left, right].append(word)
    return frames


def _lefts(before: str, last: Place | None, two: str) -> Iterator[str | None]:
    line = before[max(before.rfind("\n"), 0) :] if last else "\n" + before
    yield from (None, line, next(reversed(tokens(line)), ""))
    if last is not None:
        yield last.text + before
    if "\n" not in two and len(two) <= MAX_TWO:
        yield two


def _rights(behind: str, after: Place | None) -> Iterator[str | None]:
    yield from (None, next(iter(tokens(behind)), "\n"), _SIGN.split(behind, maxsplit=1)[0] or "\n")
    if after is not None:
        yield behind + after.text


def _likely(frames: dict[Frame, list[Place]]) -> list[tuple[Place, ...]]:
    """The words of the frames in which the most different words stand, those with a sign behind them first."""
    signed: dict[tuple[Place, ...], None] = {}
    spaced: dict[tuple[Place, ...], None] = {}
    for (before, behind), places in frames.items():
        if behind is not None:
            plain = behind.isspace() and (before is None or not _SIGNED.search(before))
            (spaced if plain else signed)[tuple(places)] = None

    def likely(found: Iterable[tuple[Place, ...]]) -> list[tuple[Place, ...]]:
        return sorted(found, key=lambda places: (-len({place.text for place in places}), -len(places), places))

    return [*likely(signed)[:MAX_FRAMES], *likely(spaced)[: MAX_FRAMES // 3]]


_TAG = re.compile(r"[<\[{]+(/?)([A-Za-z_][\w.-]{0,60})[>\]}]+")


def _elements(texts: Sequence[str]) -> tuple[list[Place], list[Place]]:
    """Words that open and close an element with none inside, and those of elements with such inside."""
    leaves: list[Place] = []
    parents: list[Place] = []
    blank: set[Place] = set()
    within: set[Place] = set()
    for sample, text in enumerate(texts):
        opened: list[tuple[Place, int, int]] = []
        for match in _TAG.finditer(text):
            if not match[1]:
                opened.append((Place(sample, *match.span(2), match[2]), len(leaves), len(parents)))
                continue
            at = next((i for i in range(len(opened) - 1, -1, -1) if opened[i][0].text == match[2]), None)
            if at is not None:
                place, inside, deeper = opened[at]
                del opened[at:]
                if inside == len(leaves):
                    leaves.append(place)
                    blank.update([place] * (not text[place.end + 1 : match.start()].strip()))
                elif deeper == len(parents):
                    parents.append(place)
                    within.update(leaves[inside:])
    alone = blank - within if parents else set()
    return sorted({*leaves} - alone), sorted({*parents} | alone)


def _names(
    words: Sequence[Sequence[Place]],
    frames: dict[Frame, list[Place]],
    parents: Sequence[Place],
    keys: Sequence[Place],
) -> Iterator[tuple[Place, ...]]:
    """Where names may stand: as one of the words before a first key does, which is no key itself."""
    near: set[Place] = set()
    for sample in {key.sample for key in keys}:
        at = bisect_left(words[sample], next(key for key in keys if key.sample == sample))
        near.update(words[sample][max(0, at - NEAR) : at + 3])
    options = [tuple(places) for places in frames.values() if not near.isdisjoint(places)]
    taken = {*keys}
    for found in dict.fromkeys([tuple(parents), *options]):
        if found and taken.isdisjoint(found):
            yield found


def _reading(names: Sequence[Place], keys: Sequence[Place]) -> Reading:
    """The calls that such names and keys make, without a word that stands before every name: that is markup."""
    calls: list[tuple[Place, list[Place]]] = []
    before: list[Place | None] = []
    named = {*names}
    last: Place | None = None
    for place in sorted({*names, *keys}):
        if last is not None and last.sample != place.sample:
            last = None
        if place in named:
            calls.append((place, []))
            before.append(last if last not in named else None)
        elif calls and calls[-1][0].sample == place.sample:
            calls[-1][1].append(place)
        last = place
    markup = {*before} if len({place and place.text for place in before}) == 1 else set()
    made = tuple((name, tuple(key for key in given if key not in markup)) for name, given in calls)
    return Reading(made, len({*keys} - markup) - sum(len(given) for _, given in made))
