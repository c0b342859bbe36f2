"""Holds dialects against chat templates: is every assistant turn read exactly, and written again byte for byte?

    python -m tools.conformance.chat_templates [FILE]... [--corpus CORPUS_DIR] [--dialect NAME]
        [--differences] [--markdown]

FILE is a chat template, as a jinja file or a tokenizer_config.json. It renders the probe conversations of
src/toolect/chat_template, in the sandbox; the dialect is the one that does best, unless one is named. CORPUS_DIR
holds a template.jsonl with turns that real templates rendered, each with its dialect.

A turn counts as read when calls, content and reasoning are those that were put in, outer whitespace of texts aside. It
counts as written when rendering what was read gives the turn back; the end token, and what of the turn the prompt
holds already, may differ. It counts as spaced when no more than whitespace differs. Exit code 0: every turn was read.
1: some were not, or a file is no template.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

from toolect import registry
from toolect._message import Call, Content, Json, Message, Reasoning, Segment
from toolect.chat_template import (
    Difference,
    TemplateError,
    Turn,
    Verdict,
    judge,
    marked,
    read_template,
    turns,
    verdicts,
)

T = TypeVar("T")
AROUND = 24
"""Characters shown on either side of a difference."""


class Wanted(msgspec.Struct):
    """A call that was put in."""

    name: str
    arguments: Json


class Expect(msgspec.Struct):
    """What was put in."""

    content: str
    reasoning: str
    calls: list[Wanted]


class Case(msgspec.Struct):
    """A turn that a real template rendered."""

    id: str
    dialect: str
    model: str
    text: str
    generation_prompt: str
    tools: Json
    expect: Expect

    def turn(self) -> Turn:
        """The case as a turn."""
        segments: list[Segment] = [Reasoning(self.expect.reasoning)] if self.expect.reasoning else []
        segments += [Content(self.expect.content)] if self.expect.content else []
        segments += [Call(call.name, call.arguments) for call in self.expect.calls]
        return Turn(self.id.partition("#")[2], self.generation_prompt, self.text, Message(segments))


def corpus(path: Path) -> Iterator[tuple[str, Verdict]]:
    """How each dialect does on the turns of each template in the corpus."""
    grouped: dict[tuple[str, str], list[Case]] = {}
    for line in path.read_bytes().splitlines():
        case = msgspec.json.decode(line, type=Case)
        grouped.setdefault((case.model, case.dialect), []).append(case)
    for (model, name), cases in sorted(grouped.items()):
        if name in registry.dialects():
            yield model, judge(registry.dialect(name), [case.turn() for case in cases], cases[0].tools)


def file(path: Path, name: str | None) -> Verdict:
    """How the named dialect, or the best one, does on the turns that the template writes. Raises TemplateError."""
    styles = turns(read_template(path))
    found = verdicts([registry.dialect(name)] if name else marked(styles), styles)
    if not found:
        raise TemplateError(f"expected a template of a known dialect, got turns that none reads: {styles[0][0].text!r}")
    return found[0]


def each(paths: Sequence[Path], look: Callable[[Path], T]) -> tuple[list[T], bool]:
    """What `look` makes of each file, and whether one of them is no template, which is said."""
    rows, bad = [], False
    for path in paths:
        try:
            rows.append(look(path))
        except (TemplateError, OSError) as error:
            bad = True
            print(f"{path.name}: {error}", file=sys.stderr)
    return rows, bad


def shown(difference: Difference) -> Iterator[str]:
    """A difference in lines: what differs, then both texts around the place."""
    yield f"    {difference.probe}: {difference.what}"
    for title, text in (("template", difference.template), ("dialect", difference.dialect)):
        if difference.template or difference.dialect:
            before = text[max(0, difference.at - AROUND) : difference.at]
            after = text[difference.at : difference.at + AROUND]
            yield f"      {title:>8} {before!r} | {after!r}"


def report(rows: Sequence[tuple[str, Verdict]], differences: bool, markdown: bool) -> Iterator[str]:
    """The table of all templates, with a line of sums."""
    if markdown:
        yield from ("| template | dialect | turns | read | written | spaced |", "| --- | --- | --: | --: | --: | --: |")
    for model, verdict in rows:
        yield _row((model, verdict.dialect, verdict.turns, verdict.read, verdict.written, verdict.spaced), markdown)
        for difference in verdict.differences if differences else ():
            yield from shown(difference)
    sums = [sum(getattr(verdict, field) for _, verdict in rows) for field in ("turns", "read", "written", "spaced")]
    yield _row((f"{len(rows)} templates", "", *sums), markdown)


def _row(cells: Sequence[object], markdown: bool) -> str:
    if markdown:
        return "| " + " | ".join(map(str, cells)) + " |"
    return "{:<52} {:<18} {:>5} {:>5} {:>5} {:>5}".format(*cells)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the tool; the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE", help="chat templates")
    parser.add_argument("--corpus", type=Path, metavar="DIR", help="a folder with template.jsonl")
    parser.add_argument("--dialect", help="the dialect to hold the files against")
    parser.add_argument("--differences", action="store_true", help="show where turns differ")
    parser.add_argument("--markdown", action="store_true", help="print a table for the documentation")
    options = parser.parse_args(arguments)
    found, bad = each(options.files, lambda path: (path.name.removesuffix(".jinja"), file(path, options.dialect)))
    rows = [*(corpus(options.corpus / "template.jsonl") if options.corpus else ()), *found]
    print("\n".join(report(rows, options.differences, options.markdown)))
    return int(bad or any(verdict.read < verdict.turns for _, verdict in rows))


if __name__ == "__main__":
    sys.exit(main())
