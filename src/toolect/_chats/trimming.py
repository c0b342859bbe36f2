"""What a chat cuts off the ends of a text."""

from __future__ import annotations

from toolect._spec.chat_model import Trim


def trimmed(text: str, how: Trim) -> str:
    """`text` without the whitespace that `how` says."""
    match how:
        case Trim.NONE:
            return text
        case Trim.BOTH:
            return text.strip()
        case Trim.LEFT:
            return text.lstrip()
        case Trim.RIGHT:
            return text.rstrip()
        case Trim.NEWLINES:
            return text.strip("\n")
        case Trim.LEFT_NEWLINES:
            return text.lstrip("\n")
        case Trim.RIGHT_NEWLINES:
            return text.rstrip("\n")
        case Trim.OUTER_NEWLINES:
            return text.removeprefix("\n").removesuffix("\n")
