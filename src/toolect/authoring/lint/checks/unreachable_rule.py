"""Finds rules that no way from `start` leads to."""

from __future__ import annotations

from collections.abc import Iterator

from toolect._spec.grammar_model import Ref
from toolect._spec.leaves import leaves
from toolect._spec.model import Rule
from toolect.authoring.generate.reach import FAR, Reach
from toolect.authoring.lint.chat_subject import ChatSubject
from toolect.authoring.lint.subject import Subject
from toolect.diagnostic import Diagnostic, warning


def check(subject: Subject) -> Iterator[Diagnostic]:
    """A diagnostic for each rule that is not reached."""
    reach = Reach(subject.spec)
    yield from (_found(rule) for name, rule in subject.spec.rules.items() if reach.distance("start", name) == FAR)


def chat(subject: ChatSubject) -> Iterator[Diagnostic]:
    """The same of a chat."""
    rules, reached, todo = subject.spec.rules, {"start"}, ["start"]
    while todo:
        new = {part.rule for part in leaves(rules[todo.pop()].expr) if isinstance(part, Ref)} - reached
        reached |= new
        todo += new
    yield from (_found(rule) for name, rule in rules.items() if name not in reached)


def _found(rule: Rule) -> Diagnostic:
    message = f"no way from `start` leads to the rule `{rule.name}`"
    hint = f"refer to `{rule.name}` where its text may stand, or delete it"
    return warning("unreachable-rule", message, rule.place, help=hint)
