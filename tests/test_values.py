"""Value languages: depth, schemas inside of values, and what a stream passes on when."""

from __future__ import annotations

import time

import corpus
import pytest
from msgspec import structs

import toolect
from toolect import registry
from toolect.compiled import Dialect
from toolect.engine import subschema
from toolect.events import ArgumentsDelta
from toolect.ir import Call, Content, Json, Message, Status
from toolect.spec.model import Codec, CodecKind, Seq

TAG = "]<]minimax[>[<"
DEEP = {
    "cohere-cmd5": (
        '<cofl:tool_calls><cofl:tool_call id="0" name="f"><cofl:value name="a" type="list">',
        '<cofl:value type="list">',
    ),
    "functiongemma": ("<start_function_call>call:f{a:", "["),
    "minimax-m3": (f'{TAG}tool_call>\n{TAG}invoke name="f">', f"{TAG}a>"),
}


@pytest.mark.parametrize("name", DEEP)
def test_depth_has_a_bound(name: str) -> None:
    """Values that nest a hundred thousand deep are malformed, soon, in one piece and in many."""
    opener, level = DEEP[name]
    text = opener + level * 100_000
    dialect = toolect.dialect(name)
    start = time.process_time()
    (call,) = dialect.parse(text).calls
    assert call.status is Status.MALFORMED
    assert call.error is not None
    assert "nested too deep" in call.error
    message, _ = corpus.stream(dialect, (text[i : i + 999] for i in range(0, len(text), 999)))
    assert message.calls == [call]
    assert time.process_time() - start < 10


@pytest.mark.parametrize("name", DEEP)
def test_what_nests_less_is_carried(name: str) -> None:
    """Eighty levels are no trouble."""
    value: Json = "x"
    for _ in range(40):
        value = {"a": [value]}
    message = Message([Call("f", {"a": value})])
    dialect = toolect.dialect(name)
    assert dialect.parse(str(dialect.render(message))).calls[0].arguments == {"a": value}


SCHEMA: Json = {
    "properties": {
        "one": {"$ref": "#/$defs/node"},
        "either": {"anyOf": [{"type": "null"}, {"properties": {"x": {"type": "integer"}}}]},
        "any": {"additionalProperties": {"type": "number"}},
        "lost": {"$ref": "#/$defs/nothing"},
        "round": {"$ref": "#/properties/round"},
    },
    "$defs": {"node": {"properties": {"next": {"$ref": "#/$defs/node"}, "s": {"type": "string"}}}},
}


@pytest.mark.parametrize(
    ("path", "found"),
    [
        (["one", "next", "next", "s"], {"type": "string"}),
        (["either", "x"], {"type": "integer"}),
        (["any", "whatever"], {"type": "number"}),
        (["lost", "x"], None),
        (["round", "x"], None),
        (["other"], None),
    ],
)
def test_schemas_of_members(path: list[str], found: Json) -> None:
    """A member's schema is found through references and alternatives; there may be none."""
    schema: Json = SCHEMA
    for key in path:
        schema = subschema.member(SCHEMA, schema, key)
    assert schema == found


def test_schemas_that_refer_to_themselves_a_lot() -> None:
    """Alternatives of alternatives are looked at once each."""
    root: Json = {"$defs": {}}
    for i in range(30):
        root["$defs"][f"d{i}"] = {"anyOf": [{"$ref": f"#/$defs/d{(i + k) % 30}"} for k in range(10)]}
    start = time.process_time()
    assert subschema.member(root, root["$defs"]["d0"], "x") is None
    assert time.process_time() - start < 1


def deltas(name: str, pieces: list[str], tools: Json = None) -> list[str]:
    """The argument text that each piece makes the stream pass on."""
    stream = toolect.dialect(name).stream(tools)
    return ["".join(e.text for e in stream.feed(piece) if isinstance(e, ArgumentsDelta)) for piece in pieces]


def test_typed_elements_are_passed_on_as_they_arrive() -> None:
    """Text flows; JSON waits until it is complete."""
    pieces = [
        '<cofl:tool_calls><cofl:tool_call id="0" name="f">',
        '<cofl:value name="a" type="list"><cofl:value type="raw">on',
        "e",
        '</cofl:value><cofl:value type="json">{"x": ',
        "1}</cofl:value></cofl:value>",
        "</cofl:tool_call>",
    ]
    assert deltas("cohere-cmd5", pieces) == ["", '{"a": ["on', "e", '", ', '{"x": 1}]', "}"]


def test_elements_wait_until_their_name_does_not_come_again() -> None:
    """Whether a value is one or the first of a list shows at the next name."""
    tags = [f"{TAG}{key}>{value}{TAG}/{key}>" for key, value in (("a", "1"), ("a", "2"), ("b", "x"))]
    pieces = [f'{TAG}tool_call>\n{TAG}invoke name="f">', *tags, f"{TAG}/invoke>\n{TAG}/tool_call>"]
    assert deltas("minimax-m3", pieces) == ["", "", "", '{"a": [1, 2]', ', "b": "x"}']


@pytest.mark.parametrize("name", ["olmo3", "gemma-tool-code"])
@pytest.mark.parametrize("value", ["b", "bc", ["b", "c"], 3])
def test_arguments_are_not_written_without_their_name(name: str, value: Json) -> None:
    """Where arguments may be read without a name, one whose name cannot be written is refused."""
    with pytest.raises(toolect.Unrepresentable, match="argument key: does not match"):
        toolect.dialect(name).render(Message([Call("f", {"first name": value})]))


def test_what_a_codec_refuses_is_unrepresentable() -> None:
    """A value language whose scalars are texts refuses a number, as an argument would."""
    dialect = Dialect(structs.replace(registry.spec("minimax-m3"), codecs={"scalar/TEXT": Codec(CodecKind.TEXT)}))
    assert dialect.parse(dialect.render(Message([Call("f", {"a": "x"})]))).calls[0].arguments == {"a": "x"}
    with pytest.raises(toolect.Unrepresentable, match="scalar: expected a string, got integer"):
        dialect.render(Message([Call("f", {"a": 1})]))


def test_a_rule_without_a_place_is_unrepresentable() -> None:
    """Content whose rule is empty cannot be written, and raises nothing else."""
    hermes = registry.spec("hermes")
    rules = hermes.rules | {"content": structs.replace(hermes.rules["content"], expr=Seq(()))}
    with pytest.raises(toolect.Unrepresentable):
        Dialect(structs.replace(hermes, rules=rules)).render(Message([Content("x")]))
