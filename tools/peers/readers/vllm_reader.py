"""vLLM's tool parsers, as its server calls them; chunks come as text and as the ids of made-up tokens."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from tools.peers.readers.without_torch import stand_in

stand_in(
    "vllm",
    *("torch", "xgrammar", "vllm.config", "vllm.model_executor", "vllm.distributed", "vllm.platforms", "vllm.lora"),
    *("vllm.v1.utils", "vllm.v1.engine", "vllm.multimodal", "vllm.inputs"),
)
import_module("transformers")
_parsers = import_module("vllm.tool_parsers").ToolParserManager
_protocol = import_module("vllm.entrypoints.openai.chat_completion.protocol")


class _Tokens:
    """A tokenizer in which every chunk is one token."""

    all_special_ids: Sequence[int] = ()
    all_special_tokens: Sequence[str] = ()
    eos_token = "</s>"
    eos_token_id = 0

    def __init__(self, markers: Sequence[str]) -> None:
        self.ids = {self.eos_token: 0}
        self.texts = [self.eos_token]
        for marker in markers:
            self.id(marker)

    def id(self, text: str) -> int:
        if text not in self.ids:
            self.ids[text] = len(self.texts)
            self.texts.append(text)
        return self.ids[text]

    def get_vocab(self) -> dict[str, int]:
        return self.ids

    def convert_tokens_to_ids(self, token: str) -> int:
        return self.id(token)

    def encode(self, text: str, **_: Any) -> list[int]:
        return [self.id(text)] if text else []

    def tokenize(self, text: str) -> list[str]:
        return [text]

    def decode(self, ids: Sequence[int] | int, **_: Any) -> str:
        return "".join(self.texts[i] for i in ([ids] if isinstance(ids, int) else ids))


class Reader:
    """One format's parser with the tools of one request."""

    def __init__(self, name: str, tools: list[Any], markers: Sequence[str]) -> None:
        self._class = _parsers.get_tool_parser(name)
        self._tokens = _Tokens(markers)
        self._request = _protocol.ChatCompletionRequest(model="m", messages=[], tools=tools)
        self._make()

    def _make(self) -> Any:
        parser = self._class(self._tokens, self._request.tools)
        if hasattr(parser, "skip_reasoning_parsing"):
            parser.skip_reasoning_parsing = True
        return parser

    def whole(self) -> Callable[[str], Any]:
        """The parser's reading of a complete text."""
        read, request = self._make().extract_tool_calls, self._request
        return lambda text: read(text, request)

    def streamed(self) -> Callable[[Sequence[str]], Any]:
        """The parser's reading of each chunk and, where it has one, of the end."""
        parser, request, number = self._make(), self._request, self._tokens.id
        feed, finish = parser.extract_tool_calls_streaming, getattr(parser, "finish_streaming", None)

        def run(chunks: Sequence[str]) -> list[Any]:
            before = ""
            ids: list[int] = []
            deltas: list[Any] = []
            for chunk in chunks:
                new = [number(chunk)]
                after, both = before + chunk, ids + new
                deltas.append(feed(before, after, chunk, ids, both, new, request))
                before, ids = after, both
            if finish:
                deltas.append(finish())
            deltas.append(parser)
            return deltas

        return run

    def result(self, got: Any) -> tuple[list[tuple[str, Any]], str]:
        """Calls and content of a whole answer, or of a list of deltas as the server joins them."""
        if not isinstance(got, list):
            return [(c.function.name, json.loads(c.function.arguments)) for c in got.tool_calls], got.content or ""
        names: dict[int, str] = {}
        texts: dict[int, str] = {}
        content = ""
        for delta in filter(None, got[:-1]):
            content += delta.content or ""
            for call in delta.tool_calls or ():
                names.setdefault(call.index, (call.function and call.function.name) or "")
                texts[call.index] = texts.get(call.index, "") + ((call.function and call.function.arguments) or "")
        if texts:
            texts[max(texts)] += got[-1].get_remaining_unstreamed_args()
        return [(names[at], json.loads(texts[at])) for at in sorted(texts)], content
