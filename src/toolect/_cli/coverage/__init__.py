"""`toolect coverage`: what a corpus of model output holds, and how much of it is read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click
import msgspec

from toolect._cli._shared import shared_options as shared
from toolect._cli._shared.io import Misuse, emit_json
from toolect._cli._shared.page_option import report_options, write_page
from toolect._cli._shared.progress import progress
from toolect.registry import AUTO

if TYPE_CHECKING:
    from toolect._corpora.examine import Options
    from toolect._corpora.report import Report
    from toolect._corpora.stats import Stats


@click.command()
@click.argument("corpus", nargs=-1, shell_complete=shared.files)
@click.option(
    "--matrix", is_flag=True,
    help="Tell instead what each dialect can carry, and what a conversion between any two loses; of one --dialect all"
    " that stands in its way, of two what is lost between them.",
)  # fmt: skip
@click.option(
    "--dialect", "dialects", multiple=True, metavar="DIALECT", shell_complete=shared.dialect_names,
    help="Read every message in this dialect; more than once, in each of them.  [default: the one that fits]",
)  # fmt: skip
@click.option("--field", default="", metavar="PATH", help="The field with the text, such as `choices.0.message`.")
@click.option("--separator", default="", metavar="TEXT", help="What stands between the records of a text file.")
@report_options
def command(
    corpus: tuple[str, ...],
    matrix: bool,
    dialects: tuple[str, ...],
    field: str,
    separator: str,
    html: str | None,
    as_json: bool,
    jobs: int | None,
    max_bytes: int,
) -> int:
    """Tell what a corpus of model output holds: calls by status, repairs, leaks, what was never seen.

    CORPUS is JSON lines (.jsonl, also .gz and .zst), Parquet, text, a folder of them, or "-" for JSON lines on standard
    input. The text is looked for in the fields `text`, `completion`, `output`, `response`, `content`, `messages` and
    `conversations`; a record may name its `source`, its `dialect` and its `tools`.
    """
    if matrix and corpus:
        raise Misuse(f"expected --matrix or a corpus, got both: leave out `{corpus[0]}`, or --matrix")
    if not matrix and not corpus:
        raise Misuse('expected a corpus, got none: name a file or a folder, or "-" for standard input')
    if matrix:
        from toolect._cli.coverage.matrix_text import write_matrix

        write_matrix([shared.find(name) for name in dialects], html, as_json, jobs or 0)
        return 0
    from toolect._corpora.examine import Options
    from toolect._corpora.report import report

    named = tuple(shared.find(name).name for name in dialects if name != AUTO)
    options = Options(named, field, _unescaped(separator), max_bytes)
    stats, files = _counted(corpus, options, jobs or 0)
    found = report(stats, files)
    write_page(html, lambda command: _page(found, stats, ", ".join(corpus), command))
    if as_json:
        emit_json(msgspec.to_builtins(found), indent=True)
    else:
        from toolect._cli.coverage.report_text import write_report

        write_report(found)
    return int(found.problems > 0)


def _page(found: Report, stats: Stats, what: str, command: str) -> str:
    from toolect._corpora.coverage_page import coverage_page  # needs the extra `report`

    return coverage_page(found, stats, what, command)


def _unescaped(text: str) -> str:
    """A separator as it is typed: `\\n`, `\\t` and `\\0` stand for the characters."""
    for typed, meant in {r"\n": "\n", r"\t": "\t", r"\0": "\0"}.items():
        text = text.replace(typed, meant)
    return text


def _counted(corpus: Sequence[str], options: Options, jobs: int) -> tuple[Stats, int]:
    """What is in the corpus, and how many files that is."""
    from toolect._authoring.processes import WorkerDiedError, collect_less
    from toolect._corpora.sources import SourceError, files
    from toolect._corpora.survey import coverage

    collect_less()
    try:
        found = files(corpus)
        with progress() as told:
            return coverage(found, options, jobs, told), len(found)
    except (SourceError, WorkerDiedError) as error:
        raise Misuse(str(error)) from None
