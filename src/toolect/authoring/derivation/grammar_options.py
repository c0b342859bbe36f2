"""The parts of a grammar that a text may take or leave: rules, alternatives, and what is optional or repeated."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path

import msgspec

from toolect._graph.network import Network, Option
from toolect._spec.document import read_text
from toolect._spec.model import Alt, Repeat
from toolect._spec.problems import Problems
from toolect.authoring.derivation.option_places import option_places
from toolect.authoring.derivation.spelled import spelled
from toolect.compiled import Dialect
from toolect.diagnostic import Place


class PartKind(StrEnum):
    """What taking a part means."""

    RULE = "rule"
    ALTERNATIVE = "alternative"
    OPTIONAL = "optional"
    REPEATED = "repeated"


class Part(msgspec.Struct, frozen=True):
    """A part of the grammar: `text` is what it says there, `place` is where it begins."""

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
    texts: dict[str, str] = {}
    for rule in network.spec.rules.values():
        path = rule.place.path
        if path not in texts:
            texts[path] = read_text(Path(path), Problems(), "missing-grammar") or ""
        yield Part(rule.name, PartKind.RULE, spelled(rule.expr), rule.place)
        own = sorted(options.get(rule.name, ()), key=lambda option: option.number)
        for option, place in zip(own, option_places(rule, texts[path]), strict=True):
            yield Part(name_of(option), _kind(option), spelled(option.item), place)


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
