"""Texts that quote calls: nobody who writes or reads them wants the calls run.

Each dialect writes a call, and pages speak of it: in code spans, in quotation marks, in tables, headings and markup.
What stands in a code block is not among them: models put calls that they mean into one, and nothing tells which it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from toolect import registry
from toolect._message import Call, Json, Message
from toolect._rendered import RenderError

TOOLS: list[Json] = [
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "description": "Tells the weather.",
            "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
                "required": ["city"],
            },
        },
    }
]
"""The tools of the pages, which are declared."""
CALLS = (Call("get_weather", {"city": "Paris", "days": 2}), Call("get_weather", {"city": "Paris"}))
FRAMES = {
    "span": "To ask for the weather, write `{}` and wait for the result.",
    "double span": "To ask for the weather, write ``{}`` and wait.",
    "span with a lead": "The format is `call: {}`, nothing else.",
    "two spans": "Between `a` and `b` it writes `{}`; then it stops.",
    "item": "Formats:\n\n- `{}` calls a tool\n- plain text answers",
    "item of spans": "1. `{}`\n2. `{}`\n3. text",
    "table": "| format | example |\n| --- | --- |\n| this one | `{}` |\n| another | `x` |\n",
    "heading": "# The format `{}`\n\nIt is new.",
    "bold span": "It is **`{}`** that counts.",
    "first": "`{}` is how it is written. Do not run it.",
    "after a line": "The model writes\n`{}`\nand waits.",
    "in parentheses": "A call (`{}`) is a line of its own.",
    "link": "See [`{}`](https://example.org/format) for more.",
    "quotes": 'The parser looks for "{}" in the answer.',
    "parenthesis of quotes": 'They are markers ("{}") of the model.',
    "single quotes": "It splits at '{}' first.",
    "assignment": "text = '{}'  # an example",
    "typographic": "The model says “{}” then.",
    "cell of code": "<p>Write <code>{}</code> to call.</p>",
    "comparison": "Unlike `{}`, prose is safe, and `{}` is too.",
}
"""Frames in which a call is quoted, by name; `{}` is the call."""


class Quotation(NamedTuple):
    """A text in which a call of a dialect is quoted."""

    dialect: str
    frame: str
    text: str


def quotations(names: Iterable[str] | None = None) -> Iterator[Quotation]:
    """A call of each dialect in every frame; of all that are shipped where none are named."""
    for name in names or registry.dialects():
        dialect = registry.dialect(name)
        for call in CALLS:
            try:
                wire = str(dialect.render(Message([call]), TOOLS)).strip()
            except RenderError:
                continue
            if "```" in wire or "\n\n" in wire:
                break  # no code span holds it
            for frame, text in FRAMES.items():
                yield Quotation(name, frame, text.replace("{}", wire))
            break
