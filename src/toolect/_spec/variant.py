"""Entries that extend another: its fields below their own, its grammar with other markers."""

from __future__ import annotations

import re

from msgspec.structs import replace

from toolect._spec.document import Items, Node, YamlScalar, YamlTable, describe
from toolect._spec.entry import OWN, Entry, check_literal
from toolect._spec.grammar_model import Alt, Expr, Literal, Repeat, Seq
from toolect._spec.model import Rule
from toolect._spec.parts import Parts
from toolect._spec.problems import Problems


def inherit(entry: Entry, other: Entry) -> Entry:
    """`entry` with the fields of `other` below its own; mappings are laid over each other key by key."""
    fields = {key.text: (key, value) for key, value in other.table.entries if key.text not in OWN}
    for key, value in entry.table.entries:
        below = fields[key.text][1] if key.text in fields else None
        if isinstance(value, YamlTable) and isinstance(below, YamlTable):
            merged = {k.text: (k, v) for k, v in below.entries} | {k.text: (k, v) for k, v in value.entries}
            value = YamlTable(tuple(merged.values()), value.place)
        fields[key.text] = (key, value)
    return Entry(entry.name, YamlTable(tuple(fields.values()), entry.table.place))


def replace_markers(
    entry: Entry, whole: Entry, rules: dict[str, Rule], inherited: bool, problems: Problems
) -> tuple[dict[str, Rule], Entry]:
    """The rules that are not the entry's own, and what the entry says of their markers, with other markers.

    These are those of an inherited grammar, or of the value languages that the entry's own imports.
    """
    table = entry.mapping("markers", problems)
    others = {name: rule for name, rule in rules.items() if inherited or rule.value}
    if table.entries and not others:
        why = "the entry has its own" if entry.table.get("extends") else "there is no `extends`"
        message = f"the field `markers` changes an inherited grammar, but {why}"
        problems.error("unused-markers", message, table.place)
        return rules, whole
    literals = Parts(others, values=True).literals
    new: dict[str, str] = {}
    for key, value in table.entries:
        check_literal(key, literals, problems)
        if isinstance(value, YamlScalar):
            new[key.text] = value.text
        else:
            problems.error("wrong-type", f"expected a marker, got {describe(value)}", value.place)
    rules = rules | {name: replace(rule, expr=_replace(rule.expr, new)) for name, rule in others.items()}
    fields = []
    for key, value in whole.table.entries:
        if key.text in ("misspellings", "prefill"):
            own = {inner.text for inner, _ in entry.mapping(key.text, Problems()).entries}
            value = _renamed(value, new, own)
        if key.text in ("lines", "glued", "aside") and isinstance(value, Items) and entry.table.get(key.text) is None:
            value = Items(tuple(_marker(item, new) for item in value.items), value.place)
        fields.append((key, value))
    return rules, Entry(whole.name, YamlTable(tuple(fields), whole.table.place))


def _renamed(node: Node, new: dict[str, str], own: set[str]) -> Node:
    """A mapping by markers, or by texts that hold some, under their new names; not the keys in `own`."""
    if not isinstance(node, YamlTable) or not new:
        return node
    either = re.compile("|".join(map(re.escape, sorted(new, key=len, reverse=True))))
    entries = tuple(
        (key if key.text in own else replace(key, text=either.sub(lambda match: new[match[0]], key.text)), value)
        for key, value in node.entries
    )
    return YamlTable(entries, node.place)


def _marker(node: Node, new: dict[str, str]) -> Node:
    """A marker under its new name."""
    return replace(node, text=new.get(node.text, node.text)) if isinstance(node, YamlScalar) else node


def _replace(expr: Expr, new: dict[str, str]) -> Expr:
    """`expr` with other markers; one that is left out is empty."""
    match expr:
        case Literal(text, others, name):
            return Literal(new.get(text, text), tuple(new.get(o, o) for o in others), name)
        case Seq(items):
            return Seq(tuple(_replace(item, new) for item in items))
        case Alt(items):
            return Alt(tuple(_replace(item, new) for item in items))
        case Repeat(item, least, once):
            return Repeat(_replace(item, new), least, once)
        case _:
            return expr
