"""Alignment of texts with their truth: every value that a row says is found in its text, in order.

What is left between two finds is glue: a sequence of markers that each kind of neighbour brings along. All of it
together is a system of word equations.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import permutations
from typing import NamedTuple

from toolect._authoring.induction.equations import COUNT, ID, INDEX, KEY, NAME, Equation, tokens
from toolect._authoring.induction.labeled_rows import Row
from toolect._authoring.induction.value_spellings import LITERALS, Finder, ValueSpelling, known, word
from toolect._message import Call, Json, Message, dumps
from toolect._values.schema_keywords import type_of


class Inside(StrEnum):
    """How a call is made: of keys and values, of a name and one value, or as JSON."""

    KEYS = "key by key"
    WHOLE = "one value"
    JSON = "JSON"


class AlignmentError(Exception):
    """A row whose truth is not found in its text; `progress` is how much was."""

    def __init__(self, message: str, progress: float = 0) -> None:
        super().__init__(message)
        self.progress = progress


class AlignedValue(NamedTuple):
    """The markers before a value, what a hole in them may say, and the value; None at the end."""

    variables: tuple[str, ...]
    words: tuple[tuple[str, str], ...]
    finder: Finder | None
    part: str


class Glue(NamedTuple):
    """The step before whose value a text stands, the text, its row, what it is between, and the value's spelling."""

    step: AlignedValue
    text: str
    row: int
    part: str
    spelled: str = ""

    def with_holes(self, only: str = "") -> str:
        """The text with holes for what may stand in it once more, or with `only` those of one kind."""
        text = self.text
        for hole, found in self.step.words:
            if not only or hole in only:
                text = re.sub(rf"(?<![\w-]){re.escape(found)}(?!\w)", hole, text)
        return text


Usual = dict[tuple[str, ...], str]
"""What stands most often where these markers meet, with holes."""


@dataclass(slots=True)
class Plan:
    """The values of a row in order, with the markers between them."""

    steps: list[AlignedValue] = field(default_factory=list)
    _glue: list[str] = field(default_factory=list)
    _words: list[tuple[str, str]] = field(default_factory=list)

    def glue(self, *variables: str) -> None:
        """Markers come next; "" is none."""
        self._glue += filter(None, variables)

    def words(self, *pairs: tuple[str, str | None]) -> None:
        """Texts that may stand in the markers around here once more."""
        self._words += [(hole, text) for hole, text in pairs if text]

    def atom(self, part: str, finder: Finder | None) -> None:
        """A value comes next, or the end."""
        self.steps.append(AlignedValue(tuple(self._glue), tuple(self._words), finder, part))
        self._glue, self._words = [], []


class FormatHypothesis(NamedTuple):
    """What is supposed of a format before it is aligned."""

    inside: Inside
    spelling: ValueSpelling
    typed: bool = False
    """What stands around a value depends on its type."""
    empty: bool = True
    """Arguments are written where there are none, too, as `{}`."""
    again: int = 0
    """How often the closer of a call says its name."""
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
    objects: tuple[tuple[tuple[int, int], ...], ...] = ()
    """For calls in JSON: the places of the JSON values in each row."""


def plan(message: Message, order: Sequence[str], hypothesis: FormatHypothesis, row: int) -> Plan:
    """The values of a message in the order of its parts."""
    made = Plan()
    made.glue("start", "no thought" if hypothesis.thinks and not message.reasoning else "")
    before = ""
    for part, after in zip(order, (*order[1:], ""), strict=False):
        if part == "calls":
            gap = {"content": "gap", "reasoning": "reasoning gap"}.get(before, "")
            made.glue(gap, "calls opener")
            _calls(made, message.calls, hypothesis, row)
            made.glue("calls closer")
        else:
            rule = "preamble" if hypothesis.preamble and part == "content" and after == "calls" else part
            gap = {("calls", "content"): "content gap", ("reasoning", "content"): "thought gap"}.get((before, part), "")
            made.glue(gap, f"{rule} opener")
            text = getattr(message, part)
            made.atom(f"the {part}", word(text))
            made.glue(f"{rule} closer")
        before = part
    made.glue("end of calls" if hypothesis.ends and message.calls else "end")
    made.atom("the end", None)
    return made


def _calls(made: Plan, calls: Sequence[Call], hypothesis: FormatHypothesis, row: int) -> None:
    if hypothesis.inside is Inside.JSON:
        for i, place in enumerate(hypothesis.objects[row]):
            made.glue("call divider" if i else "", "call opener")
            made.atom("the JSON of a call", known(*place))
            made.glue("call closer")
        return
    for i, call in enumerate(calls):
        made.glue("call divider" if i else "", "call opener")
        again = (ID, call.id), (INDEX, str(i + 1)), (COUNT, str(i))
        made.words(*again)
        named = hypothesis.again if i and calls[i - 1].name == call.name else 0
        made.atom(f"the name `{call.name}`", word(call.id if hypothesis.ids and call.id else call.name, named))
        made.words((NAME, call.name), *again)
        _arguments(made, call, hypothesis)
        made.words((NAME, call.name), *again)
        made.glue("call closer")


def _arguments(made: Plan, call: Call, hypothesis: FormatHypothesis) -> None:
    arguments = call.arguments or {}
    made.glue("name closer")
    if not arguments and not (hypothesis.inside is Inside.WHOLE and hypothesis.empty):
        return
    made.glue("arguments opener")
    if hypothesis.inside is Inside.WHOLE:
        made.atom(f"the arguments {dumps(arguments)}", hypothesis.spelling.finder(arguments))
    members = arguments.items() if hypothesis.inside is not Inside.WHOLE else ()
    for i, (key, value) in enumerate(sorted(members) if hypothesis.sorted else members):
        made.glue("argument divider" if i else "", "argument opener")
        made.atom(f"the key `{key}`", word(key))
        made.words((KEY, key))
        made.glue("key closer")
        _value(made, value, hypothesis, f"the value {dumps(value)} of `{key}`")
        made.words((KEY, key))
        made.glue("argument closer")
    made.glue("arguments closer")


def _value(made: Plan, value: Json, hypothesis: FormatHypothesis, part: str) -> None:
    leaves = hypothesis.spelling.leaves
    if leaves and isinstance(value, list | dict):
        keyed = isinstance(value, dict)
        kind, item = ("object", "pair") if keyed else ("array", "item")
        members = [*value.items()] if isinstance(value, dict) else [("", one) for one in value]
        made.glue(f"{kind} opener")
        for i, (key, inner) in enumerate(sorted(members) if keyed and hypothesis.sorted else members):
            made.glue(f"{item} divider" if i else "", f"{item} opener")
            if keyed:
                made.atom(f"the key `{key}` in {part}", word(key))
                made.words((KEY, key))
                made.glue("pair key closer")
            _value(made, inner, hypothesis, f"{dumps(inner)} in {part}")
            if keyed:
                made.words((KEY, key))
            made.glue(f"{item} closer")
        made.glue(f"{kind} closer")
    else:
        kind = type_of_leaf(value, leaves)
        made.glue(f"before {kind}" if hypothesis.typed else "")
        made.atom(part, hypothesis.spelling.finder(value))
        made.glue(f"after {kind}" if hypothesis.typed else "")


def type_of_leaf(value: Json, leaves: bool) -> str:
    """The type by which markers around a value may differ."""
    if isinstance(value, str):
        return "string"
    if not leaves:
        return "other"
    return dumps(value) if isinstance(value, bool | None) else type_of(value)


class Alignment(NamedTuple):
    """The equations of the glue in all rows, and how the words `true`, `false` and `null` are spelled in them."""

    equations: list[Equation]
    words: dict[str, str]


def variants(rows: Sequence[Row]) -> Iterator[FormatHypothesis]:
    """What the rows show of a format before anything is supposed of its values: one or several ways to see them."""
    plain = FormatHypothesis(Inside.KEYS, LITERALS[0])
    calls = [(row.whole, call) for row in rows for call in row.message.calls]
    ids = all(call.id and call.name in call.id and call.id != call.name and call.id in text for text, call in calls)
    ids = ids and any(word(call.name).find(text.replace(call.id or "", " "), 0) is None for text, call in calls)
    ordered, orderly = (
        all(_in_order(text, order(call.arguments or ())) for text, call in calls) for order in (list, sorted)
    )
    last = [(tokens(row.whole)[-1], bool(row.message.calls)) for row in rows if row.whole]
    called, said = ({token for token, one in last if one is some} for some in (True, False))
    ends = len(called) == len(said) == 1 and called != said and all(map(_SPECIAL.fullmatch, called | said))
    plain = plain._replace(ids=ids, sorted=orderly and not ordered, ends=ends)
    yield plain
    thoughts = {bool(row.message.reasoning) for row in rows}
    contents = {bool(row.message.calls) for row in rows if row.message.content}
    for thinks in (True, False) if len(thoughts) == 2 else (False,):
        for preamble in (False, True) if len(contents) == 2 else (False,):
            if thinks or preamble:
                yield plain._replace(thinks=thinks, preamble=preamble)


_SPECIAL = re.compile(r"</?[^<>\s]*>|<[|｜].*[|｜]>")


def _in_order(text: str, words: Sequence[str]) -> bool:
    """True where the words stand in a text one after the other."""
    places = [(0, 0)]
    for one in words:
        if (place := word(one).find(text, places[-1][1])) is None:
            return False
        places.append(place)
    return True


def align(rows: Sequence[Row], hypothesis: FormatHypothesis) -> Alignment:
    """The glue between all that rows say. Raises AlignmentError."""
    usual: Usual = {}
    glue = _all_placed(rows, hypothesis, usual)
    ends = (one for one in glue if one.step.finder is None and "call closer" in one.step.variables)
    hypothesis = hypothesis._replace(again=min((one.with_holes(NAME).count(NAME) for one in ends), default=0))
    for _ in range(2):
        counts: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
        for one in _all_placed(rows, hypothesis, usual):
            if one.text or one.step.finder is None:
                counts[one.step.variables][one.with_holes()] += 1
        usual = {variables: count.most_common(1)[0][0] for variables, count in counts.items()}
    glue = _all_placed(rows, hypothesis, usual)
    words: dict[str, str] = {}
    for one in glue if hypothesis.spelling.leaves else ():
        if one.step.finder is not None and isinstance(one.step.finder.value, bool | None):
            words.setdefault(f"word {dumps(one.step.finder.value)}", one.spelled)
    return Alignment(_equations(glue), words)


def _all_placed(rows: Sequence[Row], hypothesis: FormatHypothesis, usual: Usual) -> list[Glue]:
    return [one for at, row in enumerate(rows) for one in _placed(row, at, hypothesis, usual)]


def orders(message: Message) -> Iterator[tuple[str, ...]]:
    """The orders in which the parts of a message may stand, the usual one first."""
    parts = [part for part in ("reasoning", "content", "calls") if getattr(message, part)]
    yield from permutations(parts)


def _placed(row: Row, at: int, hypothesis: FormatHypothesis, usual: Usual) -> list[Glue]:
    """The glue of a row, in the first order of its parts in which all of them are found."""
    wrong: list[AlignmentError] = []
    for order in orders(row.message):
        try:
            return [*_placed_in(row, plan(row.message, order, hypothesis, at), usual)]
        except AlignmentError as error:
            wrong.append(error)
    best = max(wrong, key=lambda error: error.progress)
    raise AlignmentError(str(best), at + best.progress)


def _placed_in(row: Row, made: Plan, usual: Usual) -> Iterator[Glue]:
    text, at, before = row.whole, 0, "the beginning"
    for i, step in enumerate(made.steps):
        if step.finder is None:
            yield Glue(step, text[at:], row.number, f"between {before} and the end")
            return
        begin = at + len(lead := _filled(usual.get(step.variables, "\0"), step.words))
        end = step.finder.at(text, begin) if text.startswith(lead, at) else None
        place = (begin, end) if end is not None else step.finder.find(text, at)
        if place is None:
            there = f" behind {before}" if step.finder.find(text, 0) else ""
            raise AlignmentError(
                f"row {row.number}: {step.part} stands nowhere in the text{there}", i / len(made.steps)
            )
        yield Glue(step, text[at : place[0]], row.number, f"between {before} and {step.part}", text[slice(*place)])
        at, before = place[1], step.part


def _filled(text: str, words: Sequence[tuple[str, str]]) -> str:
    """A text with what belongs into its holes; the last word of each kind is that of the next value."""
    for hole, found in reversed(words):
        text = text.replace(hole, found)
    return text


def _equations(glue: Sequence[Glue]) -> list[Equation]:
    """The glue as equations, with holes where each text of the same variables holds the same thing once more."""
    groups: dict[tuple[str, ...], list[Glue]] = defaultdict(list)
    for one in glue:
        groups[one.step.variables].append(one)
    numbered = next((hole for hole in (INDEX, COUNT) if any(_counts(glue, hole, part) for part in _CALL)), "")
    found: list[Equation] = []
    for variables, members in groups.items():
        texts = [one.text for one in members]
        for hole in (ID, NAME, KEY, *numbered):
            filled = [one._replace(text=text).with_holes(hole) for text, one in zip(texts, members, strict=True)]
            if all(text.count(hole) == filled[0].count(hole) > 0 for text in filled):
                texts = filled
        found += [Equation(text, variables, one.row, one.part) for text, one in zip(texts, members, strict=True)]
    return _identified(found)


_CALL = ("call opener", "name closer", "call closer")


def _counts(glue: Sequence[Glue], hole: str, part: str) -> bool:
    """True where a part of a call holds its number, in all rows, and there are several numbers."""
    parts = [one for one in glue if part in one.step.variables]
    numbers = {text for one in parts for kind, text in one.step.words if kind == hole}
    return len(numbers) > 1 and all(hole in one.with_holes(hole) for one in parts)


def _identified(equations: list[Equation]) -> list[Equation]:
    """The equations with a hole for an id: the one word in which texts of the same variables differ."""
    groups: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for one in equations:
        groups[one.variables].add(one.text)
    around: set[tuple[str, str]] = set()
    for variables, texts in groups.items():
        cut = [tokens(text) for text in texts]
        if len(cut) < 2 or {*_CALL}.isdisjoint(variables) or len({*map(len, cut)}) > 1:
            continue
        odd = [i for i, column in enumerate(zip(*cut, strict=True)) if len({*column}) > 1]
        if len(odd) == 1 and all(re.fullmatch(r"\w+", one[odd[0]]) for one in cut):
            first, i = cut[0], odd[0]
            around.add((first[i - 1] if i else "", first[i + 1] if i + 1 < len(first) else ""))
    for left, right in around:
        pattern = re.compile(
            rf"({re.escape(left)})\w+(?={re.escape(right)})" if left else rf"(\A)\w+(?={re.escape(right)})"
        )
        equations = [
            one._replace(text=pattern.sub(rf"\1{ID}", one.text, count=1))
            if not {*_CALL}.isdisjoint(one.variables)
            else one
            for one in equations
        ]
    return equations
