"""Score report: how many answers are right by category, dialect and tool, and the reasons of those that are not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice

import msgspec

from toolect import registry
from toolect._compiled import Dialect
from toolect._corpora.table import Cell, Kind, Share, Table, columns
from toolect._detection.auto import Auto
from toolect._detection.guess import reader
from toolect._message import Message
from toolect._processes import in_order
from toolect._scoring.call_check import judged, score_text
from toolect._scoring.expectation import Expectation, Grade, Miss, Reason, Score
from toolect._scoring.score_files import AnswerAt, ExpectationFiles, GivenAnswer
from toolect._shown import percent

VERSION = 1
"""The version of this shape: it goes up when something is no longer where it was."""
NO_DIALECT = "(none)"
"""Name in place of a dialect's, for answers that have no call, or whose calls were given as such."""
BATCH, ALONE = 64, 1 << 9
"""Answers that a process scores at a time, and those that are not worth a second process."""
LONGEST_TEXT = 4000
"""Characters of an answer that the report keeps."""
COLOURS = dict(zip(Grade, ("ok", "repaired", "hue", "malformed", "truncated", "empty", "empty"), strict=True))
"""The classes that colour grades."""


class ScoreFigures(msgspec.Struct, frozen=True):
    """Cases, those that are right, and counts: of answers by their grade, of a tool's differences by the reason."""

    name: str
    cases: int
    right: int
    counts: dict[str, int]


class Wrong(msgspec.Struct, frozen=True):
    """An answer that is not right: where it is, its case, and why. `text` is empty where calls were given as such."""

    where: str
    id: str
    grade: Grade
    dialects: tuple[str, ...]
    misses: tuple[Miss, ...]
    text: str


class ScoreReport(msgspec.Struct, frozen=True):
    """The figures of answers, the tools first that are called wrongly most often.

    `reasons` counts answers, each once for a reason; `skipped` counts cases that were not scored, by the reason;
    `troubles` are rows that could not be used, with their places.
    """

    version: int
    total: ScoreFigures
    categories: tuple[ScoreFigures, ...]
    dialects: tuple[ScoreFigures, ...]
    tools: tuple[ScoreFigures, ...]
    reasons: dict[str, int]
    wrong: tuple[Wrong, ...]
    skipped: dict[str, int]
    troubles: tuple[tuple[str, str], ...]


def score_report(
    expectations: ExpectationFiles,
    answers: Sequence[str],
    dialect: str = registry.AUTO,
    limit: int = 20,
    jobs: int = 1,
    advance: Callable[[int, int], None] = lambda _done, _total: None,
) -> ScoreReport:
    """The report on all answers, read in `dialect` by `jobs` processes, with the first `limit` wrong ones.

    Raises SourceError, UnknownNameError, WorkerDiedError.
    """
    work = list(expectations.answered(answers))
    groups: dict[str, dict[str, Counter[str]]] = {"total": {"": Counter()}, "category": {}, "dialect": {}, "tool": {}}
    rights: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    wrong: list[Wrong] = []
    for done, ((where, case, answer), score) in enumerate(_scores(work, dialect, jobs), 1):
        read_in = " + ".join(score.dialects) or NO_DIALECT
        for group, name in (("total", ""), ("category", case.category), ("dialect", read_in)):
            groups[group].setdefault(name, Counter())[score.grade.value] += 1
        for name in dict.fromkeys(call.name for call in case.calls or ()):
            rights[name] += score.grade.right
            found = groups["tool"].setdefault(name, Counter())
            found.update(["", *(miss.reason.value for miss in score.misses if miss.tool == name)])
        reasons.update({miss.reason.value for miss in score.misses})
        if not score.grade.right and len(wrong) < limit:
            text = answer[:LONGEST_TEXT] if isinstance(answer, str) else ""
            wrong.append(Wrong(where, case.id, score.grade, score.dialects, score.misses, text))
        advance(done, len(work))
    tools = [ScoreFigures(name, found.pop(""), rights[name], dict(found)) for name, found in groups.pop("tool").items()]
    figures = {group: tuple(_figures(*one) for one in found.items()) for group, found in groups.items()}
    return ScoreReport(
        version=VERSION,
        total=figures["total"][0],
        categories=figures["category"],
        dialects=tuple(sorted(figures["dialect"], key=lambda one: (-one.cases, one.name))),
        tools=tuple(sorted(tools, key=lambda one: (one.right - one.cases, -one.cases, one.name))),
        reasons=dict(reasons.most_common()),
        wrong=tuple(wrong),
        skipped=dict(expectations.skipped),
        troubles=tuple(expectations.troubles),
    )


def _figures(name: str, counts: Counter[str]) -> ScoreFigures:
    right = sum(counts[one.value] for one in Grade if one.right)
    return ScoreFigures(name, counts.total(), right, {one.value: counts[one.value] for one in Grade})


def score_tables(report: ScoreReport, tools: int) -> dict[str, Table]:
    """The figures of categories, dialects and the first tools as tables, by their titles."""
    categories = report.categories if len(report.categories) > 1 else (report.total,)
    return {
        "Categories": _table("category", categories, [one.value for one in Grade]),
        "Dialects": _table("dialect", report.dialects, [one.value for one in Grade]),
        "Tools": _table("tool", report.tools[:tools], [one.value for one in Reason]),
    }


def _table(title: str, figures: Sequence[ScoreFigures], counts: Sequence[str]) -> Table:
    used = [name for name in counts if any(one.counts.get(name) for one in figures)]
    head = (*columns(Kind.TEXT, title), *columns(Kind.FIGURE, "cases", "score"), *columns(Kind.BAR, ""))
    rows: list[tuple[Cell, ...]] = []
    for one in figures:
        parts = {"right": one.right, "wrong": one.cases - one.right} if title == "tool" else one.counts
        bar = tuple(Share(name, count, COLOURS[Grade(name)]) for name, count in parts.items())
        found = [one.counts.get(name, 0) for name in used]
        rows.append((one.name or "(all)", one.cases, percent(one.right, one.cases), bar, *found))
    return Table((*head, *columns(Kind.FIGURE, *used)), rows)


def _scores(work: Sequence[AnswerAt], dialect: str, jobs: int) -> Iterator[tuple[AnswerAt, Score]]:
    """Each answer with its score, in order."""
    rest = iter(work)
    batches = iter(lambda: list(islice(rest, BATCH)), [])
    jobs = 1 if len(work) <= ALONE else jobs
    for batch, scores in in_order(batches, jobs, partial(_all_scored, dialect), registry.restore, registry.state()):
        yield from zip(batch, scores, strict=True)


def _all_scored(dialect: str, batch: Iterable[AnswerAt]) -> list[Score]:
    by = reader(dialect)
    return [scored(case, answer, by) for _, case, answer in batch]


def scored(case: Expectation, answer: GivenAnswer, by: Dialect | Auto) -> Score:
    """Score of an answer to a case."""
    if answer is None:
        return Score(Grade.NO_ANSWER, (Miss(Reason.NO_ANSWER, got="no answer to this case"),))
    return judged(answer, case) if isinstance(answer, Message) else score_text(answer, case, by)
