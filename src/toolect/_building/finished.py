"""The message of an answer that is over."""

from __future__ import annotations

from collections.abc import Sequence

from toolect._building.inner_calls import NEVER, Torn, without_inner
from toolect._graph.graph import Graph
from toolect._message import Content, Message, Repair, Segment
from toolect._values.schema import visible
from toolect._values.toolset import ToolSchemas


def finished(
    segments: Sequence[Segment],
    repairs: tuple[Repair, ...],
    graph: Graph,
    tools: ToolSchemas,
    torn: Torn = (NEVER, NEVER),
) -> Message:
    """The message, with a note of each content that holds what may have been a call of a declared tool.

    `torn` says where the first call broke off in the middle.
    """
    closers = graph.closers if graph.policies.after_calls == "keep" else None
    segments = without_inner(segments, repairs, torn, closers, True)
    if tools.declared and any(type(segment) is Content and _is_odd(segment.text, tools) for segment in segments):
        from toolect._building.left_over import notes  # not part of starting up: few texts need it

        return Message(tuple(segments), (*repairs, *notes(segments, repairs, graph, tools)))
    return Message(tuple(segments), repairs)


def _is_odd(text: str, tools: ToolSchemas) -> bool:
    """May a call, or more arguments of one, be in the content `text`?"""
    if '":' in text:
        return True
    if not any(sign in text for sign in ("{", "(", "&")):
        return False
    text = text if text.isascii() else visible(text)
    return any(name in text for name in tools.by_name)
