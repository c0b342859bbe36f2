"""A page for each check of the linter: what it says of itself, and a case in which it finds something."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from toolect.authoring.lint import catalogue
from tools.pages.markdown_text import fenced, table
from tools.pages.spec_cases import GRAMMAR, SPEC, SpecCase, all_cases

FOLDER = "docs/checks"
_KINDS = (
    ("One dialect", "Found by looking at one dialect, with its grammar, its entry and its corpus."),
    ("Several dialects", "Found by comparing the dialects of a file with each other, and with those of toolect."),
    ("Reading", "Found by reading the files, and by lint in its own comments; no check has to run."),
)


def index() -> str:
    """The page that lists all checks."""
    parts = [_HEAD]
    for kind, (title, about) in enumerate(_KINDS):
        rows = [("check", "what it does", "severity")]
        for name in catalogue.names():
            if _kind(name) == kind:
                about_it = catalogue.find(name).about.replace("|", "\\|")
                rows.append((f"[`{name}`]({name}.md)", about_it, " or ".join(_severities(name))))
        if len(rows) > 1:
            parts += [f"## {title}", about, table(rows)]
    return "\n\n".join(parts) + "\n"


_HEAD = """# Checks

Written by `tools/pages/docs.py`, like the pages behind the names. How to run them is on the page about
[lint](../guide/lint.md). An error keeps a dialect from loading, or says that it does not do what it must; a warning is
worth a look."""


def page(name: str) -> str:
    """The page of one check."""
    parts = [f"# {name}", catalogue.find(name).page, *_shown(name)]
    return "\n\n".join([*parts, "Written by `tools/pages/docs.py`. [All checks](README.md)."]) + "\n"


def _shown(name: str) -> Iterator[str]:
    """The first case in which the check finds something, and what it says."""
    bad = next((case for case in _cases().get(name, ()) if f"[{name}]" in case.expected), None)
    if bad is None:
        return
    yield "## In a report"
    if "deep" not in bad.attributes and "no-spec" not in bad.attributes:
        files = bad.files
        if re.search(r"^d:", files[SPEC], re.MULTILINE):
            files |= {"grammars/d.lark": files.get("grammars/d.lark", GRAMMAR)}
        for path, text in files.items():
            if text:
                yield f"`{path}`:"
                yield fenced(text, _LANGUAGES.get(path[-4:], "text"))
        yield "What lint says:"
    yield fenced(bad.expected)


_LANGUAGES = {"yaml": "yaml", "lark": "lark"}


def _kind(name: str) -> int:
    check = catalogue.find(name)
    return 0 if check.check else 1 if check.compare else 2


def _severities(name: str) -> list[str]:
    """How grave what it finds is, as its cases show; a check that no case can show is an error."""
    said = "\n".join(case.expected for case in _cases().get(name, ()))
    return sorted(set(re.findall(rf"^(error|warning)\[{name}\]", said, re.MULTILINE))) or ["error"]


@lru_cache
def _cases() -> dict[str, list[SpecCase]]:
    cases: dict[str, list[SpecCase]] = {}
    for case in all_cases():
        cases.setdefault(case.path.stem, []).append(case)
    return cases
