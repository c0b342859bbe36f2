"""What a chat cuts off the ends of a text."""

from __future__ import annotations

from collections.abc import Callable

from toolect._spec.chat_model import Trim

TRIMS: dict[Trim, Callable[[str], str]] = {
    Trim.BOTH: str.strip,
    Trim.LEFT: str.lstrip,
    Trim.RIGHT: str.rstrip,
    Trim.RIGHT_BLANKS: lambda text: text.rstrip(" "),
    Trim.NEWLINES: lambda text: text.strip("\n"),
    Trim.LEFT_NEWLINES: lambda text: text.lstrip("\n"),
    Trim.RIGHT_NEWLINES: lambda text: text.rstrip("\n"),
    Trim.OUTER_NEWLINES: lambda text: text.removeprefix("\n").removesuffix("\n"),
}
"""What cuts, by its word; nothing for `Trim.NONE`."""
