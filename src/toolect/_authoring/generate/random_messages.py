"""Messages of the kinds a dialect knows, drawn at random."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from toolect._authoring.generate import json_values as values
from toolect._authoring.generate import texts
from toolect._authoring.generate.facts import Facts, facts
from toolect._authoring.generate.schema_values import SchemaValues
from toolect._authoring.generate.texts import often
from toolect._compiled import Dialect
from toolect._message import Call, Content, Json, Message, Reasoning, Segment
from toolect._regular.sample import sample
from toolect._spec.model import Spec
from toolect._values.ref import join_ref
from toolect._values.toolset import NO_TOOLS, ToolSchemas

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
            return texts.hostile(self.facts.markers, random)
        if self.facts.strings and not random.randint(0, 3):
            return texts.word(random) + sample(random.choice(self.facts.strings), random) + texts.word(random)
        return texts.harmless(random)

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
