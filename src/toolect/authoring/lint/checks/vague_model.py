"""Finds patterns of model ids that say next to nothing.

## Why is this bad?

Such a pattern matches the ids of models that nobody thought of. Their users get a dialect that their model does not
write, where they should be told that none is known.

## Example

```yaml
my-model:
  models: ["*"]
```

## Use instead

What the ids of the dialect's models have in common.

```yaml
my-model:
  models: ["acme/My-Model-*"]
```
"""

from __future__ import annotations

from collections.abc import Iterator

from toolect._names import SPECIFIC, weight
from toolect.authoring.lint.subject import Subject
from toolect.diagnostic import Diagnostic, warning


def check(subject: Subject) -> Iterator[Diagnostic]:
    """A diagnostic for each pattern that fixes too few characters."""
    for pattern in subject.spec.models:
        if weight(pattern) < SPECIFIC:
            yield warning(
                "vague-model",
                f"the pattern `{pattern}` matches almost any model id",
                subject.places.entry("models", pattern),
                help="write what the ids of the models have in common",
            )
