"""Finds dialects without a corpus file.

## Why is this bad?

A grammar says what its author thinks the model writes. Only text that the model did write can show otherwise, and keep
showing it when the grammar changes.

## Example

`corpus/` has no `my-model.txt`, though `my.yaml` says:

```yaml
my-model:
  map: {content: content, call: call, call/JSON: {name: $name, arguments: $arguments}}
```

## Use instead

A file `corpus/my-model.txt` beside `my.yaml`, with what the model wrote. `toolect lint --update` writes below each case
what is read in it; read that before you keep it.

```
==================
One call
==================
<call>{"name": "f", "arguments": {}}</call>
------
call f {}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from toolect.authoring.lint.subject import Subject
from toolect.diagnostic import Diagnostic, warning


def check(subject: Subject) -> Iterator[Diagnostic]:
    """A diagnostic when the dialect's corpus should be there and is not."""
    file = subject.corpus_file
    if file is not None and not file.is_file():
        message = f"the dialect `{subject.name}` has no corpus"
        yield warning("missing-corpus", message, subject.place, help=f"write what the model wrote into `{file}`")
