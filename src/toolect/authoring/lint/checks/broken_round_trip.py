"""Finds messages that are read back as something else than was written.

It writes small messages of every kind, and some drawn at random, and reads them in strict mode. What it shows is the
smallest message that fails. Values that fail are for `indistinct-value`, gaps for `unreadable-gap`.

## Why is this bad?

`render` refuses such messages: the dialect cannot carry them, though nothing in them is out of the ordinary. What the
model writes in this way is read as something that it does not say.

## Example

```lark
start: (content | think)*
content: TEXT
think: "Thought: " TEXT
```

Content after reasoning is `Thought: Hm.Hi.`, and all of it reasoning.

## Use instead

A marker where the one ends and the other begins, or a grammar that does not have the one follow the other.

```lark
start: content? think*
content: TEXT
think: "Thought: " TEXT
```
"""

from __future__ import annotations

from collections.abc import Iterator

from toolect._rendering.message_writer import word_for
from toolect.authoring.lint.attempt import told
from toolect.authoring.lint.losses import Cause
from toolect.authoring.lint.subject import Subject
from toolect.diagnostic import Diagnostic, warning


def check(subject: Subject) -> Iterator[Diagnostic]:
    """A diagnostic for each kind of segment that does not come back."""
    met: set[str] = set()
    for loss in subject.losses:
        kind, trial = word_for(loss.odd), loss.trial
        if loss.cause is Cause.GRAMMAR and kind not in met:
            met.add(kind)
            assert trial.back is not None
            yield warning(
                "broken-round-trip",
                f"what is written for `{told(trial.message)}` is read as something else",
                subject.places.segment(loss.odd),
                label=f"this {kind} does not come back",
                witness=str(trial.text),
                reading=told(trial.back),
                help="write a marker where it begins or ends, or do not allow it there",
            )
