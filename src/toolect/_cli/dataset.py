"""`toolect data convert`: data sets of any kind as rows of another, each row accounted for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from toolect import _extras as extras
from toolect._cli.options import MEBIBYTE, Form, dialect_names, files, find, format_option, options, write_page
from toolect._cli.terminal import Misuse, Pen, Styled, TerminalStyle, emit_json, heading, progress, rest
from toolect._message import Status
from toolect._shown import counted, cut, one_line
from toolect.registry import AUTO

if TYPE_CHECKING:
    from toolect._data.job import Job, JobProgress
    from toolect._data.keeping import Loss
    from toolect._data.row_report import RemarkCount, RowReport
    from toolect._data.row_targets import Target
    from toolect._rows.row_source import Source


PLAIN = "none"
"""The dialect of texts that hold no calls."""
SHOWN = 8
"""Lines of a list."""
WIDE = 140
"""Characters of an example."""


@click.command()
@click.argument("data", nargs=-1, required=True, shell_complete=files)
@click.option(
    "--to", required=True, metavar="FORM",
    help="What to write: messages, sharegpt, anthropic, responses, trl, axolotl, ids, tinker, or the name of a chat.",
)  # fmt: skip
@click.option("-o", "--out", required=True, metavar="DIR", help="The folder for the new rows and the report.")
@click.option(
    "--kind", default="", metavar="KIND",
    help="What the rows are: a kind of `rows.yaml`, or the name of a chat whose transcripts they are.  [default: found"
    " out row by row]",
)  # fmt: skip
@click.option(
    "--rows", "rows_files", multiple=True, metavar="FILE", type=click.Path(exists=True, dir_okay=False),
    help="A file with further kinds of rows; several times for several.",
)  # fmt: skip
@click.option(
    "--join", default="", metavar="FILE", help="The file with the requests of a batch, whose answers DATA is."
)
@click.option(
    "--dialect", default="", metavar="DIALECT", shell_complete=dialect_names,
    help="The dialect of calls that stand in texts; auto for any, none where they hold no calls.  [default: found out"
    " from the first rows]",
)  # fmt: skip
@options("field")
@click.option(
    "--to-dialect", default="", metavar="DIALECT", shell_complete=dialect_names,
    help="With `--to sharegpt`: write calls into the texts, in this dialect.",
)  # fmt: skip
@click.option("--chat", default="", metavar="CHAT", help="With axolotl, ids and tinker: the chat of the student.")
@options("tokenizer", "teach", "thinking", "date", "unsafe")
@click.option(
    "--keep-tool-prompt", is_flag=True, help="Keep a system prompt that lists the tools; do not add the list again."
)
@click.option("--drop-tool-prompt", is_flag=True, help="Leave out all of a system prompt that lists the tools.")
@click.option("--exact", is_flag=True, help="Refuse rows with any loss.")
@click.option("--allow", multiple=True, metavar="LOSS", help="Keep rows with such losses: `calls` are refused.")
@click.option("--refuse", multiple=True, metavar="LOSS", help="Refuse rows with such losses, too.")
@click.option(
    "--check", type=click.Choice(["sample", "all", "none"]), default="sample", show_default=True,
    help="Which rows are read back to find out what they lose; `sample`: the first of each shape, odd ones, and 1 %.",
)  # fmt: skip
@click.option(
    "--status", "statuses", multiple=True, type=click.Choice([status.value for status in Status]),
    help="Keep rows all of whose calls have this status; several times for several.",
)  # fmt: skip
@click.option("--valid", is_flag=True, help="Keep rows all of whose calls are what their tools declare.")
@click.option("--with-calls", is_flag=True, help="Keep rows with a call at least.")
@click.option("--max-ids", type=click.IntRange(min=1), metavar="N", help="Keep rows of at most so many ids.")
@click.option("--distinct", is_flag=True, help="Leave out duplicates of rows before them.")
@click.option("--parquet", is_flag=True, help="Write Parquet instead of JSON lines.")
@click.option(
    "--shard", type=click.IntRange(min=1), default=256, metavar="MIB", help="How large a file gets.  [default: 256]"
)
@click.option("--on", "place", type=click.Choice(["ray"]), help="Convert on a cluster of Ray; needs the extra `ray`.")
@click.option("--address", default="", help="Where the cluster is.  [default: one that is started here]")
@format_option("the report", Form.TEXT, Form.JSON, default=Form.TEXT)
@options("html", "jobs", "spec", "max-bytes")
def command(
    data: tuple[str, ...], to: str, out: str, kind: str, rows_files: tuple[str, ...], join: str, dialect: str,
    field: str, to_dialect: str, chat: str, tokenizer: str | None, teach: str, thinking: bool | None, date: str | None,
    unsafe: str, keep_tool_prompt: bool, drop_tool_prompt: bool, exact: bool, allow: tuple[str, ...],
    refuse: tuple[str, ...], check: str, statuses: tuple[str, ...], valid: bool, with_calls: bool,
    max_ids: int | None, distinct: bool, parquet: bool, shard: int, jobs: int | None, place: str | None, address: str,
    html: str | None, form: str, max_bytes: int,
) -> int:  # fmt: skip
    """Convert data sets: rows of any kind to messages, transcripts or training rows, each row accounted for.

    DATA is JSON lines (.jsonl, also .gz and .zst), Parquet, Arrow, or a folder of them. Columns that are not converted
    are kept; the column `account` tells what became of a row, `left-out-*.jsonl` which rows are not there and why, and
    `report.json` adds all of it up. A run that was interrupted goes on when it is started again.
    """
    from toolect._corpora.any_json import encoded
    from toolect._data.converting import Settings
    from toolect._data.job import Job
    from toolect._data.keeping import Keep
    from toolect._data.row_report import is_clean, report_of

    options: dict[str, object] = {
        "dialect": _dialect(to_dialect), "tokenizer": tokenizer or "", "teach": teach, "thinking": thinking,
        "date": date, "unsafe": unsafe, "check": check, "table": parquet,
    }  # fmt: skip
    target = _target(to, chat, options, bool(max_ids))
    keep = Keep(tuple(map(Status, statuses)), valid, with_calls, max_ids or 0)
    settings = Settings(
        target,
        _source(kind, rows_files, join, dialect, field, not keep_tool_prompt, drop_tool_prompt),
        keep,
        _refused(exact, allow, refuse),
        distinct,
    )
    if valid:
        extras.need("jsonschema", "agent")  # that it is missing must not be found out row by row
    job = Job(data, out, settings, parquet, max_bytes, shard=shard * MEBIBYTE)
    found = report_of(_run(job, jobs or 0, place, address), job)
    Path(out, "report.json").write_bytes(encoded(found))
    write_page(html, lambda command: _page(found, ", ".join(data), command))
    if form == Form.JSON:
        emit_json(msgspec.to_builtins(found), indent=True)
    else:
        _draw(found)
    return int(not is_clean(found))


def _page(found: RowReport, what: str, command: str) -> str:
    from toolect._data.row_page import row_page  # needs the extra `report`

    return row_page(found, what, command)


def _dialect(name: str) -> str:
    return name if name in ("", AUTO) else find(name).name


def _target(to: str, chat: str, options: dict[str, object], counts: bool) -> Target:
    """The target to write. Raises Misuse for one that cannot be written."""
    from toolect._data.row_targets import OF_A_CHAT, OF_IDS, Form, target_of, tokenizer_of
    from toolect._names import UnknownNameError

    if to in OF_A_CHAT and not chat:
        raise Misuse(f"expected the chat to write `{to}` in, got none: name it with --chat")
    if to in OF_IDS and not options["tokenizer"]:
        raise Misuse(f"expected the folder of a tokenizer for `{to}`, got none: name it with --tokenizer")
    try:
        target = target_of(to, chat=chat, **options)
        if counts and not target.tokenizer:
            raise ValueError("expected the folder of a tokenizer for --max-ids, got none: name it with --tokenizer")
        if target.tokenizer:
            tokenizer_of(target.tokenizer)
    except UnknownNameError as error:
        forms = ", ".join(form for form in Form if form is not Form.TEXT)
        raise Misuse(f"expected a form ({forms}) or a chat, got `{to}`: {error}") from None
    except (OSError, ValueError) as error:
        raise Misuse(str(error)) from None
    return target


def _source(
    kind: str, rows_files: tuple[str, ...], join: str, dialect: str, field: str, retell: bool, drop: bool
) -> Source:
    """The source of rows. Raises Misuse for a kind that there is not, SpecError for a file of kinds that is no good."""
    from toolect._chats.chat_registry import chat
    from toolect._names import UnknownNameError
    from toolect._rows.row_fields import row_kinds
    from toolect._rows.row_source import TRANSCRIPT, Source

    if join and not Path(join).is_file():
        raise Misuse(f"expected a file of requests, got nothing at `{join}`: check the path")
    paths = tuple(str(Path(one).resolve()) for one in rows_files)
    other = str(Path(join).resolve()) if join else ""
    source = Source("", "" if dialect == PLAIN else _dialect(dialect) or None, "", field, retell, drop, paths, other)
    names = [one.name for one in row_kinds(source.files).kinds]
    if not kind or kind in names:
        return msgspec.structs.replace(source, kind=kind)
    try:
        return msgspec.structs.replace(source, kind=TRANSCRIPT, chat=chat(kind).name)
    except UnknownNameError as error:
        raise Misuse(f"expected a kind of rows ({', '.join(names)}) or a chat, got `{kind}`: {error}") from None


def _refused(exact: bool, allow: tuple[str, ...], refuse: tuple[str, ...]) -> frozenset[Loss]:
    """The losses for which rows are refused. Raises Misuse for a kind that there is not."""
    from toolect._data.keeping import REFUSED, Loss

    for name in (*allow, *refuse):
        if name not in [*Loss]:
            raise Misuse(f"expected a kind of loss ({', '.join(Loss)}), got `{name}`")
    return (frozenset(Loss) if exact else REFUSED | {*map(Loss, refuse)}) - {*map(Loss, allow)}


def _run(job: Job, jobs: int, place: str | None, address: str) -> JobProgress:
    from toolect._data.job import run
    from toolect._processes import collect_less

    collect_less()
    runner = None
    if place is not None:
        from toolect._data.on_ray import on_ray

        runner = on_ray(address)
    with progress() as advance:
        return run(job, jobs, advance, runner)


# Drawing


def _draw(report: RowReport) -> None:
    """Draws the report: what became of the rows, why, and what they had."""
    from toolect._data.row_report import by_name

    pen = Pen()
    pen.write(_head(report))
    for title, found in (("Left out", report.reasons), ("Changed", report.changes), ("Seen", report.notes)):
        pen.write(_said(title, found))
    features, tools = by_name(report.features[:SHOWN], "feature"), by_name(report.tools[:SHOWN], "tool")
    pen.tables({"Features": features, "Tools": tools})


def _head(report: RowReport) -> Iterator[Styled]:
    from toolect._data.row_report import sentence

    yield TerminalStyle.LABEL, f"{sentence(report)}\n"
    for source, paths in report.sources.items():
        yield TerminalStyle.QUIET, f"read {counted(len(paths), 'file')} as {source}\n"
    if report.check != "all":
        yield TerminalStyle.QUIET, f"read back: {report.check} (--check)\n"


def _said(title: str, found: tuple[RemarkCount, ...]) -> Iterator[Styled]:
    if found:
        yield heading(title)
    for one in found[:SHOWN]:
        yield TerminalStyle.KEY, f"  {one.rows:>7,} {one.fate:10}"
        yield TerminalStyle.PLAIN, one_line(one.what) + "\n"
        for example in one.examples[:1]:
            place = f"{one_line(example.where)}{f' {example.text}' if example.text else ''}"
            yield (
                TerminalStyle.QUIET,
                f"          {cut(f'{place}: {one_line(example.detail)}' if example.detail else place, WIDE)}\n",
            )
    more = sum(one.rows for one in found[SHOWN:])
    yield from rest(more, f"row{'s' * (more != 1)} for other reasons", 10)
