"""One reader of shapes: by characters, by chunks, as a whole text or a whole value, it finds the same."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from toolect import registry
from toolect._authoring import laws
from toolect._authoring.generate.corruption import OF_JSON, Corruption, corrupt
from toolect._compiled import Dialect
from toolect._message import Json
from toolect._salvage import value_without_loss
from toolect._shapes.alternatives import options
from toolect._shapes.json_reader import JsonReader
from toolect._shapes.shape_events import Arguments, ArgumentText, CallEnds, Rest, ShapeEvent
from toolect._spec.load import load_specs
from toolect._spec.model import Spec
from toolect._spec.shape_model import Const, Hole, HoleKind, Keyed, Many, Member, Obj, OneOf, Shape
from toolect._values.json_lexemes import JsonError
from toolect._values.toolset import tool_schemas

SHAPES = {
    f"{name} {place}": shape
    for name in registry.dialects()
    for place, shape in registry.dialect(name).spec.shapes.items()
}
DISTINCT = list({repr(shape): name for name, shape in reversed(SHAPES.items())}.values())

TEXT = st.text(st.characters(codec="utf-8") | st.sampled_from('"\\{}[]:, \n'), max_size=8)
SCALARS = st.none() | st.booleans() | st.integers(-99, 10**6) | st.floats(allow_nan=False, allow_infinity=False) | TEXT
JSON = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3), max_leaves=5
)
ARGUMENTS = st.dictionaries(TEXT, JSON, max_size=3)
NAMES = st.sampled_from(["tide", "get_weather", "a.b", "折り紙"])


def values(shape: Shape) -> st.SearchStrategy[Json]:
    """Values that have the shape."""
    match shape:
        case Hole(HoleKind.NAME):
            return NAMES
        case Hole(HoleKind.ARGUMENTS):
            return ARGUMENTS
        case Hole(HoleKind.ARGUMENTS_TEXT):
            return ARGUMENTS.map(json.dumps)
        case Hole():
            return TEXT
        case Const(value):
            return st.just(value)
        case Keyed(inner):
            return st.dictionaries(NAMES, values(inner), min_size=1, max_size=1)
        case Many(item):
            return st.lists(values(item), min_size=1, max_size=3)
        case OneOf():
            return st.one_of(*map(values, options(shape)))
    keys = [st.sampled_from(field.keys) for field in shape.fields]
    fields = [values(field.shape) for field in shape.fields]
    kept = [st.booleans() if field.optional else st.just(True) for field in shape.fields]
    rest = st.dictionaries(st.sampled_from(["port", "x y"]), JSON, min_size=1) if shape.rest else st.just({})
    made = st.tuples(*(st.tuples(*three) for three in zip(keys, fields, kept, strict=True)))
    return st.tuples(made, rest).map(lambda pair: {k: v for k, v, keep in pair[0] if keep} | pair[1])


def spoiled(value: Json, random: Random) -> Json:
    """`value` with something in it replaced, added or gone."""
    if isinstance(value, dict) and value and random.random() < 0.8:
        key = random.choice(list(value))
        act = random.randrange(4)
        if act == 0:
            return {k: v for k, v in value.items() if k != key}
        if act == 1:
            return value | {random.choice(["name", "id", "type", "arguments", "x"]): random.choice(["f", 1, {}, [{}]])}
        return value | {key: spoiled(value[key], random)}
    if isinstance(value, list) and value and random.random() < 0.8:
        at = random.randrange(len(value))
        return [*value[:at], spoiled(value[at], random), *value[at + 1 :]]
    return random.choice([None, True, 1.5, "x y", "", "{}", [value], {"name": value}, {}, []])


def spelled(value: Json, random: Random) -> str:
    """`value` as JSON with blanks of some kind."""
    blank = random.choice(["", " ", "\n  ", "\t"])
    separators = (random.choice([",", ", ", " ,\n"]), random.choice([":", ": ", " : "]))
    text = json.dumps(value, ensure_ascii=random.random() < 0.5, separators=separators, indent=random.choice([None, 1]))
    return text + blank


def read(shape: Shape, text: str, cuts: list[int]) -> tuple[list[ShapeEvent], str, bool]:
    """The events of `text` fed in pieces, how it broke, and whether it was over."""
    events: list[ShapeEvent] = []
    reader = JsonReader(shape, events.append, tools=tool_schemas([{"name": "x y"}]))
    broken, rest, base = "", "", 0
    ends = [*sorted(set(cuts) - {0, len(text)}), len(text)]
    try:
        for start, end in zip([0, *ends], ends, strict=False):
            rest += text[start:end]
            taken = reader.feed(rest, 0, base, end == len(text))
            rest, base = rest[taken:], base + taken
    except JsonError as error:
        broken = f"{error.why} - at {error.at}"
    return joined(events), broken, reader.called


def joined(events: list[ShapeEvent]) -> list[ShapeEvent]:
    """The events with neighbouring pieces of argument text as one, as a listener sees them."""
    found: list[ShapeEvent] = []
    for event in events:
        if isinstance(event, ArgumentText) and found and isinstance(found[-1], ArgumentText):
            found[-1] = ArgumentText(found[-1].text + event.text)
        else:
            found.append(event)
    return found


def each_shape(test: Callable[..., None]) -> Callable[..., None]:
    return pytest.mark.parametrize("name", DISTINCT)(settings(max_examples=12, deadline=None)(test))


@each_shape
@given(data=st.data(), seed=st.integers(0, 2**32))
def test_chunks_do_not_matter(name: str, data: st.DataObject, seed: int) -> None:
    shape, random = SHAPES[name], Random(seed)
    value = data.draw(values(shape))
    for _ in range(random.randrange(3)):
        value = spoiled(value, random)
    text = spelled(value, random)
    if random.random() < 0.3:
        at = random.randrange(len(text) + 1)
        text = text[:at] + random.choice(["", '"', "}", ",", "x", "\n", "\\", "]]"]) + text[at + random.randrange(2) :]
    some = [random.randrange(len(text) + 1) for _ in range(3)]
    slow = read(shape, text, list(range(len(text))))
    assert read(shape, text, []) == slow
    assert read(shape, text, some) == slow


PLAIN: Json = {
    "a": [1, {"b": None}, "x"],
    "note": 'say "x"\n\tor it\'s \\done',
    "c": {"d": True, "e": [False, 0.5]},
    "f": "Zürich",
}


UNMENDED = {
    *(Corruption.COMMENT, Corruption.ELLIPSIS, Corruption.MISSING_BRACE, Corruption.ODD_LITERAL),
    Corruption.TYPOGRAPHIC_QUOTES,
}
"""What json-repair does not mend, or not without a loss."""


@pytest.mark.parametrize("how", sorted({*OF_JSON} - {Corruption.STRING_VALUES}))
def test_broken_json_is_what_it_said_or_nothing(how: Corruption) -> None:
    """However it is laid out, what json-repair makes of JSON that breaks is what it said, where nothing is lost."""
    spec, right = registry.dialect("json").spec, 0
    for layout in ({}, {"separators": (",", ":"), "ensure_ascii": False}, {"indent": 2}):
        text = json.dumps(PLAIN, **layout)
        for seed in range(20):
            found = value_without_loss(corrupt(text, spec, Random(seed), how))
            assert found in (None, PLAIN), how
            right += found == PLAIN
    assert (right > 0) == (how not in UNMENDED)


def _events(shape: Shape, value: Json) -> list[ShapeEvent]:
    return read(shape, json.dumps(value), [])[0]


@each_shape
@given(data=st.data(), seed=st.integers(0, 2**32))
def test_the_order_of_keys_does_not_matter(name: str, data: st.DataObject, seed: int) -> None:
    shape, random = SHAPES[name], Random(seed)
    value = data.draw(values(shape))
    if any(isinstance(event, Rest) for event in _events(shape, value)):
        return  # the name comes first where all others are arguments

    def shuffled(part: Json, at: Shape) -> Json:
        if isinstance(part, list):
            return [shuffled(item, at) for item in part]
        if not isinstance(part, dict) or isinstance(at, Hole):
            return part
        keys = list(part)
        random.shuffle(keys)
        return {key: part[key] if key in _ARGUMENT_KEYS else shuffled(part[key], at) for key in keys}

    calls = [e for e in _events(shape, value) if isinstance(e, Arguments | CallEnds)]
    other = [e for e in _events(shape, shuffled(value, shape)) if isinstance(e, Arguments | CallEnds)]
    assert [e.value for e in other if isinstance(e, Arguments)] == [e.value for e in calls if isinstance(e, Arguments)]
    assert sum(isinstance(e, CallEnds) for e in other) == sum(isinstance(e, CallEnds) for e in calls)


def _argument_keys(shape: Shape) -> set[str]:
    match shape:
        case Obj(fields):
            own = {k for f in fields if isinstance(f.shape, Hole) for k in f.keys}
            return own.union(*(_argument_keys(f.shape) for f in fields))
        case Many(inner):
            return _argument_keys(inner)
        case Keyed():
            return {"tide", "get_weather", "a.b", "折り紙"}
        case OneOf():
            return set().union(*map(_argument_keys, options(shape)))
    return set()


_ARGUMENT_KEYS = set().union(*map(_argument_keys, SHAPES.values()))


ENCODED = [
    r"{\"a\": \"\ud83d\ud83d\ude00 \ud83d\"}",
    r"{\"a\": \"\\ud83d\\ude00 \\u00e9\", \"b\": [1, tru]}",
    r"{\"a\": 1} x",
    r"{\"a\": \"x\n\"}",
    r"{\"a\": \"\\\"\", \"\u007b\": 12\u007d",
]


@pytest.mark.parametrize("inside", ENCODED)
def test_what_is_encoded_is_read_alike_in_any_pieces(inside: str) -> None:
    """Escapes, halves of surrogate pairs and what is wrong do not depend on where a chunk ends."""
    shape = Obj((Member(("name",), Hole(HoleKind.NAME)), Member(("a",), Hole(HoleKind.ARGUMENTS_TEXT))))
    text = f'{{"name": "tide", "a": "{inside}"}}'
    slow = read(shape, text, list(range(len(text))))
    assert read(shape, text, []) == slow
    assert all(read(shape, text, [at]) == slow for at in range(len(text)))


class Place(NamedTuple):
    """A grammar with one JSON slot, and a text around the value of that slot."""

    grammar: str
    before: str
    after: str


PLACES = {
    "between": Place('start: (content | call)*\ncontent: TEXT\ncall: "<<" JSON ">>"', "Hi.<<", ">>"),
    "behind": Place('start: content call*\ncontent: TEXT\ncall: "<<call>>\\n" JSON', "Hi.<<call>>\n", ""),
    "unruled": Place('start: (content | said)*\ncontent: TEXT\nsaid: "<<\\n" JSON "\\n>>"', "Hi.<<\n", "\n>>"),
    "bare": Place("start: content | call\ncontent: TEXT\ncall: JSON", "", ""),
}


@pytest.fixture(scope="module")
def specs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Spec]:
    """The spec of each of `PLACES`."""
    folder = tmp_path_factory.mktemp("places")
    (folder / "grammars").mkdir()
    entries = ""
    for name, place in PLACES.items():
        (folder / f"grammars/{name}.lark").write_text(f"{place.grammar}\n%declare TEXT JSON\n")
        roles = "said/JSON" if name == "unruled" else "call: call, call/JSON"
        entries += f"{name}:\n  map: {{content: content, {roles}: {{name: $name, arguments: $arguments}}}}\n"
    (folder / "places.yaml").write_text(entries)
    found, problems = load_specs(folder / "places.yaml")
    assert set(found) == set(PLACES), problems
    return found


@pytest.mark.parametrize("name", DISTINCT)
@pytest.mark.parametrize("place", PLACES)
@settings(max_examples=3, deadline=None)
@given(data=st.data())
def test_every_shape_in_every_place(place: str, name: str, specs: dict[str, Spec], data: st.DataObject) -> None:
    """What a call in JSON says does not depend on how much of it is read at once, wherever the JSON stands."""
    if place == "unruled" and isinstance(SHAPES[name], Hole):
        pytest.skip("nothing names the tool: such an entry has an error")
    (key,) = specs[place].shapes
    dialect = Dialect(replace(specs[place], shapes={key: SHAPES[name]}))
    text = PLACES[place].before + json.dumps(data.draw(values(SHAPES[name]))) + PLACES[place].after
    expected = laws.plain(dialect.parse(text))
    for size in (1, 7, 64, len(text)):
        message, _ = laws.stream(dialect, [text[at : at + size] for at in range(0, len(text), size)])
        assert laws.plain(message) == expected, size
