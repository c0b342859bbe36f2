"""Running the checks: over one entry or all of a file of dialects or chats, in one process or several."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache, partial
from itertools import takewhile
from pathlib import Path
from typing import Any

import msgspec

from toolect import registry
from toolect._authoring.lint import catalogue
from toolect._authoring.lint.catalogue import pages
from toolect._authoring.lint.subject import ChatSubject, Group, Subject, files
from toolect._chats import chat_registry
from toolect._compiled import Dialect
from toolect._diagnostic import Diagnostic, Place, Severity, SpecError, warning
from toolect._dialect_registry import DialectShelf, Registry
from toolect._files import holds_chats
from toolect._processes import collect_less, pool
from toolect._spec.chat_load import load_chat_entries, read_chat_entries
from toolect._spec.chat_model import ChatSpec
from toolect._spec.document import read_text
from toolect._spec.entry import Entry, Loaded
from toolect._spec.grammar import GrammarFiles
from toolect._spec.grammar_source import check_names, read_source
from toolect._spec.load import load_entries, read_entries
from toolect._spec.model import Spec
from toolect._spec.problems import Problems, in_order, near
from toolect.registry import shipped

WORTH_STARTING = 4
"""Entries that each process has at least: to start one takes as long as to look at two."""
GARBAGE = 2_000_000
"""Objects after which a process looks for garbage: that takes a sixth of the time, and so many are 200 MB."""
_READING = "unreadable-corpus"
"""Check that runs whichever are asked for: without a corpus others find nothing."""
DECISIVE = "failing-case"
"""A dialect whose cases fail is tried no further: whatever else does not hold most likely follows from that."""


class LintReport(msgspec.Struct, frozen=True):
    """Diagnostics of a run, and the dialects or chats that it looked at.

    File by file, entry by entry: what keeps it from being read, what only reading can say, laws, what no case shows.
    """

    diagnostics: tuple[Diagnostic, ...]
    dialects: tuple[str, ...]


class _EntryResult(msgspec.Struct, frozen=True):
    """Result of one entry: its files, its diagnostics, and whether everything was looked for."""

    loaded: Loaded[Spec] | Loaded[ChatSpec]
    files: tuple[str, ...]
    found: tuple[Diagnostic, ...]
    whole: bool = True
    dialect: Dialect | None = None
    """The dialect, with what the checks made of it; None from another process."""

    @property
    def place(self) -> Place:
        """Start of the entry."""
        return self.loaded.entry.name.place


class _Work(msgspec.Struct, frozen=True):
    """Inputs that all entries of a run share."""

    path: Path
    chats: bool
    bases: tuple[Path, ...]
    checks: tuple[str, ...]
    entries: dict[str, Entry]

    def look(self, name: str) -> _EntryResult:
        """Load one entry and run the checks on it."""
        tables: catalogue.Table[Any] = catalogue.CHATS if self.chats else catalogue.CHECKS
        grammars = GrammarFiles()
        load: Callable[..., Iterator[Loaded[Any]]] = (
            partial(load_chat_entries, known=registry.resolve)
            if self.chats
            else partial(load_entries, grammars=grammars)
        )
        (loaded,) = load(self.path, self.entries, [name], *self.bases)
        found, paths = in_order(loaded.found), [str(loaded.grammar)]
        if loaded.spec is None:
            return _EntryResult(loaded, tuple(paths), tuple(found), whole=False)
        subject: Any = (
            ChatSubject(loaded) if self.chats else Subject(self.path, loaded, self.entries, self.bases, grammars)
        )
        if not self.chats:
            paths = [str(source.path) for source in files(subject.source)]
        wanted = [check for check in tables if check in (*self.checks, _READING) or not self.checks]
        for check in wanted:
            new = guarded(check, tables[check], subject, subject.place)
            found += new
            if new and check == DECISIVE:
                return _EntryResult(loaded, tuple(paths), tuple(found), whole=False)
        return _EntryResult(loaded, tuple(paths), tuple(found), dialect=None if self.chats else subject.dialect)


def lint(
    path: Path, only: Sequence[str] = (), checks: Sequence[str] = (), jobs: int = 1,
    progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> LintReport:  # fmt: skip
    """Run the checks on a YAML file of dialects, or of chats, and the grammars beside it.

    `only` are the entries to look at, and `checks` the checks to run: without them, all. With several `jobs` the
    entries are shared out among so many processes. `progress` gets the number done, and the number of all.
    """
    chats, problems = holds_chats(path), Problems()
    entries = read_chat_entries(path, problems) if chats else read_entries(path, problems)
    if not entries and not chats:  # what is wrong with the grammars is found all the same
        for file in sorted((path.parent / "grammars").rglob("*.lark")):
            if (source := read_source(file, problems)) is not None:
                check_names(source, problems)
    chosen = [name for name in entries if name in only or not only]
    run_all = not checks or "unused-allow" in checks  # what is of no use is known only then
    others = chat_registry.bases(path) if chats else registry.bases(path)
    work = _Work(path, chats, others, () if run_all else tuple(checks), entries)
    results: list[_EntryResult] = []
    progress(0, len(chosen))
    for result in each(work.look, chosen, 1 if chats else jobs):  # a chat takes a twentieth of a process's start
        results.append(result)
        progress(len(results), len(chosen))
    top = Place(str(path), 0, 0)
    found = [(d, top) for d in _of(in_order(problems.found), entries, chosen)]
    found += [(d, one.place) for one in results for d in one.found]
    if not chats:
        found += [(d, _entry(d.place, entries) or top) for d in _compared(work, results)]
    paths = dict.fromkeys([str(path), *(file for one in results for file in one.files)])
    sources = {file: read_text(Path(file), Problems(), "missing-grammar") for file in paths}
    comments = [a for file, text in sources.items() for a in allowances(file, text or "")]
    kept, used = apply(found, comments)
    cut = {one.place for one in results if not one.whole} | {entries[n].name.place for n in entries if n not in chosen}
    unread = {str(one.loaded.grammar) for one in results if not one.whole}

    def judged(place: Place) -> bool:
        own = place.path == str(path)
        return run_all and place.path not in unread and (_entry(place, entries) not in cut if own else not only)

    diagnostics = [d for d, _ in kept] + [*mistakes(comments, used, judged)]
    if checks:
        diagnostics = [d for d in diagnostics if d.check in checks or d.severity is Severity.ERROR]
    return LintReport(tuple(dict.fromkeys(diagnostics)), tuple(chosen))


def guarded(check: str, find: Callable[[Any], Iterable[Diagnostic]], what: object, place: Place) -> list[Diagnostic]:
    """Diagnostics of a check on `what`, which is at `place`; a check that fails is one, too, and the others go on."""
    found: list[Diagnostic] = []
    try:
        found += find(what)
    except Exception as error:  # whatever it is, the report must say so and not end here
        message = f"the check `{check}` could not finish: {type(error).__name__}: {error}"
        found.append(Diagnostic("failed-check", message, place, help="this is a mistake in toolect: please report it"))
    return found


def each(look: Callable[[Any], Any], names: Sequence[Any], jobs: int) -> Iterator[Any]:
    """Results of `look` for the names, in their order, in at most `jobs` processes; it has to be picklable."""
    jobs = min(jobs, len(names) // WORTH_STARTING)
    if jobs <= 1:
        yield from map(look, names)
        return
    with pool(jobs, collect_less, GARBAGE) as processes:
        yield from processes.map(look, names, chunksize=1 + len(names) // (jobs * 8))


def _compared(work: _Work, results: Iterable[_EntryResult]) -> Iterator[Diagnostic]:
    """Diagnostics from comparing the dialects that could be read, with each other and with those of toolect."""
    checks = [name for name in catalogue.COMPARED if name in work.checks or not work.checks]
    subjects = {
        one.loaded.entry.name.text: Subject(work.path, one.loaded, work.entries, work.bases, dialect=one.dialect)
        for one in results
        if isinstance(one.loaded.spec, Spec)
    }
    if checks and subjects:
        group = Group(work.path, subjects, _others(work, subjects))
        for check in checks:
            yield from guarded(check, catalogue.COMPARED[check], group, Place(str(work.path), 1, 1))


def _others(work: _Work, subjects: dict[str, Subject]) -> dict[str, Dialect]:
    """The dialects to compare others with: the file's other ones, and those of toolect that it leaves."""
    found: dict[str, Dialect] = {}
    if work.bases:
        own = _own()
        found = {name: own.dialect(name) for name in own.dialects() if name not in work.entries}
    shelf = DialectShelf(work.path, *work.bases)
    for name in work.entries:
        if name not in subjects:
            with suppress(SpecError):
                found[name] = Dialect(shelf.spec(name))
    return found


@cache
def _own() -> Registry:
    """The registry of the shipped dialects alone: many files are compared with it, and it is made ready once."""
    return Registry(shipped)


def _of(found: Sequence[Diagnostic], entries: dict[str, Entry], chosen: Sequence[str]) -> list[Diagnostic]:
    """The problems of the file as a whole, and those that a `chosen` entry has a part in."""
    places = [entries[name].name.place for name in chosen]
    whole = len(chosen) == len(entries)
    return [
        d for d in found if whole or any(_entry(p, entries) in places for p in (d.place, *(p for p, _ in d.related)))
    ]


def _entry(place: Place, entries: dict[str, Entry]) -> Place | None:
    """The place of the entry that `place` is in, if it is in one."""
    starts = [e.name.place for e in entries.values()]
    above = [start for start in starts if start.path == place.path and start.line <= place.line]
    return max(above, key=lambda start: start.line, default=None)


# Comments that allow a diagnostic: `# toolect: allow CHECK reason`, in a grammar `// toolect: allow CHECK reason`
#
# At the end of a line such a comment speaks of that line; on a line of its own, of the definition or entry that
# follows. What it allows of a dialect's entry it allows of the whole dialect.


_COMMENT = re.compile(r"(?:#|//)[ \t]*toolect:[ \t]*allow\b[ \t]*([^\s#/]*)[ \t]*(.*)")


class Allowance(msgspec.Struct, frozen=True):
    """One comment: the check it allows, why, and the lines it speaks of (`last` included)."""

    check: str
    reason: str
    place: Place
    first: int
    last: int

    def covers(self, place: Place) -> bool:
        """True when `place` is among its lines."""
        return place.path == self.place.path and self.first <= place.line <= self.last


def allowances(path: str, text: str) -> Iterator[Allowance]:
    """The comments of a file."""
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        if (match := _COMMENT.search(line)) is None:
            continue
        place = Place(path, number, match.start() + 1, len(match[0].rstrip()))
        first = last = number
        if not line[: match.start()].strip():
            first, last = _following(lines, number)
        yield Allowance(match[1], match[2].strip(), place, first, last)


def _following(lines: list[str], number: int) -> tuple[int, int]:
    """The definition after line `number`: a line that is no comment, and those that are indented further."""
    first, *_ = (*(n for n in range(number, len(lines)) if not _COMMENT.match(lines[n].strip())), len(lines))
    depth = _depth(lines[first]) if first < len(lines) else 0
    inside = takewhile(
        lambda line: not line.strip() or _depth(line) > depth or line.lstrip().startswith("|"), lines[first + 1 :]
    )
    return first + 1, first + 1 + sum(1 for _ in inside)


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def apply(
    found: Iterable[tuple[Diagnostic, Place]], comments: list[Allowance]
) -> tuple[list[tuple[Diagnostic, Place]], set[Allowance]]:
    """The diagnostics that no comment allows, and the comments that allow something.

    Each diagnostic comes with the place of the entry of its dialect.
    """
    kept, used = [], set()
    for diagnostic, entry in found:
        same = [a for a in comments if a.check == diagnostic.check]
        allowing = [a for a in same if a.covers(diagnostic.place) or a.first == entry.line and a.covers(entry)]
        used.update(allowing)
        kept += [] if allowing else [(diagnostic, entry)]
    return kept, used


def mistakes(
    comments: Iterable[Allowance], used: set[Allowance], judged: Callable[[Place], bool]
) -> Iterator[Diagnostic]:
    """The mistakes in the comments themselves.

    An unused one is known only where it is `judged`: all was looked for that it may allow.
    """
    known = pages()
    for comment in comments:
        check = comment.check
        if check not in known:
            message = "expected the name of a check" + f", got `{check}`" * bool(check)
            advice = near(check, known) or "`toolect spec checks` lists them"
            yield warning("unknown-check", message, comment.place, help=advice)
        elif not comment.reason:
            message = f"expected a reason for allowing `{check}`"
            yield warning("allowed-without-reason", message, comment.place, help=f"say why after `{check}`")
        elif comment not in used and judged(comment.place):
            message = f"nothing here is found by `{check}`"
            yield warning("unused-allow", message, comment.place, help="delete the comment")
