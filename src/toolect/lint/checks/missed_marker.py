"""Finds free text that no marker ends: another slot, or a terminal, comes right after it.

## Why is this bad?

Free text goes on until a marker comes. Where the grammar has none, the first slot takes everything, and the second one
nothing.

## Example

```lark
argument: TEXT TEXT ";"
%declare TEXT
```

## Use instead

A marker between them, as the model writes it:

```lark
argument: TEXT "=" TEXT ";"
%declare TEXT
```
"""

from __future__ import annotations

from collections.abc import Iterator

from toolect.compile.node import Choice
from toolect.compile.symbols import Pat
from toolect.diagnostic import Diagnostic, warning
from toolect.lint.states import State, states
from toolect.lint.subject import Subject
from toolect.lint.terminals import name_of
from toolect.spec.model import SlotKind


def check(subject: Subject) -> Iterator[Diagnostic]:
    """A diagnostic for each slot and what follows it."""
    met: set[tuple[str, int, str]] = set()
    for state in states(subject.dialect):
        for kind in (SlotKind.TEXT, SlotKind.ESCAPED):
            for key, choice in _behind(state, kind):
                slot = state.node.choices[kind][0].edge
                where = (slot.rule, slot.target, key)
                if where not in met:
                    met.add(where)
                    yield _report(subject, state, kind, key, choice)


def _behind(state: State, kind: SlotKind) -> Iterator[tuple[str, Choice]]:
    """What may follow the slot and is no marker, unless reading knows where it begins."""
    if kind not in state.node.choices:
        return
    here = {choice.edge for choice in state.node.choices[kind]}
    after = state.node.step(kind).node
    for key, choices in after.choices.items():
        if key in after.marks:
            continue
        if isinstance(choices[0].edge.symbol, Pat):
            if after.calling(key) and after.named(key):
                continue  # a call that begins with its name, where a line does
        elif key == SlotKind.JSON:
            if after.calling(key):
                continue  # bare JSON, which is found by its shape
        elif all(choice.edge in here for choice in choices):
            continue  # the same slot again: one text
        yield key, choices[0]


def _report(subject: Subject, state: State, kind: SlotKind, key: str, choice: Choice) -> Diagnostic:
    rule = state.node.choices[kind][0].edge.rule
    name = name_of(subject.spec, choice.edge.rule, key) if isinstance(choice.edge.symbol, Pat) else key
    return warning(
        "missed-marker",
        f"no marker tells where the `{kind}` of `{rule}` ends and `{name}` of `{choice.edge.rule}` begins",
        subject.places.part(rule, kind),
        label="takes everything",
        related=((subject.places.part(choice.edge.rule, name), "gets nothing"),),
        witness=state.text + "ab",
        reading=f"`{kind}` `ab`; `{kind}` `a` and `{name}` `b` is the other reading",
        help="write a marker between them",
    )
