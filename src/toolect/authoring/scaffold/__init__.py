"""A new dialect from what a model wrote: its grammar, its entry and its corpus, induced from samples.

Nothing is made up: what the samples do not show is not in the files, and a sample that the new dialect does not read
clean is a case of its corpus with nothing below it.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import chain, islice, takewhile
from pathlib import Path
from typing import NamedTuple

from toolect._shown import cut, one_line
from toolect._spec.load import load_spec
from toolect._values.toolset import tool_schemas
from toolect.authoring.lint.subject import corpus_folder
from toolect.authoring.scaffold.choice import Option, prosaic, uncertain
from toolect.authoring.scaffold.dialect_draft import Draft, Expected, Prepared, Stripped
from toolect.authoring.scaffold.draft_entry import entry, variant
from toolect.authoring.scaffold.draft_grammar import grammar, language_of
from toolect.authoring.scaffold.guesses import Guess, guesses, shown
from toolect.authoring.scaffold.induce import Induced, drafts, looks, stripped
from toolect.authoring.scaffold.pasted import Sample, corpus, read, residue, writes
from toolect.authoring.scaffold.pieces import Hole
from toolect.authoring.scaffold.told import Told, prepared
from toolect.authoring.scaffold.trials import failed_trial, unshown
from toolect.compiled import Dialect
from toolect.diagnostic import SpecError
from toolect.message import Json, Message
from toolect.registry import shipped

__all__ = ["Sample", "Scaffold", "Told", "known", "like", "scaffold", "scaffold_told"]

VALUES = Path("grammars/values")
"""Where the value languages are, which stand beside the grammar."""
MAX_DRAFTS = 24
"""Drafts that are tried on the samples. Beyond it: the best of those counts."""
MAX_TRIED = 6
"""Drafts that are tried for each guess at the tools. Beyond it: the best of those counts."""
CLEAR = 0.6
"""Points that a guess is likelier than the next one, which is then not tried."""


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

    @property
    def sound(self) -> bool:
        """True when every sample is read as what it was seen to hold, with calls among them."""
        return not self.unread and self.calls > 0 and not self.doubt


def scaffold(name: str, samples: Sequence[Sample], spec: Path, tools: Sequence[Json] | None = None) -> Scaffold:
    """A dialect induced from samples, to be written in `spec` and beside it: the draft that reads most of them.

    Where no tools are declared they are guessed; of the guesses that read as much the one counts that says the least.
    """
    texts = [sample.text for sample in samples]
    if tools:
        schemas = tool_schemas(tools)
        ready = stripped(texts, schemas)
        rank, made = _best(name, chain(drafts(ready, schemas), looks(ready)), samples, spec, tools)
        return made if made.sound else _without_one(name, ready, rank, made, samples, spec, tools)
    ready = stripped(texts)
    plain = _best(name, iter(()), samples, spec, None)[1]
    options: list[tuple[Option, Scaffold]] = []

    def tried(found: Iterator[Induced], guess: Guess | None) -> None:
        rank, made = _best(name, islice(found, MAX_TRIED), samples, spec, None)
        got = [message for message in made.messages if message is not None]
        guess = guess or shown([(call.name, tuple(call.arguments or ())) for one in got for call in one.calls])
        if made.calls and guess is not None:
            options.append((Option(guess, made.sound, rank[-1], got, made.files[_grammar(spec, name)]), made))

    tried(looks(ready), None)
    for guess in guesses([one.hidden for one in ready.samples]):
        if any(one.sound and one.guess.score > guess.score + CLEAR for one, _ in options):
            break
        schemas = tool_schemas(guess.declared)
        tried(drafts(stripped(texts, schemas), schemas), guess)
    options = [one for one in options if not prosaic(one[0])]
    if not options:
        return plain
    options.sort(key=lambda one: one[0].rank(), reverse=True)
    made = options[0][1]
    return made._replace(doubt=made.doubt or uncertain([one for one, _ in options]))


def _without_one(
    name: str,
    ready: Prepared,
    rank: tuple[int, ...],
    made: Scaffold,
    samples: Sequence[Sample],
    spec: Path,
    tools: Sequence[Json],
) -> Scaffold:
    """The dialect of all samples but one, if that reads more of them: what is odd in one of them hides the rest."""
    schemas = tool_schemas(tools)
    for i, odd in enumerate(samples if len(samples) > 2 else ()):
        fewer = ready._replace(samples=[one for k, one in enumerate(ready.samples) if k != i])
        found = (
            Induced(one.draft, [*one.expected[:i], None, *one.expected[i:]] if one.expected is not None else None)
            for one in islice(drafts(fewer, schemas), MAX_TRIED)
        )
        other, another = _best(name, found, samples, spec, tools)
        if other > rank:
            doubt = another.doubt or f"how calls are written was seen without {odd.title}: look at what is read there"
            rank, made = other, another._replace(doubt=doubt)
    return made


def scaffold_told(
    name: str, answers: Sequence[Told], spec: Path, tools: Sequence[Json], further: Sequence[Told] = ()
) -> Scaffold:
    """A dialect induced from answers of which it is known what they say; it has to read the further ones, too."""
    ready = prepared(answers)
    samples = [
        Sample(one.title, stripped.text + _end(one, stripped, ready.ends), _tail(one, ready), one.message)
        for one, stripped in zip(answers, ready.samples, strict=True)
    ]
    made = _best(name, chain(drafts(ready, tool_schemas(tools)), looks(ready)), samples, spec, tools)[1]
    for one in further:
        if made.sound and read(made.dialect, Sample(one.title, one.text, _tail(one, ready), one.message)) is None:
            return made._replace(doubt=f"{one.title} is not read as it was put in: {cut(one_line(one.text), 100)}")
    return made


def _end(told: Told, stripped: Stripped, ends: Sequence[str]) -> str:
    """The end token of an answer that calls nothing: so the samples show that it ends one."""
    at = len(stripped.text)
    return next((end for end in ends if told.text.startswith(end, at)), "") if not told.message.calls else ""


def _tail(told: Told, ready: Prepared) -> str:
    """The end of the prompt that opens the reasoning of an answer."""
    thought = ready.thought
    if thought is None or not thought.prompted:
        return ""
    return thought.opener if told.message.reasoning and told.message.reasoning in told.text else ""


def _best(
    name: str, found: Iterator[Induced], samples: Sequence[Sample], spec: Path, tools: Sequence[Json] | None
) -> tuple[tuple[int, ...], Scaffold]:
    """The dialect of the draft that reads most samples, after what ranks it."""
    best: tuple[tuple[int, ...], Scaffold] | None = None
    for one in islice(chain(found, [None]), MAX_DRAFTS):
        with suppress(SpecError):  # what was found makes no dialect
            made, written = _induced(name, one, samples, spec, tools)
            shown = one is not None and one.expected is not None
            rank = (made.calls > 0, made.read if made.calls else 0, one is not None, shown, 2 * written >= len(samples))
            if best is None or rank > best[0]:
                best = rank, made
            if made.sound and all(rank):
                break
    assert best is not None  # text without calls always makes one
    return best


def _induced(
    name: str, one: Induced | None, samples: Sequence[Sample], spec: Path, tools: Sequence[Json] | None
) -> tuple[Scaffold, int]:
    """The files of a draft, and how many samples it writes as they are."""
    draft = one.draft if one is not None else None
    prefixed = [_prefixed(sample, draft) for sample in samples]
    about = _about(draft)
    title = f"{name}: {about}. Induced from {_folder(spec).name}/{name}.txt"
    files = {spec: entry(draft or Draft(), name, about), _grammar(spec, name): grammar(draft or Draft(), title)}
    if draft is not None and (language := language_of(draft)):
        for part in _parts(f"{language}.lark"):
            files[spec.parent / VALUES / part] = (shipped().parent / VALUES / part).read_text("utf-8")
    made = _with_corpus(name, files, prefixed, spec, tools, one.expected if one is not None else None)
    if draft is not None and draft.arguments is not None and made.calls and not made.unread:
        messages = [message for message in made.messages if message is not None]
        made = made._replace(doubt=made.doubt or unshown(draft.arguments, messages, tools))
    ends = draft.end if draft is not None else ()
    return made, sum(writes(made.dialect, sample, tools, ends) for sample in prefixed)


def _parts(name: str) -> Iterator[str]:
    """A value language, and those that it imports."""
    yield name
    text = (shipped().parent / VALUES / name).read_text("utf-8")
    for found in re.finditer(r"^%import \.(\w+)", text, re.MULTILINE):
        yield from _parts(f"{found[1]}.lark")


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
    if (
        sample.message is not None
        or thought is None
        or not thought.prompted
        or thought.closer.strip() not in sample.text
    ):
        return sample
    return sample if thought.opener.strip() in sample.text else sample._replace(prefix=thought.opener)


def _with_corpus(
    name: str,
    files: dict[Path, str],
    samples: Sequence[Sample],
    spec: Path,
    tools: Sequence[Json] | None = None,
    expected: Sequence[Expected | None] | None = None,
) -> Scaffold:
    dialect = _compiled(name, files, spec)
    path = _folder(spec) / f"{name}.txt"
    wanted: Sequence[Expected | None] = expected or [None] * len(samples)
    messages = [read(dialect, sample, tools, want) for sample, want in zip(samples, wanted, strict=True)]
    left = residue(messages, list(tool_schemas(tools)))
    messages = [None if message and any(part in message.content for part in left) else message for message in messages]
    files[path] = corpus(samples, messages, dialect, path)
    found = [message for message in messages if message is not None]
    calls = sum(len(message.calls) for message in found)
    unread = tuple(sample.title for sample, message in zip(samples, messages, strict=True) if message is None)
    doubt = "" if unread or not calls else failed_trial(dialect, found, tools)
    return Scaffold(files, len(found), calls, dialect, tuple(messages), unread, tuple(sorted(left)), doubt)


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


def _grammar(spec: Path, name: str) -> Path:
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
