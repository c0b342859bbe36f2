"""The corpus of the shipped dialects under `tests/corpus/`, and the laws as assertions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TypeVar

from toolect._authoring.corpus import Case, CorpusError, describe, normal, read, write
from toolect._authoring.laws import carried, plain, same, stream
from toolect._compiled import Dialect
from toolect._events import Event
from toolect._message import Message
from toolect._spec.meaning import begins_with_name
from tools.reading_laws import event_violation, span_violation

__all__ = [
    "ROOT", "Case", "CorpusError", "all_cases", "begins_with_names", "carried", "cases_of", "check_events",
    "check_spans", "describe", "each", "normal", "plain", "read", "same", "stream", "update", "write",
]  # fmt: skip

ROOT = Path(__file__).parent / "corpus"
T = TypeVar("T")


@cache
def all_cases() -> list[Case]:
    """Every case of every dialect, but those to skip: read once."""
    return [case for path in sorted(ROOT.glob("*.txt")) for case in read(path) if not case.has("skip")]


def update(case: Case, expected: str) -> None:
    """Write a new expectation for one case into its file."""
    cases = [replace(c, expected=expected) if c.title == case.title else c for c in read(case.path)]
    case.path.write_bytes(write(cases).encode("utf-8"))


@cache
def cases_of(name: str) -> list[Case]:
    """The cases of one dialect."""
    return [case for case in all_cases() if case.dialect == name]


def begins_with_names(dialect: Dialect) -> bool:
    """Whether calls may begin with their names, or are code: which names are tools' decides what is one."""
    spec = dialect.spec
    return bool(spec.code) or any(begins_with_name(rule, spec.roles) for rule in spec.rules.values())


def each(things: Iterable[T], check: Callable[[T], None]) -> None:
    """Check every one of these, and fail with all that failed, each by its name: a test for each would take longer."""
    failed = []
    for thing in things:
        try:
            check(thing)
        except Exception as error:
            error.add_note(f"of {thing}")
            failed.append(error)
    if failed:
        raise ExceptionGroup("these do not hold", failed)


def check_spans(message: Message, text: str) -> None:
    """The segments of `message` tile `text` together with the markup between them."""
    assert not (wrong := span_violation(message, text)), wrong


def check_events(events: list[Event], message: Message) -> None:
    """The events tell the message."""
    assert not (wrong := event_violation(events, message)), wrong
