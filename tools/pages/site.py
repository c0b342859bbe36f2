"""Builds the pages as a site with a search, `make site`; a link that leads nowhere is an error.

The pages are copied as they lie in the repository, so that the links between them, and to grammars and entries, are the
same there. What the first line of a block tells the tests is left out.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / ".site" / "pages"
PARTS = (
    "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "dialects.yaml", "chats.yaml", "docs", "examples",
    "grammars", "tools/README.md",
)  # fmt: skip
"""What the site consists of, and what its pages link to."""
_OPTIONS = re.compile(r"^(`{3,}\w+)[ \t]+[^`\n]*$", re.MULTILINE)


def stage(folder: Path) -> None:
    """Copy the pages, and what they link to, into a folder that is made anew."""
    shutil.rmtree(folder, ignore_errors=True)
    for part in PARTS:
        target = folder / part
        target.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / part, target)
    for page in folder.rglob("*.md"):
        page.write_text(_OPTIONS.sub(r"\1", page.read_text(encoding="utf-8")), encoding="utf-8")


def main() -> None:
    """Copies the pages and builds the site; exits as MkDocs does."""
    stage(PAGES)
    sys.exit(subprocess.run([sys.executable, "-m", "mkdocs", "build", "--strict"], cwd=ROOT, check=False).returncode)


if __name__ == "__main__":
    main()
