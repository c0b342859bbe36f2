"""What the linter says: one file of cases for each check, good ones and bad ones; how reports are written."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest
import spec_cases
from spec_cases import SpecCase

from toolect.diagnostic import draw
from toolect.lint import catalogue, lint
from toolect.registry import shipped
from toolect.spec import load

CASES = spec_cases.all_cases("checks")


@pytest.mark.parametrize("case", CASES, ids=str)
def test_says_what_is_expected(
    case: SpecCase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """The check finds just what stands below the spec."""
    monkeypatch.chdir(tmp_path)
    case.write(tmp_path)
    drawn = "\n\n".join(map(draw, lint(Path("dialects.yaml"), checks=[case.path.stem]).diagnostics))
    if request.config.getoption("--update"):
        spec_cases.update(case, drawn)
    else:
        assert drawn == case.expected


@pytest.mark.parametrize("name", catalogue.names())
def test_every_check_is_shown_and_explained(name: str) -> None:
    """A check has a good case, a bad case in which it is what is found, and a page with all its parts."""
    cases = [case for case in CASES if case.path.stem == name]
    assert any(not case.expected for case in cases)
    assert any(f"[{name}]" in case.expected for case in cases)
    page = catalogue.find(name).page
    assert re.findall("^## (.*)", page, re.MULTILINE) == ["Why is this bad?", "Example", "Use instead"]


def test_what_reading_finds_is_documented() -> None:
    """A page without a function belongs to what reading a spec finds, or lint itself; and all of that has a page."""
    folders = [Path(inspect.getfile(load)).parent, Path(inspect.getfile(catalogue)).parent]
    source = "".join(path.read_text("utf-8") for folder in folders for path in sorted(folder.glob("*.py")))
    named = set(re.findall(r"""(?:error|warning|Diagnostic)\(\s*"([a-z0-9-]+)",""", source))
    pages = {name for name in catalogue.names() if not (catalogue.find(name).check or catalogue.find(name).compare)}
    assert pages == named


def test_shipped_specs_are_clean() -> None:
    """Lint finds nothing in what comes with toolect."""
    found = lint(shipped(), jobs=2).diagnostics
    assert not found, "\n\n".join(map(draw, found))
