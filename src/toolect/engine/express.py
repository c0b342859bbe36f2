"""The short way for text that is just what the dialect writes: one regular expression for each run of markers.

`express` reads the same language as the machine where that language is canonical, and gives up (None) at the first
character that is not; the machine then reads the text from the start. A law holds the two to the same result.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from toolect.compile.graph import Graph, TooDeep
from toolect.compile.node import Node
from toolect.compile.symbols import Op, OpCode
from toolect.engine.codec import decode, respelled
from toolect.engine.json_lexemes import MAX_DEPTH, doubled, scan_once, shallow
from toolect.engine.ref import split_ref
from toolect.engine.schema import Schema, property_schema
from toolect.engine.spelling import MAX_LEXEME
from toolect.engine.stop_plan import StopPlan
from toolect.engine.text_values import sniff
from toolect.engine.traces import BEGIN_CALL, CONTENT, END_CALL, HUB, JSON, KEY, NAME, REF, SCALAR, TEXT, route
from toolect.ir import Call, Content, Json, Message, Reasoning, Segment
from toolect.spec.model import Role, SlotKind

_IN_SCALAR = re.compile(r"[-+.\w]").match


def express(graph: Graph, text: str, schemas: Mapping[str, Schema], start: Node) -> Message | None:
    """The message in `text` when all of it is canonical, else None."""
    try:
        return _read(graph, text, schemas, start)
    except (TooDeep, RecursionError):
        return None


def _read(graph: Graph, text: str, schemas: Mapping[str, Schema], node: Node) -> Message | None:
    segments: list[Segment] = []
    pos, n = 0, len(text)
    start, name, identity, key = 0, "", None, ""
    ruled = False  # a call rule is open
    entries: list[tuple[str, Json]] = []
    value: Json = None
    spelling: str | None = None
    at: Any = node.express or route(node)  # a Route: which of its parts are set depends on its kind
    ref = graph.network.spec.ref
    nexts: dict[str, int] = {}  # where each needle comes next, -1 for nowhere
    while True:
        kind, hub = at.kind, at.hub
        if at.space:
            if not text.startswith(at.space, pos):
                return None
            pos += len(at.space)
        if kind == HUB:
            if pos == n and at.node.done == ():
                return Message(tuple(segments))
            if at.hub is None:
                return None
            match = at.hub.match(text, pos)
            if match is None:
                return None
        elif kind == TEXT:
            where = text.find(at.needle, pos)
            until = where - at.lead_size
            if until < pos or at.lead_size and not text.startswith(at.lead, until):
                return None
            if not at.common or text.find(at.common, pos, where) >= 0:
                for shared, words in at.others:
                    if text.find(shared, pos, where) >= 0:
                        for word in words:
                            if text.find(word, pos, where) >= 0:
                                return None
            piece = text[pos:until]
            if at.sniffs and not schemas:
                value = sniff(piece)
                if value is not piece and respelled(at.codec, piece, value):
                    return None
                entries.append((key, value))
            elif at.role is Role.REASONING:
                if piece:
                    segments.append(Reasoning(piece, (pos, until)))
            else:
                try:
                    value = decode(at.codec, piece, property_schema(schemas.get(name), key))
                except ValueError:
                    return None
                if value is not piece and respelled(at.codec, piece, value):
                    return None
                entries.append((key, value))
            match = at.hub.match(text, until)
            if match is None:
                return None
        elif kind == CONTENT:
            if ruled:
                return None  # the call may end here or go on
            plan = at.plan
            where, match = n, None
            common = at.common
            if at.direct is not None:
                match = at.direct.match(text, pos)
                where = pos
                if match is not None:
                    hub = at.direct
                elif at.node.patterns and any(pattern.match(text, pos) for _, pattern in at.node.patterns):
                    return None
            if match is not None:
                pass
            elif common:
                where = text.find(common, pos)
                if where >= 0 and at.hub is not None:
                    match = at.hub.match(text, where)
            if match is None:
                if not common or where >= 0:
                    where = n
                    for needle, _, _, _ in plan.needles:
                        found = nexts.get(needle, 0)
                        if 0 <= found < pos or needle not in nexts:
                            found = nexts[needle] = text.find(needle, pos)
                        if 0 <= found < where:
                            where = found
                    if where < n:
                        match = at.hub.match(text, where) if at.hub is not None else None
                        if match is None:
                            return _last(text, pos, where, plan, segments) if at.open else None
                else:
                    where = n
            if match is None:
                if not at.open:
                    return None
                piece = text[pos:]
                if piece and (not piece.isspace() or not segments):
                    segments.append(Content(piece, (pos, n)))
                return Message(tuple(segments))
            if where > pos:
                until = where - plan.lead_at(text, pos, where)
                piece = text[pos:until]
                if piece and not piece.isspace():
                    segments.append(Content(piece, (pos, until)))
        elif kind == SCALAR:
            match = at.scalars.match(text, pos)
            if match is None:
                return None
            way = at.scalars.ways[match.lastindex]
            piece = match[match.lastindex]
            if way.role is Role.NUMBER and len(piece) > MAX_LEXEME:
                return None
            try:
                value = way.value(piece)
                if way.codec is not None:
                    value = decode(way.codec, piece, property_schema(schemas.get(name), key))
                    if respelled(way.codec, piece, value):
                        return None
                entries.append((key, value))
            except ValueError:
                return None
            pos = match.end()
            at = way.node.express or route(way.node)
            continue
        elif kind == JSON:
            if at.role is not Role.VALUE or text[pos : pos + 1] in ('"', ""):
                return None
            try:
                value, end = scan_once(text, pos)
            except (ValueError, StopIteration):
                return None
            if end - pos > MAX_DEPTH and not shallow(value) or doubled(text[pos:end], value):
                return None
            if type(value) not in (dict, list) and _IN_SCALAR(text, end) is not None:
                return None
            entries.append((key, value))
            pos = end
            node = at.node.step(SlotKind.JSON).node
            at = node.express or route(node)
            continue
        else:
            return None

        if match.end() - match.start() > MAX_LEXEME:
            return None
        trace = hub.traces[match.lastindex]
        if trace.coded and "&" in match[0]:
            return None
        if trace.key_group:
            key = match[trace.key_group]
            pos = match.end()
            node = trace.node
            at = node.express or route(node)
            continue
        for act, group, offset in trace.actions:
            if act == KEY:
                key = match[group]
            elif act == BEGIN_CALL:
                start = (match.end(group) if group else match.start()) + offset
                name, identity, spelling, value = "", None, None, None
                entries = []
                ruled = True
            elif act == NAME:
                if name and name != match[group]:
                    return None
                name = match[group]
            elif act == END_CALL:
                end = (match.end(group) if group else match.start()) + offset
                if spelling is None:
                    value = dict(entries)
                    if len(value) < len(entries):
                        return None
                segments.append(Call(name, value, identity, spelling, text[start:end], (start, end)))
                ruled = False
            elif act == REF:
                name, identity = split_ref(ref, match[group])
                if "{index}" not in ref:
                    identity = None
            elif identity is not None and identity != match[group]:
                return None
            else:
                identity = match[group]
        pos = match.end()
        node = trace.node
        json = trace.json
        if json is not None:
            if json.many:
                pos = json.read_many(text, match, trace.name_group, segments)
                if pos < 0:
                    return None
            else:
                if json.head:
                    name = match[trace.name_group]
                arguments = json.value(text, pos)
                if arguments is None:
                    return None
                value, pos, spelling = arguments
                if json.tail is not None:
                    tail = json.tail(text, pos)
                    if tail is None:
                        return None
                    pos = tail.end()
                    if json.id_group:
                        group = trace.name_group - json.name_group + json.id_group
                        identity = match[group] if json.id_in_head else tail[1]
                if not name:
                    return None
                if not ruled:
                    start = match.end(trace.name_group - json.name_group + 1)
                    identity = identity if json.id_group else None
                    segments.append(Call(name, value, identity, spelling, text[start:pos], (start, pos)))
            for task, _ in node.arrival:
                if isinstance(task, Op) and task.code is OpCode.END_CALL:
                    segments.append(Call(name, value, identity, spelling, text[start:pos], (start, pos)))
                    ruled = False
        at = node.express or route(node)


def _last(text: str, pos: int, where: int, plan: StopPlan, segments: list[Segment]) -> Message | None:
    """The message when the marker at `where` is an end token with nothing after it, else None."""
    for needle, _, stop, lead in plan.needles:
        if stop is not None and stop.end and text.startswith(needle, where):
            if text[where + len(needle) :].strip() or "\n" in lead and where and text[where - 1] != "\n":
                return None
            have = next((k for k in range(len(lead), 0, -1) if text.endswith(lead[len(lead) - k :], pos, where)), 0)
            piece = text[pos : where - have]
            if piece and not piece.isspace():
                segments.append(Content(piece, (pos, where - have)))
            elif piece and not segments:
                return None
            return Message(tuple(segments))
    return None
