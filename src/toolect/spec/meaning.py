"""What an entry's `map` says about the parts of a grammar: roles and shapes."""

from __future__ import annotations

from typing import NamedTuple

from toolect.diagnostic import Place
from toolect.spec.document import Node, Table, Text, describe
from toolect.spec.holes import holes
from toolect.spec.leaves import leaves
from toolect.spec.model import Alt, HoleKind, Literal, Pattern, Ref, Role, Rule, Seq, Shape, Slot, SlotKind
from toolect.spec.parts import JSON, RULE, TERMINAL, TEXT, VALUE_RULE, Parts
from toolect.spec.problems import Problems, either, near, one_of
from toolect.spec.shapes import is_shape, read_shape
from toolect.spec.worded import check_written, is_worded, read_worded

_DATA = (TERMINAL, TEXT, VALUE_RULE)

_KINDS: dict[Role, tuple[str, ...]] = {
    Role.CONTENT: (RULE,),
    Role.REASONING: (RULE,),
    Role.CALL: (RULE,),
    Role.AGAIN: (RULE,),
    Role.ARGUMENT: (RULE,),
    Role.NAME: _DATA,
    Role.ID: _DATA,
    Role.REF: _DATA,
    Role.INDEX: (TERMINAL,),
    Role.KEY: _DATA,
    Role.TYPE: (TERMINAL,),
    Role.ARGUMENTS: (*_DATA, JSON),
    Role.VALUE: (*_DATA, JSON),
}
_BY_ITSELF = (Role.CONTENT, Role.REASONING)


class Meanings(NamedTuple):
    """What a map says: the role or the shape of each part, and the texts that go with some roles."""

    roles: dict[str, Role]
    shapes: dict[str, Shape]
    markup: dict[str, str]
    fixed_names: dict[str, str]


def read_map(table: Table, rules: dict[str, Rule], own: set[str], problems: Problems) -> Meanings:
    """Roles and shapes. A key that is not among `own` may name nothing: another entry wrote it for its own grammar."""
    parts = Parts(rules)
    meanings = Meanings({}, {}, {}, {})
    roles, shapes = meanings.roles, meanings.shapes
    for key, value in table.entries:
        kind = parts.find(key, problems, quiet=key.text not in own)
        if is_worded(value):
            worded = read_worded(value, problems)
            if worded is not None and kind is not None:
                _take_worded(key, kind, *worded, parts, meanings, problems)
        elif is_shape(value):
            shape = read_shape(value, problems)
            if kind is not None and (kind is not JSON or "/" not in key.text):
                problems.error("wrong-role", f"expected {JSON} for a shape, got {kind}", key.place)
            elif kind is not None and shape is not None:
                shapes[key.text] = shape
        elif (role := _role(value, problems)) and kind is not None:
            if kind in _KINDS[role] and not (kind is RULE and "/" in key.text):
                roles[key.text] = role
            else:
                if kind is RULE and "/" in key.text:
                    kind = "a rule inside a rule"
                message = f"expected {either(_KINDS[role])} for the role `{role}`, got {kind}"
                problems.error("wrong-role", message, key.place)
    return meanings


def _take_worded(
    key: Text, kind: str, role: Role, text: Text, parts: Parts, meanings: Meanings, problems: Problems
) -> None:
    """The part `key` has a role with a text."""
    wanted = TERMINAL if role is Role.MARKUP else RULE
    if kind is not wanted or (kind is RULE and "/" in key.text):
        problems.error("wrong-role", f"expected {wanted} for the role `{role}`, got {kind}", key.place)
        return
    meanings.roles[key.text] = role
    if role is Role.MARKUP:
        check_written(text, parts.patterns[key.text], problems)
        meanings.markup[key.text] = text.text
    else:
        meanings.fixed_names[key.text] = text.text


def _role(node: Node, problems: Problems) -> Role | None:
    if not isinstance(node, Text) or not node.text:
        problems.error("wrong-type", f"expected a role or a shape, got {describe(node)}", node.place)
        return None
    if node.text in _KINDS:
        return Role(node.text)
    hint = near(node.text, _KINDS) or f"a role is {one_of(_KINDS)}"
    problems.error("unknown-role", f"expected a role or a shape, got `{node.text}`", node.place, hint=hint)
    return None


def check_mapped(
    rules: dict[str, Rule], roles: dict[str, Role], shapes: dict[str, Shape], table: Place, problems: Problems
) -> None:
    """Every part that holds data must have a meaning; else parsing would lose it and rendering could not fill it."""
    for rule in rules.values():
        if rule.value:
            if rule.name != Role.JSON and Slot(SlotKind.JSON) in leaves(rule.expr):
                message = f"expected the JSON slot of a value language in its rule `json`, got it in `{rule.name}`"
                problems.error("unsupported-grammar", message, rule.place)
            continue
        for part in dict.fromkeys(leaves(rule.expr)):
            match part:
                case Slot(kind):
                    name, what = kind.value, "slot"
                case Pattern(_, name):
                    what = "terminal"
                case Ref(name) if rules[name].value:
                    what = "value"
                case _:
                    continue
            key = f"{rule.name}/{name}"
            if key in roles or key in shapes or (what == "terminal" and name in roles):
                continue
            if roles.get(rule.name) in _BY_ITSELF and name != SlotKind.JSON and what != "value":
                continue
            message, related = f"the {what} `{key}` has no meaning", ((table, "in this map"),)
            problems.error("unmapped-slot", message, rule.place, hint=f"map `{key}`", related=related)


_OF_CALLS = frozenset(
    (Role.NAME, Role.ID, Role.REF, Role.ARGUMENTS, Role.INDEX, Role.ARGUMENT, Role.KEY, Role.TYPE, Role.VALUE)
)
"""What only a call has."""


def check_within_calls(
    rules: dict[str, Rule], roles: dict[str, Role], shapes: dict[str, Shape], table: Place, problems: Problems
) -> None:
    """What only a call has must stand in a rule that is one, or in a shape that says the name too."""
    todo, met = ["start"], {"start"}
    while todo:
        rule = rules[todo.pop()]
        for part in dict.fromkeys(leaves(rule.expr)):
            name = part.rule if isinstance(part, Ref) else part.kind.value if isinstance(part, Slot) else part.name
            key = f"{rule.name}/{name}"
            role = roles.get(key) or roles.get(name)
            shape = shapes.get(key) or shapes.get(name)
            bare = shape is not None and HoleKind.NAME not in (found := holes(shape)) and found & _ARGUMENTS
            if role in _OF_CALLS or bare:
                what = f"the role `{role}`" if role in _OF_CALLS else "arguments without a name"
                message = f"`{key}` has {what}, but no rule with the role `call` is around it"
                hint = f"write `{rule.name}: call` into the map"
                problems.error("wrong-role", message, rule.place, hint=hint, related=((table, "in this map"),))
            if (
                isinstance(part, Ref)
                and role not in (Role.CALL, Role.AGAIN)
                and name not in met
                and not rules[name].value
            ):
                met.add(name)
                todo.append(name)


_ARGUMENTS = frozenset((HoleKind.ARGUMENTS, HoleKind.ARGUMENTS_TEXT))


def begins_with_name(rule: Rule, roles: dict[str, Role]) -> bool:
    """True when `rule` is a call that begins with its name, perhaps after a sign of a few characters."""
    if roles.get(rule.name) is not Role.CALL:
        return False
    for option in rule.expr.items if isinstance(rule.expr, Alt) else (rule.expr,):
        items = option.items if isinstance(option, Seq) else (option,)
        part = items[1] if len(items) > 1 and isinstance(items[0], Literal) and len(items[0].text) < 4 else items[0]
        if isinstance(part, Pattern):
            role = roles.get(f"{rule.name}/{part.name}") or roles.get(part.name)
            if role is Role.NAME:
                return True
    return False
