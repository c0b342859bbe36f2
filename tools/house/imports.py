"""Who imports whom: the import statements of a package, those that go upwards, and circles of files."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

ORDER = (
    "_version segments _model_ids _files _extras",
    "_names _shown",
    "_cache _objects _regular",
    "_chat_completion",
    "message",
    "diagnostic events rendered turns",
    "transcript",
    "_spec",
    "_graph _values",
    "_shapes",
    "_reading",
    "_rendering _prompting _tokens",
    "compiled _shelves",
    "registry",
    "_detection",
    "_conversion _exchange openai",
    "chat_template conversation",
    "_chats",
    "_training",
    "toolect",
    "authoring tokens training",
    "agent corpora tinker",
    "_data",
    "data",
    "testing cli",
    "__main__",
)
"""The floors of the house from bottom to top, each with its packages and modules; `toolect` is its `__init__.py`.

A package imports itself and lower floors: neither higher ones nor its neighbours.
"""


class Import(NamedTuple):
    """One import of a module of the same package, or of a name outside of it; `line` counts from 1."""

    module: str
    line: int
    target: str


def modules(source: Path) -> dict[str, Path]:
    """The modules below a folder of the import path, by dotted name; a package has that of its `__init__.py`."""
    return {_dotted(path.relative_to(source)): path for path in sorted(source.rglob("*.py"))}


def _dotted(path: Path) -> str:
    return ".".join(path.parts[:-1] if path.stem == "__init__" else (*path.parts[:-1], path.stem))


def imports(known: dict[str, Path]) -> Iterator[Import]:
    """Every import, also those within functions and those for type checkers only; a known module by its whole name."""
    for module, path in known.items():
        package = module if path.stem == "__init__" else module.rpartition(".")[0]
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                yield from (Import(module, node.lineno, alias.name) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                above = package.split(".")[: len(package.split(".")) + 1 - node.level] if node.level else []
                origin = ".".join([*above, *filter(None, [node.module])])
                full = (f"{origin}.{alias.name}" for alias in node.names)
                found = dict.fromkeys(name if name in known else origin for name in full)
                yield from (Import(module, node.lineno, target) for target in found)


def upward(found: Iterable[Import], order: Sequence[str] = ORDER) -> Iterator[Import]:
    """The imports of something that is not on a lower floor; what is on no floor is above all."""
    floors = {name: number for number, floor in enumerate(order) for name in floor.split()}
    for one in found:
        importer, imported = part(one.module), part(one.target)
        inside = one.target.partition(".")[0] == one.module.partition(".")[0]
        if inside and importer != imported and floors.get(imported, len(order)) >= floors.get(importer, len(order)):
            yield one


def part(module: str) -> str:
    """The package or module right below the top that a module belongs to; of the top itself, its name."""
    return [*module.split("."), module][1]


def circles(found: Iterable[Import]) -> list[list[str]]:
    """The groups of modules that import one another in a ring, each in order, the largest group first."""
    arrows: dict[str, set[str]] = {}
    for one in found:
        arrows.setdefault(one.module, set()).add(one.target)
    reached = {module: _reached(module, arrows) for module in arrows}
    groups = {tuple(sorted(b for b in reached[a] if a in reached.get(b, ()))) for a in arrows if a in reached[a]}
    return sorted(map(list, groups), key=lambda group: (-len(group), group))


def _reached(module: str, arrows: dict[str, set[str]]) -> set[str]:
    """The modules that importing one leads to; itself only in a ring."""
    reached: set[str] = set()
    todo = [module]
    while todo:
        new = arrows.get(todo.pop(), set()) - reached
        reached |= new
        todo += new
    return reached
