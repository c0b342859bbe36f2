"""Alignment of texts with their truth: every value that a row says is found in its text, in order.

What is left between two finds is glue: a sequence of markers that each kind of neighbour brings along. All of it
together is a system of word equations.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise, permutations, product
from typing import Any, NamedTuple, TypeAlias

from toolect._authoring.induction.equations import COUNT, ID, INDEX, KEY, NAME, ContradictionError, Equation
from toolect._authoring.induction.json_trees import JsonCalls
from toolect._authoring.induction.labeled_rows import Row
from toolect._authoring.induction.value_spellings import LITERALS, Finder, ValueSpelling, word
from toolect._message import Call, Json, Message, dumps
from toolect._values.schema_keywords import type_of
from toolect._values.trees import with_sorted_keys

ROUNDS = 2
"""Times that values are looked for, each time first behind what stood before most values of their kind."""


class FormatHypothesis(NamedTuple):
    """Hypothesis about a format, before it is aligned."""

    spelling: ValueSpelling
    whole: bool = False
    """A call is a name and one value, not keys and values."""
    typed: bool = False
    """True when the markers around a value depend on its type."""
    empty: bool = True
    """Arguments are written where there are none, too, as `{}`."""
    calls: JsonCalls | None = None
    """Calls are JSON: where it is in each row, and what it means."""
    again: bool = False
    """The closer of a call says its name."""
    thinks: bool = False
    """An answer without reasoning says so, too."""
    preamble: bool = False
    """Content before calls has markers of its own."""
    ends: bool = False
    """Answers end in another way with calls than without."""
    sorted: bool = False
    """Keys are written in alphabetical order."""
    ids: bool = False
    """The id of a call says its name."""


class Atom(NamedTuple):
    """A value of a row, to be found in its text; or the end of the row, which nothing finds."""

    part: str
    finder: Finder | None
    value: Json = ""


Part: TypeAlias = str | tuple[str, str | None] | Atom
"""A part of an answer: a marker, "" for none; a hole, and the text that may stand in the markers around it; a value."""


def _answer(message: Message, order: Sequence[str], hypothesis: FormatHypothesis, row: int) -> Iterator[Part]:
    """A message in the order of its parts."""
    yield from ("start", "no thought" if hypothesis.thinks and not message.reasoning else "")
    for before, part, after in zip(("", *order), order, (*order[1:], ""), strict=False):
        yield f"{before} to {part}" if before else ""
        if part == "calls" and hypothesis.calls is not None:
            found = ([Atom("the JSON of a call", Finder(re.escape(text)))] for text in hypothesis.calls.texts[row])
            yield from _several("calls", "call", found)
        elif part == "calls":
            yield from _several("calls", "call", (_call(call, i, hypothesis) for i, call in enumerate(message.calls)))
        else:
            rule = "preamble" if hypothesis.preamble and part == "content" and after == "calls" else part
            yield from (f"{rule} opener", Atom(f"the {part}", word(getattr(message, part))), f"{rule} closer")
    yield from ("end of calls" if hypothesis.ends and message.calls else "end", Atom("the end", None))


def _several(group: str, one: str, members: Iterable[Iterable[Part]]) -> Iterator[Part]:
    """A group of things with dividers between them."""
    yield f"{group} opener"
    for i, member in enumerate(members):
        yield from (f"{one} divider" if i else "", f"{one} opener", *member, f"{one} closer")
    yield f"{group} closer"


def _call(call: Call, i: int, hypothesis: FormatHypothesis) -> Iterator[Part]:
    again = (ID, call.id), (INDEX, str(i + 1)), (COUNT, str(i))
    name = call.id if hypothesis.ids and call.id else call.name
    named = Atom(f"the name `{call.name}`", word(name), name)
    yield from (*again, named, (NAME, call.name), *again, "name closer")
    arguments = with_sorted_keys(call.arguments or {}) if hypothesis.sorted else call.arguments or {}
    if not hypothesis.whole and arguments:
        yield from _members("arguments", "argument", arguments, hypothesis, "")
    elif hypothesis.whole and (arguments or hypothesis.empty):
        whole = Atom(f"the arguments {dumps(arguments)}", hypothesis.spelling.finder(arguments))
        yield from ("arguments opener", whole, "arguments closer")
    yield from ((NAME, call.name), *again)


def _members(group: str, one: str, value: Json, hypothesis: FormatHypothesis, inside: str) -> Iterator[Part]:
    """The arguments of a call, or the members of an object or a list, which have no keys."""

    def member(key: str | None, value: Json) -> Iterator[Part]:
        if key is not None:
            yield from (Atom(f"the key `{key}`{inside}", word(key)), (KEY, key), f"{one} key closer")
        yield from _value(value, hypothesis, f"{dumps(value)} of `{key}`{inside}" if key else f"{dumps(value)}{inside}")
        yield (KEY, key)

    items = value.items() if isinstance(value, dict) else ((None, item) for item in value)
    return _several(group, one, (member(key, item) for key, item in items))


def _value(value: Json, hypothesis: FormatHypothesis, part: str) -> Iterator[Part]:
    leaves = hypothesis.spelling.leaves
    if leaves and isinstance(value, list | dict):
        names = ("object", "pair") if isinstance(value, dict) else ("array", "element")
        yield from _members(*names, value, hypothesis, f" in {part}")
        return
    kind = "string" if isinstance(value, str) else "json" if not leaves else type_of(value)
    around = (f"before {kind}", f"after {kind}") if hypothesis.typed else ("", "")
    yield from (around[0], Atom(f"the value {part}", hypothesis.spelling.finder(value), value), around[1])


_ENDS = {"end", "end of calls"}
Usual: TypeAlias = dict[tuple[str, ...], str]
"""The most frequent text where these markers meet, with holes."""


def align(rows: Sequence[Row], hypothesis: FormatHypothesis) -> list[Equation]:
    """The glue between all that rows say, as equations. Raises ContradictionError."""
    rows = rows if hypothesis.calls is None else hypothesis.calls.outside
    usual: Usual = {}
    glue: list[Equation] = []
    for _ in range(ROUNDS):
        glue = [one for at, row in enumerate(rows) for one in _placed(row, at, hypothesis, usual)]
        counts: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
        for one in glue:
            if one.text or not _ENDS.isdisjoint(one.variables):
                counts[one.variables][one.with_holes()] += 1
        usual = {variables: count.most_common(1)[0][0] for variables, count in counts.items()}
    return _equations(glue)


def _placed(row: Row, at: int, hypothesis: FormatHypothesis, usual: Usual) -> list[Equation]:
    """The glue of a row, in the first order of its parts in which all are found, of which the usual one is first."""
    wrong: list[ContradictionError] = []
    for order in permutations(part for part in ("reasoning", "content", "calls") if getattr(row.message, part)):
        try:
            return [*_found(row, [*_answer(row.message, order, hypothesis, at)], hypothesis, usual)]
        except ContradictionError as error:
            wrong.append(error)
    best = max(wrong, key=lambda error: error.progress)
    raise ContradictionError(str(best), at + best.progress)


def _found(row: Row, parts: Sequence[Part], hypothesis: FormatHypothesis, usual: Usual) -> Iterator[Equation]:
    """The text between the atoms of a row, as equations; where all leaves are spelled by themselves, also the words."""
    text, at, before = row.whole, 0, "the beginning"
    variables: list[str] = []
    echoes: list[tuple[str, str]] = []
    for i, part in enumerate(parts):
        if isinstance(part, str):
            variables += filter(None, [part])
        elif not isinstance(part, Atom):
            echoes += [(part[0], part[1])] if part[1] else []
        else:
            between = f"between {before} and {part.part}"
            glue = Equation(text[at:], tuple(variables), row.number, between, tuple(echoes))
            if part.finder is None:
                yield glue
                return
            lead = _filled(usual.get(glue.variables, "\0"), echoes)
            place = part.finder.at(text, at + len(lead)) if text.startswith(lead, at) else None
            if place is None:
                place = part.finder.behind(text, at)
                if place and hypothesis.again and (NAME, part.value) in echoes:  # in the closer of the call before
                    place = part.finder.behind(text, place[1])
            if place is None:
                there = f" behind {before}" if part.finder.behind(text, 0) else ""
                raise ContradictionError(
                    f"row {row.number}: {part.part} stands nowhere in the text{there}", i / len(parts)
                )
            yield glue._replace(text=text[at : place[0]])
            if hypothesis.spelling.leaves and isinstance(part.value, bool | None):
                yield Equation(text[slice(*place)], (f"word {dumps(part.value)}",), row.number, f"as {part.part}")
            at, before, variables, echoes = place[1], part.part, [], []


def _filled(text: str, echoes: Sequence[tuple[str, str]]) -> str:
    """A text with what belongs into its holes; the last one of each kind is that of the next value."""
    for hole, found in reversed(echoes):
        text = text.replace(hole, found)
    return text


_CALL = {"call opener", "name closer", "call closer"}


def _equations(glue: Sequence[Equation]) -> list[Equation]:
    """The glue as equations, with holes where each text of the same variables holds the same thing once more."""
    groups: dict[tuple[str, ...], list[Equation]] = defaultdict(list)
    for one in glue:
        groups[one.variables].append(one)
    numbered = next((sign for sign in (INDEX, COUNT) if any(_counts(glue, sign, part) for part in _CALL)), "")
    found: list[Equation] = []
    for members in groups.values():
        for sign in (ID, NAME, KEY, *numbered):
            filled = [one.with_holes(sign) for one in members]
            if all(text.count(sign) == filled[0].count(sign) > 0 for text in filled):
                members = [one._replace(text=text) for text, one in zip(filled, members, strict=True)]
        found += members
    return found


def _counts(glue: Sequence[Equation], sign: str, part: str) -> bool:
    """True where a part of a call holds its number, in all rows, and there are several numbers."""
    parts = [one for one in glue if part in one.variables]
    numbers = {text for one in parts for hole, text in one.echoes if hole == sign}
    return len(numbers) > 1 and all(sign in one.with_holes(sign) for one in parts)


def variants(rows: Sequence[Row]) -> Iterator[FormatHypothesis]:
    """Hypotheses before anything is supposed of the values, as far as the rows can show them; plain first."""
    said = [row.message for row in rows]
    calls = [call for message in said for call in message.calls]
    twice = [one.name == other.name for message in said for one, other in pairwise(message.calls)]
    shown: dict[str, set[bool]] = {
        "sorted": {False, True},
        "ids": {False, *(call.name in (call.id or "") for call in calls)},
        "again": {False, any(twice)},
        "ends": {bool(message.calls) for message in said},
        "thinks": {bool(message.reasoning) for message in said},
        "preamble": {bool(message.calls) for message in said if message.content},
    }
    for supposed in product(*((False, True)[: len(one) or 1] for one in shown.values())):
        flags: dict[str, Any] = dict(zip(shown, supposed, strict=True))
        yield FormatHypothesis(LITERALS[0], **flags)
