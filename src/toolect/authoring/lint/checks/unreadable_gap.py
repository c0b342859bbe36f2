"""Finds gaps that are not read as gaps: the message comes back without them, and with them it does not.

## Why is this bad?

Rendering writes the gap, and reading takes it for something else: text, a repair, or another message. `render` refuses
such messages, so that there is no way to write them.

## Example

```lark
start: (content | call)*
content: TEXT
call: "Action: " NAME
NAME: /[^:]+/
```
```yaml
  gaps: {between calls: "\n"}
```

The name at the end of the first call takes the gap, and more, for its own.

## Use instead

No gap, or a closing marker before it.

```lark
call: "Action: " NAME ";"
NAME: /[^:;]+/
```
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from toolect.authoring.lint.attempt import told
from toolect.authoring.lint.losses import Cause
from toolect.authoring.lint.subject import Subject
from toolect.diagnostic import Diagnostic, warning
from toolect.message import Call


def check(subject: Subject) -> Iterator[Diagnostic]:
    """A diagnostic for each gap that makes a message unreadable."""
    met: set[str] = set()
    for loss in subject.losses:
        segments, trial = loss.trial.message.segments, loss.trial
        follows = any(isinstance(a, Call) and isinstance(b, Call) for a, b in pairwise(segments))
        gap = "between calls" if follows else "before call"
        if loss.cause is Cause.GAP and gap not in met:
            met.add(gap)
            assert trial.back is not None
            yield warning(
                "unreadable-gap",
                f"what is written for `{told(trial.message)}` is read as something else",
                subject.places.entry("gaps", gap),
                label="without it, the message comes back",
                witness=str(trial.text),
                reading=told(trial.back),
                help=f"leave out `{gap}`, or close with a marker what stands before it",
            )
