"""The parts of a grammar that a text may take or leave: rules, alternatives, and what is optional or repeated."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path

import msgspec

from toolect._compiled import Dialect
from toolect._diagnostic import Place
from toolect._graph.network import Network, Option
from toolect._message import dumps
from toolect._spec.document import read_text
from toolect._spec.grammar_model import Alt, Expr, Literal, Pattern, Ref, Repeat, Seq, Slot
from toolect._spec.leaves import reached
from toolect._spec.model import Rule
from toolect._spec.problems import Problems


class PartKind(StrEnum):
    """Kind of a part: a rule as a whole, or an option inside of one."""

    RULE = "rule"
    ALTERNATIVE = "alternative"
    OPTIONAL = "optional"
    REPEATED = "repeated"


class GrammarPart(msgspec.Struct, frozen=True):
    """A part of the grammar: `text` is what it says there, `place` is where it begins."""

    name: str
    """The rule's own name, or `rule#k` for the k-th option inside of it."""
    kind: PartKind
    text: str
    place: Place


def parts(dialect: Dialect, written: bool = False) -> list[GrammarPart]:
    """Every part of the dialect's grammar, rule by rule: what a `Derivation` counts; or those of what is `written`."""
    network = dialect._graph().network
    rules, unwritten = network.spec.rules, network.spec.unwritten if written else ()
    found = reached({name: rule for name, rule in rules.items() if name not in unwritten}) if written else {*rules}
    return list(_parts(network, found))


def _parts(network: Network, rules: set[str]) -> Iterator[GrammarPart]:
    options: dict[str, list[Option]] = {}
    for option in network.options.values():
        options.setdefault(option.rule, []).append(option)
    texts: dict[str, str] = {}
    for rule in network.spec.rules.values():
        if rule.name not in rules:
            continue
        path = rule.place.path
        if path not in texts:
            texts[path] = read_text(Path(path), Problems(), "missing-grammar") or ""
        yield GrammarPart(rule.name, PartKind.RULE, spelled(rule.expr), rule.place)
        own = sorted(options.get(rule.name, ()), key=lambda option: option.number)
        for option, place in zip(own, option_places(rule, texts[path]), strict=True):
            if not isinstance(option.item, Ref) or option.item.rule in rules:
                yield GrammarPart(name_of(option), _kind(option), spelled(option.item), place)


def name_of(option: Option) -> str:
    """The name of the part that an option is."""
    return f"{option.rule}#{option.number}"


def _kind(option: Option) -> PartKind:
    match option.within:
        case Alt():
            return PartKind.ALTERNATIVE
        case Repeat(once=True):
            return PartKind.OPTIONAL
        case _:
            return PartKind.REPEATED


def spelled(expr: Expr, inside: bool = False) -> str:
    """An expression as a grammar has it; in brackets where it stands `inside` of another, if it needs them."""
    match expr:
        case Literal(text, _, name):
            return name or dumps(text)
        case Pattern(_, name):
            return name
        case Slot():
            return expr.name
        case Ref(name):
            return name
        case Repeat(item, least, once):
            return spelled(item, True) + ("?" if once else "+" if least else "*")
        case Seq(items):
            text = " ".join(spelled(item, isinstance(item, Alt)) for item in items)
        case Alt(items):
            text = " | ".join(map(spelled, items))
    return f"({text})" if inside else text


# Where options are written, which a spec does not keep

_DEFINITION = re.compile(r"^[?!]*\w+(?:\.\d+)?\s*[:{]|^%", re.MULTILINE)


def option_places(rule: Rule, text: str) -> list[Place]:
    """The places of a rule's options in the `text` of its file, in order; that of the rule for a lost one."""
    path = rule.place.path
    at = sum(len(line) + 1 for line in text.split("\n")[: rule.place.line - 1]) + rule.place.column - 1
    following = _DEFINITION.search(text, min(at + 1, len(text)))
    end = following.start() if following else len(text)
    found: list[Place] = []
    waiting: list[int] = []  # options whose first part has not come
    for part in _in_order(rule.expr):
        if part is None:
            waiting.append(len(found))
            found.append(rule.place)
            continue
        word = re.escape(spelled(part))
        named = not isinstance(part, Literal) or part.name
        match = re.compile(rf"\b{word}\b" if named else word).search(text, at, end)
        if match is None:  # a marker that a variant has replaced, or a part that is repeated
            continue
        at, length = match.start(), match.end() - match.start()
        place = Place(path, text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at), length)
        for option in waiting:
            found[option] = place
        waiting, at = [], match.end()
    return found


def _in_order(expr: Expr) -> Iterator[Expr | None]:
    """The parts of an expression that have no parts, with None where an option begins."""
    match expr:
        case Seq(items):
            for item in items:
                yield from _in_order(item)
        case Alt() | Repeat():
            for item in expr.items if isinstance(expr, Alt) else (expr.item,):
                yield None
                yield from _in_order(item)
        case _:
            yield expr
