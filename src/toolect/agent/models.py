"""Models behind a server: with the server's own tool calls, with a dialect's text, or with raw text."""

from __future__ import annotations

import asyncio
import functools
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from toolect import registry
from toolect._chats.chat_registry import chat as chat_named
from toolect._chats.continuing import with_tools
from toolect._chats.turn_facts import Thinking
from toolect._compiled import Dialect
from toolect._events import ContentDelta, Event
from toolect._exchange.gathering import unread_text
from toolect._exchange.media import MediaApi, shown_by_user, without_media, written_parts
from toolect._exchange.openai_messages import messages_of
from toolect._message import Content, Json, Message, MessageError, kind_of
from toolect._names import UnknownNameError
from toolect._rendered import RenderError
from toolect._turns import Assistant, Results, System, ToolResult, Turn, User
from toolect.agent.chat import Chat
from toolect.agent.errors import ModelError, ToolsRefusedError
from toolect.agent.outcome import Ended
from toolect.conversation import Conversation
from toolect.openai.chunk_reader import ChunkReader

if TYPE_CHECKING:
    from toolect._chats.grammar_chat import Chat as Form


# Prompts of plain messages, for a model that reads and writes a dialect as text


Definitions: TypeAlias = list[dict[str, Json]]
Piece: TypeAlias = str | Event | Ended
"""Wire text, which is read in the model's dialect, events, and how the answer ended."""
MAX_TOKENS = 4096
"""Tokens that an answer in raw text may have, unless options say otherwise: servers take very few for granted."""
MAX_STOPS = 4
"""Stop texts of a request. Beyond it: the rest is left to the model's own end token."""
CHAT = "/chat/completions"
NATIVE = "native"
"""Name in place of a dialect: only the server reads calls."""
TAIL = 200
"""Characters of the end of a prompt that may belong to the answer."""
_NOTHING: Mapping[str, Json] = MappingProxyType({})


class ServedModel(ABC):
    """A model of a server: its connections, its dialect, and calls that may be forced."""

    _path = CHAT
    stops: tuple[str, ...] = ()
    """Texts that end an answer, besides those of the options."""

    def __init__(self, chat: Chat, dialect: str | Dialect | None = None, prefix: str = "") -> None:
        self.chat, self.prefix = chat, prefix
        self.name = chat.model
        self.dialect = registry.dialect(dialect) if isinstance(dialect, str) else dialect

    async def __aenter__(self) -> ServedModel:
        await self.chat.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.chat.__aexit__(*error)

    def __call__(self, turns: list[Turn], tools: Definitions) -> AsyncIterator[Piece]:
        """The pieces of the answer as they arrive. Raises `ModelError`."""
        return self.ask(turns, tools)

    def choosing(self, choice: str) -> Callable[[list[Turn], Definitions], AsyncIterator[Piece]]:
        """The model, made to choose: `none`, `required`, or the name of a tool."""
        return functools.partial(self.ask, choice=choice)

    async def ask(
        self, turns: list[Turn], tools: Definitions, choice: str = "auto", options: Mapping[str, Json] = _NOTHING
    ) -> AsyncIterator[Piece]:
        """The pieces of the answer as they arrive; `options` go into this request.

        Raises `ModelError`, also for what the dialect or chat cannot represent.
        """
        await self.prepare()
        try:
            body = {**self._request(turns, tools, choice), **options}
        except RenderError as error:
            raise ModelError(f"the conversation cannot be written for `{self.name}`: {error}") from error
        asked = {**self.chat.options, **body}
        if asked.get("n") not in (None, 1):
            raise ModelError(f"expected one choice of an answer, got n={asked['n']!r}: ask once for each")
        if self.stops:
            body["stop"] = joined_stops(asked.get("stop"), self.stops)
        reader, ended, is_empty, half = ChunkReader(tools), Ended(), True, ""
        try:
            async for part in self.chat.stream(body, self._path):
                ended = ended.after(part)
                text = part.get("text")
                if text and not isinstance(text, str):
                    raise MessageError("a text", kind_of(text), "text")
                events = reader.feed_choice(part) if self._path == CHAT else [ContentDelta(text)] if text else []
                for event in events:
                    is_empty = False
                    if isinstance(event, ContentDelta):
                        text, half = _torn(half + event.text)
                        event = ContentDelta(text)
                        if not text:
                            continue
                    yield event.text if self._is_text and isinstance(event, ContentDelta) else event
            for event in ([ContentDelta(half)] if half else []) + reader.close():
                is_empty = False
                yield event
        except MessageError as error:
            raise ModelError(f"the server's message makes no sense: {error}") from None
        if ended.finish == "error":
            raise ModelError(f"expected a whole answer from {self.chat.base}, got one that ends with an error")
        if is_empty and ended.finish not in ("length", "content_filter"):
            raise ModelError(f"expected an answer from {self.chat.base}, got an empty one")
        yield ended

    @abstractmethod
    def _request(self, turns: list[Turn], tools: Definitions, choice: str) -> dict[str, Json]:
        """The body of a request. Raises `RenderError`."""

    @property
    def _is_text(self) -> bool:
        """True where content is text that is to be read."""
        return True

    async def prepare(self) -> None:
        """Ask the server for the name of its only model, where none was given. Raises `ModelError`."""
        if not self.chat.model:
            listing = await self.chat.get("/models")
            listed: Any = listing.get("data") if isinstance(listing, dict) else None
            names = [one["id"] for one in listed or () if isinstance(one, dict) and isinstance(one.get("id"), str)]
            if len(names) != 1:
                shown = ", ".join(f"`{name}`" for name in names[:10]) or "none"
                shown += ": is it running?" * (listing is None)
                where = f"the server at {self.chat.base} lists {shown}"
                raise ModelError(f"expected the name of a model, got none: {where}")
            self.chat.model = names[0]
        self.name = self.chat.model


class NativeModel(ServedModel):
    """A model whose server reads its calls: the tools are sent along, and `tool_calls` come back.

    With a `dialect`, calls that the server leaves in the content are read there.
    """

    def _request(self, turns: list[Turn], tools: Definitions, choice: str) -> dict[str, Json]:
        body: dict[str, Json] = {"messages": joined(messages_of(shown_by_user(turns)))}
        if tools:
            body["tools"] = tools
            if choice != "auto":
                named: Json = {"type": "function", "function": {"name": choice}}
                body["tool_choice"] = choice if choice in ("none", "required") else named
        return body

    @property
    def _is_text(self) -> bool:
        return self.dialect is not None


class TextModel(ServedModel):
    """A model that writes its calls as text, in `dialect`: definitions and results are written into the prompt.

    The server must apply no tool parser of its own. `prefix` is what its chat template ends the prompt with, for
    models that begin inside of their reasoning.
    """

    def __init__(self, chat: Chat, dialect: str | Dialect, prefix: str = "") -> None:
        super().__init__(chat, dialect, prefix)

    def _request(self, turns: list[Turn], tools: Definitions, choice: str) -> dict[str, Json]:
        assert self.dialect is not None
        # A server may take the reasoning out, or read calls all the same.
        written = messages(self.dialect, turns, [] if choice == "none" else tools)
        return {"skip_special_tokens": False, "messages": joined(written)}


class RawModel(ServedModel):
    """A model behind `/v1/completions`: each prompt is the whole conversation, tools and results included.

    `form` is the chat that the model was trained on, its name or a model id; without one that of the server's model.
    `thinking` is that of `Chat.render`. Texts that would break out of their place are made harmless. Raises
    `UnknownNameError`.
    """

    _path = "/completions"

    def __init__(self, chat: Chat, form: str | Form | None = None, *, thinking: Thinking = None) -> None:
        if form is None and not chat.model:
            raise ValueError("expected the name of a model or of a chat, got neither: raw text needs one")
        self.form = chat_named(form or chat.model) if form is None or isinstance(form, str) else form
        self.thinking, self.stops = thinking, self.form.stops
        super().__init__(chat, self.form.dialect)

    def _prompt(self, turns: list[Turn], tools: Definitions) -> str:
        conversation = Conversation([*map(without_media, turns)], tools)
        return str(self.form.prompt(conversation, thinking=self.thinking, unsafe="neutralise"))

    def _request(self, turns: list[Turn], tools: Definitions, choice: str) -> dict[str, Json]:
        prompt = self._prompt(turns, [] if choice == "none" else tools)
        self.prefix = prompt[-TAIL:]
        body: dict[str, Json] = {"prompt": prompt, "skip_special_tokens": False}
        if not {"max_tokens", "max_completion_tokens"} & self.chat.options.keys():
            body["max_tokens"] = MAX_TOKENS
        return body


class AutoModel(NativeModel):
    """A model that is asked with its server's own tools, and read in its dialect wherever the server leaves calls.

    A server that has no tools is asked in the text of the dialect from then on. The dialect is that of the model's
    id, else that of the chat template, where the server shows it. A chat whose model is empty has the server's only
    one.
    """

    def __init__(self, chat: Chat, prefix: str = "") -> None:
        super().__init__(chat, known_dialect(chat.model), prefix)
        self._is_prepared = self._in_text = False

    async def ask(
        self, turns: list[Turn], tools: Definitions, choice: str = "auto", options: Mapping[str, Json] = _NOTHING
    ) -> AsyncIterator[Piece]:
        """The pieces of the answer as they arrive. Raises `ModelError`."""
        await self._look(bool(tools))
        if not self._in_text:
            try:
                async for piece in super().ask(turns, tools, choice, options):
                    yield piece
                return
            except ToolsRefusedError as error:
                if self.dialect is None:
                    hint = f"no dialect is known for the model `{self.name}`: name one, to have tools as text"
                    raise ToolsRefusedError(f"{error}; {hint}", error.status) from None
                self._in_text = True
        assert self.dialect is not None
        async for piece in TextModel(self.chat, self.dialect).ask(turns, tools, choice, options):
            yield piece

    @property
    def policies(self) -> dict[str, str]:
        """The policies for content. In a form that no model is prompted with, only what names a tool is a call.

        Hosted models may be asked for JSON that looks like one.
        """
        is_own = self._in_text or self.dialect is None or self.dialect.telling.own
        return {} if is_own else {"unknown_tool": "content"}

    async def _look(self, has_tools: bool) -> None:
        """Ask the server, once, for what was not given: the name of its model, and its chat template."""
        if self._is_prepared:
            return
        await self.prepare()
        self.dialect = known_dialect(self.name)
        if self.dialect is None and has_tools:
            shown = await self.chat.get("/props", root=True)
            template = shown.get("chat_template") if isinstance(shown, dict) else None
            if isinstance(template, str) and template:
                from toolect.chat_template.verdict import best_dialect  # few need it

                self.dialect = await asyncio.to_thread(best_dialect, template)
        self._is_prepared = True


def model_of(chat: Chat, dialect: str | Dialect | None, prefix: str) -> ServedModel:
    """The model of a server, as it is to be asked."""
    if chat.raw:
        if isinstance(dialect, Dialect):
            raise ValueError(f"expected the name of a chat for raw text, got {dialect}")
        return RawModel(chat, dialect)
    if dialect is None:
        return AutoModel(chat, prefix)
    return NativeModel(chat) if dialect == NATIVE else TextModel(chat, dialect, prefix)


def joined_stops(given: Json, ends: tuple[str, ...]) -> list[str]:
    """The stop texts of a request: all that are `given`, and those of the family's `ends` that still have room."""
    asked = [given] if isinstance(given, str) else [*(given or ())]
    return [*dict.fromkeys([*asked, *ends])][: max(MAX_STOPS, len(asked))]


def _torn(text: str) -> tuple[str, str]:
    """The text with its surrogate pairs whole, and the half of one at its end: some servers tear them."""
    half = text[-1:] if "\ud800" <= text[-1:] <= "\udbff" else ""
    text = text.removesuffix(half)
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass"), half


def known_dialect(model: str) -> Dialect | None:
    """The dialect that a model of this id writes, if it is known."""
    try:
        return registry.dialect(model)
    except UnknownNameError:
        return None


def messages(dialect: Dialect, turns: Iterable[Turn], tools: Definitions) -> list[dict[str, Json]]:
    """The turns as messages with a role and a text; the tools stand in the first one, a system message."""
    out: list[dict[str, Json]] = []
    for turn in with_tools(shown_by_user(turns), dialect.render_tools(tools)):
        match turn:
            case System(text):
                out.append({"role": "system", "content": text})
            case User(text, media):
                out.append({"role": "user", "content": written_parts(text, media, MediaApi.CHAT)})
            case Assistant(message, text):
                out.append({"role": "assistant", "content": _wire(dialect, message, tools) if text is None else text})
            case Results(results):
                out += _results(dialect, results, tools)
    return out


def _wire(dialect: Dialect, message: Message, tools: Definitions) -> str:
    """A message that came without its wire text; what the dialect cannot carry is left to its content."""
    content = "\n".join(
        filter(None, [message.content, *(unread_text(one) for one in message.calls if not one.runnable)])
    )
    rest = [Content(content)] if content else []
    for form in (message, Message([*rest, *message.runnable]), Message(rest)):
        try:
            return str(dialect.render(form, tools=tools))
        except RenderError:
            pass
    return content  # the model's own words


def _results(dialect: Dialect, results: Iterable[ToolResult], tools: Definitions) -> Iterator[dict[str, Json]]:
    """The messages of one answer's results; of what was no call, or where results have no role, they are the user's."""
    results = list(results)
    read = [_harmless(dialect, one, tools) for one in results if one.call_id]
    if not dialect.telling.by_user:  # the model's own chat template writes the text around them
        yield from (one.to_openai() for one in read)
    elif read:
        yield {"role": "user", "content": _together(dialect, read, tools)}
    for result in results:
        if not result.call_id:
            yield {"role": "user", "content": result.output}


def _harmless(dialect: Dialect, one: ToolResult, tools: Definitions) -> ToolResult:
    """A result as it is, or with an output, and if need be without a name, that nothing reads as markup."""
    telling = dialect.telling
    plain = _defused(dialect, one, tools)
    for found in (one, plain):
        try:
            telling.results([found], tools)
        except RenderError:
            continue
        if telling.by_user or not telling.has_calls(found.output, tools):
            return found  # a template writes the output itself
    return msgspec.structs.replace(plain, name="", call_id="")


def _together(dialect: Dialect, read: list[ToolResult], tools: Definitions) -> str:
    """Results that are harmless one by one, together; where a call is read across them, each is escaped."""
    try:
        return dialect.telling.results(read, tools)
    except RenderError:
        return dialect.telling.results([_defused(dialect, one, tools) for one in read], tools)


def _defused(dialect: Dialect, one: ToolResult, tools: Definitions) -> ToolResult:
    return msgspec.structs.replace(one, output=dialect.telling.defused(one.output, tools))


def joined(messages: Iterable[dict[str, Json]]) -> list[dict[str, Json]]:
    """The messages, with what the user says twice in a row in one of them: chat templates refuse two."""
    out: list[dict[str, Json]] = []
    for message in messages:
        last = out[-1] if out else {}
        if message["role"] == "user" == last.get("role"):
            out[-1] = {**last, "content": _both(last["content"], message["content"])}
        else:
            out.append(message)
    return out


def _both(first: Json, second: Json) -> Json:
    """Two contents as one: texts with an empty line between them, else the parts of both."""
    if isinstance(first, str) and isinstance(second, str):
        return f"{first}\n\n{second}"
    return [
        part for one in (first, second) for part in ([{"type": "text", "text": one}] if isinstance(one, str) else one)
    ]
