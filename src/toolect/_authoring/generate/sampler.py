"""Derivations: texts that a grammar allows, written by walking it.

Every alternative, spelling and optional part may be taken, and what stands in terminals and slots is drawn.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from operator import and_
from random import Random
from typing import NamedTuple, TypeAlias

import msgspec

from toolect._authoring.generate import json_values as values
from toolect._authoring.generate import texts
from toolect._authoring.generate.texts import often
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
"""Which part of a rule's expression: an index for each step down."""
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


# Alternatives


class Alternative(msgspec.Struct, frozen=True, order=True):
    """One way through a choice of the grammar, or of a JSON slot's shape.

    The choice is the part at `path` of the expression of `where`, a rule, or of the shape of a slot: `call/JSON`. Of
    alternatives and of the spellings of a marker or key, `option` is the number; of a repeated or optional part it is
    how often the part comes: 0, 1, or 2 for more.
    """

    where: str
    path: Path
    option: int

    def __str__(self) -> str:
        return f"{self.where}:{'.'.join(map(str, self.path))}={self.option}"


def alternatives(spec: Spec) -> tuple[Alternative, ...]:
    """Every alternative of the rules that an answer can hold."""
    found: list[Alternative] = []
    held = reached(spec.rules)
    for rule in spec.rules.values():
        if rule.name in held:
            found += _choices(rule.name, rule.expr, ())
            for slot in dict.fromkeys(
                f"{rule.name}/{leaf.kind}" for leaf in leaves(rule.expr) if isinstance(leaf, Slot)
            ):
                found += _shape_choices(slot, spec.shapes[slot], ()) if slot in spec.shapes else ()
    return tuple(found)


def _choices(rule: str, expr: Expr, path: Path) -> Iterator[Alternative]:
    """The alternatives within the part of a rule at `path`."""
    match expr:
        case Seq(items):
            for i, item in enumerate(items):
                yield from _choices(rule, item, (*path, i))
        case Alt(items):
            for i, item in enumerate(items):
                yield Alternative(rule, path, i)
                yield from _choices(rule, item, (*path, i))
        case Repeat(item):
            yield from (Alternative(rule, path, count) for count in counts(expr))
            yield from _choices(rule, item, (*path, 0))
        case Literal(_, others) if others:
            yield from (Alternative(rule, path, i) for i in range(1 + len(others)))


def _shape_choices(slot: str, shape: Shape, path: Path) -> Iterator[Alternative]:
    """The alternatives within the part of a slot's shape at `path`."""
    match shape:
        case Keyed(inner):
            yield from _shape_choices(slot, inner, (*path, 0))
        case Many(item):
            yield from (Alternative(slot, path, count) for count in (1, 2))
            yield from _shape_choices(slot, item, (*path, 1))
        case OneOf(shapes):
            for i, inner in enumerate(shapes):
                yield Alternative(slot, path, i)
                yield from _shape_choices(slot, inner, (*path, i))
        case Obj(fields):
            for i, field in enumerate(fields):
                if field.optional:
                    yield from (Alternative(slot, (*path, i), count) for count in (0, 1))
                if len(field.keys) > 1:
                    yield from (Alternative(slot, (*path, i, 1), k) for k in range(len(field.keys)))
                yield from _shape_choices(slot, field.shape, (*path, i, 1, 0))


def counts(expr: Repeat) -> range:
    """How often a repeated part may come, where 2 stands for more than once."""
    return range(expr.least, 2 if expr.once else 3)


# Terminals and slots


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


# Walks


class SampledPiece(NamedTuple):
    """A stretch of a text; `atom` is the grammar's part that it stands for, None for a gap between segments."""

    text: str
    atom: Atom | None
    value: bool = False
    """True for a part of a value language."""


class Walked(NamedTuple):
    """A text in pieces, the alternatives that it takes, and the names that it calls."""

    pieces: list[SampledPiece]
    taken: frozenset[Alternative]
    names: tuple[str, ...]
    calls: int
    """How many calls there are."""

    @property
    def text(self) -> str:
        """The text as a whole."""
        return "".join(piece.text for piece in self.pieces)


class Walker:
    """Walks the grammar of one spec, as often as it is asked."""

    def __init__(self, spec: Spec) -> None:
        self.spec, self.calling = spec, rules_with_calls(spec)
        self._reached: dict[str, set[str]] = {}

    def walk(self, random: Random, aim: Alternative | None = None) -> Walked | None:
        """One text, which takes the alternative `aim`; nothing when two texts in it would be read as one."""
        return _Walk(self, random, aim).answer()

    def leads(self, expr: Expr, target: str) -> bool:
        """True when a way leads from an expression to the rule `target`."""
        for part in leaves(expr):
            if isinstance(part, Ref):
                if part.rule not in self._reached:
                    self._reached[part.rule] = reached(self.spec.rules, part.rule)
                if target in self._reached[part.rule]:
                    return True
        return False

    @cached_property
    def _heights(self) -> dict[str, int]:
        heights, before = dict.fromkeys(self.spec.rules, FAR), dict[str, int]()
        while heights != before:
            before = heights
            heights = {rule.name: 1 + self.height(rule.expr, before) for rule in self.spec.rules.values()}
        return heights

    def height(self, expr: Expr, heights: dict[str, int] | None = None) -> int:
        """How many rules the shallowest text of `expr` has inside one another."""
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
    """One walk. What it decides is drawn, except that it goes towards its aim until that is reached."""

    def __init__(self, walker: Walker, random: Random, aim: Alternative | None) -> None:
        self.walker, self.spec, self.random, self.aim = walker, walker.spec, random, aim
        self.fill = TextFiller(self.spec, random, self.choose)
        self.pieces: list[SampledPiece] = []
        self.taken: set[Alternative] = set()
        self.again = 0
        """How many calls go without a name, which is that of the call before."""
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
        """One of the options of a choice; the one that is aimed at, or that the aim lies behind, when there is one."""
        option = self.random.choice(options)
        if self.aim is not None and self.aim.where == where and self.aim.path[: len(path)] == path:
            if self.aim.path == path:
                option, self.aim = self.aim.option, None
            elif self.aim.path[len(path)] in options:
                option = self.aim.path[len(path)]
        self.taken.add(Alternative(where, path, option))
        return option

    def ahead(self, expr: Expr, rule: Rule, path: Path) -> bool:
        """True when the aim lies in `expr`, the part of `rule` at `path`, or behind it."""
        if self.aim is None:
            return False
        target, _, slot = self.aim.where.partition("/")
        if target != rule.name:
            return self.walker.leads(expr, target)
        if slot:
            return any(isinstance(leaf, Slot) and leaf.kind.value == slot for leaf in leaves(expr))
        return self.aim.path[: len(path)] == path

    def count(self, expr: Repeat, rule: Rule, path: Path, depth: int) -> int:
        """How often the part at `path` comes."""
        options: Sequence[int] = counts(expr)
        if self.ahead(expr.item, rule, (*path, 0)):
            options = [count for count in options if count]
        elif depth > DEEP:
            options = options[:1]
        return several(self.random, self.choose(options, rule.name, path))

    def pick(self, items: Sequence[Expr], rule: Rule, path: Path, depth: int) -> int:
        """Which of the alternatives at `path` is taken."""
        options: Sequence[int] = [i for i, item in enumerate(items) if self.ahead(item, rule, (*path, i))]
        if not options and depth > DEEP:
            options = [min(range(len(items)), key=lambda i: self.walker.height(items[i]))]
        return self.choose(options or range(len(items)), rule.name, path)

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
        """Write `rule`, which stands in rule `outer`. An aim in that is out of reach for the rules inside of it."""
        role = self.spec.roles.get(rule.name)
        if outer.name == "start":
            self.segment(rule, role)
        if rule.name in self.spec.fixed_names:
            self.fill.called(self.spec.fixed_names[rule.name])
        if role is Role.AGAIN:
            self.again += 1
        aim = self.aim
        inside = aim is not None and aim.where.partition("/")[0] == outer.name
        if inside:
            self.aim = None
        self.expr(rule.expr, rule, (), depth + 1, {})
        if inside:
            self.aim = aim

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
