"""Writing what is read now below the cases of a corpus, and with which attribute a case must say it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from enum import StrEnum
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

import msgspec

from toolect._authoring.corpus import Case, CorpusError, describe, read, write
from toolect._authoring.lint.subject import corpus_folder
from toolect._compiled import Dialect
from toolect._message import Message
from toolect._rendered import RenderError
from toolect._shown import cut
from toolect._spec.load import load_entries, read_entries
from toolect._spec.problems import Problems
from toolect.registry import bases


class Manner(StrEnum):
    """Manner of a case's text, as an attribute declares it; without one it is canonical."""

    CANONICAL = ""
    """Strict mode reads it, and rendering gives it back."""
    PARSE_ONLY = "parse-only"
    """Strict mode reads it, and rendering writes another text."""
    LENIENT = "lenient"
    """Only lenient mode reads it."""
    ERROR = "error"
    """A call in it is not runnable."""


def written(case: Case) -> Manner:
    """Manner that the case declares."""
    return next((m for m in (Manner.ERROR, Manner.LENIENT, Manner.PARSE_ONLY) if case.has(m)), Manner.CANONICAL)


def true(case: Case, message: Message, dialect: Dialect) -> Manner:
    """True manner of the case's text, which is read as `message`."""
    if not all(call.runnable for call in message.calls):
        return Manner.ERROR
    if not message.exact:
        return Manner.LENIENT
    return Manner.CANONICAL if gives_back(case, message, dialect) else Manner.PARSE_ONLY


def gives_back(case: Case, message: Message, dialect: Dialect) -> bool:
    """True when rendering the message gives the text, or the text with what the prompt had begun."""
    try:
        text = str(dialect.render(message, case.options.get("tools")))
    except RenderError:
        return False
    prefix = case.options.get("prefix", "")
    return text == case.text or len(text) > len(case.text) and f"{prefix}{case.text}".endswith(text)


class CaseUpdate(msgspec.Struct, frozen=True):
    """Result for a case, changed or left: a line of a corpus file with a sentence."""

    path: Path
    line: int
    done: str


Accept = Callable[[CaseUpdate], bool]
"""Predicate that accepts a doubtful change."""


def update_corpus(path: Path, only: Sequence[str], accept: Accept) -> Iterator[CaseUpdate]:
    """Write the expectations of cases anew, and the attributes of new ones; each change once its file is written.

    What no case said before is written. What a case says and what does not hold any more, and that a new text is read
    with repairs or written otherwise, is changed if `accept` takes it: a spec may be wrong, and a case right. Cases of
    `:error` get their texts; else they are left, and so is one in which a call cannot be run and that does not say so:
    whether that is right only its author knows. Raises `OSError` when a file cannot be written.
    """
    others = bases(path)
    entries = read_entries(path, Problems())
    folder = corpus_folder(path)
    for loaded in load_entries(path, entries, [name for name in entries if name in only or not only], *others):
        file = folder / f"{loaded.entry.name.text}.txt" if folder is not None else None
        if loaded.spec is None or file is None or not file.exists():
            continue
        try:
            yield from _update(file, read(file), Dialect(loaded.spec), accept)
        except CorpusError as error:
            yield CaseUpdate(file, error.line, f"left as it is: {error.reason}")
        except UnicodeDecodeError:
            yield CaseUpdate(file, 1, "left as it is: expected UTF-8")


class _Proposal(NamedTuple):
    """A case as it could be, what that would do, and why it is in doubt."""

    case: Case
    done: str
    doubt: str = ""


def _update(file: Path, cases: list[Case], dialect: Dialect, accept: Accept) -> Iterator[CaseUpdate]:
    """Bring the cases of one file up to date."""
    now, changes = [], []
    for case in cases:
        new = _Proposal(case, "") if case.has("skip") else _brought_up(case, dialect)
        if new.doubt and not accept(CaseUpdate(file, case.line, f"`{case.title}`: {new.doubt}")):
            new = _Proposal(case, f"left `{case.title}`: {new.doubt}; `--accept` takes that")
        now.append(new.case)
        changes += [CaseUpdate(file, case.line, new.done)] if new.done else []
    text = write(now)
    if now != cases:
        file.write_bytes(text.encode("utf-8"))
    yield from changes


def _brought_up(case: Case, dialect: Dialect) -> _Proposal:
    """The case as it should be, and what is done about it, if anything."""
    try:
        message = dialect.parse(case.text, **case.options)
    except CorpusError as error:
        return _Proposal(case, f"left `{case.title}`: {error.reason}")
    said = describe(message)
    before = _lines(case)
    if before and before == said.splitlines():
        return _Proposal(case, "")
    found = true(case, message, dialect)
    if case.has("error"):
        return _with_texts(case, before, said, found)
    if found is Manner.ERROR:
        status = next(call.status for call in message.calls if not call.runnable)
        advice = f"a call is {status}; if that is right, write `:error {status}`"
        return _Proposal(case, f"left `{case.title}`: {advice}")
    if case.expected.strip():
        new = replace(case, expected=said)
        return _Proposal(new, f"updated `{case.title}`", _difference(before, said) if before else "")
    others = [(key, value) for key, value in case.attributes if key not in Manner.__members__.values()]
    attributes = (*([(found.value, "")] if found else []), *others)
    doubt = f"{REASONS[found]}: `:{found}` would say that this is right" if doubtful(case, found) else ""
    marked = f", marked `:{found}`" if found else ""
    return _Proposal(replace(case, expected=said, attributes=attributes), f"wrote `{case.title}`{marked}", doubt)


def doubtful(case: Case, found: Manner) -> bool:
    """True where a case that says nothing yet, of a text of this manner, is written only with `--accept`."""
    return bool(found) and written(case) is not found


REASONS = {
    Manner.CANONICAL: "strict mode reads the text, and rendering gives it back",
    Manner.PARSE_ONLY: "rendering writes another text",
    Manner.LENIENT: "the text is read with repairs",
    Manner.ERROR: "a call in it cannot be run",
}
"""Why a text is of a manner."""


def _with_texts(case: Case, before: list[str], said: str, found: Manner) -> _Proposal:
    """A case of `:error` with what it leaves out: all, or the texts of its broken calls."""
    plain = [line for line in said.splitlines() if not line.startswith("  text ")]
    if found is Manner.ERROR and f"  status {case.get('error')}" in plain and before in ([], plain):
        return _Proposal(replace(case, expected=said), f"wrote {'the texts of ' if before else ''}`{case.title}`")
    return _Proposal(case, "")


def _difference(before: list[str], said: str) -> str:
    """The first line that is not as it was."""
    for old, new in zip_longest(before, said.splitlines(), fillvalue="nothing"):
        if old != new:
            return f"`{cut(old.strip(), 100)}` would become `{cut(new.strip(), 100)}`"
    return ""


def _lines(case: Case) -> list[str]:
    """Expectation lines of the case; empty where they cannot be understood."""
    try:
        return [line for _, line in case.expectations]
    except CorpusError:
        return []
