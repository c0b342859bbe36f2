"""A Lark grammar as rules: Lark's loader reads it, then it is checked."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from toolect import _files as files
from toolect._diagnostic import Diagnostic, Place, Severity
from toolect._spec.grammar_model import SLOTS, Expr
from toolect._spec.grammar_source import GrammarSource, check_names, origins, read_source
from toolect._spec.lalr import check_lalr, complain
from toolect._spec.lark_loader import load_grammar
from toolect._spec.lark_rules import LarkRules, UnsupportedError
from toolect._spec.lark_terminals import Terminals
from toolect._spec.linear import check_rules
from toolect._spec.model import Rule
from toolect._spec.problems import Problems, near, one_of
from toolect._spec.recursion import check_recursion


class Grammar(NamedTuple):
    """A grammar file, read: its rules, own ones first, and all texts of the terminals that are made of texts."""

    rules: dict[str, Rule]
    spellings: dict[str, tuple[str, ...]]
    comments: dict[str, str]
    """Opener of a comment → its closer."""


def read_grammar(
    path: Path, problems: Problems, at: Place | None = None, slots: Mapping[str, Expr] = SLOTS, *, proven: bool = False
) -> Grammar | None:
    """A grammar file; nothing when it has errors. `slots` are what it may declare.

    Whether LALR(1) tools can read it is checked of a dialect alone. That, and what its expressions cost, takes half of
    the time, and is left out where it is `proven`.
    """
    before = len(problems.found)
    source = read_source(path, problems, at)
    if source is None or len(problems.found) > before:
        return None
    check_names(source, problems)
    _check_slots(source, slots, problems)
    if "start" not in source.defined and not any("start" in i.names.values() for i, _ in source.imports):
        problems.error("undefined-name", "the rule `start` is not defined", Place(str(path), 1, 1))
    if len(problems.found) > before:
        return None
    names = origins(source)
    try:
        grammar, _ = load_grammar(source.text, str(path), [_imported], False)
        terminals = Terminals(grammar)
        rules = LarkRules(grammar, terminals, names, slots, problems).read()
        comments = terminals.comments(source.ignored, problems)
        if slots is SLOTS and not proven:
            check_lalr(grammar, rules, names, Place(str(path), 1, 1), problems)
    except UnsupportedError:
        return None
    except Exception as error:  # Lark also fails by assertion, by `re.error`, by running out of stack
        complain(error, names, Place(str(path), 1, 1), problems)
        return None
    check_recursion(rules, problems)
    if not proven:
        check_rules(rules.values(), {origin.name: origin.place for origin in names.values()}, problems)
    if any(d.severity is Severity.ERROR for d in problems.found[before:]):
        return None
    return Grammar(rules, {n: texts for n in source.defined if (texts := terminals.spellings.get(n))}, comments)


class GrammarFiles:
    """The grammar files of one load: each that is sound is read once."""

    def __init__(self, slots: Mapping[str, Expr] = SLOTS, *, proven: bool = False) -> None:
        """`slots` and `proven` as of `read_grammar`."""
        self._slots, self._proven = slots, proven
        self._sound: dict[Path, tuple[Grammar, list[Diagnostic]]] = {}
        """Grammars, each with the warnings of its file."""

    def read(self, path: Path, problems: Problems, at: Place) -> Grammar | None:
        """A grammar file; nothing when it has errors."""
        if path in self._sound:
            grammar, warnings = self._sound[path]
            problems.found += warnings
            return grammar
        before = len(problems.found)
        found = read_grammar(path, problems, at, self._slots, proven=self._proven)
        if found is not None:
            self._sound[path] = found, problems.found[before:]
        return found


def _imported(folder: str | None, file: str) -> tuple[str, str]:
    """The path and the text of the grammar that an import in a file of `folder` means, for Lark."""
    if folder is None:
        raise FileNotFoundError(file)  # one of Lark's own
    path = files.imported(Path(folder), Path(file).with_suffix("").parts)
    return str(path), files.read(path).decode("utf-8-sig").replace("\r\n", "\n")


def _check_slots(source: GrammarSource, slots: Mapping[str, Expr], problems: Problems) -> None:
    for name, place in source.declared.items():
        if name not in slots:
            hint = near(name, slots) or f"the slots are {one_of(slots)}"
            problems.error("unknown-slot", f"expected a slot, got `{name}`", place, hint=hint)
    for _, other in source.imports:
        if other is not None:
            _check_slots(other, slots, problems)
