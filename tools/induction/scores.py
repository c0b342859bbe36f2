"""Measures induction: `python -m tools.induction.scores [--formats N] [--templates DIR]... [--jobs N] [--write]`.

Prints the table of random formats by feature, of the shipped dialects, and of the chat templates below each DIR; with
`--write` they go into .reports/induction.md. `--wrong` names what is not induced, with the first thing that is read
otherwise.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import toolect
from toolect.authoring.lint.runner import each
from toolect.authoring.processes import cores
from toolect.chat_template import BadTemplate, read_template
from tools.induction.measure import Outcome, random_outcome, shipped_outcome, template_outcome
from tools.reports import keep

HEAD = """# Induction

How well [`toolect new`](../cli.md#toolect-new) induces dialects, held against what it was not shown. `make induction`
prints the tables, `--wrong` names what is not induced.

| column | meaning |
| --- | --- |
| exact | everything that was held out is read as it was put in: names, ids, arguments, content, reasoning |
| calls | all calls are; texts beside them may have markup in them |
| lints clean | `toolect lint` finds nothing in the new files: see [why](../decisions/0059-what-no-sample-shows.md) |
| claimed | it is said that the samples are read, with exit code 0: see [why](../decisions/0079-what-new-claims.md) |

A **random format** is drawn: what is around a call and around all of them, where its name stands, how keys and values
are written and divided, ids, reasoning, the end. Five samples of it are given, with the tools, then eight messages that
were held out are read. **Formats that people might make up** are drawn, too. Of a **shipped dialect**, the first
canonical cases of its corpus are the samples; the induced dialect has to read them as the shipped one does. Of a **chat
template** the probes are rendered, then twelve random messages.
"""


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--formats", type=int, default=1000, help="how many random formats; 1000 unless told")
    parser.add_argument("--odd", type=int, default=100, help="how many that people might make up; 100 unless told")
    parser.add_argument("--seed", type=int, default=0, help="the seed of the first one")
    parser.add_argument("--templates", type=Path, action="append", default=[], metavar="DIR", help="chat templates")
    parser.add_argument("--wrong", action="store_true", help="name what is not induced")
    parser.add_argument("--jobs", type=int, default=cores(), help="so many at a time; one for each core unless told")
    parser.add_argument("--write", action="store_true", help="write the tables into .reports/induction.md")
    options = parser.parse_args()
    lines: list[str] = []
    for line in _tables(options.formats, options.odd, options.seed, options.templates, options.wrong, options.jobs):
        print(line, flush=True)
        lines.append(line)
    if options.write:
        keep("induction.md", f"{HEAD}\n" + "\n".join(lines).strip() + "\n")


def _tables(formats: int, odd: int, seed: int, folders: Sequence[Path], wrong: bool, jobs: int) -> Iterator[str]:
    if formats:
        yield from _random(range(seed, seed + formats), wrong, jobs)
    for declared in (True, False) if odd else ():
        yield from _random(range(seed, seed + odd), wrong, jobs, odd=True, declared=declared)
    yield from _shipped(wrong, jobs)
    if folders:
        yield from _templates(folders, wrong, jobs)


def _random(seeds: range, wrong: bool, jobs: int, odd: bool = False, declared: bool = True) -> Iterator[str]:
    outcome = partial(random_outcome, linted=True, odd=odd, declared=declared)
    found = [*zip(seeds, each(outcome, seeds, jobs), strict=True)]
    title = (
        f"Formats that people might make up, tools {'' if declared else 'not '}declared" if odd else "Random formats"
    )
    yield from (f"## {title}", "", f"Seeds {seeds[0]} to {seeds[-1]}, from five samples each.", "")
    yield "| formats | | exact | claimed, not exact | exact, not claimed | lints clean |"
    yield "| --- | --: | --: | --: | --: | --: |"
    outcomes = [one for _, one in found]
    yield _row("all", outcomes)
    for family in sorted({one.name for one in outcomes}):
        yield _row(family, [one for one in outcomes if one.name == family])
    features = Counter(feature for one in outcomes for feature in one.features)
    for feature in sorted(feature for feature, count in features.items() if 100 * count >= len(outcomes)):
        yield _row(f"`{feature}`", [one for one in outcomes if feature in one.features])
    yield ""
    if wrong:
        yield from (f"- {seed} {one.name}: {one.wrong}" for seed, one in found if one.wrong)


def _row(name: str, outcomes: Sequence[Outcome]) -> str:
    exact = sum(one.exact for one in outcomes)
    share = f"{exact} ({100 * exact / max(len(outcomes), 1):.0f} %)"
    mistaken = sum(one.claimed and not one.exact for one in outcomes)
    modest = sum(one.exact and not one.claimed for one in outcomes)
    return f"| {name} | {len(outcomes)} | {share} | {mistaken} | {modest} | {sum(one.clean for one in outcomes)} |"


def _shipped(wrong: bool, jobs: int) -> Iterator[str]:
    yield from ("## Shipped dialects", "")
    yield "| samples | tools | dialects | calls | calls and texts | claimed, calls not right | lints clean |"
    yield "| --- | --- | --: | --: | --: | --: | --: |"
    missed: list[str] = []
    for count in (1, 5):
        for declared in (False, True):
            outcome = partial(shipped_outcome, count=count, declared=declared, linted=True)
            found = [one for one in each(outcome, toolect.dialects(), jobs) if one is not None]
            yield (
                f"| {'one' if count == 1 else 'up to five'} | {'declared' if declared else 'not declared'} "
                f"| {len(found)} | {sum(one.calls for one in found)} | {sum(one.exact for one in found)} "
                f"| {sum(one.claimed and not one.calls for one in found)} | {sum(one.clean for one in found)} |"
            )
            missed += [
                f"- {count} {'declared' if declared else ''} {one.name}: {one.wrong}" for one in found if one.wrong
            ]
    yield ""
    yield from missed if wrong else ()


def _template(path: Path) -> Outcome | None:
    """How the dialect of a template is induced; None where it writes no calls."""
    try:
        return template_outcome(path.stem, read_template(path), linted=True)
    except BadTemplate:
        return None


def _templates(folders: Sequence[Path], wrong: bool, jobs: int) -> Iterator[str]:
    paths = sorted({path for folder in folders for path in folder.rglob("*.jinja")})
    found = [one for one in each(_template, paths, jobs) if one is not None]
    yield from (
        "## Chat templates",
        "",
        "| templates that write calls | exact and lints clean | exact | lints clean | calls | claimed, not exact |",
    )
    yield "| --: | --: | --: | --: | --: | --: |"
    both = sum(one.exact and one.clean for one in found)
    exact, clean = sum(one.exact for one in found), sum(one.clean for one in found)
    calls, mistaken = sum(one.calls for one in found), sum(one.claimed and not one.exact for one in found)
    share = f"{both} ({100 * both / max(len(found), 1):.1f} %)"
    yield f"| {len(found)} | {share} | {exact} | {clean} | {calls} | {mistaken} |"
    yield ""
    if wrong:
        yield from (
            f"- {one.name}: {one.wrong or 'does not lint clean'}" for one in found if one.wrong or not one.clean
        )


if __name__ == "__main__":
    main()
