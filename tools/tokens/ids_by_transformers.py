"""Answers for transformers, in an environment of its own: conversations as the ids that `apply_chat_template` makes.

Reads one JSON object: the folder of a tokenizer, its template, and the requests. Writes a list: ids, or an error.
"""

from __future__ import annotations

import json
import sys
from typing import Any


def main() -> None:
    """Answer what standard input asks."""
    from transformers import PreTrainedTokenizerFast  # type: ignore[import-not-found,unused-ignore]

    asked = json.load(sys.stdin)
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=asked["file"], **asked["special"])
    tokenizer.chat_template = asked["template"]
    found: list[Any] = []
    for request in asked["requests"]:
        try:
            ids = tokenizer.apply_chat_template(
                request["messages"],
                tools=request["tools"],
                add_generation_prompt=request["generate"],
                sanitize_control_tokens=request["sanitize"],
                tokenize=True,
                return_dict=False,
                **request["options"],
            )
            found.append({"ids": ids})
        except Exception as error:  # a template refuses by raising
            found.append({"error": f"{type(error).__name__}: {error}"})
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
