"""A Lark grammar as rules: Lark's loader reads it, and its trees become expressions."""

from __future__ import annotations

import itertools
from pathlib import Path

from lark import Token
from lark.grammar import NonTerminal, Terminal
from lark.load_grammar import Grammar

from toolect.diagnostic import Place, Severity
from toolect.spec.lalr import check_lalr, complain
from toolect.spec.lark_loader import LarkTree, literal_pattern, load_grammar
from toolect.spec.model import Alt, Expr, Literal, Pattern, Ref, Repeat, Role, Rule, Seq, Slot, SlotKind
from toolect.spec.problems import Problems, near, one_of
from toolect.spec.recursion import check_recursion
from toolect.spec.source import Origin, Source, check_names, origins, read_source

MAX_COPIES = 64
MAX_SPELLINGS = 256


def read_grammar(path: Path, problems: Problems, at: Place | None = None) -> dict[str, Rule] | None:
    """The rules of a grammar file, its own before imported ones; nothing when it has errors."""
    before = len(problems.found)
    source = read_source(path, problems, at)
    if source is None or len(problems.found) > before:
        return None
    check_names(source, problems)
    _check_slots(source, problems)
    if "start" not in source.defined and not any("start" in i.names.values() for i, _ in source.imports):
        problems.error("undefined-name", "the rule `start` is not defined", Place(str(path), 1, 1))
    if len(problems.found) > before:
        return None
    names = origins(source)
    try:
        grammar, _ = load_grammar(source.text, str(path), [], False)
        rules = _Rules(grammar, names, problems).read()
        check_lalr(grammar, rules, names, Place(str(path), 1, 1), problems)
    except _Unsupported:
        return None
    except Exception as error:  # Lark also fails by assertion, by `re.error`, by running out of stack
        complain(error, names, Place(str(path), 1, 1), problems)
        return None
    check_recursion(rules, problems)
    return None if any(d.severity is Severity.ERROR for d in problems.found[before:]) else rules


class _Unsupported(Exception):  # it ends a function, nobody else sees it
    """Reading cannot go on; the reason has been noted."""


def _check_slots(source: Source, problems: Problems) -> None:
    for name, place in source.declared.items():
        if name not in SlotKind.__members__:
            hint = near(name, SlotKind.__members__) or f"the slots are {one_of(SlotKind.__members__)}"
            problems.error("unknown-slot", f"expected a slot, got `{name}`", place, hint=hint)
    for _, other in source.imports:
        if other is not None:
            _check_slots(other, problems)


class _Rules:
    """Turns Lark's definitions into rules under their plain names."""

    def __init__(self, grammar: Grammar, names: dict[str, Origin], problems: Problems) -> None:
        self.grammar = grammar
        self.names = names
        self.problems = problems
        self.rules: dict[str, Rule] = {}
        self.place = Place("", 1, 1)
        self.patterns = {t.name: t.pattern.to_regexp() for t in grammar.compile(["start"], "*")[0]}
        own_terminals = {n for n, origin in names.items() if origin.own and n.isupper()}
        self.terminals = {
            name: self._terminal(name, tree, self._plain(name) if self._plain(name) not in own_terminals else name)
            for name, (tree, _) in grammar.term_defs
            if tree is not None
        }

    def read(self) -> dict[str, Rule]:
        """All rules."""
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
        order = {name: index for index, name in enumerate(self.names)}
        found = sorted(self.rules.items(), key=lambda item: (not self._origin(item[0]).own, order.get(item[0], 0)))
        return {rule.name: rule for _, rule in found}

    def _add(self, name: str, choices: list[Expr]) -> None:
        origin = self._origin(name)
        plain = self._plain(name)
        for other in self.rules:
            if self._plain(other) == plain:
                first = self._origin(other)
                one, two = (origin, first) if origin.own else (first, origin)
                message = f"the rule `{plain}` is defined twice"
                self.problems.error("duplicate-rule", message, one.place, related=((two.place, "also here"),))
                raise _Unsupported
        expr = _alt(choices)
        if origin.value and plain == Role.PAIR:
            expr = _with_key_again(expr)
        self.rules[name] = Rule(plain, expr, origin.place, origin.value)

    def _origin(self, name: str) -> Origin:
        return self.names.get(name) or Origin(name, self.place, False, True)

    def _plain(self, name: str) -> str:
        return self._origin(name).name

    def _expr(self, node: LarkTree) -> Expr:
        match node.data, node.children:
            case "expansions", choices:
                return _alt([self._expr(choice) for choice in choices])
            case "expansion", items:
                return _seq([self._expr(item) for item in items])
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
                return self.terminals.get(name) or Slot(SlotKind(self._plain(name)))
            case "value", [literal] if literal.data == "literal" and literal.children[0].type == "STRING":
                token = literal.children[0]
                pattern = literal_pattern(token)
                if pattern.flags:
                    raise self._refused(token, "expected a marker as it is written, got one that ignores case")
                return Literal(pattern.value)
        raise self._refused(_token(node), "expected a named terminal, got a pattern inside a rule")

    def _copies(self, item: LarkTree, least: int, most: int) -> Expr:
        if not 0 <= least <= most <= MAX_COPIES:
            raise self._refused(None, f"expected a range within 0..{MAX_COPIES}, got {least}..{most}")
        inner = self._expr(item)
        tail: Expr = Seq(())
        for _ in range(most - least):
            tail = Repeat(_seq([inner, tail]), 0, once=True)
        return _seq([*[inner] * least, tail])

    def _refused(self, token: Token | None, message: str) -> _Unsupported:
        """Note why something cannot be read."""
        place = self.place
        if token is not None and token.line and token.column:
            place = Place(place.path, token.line, token.column, len(token))
        self.problems.error("unsupported-grammar", message, place)
        return _Unsupported()

    def _terminal(self, name: str, tree: LarkTree, plain: str) -> Expr:
        spellings = _spellings(tree)
        if spellings:
            return Literal(spellings[0], tuple(spellings[1:]), plain)
        return Pattern(self.patterns[name], plain)


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


def _token(node: LarkTree) -> Token | None:
    """The first token below a node."""
    return next(iter(node.scan_values(lambda value: isinstance(value, Token))), None)


def _alt(choices: list[Expr]) -> Expr:
    return choices[0] if len(choices) == 1 else Alt(tuple(choices))


def _seq(items: list[Expr]) -> Expr:
    flat = [e for item in items for e in (item.items if isinstance(item, Seq) else (item,))]
    return flat[0] if len(flat) == 1 else Seq(tuple(flat))


def _spellings(node: LarkTree) -> list[str] | None:
    """All texts of a terminal made of plain strings, in written order; nothing for any other terminal."""
    match node.data, node.children:
        case "expansions", choices:
            found = [text for choice in choices for text in _spellings(choice) or [""]]
        case "expansion", items:
            parts = [_spellings(item) or [""] for item in items]
            found = [
                "".join(texts) if all(texts) else ""
                for texts in itertools.islice(itertools.product(*parts), MAX_SPELLINGS + 1)
            ]
        case "value", [inner]:
            return _spellings(inner)
        case "literal", [token] if token.type == "STRING" and token.endswith('"'):
            return [str(literal_pattern(token).value)]
        case _:
            return None
    return list(dict.fromkeys(found)) if found and all(found) and len(found) <= MAX_SPELLINGS else None
