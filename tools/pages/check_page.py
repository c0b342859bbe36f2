"""The page of the linter's checks: what each finds, and what the catalogue says about it."""

from __future__ import annotations

import re
from pathlib import Path

from toolect._authoring.lint import catalogue
from tools.markdown_text import table

CASES = Path(__file__).resolve().parents[2] / "tests" / "checks"
_HEAD = """# Checks

What [lint](../guide/lint.md) looks for. An error keeps a dialect from loading, or says that it does not do what it
must; a warning is worth a look."""


def page() -> str:
    """All checks in a table, then a section for each."""
    rows = [("check", "severity", "what it does")]
    sections = []
    for name, check in catalogue.pages().items():
        rows.append((f"[`{name}`](#{name})", severity(name), check.finds.replace("|", "\\|")))
        sections.append(f"## {name}\n\n" + re.sub(r"^## (.+)$", r"**\1**", str(check), flags=re.MULTILINE))
    return "\n\n".join([_HEAD, table(rows), *sections]) + "\n"


def severity(name: str) -> str:
    """Severity of what a check finds, as its cases show it; a check that no case can show is an error."""
    path = CASES / f"{name}.txt"
    said = path.read_text(encoding="utf-8") if path.is_file() else ""
    return " or ".join(sorted(set(re.findall(rf"^(error|warning)\[{name}\]", said, re.MULTILINE)))) or "error"
