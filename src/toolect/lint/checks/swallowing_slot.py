"""Finds terminals that take in the beginning of the marker behind them.

A terminal written as a regular expression keeps all that it can match; nothing is given back for what follows.

## Why is this bad?

The marker is never found, so that every call is malformed, or found only where something else happens to end the text.

## Example

```lark
call: "<call=" NAME ">" JSON "</call>"
NAME: /\\S+/
```

In `<call=search>{"q": 1}</call>` the name is all of `search>{"q":`.

## Use instead

A terminal without the first sign of the marker:

```lark
call: "<call=" NAME ">" JSON "</call>"
NAME: /[^>\\s]+/
```
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolect.compile.symbols import is_echo
from toolect.diagnostic import Diagnostic, warning
from toolect.lint.states import State, states
from toolect.lint.subject import Subject
from toolect.lint.terminals import name_of
from toolect.regular.tree import NotRegular
from toolect.regular.words import common


def check(subject: Subject) -> Iterator[Diagnostic]:
    """A diagnostic for each terminal and marker, at the first place where they meet."""
    met: set[tuple[str, str]] = set()
    for state in states(subject.dialect):
        for regex, _ in state.node.patterns:
            after = state.node.step(regex).node
            for core, wrong in after.marks.items():
                marker = after.lead(core) + core
                if not wrong and not is_echo(core) and (regex, marker) not in met:
                    met.add((regex, marker))
                    yield from _judge(subject, state, regex, core, marker)


def _judge(subject: Subject, state: State, regex: str, core: str, marker: str) -> Iterator[Diagnostic]:
    begun = ""
    for char in reversed(marker):
        begun = re.escape(char) + (f"(?:{begun})?" if begun else "")
    try:
        word = common(f"(?:{regex})(?:{begun})", regex)
    except NotRegular:
        return  # `backtracking-regex` and `too-large` say why
    if word is None:
        return
    node = state.node
    rule = node.choices[regex][0].edge.rule
    other = node.step(regex).node.choices[core][0].edge.rule
    name = name_of(subject.spec, rule, regex)
    size = next(k for k in range(len(marker), 0, -1) if word.endswith(marker[:k]) and re.fullmatch(regex, word[:-k]))
    text = word + marker[size:]
    whole = re.match(regex, text)
    yield warning(
        "swallowing-slot",
        f"the terminal `{name}` takes in the marker `{core}` that should end it",
        subject.places.terminal(name),
        label=f"matches `{marker[:size]}` too",
        related=((subject.places.marker(core, other), "is not found then"),),
        witness=state.text + text,
        reading=f"`{name}` `{whole[0] if whole else word}`",
        help=f"leave `{marker[0]}` out of `{name}`".replace("\n", "\\n"),
    )
