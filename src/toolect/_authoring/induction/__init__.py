"""Induction of a dialect from samples with their truth: alignment, word equations, and a proof by reading.

How values are spelled is supposed, one codec after the other. Where all that the rows say is found in their texts, the
rest is markup: the markers that solve its equations are a grammar. The first dialect that reads every row as it says,
whole and streamed, and writes its message back, is the answer.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from toolect._authoring.induction.emission import EmittedSpec, emit
from toolect._authoring.induction.equations import ContradictionError, solutions
from toolect._authoring.induction.json_trees import JsonCalls, json_calls
from toolect._authoring.induction.labeled_rows import Row, RowsError, check_rows, difference, parts_of, read_rows
from toolect._authoring.induction.value_alignment import AlignmentError, FormatHypothesis, Inside, align, variants
from toolect._authoring.induction.value_spellings import LEAVES, LITERALS, MIXED, TEXTS
from toolect._authoring.laws import stream
from toolect._compiled import Dialect
from toolect._diagnostic import SpecError
from toolect._message import Json, Message
from toolect._rendered import RenderError
from toolect._shown import cut
from toolect._spec.load import load_spec
from toolect._values.schema_keywords import type_of
from toolect._values.toolset import tool_schemas
from toolect.registry import shipped

__all__ = ["Induced", "Row", "RowsError", "check_rows", "difference", "induce", "prove", "read_rows"]

SAMPLE = 16
"""Rows that are aligned. Beyond it: more are where the dialect of these does not read and write them."""
COUNTEREXAMPLES = 4
"""Rows that are added at a time."""
MAX_SAMPLE = 40
"""Rows that are aligned in all. Beyond it: what else is read otherwise is said."""
MAX_SOLUTIONS = 3
"""Solutions of the equations of one hypothesis that are tried. Beyond it: the best of those."""
MAX_ACCEPTED = 4
"""Hypotheses that are aligned once one reads and writes all rows, for one that writes them to the character."""
MAX_TRIED = 24
"""Dialects that are tried in all. Beyond it: the best of those."""


class Proof(NamedTuple):
    """What a dialect does with rows: how many it reads, those without a repair, those written to the character."""

    read: int = 0
    clean: int = 0
    back: int = 0
    same: int = 0
    wrong: str = ""
    """What is the first to be read or written otherwise."""


class Induced(NamedTuple):
    """What came of rows: the dialect, if there is one, and how it was found."""

    spec: EmittedSpec | None
    dialect: Dialect | None
    proof: Proof
    why: str
    """Why there is no dialect that reads all rows; "" if there is."""
    unproven: tuple[str, ...] = ()
    """What rows that are left out would be read as by a dialect of the others, and what would decide it."""
    hypothesis: FormatHypothesis | None = None
    """What was supposed of the format."""

    @property
    def claimed(self) -> bool:
        """True when every row is read and written, also with itself left out."""
        return not self.why and not self.unproven


class _Candidate(NamedTuple):
    hypothesis: FormatHypothesis
    calls: JsonCalls | None
    rows: Sequence[Row]


def induce(rows: Sequence[Row], tools: Sequence[Json], name: str = "new", left_out: bool = True) -> Induced:
    """The dialect of rows whose calls are of these tools; with `left_out`, also tried with each row left out.

    Of many rows the first ones are aligned, and those that the dialect of them does not read and write.
    """
    sample = [*rows[:SAMPLE]]
    while True:
        made = _DialectSearch(sample, tools, name).run([*_candidates(sample)])
        if made.dialect is None or len(sample) == len(rows):
            break
        left = (row for row in rows if row not in sample)
        wrong = [*islice((row for row in left if not prove(made.dialect, [row], tools).back), COUNTEREXAMPLES)]
        if not wrong or len(sample) >= MAX_SAMPLE:
            proof = prove(made.dialect, rows, tools)
            made = made._replace(proof=proof, why=made.why or proof.wrong)
            break
        sample += wrong
    if made.why or not left_out:
        return made
    return made._replace(unproven=(*_unseen(rows, tools, made), *_unproven(sample, tools, name, made)))


def _candidates(rows: Sequence[Row]) -> Iterator[_Candidate]:
    """What may be supposed of a format, what is most usual first."""
    found = json_calls(rows)
    for variant in variants(rows):
        if found is not None:
            one = variant._replace(inside=Inside.JSON, objects=found.places)
            yield _Candidate(one, found, found.outside)
        for spelling in LITERALS:
            one = variant._replace(inside=Inside.WHOLE, spelling=spelling)
            yield from (_Candidate(one._replace(empty=empty), None, rows) for empty in (True, False))
        for spelling in (*LITERALS[:4], *TEXTS, *LITERALS[4:]):
            yield _Candidate(variant._replace(spelling=spelling), None, rows)
        for spelling in (*MIXED, *LEAVES):
            yield _Candidate(variant._replace(spelling=spelling, typed=True), None, rows)


class _DialectSearch:
    """The dialects that were tried, and the best of them."""

    def __init__(self, rows: Sequence[Row], tools: Sequence[Json], name: str) -> None:
        self.rows, self.tools, self.name = rows, tools, name
        self.empties = any(not call.arguments for row in rows for call in row.message.calls)
        self.best = Induced(None, None, Proof(), "")
        self.whys: list[tuple[float, str]] = []
        self.seen: set[str] = set()
        self.accepted = 0

    def run(self, candidates: Sequence[_Candidate]) -> Induced:
        """The dialect that does most with rows, or why there is none; one that does all to the character ends it."""
        aligned = []
        for one in candidates:
            best = self.best.hypothesis if self.accepted else None
            other = best is not None and one.hypothesis.inside is not best.inside
            if self.goes_on and not other and (found := self.solved(one)):
                aligned.append((one, found))
                self.tries(one, found[0])
        for at in range(1, MAX_SOLUTIONS):
            for one, found in aligned:
                if len(found) > at and self.goes_on and not self.accepted:
                    self.tries(one, found[at])
        if self.best.dialect is not None:
            return self.best
        return self.best._replace(why=max(self.whys, key=lambda why: why[0], default=(0, ""))[1])

    @property
    def goes_on(self) -> bool:
        """Whether another dialect is to be tried."""
        perfect = self.best.proof[:4] == (len(self.rows),) * 4
        return not perfect and len(self.seen) < MAX_TRIED and self.accepted < MAX_ACCEPTED

    def solved(self, one: _Candidate) -> list[dict[str, str]]:
        """The markers that solve what is left of the texts, best first; none where there is no such thing."""
        none = {"arguments opener": "", "arguments closer": ""}
        try:
            aligned = align(one.rows, one.hypothesis)
            for known in (none, {}) if self.empties else (none,):
                with suppress(ContradictionError):
                    return solutions(aligned.equations, aligned.words | known)[:MAX_SOLUTIONS]
            solutions(aligned.equations, aligned.words | none)
        except AlignmentError as error:
            self.whys.append((error.progress / len(self.rows), str(error)))
        except ContradictionError as error:
            self.whys.append((1, str(error)))
        return []

    def tries(self, one: _Candidate, solution: dict[str, str]) -> None:
        """Try the dialect of a solution, whose calls begin a line, or anywhere."""
        for lined in (True, False):
            spec = emit(one.hypothesis, solution, self.rows, lined, one.calls)
            if repr(spec) in self.seen:
                continue
            self.seen.add(repr(spec))
            try:
                dialect = load(spec, self.name)
                proof = prove(dialect, self.rows, self.tools, self.best.proof.read)
            except SpecError as error:
                self.whys.append((1.5, f"the language cannot say it: {error}"))
                continue
            except RecursionError:  # markers that may follow themselves without end
                continue
            if self.best.dialect is None or proof[:4] > self.best.proof[:4]:
                self.best = Induced(spec, dialect, proof, proof.wrong, hypothesis=one.hypothesis)
            if proof[:3] == (len(self.rows),) * 3:
                self.accepted += 1
                return


def load(spec: EmittedSpec, name: str) -> Dialect:
    """The dialect that a spec is. Raises SpecError."""
    with tempfile.TemporaryDirectory() as folder:
        for path, text in spec.files(name).items():
            target = Path(folder) / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(text.encode())
        return Dialect(load_spec(Path(folder) / f"{name}.yaml", name, shipped()))


def prove(dialect: Dialect, rows: Sequence[Row], tools: Sequence[Json], least: int = 0) -> Proof:
    """What a dialect makes of rows: whole, a character at a time, and written back.

    Where fewer than `least` can be read, the rest is left out.
    """
    read = clean = back = same = 0
    wrong = ""
    for at, row in enumerate(rows):
        if read + len(rows) - at < least:
            break
        message = dialect.parse(row.text, tools, prefix=row.prefix)
        streamed, _ = stream(dialect, row.text, tools=tools, prefix=row.prefix)
        if odd := difference(message, row.message):
            wrong = wrong or f"row {row.number} is read with {odd}"
            continue
        if odd := difference(streamed, row.message):
            wrong = wrong or f"row {row.number} is read with {odd} where it is streamed"
            continue
        read += 1
        clean += message.exact
        try:
            text = str(dialect.render(row.message, tools))
        except RenderError as error:
            wrong = wrong or f"row {row.number} cannot be written: {error}"
            continue
        if odd := difference(dialect.parse(text, tools), row.message, ids=False):
            wrong = wrong or f"row {row.number} is written as {cut(text, 200)!r}, which is read with {odd}"
            continue
        back += 1
        same += any(
            text == row.whole[: len(row.whole) - len(end)] for end in ("", *dialect.spec.end) if row.whole.endswith(end)
        )
    return Proof(read, clean, back, same, wrong)


def _unproven(rows: Sequence[Row], tools: Sequence[Json], name: str, made: Induced) -> Iterator[str]:
    """What becomes of each row by the dialect of all others."""
    for left in rows:
        others = [row for row in rows if row is not left]
        with suppress(RowsError):
            check_rows(others)
            alike = [
                one for one in _candidates(others) if made.hypothesis and one.hypothesis[:4] == made.hypothesis[:4]
            ]
            other = _DialectSearch(others, tools, name).run(alike)
            proof = prove(other.dialect, [left], tools) if other.dialect is not None else Proof()
            if proof.back:
                continue
        yield f"row {left.number} alone shows {_shows(left, others)}: one more row like it would decide"


def _unseen(rows: Sequence[Row], tools: Sequence[Json], made: Induced) -> Iterator[str]:
    """The types that no row shows, where each is written in a way of its own."""
    if made.hypothesis is None or not made.hypothesis.spelling.leaves:
        return
    seen = {type_of(one) for row in rows for one in parts_of(row.message)} | {"null"}
    seen |= {"integer", "number"} if seen & {"integer", "number"} else set()
    for name, schema in tool_schemas(tools).items():
        for key in schema.names:
            member = schema.member(key)
            if member is not None and (unseen := {*member.types} - seen):
                yield f"no row shows a value of type {min(unseen)}, as `{key}` of `{name}` is: one would decide"
                return


_SHOWN: Mapping[str, Callable[[Message], object]] = {
    "two calls": lambda said: len(said.calls) > 1,
    "reasoning": lambda said: said.reasoning,
    "content with a call": lambda said: said.content and said.calls,
    "a call without arguments": lambda said: any(not call.arguments for call in said.calls),
}
"""What rows should show, in words, and whether one does."""


def _shows(row: Row, others: Sequence[Row]) -> str:
    """What a row shows that no other does."""
    for what, shows in _SHOWN.items():
        if shows(row.message) and not any(shows(one.message) for one in others):
            return what
    kinds = {type_of(value) for value in parts_of(row.message)}
    kinds -= {type_of(value) for one in others for value in parts_of(one.message)}
    return f"a value of type {', '.join(sorted(kinds))}" if kinds else "how it is written"
