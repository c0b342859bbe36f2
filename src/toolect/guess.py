"""Texts whose dialect nobody named: `parse` reads them, `detect` says what they are. Both load what they need."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolect.compiled import Mode, Tools
    from toolect.detection.findings import MixedMessage
    from toolect.detection.ranking import Detection


def parse(
    text: str, tools: Tools | None = None, mode: Mode = "lenient", prefix: str = "", **policies: str
) -> MixedMessage:
    """The message that `text` says, whichever dialects it is in. Arguments as for `Dialect.parse`."""
    from toolect.detection.auto import Auto

    return Auto().parse(text, tools, mode, prefix, **policies)


def detect(text: str, tools: Tools | None = None, limit: int = 5, prefix: str = "") -> tuple[Detection, ...]:
    """The dialects that `text` may be in, the likeliest first; none when it has no trace of any.

    `tools` as in `parse`: a call of a tool that was declared is better evidence. Dialects that read the text alike are
    one result; `limit` bounds how many there are.
    """
    from toolect.detection.ranking import detect

    return detect(text, tools, limit, prefix)
