"""The definitions that Lark's loader has read, as rules: its trees become expressions."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice

from lark import Token
from lark.grammar import NonTerminal, Terminal
from lark.load_grammar import Grammar as LarkGrammar
from msgspec.structs import replace

from toolect._diagnostic import Place
from toolect._spec.grammar_model import Alt, Expr, Literal, Pattern, Ref, Repeat, Seq, Slot, SlotKind
from toolect._spec.grammar_source import NameOrigin
from toolect._spec.lark_loader import LarkTree, literal_pattern
from toolect._spec.lark_terminals import Terminals
from toolect._spec.leaves import leaves
from toolect._spec.model import Role, Rule
from toolect._spec.problems import Problems

MAX_RULES = 500
"""Rules of a grammar, with those that it imports. Beyond it: diagnostic `unsupported-grammar`."""
MAX_PARTS = 1_000
"""Markers, terminals, slots and names of rules in the rules of a grammar. Beyond it: diagnostic `unsupported-grammar`.

Every text that a terminal is made of counts, and everything as often as `~ n..m` has it.
"""
MAX_COPIES = 64
"""The numbers in a grammar's `~ n..m`. Beyond it: diagnostic `unsupported-grammar`."""


class UnsupportedError(Exception):
    """Reading cannot go on; the reason has been noted."""


class LarkRules:
    """Turns Lark's definitions into rules under their plain names."""

    def __init__(
        self,
        grammar: LarkGrammar,
        terminals: Terminals,
        names: dict[str, NameOrigin],
        slots: Mapping[str, Expr],
        problems: Problems,
    ) -> None:
        self.grammar = grammar
        self.names = names
        self.slots = slots
        self.problems = problems
        self.rules: dict[str, Rule] = {}
        self.place = Place("", 1, 1)
        self.parts = 0
        self.operators: list[tuple[Expr, str, LarkTree, Place]] = []
        """Expression before each terminal with `~ 0`, with that terminal's regular expression, tree and place."""
        own = {name for name, origin in names.items() if origin.own and name.isupper()}
        self.terminals = {
            name: terminals.expression(name, self._plain(name) if self._plain(name) not in own else name)
            for name in terminals.spellings
        }

    def read(self) -> dict[str, Rule]:
        """All rules."""
        if len(self.grammar.rule_defs) > MAX_RULES:
            self.place = self._origin("start").place
            raise self._too_many("rules", MAX_RULES)
        for name, _, tree, _ in self.grammar.rule_defs:
            self.place = self._origin(name).place
            choices: list[Expr] = []
            aliases: dict[str, list[Expr]] = {}
            alternatives: list[LarkTree] = tree.children
            for choice in alternatives:
                if choice.data == "alias":
                    expression, alias = choice.children
                    if alias.name not in aliases:
                        choices.append(Ref(self._plain(alias.name)))
                    aliases.setdefault(alias.name, []).append(self._expr(expression))
                else:
                    choices.append(self._expr(choice))
            self._add(name, choices)
            for alias_name, aliased in aliases.items():
                self._add(alias_name, aliased)
        for before, regex, tree, place in self.operators:
            self.place = place
            self._refuse_after(before, regex, tree)
        order = {name: index for index, name in enumerate(self.names)}
        found = sorted(self.rules.items(), key=lambda item: (not self._origin(item[0]).own, order.get(item[0], 0)))
        return {rule.name: rule for _, rule in found}

    def _add(self, name: str, choices: list[Expr]) -> None:
        origin = self._origin(name)
        plain = self._plain(name)
        self.parts += sum(_size(part) for choice in choices for part in islice(leaves(choice), MAX_PARTS))
        if self.parts > MAX_PARTS:
            raise self._too_many("parts", MAX_PARTS)
        for other in self.rules:
            if self._plain(other) == plain:
                first = self._origin(other)
                one, two = (origin, first) if origin.own else (first, origin)
                message = f"the rule `{plain}` is defined twice"
                self.problems.error("duplicate-rule", message, one.place, related=((two.place, "also here"),))
                raise UnsupportedError
        expr = _alt(choices)
        if origin.value and plain == Role.PAIR:
            expr = _with_key_again(expr)
        self.rules[name] = Rule(plain, expr, origin.place, origin.value)

    def _origin(self, name: str) -> NameOrigin:
        return self.names.get(name) or NameOrigin(name, self.place, False, True)

    def _plain(self, name: str) -> str:
        return self._origin(name).name

    def _expr(self, node: LarkTree) -> Expr:
        match node.data, node.children:
            case "expansions", choices:
                return _alt([self._expr(choice) for choice in choices])
            case "expansion", items:
                return self._sequence(items)
            case "maybe", [item]:
                return Repeat(self._expr(item), 0, once=True)
            case "expr", [item, op]:
                return Repeat(self._expr(item), 1 if op == "+" else 0, once=op == "?")
            case "expr", [item, _, least]:
                return self._copies(item, int(least), int(least))
            case "expr", [item, _, least, most]:
                return self._copies(item, int(least), int(most))
            case "value", [NonTerminal(name=name)]:
                return Ref(self._plain(name))
            case "value", [Terminal(name=name)]:
                return self.terminals.get(name) or self.slots[self._plain(name)]
            case "value", [literal] if literal.data == "literal" and literal.children[0].type == "STRING":
                token = literal.children[0]
                pattern = literal_pattern(token)
                if pattern.flags:
                    raise self._refused(token, "expected a marker as it is written, got one that ignores case")
                return Literal(pattern.value)
        raise self._refused(_token(node), "expected a named terminal, got a pattern inside a rule")

    def _sequence(self, items: list[LarkTree]) -> Expr:
        """One after the other; what comes no times is what cannot stand where it is written."""
        found: list[Expr] = []
        for item in items:
            if item.data != "expr" or item.children[-1] != "0":
                found.append(self._expr(item))
                continue
            match found[-1:], self._expr(item.children[0]):
                case [Slot(SlotKind.ESCAPED) as slot], Literal(sign, others):
                    found[-1] = replace(slot, refused=(*slot.refused, sign, *others))
                case [_], Pattern(regex):
                    self.operators.append((Seq(tuple(found)), regex, item, self.place))
                    found = [_with_operator(before, regex) for before in found]
                case _:
                    raise self._refused(_token(item), _NEVER)
        return _seq(found)

    def _refuse_after(self, before: Expr, regex: str, tree: LarkTree) -> None:
        """Nothing that `regex` matches follows the strings in `before`, as `tree` says."""
        lark_names = {rule.name: lark_name for lark_name, rule in self.rules.items()}
        parts = list(leaves(before))
        met: set[str] = set()
        for part in parts:
            if isinstance(part, Ref) and part.rule in lark_names and part.rule not in met:
                met.add(part.rule)
                rule = self.rules[lark_names[part.rule]]
                self.rules[lark_names[part.rule]] = replace(rule, expr=_with_operator(rule.expr, regex))
                parts += leaves(rule.expr)
        if not any(isinstance(part, Slot) and part.kind is SlotKind.ESCAPED for part in parts):
            raise self._refused(_token(tree), _NEVER)

    def _copies(self, item: LarkTree, least: int, most: int) -> Expr:
        if not 0 <= least <= most <= MAX_COPIES:
            raise self._refused(None, f"expected a range within 0..{MAX_COPIES}, got {least}..{most}")
        inner = self._expr(item)
        if most * sum(1 for _ in islice(leaves(inner), MAX_PARTS)) > MAX_PARTS:
            raise self._too_many("parts", MAX_PARTS)
        tail: Expr = Seq(())
        for _ in range(most - least):
            tail = Repeat(_seq([inner, tail]), 0, once=True)
        return _seq([*[inner] * least, tail])

    def _too_many(self, what: str, most: int) -> UnsupportedError:
        """Note that the grammar is too large."""
        return self._refused(None, f"expected at most {most} {what} in a grammar, got more")

    def _refused(self, token: Token | None, message: str) -> UnsupportedError:
        """Note why something cannot be read."""
        place = self.place
        if token is not None and token.line and token.column:
            place = Place(place.path, token.line, token.column, len(token))
        self.problems.error("unsupported-grammar", message, place)
        return UnsupportedError()


def _with_key_again(expr: Expr) -> Expr:
    """A pair in which every key after the first is the same one again."""
    match expr:
        case Alt(items):
            return Alt(tuple(map(_with_key_again, items)))
        case Seq(items):
            key = Ref(Role.PAIR_KEY)
            first = items.index(key) if key in items else len(items)
            return Seq((*items[: first + 1], *(Ref(key.rule, True) if i == key else i for i in items[first + 1 :])))
        case _:
            return expr


def _size(part: Expr) -> int:
    """Number of texts or other parts it stands for."""
    return len(part.texts) if isinstance(part, Literal) else 1


_NEVER = "expected `~ 0` of a marker after `ESCAPED`, or of a terminal after a string"


def _with_operator(expr: Expr, regex: str) -> Expr:
    """`expr` with strings that nothing that `regex` matches follows."""
    match expr:
        case Alt(items):
            return Alt(tuple(_with_operator(item, regex) for item in items))
        case Seq(items):
            return Seq(tuple(_with_operator(item, regex) for item in items))
        case Repeat(item):
            return replace(expr, item=_with_operator(item, regex))
        case Slot(SlotKind.ESCAPED):
            return replace(expr, operator=regex)
        case _:
            return expr


def _token(node: LarkTree) -> Token | None:
    """The first token below a node."""
    return next(iter(node.scan_values(lambda value: isinstance(value, Token))), None)


def _alt(choices: list[Expr]) -> Expr:
    return choices[0] if len(choices) == 1 else Alt(tuple(choices))


def _seq(items: list[Expr]) -> Expr:
    flat = [e for item in items for e in (item.items if isinstance(item, Seq) else (item,))]
    return flat[0] if len(flat) == 1 else Seq(tuple(flat))
