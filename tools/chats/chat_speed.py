"""How long chats take to render a conversation of 20 turns, beside the compiled templates of their models.

    python -m tools.chats.chat_speed [--template PATTERN] [--seconds N] [--write]

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
from typing import Any, NamedTuple

from jinja2.exceptions import TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment, SandboxedEnvironment

from toolect._authoring.generate.random_conversations import ChatCase
from toolect._chats import chat_registry
from toolect._chats.verbs import Chat
from toolect._message import Call, Content, Message
from toolect._rendered import RenderError
from toolect.chat_template.child import environment
from toolect.conversation import Assistant, Conversation, Results, System, ToolResult, Turn, User
from tools.bench.workloads import best
from tools.chats.original_templates import Template, templates
from tools.chats.template_texts import variables
from tools.reports import keep

SHARE = 0.5
"""The part of a template's time that a chat may take."""
WORDS = """# How long chats take, beside their templates

`make chats` ends with this table: a conversation of 20 turns rendered by the chat, which knows then whose words are
where, and has looked for markup in every text; and by the model's own template in jinja2, compiled, in the same
process. Both write the same text. Most conversations have five rounds of a question, a call, its result and an answer,
a system text and two tools; templates without tools are asked ten times.

Turns of plain text take a chat about 1 µs each; what comes on top is the JSON of tools and arguments. How that compares
depends on the template: those that put texts together and decide nothing take less than a chat, which looks into the
texts.

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


class Timed(NamedTuple):
    """What one chat and its template take, in µs."""

    chat: str
    template: str
    ours: float
    theirs: float

    @property
    def ratio(self) -> float:
        """The chat's time as a part of the template's."""
        return self.ours / self.theirs


def timed(chat: Chat, template: Template, seconds: float) -> Timed | None:
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
                return Timed(chat.name, template.name, best(ours, seconds), best(theirs, seconds))
        except (RenderError, TemplateError, TypeError):
            continue
    return None


def table(rows: Sequence[Timed]) -> Iterator[str]:
    """A row for each chat, as Markdown."""
    yield "| chat | template | chat, µs | jinja2, µs | ratio |"
    yield "| --- | --- | ---: | ---: | ---: |"
    for row in rows:
        yield f"| {row.chat} | {row.template} | {row.ours:.0f} | {row.theirs:.0f} | {row.ratio:.2f} |"
    yield ""
    ratios = [row.ratio for row in rows]
    slow = sum(ratio > SHARE for ratio in ratios)
    yield f"Of {len(rows)} chats: median {median(ratios):.2f}, worst {max(ratios):.2f}; above {SHARE}: {slow}."


def page(rows: Sequence[Timed]) -> str:
    """The report."""
    return WORDS + "\n".join(table(rows)) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the tool; the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--template", default="*", help="a pattern for names of templates")
    parser.add_argument("--seconds", type=float, default=0.2, help="for how long each is measured")
    parser.add_argument("--write", action="store_true", help="write .reports/chat-speed.md")
    options = parser.parse_args(arguments)
    chats = {path.removesuffix(".jinja"): name for name in chat_registry.chats() for path in spec_of(name)}
    rows = []
    for template in templates():
        if template.name in chats and fnmatchcase(template.name, options.template):
            row = timed(chat_registry.chat(chats[template.name]), template, options.seconds)
            rows += [row] if row else []
    print("\n".join(table(rows)))
    if options.write:
        keep("chat-speed.md", page(rows))
    return int(median(row.ratio for row in rows) > SHARE)


def spec_of(name: str) -> tuple[str, ...]:
    """The templates that a chat names."""
    return chat_registry.chat(name).spec.templates


if __name__ == "__main__":
    sys.exit(main())
