"""Mistakes that authors make, as data: small specs without a fault, what is changed in them, and how lint does on them.

`python tests/mistake_cases.py` prints how many it finds, and of how many its first report names the cause: it points at
a line that the mistake changed (in a corpus, at the case), or its message names in backquotes a word that it changed.
"""

from __future__ import annotations

import contextlib
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import spec_cases
from spec_cases import SpecCase

from toolect._authoring.lint import lint
from toolect._diagnostic import Diagnostic

HERE = Path(__file__).parent / "mistakes"
SETS = {path.stem: spec_cases.read(path) for path in sorted(HERE.glob("*.txt"))}
_WORD = re.compile(r"\w+")


def make(case: SpecCase) -> set[tuple[str, int]]:
    """The spec with the mistake, in the current folder; the lines that it changed, of each file."""
    shutil.copytree(HERE / case.attributes["spec"], ".", dirs_exist_ok=True)
    lines: set[tuple[str, int]] = set()
    for name, old, new in edits(case):
        text = Path(name).read_text("utf-8")
        assert text.count(old) == 1, f"expected `{old}` once in {name}"
        first = text[: text.index(old)].count("\n") + 1
        text = text.replace(old, new)
        Path(name).write_text(text, "utf-8")
        lines |= {(name, line) for line in range(first - (not new), first + new.count("\n") + 1)}
        if name.endswith(".txt"):  # a frame above, and the blank line behind
            frames = re.finditer(r"^===\n.+\n(:.*\n)*===$", text, re.MULTILINE)
            begins = [text[: frame.start()].count("\n") + 1 for frame in frames]
            start = max((line for line in begins if line <= first), default=1)
            end = min((line for line in begins if line > first), default=text.count("\n") + 2)
            lines |= {(name, line) for line in range(start, end)}
    for name in case.attributes.get("crlf", "").split():
        Path(name).write_bytes(Path(name).read_bytes().replace(b"\n", b"\r\n"))
        lines.add((name, 1))
    return lines


def edits(case: SpecCase) -> Iterator[tuple[str, str, str]]:
    """Of each file what is replaced, and by what."""
    _, *changed = re.split(r"^@ (\S+)\n", case.text, flags=re.MULTILINE)
    for name, changes in zip(changed[::2], changed[1::2], strict=True):
        for block in re.findall(r"((?:^- .*\n)+(?:^\+ .*\n?)+)", changes, re.MULTILINE):
            lines = block.splitlines()
            old, new = ("\n".join(line[2:] for line in lines if line[0] == sign) for sign in "-+")
            yield name, old, new


def names_cause(found: Diagnostic, case: SpecCase, lines: set[tuple[str, int]]) -> bool:
    """True when a report names the cause."""
    places = [found.place, *(place for place, _ in found.related)]
    old, new = (" ".join(edit[which] for edit in edits(case)) for which in (1, 2))
    changed = {*_WORD.findall(old)} ^ {*_WORD.findall(new)}
    quoted = " ".join(re.findall("`([^`]+)`", f"{found.message} {found.label}"))
    return any((place.path, place.line) in lines for place in places) or not changed.isdisjoint(_WORD.findall(quoted))


def measure(name: str) -> tuple[int, int, int]:
    """How many mistakes a set has, how many of them are found, and of how many the first report names the cause."""
    wrong = [case for case in SETS[name] if "sound" not in case.attributes]
    found = first = 0
    for case in wrong:
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            lines = make(case)
            reports = lint(Path("dialects.yaml")).diagnostics
            found += bool(reports)
            first += bool(reports) and names_cause(reports[0], case, lines)
    return len(wrong), found, first


if __name__ == "__main__":
    for _name in SETS:
        print("{}: {} mistakes, {} found, the cause first in {}".format(_name, *measure(_name)))
