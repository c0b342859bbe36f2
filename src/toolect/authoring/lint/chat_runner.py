"""Running the checks of chats: over one chat or all of a file, in one process or several."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from toolect import registry
from toolect._chats.chat_registry import bases
from toolect._spec.chat_load import load_chat_entries, read_chat_entries
from toolect._spec.chat_model import ChatSpec
from toolect._spec.document import read_text
from toolect._spec.entry import Entry, Loaded
from toolect._spec.problems import Problems
from toolect.authoring.lint import catalogue
from toolect.authoring.lint.allowed import allowances, apply, mistakes
from toolect.authoring.lint.chat_subject import ChatSubject
from toolect.authoring.lint.checking import each, guarded
from toolect.authoring.lint.folding import folded
from toolect.authoring.lint.lint_report import Report
from toolect.diagnostic import Place, Severity


class _Work(msgspec.Struct, frozen=True):
    """What all chats of a run share."""

    path: Path
    bases: tuple[Path, ...]
    checks: tuple[str, ...]
    entries: dict[str, Entry]

    def look(self, name: str) -> Loaded[ChatSpec]:
        """Load one chat and run the checks on it: what came of it, with all that was found."""
        (loaded,) = load_chat_entries(self.path, self.entries, [name], *self.bases, known=registry.resolve)
        if loaded.spec is None:
            return loaded
        subject = ChatSubject(self.path, loaded, self.entries, self.bases)
        checks = [catalogue.find(name) for name in self.checks]
        found = [d for check in checks for d in guarded(check.name, check.chat, subject, subject.place)]
        return msgspec.structs.replace(loaded, found=(*loaded.found, *found))


def lint_chats(
    path: Path, only: Sequence[str], checks: Sequence[str], jobs: int, told: Callable[[int, int], None]
) -> Report:
    """What the checks find in a file of chats and the grammars beside it; the parameters are those of `lint`."""
    problems = Problems()
    entries = read_chat_entries(path, problems)
    chosen = [name for name in entries if name in only or not only]
    run_all = not checks or "unused-allow" in checks
    wanted = [name for name in catalogue.names() if (run_all or name in checks) and catalogue.find(name).chat]
    work = _Work(path, bases(path), tuple(wanted), entries)
    results: list[Loaded[ChatSpec]] = []
    told(0, len(chosen))
    for result in each(work.look, chosen, jobs):
        results.append(result)
        told(len(results), len(chosen))
    top = Place(str(path), 0, 0)
    found = [(d, top) for d in problems.found]
    found += [(d, one.entry.name.place) for one in results for d in one.found]
    files = dict.fromkeys([str(path), *(str(one.grammar) for one in results)])
    comments = [a for file in files for a in allowances(file, read_text(Path(file), Problems(), "missing-spec") or "")]
    kept, used = apply(found, comments)
    loaded = all(one.spec is not None for one in results) and not only
    kept += [(d, d.place) for d in mistakes(comments, used, run_all and loaded)]
    if checks:
        kept = [(d, entry) for d, entry in kept if d.check in checks or d.severity is Severity.ERROR]
    return Report(tuple(folded((d, _about(entry)) for d, entry in kept)), tuple(chosen))


def _about(entry: Place) -> str:
    """The chat that a finding is about: where its entry begins; empty for none."""
    return f"{entry.path}:{entry.line}" if entry.line else ""
