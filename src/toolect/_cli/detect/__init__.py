"""`toolect detect`: the dialects that a text, or a model, may speak."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import click
import msgspec

import toolect
from toolect import registry
from toolect._cli._shared import shared_options as shared
from toolect._cli._shared.drawing import KEY, LABEL, NAME, PLAIN, QUIET, STATUS, Pen, Styled, bar, entries
from toolect._cli._shared.io import Misuse, emit_json, note, read
from toolect._cli.detect.by_template import held
from toolect._message import Json
from toolect._shown import counted, one_line

if TYPE_CHECKING:
    from toolect._detection.ranking import Detection

ALL = 1000
"""More results than there can be."""
NEARLY = 0.9
"""How well, compared with the best one, a dialect fits that might as well be it."""
SHOWN = 6
"""Markers, and names of dialects, that are shown of one result."""


@click.command()
@shared.given_file_argument
@click.option(
    "--model", metavar="ID",
    help="Tell which dialect a model id leads to, and why; with FILE, also what the text says to that.",
)  # fmt: skip
@click.option(
    "--template",
    metavar="FILE",
    help="Tell instead which dialects read and write what this chat template writes: a jinja file, or a"
    " tokenizer_config.json.",
)
@shared.tools_option
@shared.prefix_option
@click.option(
    "--limit", type=click.IntRange(min=1), default=5, show_default=True, metavar="N", help="Results to show at most."
)
@click.option("--json", "as_json", is_flag=True, help="Write one JSON object a result.")
@shared.many_options
@shared.field_option
@shared.spec_option
@shared.max_bytes_option
def command(
    file: str | None,
    model: str | None,
    template: str | None,
    tools: list[Json] | None,
    prefix: str,
    limit: int,
    as_json: bool,
    jsonl: bool | None,
    jobs: int | None,
    field: str,
    max_bytes: int,
) -> int:
    """Tell which dialects a model's output may be in.

    The likeliest comes first, each with what speaks for it and against it. Every dialect that the text has marks of is
    tried on it. Those that read it alike are one result: nothing in the text tells them apart. Of files of many
    messages, .jsonl and .parquet, the best result of each is written beside its other columns.

    With FILE and --model, the dialect of the model comes first where the text does not speak against it.
    """
    if model is not None and template is not None:
        raise Misuse("expected --model or --template, got both: give one of them")
    if template is not None:
        return held(template, limit, as_json, max_bytes)
    if file is None and model is not None:
        return _model(model, as_json)
    file = file or "-"
    named = None if model is None else _named(model)
    if shared.reads_many(file, jsonl):
        from toolect._cli._shared.many import each

        return each(file, max_bytes, partial(_record, named, {"tools": tools, "prefix": prefix}, field), jobs)
    found = _with_model(toolect.detect(read(file, max_bytes), tools, max(limit, ALL), prefix), named)[:limit]
    if not found:
        note("no dialect has left a mark in this text")
        return _model(model, as_json) if model is not None and named is not None else 1
    if as_json:
        for result in found:
            emit_json({**msgspec.to_builtins(result), **({"model": result.dialect == named} if named else {})})
    else:
        Pen().write(_drawn(found, named))
    return 0


def _named(model: str) -> str | None:
    """The dialect that a model id leads to; where there is none, a note says so."""
    try:
        return registry.match(model).dialect
    except toolect.UnknownNameError as error:
        note(f"{error}: the text alone counts")
        return None


def _with_model(found: tuple[Detection, ...], named: str | None) -> tuple[Detection, ...]:
    """The results; that of the model's dialect is the first if it fits almost as well as any."""
    for result in found:
        if named in result.dialects:
            names = tuple(name for name in result.dialects if name != named)
            mine = msgspec.structs.replace(result, dialect=named, same=names)
            others = [other for other in found if other is not result]
            if mine.score >= NEARLY * found[0].score:
                return (mine, *others)
            return tuple(mine if other is result else other for other in found)
    return found


def _record(named: str | None, options: dict[str, Any], field: str, record: Json) -> tuple[dict[str, Json], bool]:
    """The best result of a line or row, beside its columns."""
    from toolect._cli._shared.many import beside, own, text_of

    text, column = text_of(record, field)
    found = _with_model(toolect.detect(text, limit=ALL, **own(options, record)), named)
    best = msgspec.to_builtins(found[0]) if found else {"dialect": named, "same": [], "score": 0.0, "sure": 0.0}
    return {**beside(record, column), **best}, True


def _drawn(found: tuple[Detection, ...], named: str | None) -> Iterator[Styled]:
    """The results, and what is not certain about them."""
    for i, result in enumerate(found):
        yield PLAIN, "\n" if i else ""
        yield from _result(result)
    first = found[0]
    if named is not None:
        said = "as its model's id says" if first.dialect == named else f"but its model's id leads to {named}"
        yield QUIET, f"\nThe text fits {first.dialect}, {said}.\n"
    elif first.same:
        yield QUIET, f"\nNothing in the text tells {_names(first.dialects, 'and')} apart.\n"
    if named is None and len(found) > 1 and found[1].score > NEARLY * first.score:
        yield QUIET, f"\n{found[1].dialect} fits almost as well as {first.dialect}: this is a guess.\n"


def _result(result: Detection) -> Iterator[Styled]:
    yield NAME, _names(result.dialects, "or")
    yield PLAIN, "\n"
    yield KEY, "  fits     "
    yield from bar(result.score)
    yield PLAIN, f" {result.score:.0%}, sure {result.sure:.0%}\n"
    yield KEY, "  reads    "
    yield PLAIN, f"{_calls(result)}; {result.coverage:.0%} of the text is not content\n"
    for i, found in enumerate(result.markers[:SHOWN]):
        yield KEY, f"  {'' if i else 'markers':9}"
        times = f" × {found.count}" if found.count > 1 else ""
        yield PLAIN, one_line(found.marker)
        yield QUIET, f"{times} at {found.at}\n"
    if len(result.markers) > SHOWN:
        yield QUIET, f"{'':11}and {len(result.markers) - SHOWN} more\n"
    yield from entries("against", result.against, len(result.against), STATUS["repaired"], LABEL)


def _calls(result: Detection) -> str:
    counts = {"clean": result.calls, "repaired": result.repaired, "broken": result.broken}
    if not any(counts.values()):
        return "no call"
    return f"{counted(sum(counts.values()), 'call')} ({', '.join(f'{n} {what}' for what, n in counts.items() if n)})"


def _names(names: tuple[str, ...], word: str) -> str:
    shown, more = names[:SHOWN], len(names) - SHOWN
    if more > 0:
        return f"{', '.join(shown)} {word} {more} more"
    return f" {word} ".join(filter(None, (", ".join(shown[:-1]), shown[-1])))


# Models


def _model(name: str, as_json: bool) -> int:
    """Say what a model id leads to, and by which pattern; or what is near, and how to add a pattern."""
    try:
        match = registry.match(name)
    except toolect.UnknownNameError as error:
        note(f"no pattern matches the model `{name}`")
        if as_json:
            emit_json({"model": name, "dialect": None, "near": list(error.near)})
        else:
            Pen().write(_how_to_add(name, error.near))
        return 1
    if as_json:
        emit_json({"model": name, **msgspec.to_builtins(match)})
        return 0
    spec = registry.spec(match.dialect)
    kinds = {"name": "the dialect's name", "alias": "its alias", "model": "the pattern"}
    pieces: list[Styled] = [(NAME, f"{match.dialect}\n"), (PLAIN, f"  {spec.about}\n")]
    pieces += [(KEY, "  by "), (PLAIN, f"{kinds[match.by]} {one_line(match.pattern)}\n")]
    if match.read != name:
        pieces += [(KEY, "  read as "), (PLAIN, f"{one_line(match.read)}\n")]
    Pen().write(pieces)
    return 0


def _how_to_add(name: str, near: tuple[str, ...]) -> Iterator[Styled]:
    for i, pattern in enumerate(near):
        yield KEY, f"{'' if i else 'near':6}"
        yield PLAIN, f"{one_line(pattern)}\n"
    yield QUIET, "To add it, write a file and give it with --spec, or load it with toolect.load:\n\n"
    yield PLAIN, f'  my-dialect:\n    extends: …  # the dialect that it speaks\n    models: ["{one_line(name)}"]\n'
