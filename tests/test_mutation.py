"""Broken specs are found: one mutant of each of many kinds, of one dialect. All of them: tools/mutation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tools.mutation import mutant_runs, mutate_specs, mutation_report, spec_text
from tools.mutation.mutant_runs import Result, run_dialect
from tools.mutation.mutations import Mutant, mutants

ROOT = Path(__file__).parent.parent
DIALECT = "hermes"
ERRORS = [
    "broken-indentation", "change-gap", "drop-map-entry", "drop-shape-key", "duplicate-key", "duplicate-rule",
    "empty-marker", "foreign-byte-in-grammar", "left-recursion", "missing-import", "misspell-role", "misspell-use",
    "rename-map-key", "rename-rule", "swap-roles", "unclosed-brace", "unclosed-parenthesis", "unclosed-string",
    "undeclare-slot", "wrong-slot",
]  # fmt: skip
"""Mutations after which the spec does not load."""
CHANGES = [
    "drop-closer", "drop-from-start", "drop-newline", "drop-opener", "greedy-model", "misspell-marker",
    "rename-shape-key", "star-to-optional", "swap-markers", "wrong-role",
]  # fmt: skip
"""Mutations after which it does something else."""
HARMLESS = ["swap-alternatives", "wrong-prefill"]
"""Mutations after which it does the same: neither in the corpus nor by the laws do they show."""


@pytest.fixture(scope="module")
def results() -> dict[str, Result]:
    """What came of a mutant of each kind."""
    chosen = [mutate_specs.MUTATIONS[name] for name in (*ERRORS, *CHANGES, *HARMLESS)]
    drawn = list(mutants({DIALECT: spec_text.read(ROOT, DIALECT)}, chosen, 1, seed=1))
    linted = mutant_runs._findings

    def with_corpus(copy: Path, *given: Any) -> tuple[mutant_runs.Finding, ...]:
        """Whether lint needs the corpus is counted, but not told here."""
        return linted(copy, *given) if (copy / mutant_runs.CORPUS).exists() else ()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mutant_runs, "_findings", with_corpus)
        return {result.mutant.mutation: result for result in run_dialect(ROOT, drawn)}


@pytest.mark.parametrize("name", [*ERRORS, *CHANGES])
def test_is_found(results: dict[str, Result], name: str) -> None:
    """Lint points to the file that was changed; no check fails."""
    result = results[name]
    assert result.difference
    assert result.loads == (name in CHANGES), result.difference
    assert result.mutated_file, result
    assert not result.failed


@pytest.mark.parametrize("name", HARMLESS)
def test_is_left_out(results: dict[str, Result], name: str) -> None:
    """What changes nothing does not count, and is not linted."""
    assert not results[name].difference
    assert not results[name].findings


def test_copies_are_mended(results: dict[str, Result]) -> None:
    """The repository's own files are never touched, and edits are exact: undone, they give the file back."""
    spec = spec_text.read(ROOT, DIALECT)
    for result in results.values():
        for file in result.mutant.files:
            whole = spec.grammar if file == "grammar" else spec.document
            assert result.mutant.text(spec, file) != whole
            for edit in result.mutant.edits:
                assert whole[edit.part.start : edit.part.end] == edit.part.text


def test_there_are_enough() -> None:
    """There are more than 25 mutations, each with a name of its own, and more than 400 mutants of many dialects."""
    assert len(mutate_specs.MUTATIONS) > 25
    assert all(mutation.about for mutation in mutate_specs.MUTATIONS.values())
    names = sorted(path.stem for path in (ROOT / "grammars").glob("*.lark"))[::2]
    specs = {name: spec_text.read(ROOT, name) for name in names}
    drawn = list(mutants(specs, list(mutate_specs.MUTATIONS.values()), 7, seed=1))
    assert len(drawn) > 400
    assert len({mutant.dialect for mutant in drawn}) > 25
    assert drawn == list(mutants(specs, list(mutate_specs.MUTATIONS.values()), 7, seed=1))


def test_the_report_tells_what_is_not_found() -> None:
    """The rate counts the right file only, and survivors are shown with their change and what differs."""
    spec = spec_text.read(ROOT, DIALECT)
    (mutant,) = mutants({DIALECT: spec}, [mutate_specs.MUTATIONS["drop-closer"]], 1, seed=1)
    survivor = Result(mutant, "reads otherwise", (), False, 0.0)
    (shown,) = mutation_report.survivors([survivor], {DIALECT: spec}, {mutant: 7})
    assert shown.splitlines()[0] == "7  drop-closer  hermes"
    assert "reads otherwise" in shown
    assert mutation_report.rate([survivor]) == 0


@pytest.mark.parametrize("arguments", [["--dialects", "hermess"], ["--mutations", "drop"]])
def test_misuse(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """An unknown name is said, with the known ones."""
    with pytest.raises(SystemExit) as exit_:
        mutate_specs.main(arguments)
    assert exit_.value.code == 2
    assert "expected one of" in capsys.readouterr().err


def test_mutants_are_named(
    results: dict[str, Result], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command draws, runs and prints; it fails when too little is found. What comes of a mutant is known here."""

    def known(_: Path, drawn: Sequence[Mutant]) -> list[Result]:
        return [replace(results[mutant.mutation], mutant=mutant) for mutant in drawn]

    monkeypatch.setattr(mutant_runs, "run_dialect", known)
    assert (
        mutate_specs.main(["--dialects", DIALECT, "--mutations", "unclosed-string", "--limit", "1", "--jobs", "1"]) == 0
    )
    assert "unclosed-string" in capsys.readouterr().out


def test_markers_are_cut_exactly() -> None:
    """Strings, expressions and comments of a grammar are told apart, also where one looks like another."""
    grammar = 'a: "//x" NAME // "no"\nNAME: /[^"\\/]+/ // /no/\n'
    spec = spec_text.SpecText("d", grammar, "")
    assert [part.text for part in spec.markers()] == ['"//x"']
    assert [sign.part.text for sign in spec.signs if sign.kind == "regex"] == ['/[^"\\/]+/']
    assert Mutant("d", "m", ()).files == set()
