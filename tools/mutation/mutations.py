"""What a mutation is, and what it makes of specs; the ways to break one are in grammar_mutations, entry_mutations."""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from tools.mutation.spec_text import FileKind, Part, SpecText


class Edit(NamedTuple):
    """A stretch of a file, and what takes its place; a lone surrogate stands for a byte that is no text."""

    part: Part
    new: str


Edits = tuple[Edit, ...]
Maker = Callable[[SpecText], Iterator[Edits]]


class Mutation(NamedTuple):
    """A way to break a spec: a name, what it does, and how to make its mutants of one spec."""

    name: str
    about: str
    make: Maker


class Mutant(NamedTuple):
    """One broken spec."""

    dialect: str
    mutation: str
    edits: Edits

    @property
    def files(self) -> set[FileKind]:
        """The files that are not as they were."""
        return {edit.part.file for edit in self.edits}

    def text(self, spec: SpecText, file: FileKind) -> str:
        """The text of one of its files."""
        whole = spec.grammar if file == "grammar" else spec.document
        for part, new in sorted(self.edits, key=lambda edit: -edit.part.start):
            if part.file == file:
                whole = whole[: part.start] + new + whole[part.end :]
        return whole


def mutation(make: Maker) -> Mutation:
    """The mutation that a function makes: it has the function's name, and its docstring says what it does."""
    name = getattr(make, "__name__", "").strip("_").replace("_", "-")
    return Mutation(name, inspect.getdoc(make) or "", make)


def replaced(part: Part, new: str) -> Edits:
    """One stretch replaced."""
    return (Edit(part, new),)


def swapped(one: Part, two: Part) -> Edits:
    """Two stretches in each other's place."""
    return Edit(one, two.text), Edit(two, one.text)


def mutants(
    specs: Mapping[str, SpecText], chosen: Sequence[Mutation], per_mutation: int, seed: int
) -> Iterator[Mutant]:
    """At most so many mutants of each mutation, of as many dialects as there are."""
    for one in chosen:
        drawn = random.Random(f"{seed} {one.name}")
        lots: list[list[Mutant]] = []
        for spec in specs.values():
            made = list(dict.fromkeys(Mutant(spec.dialect, one.name, edits) for edits in one.make(spec)))
            drawn.shuffle(made)
            if made:
                lots.append(made)
        drawn.shuffle(lots)
        in_turn = (lot[turn] for turn in range(max(map(len, lots), default=0)) for lot in lots if turn < len(lot))
        yield from (mutant for mutant, _ in zip(in_turn, range(per_mutation), strict=False))
