"""Induction of a dialect from samples with their truth: alignment, word equations, and a proof by reading.

How values are spelled is supposed, one codec after the other. Where all that the rows say is found in their texts, the
rest is markup: the markers that solve its equations are a grammar. The first dialect that reads every row as it says,
whole and streamed, and writes its message back, is the answer.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice, takewhile
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

from toolect._authoring.corpus import Case, describe, write
from toolect._authoring.induction.emission import Emission, EmittedSpec
from toolect._authoring.induction.equations import ContradictionError, Equation, Solution, solve
from toolect._authoring.induction.json_trees import LAYOUTS, json_calls
from toolect._authoring.induction.labeled_rows import Row, RowsError, check_rows, difference, parts_of, read_rows
from toolect._authoring.induction.value_alignment import FormatHypothesis, align, variants
from toolect._authoring.induction.value_spellings import LEAVES, LITERALS, MIXED, TEXTS
from toolect._authoring.laws import stream
from toolect._authoring.lint.update import true
from toolect._compiled import Dialect
from toolect._diagnostic import SpecError
from toolect._message import Json, Message, dumps
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
MAX_ACCEPTED = 6
"""Hypotheses that are aligned once one reads and writes all rows, for one that writes them to the character."""
MAX_TRIED = 24
"""Dialects that are tried in all. Beyond it: the best of those."""


class Proof(NamedTuple):
    """Counts of rows that a dialect reads, reads without a repair, writes back, and writes to the character."""

    read: int = 0
    clean: int = 0
    back: int = 0
    same: int = 0
    wrong: str = ""
    """The first row that is read or written otherwise, and the difference."""


class Induced(NamedTuple):
    """Result of an induction: the dialect, if there is one, and how it was found."""

    spec: EmittedSpec | None
    dialect: Dialect | None
    proof: Proof
    why: str
    """Why there is no dialect that reads all rows; "" if there is."""
    unproven: tuple[str, ...] = ()
    """Rows whose notation the other rows do not show, and what row would decide it."""
    hypothesis: FormatHypothesis | None = None
    """Hypothesis about the format that the dialect was made from."""

    @property
    def claimed(self) -> bool:
        """True when every row is read and written, also with itself left out."""
        return not self.why and not self.unproven


def induce(rows: Sequence[Row], tools: Sequence[Json], name: str = "new", left_out: bool = True) -> Induced:
    """The dialect of rows whose calls are of these tools; with `left_out`, also tried with each row left out.

    Of many rows the first ones are aligned, and those that the dialect of them does not read and write.
    """
    sample = [*rows[:SAMPLE]]
    made = _searched(sample, tools, name, _hypotheses(sample))
    while made.dialect is not None and len(sample) < min(len(rows), MAX_SAMPLE):
        left = (row for row in rows if row not in sample)
        wrong = [*islice((row for row in left if not prove(made.dialect, [row], tools).back), COUNTEREXAMPLES)]
        if not wrong:
            break
        sample += wrong
        made = _searched(sample, tools, name, _hypotheses(sample))
    if made.dialect is not None and len(sample) < len(rows):
        proof = prove(made.dialect, rows, tools)
        made = made._replace(proof=proof, why=made.why or proof.wrong)
    if made.why or not left_out:
        return made
    return made._replace(unproven=(*_unseen(rows, tools, made), *_unproven(sample, tools, name, made)))


def _hypotheses(rows: Sequence[Row]) -> Iterator[FormatHypothesis]:
    """The hypotheses about a format, the most usual first."""
    found = json_calls(rows)
    for variant in variants(rows):
        if found is not None:
            yield from (variant._replace(calls=found._replace(layout=layout)) for layout in LAYOUTS)
        for spelling in LITERALS:
            yield from (variant._replace(whole=True, spelling=spelling, empty=empty) for empty in (True, False))
        for spelling in (*LITERALS[:4], *TEXTS, *LITERALS[4:]):
            yield variant._replace(spelling=spelling)
        for spelling in (*MIXED, *LEAVES):
            yield variant._replace(spelling=spelling, typed=True)


def _searched(rows: Sequence[Row], tools: Sequence[Json], name: str, hypotheses: Iterable[FormatHypothesis]) -> Induced:
    """The dialect that does most with rows, or why there is none; one that does all to the character ends it."""
    best, accepted = Induced(None, None, Proof(), ""), 0
    whys: list[tuple[float, str]] = []
    # Once a dialect does all, nothing else is supposed of the rows than how values are spelled.
    left = takewhile(lambda one: not accepted or not best.hypothesis or one[5:] == best.hypothesis[5:], hypotheses)
    for spec, one in islice(_specs(rows, left, whys), MAX_TRIED):
        try:
            dialect = load(spec, name)
            proof = prove(dialect, rows, tools)
        except (SpecError, RecursionError) as error:  # the latter where markers may follow themselves without end
            whys.append((1.5, f"the language cannot say it: {error}"))
            continue
        if best.dialect is None or proof[:4] > best.proof[:4]:
            best = Induced(spec, dialect, proof, proof.wrong, hypothesis=one)
        accepted += proof.back == len(rows)
        if proof.same == len(rows) or accepted == MAX_ACCEPTED:
            break
    return best if best.dialect is not None else best._replace(why=max(whys, key=itemgetter(0), default=(0, ""))[1])


def _specs(
    rows: Sequence[Row], hypotheses: Iterable[FormatHypothesis], whys: list[tuple[float, str]]
) -> Iterator[tuple[EmittedSpec, FormatHypothesis]]:
    """The dialects of hypotheses that the texts do not contradict: their calls begin a line, or stand anywhere."""
    seen: set[str] = set()
    for one in hypotheses:
        try:
            markers = _markers(rows, one)
        except ContradictionError as error:
            whys.append((min(error.progress / len(rows), 1), str(error)))
            continue
        for spec in (Emission(one, markers, rows).spec(lined) for lined in (True, False)):
            if repr(spec) not in seen:
                seen.add(repr(spec))
                yield spec, one


def _markers(rows: Sequence[Row], one: FormatHypothesis) -> Solution:
    """The markers that solve what is left of the texts, none around arguments if can be. Raises ContradictionError."""
    equations = align(rows, one)
    with suppress(ContradictionError):
        return solve([*equations, Equation("", ("arguments opener",)), Equation("", ("arguments closer",))])
    return solve(equations)


def load(spec: EmittedSpec, name: str) -> Dialect:
    """The dialect that a spec is. Raises SpecError."""
    with tempfile.TemporaryDirectory() as folder:
        for path, text in spec.files(name).items():
            target = Path(folder) / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(text.encode())
        return Dialect(load_spec(Path(folder) / f"{name}.yaml", name, shipped()))


def prove(dialect: Dialect, rows: Sequence[Row], tools: Sequence[Json]) -> Proof:
    """Try a dialect on rows: read whole, a character at a time, and written back."""
    found = [_proved(dialect, row, tools) for row in rows]
    read, clean, back, same = (sum(column) for column in zip(*(one[:4] for one in [Proof(), *found]), strict=True))
    return Proof(read, clean, back, same, next((one.wrong for one in found if one.wrong), ""))


def _proved(dialect: Dialect, row: Row, tools: Sequence[Json]) -> Proof:
    message = dialect.parse(row.text, tools, prefix=row.prefix)
    streamed, _ = stream(dialect, row.text, tools=tools, prefix=row.prefix)
    if odd := difference(message, row.message):
        return Proof(wrong=f"row {row.number} is read with {odd}")
    if odd := difference(streamed, row.message):
        return Proof(wrong=f"row {row.number} is read with {odd} where it is streamed")
    try:
        text = str(dialect.render(row.message, tools))
    except RenderError as error:
        return Proof(1, message.exact, wrong=f"row {row.number} cannot be written: {error}")
    if odd := difference(dialect.parse(text, tools), row.message, ids=False):
        written = f"row {row.number} is written as {cut(text, 200)!r}, which is read with {odd}"
        return Proof(1, message.exact, wrong=written)
    ends = [end for end in ("", *dialect.spec.end) if row.whole.endswith(end)]
    return Proof(1, message.exact, 1, any(text + end == row.whole for end in ends))


def _unproven(rows: Sequence[Row], tools: Sequence[Json], name: str, made: Induced) -> Iterator[str]:
    """The rows that the dialect of all others does not read and write, each with what it alone shows."""
    for left in rows:
        others = [row for row in rows if row is not left]
        with suppress(RowsError):
            check_rows(others)
            alike = (one for one in _hypotheses(others) if made.hypothesis and one[:4] == made.hypothesis[:4])
            other = _searched(others, tools, name, alike)
            if other.dialect is not None and prove(other.dialect, [left], tools).back:
                continue
        known = {what for row in others for what in _shown(row.message)}
        alone = [what for what in _shown(left.message) if what not in known] or ["how it is written"]
        yield f"row {left.number} alone shows {alone[0]}: one more row like it would decide"


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


def _shown(said: Message) -> list[str]:
    """Features of a message that rows should show."""
    shown = {
        "two calls": len(said.calls) > 1,
        "reasoning": said.reasoning,
        "content with a call": said.content and said.calls,
        "a call without arguments": any(not call.arguments for call in said.calls),
        **{f"a value of type {type_of(value)}": True for value in parts_of(said)},
    }
    return [what for what, is_shown in shown.items() if is_shown]


# Files of a new dialect


def files_of(made: Induced, name: str, folder: Path, rows: Sequence[Row], tools: Sequence[Json]) -> dict[Path, str]:
    """The files of a dialect by their paths below a folder; a case says what its row says, whatever is read."""
    assert made.spec is not None and made.dialect is not None
    files = {folder / path: text for path, text in made.spec.files(name).items()}
    corpus = folder / "corpus" / f"{name}.txt"
    cases = [_case(row, made.dialect, corpus, tools, name) for row in rows]
    files[corpus] = write(cases)
    if any(case.has("tools") for case in cases):
        files[corpus.parent / "tools" / f"{name}.json"] = json.dumps(tools, ensure_ascii=False, indent=2) + "\n"
    return files


def _case(row: Row, dialect: Dialect, path: Path, tools: Sequence[Json], name: str) -> Case:
    read = dialect.parse(row.text, tools, prefix=row.prefix)
    typed = describe(dialect.parse(row.text, prefix=row.prefix)) != describe(read)
    wrong = difference(read, row.message)
    given = [("prefix", dumps(row.prefix))] if row.prefix else []
    inline = (*given, *[("tools", dumps(tools))] * typed)
    case = Case(path, 1, f"Row {row.number}", inline, row.text, describe(row.message if wrong else read))
    manner = "" if wrong else true(case, read, dialect)
    return replace(case, attributes=(*given, *[("tools", name)] * typed, *[(manner, "")] * bool(manner)))
