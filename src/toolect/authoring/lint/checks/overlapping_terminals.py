"""Finds two terminals that may stand at one place and match the same text."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from toolect._graph.symbols import Terminal
from toolect._regular.shared_words import common, prefixes
from toolect._regular.syntax import NotRegular
from toolect.authoring.lint.states import State, states, written
from toolect.authoring.lint.subject import Subject
from toolect.diagnostic import Diagnostic, warning


def check(subject: Subject) -> Iterator[Diagnostic]:
    """A diagnostic for each pair of terminals, at the first place where both may stand."""
    met: set[tuple[str, str]] = set()
    for state, _, regexes in states(subject.dialect).kinds():
        for first, second in combinations(regexes, 2):
            if (first, second) not in met:
                met.add((first, second))
                yield from _judge(subject, state, first, second)


def _judge(subject: Subject, state: State, first: str, second: str) -> Iterator[Diagnostic]:
    try:
        word = common(first, second)
        cut = None if word is not None else prefixes(first, second)
    except NotRegular:
        return  # `backtracking-regex` and `too-large` say why
    if word is None and cut is None:
        return
    (one, here), (two, there) = (written(subject, state.node, Terminal(regex)) for regex in (first, second))
    short, long = cut or (word, word)
    how = f"`{two}`" if cut is None else f"the beginning of `{two}`"
    yield warning(
        "overlapping-terminals",
        f"`{one}` also matches {how}, and both may stand at one place",
        here,
        label=f"matches `{short}`",
        related=((there, f"gets `{long}` only by what follows"),),
        witness=f"{state.text}{long}",
        reading=f"`{one}` `{short}`"
        if cut is None
        else f"`{one}` `{short}`, then `{(long or '')[len(short or '') :]}`",
        help="let them differ in their first sign, or put a marker before one of them",
    )
