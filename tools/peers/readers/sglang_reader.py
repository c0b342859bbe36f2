"""SGLang's tool call detectors, as its server calls them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from tools.peers.readers.without_torch import stand_in

stand_in("sglang", "torch", "xgrammar", "IPython", "triton", "sgl_kernel", "outlines", "llguidance", "torchvision")
import_module("transformers")
_parser = import_module("sglang.srt.function_call.function_call_parser").FunctionCallParser
_protocol = import_module("sglang.srt.entrypoints.openai.protocol")


class Reader:
    """One format's detector with the tools of one request."""

    def __init__(self, name: str, tools: list[Any], markers: Sequence[str]) -> None:
        self._name = name
        self._tools = [_protocol.Tool(**tool) for tool in tools]
        self._make()

    def _make(self) -> Any:
        return _parser(self._tools, self._name)

    def whole(self) -> Callable[[str], Any]:
        """The detector's reading of a complete text."""
        read: Callable[[str], Any] = self._make().parse_non_stream
        return read

    def streamed(self) -> Callable[[Sequence[str]], Any]:
        """The detector's reading of each chunk, and of the end."""
        parser, tools = self._make(), self._tools
        feed, finish = parser.parse_stream_chunk, getattr(parser.detector, "finish", None)

        def run(chunks: Sequence[str]) -> list[Any]:
            deltas = [feed(chunk) for chunk in chunks]
            if finish:
                last = finish(tools)
                deltas.append((last.normal_text, last.calls))
            deltas.append(parser.detector)
            return deltas

        return run

    def result(self, got: Any) -> tuple[list[tuple[str, Any]], str]:
        """Calls and content of a whole answer, or of a list of deltas as the server joins them."""
        if not isinstance(got, list):
            content, calls = got
            return [(call.name, json.loads(call.parameters)) for call in calls], content
        names: dict[int, str] = {}
        texts: dict[int, str] = {}
        content = ""
        for text, calls in got[:-1]:
            content += text
            for call in calls:
                if call.name:
                    names[call.tool_index] = call.name
                texts[call.tool_index] = texts.get(call.tool_index, "") + (call.parameters or "")
        detector = got[-1]
        if texts and detector.prev_tool_call_arr and detector.streamed_args_for_tool:  # what the server adds at the end
            whole = detector.prev_tool_call_arr[-1].get("arguments", {})
            whole = whole if isinstance(whole, str) else json.dumps(whole, ensure_ascii=False)
            sent = detector.streamed_args_for_tool[-1]
            texts[max(texts)] += whole[len(sent) :] if whole.startswith(sent) else ""
        return [(names[at], json.loads(texts[at])) for at in sorted(texts)], content
