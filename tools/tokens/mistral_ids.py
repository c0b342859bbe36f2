"""Answers for mistral-common, in an environment of its own: conversations as its ids, and as ours with its tokenizer.

Reads one JSON object: the name of a chat, and the requests. Writes a list: for each `theirs`, `ours` and, without cuts,
`joined`: ids and their text, or an error.
"""

from __future__ import annotations

import json
import sys
from typing import Any


def main() -> None:
    """Answer what standard input asks."""
    from mistral_common.protocol.instruct.validator import ValidationMode  # type: ignore[import-not-found,unused-ignore]
    from mistral_common.tokens.tokenizers.mistral import (  # type: ignore[import-not-found,unused-ignore]
        MistralTokenizer,
    )

    import toolect
    from toolect.tokens import adapted, encode

    asked = json.load(sys.stdin)
    file = MistralTokenizer.v3(is_tekken=True).instruct_tokenizer.tokenizer.file_path
    tokenizer = MistralTokenizer.from_file(file, ValidationMode.agnostic)  # conversations may end with an answer
    chat = toolect.chat(asked["chat"])
    found = []
    for request in asked["requests"]:
        answer = {}
        for name, cut in (("ours", "answer"), ("joined", "none")):
            try:
                conversation = toolect.Conversation.from_openai(request["messages"], request["tools"])
                text = chat.render(conversation, request["generate"], unsafe="keep")
                answer[name] = {"ids": encode(text, tokenizer, cut=cut).ids, "text": str(text)}  # type: ignore[arg-type,unused-ignore]
            except ValueError as error:
                answer[name] = {"error": f"{type(error).__name__}: {error}"}
        try:
            ids = theirs(tokenizer, request)
            answer["theirs"] = {
                "ids": ids,
                "text": b"".join(map(adapted(tokenizer).piece, ids)).decode("utf-8", "replace"),
            }
        except Exception as error:  # whatever it makes of what it cannot carry
            answer["theirs"] = {"error": f"{type(error).__name__}: {error}"}
        found.append(answer)
    json.dump(found, sys.stdout)


def theirs(tokenizer: Any, request: dict[str, Any]) -> list[int]:
    """The ids of mistral-common."""
    from mistral_common.protocol.instruct.request import (  # type: ignore[import-not-found,unused-ignore]
        ChatCompletionRequest,
    )

    made = ChatCompletionRequest.from_openai(request["messages"], request["tools"], model="test")
    ids: list[int] = tokenizer.encode_chat_completion(made).tokens
    return ids


if __name__ == "__main__":
    main()
