"""Laws of the shorter ways: fused reading and steps say what the search says without them, and save it most work."""

from __future__ import annotations

from itertools import accumulate
from random import Random
from typing import Any

import pytest
import shipped_corpus
from shipped_corpus import Case

import toolect
from toolect import registry
from toolect._canonical.fast_path import read_canonical
from toolect._detection.auto_search import AutoSearch
from toolect._detection.index import index
from toolect._message import Message
from toolect._search.answer_search import AnswerSearch, Stream
from toolect._search.hypothesis import Hypothesis
from toolect._search.stepping import Stepping
from toolect._values.toolset import NO_TOOLS, tool_schemas

over_all = pytest.mark.parametrize("name", sorted(toolect.dialects()))
READ = 1130
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


class Attentive(Stepping):
    """Steps that read each chunk when it comes."""

    def _pass_through(self, *_: Any) -> None:
        pass

    def _pass_arguments(self, *_: Any) -> None:
        pass


class Unhurried(AnswerSearch):
    """The search without pass-through."""

    def _steps(self) -> Stepping:
        return Attentive(self._window, self._performer)


def emitted(case: Case, kind: type[AnswerSearch], size: int) -> list[list[Any]]:
    """What was passed on after each chunk, sign by sign."""
    reader, signs, found = made(case, kind, streaming=True), [], list[list[Any]]()
    for at in range(0, len(case.text), size):
        for event in reader.feed(case.text[at : at + size]):
            name = type(event).__name__
            signs += [(name, sign) for sign in event.text] if name.endswith("Delta") else [event]
        found.append([*signs])
    return found


@over_all
def test_pass_through_emits_nothing_that_the_search_would_not_emit_by_then(name: str) -> None:
    early = 0

    def check(case: Case) -> None:
        nonlocal early
        for size in (1, 4):
            for now, then in zip(emitted(case, AnswerSearch, size), emitted(case, Unhurried, size), strict=True):
                assert now == then[: len(now)]
                early += len(now) == len(then)

    shipped_corpus.each(shipped_corpus.cases_of(name), check)
    assert early


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
