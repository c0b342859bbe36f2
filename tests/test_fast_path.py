"""Laws of the shorter ways: fused reading and steps say what the search says without them, and save it most work."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from itertools import accumulate, product
from random import Random
from typing import Any

import pytest
import shipped_corpus
from shipped_corpus import Case

import toolect
from toolect import registry
from toolect._authoring.generate.facts import facts
from toolect._canonical.fast_path import read_canonical
from toolect._canonical.fused_stream import FusedStream, streams
from toolect._detection.auto_search import AutoSearch
from toolect._detection.index import index
from toolect._events import CallEnd, CallStart, Event
from toolect._message import Call, Content, Json, Message, Reasoning
from toolect._rendered import RenderError
from toolect._search.answer_search import AnswerSearch, Stream
from toolect._search.hypothesis import Hypothesis
from toolect._values.toolset import NO_TOOLS, tool_schemas
from tools.fuzz.damage import damaged

over_all = pytest.mark.parametrize("name", sorted(toolect.dialects()))
READ = 990
"""Clean cases of the corpus that fused reading reads."""


class Lattice(AnswerSearch):
    """The search without steps: every edge is asked."""

    def step(self, one: Hypothesis, final: bool) -> bool:  # noqa: ARG002  # nothing is sure
        return False


def made(case: Case, kind: type[AnswerSearch], streaming: bool = False) -> AnswerSearch:
    """A reader of a case."""
    options: dict[str, Any] = {**case.options}
    tools, mode, prefix = options.pop("tools", ()), options.pop("mode", "lenient"), options.pop("prefix", "")
    dialect = toolect.dialect(case.dialect)
    graph = dialect._graph(options)
    return kind(dialect.spec, graph, tool_schemas(tools), mode == "strict", prefix, streaming)


def fused(case: Case) -> Message | None:
    """What fused reading says of a case, if it reads it."""
    policies = {key: value for key, value in case.options.items() if key not in ("tools", "mode", "prefix")}
    graph, tools = toolect.dialect(case.dialect)._graph(policies), tool_schemas(case.options.get("tools", ()))
    if case.options.get("prefix") or not graph.strides:
        return None
    return read_canonical(graph, case.text, tools)


def test_what_is_fused_is_what_the_search_says() -> None:
    """Where they differ, it is the search that does not read a case as it should be."""
    read = 0

    def check(case: Case) -> None:
        nonlocal read
        message = fused(case)
        if message is None:
            return
        read += case.clean
        found = made(case, Lattice).read(case.text)
        if shipped_corpus.describe(found) == shipped_corpus.normal(case.expected):
            assert shipped_corpus.plain(message) == shipped_corpus.plain(found)

    shipped_corpus.each(shipped_corpus.all_cases(), check)
    assert read >= READ


def streamed(case: Case, kind: type[AnswerSearch], chunks: list[str]) -> Message:
    """The message of a case in chunks, which its events say."""
    stream = Stream(lambda: made(case, kind, streaming=True))
    events = [event for chunk in chunks for event in stream.feed(chunk)] + stream.close()
    shipped_corpus.check_events(events, stream.message)
    return stream.message


@over_all
def test_steps_change_nothing(name: str) -> None:
    """As a whole and in any chunks, steps lead to the message that the lattice has, and the events say it."""

    def check(case: Case) -> None:
        message = made(case, Lattice).read(case.text)
        assert shipped_corpus.plain(made(case, AnswerSearch).read(case.text)) == shipped_corpus.plain(message)
        random, text = Random(case.text), case.text
        for largest in (1, 5, 40):
            sizes = [random.randint(1, largest) for _ in text]
            ends = [*accumulate(sizes)]
            chunks = [text[end - size : end] for size, end in zip(sizes, ends, strict=True) if end - size < len(text)]
            found, expected = (shipped_corpus.plain(streamed(case, kind, chunks)) for kind in (AnswerSearch, Lattice))
            assert found == expected, chunks

    shipped_corpus.each(shipped_corpus.cases_of(name), check)


def two_readers(name: str, tools: Sequence[Json], policies: dict[str, Any]) -> tuple[FusedStream, AnswerSearch] | None:
    """The reader of a stream, and the search alone; None where streams are not fused."""
    schemas, dialect = tool_schemas(tools), toolect.dialect(name)
    own = dialect._with_names(schemas)
    graph = own._graph(policies)
    search = partial(AnswerSearch, own.spec, graph, schemas, streaming=True)
    return (FusedStream(graph, schemas, search), search()) if streams(graph) else None


def gist(events: list[Event]) -> list[tuple[str, int, Any]]:
    """What events tell, however it is divided into deltas."""
    told: list[tuple[str, int, Any]] = []
    for event in events:
        kind, index, text = type(event).__name__, getattr(event, "index", -1), getattr(event, "text", None)
        if isinstance(event, CallStart | CallEnd):
            told.append((kind, index, event.name if isinstance(event, CallStart) else event.call))
        elif told and told[-1][:2] == (kind, index):
            told[-1] = kind, index, told[-1][2] + text
        else:
            told.append((kind, index, text))
    return told


@over_all
def test_fused_streams_tell_what_the_search_tells(name: str) -> None:
    """In any chunks, whole or damaged: where the search takes over in the middle of an answer, nothing comes twice."""

    def check(case: Case) -> None:
        policies = {key: value for key, value in case.options.items() if key not in ("tools", "mode", "prefix")}
        random = Random(case.text)
        for text in (case.text, damaged(case.text, random, facts(toolect.dialect(name)).markers, 2)):
            made = None if case.options.get("prefix") else two_readers(name, case.options.get("tools", ()), policies)
            if made is None:
                return
            fused, search = made
            told, expected, at = list[Event](), search.feed(text), 0
            while at < len(text):
                size = random.choice((1, 1, 2, 4, 30))
                told += fused.feed(text[at : at + size])
                at += size
            assert gist(told + fused.close()) == gist(expected + search.close()), text
            assert shipped_corpus.plain(fused.message) == shipped_corpus.plain(search.message), text

    shipped_corpus.each(shipped_corpus.cases_of(name), check)


TOOLS: list[Json] = [
    {"name": "look", "parameters": {"properties": {"city": {"type": "string"}, "days": {"type": "integer"}}}},
    {"name": "write", "parameters": {"properties": {"body": {"type": "string"}, "tags": {"type": "array"}}}},
]
CODE = "def f(x):\n    if x < 3 and \"a\" in 'b': return {1, [2]}\n\treturn <b>x</b> \u00e9\n"
ANSWERS = [
    [Call("look", {"city": "Oslo, Norway", "days": 3})],
    [Call("write", {"body": CODE})],
    [Call("write", {"tags": ["a b", "c", {"d": 1.5}], "body": "x"})],
    [Call("look", {}), Call("look", {"city": "Rome"})],
    [Content("Let me look at it, now.\n"), Call("look", {"city": "Oslo"})],
    [Reasoning("They want < 3 days."), Content("It is fine in Oslo: 3 degrees, and a < b.")],
]
ONE_LATE = {"beam", "muse", "rwkv"}
"""Dialects in which an event comes with the character after the one with which the search tells it."""


@over_all
@pytest.mark.parametrize("tools", [(), TOOLS], ids=["no tools", "tools"])
def test_fused_streams_are_not_late(name: str, tools: Sequence[Json]) -> None:
    """After each character of a canonical answer no less has been told than the search has told by then."""
    for answer in ANSWERS:
        try:
            text = str(toolect.dialect(name).render(Message(tuple(answer)), tools=TOOLS))
        except RenderError:
            continue
        if (made := two_readers(name, tools, {})) is None or name in ONE_LATE:
            return
        told, expected = Counter[str](), Counter[str]()
        for at, sign in enumerate(text, 1):
            for reader, counts in zip(made, (told, expected), strict=True):
                for event in reader.feed(sign):
                    counts[type(event).__name__] += len(getattr(event, "text", "1"))
            assert not expected - told, text[:at]


STREAMED = 700
"""Canonical answers, of those with and without tools, that are streamed without the search."""


def test_canonical_calls_are_streamed_fused() -> None:
    """The search is not made for most of them; what a string says comes with the character that says it."""
    fused = 0
    for name, answer, tools in product(toolect.dialects(), ANSWERS, ((), TOOLS)):
        try:
            text = str(toolect.dialect(name).render(Message(tuple(answer)), tools=TOOLS))
        except RenderError:
            continue
        stream = toolect.dialect(name).stream(tools=tools)
        for at in range(0, len(text), 4):
            stream.feed(text[at : at + 4])
        stream.close()
        fused += isinstance(stream._reader, FusedStream) and stream._reader._search is None
    assert fused >= STREAMED


def test_canonical_calls_take_few_steps() -> None:
    """Calls as their dialect writes them are read in about as many steps as by the lattice of that dialect."""
    for name, text in {
        "hermes": 'So.\n<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>',
        "qwen3-coder": "<tool_call>\n<function=f>\n<parameter=a>\nx\n</parameter>\n</function>\n</tool_call>",
        "llama3-json": '{"name": "f", "parameters": {"a": 1}}',
    }.items():
        spec = registry.spec(name)
        own = Lattice(spec, registry.dialect(name)._graph(), NO_TOOLS)
        any_one = AutoSearch(index(), NO_TOOLS, {})
        assert own.read(text).calls == any_one.read(text).calls
        assert any_one.work <= 2 * own.work + 4, name
