"""Finds content that can be written in several ways, where nothing says which way is meant.

A message does not say which rule its content was read by. Without a choice, rendering takes the first rule in the
grammar that has a place for it.

## Why is this bad?

The order in the grammar is easily changed, and what is written then is not what the model writes.

## Example

```lark
start: (text | bare | call)*
text: "<text>" TEXT "</text>"
bare: TEXT
```
```yaml
  map: {text: content, bare: content}
```

## Use instead

```yaml
  canonical: {content: text}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import structs

from toolect.compiled import Dialect
from toolect.diagnostic import Diagnostic, warning
from toolect.ir import Content, Message
from toolect.lint.subject import Subject
from toolect.lint.trial import attempt
from toolect.spec.model import Role

_MESSAGE = Message([Content("Hi.")])


def check(subject: Subject) -> Iterator[Diagnostic]:
    """A diagnostic when the entry does not choose among several rules that write the same content differently."""
    spec = subject.spec
    rules = [name for name, role in spec.roles.items() if role is Role.CONTENT and name in spec.rules]
    if "content" in spec.canonical or len(rules) < 2:
        return
    written: dict[str, str] = {}
    for name in rules:
        chosen = Dialect(structs.replace(spec, canonical=spec.canonical | {"content": name}))
        trial = attempt(chosen, _MESSAGE)
        if trial.text is not None and trial.same:
            written[str(trial.text)] = name
    if len(written) > 1:
        texts = " or ".join(f"`{text}`" for text in written)
        first = str(attempt(subject.dialect, _MESSAGE).text)
        yield warning(
            "undecided-rendering",
            f"content is written as {texts}, and nothing says when",
            subject.places.entry("map", rules[0]),
            label=f"`{written.get(first, rules[0])}` is the first in the grammar",
            witness=first,
            reading='content "Hi."',
            help=f"choose one: `canonical: {{content: {written.get(first, rules[0])}}}`",
        )
