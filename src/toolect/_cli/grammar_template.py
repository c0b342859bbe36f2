"""The template that a grammar is: literals as they are written, holes by what fills them."""

from __future__ import annotations

import json
from collections.abc import Iterator

from toolect._message import Json
from toolect._spec.grammar_model import Alt, Expr, Literal, Pattern, Ref, Repeat, Seq, Slot
from toolect._spec.map_keys import said_of
from toolect._spec.model import Rule, Spec
from toolect._spec.shape_model import Const, Hole, Keyed, Many, Obj, OneOf, Shape


def template(spec: Spec) -> Iterator[tuple[str, str]]:
    """Each rule of the dialect itself with its text: `↵` ends a line, ⟦…⟧ is filled, a rule's name stands for it."""
    for rule in spec.rules.values():
        if not rule.value:
            yield _title(spec, rule), _text(spec, rule.name, rule.expr)


def _title(spec: Spec, rule: Rule) -> str:
    role = spec.roles.get(rule.name)
    return rule.name if role is None or role == rule.name else f"{rule.name} ({role})"


def _text(spec: Spec, rule: str, expr: Expr, inside: bool = False) -> str:
    match expr:
        case Literal(text):
            return text.replace("\n", "↵\n")
        case Slot(kind):
            return f"⟦{_filled(spec, rule, kind.value)}⟧"
        case Pattern(_, name):
            return f"⟦{_filled(spec, rule, name)}⟧"
        case Ref(name):
            return f"⟦{_filled(spec, rule, name)}⟧" if f"{rule}/{name}" in spec.roles else f"«{name}»"
        case Seq(items):
            return "".join(_text(spec, rule, item, True) for item in items)
        case Alt(items):
            either = [_text(spec, rule, item) for item in items]
            return f"({' | '.join(either)})" if inside else "\n| ".join(either)
        case Repeat(item, least, once):
            text = _text(spec, rule, item, True)
            whole = text if isinstance(item, Ref | Alt) else f"({text})"
            return whole + ("?" if once else "+" if least else "*")


def _filled(spec: Spec, rule: str, name: str) -> str:
    """What fills the hole `name` of `rule`: its shape, its role, its rule's role, or its own name."""
    shape = spec.shapes.get(f"{rule}/{name}")
    if shape is not None:
        return json.dumps(_shown(shape), ensure_ascii=False).replace('"', "")
    role = said_of(spec.roles, rule, name) or spec.roles.get(rule)
    return str(role).removeprefix("call.").removeprefix("argument.") if role else name


def _shown(shape: Shape) -> Json:
    match shape:
        case Hole(kind):
            return str(kind).removeprefix("$")
        case Const(value):
            return value
        case Obj(fields):
            return {"|".join(f.keys) + ("?" if f.optional else ""): _shown(f.shape) for f in fields}
        case Keyed(inner):
            return {"name": _shown(inner)}
        case Many(item):
            return [_shown(item)]
        case OneOf(shapes):
            return _shown(shapes[0])
