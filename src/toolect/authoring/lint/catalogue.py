"""The checks there are: one for each page in `pages/`, which says what it does, why, and what to do instead.

A module of the same name in `checks/` runs it: its function `check` looks at one dialect, `compare` at all of a
file, `chat` at one chat. A page without a module is about what reading a spec finds, or lint itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
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
    """What it does, why that is bad, an example, what to do instead: Markdown."""
    check: Callable[[Subject], Iterator[Diagnostic]] | None
    compare: Callable[[Group], Iterator[Diagnostic]] | None
    chat: Callable[[ChatSubject], Iterator[Diagnostic]] | None = None

    @property
    def about(self) -> str:
        """The first sentence of its page."""
        return " ".join(self.page.split("\n\n")[0].split())


_PAGES = Path(__file__).with_name("pages")


def names() -> list[str]:
    """The names of all checks, in alphabetical order."""
    return sorted(page.stem for page in _PAGES.glob("*.md"))


@cache
def runs(name: str) -> bool:
    """True for a check with a module; else reading a spec finds it, or lint itself does."""
    return find_spec(f"{checks.__name__}.{name.replace('-', '_')}") is not None


@cache
def find(name: str) -> Check:
    """The check with this name, which must be one of `names`."""
    page = (_PAGES / f"{name}.md").read_text("utf-8").rstrip("\n")
    module = f"{checks.__name__}.{name.replace('-', '_')}"
    code: Any = import_module(module) if runs(name) else None
    return Check(name, page, getattr(code, "check", None), getattr(code, "compare", None), getattr(code, "chat", None))
