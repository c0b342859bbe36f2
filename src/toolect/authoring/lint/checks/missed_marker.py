"""Finds free text that no marker ends: another slot, or a terminal, comes right after it."""

from __future__ import annotations

from collections.abc import Iterator

from toolect._graph.edge_choice import Choice
from toolect._graph.symbols import Key, Terminal
from toolect._search.island import island
from toolect._spec.grammar_model import SlotKind
from toolect.authoring.lint.states import State, states
from toolect.authoring.lint.subject import Subject
from toolect.diagnostic import Diagnostic, warning


def check(subject: Subject) -> Iterator[Diagnostic]:
    """A diagnostic for each slot and what follows it."""
    met: set[tuple[str, int, Key]] = set()
    for state in states(subject.dialect):
        for kind in (SlotKind.TEXT, SlotKind.ESCAPED):
            for key, choice in _behind(state, kind):
                slot = state.node.choices[kind][0].edge
                where = (slot.rule, slot.target, key)
                if where not in met:
                    met.add(where)
                    yield _report(subject, state, kind, key, choice)


def _behind(state: State, kind: SlotKind) -> Iterator[tuple[Key, Choice]]:
    """What may follow the slot and is no marker, unless reading knows where it begins."""
    if kind not in state.node.choices:
        return
    here = {choice.edge for choice in state.node.choices[kind]}
    after = state.node.step(kind).node
    lined = kind is SlotKind.TEXT and island(state.node).line_end is not None
    for key, choices in after.choices.items():
        if isinstance(key, str) or lined and all(choice.expects.startswith("\n") for choice in choices):
            continue  # a marker, or the end of a line, before it
        if isinstance(key, Terminal):
            if after.calling(key) and after.named(key):
                continue  # a call that begins with its name, where a line does
        elif key is SlotKind.JSON:
            if after.calling(key):
                continue  # bare JSON, which is found by its shape
        elif all(choice.edge in here for choice in choices):
            continue  # the same slot again: one text
        yield key, choices[0]


def _report(subject: Subject, state: State, kind: SlotKind, key: Key, choice: Choice) -> Diagnostic:
    rule = state.node.choices[kind][0].edge.rule
    name, place = subject.places.lexeme(choice.edge.rule, key)
    return warning(
        "missed-marker",
        f"no marker tells where the `{kind}` of `{rule}` ends and `{name}` of `{choice.edge.rule}` begins",
        subject.places.part(rule, kind.value),
        label="takes everything",
        related=((place, "gets nothing"),),
        witness=state.text + "ab",
        reading=f"`{kind}` `ab`; `{kind}` `a` and `{name}` `b` is the other reading",
        help="write a marker between them" + (f": {choice.expects!r} alone ends no text" if choice.expects else ""),
    )
