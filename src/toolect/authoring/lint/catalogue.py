"""The checks there are: one for each entry of `checks.yaml`, which says what it finds, why, and what to do instead.

A module of the same name in `checks/` runs it: its function `check` looks at one dialect, `compare` at all of a
file, `chat` at one chat. An entry without a module is about what reading a spec finds, or lint itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from textwrap import fill
from typing import Any

import msgspec

from toolect.authoring.lint import checks
from toolect.authoring.lint.chat_subject import ChatSubject
from toolect.authoring.lint.subject import Group, Subject
from toolect.diagnostic import Diagnostic


class Check(msgspec.Struct, frozen=True):
    """A check: its name, its page, and how to run it."""

    name: str
    page: str
    """What it finds, why that is bad, an example, what to do instead: Markdown."""
    check: Callable[[Subject], Iterator[Diagnostic]] | None
    compare: Callable[[Group], Iterator[Diagnostic]] | None
    chat: Callable[[ChatSubject], Iterator[Diagnostic]] | None = None

    @property
    def about(self) -> str:
        """The first sentence of its page."""
        return " ".join(self.page.split("\n\n")[0].split())


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An entry of `checks.yaml`: words are Markdown, `bad` and `good` are shown as they stand."""

    finds: str
    why: str
    more: str = ""
    example: str = ""
    bad: str = ""
    instead: str = ""
    good: str = ""

    def page(self) -> str:
        """The entry as Markdown."""
        found, example = map(_filled, (self.finds, self.more)), (_filled(self.example), _fenced(self.bad))
        instead = _filled(self.instead), _fenced(self.good)
        parts = *found, "## Why is this bad?", _filled(self.why), "## Example", *example, "## Use instead", *instead
        return "\n\n".join(filter(None, parts))


def _filled(words: str) -> str:
    return fill(words, 120, break_long_words=False, break_on_hyphens=False)


def _fenced(text: str) -> str:
    return text and f"```\n{text.rstrip()}\n```"


@cache
def _entries() -> dict[str, Entry]:
    text = Path(__file__).with_name("checks.yaml").read_bytes()
    return msgspec.yaml.decode(text, type=dict[str, Entry])


def names() -> list[str]:
    """The names of all checks, in alphabetical order."""
    return sorted(_entries())


@cache
def runs(name: str) -> bool:
    """True for a check with a module; else reading a spec finds it, or lint itself does."""
    return find_spec(f"{checks.__name__}.{name.replace('-', '_')}") is not None


@cache
def find(name: str) -> Check:
    """The check with this name, which must be one of `names`."""
    entry = _entries()[name]
    code: Any = import_module(f"{checks.__name__}.{name.replace('-', '_')}") if runs(name) else None
    run = (getattr(code, function, None) for function in ("check", "compare", "chat"))
    return Check(name, entry.page(), *run)
