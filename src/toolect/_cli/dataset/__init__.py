"""`toolect dataset`: data sets of any kind as rows of another, each row accounted for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from toolect import _extras as extras
from toolect._cli._shared import shared_options as shared
from toolect._cli._shared.io import Misuse, emit_json
from toolect._cli._shared.page_option import report_options, write_page
from toolect._cli._shared.progress import progress
from toolect._message import Status
from toolect.registry import AUTO

if TYPE_CHECKING:
    from toolect._data.job import Done, Job
    from toolect._data.keeping import Keep
    from toolect._data.losses import Loss
    from toolect._data.row_report import RowReport
    from toolect._data.row_targets import Target
    from toolect._rows.row_source import Source


@click.command()
@click.argument("data", nargs=-1, required=True, shell_complete=shared.files)
@click.option(
    "--to", "to", required=True, metavar="FORM",
    help="What to write: messages, sharegpt, anthropic, responses, trl, axolotl, ids, tinker, or the name of a chat.",
)  # fmt: skip
@click.option("-o", "--out", required=True, metavar="DIR", help="The folder for the new rows and the report.")
@click.option(
    "--from", "origin", default="", metavar="KIND",
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
    "--from-dialect", default="", metavar="DIALECT", shell_complete=shared.dialect_names,
    help="The dialect of calls that stand in texts; auto for any.  [default: found out from the first rows]",
)  # fmt: skip
@click.option("--field", default="", metavar="COLUMN", help="The column with the turns or the text.")
@click.option(
    "--to-dialect", default="", metavar="DIALECT", shell_complete=shared.dialect_names,
    help="With `--to sharegpt`: write calls into the texts, in this dialect.",
)  # fmt: skip
@click.option("--chat", default="", metavar="NAME", help="With axolotl, ids and tinker: the chat of the student.")
@click.option("--tokenizer", default="", metavar="DIR", help="The folder of a tokenizer, for all that has ids.")
@click.option("--teach", type=click.Choice(["all", "last", "calls"]), default="all", help="Which answers are taught.")
@click.option("--thinking/--no-thinking", default=None, help="Ask for reasoning, or for none, in chats that know both.")
@click.option("--date", metavar="DATE", help="The date that a chat tells, so that the rows are the same tomorrow.")
@click.option(
    "--unsafe", type=click.Choice(["refuse", "neutralise", "keep"]), default="refuse",
    help="What to do with a text that would break out of its place.",
)  # fmt: skip
@click.option(
    "--keep-told", is_flag=True, help="Keep a system text that tells of the tools, and do not tell them again."
)
@click.option("--drop-tool-prompt", is_flag=True, help="Leave out all of a system text that tells of the tools.")
@click.option("--strict", is_flag=True, help="Refuse rows with any loss.")
@click.option("--allow", multiple=True, metavar="KIND", help="Keep rows with such losses: `calls` are refused.")
@click.option("--refuse", multiple=True, metavar="KIND", help="Refuse rows with such losses, too.")
@click.option("--no-compare", is_flag=True, help="Do not read back what is written: only refusals are found.")
@click.option(
    "--status", "statuses", multiple=True, type=click.Choice([status.value for status in Status]),
    help="Keep rows all of whose calls have this status; several times for several.",
)  # fmt: skip
@click.option("--valid", is_flag=True, help="Keep rows all of whose calls are what their tools declare.")
@click.option("--with-calls", is_flag=True, help="Keep rows with a call at least.")
@click.option("--max-ids", type=click.IntRange(min=1), metavar="N", help="Keep rows of at most so many ids.")
@click.option("--distinct", is_flag=True, help="Leave out rows that say what one before them says.")
@click.option("--parquet", is_flag=True, help="Write Parquet instead of JSON lines.")
@click.option(
    "--shard", type=click.IntRange(min=1), default=256, metavar="MIB", help="How large a file gets.  [default: 256]"
)
@click.option("--on", "place", type=click.Choice(["ray"]), help="Convert on a cluster of Ray; needs the extra `ray`.")
@click.option("--address", default="", help="Where the cluster is.  [default: one that is started here]")
@report_options
def command(
    data: tuple[str, ...], to: str, out: str, origin: str, rows_files: tuple[str, ...], join: str,
    from_dialect: str, field: str, to_dialect: str, chat: str, tokenizer: str, teach: str, thinking: bool |
    None, date: str | None, unsafe: str, keep_told: bool, drop_tool_prompt: bool, strict: bool, allow:
    tuple[str, ...], refuse: tuple[str, ...], no_compare: bool, statuses: tuple[str, ...], valid: bool,
    with_calls: bool, max_ids: int | None, distinct: bool, parquet: bool, shard: int, jobs: int | None, place:
    str | None, address: str, html: str | None, as_json: bool, max_bytes: int,
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
        "dialect": _dialect(to_dialect), "tokenizer": tokenizer, "teach": teach, "thinking": thinking, "date": date,
        "unsafe": unsafe, "compare": not no_compare, "table": parquet,
    }  # fmt: skip
    target = _target(to, chat, options, bool(max_ids))
    keep = Keep(tuple(map(Status, statuses)), valid, with_calls, max_ids or 0)
    settings = Settings(
        target,
        _source(origin, rows_files, join, from_dialect, field, not keep_told, drop_tool_prompt),
        keep,
        _refused(strict, allow, refuse),
        distinct,
    )
    _check(keep)
    job = Job(data, out, settings, parquet, max_bytes, shard=shard * shared.MEBIBYTE)
    found = report_of(_run(job, jobs or 0, place, address), job)
    Path(out, "report.json").write_bytes(encoded(found))
    write_page(html, lambda command: _page(found, ", ".join(data), command))
    if as_json:
        emit_json(msgspec.to_builtins(found), indent=True)
    else:
        from toolect._cli.dataset.row_text import write_rows

        write_rows(found)
    return int(not is_clean(found))


def _page(found: RowReport, what: str, command: str) -> str:
    from toolect._data.row_page import row_page  # needs the extra `report`

    return row_page(found, what, command)


def _dialect(name: str) -> str:
    return name if name in ("", AUTO) else shared.find(name).name


def _target(to: str, chat: str, options: dict[str, object], counts: bool) -> Target:
    """What is written. Raises Misuse for what cannot be."""
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
    origin: str, rows_files: tuple[str, ...], join: str, dialect: str, field: str, retell: bool, drop: bool
) -> Source:
    """How rows are read. Raises Misuse for a kind that there is not, SpecError for a file of kinds that is no good."""
    from toolect._chats.chat_registry import chat
    from toolect._names import UnknownNameError
    from toolect._rows.row_fields import row_kinds
    from toolect._rows.row_source import TRANSCRIPT, Source

    if join and not Path(join).is_file():
        raise Misuse(f"expected a file of requests, got nothing at `{join}`: check the path")
    files = tuple(str(Path(one).resolve()) for one in rows_files)
    other = str(Path(join).resolve()) if join else ""
    source = Source("", _dialect(dialect) or None, "", field, retell, drop, files, other)
    names = [kind.name for kind in row_kinds(source.files).kinds]
    if not origin or origin in names:
        return msgspec.structs.replace(source, kind=origin)
    try:
        return msgspec.structs.replace(source, kind=TRANSCRIPT, chat=chat(origin).name)
    except UnknownNameError as error:
        raise Misuse(f"expected a kind of rows ({', '.join(names)}) or a chat, got `{origin}`: {error}") from None


def _refused(strict: bool, allow: tuple[str, ...], refuse: tuple[str, ...]) -> frozenset[Loss]:
    """The losses for which rows are refused. Raises Misuse for a kind that there is not."""
    from toolect._data.losses import REFUSED, Loss

    for name in (*allow, *refuse):
        if name not in [*Loss]:
            raise Misuse(f"expected a kind of loss ({', '.join(Loss)}), got `{name}`")
    return (frozenset(Loss) if strict else REFUSED | {*map(Loss, refuse)}) - {*map(Loss, allow)}


def _check(keep: Keep) -> None:
    """Raises MissingExtraError for a package that rows would need: that must not be found out row by row."""
    if keep.valid:
        try:
            import jsonschema  # noqa: F401
        except ImportError:
            raise extras.MissingExtraError("jsonschema", "agent") from None


def _run(job: Job, jobs: int, place: str | None, address: str) -> Done:
    from toolect._authoring.processes import WorkerDiedError, collect_less
    from toolect._corpora.sources import SourceError
    from toolect._data.checkpoint import CheckpointError
    from toolect._data.job import run

    collect_less()
    try:
        runner = None
        if place is not None:
            from toolect._data.on_ray import on_ray

            runner = on_ray(address)
        with progress() as told:
            return run(job, jobs, told, runner)
    except (SourceError, CheckpointError, WorkerDiedError) as error:
        raise Misuse(str(error)) from None
