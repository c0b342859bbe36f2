"""Finds rules that no way from `start` leads to.

## Why is this bad?

Nothing is ever read or written by such a rule. Most likely another rule should refer to it, and what it describes is
taken for plain text until one does.

## Example

```lark
start: (content | call)*
content: TEXT
think: "<think>" TEXT "</think>"
call: "<call>" JSON "</call>"
```

## Use instead

```lark
start: (content | think | call)*
content: TEXT
think: "<think>" TEXT "</think>"
call: "<call>" JSON "</call>"
```
"""

from __future__ import annotations

from collections.abc import Iterator

from toolect._spec.leaves import leaves
from toolect._spec.model import Ref
from toolect.authoring.lint.subject import Subject
from toolect.diagnostic import Diagnostic, warning


def check(subject: Subject) -> Iterator[Diagnostic]:
    """A diagnostic for each rule that is not reached."""
    rules = subject.spec.rules
    reached: set[str] = set()
    todo = ["start"]
    while todo:
        name = todo.pop()
        if name not in reached:
            reached.add(name)
            todo += [part.rule for part in leaves(rules[name].expr) if isinstance(part, Ref)]
    for name, rule in rules.items():
        if name not in reached:
            message = f"no way from `start` leads to the rule `{name}`"
            hint = f"refer to `{name}` where its text may stand, or delete it"
            yield warning("unreachable-rule", message, rule.place, help=hint)
