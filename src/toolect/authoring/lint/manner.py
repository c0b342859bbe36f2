"""How a text stands to its dialect: which attribute a corpus case of it must have."""

from __future__ import annotations

from enum import StrEnum

from toolect.authoring.corpus import Case
from toolect.compiled import Dialect
from toolect.message import Message
from toolect.rendered import Unrepresentable


class Manner(StrEnum):
    """What a case says of its text with an attribute; one without any is canonical."""

    CANONICAL = ""
    """Strict mode reads it, and rendering gives it back."""
    PARSE_ONLY = "parse-only"
    """Strict mode reads it, and rendering writes another text."""
    LENIENT = "lenient"
    """Only lenient mode reads it."""
    ERROR = "error"
    """A call in it is not runnable."""


def written(case: Case) -> Manner:
    """What the case says of its text."""
    return next((m for m in (Manner.ERROR, Manner.LENIENT, Manner.PARSE_ONLY) if case.has(m)), Manner.CANONICAL)


def true(case: Case, message: Message, dialect: Dialect) -> Manner:
    """What the case must say of its text, read as `message`."""
    if not all(call.runnable for call in message.calls):
        return Manner.ERROR
    if not message.clean:
        return Manner.LENIENT
    return Manner.CANONICAL if gives_back(case, message, dialect) else Manner.PARSE_ONLY


def gives_back(case: Case, message: Message, dialect: Dialect) -> bool:
    """True when rendering the message gives the text, or the text with what the prompt had begun."""
    try:
        rendered = str(dialect.render(message, case.options.get("tools")))
    except Unrepresentable:
        return False
    prefix = case.options.get("prefix", "")
    return rendered == case.text or len(rendered) > len(case.text) and f"{prefix}{case.text}".endswith(rendered)
