"""Running the checks: over one dialect or all of a file, in one process or several."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

import msgspec

from toolect._files import holds_chats
from toolect._spec.document import read_text
from toolect._spec.entry import Entry, Loaded
from toolect._spec.grammar_source import check_names, read_source
from toolect._spec.load import load_entries, read_entries
from toolect._spec.model import Spec
from toolect._spec.problems import Problems
from toolect.authoring.lint import catalogue
from toolect.authoring.lint.allowed import allowances, apply, mistakes
from toolect.authoring.lint.chat_runner import lint_chats
from toolect.authoring.lint.checking import each, guarded
from toolect.authoring.lint.folding import folded
from toolect.authoring.lint.lint_report import Report
from toolect.authoring.lint.places import files
from toolect.authoring.lint.subject import Group, Subject
from toolect.compiled import Dialect
from toolect.diagnostic import Diagnostic, Place, Severity, SpecError
from toolect.registry import Registry, Shelf, bases, shipped


class _Result(msgspec.Struct, frozen=True):
    """What came of one dialect: its files, and what was found."""

    loaded: Loaded[Spec]
    files: tuple[str, ...]
    found: tuple[Diagnostic, ...]


def lint(
    path: Path, only: Sequence[str] = (), checks: Sequence[str] = (), jobs: int = 1,
    told: Callable[[int, int], None] = lambda _done, _total: None,
) -> Report:  # fmt: skip
    """What the checks find in a YAML file of dialects, or of chats, and the grammars beside it.

    `only` are the entries to look at, and `checks` the checks to run: without them, all. With several `jobs` the
    dialects are shared out among so many processes. `told` learns how many are done, and how many there are.
    """
    if holds_chats(path):
        return lint_chats(path, only, checks, jobs, told)
    problems = Problems()
    others = bases(path)
    entries = read_entries(path, problems)
    if not entries:  # what is wrong with the grammars can be told all the same
        for file in sorted((path.parent / "grammars").rglob("*.lark")):
            source = read_source(file, problems)
            if source is not None:
                check_names(source, problems)
    chosen = [name for name in entries if name in only or not only]
    run_all = not checks or "unused-allow" in checks  # what is of no use is known only then
    wanted = [catalogue.find(name) for name in catalogue.names() if run_all or name in checks]
    work = _Work(path, others, tuple(c.name for c in wanted if c.check), entries)
    results: list[_Result] = []
    told(0, len(chosen))
    for result in each(work.look, chosen, jobs):
        results.append(result)
        told(len(results), len(chosen))
    loaded = [r.loaded for r in results if r.loaded.spec is not None]
    subjects = {one.entry.name.text: Subject(path, one, entries, others) for one in loaded}
    compared = [check for check in wanted if check.compare] if subjects else []
    group = Group(path, subjects, _others(path, others, entries, chosen) if compared else {})
    top = Place(str(path), 0, 0)
    found = [(d, top) for d in _of(problems.found, entries, chosen)]
    found += [(d, r.loaded.entry.name.place) for r in results for d in r.found]
    for check in compared:
        findings = guarded(check.name, check.compare, group, Place(str(path), 1, 1))
        found += [(d, _entry(d.place, entries) or top) for d in findings]
    paths = [str(path), *(file for r in results for file in r.files)]
    comments = [a for file in dict.fromkeys(paths) for a in allowances(file, _text(file))]
    kept, used = apply(found, comments)
    grammars = {r.loaded.entry.name.place: str(r.loaded.grammar) for r in results}
    unread = {grammars[r.loaded.entry.name.place] for r in results if r.loaded.spec is None}

    def about(place: Place) -> str:  # the grammar of the dialect that a place is of, empty without one
        return place.path if place.path in grammars.values() else grammars.get(_entry(place, entries) or place, "")

    judged = {entries[name].name.place for name in chosen}

    def known(place: Place) -> bool:  # all that a comment there may allow was looked for
        return about(place) not in unread and (not only or _entry(place, entries) in judged)

    wrong = mistakes(comments, used, run_all)
    kept += [(d, d.place) for d in wrong if d.check != "unused-allow" or known(d.place)]
    if checks:
        kept = [(d, entry) for d, entry in kept if d.check in checks or d.severity is Severity.ERROR]
    return Report(tuple(folded((d, grammars.get(entry) or about(d.place)) for d, entry in kept)), tuple(chosen))


def _of(found: Iterable[Diagnostic], entries: dict[str, Entry], chosen: list[str]) -> list[Diagnostic]:
    """The problems of the file as a whole, and those that a `chosen` entry has a part in."""
    if len(chosen) == len(entries):
        return [*found]
    places = [entries[name].name.place for name in chosen]
    return [
        d for d in found if any(_entry(place, entries) in places for place in (d.place, *(p for p, _ in d.related)))
    ]


def _entry(place: Place, entries: dict[str, Entry]) -> Place | None:
    """The place of the entry that `place` is in, if it is in one."""
    starts = [e.name.place for e in entries.values()]
    above = [start for start in starts if start.path == place.path and start.line <= place.line]
    return max(above, key=lambda start: start.line, default=None)


class _Work(msgspec.Struct, frozen=True):
    """What all dialects of a run share."""

    path: Path
    bases: tuple[Path, ...]
    checks: tuple[str, ...]
    entries: dict[str, Entry]

    def look(self, name: str) -> _Result:
        """Load one dialect and run the checks on it."""
        (loaded,) = load_entries(self.path, self.entries, [name], *self.bases)
        if loaded.spec is None:
            return _Result(loaded, (str(loaded.grammar),), loaded.found)
        subject = Subject(self.path, loaded, self.entries, self.bases)
        checks = [catalogue.find(name) for name in self.checks]
        found = [d for check in checks for d in guarded(check.name, check.check, subject, subject.place)]
        return _Result(loaded, tuple(str(f.path) for f in files(subject.source)), (*loaded.found, *found))


def _others(path: Path, files: tuple[Path, ...], entries: dict[str, Entry], chosen: list[str]) -> dict[str, Dialect]:
    """The dialects to compare the `chosen` ones with: the file's other ones, and those of toolect that it leaves."""
    found: dict[str, Dialect] = {}
    if files:
        own = _own()
        found = {name: own.dialect(name) for name in own.dialects() if name not in entries}
    if len(chosen) < len(entries):
        shelf = Shelf(path, *files)
        for name in entries:
            if name not in chosen:
                with suppress(SpecError):
                    found[name] = Dialect(shelf.spec(name))
    return found


@cache
def _own() -> Registry:
    """What comes with toolect, and nothing else: many files are compared with it, and it is made ready once."""
    return Registry(shipped)


def _text(path: str) -> str:
    return read_text(Path(path), Problems(), "missing-grammar") or ""
