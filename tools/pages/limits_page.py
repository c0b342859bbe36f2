"""The page of limits: constants whose docstrings say what is `Beyond it`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from tools.markdown_text import code, table

SOURCE = Path(__file__).resolve().parents[2] / "src" / "toolect"
_LIMIT = re.compile(r"(.+?)\. ((?:Beyond it|With fewer): .+?)\.(?: |$)")


def page() -> str:
    """The page, the limits in the order of their modules."""
    rows = [("limit", "value", "what it bounds", "beyond it"), *_limits()]
    return f"# Limits\n\nInput is hostile: whatever is bounded is listed here, with what is beyond.\n\n{table(rows)}\n"


def _limits() -> Iterator[tuple[str, ...]]:
    for path in sorted(SOURCE.rglob("*.py")):
        for defined, text in pairwise(ast.parse(path.read_text(encoding="utf-8")).body):
            match defined, text:
                case (
                    ast.Assign([ast.Name(name)], ast.expr() as value)
                    | ast.AnnAssign(ast.Name(name), _, ast.expr() as value),
                    ast.Expr(ast.Constant(str(doc))),
                ):
                    if said := _LIMIT.match(" ".join(doc.split())):
                        module = ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")
                        beyond = said[2].removeprefix("Beyond it: ")
                        yield code(f"{module}.{name}"), ast.unparse(value), said[1], beyond
