"""Finds patterns of model ids that match no id: addresses, regular expressions, numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolect._names import Names, explain
from toolect._spec.problems import Problems
from toolect.authoring.lint.subject import Subject
from toolect.diagnostic import Diagnostic, warning

_FOREIGN = re.compile(r"://|\.\*|[\s^$|()\[\]{}\\+#,;]")
"""What no id of a model holds."""


def check(subject: Subject) -> Iterator[Diagnostic]:
    """A diagnostic for each pattern of the entry itself."""
    for text in subject.loaded.entry.texts("models", Problems()):
        why = _why(text.text)
        if why:
            yield warning(
                "unmatchable-model",
                f"no model id matches the pattern `{text.text}`",
                text.place,
                label=why,
                help="write ids as `organisation/name`, with `*` for any text and `?` for one character",
            )


def _why(pattern: str) -> str:
    """Why no id is like this; empty when some may be."""
    if match := _FOREIGN.search(pattern):
        return f"no id holds `{match[0]}`"
    if not re.search(r"[^\W\d]", pattern):
        return "a number is not the name of a model" if re.search(r"\d", pattern) else ""
    shelf = {"": Names(models=(pattern,))}
    models = (pattern.replace("?", "1").replace("*", some) for some in ("", "x"))
    return "" if any(explain(m, [shelf]) for m in models) else "ids are compared by words, and none has these"
