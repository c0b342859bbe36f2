"""Detection of the dialect of a text, and reading of texts whose dialect nobody named.

What only such texts need is loaded with the first one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Unpack

from toolect import registry
from toolect._compiled import Dialect, Mode, Tools
from toolect._message import leaks_found_by
from toolect._spec.policies import ReadingPolicies

_SIGN = re.compile(r"[<\[\]][^\s=\d]|&lt;|[^\x00-\u02ff]")

if TYPE_CHECKING:
    from toolect._detection.auto import Auto
    from toolect._detection.mixed import MixedMessage
    from toolect._detection.ranking import Detection


def reader(name: str) -> Dialect | Auto:
    """The reader of the dialect with this name, alias or model id; with "auto", that of all dialects."""
    if name != registry.AUTO:
        return registry.dialect(name)
    from toolect._detection.auto import auto

    return auto


def parse(
    text: str, tools: Tools | None = None, mode: Mode = "lenient", prefix: str = "", *,
    validate: bool = False, **policies: Unpack[ReadingPolicies],
) -> MixedMessage:  # fmt: skip
    """The message that `text` says, whichever dialects it is in. Arguments as for `Dialect.parse`."""
    from toolect._detection.auto import auto

    return auto.parse(text, tools, mode, prefix, validate=validate, **policies)


def detect(text: str, tools: Tools | None = None, limit: int = 5, prefix: str = "") -> tuple[Detection, ...]:
    """The dialects that `text` may be in, the likeliest first; none when it has no trace of any.

    `tools` as in `parse`: a call of a tool that was declared is better evidence. Dialects that read the text alike are
    one result; `limit` bounds how many there are.
    """
    from toolect._detection.ranking import detect

    return detect(text, tools, limit, prefix)


def _left(text: str) -> tuple[str, ...]:
    """The markers that are left in a text; most have no sign that one begins with."""
    if _SIGN.search(text) is None:
        return ()
    from toolect._detection.leaks import left_in

    return left_in(text)


leaks_found_by(_left)
