"""Detection, and reading without a dialect: cases, laws, floods, and what is told beside the message."""

from __future__ import annotations

import functools
import pickle
import sysconfig
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
import shares
import shipped_corpus
from hypothesis import given
from hypothesis import strategies as st
from shipped_corpus import Case

import toolect
from toolect import registry, testing
from toolect._detection.auto_search import AutoSearch
from toolect._detection.fast_auto import read_any
from toolect._detection.index import index
from toolect._detection.mixed import MixedMessage
from toolect._detection.ranking import MOST
from toolect._message import Call, Content, Message, RepairKind
from toolect._rendered import RenderError
from toolect._search.answer_search import AnswerSearch
from toolect._values.toolset import tool_schemas
from tools.conformance.no_calls import TOOLS as FOREIGN
from tools.conformance.no_calls import texts
from tools.conformance.quotations import TOOLS as QUOTED

AUTO = toolect.auto
FILES = sorted((shipped_corpus.ROOT / "auto").glob("*.txt"))
CASES = [case for path in FILES for case in shipped_corpus.read(path)]
SECONDS = 10
"""What the slowest machine may take for the largest hostile text: far above linear work, far below quadratic."""
SPLITS = 12
"""How often a text is split in two, at least."""

parametrize = functools.partial(pytest.mark.parametrize, "case", ids=str)


# Cases


@parametrize(CASES)
def test_says_what_is_expected(case: Case, request: pytest.FixtureRequest) -> None:
    """Each case reads as expected, its spans tile the text, and every call has a reader."""
    message = toolect.parse(case.text, **case.options)
    said = shipped_corpus.describe(message)
    if request.config.getoption("--update") and not case.has("error") and said != shipped_corpus.normal(case.expected):
        shipped_corpus.update(case, said)
    else:
        assert said == shipped_corpus.normal(case.expected), f"{case.path}:{case.line}"
    shipped_corpus.check_spans(message, case.text)
    assert message.exact == case.clean
    assert len(message.dialects) == len(message.calls)
    if case.has("error"):
        assert case.get("error") in [call.status for call in message.calls]


@parametrize(CASES)
@pytest.mark.parametrize("mode", ["lenient", "strict"])
def test_chunks_do_not_matter(case: Case, mode: str) -> None:
    """Splits in two all over, and single characters, give the message of the whole text and events that tell it."""
    message = AUTO.parse(case.text, mode=mode, **case.options)
    splits = range(1, len(case.text), 1 + len(case.text) // SPLITS)
    for chunks in [[case.text], list(case.text), *([case.text[:i], case.text[i:]] for i in splits)]:
        streamed, events = shipped_corpus.stream(AUTO, chunks, mode=mode, **case.options)
        assert shipped_corpus.same(streamed, message), chunks
        shipped_corpus.check_events(events, streamed)


@parametrize(CASES)
def test_strict_mode_reads_it_alike(case: Case) -> None:
    """A clean case reads the same in strict mode; where lenient mode repairs, strict mode gives no call to run."""
    strict = AUTO.parse(case.text, mode="strict", **case.options)
    assert strict.exact == case.clean
    assert not any(call.runnable and call.repairs for call in strict.calls)
    if case.clean:
        assert shipped_corpus.same(strict, AUTO.parse(case.text, **case.options))


@parametrize([case for case in CASES if case.path.stem == "prose"])
def test_prose_has_no_call(case: Case) -> None:
    """What is only shown, named or alike is content, as it stands."""
    message = toolect.parse(case.text, **case.options)
    assert not message.calls and message.content == case.text


@functools.cache
def own_cases() -> list[Case]:
    """Cases of all dialects that are read without repairs, and have a call."""
    return [case for case in shipped_corpus.all_cases() if case.canonical and "\ncall " in f"\n{case.expected}"]


@pytest.mark.parametrize("name", sorted(toolect.dialects()))
def test_finds_the_dialect_of_its_cases(name: str) -> None:
    """Of a dialect's own canonical cases, nearly all rank it first, alone or not, or one that reads the same calls."""
    cases = [case for case in own_cases() if case.dialect == name]
    missed = []
    for case in cases:
        options = {key: case.options[key] for key in ("tools", "prefix") if key in case.options}
        wanted = registry.dialect(name).parse(case.text, **options).calls
        found = toolect.detect(case.text, **options)
        first = [n for result in found if result.score == found[0].score for n in result.dialects]
        if name not in first and not any(
            registry.dialect(n).parse(case.text, **options).calls == wanted for n in first[:1]
        ):
            missed.append((case.title, found))
    assert len(missed) <= len(cases) // 10, missed


@pytest.mark.parametrize("name", sorted(toolect.dialects()))
def test_detect_says_what_parse_finds(name: str) -> None:
    """The dialect that a text is read in is the first result, or nothing tells it apart from that."""
    call = Call("find_tides", {"port": "Brest", "day": 2})
    for said in (Message([call]), Message([Content("I look."), call, Call("stop_all", {"a": "b c"})])):
        text = str(toolect.dialect(name).render(said))
        read = toolect.parse(text).dialects
        assert not read or read[0] in toolect.detect(text)[0].dialects


# Laws


@st.composite
def mixed_texts(draw: st.DrawFn) -> str:
    """Texts of several dialects, canonical and corrupted, in one, with prose and code blocks between."""
    parts = []
    for _ in range(draw(st.integers(1, 3))):
        dialect = registry.dialect(draw(st.sampled_from(sorted(toolect.dialects()))))
        kinds = [testing.wire_texts(dialect, hostile=True), testing.corrupted(dialect), testing.garbage(dialect)]
        text = draw(st.one_of(kinds))
        around = draw(st.sampled_from(["{}", "\n```json\n{}\n```\n", "Well `{}` and", "so \n{}\n\n", '"{}"']))
        parts.append(around.replace("{}", text))
    return "".join(parts)


@st.composite
def options(draw: st.DrawFn) -> dict[str, Any]:
    """What reading may be told."""
    found: dict[str, Any] = {"mode": draw(st.sampled_from(["strict", "lenient"]))}
    if draw(st.booleans()):
        found["tools"] = [{"name": "f"}, {"name": "get_weather"}]
    if draw(st.integers(0, 3)) == 0:
        found["prefix"] = draw(st.sampled_from(sorted(index().prefill)))
    policies = {"unknown_tool": "content", "malformed": "content", "after_calls": "drop"}
    return found | {policy: setting for policy, setting in policies.items() if draw(st.integers(0, 5)) == 0}


@given(text=mixed_texts(), how=options())
def test_tile(text: str, how: dict[str, Any]) -> None:
    """Segments and markup cover the text exactly, and every call has a reader."""
    message = AUTO.parse(text, **how)
    shipped_corpus.check_spans(message, text)
    assert len(message.dialects) == len(message.calls)


@given(data=st.data(), text=mixed_texts(), how=options())
def test_chunk_invariance(data: st.DataObject, text: str, how: dict[str, Any]) -> None:
    """However a text is cut, its message is that of the whole, and the events tell it."""
    expected = shipped_corpus.plain(AUTO.parse(text, **how))
    for chunks in ([text], list(text), data.draw(testing.chunkings(text))):
        message, events = shipped_corpus.stream(AUTO, chunks, **how)
        assert shipped_corpus.plain(message) == expected, chunks
        shipped_corpus.check_events(events, message)


@functools.cache
def short_cases() -> list[Case]:
    """Cases of all dialects that are not long."""
    return [case for case in shipped_corpus.all_cases() if len(case.text) < 1_000]


@st.composite
def corpus_texts(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """Texts of the corpora in one, each cut, damaged or with an end token in the middle, and the tools of one."""
    parts: list[str] = []
    how: dict[str, Any] = {}
    between = ["", "\n", "So.\n", "```\n", "```json\n", "`", '"', "<think>", "</think>\n", '{"a": 1}\n', "[", "{"]
    for _ in range(draw(st.integers(1, 3))):
        case = draw(st.sampled_from(short_cases()))
        text, at = case.text, draw(st.integers(0, len(case.text)))
        change = draw(st.sampled_from(["none", "head", "tail", "end", "damage"]))
        if change == "head":
            text = text[:at]
        elif change == "tail":
            text = text[at:]
        elif change == "end":
            text = text[:at] + draw(st.sampled_from(sorted(index().ends))) + text[at:]
        elif change == "damage":
            text = text[:at] + draw(st.sampled_from(between)) + text[at + draw(st.integers(0, 2)) :]
        parts += [draw(st.sampled_from(between)), text]
        if "tools" in case.options and draw(st.booleans()):
            how["tools"] = case.options["tools"]
    return "".join(parts), how


@given(data=st.data(), made=corpus_texts())
def test_chunk_invariance_of_what_models_write(data: st.DataObject, made: tuple[str, dict[str, Any]]) -> None:
    """The same of texts that the corpora hold, put together, cut and damaged, with tools and without."""
    text, how = made
    whole = AUTO.parse(text, **how)
    shipped_corpus.check_spans(whole, text)
    size = data.draw(st.integers(1, 40))
    for chunks in (list(text), [text[at : at + size] for at in range(0, len(text), size)]):
        message, events = shipped_corpus.stream(AUTO, chunks, **how)
        assert shipped_corpus.plain(message) == shipped_corpus.plain(whole), chunks
        assert isinstance(message, MixedMessage) and message.dialects == whole.dialects
        shipped_corpus.check_events(events, message)


def test_a_marker_in_a_code_block_may_come_in_two() -> None:
    """A code block whose first marker is cut in two by a chunk is the same block."""
    call = ']<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name="f">]<]minimax[>[</invoke>\n]<]minimax[>[</tool_call>'
    text = f"```\n{call}\n```\n"
    whole = AUTO.parse(text)
    for at in range(1, len(text)):
        message, _ = shipped_corpus.stream(AUTO, [text[:at], text[at:]])
        assert shipped_corpus.same(message, whole), text[:at]


@given(text=st.text(st.characters(exclude_categories=()), max_size=80) | mixed_texts())
def test_total(text: str) -> None:
    """Any string is read, and detected, without raising."""
    for call in toolect.parse(text).calls:
        assert isinstance(call.arguments_text, str)
    for found in toolect.detect(text):
        assert 0 < found.score <= 1 and 0 <= found.sure <= 1 and found.dialect not in found.same


def floods(size: int, more: int) -> Iterator[str]:
    """Hostile texts of up to `size` characters, and of up to `more` with openers of dialects, which are drawn."""
    units = [*"<[{\"`\\ \n\x00\ud83d｜('", "```\n", "```json\n", '{"a":', '{"a":x', "[{", '{"name":"f"', "f(", "a\n"]
    needles = sorted({opener.core for t in index().traits.values() for opener in t.openers})
    yield from (unit * (size // len(unit)) for unit in units)
    openers = shares.share([unit for needle in needles for unit in (needle, f"{needle}f")], 80, "needles")
    yield from (unit * (more // len(unit)) for unit in openers)


def test_floods_end_soon() -> None:
    """Texts made to be slow are read in time, and tile."""
    for text in floods(5_000, 400):
        start = time.process_time()
        message = toolect.parse(text)
        assert time.process_time() - start < SECONDS, text[:40]
        shipped_corpus.check_spans(message, text)


def test_floods_stream_alike() -> None:
    """Texts made to be slow give the same message one character at a time."""
    for text in floods(200, 60):
        message, events = shipped_corpus.stream(AUTO, text)
        assert shipped_corpus.same(message, toolect.parse(text)), text[:40]
        shipped_corpus.check_events(events, message)


def test_much_between_the_calls() -> None:
    """Many calls with content between them are read in linear time."""
    text = 'So.\n<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>\nWell. ' * 1_000
    start = time.process_time()
    message = toolect.parse(text)
    assert time.process_time() - start < SECONDS
    assert len(message.runnable) == 1_000


def test_json_that_is_no_call_is_content() -> None:
    """JSON without a call is content, whole or not."""
    records = '{"kind": "port", "name": "Brest", "depth": [3, {"a": {}}]}\n'
    for text in (records * 3, records[:-4], f"[{records}, 1]"):
        for message in (toolect.parse(text), shipped_corpus.stream(AUTO, text)[0]):
            assert message.content == text


def test_an_opener_in_vain_hides_nothing() -> None:
    """What is an opener and opens nothing is text, however often it comes."""
    vain, call = "<function_calls>\n", '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>'
    meant = '<get_f>{"a": 1}</get_f>\n'
    for often in (1, 200):
        message = toolect.parse(f"{vain * often}So:\n{meant}{call}")
        assert message.dialects == ("xml-tool-tag", "hermes")
        assert shipped_corpus.same(shipped_corpus.stream(AUTO, f"{vain * often}So:\n{meant}{call}")[0], message)


def test_detection_reads_a_part_of_a_long_text() -> None:
    """The dialects are told apart by what stands at the first marks, wherever they are."""
    call = "<tool_call>\n<function=f>\n<parameter=a>\nx\n</parameter>\n</function>\n</tool_call>\n"
    prose = "The tide (it turns at nine) is high.\n" * (2 * MOST // 30)
    best = toolect.detect(prose + call * (2 * MOST // len(call)))[0]
    assert (best.dialect, best.broken, best.score) == ("qwen3-coder", 0, 1)
    assert best.calls < 2 * MOST // len(call) and best.markers[0].at == len(prose)


# What is told


def test_a_message_tells_who_read_it() -> None:
    """The dialects stand beside the calls, and make no difference to equality."""
    call = '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>'
    message = toolect.parse(call)
    assert message == Message([Call("f", {"a": 1})])
    assert message.dialects == (toolect.detect(call)[0].dialect,)
    assert pickle.loads(pickle.dumps(message)).dialects == message.dialects


def test_what_only_some_read_names_none_of_them() -> None:
    """A closer is missing: the dialect is the one that the text is read in, not one that may leave the closer out."""
    call = '<tool_call>\n{"name": "f", "arguments": {"a": 1}}'
    best = toolect.detect(call)[0]
    assert set(toolect.parse(call).dialects) <= {*best.dialects} and "rwkv" not in best.dialects
    assert toolect.detect('<tool_code>[tide(port="Brest")]</tool_code>')  # read in one that has no sign


def test_ties_are_one_result() -> None:
    """Dialects that nothing in the text tells apart come together, and no two results share one."""
    found = toolect.detect('[TOOL_CALLS][{"name": "f", "arguments": {"a": 1}}]')
    assert found[0].same
    names = [name for result in found for name in result.dialects]
    assert len(names) == len(set(names))


def test_detection_shows_its_evidence() -> None:
    """Markers with their places, calls, coverage, and what speaks against a dialect."""
    text = "I go.\n<tool_call>\n<function=go>\n<parameter=to>\n1\n</parameter>\n</function>\n</tool_call>"
    best = toolect.detect(text)[0]
    assert {found.marker: found.at for found in best.markers}["<tool_call>"] == 6
    assert (best.calls, best.repaired, best.broken, best.against) == (1, 0, 0, ())
    assert best.score == 1 and best.sure > 0.5 and 0.9 < best.coverage < 1
    worse = toolect.detect(text.replace("</function>", "").replace("</parameter>", ""))[0]
    assert worse.score < 1 and any(reason.startswith("repairs:") for reason in worse.against)


def test_tools_decide_between_readings() -> None:
    """A call of a declared tool is better evidence than one of another."""
    text = '{"name": "f", "arguments": {}}'
    assert toolect.detect(text, [{"name": "f"}])[0].score > toolect.detect(text, [{"name": "g"}])[0].score


def test_nothing_is_found_in_prose() -> None:
    """Plain text has no dialect."""
    assert toolect.detect("It is nine o'clock, and all is well.") == ()
    assert toolect.detect("") == ()


def test_limit_bounds_the_results() -> None:
    """At most `limit` results come back."""
    text = '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>'
    assert len(toolect.detect(text, limit=1)) == 1


def test_auto_checks_what_it_is_told() -> None:
    """A wrong mode or policy is an error here as anywhere."""
    with pytest.raises(ValueError, match="mode"):
        toolect.parse("x", mode="loose")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="policy"):
        toolect.parse("x", politeness="high")


@pytest.mark.parametrize("name", ["auto", "hermes"])
def test_reading_has_no_key_order(name: str) -> None:
    """The order of keys is for rendering: who chooses it for a text is told where it belongs."""
    dialect = toolect.auto if name == "auto" else toolect.dialect(name)
    for read in (lambda **policies: dialect.parse("x", **policies), dialect.stream):
        with pytest.raises(TypeError, match="got 'key_order', which is for rendering: set it in the dialect's entry"):
            read(key_order="sorted")


def test_a_stream_is_closed_once() -> None:
    """After `close` nothing may be fed; `reset` begins anew."""
    stream = toolect.auto.stream()
    stream.feed("x")
    stream.close()
    assert stream.close() == []
    with pytest.raises(ValueError, match="close"):
        stream.feed("y")
    stream.reset()
    assert stream.feed("y, z") and stream.message == Message([Content("y, z")])


def test_only_an_opener_is_held_back() -> None:
    """Content is passed on at once; what may begin a call waits."""
    stream = toolect.auto.stream()
    assert [event.text for event in stream.feed("A word. ")] == ["A word."]  # type: ignore[union-attr]
    assert stream.pending == " "
    stream.feed("[TOOL_C")
    assert stream.pending == " [TOOL_C"
    more = "UP], and there is no more of it than that." + " So it goes on." * 3
    stream.feed(more)
    assert stream.pending == "" and stream.message.content == f"A word. [TOOL_C{more}"


def test_a_code_block_around_a_call_is_told() -> None:
    """Nothing is relaxed in silence: the fences that were left out are a repair."""
    message = toolect.parse('```xml\n<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>\n```')
    assert message.runnable and not message.content
    assert [(repair.kind, repair.at) for repair in message.repairs] == [(RepairKind.STRAY_MARKER, 0)]


def test_user_specs_take_part(tmp_path: Path) -> None:
    """A dialect that a user has loaded is found like any other."""
    (tmp_path / "grammars").mkdir()
    (tmp_path / "grammars" / "pier.lark").write_text(
        'start: (content | call)*\ncontent: TEXT\ncall: "<<pier " NAME ">>" JSON "<</pier>>"\n'
        "NAME: /\\w+/\n%declare TEXT JSON\n"
    )
    (tmp_path / "my.yaml").write_text(
        "pier:\n  map: {content: content, call: call, NAME: call.name, call/JSON: $arguments}\n"
    )
    text = 'So: <<pier f>>{"a": 1}<</pier>>'
    assert toolect.parse(text).calls == []
    old = registry._registry._shelves[:]
    try:
        toolect.load(tmp_path / "my.yaml")
        assert toolect.parse(text).dialects == ("pier",)
        assert toolect.detect(text)[0].dialect == "pier"
    finally:
        registry._registry._shelves = old


@pytest.mark.parametrize("name", sorted(toolect.dialects()))
def test_what_is_cut_off_is_no_answer(name: str) -> None:
    """Where a text ends in a call of a declared tool, that is told, as the dialect of the call tells it."""
    dialect = registry.dialect(name)
    try:
        wire = str(dialect.render(Message([Call("get_weather", {"city": "Paris"})]), QUOTED))
    except RenderError:
        return
    for end in {wire.index("get_weather") + 13, wire.index("Paris") + 3}:
        alone = AnswerSearch(dialect.spec, dialect._graph(), tool_schemas(QUOTED)).read(wire[:end])  # as `auto` reads
        runnable = [call.runnable for call in alone.calls]
        assert [call.runnable for call in AUTO.parse(wire[:end], QUOTED).calls] == runnable, wire[:end]


@pytest.mark.parametrize("name", sorted(toolect.dialects()))
def test_what_a_dialect_writes_is_read_so(name: str) -> None:
    """Where no tools are declared, `auto` finds nothing in a call of a dialect, or what that reads."""
    dialect = toolect.dialect(name)
    try:
        wire = dialect.render(Message([Call("wind", {"a": "Brest", "b": 3})]))
    except RenderError:
        return
    found = AUTO.parse(wire).runnable
    assert not found or found == dialect.parse(wire).runnable


def test_sources_hold_no_calls() -> None:
    """Pages, data and sources that come with Python: nothing in them is run, whether tools are declared or not."""
    read = list(texts(10_000, [Path(sysconfig.get_paths()["stdlib"])]))
    assert sum(len(text) for _, text in read) > 30_000
    assert [path for path, text in read for tools in (None, FOREIGN) if AUTO.parse(text, tools).runnable] == []


def test_the_fast_path_is_the_search() -> None:
    """Law: what is read without a search is what the search over all dialects finds, however the text is damaged."""
    random, taken = Random(shares.seed), 0
    for case in shares.share(shipped_corpus.all_cases(), 600, "fast"):
        dialect = toolect.dialect(case.dialect)
        calls = dialect.parse(case.text).calls
        at = random.randrange(len(case.text) + 1)
        odd = random.choice(["", "x", "<", "\n", "}", "```", case.text[:at][-12:]])
        for text in (case.text, case.text[:at] + odd + case.text[at + random.choice([0, 1, 3]) :]):
            for tools in (tool_schemas(None), tool_schemas([{"name": call.name} for call in calls if call.name])):
                found = read_any(index(), text, tools)
                if found is None:
                    continue
                taken += 1
                reader = AutoSearch(index(), tools, {})
                reader.read(text)
                assert (found, found.dialects) == (reader.message, reader.message.dialects), text
                assert [one.span for one in found.segments] == [one.span for one in reader.message.segments]
    assert taken > 100
