"""Grammar rules as a transition network: what may come next at every point of every rule.

The network is the rules' expressions turned into states and edges, one small automaton per rule, with edges that call
other rules (an augmented transition network). `toolect._graph.node` walks it.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from toolect._graph.symbols import ECHOES, Field, Hollow, Mark, Op, OpCode, Pat, Symbol, split_marker, split_space
from toolect._spec.codec_model import Codec, CodecKind
from toolect._spec.grammar_model import Alt, Expr, Literal, Pattern, Ref, Repeat, Seq, Slot, SlotKind
from toolect._spec.leaves import alternatives, leaves
from toolect._spec.map_keys import said_of
from toolect._spec.model import Role, Rule, Spec
from toolect._spec.shape_model import Hole, HoleKind


class Edge(NamedTuple):
    """A terminal edge: at `rule`, reading `symbol` leads to `target`; `first` when it can be the rule's first."""

    symbol: Symbol
    target: int
    rule: str
    first: bool


class Enter(NamedTuple):
    """A call of another rule, returning to `target`; `ops` run before and after."""

    rule: str
    target: int
    before: tuple[Op, ...]
    after: tuple[Op, ...]


ADMITTED = Hollow(SlotKind.TEXT, Field(Role.CONTENT))
"""Text that a grammar does not have, and that is content where nothing else may begin with a word."""


class Option(NamedTuple):
    """Optional part, the `number`-th of its rule: a branch of an `Alt`, the inside of a `Repeat`."""

    rule: str
    number: int
    within: Alt | Repeat
    item: Expr


class RuleState:
    """A point in a rule: what may be read, which rules may be entered, where one may go for free."""

    __slots__ = ("edges", "enters", "final", "ops", "skips")

    def __init__(self) -> None:
        self.edges: list[Edge] = []
        self.enters: list[Enter] = []
        self.skips: list[int] = []
        self.ops: list[tuple[Op, int]] = []
        self.final = False


class Network:
    """All rules of a spec as states; `starts[rule]` is where a rule begins, `ends[rule]` where it ends."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.states: list[RuleState] = []
        self.starts: dict[str, int] = {}
        self.ends: dict[str, int] = {}
        self.options: dict[int, Option] = {}
        """The states in which nothing but an option begins."""
        self._count = 0  # options of the rule that is laid down
        self.calling: frozenset[str] = rules_with_calls(spec)
        for rule in spec.rules.values():
            start = self._state()
            self.starts[rule.name] = start
            firsts = {start}
            self._count = 0
            end = self._build(rule, rule.expr, start, firsts)
            self.ends[rule.name] = end
            self.states[end].final = True

    def admit_text(self) -> None:
        """Let content without markers stand around all that `start` refers to, in a grammar that has none there.

        Not where a text ends with its line: it would be cut there, as something else may be said next.
        """
        pairs = (pair for rule in self.spec.rules.values() for pair in pairwise(leaves(rule.expr)))
        lined = any(isinstance(a, Slot) and isinstance(b, Literal) and b.text.isspace() for a, b in pairs)
        at = self.starts["start"]
        for number in range(at, self.ends["start"] + 1) if not lined else ():
            state = self.states[number]
            if state.enters or state.final or number == at:
                state.edges.append(Edge(ADMITTED, number, "start", True))

    def may_end(self, at: int) -> bool:
        """True when the rule of state `at` may end there, with nothing but whitespace read."""
        todo, met = [at], {at}
        while todo:
            state = self.states[todo.pop()]
            if state.final:
                return True
            more = {*state.skips, *(target for _, target in state.ops)} - met
            met |= more
            todo += more
        return False

    def _state(self) -> int:
        self.states.append(RuleState())
        return len(self.states) - 1

    def _option(self, rule: Rule, within: Alt | Repeat, item: Expr) -> int:
        """The state in which `item` begins."""
        begin = self._state()
        self._count += 1
        self.options[begin] = Option(rule.name, self._count, within, item)
        return begin

    def _build(self, rule: Rule, expr: Expr, at: int, firsts: set[int]) -> int:
        """Lay `expr` down from state `at`; the state after it. `firsts` collects states reachable with nothing read."""
        match expr:
            case Seq(items):
                for item in self._bound(rule, items):
                    at = self._build(rule, item, at, firsts)
                return at
            case Alt(items):
                end = self._state()
                for item in items:
                    begin = self._option(rule, expr, item)
                    self._skip(at, begin, firsts)
                    self._skip(self._build(rule, item, begin, firsts), end, firsts)
                return end
            case Repeat(item, least, once):
                begin, end = self._option(rule, expr, item), self._state()
                self._skip(at, begin, firsts)
                last = self._build(rule, item, begin, firsts)
                if not once:
                    self._skip(last, begin, firsts)
                self._skip(last, end, firsts)
                if least == 0:
                    self._skip(at, end, firsts)
                return end
            case Literal():
                return self._literal(rule, expr, at, firsts)
            case Pattern(regex, name):
                target = self._state()
                pat = Pat(regex, self._field(rule, name))
                self.states[at].edges.append(Edge(pat, target, rule.name, at in firsts))
                return target
            case Slot(kind, refused, operator, escapes):
                target = self._state()
                hollow = Hollow(kind, self._field(rule, kind.value), refused, operator, escapes)
                self.states[at].edges.append(Edge(hollow, target, rule.name, at in firsts))
                return target
            case Ref(name, again):
                target = self._state()
                before, after = self._around(name)
                if again:
                    before = (Op(OpCode.BEGIN_AGAIN),)
                self.states[at].enters.append(Enter(name, target, before, after))
                return target

    def _bound(self, rule: Rule, items: tuple[Expr, ...]) -> list[Expr]:
        """`items` with each name or key that comes a second time made part of the markers around it."""
        found: list[Expr] = []
        met: set[Role] = set()
        todo = list(reversed(items))
        while todo:
            item = todo.pop()
            role = self._field(rule, item.name).role if isinstance(item, Pattern) else None
            before = found[-1] if found else None
            if role in met and isinstance(before, Literal) and not before.others and before.text.strip():
                after = todo.pop().text if todo and _is_plain(todo[-1]) else ""  # type: ignore[union-attr]
                text, behind = before.text, found[-2] if len(found) > 1 else None
                if isinstance(behind, Slot) and behind.kind is SlotKind.ESCAPED and text[1:].strip():
                    found[-1:], text = [Literal(text[0]), before], text[1:]  # the quote ends the string by itself
                found[-1] = Literal(text + ECHOES[role] + after)
                continue
            if role in ECHOES:
                met.add(role)
            found.append(item)
        return found

    def _skip(self, at: int, to: int, firsts: set[int]) -> None:
        self.states[at].skips.append(to)
        if at in firsts:
            firsts.add(to)

    def _literal(self, rule: Rule, literal: Literal, at: int, firsts: set[int]) -> int:
        pieces = [literal.text] if literal.others else split_marker(literal.text)
        for i, piece in enumerate(pieces):
            target = self._state()
            marks = [Mark(*split_space(text)) for text in (piece, *literal.others)]
            wrong = [text for right in (piece, *literal.others) for text in self._misspelled(right)]
            if i == 0 and piece != literal.text:
                wrong += self.spec.misspellings.get(literal.text, ())
            marks += [Mark(*split_space(text), wrong=True) for text in wrong]
            lead, core, _ = split_space(piece)
            if core:
                self.states[at].edges += [Edge(mark, target, rule.name, at in firsts) for mark in marks if mark.core]
            else:
                self.states[at].ops.append((Op(OpCode.SPACE, None, lead), target))
                if at in firsts:
                    firsts.add(target)
            at = target
        return at

    def _misspelled(self, marker: str) -> list[str]:
        """The wrong spellings of a marker: with any of its parts, or several, misspelled."""
        found = {marker: None}
        for part, wrong in self.spec.misspellings.items():
            found |= dict.fromkeys(text.replace(part, one) for text in [*found] if part in text for one in wrong)
        return [text for text in found if text != marker]

    def _field(self, rule: Rule, name: str) -> Field:
        """The field that the terminal `name` fills inside `rule`: by the map, else by the rule's own role."""
        spec, key = self.spec, f"{rule.name}/{name}"
        shape = spec.shapes.get(key)
        if shape is None and name == SlotKind.JSON.value:
            shape = Hole(HoleKind.ARGUMENTS)
        role = said_of(spec.roles, rule.name, name)
        if rule.value:
            if name == SlotKind.JSON.value:
                role, shape = Role.JSON, None
            elif name in SlotKind.__members__:
                role = Role.STRING
            elif rule.name in (Role.NUMBER, Role.PAIR_KEY):
                role = Role(rule.name)
            elif rule.name in (Role.STRING, Role.SCALAR) and any(
                isinstance(one, Pattern) and one.name == name for one in alternatives(rule.expr)
            ):
                role = Role.STRING
        elif role is None:
            role = spec.roles.get(rule.name)
        codec = spec.codecs.get(key)
        codec = codec or spec.codecs.get(name)
        if codec is None and role is Role.VALUE:
            codec = Codec(CodecKind.JSON if name == SlotKind.JSON.value else CodecKind.TEXT)
        elif codec is None and rule.name == Role.SCALAR and rule.value:
            codec = Codec(CodecKind.JSON_OR_TEXT)
        elif codec is None and role is Role.ARGUMENTS and name != SlotKind.JSON.value:
            codec = Codec(CodecKind.JSON)
        return Field(role, codec, shape)

    def _around(self, name: str) -> tuple[tuple[Op, ...], tuple[Op, ...]]:
        """The operations before and after rule `name`, wherever it is referred to."""
        spec, inner = self.spec, self.spec.rules[name]
        role = spec.roles.get(name)
        if role is Role.CALL:
            return (Op(OpCode.BEGIN_CALL, name=spec.fixed_names.get(name, "")),), (Op(OpCode.END_CALL),)
        if role is Role.AGAIN:
            return (Op(OpCode.BEGIN_CALL, Role.AGAIN),), (Op(OpCode.END_CALL),)
        if role is Role.ARGUMENT:
            return (Op(OpCode.BEGIN_ARGUMENT),), (Op(OpCode.END_ARGUMENT),)
        if inner.value and name in _VALUE_ROLES:
            value = Role(name)
            return (Op(OpCode.BEGIN_VALUE, value),), (Op(OpCode.END_VALUE, value),)
        return (), ()


_VALUE_ROLES = {
    r.value
    for r in (
        Role.OBJECT,
        Role.PAIR_KEY,
        Role.ARRAY,
        Role.TUPLE,
        Role.STRING,
        Role.NUMBER,
        Role.TRUE,
        Role.FALSE,
        Role.NULL,
        Role.SCALAR,
        Role.JSON,
    )
}


def _is_plain(expr: Expr) -> bool:
    """True for a marker with one spelling."""
    return isinstance(expr, Literal) and not expr.others


def _references(rule: Rule) -> set[str]:
    """The rules that `rule` refers to."""
    return {part.rule for part in leaves(rule.expr) if isinstance(part, Ref)}


def rules_with_calls(spec: Spec) -> frozenset[str]:
    """The rules a call can be read in, themselves or through others."""
    found = {name for name, role in spec.roles.items() if role in (Role.CALL, Role.AGAIN)}
    found |= {key.split("/")[0] for key in spec.shapes}
    grown = True
    while grown:
        more = {r.name for r in spec.rules.values() if r.name not in found and found & _references(r)}
        found |= more
        grown = bool(more)
    return frozenset(found)
