"""The checks there are: one for each file in `checks/`.

A file's docstring says what the check does. Its function `check` looks at one dialect, `compare` at all dialects of a
file; a file without either documents what reading the spec finds.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import msgspec

from toolect.diagnostic import Diagnostic
from toolect.lint import checks
from toolect.lint.subject import Group, Subject


class Check(msgspec.Struct, frozen=True):
    """A check: its name, its page, and how to run it."""

    name: str
    page: str
    """What it does, why that is bad, an example, what to do instead: Markdown."""
    check: Callable[[Subject], Iterator[Diagnostic]] | None
    compare: Callable[[Group], Iterator[Diagnostic]] | None

    @property
    def about(self) -> str:
        """The first sentence of its page."""
        return " ".join(self.page.split("\n\n")[0].split())


def names() -> list[str]:
    """The names of all checks, in alphabetical order."""
    return sorted(module.name.replace("_", "-") for module in iter_modules(checks.__path__))


@cache
def find(name: str) -> Check:
    """The check with this name, which must be one of `names`."""
    module: Any = import_module(f"{checks.__name__}.{name.replace('-', '_')}")
    page = inspect.getdoc(module) or ""
    return Check(name, page, getattr(module, "check", None), getattr(module, "compare", None))
