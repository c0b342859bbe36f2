"""The checks there are: what each finds, why, and what to do instead is in `checks.yaml`, how it is run in its family.

An entry of `checks.yaml` that no family has is about what reading a spec finds, or lint itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from textwrap import fill
from typing import TypeVar

import msgspec

from toolect._authoring.lint import chat_checks, corpus_checks, entry_checks, grammar_checks, law_checks
from toolect._authoring.lint.subject import ChatSubject, Group, Subject
from toolect._diagnostic import Diagnostic

W = TypeVar("W")
Table = Mapping[str, Callable[[W], Iterator[Diagnostic]]]

CHECKS: Table[Subject] = {
    **grammar_checks.CHECKS, **entry_checks.CHECKS, **corpus_checks.CHECKS, **law_checks.CHECKS,
    **corpus_checks.COVERAGE,
}  # fmt: skip
"""The checks of one dialect, in their order: what only reading it can say, then the laws, then what no case shows."""
COMPARED: Table[Group] = {**entry_checks.COMPARED, **law_checks.COMPARED}
"""The checks of all dialects of a file."""
CHATS: Table[ChatSubject] = chat_checks.CHECKS
"""The checks of one chat."""


class Page(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An entry of `checks.yaml`: words are Markdown, `bad` and `good` are shown as they stand."""

    finds: str
    why: str
    more: str = ""
    example: str = ""
    bad: str = ""
    instead: str = ""
    good: str = ""

    def __str__(self) -> str:
        found, example = map(_filled, (self.finds, self.more)), (_filled(self.example), _fenced(self.bad))
        instead = _filled(self.instead), _fenced(self.good)
        parts = *found, "## Why is this bad?", _filled(self.why), "## Example", *example, "## Use instead", *instead
        return "\n\n".join(filter(None, parts))


def _filled(words: str) -> str:
    return fill(words, 120, break_long_words=False, break_on_hyphens=False)


def _fenced(text: str) -> str:
    return text and f"```\n{text.rstrip()}\n```"


@cache
def pages() -> dict[str, Page]:
    """The page of each check, in alphabetical order."""
    text = Path(__file__).with_name("checks.yaml").read_bytes()
    return dict(sorted(msgspec.yaml.decode(text, type=dict[str, Page]).items()))
