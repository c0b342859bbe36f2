"""What is published: the package, and the pages as a site."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import test_docs
import yaml

import toolect
from toolect._authoring.lint import catalogue
from tools import reports
from tools.pages import site

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_the_package_is_typed_and_has_its_version() -> None:
    """Type checkers are told, and the version stands in one place."""
    assert (Path(toolect.__file__).parent / "py.typed").exists()
    assert PROJECT["project"]["dynamic"] == ["version"] and "Typing :: Typed" in PROJECT["project"]["classifiers"]
    assert re.fullmatch(r"\d+\.\d+\.\d+", toolect.__version__)
    assert PROJECT["tool"]["hatch"]["version"]["path"].endswith("_version.py")


def test_all_that_is_needed_is_packed() -> None:
    """The data that is read at run time is in the wheel; all that a build and the tests need in the source."""
    targets = PROJECT["tool"]["hatch"]["build"]["targets"]
    data = {*targets["wheel"]["force-include"]}
    assert data >= {"dialects.yaml", "chats.yaml", "grammars"}
    packed = {name.strip("/") for name in targets["sdist"]["include"]}
    assert packed >= data | {"src", "tests", "tools", "docs", "examples", *(p for p in site.PARTS if "/" not in p)}
    assert all((ROOT / name).exists() for name in packed)


def test_the_site_has_every_page() -> None:
    """Pages of git lie as they do in the repository, and no block has words for the tests in its first line."""
    pages = {path: content.decode() for path, content in site.from_git() if path.endswith(".md")}
    assert sorted(pages) == sorted(str(page.relative_to(ROOT)) for page in test_docs.PAGES)
    assert not any(block.options for source in pages.values() for block in test_docs.blocks(source))


def test_reports_that_are_here_are_on_the_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a tool keeps is a page, and linked; of what is missing the index has the command."""
    monkeypatch.setattr(reports, "REPORTS", tmp_path / "reports")
    assert "| datasets | `make datasets ARGS=--write` |" in site.made()["docs/reports/README.md"]()
    reports.keep("datasets.md", "# Data sets\n")
    assert "| [datasets](datasets.md) | `make datasets ARGS=--write` |" in site.made()["docs/reports/README.md"]()
    assert site.made()["docs/reports/datasets.md"]() == "# Data sets\n"


def test_pages_that_are_made() -> None:
    """A page tells of its dialect, its check, or its module."""
    made = site.made()
    assert "\nstart: (content | think | call)*\n" in made["docs/dialects/hermes.md"]()
    assert f"## {list(catalogue.pages())[-1]}\n" in made["docs/checks/README.md"]()
    assert "::: toolect.openai" in made["docs/api/toolect.openai.md"]()


def test_the_menu_leads_somewhere() -> None:
    """Each entry of the site's menu is a page, and there is a search."""

    class Loader(yaml.SafeLoader):
        """Leaves out what MkDocs computes."""

    Loader.add_multi_constructor("tag:yaml.org,2002:python", lambda *_: None)
    config = yaml.load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"), Loader)
    assert config["plugins"][0] == "search" and config["theme"]["name"] == "material"

    def leaves(item: object) -> list[str]:
        if isinstance(item, str):
            return [item]
        inner = item.values() if isinstance(item, dict) else item if isinstance(item, list) else []
        return [leaf for one in inner for leaf in leaves(one)]

    named = leaves(config["nav"])
    assert {*named} <= {*site.made(), *(path for path, _ in site.from_git())} and len({*named}) == len(named)


def test_a_link_that_leads_nowhere_fails(tmp_path: Path) -> None:
    """The build of the site is strict about links and anchors."""
    pytest.importorskip("mkdocs")
    pytest.importorskip("material")
    pytest.importorskip("mkdocs_click")
    (tmp_path / "pages").mkdir()
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("nav:\n  - README")[0].replace(".site/", "")
    text = re.sub(r"^plugins:.*?(?=^markdown_extensions)", "", text, flags=re.DOTALL | re.MULTILINE)
    (tmp_path / "mkdocs.yml").write_text(text)
    for source, status in (("# A\n\n[a](#a)\n", 0), ("# A\n\n[a](#b)\n", 1), ("# A\n\n[a](b.md)\n", 1)):
        (tmp_path / "pages" / "README.md").write_text(source)
        done = subprocess.run(
            [sys.executable, "-m", "mkdocs", "build", "--strict"], cwd=tmp_path, capture_output=True, check=False
        )
        assert done.returncode == status, (source, done.stderr)
