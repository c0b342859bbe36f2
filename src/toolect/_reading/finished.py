"""The message of an answer that is over."""

from __future__ import annotations

from collections.abc import Sequence

from toolect._graph.graph import Graph
from toolect._values.schema import visible
from toolect._values.toolset import ToolSchemas
from toolect.message import Content, Message, Repair, Segment


def finished(segments: Sequence[Segment], repairs: tuple[Repair, ...], graph: Graph, tools: ToolSchemas) -> Message:
    """The message, with a note of each content that holds what may have been a call of a declared tool."""
    if tools.declared:
        for segment in segments:
            if type(segment) is Content and any(sign in segment.text for sign in ("{", "(", "&")):
                text = segment.text if segment.text.isascii() else visible(segment.text)
                for name in tools.by_name:
                    if name in text:
                        from toolect._reading.left_over import notes  # not part of starting up: few texts need it

                        return Message(tuple(segments), (*repairs, *notes(segments, repairs, graph, tools)))
    return Message(tuple(segments), repairs)
