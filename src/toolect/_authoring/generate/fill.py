"""What stands in the terminals and slots of a text that is written by walking a grammar."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from random import Random
from typing import TypeAlias

from toolect._authoring.generate import json_values as values
from toolect._authoring.generate import texts
from toolect._authoring.generate.reach import Path
from toolect._authoring.generate.texts import often
from toolect._message import Json, dumps
from toolect._regular.sample import sample
from toolect._spec.grammar_model import Pattern, SlotKind
from toolect._spec.map_keys import said_of
from toolect._spec.model import Computed, Role, Rule, Spec
from toolect._spec.shape_model import Const, Hole, HoleKind, Keyed, Many, Obj, OneOf, Shape
from toolect._values.codec import encode
from toolect._values.ref import join_ref

NAMES = ("get_time", "f", "a.b-c", "python", "n1")
KEYS = ("a", "b", "path", "n1", "c", "unit", "x2", "to")
_IDS = ("c1", "call_1", "abcXYZ019")
_NUMBERS = ("0", "-1", "2.5", "1e3", "12345678901234567890")
_TYPES = ("string", "number", "boolean", "null", "object", "array")
_ODD = ("", "\n", " x ", "\nx\n\n", "12", "true", "[1, 2]", '{"a": null}')
_SAID = (Role.NAME, Role.KEY)
MANY = 3
"""How often a repeated part comes, and how many arguments there are, at most."""
Choose: TypeAlias = Callable[[Sequence[int], str, Path], int]
"""Decides which of the options of a part is taken; the part is named by its rule, or slot, and its path."""


def several(random: Random, count: int) -> int:
    """How often a part comes of which an alternative says `count`, where 2 stands for more than once."""
    return random.randint(2, MANY) if count == 2 else count


class TextFiller:
    """Fills the terminals and slots of one text."""

    def __init__(self, spec: Spec, random: Random, choose: Choose) -> None:
        self.spec, self.random, self.choose = spec, random, choose
        self.names: list[str] = []
        """The names of the calls so far."""

    # Terminals

    def terminal(self, pattern: Pattern, rule: Rule, said: dict[Role, str]) -> str:
        """The text of a terminal of `rule`; a name or key that comes again is what the rule has `said` before."""
        role = said_of(self.spec.roles, rule.name, pattern.name)
        if role in _SAID and role in said:
            return said[role]
        text = self._terminal(pattern, rule, role, said)
        if role in _SAID:
            said[role] = text
        return text

    def _terminal(self, pattern: Pattern, rule: Rule, role: Role | None, said: dict[Role, str]) -> str:
        match role:
            case Role.NAME:
                return self.called(self.word(pattern.regex, NAMES))
            case Role.REF:
                return join_ref(self.spec.ref, self.called(self.word(pattern.regex, NAMES)), len(self.names) - 1)
            case Role.KEY:
                return self.word(pattern.regex, KEYS)
            case Role.ID:
                return self.word(pattern.regex, _IDS)
            case Role.MARKUP:
                written = self.spec.written
                match written.get(f"{rule.name}/{pattern.name}", written.get(pattern.name, "")):
                    case Computed.NAME:
                        return self.word(pattern.regex, (said.get(Role.NAME, NAMES[0]),))
                    case Computed.INDEX:
                        return self.word(pattern.regex, (str(len(self.names)),))
                    case Computed.TYPE:
                        return self.word(pattern.regex, _TYPES)
                    case text:
                        return self.word(pattern.regex, (text,))
        return self.word(pattern.regex, _NUMBERS if rule.name == Role.NUMBER else KEYS)

    def word(self, regex: str, known: Sequence[str]) -> str:
        """One of the `known` words that the terminal matches, or now and then another that it matches."""
        match = re.compile(regex).fullmatch
        fitting = [word for word in known if match(word)]
        another = not fitting or known is not _NUMBERS and not self.random.randint(0, 9)
        return sample(regex, self.random) if another else self.random.choice(fitting)

    def called(self, name: str) -> str:
        """`name`, which is noted as that of a call."""
        self.names.append(name)
        return name

    # Slots

    def slot(self, kind: SlotKind, rule: Rule) -> str:
        """The text of a slot of `rule`."""
        key = f"{rule.name}/{kind}"
        role = self.spec.roles.get(key) or (Role.VALUE if rule.value else self.spec.roles.get(rule.name))
        codec = self.spec.codecs.get(key)
        if key in self.spec.shapes:
            return self.json(self.shaped(self.spec.shapes[key], key, ()))
        if codec is not None and role is Role.ARGUMENTS and codec.key is None:
            return encode(codec, self.arguments())
        match kind:
            case SlotKind.JSON:
                return self.json(self.value() if role is Role.VALUE else self.arguments())
            case SlotKind.ESCAPED:
                return texts.word(self.random) + self.random.choice(("", "\\n", "\\\\"))
        if role in (Role.CONTENT, Role.REASONING):
            return texts.harmless(self.random)
        if role is Role.VALUE and rule.name not in (Role.STRING, Role.PAIR_KEY) and not self.random.randint(0, 1):
            return self.random.choice(_ODD)
        return texts.harmless(self.random).replace("\n", " ")

    def json(self, value: Json) -> str:
        """`value` as JSON, spelled in one of the ways that mean the same."""
        if self.random.randint(0, 3):
            return dumps(value)
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

    def value(self) -> Json:
        """A JSON value."""
        return values.value(self.random, texts.harmless, lambda random: random.choice(KEYS))

    def arguments(self, least: int = 0) -> dict[str, Json]:
        """Arguments for a call, at least so many."""
        return {self.random.choice(KEYS): self.value() for _ in often(self.random, MANY, least)}

    # Shapes

    def shaped(self, shape: Shape, slot: str, path: Path) -> Json:
        """A JSON value that fits the shape at `path` of the slot's."""
        match shape:
            case Hole(kind):
                return self.hole(kind)
            case Const(value):
                return value
            case Keyed(inner):
                return {self.called(self.random.choice(NAMES)): self.shaped(inner, slot, (*path, 0))}
            case Many(item):
                count = several(self.random, self.choose((1, 2), slot, path))
                return [self.shaped(item, slot, (*path, 1)) for _ in range(count)]
            case OneOf(shapes):
                option = self.choose(range(len(shapes)), slot, path)
                return self.shaped(shapes[option], slot, (*path, option))
            case Obj():
                return self.object(shape, slot, path)

    def hole(self, kind: HoleKind) -> Json:
        """What stands in a hole."""
        match kind:
            case HoleKind.NAME:
                return self.called(self.random.choice(NAMES))
            case HoleKind.ARGUMENTS:
                return self.arguments()
            case HoleKind.ARGUMENTS_TEXT:
                return dumps(self.arguments())
            case HoleKind.ID:
                return self.random.choice(_IDS)
        return texts.harmless(self.random)

    def object(self, shape: Obj, slot: str, path: Path) -> Json:
        """An object with all fields that must be there, and some of the others."""
        found: dict[str, Json] = {}
        for i, field in enumerate(shape.fields):
            at = (*path, i)
            if field.optional and not self.choose((0, 1), slot, at):
                continue
            key = self.choose(range(len(field.keys)), slot, (*at, 1)) if len(field.keys) > 1 else 0
            found[field.keys[key]] = self.shaped(field.shape, slot, (*at, 1, 0))
        if shape.rest:
            found = found | {key: value for key, value in self.arguments(1).items() if key not in found}
        return found
