"""What lint says about mistakes that people make: the cause once, first, in words that say what to do.

The mistakes are in `mistakes/mistakes.txt`; `mistakes/README.md` says how they are written.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import shares
import spec_cases
from spec_cases import SpecCase

from toolect._shown import one_line
from toolect.authoring.lint import lint
from toolect.diagnostic import Diagnostic

HERE = Path(__file__).parent / "mistakes"
CASES = spec_cases.read(HERE / "mistakes.txt")
over_all = pytest.mark.parametrize("case", CASES, ids=lambda case: case.title)


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@over_all
def test_is_told(case: SpecCase, request: pytest.FixtureRequest) -> None:
    """Lint says what stands below the mistake: each cause, what to do, and how much follows from it."""
    make(case)
    said = "\n".join(line for cause in causes() for line in told(cause))
    if request.config.getoption("--update"):
        spec_cases.update(case, said)
    else:
        assert said == case.expected


@pytest.mark.parametrize("case", shares.share(CASES, 30, "no corpus"), ids=lambda case: case.title)
def test_is_found_without_a_corpus(case: SpecCase) -> None:
    """The first cause is the same where no case shows it, but for what only a corpus can (half; `--all`: each)."""
    make(case)
    shutil.rmtree("corpus")
    found = [cause for cause in causes() if cause.check != "missing-corpus"]
    if other := case.attributes.get("without"):
        assert found[0].check == other
    else:
        said = [next(told(cause)) for cause in found]
        assert said[:1] == ([] if "corpus" in case.attributes else case.expected.splitlines()[:1])


@pytest.mark.parametrize("name", ["elements", "json"])
def test_without_a_mistake(name: str) -> None:
    """The specs are clean: what lint says of a mistake is about the mistake."""
    shutil.copytree(HERE / name, ".", dirs_exist_ok=True)
    assert not causes()


def make(case: SpecCase) -> None:
    """The spec with the mistake, in the current folder."""
    shutil.copytree(HERE / case.attributes["spec"], ".", dirs_exist_ok=True)
    _, *changed = re.split(r"^@ (\S+)\n", case.text, flags=re.MULTILINE)
    for name, changes in zip(changed[::2], changed[1::2], strict=True):
        text = Path(name).read_text("utf-8")
        for old, new in edits(changes):
            assert text.count(old) == 1, f"expected `{old}` once in {name}"
            text = text.replace(old, new)
        Path(name).write_text(text, "utf-8")
    for name in case.attributes.get("crlf", "").split():
        Path(name).write_bytes(Path(name).read_bytes().replace(b"\n", b"\r\n"))


def edits(changes: str) -> Iterator[tuple[str, str]]:
    """What is replaced, and by what."""
    for block in re.findall(r"((?:^- .*\n)+(?:^\+ .*\n?)+)", changes, re.MULTILINE):
        lines = block.splitlines()
        yield tuple("\n".join(line[2:] for line in lines if line[0] == sign) for sign in "-+")


def causes() -> tuple[Diagnostic, ...]:
    """What lint finds here, each with what follows from it."""
    return lint(Path("dialects.yaml")).diagnostics


def told(cause: Diagnostic) -> Iterator[str]:
    """A cause in a few lines."""
    place = cause.place
    yield one_line(f"{place.path}:{place.line}:{place.column}: {cause.severity}[{cause.check}]: {cause.message}")
    if cause.help:
        yield f"  {one_line(cause.help)}"
    if cause.follows:
        yield f"  and {len(cause.follows)} that follow{'s' * (len(cause.follows) == 1)}"
