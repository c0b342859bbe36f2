"""Runs a case of the corpus: read three ways, scored, and when it fails read again with other settings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from toolect._compiled import Dialect
from toolect._message import Json, Message
from tools.conformance.cases import Case
from tools.conformance.chunked import Streamed, disagreement, markup, opener, reasoning_prefix, stream
from tools.conformance.scoring import Score, score
from tools.conformance.views import Reading

SETTINGS = (
    {"unknown_tool": "content"},
    {"malformed": "content"},
    {"unwrapped": "content"},
    {"after_calls": "drop"},
    {"reasoning_calls": "ignore"},
    {"reasoning_calls": "parse"},
    {"coercion": "none"},
    {"repeated_keys": "first"},
    {"repeated_keys": "malformed"},
    {"mode": "strict"},
)
"""What else a user may ask for: one policy that is not the default, or that nothing is repaired."""
COLUMNS = ("calls", "content", "bytes", "streams", "pass", "policies")


@dataclass(frozen=True)
class Result:
    """What became of one case."""

    case: Case
    score: Score
    agree: bool
    raised: bool = False
    policy: str = ""

    @property
    def passed(self) -> bool:
        """True when calls and content are upstream's."""
        return self.score.passed and not self.raised

    def column(self, name: str) -> bool | None:
        """True, false, or None when the case asserts nothing there."""
        match name:
            case "calls":
                return self.score.calls
            case "content":
                return self.score.content
            case "bytes":
                return self.score.bytes
            case "streams":
                return self.agree
            case "policies":
                return self.passed or bool(self.policy)
        return self.passed


def run(case: Case, dialect: Dialect) -> Result:
    """Read a case three ways and score it; a failing one again with each of the settings."""
    result = read(case, dialect)
    if result.passed:
        return result
    for settings in SETTINGS:
        if _run(case, dialect, settings).passed:
            told = ", ".join(f"{name}={setting}" for name, setting in settings.items())
            return Result(case, result.score, result.agree, result.raised, told)
    return result


def read(case: Case, dialect: Dialect) -> Result:
    """Read a case three ways and score it."""
    result = _run(case, dialect, {})
    opened = "" if result.passed else _opened_prefix(case, dialect)
    other = _run(case, dialect, {}, opened) if opened else result
    return other if other.passed else result


def _run(case: Case, dialect: Dialect, settings: dict[str, str], before: str | None = None) -> Result:
    before = prefix(case, dialect) if before is None else before
    options: dict[str, Json] = {"tools": case.tools, "prefix": before, **settings}
    try:
        complete = dialect.parse(case.text, **options)
        streams = [stream(dialect, chunks, options) for chunks in (case.chunks or [case.text], case.text)]
        scores = [score(case, readings) for readings in _readings(case, dialect, before, complete, streams)]
        wrong = list(filter(None, (disagreement(complete, streamed) for streamed in streams)))
    except Exception as error:
        return Result(case, Score(False, False, None, (f"raised {error!r}",)), agree=False, raised=True)
    if case.expect.must_not_raise:
        scores = [Score(True, None, None)]
    worst = min(scores, key=lambda s: (s.passed, s.calls is not False, s.content is not False, s.bytes is not False))
    if wrong:
        worst = Score(
            worst.calls, worst.content, worst.bytes, (*worst.wrong, f"streams disagree: {wrong[0]}"), worst.view
        )
    return Result(case, worst, agree=not wrong)


def _readings(
    case: Case, dialect: Dialect, prefix: str, complete: Message, streams: Sequence[Streamed]
) -> Iterator[list[Reading]]:
    """For each way of reading, the messages that may be held against the case."""
    rest = (case.text, opener(dialect.spec, prefix), markup(dialect.spec))
    waiting = [streamed.open for streamed in streams]
    yield [Reading(m, *rest) for m in ([complete] if case.finished else [complete, *waiting])]
    for streamed in streams:
        messages = [streamed.closed] if case.finished else [streamed.closed, streamed.open]
        yield [Reading(m, *rest) for m in messages]


def prefix(case: Case, dialect: Dialect) -> str:
    """What the prompt ended with."""
    if case.generation_prompt is not None:
        return case.generation_prompt
    return reasoning_prefix(dialect.spec) if case.options.get("starts_in_reasoning") else ""


def _opened_prefix(case: Case, dialect: Dialect) -> str:
    """For reasoning that a template wrote without its opener: the prompt, with the opener after it."""
    told = case.source == "template" and case.generation_prompt is not None and case.expect.reasoning
    return f"{case.generation_prompt}{reasoning_prefix(dialect.spec)}" if told else ""
