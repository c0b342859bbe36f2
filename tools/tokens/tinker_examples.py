"""Answers for tinker-cookbook, in an environment of its own: what its renderers teach, and what ours do in its place.

Reads one JSON object: a tokenizer, the names of two renderers, and conversations of the chat-completions API. Writes a
list: for each conversation what both make of it, `{"ids": …, "weights": …}` or an error.
"""

from __future__ import annotations

import json
import sys
import warnings
from typing import Any


def main() -> None:
    """Answer what standard input asks."""
    warnings.simplefilter("ignore")
    from tinker_cookbook.renderers import get_renderer  # type: ignore[import-not-found,unused-ignore]
    from transformers import PreTrainedTokenizerFast  # type: ignore[import-not-found,unused-ignore]

    import toolect.tinker  # registers ours

    assert toolect.tinker
    asked = json.load(sys.stdin)
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=asked["file"], **asked["special"])
    theirs, ours = (get_renderer(name, tokenizer) for name in (asked["theirs"], asked["ours"]))
    found = [{"theirs": example(theirs, one), "ours": example(ours, one)} for one in asked["conversations"]]
    json.dump(found, sys.stdout)


def example(renderer: Any, conversation: dict[str, Any]) -> dict[str, Any]:
    """Ids and weights that a renderer makes to teach the last answer, or its error."""
    from tinker_cookbook.renderers import TrainOnWhat

    try:
        given = messages(renderer, conversation)
        ids, weights = renderer.build_supervised_example(given, TrainOnWhat.LAST_ASSISTANT_MESSAGE)
    except Exception as error:  # whatever a renderer makes of what it cannot carry
        return {"error": f"{type(error).__name__}: {error}"}
    return {"ids": ids.to_ints(), "weights": weights.tolist()}


def messages(renderer: Any, conversation: dict[str, Any]) -> list[dict[str, Any]]:
    """The messages as tinker-cookbook has them: tools come in what the renderer itself makes of them."""
    given = [message(one) for one in conversation["messages"]]
    tools = [tool["function"] for tool in conversation.get("tools") or ()]
    if not tools:
        return given
    system = given.pop(0)["content"] if given and given[0]["role"] == "system" else ""
    return [*renderer.create_conversation_prefix_with_tools(tools, system), *given]


def message(given: dict[str, Any]) -> dict[str, Any]:
    """A message of the chat-completions API as one of tinker-cookbook."""
    from tinker_cookbook.renderers import ToolCall

    said: dict[str, Any] = {key: given[key] for key in ("role", "name", "tool_call_id") if key in given}
    said["content"] = content = given.get("content") or ""
    if given.get("reasoning_content"):
        parts = [{"type": "thinking", "thinking": given["reasoning_content"]}]
        said["content"] = [*parts, *([{"type": "text", "text": content}] if content else [])]
    if given.get("tool_calls"):
        said["tool_calls"] = [
            ToolCall(function=ToolCall.FunctionBody(**call["function"]), id=call["id"]) for call in given["tool_calls"]
        ]
    return said


if __name__ == "__main__":
    main()
