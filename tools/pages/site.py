"""The pages of the site: MkDocs runs this file for `make site`, and takes each as if it lay where its name says.

Pages that are in git keep their places, so that the links between them, and to grammars and entries, are the same. What
the first line of a block tells the tests is left out. All other pages are made here, and lie nowhere else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from toolect import registry
from tools import reports
from tools.pages import api_pages, check_page, dialect_pages, leniency_page, limits_page
from tools.pages.screenshots import NAMES, screenshots

ROOT = Path(__file__).resolve().parents[2]
PARTS = (
    "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "dialects.yaml", "chats.yaml", "docs", "examples",
    "grammars", "tools/README.md",
)  # fmt: skip
"""Parts of the repository that are on the site: its pages, and what they link to."""
_OPTIONS = re.compile(r"^(`{3,}\w+)[ \t]+[^`\n]*$", re.MULTILINE)
_COMMANDS = """# The command line

What `--help` says of each command; there it ends with examples.

::: mkdocs-click
    :module: toolect._cli
    :command: main
    :prog_name: toolect
    :depth: 1
"""


def from_git() -> Iterator[tuple[str, bytes]]:
    """The files of the repository that are on the site, by their paths."""
    for part in PARTS:
        path = ROOT / part
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.suffix == ".md":
                yield str(file.relative_to(ROOT)), _OPTIONS.sub(r"\1", file.read_text(encoding="utf-8")).encode()
            elif file.is_file() and "__pycache__" not in file.parts:
                yield str(file.relative_to(ROOT)), file.read_bytes()


def made() -> dict[str, Callable[[], str]]:
    """The pages that are made here, by their paths, and what makes each."""
    return {
        "docs/cli.md": lambda: _COMMANDS,
        "docs/checks/README.md": check_page.page,
        "docs/limits.md": limits_page.page,
        "docs/leniency.md": leniency_page.page,
        "docs/dialects/README.md": dialect_pages.index,
        **{f"docs/dialects/{name}.md": partial(dialect_pages.page, name) for name in registry.dialects()},
        "docs/api/README.md": api_pages.index,
        **{f"docs/api/{name}.md": partial(api_pages.page, name) for name in api_pages.modules()},
        "docs/reports/README.md": reports.index,
        **{f"docs/reports/{path.name}": partial(path.read_text, encoding="utf-8") for path in reports.pages()},
    }


def main() -> None:
    """Hand all of them to MkDocs."""
    import mkdocs_gen_files  # comes with the extra `site`

    shots = screenshots()
    for name, picture in shots.items():
        with mkdocs_gen_files.open(f"docs/guide/{name}", "wb") as file:
            file.write(picture)
    images = "\n\n".join(f"![{NAMES[name]}]({name})" for name in shots).encode()
    for path, content in from_git():
        with mkdocs_gen_files.open(path, "wb") as file:
            file.write(content.replace(b"<!-- screenshots -->", images))
    for path, make in made().items():
        with mkdocs_gen_files.open(path, "w", encoding="utf-8") as page:
            page.write(make())


if __name__ == "<run_path>":  # as mkdocs-gen-files runs it
    main()
