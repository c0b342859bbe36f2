"""A call that breaks off costs no call after it, in any dialect."""

from __future__ import annotations

from collections.abc import Callable, Container

import shares
import shipped_corpus

import toolect
from toolect import Call, Message, RepairKind
from toolect._authoring.generate.samples import Sample, rendered
from toolect._compiled import Dialect
from toolect._message import Json

CITY = "Montevideo"
TAKEN_IN = {
    *("anthropic-tool-use", "gemini-function-call", "json", "llama3-json", "openai-chat", "openai-function-call"),
    *("openai-responses", "tool-args-array", "tool-args-object", "tool-calls-wrapper", "tool-name-object", "xlam"),
    *("hyperclovax-14b", "xml-tool-tag", "yaml-xml", "direct-xml", "called-tools"),
    *("functionary-v3.2", "glm4", "kimi-simple", "line-pythonic", "llama-builtin", "llm-jp-harmony", "beam", "muse"),
    *("jamba", "minimax-m3"),  # a blank is written before its opener; elements hold all but their own tags
    *("lfm2", "pythonic"),  # a quote in a string goes on with it, and the call in that is reported as malformed
}
"""Dialects whose calls begin with what any string may hold: a bracket, a word, a name, a line, a blank."""


def first_and_second(dialect: Dialect) -> tuple[Sample, Sample] | None:
    """Two calls, each as the dialect writes it alone; None where it writes no such calls."""
    first = rendered(dialect, Message([Call("get_weather", {"city": CITY})]))
    second = rendered(dialect, Message([Call("list_files", {"path": "/tmp"})]))
    return None if first is None or second is None else (first, second)


def each_pair(without: Container[str], check: Callable[[Dialect, Sample, Sample], None]) -> None:
    """Check dialects (`--all`: each) but those `without`, with the two calls as it writes them."""

    def of(name: str) -> None:
        dialect = toolect.dialect(name)
        samples = first_and_second(dialect)
        if samples is not None:
            check(dialect, *samples)

    names = [name for name in toolect.dialects() if name not in without]
    shipped_corpus.each(shares.share(names, 20, "pairs"), of)


def test_the_call_after_one_that_breaks_off_in_a_word_runs() -> None:
    """It is cut in every place of a word, with the other call right after it, and after a line break."""

    def check(dialect: Dialect, first: Sample, second: Sample) -> None:
        tools = [*first.tools, *second.tools]
        start = first.text.index(CITY)
        for cut in range(start + 1, start + len(CITY)):
            for between in ("", "\n"):
                text = first.text[:cut] + between + second.text
                message = dialect.parse(text, tools)
                assert [(call.name, call.arguments) for call in message.runnable] == [("list_files", {"path": "/tmp"})]
                pieces = [text[i : i + 3] for i in range(0, len(text), 3)]
                assert shipped_corpus.same(shipped_corpus.stream(dialect, pieces, tools=tools)[0], message)

    each_pair(TAKEN_IN, check)


SPEAKS = {"qwen-agent-fn"}
"""Dialects in which a string that begins with an opener speaks of it, and the next marker is one of the same call."""


def test_no_call_takes_over_arguments_of_another() -> None:
    """Cut anywhere, with the other call after it: none runs with that one's arguments, or with none and no repair."""

    def check(dialect: Dialect, first: Sample, second: Sample) -> None:
        tools = [declared("get_weather", "city"), declared("list_files", "path")]
        own = {"get_weather": {"city"}, "list_files": {"path"}}
        for cut in range(1, len(first.text)):
            for between in ("", "\n"):
                message = dialect.parse(first.text[:cut] + between + second.text, tools)
                for call in message.runnable:
                    kinds = [repair.kind for repair in call.repairs]
                    none = not call.arguments and RepairKind.MISSING_ARGUMENTS in kinds
                    assert call.name not in own or none or {*call.arguments} == own[call.name], (cut, between, call)

    each_pair(SPEAKS, check)


def declared(name: str, argument: str) -> dict[str, Json]:
    """A tool with one argument, which has to come."""
    schema = {"type": "object", "properties": {argument: {"type": "string"}}, "required": [argument]}
    return {"name": name, "parameters": schema}
