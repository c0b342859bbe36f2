"""How well the dialect of a text is found when nobody names it, over the corpus of other projects' cases.

detected   Texts with a call: the case's dialect is among those ranked first, or the one ranked first reads the same
           calls as the case's dialect does. With the case's tools.
read       All texts: what `auto` reads is scored as a dialect's reading is, calls alone; beside it the score of the
           case's own dialect.
invented   Texts that upstream finds no call in (kind no_call): those in which `auto` finds more runnable calls than the
           case's own dialect does, which may see what upstream drops: a call of a tool that was not declared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from toolect import registry
from toolect._compiled import Dialect
from toolect._detection.auto import auto
from toolect._detection.ranking import detect
from toolect._message import Json, Message
from toolect._rendering.differences import MEANING, unchanged
from tools.conformance.cases import Case
from tools.conformance.chunked import disagreement, stream
from tools.conformance.scoring import score
from tools.conformance.views import Reading


@dataclass(frozen=True)
class Guess:
    """What became of one case. `detected` and `invented` are None where they are not asked for."""

    case: Case
    detected: bool | None
    read: bool | None
    known: bool | None
    """Whether the case's own dialect reads it so."""
    invented: bool | None
    agree: bool
    ranked: tuple[str, ...] = ()
    message: Message | None = None


def guess(case: Case, dialect: Dialect, prefix: str) -> Guess:
    """Look for the dialect of a case, and read it without one."""
    options: dict[str, Json] = {"tools": case.tools, "prefix": prefix}
    message = auto.parse(case.text, **options)
    agree = not any(
        disagreement(message, stream(auto, chunks, options)) for chunks in (case.chunks or [case.text], case.text)
    )
    own = dialect.parse(case.text, **options)
    known = score(case, [Reading(own, case.text)]).calls
    detected: bool | None = None
    ranked: tuple[str, ...] = ()
    if case.kind != "no_call" and case.expect.calls and case.scope != "reasoning" and own.runnable:
        found = detect(case.text, case.tools, 1, prefix)
        ranked = found[0].dialects if found else ()
        detected = str(case.dialect) in ranked or bool(ranked) and alike(own, ranked[0], case, options)
    invented = len(message.runnable) > len(own.runnable) if case.kind == "no_call" and not case.expect.calls else None
    calls = score(case, [Reading(message, case.text)]).calls
    return Guess(case, detected, calls, known, invented, agree, ranked, message)


def alike(meant: Message, name: str, case: Case, options: Mapping[str, Json]) -> bool:
    """True when the dialect `name` reads the calls that were meant."""
    got = registry.dialect(name).parse(case.text, **options)
    return unchanged(Message(meant.calls), Message(got.calls), MEANING)


def rows(guesses: Sequence[Guess]) -> list[list[str]]:
    """The figures by dialect, and of all."""
    groups: dict[str, list[Guess]] = {}
    for one in guesses:
        groups.setdefault(str(one.case.dialect), []).append(one)
    body = [[name, *_figures(group)] for name, group in sorted(groups.items())]
    return [
        ["dialect", "detected", "read", "by its dialect", "invented", "streams"],
        *body,
        ["all", *_figures(guesses)],
    ]


def _figures(guesses: Sequence[Guess]) -> Iterator[str]:
    for values in ([g.detected for g in guesses], [g.read for g in guesses], [g.known for g in guesses]):
        asked = [value for value in values if value is not None]
        yield f"{100 * sum(asked) // len(asked)}% {sum(asked)}/{len(asked)}" if asked else ""
    asked = [g.invented for g in guesses if g.invented is not None]
    yield f"{sum(asked)}/{len(asked)}" if asked else ""
    yield f"{sum(g.agree for g in guesses)}/{len(guesses)}"


def failures(guesses: Sequence[Guess]) -> Iterator[str]:
    """What went wrong, case by case."""
    for one in guesses:
        wrong = [
            *(["detected"] if one.detected is False else []),
            *(["read"] if one.read is False and one.known else []),
            *(["invented"] if one.invented else []),
            *([] if one.agree else ["streams"]),
        ]
        if wrong:
            said = one.message.segments if one.message is not None else ()
            yield (
                f"{one.case.id}  [{one.case.dialect}, {one.case.kind}]  {', '.join(wrong)}\n  text  {one.case.text!r}\n"
                f"  ranked  {', '.join(one.ranked)}\n  auto  {said!r}"
            )
