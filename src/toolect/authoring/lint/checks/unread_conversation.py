"""Finds chats whose conversations are read back as something else than was written."""

from __future__ import annotations

from collections.abc import Iterator

from toolect._shown import alike
from toolect._spec.chat_model import ChatRole, Lost
from toolect.authoring.lint.chat_subject import ChatSubject
from toolect.authoring.lint.talks import Talk, talk, unlike
from toolect.diagnostic import Diagnostic, warning

CHECK = "unread-conversation"
AROUND = 60
"""Characters shown of a text before a difference, and after it. Beyond it: they are left out."""


def chat(subject: ChatSubject) -> Iterator[Diagnostic]:
    """A diagnostic for each kind of turn that does not come back, or else for texts that are not written again."""
    met: set[ChatRole | None] = set()
    for told in subject.talks:
        found = unlike(subject.chat, told) if told.text is not None else None
        if found is not None and found.role not in met:
            met.add(found.role)
            yield warning(
                CHECK,
                f"what is written for a conversation is read back otherwise: {found.what}",
                subject.rule(found.role) if found.role else subject.place,
                witness=str(told.text),
                help="write a marker where the text begins or ends, or say under `lost` what the chat does not tell",
            )
    if not met and not {Lost.SYSTEM, Lost.TURNS} & {*subject.spec.lost}:
        yield from (found for told in subject.talks if told.text is not None for found in _again(subject, told))


def _again(subject: ChatSubject, told: Talk) -> Iterator[Diagnostic]:
    """A text that is read, and then written otherwise."""
    assert told.text is not None
    again = talk(subject.chat, told.case._replace(conversation=subject.chat.parse(told.text)))
    if again.text != told.text:
        at = alike(told.text, again.text or "")
        yield warning(
            CHECK,
            "a text that is read is written otherwise" + (f": {again.refused}" if again.refused else ""),
            subject.place,
            witness=told.text[max(at - AROUND, 0) : at + AROUND],
            reading=(again.text or "")[max(at - AROUND, 0) : at + AROUND],
            help="let what may be left out be told by what is written, or by what it is of",
        )
