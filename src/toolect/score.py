"""Scores of answers: calls held against the expected ones, with the reason for each difference.

`score` reads a text in any dialect and grades it: one that cannot be read is not the same as a wrong one.
`score_files` does it to files, as `toolect eval`. What counts as right is what the checker of BFCL counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from toolect._detection.guess import reader
from toolect._message import Call, Json, Message, check_type
from toolect._scoring.call_check import World, check, judged, score_text, turn_misses
from toolect._scoring.expectation import Expectation, ExpectedCall, Grade, Miss, Reason, Score, expected_calls
from toolect._scoring.score_files import ExpectationFiles
from toolect._scoring.score_report import ScoreFigures, ScoreReport, Wrong, score_report
from toolect.registry import AUTO

__all__ = [
    "Expectation", "ExpectedCall", "Grade", "Miss", "Reason", "Score", "ScoreFigures", "ScoreReport", "World", "Wrong",
    "check", "expectation", "score", "score_files", "score_turns",
]  # fmt: skip


def expectation(expected: Json, tools: Iterable[Json] | None = None, language: str = "") -> Expectation:
    """Expectation of an answer: calls, a Message with them, or `[{tool: {argument: [values]}}]` as in BFCL.

    An empty list expects no call, None any call. Raises MessageError for what says no calls.
    """
    check_type(tools or (), Iterable, "tools")
    return Expectation(None if expected is None else expected_calls(expected), tuple(tools or ()), language=language)


def score(
    answer: str | Message | Sequence[Call], expected: Json, tools: Iterable[Json] | None = None, dialect: str = AUTO
) -> Score:
    """Score of an answer: a text in `dialect`, or the message or calls of one; `expected` is as in `expectation`.

    Raises MessageError, UnknownNameError.
    """
    case = expected if isinstance(expected, Expectation) else expectation(expected, tools)
    return score_text(answer, case, reader(dialect)) if isinstance(answer, str) else judged(Message.of(answer), case)


def score_turns(
    turns: Sequence[Sequence[Call]], expected: Sequence[Sequence[Call]], world: Callable[[], World]
) -> list[tuple[int, Miss]]:
    """Differences in the calls of a conversation, by the number of the turn, compared by what the calls bring about.

    `world` makes the environment they act on, one for the calls of the model and one for the expected ones.
    """
    check_type(turns, Sequence, "the calls of each turn")
    check_type(expected, Sequence, "the expected calls of each turn")
    return list(turn_misses(turns, expected, world))


def score_files(
    expected: str, answers: Iterable[str] = (), tools: Sequence[Json] = (), dialect: str = AUTO, limit: int = 20,
    jobs: int = 1,
) -> ScoreReport:  # fmt: skip
    """The report on the answers in files, held against the expectations in a file or a folder.

    Without files of answers, those count that stand in the rows of expectations. Raises SourceError.
    """
    return score_report(ExpectationFiles(expected, tools), [*answers], dialect, limit, jobs)
