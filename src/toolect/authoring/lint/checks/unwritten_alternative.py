"""Finds ways to write a value that are only read: one before them holds every such value."""

from __future__ import annotations

from collections.abc import Iterator

from toolect._spec.grammar_model import Alt, Expr, Ref, Repeat, Seq, Slot, SlotKind
from toolect._spec.model import Rule, Spec
from toolect.authoring.lint.subject import Subject
from toolect.diagnostic import Diagnostic, warning

_WORDS = frozenset({"string", "number", "true", "false", "null"})
_HOLDS = {"json": _WORDS | {"json", "scalar", "array", "object"}, "scalar": _WORDS | {"scalar"}}
"""What else a rule of a value language holds, by the names that such rules have."""


def check(subject: Subject) -> Iterator[Diagnostic]:
    """A diagnostic for each alternative that is never written."""
    for rule in subject.spec.rules.values():
        for choice in _choices(rule.expr):
            before: dict[str, str] = {}
            for item in choice.items:
                kind, name = _held(subject.spec, rule, item)
                first = next((before[one] for one in before if kind in _HOLDS.get(one, ())), "")
                if first:
                    yield warning(
                        "unwritten-alternative",
                        f"`{name}` in `{rule.name}` is read and never written, for `{first}` holds all such values",
                        subject.places.part(rule.name, name),
                        help=f"put `{name}` first if models write it; else allow it with a reason",
                    )
                before.setdefault(kind, name)


def _choices(expr: Expr) -> Iterator[Alt]:
    match expr:
        case Alt(items):
            yield expr
        case Seq(items):
            pass
        case Repeat(item):
            items = (item,)
        case _:
            items = ()
    for item in items:
        yield from _choices(item)


def _held(spec: Spec, rule: Rule, item: Expr) -> tuple[str, str]:
    """The kind of value that an alternative is, and its name in `rule`; both empty for one that is no value alone."""
    if isinstance(item, Slot):
        is_value = item.kind is SlotKind.JSON and f"{rule.name}/{item.kind}" not in spec.shapes
        return ("json", item.kind.value) if is_value else ("", "")
    if not isinstance(item, Ref):
        return "", ""
    inner = spec.rules[item.rule]
    return (item.rule if inner.value else _held(spec, inner, inner.expr)[0]), item.rule
