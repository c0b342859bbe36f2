"""An attempt at a call in another notation, after a marker of the dialect: a declared tool is named in it."""

from __future__ import annotations

import re

from toolect._graph.node import STRONG
from toolect._graph.spelling import cut_off
from toolect._reading.answer import WAIT, Waiting
from toolect._reading.probe import View, past_blank

MAX_HEAD = 160
"""Characters after the marker in which the name has to come; and of more markers after it that are gone over."""
_WORD = re.compile(r"[A-Za-z_][\w.-]*").search
_GOES_ON = re.compile(r"[\"'>|]|\s*[(\[{<]").match
"""What notations have after a name, and sentences do not."""
_OPENS = re.compile(r"\s*[(\[{]|\n\s*<|<[A-Za-z]").match
"""What they have before arguments."""
_TOKEN = re.compile(r"<[|｜][^<>\s]{1,64}[|｜]>").match
_IN_TOKEN = re.compile(r"<(?:[|｜][^<>\s]{0,65})?\Z").match
_NOTATION = frozenset(
    (
        "action", "call", "function", "function_call", "functioncall", "functions", "id", "invoke", "json", "name",
        "tool", "tool_call", "tool_name", "tool_use", "toolcall", "type",
    )
)  # fmt: skip
"""Words that notations have before it."""


def attempted(view: View, pos: int, named: bool = False) -> str | Waiting:
    """The tool that is named first at `buf[pos:]`, but for words of some notation, as one goes on; none for no such.

    A marker of the dialect that comes first is read by itself. Where the dialect has the name next, as `named` says,
    more than a sign has to come after it.
    """
    if not view.tools.declared or view.graph.code is not None:
        return ""  # what code names is not called yet
    buf, final, at = view.buf, view.final, past_blank(view.buf, pos)
    last = at + MAX_HEAD
    while at < last:
        if not final and (_IN_TOKEN(buf, at) is not None or any(cut_off(core, buf, at) for core in view.graph.starts)):
            return WAIT
        end = _past_marker(view, at)
        if end == at:
            break
        at = end
    start, end = at, at + MAX_HEAD
    while (word := _WORD(buf, at, end)) is not None:
        at = word.end()
        if at == len(buf) and not final:
            return WAIT
        if word[0] in view.tools:
            if not final and buf[at : at + MAX_HEAD].strip() in ("", "<"):
                return WAIT
            own = any(len(core) >= STRONG and buf.find(core, start, at) >= 0 for core in view.graph.starts)
            return "" if own or (_OPENS if named else _GOES_ON)(buf, at) is None else word[0]
        if word[0].lower() not in _NOTATION:
            return ""
        named = False
    return "" if final or len(buf) >= end else WAIT


def _past_marker(view: View, pos: int) -> int:
    """The index after the marker of the dialect at `buf[pos:]`, or after what looks like one; `pos` for none."""
    size = max((len(core) for core in view.graph.starts if view.buf.startswith(core, pos)), default=0)
    token = _TOKEN(view.buf, pos)
    return pos + size if token is None else max(pos + size, token.end())
