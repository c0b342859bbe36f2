"""The results of mutants as a table, as plain data, and one by one."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Mapping, Sequence

from tools.conformance.tables import draw, shorten
from tools.mutation.author_mutations import MUTATIONS as OF_PEOPLE
from tools.mutation.mutant_runs import Result
from tools.mutation.mutations import Mutant, Mutation
from tools.mutation.spec_text import SpecText
from tools.pages.markdown_text import code, fenced, table

INTRODUCTION = """\
How much of what may be wrong with a spec does [lint](../guide/lint.md) find?
`make mutate ARGS=--write` breaks the shipped specs in the ways below, one thing at a time, and writes this page.

A mutant is **broken** if it does not load, or does something else than the shipped spec: reads a corpus case, a
canonical text or a beginning of one otherwise, in either mode, writes a message otherwise, gives a name to another
dialect, or reads by the character what it does not read as a whole. The texts and messages are those of the shipped
spec and of a list in `tools/mutation/behaviour.py`; lint is not asked. It is **found** if lint says something that it
does not say of the shipped spec, and in the **right file** if that points to the file that was changed, or to the case
of the corpus that shows it. The **mutated file** is the one that was changed; **without corpus** counts what
it says with no corpus there. Percentages are of the broken mutants.

**Cause first** are those of which the first thing that lint says is about the definition or the field that was
changed, or points to it; **findings** is how many it tells of one mutant by themselves, in the median and at most:
what follows from another finding is [folded under it](../decisions/0081-causes-first.md). The mutations of the first
part of the table are **mistakes of people**, the others are breaks of any kind. A mistake that changes nothing counts
all the same: what was meant does not happen."""
WHY = {
    "drop-field": "nothing says that a call without an id has to be carried; a case of one would need a way to say so",
    "drop-map-entry": "reading fails where a part of a call stands outside of one, which loading should refuse",
    "plus-to-star": "only a section that is cut off before its first call shows it, and no case has one",
    "star-to-optional": "only three parts in a row show it, and neither cases nor samples have so many",
    "tighten-regex": "no case has a key with more than small letters; a check could know which keys tools have",
}
"""Why mutants of some mutations are not found, and what would find them."""
MISTAKES = {one.name for one in OF_PEOPLE}
COLUMNS = ("mutants", "broken", "found", "right file", "mutated file", "without corpus", "cause first", "findings")


def rate(results: Sequence[Result]) -> float:
    """The share of the broken mutants for which lint points to the right file."""
    broken = [result for result in results if result.wrong]
    return sum(result.right_file for result in broken) / max(len(broken), 1)


def page(results: Sequence[Result], mutations: Sequence[Mutation], *, markdown: bool) -> str:
    """A row for each mutation, with what it does, and the sums."""
    rows = [["mutation", *COLUMNS]]
    for one in mutations:
        own = [result for result in results if result.mutant.mutation == one.name]
        rows += [[one.name, *_counts(own)]] if own else []
    people = [result for result in results if result.mutant.mutation in MISTAKES]
    for name, of_all in {"all mistakes of people": people, "all": [*results]}.items():
        rows.append([name, *_counts(of_all)])
        rows.append([f"{name} that load", *_counts([result for result in of_all if result.loads])])
    return draw(rows, markdown=markdown)


def _counts(results: Sequence[Result]) -> Iterator[str]:
    broken = [result for result in results if result.wrong]
    yield str(len(results))
    yield str(len(broken))
    for held in (
        [result.found for result in broken],
        [result.right_file for result in broken],
        [result.mutated_file for result in broken],
        [result.without_corpus for result in broken],
        [result.cause_first for result in broken if result.found],
    ):
        yield f"{sum(held)} ({100 * sum(held) // len(held)}%)" if held else ""
    told = sorted(result.told for result in broken if result.found)
    yield f"{told[len(told) // 2]}, at most {told[-1]}" if told else ""


def survivors(results: Sequence[Result], specs: Mapping[str, SpecText], order: Mapping[Mutant, int]) -> Iterator[str]:
    """The broken mutants for which lint does not point to the right file: what changed, and what differs."""
    for result in results:
        if result.wrong and not result.right_file:
            lines = [_title(result, order), *_changed(result.mutant, specs)]
            lines.append(f"  {shorten(result.difference, 500)}")
            lines += [f"  {shorten(finding.text)}" for finding in result.findings]
            yield "\n".join(lines)


def document(
    results: Sequence[Result], mutations: Sequence[Mutation], specs: Mapping[str, SpecText], order: Mapping[Mutant, int]
) -> str:
    """All of it as a page."""
    same = [str(order[result.mutant]) for result in results if not result.wrong]
    lost = {result.mutant.mutation for result in results if result.wrong and not result.right_file}
    missed = [[code(name), WHY.get(name, "no case has it, and no law speaks of it")] for name in sorted(lost)]
    parts = [
        "# Mutation",
        INTRODUCTION,
        page(results, mutations, markdown=True),
        "## What each mutation does",
        table([["mutation", "what is broken"], *([code(one.name), one.about.replace("\n", " ")] for one in mutations)]),
        "## Not found",
        *([fenced("\n\n".join(found))] if (found := [*survivors(results, specs, order)]) else ["Nothing."]),
        *([] if not missed else ["Why not:", table([["mutation", "why"], *missed])]),
        f"## Left out\n\n{len(same)} mutants do what the shipped spec does, by all that was tried: {', '.join(same)}.",
    ]
    return "\n\n".join(parts) + "\n"


def equivalents(results: Sequence[Result], specs: Mapping[str, SpecText], order: Mapping[Mutant, int]) -> Iterator[str]:
    """The mutants that behave as the shipped spec does, each with its number and what changed."""
    for result in results:
        if not result.wrong:
            yield "\n".join([_title(result, order), *_changed(result.mutant, specs)])


def _title(result: Result, order: Mapping[Mutant, int]) -> str:
    return f"{order[result.mutant]}  {result.mutant.mutation}  {result.mutant.dialect}"


def _changed(mutant: Mutant, specs: Mapping[str, SpecText]) -> list[str]:
    """The lines that differ, with their signs."""
    spec = specs[mutant.dialect]
    lines: list[str] = []
    for file in sorted(mutant.files):
        old = (spec.grammar if file == "grammar" else spec.document).splitlines()
        new = mutant.text(spec, file).splitlines()
        delta = list(difflib.unified_diff(old, new, lineterm="", n=0))
        lines += ["  " + shorten(line) for line in delta if line[0] in "+-" and line[:3] not in ("+++", "---")]
    return [line.encode("utf-8", "backslashreplace").decode() for line in lines]


def as_json(results: Sequence[Result], specs: Mapping[str, SpecText]) -> str:
    """Each result as an object on a line of its own."""
    lines = [
        {
            "dialect": result.mutant.dialect,
            "mutation": result.mutant.mutation,
            "changed": _changed(result.mutant, specs),
            "difference": result.difference,
            "found": result.found,
            "right_file": result.right_file,
            "mutated_file": result.mutated_file,
            "without_corpus": result.without_corpus,
            "cause_first": result.cause_first,
            "told": result.told,
            "findings": [finding.text for finding in result.findings],
            "seconds": round(result.seconds, 3),
        }
        for result in results
    ]
    return "".join(json.dumps(line) + "\n" for line in lines)
