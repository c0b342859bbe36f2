"""Checks of a map: every part of a grammar has a meaning, and only one that can be read where the part stands."""

from __future__ import annotations

import itertools

from toolect._diagnostic import Place
from toolect._spec.grammar_model import Alt, Expr, Literal, Pattern, Ref, Repeat, Seq, Slot, SlotKind
from toolect._spec.holes import holes
from toolect._spec.leaves import alternatives, leaves
from toolect._spec.map_keys import said_of
from toolect._spec.meaning import BY_ITSELF, MEANT
from toolect._spec.model import Role, Rule
from toolect._spec.problems import Problems
from toolect._spec.shape_model import HoleKind, Shape

_OF_CALLS = frozenset((Role.NAME, Role.ID, Role.ARGUMENTS, Role.ARGUMENT, Role.KEY, Role.VALUE))
"""Roles that only a part of a call has."""
_ARGUMENTS = frozenset((HoleKind.ARGUMENTS, HoleKind.ARGUMENTS_TEXT))


def check_mapped(
    rules: dict[str, Rule], roles: dict[str, Role], shapes: dict[str, Shape], table: Place, problems: Problems
) -> None:
    """Every part that holds data must have a meaning; else parsing would lose it and rendering could not fill it."""
    for rule in rules.values():
        if rule.value:
            if rule.name != Role.JSON and Slot(SlotKind.JSON) in leaves(rule.expr):
                message = f"expected the JSON slot of a value language in its rule `json`, got it in `{rule.name}`"
                problems.error("unsupported-grammar", message, rule.place)
            _check_closed(rule.expr, rule, problems)
            others = (one for one in alternatives(rule.expr) if not isinstance(one, Pattern))
            if rule.name in (Role.STRING, Role.SCALAR) and any(_is_silent(one, rules) for one in others):
                message = f"expected a slot for the text of every {rule.name}, such as `ESCAPED`, got terminals alone"
                hint = f"a terminal that is all of the text stands in `{rule.name}` itself: `{rule.name}: WORD | …`"
                problems.error("unsupported-grammar", message, rule.place, hint=hint)
            continue
        _check_closed(rule.expr, rule, problems)
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
            if roles.get(rule.name) in BY_ITSELF and name != SlotKind.JSON.value and what != "value":
                continue
            message, related = f"the {what} `{key}` has no meaning", ((table, "in this map"),)
            problems.error("unmapped-slot", message, rule.place, hint=_to_map(rule, key, roles, what), related=related)


def _to_map(rule: Rule, key: str, roles: dict[str, Role], what: str) -> str:
    """Advice on the mapping of the part `key` of a rule."""
    role, meant = roles.get(rule.name), ""
    if what == "terminal":
        meant = Role.KEY if role is Role.ARGUMENT else Role.NAME if role is Role.CALL else ""
    elif role is Role.ARGUMENT:
        meant = Role.VALUE
    elif key.endswith(f"/{SlotKind.JSON}") and role is Role.CALL:
        meant = "{name: $name, arguments: $arguments}"
    elif role is None and MEANT.get(rule.name, rule.name) in BY_ITSELF:
        key, meant = rule.name, MEANT.get(rule.name, rule.name)
    return f"map `{key}`" + (f", for instance `{key}: {meant}`" if meant else "")


def _check_closed(expr: Expr, rule: Rule, problems: Problems) -> None:
    """A string with escapes ends at a marker, which is no escape itself."""
    items = expr.items if isinstance(expr, Seq) else (expr,)
    for item, after in itertools.zip_longest(items, items[1:]):
        match item, after:
            case Slot(SlotKind.ESCAPED), Literal(text, others) if not any(t.startswith("\\") for t in (text, *others)):
                continue
            case Slot(SlotKind.ESCAPED), _:
                message = f"expected a marker right after `{item.name}` that ends it, and begins with no backslash"
                problems.error("unsupported-grammar", message, rule.place)
            case Alt(choices), _:
                for choice in choices:
                    _check_closed(choice, rule, problems)
            case Repeat(inner), _:
                _check_closed(inner, rule, problems)


def _is_silent(expr: Expr, rules: dict[str, Rule], around: frozenset[str] = frozenset()) -> bool:
    """True when a terminal of `expr` may stand where no slot does, so that the value would not have its text."""
    match expr:
        case Alt(items):
            return any(_is_silent(item, rules, around) for item in items)
        case Seq(items):
            return not any(_has_slot(item, rules, around) for item in items) and any(
                _is_silent(item, rules, around) for item in items
            )
        case Repeat(item):
            return _is_silent(item, rules, around)
        case Ref(rule) if rule not in around:
            return _is_silent(rules[rule].expr, rules, around | {rule})
        case _:
            return isinstance(expr, Pattern)


def _has_slot(expr: Expr, rules: dict[str, Rule], around: frozenset[str]) -> bool:
    """True when there is a slot in `expr`, or in a rule that it names."""
    return any(
        isinstance(part, Slot)
        or isinstance(part, Ref)
        and part.rule not in around
        and _has_slot(rules[part.rule].expr, rules, around | {part.rule})
        for part in leaves(expr)
    )


def check_within_calls(
    rules: dict[str, Rule], roles: dict[str, Role], shapes: dict[str, Shape], table: Place, problems: Problems
) -> None:
    """Note parts of calls that stand neither in a rule with the role `call` nor in a shape that says the name too.

    A list of calls stands in no such rule: each of its items is a call.
    """
    for key, held in shapes.items():
        rule_name = key.partition("/")[0]
        if roles.get(rule_name) is Role.CALL and HoleKind.NAME in holes(held) - holes(held, in_lists=False):
            message = f"`{rule_name}` has the role `call`, but `{key}` holds a list of calls"
            hint = f"leave `{rule_name}: call` out of the map: each item of the list is a call"
            place = rules[rule_name].place if rule_name in rules else table
            problems.error("wrong-role", message, place, hint=hint, related=((table, "in this map"),))
    todo, met = ["start"], {"start"}
    while todo:
        rule = rules[todo.pop()]
        for part in dict.fromkeys(leaves(rule.expr)):
            name = part.rule if isinstance(part, Ref) else part.kind.value if isinstance(part, Slot) else part.name
            key = f"{rule.name}/{name}"
            role = said_of(roles, rule.name, name)
            shape = said_of(shapes, rule.name, name)
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
