"""`toolect detect`: the dialects that a text, a model, or a chat template may speak."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import click
import msgspec

import toolect
from toolect import registry
from toolect._cli.input_files import read, shown
from toolect._cli.options import Form, Texts, format_option, options, texts
from toolect._cli.terminal import STATUS, Misuse, Pen, Styled, TerminalStyle, bar, emit_json, entries, note, rest
from toolect._message import Json
from toolect._shown import counted, one_line

if TYPE_CHECKING:
    from toolect._detection.ranking import Detection
    from toolect.chat_template import Difference, Verdict

ALL = 1000
"""More results than there can be."""
RESULTS = 5
"""Results that are written if no limit is named."""
NEARLY = 0.9
"""Least share of the best score with which another dialect might as well be the one."""
SHOWN = 6
"""Markers, and names of dialects, that are shown of one result."""
AROUND = 28
"""Characters shown on either side of the place where two texts part."""
DIFFERENCES = 3
"""Differences that are shown of one dialect, and things that a template leaves out."""


@click.command()
@texts("schemas", "prefix", "jsonl", "jobs", "field")
@click.option(
    "--model", metavar="ID",
    help="Say which dialect a model id leads to, and why; with FILE, also what the text says to that.",
)  # fmt: skip
@options("template", "matrix", "limit")
@format_option("the results", Form.TEXT, Form.JSON, default=Form.TEXT)
@click.pass_context
def command(
    ctx: click.Context, source: Texts, model: str | None, template: str | None, matrix: bool, limit: int | None,
    form: str,
) -> int:  # fmt: skip
    """Say which dialects a model's output may be in.

    The likeliest comes first, each with what speaks for it and against it. Every dialect that the text has marks of is
    tried on it. Those that read it alike are one result: nothing in the text tells them apart. Of files of many
    messages, .jsonl and .parquet, the best result of each is written beside its other columns; with --matrix a table
    says how well each dialect fits each text.

    With FILE and --model, the dialect of the model comes first where the text does not speak against it. With
    --template, the dialects are those that read and write what the chat template writes.
    """
    if model is not None and template is not None:
        raise Misuse("expected --model or --template, got both: give one of them")
    given = ctx.get_parameter_source("file") is not click.core.ParameterSource.DEFAULT
    if template is not None:
        return _by_template(template, limit or RESULTS, form, source.max_bytes)
    if model is not None and not given:
        return _by_model(model, form)
    if matrix:
        from toolect._cli.text_matrix import TEXTS, write_matrix
        from toolect._corpora.examine import Options

        chosen = Options((), source.field, "", source.max_bytes)
        return write_matrix([source.file], (), chosen, limit or TEXTS, form, source.jobs or 0, fits=True)
    limit = limit or RESULTS
    named = None if model is None else _named(model)
    if source.many:
        return source.each_text(partial(_best, named), source.options)
    found = _with_model(toolect.detect(source.read(), source.tools, max(limit, ALL), source.prefix), named)[:limit]
    if not found:
        note("no dialect has left a mark in this text")
        return _by_model(model, form) if model is not None and named is not None else 1
    if form == Form.JSON:
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


def _best(named: str | None, text: str, **reading: Any) -> tuple[dict[str, Json], bool]:
    """The best result of a text among many."""
    found = _with_model(toolect.detect(text, limit=ALL, **reading), named)
    return msgspec.to_builtins(found[0]) if found else {"dialect": named, "same": [], "score": 0.0, "sure": 0.0}, True


def _drawn(found: tuple[Detection, ...], named: str | None) -> Iterator[Styled]:
    """The results, and what is not certain about them."""
    for i, result in enumerate(found):
        yield TerminalStyle.PLAIN, "\n" if i else ""
        yield from _result(result)
    first = found[0]
    if named is not None:
        said = "as its model's id says" if first.dialect == named else f"but its model's id leads to {named}"
        yield TerminalStyle.QUIET, f"\nThe text fits {first.dialect}, {said}.\n"
    elif first.same:
        yield TerminalStyle.QUIET, f"\nNothing in the text tells {_names(first.dialects, 'and')} apart.\n"
    if named is None and len(found) > 1 and found[1].score > NEARLY * first.score:
        yield TerminalStyle.QUIET, f"\n{found[1].dialect} fits almost as well as {first.dialect}: this is a guess.\n"


def _result(result: Detection) -> Iterator[Styled]:
    yield TerminalStyle.NAME, _names(result.dialects, "or")
    yield TerminalStyle.PLAIN, "\n"
    yield TerminalStyle.KEY, "  fits     "
    yield from bar(result.score)
    yield TerminalStyle.PLAIN, f" {result.score:.0%}, sure {result.sure:.0%}\n"
    yield TerminalStyle.KEY, "  reads    "
    yield TerminalStyle.PLAIN, f"{_calls(result)}; {result.coverage:.0%} of the text is not content\n"
    for i, found in enumerate(result.markers[:SHOWN]):
        yield TerminalStyle.KEY, f"  {'' if i else 'markers':9}"
        times = f" × {found.count}" if found.count > 1 else ""
        yield TerminalStyle.PLAIN, one_line(found.marker)
        yield TerminalStyle.QUIET, f"{times} at {found.at}\n"
    yield from rest(len(result.markers) - SHOWN, indent=11)
    yield from entries("against", result.against, len(result.against), STATUS["repaired"], TerminalStyle.LABEL)


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


def _by_model(name: str, form: str) -> int:
    """Say what a model id leads to, and by which pattern; or what is near, and how to add a pattern."""
    try:
        match = registry.match(name)
    except toolect.UnknownNameError as error:
        note(f"no pattern matches the model `{name}`")
        if form == Form.JSON:
            emit_json({"model": name, "dialect": None, "near": list(error.near)})
        else:
            Pen().write(_how_to_add(name, error.near))
        return 1
    if form == Form.JSON:
        emit_json({"model": name, **msgspec.to_builtins(match)})
        return 0
    spec = registry.spec(match.dialect)
    kinds = {"name": "the dialect's name", "alias": "its alias", "model": "the pattern"}
    pieces: list[Styled] = [(TerminalStyle.NAME, f"{match.dialect}\n"), (TerminalStyle.PLAIN, f"  {spec.about}\n")]
    pieces += [(TerminalStyle.KEY, "  by "), (TerminalStyle.PLAIN, f"{kinds[match.by]} {one_line(match.pattern)}\n")]
    if match.read != name:
        pieces += [(TerminalStyle.KEY, "  read as "), (TerminalStyle.PLAIN, f"{one_line(match.read)}\n")]
    Pen().write(pieces)
    return 0


def _how_to_add(name: str, near: tuple[str, ...]) -> Iterator[Styled]:
    for i, pattern in enumerate(near):
        yield TerminalStyle.KEY, f"{'' if i else 'near':6}"
        yield TerminalStyle.PLAIN, f"{one_line(pattern)}\n"
    yield TerminalStyle.QUIET, "To add it, write a file and give it with --spec, or load it with toolect.load:\n\n"
    yield (
        TerminalStyle.PLAIN,
        f'  my-dialect:\n    extends: …  # the dialect that it speaks\n    models: ["{one_line(name)}"]\n',
    )


# Chat templates


def _by_template(file: str, limit: int, form: str, max_bytes: int) -> int:
    """Say which dialects read and write the turns of the template in `file`; 0 when one reads them all."""
    from toolect.chat_template import TemplateError, marked, template_of, turns, verdicts

    text = read(file, max_bytes)
    try:
        styles = turns(template_of(text, file.endswith(".json")))
    except TemplateError as error:
        note(f"{error} - in {shown(file)}")
        return 1
    found = verdicts(marked(styles), styles)
    if not found:
        note(f"expected a template of a known dialect, got turns that none reads - in {shown(file)}")
        return 1
    if form == Form.JSON:
        for verdict in found[:limit]:
            differences = [difference._asdict() for difference in verdict.differences]
            emit_json({**verdict._asdict(), "differences": differences, "missing": [*verdict.missing]})
    else:
        Pen().write(_draw_verdicts(found, limit))
    return int(found[0].read < found[0].turns)


def _draw_verdicts(found: list[Verdict], limit: int) -> Iterator[Styled]:
    """The verdicts, and what is not certain about them."""
    for i, verdict in enumerate(found[:limit]):
        yield TerminalStyle.PLAIN, "\n" if i else ""
        yield from _verdict(verdict)
    first = found[0]
    if first.read < first.turns:
        yield TerminalStyle.QUIET, "\nNo dialect reads every turn of this template.\n"
    for verdict in found[1:2]:
        if (verdict.read, verdict.written) == (first.read, first.written):
            yield TerminalStyle.QUIET, f"\n{verdict.dialect} does as well as {first.dialect}: this is a guess.\n"


def _verdict(verdict: Verdict) -> Iterator[Styled]:
    yield TerminalStyle.NAME, f"{verdict.dialect}\n"
    for title, count in (("reads", verdict.read), ("writes", verdict.written)):
        yield TerminalStyle.KEY, f"  {title:9}"
        yield from bar(count / verdict.turns)
        yield TerminalStyle.PLAIN, f" {count} of {verdict.turns} turns"
        if title == "writes" and verdict.spaced:
            yield TerminalStyle.QUIET, f", {verdict.spaced} more but for whitespace"
        yield TerminalStyle.PLAIN, "\n"
    yield from entries("missing", verdict.missing, DIFFERENCES)
    for difference in verdict.differences[:DIFFERENCES]:
        yield from _difference(difference)
    more = len(verdict.differences) - DIFFERENCES
    yield from rest(more, "more difference" + "s" * (more > 1), 11)


def _difference(difference: Difference) -> Iterator[Styled]:
    """Draw a difference, and if texts differ, both around the place."""
    yield TerminalStyle.LABEL, "  differs  "
    yield STATUS["repaired"], one_line(f"{difference.probe}: {difference.what}") + "\n"
    if not (difference.template or difference.dialect):
        return
    for title, text in (("template", difference.template), ("dialect", difference.dialect)):
        before = text[max(0, difference.at - AROUND) : difference.at]
        yield TerminalStyle.QUIET, f"{'':11}{title:9} {one_line(before)}"
        yield TerminalStyle.PLAIN, one_line(text[difference.at : difference.at + AROUND]) + "\n"
