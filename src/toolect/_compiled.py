"""A compiled dialect: parse, stream and render, shared by everyone who uses it."""

from __future__ import annotations

from collections.abc import AsyncIterable, Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, Unpack, overload

import msgspec

from toolect._canonical.fast_path import read_answer
from toolect._events import AsyncEventStream, EventStream, events_of
from toolect._graph.graph import Graph
from toolect._graph.network import Network
from toolect._message import Call, Message, Said, kind_of, not_text
from toolect._search.answer_search import AnswerSearch, with_checked
from toolect._search.answer_search import Stream as Stream
from toolect._spec.model import Spec
from toolect._spec.policies import POLICIES, WRITING, Policies, ReadingPolicies
from toolect._spec.tool_names import admitting
from toolect._turns import ToolResult
from toolect._values.toolset import NO_TOOLS, ToolSchemas, tool_schemas

if TYPE_CHECKING:
    from toolect._explanation import Explanation
    from toolect._rendered import Rendered
    from toolect._tokens.token_stream import TokenStream

Mode: TypeAlias = Literal["strict", "lenient"]
"""Mode of reading: `strict` takes texts only as their dialect writes them, `lenient` with repairs, too."""
Tools: TypeAlias = Iterable[Mapping[str, Any]]
"""Tools as the chat-completions API has them, or as mappings with `name` and `parameters`."""


def check_mode(mode: str) -> None:
    """Raise ValueError for a mode that does not exist."""
    if mode != "lenient" and mode != "strict":
        raise ValueError(f"expected mode 'strict' or 'lenient', got {mode!r}")


def _results(given: object) -> list[ToolResult]:
    """Results of calls, each given as name, output and id. Raises TypeError for anything else."""
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        raise TypeError(f"expected a list of results, each as (name, output, id), got {kind_of(given)}")
    results = []
    for at, one in enumerate(given):
        name, output, call_id = one if isinstance(one, tuple | list) and len(one) == 3 else (None, None, None)
        if not isinstance(name, str) or not isinstance(output, str):
            raise TypeError(
                f"expected a result as (name, output, id), the first two texts, got {one!r:.80} - at results[{at}]"
            )
        results.append(ToolResult(call_id or "", name, output))
    return results


def check_policies(policies: Mapping[str, object]) -> None:
    """Raise TypeError for what is no policy of reading, ValueError for a setting that a policy does not have."""
    for name, value in policies.items():
        allowed = POLICIES.get(name)
        if allowed is None or name in WRITING:
            reading = ", ".join(policy for policy in POLICIES if policy not in WRITING)
            why = "" if allowed is None else ", which is for rendering: set it in the dialect's entry"
            raise TypeError(f"expected a policy of reading ({reading}), got {name!r}{why}")
        if value not in allowed:
            raise ValueError(f"expected {' or '.join(map(repr, allowed))}, got {value!r} - at {name}")


def checking(schemas: ToolSchemas, validate: bool) -> Callable[[Call], Call] | None:
    """Validator of calls; None without `validate`. Raises ValueError where no tools are declared, MissingExtraError."""
    if not validate:
        return None
    if not schemas.declared:
        raise ValueError("expected tools to validate calls by, got none: give tools=…")
    from toolect._validation import CallValidator  # reading does without it

    return CallValidator({name: schema.node for name, schema in schemas.by_name.items()})


class ToolPrompts(Protocol):
    """Texts by which the models of a dialect learn of tools and results."""

    @property
    def own(self) -> bool:
        """True when it is the dialect's own way, false for plain words."""

    @property
    def by_user(self) -> bool:
        """True when results stand in the user's message, false when each has one of its tool."""

    def tools(self, tools: Tools) -> str:
        """The text that presents `tools`."""

    def results(self, results: Iterable[ToolResult], tools: Tools = ()) -> str:
        """The text of the results of calls."""

    def defused(self, output: str, tools: Tools = ()) -> str:
        """An output without markup, which no reader takes for a call."""

    def has_calls(self, text: str, tools: Tools) -> bool:
        """True when a reader finds a call in `text`, with or without the tools."""


_finders: list[Callable[[Dialect], ToolPrompts]] = []


def find_tool_prompts_by(finder: Callable[[Dialect], ToolPrompts]) -> None:
    """Register the function that finds a dialect's tool prompts: it belongs to chats, a layer above dialects."""
    _finders.append(finder)


MAX_ADMITTED = 16
"""Lists of odd names of tools for which a dialect keeps a grammar that has them. Beyond it: they are made anew."""
MAX_GRAPHS = 8
"""Settings of policies for which a dialect keeps what it has learned of its grammar. Beyond it: it is learned anew."""


class Dialect:
    """One dialect, ready to use. Safe to share between threads."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self._network: Network | None = None
        self._graphs: dict[Policies, Graph] = {}
        self._default: Graph | None = None  # the one of the spec's own policies
        self._telling: ToolPrompts | None = None
        self._admitting: dict[tuple[tuple[str, ...], tuple[str, ...]], Dialect] = {}

    @property
    def name(self) -> str:
        """The dialect's name."""
        return self.spec.name

    def __reduce__(self) -> tuple[Any, ...]:
        return Dialect, (self.spec,)

    def __repr__(self) -> str:
        return f"<Dialect {self.name}>"

    def _graph(self, policies: Mapping[str, Any] | None = None) -> Graph:
        """The graph of nodes under the spec's policies, some of them overridden."""
        chosen = self.spec.policies
        if policies:
            check_policies(policies)
            chosen = msgspec.structs.replace(chosen, **policies)
        graph = self._graphs.get(chosen)
        if graph is None:
            if self._network is None:
                self._network = Network(self.spec)
            if len(self._graphs) >= MAX_GRAPHS:
                self._graphs = {}
            graph = Graph(self._network, chosen)
            if not graph.start.text:  # what stands outside of all markers would be lost
                self._network.admit_text()
                graph = Graph(self._network, chosen)
            self._graphs[chosen] = graph
            if chosen == self.spec.policies:
                self._default = graph
        return graph

    def _with_names(self, tools: ToolSchemas, keys: bool = True) -> Dialect:
        """The dialect in which calls may have the names of `tools`, and their `keys`, whatever signs these have.

        Mostly it is the dialect itself.
        """
        odd = tools.odd_names, tools.odd_keys if keys else ()
        if odd == ((), ()):
            return self
        found = self._admitting.get(odd)
        if found is None:
            spec = admitting(self.spec, *odd)
            if len(self._admitting) >= MAX_ADMITTED:
                self._admitting = {}
            found = self._admitting[odd] = self if spec is self.spec else Dialect(spec)
        return found

    def parse(
        self, text: str, tools: Tools | None = None, mode: Mode = "lenient", prefix: str = "", *,
        validate: bool = False, **policies: Unpack[ReadingPolicies],
    ) -> Message:  # fmt: skip
        """The message that `text`, a model's whole answer, says. Never raises on any text; TypeError for others.

        `tools` are OpenAI tool objects or `{name, parameters}` mappings; `prefix` is the tail of the prompt, which may
        have opened the reasoning already; `policies` override those of the spec. With `validate` a call whose arguments
        its tool does not take has `violations`, and is not runnable: this needs the extra `schema`.
        """
        if not isinstance(text, str):
            raise not_text(text)
        if mode != "lenient":
            check_mode(mode)
        schemas = tool_schemas(tools) if tools else NO_TOOLS
        own = self._with_names(schemas) if schemas.declared else self
        graph = (None if policies else own._default) or own._graph(policies)
        message = read_answer(own.spec, graph, text, schemas, mode == "strict", prefix)
        return with_checked(message, checking(schemas, validate)) if validate else message

    def explain(
        self, text: str, tools: Tools | None = None, mode: Mode = "lenient", prefix: str = "",
        **policies: Unpack[ReadingPolicies],
    ) -> Explanation:  # fmt: skip
        """Explanation of a reading: where `text` could be read otherwise, and the cost of each way. As for `parse`.

        `str` of it is a text for people.
        """
        check_mode(mode)
        schemas = tool_schemas(tools)
        own = self._with_names(schemas)
        reader = AnswerSearch(own.spec, own._graph(policies), schemas, mode == "strict", prefix)
        return reader.explain(self.name, text)

    @overload
    def stream(
        self, chunks: None = None, *, tools: Tools | None = None, mode: Mode = "lenient", prefix: str = "",
        validate: bool = False, **policies: Unpack[ReadingPolicies],
    ) -> Stream: ...  # fmt: skip
    @overload
    def stream(
        self, chunks: Iterable[str], *, tools: Tools | None = None, mode: Mode = "lenient", prefix: str = "",
        validate: bool = False, **policies: Unpack[ReadingPolicies],
    ) -> EventStream[Message]: ...  # fmt: skip
    @overload
    def stream(
        self, chunks: AsyncIterable[str], *, tools: Tools | None = None, mode: Mode = "lenient", prefix: str = "",
        validate: bool = False, **policies: Unpack[ReadingPolicies],
    ) -> AsyncEventStream[Message]: ...  # fmt: skip
    def stream(
        self, chunks: Iterable[str] | AsyncIterable[str] | None = None, *, tools: Tools | None = None,
        mode: Mode = "lenient", prefix: str = "", validate: bool = False, **policies: Unpack[ReadingPolicies],
    ) -> Stream | EventStream[Message] | AsyncEventStream[Message]:  # fmt: skip
        """The events of an answer that arrives in `chunks`: iterate, or `async for` of an async source.

        Without chunks it is a fresh stream: `feed` it one by one, then `close` it. The rest is as for `parse`.
        """
        check_mode(mode)
        schemas, strict = tool_schemas(tools), mode == "strict"
        own = self._with_names(schemas)
        graph = own._graph(policies)
        stream = Stream(
            lambda: AnswerSearch(own.spec, graph, schemas, strict, prefix, streaming=True),
            checking(schemas, validate),
        )
        return stream if chunks is None else events_of(stream, chunks)

    def token_stream(
        self, tokenizer: object, tools: Tools | None = None, mode: Mode = "lenient", prefix: str = "",
        markers: Literal["token", "text"] = "token", *, validate: bool = False, **policies: Unpack[ReadingPolicies],
    ) -> TokenStream:  # fmt: skip
        """A fresh stream of ids: `feed` it one or several, then `close` it. Arguments as for `parse`.

        With `markers="token"` a marker that the vocabulary has as one id is that id alone; text that spells it is text.
        Raises TypeError for what is no tokenizer, see `toolect.tokens`.
        """
        from toolect._tokens.adapting import adapted  # reading text does without it
        from toolect._tokens.token_stream import TokenStream

        stream = self.stream(tools=tools, mode=mode, prefix=prefix, validate=validate, **policies)
        return TokenStream(stream, self.spec, self._graph(policies), adapted(tokenizer), markers)

    def render(self, message: Said, tools: Tools | None = None) -> Rendered:
        """`message` as wire text, with the spans of its parts; `tools` as in `parse`, for values typed by schema.

        It may be a Message, a Call or other segment, a list of these, or what the chat-completions API has: a message,
        a response, tool calls. Raises RenderError when the dialect cannot carry it, MessageError for what is none.
        """
        from toolect._rendering.roundtrip import render  # reading does without it

        return render(self, message, tools)

    @property
    def telling(self) -> ToolPrompts:
        """Texts about tools and results for its models: as the chat of its name writes them, else in plain words."""
        if self._telling is None:
            self._telling = _finders[-1](self)
        return self._telling

    def render_tools(self, tools: Tools) -> str:
        """The text that presents `tools` to a model, as its prompt has it; empty for none.

        It is the one of the chat that has the dialect's name as its own or as an alias; plain words where none has.
        Raises RenderError when that chat presents no tools, or cannot present one of these.
        """
        return self.telling.tools(tools or ())

    def render_results(self, results: Iterable[tuple[str, str, str | None]], tools: Tools | None = None) -> str:
        """The text of the results of a model's calls: each one's name, output and id; `tools` as in `parse`.

        Raises RenderError when an output holds markup or reads like a call, alone or together with the others.
        """
        return self.telling.results(_results(results), list(tools or ()))

    def has_marker(self, text: str) -> bool:
        """True when `text` holds a marker of the dialect: a cheap test that misses none.

        Raises TypeError for what is no text.
        """
        if not isinstance(text, str):
            raise not_text(text)
        graph = self._graph()
        return any(marker in text for marker in (*graph.openers, *graph.parts, *graph.signs))
