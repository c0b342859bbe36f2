"""Dialects of samples for which no tools are declared: those of all samples, of each alone, and of what these read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TypeAlias

from toolect._values.toolset import NO_TOOLS, ToolSchemas, tool_schemas
from toolect.authoring.scaffold.choice import Option, prosaic
from toolect.authoring.scaffold.dialect_draft import Prepared
from toolect.authoring.scaffold.guesses import Guess, guesses, shown
from toolect.authoring.scaffold.induce import Induced, drafts, looks, stripped
from toolect.authoring.scaffold.making import Scaffold, best, grammar_path
from toolect.authoring.scaffold.pasted import Sample
from toolect.authoring.scaffold.trying import current
from toolect.authoring.scaffold.withheld import dropped

MAX_TRIED = 6
"""Drafts that are tried for each guess at the tools. Beyond it: the best of those counts."""
MAX_ALONE = 2
"""Guesses that are tried for each sample alone, and of what was read. Beyond it: the likeliest count."""
CLEAR = 0.6
"""Points that a guess is likelier than the next one, which is then not tried."""

Chosen: TypeAlias = tuple[Option, Scaffold]
"""A dialect, with what speaks for it."""


def undeclared(name: str, samples: Sequence[Sample], spec: Path) -> list[Chosen]:
    """The dialects that samples may be of, the best first; none where no calls are found."""
    options = _options(name, samples, spec)
    if len(samples) > 1 and not any(one.sound for one, _ in options):
        for at in range(len(samples)):
            if current().over:
                break
            options += _options(name, samples, spec, at)
        options += _said_again(name, options, samples, spec)
    return sorted(options, key=lambda one: one[0].rank(), reverse=True)


def _options(name: str, samples: Sequence[Sample], spec: Path, only: int | None = None) -> list[Chosen]:
    """The dialects that guesses at the tools make, of all samples or of `only` one; they are tried on all."""
    ready = _seen(samples, only)
    options = _tried(name, looks(ready), samples, spec, None, only)
    for guess in islice(guesses([one.hidden for one in ready.samples]), None if only is None else MAX_ALONE):
        if current().over or any(one.sound and one.guess.score > guess.score + CLEAR for one, _ in options):
            break
        schemas = tool_schemas(guess.declared)
        options += _tried(name, drafts(_seen(samples, only, schemas), schemas), samples, spec, guess, only)
    return options


def _said_again(name: str, options: Sequence[Chosen], samples: Sequence[Sample], spec: Path) -> list[Chosen]:
    """The dialects of what the best ones read, as if those tools had been declared: some show no keys, or once."""
    found: dict[str, Guess] = {}
    for _, made in sorted(options, key=lambda one: one[0].rank(), reverse=True):
        calls = [call for one in samples for call in made.dialect.parse(one.text).calls if call.runnable]
        if (guess := shown([(call.name, tuple(call.arguments or ())) for call in calls])) is not None:
            found.setdefault(repr(guess.tools), guess)
    again = []
    for guess in islice(found.values(), MAX_ALONE if not current().over else 0):
        schemas = tool_schemas(guess.declared)
        again += _tried(name, drafts(_seen(samples, None, schemas), schemas), samples, spec, guess)
    return again


def _seen(samples: Sequence[Sample], only: int | None, tools: ToolSchemas = NO_TOOLS) -> Prepared:
    """The samples as drafts are made of them, or `only` one."""
    ready = stripped([sample.text for sample in samples], tools)
    return ready if only is None else ready._replace(samples=[ready.samples[only]])


def _tried(
    name: str,
    found: Iterator[Induced],
    samples: Sequence[Sample],
    spec: Path,
    guess: Guess | None,
    only: int | None = None,
) -> list[Chosen]:
    """The best dialect of drafts, if it reads calls."""
    if only is not None:
        found = (one.among(only, len(samples)) for one in found)
    rank, made = best(name, islice(found, MAX_TRIED), samples, spec, None)
    got = [message for message in made.messages if message is not None]
    known = shown([(call.name, tuple(call.arguments or ())) for one in got for call in one.calls])
    if only is not None:
        made = made._replace(doubt=made.doubt or f"how calls are written was seen in {samples[only].title} alone")
        guess = known
    guess = guess or known
    if not made.calls or guess is None:
        return []
    lost = sum(len(value) for sample in samples for value in dropped(made.dialect, sample.text))
    option = Option(guess, made.sound, rank[-1], got, made.files[grammar_path(spec, name)], lost)
    return [] if prosaic(option) else [(option, made)]
