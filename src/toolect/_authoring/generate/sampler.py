"""Derivations: texts that a grammar allows, written by walking it.

Every alternative, spelling and optional part may be taken, and what stands in terminals and slots is drawn. Walks that
lead to one rule after the other, and there take what none has taken, soon have taken all there is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence, Set
from functools import cached_property
from operator import and_
from random import Random
from typing import NamedTuple, TypeAlias

from toolect._authoring.generate import random_values as values
from toolect._authoring.generate.random_values import often
from toolect._graph.network import rules_with_calls
from toolect._message import Json, dumps
from toolect._regular.sample import sample
from toolect._spec.grammar_model import Alt, Expr, Literal, Pattern, Ref, Repeat, Seq, Slot, SlotKind
from toolect._spec.leaves import leaves, reached
from toolect._spec.map_keys import said_of
from toolect._spec.model import Computed, Role, Rule, Spec
from toolect._spec.shape_model import Const, Hole, HoleKind, Keyed, Many, Obj, OneOf, Shape
from toolect._values.codec import encode
from toolect._values.ref import join_ref

DEEP = 8
"""Rules open at a time from which on the shallowest alternative is taken."""
FAR = 1 << 30
Atom: TypeAlias = Literal | Pattern | Slot
Path: TypeAlias = tuple[int, ...]
"""Position in a rule's expression: an index for each step down."""
NAMES = ("get_time", "f", "a.b-c", "python", "n1")
KEYS = ("a", "b", "path", "n1", "c", "unit", "x2", "to")
_IDS = ("c1", "call_1", "abcXYZ019")
_NUMBERS = ("0", "-1", "2.5", "1e3", "12345678901234567890")
_TYPES = ("string", "number", "boolean", "null", "object", "array")
_ODD = ("", "\n", " x ", "\nx\n\n", "12", "true", "[1, 2]", '{"a": null}')
_SAID = (Role.NAME, Role.KEY)
MANY = 3
"""Maximum of repetitions of a part, and of arguments."""
Choose: TypeAlias = Callable[[Sequence[int], str, Path], int]
"""Decides which of the options of a part is taken; the part is named by its rule, or slot, and its path."""
Option: TypeAlias = tuple[str, Path, int]
"""A decision about a part: its alternative or spelling, or the number of times it comes (2 for more)."""


# Terminals and slots


def several(random: Random, count: int) -> int:
    """The number of times that a part comes for the option `count`, where 2 stands for more than once."""
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
                return values.word(self.random) + self.random.choice(("", "\\n", "\\\\"))
        if role in (Role.CONTENT, Role.REASONING):
            return values.harmless(self.random)
        if role is Role.VALUE and rule.name not in (Role.STRING, Role.PAIR_KEY) and not self.random.randint(0, 1):
            return self.random.choice(_ODD)
        return values.harmless(self.random).replace("\n", " ")

    def json(self, value: Json) -> str:
        """`value` as JSON, spelled in one of the ways that mean the same."""
        if self.random.randint(0, 3):
            return dumps(value)
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

    def value(self) -> Json:
        """A JSON value."""
        return values.value(self.random, values.harmless, lambda random: random.choice(KEYS))

    def arguments(self, least: int = 0) -> dict[str, Json]:
        """Arguments for a call, at least `least` of them."""
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
        """A value for a hole."""
        match kind:
            case HoleKind.NAME:
                return self.called(self.random.choice(NAMES))
            case HoleKind.ARGUMENTS:
                return self.arguments()
            case HoleKind.ARGUMENTS_TEXT:
                return dumps(self.arguments())
            case HoleKind.ID:
                return self.random.choice(_IDS)
        return values.harmless(self.random)

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


# Walks


class SampledPiece(NamedTuple):
    """A stretch of a text; `atom` is the grammar's part that it stands for, None for a gap between segments."""

    text: str
    atom: Atom | None
    value: bool = False
    """True for a part of a value language."""


class Walked(NamedTuple):
    """A text in pieces, the options that it takes, and the names that it calls."""

    pieces: list[SampledPiece]
    taken: frozenset[Option]
    names: tuple[str, ...]
    calls: int
    """Number of calls."""

    @property
    def text(self) -> str:
        """The text as a whole."""
        return "".join(piece.text for piece in self.pieces)


class Walker:
    """Walks the grammar of one spec, as often as it is asked."""

    def __init__(self, spec: Spec) -> None:
        self.spec, self.calling = spec, rules_with_calls(spec)
        self._reached: dict[str, set[str]] = {}

    def walk(self, random: Random, towards: str = "", met: Set[Option] = frozenset()) -> Walked | None:
        """One text; nothing when two texts in it would be read as one.

        It leads `towards` a rule, in which options that are not among `met` are taken first.
        """
        return _Walk(self, random, towards, met).answer()

    def leads(self, expr: Expr, towards: str) -> bool:
        """True when a way leads from an expression to a rule."""
        found = {part.rule for part in leaves(expr) if isinstance(part, Ref)}
        for name in found - self._reached.keys():
            self._reached[name] = reached(self.spec.rules, name)
        return any(towards in self._reached[name] for name in found)

    @cached_property
    def _heights(self) -> dict[str, int]:
        heights, before = dict.fromkeys(self.spec.rules, FAR), dict[str, int]()
        while heights != before:
            before = heights
            heights = {rule.name: 1 + self.height(rule.expr, before) for rule in self.spec.rules.values()}
        return heights

    def height(self, expr: Expr, heights: dict[str, int] | None = None) -> int:
        """Depth of rules in the shallowest text of `expr`."""
        heights = self._heights if heights is None else heights
        match expr:
            case Seq(items):
                return max((self.height(item, heights) for item in items), default=0)
            case Alt(items):
                return min(self.height(item, heights) for item in items)
            case Repeat(item, least):
                return self.height(item, heights) if least else 0
            case Ref(name):
                return heights[name]
        return 0


class _Walk:
    """One walk. What it decides is drawn, but for the way to a rule and what is new there."""

    def __init__(self, walker: Walker, random: Random, towards: str, met: Set[Option]) -> None:
        self.walker, self.spec, self.random, self.met = walker, walker.spec, random, met
        self.towards, self.inside = towards, towards == "start"
        self.fill = TextFiller(self.spec, random, self.choose)
        self.pieces: list[SampledPiece] = []
        self.taken: set[Option] = set()
        self.again = 0
        """Number of calls without a name of their own: they have that of the call before."""
        self.before: Rule | None = None
        """The rule just before, where it is one of the answer's own."""
        self.touching = False

    def answer(self) -> Walked | None:
        """The text of a whole answer; nothing when texts touch in it."""
        start = self.spec.rules["start"]
        self.expr(start.expr, start, (), 0, {})
        atoms = [piece.atom for piece in self.pieces if piece.atom]
        free = [isinstance(atom, Slot) and atom.kind is SlotKind.TEXT for atom in atoms]
        if self.touching or any(map(and_, free, free[1:])):
            return None
        names = self.fill.names
        return Walked(self.pieces, frozenset(self.taken), tuple(names), len(names) + self.again)

    # Choices

    def choose(self, options: Sequence[int], where: str, path: Path) -> int:
        """One of the options of a choice."""
        new = [option for option in options if (where, path, option) not in self.met] if self.inside else ()
        option = self.random.choice(new or options)
        self.taken.add((where, path, option))
        return option

    def count(self, expr: Repeat, rule: Rule, path: Path, depth: int) -> int:
        """The number of times that the part at `path` comes."""
        options = range(expr.least, 2 if expr.once else 3)
        if self.ahead(expr.item):
            options = range(1, options.stop)
        elif depth > DEEP:
            options = options[:1]
        return several(self.random, self.choose(options, rule.name, path))

    def pick(self, items: Sequence[Expr], rule: Rule, path: Path, depth: int) -> int:
        """Index of the alternative taken at `path`."""
        options = [i for i, item in enumerate(items) if self.ahead(item)]
        if not options and depth > DEEP:
            options = [min(range(len(items)), key=lambda i: self.walker.height(items[i]))]
        return self.choose(options or range(len(items)), rule.name, path)

    def ahead(self, expr: Expr) -> bool:
        """True when the rule that the walk leads towards is still to come, and may come in `expr`."""
        return bool(self.towards) and self.walker.leads(expr, self.towards)

    # Writing

    def write(self, text: str, atom: Atom | None, rule: Rule) -> None:
        """Append a piece."""
        self.pieces.append(SampledPiece(text, atom, rule.value))

    def expr(self, expr: Expr, rule: Rule, path: Path, depth: int, said: dict[Role, str]) -> None:
        """Write `expr`, the part of `rule` at `path`; the rule has `said` this name, or this key, already."""
        match expr:
            case Seq(items):
                self.sequence(items, rule, path, depth, said)
            case Alt(items):
                option = self.pick(items, rule, path, depth)
                self.expr(items[option], rule, (*path, option), depth, said)
            case Repeat(item):
                for _ in range(self.count(expr, rule, path, depth)):
                    self.expr(item, rule, (*path, 0), depth, said)
            case Ref(name):
                self.rule(self.spec.rules[name], rule, depth)
            case Literal(text, others):
                option = self.choose(range(1 + len(others)), rule.name, path) if others else 0
                self.write((text, *others)[option], expr, rule)
                if rule.name == "start":
                    self.before = None
            case Pattern():
                self.write(self.fill.terminal(expr, rule, said), expr, rule)
            case Slot(kind):
                self.write(self.fill.slot(kind, rule), expr, rule)

    def sequence(self, items: Sequence[Expr], rule: Rule, path: Path, depth: int, said: dict[Role, str]) -> None:
        """Write one after the other; a key that comes again is the same text again."""
        keys: dict[str, list[SampledPiece]] = {}
        for i, item in enumerate(items):
            if isinstance(item, Ref) and item.again:
                self.pieces += keys[item.rule]
                continue
            at = len(self.pieces)
            self.expr(item, rule, (*path, i), depth, said)
            if isinstance(item, Ref):
                keys[item.rule] = self.pieces[at:]

    def rule(self, rule: Rule, outer: Rule, depth: int) -> None:
        """Write `rule`, which stands in rule `outer`."""
        role = self.spec.roles.get(rule.name)
        if outer.name == "start":
            self.segment(rule, role)
        if rule.name in self.spec.fixed_names:
            self.fill.called(self.spec.fixed_names[rule.name])
        if role is Role.AGAIN:
            self.again += 1
        arrived = rule.name == self.towards
        if arrived:
            self.towards, self.inside = "", True
        self.expr(rule.expr, rule, (), 0 if arrived else depth + 1, {})
        self.inside = self.inside and not arrived

    def segment(self, rule: Rule, role: Role | None) -> None:
        """Write the gap before `rule`, which is one of the answer's own."""
        before, self.before = self.before, rule
        if before is None:
            return
        if before is rule and role is not Role.CALL:
            self.touching = True
        if rule.name in self.walker.calling:
            gaps = self.spec.gaps
            after_text = self.spec.roles.get(before.name) is Role.CONTENT
            gap = gaps.before_call if after_text else gaps.between_calls if before.name in self.walker.calling else ""
            if gap:
                self.write(gap, None, rule)
