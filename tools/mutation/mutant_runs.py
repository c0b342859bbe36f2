"""Breaking specs in a copy of the repository's, one mutant after the other, and what came of each."""

from __future__ import annotations

import re
import shutil
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory

from toolect import registry
from toolect._spec.load import load_entries, read_entries
from toolect._spec.problems import Problems
from toolect.authoring.corpus import read
from toolect.authoring.lint import catalogue, lint
from toolect.authoring.lint.subject import Group, Subject
from toolect.authoring.processes import pool
from toolect.diagnostic import Diagnostic, Place, concise
from tools.mutation import spec_text
from tools.mutation.author_mutations import IDLE
from tools.mutation.behaviour import TimeUpError, Unbroken, time_limit
from tools.mutation.mutations import Mutant
from tools.mutation.spec_text import FileKind, SpecText

CORPUS = Path("tests/corpus")
NO_SPEC = "does not load"
"""What is said first of a mutant that makes no spec."""
_Essences = Counter[tuple[str, str]]
LINT_SECONDS = 20
"""Processor time for linting one mutant."""


@dataclass(frozen=True)
class Finding:
    """A diagnostic that the unbroken spec does not have."""

    check: str
    text: str
    in_mutated: bool
    """It, or something related, is in a file that was broken."""
    in_corpus: bool
    """It is at a case of the dialect's corpus."""
    above: bool
    """It is told by itself: it follows from no other one."""
    at_change: bool
    """It, or something related, is in the definition or the field that was changed."""


@dataclass(frozen=True)
class Result:
    """What came of one mutant."""

    mutant: Mutant
    difference: str
    """What the mutant does differently; empty when it is equivalent as far as can be seen."""
    findings: tuple[Finding, ...]
    without_corpus: bool
    """Lint points to what was broken, and needs no corpus for it."""
    seconds: float = field(compare=False)

    @property
    def wrong(self) -> bool:
        """True when something is wrong: it behaves otherwise, or does not do what was meant."""
        return bool(self.difference) or self.mutant.mutation in IDLE

    @property
    def loads(self) -> bool:
        """True when only a check can find anything."""
        return not self.difference.startswith(NO_SPEC)

    @property
    def failed(self) -> list[str]:
        """The checks that could not finish: a mistake in them, not a finding."""
        return [f.text for f in self.findings if f.check == "failed-check"]

    @property
    def _said(self) -> list[Finding]:
        return [f for f in self.findings if f.check != "failed-check"]

    @property
    def found(self) -> bool:
        """True when lint says anything new."""
        return bool(self._said)

    @property
    def told(self) -> int:
        """How many findings are told by themselves."""
        return sum(f.above for f in self._said)

    @property
    def cause_first(self) -> bool:
        """True when the first thing that lint says is about the definition or the field that was changed."""
        return bool(self._said) and self._said[0].at_change

    @property
    def right_file(self) -> bool:
        """True when lint points to what was broken, or to the case that shows it."""
        return any(f.in_mutated or f.in_corpus for f in self._said)

    @property
    def mutated_file(self) -> bool:
        """True when lint points to what was broken."""
        return any(f.in_mutated for f in self._said)


def run(root: Path, mutants: Sequence[Mutant], jobs: int) -> Iterator[Result]:
    """The results, dialect by dialect."""
    by_dialect = [list(group) for _, group in groupby(sorted(mutants, key=lambda m: m.dialect), lambda m: m.dialect)]
    by_dialect.sort(key=len, reverse=True)
    if jobs <= 1:
        for group in by_dialect:
            yield from run_dialect(root, group)
        return
    with pool(jobs) as processes:
        for results in processes.map(partial(run_dialect, root), by_dialect):
            yield from results


def run_dialect(root: Path, mutants: Sequence[Mutant]) -> list[Result]:
    """The results for mutants of one dialect."""
    name = mutants[0].dialect
    spec = spec_text.read(root, name)
    corpus = root / CORPUS / f"{name}.txt"
    unbroken = Unbroken(root / "dialects.yaml", name, read(corpus) if corpus.exists() else [])
    with TemporaryDirectory() as folder:
        copy = Path(folder)
        shutil.copytree(root / "grammars", copy / "grammars")
        shutil.copy(root / "dialects.yaml", copy)
        (copy / CORPUS).parent.mkdir()
        (copy / CORPUS).symlink_to((root / CORPUS).resolve())
        before = [_before(copy, name)]
        with _no_corpus(copy):
            before.append(_before(copy, name))
        return [_one(copy, spec, mutant, unbroken, before) for mutant in mutants]


def _one(copy: Path, spec: SpecText, mutant: Mutant, unbroken: Unbroken, before: Sequence[_Essences]) -> Result:
    """Break the copy, look at it, and mend it."""
    began = time.perf_counter()
    paths = {"grammar": copy / "grammars" / f"{spec.dialect}.lark", "entry": copy / "dialects.yaml"}
    old = {paths[file]: paths[file].read_bytes() for file in mutant.files}
    try:
        for file in mutant.files:
            paths[file].write_bytes(mutant.text(spec, file).encode("utf-8", "surrogateescape"))
        difference = unbroken.difference(copy / "dialects.yaml")
        wrong = difference or mutant.mutation in IDLE
        changed = {str(paths[file]): _lines(mutant, spec, file) for file in mutant.files}
        findings = bare = _findings(copy, spec.dialect, changed, before[0]) if wrong else ()
        if findings and not difference.startswith(NO_SPEC):  # else no check has looked at a corpus
            with _no_corpus(copy):
                bare = _findings(copy, spec.dialect, changed, before[1])
    finally:
        for path, data in old.items():
            path.write_bytes(data)
    alone = any(f.in_mutated for f in bare)
    return Result(mutant, difference, findings, alone, time.perf_counter() - began)


def _lines(mutant: Mutant, spec: SpecText, file: FileKind) -> range:
    """The lines of the definitions, or of the fields, of a file in which something was changed."""
    text = mutant.text(spec, file).encode("utf-8", "replace").decode()
    lines = text.split("\n")
    starts = [edit.part.start for edit in mutant.edits if edit.part.file == file]
    grown = sum(len(edit.new) - len(edit.part.text) for edit in mutant.edits if edit.part.file == file)
    ends = [edit.part.start + len(edit.new) for edit in mutant.edits if edit.part.file == file]
    end = max(*ends, max(ends) + grown) if len(ends) > 1 else ends[0]
    first, last = text.count("\n", 0, min(starts)), text.count("\n", 0, end)
    begins = re.compile(r"\S" if file == "grammar" else r" {0,2}\S")
    while first > 0 and not begins.match(lines[first]):
        first -= 1
    while last + 1 < len(lines) and not begins.match(lines[last + 1]):
        last += 1
    return range(first + 1, last + 2)


def _before(copy: Path, name: str) -> _Essences:
    """What lint says of the unbroken spec."""
    causes = [cause for look in STAGES for cause in look(copy, name)]
    return Counter(_essence(d) for cause in causes for d in (cause, *cause.follows))


@contextmanager
def _no_corpus(copy: Path) -> Iterator[None]:
    """The corpora are not there inside of the block."""
    (copy / CORPUS).rename(copy / "corpora-aside")
    try:
        yield
    finally:
        (copy / "corpora-aside").rename(copy / CORPUS)


def _findings(copy: Path, name: str, changed: dict[str, range], before: _Essences) -> tuple[Finding, ...]:
    """What lint says of the broken spec and not of the unbroken one, each cause before what follows from it."""
    left = before.copy()
    found: list[Finding] = []
    for look in STAGES:
        if any(finding.in_mutated for finding in found):
            break
        for cause in look(copy, name):
            above = True
            for diagnostic in (cause, *cause.follows):
                if left[_essence(diagnostic)] > 0:
                    left[_essence(diagnostic)] -= 1
                    continue
                text = concise(diagnostic).replace(f"{copy}/", "")
                in_corpus = diagnostic.place.path == str(copy / CORPUS / f"{name}.txt")
                places = _places(diagnostic)
                at_change = any(place.line in changed.get(place.path, ()) for place in places)
                in_mutated = any(place.path in changed and place.line > 0 for place in places)
                found.append(Finding(diagnostic.check, text, in_mutated, in_corpus, above, at_change))
                above = False
    return tuple(found)


def _alone(copy: Path, name: str) -> Sequence[Diagnostic]:
    """What the checks that look at one dialect find."""
    return _linted(copy, name, [c.name for c in _CHECKS if not c.compare and c.name != _NEEDLESS])


def _needless(copy: Path, name: str) -> Sequence[Diagnostic]:
    """The comments that allow what no check finds any more: to know that, all of them have to run."""
    return _linted(copy, name, [_NEEDLESS])


def _linted(copy: Path, name: str, checks: list[str]) -> Sequence[Diagnostic]:
    """What these checks find; nothing when they take too long."""
    try:
        with time_limit(LINT_SECONDS):
            return lint(copy / "dialects.yaml", only=[name], checks=checks).diagnostics
    except TimeUpError:
        return ()


def _compared(copy: Path, name: str) -> Sequence[Diagnostic]:
    """What the checks that compare dialects find, as lint runs them; the other dialects are read once for all."""
    path = copy / "dialects.yaml"
    entries = read_entries(path, Problems())
    loaded = next(load_entries(path, entries, [name]), None) if name in entries else None
    if loaded is None or loaded.spec is None:
        return ()
    subject = Subject(path, loaded, entries, ())
    others = {other: registry.dialect(other) for other in registry.dialects() if other != name}
    group = Group(path, {name: subject}, others)
    return [d for check in _CHECKS if check.compare for d in check.compare(group)]


_CHECKS = [catalogue.find(name) for name in catalogue.names()]
_NEEDLESS = "unused-allow"
STAGES = (_alone, _compared, _needless)
"""What is run, in this order: what takes longer only for what nothing before it finds."""


def _places(diagnostic: Diagnostic) -> list[Place]:
    return [diagnostic.place, *(place for place, _ in diagnostic.related)]


def _essence(diagnostic: Diagnostic) -> tuple[str, str]:
    """What stays when lines move."""
    return diagnostic.check, diagnostic.message
