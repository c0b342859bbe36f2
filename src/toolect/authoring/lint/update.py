"""Writing what is read now below the cases of a corpus."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from toolect._spec.load import load_entries, read_entries
from toolect._spec.problems import Problems
from toolect.authoring.corpus import Case, CorpusError, describe, read, write
from toolect.authoring.lint.manner import Manner, true
from toolect.authoring.lint.subject import corpus_folder
from toolect.compiled import Dialect
from toolect.registry import shipped


class Change(msgspec.Struct, frozen=True):
    """What was done about a case, or why nothing was: a line of a corpus file with a sentence."""

    path: Path
    line: int
    done: str


def update_corpus(path: Path, only: Sequence[str] = ()) -> Iterator[Change]:
    """Write the expectations of cases anew, and the attributes of new ones; each change once its file is written.

    A case of `:error` is never touched. One in which a call cannot be run, and that does not say so, is left too:
    whether that is right only its author knows. Raises `OSError` when a file cannot be written.
    """
    base = None if path.resolve() == shipped().resolve() else shipped()
    entries = read_entries(path, Problems())
    folder = corpus_folder(path)
    for loaded in load_entries(path, entries, [name for name in entries if name in only or not only], base):
        file = folder / f"{loaded.entry.name.text}.txt" if folder is not None else None
        if loaded.spec is None or file is None or not file.exists():
            continue
        try:
            cases = read(file)
        except CorpusError as error:
            yield Change(file, error.line, f"left as it is: {error.reason}")
            continue
        except UnicodeDecodeError:
            yield Change(file, 1, "left as it is: expected UTF-8")
            continue
        yield from _update(file, cases, Dialect(loaded.spec))


def _update(file: Path, cases: list[Case], dialect: Dialect) -> Iterator[Change]:
    """Bring the cases of one file up to date."""
    now, changes = [], []
    for case in cases:
        new, done = (case, "") if case.has("error") or case.has("skip") else _brought_up(case, dialect)
        now.append(new)
        changes += [Change(file, case.line, done)] if done else []
    text = write(now)
    if now != cases:
        file.write_bytes(text.encode("utf-8"))
    yield from changes


def _brought_up(case: Case, dialect: Dialect) -> tuple[Case, str]:
    """The case as it should be, and what is done about it, if anything."""
    try:
        message = dialect.parse(case.text, **case.options)
    except CorpusError as error:
        return case, f"left `{case.title}`: {error.reason}"
    said = describe(message)
    if case.expected.strip() and _says(case, said):
        return case, ""
    found = true(case, message, dialect)
    if found is Manner.ERROR:
        status = next(call.status for call in message.calls if not call.runnable)
        return (
            case,
            f"left `{case.title}`: a call is {status}; if that is right, write `:error {status}` and what is read",
        )
    if case.expected.strip():
        return replace(case, expected=said), f"updated `{case.title}`"
    others = [(key, value) for key, value in case.attributes if key not in Manner.__members__.values()]
    attributes = (*([(found.value, "")] if found else []), *others)
    marked = f", marked `:{found}`" if found else ""
    return replace(case, expected=said, attributes=attributes), f"wrote `{case.title}`{marked}"


def _says(case: Case, said: str) -> bool:
    """True when the case says this already; not if it cannot be understood."""
    try:
        return [line for _, line in case.expectations] == said.splitlines()
    except CorpusError:
        return False
