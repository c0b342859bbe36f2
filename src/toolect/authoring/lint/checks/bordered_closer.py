"""Finds closers that texts without them can make come too early."""

from __future__ import annotations

from collections.abc import Iterator

from toolect.authoring.escaping import FREE, RawSlot, cores, raw_slots
from toolect.authoring.lint.attempt import told
from toolect.authoring.lint.subject import Subject
from toolect.diagnostic import Diagnostic, warning
from toolect.message import Message


def check(subject: Subject) -> Iterator[Diagnostic]:
    """A diagnostic for each slot whose text may not end as a marker begins."""
    markers = cores(subject.dialect)
    for slot in (slot for slot in raw_slots(subject.dialect) if slot.slot in FREE):
        for text in sorted(_candidates(slot, markers), key=len):
            read = slot.read(text)
            if not slot.stays(text, read):
                intended = slot.make(text)[0]
                yield warning(
                    "bordered-closer",
                    f"the {slot.slot} `{text}` holds no marker, and is cut short",
                    subject.places.slot(slot.slot, intended),
                    label=f"expected {told(Message([intended]))}",
                    witness=slot.before + text + slot.after,
                    reading=told(read),
                    help="close the slot with a marker that begins as nothing in it does",
                )
                break


def _candidates(slot: RawSlot, markers: set[str]) -> Iterator[str]:
    """Texts without a marker in them, after which the text that follows makes one."""
    for marker in markers:
        for size in range(1, len(marker)):
            text = "x" + marker[:size]
            if slot.after.lstrip().startswith(marker[size:]) and not any(other in text for other in markers):
                yield text
