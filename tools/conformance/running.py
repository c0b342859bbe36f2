"""Runs a case of the corpus: read three ways, scored, and when it fails read again with other settings.

With `guess` it is read without the name of its dialect. `detected`: the case's dialect is among those ranked first, or
the one ranked first reads the same calls; asked of texts with a call. `read` is the score of the calls that `auto`
finds, `by its dialect` that of the case's own dialect. `none invented`, asked of texts in which upstream finds no call:
`auto` finds no more runnable calls than the case's dialect, which may see what upstream drops, calls of undeclared
tools.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from toolect import registry
from toolect._compiled import Dialect
from toolect._detection.auto import auto
from toolect._detection.ranking import detect
from toolect._message import Json, Message
from toolect._rendering.differences import MEANING, unchanged
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
"""Options that a user may set: one policy that is not the default, or that nothing is repaired."""
COLUMNS = ("calls", "content", "bytes", "streams", "pass", "policies")
GUESSED = ("detected", "read", "by its dialect", "none invented", "streams")


@dataclass(frozen=True)
class Result:
    """Result of one case: in each column True or False, or None where the case asserts nothing there."""

    case: Case
    score: Score
    agree: bool
    raised: bool = False
    policy: str = ""
    guessed: Mapping[str, bool | None] | None = None

    @property
    def passed(self) -> bool:
        """True when calls and content are upstream's."""
        return self.score.passed and not self.raised

    @property
    def columns(self) -> Mapping[str, bool | None]:
        """Outcome in each column; None where the case asserts nothing there."""
        if self.guessed is not None:
            return self.guessed
        values = (self.score.calls, self.score.content, self.score.bytes, self.agree, self.passed)
        return dict(zip(COLUMNS, (*values, self.passed or bool(self.policy)), strict=True))

    @property
    def fails(self) -> bool:
        """True for a case to be shown."""
        if self.guessed is None:
            return not (self.passed and self.agree)
        skipped = ("by its dialect",) if self.guessed["by its dialect"] else ("by its dialect", "read")
        return any(held is False and name not in skipped for name, held in self.guessed.items())


def run(case: Case, dialect: Dialect) -> Result:
    """Read a case three ways and score it; a failing one again with each of the settings."""
    result = read(case, dialect)
    for settings in () if result.passed else SETTINGS:
        if _run(case, dialect, settings).passed:
            return replace(result, policy=", ".join(f"{name}={setting}" for name, setting in settings.items()))
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
    worst = replace(worst, wrong=(*worst.wrong, *(f"streams disagree: {one}" for one in wrong[:1])))
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
    """The end of the prompt."""
    if case.generation_prompt is not None:
        return case.generation_prompt
    return reasoning_prefix(dialect.spec) if case.options.get("starts_in_reasoning") else ""


def _opened_prefix(case: Case, dialect: Dialect) -> str:
    """For reasoning that a template wrote without its opener: the prompt, with the opener after it."""
    unopened = case.source == "template" and case.generation_prompt is not None and case.expect.reasoning
    return f"{case.generation_prompt}{reasoning_prefix(dialect.spec)}" if unopened else ""


def guess(case: Case, dialect: Dialect) -> Result:
    """Look for the dialect of a case, and read it without one."""
    options: dict[str, Json] = {"tools": case.tools, "prefix": prefix(case, dialect)}
    message, own = auto.parse(case.text, **options), dialect.parse(case.text, **options)
    chunked = (case.chunks or [case.text], case.text)
    agree = not any(disagreement(message, stream(auto, chunks, options)) for chunks in chunked)
    detected: bool | None = None
    ranked: tuple[str, ...] = ()
    if case.kind != "no_call" and case.expect.calls and case.scope != "reasoning" and own.runnable:
        ranked = next((one.dialects for one in detect(case.text, case.tools, 1, options["prefix"])), ())
        meant = Message(own.calls)
        detected = str(case.dialect) in ranked or any(
            unchanged(meant, Message(registry.dialect(name).parse(case.text, **options).calls), MEANING)
            for name in ranked[:1]
        )
    asked = case.kind == "no_call" and not case.expect.calls
    scored, known = (score(case, [Reading(one, case.text)]) for one in (message, own))
    none_invented = len(message.runnable) <= len(own.runnable) if asked else None
    values = (detected, scored.calls, known.calls, none_invented, agree)
    details = (f"ranked {', '.join(ranked)}", f"auto {message.segments!r}")
    guessed = dict(zip(GUESSED, values, strict=True))
    return Result(case, replace(scored, wrong=details), agree, guessed=guessed)
