"""The reports of this checkout: what tools measured with --write, in a folder that git ignores."""

from __future__ import annotations

from pathlib import Path

REPORTS = Path(__file__).resolve().parents[1] / ".reports"
MADE_BY = {
    "conformance": "make conformance ARGS=--write",
    "chats": "make chats ARGS=--write",
    "tokens": "make tokens ARGS=--write",
    "speed": "make bench ARGS=--write",
    "peers": "make peers ARGS=--write",
    "datasets": "make datasets ARGS=--write",
    "induction": "make induction ARGS=--write",
}
"""Each report, and the command that writes it."""


def keep(name: str, content: str | bytes) -> None:
    """Write a file of the folder, and say so."""
    REPORTS.mkdir(exist_ok=True)
    (REPORTS / name).write_bytes(content.encode() if isinstance(content, str) else content)
    print(f"wrote {REPORTS.name}/{name}")


def index() -> str:
    """The page that lists the reports: those that are here are linked, of the others it has the command."""
    here = {path.stem: path.name for path in pages()}
    rows = "\n".join(
        f"| {f'[{name}]({here[name]})' if name in here else name} | `{command}` |" for name, command in MADE_BY.items()
    )
    return f"{_HEAD}\n| report | is made by |\n| --- | --- |\n{rows}\n"


def pages() -> list[Path]:
    """The reports that are here."""
    return sorted(path for path in REPORTS.glob("*") if path.suffix in (".md", ".html"))


_HEAD = """# Reports

Tools measure, and write what they find into `.reports/`, a folder that one may have to make. Those that were there when
this site was built have a page; the [headline figures](../figures.md) of all of them, with their dates, are in git.
"""
