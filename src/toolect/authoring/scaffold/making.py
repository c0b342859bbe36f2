"""A draft made a dialect: its files, and what it reads in the samples; of several the one that reads most."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import chain, islice, takewhile
from pathlib import Path
from typing import NamedTuple

from toolect._spec.load import load_spec
from toolect._values.toolset import tool_schemas
from toolect.authoring.corpus import Case, write
from toolect.authoring.lint.subject import corpus_folder
from toolect.authoring.scaffold.choice import calls_unseen
from toolect.authoring.scaffold.dialect_draft import Draft, Expected
from toolect.authoring.scaffold.draft_entry import entry, has_ids
from toolect.authoring.scaffold.draft_grammar import grammar, language_of
from toolect.authoring.scaffold.ids_seen import ids_of
from toolect.authoring.scaffold.induce import Induced
from toolect.authoring.scaffold.nested_values import NESTED
from toolect.authoring.scaffold.overlooked import called_in_content
from toolect.authoring.scaffold.pasted import Sample, cases, read, residue, writes
from toolect.authoring.scaffold.pieces import Hole
from toolect.authoring.scaffold.trials import failed_trial, unshown
from toolect.authoring.scaffold.trying import current
from toolect.authoring.scaffold.withheld import withheld
from toolect.compiled import Dialect
from toolect.diagnostic import SpecError
from toolect.message import Json, Message
from toolect.registry import shipped

VALUES = Path("grammars/values")
"""Where the value languages are, which stand beside the grammar."""
MAX_DRAFTS = 24
"""Drafts that are tried on the samples. Beyond it: the best of those counts."""
MAX_DOUBTED = 4
"""Drafts that read all samples, and are doubted. Beyond it: the best of those counts."""


class Scaffold(NamedTuple):
    """The files of a new dialect by their path, and what the dialect makes of the samples."""

    files: Mapping[Path, str]
    read: int
    """Samples that are read clean."""
    calls: int
    """Calls in them."""
    dialect: Dialect
    """The dialect that the files are."""
    messages: tuple[Message | None, ...] = ()
    """What is read in each sample; None where that is not clean."""
    unread: tuple[str, ...] = ()
    """The titles of samples that are not read clean."""
    left: tuple[str, ...] = ()
    """What stays in the content, and looks like markup."""

    doubt: str = ""
    """What the dialect cannot do though the samples say nothing against it, or do not show."""
    cases: tuple[Case, ...] = ()
    """The samples as cases of the corpus."""
    remarks: tuple[str, ...] = ()
    """What no sample shows, and what was made of it."""
    unwritten: tuple[str, ...] = ()
    """The titles of samples that are not written back as they were, end tokens aside."""

    @property
    def sound(self) -> bool:
        """True when every sample is read as what it was seen to hold, with calls among them."""
        return not self.unread and self.calls > 0 and not self.doubt


def best(
    name: str, found: Iterator[Induced], samples: Sequence[Sample], spec: Path, tools: Sequence[Json] | None
) -> tuple[tuple[int, ...], Scaffold]:
    """The dialect of the draft that reads most samples, after what ranks it."""
    chosen: tuple[tuple[int, ...], Scaffold] | None = None
    further = MAX_DOUBTED
    for one in islice(chain(found, [None]), MAX_DRAFTS):
        if chosen is not None and current().over:
            break
        current().one_more()
        with suppress(SpecError):  # what was found makes no dialect
            made = _induced(name, one, samples, spec, tools)
            shown = one is not None and one.expected is not None
            unseen = sum(message is not None and calls_unseen(message) for message in made.messages)
            rank = (
                made.calls > 0,
                made.read - unseen if made.calls else 0,
                one is not None,
                shown,
                len(samples) == 1 or not made.doubt,
                made.sound or one is None or not _of_json(one.draft),
                2 * len(made.unwritten) <= len(samples),
            )
            if chosen is None or rank > chosen[0]:
                chosen = rank, made
            if made.sound and all(rank) and not unseen:
                break
            further -= bool(made.calls) and not made.unread
            if not further:
                break
    assert chosen is not None  # text without calls always makes one
    return chosen


def _of_json(draft: Draft) -> bool:
    """True where markers are made of the members of an object: a shape would say what they are."""
    texts = (*draft.opener, *draft.call, *draft.divider, *draft.closer)
    return _MEMBER.search("".join("" if isinstance(text, Hole) else text for text in texts)) is not None


_MEMBER = re.compile(r'"[^"\n]{1,60}":')


def _induced(
    name: str, one: Induced | None, samples: Sequence[Sample], spec: Path, tools: Sequence[Json] | None
) -> Scaffold:
    """The files of a draft, and what they make of the samples."""
    draft = one.draft if one is not None else None
    prefixed = [_prefixed(sample, draft) for sample in samples]
    about = _about(draft)
    title = f"{name}: {about}. Induced from {_folder(spec).name}/{name}.txt"
    files = {spec: entry(draft or Draft(), name, about), grammar_path(spec, name): grammar(draft or Draft(), title)}
    elements = draft.arguments.elements if draft is not None and draft.arguments is not None else None
    if elements is not None:
        files[spec.parent / VALUES / f"{NESTED}.lark"] = elements.language()
    elif draft is not None and (language := language_of(draft)):
        for part in _parts(f"{language}.lark"):
            files[spec.parent / VALUES / part] = (shipped().parent / VALUES / part).read_text("utf-8")
    expected = one.expected if one is not None else None
    made = with_corpus(name, files, prefixed, spec, tools, expected)
    if draft is not None and has_ids(draft) and (ids := ids_of(made.messages)) != draft.ids:
        files[spec] = entry(draft._replace(ids=ids), name, about)
        made = with_corpus(name, files, prefixed, spec, tools, expected)
    if draft is not None and draft.arguments is not None and made.calls and not made.unread:
        messages = [message for message in made.messages if message is not None]
        made = made._replace(doubt=made.doubt or unshown(draft.arguments, messages, tools))
    if len(samples) > 1 and made.sound:  # one alone shows too little to choose by that
        made = made._replace(doubt=withheld(made.dialect, files[grammar_path(spec, name)], prefixed, tools))
    ends = draft.end if draft is not None else ()
    unwritten = (sample.title for sample in prefixed if not writes(made.dialect, sample, tools, ends))
    return made._replace(unwritten=tuple(unwritten))


def _parts(name: str) -> Iterator[str]:
    """A value language, and those that it imports."""
    yield name
    text = (shipped().parent / VALUES / name).read_text("utf-8")
    for found in re.finditer(r"^%import \.(\w+)", text, re.MULTILINE):
        yield from _parts(f"{found[1]}.lark")


def _prefixed(sample: Sample, draft: Draft | None) -> Sample:
    """The sample with the end of its prompt, where that has opened the reasoning."""
    thought = draft.thought if draft is not None else None
    if (
        sample.message is not None
        or thought is None
        or not thought.prompted
        or thought.closer.strip() not in sample.text
    ):
        return sample
    return sample if thought.opener.strip() in sample.text else sample._replace(prefix=thought.opener)


def with_corpus(
    name: str,
    files: dict[Path, str],
    samples: Sequence[Sample],
    spec: Path,
    tools: Sequence[Json] | None = None,
    expected: Sequence[Expected | None] | None = None,
) -> Scaffold:
    dialect = _compiled(name, files, spec)
    path = corpus_path(spec, name)
    wanted: Sequence[Expected | None] = expected or [None] * len(samples)
    messages = [read(dialect, sample, tools, want) for sample, want in zip(samples, wanted, strict=True)]
    left = residue(messages, list(tool_schemas(tools)))
    left |= called_in_content([sample.text for sample in samples], messages, tools)
    messages = [None if message and any(part in message.content for part in left) else message for message in messages]
    made = cases(samples, messages, dialect, path)
    files[path] = write(made)
    found = [message for message in messages if message is not None]
    calls = sum(len(message.calls) for message in found)
    unread = tuple(sample.title for sample, message in zip(samples, messages, strict=True) if message is None)
    doubt = "" if unread or not calls else failed_trial(dialect, found, tools)
    return Scaffold(files, len(found), calls, dialect, tuple(messages), unread, tuple(sorted(left)), doubt, tuple(made))


def _compiled(name: str, files: Mapping[Path, str], spec: Path) -> Dialect:
    """The dialect that the files are."""
    return _loaded(
        name, spec.name, tuple((path.relative_to(spec.parent).as_posix(), text) for path, text in files.items())
    )


@lru_cache(MAX_DRAFTS)
def _loaded(name: str, spec: str, files: tuple[tuple[str, str], ...]) -> Dialect:
    with tempfile.TemporaryDirectory() as folder:
        for path, text in files:
            target = Path(folder) / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(text.encode())
        return Dialect(load_spec(Path(folder) / spec, name, shipped()))


def _folder(spec: Path) -> Path:
    """Where the corpus belongs."""
    return corpus_folder(spec) or spec.parent / "corpus"


def corpus_path(spec: Path, name: str) -> Path:
    return _folder(spec) / f"{name}.txt"


def grammar_path(spec: Path, name: str) -> Path:
    return spec.parent / "grammars" / f"{name}.lark"


def _about(draft: Draft | None) -> str:
    """One line about the dialect."""
    if draft is None:
        return "Text without calls, as far as the samples show"
    begins = takewhile(lambda part: not isinstance(part, Hole), (*draft.opener, *draft.call))
    marker = next(iter("".join(begins).split()), "")
    what = "Calls in JSON"
    if draft.arguments:
        what = "Calls with one element per argument"
    elif Hole.CODE in draft.call:
        what = "Calls as in Python"
    return f"{what}, after {marker}" if marker else what
