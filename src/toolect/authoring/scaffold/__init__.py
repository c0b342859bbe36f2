"""A new dialect from what a model wrote: its grammar, its entry and its corpus, induced from samples.

Nothing is made up: what the samples do not show is not in the files, and a sample that the new dialect does not read
clean is a case of its corpus with nothing below it.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from toolect._spec.load import load_spec
from toolect.authoring.lint.subject import corpus_folder
from toolect.authoring.scaffold.draft_files import Sample, corpus, entry, grammar, read, variant
from toolect.authoring.scaffold.induce import Draft, induce
from toolect.authoring.scaffold.pieces import Hole
from toolect.compiled import Dialect
from toolect.diagnostic import SpecError
from toolect.registry import shipped

__all__ = ["Sample", "Scaffold", "known", "like", "scaffold"]

PYTHON = "values/python.lark"
"""The value language of calls that are code, which stands beside the grammar."""


class Scaffold(NamedTuple):
    """The files of a new dialect by their path, and what the dialect makes of the samples."""

    files: Mapping[Path, str]
    read: int
    """Samples that are read clean."""
    calls: int
    """Calls in them."""


def scaffold(name: str, samples: Sequence[Sample], spec: Path) -> Scaffold:
    """A dialect induced from samples, to be written in `spec` and beside it: the draft that reads most of them."""
    drafts: list[Draft | None] = [*induce([sample.text for sample in samples]), None]
    made: list[Scaffold] = []
    for draft in drafts:
        with suppress(SpecError):  # what was found makes no dialect
            made.append(_induced(name, draft, samples, spec))
        if made and made[0].read == len(samples) and made[0].calls:
            break
    return max(made, key=lambda one: (one.calls > 0, one.read))


def _induced(name: str, draft: Draft | None, samples: Sequence[Sample], spec: Path) -> Scaffold:
    prefixed = [_prefixed(sample, draft) for sample in samples]
    about = _about(draft)
    title = f"{name}: {about}. Induced from {_folder(spec).name}/{name}.txt"
    files = {spec: entry(draft or Draft(), name, about), _grammar(spec, name): grammar(draft or Draft(), title)}
    if draft is not None and Hole.CODE in draft.call:
        files[spec.parent / "grammars" / PYTHON] = (shipped().parent / "grammars" / PYTHON).read_text("utf-8")
    return _with_corpus(name, files, prefixed, spec)


def like(name: str, base: str, samples: Sequence[Sample], spec: Path) -> Scaffold:
    """A variant of the dialect `base`, to be written in `spec`: its entry, and the samples as its corpus."""
    return _with_corpus(name, {spec: variant(name, base, f"Like {base}")}, samples, spec)


def known(dialect: Dialect, samples: Sequence[Sample]) -> bool:
    """True when the dialect reads every sample clean, with a call somewhere, and leaves no marker in the content."""
    messages = [read(dialect, sample) for sample in samples]
    return all(messages) and any(message.calls for message in messages if message)


def _prefixed(sample: Sample, draft: Draft | None) -> Sample:
    """The sample with the end of its prompt, where that has opened the reasoning."""
    thought = draft.thought if draft is not None else None
    if thought is None or not thought.prompted or thought.closer.strip() not in sample.text:
        return sample
    return sample if thought.opener.strip() in sample.text else sample._replace(prefix=thought.opener)


def _with_corpus(name: str, files: dict[Path, str], samples: Sequence[Sample], spec: Path) -> Scaffold:
    dialect = _compiled(name, files, spec)
    path = _folder(spec) / f"{name}.txt"
    messages = [message for message in (read(dialect, sample) for sample in samples) if message]
    files[path] = corpus(dialect, samples, path)
    return Scaffold(files, len(messages), sum(len(message.calls) for message in messages))


def _compiled(name: str, files: Mapping[Path, str], spec: Path) -> Dialect:
    """The dialect that the files are."""
    with tempfile.TemporaryDirectory() as folder:
        for path, text in files.items():
            target = Path(folder) / path.relative_to(spec.parent)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(text.encode())
        return Dialect(load_spec(Path(folder) / spec.name, name, shipped()))


def _folder(spec: Path) -> Path:
    """Where the corpus belongs."""
    return corpus_folder(spec) or spec.parent / "corpus"


def _grammar(spec: Path, name: str) -> Path:
    return spec.parent / "grammars" / f"{name}.lark"


def _about(draft: Draft | None) -> str:
    """One line about the dialect."""
    if draft is None:
        return "Text without calls, as far as the samples show"
    marker = next(
        (part.strip() for part in (*draft.opener, *draft.call) if not isinstance(part, Hole) and part.strip()), ""
    )
    what = "Calls in JSON"
    if draft.arguments:
        what = "Calls with one element per argument"
    elif Hole.CODE in draft.call:
        what = "Calls as in Python"
    return f"{what}, after {marker}" if marker else what
