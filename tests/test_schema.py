"""JSON Schemas of tools: what they declare, however they say it, is the same in every dialect that asks them."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from functools import cache
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import toolect
from toolect import registry
from toolect._message import Call, Json, Message, same_json
from toolect._prompting.python import annotation
from toolect._prompting.typescript import typescript
from toolect._spec.codec_model import Codec, CodecKind, Spelling
from toolect._spec.leaves import reached
from toolect._values.schema import MAX_OPTIONS, Schema
from toolect._values.schema_keywords import MAX_LEVELS, TYPES


def written_codecs(name: str) -> list[Codec]:
    """The codecs of the texts that a dialect writes."""
    spec = registry.spec(name)
    written = reached({rule: made for rule, made in spec.rules.items() if rule not in spec.unwritten})
    return [codec for key, codec in spec.codecs.items() if key.partition("/")[0] in written]


DIALECTS = [
    n
    for n in toolect.dialects()
    if any(c.kind is CodecKind.SCHEMA or c.spelling is Spelling.YAML for c in written_codecs(n))
]
"""Those that read the text of a value by what its tool declares."""
RAW = "RawText"
INTEGER, TEXT = {"type": "integer"}, {"type": "string"}
MAYBE = [{"type": "null"}, {"type": "integer"}]


@cache
def wire(name: str) -> str:
    """A call in a dialect, with `RAW` as the text of its argument `a`."""
    call = Call("f", {"a": RAW})
    return str(toolect.dialect(name).render(Message([call]), tools({"properties": {"a": TEXT}})))


def tools(parameters: Json) -> Json:
    return [{"name": "f", "parameters": parameters}]


def read(name: str, raw: str, parameters: Json) -> Json:
    """What argument `a` is, whole and in pieces, when its text is `raw`."""
    dialect, text = toolect.dialect(name), wire(name).replace(RAW, raw)
    message = dialect.parse(text, tools(parameters))
    stream = dialect.stream(tools=tools(parameters))
    for at in range(0, len(text), 3):
        stream.feed(text[at : at + 3])
    stream.close()
    assert stream.message == message
    return message.calls[0].arguments.get("a", ...)


# What a schema says, and the types of `a`

SAYS: dict[str, tuple[Json, tuple[str, ...]]] = {
    "a type": ({"properties": {"a": INTEGER}}, ("integer",)),
    "several types": ({"properties": {"a": {"type": ["integer", "null"]}}}, ("null", "integer")),
    "a reference": ({"properties": {"a": {"$ref": "#/$defs/x"}}, "$defs": {"x": TEXT}}, ("string",)),
    "an old reference": ({"properties": {"a": {"$ref": "#/definitions/x"}}, "definitions": {"x": TEXT}}, ("string",)),
    "a reference to a reference": (
        {"properties": {"a": {"$ref": "#/$defs/x"}}, "$defs": {"x": {"$ref": "#/$defs/y"}, "y": TEXT}},
        ("string",),
    ),
    "a reference beside a description": (
        {"properties": {"a": {"description": "d", "default": "1", "$ref": "#/$defs/x"}}, "$defs": {"x": TEXT}},
        ("string",),
    ),
    "a reference into a list": (
        {"properties": {"a": {"$ref": "#/$defs/x/anyOf/1"}}, "$defs": {"x": {"anyOf": [INTEGER, TEXT]}}},
        ("string",),
    ),
    "escapes": (
        {"properties": {"a": {"$ref": "#/$defs/x~1y~0z%20%25"}}, "$defs": {"x/y~z %": TEXT}},
        ("string",),
    ),
    "a key that is empty": ({"properties": {"a": {"$ref": "#/$defs/"}}, "$defs": {"": TEXT}}, ("string",)),
    "nowhere": ({"properties": {"a": {"$ref": "#/$defs/x"}}}, TYPES),
    "no item there": ({"properties": {"a": {"$ref": "#/required/4"}}, "required": ["a"]}, TYPES),
    "elsewhere": ({"properties": {"a": {"$ref": "https://example.com/x.json"}}}, TYPES),
    "no reference": ({"properties": {"a": {"$ref": 3}}}, TYPES),
    "itself": ({"properties": {"a": {"$ref": "#/properties/a"}}}, TYPES),
    "a circle": (
        {"properties": {"a": {"anyOf": [{"$ref": "#/$defs/x"}]}}, "$defs": {"x": {"$ref": "#/properties/a"}}},
        TYPES,
    ),
    "a root that refers": ({"$ref": "#/$defs/x", "$defs": {"x": {"properties": {"a": TEXT}}}}, ("string",)),
    "a root of several": ({"allOf": [{"properties": {"b": INTEGER}}, {"properties": {"a": TEXT}}]}, ("string",)),
    "a root of one of several": ({"oneOf": [{"properties": {"b": {}}}, {"properties": {"a": TEXT}}]}, ("string",)),
    "other members": ({"additionalProperties": TEXT}, ("string",)),
    "other members, but not this": ({"properties": {"a": INTEGER}, "additionalProperties": TEXT}, ("integer",)),
    "members with a pattern": ({"patternProperties": {"(a+)+$": TEXT}, "additionalProperties": False}, ("string",)),
    "members with patterns": ({"patternProperties": {"^a": TEXT, "^b": INTEGER}}, ("integer", "string")),
    "Optional[Enum]": (
        {
            "properties": {"a": {"anyOf": [{"$ref": "#/$defs/Color"}, {"type": "null"}], "default": None}},
            "$defs": {"Color": {"enum": ["1", "20"], "title": "Color", "type": "string"}},
        },
        ("null", "string"),
    ),
    "Optional[Model]": (
        {
            "properties": {"a": {"anyOf": [{"$ref": "#/$defs/M"}, {"type": "null"}]}},
            "$defs": {"M": {"properties": {"x": INTEGER}, "type": "object"}},
        },
        ("null", "object"),
    ),
    "one of": ({"properties": {"a": {"oneOf": MAYBE}}}, ("null", "integer")),
    "any of, and one says nothing": ({"properties": {"a": {"anyOf": [INTEGER, {"description": "any"}]}}}, TYPES),
    "all of, and one says nothing": ({"properties": {"a": {"allOf": [TEXT, {"minLength": 1}]}}}, ("string",)),
    "all of": ({"properties": {"a": {"allOf": [{"anyOf": MAYBE}, {"type": "number"}]}}}, ("integer",)),
    "all of, and they disagree": ({"properties": {"a": {"allOf": [TEXT, INTEGER]}}}, ("string",)),
    "all of many": ({"properties": {"a": {"allOf": [{"type": ["number", "null"]}] * 2}}}, ("null", "number")),
    "its type beside others": ({"properties": {"a": {"type": "string", "anyOf": [INTEGER, {}]}}}, ("string",)),
    "a constant": ({"properties": {"a": {"const": "20"}}}, ("string",)),
    "the constant null": ({"properties": {"a": {"const": None}}}, ("null",)),
    "values": ({"properties": {"a": {"enum": ["20", None, 2.5]}}}, ("null", "number", "string")),
    "no values": ({"properties": {"a": {"enum": []}}}, TYPES),
    "fields": ({"properties": {"a": {"properties": {"b": {}}}}}, ("object",)),
    "alternatives with fields": (
        {"properties": {"a": {"properties": {}, "anyOf": [{"required": ["b"]}]}}},
        ("object",),
    ),
    "items": ({"properties": {"a": {"items": TEXT}}}, ("array",)),
    "first items": ({"properties": {"a": {"prefixItems": [TEXT]}}}, ("array",)),
    "a type that is none": ({"properties": {"a": {"type": "any"}}}, TYPES),
    "anything": ({"properties": {"a": {}}}, TYPES),
    "true": ({"properties": {"a": True}}, TYPES),
    "any of, and one is true": ({"properties": {"a": {"anyOf": [TEXT, True]}}}, TYPES),
    "members in two alternatives": (
        {"anyOf": [{"properties": {"a": INTEGER}}, {"properties": {"a": {"type": "null"}}}, {"type": "null"}]},
        ("null", "integer"),
    ),
}
NOTHING: dict[str, Json] = {
    "another": {"properties": {"b": TEXT}},
    "nothing": {},
    "false": {"properties": {"a": False}},
    "no others": {"additionalProperties": False},
    "any others": {"additionalProperties": True},
    "others of which nothing is said": {"additionalProperties": {}},
    "others of which nothing is said elsewhere": {"additionalProperties": {"$ref": "#/$defs/x"}, "$defs": {"x": {}}},
    "others that may be anything": {"additionalProperties": {"anyOf": [TEXT, {}]}},
    "no mapping": {"properties": ["a"]},
    "no schema": {"properties": {"a": "string"}},
    "what it refers to has no members": {"$ref": "#/$defs/x", "$defs": {"x": TEXT}},
}


@pytest.mark.parametrize("case", SAYS)
def test_types(case: str) -> None:
    """The types of a member are found wherever the schema says them."""
    schema, types = SAYS[case]
    member = Schema(schema).member("a")
    assert member is not None
    assert member.types == types


@pytest.mark.parametrize("case", NOTHING)
def test_not_declared(case: str) -> None:
    """Where nothing is said of a member, there is no schema of it."""
    assert Schema(NOTHING[case]).member("a") is None


@pytest.mark.parametrize("name", DIALECTS)
def test_every_dialect_reads_by_the_same_schema(name: str) -> None:
    """A number is a text where only a text is declared, and a number where numbers are; so wherever that is said."""
    for case, (schema, types) in SAYS.items():
        if "integer" in types or "number" in types or types == ("string",):
            assert read(name, "20", schema) == ("20" if types == ("string",) else 20), case


def inner(schema: Json, *path: str | int) -> tuple[str, ...] | None:
    at: Schema | None = Schema(schema)
    for step in path:
        at = at and (at.member(step) if isinstance(step, str) else at.item(step))
    return at and at.types


NODE = {
    "properties": {
        "next": {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]},
        "s": TEXT,
        "all": {"items": {"$ref": "#"}},
    }
}
TREE = {"$ref": "#/$defs/node", "$defs": {"node": NODE}}
TUPLE = {"prefixItems": [TEXT, INTEGER], "items": {"type": "boolean"}}


@pytest.mark.parametrize(
    ("schema", "path", "types"),
    [
        (TREE, ("next", "next", "s"), ("string",)),
        (TREE, ("next",), ("null", "object")),
        (TREE, ("all", 3, "s"), ("string",)),
        (TREE, ("next", "x"), None),
        (TREE, ("s", "x"), None),
        (TUPLE, (0,), ("string",)),
        (TUPLE, (1,), ("integer",)),
        (TUPLE, (2,), ("boolean",)),
        (TUPLE, (10**9,), ("boolean",)),
        (TUPLE | {"items": False}, (2,), None),
        (TUPLE | {"items": True}, (2,), TYPES),
        ({"items": [TEXT], "additionalItems": INTEGER}, (0,), ("string",)),
        ({"items": [TEXT], "additionalItems": INTEGER}, (1,), ("integer",)),
        ({"items": [TEXT]}, (1,), None),
        ({"anyOf": [{"type": "null"}, {"items": TEXT}]}, (7,), ("string",)),
        ({"items": {"additionalProperties": {"items": TEXT}}}, (0, "k", 0), ("string",)),
    ],
)
def test_schemas_inside(schema: Json, path: tuple[str | int, ...], types: tuple[str, ...] | None) -> None:
    """Members of members and items of items have their schemas, at any depth."""
    assert inner(schema, *path) == types


def test_names_of_members() -> None:
    """They come in the order in which the schema and what belongs to it tell of them, each once."""
    parts = [{"$ref": "#/$defs/x"}, {"properties": {"b": {}, "d": {}}}]
    assert Schema(
        {"properties": {"b": {}}, "allOf": parts, "$defs": {"x": {"properties": {"c": {}, "b": {}}}}}
    ).names == ("b", "c", "d")
    assert Schema(TREE).names == ("next", "s", "all")


# A schema and its equivalents


def dressed(schema: dict[str, Json], random: Random, root: dict[str, Json]) -> Json:
    """Another schema that says the same; what it refers to is put into `root`."""
    found: Json = {
        key: {name: dressed(one, random, root) for name, one in value.items()} if key == "properties"
        else dressed(value, random, root) if key in ("items", "additionalProperties") and isinstance(value, dict)
        else value
        for key, value in schema.items()
    }  # fmt: skip
    for _ in range(random.randrange(3)):
        found = random.choice(WAYS)(found) if random.random() < 0.6 else referred(found, random, root)
    return found


def referred(schema: Json, random: Random, root: dict[str, Json]) -> Json:
    """A reference to the schema, which may need escapes."""
    word = random.choice(["$defs", "definitions"])
    name = f"{random.choice(['x', 'a/b', '~1', ' ', '%2F', ''])}{len(root.setdefault(word, {}))}"
    root[word][name] = schema
    return {"$ref": f"#/{word}/" + name.replace("~", "~0").replace("/", "~1").replace("%", "%25").replace(" ", "%20")}


def split(schema: Json) -> Json:
    """Several types as alternatives, and members as parts."""
    if isinstance(schema.get("type"), list):
        return {"anyOf": [schema | {"type": kind} for kind in schema["type"]]}
    if schema.keys() == {"type", "properties"}:
        return {"type": "object", "allOf": [{"properties": {name: one}} for name, one in schema["properties"].items()]}
    return schema


WAYS: list[Callable[[Json], Json]] = [
    split,
    lambda schema: {"allOf": [schema]},
    lambda schema: {"oneOf": [schema]},
    lambda schema: {"anyOf": [schema, schema]},
    lambda schema: {"allOf": [schema, True]},
    lambda schema: {"allOf": [{"title": "the same"}, schema], "description": "what else"},
]
PLAIN = st.sampled_from(["string", "integer", "number", "boolean", "null"])
SCHEMAS = st.recursive(
    st.builds(lambda kind: {"type": kind}, PLAIN | st.lists(PLAIN, min_size=1, max_size=3, unique=True))
    | st.sampled_from([{}, {"enum": ["20", None]}, {"const": 20}]),
    lambda some: (
        st.builds(lambda one: {"type": "array", "items": one}, some)
        | st.builds(lambda one: {"type": "object", "additionalProperties": one}, some)
        | st.builds(lambda one, two: {"type": "object", "properties": {"b": one, "c": two}}, some, some)
    ),
    max_leaves=4,
)
TEXTS = [
    "20",
    "2.0",
    "true",
    "None",
    "null",
    "",
    " x ",
    '"20"',
    "[1, 2]",
    '{"b": "20"}',
    "{'b': [None]}",
    "<b>20</b><c>20</c>",
]


@pytest.mark.parametrize(
    ("schema", "required"),
    [
        ({"required": ["b", "a"]}, "b"),
        ({"$ref": "#/$defs/one", "$defs": {"one": {"required": ["a"]}}}, "a"),
        ({"allOf": [{"properties": {"x": {}}}, {"allOf": [{"required": ["a"]}]}]}, "a"),
        ({"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}, ""),
        ({"$ref": "#"}, ""),
        ({"required": "a"}, ""),
        ({"required": [1, None, "a"]}, "a"),
    ],
)
def test_what_has_to_come(schema: dict[str, Json], required: str) -> None:
    """It is told by the schema and by whatever holds with it, and not by what may hold."""
    assert Schema(schema).lacks(()) == required
    assert not required or Schema(schema).lacks((required,)) != required


@pytest.mark.parametrize("name", DIALECTS)
@given(SCHEMAS, st.randoms(use_true_random=False), st.booleans())
def test_equivalent_schemas_read_alike(name: str, schema: dict[str, Json], random: Random, others: bool) -> None:
    """Law: a schema whose references, parts and alternatives were written out reads every text in the same way."""
    plain: Json = {"type": "object", "additionalProperties": schema} if others else {"properties": {"a": schema}}
    root: dict[str, Json] = {}
    parameters = dressed(plain, random, root) | root
    for raw in random.sample(TEXTS, 4):
        assert same_json(read(name, raw, parameters), read(name, raw, plain)), (raw, parameters, plain)


@given(SCHEMAS, st.randoms(use_true_random=False))
def test_equivalent_schemas_have_the_same_members(schema: dict[str, Json], random: Random) -> None:
    """Law: so do the values inside, where a dialect writes them one by one."""
    root: dict[str, Json] = {}
    parameters = dressed({"properties": {"a": schema}}, random, root) | root
    for path in (("a",), ("a", "b"), ("a", "c"), ("a", 0), ("a", "b", 0), ("a", 0, "c"), ("a", "b", "c"), ("x",)):
        assert inner(parameters, *path) == inner({"properties": {"a": schema}}, *path), (path, parameters)


# Schemas that mean no good

DEEP: Json = TEXT
for _ in range(100_000):
    DEEP = {"anyOf": [DEEP]}
WEB = {f"d{i}": {"anyOf": [{"$ref": f"#/$defs/d{(i + k) % 30}"} for k in range(10)]} for i in range(30)}
CHAIN = {f"d{i}": {"$ref": f"#/$defs/d{i + 1}"} for i in range(100_000)} | {"d100000": TEXT}
HOSTILE: dict[str, Json] = {
    "deep": {"properties": {"a": DEEP}},
    "a deep root": {"allOf": [DEEP]},
    "a web": {"properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": WEB},
    "a web as root": {"$ref": "#/$defs/d0", "$defs": WEB},
    "a long chain": {"properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": CHAIN},
    "a long pointer": {"properties": {"a": {"$ref": "#" + "/properties/a" * 100_000}}},
    "many alternatives": {"properties": {"a": {"anyOf": [{"type": "integer"}] * 100_000}}},
    "many parts": {"allOf": [{"properties": {"b": {}}}] * 100_000},
    "many patterns": {"patternProperties": {f"(x+)+{i}$": {} for i in range(10_000)} | {"(a+)+$": {"minLength": 1}}},
    "a huge index": {"properties": {"a": {"$ref": "#/required/" + "9" * 100_000}}, "required": []},
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_schemas(case: str) -> None:
    """What is too deep, too long or without an end says nothing, and says so soon."""
    start = time.process_time()
    schema = Schema(HOSTILE[case])
    for key in ["a", *map(str, range(20))]:
        member = schema.member(key)
        assert member is None or member.types == TYPES
        assert member is None or member.member("x") is None
        assert member is None or member.item(0) is None
    assert set(schema.names) <= {"a", "b"}
    assert time.process_time() - start < 2
    assert read("qwen3-coder", "020", HOSTILE[case]) == "020"


def test_the_limits_are_what_is_still_read() -> None:
    """As many references in a row, and as many alternatives, as are looked at: one more says nothing."""
    for n, types in ((MAX_LEVELS, ("string",)), (MAX_LEVELS + 1, TYPES)):
        defs = {f"d{i}": {"$ref": f"#/$defs/d{i + 1}"} for i in range(1, n)} | {f"d{n}": TEXT}
        assert Schema({"$ref": "#/$defs/d1", "$defs": defs}).types == types
    for n, types in ((MAX_OPTIONS, ("string",)), (MAX_OPTIONS + 1, TYPES)):
        assert Schema({"anyOf": [TEXT] * n}).types == types


def test_prompts_follow_the_same_references() -> None:
    """A type that is printed is that of what the reference leads to."""
    schema, types = SAYS["escapes"]
    assert annotation(schema, schema["properties"]["a"]) == "str"
    assert typescript(schema) == "{\n  a?: string;\n}"
    assert json.loads(json.dumps(schema)) == schema
    assert types == ("string",)
