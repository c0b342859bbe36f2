"""JSON Schema validation in bounded steps: what is violated, what is cut off, and that nothing raises or lasts."""

from __future__ import annotations

from random import Random
from typing import Any

import jsonschema
import pytest
import shares

from toolect._message import Violation
from toolect._validation import MAX_SCHEMA, MAX_STEPS, SchemaError, Validator


def of(schema: Any) -> dict[str, Any]:
    """Parameters of which one, `x`, has a schema."""
    return {"type": "object", "properties": {"x": schema}}


def doubling(word: str, last: Any, beside: Any = None) -> dict[str, Any]:
    """A schema whose references double twenty-five times."""
    steps: dict[str, Any] = {f"d{i}": {word: [{"$ref": f"#/$defs/d{i + 1}"}] * 2} for i in range(25)}
    return of({"$ref": "#/$defs/d0", **(beside or {})}) | {"$defs": steps | {"d25": last}}


DRAFT_7 = "http://json-schema.org/draft-07/schema#"
AS = "a" * 60 + "b"
LINEAR = "expected a pattern that is matched in linear time"
STEPS = f"expected arguments and a schema that are checked in {MAX_STEPS:,} steps"
ENDLESS: dict[str, tuple[Any, Any, str]] = {
    "a pattern": (of({"pattern": "^(a+)+$"}), AS, LINEAR),
    "a pattern that is searched": (of({"pattern": "(a|a)*c"}), AS, LINEAR),
    "a cubic pattern": (of({"pattern": "^a*a*a*$"}), "a" * 300 + "b", LINEAR),
    "a pattern that no one reads": (of({"pattern": r"^\p{L}+$"}), "a", LINEAR),
    "a pattern of another draft": (of({"$schema": DRAFT_7, "pattern": "^(a+)+$"}), AS, LINEAR),
    "a pattern of another draft, referred to": (
        of({"$ref": "#/$defs/a"}) | {"$defs": {"a": {"$schema": DRAFT_7, "pattern": "^(a+)+$"}}}, AS, LINEAR,
    ),
    "a pattern of keys": (of({"patternProperties": {"^(a+)+$": {}}}), {AS: 1}, LINEAR),
    "a pattern of other keys": (
        of({"patternProperties": {"^(a+)+$": {}}, "additionalProperties": False}), {AS: 1}, LINEAR,
    ),
    "a pattern of keys elsewhere": (
        of({"allOf": [{"patternProperties": {"^(a+)+$": {}}}], "unevaluatedProperties": False}), {AS: 1}, LINEAR,
    ),
    "many patterns": (
        {"properties": {f"p{i}": {"pattern": f"^(?:A[0-9]{{3,2{i % 10}}}[a-z]?){{1,3{i // 10}}}$"} for i in range(90)}},
        {f"p{i}": "A333" for i in range(90)}, STEPS,
    ),
    "doubling": (doubling("allOf", {"type": "integer"}), 1, STEPS),
    "doubling alternatives": (doubling("anyOf", {"type": "integer"}), "s", STEPS),
    "doubling alternatives of a long value": (doubling("oneOf", {"type": "integer"}), ["s" * 1000] * 1000, STEPS),
    "doubling unevaluated": (
        doubling("allOf", {"properties": {"a": True}}, {"unevaluatedProperties": False}), {"a": 1, "b": 2}, STEPS,
    ),
    "unique objects without end": (of({"uniqueItems": True}), [{"i": [i]} for i in range(60_000)], STEPS),
    "long alternatives of a long value": (of({"anyOf": [{"type": "integer"}] * 1000}), ["s" * 1000] * 10_000, STEPS),
    "a list against a list": (of({"items": {"enum": [*range(2000)]}}), [1999] * 2000, STEPS),
    "a huge integer": (of({"multipleOf": 0.1}), 7**100_000, "expected an integer of at most 65,536 bits"),
    "itself": (of({"$ref": "#/properties/x"}), 1, "nests without end"),
    "itself in place": (
        {"$dynamicAnchor": "m", "properties": {"x": {"$dynamicRef": "#m"}}, "allOf": [{"$dynamicRef": "#m"}]}, {},
        "nests without end",
    ),
    "nine hundred patterns of keys": (
        of({"patternProperties": {f"a{i}b": {} for i in range(900)}}), {f"a{i}": 1 for i in range(20_000)}, STEPS,
    ),
    "elsewhere": (of({"$ref": "http://127.0.0.1/a.json"}), 1, "expected a schema without outside references"),
}  # fmt: skip


@pytest.mark.parametrize("what", ENDLESS)
def test_what_takes_too_long_is_cut_off(what: str) -> None:
    """The last violation says so: whether the arguments fit is not known."""
    schema, value, expected = ENDLESS[what]
    found = Validator(schema).violations(value if "many" in what else {"x": value})
    assert found[-1].limit and expected in str(found[-1]), found


def test_a_value_that_nests_without_end_is_cut_off_wherever_python_is() -> None:
    """Near the end of Python's stack an extension of the library panics, which is no Exception."""
    value: Any = {}
    for _ in range(5000):
        value = {"x": value}
    validator = Validator({"type": "object", "properties": {"x": {"$ref": "#"}}})

    def deeper(by: int) -> list[Violation]:
        return deeper(by - 1) if by else validator.violations(value)

    for depth in range(0, 780, 20):
        assert "nests without end" in str(deeper(depth)[-1])


FINE: dict[str, tuple[Any, Any]] = {
    "unique objects": (of({"uniqueItems": True}), [{"i": i, "y": {"z": [i]}} for i in range(6000)]),
    "hashes that collide": (of({"uniqueItems": True}), [i * (2**61 - 1) for i in range(20_000)]),
    "true is not 1": (of({"uniqueItems": True, "const": [1, True]}), [1.0, True]),
    "a multiple": (of({"multipleOf": 0.1}), int("7" * 400)),
    "a decimal multiple": (of({"multipleOf": 0.1}), 0.3),
    "an address": (of({"pattern": r"^[^@\s]+@[^@\s]+\.[^@\s]+$"}), "someone@example.org"),
    "no blanks": (of({"pattern": r"\S+"}), "x" * 100_000),
    "many objects": (
        of({"items": {"properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "required": ["a"]}}),
        [{"a": "x", "b": "y"}] * 4000,
    ),
    "other keys": (of({"patternProperties": {"^x-": {}}, "additionalProperties": False}), {"x-a": 1}),
}


@pytest.mark.parametrize("what", FINE)
def test_what_is_only_large_is_checked(what: str) -> None:
    """Nothing of it is wrong, and nothing is cut off."""
    schema, value = FINE[what]
    assert Validator(schema).violations({"x": value}) == []


@pytest.mark.parametrize(
    ("schema", "value", "says"),
    [
        ({"uniqueItems": True}, [1, 1.0], "expected uniqueItems `true`, got `[1, 1.0]` - at `$.x`"),
        ({"multipleOf": 0.1}, 0.35, "expected multipleOf `0.1`, got `0.35` - at `$.x`"),
        ({"enum": [1, {"a": 2}]}, True, "expected `1` or `{\"a\": 2}`, got `true` - at `$.x`"),
        ({"const": {"a": [1]}}, {"a": [2]}, "expected `{\"a\": [1]}`, got `{\"a\": [2]}` - at `$.x`"),
        ({"required": ["a", "b"]}, {"a": 1}, "expected this required parameter, got nothing - at `$.x.b`"),
        ({"pattern": "^a+$"}, "b", "expected pattern `\"^a+$\"`, got `\"b\"` - at `$.x`"),
    ],
)  # fmt: skip
def test_what_is_checked_here_says_what_is_wrong(schema: Any, value: Any, says: str) -> None:
    """The keywords that the library does not do."""
    assert [str(one) for one in Validator(of(schema)).violations({"x": value})] == [says]


@pytest.mark.parametrize(
    ("schema", "says"),
    [
        ({"type": "text"}, "'text' is not valid under any of the given schemas - at `f.type`"),
        ({"type": [{"i": i} for i in range(6000)]}, "expected at most 32 types, got 6,000 in `type` - at `f`"),
        ({"required": [{"i": i} for i in range(4000)]}, "{'i': 0} is not of type 'string' - at `f.required[0]`"),
        ({"enum": [*range(MAX_SCHEMA)]}, "expected a JSON Schema of at most 10,000 values, got more - at `f`"),
        ({"dependentRequired": {"a": [{"i": i} for i in range(4000)]}}, "is not of type 'string'"),
        ({"type": {1, 2}}, "got what is no JSON"),
    ],
)
def test_what_is_no_schema_is_refused(schema: Any, says: str) -> None:
    """It costs neither time nor another exception."""
    with pytest.raises(SchemaError) as caught:
        Validator(schema, "f")
    assert says in str(caught.value)


def drawn_schema(random: Random, depth: int = 3) -> Any:
    """Some schema."""
    inner = (lambda: drawn_schema(random, depth - 1)) if depth else (lambda: random.choice([True, {"type": "integer"}]))
    return random.choice([
        lambda: {"type": random.choice(["integer", "string", "object", "array", "number", ["null", "boolean"]])},
        lambda: {"enum": [drawn_value(random, 1) for _ in range(3)]},
        lambda: {"const": drawn_value(random, 1)},
        lambda: {"properties": {"a": inner(), "b": inner()}, "required": random.choice([["a"], ["a", "b"], []])},
        lambda: {"properties": {"a": inner()}, "additionalProperties": random.choice([False, inner()])},
        lambda: {"patternProperties": {random.choice(["a", "^b$"]): inner()}, "additionalProperties": inner()},
        lambda: {"allOf": [inner(), {"properties": {"a": True}}], "unevaluatedProperties": False},
        lambda: {"items": inner(), "uniqueItems": random.random() < 0.5, "minItems": 1},
        lambda: {random.choice(["anyOf", "oneOf", "allOf"]): [inner(), inner()]},
        lambda: {"pattern": random.choice(["^a", "b$", "a.*b", "^[ab]+$"]), "maxLength": 3},
        lambda: {"multipleOf": random.choice([2, 3]), "minimum": 1},
        lambda: {"if": inner(), "then": inner(), "else": inner()},
        lambda: {"not": inner()},
    ])()  # fmt: skip


def drawn_value(random: Random, depth: int = 3) -> Any:
    """Some value."""
    inner = (lambda: drawn_value(random, depth - 1)) if depth else (lambda: 1)
    return random.choice([
        lambda: random.choice([None, True, False, 0, 1, 1.0, 2, 3, 6, "", "a", "ab", "b", "abab"]),
        lambda: {key: inner() for key in random.sample("abc", random.randint(0, 3))},
        lambda: [inner() for _ in range(random.randint(0, 3))],
    ])()  # fmt: skip


def test_the_library_says_the_same() -> None:
    """Arguments have a violation where the library by itself has an error, on schemas and values that are drawn."""
    seen = {True: 0, False: 0}
    for seed in shares.share(range(4000), 500, "validation"):
        random = Random(seed)
        schema, value = of(drawn_schema(random)), {"x": drawn_value(random)}
        fits = jsonschema.Draft202012Validator(schema).is_valid(value)
        assert (Validator(schema).violations(value) == []) is fits, (schema, value)
        seen[fits] += 1
    assert min(seen.values()) > 50, seen
