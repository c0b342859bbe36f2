"""Writing what is read now below the cases of a corpus."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from toolect.compiled import Dialect
from toolect.corpus import Case, describe, normal, read, update
from toolect.lint.subject import corpus_folder
from toolect.registry import shipped
from toolect.spec.load import load_entries, read_entries
from toolect.spec.problems import Problems


def update_corpus(path: Path, only: Sequence[str] = ()) -> Iterator[Case]:
    """The cases whose expectations were written anew; those marked `:error` are never touched."""
    base = None if path.resolve() == shipped().resolve() else shipped()
    entries = read_entries(path, Problems())
    folder = corpus_folder(path)
    for loaded in load_entries(path, entries, [name for name in entries if name in only or not only], base):
        file = folder / f"{loaded.entry.name.text}.txt" if folder is not None else None
        if loaded.spec is None or file is None or not file.exists():
            continue
        dialect = Dialect(loaded.spec)
        for case in read(file):
            if case.has("error") or case.has("skip"):
                continue
            said = describe(dialect.parse(case.text, **case.options))
            if said != normal(case.expected):
                update(case, said)
                yield case
