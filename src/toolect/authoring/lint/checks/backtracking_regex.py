"""Finds regular expressions that take more than linear time on some text."""

from __future__ import annotations

from collections.abc import Iterator

from toolect._regular.ambiguity import Attack, Growth, Undecided, ambiguity
from toolect.authoring.lint.subject import Subject
from toolect.authoring.lint.terminals import expressions
from toolect.diagnostic import Diagnostic, Place, warning

TIMES = 30
"""How often the witness repeats what slows the expression down."""


def check(subject: Subject) -> Iterator[Diagnostic]:
    """A diagnostic for each terminal, and each expression of the entry, that may be slow."""
    for name, pattern in expressions(subject.spec).items():
        yield from _judge(f"the terminal `{name}`", pattern.regex, subject.places.terminal(name))
    for key, codec in subject.spec.codecs.items():
        if codec.quoted is not None:
            place = subject.places.entry("values", key, "quoted")
            yield from _judge(f"`quoted` of `{key}`", codec.quoted, place)


def _judge(what: str, regex: str, place: Place) -> Iterator[Diagnostic]:
    match ambiguity(regex):
        case Attack() as attack:
            grows = "exponential" if attack.growth is Growth.EXPONENTIAL else "more than linear"
            message = f"{what} takes {grows} time on some text"
            yield warning(
                "backtracking-regex",
                message,
                place,
                label=f"reads `{attack.pump}` again and again in more than one way",
                witness=attack.text(TIMES),
                help="let there be one way to read each text: no repetition inside of a repetition of the same signs",
            )
        case Undecided(reason, large=False):
            message = f"it is not known whether {what} is linear: {reason}"
            yield warning("backtracking-regex", message, place, help="write it without that")
