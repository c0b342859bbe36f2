"""Judges the reader: how this checkout, and an earlier one beside it, read texts whose meaning no reader says.

    python -m tools.judge.judge [--before CHECKOUT|COMMIT] [--all] [--seed N] [--kind KIND]... [--dialect NAME]...
                                [--by dialect|what] [--differences N] [--json FILE]

A seed draws the texts, and what they mean is what was put in, what another project's tests say, or that they hold no
call. The corpus is counted by where its cases are from: what invented texts are expected to be, readers have said.
A damage is none (moot) that leaves a text which the dialect writes for another message of the same tools and types. One
that leaves the beginning of a longer message is read right when the last call says that it is truncated. TOOLECT_CORPUS
is a folder of others' cases, TOOLECT_CASES a file of reported ones. All is the same for one seed.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from functools import cache
from pathlib import Path
from random import Random
from statistics import median
from typing import NamedTuple

from toolect import registry
from toolect._processes import pool
from tools.judge import drawn_texts as texts
from tools.judge.drawn_texts import Draw, Text
from tools.judge.judged_readers import Checkout
from tools.judge.verdicts import Verdict, verdict
from tools.markdown_text import table
from tools.peers.environments import ROOT, unpacked

EVERY = 1_000_000


class Kind(NamedTuple):
    """A kind of texts: how they are drawn, how many, how many of them with `--all`, and what is counted."""

    draw: Draw
    share: int
    all: int
    rows: dict[str, tuple[str, ...]]
    """Names of rows, with the verdicts that each counts."""


RIGHT = ("right",)
WRONG = ("wrong", "wrong, unlabelled")
UNLABELLED = ("unlabelled", "wrong, unlabelled")
KINDS = {
    "others' cases": Kind(texts.others, 400, EVERY, {"pass": RIGHT}),
    "reported cases": Kind(texts.reported, EVERY, EVERY, {"right": RIGHT}),
    "as written": Kind(texts.undamaged, 400, 4_000, {"right": RIGHT}),
    "lossless": Kind(texts.lossless, 4_000, 30_000, {"recovered": RIGHT, "wrong run": WRONG, "unlabelled": UNLABELLED}),
    "lossy": Kind(texts.lossy, 1_000, 10_000, {"wrong run": WRONG}),
    "quoted in prose": Kind(texts.in_prose, 600, EVERY, {"run": ("runs",)}),
    "quoted in a value": Kind(texts.in_value, EVERY, EVERY, {"run": ("runs",)}),
    "quoted in a fence": Kind(texts.in_fence, EVERY, EVERY, {"run": ("runs",)}),
    "prose and code": Kind(texts.prose, 400, 4_000, {"run": ("runs",)}),
    "hostile": Kind(texts.hostile, 100, 600, {"superlinear": ("superlinear",)}),
    "chunks": Kind(texts.chunks, 800, 6_000, {"differ from the whole": ("differs",)}),
    "corpus": Kind(texts.corpus, EVERY, EVERY, {"right": RIGHT}),
}
NAMED = {"others' cases": "TOOLECT_CORPUS", "reported cases": "TOOLECT_CASES"}
"""Environment variables that say where texts of a kind are."""

Judged = dict[str, Verdict]


def draw(options: argparse.Namespace) -> list[Text]:
    """The texts that the options ask for."""
    found: dict[str, Text] = {}
    for name in options.kind or KINDS:
        kind, random = KINDS[name], Random(f"{name} {options.seed}")
        drawn = kind.draw(kind.all if options.all else kind.share, random, options.dialect or registry.dialects())
        found |= {text.id: text for text in drawn}
    return [*found.values()]


checkout = cache(Checkout)  # a process for each, as long as this one lasts


def judged(folder: Path, drawn: Sequence[Text]) -> Judged:
    """Verdicts on texts that a checkout reads."""
    return {text.id: verdict(text, checkout(folder).reader(text.dialect)) for text in drawn}


def beside_each_other(folders: Sequence[Path], drawn: Sequence[Text]) -> list[Judged]:
    """Verdicts on the texts in each of the checkouts, which take turns on the cores."""
    step = max(50, len(drawn) // 40)
    with pool(2) as processes:
        work = [
            [processes.submit(judged, folder, drawn[at : at + step]) for folder in folders]
            for at in range(0, len(drawn), step)
        ]
        parts = [[one.result() for one in row] for row in work]
    return [{id_: one for part in column for id_, one in part.items()} for column in zip(*parts, strict=True)]


def rows(drawn: Sequence[Text], found: Sequence[Judged], options: argparse.Namespace) -> Iterator[tuple[str, ...]]:
    """The rows of the table. A text that is moot for one reader is for all; one that raises is not right."""
    moot = {id_ for one in found for id_, verdict_ in one.items() if verdict_.word == "moot"}
    for name in options.kind or KINDS:
        kind = KINDS[name]
        of = [text for text in drawn if text.kind.partition(" :")[0] == name and text.id not in moot]
        if not of and name in NAMED:
            yield f"{name}: see {NAMED[name]}", "0", *("" for _ in found)
        groups: dict[str, list[str]] = defaultdict(list)
        for text in of:
            groups[f"{text.kind}: {getattr(text, options.by)}" if options.by else text.kind].append(text.id)
        for label, ids in sorted(groups.items()):
            for row, words in kind.rows.items():
                sums = (sum(one[id_].word in words for id_ in ids) for one in found)
                yield f"{label}: {row}", f"{len(ids):,}", *(f"{n:,}{_share(n, len(ids), words)}" for n in sums)
            if name == "hostile":
                yield f"{label}: most work a character", "", *(_most(one, ids, max) for one in found)
                yield f"{label}: median", "", *(_most(one, ids, median) for one in found)
    raised = (sum(verdict_.word == "raised" for verdict_ in one.values()) for one in found)
    yield "raised, or took too long", f"{len(drawn):,}", *map(str, raised)


def _share(count: int, of: int, words: tuple[str, ...]) -> str:
    return f" ({int(1000 * count / of) / 10:g}%)" if words is RIGHT else ""


def _most(one: Judged, ids: Sequence[str], how: Callable[[list[float]], float]) -> str:
    figures = [one[id_].figure for id_ in ids if one[id_].word != "raised"]
    return f"{how(figures):.0f} calls" if figures else ""


def differences(drawn: Sequence[Text], found: Sequence[Judged], most: int) -> Iterator[str]:
    """The first texts that are read otherwise: those whose verdicts differ, then the others."""
    now, before = found
    other = [text for text in drawn if now[text.id][:2] != before[text.id][:2]]
    for text in sorted(other, key=lambda text: now[text.id].word == before[text.id].word)[:most]:
        lines = [f"--- {text.id}", repr(text.text), f"options {text.options}"]
        lines += [f"meant {text.about.calls}"] if isinstance(text.about, texts.Meant) else []
        for label, one in (("today", now[text.id]), ("before", before[text.id])):
            lines += [f"{label}: {one.word}", *(f"    {line}" for line in one.reading.splitlines())]
        yield "\n".join(lines)
    yield f"{len(other):,} texts are read otherwise"


def main(argv: Sequence[str] | None = None) -> int:
    """Judge as the arguments say."""
    options = _arguments().parse_args(argv)
    began = time.perf_counter()
    drawn = draw(options)
    more = "" if options.all else ", a share: --all takes more"
    print(f"seed {options.seed}, {len(drawn):,} texts{more}", flush=True)
    commit = options.before and not Path(options.before).is_dir()
    with unpacked(options.before) if commit else nullcontext(options.before and Path(options.before)) as folder:
        folders = [ROOT, *([folder] if folder else [])]
        found = beside_each_other(folders, drawn)
    counts = [("what", "of", "today", "before")[: 2 + len(folders)], *rows(drawn, found, options)]
    if folder and options.differences:
        print(*differences(drawn, found, options.differences), sep="\n")
    print(table(counts))
    print(f"{time.perf_counter() - began:.0f} s")
    if options.json:
        sides = [{id_: [one.word, one.figure] for id_, one in side.items()} for side in found]
        kept = {"seed": options.seed, "all": options.all, **dict(zip(("today", "before"), sides, strict=False))}
        Path(options.json).write_text(json.dumps(kept, indent=0), "utf-8")
    return 0


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", metavar="CHECKOUT", help="another checkout, or a commit of this one")
    parser.add_argument("--all", action="store_true", help="many more texts, in about ten minutes")
    parser.add_argument("--seed", type=int, default=_commits(), metavar="N", help="default: the number of commits")
    parser.add_argument("--kind", action="append", choices=KINDS, metavar="KIND", help="only these texts")
    parser.add_argument("--dialect", action="append", choices=registry.dialects(), metavar="NAME")
    parser.add_argument("--by", choices=("dialect", "what"), default="", help="a row for each, or for each damage")
    parser.add_argument("--differences", type=int, default=0, metavar="N", help="show texts that are read otherwise")
    parser.add_argument("--json", metavar="FILE", help="keep what became of each text")
    return parser


def _commits() -> int:
    counted = subprocess.run(["git", "rev-list", "--count", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    return int(counted.stdout or 0)


if __name__ == "__main__":
    sys.exit(main())
