"""Which classes that are not compiled are made from a compiled one: such a class can be defined, but has no objects."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Collection, Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple


class Heir(NamedTuple):
    """A class of the module `module`, in line `line`, and the compiled class that it is made from."""

    module: str
    line: int
    name: str
    base: str


def compiled_modules(known: dict[str, Path], root: Path) -> set[str]:
    """The modules that the compiled build compiles, as `pyproject.toml` in `root` says."""
    build = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]
    hook = build["targets"]["wheel"]["hooks"]["mypyc"]
    found = set()
    for module, path in known.items():
        place = f"/{path.relative_to(root).as_posix()}"
        taken = any(place == word or place.startswith(f"{word}/") for word in hook["include"])
        if taken and not any(fnmatch(place, word) or path.name == word for word in hook["exclude"]):
            found.add(module)
    return found


def heirs(known: dict[str, Path], compiled: Collection[str]) -> Iterator[Heir]:
    """The classes of modules outside of `compiled` that are made from a class of a module within, in whatever way."""
    trees = {module: ast.parse(path.read_text(encoding="utf-8")) for module, path in known.items()}
    names = {module: _imported(tree) for module, tree in trees.items()}
    for module in known.keys() - set(compiled):
        for node in ast.walk(trees[module]):
            if not isinstance(node, ast.ClassDef):
                continue
            for base in node.bases:
                whole = ast.unparse(base.value if isinstance(base, ast.Subscript) else base)
                origin = _origin(whole, module, names)
                if origin.rpartition(".")[0] in compiled:
                    yield Heir(module, node.lineno, node.name, origin)


def _imported(tree: ast.Module) -> dict[str, str]:
    """What the names are that a module imports, by their whole name."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            found.update({alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names})
        elif isinstance(node, ast.Import):
            for alias in node.names:
                first = alias.name.partition(".")[0]
                found[alias.asname or first] = alias.name if alias.asname else first
    return found


def _origin(name: str, module: str, names: dict[str, dict[str, str]]) -> str:
    """The whole name of what a module calls `name`, whoever passes it on."""
    first, dot, rest = name.partition(".")
    if first not in names[module]:
        return f"{module}.{name}"
    full = names[module][first] + dot + rest
    above, _, last = full.rpartition(".")
    return _origin(last, above, names) if above in names else full
