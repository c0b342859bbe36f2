"""Looks ahead at what stands where all arguments of a call should: is it the only one that a declared tool takes?"""

from __future__ import annotations

import re

from toolect._reading.answer import WAIT, Answer
from toolect._reading.probe import Probe, past_blank
from toolect._spec.grammar_model import SlotKind

MAX_ALONE = 1024
"""Characters of a value in the place of all arguments. Beyond it: no call, where only a name says that there is one."""

_VALUE = re.compile(
    r"""(?:"(?:[^"\\\n]|\\.){0,1022}"|\[[^\[\]\n]{0,1022}\]|-?\d{1,32}(?:\.\d{1,32})?|true|false|null)(?![\w.])"""
)
"""A value of JSON on one line."""


def alone(probe: Probe, name: str) -> Answer:
    """Does a value that the tool `name` takes as its only one stand where `probe` is, and then what ends the call?

    A text needs its quotes: without them, prose that names a tool and a closer would be a call.
    """
    view, pos = probe.view, probe.pos
    buf, until = view.buf, pos + MAX_ALONE
    if view.tools.of(name).sole is None or buf[pos] not in '"[-0123456789tfn':
        return Answer.NO
    value = _VALUE.match(buf, pos, until)
    if value is None or value.end() == len(buf) < until and not view.final:
        done = view.final or len(buf) >= until or buf.find("\n", pos) >= 0
        return Answer.NO if done else WAIT
    end = past_blank(buf, value.end())
    after = probe.node.step(SlotKind.JSON).node
    closers = [*map(probe.spelled, {*after.marks, *after.echoes}), *view.graph.ends]
    if end == len(buf):
        return WAIT if not view.final else Answer.NO if after.done is None else Answer.YES
    if any(buf.startswith(core, end) for core in closers):
        return Answer.YES
    return WAIT if not view.final and any(core.startswith(buf[end:]) for core in closers) else Answer.NO
