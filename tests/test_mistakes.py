"""What lint says about mistakes that people make: what is wrong, where, in words that say what to do.

The mistakes are in `mistakes/*.txt`; `mistakes/README.md` says how they are written.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import mistake_cases
import pytest
import spec_cases
from mistake_cases import HERE, SETS, make
from spec_cases import SpecCase

from toolect._authoring.lint import lint
from toolect._diagnostic import Diagnostic
from toolect._shown import one_line

CASES = [case for cases in SETS.values() for case in cases]


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.title)
def test_is_told(case: SpecCase, request: pytest.FixtureRequest) -> None:
    """Lint says what stands below the mistake."""
    make(case)
    said = "\n".join(line for found in lint(Path("dialects.yaml")).diagnostics for line in report_lines(found))
    if request.config.getoption("--update"):
        spec_cases.update(case, said)
    else:
        assert said == case.expected


@pytest.mark.parametrize("name", SETS)
def test_most_are_found_by_their_cause(name: str) -> None:
    """Nineteen of twenty are found, and the first report of nine in ten names the cause."""
    number, found, first = mistake_cases.measure(name)
    assert found >= 0.95 * number
    assert first >= 0.9 * number


@pytest.mark.parametrize("name", ["elements", "json", "signals"])
def test_without_a_mistake(name: str) -> None:
    """The specs are clean: what lint says of a mistake is about the mistake."""
    shutil.copytree(HERE / name, ".", dirs_exist_ok=True)
    assert not lint(Path("dialects.yaml")).diagnostics


def report_lines(found: Diagnostic) -> Iterator[str]:
    """A finding in a few lines: the places that it points to, too."""
    place = found.place
    yield one_line(f"{place.path}:{place.line}:{place.column}: {found.severity}[{found.check}]: {found.message}")
    if found.related:
        yield "  " + ", ".join(dict.fromkeys(f"{other.path}:{other.line}" for other, _ in found.related))
    if found.help:
        yield f"  {one_line(found.help)}"
