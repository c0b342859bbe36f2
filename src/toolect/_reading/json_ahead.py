"""Looks ahead into JSON: does a call begin with this bracket?"""

from __future__ import annotations

import re

from toolect._graph.spelling import MAX_LEXEME
from toolect._graph.stops import Stop
from toolect._reading.answer import WAIT, Answer
from toolect._reading.probe import View, past_blank
from toolect._shapes.loose import bare_keys, first_keys
from toolect._spec.shape_model import Shape
from toolect.message import RepairKind

_STRINGS = re.compile(r':\s*+"((?:[^"\\]|\\.)*+)"').findall


def json_call(stop: Stop, shape: Shape | None, view: View, pos: int, strong: bool) -> Answer:
    """Does the bracket at `buf[pos]` open JSON with a call in it?

    After a marker of the dialect it does. A marker that is a word may be just that: a list after it must be one of
    objects. Where a wrapper's opener is missing, the JSON must begin as a call does, with two keys of `shape`.
    """
    buf, final = view.buf, view.final
    patterns = None if shape is None else first_keys(shape)
    if strong or stop.repair is not RepairKind.IMPLIED_OPENER or patterns is None:
        if not stop.core.isalnum() or buf[pos] == "{":
            return Answer.YES
        inside = past_blank(buf, pos + 1)
        if inside == len(buf):
            return Answer.YES if final else WAIT
        return Answer.YES if buf[inside] in "{]" else Answer.NO
    whole, other = patterns
    until = min(len(buf), pos + MAX_LEXEME)
    if whole.match(buf, pos, until) is not None:
        return Answer.YES
    done = final or until == pos + MAX_LEXEME or other.match(buf, pos, until) is not None
    return Answer.NO if done else WAIT


def bare_call(view: View, shape: Shape, pos: int) -> Answer:
    """Does a call begin with the bracket at `buf[pos]`, whose markers are missing?

    Its arguments must come, after texts, one of which is the name of a tool where tools are declared.
    """
    buf, patterns = view.buf, bare_keys(shape)
    until = min(len(buf), pos + MAX_LEXEME)
    if patterns is None:
        return Answer.NO
    whole, none = patterns
    match = whole.match(buf, pos, until)
    if match is not None:
        said = _STRINGS(match[1])
        if view.tools or not said:  # a key that is the name tells nothing by itself
            fits = any(text in view.tools for text in said or match.groups())
        else:
            fits = not any(" " in text for text in said)
        return Answer.YES if fits else Answer.NO
    done = view.final or until == pos + MAX_LEXEME or none.match(buf, pos, until) is not None
    return Answer.NO if done else WAIT
