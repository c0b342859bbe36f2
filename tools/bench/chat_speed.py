"""How long chats take to render a conversation of 20 turns, beside the compiled templates of their models.

    python -m tools.bench.chat_speed [--template PATTERN] [--seconds N] [--write]

Both write the same text in this process, one after the other: the template by jinja2 in the sandbox of transformers,
compiled beforehand. The conversation has a system text, two tools and five rounds of a question, a call, its result and
an answer; where a template refuses it, ten questions and answers. `--write` writes .reports/chat-speed.md.
Exit code 0: the chat in the middle takes no more than half of the time of its template. 1: it takes more.
"""

from __future__ import annotations

import argparse
import datetime
import sys
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from statistics import median
from typing import Any, TypeAlias

from jinja2.exceptions import TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment, SandboxedEnvironment

from toolect._authoring.generate.small_conversations import ChatCase
from toolect._chats import chat_registry
from toolect._chats.grammar_chat import Chat
from toolect._message import Call, Content, Message
from toolect._rendered import RenderError
from toolect.chat_template.child import environment
from toolect.conversation import Assistant, Conversation, Results, System, ToolResult, Turn, User
from tools.bench.workloads import best
from tools.chats.compare_chats import chat_of
from tools.chats.original_templates import Template, templates
from tools.chats.template_texts import variables
from tools.markdown_text import table
from tools.reports import keep

SHARE = 0.5
"""The part of a template's time that a chat may take."""
_HEAD = """# How long chats take, beside their templates

`make chats` ends with this table: a conversation of 20 turns rendered by the chat, which knows then whose words are
where, and has looked for markup in every text; and by the model's own template in jinja2, compiled, in the same
process. Both write the same text. Most conversations have five rounds of a question, a call, its result and an answer,
a system text and two tools; templates without tools are asked ten times.

"""
DAY = datetime.date(2026, 1, 2)
SCHEMA = {"type": "object", "properties": {"port": {"type": "string", "description": "Where"}}, "required": ["port"]}
TOOLS = [
    {"type": "function", "function": {"name": name, "description": said, "parameters": SCHEMA}}
    for name, said in (("tide", "High water of a port"), ("wind", "The wind at a port, in knots"))
]
SYSTEM = System("You answer questions about ports. Be brief.")
ASKED = User("When is high water in Brest today, and is there enough wind to sail? " * 3)
ANSWERED = Assistant(Message([Content("High water is at 12:04; 14 knots from the west are wind enough. " * 4)]))


def conversations() -> Iterator[Conversation]:
    """The conversation of 20 turns, and what is asked of templates that refuse it."""
    turns: list[Turn] = []
    for number in range(5):
        one = f"abcdefgh{number}"
        called = Assistant(Message([Call("tide", {"port": "Brest"}, one)]))
        turns += [ASKED, called, Results((ToolResult(one, "tide", '{"high": "12:04", "low": "18:20"}'),)), ANSWERED]
    yield Conversation([SYSTEM, *turns], TOOLS)
    yield Conversation(turns, TOOLS)
    yield Conversation([ASKED, ANSWERED] * 10)


Row: TypeAlias = tuple[str, str, float, float]
"""A chat, its template, and the µs of each."""


def timed(chat: Chat, template: Template, seconds: float) -> Row | None:
    """Both, on the first conversation that both write alike; None where they write none."""
    kind = SandboxedEnvironment if template.original.loose else ImmutableSandboxedEnvironment
    compiled = environment(kind, not template.original.loose, str(DAY)).from_string(template.text)
    for conversation in conversations():
        given = variables(ChatCase(0, conversation, True, None), template.original)

        def ours(said: Conversation = conversation) -> str:
            return chat.render(said, date=DAY)

        def theirs(given: dict[str, Any] = given) -> str:
            return str(compiled.render(**given))

        try:
            if str(ours()) == theirs():
                return chat.name, template.name, best(ours, seconds), best(theirs, seconds)
        except (RenderError, TemplateError, TypeError):
            continue
    return None


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the tool; the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--template", default="*", help="a pattern for names of templates")
    parser.add_argument("--seconds", type=float, default=0.2, help="for how long each is measured")
    parser.add_argument("--write", action="store_true", help="write .reports/chat-speed.md")
    options = parser.parse_args(arguments)
    chosen = [one for one in templates() if fnmatchcase(one.name, options.template)]
    pairs = [(chat_registry.chat(name), one) for one in chosen if (name := chat_of(one))]
    rows = [row for chat, template in pairs if (row := timed(chat, template, options.seconds))]
    ratios = [ours / theirs for *_, ours, theirs in rows]
    cells = [
        (*row[:2], f"{row[2]:.0f}", f"{row[3]:.0f}", f"{ratio:.2f}") for row, ratio in zip(rows, ratios, strict=True)
    ]
    drawn = table([("chat", "template", "chat, µs", "jinja2, µs", "ratio"), *cells])
    slow = sum(ratio > SHARE for ratio in ratios)
    drawn += f"\n\nOf {len(rows)} chats: median {median(ratios):.2f}, worst {max(ratios):.2f}; above {SHARE}: {slow}.\n"
    print(drawn)
    if options.write:
        keep("chat-speed.md", _HEAD + drawn)
    return int(median(ratios) > SHARE)


if __name__ == "__main__":
    sys.exit(main())
