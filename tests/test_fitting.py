"""Arguments fit what the tools declare: values, their text, and what was passed on of it say the same."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import toolect
from toolect._events import ArgumentsDelta
from toolect._message import Call, Json, Message
from toolect._values.fitting import Fitting, fits
from toolect._values.schema import Schema
from toolect._values.toolset import tool_schemas
from toolect._values.type_names import item_type, types_named

DECLARED = {
    "type": "object",
    "properties": {
        "seats": {"type": "int"},
        "window": {"type": ["boolean", "null"]},
        "note": {"type": "string"},
        "when": {"type": "object", "properties": {"day": {"type": "integer"}, "name": {"type": "string"}}},
        "rows": {"type": "List[int]"},
        "any": {},
    },
}
TOOLS = [
    {"name": "book", "parameters": DECLARED},
    {"name": "find", "parameters": {"properties": {"n": {"type": "int"}}}},
]
TEXTS = st.sampled_from(
    ["1", "-2.0", "true", "None", "null", "x", "", "[1]", '["1"]', '{"day": "1"}', '"', "\\", "020", "é\n"]
)
VALUES = st.recursive(
    TEXTS | st.integers(0, 9) | st.booleans() | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["day", "name", "x"]), inner),
    max_leaves=6,
)
KEYS = st.sampled_from([*DECLARED["properties"], "arguments", "input", "else"])
ARGUMENTS = st.dictionaries(KEYS, VALUES, max_size=4) | st.builds(
    lambda key, inner: {key: inner}, st.sampled_from(["arguments", "input"]), st.dictionaries(KEYS, VALUES, max_size=2)
)


@example({"rows": '["1"]', "when": '{"day": "1"}'}, 2, False)
@given(ARGUMENTS, st.integers(1, 7), st.booleans())
def test_text_fits_however_it_comes(arguments: dict[str, Json], size: int, indented: bool) -> None:
    """Pieces of any size come to the same text, which is JSON, and in which nothing is left to do."""
    schema = Schema(DECLARED)
    text = json.dumps(arguments, indent=2 if indented else None)
    whole, pieces = Fitting(schema), Fitting(schema)
    fitted = whole.feed(text) + whole.close()
    assert "".join(pieces.feed(text[i : i + size]) for i in range(0, len(text), size)) + pieces.close() == fitted
    assert pieces.changes == whole.changes
    assert whole.changes or fitted == text
    assert whole.changes == [] if fits(schema, arguments) else True
    again = Fitting(schema)
    assert again.feed(fitted) + again.close() == fitted


@pytest.mark.parametrize(
    "name", ["hermes", "mistral-v3", "openai-chat", "lfm2", "gemma4", "llama3-json", "gcml", "cwm"]
)
@pytest.mark.parametrize("size", [1, 4, 1000])
def test_what_streams_is_what_is_said(name: str, size: int) -> None:
    """The pieces that were passed on are the text of the arguments, and that says their values."""
    dialect = toolect.dialect(name)
    given = {"seats": "2", "window": "true", "note": "2", "when": {"day": "5", "name": "6"}, "rows": ["1", "2"]}
    wire = dialect.render(Message([Call("book", given), Call("find", {"input": {"n": "7"}})]))
    stream = dialect.stream(tools=TOOLS)
    events = [event for i in range(0, len(wire), size) for event in stream.feed(wire[i : i + size])] + stream.close()
    book, find = stream.message.calls
    when = {"day": 5, "name": "6"}
    assert book.arguments == {"seats": 2, "window": True, "note": "2", "when": when, "rows": [1, 2]}
    assert find.arguments == {"n": 7}
    for index, call in enumerate((book, find)):
        text = "".join(e.text for e in events if isinstance(e, ArgumentsDelta) and e.index == index)
        assert text == call.arguments_text
        assert json.loads(text) == call.arguments
    assert stream.message == dialect.parse(wire, TOOLS)
    assert [str(repair.kind) for repair in book.repairs] == ["coercion"] * 5
    assert [str(repair.kind) for repair in find.repairs] == ["wrapped", "coercion"]


def test_a_text_goes_to_the_only_parameter() -> None:
    """What is no object is the only argument where it can be, and nothing where it cannot."""
    parse = toolect.dialect("hermes").parse

    def read(arguments: str, kind: str) -> Json:
        tools = [{"name": "f", "parameters": {"properties": {"a": {"type": kind}}}}]
        text = '<tool_call>\n{"name": "f", "arguments": ' + arguments + "}\n</tool_call>"
        call = parse(text, tools).calls[0]
        return call.arguments if call.runnable else None

    assert [read("5", "integer"), read("[1]", "array"), read("5", "string")] == [{"a": 5}, {"a": [1]}, {"a": "5"}]
    assert [read("5", "array"), read('"x"', "integer"), read('"x y"', "string")] == [None, None, {"a": "x y"}]


def test_names_of_types() -> None:
    """Words that people use are types; others are none."""
    known = {
        "Float": "number", "uint8": "integer", "long": "integer", "bool": "boolean", "Dict[str, int]": "object",
        "str": "string", "number[]": "array", "tuple": "array", "int64_t": "integer", "varchar(20)": "string",
    }  # fmt: skip
    assert {word: "".join(types_named(word)) for word in known} == known
    assert types_named("Optional[int]") == types_named("int | None") == {"integer", "null"}
    assert types_named("any") == types_named("int | Any") == types_named("") == frozenset()
    assert (item_type("List[int]"), item_type("number[]"), item_type("list")) == ("int", "number", "")


def test_names_of_tools() -> None:
    """A name with others before it is the tool that it ends with, where there is one such."""
    called = tool_schemas([{"name": name} for name in ("find", "mail.send", "send", "a.b", "b")]).called
    names = ["functions.find", "find.find", "x:find", "mail.send", "x.mail.send", "x.send", "no.such", "find.x", "a.b"]
    assert [called(name) for name in names] == [
        "find", "find", "find", "mail.send", "x.mail.send", "send", "no.such", "find.x", "a.b",
    ]  # fmt: skip


def test_a_tool_without_parameters_lacks_no_arguments() -> None:
    """Where the next call begins, a call without arguments is whole only if its tool takes none."""
    tools = [{"name": "ring"}, {"name": "dim", "parameters": {"properties": {"level": {"type": "integer"}}}}]
    parse = toolect.dialect("glm-4.7").parse
    for name, status in (("ring", "repaired"), ("dim", "malformed"), ("ri", "malformed")):
        first, second = parse(f"<tool_call>{name}<tool_call>ring</tool_call>", tools).calls
        assert (str(first.status), str(second.status)) == (status, "ok"), name


def test_schemas_are_kept_for_equal_tools_and_for_no_others() -> None:
    tools = [{"name": "f", "parameters": {"type": "object", "properties": {"a": {"type": "string"}}}}]
    first = tool_schemas(tools)
    assert tool_schemas([{**tools[0]}]) is first
    tools[0]["parameters"]["properties"]["a"]["type"] = "integer"  # type: ignore[index]  # the caller's own
    assert tool_schemas(tools).of("f").member("a").types == ("integer",)  # type: ignore[union-attr]  # declared
    assert first.of("f").member("a").types == ("string",)  # type: ignore[union-attr]  # declared
    ones = [tool_schemas([{"name": "f", "parameters": {"const": one}}]).of("f") for one in (1, True, 1.0)]
    assert [one.types for one in ones] == [("integer",), ("boolean",), ("number",)]
    assert list(tool_schemas(tool for tool in tools)) == ["f"] and not tool_schemas([])
