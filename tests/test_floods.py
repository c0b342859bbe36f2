"""Texts made to be slow are read in linear time: the calls of functions are counted, as a loaded machine takes longer.

Some floods are read here, all that are drawn in chunks too with `--all`, many more with
`--hypothesis-profile=deep`; `make floods` times longer ones.
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
from toolect._graph.finder import Finder
from toolect._graph.spelling import MAX_LEXEME
from toolect._reading import (
    broken_slot,
    content_route,
    machine,
    passage,
    put_off,
    sign_runs,
    stream,
    striding,
    text_route,
    text_slot,
    vain,
)
from toolect._reading.draft import MAX_FLAWED
from toolect._reading.open_call import MAX_REPAIRS
from toolect._reading.quoted_slot import MAX_QUOTES
from toolect._reading.striding import MAX_SEGMENTS
from toolect._shapes import what_follows
from toolect.compiled import Dialect
from toolect.message import Call, Json, Message
from tools.bench import hostile, work
from tools.bench.hostile import Flood

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

    In chunks, of which there are many, one flood of each dialect is read (`--all`: each; `make floods`: many more).
    """
    dialect, floods = toolect.dialect(name), drawn(toolect.dialect(name))

    def check(flood: Flood) -> None:
        assert not (found := work.grown(dialect.parse, flood.text)), found

    def check_stream(flood: Flood) -> None:
        assert not (found := work.grown(work.streamed(dialect.stream), flood.text)), found

    shipped_corpus.each(floods, check)
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
    floods = [Flood("openers", "", "", opener) for opener in dialect.graph().openers] + drawn(dialect)

    def check(flood: Flood) -> None:
        words = {word: {"type": "string"} for word in re.findall(r"[A-Za-z_][\w.-]*", flood.text(100))}
        tools = [{"name": word, "parameters": {"type": "object", "properties": words}} for word in words]
        for read in (lambda text: dialect.parse(text, tools=tools), work.streamed(lambda: dialect.stream(tools=tools))):
            assert not (found := work.grown(read, flood.text, scale)), (flood, found)

    shipped_corpus.each(shares.share(floods, 2, name), check)


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


def test_floods_that_nobody_named_take_linear_time() -> None:
    """Nor does it take longer to find out the dialect, or to write what was read."""

    def convert(text: str) -> object:
        return toolect.convert(text, target="kimi-k2")

    def check(name: str) -> None:
        flood = Random(name).choice(drawn(toolect.dialect(name)))
        for read in (toolect.parse, work.streamed(toolect.dialect("auto").stream), toolect.detect, convert):
            assert not (found := work.grown(read, flood.text)), (flood, read, found)

    shipped_corpus.each(Random(0).sample(toolect.dialects(), max(8, settings.default.max_examples // 20)), check)


def test_what_follows_too_many_broken_calls_is_content() -> None:
    """A call more than `MAX_FLAWED` is broken; what comes then is not read, but for an end token, in chunks too."""
    dialect = toolect.dialect("functionary-v3.1")
    text = "<function=f>{" * (MAX_FLAWED + 9) + '<function=g>{"a": 1}</function><|eom_id|>'
    message = dialect.parse(text)
    assert [call.name for call in message.calls if call.name] == ["f"] * (MAX_FLAWED + 1)
    assert message.content.endswith('<function=g>{"a": 1}</function>')
    streamed, events = shipped_corpus.stream(dialect, (text[at : at + 5] for at in range(0, len(text), 5)))
    assert shipped_corpus.same(streamed, message)
    shipped_corpus.check_events(events, streamed)
    good = '<function=g>{"a": 1}</function>' * (MAX_FLAWED + 9)
    assert len(dialect.parse(good).runnable) == MAX_FLAWED + 9


def test_what_is_nested_too_deep_is_not_read_again_and_again() -> None:
    """Where one call after another begins in what is nested too deep, few are read, whole and in chunks."""
    dialect = toolect.dialect("anthropic-tool-use")
    unit = 't": [{"type": "text", "text": "x"}, {"type": "tool_use", "id": "a", "name": "f", "input": {"k'
    text = '{"conten' + unit * 1000
    message = dialect.parse(text)
    assert len(message.segments) < 100
    streamed, _ = shipped_corpus.stream(dialect, (text[at : at + 50] for at in range(0, len(text), 50)))
    assert shipped_corpus.same(streamed, message)


@over_all
def test_a_stream_that_gathers_reads_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Chunks that are gathered are held back, and nothing else: they are pending until they are read."""
    dialect = toolect.dialect(name)
    text = str(dialect.render(Message([numbered(dialect, {"a": "x"})]))) * 12
    monkeypatch.setattr(stream, "MAX_CAREFUL", 3)
    monkeypatch.setattr(put_off, "GATHERED", 8)
    message = dialect.parse(text)
    for size in (1, 5):
        streamed, events = shipped_corpus.stream(dialect, (text[i : i + size] for i in range(0, len(text), size)))
        assert shipped_corpus.same(streamed, message)
        shipped_corpus.check_events(events, streamed)


def test_a_stream_gathers_after_many_chunks_that_decide_something(monkeypatch: pytest.MonkeyPatch) -> None:
    """At most a part of what has come, and only then; free text before that is no such chunk."""
    monkeypatch.setattr(stream, "MAX_CAREFUL", 1 << 10)
    monkeypatch.setattr(put_off, "GATHERED", 64)
    found = toolect.dialect("line-pythonic").stream()
    call, most = "f(a=1)\n", stream.MAX_CAREFUL // 2
    for _ in range(most):
        found.feed(call)
        assert len(found.pending) < 2 * len(call)
    held = 0
    for count in range(most, 4 * most):
        found.feed(call)
        held = max(held, len(found.pending))
        assert len(found.pending) <= count * len(call) // put_off.GATHERED + 2 * MAX_LEXEME
    assert held > 4 * len(call)
    found.close()
    assert not found.pending
    assert len(found.message.runnable) == 4 * most


def test_what_follows_too_many_segments_is_content() -> None:
    """A segment more than `MAX_SEGMENTS` is read, however it is written; what comes then is content."""
    dialect = toolect.dialect("pythonic")
    for between in (", ", ","):
        text = "[" + between.join(["f()"] * (MAX_SEGMENTS + 9)) + "]"
        message = dialect.parse(text)
        assert len(message.runnable) == MAX_SEGMENTS + 1
        assert message.content == between + between.join(["f()"] * 8) + "]"


@over_all
def test_too_many_segments_are_so_in_chunks_too(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Strides end before the last segment that is read, wherever that is."""
    dialect, few = toolect.dialect(name), 20
    monkeypatch.setattr(machine, "MAX_SEGMENTS", few)
    monkeypatch.setattr(striding, "MAX_SEGMENTS", few)
    call = str(dialect.render(Message([numbered(dialect, {"a": "x"})])))
    for unit in (call, f"{call}x\n", str(dialect.render(Message([numbered(dialect, {})])))):
        text = unit * (few + 9)
        message = dialect.parse(text)
        assert len(message.segments) <= few + 4
        shipped_corpus.check_spans(message, text)
        for size in (1, 5, 300):
            streamed, events = shipped_corpus.stream(dialect, (text[i : i + size] for i in range(0, len(text), size)))
            assert shipped_corpus.same(streamed, message)
            shipped_corpus.check_events(events, streamed)


@over_all
def test_too_many_dividers_are_so_in_chunks_too(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where values are read one by one, the rest is content, wherever strides and small steps are then."""
    dialect, random = toolect.dialect(name), Random(name)
    parts, texts = [*hostile.units(dialect), ","], hostile.texts(dialect)
    calls = [numbered(dialect, {f"k{i}": value for i in range(size)}) for size in (0, 3, 9) for value in (1, "a, b")]
    texts += [str(dialect.render(Message([call]))) for call in calls]
    monkeypatch.setattr(striding, "MAX_DIVIDERS", 12)
    for _ in range(16):
        text = ""
        for _ in range(random.randrange(1, 6)):
            text += random.choice(texts)[: random.choice((40, 2_000, 2_000))] + random.choice(("", *parts))
        message = dialect.parse(text)
        shipped_corpus.check_spans(message, text)
        check_streams(dialect, text, message)


@over_all
def test_too_many_signs_are_so_in_chunks_too(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the same sign on, fewer things are stops, whoever counts: strides, small steps, a stream."""
    dialect, random = toolect.dialect(name), Random(name)
    parts, texts = hostile.units(dialect), hostile.texts(dialect)
    for module in (passage, striding, content_route, text_route):
        monkeypatch.setattr(module, "MAX_SIGNS", 12)
    for _ in range(12):
        text = ""
        for _ in range(random.randrange(1, 6)):
            text += random.choice(texts)[: random.choice((20, 200, 2_000))] + "".join(random.choices(parts, k=6))
        message = dialect.parse(text)
        shipped_corpus.check_spans(message, text)
        check_streams(dialect, text, message)


def check_streams(dialect: Dialect, text: str, message: Message) -> None:
    """Chunks of any size give the same."""
    for size in (1, 5, 300):
        streamed, events = shipped_corpus.stream(dialect, (text[i : i + size] for i in range(0, len(text), size)))
        assert shipped_corpus.same(streamed, message)
        shipped_corpus.check_events(events, streamed)


def test_after_too_much_that_is_wrong_outside_of_calls_markers_count_as_they_are_written() -> None:
    """Brackets too many are mended up to `MAX_REPAIRS`; then they are content, and so is what is misspelled."""
    dialect = toolect.dialect("functionary-v3.2")
    for count, content in ((MAX_REPAIRS, ""), (MAX_REPAIRS + 9, "}" * 9)):
        text = "f\n{" + "}" * (count + 1) + '>>>g\n{"a": 1}'
        message = dialect.parse(text)
        assert [call.name for call in message.runnable] == ["f", "g"]
        assert message.content == content
        check_streams(dialect, text, message)


def test_after_too_many_stray_markers_they_are_content(monkeypatch: pytest.MonkeyPatch) -> None:
    """The characters of those that are left out count as signs do; a call is found after them, too."""
    for module in (passage, striding, content_route, text_route):
        monkeypatch.setattr(module, "MAX_SIGNS", 100)
    dialect, call = toolect.dialect("hermes"), '<tool_call>{"name": "f", "arguments": {}}</tool_call>'
    for count, content in ((9, "aaaaaaaaaa"), (40, "a" * 14 + "</think>a" * 27)):
        text = "a" + "</think>a" * count + call
        message = dialect.parse(text)
        assert message.content == content
        assert [found.name for found in message.runnable] == ["f"]
        check_streams(dialect, text, message)


def test_broken_json_might_end_at_signs_so_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name after one of the first signs ends it; after `MAX_ENDS` without one, a longer marker does."""
    monkeypatch.setattr(broken_slot, "MAX_ENDS", 20)
    dialect = toolect.dialect("functionary-v3.2")
    for count, names in ((19, ["f", "g"]), (20, ["f"])):
        text = 'f\n{"a": 1' + ">>> 5 " * count + '>>>g\n{"a": 1}<|eot_id|>'
        message = dialect.parse(text)
        assert [call.name for call in message.calls] == names
        check_streams(dialect, text, message)


@over_all
def test_in_the_middle_of_a_run_of_one_sign_no_call_begins(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs of signs are gone over at once where a look at each of them finds nothing either."""
    dialect, random, past_run = toolect.dialect(name), Random(name), sign_runs.past_run
    parts = [*hostile.units(dialect), *hostile.texts(dialect)]
    signs = [sign for sign in "`>#*" if any(sign * 2 in part for part in parts)] or ["`"]
    for _ in range(20):
        text = "".join(random.choice(signs) * random.randrange(16) + random.choice(parts) for _ in range(4))
        found = []
        for used in (past_run, lambda _node, _buf, at: at):
            for module in (text_slot, content_route):
                monkeypatch.setattr(module, "past_run", used)
            found.append(dialect.parse(text))
        assert shipped_corpus.same(*found)


@over_all
def test_where_it_was_looked_in_vain_nothing_is(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is known by the signs around a place is what a look at it finds, in chunks too."""
    dialect, random, knows = toolect.dialect(name), Random(name), vain.Vain.knows
    parts, texts = hostile.units(dialect), hostile.texts(dialect)
    for _ in range(12):
        text = ""
        for _ in range(random.randrange(1, 4)):
            unit = "".join(random.choices(parts, k=random.choice((1, 1, 2, 3))))
            text += random.choice(texts)[: random.randrange(200)] + unit * random.choice((1, 400 // len(unit) + 1))
        found = []
        for used in (knows, lambda *_: False):
            monkeypatch.setattr(vain.Vain, "knows", used)
            found.append(dialect.parse(text))
        assert shipped_corpus.same(*found)
        monkeypatch.setattr(vain.Vain, "knows", knows)
        streamed, _ = shipped_corpus.stream(dialect, (text[at : at + 300] for at in range(0, len(text), 300)))
        assert shipped_corpus.same(streamed, found[0])


@pytest.mark.parametrize(
    ("name", "unit"), [("tool-name-object", "\n```"), ("js-call-block", "```"), ("openai-responses", "```json\n")]
)
def test_the_same_text_over_and_over_is_looked_at_no_more(
    name: str, unit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However often it stands there, no more than so many looks are taken."""
    dialect, looks, look = toolect.dialect(name), list[int](), text_slot.ends_at
    monkeypatch.setattr(text_slot, "ends_at", lambda *given: looks.append(1) or look(*given))
    found = []
    for count in (2_000, 4_000):
        dialect.parse(unit * count)
        found.append(len(looks))
        looks.clear()
    assert max(found) < 2_000


@pytest.mark.parametrize(
    ("before", "unit", "after", "bound"), [("a='", "it's", "'", MAX_QUOTES), ("a=[1", " null", "]", MAX_REPAIRS)]
)
def test_a_call_with_too_many_flaws_is_malformed(before: str, unit: str, after: str, bound: int) -> None:
    """As many as the bound are mended, in chunks too."""
    dialect = toolect.dialect("lfm2")
    for count, status in ((bound, "repaired"), (bound + 1, "malformed")):
        text = f"<|tool_call_start|>[f({before}{unit * count}{after})]<|tool_call_end|>"
        message = dialect.parse(text)
        assert [str(call.status) for call in message.calls] == [status]
        streamed, events = shipped_corpus.stream(dialect, (text[at : at + 64] for at in range(0, len(text), 64)))
        assert shipped_corpus.same(streamed, message)
        shipped_corpus.check_events(events, message)


def test_broken_json_that_has_no_end_takes_linear_time() -> None:
    """Each of these calls is broken, and its end is looked for in all that follows, up to `MAX_MENDING`."""
    flood = Flood("", '{"tool_name": "n", "on"', "", ': true}}}\n{"tool_name": "n", "arguments": {"a')
    dialect = toolect.dialect("tool-name-object")
    found = work.grown(dialect.parse, flood.text, work.CALLS._replace(sizes=(4_000, 16_000, 64_000)))
    assert not found, found


def test_where_broken_json_does_not_end_is_looked_at_once() -> None:
    """Each of these values is broken, and none of the signs that follow ends it, short or long."""
    flood = Flood("", "<thinkin", "", 'g>{"plan": 1}</thinking><sail>{"to": "')
    sizes = work.CALLS._replace(sizes=(1_000, 4_000, 16_000))
    assert not (found := work.grown(toolect.dialect("xml-tool-tag").parse, flood.text, sizes)), found


def test_an_expression_is_looked_for_once() -> None:
    """What a search found holds for all places before it, and for no other."""
    text, random = "}" * 400 + "} {" + "}" * 90 + "}{x", Random(0)
    finder, regex = Finder(text), broken_slot._NEXT
    for at in [*range(0, len(text), 7), *(random.randrange(len(text)) for _ in range(200))]:
        match, found = regex.search(text, at), finder.search(regex, at)
        assert (match and match.span()) == (found and found.span())
    assert finder.search(regex, 100) is finder.search(regex, 200)


@pytest.mark.parametrize("regex", [what_follows._KEY, what_follows._ITEM, what_follows._CLOSERS])
def test_what_follows_a_line_break_in_a_string_is_looked_for_within_bounds(regex: re.Pattern[str]) -> None:
    """Each line break of a string asks for it: nothing may be looked over as often as there are of them."""
    for blanks, found in ((200, True), (300, False)):
        after = {what_follows._KEY: '"k": 1', what_follows._ITEM: '"i",', what_follows._CLOSERS: "}"}[regex]
        assert (regex.match("\n" * blanks + after) is not None) is found
    assert what_follows._CLOSERS.match("\n]" * 10_000)[0] == "\n]" * 256 + "\n"  # type: ignore[index]


@pytest.mark.parametrize("thought", ["\n\n", '`<tool_call>{"name": "f"}`'])
def test_reasoning_that_ends_soon_over_and_over_takes_linear_time(thought: str) -> None:
    """Up to where a call begins is found out once, not for each thought; nor what is quoted after its end."""
    flood = Flood("content", "", "", f"<think>{thought}</think>\n\n- ")
    sizes = work.CALLS._replace(sizes=(1_000, 4_000, 16_000))
    assert not (found := work.grown(toolect.parse, flood.text, sizes)), found


def test_broken_json_is_looked_through_so_far_whoever_reads_it() -> None:
    """Each of these lists is broken, and its end is nowhere: all dialects together look through `MAX_MENDING`."""
    flood = Flood("code", "```javascript\n", "", '{"name": "f", "arguments": {}}Promise.all([')
    sizes = work.CALLS._replace(sizes=(16_000, 64_000, 256_000))
    assert not (found := work.grown(toolect.parse, flood.text, sizes)), found


def test_converting_many_calls_takes_linear_time() -> None:
    """Calls whose ids are made, between texts, and texts that are not told apart."""

    def convert(text: str) -> object:
        return toolect.convert(text, "hermes", "kimi-k2")

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
    found = toolect.convert(text, "gemma-tool-code", "kimi-k2")
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
    assert work.grown(squares, text, small)
    assert work.grown(late, text)
    assert not work.grown(copies, text, small)
    assert not work.grown(bounded, text, small)
    assert work.grown(copies, text, work.TIME._replace(sizes=(2_000, 8_000, 16_000), growth=3))
