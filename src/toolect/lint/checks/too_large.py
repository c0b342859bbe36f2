"""Tells that a grammar, or one of its regular expressions, is too large to be looked at in full.

## Why is this bad?

Checks are bounded in time. What lies beyond the bound has not been checked, and is likely to read slowly.

## Example

```lark
NAME: /([a-z]{1,99}[0-9]{1,99}){1,99}/
```

## Use instead

Say what ends the text, not how long it may be; leave the length to whoever knows the tools.

```lark
NAME: /[a-z0-9]+/
```
"""

from __future__ import annotations

from collections.abc import Iterator

from toolect.diagnostic import Diagnostic, warning
from toolect.lint.states import MAX_STATES, states
from toolect.lint.subject import Subject
from toolect.lint.terminals import expressions
from toolect.regular.ambiguity import Undecided, ambiguity


def check(subject: Subject) -> Iterator[Diagnostic]:
    """A diagnostic for the grammar if its states were not all seen, and one for each such expression."""
    for name, pattern in expressions(subject.spec).items():
        found = ambiguity(pattern.regex)
        if isinstance(found, Undecided) and found.large:
            message = f"the terminal `{name}` is too large to be checked: {found.reason}"
            place = subject.places.terminal(name)
            yield warning("too-large", message, place, help="say what ends the text, not how long it may be")
    if not states(subject.dialect).complete:
        message = f"the grammar has more than {MAX_STATES} states: what lies beyond them is not checked"
        yield warning("too-large", message, subject.places.rule("start"), help="split the dialect into several")
