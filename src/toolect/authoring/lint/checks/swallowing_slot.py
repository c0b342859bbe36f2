"""Finds terminals that take in the beginning of the marker behind them, or of the JSON or the terminal."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolect._graph.node import Node
from toolect._graph.symbols import Key, Terminal, is_echo
from toolect._regular.automaton import automaton
from toolect._regular.ranges import holds
from toolect._regular.shared_words import common
from toolect._regular.syntax import NotRegular
from toolect._spec.grammar_model import SlotKind
from toolect.authoring.lint.states import State, states, word, written
from toolect.authoring.lint.subject import Subject
from toolect.diagnostic import Diagnostic, warning


def check(subject: Subject) -> Iterator[Diagnostic]:
    """A diagnostic for each terminal and what follows it, at the first place where they meet."""
    met: set[tuple[str, Key, str]] = set()
    for state in states(subject.dialect):
        for terminal, _ in state.node.patterns:
            regex, after = terminal.regex, state.node.step(terminal).node
            for key, text, begun in _followers(after):
                if (regex, key, text) not in met:
                    met.add((regex, key, text))
                    swallowed = _swallowed(regex, text, begun)
                    if swallowed is not None:
                        yield _report(subject, state, regex, key, swallowed)


def _followers(node: Node) -> Iterator[tuple[Key, str, str]]:
    """What may come next: its key, a text as rendering lays it out, and an expression for any beginning of it."""
    for core, wrong in node.marks.items():
        if not wrong and not is_echo(core):
            text = node.lead(core) + core
            yield core, text, _begun(text)
    if node.json:
        text = node.lead(SlotKind.JSON) + "{"
        yield SlotKind.JSON, text, _begun(text)
    for terminal, _ in node.patterns:
        lead, regex = node.lead(terminal), terminal.regex
        yield terminal, lead + word(regex), _begun(lead, f"(?:{regex})")


def _begun(text: str, end: str = "") -> str:
    """An expression for every beginning of `text` but none at all; behind all of it comes `end`."""
    begun = end
    for char in reversed(text):
        begun = re.escape(char) + (f"(?:{begun})?" if begun else "")
    return begun


def _swallowed(regex: str, text: str, begun: str) -> tuple[str, str, str] | None:
    """A word with `text` behind it, what the terminal matches of both, and the first sign that it should not match."""
    try:
        if not any(holds(ranges, ord(text[0])) for ranges in automaton(regex).chars):
            return None
        longer = common(f"(?:{regex})(?:{begun})", regex) or ""
    except NotRegular:
        return None  # `backtracking-regex` and `too-large` say why
    for size in range(len(longer) - 1, 0, -1):
        match = re.match(regex, longer[:size] + text)
        if match and match.end() > size and re.fullmatch(regex, longer[:size]):
            return longer[:size] + text, match[0], repr(text[0])[1:-1]
    return None


def _report(subject: Subject, state: State, regex: str, key: Key, swallowed: tuple[str, str, str]) -> Diagnostic:
    name, _ = written(subject, state.node, Terminal(regex))
    follows, place = written(subject, state.node.step(Terminal(regex)).node, key)
    what = "the JSON" if isinstance(key, SlotKind) else f"{'the marker ' * isinstance(key, str)}`{follows}`"
    text, match, first = swallowed
    return warning(
        "swallowing-slot",
        f"the terminal `{name}` takes in {what} that should end it",
        subject.places.terminal(name),
        label=f"matches `{match}`",
        related=((place, "is not found then"),),
        witness=state.text + text,
        reading=f"`{name}` `{match}`",
        help=f"leave `{first}` out of `{name}`, or end it with a marker that it cannot match",
    )
