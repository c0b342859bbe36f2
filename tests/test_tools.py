"""The tools under tools/: that the scorer tells agreement from difference."""

# ruff: noqa: ARG002  (the stub takes whatever a dialect takes)

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from toolect import registry
from toolect._diagnostic import Place
from toolect._events import ArgumentsDelta, CallEnd, CallStart, ContentDelta, Event, ReasoningDelta
from toolect._message import Call, Content, Json, Message, Reasoning, Repair, RepairKind, Segment, Status
from toolect._spec.grammar_model import Literal, Ref, Seq
from toolect._spec.model import Role, Rule, Spec
from tools import reports
from tools.bench import speed, workloads
from tools.conformance import other_parsers as conformance
from tools.conformance import wire_formats as formats
from tools.conformance.cases import Case
from tools.conformance.chunked import Markup, Streamed, disagreement, message_of_events, stream
from tools.conformance.running import guess, run
from tools.conformance.scoring import score
from tools.conformance.views import Reading


def said(*segments: Segment | str) -> Message:
    """A message; a plain string is content."""
    return Message([Content(segment) if isinstance(segment, str) else segment for segment in segments])


def f(arguments: Json = None, **fields: Any) -> Call:
    """A call of `f`."""
    return Call(fields.pop("name", "f"), {} if arguments is None else arguments, **fields)


def case(expect: Mapping[str, Json], **fields: Json) -> Case:
    """A case that expects this."""
    return msgspec.convert({"id": "t", "text": "wire", "dialect": "stub", "expect": expect, **fields}, Case)


def want(arguments: Json = None, **fields: Json) -> dict[str, Json]:
    """The expectation of one call of `f`."""
    return {"calls": [{"name": "f", "arguments": {} if arguments is None else arguments, **fields}]}


# One expectation of every kind: the column, what is expected, a message that fulfils it and one that does not.
EXPECTATIONS: list[tuple[str, dict[str, Json], Message, Message]] = [
    ("content", {"content": "a"}, said("a"), said("b")),
    ("content", {"content": ""}, said(), said("b")),
    ("content", {"content": "a b"}, said(" a b\n"), said("a  b")),
    ("bytes", {"content": "a"}, said("a"), said("a ")),
    ("content", {"reasoning": "a"}, said(Reasoning("a\n")), said("a")),
    ("bytes", {"reasoning": "a"}, said(Reasoning("a")), said(Reasoning("a\n"))),
    ("content", {"content_contains": ["a", "b"]}, said("b a"), said("a")),
    ("content", {"content_not_contains": ["<x>"]}, said("x"), said("a <x>")),
    ("content", {"reasoning_contains": ["a"]}, said(Reasoning("ba")), said("ba", Reasoning("b"))),
    ("calls", {"calls": []}, said("a"), said(f())),
    ("calls", want(), said(f()), said()),
    ("calls", want(), said(f()), said(f(), f())),
    ("calls", want(), said(f()), said(f(name="g"))),
    ("calls", want({"a": 1, "b": [None]}), said(f({"b": [None], "a": 1.0})), said(f({"a": 1, "b": []}))),
    ("calls", want({"a": 1}), said(f({"a": 1})), said(f({"a": True}))),
    ("calls", want({"a": 1}), said(f({"a": 1})), said(f({"a": "1"}))),
    ("calls", want({"a": 1}), said(f({"a": 1})), said(f({"a": 1, "b": 2}))),
    (
        "calls",
        want({"a": {"b": 1}}, arguments_match="subset"),
        said(f({"a": {"b": 1, "c": 2}, "d": 3})),
        said(f({"a": {"c": 1}, "d": 3})),
    ),
    ("calls", want({"a": [1]}, arguments_match="subset"), said(f({"a": [1]})), said(f({"a": [1, 2]}))),
    ("calls", want({"a": 1}, arguments_match="types"), said(f({"a": 2.5})), said(f({"a": "1"}))),
    ("calls", want({"a": 1}, arguments_match="types"), said(f({"a": 2})), said(f({"a": 1, "b": 1}))),
    ("calls", want(None, arguments_match="any"), said(f({"a": 2})), said(f(name="g"))),
    ("calls", {"calls": [{"name": None, "arguments": {"a": 1}}]}, said(f({"a": 1}, name="g")), said(f())),
    ("calls", want("not JSON"), said(f(spelling="not JSON")), said(f(spelling="other"))),
    ("calls", {**want(), "calls_match": "min"}, said(f(), f(name="g")), said(f(name="g"), f())),
    ("calls", {**want(), "calls_match": "min"}, said(f()), said()),
    ("calls", {"calls": None, "min_calls": 2}, said(f(), f()), said(f())),
    ("calls", want(None, id="c1"), said(f(id="c1")), said(f(id="c2"))),
    ("calls", want(None, id="c1"), said(f(id="c1")), said(f())),
    (
        "calls",
        want(None, arguments_match="any", arguments_contains=["[1,2]", '"a": [1']),
        said(f({"a": [1, 2]})),
        said(f({"a": [2, 1]})),
    ),
    ("calls", want({"a": 1}, arguments_raw='{"a":1}'), said(f({"a": 1})), said(f({"a": 2}))),
    (
        "calls",
        want({"a": 1, "b": 2}, arguments_raw='{"a":1,"b":2}'),
        said(f({"a": 1, "b": 2})),
        said(f({"b": 2, "a": 1})),
    ),
    (
        "bytes",
        want({"a": 1}, arguments_raw='{"a":1}'),
        said(f({"a": 1}, spelling='{"a":1}')),
        said(f({"a": 1})),
    ),
    ("calls", {"names_include": ["f"]}, said(f(name="g"), f()), said(f(name="g"))),
    ("calls", {"names_not": ["f"]}, said(f(name="g")), said(f(name="g"), f())),
    ("calls", {"arguments_not_contains": ["<x>"]}, said(f({"a": "x"})), said(f({"a": "b<x>"}))),
    ("calls", {"arguments_not_contains": ["<x>"]}, said(), said(f({"a": "b<x>"}, status=Status.TRUNCATED))),
    ("calls", {"error": True}, said(f(status=Status.MALFORMED)), said(f())),
    ("calls", {"error": "unknown"}, said(f(repairs=(Repair(RepairKind.JSON, 0),))), said(f())),
]


@pytest.mark.parametrize(("column", "expect", "right", "wrong"), EXPECTATIONS)
def test_tells_agreement_from_difference(column: str, expect: dict[str, Json], right: Message, wrong: Message) -> None:
    """Every kind of expectation can hold and can fail, in its own column."""
    good, bad = (score(case(expect), [Reading(message, "wire")]) for message in (right, wrong))
    assert getattr(good, column) is True
    assert [wrong for wrong in good.wrong if not wrong.startswith("bytes of ")] == []
    assert getattr(bad, column) is False
    assert bad.wrong
    assert good.passed
    assert bad.passed == (column == "bytes")


def test_what_is_not_asserted_is_not_scored() -> None:
    """A column without an assertion is neither held nor missed."""
    scored = score(case({"content": None, "reasoning": None, "calls": None}), [Reading(said("a", f()), "wire")])
    assert (scored.calls, scored.content, scored.bytes) == (None, None, None)


def test_every_expectation_is_known() -> None:
    """An expectation that the scorer does not know is refused, not passed over."""
    with pytest.raises(msgspec.ValidationError, match="contents"):
        case({"contents": "a"})
    with pytest.raises(msgspec.ValidationError, match="argument"):
        case({"calls": [{"argument": {}}]})


def test_outer_whitespace_counts_only_where_the_suite_counts_it() -> None:
    """A suite that compares modulo outer whitespace asserts no bytes."""
    scored = score(case({"content": "a"}, compare={"content": "strip"}), [Reading(said("a "), "wire")])
    assert (scored.content, scored.bytes) == (True, None)


# The rules


TEXT = "hi<c>f(</c>"
CUT = Call("f", {"a": 1}, status=Status.TRUNCATED, raw="<c>f(</c>", span=(2, 11))
BAD = Call("f", {"a": 1}, status=Status.MALFORMED, raw="f(", span=(5, 7))
HI = Content("hi", (0, 2))


@pytest.mark.parametrize(
    ("attempt", "expect", "passes"),
    [
        (CUT, {"calls": []}, True),
        (CUT, {"calls": [{"name": "f", "arguments": {"a": 1}}]}, True),
        (CUT, {"calls": [{"name": "f", "arguments": {"a": 2}}]}, False),
        (BAD, {"calls": []}, True),
        (BAD, {"calls": [{"name": "f", "arguments": {"a": 1}}]}, False),
        (CUT, {"calls": [{"name": "f", "arguments": {"a": 1}}], "content": TEXT}, False),
        *((BAD, {"calls": [], "content": content}, True) for content in ("hi", "hif(", TEXT)),
        (BAD, {"calls": [], "content": "hi<c>f("}, False),
        (BAD, {"calls": [], "content": ""}, False),
        (BAD, {"calls": [], "content": "hi f("}, False),
    ],
)
def test_attempts(attempt: Call, expect: dict[str, Json], passes: bool) -> None:
    """A truncated attempt may be a call, a malformed one never; their text may be content, and nothing else may."""
    assert score(case(expect), [Reading(Message([HI, attempt]), TEXT)]).passed is passes


def test_the_whole_text_is_content_only_without_calls() -> None:
    """Once a call was read, markup is not content."""
    message = Message([HI, BAD, Call("f", {}, raw="x", span=(7, 11))])
    assert not score(case({"content": TEXT, "calls": [{"name": "f"}]}), [Reading(message, TEXT)]).passed


THOUGHT = "<t>why</t> so"
THINKING = Message([Reasoning("why", (3, 6)), Content("so", (11, 13))])


@pytest.mark.parametrize(
    ("content", "fields", "passes"),
    [
        ("so", {"scope": "full"}, True),
        (THOUGHT, {"scope": "full"}, False),
        ("whyso", {"scope": "full"}, False),
        *((content, {"scope": "tools"}, True) for content in ("so", THOUGHT, "whyso", "<t>" + THOUGHT)),
        ("why", {"scope": "tools"}, False),
        (THOUGHT, {"scope": "full", "options": {"reasoning_format": "none"}}, True),
    ],
)
def test_reasoning_that_was_not_split_off(content: str, fields: dict[str, Json], passes: bool) -> None:
    """Reasoning is content only where upstream did not look for it."""
    assert score(case({"content": content}, **fields), [Reading(THINKING, THOUGHT, "<t>")]).passed is passes


MARKUP = Markup(("<c>", "</c>", "<f>"), ("</t>",), ("<e>",))


@pytest.mark.parametrize(
    ("content", "passes"), [("<t>why</t>so", True), ("<t>why</t><f>so", True), ("<t>whyso", False)]
)
def test_the_markup_around_content_may_be_gone(content: str, passes: bool) -> None:
    """Where reasoning stayed in the content with its markup, that around the content need not have."""
    message = Message([Reasoning("why", (3, 6)), Content("so", (13, 15))])
    reading = Reading(message, "<t>why</t><f>so", markup=MARKUP)
    assert score(case({"content": content}, scope="tools"), [reading]).passed is passes


@pytest.mark.parametrize(
    ("content", "passes"), [("so<e>", False), ("<f>so<e>", True), ("<f>so", True), ("so", True), ("<f>", False)]
)
def test_a_reasoning_splitter_leaves_all_markup(content: str, passes: bool) -> None:
    """The markup around content and the end token may be content, or not."""
    reading = Reading(Message([Content("so", (3, 5))]), "<f>so<e>", markup=MARKUP)
    assert score(case({"content": content}, scope="reasoning"), [reading]).passed is passes


def test_the_markers_in_an_attempt_may_be_gone() -> None:
    """An attempt may be content without its markers."""
    bad = Call("f", {}, status=Status.MALFORMED, raw=TEXT[2:], span=(2, 11))
    for content, passes in (("hif(", True), ("hi<c>f(", False)):
        reading = Reading(Message([HI, bad]), TEXT, markup=MARKUP)
        assert score(case({"content": content, "calls": []}), [reading]).passed is passes


@pytest.mark.parametrize(
    ("message", "reasoning", "passes"),
    [
        (Message([Reasoning("why")]), "why", True),
        (Message([Reasoning("why")]), "Steps:\nwhy", True),
        (Message([Reasoning("why")]), "Other:\nwhy", False),
        (Message([], [Repair(RepairKind.STRAY_MARKER, 0, "Steps:")]), "Steps:", True),
        (Message(), "Steps:", False),
    ],
)
def test_the_words_of_the_prompt_may_be_reasoning(message: Message, reasoning: str, passes: bool) -> None:
    """What the prompt opened reasoning with may be a part of it, and so may what the model repeats."""
    assert score(case({"reasoning": reasoning}), [Reading(message, "", "Steps:\n")]).passed is passes


def test_markup_stays_content_where_only_reasoning_was_read() -> None:
    """A reasoning splitter leaves the wire text of calls alone."""
    message = Message([Reasoning("why", (3, 6)), Call("f", {}, raw="<c>", span=(10, 13))])
    readings = [Reading(message, "<t>why</t><c>")]
    assert score(case({"content": "</t><c>", "reasoning": "why"}, scope="reasoning"), readings).passed
    assert not score(case({"content": "", "reasoning": "why"}, scope="reasoning"), readings).passed


# Running


class Stub:
    """A dialect that says what it is told to say, for each text and policy."""

    def __init__(self, says: Mapping[str, Message], **parts: Any) -> None:
        self.says = says
        self.streamed: Mapping[str, Message] = parts.get("streamed", {})
        self.open: Mapping[str, Message] = parts.get("open", {})
        self.policy: Mapping[tuple[str, str], Message] = parts.get("policy", {})
        self.rendered: Mapping[str, str] = parts.get("rendered", {})
        self.prefixes: set[str] = set()
        think = Rule("think", Seq(()), Place("", 1, 1))
        self.spec = Spec("stub", {"think": think}, {"think": Role.REASONING}, prefill={"<t>": "think"}, end=("<e>",))

    def parse(self, text: str, tools: Json = None, *, mode: str = "", prefix: str = "", **policies: str) -> Message:
        self.prefixes.add(prefix)
        return next((self.policy[item] for item in policies.items() if item in self.policy), self.says[text])

    def stream(self, tools: Json = None, *, mode: str = "lenient", prefix: str = "", **policies: str) -> StubStream:
        return StubStream(self, policies)

    def render(self, message: Message, tools: Json = None) -> str:
        return self.rendered[message.content]


class StubStream:
    """Says what `open` holds for the text so far, and everything else when it is closed."""

    def __init__(self, dialect: Stub, policies: dict[str, str]) -> None:
        self.dialect, self.policies, self.text, self.message = dialect, policies, "", Message()

    def feed(self, chunk: str) -> list[Event]:
        self.text += chunk
        return events(self.dialect.open.get(self.text, Message()))

    def close(self) -> list[Event]:
        complete = self.dialect.parse(self.text, **self.policies)
        self.message = self.dialect.streamed.get(self.text, complete)
        said_before = len(events(self.dialect.open.get(self.text, Message())))
        return events(self.message)[said_before:]


def events(message: Message) -> list[Event]:
    """The events that tell a message."""
    made: list[Event] = []
    for segment in message.segments:
        if isinstance(segment, Call):
            index = sum(isinstance(event, CallEnd) for event in made)
            made += [CallStart(index, segment.id, segment.name), ArgumentsDelta(index, segment.arguments_text)]
            made.append(CallEnd(index, segment))
        else:
            made.append((ContentDelta if isinstance(segment, Content) else ReasoningDelta)(segment.text))
    return made


def test_three_ways_of_reading_have_to_agree() -> None:
    """A stream that differs is found, also where the case asserts nothing about the difference."""
    whole, layout = said(f(span=(0, 4))), said(f(span=(1, 4)))
    assert run(case(want()), Stub({"wire": whole})).agree
    result = run(case(want()), Stub({"wire": whole}, streamed={"wire": layout}))
    assert (result.passed, result.agree) == (True, False)
    assert "streams disagree" in result.score.wrong[-1]
    result = run(case(want()), Stub({"wire": whole}, streamed={"wire": said("a")}))
    assert (result.passed, result.agree) == (False, False)


@pytest.mark.parametrize(
    "wrong",
    [
        [ContentDelta("a")],
        [*events(said("a", Reasoning("b"), f({"x": 1}))), ContentDelta("a")],
        events(said("a", Reasoning("c"), f({"x": 1}))),
        events(said("a", Reasoning("b"), f({"x": 2}))),
        [e for e in events(said("a", Reasoning("b"), f({"x": 1}))) if not isinstance(e, ArgumentsDelta)],
    ],
)
def test_events_have_to_tell_the_message(wrong: Sequence[Event]) -> None:
    """Deltas that do not join to the message are found."""
    message = said("a", Reasoning("b"), f({"x": 1}))
    assert not disagreement(message, Streamed(message, message, events(message)))
    assert disagreement(message, Streamed(message, message, list(wrong)))


def test_an_exception_is_a_failure() -> None:
    """A dialect that raises fails the case, also one that asserts nothing else."""
    result = run(case({"must_not_raise": True}), Stub({}))
    assert (result.passed, result.agree, result.raised) == (False, False, True)
    assert run(case({"must_not_raise": True, "content": "x"}), Stub({"wire": said()})).passed


def test_open_calls_are_truncated() -> None:
    """What a consumer knows before a call has ended is a truncated attempt with the arguments so far."""
    sofar = message_of_events(
        [ContentDelta("a"), CallStart(0, "c1", "f"), ArgumentsDelta(0, '{"x'), ArgumentsDelta(0, '": 1')]
    )
    (call,) = sofar.calls
    assert (sofar.content, call.name, call.id, call.arguments_text) == ("a", "f", "c1", '{"x": 1')
    assert call.status is Status.TRUNCATED
    assert message_of_events(events(said("a", f({"x": 1}), f()))) == said("a", f({"x": 1}), f())


def test_a_case_that_another_policy_passes_names_it() -> None:
    """A failing case is read again under each policy."""
    dialect = Stub({"wire": said(f())}, policy={("unknown_tool", "content"): said("wire")})
    result = run(case({"content": "wire", "calls": []}), dialect)
    assert (result.passed, result.policy) == (False, "unknown_tool=content")


@pytest.mark.parametrize(
    ("fields", "prefix"),
    [
        ({}, ""),
        ({"generation_prompt": "ask<t>"}, "ask<t>"),
        ({"options": {"starts_in_reasoning": True}}, "<t>"),
        ({"options": {"starts_in_reasoning": True}, "generation_prompt": "ask"}, "ask"),
    ],
)
def test_the_prompt_is_passed_on(fields: dict[str, Json], prefix: str) -> None:
    """The generation prompt, or the dialect's own way to start in reasoning, is the prefix."""
    dialect = Stub({"wire": said("a")})
    assert run(case({"content": "a"}, **fields), dialect).passed
    assert dialect.prefixes - {""} == {prefix} - {""}


class Thinking(Stub):
    """Reads reasoning where the prompt opens it, and content otherwise."""

    def parse(self, text: str, tools: Json = None, *, mode: str = "", prefix: str = "", **policies: str) -> Message:
        return said(Reasoning("why") if prefix.endswith("<t>") else "why")

    def stream(self, tools: Json = None, *, mode: str = "lenient", prefix: str = "", **policies: str) -> StubStream:
        return StubStream(self, {**policies, "prefix": prefix})


@pytest.mark.parametrize(
    ("source", "prompt", "reasoning", "passes"),
    [
        ("template", "ask", "why", True),
        ("template", "ask", "", False),
        ("template", None, "why", False),
        ("suite", "ask", "why", False),
        ("suite", "ask<t>", "why", True),
    ],
)
def test_a_template_may_leave_out_the_opener(source: str, prompt: str | None, reasoning: str, passes: bool) -> None:
    """Reasoning that a template wrote may lack the opener that its own prompt ends with."""
    expect: dict[str, Json] = {"reasoning": reasoning, "content": "" if reasoning else "w"}
    result = run(case(expect, source=source, generation_prompt=prompt), Thinking({}))
    assert result.passed is passes


def test_an_unfinished_text_may_be_held_back() -> None:
    """Without an end of input, the state after the last chunk counts; with one, it does not."""
    dialect = Stub({"wire": said("wi", "re")}, open={"wire": said("wi")})
    assert run(case({"content": "wi"}, finished=False), dialect).passed
    assert run(case({"content": "wire"}, finished=False), dialect).passed
    assert not run(case({"content": "w"}, finished=False), dialect).passed
    assert not run(case({"content": "wi"}), dialect).passed


# From the command line


def write_corpus(tmp_path: Path, *cases: dict[str, Json]) -> str:
    """A corpus directory of these cases."""
    lines = [json.dumps({"id": f"t{n}", "dialect": "stub", "source": "s", **c}) for n, c in enumerate(cases)]
    (tmp_path / "some.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    return str(tmp_path)


@pytest.fixture
def stub(monkeypatch: pytest.MonkeyPatch) -> Stub:
    """The only dialect there is."""
    dialect = Stub({"a": said("a"), "b": said(f())})
    monkeypatch.setattr(conformance, "known_dialects", lambda _: {"stub": dialect})
    monkeypatch.delenv("TOOLECT_CORPUS", raising=False)
    monkeypatch.delenv("TOOLECT_FORMATS", raising=False)
    return dialect


@pytest.mark.usefixtures("stub")
def test_prints_rates_and_failures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rates are counted by dialect and kind, failures show expected and got, and a difference is no error."""
    corpus = write_corpus(
        tmp_path,
        {"text": "a", "kind": "clean", "expect": {"content": "a", "calls": []}},
        {"text": "b", "kind": "clean", "expect": {"content": "", "calls": []}},
        {"text": "b", "kind": "truncated", "expect": {"calls": [{"name": "f", "arguments": {}}]}},
        {"text": "b", "kind": "clean", "expect": {"calls": []}, "known_broken": "a bug"},
        {"text": "b", "kind": "clean", "expect": {"calls": []}, "dialect": None},
    )
    out = tmp_path / "out.json"
    monkeypatch.setattr(conformance, "REPORTS", tmp_path)
    monkeypatch.setattr(reports, "REPORTS", tmp_path)
    assert conformance.main([corpus, "--failures", "--json", str(out), "--write"]) == 0
    counted = {
        "calls": [2, 3],
        "content": [2, 2],
        "bytes": [2, 2],
        "streams": [3, 3],
        "pass": [2, 3],
        "policies": [2, 3],
    }
    assert json.loads((tmp_path / "conformance.json").read_text("utf-8")) == {"stub": counted}
    assert "| stub    | 3     | 66% 2/3 |" in (tmp_path / "conformance.md").read_text("utf-8")
    printed = capsys.readouterr().out
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in printed.splitlines() if line.startswith("|")
    ]
    assert ["stub", "clean", "2", "50% 1/2", "100% 2/2", "100% 2/2", "100% 2/2", "50% 1/2", "50% 1/2"] in rows
    assert ["stub", "truncated", "1", "100% 1/1", "", "", "100% 1/1", "100% 1/1", "100% 1/1"] in rows
    assert ["stub", "s", "calls", "1"] in rows
    assert "t1  [stub, clean, full]  calls, pass, policies\n  text  'b'\n  1 calls, expected 0" in printed
    assert "t2 " not in printed
    written = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert [(line["id"], line["pass"]) for line in written] == [("t0", True), ("t1", False), ("t2", True)]


def test_a_disagreeing_stream_is_an_error(tmp_path: Path, stub: Stub) -> None:
    """Streams that differ, and exceptions, give exit code 1."""
    corpus = write_corpus(tmp_path, {"text": "a", "expect": {"content": "a"}})
    assert conformance.main([corpus]) == 0
    stub.streamed = {"a": said("b")}
    assert conformance.main([corpus]) == 1
    assert conformance.main([write_corpus(tmp_path, {"text": "unknown", "expect": {}})]) == 1


# Formats


ONE, TWO = f({"a": 1}), f({"a": 2})
ENTRY: dict[str, Json] = {
    "name": "stub",
    "example_single": "one",
    "example_parallel": "two",
    "completion_full": "REASON</t>CONTENT one<e>\n",
    "arguments_expected_single": [{"name": "f", "arguments": {"a": 1}}],
    "arguments_expected": [{"name": "f", "arguments": {"a": 1}}, {"name": "f", "arguments": {"a": 2}}],
    "prompt_tail": "ask<t>",
    "quirks": [{"note": "odd", "text": "odd", "expected": [{"name": "f", "arguments": {"a": 1}}]}],
}
FULL = said(Reasoning("REASON"), "CONTENT", ONE)
READ = {"one": said(ONE), "two": said(ONE, TWO), "REASON</t>CONTENT one<e>\n": FULL, "odd": said(ONE)}
RENDERED = {"": "one", "CONTENT": "<t>REASON</t>CONTENT one"}


def wrong_formats(read: Mapping[str, Message], **parts: Any) -> list[str]:
    """The titles of what does not hold."""
    entry = msgspec.convert({**ENTRY, "example_parallel": None}, formats.Entry)
    dialect = Stub({**READ, **read}, **{"rendered": RENDERED, **parts})
    return [check.title for check in formats.check(entry, dialect) if check.wrong]


def test_formats_hold() -> None:
    """A dialect that reads and writes as described has nothing wrong."""
    assert wrong_formats({}) == []
    entry = msgspec.convert({**ENTRY, "quirks": []}, formats.Entry)
    checks = formats.check(entry, Stub(READ, rendered=RENDERED))
    assert [check.title for check in checks if check.wrong] == ["example_parallel, rendered"]


@pytest.mark.parametrize(
    ("fields", "wrong"),
    [
        ({"prompt_tail": None}, []),
        ({"prompt_tail": "ask", "prompt_tail_template_default": "ask<t>"}, []),
        ({"prompt_tail": None, "completion_full": "why"}, ["completion_full, strict", "completion_full, rendered"]),
    ],
)
def test_the_completion_follows_any_of_its_prompts(fields: dict[str, Json], wrong: list[str]) -> None:
    """The default prompt counts as well, and one that opens reasoning where there is some."""

    class Opened(Stub):
        def parse(self, text: str, tools: Json = None, *, mode: str = "", prefix: str = "", **policies: str) -> Message:
            return self.says[text] if text in ("one", "odd") or prefix.endswith("<t>") else said("x")

        def stream(self, tools: Json = None, *, mode: str = "", prefix: str = "", **policies: str) -> StubStream:
            return StubStream(self, {**policies, "prefix": prefix})

    entry = msgspec.convert({**ENTRY, "example_parallel": None, **fields}, formats.Entry)
    checks = formats.check(entry, Opened(READ, rendered={**RENDERED, "x": "y"}))
    assert [check.title for check in checks if check.wrong] == wrong


@pytest.mark.parametrize(
    ("read", "parts", "wrong"),
    [
        ({"one": said(TWO)}, {}, ["example_single, strict"]),
        ({"one": said(f({"a": 1}, status=Status.REPAIRED))}, {}, ["example_single, strict"]),
        ({"one": said(f({"a": 1}, repairs=(Repair(RepairKind.JSON, 0),)))}, {}, ["example_single, strict"]),
        ({"one": said("", ONE, "x")}, {"rendered": {**RENDERED, "x": "one"}}, ["example_single, strict"]),
        ({}, {"rendered": {**RENDERED, "": "one\n"}}, ["example_single, rendered"]),
        ({}, {"rendered": {"": "one"}}, ["completion_full, rendered"]),
        ({"odd": said(f({"a": 1}, status=Status.TRUNCATED))}, {}, ["quirk: odd"]),
        ({"odd": said(ONE, ONE)}, {}, ["quirk: odd"]),
        ({}, {"streamed": {"odd": said(TWO)}}, ["quirk: odd"]),
        ({}, {"streamed": {"one": said(TWO)}}, ["example_single, strict"]),
    ],
)
def test_formats_fail(read: dict[str, Message], parts: dict[str, Json], wrong: list[str]) -> None:
    """Each kind of difference is found where it is."""
    assert wrong_formats(read, **parts) == wrong


# The benchmark


SPEC = Spec(
    "stub",
    {
        "start": Rule("start", Seq((Ref("call"), Literal(" <a> "))), Place("", 1, 1)),
        "call": Rule("call", Seq((Literal("<call>\n"), Literal("\n"), Literal("</call>"))), Place("", 1, 1)),
        "string": Rule("string", Literal("'"), Place("", 1, 1), value=True),
    },
    {},
)


def test_markers_of_a_dialect() -> None:
    """Markers are a grammar's literals without outer whitespace; those of value languages do not count."""
    assert workloads.markers(SPEC) == ["<a>", "<call>", "</call>"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('hi <call>{"a": "x]}"}</call> [1]', ['{"a": "x]}"}']),
        ('[CALL] [{"a": 1}, {"a": 2}]', ['[{"a": 1}, {"a": 2}]']),
        ("f(a={1}, b=[2])", []),
        ("no call", []),
    ],
)
def test_the_json_of_the_calls_is_found(text: str, found: list[str]) -> None:
    """The payload is the outermost JSON that holds calls."""
    assert workloads.payloads(text, [f()]) == found


def test_workloads_have_their_size() -> None:
    """Arguments of about 120 characters; code and prose as large as they say, and code that is code."""
    assert 110 <= len(workloads.message("short").calls[0].arguments_text) <= 130
    assert len(workloads.message("parallel").calls) == 8
    assert [len(workloads.message(w).calls[0].arguments["content"]) for w in ("code20", "code200")] == [20_000, 200_000]
    assert 19_900 <= len(workloads.message("prose20").content) <= 20_000
    compile(workloads.code(len(workloads.FUNCTION) * 3).rpartition("def ")[0], "steps.py", "exec")


def test_the_benchmark_covers_every_dialect() -> None:
    """Each dialect writes every workload, reads it back, and streams it alike."""
    for name in registry.dialects():
        dialect = registry.dialect(name)
        for workload in ("short", "parallel", "prose20"):
            wire = workloads.wire(dialect, workload)
            assert wire is not None, (name, workload)
            if workload != "prose20":
                streamed = stream(dialect, workloads.pieces(wire.text), {})
                assert not disagreement(dialect.parse(wire.text), streamed), (name, workload)


def report(loads: float = speed.LOADS, **us: float) -> speed.Report:
    """Figures of texts: µs whole, and in 25 chunks where the name ends in `streamed`."""
    readings = []
    for what, time in us.items():
        text, way = what.replace("_", " ").rsplit(" ", 1)
        readings.append(speed.Reading("stub", text, way, 25 * (way == speed.STREAMED), {speed.US: time}, {}))
    return speed.Report("2026-01-01", "3.11", {}, loads, readings, {})


def missed(made: speed.Report) -> list[str]:
    """The goals that these figures miss."""
    return [goal for goal, _, kept, *_ in list(speed.held(made))[1:] if kept != "1 of 1"]


def test_goals_tell_kept_from_missed() -> None:
    """Each goal can be kept and missed, and limits in µs move with the machine."""
    assert missed(report(short_whole=7, short_streamed=62, code20_whole=13, code200_whole=143)) == []
    assert missed(report(short_whole=8)) == ["short whole, µs"]
    assert missed(report(code20_whole=10, code200_whole=111)) == ["code200 whole × code20 whole"]
    assert missed(report(short_streamed=63)) == ["short streamed, µs"]
    assert missed(report(short_streamed=63, loads=2)) == []
    assert missed(report(prose20_whole=10, prose20_auto_whole=201)) == ["prose20 auto whole × prose20 whole"]
    flaws = missed(report(short_whole=7, short_blank_whole=18, short_auto_whole=36))
    assert flaws == ["short blank whole × short whole", "short auto whole × short whole"]


def test_only_a_right_answer_wins() -> None:
    """Beside others stands the fastest that is right; streams that wait for whole calls do not count."""
    times = {speed.US: 10.0, "quick": 5.0, "slow": 20.0}
    row = speed.Reading("stub", "short", "streamed", 25, times, {"quick": "calls []"})
    made = msgspec.structs.replace(report(), readings=[row])
    assert list(speed.beside(made, speed.US, ()))[1] == ("short streamed", "1 of 1", "2.00", "2.00 (stub, slow)")
    row.wrong.clear()
    assert list(speed.beside(made, speed.US, ()))[1][1:3] == ("0 of 1", "0.50")
    assert list(speed.beside(made, speed.US, ("quick",)))[1][1:3] == ("1 of 1", "2.00")


# Detection

CALL = '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>'


@pytest.mark.parametrize(
    ("text", "fields", "figures"),
    [
        (CALL, {"kind": "clean", "expect": {"calls": [{"name": "f", "arguments": {"a": 1}}]}}, (True, True, None)),
        (CALL, {"kind": "clean", "expect": {"calls": [{"name": "g", "arguments": {}}]}}, (True, False, None)),
        ("All is well.", {"kind": "no_call", "expect": {"calls": []}}, (None, True, True)),
    ],
)
def test_detection_is_scored(text: str, fields: dict[str, Json], figures: tuple[bool | None, ...]) -> None:
    """The dialect found, what is read without one, and calls that nobody else sees."""
    case = msgspec.convert({"id": "x", "dialect": "hermes", "text": text, **fields}, Case)
    found = guess(case, registry.dialect("hermes"))
    assert tuple(found.columns[name] for name in ("detected", "read", "none invented")) == figures
    assert found.agree and not found.fails
