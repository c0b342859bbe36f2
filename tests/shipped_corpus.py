"""The corpus of the shipped dialects under `tests/corpus/`, and the laws as assertions."""

from __future__ import annotations

from pathlib import Path

from toolect.authoring.corpus import Case, CorpusError, describe, normal, read, update, write
from toolect.authoring.laws import carried, plain, same, stream, untiled, untold
from toolect.events import Event
from toolect.message import Message

__all__ = [
    "ROOT", "Case", "CorpusError", "all_cases", "carried", "check_events", "check_spans", "describe", "normal", "plain",
    "read", "same", "stream", "update", "write",
]  # fmt: skip

ROOT = Path(__file__).parent / "corpus"


def all_cases() -> list[Case]:
    """Every case of every dialect."""
    return [case for path in sorted(ROOT.glob("*.txt")) for case in read(path)]


def check_spans(message: Message, text: str) -> None:
    """The segments of `message` tile `text` together with the markup between them."""
    assert not (wrong := untiled(message, text)), wrong


def check_events(events: list[Event], message: Message) -> None:
    """The events tell the message."""
    assert not (wrong := untold(events, message)), wrong
