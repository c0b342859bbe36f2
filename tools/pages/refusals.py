"""Messages that some dialect cannot carry, and what a dialect says to each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from toolect import Call, Message, RenderError
from toolect._authoring.generate.minimal import OSLO, ROME, TEXT, THOUGHT
from toolect._compiled import Dialect
from toolect._corpora.features import in_reasoning, in_string, in_text
from toolect._corpora.fidelity import markers
from toolect._message import Json, Segment
from tools.pages.markdown_text import cell, code

ID = "call_7f3a"


class Probe(NamedTuple):
    """A message, and what is special about it; `bare` when no tool is declared."""

    title: str
    message: Message
    bare: bool = False


def _value(title: str, value: Json, bare: bool = False) -> Probe:
    return Probe(title, Message([Call("f", {"a": value})]), bare)


def _segments(title: str, *segments: Segment) -> Probe:
    return Probe(title, Message(segments))


PROBES = (
    _segments("content alone", TEXT),
    _segments("content before a call", TEXT, ROME),
    _segments("content after a call", ROME, TEXT),
    _segments("content between two calls", ROME, TEXT, OSLO),
    _segments("two calls", ROME, OSLO),
    _segments("reasoning, then content", THOUGHT, TEXT),
    _segments("reasoning before a call", THOUGHT, ROME),
    _segments("reasoning between two calls", ROME, THOUGHT, OSLO),
    _segments("an id", Call("f", {"a": "b"}, ID)),
    _segments("a name with a dot", Call("files.list", {"a": "b"})),
    _segments("a name with a dash", Call("list-files", {"a": "b"})),
    _segments("no arguments", Call("f", {})),
    _segments("a key with a blank", Call("f", {"first name": "b"})),
    _segments("a key with a dash", Call("f", {"first-name": "b"})),
    _value("true", True),
    _value("null", None),
    _value("an integer", 3),
    _value("a number with a fraction", 0.5),
    _value("an empty string", ""),
    _value("a string of blanks", "  "),
    _value("a string with blanks around it", " b "),
    _value("a string with a newline at its end", "b\n"),
    _value("a string of several lines", "if b:\n    c()"),
    _value("a string with quotes and a backslash", "\"b\" 'c' \\n"),
    _value("a string with markup", "<b>&amp;</b>"),
    _value("a string with the end tag of its tool", "b</f>c"),
    _value("a string with the end tag of its key", "b</a>c"),
    _value("a string that looks like a number", "2"),
    _value("a string that looks like a number, of a tool that is not declared", "2", bare=True),
    _value("a string that looks like JSON", '{"b": 1}'),
    _value("an object", {"b": 1, "c": "d"}),
    _value("a list", [1, "b", None]),
    _value("an empty object", {}),
    _value("an empty list", []),
    _value("objects and lists in one another", {"b": [{"c": [True, {}]}]}),
)
"""What is tried on every dialect."""


def refused(dialect: Dialect) -> Iterator[tuple[str, str]]:
    """What the dialect does not carry as it is, and why; both as cells of a table."""
    reasons: dict[str, list[str]] = {}
    for probe in PROBES:
        if reason := _reason(dialect, probe.message, probe.bare):
            reasons.setdefault(reason, []).append(probe.title)
    for reason, titles in reasons.items():
        yield "; ".join(titles), reason
    for title, holding in HOLDING.items():
        if not _reason(dialect, holding(" ")):
            found = [marker for marker in markers(dialect) if _reason(dialect, holding(marker))]
            if found:
                yield f"{title} {', '.join(map(code, found))}", "would not be read back as it is"


HOLDING: dict[str, Callable[[str], Message]] = {
    "a string that holds": in_string, "content that holds": in_text, "reasoning that holds": in_reasoning,
}  # fmt: skip
"""Messages with a marker in the middle of a text; every marker of a dialect is tried."""


def _reason(dialect: Dialect, message: Message, bare: bool = False) -> str:
    """Why the dialect does not carry the message, for a cell of a table; empty when it does."""
    try:
        text = dialect.render(message, [] if bare else None)
    except RenderError as error:
        why, _, regex = error.reason.partition(" /")
        shown = f"{why} {code('/' + regex)}" if regex else cell(why)
        return f"{cell(error.slot)}: {shown}" + (f": {code(error.witness)}" if regex else "")
    ids = [call.id for call in message.calls]
    return "left out" if any(ids) and [call.id for call in dialect.parse(text).calls] != ids else ""
