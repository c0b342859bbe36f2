"""Breaks the shipped specs in many ways, lints each mutant, and prints how many of the broken ones lint finds.

    python -m tools.mutation.mutate_specs [--dialects NAME,…] [--mutations NAME,…] [--limit N] [--per-mutation N]
        [--seed N] [--jobs N] [--json OUT] [--survivors] [--equivalents] [--write]

Every mutant is one dialect's grammar or entry with one thing changed. It is broken if it does not load or behaves in
another way than the shipped spec (see behaviour.py); mutants that do neither are left out of the figures. It is found
if lint says something that it does not say of the shipped spec, and found in the right file if that is about the file
that was changed, or about the corpus case that shows it. The same arguments give the same mutants.

Exit code 0: lint points to the right file for at least 95 % of the broken mutants. 1: it does not.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from toolect import registry
from tools.mutation import author_mutations, entry_mutations, grammar_mutations, spec_text
from tools.mutation import mutation_report as report
from tools.mutation.mutant_runs import run
from tools.mutation.mutations import Mutation, mutants
from tools.reports import keep

ROOT = Path(__file__).resolve().parents[2]
BREAKS = (*grammar_mutations.MUTATIONS, *entry_mutations.MUTATIONS)
MUTATIONS: dict[str, Mutation] = {m.name: m for m in (*author_mutations.MUTATIONS, *BREAKS)}
WANTED = 0.95
"""The share of the broken mutants that lint has to find."""


def main(argv: Sequence[str] | None = None) -> int:
    """Break, lint and report as the arguments say."""
    options = _arguments().parse_args(argv)
    names = _chosen(options.dialects, registry.dialects(), "dialect")
    chosen = [MUTATIONS[name] for name in _chosen(options.mutations, list(MUTATIONS), "mutation")]
    specs = {name: spec_text.read(ROOT, name) for name in names}
    drawn = list(mutants(specs, chosen, options.per_mutation, options.seed))[: options.limit]
    began = time.perf_counter()
    order = {mutant: number for number, mutant in enumerate(drawn, 1)}
    results = sorted(run(ROOT, drawn, options.jobs), key=lambda result: order[result.mutant])
    if options.json:
        Path(options.json).write_text(report.as_json(results, specs), "utf-8")
    if options.survivors:
        print("\n\n".join(report.survivors(results, specs, order)), end="\n\n")
    if options.equivalents:
        print("\n".join(report.equivalents(results, specs, order)), end="\n\n")
    print(report.page(results, chosen, markdown=False))
    if options.write:
        keep("mutation.md", report.document(results, chosen, specs, order))
    for failed in (text for result in results for text in result.failed):
        print(f"a check failed: {failed}", file=sys.stderr)
    print(f"{len(drawn)} mutants in {time.perf_counter() - began:.0f} s", file=sys.stderr)
    return 0 if report.rate(results) >= WANTED else 1


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--dialects", metavar="NAME,…", help="only these dialects")
    parser.add_argument("--mutations", metavar="NAME,…", help="only these mutations")
    parser.add_argument("--per-mutation", metavar="N", type=int, default=7, help="mutants of each mutation, at most")
    parser.add_argument("--limit", metavar="N", type=int, help="mutants of all, at most")
    parser.add_argument("--seed", metavar="N", type=int, default=1, help="which mutants are drawn")
    parser.add_argument("--jobs", metavar="N", type=int, default=2, help="so many at a time")
    parser.add_argument("--json", metavar="OUT", help="write every result, one JSON object a line")
    parser.add_argument("--survivors", action="store_true", help="show the broken mutants that are not found")
    parser.add_argument("--equivalents", action="store_true", help="list the mutants that behave as the shipped spec")
    parser.add_argument("--write", action="store_true", help="write all of it into .reports/mutation.md")
    return parser


def _chosen(names: str | None, known: Sequence[str], what: str) -> list[str]:
    """The names between commas, or all."""
    chosen = [name.strip() for name in names.split(",")] if names else list(known)
    unknown = sorted({*chosen} - {*known})
    if unknown:
        _misuse(f"unknown {what} {unknown[0]!r}, expected one of {', '.join(known)}")
    return chosen


def _misuse(message: str) -> NoReturn:
    print(f"mutate_specs: {message}", file=sys.stderr)
    sys.exit(2)


if __name__ == "__main__":
    sys.exit(main())
