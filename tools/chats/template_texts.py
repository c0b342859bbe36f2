"""Texts that a template itself writes: messages as transformers gives them to it, rendered in the sandbox."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterable, Sequence

from toolect._authoring.generate.small_conversations import ChatCase
from toolect._message import Json
from toolect.chat_template import TemplateError
from toolect.chat_template.sandbox import run
from toolect.conversation import Assistant, Conversation, Results, System, User
from tools.chats.original_templates import Original, Template

SECONDS = 120.0
"""Seconds that all renderings of one template may take."""


def rendered(template: Template, cases: Iterable[ChatCase]) -> Sequence[str | TemplateError]:
    """The text of each case, or why the template refuses it. Raises TemplateError for one that renders nothing."""
    return run(
        template.text,
        [variables(case, template.original) for case in cases],
        SECONDS,
        strict=not template.original.loose,
    )


def variables(case: ChatCase, original: Original) -> dict[str, Json]:
    """Variables of the template. An option that is not given is not defined."""
    given: dict[str, Json] = {
        "messages": messages(case.conversation, original),
        "tools": list(case.conversation.tools) or None,
        "documents": None,
        "add_generation_prompt": case.generate,
        "bos_token": original.bos_token,
        "eos_token": original.eos_token,
    }
    if original.functions:
        functions = [tool["function"] for tool in case.conversation.tools]
        given |= {"functions": json.dumps(functions, indent=4), "datetime": str(datetime.date.today())}
    thinking = original.thinking if case.thinking is None else case.thinking
    if thinking is not None:  # the names that templates have for it
        given |= {"enable_thinking": thinking, "thinking": thinking}
    return given


def messages(conversation: Conversation, original: Original) -> list[dict[str, Json]]:
    """The turns as messages, with reasoning under every name that a template may read."""
    out: list[dict[str, Json]] = []
    for turn in conversation.turns:
        match turn:
            case System(text):
                out.append({"role": "system", "content": text})
            case User(text):
                out.append({"role": "user", "content": text})
            case Assistant(message):
                said: dict[str, Json] = {"role": "assistant", "content": message.content or original.empty}
                if message.reasoning:
                    said |= dict.fromkeys(("reasoning_content", "reasoning", "thinking"), message.reasoning)
                if message.calls:
                    said["tool_calls"] = [
                        {
                            "id": call.id,
                            "type": "function",
                            "function": {
                                "name": call.name,
                                "arguments": call.arguments_text if original.arguments == "text" else call.arguments,
                            },
                        }
                        for call in message.calls
                    ]
                out.append(said)
            case Results(results) if original.responses and out and out[-1]["role"] == "assistant":
                out[-1]["tool_responses"] = [{"name": one.name, "response": one.output} for one in results]
            case Results(results):
                out += [result.to_openai() for result in results]
    if original.parts:
        out = [{**one, "content": [{"type": "text", "text": one["content"]}]} for one in out]
    return out
