"""Fast path: an answer that is there as a whole, all of it canonical in one dialect, or plain text to all of them.

It finds what the search over all dialects would find, or nothing: no other dialect may have a mark in the content.
"""

from __future__ import annotations

from toolect import registry
from toolect._canonical.fast_path import read_canonical
from toolect._detection.index import Index
from toolect._detection.mixed import MixedMessage
from toolect._graph.node import STRONG
from toolect._message import Call, Content
from toolect._values.toolset import ToolSchemas


def read_any(known: Index, text: str, tools: ToolSchemas) -> MixedMessage | None:
    """The message of a canonical answer, in the first dialect that its first marker is of; None for any other."""
    first = known.regex.search(text)
    hits = [] if first is None else known.hits(text, first.start(), True, tools)
    if isinstance(hits, int) or not hits or len(hits[0].opener.core) < STRONG:
        return None
    name = hits[0].names[0]
    found = read_canonical(registry.dialect(name)._with_names(tools)._graph({}), text, tools)
    if found is None or not found.calls or not all(_is_own(known, text, one, tools) for one in found.segments):
        return None
    return MixedMessage(found.segments, found.repairs, (name,) * len(found.calls))


def _is_own(known: Index, text: str, segment: object, tools: ToolSchemas) -> bool:
    """True for a call of a tool that may be there, and for content in which nothing of another dialect may begin.

    A call that begins with a word may be one of another dialect, or begin later. Blanks before a text are none of it in
    one dialect only.
    """
    if not isinstance(segment, (Call, Content)) or segment.span is None:
        return False
    start, end = segment.span
    if isinstance(segment, Call):
        return not text[start].isalnum() and (not tools.declared or segment.name in tools)
    if text[:start].isspace() or any(words.search(text, start, end) for words in (known.regex, known.near, *known.led)):
        return False
    return not tools.declared or tools.names.search(text, start, end) is None
