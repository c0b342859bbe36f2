"""Dialects by name, and texts whose dialect nobody named: `parse` reads them, `detect` says what they are.

What only such texts need is loaded with the first one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, overload

from toolect import registry
from toolect._compiled import Dialect, Mode, Tools

if TYPE_CHECKING:
    from toolect._detection.auto import Auto
    from toolect._detection.mixed import MixedMessage
    from toolect._detection.ranking import Detection


@overload
def dialect(name: Literal["auto"]) -> Auto: ...  # type: ignore[overload-overlap]  # the one name of no dialect
@overload
def dialect(name: str) -> Dialect: ...
def dialect(name: str) -> Dialect | Auto:
    """The dialect with this name, alias or model id; "auto" reads whatever fits. Raises `UnknownNameError`."""
    if name == registry.AUTO:
        from toolect._detection.auto import Auto

        return Auto()
    return registry.dialect(name)


def parse(
    text: str, tools: Tools | None = None, mode: Mode = "lenient", prefix: str = "", **policies: str
) -> MixedMessage:
    """The message that `text` says, whichever dialects it is in. Arguments as for `Dialect.parse`."""
    from toolect._detection.auto import Auto

    return Auto().parse(text, tools, mode, prefix, **policies)


def detect(text: str, tools: Tools | None = None, limit: int = 5, prefix: str = "") -> tuple[Detection, ...]:
    """The dialects that `text` may be in, the likeliest first; none when it has no trace of any.

    `tools` as in `parse`: a call of a tool that was declared is better evidence. Dialects that read the text alike are
    one result; `limit` bounds how many there are.
    """
    from toolect._detection.ranking import detect

    return detect(text, tools, limit, prefix)
