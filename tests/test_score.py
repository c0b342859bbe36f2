"""Scores: what counts as right, the reason for each difference, and expectations and answers in files."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
import shares
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

import toolect
from toolect import Call, Message, MessageError, Status
from toolect._cli import main
from toolect._message import Json
from toolect._rendered import RenderError
from toolect._rendering.roundtrip import tools_of
from toolect._scoring.argument_check import code_value
from toolect._scoring.call_check import matched
from toolect._scoring.expectation import ExpectedCall
from toolect._scoring.score_files import ExpectationFiles
from toolect.score import Grade, Reason, check, expectation, score, score_files, score_turns
from toolect.testing import values

CALL = '<tool_call>\n{"name": "tide", "arguments": {"port": "Brest"}}\n</tool_call>'


def tide(**arguments: Json) -> Call:
    """A call."""
    return Call("tide", arguments)


def tool(**properties: Json) -> list[Json]:
    """Its tool, as BFCL declares one."""
    return [{"name": "tide", "parameters": {"type": "dict", "properties": properties, "required": []}}]


def reasons(given: list[Call], expected: Json, tools: list[Json] | None = None, language: str = "") -> list[str]:
    """Why calls are not the expected ones."""
    return [miss.reason.value for miss in check(given, expectation(expected, tools, language))]


# Values: the rules of the checker of BFCL, a line each, with what it says.

INTEGERS = {"type": "array", "items": {"type": "integer"}}
OBJECTS = {"type": "array", "items": {"type": "dict"}}
VALUES = [
    ({"type": "string"}, ["New York"], "new-york", None),
    ({"type": "string"}, ["it's"], 'IT"S.', None),
    ({"type": "string"}, ["York"], "Yorks", "value"),
    ({"type": "string"}, ["5"], 5, "type"),
    ({"type": "string"}, ["", None], None, None),
    ({"type": "integer"}, [5], 5.0, "type"),
    ({"type": "integer"}, [1], True, "type"),
    ({"type": "integer"}, ["count"], "count", None),  # a variable
    ({"type": "integer"}, ["count"], "Count", "value"),
    ({"type": "float"}, [5.0], 5, None),
    ({"type": "number"}, [5.0], 5, None),
    ({"type": "float"}, [5.0], "5", "type"),
    ({"type": "float"}, [5.0], 10**400, "type"),
    ({"type": "boolean"}, ["", False], False, None),
    (INTEGERS, [[1, 2]], [1, 2], None),
    (INTEGERS, [[1, 2]], [2, 1], "value"),
    (INTEGERS, [[1, 2]], [1, "2"], "type"),
    (INTEGERS, ["", []], [], None),
    (INTEGERS, [], [], "type"),
    ({"type": "array", "items": {"type": "string"}}, [["A b"]], ["ab"], None),
    ({"type": "tuple", "items": {"type": "float"}}, [[1.5, 2]], [1.5, 2.0], None),
    ({"type": "dict"}, [{"a": ["x", "y"], "b": ["", 1]}], {"a": "Y"}, None),
    ({"type": "dict"}, [{"a": ["x"], "b": [1]}], {"a": "x"}, "value"),
    ({"type": "dict"}, [{"a": ["x"]}], {"a": "x", "c": 1}, "value"),
    (OBJECTS, [[{"a": [1]}, {"a": [2]}]], [{"a": 1}, {"a": 2}], None),
    (OBJECTS, [[{"a": [1]}, {"a": [2]}]], [{"a": 2}, {"a": 1}], "value"),
    (OBJECTS, [[{"a": [1]}]], [{"a": 1}, {"a": 1}], "value"),
    ({"type": "any"}, [3, "x"], 3, None),
    ({}, ["x"], "X", None),
    ({}, [{"a": [1]}], {"a": 1}, None),
]


@pytest.mark.parametrize(("declared", "options", "value", "reason"), VALUES)
def test_possible_values(declared: Json, options: Json, value: Json, reason: str | None) -> None:
    """A value that is one of those possible, by the type that is declared or that of the first of them."""
    found = reasons([tide(a=value)], [{"tide": {"a": options}}], tool(a=declared))
    assert found == ([] if reason is None else [reason])


def test_what_may_be_left_out() -> None:
    """An argument with "" among its values, unless the tool requires it; a tool may declare nothing that helps."""
    optional, needed = [{"tide": {"a": ["", 1]}}], [{"tide": {"a": [1]}}]
    assert reasons([tide()], optional, tool(a={})) == reasons([tide()], optional) == []
    assert reasons([tide()], needed) == ["missing argument"]
    required = [{"name": "tide", "parameters": {"properties": {"a": {}}, "required": ["a"]}}]
    assert reasons([tide()], optional, required) == ["missing argument"]
    for junk in ([], 5, "x", {"properties": [], "required": 5}, {"properties": {"a": 5}}):
        assert reasons([tide(a=1)], needed, [{"name": "tide", "parameters": junk}]) == []
        assert score(
            CALL, expectation([tide(port="Brest")], [{"name": "tide", "parameters": junk}], "java")
        ).grade.right


PLAIN = [
    ({"a": "New York"}, {"a": "new york"}, []),
    ({"a": 1}, {"a": 1.0}, []),
    ({"a": 1}, {"a": True}, ["type"]),
    ({"a": 1}, {"a": "1"}, ["type"]),
    ({"a": {"b": [1, {"c": "X"}]}}, {"a": {"b": [1.0, {"c": "x"}]}}, []),
    ({"a": {"b": 1}}, {"a": {"b": 1, "c": 2}}, ["value"]),
    ({"a": 1, "d": 7}, {"a": 1}, []),
    ({"a": 1}, {"a": 1, "d": 7}, []),
    ({"a": 1}, {"a": 1, "d": 8}, ["unexpected argument"]),
    ({"a": 1, "d": 8}, {"a": 1}, ["missing argument"]),
    ({"a": 1, "b": 2}, {"a": 2, "c": 1}, ["missing argument", "value", "unexpected argument"]),
]


@pytest.mark.parametrize(("expected", "given", "reason"), PLAIN)
def test_one_value(expected: Json, given: Json, reason: list[str]) -> None:
    """Values are compared at all levels; the default of a tool may be left out, or given."""
    assert reasons([tide(**given)], [tide(**expected)], tool(a={}, d={"type": "integer", "default": 7})) == reason


LITERALS = [
    ("java", "long", "", "5L", 5),
    ("java", "long", "", "5", "5"),
    ("java", "float", "", "3.5f", 3.5),
    ("java", "double", "", "1e3", 1000.0),
    ("java", "boolean", "", "true", True),
    ("java", "String", "", '"a"', '"a"'),
    ("java", "Array", "integer", "new int[]{1, 2}", [1, 2]),
    ("java", "Array", "String", 'new String[]{"a"}', ['"a"']),
    ("java", "ArrayList", "String", 'new ArrayList<>(Arrays.asList("a, b", "c"))', ["a, b", "c"]),
    ("java", "ArrayList", "long", "new ArrayList<Long>() {{ add(1L); add(2L); }}", [1, 2]),
    ("java", "ArrayList", "long", "new ArrayList<>(Arrays.asList(1L)", "new ArrayList<>(Arrays.asList(1L)"),
    ("java", "HashMap", "", 'new HashMap<String, Object>() {{ put("a", 1); put("b", "x"); }}', {"a": 1, "b": "x"}),
    ("java", "HashMap", "", "new HashMap<>()", {}),
    ("java", "HashMap", "", "config", "config"),
    ("javascript", "String", "", "'a'", "a"),
    ("javascript", "Bigint", "", "12n", 12),
    ("javascript", "float", "", "5", 5.0),
    ("javascript", "array", "String", "['a', \"b, c\"]", ["a", "b, c"]),
    ("javascript", "array", "array", "[[1, 2], [3]]", [[1, 2], [3]]),
    ("javascript", "array", "dict", "[{'a': 1}, {'a': 2}]", [{"a": 1}, {"a": 2}]),
    ("javascript", "array", "integer", "new Array(1, 2)", [1, 2]),
    ("javascript", "dict", "", "{a: {'b': true}, c: '7'}", {"a": {"b": True}, "c": 7}),
    ("javascript", "dict", "", "settings", "settings"),
]


@pytest.mark.parametrize(("language", "kind", "item", "text", "value"), LITERALS)
def test_literals(language: str, kind: str, item: str, text: str, value: Json) -> None:
    """What a literal of the declared type stands for; all else stays a text."""
    assert code_value(text, kind, item, language) == value


@pytest.mark.parametrize("language", ["java", "javascript"])
@pytest.mark.parametrize(
    "text",
    [
        "[" * 5000 + "]" * 5000,
        "{'a':" * 5000 + "}" * 5000,
        "new ArrayList<>(" * 5000,
        "new a[]{" * 9000,
        "'\"\\" * 9000,
        "9" * 9000,
    ],
)
def test_literals_of_hostile_texts(language: str, text: str) -> None:
    """Whatever is nested, left open or long is read, too."""
    for kind in ("array", "dict", "Array", "ArrayList", "HashMap", "integer", "Bigint", "double"):
        code_value(text, kind, "array", language)


# Calls


def test_calls_are_paired_in_any_order() -> None:
    """Also where the first that fits an expectation is the only one for another."""
    expected = [{"tide": {"port": ["Brest", "Oslo"]}}, {"tide": {"port": ["Brest"]}}]
    assert reasons([tide(port="Brest"), tide(port="Oslo")], expected) == []
    assert reasons([tide(port="Oslo"), tide(port="Oslo")], expected) == ["value"]


@given(st.lists(st.sets(st.integers(0, 5)), max_size=6))
def test_no_more_pairs_fit(fits: list[set[int]]) -> None:
    """As many rows as have different columns, in whichever order they are asked."""

    def most(rows: list[set[int]], taken: frozenset[int]) -> int:
        if not rows:
            return 0
        chosen = [1 + most(rows[1:], taken | {one}) for one in rows[0] - taken]
        return max([most(rows[1:], taken), *chosen])

    pairs = matched([sorted(row) for row in fits])
    assert len({*pairs.values()}) == len(pairs) == most(fits, frozenset())
    assert all(column in fits[row] for row, column in pairs.items())


def test_the_reason_of_each_difference() -> None:
    """Missing calls and those too many; another tool; a call that nobody wanted; any call."""
    assert reasons([tide()], [tide(), Call("moor", {})]) == ["count"]
    assert reasons([tide(), tide()], [tide()]) == ["count"]
    assert reasons([Call("moor", {})], [tide()]) == ["name"]
    assert reasons([tide()], []) == ["unwanted call"]
    assert reasons([], [tide()]) == ["no call"]
    assert reasons([], []) == reasons([tide()], None) == []
    assert reasons([], None) == ["no call"]
    assert reasons([tide()] * 400, [tide()] * 399) == ["count"]


@pytest.mark.parametrize("name", ["getTide", "get_Tide", "get-tide", "functions.get_tide"])
def test_the_name_that_a_text_has_counts(name: str) -> None:
    """Agents run such a call, which is repaired; as BFCL has it, it is of another tool, as one that came as a call."""
    text, tools = f'<tool_call>\n{{"name": "{name}", "arguments": {{}}}}\n</tool_call>', [{"name": "get_tide"}]
    assert toolect.dialect("hermes").parse(text, tools).runnable[0].name == "get_tide"
    for answer in (text, [Call(name, {})]):
        found = score(answer, [{"get_tide": {}}], tools)
        assert [miss.reason.value for miss in found.misses] == ["name"]
        assert name in found.misses[0].got
    assert score(toolect.parse(text, tools), [{"get_tide": {}}], tools).grade == "repaired"


@pytest.mark.parametrize(
    ("dialect", "text", "reason"),
    [("hermes", '<tool_call>\n{"name": "tide", "arguments": {"day": DAY}}\n</tool_call>', ["type"]),
     ("pythonic", "[tide(day=DAY)]", ["type"]),
     ("glm-4.5", "<tool_call>tide\n<arg_key>day</arg_key>\n<arg_value>DAY</arg_value>\n</tool_call>", [])],
)  # fmt: skip
def test_the_type_that_a_text_has_counts(dialect: str, text: str, reason: list[str]) -> None:
    """A text is no number where the format tells them apart, though agents are given the number."""
    for written, reasons in (("3", []), ('"3"' if reason else "3", reason)):
        found = score(text.replace("DAY", written), [{"tide": {"day": [3]}}], tool(day={"type": "integer"}), dialect)
        assert [miss.reason.value for miss in found.misses] == reasons


def test_grades_tell_formats_from_answers() -> None:
    """What cannot be read, or needed a repair, is no wrong answer."""
    assert score(CALL, [tide(port="brest")]).grade is Grade.RIGHT
    assert score(CALL.replace("}}", "}"), [tide(port="Brest")]).grade is Grade.REPAIRED
    assert score(CALL, [tide(port="Oslo")]).grade is Grade.WRONG
    assert score(CALL[:-30], [tide(port="Brest")]).grade is Grade.TRUNCATED
    assert score(CALL.replace('{"port": "Brest"}', "Brest?"), [tide(port="Brest")]).grade is Grade.MALFORMED
    assert score("Hi.", [tide(port="Brest")]).grade is Grade.NO_CALL
    assert score("Hi.", []).grade is Grade.RIGHT
    mixed = score(f"{CALL}\n{CALL[:-30]}", [tide(port="Brest"), tide(port="Brest")])
    assert mixed.grade is Grade.TRUNCATED and [miss.reason for miss in mixed.misses] == [Reason.TRUNCATED]
    assert score(CALL, [tide(port="Brest")], dialect="hermes").dialects == ("hermes",)


ARGUMENTS = st.dictionaries(st.sampled_from("abc"), values(), max_size=2)


@pytest.mark.parametrize("name", shares.share(toolect.dialects(), 12, "dialects that carry expected calls"))
@settings(max_examples=12)
@given(
    calls=st.lists(st.dictionaries(st.sampled_from("abc"), values(), max_size=2), min_size=1, max_size=4),
    seed=st.integers(),
)
def test_what_a_dialect_carries_is_right(name: str, calls: list[Json], seed: int) -> None:
    """The expected calls in any order, written and read back; one that is left out is found."""
    expected = [Call("tide", arguments) for arguments in calls]
    dialect, calls = toolect.dialect(name), list(expected)
    Random(seed).shuffle(calls)
    tools = tools_of(Message(calls))
    case = expectation(expected, tools)
    assert not check(calls, case) and check(calls[1:], case)
    try:
        text = dialect.render(calls, tools)
    except RenderError:
        return
    assert score(text, case, dialect=name).grade is Grade.RIGHT


class Harbour:
    """Ships that lie in a harbour."""

    def __init__(self) -> None:
        self.ships: list[str] = []

    def run(self, call: Call) -> Json:
        """A ship comes or goes."""
        self.ships = sorted(
            {*self.ships, call.arguments["ship"]} - ({call.arguments["ship"]} if call.name == "leave" else set())
        )
        return len(self.ships)

    def state(self) -> dict[str, Json]:
        """The ships."""
        return {"ships": self.ships}


def test_turns_are_compared_by_state() -> None:
    """The end of each turn counts, and the results; not the way there."""
    moor, leave = (lambda ship: Call("moor", {"ship": ship})), (lambda ship: Call("leave", {"ship": ship}))
    expected = [[moor("A"), moor("B")], [], [leave("A")]]
    assert score_turns([[moor("B"), moor("A"), moor("A")], [], [leave("A")]], expected, Harbour) == []
    found = score_turns([[moor("B"), moor("A")], [leave("B")], [leave("A")]], expected, Harbour)
    assert [(turn, miss.reason) for turn, miss in found] == [
        (2, Reason.STATE),
    ]
    found = score_turns([[], [], [leave("A")]], expected, Harbour)
    assert [(turn, miss.reason) for turn, miss in found][:2] == [(0, Reason.NO_CALL), (0, Reason.STATE)]
    assert score_turns([[moor("A"), moor("B")]], expected, Harbour)[0][1].reason is Reason.COUNT
    failed = Call("moor", {"ship": "C"}, status=Status.TRUNCATED)
    assert score_turns([[moor("A"), failed]], [[moor("A")]], Harbour) == []
    ((_, miss),) = score_turns([[moor("A")]], [[moor("A"), moor("A")]], Harbour)
    assert miss.reason is Reason.RESULT


# Files


def lines(path: Path, *rows: Json) -> str:
    """A file of rows."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows), "utf-8")
    return str(path)


def evaluate(*words: str) -> Result:
    """The command, in this process."""
    return CliRunner().invoke(main, ["eval", *words])


def test_data_of_bfcl(tmp_path: Path) -> None:
    """Questions and what is right, found beside each other; irrelevance and relevance have none."""
    question = {"function": tool(port={"type": "string"}), "question": []}
    lines(tmp_path / "BFCL_v4_simple.json", {"id": "simple_0", **question}, {"id": "simple_1", **question})
    truth = {"ground_truth": [{"tide": {"port": ["Brest"]}}]}
    lines(
        tmp_path / "possible_answer" / "BFCL_v4_simple.json", {"id": "simple_0", **truth}, {"id": "simple_1", **truth}
    )
    lines(tmp_path / "BFCL_v4_irrelevance.json", {"id": "irrelevance_0", **question})
    lines(tmp_path / "BFCL_v4_live_relevance.json", {"id": "live_relevance_0-0-0", **question})
    lines(tmp_path / "possible_answer" / "BFCL_v4_multi_turn.json", {"id": "multi_turn_0", "ground_truth": [["f()"]]})
    answers = lines(
        tmp_path / "result" / "a.json", {"id": "simple_0", "result": [{"tide": '{"port": "brest"}'}]},
        {"id": "simple_1", "result": "[tide(port='Oslo')]"}, {"id": "irrelevance_0", "result": "None fits."},
    )  # fmt: skip
    whole = score_files(str(tmp_path), [answers])
    assert [(one.name, one.cases, one.right) for one in whole.categories] == [("irrelevance", 1, 1), ("simple", 2, 1)]
    assert whole.skipped == {"multi_turn: not given as calls": 1, "live_relevance: no answers": 1}
    assert not whole.troubles
    for name in ("BFCL_v4_simple.json", "possible_answer/BFCL_v4_simple.json"):
        found = score_files(str(tmp_path / name), [answers])
        assert found.total.right == 1 and [why for _, why in found.troubles] == [
            "expected the id of an expectation, got `irrelevance_0` - at `id`"
        ]


def test_rows_of_conversations(tmp_path: Path) -> None:
    """What is expected are the calls of each answer; the answers may be rows of conversations, too."""
    call = {"id": "1", "type": "function", "function": {"name": "tide", "arguments": '{"port": "Brest"}'}}
    messages = [
        {"role": "user", "content": "Tide?"}, {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "content": "High."}, {"role": "assistant", "content": "High."},
    ]  # fmt: skip
    expected = lines(
        tmp_path / "expected.jsonl", {"messages": messages}, {"messages": messages}, {"messages": messages}
    )
    given = lines(tmp_path / "given.jsonl", {"text": CALL}, {"text": [CALL, CALL]}, {"messages": messages})
    found = score_files(expected, [given])
    assert not found.troubles
    assert (found.total.cases, found.total.right) == (5, 4) and found.reasons == {"unwanted call": 1}
    (wrong,) = found.wrong
    assert wrong.where == f"{given}:2" and wrong.text == CALL


GIVEN = [
    ({"text": CALL}, "right"),
    ({"response": CALL}, "right"),
    ({"message": {"role": "assistant", "content": CALL}}, "right"),
    ({"tool_calls": [{"function": {"name": "tide", "arguments": '{"port": "Brest"}'}}]}, "right"),
    ({"choices": [{"message": {"tool_calls": [{"function": {"name": "tide", "arguments": "{"}}]}}]}, "malformed"),
    ({"answer": [{"name": "tide", "arguments": {"port": "Brest"}}]}, "right"),
    ({"result": []}, "no call"),
    ({"text": ""}, "no call"),
]


@pytest.mark.parametrize(("row", "grade"), GIVEN)
def test_answers(row: Json, grade: str, tmp_path: Path) -> None:
    """An answer is text, or calls in any of the shapes that they come in."""
    expected = lines(tmp_path / "expected.jsonl", {"expected": [{"name": "tide", "arguments": {"port": "Brest"}}]})
    found = score_files(expected, [lines(tmp_path / "given.jsonl", row)])
    assert not found.troubles and {name for name, count in found.total.counts.items() if count} == {grade}


NO_EXPECTATION = "expected.jsonl:1: expected `expected`, `ground_truth`, or `messages` with an answer, got `id`"
ONE: Json = {"id": "a", "expected": []}
BAD = [
    ({"id": "a"}, None, NO_EXPECTATION),
    ("[1]", None, "expected.jsonl:1: expected a row as object, got `[1]` - at `$`"),
    ("{", None, "expected.jsonl:1: expected JSON, got"),
    ({"id": [], "expected": []}, None, "expected an id, as other rows have one, got `[]` - at `id`"),
    ({"expected": 5}, None, "expected calls as objects, got `5` - at `expected`"),
    ({"expected": [{"name": 5, "arguments": {}}]}, None, "expected text, got `int` - at `expected[0].name`"),
    ({"expected": [{"f": 5}]}, None, "expected an object of arguments, got `5` - at `expected[0].f`"),
    ({"expected": [{"name": "f", "arguments": "{"}]}, None, "expected calls whose arguments are objects, got `\"{\"`"),
    ({"expected": [], "tools": [5]}, None, "expected a tool with a name, got '5' - at `$[0]`"),
    ({"messages": [{"role": "user", "content": "Hi"}]}, None, "got `messages`"),
    (ONE, {"id": "b", "text": "Hi"}, "given.jsonl:1: expected the id of an expectation, got `b`"),
    (ONE, {"text": "Hi"}, "expected an id, as other rows have one, got nothing - at `id`"),
    ({"expected": []}, {"id": 1, "text": "Hi"}, "expected no id, as no expectation has one, got `1` - at `id`"),
    (ONE, {"id": "a"}, "expected an answer in text, completion, output, response"),
    (ONE, {"id": "a", "text": 5}, "expected an answer as text, message or calls, got `5` - at `text`"),
    ({"expected": []}, {"text": ["a", "b"]}, "given.jsonl:1: expected an answer to each turn of `1`, got 2 for 1"),
    ("[" * 100_000, None, "expected JSON, got too deep a nesting"),
]  # fmt: skip


@pytest.mark.parametrize(("row", "answer", "sentence"), BAD, ids=range(len(BAD)))
def test_a_row_that_cannot_be_used_is_told(row: Json, answer: Json, sentence: str, tmp_path: Path) -> None:
    """A sentence with the row and the part; what else there is counts all the same."""
    expected = lines(tmp_path / "expected.jsonl", row)
    given = [lines(tmp_path / "given.jsonl", answer)] if answer is not None else []
    done = evaluate(expected, *given, "--format", "text")
    assert done.exit_code == 1 and sentence in done.output, done.output


TOOL = tool(port={"type": "string", "default": "x"}, l={"type": "array", "items": {"type": "dict"}})
TOLD = {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "tide", "arguments": '{"port": "a"}'}}]}
SOUND = [
    {
        "id": "a",
        "category": "c",
        "text": CALL,
        "expected": [{"name": "tide", "arguments": {"port": "a"}}],
        "tools": TOOL,
    },
    {"id": "b_0", "function": TOOL, "ground_truth": [{"tide": {"port": ["a"], "l": ["", [{"a": ["", 1]}]]}}]},
    {
        "id": "java_0",
        "function": TOOL,
        "ground_truth": [{"tide": {"port": ["a"]}}],
        "result": [{"tide": {"port": "a"}}],
    },
    {"id": "d", "messages": [{"role": "user", "content": "x"}, TOLD], "tools": TOOL},
    {"id": "irrelevance_0", "function": TOOL},
]
JUNK: list[Json] = [
    None, True, -1, 1.5, 10**30, "", "x", "\ud800", "any", [], [[]], [None], ["x"], {}, [{}], {"a": [1]}, {"tide": {}},
    {"function": {}}, {"type": 5},
]  # fmt: skip


def spoiled(value: Json, chance: Random) -> Json:
    """A row with one of its parts replaced, or gone."""
    if chance.random() < 0.2 or not isinstance(value, dict | list) or not value:
        return chance.choice(JUNK)
    parts = dict(value) if isinstance(value, dict) else dict(enumerate(value))
    key = chance.choice([*parts])
    parts[key] = spoiled(parts[key], chance)
    if chance.random() < 0.1:
        del parts[key]
    return parts if isinstance(value, dict) else [*parts.values()]


@pytest.mark.parametrize("seed", range(30))
def test_rows_of_any_shape_are_read_or_told(seed: int, tmp_path: Path) -> None:
    """Nothing raises from inside, whatever a row holds, as an expectation or as an answer."""
    chance = Random(seed)
    for _ in range(10):
        rows, answers = ([spoiled(row, chance) if chance.random() < 0.5 else row for row in SOUND] for _ in range(2))
        words = [
            lines(tmp_path / f"{name}.jsonl", *map(json.dumps, lines_of))
            for name, lines_of in (("e", rows), ("a", answers))
        ]
        done = evaluate(*words, "--dialect", "hermes", "--format", chance.choice(["json", "text"]))
        assert done.exit_code in (0, 1, 2) and isinstance(done.exception, SystemExit | None), (rows, answers)


def test_a_file_without_rows_is_told_once(tmp_path: Path) -> None:
    """A table is no file of rows, and is left at its beginning; an array has its rows on any lines."""
    found = score_files(lines(tmp_path / "table.jsonl", *["text,expected", *["Hi,none"] * 50]))
    assert len(found.troubles) < 5 and "one a line: the rest of the file is left out" in found.troubles[-1][1]
    (tmp_path / "array.json").write_text(json.dumps([{"text": "Hi", "expected": []}] * 50, indent=1))
    assert score_files(str(tmp_path / "array.json")).total.right == 50


def test_duplicates_and_gaps(tmp_path: Path) -> None:
    """An id that comes twice, and an expectation without an answer where others have one."""
    rows: list[Json] = [{"id": one, "expected": []} for one in ("a", "b", "a")]
    given: list[Json] = [{"id": "a", "text": "Hi"}, {"id": "a", "text": "Ho"}]
    found = score_files(lines(tmp_path / "e.jsonl", *rows), [lines(tmp_path / "g.jsonl", *given)])
    assert found.total.counts["no answer"] == found.total.right == 1
    assert [why for _, why in found.troubles] == [
        f"expected one row of an id, got `a` again, as in {tmp_path}/e.jsonl:1 - at `id`",
        f"expected one answer to a row, got another in {tmp_path}/g.jsonl:1 - at `id`",
    ]


def test_rows_keep_their_numbers(tmp_path: Path) -> None:
    """A row that cannot be used moves no other, neither among expectations nor among answers."""
    expected = lines(tmp_path / "e.jsonl", {"expected": []}, "[1]", {"expected": [{"tide": {"port": ["Brest"]}}]})
    answers = lines(tmp_path / "a.jsonl", "{", {"text": 5}, {"text": CALL})
    found = score_files(expected, [answers])
    assert (found.total.cases, found.total.right, len(found.troubles)) == (2, 1, 3)
    assert [wrong.id for wrong in found.wrong] == ["1"]


def test_the_command(tmp_path: Path) -> None:
    """The report as JSON and as a page; any number of processes; misuse is a sentence."""
    rows: list[Json] = [{"text": CALL, "expected": [{"tide": {"port": [port]}}]} for port in ("Brest", "<Oslo>")] * 300
    path = lines(tmp_path / "rows.jsonl", *rows)
    page = tmp_path / "page.html"
    one = evaluate(path, "--jobs", "1", "--dialect", "hermes", "--html", str(page), "--limit", "3")
    two = evaluate(path, "--jobs", "2", "--dialect", "NousResearch/Hermes-3-Llama-3.1-8B", "--limit", "3")
    assert one.exit_code == two.exit_code == 1 and one.output == two.output
    report = json.loads(one.output)
    assert report["total"]["right"] == 300 and len(report["wrong"]) == 3 and report["reasons"] == {"value": 300}
    drawn = page.read_text("utf-8")
    assert "&lt;Oslo&gt;" in drawn and "<Oslo>" not in drawn
    right = lines(tmp_path / "right.jsonl", rows[0])
    assert evaluate(right).exit_code == 0
    assert "and 297 more" in evaluate(path, "--dialect", "hermes", "--limit", "3", "--format", "text").output
    for words, sentence in (
        ([str(tmp_path / "none.jsonl")], "expected a corpus, got nothing at"),
        ([lines(tmp_path / "no.jsonl", {"expected": []})], "expected answers to score, got none"),
        ([right, "--dialect", "none"], "expected a dialect, got `none`"),
    ):
        done = evaluate(*words)
        assert done.exit_code == 2 and sentence in done.output and "Traceback" not in done.output, done.output


def test_large_texts_are_scored(tmp_path: Path) -> None:
    """A megabyte in one answer, and in what is expected."""
    large = CALL.replace("Brest", "x" * (1 << 20))
    found = score_files(
        lines(tmp_path / "e.jsonl", {"text": large, "expected": [{"tide": {"port": ["X" * (1 << 20)]}}]})
    )
    assert found.total.right == 1
    assert score(large, [tide(port="y" * (1 << 20))]).grade is Grade.WRONG


def test_what_says_no_calls_is_refused() -> None:
    """In Python it raises."""
    for given_calls in ("f()", 5, [5], [{"f": {"a": 1}}], {"name": 5}):
        with pytest.raises(MessageError):
            expectation(given_calls)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"id": "a", "text": "x", "expected": None}, "got `id`, `text` - at"),
        ({"id": "a", "text": None, "expected": []}, "got `id`, `expected` - at"),
    ],
)
def test_columns_that_hold_nothing_are_none(row: dict[str, Any], reason: str, tmp_path: Path) -> None:
    """What is missing is not named among what is there."""
    (tmp_path / "rows.jsonl").write_text(json.dumps(row))
    (_, why), *_ = ExpectationFiles(str(tmp_path / "rows.jsonl")).troubles
    assert reason in why


def test_a_call_may_have_a_name_alone() -> None:
    """`{"name": …}` is a call without arguments, and a tool may be called `name`."""
    assert expectation([{"name": "tide"}]).calls == (ExpectedCall("tide", {}),)
    assert expectation([{"name": {"a": [1]}}]).calls == (ExpectedCall("name", {"a": [1]}, options=True),)
    (miss,) = score('<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>', [{"name": "tide"}]).misses
    assert str(miss) == 'name: expected `"tide"`, got `"now"` - at `tide`'
