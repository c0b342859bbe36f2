"""Mutants: copies of a module with one small fault, drawn by a seed over all packages."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

import msgspec

_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
_COMPUTED: dict[type[ast.operator], type[ast.operator]] = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add}


class Mutant(msgspec.Struct, frozen=True):
    """One fault: the text `old` in a line (from 1) of a file becomes `new`; `start` is in characters."""

    file: str
    line: int
    start: int
    old: str
    new: str

    @property
    def package(self) -> str:
        """The package or module right below the top."""
        return self.file.split("/")[2].removesuffix(".py")

    def applied(self, source: str) -> str:
        """The source with the fault. Raises ValueError where it is not the source that the fault was drawn from."""
        end = self.start + len(self.old)
        if source[self.start : end] != self.old:
            raise ValueError(f"expected {self.old!r} at {self.start} of {self.file}, got {source[self.start : end]!r}")
        return source[: self.start] + self.new + source[end:]


def draw(root: Path, count: int, seed: int) -> list[Mutant]:
    """`count` mutants of `src`: one of each package, the others as packages have lines."""
    random = Random(seed)
    files: dict[str, list[Path]] = {}
    lines: Counter[str] = Counter()
    for path in sorted((root / "src" / "toolect").rglob("*.py")):
        package = path.relative_to(root).parts[2].removesuffix(".py")
        files.setdefault(package, []).append(path)
        lines[package] += path.read_text(encoding="utf-8").count("\n")
    sites = {package: [site for path in paths for site in _sites(root, path)] for package, paths in files.items()}
    packages = [package for package in files if sites[package]][:count]
    packages += random.choices(packages, [lines[package] for package in packages], k=count - len(packages))
    found = [sites[package].pop(random.randrange(len(sites[package]))) for package in packages]
    return sorted(found, key=lambda one: (one.file, one.start))


def _sites(root: Path, path: Path) -> Iterator[Mutant]:
    """Every fault that a file may have."""
    source = path.read_text(encoding="utf-8")
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    text_lines = source.splitlines()
    tree = ast.parse(source)
    skipped = {id(inner) for node in ast.walk(tree) for outer in _unexecuted(node) for inner in ast.walk(outer)}
    for node in ast.walk(tree):
        new = None if id(node) in skipped else _fault(node)
        if new is not None and isinstance(node, ast.expr | ast.stmt):
            old = ast.get_source_segment(source, node) or ""
            before = text_lines[node.lineno - 1].encode()[: node.col_offset].decode()
            start = starts[node.lineno - 1] + len(before)
            yield Mutant(path.relative_to(root).as_posix(), node.lineno, start, old, new)


def _unexecuted(node: ast.AST) -> Iterator[ast.AST]:
    """Annotations and docstrings, f-strings (whose parts have no place of their own), and what type checkers read."""
    match node:
        case ast.AnnAssign(annotation=inner) | ast.arg(annotation=ast.expr() as inner):
            yield inner
        case ast.FunctionDef(returns=ast.expr() as inner):
            yield inner
        case ast.JoinedStr() | ast.Expr(ast.Constant()) | ast.If(test=ast.Name("TYPE_CHECKING")):
            yield node


def _fault(node: ast.AST) -> str | None:
    """Replacement for a node, if one of the faults fits."""
    match node:
        case ast.Compare(left, [op], [right]) if type(op) in _COMPARED:
            return f"({ast.unparse(ast.Compare(left, [_COMPARED[type(op)]()], [right]))})"
        case ast.BoolOp(op, values):
            other = ast.Or() if isinstance(op, ast.And) else ast.And()
            return f"({ast.unparse(ast.BoolOp(other, values))})"
        case ast.BinOp(left, op, right) if type(op) in _COMPUTED and not isinstance(left, ast.Constant):
            return f"({ast.unparse(ast.BinOp(left, _COMPUTED[type(op)](), right))})"
        case ast.Constant(bool() as value):
            return str(not value)
        case ast.Constant(int() as value):
            return str(value + 1)
        case ast.UnaryOp(ast.Not(), operand):
            return f"bool({ast.unparse(operand)})"
        case ast.Return(ast.expr() as value) if not isinstance(value, ast.Constant):
            return "return None"
        case ast.Expr(ast.Call()) | ast.AugAssign():
            return "pass"
        case ast.Break():
            return "continue"
        case ast.Continue():
            return "break"
        case ast.IfExp(test, body, orelse):
            return f"({ast.unparse(ast.IfExp(test, orelse, body))})"
    return None
