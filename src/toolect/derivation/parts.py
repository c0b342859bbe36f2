"""The parts of a grammar that a text may take or leave: rules, alternatives, and what is optional or repeated."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

import msgspec

from toolect.compile.network import Network, Option
from toolect.compiled import Dialect
from toolect.diagnostic import Place
from toolect.ir import dumps
from toolect.spec.model import Alt, Expr, Literal, Pattern, Ref, Repeat, Seq, Slot


class PartKind(StrEnum):
    """What taking a part means."""

    RULE = "rule"
    ALTERNATIVE = "alternative"
    OPTIONAL = "optional"
    REPEATED = "repeated"


class Part(msgspec.Struct, frozen=True):
    """A part of the grammar: `text` is what it says there, `place` is that of its rule."""

    name: str
    """The rule's own name, or `rule#k` for the k-th option inside of it."""
    kind: PartKind
    text: str
    place: Place


def parts(dialect: Dialect) -> list[Part]:
    """Every part of the dialect's grammar, rule by rule: what a `Derivation` counts."""
    return list(_parts(dialect.graph().network))


def _parts(network: Network) -> Iterator[Part]:
    options: dict[str, list[Option]] = {}
    for option in network.options.values():
        options.setdefault(option.rule, []).append(option)
    for rule in network.spec.rules.values():
        yield Part(rule.name, PartKind.RULE, spelled(rule.expr), rule.place)
        for option in sorted(options.get(rule.name, ()), key=lambda option: option.number):
            yield Part(name_of(option), _kind(option), spelled(option.item), rule.place)


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
        case Slot(kind):
            return kind.value
        case Ref(name):
            return name
        case Repeat(item, least, once):
            return spelled(item, True) + ("?" if once else "+" if least else "*")
        case Seq(items):
            text = " ".join(spelled(item, isinstance(item, Alt)) for item in items)
        case Alt(items):
            text = " | ".join(map(spelled, items))
    return f"({text})" if inside else text
