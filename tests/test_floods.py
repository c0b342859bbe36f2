"""Texts made to be slow are read in linear time: the calls of functions are counted, as a loaded machine takes longer.

Some floods are read here, all that are drawn in chunks too with `--all`, many more with
`--hypothesis-profile=deep`; `make judge ARGS="--kind hostile"` reads others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

import pytest
import shares
import shipped_corpus
from hypothesis import settings

import toolect
from toolect import _conversion
from toolect._compiled import Dialect
from toolect._message import Call, Json, Message
from tools.fuzz import hostile, work
from tools.fuzz.hostile import Flood

over_all = pytest.mark.parametrize("name", sorted(toolect.dialects()))


def drawn(dialect: Dialect) -> list[Flood]:
    """The floods of a dialect that are read: those drawn, and an answer many times over."""
    random = Random(dialect.name)
    found = [hostile.drawn(dialect, random) for _ in range(max(4, settings.default.max_examples // 2))]
    answer = str(dialect.render(Message([numbered(dialect, {"a": "x"})])))
    return [*found, Flood("answers", "", "", answer), Flood("cut answers", "", "", answer[:-3])]


def numbered(dialect: Dialect, arguments: dict[str, Json]) -> Call:
    """A call of `f` with the id that the dialect's ref gives it."""
    ref = dialect.spec.ref
    return Call("f", arguments, ref.format(name="f", index=0) if "{index}" in ref else None)


@over_all
def test_floods_take_linear_time(name: str) -> None:
    """Four times the text takes about four times the work, whole and in chunks.

    In chunks, of which there are many, one flood of each dialect is read (`--all`: each).
    """
    dialect, floods = toolect.dialect(name), drawn(toolect.dialect(name))

    def check(flood: Flood) -> None:
        assert not (found := work.grown(dialect.parse, flood.text)), found

    def check_stream(flood: Flood) -> None:
        assert not (found := work.grown(work.streamed(dialect.stream), flood.text)), found

    shipped_corpus.each(shares.share(floods, 5, name), check)
    shipped_corpus.each(shares.share(floods, 1, name), check_stream)


@over_all
def test_floods_that_name_many_tools_take_linear_time(name: str) -> None:
    """One call after another of hundreds of tools that are declared, or what begins as one."""
    dialect = toolect.dialect(name)

    def check(flood: Flood) -> None:
        found = work.grown(lambda text: dialect.parse(text, tools=hostile.TOOLS), flood.text)
        assert not found, (flood, found)

    shipped_corpus.each(shares.share(list(hostile.naming(dialect)), 2, name), check)


@over_all
def test_floods_that_name_the_tools_take_linear_time(name: str) -> None:
    """Every word of a flood is a tool that is declared, whole and in chunks: openers over and over, and drawn ones."""
    dialect, scale = toolect.dialect(name), work.CALLS._replace(most=4e6)
    floods = [Flood("openers", "", "", opener) for opener in dialect._graph().openers] + drawn(dialect)

    def check(flood: Flood) -> None:
        words = {word: {"type": "string"} for word in re.findall(r"[A-Za-z_][\w.-]*", flood.text(100))}
        tools = [{"name": word, "parameters": {"type": "object", "properties": words}} for word in words]
        for read in (lambda text: dialect.parse(text, tools=tools), work.streamed(lambda: dialect.stream(tools=tools))):
            assert not (found := work.grown(read, flood.text, scale)), (flood, found)

    shipped_corpus.each(shares.share(floods, 1, name), check)


@over_all
def test_the_beginning_of_an_opener_over_and_over_takes_linear_time(name: str) -> None:
    """Each place may be a part of an opener that begins before it; nothing is raised, however many there are."""
    dialect = toolect.dialect(name)
    parts = {opener.strip()[:size] for opener in dialect._graph().openers for size in (1, 2, 3)}
    for part in shares.share(sorted(filter(None, parts)), 1, name):
        flood = Flood("nothing", "", "", part, "\x85")
        assert not (found := work.grown(dialect.parse, flood.text, work.CALLS._replace(sizes=(500, 2_000, 8_000)))), (
            part, found,
        )  # fmt: skip


@over_all
def test_floods_obey_the_laws(name: str) -> None:
    """Floods tile, and give the same message and its events one character at a time."""
    dialect = toolect.dialect(name)

    def check(flood: Flood) -> None:
        text = flood.text(300)
        message = dialect.parse(text)
        shipped_corpus.check_spans(message, text)
        streamed, events = shipped_corpus.stream(dialect, text)
        assert shipped_corpus.same(streamed, message)
        shipped_corpus.check_events(events, streamed)

    shipped_corpus.each(drawn(dialect), check)


def _converted(text: str) -> object:
    return toolect.convert(text, to="kimi-k2")


@over_all
def test_floods_that_nobody_named_take_linear_time(name: str) -> None:
    """Nor does it take longer to find out the dialect, or to write what was read: each run asks one of them.

    Two dozen dialects may read the text, each up to the bound of its work.
    """
    flood = Random(name).choice(drawn(toolect.dialect(name)))
    readers = [toolect.parse, work.streamed(toolect.auto.stream), toolect.detect, _converted]
    for read in shares.share(readers, 1, name):
        scale = work.CALLS._replace(sizes=(125, 500, 2_000, 8_000, 32_000), most=2e7)
        assert not (found := work.grown(read, flood.text, scale)), (flood, read, found)


def test_what_is_nested_too_deep_is_not_read_again_and_again() -> None:
    """Where one call after another begins in what is nested too deep, few are read, whole and in chunks."""
    dialect = toolect.dialect("anthropic-tool-use")
    unit = 't": [{"type": "text", "text": "x"}, {"type": "tool_use", "id": "a", "name": "f", "input": {"k'
    text = '{"conten' + unit * 1000
    message = dialect.parse(text)
    assert len(message.segments) < 100
    streamed, _ = shipped_corpus.stream(dialect, (text[at : at + 50] for at in range(0, len(text), 50)))
    assert shipped_corpus.same(streamed, message)


def test_broken_json_that_has_no_end_takes_linear_time() -> None:
    """Each of these calls is broken, and its end is looked for in all that follows."""
    flood = Flood("", '{"tool_name": "n", "on"', "", ': true}}}\n{"tool_name": "n", "arguments": {"a')
    dialect = toolect.dialect("tool-name-object")
    found = work.grown(dialect.parse, flood.text, work.CALLS._replace(sizes=(4_000, 16_000, 64_000)))
    assert not found, found


def test_where_broken_json_does_not_end_is_looked_at_once() -> None:
    """Each of these values is broken, and none of the signs that follow ends it, short or long."""
    flood = Flood("", "<thinkin", "", 'g>{"plan": 1}</thinking><sail>{"to": "')
    sizes = work.CALLS._replace(sizes=(1_000, 4_000, 16_000))
    assert not (found := work.grown(toolect.dialect("xml-tool-tag").parse, flood.text, sizes)), found


@pytest.mark.parametrize("thought", ["\n\n", '`<tool_call>{"name": "f"}`'])
def test_reasoning_that_ends_soon_over_and_over_takes_linear_time(thought: str) -> None:
    """Up to where a call begins is found out once, not for each thought; nor what is quoted after its end."""
    flood = Flood("content", "", "", f"<think>{thought}</think>\n\n- ")
    sizes = work.CALLS._replace(sizes=(500, 2_000, 8_000))
    assert not (found := work.grown(toolect.parse, flood.text, sizes)), found


def test_broken_json_is_looked_through_so_far_whoever_reads_it() -> None:
    """Each of these lists is broken, and its end is nowhere: it is looked for once."""
    flood = Flood("code", "```javascript\n", "", '{"name": "f", "arguments": {}}Promise.all([')
    sizes = work.CALLS._replace(sizes=(16_000, 64_000, 256_000))
    assert not (found := work.grown(toolect.parse, flood.text, sizes)), found


def test_converting_many_calls_takes_linear_time() -> None:
    """Calls whose ids are made, between texts, and texts that are not told apart."""

    def convert(text: str) -> object:
        return toolect.convert(text, "hermes", to="kimi-k2")

    for unit in ('x<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>', "&</think>"):
        flood = Flood("content", "<think>", "", unit)
        assert not (found := work.grown(convert, flood.text, work.CALLS._replace(sizes=(4_000, 16_000, 64_000)))), found


def test_nothing_is_tried_any_more_when_too_much_was(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no way to leave something out is left to try, all that was not kept is left out at once."""
    tried: list[int] = []
    cost = _conversion._cost
    monkeypatch.setattr(_conversion, "_cost", lambda segments: tried.append(len(segments)) or cost(segments))
    monkeypatch.setattr(_conversion, "MAX_TRIED", 1)
    monkeypatch.setattr(_conversion, "_FREE", 0)
    text = "```py" + "thon\nplot(a=1)\n`" * 80 + "``\nThat draws."
    found = toolect.convert(text, "gemma-tool-code", to="kimi-k2")
    assert found.losses
    assert len(tried) < 10


def long_ones(size: int) -> Iterator[dict[str, Json]]:
    """Many arguments, and one of 25 characters for each of them."""
    yield {f"k{i}": f"v {i}" for i in range(size)}
    yield {"body": "if a < b: c[d] = {e} -> f\n" * size + "end"}


@over_all
def test_many_arguments_and_one_long_one(name: str) -> None:
    """More than a thousand arguments, and a value of 25 kB, are carried; reading them takes linear time."""
    dialect = toolect.dialect(name)

    def written(arguments: dict[str, Json]) -> str:
        return str(dialect.render(Message([numbered(dialect, arguments)])))

    for few, some, many in zip(*map(long_ones, (50, 200, 1_050)), strict=True):
        dialect.parse(written(few))
        assert work.calls(dialect.parse, written(some)) < 5 * work.calls(dialect.parse, written(few))
        text = written(many)
        (call,) = dialect.parse(text).calls
        assert call.arguments == many
        message, events = shipped_corpus.stream(dialect, (text[i : i + 64] for i in range(0, len(text), 64)))
        assert message.calls == [call]
        shipped_corpus.check_events(events, message)


def text(size: int) -> str:
    """So many characters."""
    return "x " * (size // 2)


def squares(text: str) -> object:
    """Does a step for each two characters."""
    return [text.find("y") for _ in text for _ in text]


def copies(text: str) -> object:
    """Copies the text for each of its characters."""
    return [text.upper() for _ in text]


def bounded(text: str) -> object:
    """Does up to so many steps for each character."""
    return [text.find("y") for _ in text for _ in text[:400]]


def late(text: str) -> object:
    """Does twenty steps for each character, and after the first thousand as many as there are for every fiftieth."""
    return [text.find("y") for _ in text * 20] + [text.find("y") for _ in text[1_000::50] for _ in text[1_000:]]


def test_what_grows_too_much_is_found_out() -> None:
    """Work that is more than linear shows, in calls or in time; what is linear does not, nor what is bounded."""
    small = work.CALLS._replace(sizes=(100, 400, 1_600, 6_400))
    assert work.grown(squares, text, small._replace(sizes=small.sizes[:3]))
    assert work.grown(late, text)
    assert not work.grown(copies, text, small)
    assert not work.grown(bounded, text, small)
    assert work.grown(copies, text, work.TIME._replace(sizes=(2_000, 8_000, 16_000), growth=3))
