"""Which words of the answers are names of tools and keys of arguments: as options, or asked for on a terminal."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from toolect._shown import alike, counted, cut, one_line
from toolect.rendered import Unrepresentable

if TYPE_CHECKING:
    from toolect.authoring.scaffold import Sample, Scaffold
    from toolect.message import Json

MAX_SHOWN = 24
"""Characters of two texts that are shown from where they differ."""


def worded(names: Sequence[str], keys: Sequence[str]) -> list[Json]:
    """Tools of these names, each with all the keys as parameters of which nothing more is known."""
    properties: dict[str, Json] = {key: {} for key in keys}
    return [{"name": name, "parameters": {"type": "object", "properties": properties}} for name in names]


def asks() -> bool:
    """True on a terminal, where somebody can answer."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def asked(made: Scaffold) -> tuple[list[str], list[str]] | None:
    """The names and the keys as somebody says who is shown what was found; None if that is right."""
    calls = [call for message in made.messages if message is not None for call in message.calls]
    names = list(dict.fromkeys(call.name for call in calls))
    keys = list(dict.fromkeys(key for call in calls for key in call.arguments or ()))
    if names and _right("Are these the names of the tools that are called", names):
        if not keys or _right("Are these the keys of their arguments", keys):
            return None
    else:
        names = _words("Which tools are called in the answers")
    return names, _words("What are the keys of their arguments")


def _right(question: str, words: Sequence[str]) -> bool:
    return click.confirm(f"{question}: {', '.join(map(one_line, words))}?", default=True, err=True)


def _words(question: str) -> list[str]:
    text: str = click.prompt(f"{question}? (words with blanks between them)", default="", show_default=False, err=True)
    return text.replace(",", " ").split()


def written_back(made: Scaffold, samples: Sequence[Sample], tools: Sequence[Json]) -> Iterator[str]:
    """How many samples are not written as they were, and where that shows first."""
    from toolect.authoring.scaffold.not_read import place

    read = [sample for sample in samples if sample.title not in made.unread]
    ended, other = 0, []
    for sample in (sample for sample in read if sample.title in made.unwritten and made.calls):
        with suppress(Unrepresentable):
            message = made.dialect.parse(sample.text, tools, prefix=sample.prefix)
            written = str(made.dialect.render(message, tools))
            ended += sample.text == f"{written}\n"
            other += [(sample, written)] if sample.text not in (written, f"{written}\n") else []
    count = counted(len(samples), "sample")
    if other:
        sample, written = other[0]
        at = alike(sample.text, written)
        got, there = (_from(text, at) for text in (written, sample.text))
        yield f"{len(read) - len(other)} of {count} would be written as they are"
        yield f"in {sample.title} it would write {got} for {there} {place(sample.text, at)}"
    if ended > 1:  # one alone is what an editor adds
        yield f"the newline at the end of {ended} of {count} would not be written"


def _from(text: str, at: int) -> str:
    return f"`{cut(one_line(text[at:]), MAX_SHOWN)}`" if text[at:] else "nothing"


def shortcomings(made: Scaffold, samples: Sequence[Sample], spec: Path, declared: Sequence[Json]) -> Iterator[str]:
    """What was not understood, and what to write by hand."""
    from toolect._values.toolset import tool_schemas
    from toolect.authoring.scaffold.not_read import why_unread

    tools = list(tool_schemas(declared))
    grammar = spec.parent / "grammars"
    if not made.calls and not any(made.dialect.parse(sample.text, declared).calls for sample in samples):
        yield f"found no call in {counted(len(samples), 'sample')}" + ("" if tools else _HINT)
        named = next(_named(samples, tools), None)
        if tools and named is None:
            yield f"none of the tools is named in them: expected `{tools[0]}` or another name of --tools in a call"
        if named is not None:
            yield f"`{named[0]}` is named in {named[1]}: the text around it is"
            yield f"    {one_line(named[2])}"
        yield f"write by hand, in {grammar}: what stands around a call, its name, and one argument, such as"
        yield '    call: "<call>" NAME "\\n" argument* "</call>"'
        yield '    argument: KEY ": " TEXT "\\n"'
        yield f"and what they mean in {spec}: docs/guide/tutorial.md shows it step by step"
        return
    if made.doubt:
        yield made.doubt
    unread = [sample for sample in samples if sample.title in made.unread]
    for sample in unread:
        yield f"{sample.title} is not read: {why_unread(made.dialect, sample, made.left, declared)}"
    if unread:
        yield f"nothing stands below {'it' if len(unread) == 1 else 'them'} in the corpus: write there what is said"
    if made.left:
        shown = ", ".join(f"`{one_line(part)}`" for part in made.left)
        told = "" if tools else f"; or{_HINT[1:]}"
        yield f"{shown} would stay in the content: if it is markup, write it into the grammar, in {grammar}{told}"


_HINT = ": say with --tools, or with --name and --key, which words are names and keys"


def _named(samples: Sequence[Sample], tools: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """A tool, the sample that names it, and the text there."""
    for sample in samples:
        for tool in tools:
            match = re.search(rf"(?<!\w){re.escape(tool)}(?!\w)", sample.text)
            if match:
                yield tool, sample.title, sample.text[max(0, match.start() - 30) : match.end() + 40]
