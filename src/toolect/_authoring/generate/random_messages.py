"""Messages of the kinds a dialect knows: drawn at random, and the smallest of each feature."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

from toolect._authoring.generate import random_values as values
from toolect._authoring.generate.facts import Facts, facts
from toolect._authoring.generate.random_values import Text, often, value
from toolect._compiled import Dialect
from toolect._message import Call, Content, Json, Message, Reasoning, Segment, dumps
from toolect._regular.sample import sample
from toolect._regular.syntax import NotRegularError
from toolect._spec.model import Spec
from toolect._values.ref import join_ref
from toolect._values.schema_keywords import Node, implied_types, listed, literals, resolve, stated_types
from toolect._values.toolset import NO_TOOLS, ToolSchemas
from toolect._values.type_names import types_named

NAMES = ("f", "get_time", "a.b-c")
KEYS = ("a", "b", "path")
_ID_SIGNS = "abcXYZ019"


def message(
    dialect: Dialect, random: Random, *, hostile: bool = False, tools: ToolSchemas = NO_TOOLS
) -> Message:  # fmt: skip
    """A message with segments of the kinds that the dialect knows; one that is `hostile` need not be representable.

    Its calls are of these tools, with arguments that they admit; where there are none, of any.
    """
    draw = _MessageDraw(facts(dialect), random, hostile, tools)
    return Message(numbered(dialect.spec, _apart(draw.segments())))


class _MessageDraw:
    """Draws the parts of one message. The plainest choice comes first everywhere: shrinking finds it."""

    def __init__(self, known: Facts, random: Random, hostile: bool, tools: ToolSchemas) -> None:
        self.facts, self.random, self.hostile, self.tools = known, random, hostile, tools

    def segments(self) -> list[Segment]:
        return [self.segment() for _ in often(self.random, 4, 0 if self.hostile else 1)]

    def segment(self) -> Segment:
        match self.random.randint(0, 3 if self.facts.has_reasoning else 2):
            case 0:
                return Content(self.text(self.random))
            case 3:
                return Reasoning(self.text(self.random))
        return self.call()

    def call(self) -> Call:
        name, arguments = self.declared() if self.tools else (self.name(), self.arguments())
        return Call(name, arguments, self.id() if self.facts.has_ids else None)

    def declared(self) -> tuple[str, dict[str, Json]]:
        name = self.random.choice([*self.tools])
        return name, SchemaValues(self.tools[name].node, self.random, self.text).arguments()

    def name(self) -> str:
        found = self.facts
        match self.random.randint(0, 4):
            case 3 if found.names or self.hostile:
                return self.fitting(found.names)
            case 4 if found.fixed:
                return self.random.choice(found.fixed)
        return self.random.choice(NAMES)

    def id(self) -> str | None:
        if not self.random.randint(0, 2):
            return None
        if self.facts.ids:
            return self.fitting(self.facts.ids)
        return "".join(self.random.choice(_ID_SIGNS) for _ in often(self.random, 9, 1))

    def arguments(self) -> dict[str, Json]:
        random = self.random
        if self.facts.alone and not random.randint(0, 3):
            return {random.choice(self.facts.alone): self.text(random)}
        found = {}
        for _ in often(random, 4):
            key = self.key(random)
            found[key] = values.value(random, self.text, self.key, self.hostile)
        return found

    def key(self, random: Random) -> str:
        if random.randint(0, 4) == 4 and (self.facts.keys or self.hostile):
            return self.fitting(self.facts.keys)
        return random.choice(KEYS)

    def text(self, random: Random) -> str:
        if self.hostile:
            return values.hostile(self.facts.markers, random)
        if self.facts.strings and not random.randint(0, 3):
            return values.word(random) + sample(random.choice(self.facts.strings), random) + values.word(random)
        return values.harmless(random)

    def fitting(self, patterns: tuple[str, ...]) -> str:
        """Text that one of the patterns matches, or any where there is none."""
        return sample(self.random.choice(patterns), self.random) if patterns else self.text(self.random) or "f"


def _apart(segments: list[Segment]) -> list[Segment]:
    """The segments without a text that touches another of its kind: on the wire those are one."""
    kept: list[Segment] = []
    for segment in segments:
        if isinstance(segment, Call) or not kept or type(kept[-1]) is not type(segment):
            kept.append(segment)
    return kept


def numbered(spec: Spec, segments: Sequence[Segment]) -> Sequence[Segment]:
    """The segments with ids as the spec's `ref` writes them, where it numbers the calls."""
    if "{index}" not in spec.ref:
        return segments
    count = iter(range(len(segments)))
    return [
        Call(s.name, s.arguments, join_ref(spec.ref, s.name, next(count))) if isinstance(s, Call) else s
        for s in segments
    ]


# Values that a JSON Schema admits


DEEP = 8
"""Levels of values from which on nothing is drawn that may be left out."""
DEEPEST = 4 * DEEP
"""Levels of values that a schema may demand, which may refer to itself. Beyond it: a value is null."""
MOST = 64
"""Values that a list is to have at least, and that stand first in it. Beyond it: it has fewer."""
FORMATS = {
    "date": "2026-03-01", "time": "04:10:00Z", "date-time": "2026-03-01T04:10:00Z", "duration": "PT4H",
    "email": "ida@example.org", "hostname": "example.org", "ipv4": "192.0.2.7", "ipv6": "2001:db8::7",
    "uri": "https://example.org/a?b=c", "uuid": "5f2b7b0c-2c7e-4e55-9c53-6a3c8f8a2d10",
}  # fmt: skip
"""Texts in the formats that JSON Schema names."""
SPAN = 1000
"""Largest distance of a number from its only limit."""


class SchemaValues:
    """Draws values that the schema `root` admits. `text` draws the strings of which nothing is said."""

    def __init__(self, root: Node, random: Random, text: Text) -> None:
        self.root, self.random, self.text = root, random, text

    def arguments(self) -> dict[str, Json]:
        """The arguments of a call: the schema is that of a tool's parameters."""
        return self._object(self._whole(self.root), 0)

    def value(self, schema: Any, depth: int) -> Json:
        """A value that `schema`, a part of the whole one, admits; any one where it says nothing that is understood."""
        if depth > DEEPEST:
            return None
        schema = resolve(self.root, schema)
        if not isinstance(schema, Mapping):
            return self.text(self.random)
        node = self._whole(schema)
        named = literals(node)
        if named:
            return self.random.choice(named)
        types = [one for kind in stated_types(node) for one in sorted(types_named(kind))] or implied_types(node)
        if not types:
            return value(self.random, self.text, self.text)
        match self.random.choice(types):
            case "null":
                return None
            case "boolean":
                return bool(self.random.randint(0, 1))
            case "integer" | "number" as kind:
                return self._number(node, kind == "integer")
            case "array":
                return self._list(node, depth)
            case "object":
                return self._object(node, depth)
        return self._text(node)

    def _whole(self, schema: Node, depth: int = 0) -> Node:
        """The schema with what it refers to, all that it demands together, and one of its alternatives."""
        found = dict(resolve(self.root, schema))
        alternatives = (options for word in ("anyOf", "oneOf") if (options := listed(found, word)))
        parts = [*listed(found, "allOf"), *map(self.random.choice, alternatives)]
        for part in parts if depth < DEEP else ():
            if isinstance(part, Mapping):
                other = self._whole(part, depth + 1)
                properties = {**_mapping(found, "properties"), **_mapping(other, "properties")}
                required = [*listed(found, "required"), *listed(other, "required")]
                found = {**found, **other, "required": required}
                if properties:
                    found["properties"] = properties
        return found

    def _object(self, node: Node, depth: int) -> dict[str, Json]:
        properties, required = _mapping(node, "properties"), listed(node, "required")
        found: dict[str, Json] = {}
        for key, schema in properties.items():
            if key in required or depth < DEEP and self.random.randint(0, depth + 2) > depth:
                found[key] = self.value(schema, depth + 1)
        more = node.get("additionalProperties")
        if isinstance(more, Mapping) and depth < DEEP:
            for _ in often(self.random, 3, 0 if found else 1):
                found.setdefault(self.text(self.random), self.value(more, depth + 1))
        return found

    def _list(self, node: Node, depth: int) -> Json:
        first, item = listed(node, "prefixItems")[:MOST], node.get("items")
        least = max(min(_count(node, "minItems", 0), MOST), len(first))
        most = least if depth >= DEEP or item is False else min(_count(node, "maxItems", MOST), least + 3)
        schemas = [*first, *[item] * (most - len(first))]
        return [self.value(schemas[at], depth + 1) for at in often(self.random, most, least)]

    def _number(self, node: Node, whole: bool) -> Json:
        step = abs(_finite(node, "multipleOf") or 0) or (1 if whole else 1 / 8)
        low, high = _limits(node, step)
        drawn = step * self.random.randint(math.ceil(low / step), max(math.ceil(low / step), math.floor(high / step)))
        return int(drawn) if whole else drawn

    def _text(self, node: Node) -> str:
        pattern = node.get("pattern")
        if isinstance(pattern, str):
            try:
                return sample(pattern.removeprefix("^").removesuffix("$"), self.random)
            except (NotRegularError, re.error, OverflowError, RecursionError):
                pass  # beyond what can be drawn: any text
        if isinstance(known := FORMATS.get(str(node.get("format"))), str):
            return known
        text = self.text(self.random)
        most = _count(node, "maxLength", len(text))
        return text[:most].ljust(min(_count(node, "minLength", 0), 1 << 12), "x")


def _mapping(node: Node, word: str) -> Mapping[str, Any]:
    found = node.get(word)
    return found if isinstance(found, Mapping) else {}


def _count(node: Node, word: str, other: int) -> int:
    found = node.get(word)
    return found if isinstance(found, int) and found >= 0 else other


def _finite(node: Node, word: str) -> float | None:
    found = node.get(word)
    fits = isinstance(found, int | float) and not isinstance(found, bool) and abs(found) < 1e15
    return found if fits else None


def _limits(node: Node, step: float) -> tuple[float, float]:
    """The least and the greatest number that is admitted, or far enough."""
    least = [n for n in (_finite(node, "minimum"), _after(node, "exclusiveMinimum", step)) if n is not None]
    most = [n for n in (_finite(node, "maximum"), _after(node, "exclusiveMaximum", -step)) if n is not None]
    high = min(most, default=max(least, default=0) + SPAN)
    return max(least, default=min(0, high) if most else 0), high


def _after(node: Node, word: str, step: float) -> float | None:
    """The next number from a limit that is itself not admitted."""
    found = _finite(node, word)
    return None if found is None else found + step


# The smallest messages that show each feature of a dialect


VALUES: tuple[Json, ...] = (
    "x", 0, 7, -1, 0.5, 1.0, True, False, None, "", [], {}, [1], {"b": 1}, "7", "true", "null", " x ", "x\ny", "\n",
    [[], {}], {"b": {"c": [None, "x"]}}, 2**53 + 1,
)  # fmt: skip
"""One value of each JSON type, empty and nested, and strings that look like other types."""
TEXT, THOUGHT = Content("Let me look."), Reasoning("They ask for the time.")
ROME, OSLO = Call("get_time", {"place": "Rome"}), Call("get_time", {"place": "Oslo"})
"""Segments of messages that people are shown."""
_SEED = 0


def minimal(dialect: Dialect) -> Iterator[Message]:
    """Small messages, one for each feature, in order of size; not every dialect can carry every one."""
    found = [Message(numbered(dialect.spec, segments)) for segments in _segments(dialect)]
    yield from sorted(dict.fromkeys(found), key=_size)


def _segments(dialect: Dialect) -> Iterator[Sequence[Segment]]:
    yield [Content("Hi.")]
    yield from ([call] for call in _calls(facts(dialect)))
    yield from _together(facts(dialect))


def _calls(known: Facts) -> Iterator[Call]:
    """Calls by themselves: of every kind of name, with every kind of arguments."""
    names = ("f", *known.fixed)
    yield from (Call(name, {}) for name in names)
    yield from (Call("f", {"a": value}) for value in VALUES)
    yield Call("f", {"a": 1, "b": "y"})
    yield Call("f", {"path": "x"})
    yield from (Call(name, {key: "x"}) for name in names for key in known.alone)
    yield from (Call("f", {"a": f"x{_drawn(regex)}y"}) for regex in known.strings)
    yield from (Call(_drawn(regex), {}) for regex in known.names)
    yield from (Call("f", {_drawn(regex): 1}) for regex in known.keys)
    if known.has_ids:
        yield Call("f", {}, _id(known, 1))


def _together(known: Facts) -> Iterator[Sequence[Segment]]:
    """Several segments: calls side by side, text and reasoning before, between and after them."""
    text, thought = Content("Hi."), Reasoning("Hm.")
    call, other = Call("f", {"a": "x"}), Call("g", {})
    found: list[list[Segment]] = [[call, call], [call, other], [other, call, other]]
    found += [[text, call], [call, text], [text, call, other], [call, text, other], [text, call, Content("Done.")]]
    if known.has_reasoning:
        found += [[thought], [thought, text], [thought, call], [thought, text, call], [call, thought, other]]
    yield from found
    if known.has_ids:
        yield [Call("f", {}, _id(known, 1)), Call("f", {}, _id(known, 2))]
        yield [Call("f", {}, _id(known, 1)), Call("f", {})]


def _id(known: Facts, number: int) -> str:
    """An id that the dialect has a place for."""
    return _drawn(known.ids[0], number) if known.ids else f"id{number}"


def _drawn(regex: str, seed: int = _SEED) -> str:
    """A text that the expression matches, always the same."""
    return sample(regex, Random(seed))


def _size(message: Message) -> tuple[int, int]:
    """Number of segments of a message, and of characters."""
    written = (
        len(s.name) + len(dumps(s.arguments)) + len(s.id or "") if isinstance(s, Call) else len(s.text)
        for s in message.segments
    )
    return len(message.segments), sum(written)
