"""The reference of the public modules: mkdocstrings writes it from their docstrings."""

from __future__ import annotations

import re

import toolect
from tools.markdown_text import table


def modules() -> list[str]:
    """The package, and the modules that its docstring says are public."""
    return ["toolect", *(f"toolect.{name}" for name in re.findall(r"`(\w+)`", _public()))]


def index() -> str:
    """The page that lists the modules."""
    rows = [("module",), *((f"[`{name}`]({name}.md)",) for name in modules())]
    return f"# Python, name by name\n\nThe [guide](../guide/python.md) shows how they are used.\n\n{table(rows)}\n"


def page(name: str) -> str:
    """The page of one module, which mkdocstrings fills in."""
    return f"# {name}\n\n::: {name}\n"


def _public() -> str:
    return str(toolect.__doc__).partition("the modules")[2].partition("Everything else")[0]
