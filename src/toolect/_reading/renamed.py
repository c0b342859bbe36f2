"""A marker that repeats a name or a key, with blanks around that, or another namespace before it."""

from __future__ import annotations

import re

from toolect._graph.needle import fixed
from toolect._graph.spelling import cut_off
from toolect._graph.symbols import ECHOES, is_echo
from toolect._reading.answer import WAIT, Waiting

_ECHOED = re.compile(r"\s?([\w.:/-]{1,128})\s?")
_ECHO_BEGUN = re.compile(r"\s?\Z")
_NAMESPACE = re.compile(r"[.:/]+")


def renamed(core: str, spelled: str, buf: str, at: int, final: bool) -> int | Waiting | None:
    """Where the marker at index `at` ends that repeats the name of `spelled`, with another namespace or blanks."""
    before = fixed(core)
    sign = next(sign for sign in core[len(before) :] if sign in ECHOES.values())
    closing = core.partition(sign)[2]
    name = spelled[len(before) : len(spelled) - len(closing)]
    if not closing or is_echo(closing):
        return None
    start = at + len(before)
    match = _ECHOED.match(buf, start)
    if match is None:
        return WAIT if not final and _ECHO_BEGUN.match(buf, start) else None
    end = match.end()
    if not buf.startswith(closing, end):
        return WAIT if not final and cut_off(closing, buf, end) else None
    same = _NAMESPACE.split(match[1])[-1] == _NAMESPACE.split(name)[-1] != ""
    return end + len(closing) if same else None
