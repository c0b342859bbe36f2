"""Finds a marker and a terminal, or two markers, that one text may be at one place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations

from toolect._graph.spelling import squeeze
from toolect._graph.symbols import Terminal
from toolect.authoring.lint.states import State, states, written
from toolect.authoring.lint.subject import Subject
from toolect.authoring.lint.terminals import beginning
from toolect.diagnostic import Diagnostic, warning


def check(subject: Subject) -> Iterator[Diagnostic]:
    """A diagnostic for each terminal and each such pair of markers, at the first place where both may stand."""
    met: set[tuple[str, str]] = set()
    for state, cores, regexes in states(subject.dialect).kinds():
        for regex in regexes:
            new = [core for core in cores if (core, regex) not in met]
            met |= {(core, regex) for core in new}
            hidden = {core: word for core in new if (word := _hidden(core, regex)) is not None}
            if hidden:
                yield _marker_and_terminal(subject, state, hidden, regex)
        for one, two in combinations(cores, 2):
            if squeeze(one) == squeeze(two) and (one, two) not in met and _ends(state, one) != _ends(state, two):
                met.add((one, two))
                yield _two_markers(subject, state, one, two)


def _ends(state: State, core: str) -> set[int]:
    """Where the marker leads: the spellings of one terminal lead to the same place."""
    return {choice.edge.target for choice in state.node.choices[core]}


def _hidden(core: str, regex: str) -> str | None:
    """A word of the terminal that begins with the marker."""
    return beginning(regex, core, r"(?!\w)" if core.isidentifier() else "")  # as the marker itself is matched


def _marker_and_terminal(subject: Subject, state: State, hidden: dict[str, str], regex: str) -> Diagnostic:
    name, _ = written(subject, state.node, Terminal(regex))
    core, word = next(iter(hidden.items()))
    listed = ", ".join(f"`{marker}`" for marker in hidden)
    without = "|".join(re.escape(marker) + r"\b" * marker.isidentifier() for marker in hidden)
    return warning(
        "shadowed-marker",
        f"`{name}` matches what is the marker {listed} at the same place" if len(hidden) == 1
        else f"`{name}` matches what are the markers {listed} at the same place",
        subject.places.terminal(name),
        label=f"never gets `{word}`",
        related=tuple((written(subject, state.node, marker)[1], "is taken first") for marker in hidden),
        witness=state.text + word,
        reading=f"the marker `{core}`" + (f", then `{word[len(core) :]}`" if word != core else ""),
        help=f"leave them out: `{name}: /(?!{without}){regex}/`",
    )  # fmt: skip


def _two_markers(subject: Subject, state: State, one: str, two: str) -> Diagnostic:
    here, there = (written(subject, state.node, core)[1] for core in (one, two))
    return warning(
        "shadowed-marker",
        f"the markers `{one}` and `{two}` differ in blanks alone, and both may stand at one place",
        here,
        related=((there, "is taken for the same"),),
        witness=state.text + two,
        reading=f"the marker `{one}`",
        help="write one of them, or let them differ in a sign",
    )
