"""OpenAI client whose answers are read in a model's dialect, for all that takes an `openai.AsyncOpenAI`.

Needs the official client; the models for frameworks are made of it.
"""

from __future__ import annotations

import importlib
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing
from types import SimpleNamespace
from typing import Any

from toolect import _extras as extras
from toolect._compiled import Dialect
from toolect._events import Event
from toolect._exchange.openai_messages import read_messages
from toolect._exchange.sent_calls import Finish
from toolect._message import Json
from toolect._turns import Assistant, Results, ToolResult
from toolect.agent.answering import PieceReader, TextReading
from toolect.agent.chat import Chat
from toolect.agent.errors import ModelError, UnreadableCallsError
from toolect.agent.models import Definitions, ServedModel, model_of
from toolect.agent.tool_registry import refusal_of
from toolect.openai import Chunks, completion

try:
    from openai import APIError, APIStatusError, AsyncOpenAI, NotGiven, Omit
    from openai.types.chat import ChatCompletion, ChatCompletionChunk
except ImportError:
    raise extras.MissingExtraError("openai", "openai-client") from None

_NOT_SENT = frozenset(("extra_headers", "extra_query", "stream_options", "timeout"))
"""Arguments of a request that are the connection's: `Chat` has its own."""


class DialectClient(AsyncOpenAI):
    """A client of one model: `chat.completions.create` asks it, and reads its calls wherever the server leaves them.

    `source`, `dialect`, `model`, `prefix` and `options` are those of `Agent`. An answer whose calls cannot be read is
    sent back to the model, `max_repairs` times in a row; then it raises `UnreadableCallsError`. The server's errors are
    those of the official client.
    """

    def __init__(
        self, source: str | Chat | ServedModel, dialect: str | Dialect | None = None, *, model: str = "",
        prefix: str = "", max_repairs: int = 3, **options: Any,
    ) -> None:  # fmt: skip
        if isinstance(source, str):
            source = Chat(source, model, **options)
        self.model = source if isinstance(source, ServedModel) else model_of(source, dialect, prefix)
        self._max_repairs = max_repairs
        super().__init__(base_url=self.model.chat.base, api_key="none", max_retries=0)  # nothing is sent by it

    @property
    def chat(self) -> Any:
        """The part of a client that has `completions`."""
        return SimpleNamespace(completions=SimpleNamespace(create=self._create))

    async def __aenter__(self) -> DialectClient:
        """Keeps the connections from request to request."""
        await self.model.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> None:
        await self.model.__aexit__(*error)
        await super().__aexit__(*error)

    def with_options(self, **_: Any) -> DialectClient:
        """The client as it is: the options of a connection are those of its `Chat`."""
        return self

    async def _create(
        self, *, messages: Any, tools: Any = None, tool_choice: Any = None, stream: Any = False, **options: Any
    ) -> Any:
        """A completion, or its chunks; see the official client."""
        given = {name: value for name, value in options.items() if _is_given(value) and name not in _NOT_SENT}
        given |= given.pop("extra_body", {})
        given.pop("model", None)
        choice = tool_choice.get("function", {}).get("name") if isinstance(tool_choice, Mapping) else tool_choice
        answer = _StreamedAnswer(
            self.model, [*read_messages([*messages], "messages")], [*tools] if _is_given(tools) else [],
            choice if _is_given(choice) and choice else "auto", given, self._max_repairs,
        )  # fmt: skip
        if _is_given(stream) and stream:
            return _ChunkStream(self._errors_mapped(answer.chunks()))
        async for _ in self._errors_mapped(answer.chunks()):
            pass
        return answer.completion()

    async def _errors_mapped(self, chunks: AsyncIterator[ChatCompletionChunk]) -> AsyncIterator[ChatCompletionChunk]:
        try:
            async for chunk in chunks:
                yield chunk
        except ModelError as error:
            request: Any = self._client.build_request("POST", f"{self.model.chat.base}/chat/completions")
            if error.status is None:
                raise APIError(str(error), request, body=None) from error
            http: Any = importlib.import_module(type(request).__module__.partition(".")[0])
            response = http.Response(error.status, request=request)
            raise APIStatusError(str(error), response=response, body={"message": str(error)}) from error


class _StreamedAnswer:
    """One answer of a model, until its calls can be read."""

    def __init__(
        self, model: ServedModel, turns: list[Any], tools: Definitions, choice: str, options: Mapping[str, Json],
        max_repairs: int,
    ) -> None:  # fmt: skip
        self._model, self._turns, self._tools, self._choice = model, turns, tools, choice
        self._options, self._max_repairs = options, max_repairs
        self._sent: list[Event] = []

    async def chunks(self) -> AsyncIterator[ChatCompletionChunk]:
        """The chunks of the answer. Raises `ModelError`, `UnreadableCallsError` and what else a model raises."""
        async with self._model, aclosing(self._chunks()) as chunks:  # without an open client, each request has its own
            async for chunk in chunks:
                yield ChatCompletionChunk.model_validate(chunk)

    async def _chunks(self) -> AsyncGenerator[dict[str, Json], None]:
        made = Chunks(model=self._model.name, hold=True, include_usage=True)
        for attempt in range(self._max_repairs + 1):
            self._reader = PieceReader(self._tools, lambda: TextReading.of(self._model))
            async for piece in self._model.ask(self._turns, self._tools, self._choice, self._options):
                for event in self._reader.feed(piece):
                    for chunk in made.feed(event):
                        yield chunk
            for event in self._reader.close():
                for chunk in made.feed(event):
                    yield chunk
            message = self._reader.message
            if message.runnable or not message.calls:
                break
            if attempt == self._max_repairs:
                raise UnreadableCallsError(f"expected a call that can be read, got {attempt + 1} answers without one")
            results = [ToolResult("", call.name, refusal_of(call), True) for call in message.calls]
            self._turns = [*self._turns, Assistant(message, self._reader.text), Results(tuple(results))]
        for chunk in made.close(self._finish):
            yield chunk

    @property
    def _finish(self) -> Finish:
        usage = self._reader.ended.usage
        sent, got = usage.input_tokens, usage.output_tokens
        return Finish(
            self._reader.ended.finish,
            {"prompt_tokens": sent, "completion_tokens": got, "total_tokens": sent + got},
        )

    def completion(self) -> ChatCompletion:
        """The whole answer, once its chunks have been read."""
        body = completion(self._reader.message, finish=self._finish, model=self._model.name)
        return ChatCompletion.model_validate(body)


class _ChunkStream:
    """Chunks as the official client streams them."""

    def __init__(self, chunks: AsyncIterator[ChatCompletionChunk]) -> None:
        self._chunks: Any = chunks

    def __aiter__(self) -> AsyncIterator[ChatCompletionChunk]:
        return self

    async def __anext__(self) -> ChatCompletionChunk:
        chunk: ChatCompletionChunk = await anext(self._chunks)
        return chunk

    async def __aenter__(self) -> _ChunkStream:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Leave the stream."""
        await self._chunks.aclose()


def _is_given(value: Any) -> bool:
    return value is not None and not isinstance(value, NotGiven | Omit)
