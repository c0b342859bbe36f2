"""Time of a chat: how long it takes to render a conversation of 20 turns, beside the compiled template of its model.

Both write the same text in this process, one after the other: the template by jinja2 in the sandbox of transformers,
compiled beforehand. The conversation has a system text, two tools and five rounds of a question, a call, its result and
an answer; where a template refuses it, ten questions and answers.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator
from timeit import Timer

from jinja2.exceptions import TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment, SandboxedEnvironment

from toolect._authoring.generate.small_conversations import ChatCase
from toolect._chats.grammar_chat import Chat
from toolect._message import Call, Content, Message
from toolect._rendered import RenderError
from toolect.chat_template.child import environment
from toolect.conversation import Assistant, Conversation, Results, System, ToolResult, Turn, User
from tools.chats.original_templates import Template
from tools.chats.template_texts import variables

DAY = datetime.date(2026, 1, 2)
SECONDS = 0.2
"""For how long each is measured."""
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


def time_beside(chat: Chat, template: Template) -> float | None:
    """Time of a chat as a multiple of its template's, on the first conversation that both write alike; else None."""
    kind = SandboxedEnvironment if template.original.loose else ImmutableSandboxedEnvironment
    compiled = environment(kind, not template.original.loose, str(DAY)).from_string(template.text)
    for conversation in conversations():
        given = variables(ChatCase(0, conversation, True, None), template.original)

        def ours(said: Conversation = conversation) -> str:
            return str(chat.render(said, date=DAY))

        try:
            if ours() == str(compiled.render(**given)):
                return _shortest(ours) / _shortest(lambda given=given: compiled.render(**given))  # type: ignore[misc]
        except (RenderError, TemplateError, TypeError):
            continue
    return None


def _shortest(run: Callable[[], str]) -> float:
    """The shortest time of one run, in seconds."""
    timer = Timer(run)
    loops = max(1, int(SECONDS / 10 / timer.timeit(1)))
    return min(timer.repeat(10, loops)) / loops
