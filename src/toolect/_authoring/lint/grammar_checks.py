"""Checks of a grammar: names that are not used, text that is dropped, bounds."""

from __future__ import annotations

from collections.abc import Iterator

from lark import Token

from toolect._authoring.derivation.grammar_options import spelled
from toolect._authoring.lint.subject import Subject, files, patterns
from toolect._diagnostic import Diagnostic, warning
from toolect._regular.ambiguity import Undecided, ambiguity
from toolect._spec.grammar_model import Alt, Expr, Ref, Repeat, Seq
from toolect._spec.grammar_source import place_of
from toolect._spec.holes import holes
from toolect._spec.leaves import reached
from toolect._spec.map_keys import said_of
from toolect._spec.model import Role, Rule, Spec
from toolect._spec.shape_model import HoleKind


def unreachable_rule(subject: Subject) -> Iterator[Diagnostic]:
    """The rules that no way from `start` leads to."""
    rules = subject.spec.rules
    found = reached(rules)
    yield from (unreached(rule) for name, rule in rules.items() if name not in found)


def unreached(rule: Rule) -> Diagnostic:
    """A rule that no way from `start` leads to."""
    message = f"no way from `start` leads to the rule `{rule.name}`"
    hint = f"refer to `{rule.name}` where its text may stand, or delete it"
    return warning("unreachable-rule", message, rule.place, help=hint)


def unused_terminal(subject: Subject) -> Iterator[Diagnostic]:
    """The terminals, slots and imports that no rule uses."""
    sources = list(files(subject.source))
    asked = {
        (other.path, name)
        for source in sources
        for imported, other in source.imports
        if other is not None
        for name in imported.names
    }
    for source in sources:
        used = {name for name, _ in source.used}
        words = source.path.parent.name == "code"  # of a language, of which each dialect takes what it needs
        found = [] if words else [("defined", name, place) for name, place in source.defined.items() if name.isupper()]
        found += [("declared", name, place) for name, place in source.declared.items()]
        kept = set()  # an import may also just keep the name of what another one uses
        for imported, other in source.imports:
            kept |= {name for below in files(other) for name, _ in below.used} if other is not None else set()
            found += [("imported", name, imported.place) for name in imported.names.values()]
        for how, name, place in found:
            if name not in used and (source.path, name) not in asked and not (how == "imported" and name in kept):
                advice = f"delete `{name}`, or use it in a rule"
                yield warning("unused-terminal", f"`{name}` is {how} and not used", place, help=advice)


def ignored_word(subject: Subject) -> Iterator[Diagnostic]:
    """The words of Lark that mean nothing here."""
    for source in files(subject.source):
        for statement in source.tree.children:
            inner = (i for i in statement.iter_subtrees() if i.data in ("priority", "rule_modifiers", "term"))
            for token in (t for i in inner for t in i.children if isinstance(t, Token)):
                if token.type == "NUMBER":
                    why = f"the priority `.{token}` changes nothing: what fits is read, not what is wanted first"
                elif token.type == "RULE_MODIFIERS":
                    why = f"the sign `{token}` changes nothing: no tree is made of the rules"
                else:
                    continue
                yield warning("ignored-word", why, place_of(source.path, token), help="delete it")


def dropped_text(subject: Subject) -> Iterator[Diagnostic]:
    """The calls with two places for arguments, and the arguments with two for their value."""
    spec = subject.spec
    for rule in spec.rules.values():
        role = spec.roles.get(rule.name)
        if role not in _WITHIN:
            continue
        held, what = _WITHIN[role]
        whole, parts = divmod(_held(spec, rule, rule.expr, held, {rule.name}), _WHOLE)
        if whole > 1 or whole and parts:
            yield Diagnostic(
                "dropped-text",
                f"the {what} of `{rule.name}` may stand in several places, or more than once: the last is kept",
                rule.place,
                help=f"make them alternatives: one place holds the {what}",
            )


_WITHIN = {Role.CALL: (Role.ARGUMENTS, "arguments"), Role.ARGUMENT: (Role.VALUE, "value")}
"""Role that a rule of a role holds once, and its name in messages."""
_WHOLE = 1_000
"""Weight of a place for all of the held role; a place for a single argument weighs one."""


def _held(spec: Spec, rule: Rule, expr: Expr, held: Role, above: set[str]) -> int:
    """The largest weight of the `held` role in a text of `expr`."""
    match expr:
        case Seq(items):
            return sum(_held(spec, rule, item, held, above) for item in items)
        case Alt(items):
            return max(_held(spec, rule, item, held, above) for item in items)
        case Repeat(item, once=once):
            return _held(spec, rule, item, held, above) * (1 if once else 2)
        case _:
            if (inner := _inner(spec, rule, expr, above)) is not None:
                return _held(spec, inner, inner.expr, held, above | {inner.name})
            return _weight(spec, rule, expr, held)


def _inner(spec: Spec, rule: Rule, part: Expr, above: set[str]) -> Rule | None:
    """The rule that a part stands for, if that is a part of the same call or argument, and no value."""
    if not isinstance(part, Ref) or part.rule in above or spec.rules[part.rule].value:
        return None
    role = said_of(spec.roles, rule.name, part.rule)
    return None if role in (Role.CALL, Role.ARGUMENT, Role.ARGUMENTS, Role.VALUE) else spec.rules[part.rule]


def _weight(spec: Spec, rule: Rule, part: Expr, held: Role) -> int:
    name = spelled(part)
    role = said_of(spec.roles, rule.name, name)
    shape = spec.shapes.get(f"{rule.name}/{name}") or spec.shapes.get(name)
    shaped = shape is not None and not holes(shape).isdisjoint((HoleKind.ARGUMENTS, HoleKind.ARGUMENTS_TEXT))
    if role is held or held is Role.ARGUMENTS and shaped:
        return _WHOLE
    return int(held is Role.ARGUMENTS and role is Role.ARGUMENT)


def too_large(subject: Subject) -> Iterator[Diagnostic]:
    """The large expressions, which are not looked at in full."""
    for name, regex in {pattern.name: pattern.regex for _, pattern in patterns(subject.spec)}.items():
        judged = ambiguity(regex)
        if isinstance(judged, Undecided) and judged.large:
            message = f"the terminal `{name}` is too large to be checked: {judged.reason}"
            advice = "say what ends the text, not how long it may be"
            yield warning("too-large", message, subject.places.terminal(name), help=advice)


CHECKS = {
    "unreachable-rule": unreachable_rule,
    "unused-terminal": unused_terminal,
    "ignored-word": ignored_word,
    "dropped-text": dropped_text,
    "too-large": too_large,
}
