"""Rules that come back to themselves before anything is read, which no reader from left to right can follow."""

from __future__ import annotations

from collections.abc import Iterator

from toolect._spec.grammar_model import Alt, Expr, Ref, Repeat, Seq
from toolect._spec.model import Rule
from toolect._spec.problems import Problems


def check_recursion(rules: dict[str, Rule], problems: Problems) -> None:
    """No rule may begin with itself, directly or through others."""
    empty = _empty_rules(rules)
    firsts = {name: dict.fromkeys(_firsts(rule.expr, empty)) for name, rule in rules.items()}
    done: set[str] = set()
    for name in rules:
        cycle = next(_cycles(name, firsts), None)
        if cycle and not done & set(cycle):
            done |= set(cycle)
            path = " → ".join(f"`{step}`" for step in [*cycle, cycle[0]])
            message = f"the rule `{name}` begins with itself: {path}"
            hint = "write the repetition with `*` or `+`"
            problems.error("left-recursion", message, rules[name].place, hint=hint)


def _cycles(name: str, firsts: dict[str, dict[str, None]]) -> Iterator[list[str]]:
    """The ways from a rule back to itself, first things first."""
    seen: set[str] = set()
    todo = [[name]]
    while todo:
        path = todo.pop()
        for step in firsts[path[-1]]:
            if step == name:
                yield path
            elif step not in seen:
                seen.add(step)
                todo.append([*path, step])


def _firsts(expr: Expr, empty: set[str]) -> Iterator[str]:
    """The rules that can stand at the very beginning of `expr`."""
    match expr:
        case Ref(name):
            yield name
        case Alt(items):
            for item in items:
                yield from _firsts(item, empty)
        case Repeat(item):
            yield from _firsts(item, empty)
        case Seq(items):
            for item in items:
                yield from _firsts(item, empty)
                if not _is_empty(item, empty):
                    return


def _empty_rules(rules: dict[str, Rule]) -> set[str]:
    """The rules that can be nothing at all. A slot counts as something."""
    empty: set[str] = set()
    while more := {r.name for r in rules.values() if r.name not in empty and _is_empty(r.expr, empty)}:
        empty |= more
    return empty


def _is_empty(expr: Expr, empty: set[str]) -> bool:
    match expr:
        case Ref(name):
            return name in empty
        case Alt(items):
            return any(_is_empty(item, empty) for item in items)
        case Repeat(item, least):
            return least == 0 or _is_empty(item, empty)
        case Seq(items):
            return all(_is_empty(item, empty) for item in items)
        case _:
            return False
