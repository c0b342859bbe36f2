"""A new dialect from what a model wrote: its grammar, its entry and its corpus, induced from samples.

What the samples do not show is not in the grammar, and a case of the corpus that is made up says so. A sample that the
new dialect does not read clean is a case with nothing below it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

from toolect._shown import cut, one_line
from toolect._values.toolset import tool_schemas
from toolect.authoring.scaffold.choice import uncertain
from toolect.authoring.scaffold.completed import completed
from toolect.authoring.scaffold.dialect_draft import Prepared, Stripped
from toolect.authoring.scaffold.draft_entry import variant
from toolect.authoring.scaffold.induce import Induced, drafts, looks, stripped
from toolect.authoring.scaffold.making import VALUES, Scaffold, best, grammar_path, with_corpus
from toolect.authoring.scaffold.pasted import Sample, read
from toolect.authoring.scaffold.told import Told, prepared
from toolect.authoring.scaffold.trying import current, trying
from toolect.authoring.scaffold.undeclared import MAX_TRIED, undeclared
from toolect.authoring.scaffold.withheld import withheld
from toolect.compiled import Dialect
from toolect.message import Content, Json, Message, dumps

MAX_SHOWN = 120
"""Characters of calls that are shown."""
__all__ = ["VALUES", "Sample", "Scaffold", "Told", "known", "like", "scaffold", "scaffold_told", "trying"]


def scaffold(name: str, samples: Sequence[Sample], spec: Path, tools: Sequence[Json] | None = None) -> Scaffold:
    """A dialect induced from samples, to be written in `spec` and beside it: the draft that reads most of them.

    Where no tools are declared they are guessed; of the guesses that read as much the one counts that says the least.
    """
    made = _scaffold(name, samples, spec, tools)
    if made.sound:
        made = made._replace(doubt=withheld(made.dialect, made.files[grammar_path(spec, name)], samples, tools))
    made = completed(made, name, spec, tools)
    if made.sound or not current().over:
        return made
    stopped = f"after {current().seconds:g} s no more ways to read the samples were tried: fewer or shorter ones may do"
    return made._replace(remarks=(*made.remarks, stopped))


def _scaffold(name: str, samples: Sequence[Sample], spec: Path, tools: Sequence[Json] | None) -> Scaffold:
    texts = [sample.text for sample in samples]
    if tools:
        schemas = tool_schemas(tools)
        ready = stripped(texts, schemas)
        rank, made = best(name, chain(drafts(ready, schemas), looks(ready)), samples, spec, tools)
        job = _Job(name, ready, samples, spec, tools)
        if not made.sound:
            rank, made = _without_one(job, rank, made)
        return _of_one(job, rank, made) if made.unread or not made.calls else made
    if options := undeclared(name, samples, spec):
        made = options[0][1]
        return made._replace(doubt=made.doubt or uncertain([one for one, _ in options], texts))
    return best(name, iter(()), samples, spec, None)[1]


class _Job(NamedTuple):
    """What a dialect is induced from, and where it is to be written."""

    name: str
    ready: Prepared
    samples: Sequence[Sample]
    spec: Path
    tools: Sequence[Json]


def _without_one(job: _Job, rank: tuple[int, ...], made: Scaffold) -> tuple[tuple[int, ...], Scaffold]:
    """The dialect of all samples but one, if that reads more of them: what is odd in one of them hides the rest."""
    name, ready, samples, spec, tools = job
    schemas = tool_schemas(tools)
    for i, odd in enumerate(samples if len(samples) > 2 else ()):
        if current().over:
            break
        fewer = ready._replace(samples=[one for k, one in enumerate(ready.samples) if k != i])
        found = (
            Induced(one.draft, [*one.expected[:i], None, *one.expected[i:]] if one.expected is not None else None)
            for one in islice(drafts(fewer, schemas), MAX_TRIED)
        )
        other, another = best(name, found, samples, spec, tools)
        if other > rank:
            rank, made = other, another._replace(doubt=another.doubt or _odd(odd, another.messages[i]))
    return rank, made


def _of_one(job: _Job, rank: tuple[int, ...], made: Scaffold) -> Scaffold:
    """The dialect of one sample alone, if that reads more of them: what is odd in the others hides how they call."""
    name, ready, samples, spec, tools = job
    schemas = tool_schemas(tools)
    for i, sample in enumerate(samples if len(samples) > 1 else ()):
        if current().over:
            break
        alone = ready._replace(samples=[ready.samples[i]])
        found = (one.among(i, len(samples)) for one in islice(chain(drafts(alone, schemas), looks(alone)), MAX_TRIED))
        other, another = best(name, found, samples, spec, tools)
        if other > rank:
            seen = f"how calls are written was seen in {sample.title} alone"
            rank, made = other, another._replace(doubt=another.doubt or seen)
    return made


def _odd(sample: Sample, message: Message | None) -> str:
    """What to look at in the sample that a dialect was induced without."""
    seen = f"how calls are written was seen without {sample.title}"
    if message is None:
        return f"{seen}, which may be of another format: run it without that, or mend the grammar"
    calls = ", ".join(f"`{call.name} {dumps(call.arguments)}`" for call in message.calls)
    said = cut(one_line(calls), MAX_SHOWN) or "no call"
    return f"{seen}, in which it reads {said}: if that is not what it says, run it without that, or mend the grammar"


def scaffold_told(
    name: str, answers: Sequence[Told], spec: Path, tools: Sequence[Json], further: Sequence[Told] = ()
) -> Scaffold:
    """A dialect induced from answers of which it is known what they say; it has to read the further ones, too."""
    ready = prepared(answers)
    samples = [
        Sample(one.title, stripped.text + _end(one, stripped, ready.ends), _tail(one, ready), one.message)
        for one, stripped in zip(answers, ready.samples, strict=True)
    ]
    made = best(name, chain(drafts(ready, tool_schemas(tools)), looks(ready)), samples, spec, tools)[1]
    for one in further:
        if made.sound and read(made.dialect, Sample(one.title, one.text, _tail(one, ready), one.message)) is None:
            return made._replace(doubt=f"{one.title} is not read as it was put in: {cut(one_line(one.text), 100)}")
    return completed(made, name, spec, tools)


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


def like(name: str, base: str, samples: Sequence[Sample], spec: Path) -> Scaffold:
    """A variant of the dialect `base`, to be written in `spec`: its entry, and the samples as its corpus."""
    return with_corpus(name, {spec: variant(name, base, f"Like {base}")}, samples, spec)


def known(dialect: Dialect, samples: Sequence[Sample], tools: Sequence[Json] | None = None) -> bool:
    """True when the dialect reads every sample clean, with a call somewhere, and leaves no marker in the content.

    Beside a call, content that is nothing but signs is one. Where tools are declared, it calls no others: what it takes
    for a call may be what stands around the calls.
    """
    messages = [read(dialect, sample) for sample in samples]
    found = [message for message in messages if message is not None and message.calls]
    if tools and any(call.name not in tool_schemas(tools) for message in found for call in message.calls):
        return False
    texts = [segment.text for message in found for segment in message.segments if isinstance(segment, Content)]
    return all(messages) and bool(found) and not any(map(_SIGNS.fullmatch, texts))


_SIGNS = re.compile(r"\s*(?:[^\w\s]\s*)+")
