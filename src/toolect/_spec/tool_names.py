"""Declared names as literals: terminals of names and keys, with those declared that they do not match otherwise."""

from __future__ import annotations

import re
from collections.abc import Collection

from msgspec.structs import replace

from toolect._spec.grammar_model import Alt, Expr, Pattern, Repeat, Seq
from toolect._spec.map_keys import said_of
from toolect._spec.model import Computed, Role, Spec


def admitting(spec: Spec, names: Collection[str], keys: Collection[str] = ()) -> Spec:
    """The spec in which calls may have these names, and arguments these keys: itself where they may have them already.

    A name stands before the expression of its terminal, the longest first: whatever signs it has, it is a name.
    """
    rules = {
        key: replace(rule, expr=_admitting(spec, rule.name, rule.expr, names, keys)) for key, rule in spec.rules.items()
    }
    return spec if rules == spec.rules else replace(spec, rules=rules, names=tuple(names))


def _admitting(spec: Spec, rule: str, expr: Expr, names: Collection[str], keys: Collection[str]) -> Expr:
    match expr:
        case Seq(items) | Alt(items):
            return replace(expr, items=tuple(_admitting(spec, rule, item, names, keys) for item in items))
        case Repeat(item):
            return replace(expr, item=_admitting(spec, rule, item, names, keys))
        case Pattern(regex, name):
            role = said_of(spec.roles, rule, name) or spec.roles.get(rule)
            role = Role.NAME if said_of(spec.written, rule, name) == Computed.NAME else role
            before, _, after = spec.ref.partition("{name}") if role is Role.REF else ("", "", "")
            said = names if role in (Role.NAME, Role.REF) else keys if role is Role.KEY else ()
            words = _odd(regex, said, before)
            if not words:
                return expr
            number = re.escape(after).replace(re.escape("{index}"), r"\d+")
            literals = "|".join(words)
            return replace(expr, regex=f"(?:{re.escape(before)})?(?:{literals})(?:{number})?|{regex}"
                           if role is Role.REF else f"{literals}|{regex}")  # fmt: skip
        case _:
            return expr


def _odd(regex: str, names: Collection[str], before: str) -> list[str]:
    """The names that `regex` does not match, as expressions, the longest first."""
    odd = {name for name in names if name == name.strip() != "" and re.fullmatch(regex, before + name) is None}
    return [re.escape(name) for name in sorted(odd, key=lambda name: (-len(name), name))]
