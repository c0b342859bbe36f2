"""Specs out of a `dialects.yaml` and the grammars beside it."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from pathlib import Path

from toolect import _files as files
from toolect._diagnostic import Diagnostic, Place, Severity, SpecError
from toolect._names import Names
from toolect._spec.codecs import read_codecs
from toolect._spec.decode import read_fields
from toolect._spec.document import YamlScalar, describe, read_document, read_text
from toolect._spec.entry import (
    Entry,
    Loaded,
    Plain,
    check_literal,
    read_entry,
    read_ids,
    read_misspellings,
    read_prefill,
    spelled,
)
from toolect._spec.grammar import Grammar, GrammarFiles
from toolect._spec.holes import holes
from toolect._spec.map_checks import check_mapped, check_within_calls
from toolect._spec.meaning import begins_with_name, names_twice, read_map, take_texts
from toolect._spec.model import Role, Spec
from toolect._spec.parts import Parts
from toolect._spec.problems import Problems, in_order, near
from toolect._spec.shape_model import HoleKind
from toolect._spec.shapes import Shapes
from toolect._spec.taken_names import check_names
from toolect._spec.variant import inherit, replace_markers


def load_specs(path: str | Path, *bases: str | Path | None) -> tuple[dict[str, Spec], list[Diagnostic]]:
    """Every spec of a file that could be loaded, and every problem.

    `extends` may also name an entry of the files `bases`; of several with one name the last counts.
    """
    problems = Problems()
    entries = read_entries(Path(path), problems)
    loaded = [*load_entries(path, entries, entries, *bases)]
    found = problems.found + [diagnostic for one in loaded for diagnostic in one.found]
    return {one.spec.name: one.spec for one in loaded if one.spec is not None}, in_order(found)


def load_entries(
    path: str | Path, entries: dict[str, Entry], names: Iterable[str], *bases: str | Path | None,
    grammars: GrammarFiles | None = None,
) -> Iterator[Loaded[Spec]]:  # fmt: skip
    """Those of the `entries` of a file that `names` says, one after the other; `grammars` are those read before."""
    loader = _Loader(Path(path), entries, _bases(bases, entries), grammars or GrammarFiles())
    for name in names:
        yield loader.load(entries[name])


def load_spec(path: str | Path, name: str, *bases: str | Path | None) -> Spec:
    """One spec of a file; the grammars of the other entries are not read. Raises `SpecError`.

    Of those that come with toolect, lint has proven what takes long.
    """
    problems = Problems()
    entries = read_entries(Path(path), problems, only=name)
    spec = None
    grammars = GrammarFiles(proven=Path(path) == files.shipped())
    for loaded in load_entries(path, entries, [name] if name in entries else [], *bases, grammars=grammars):
        spec = loaded.spec
        problems.found += loaded.found
    if spec is None or problems.failed:
        if not problems.failed:
            hint = near(name, entries)
            problems.error("unknown-dialect", f"no entry is named `{name}`", Place(str(path), 1, 1), hint=hint)
        raise SpecError([d for d in in_order(problems.found) if d.severity is Severity.ERROR])
    return spec


def read_names(path: str | Path) -> tuple[dict[str, Names], list[Diagnostic]]:
    """Names, aliases and models of a file's entries, and the problems of the file; no grammar is read."""
    problems, aside = Problems(), Problems()
    names = {
        name: Names(
            tuple(t.text for t in entry.texts("aliases", aside)),
            tuple(t.text for t in entry.texts("models", aside)),
            entry.text("extends", aside),
        )
        for name, entry in read_entries(Path(path), problems).items()
    }
    return names, problems.found + aside.found


def read_entries(path: Path, problems: Problems, only: str | None = None) -> dict[str, Entry]:
    """The entries of a file by name; with `only`, problems of entries that it does not need are left out."""
    text = read_text(path, problems, "missing-spec")
    document = None if text is None else read_document(path, text, problems)
    entries = {}
    if document and not document.entries:
        problems.error("empty-spec", "expected at least one entry, got an empty mapping", document.place)
    for key, node in document.entries if document else ():
        aside = problems if only in (None, key.text) else Problems()
        entry = read_entry(key, node, aside)
        if entry is not None:
            entries[key.text] = entry
    if only is None:
        check_names(entries, problems)
    return entries


def _bases(bases: Iterable[str | Path | None], entries: dict[str, Entry]) -> dict[str, tuple[Path, Entry]]:
    """The entries that `extends` may name besides those of the file itself, when any does not name one of these."""
    named = {(name, node.text) for name, e in entries.items() if isinstance(node := e.table.get("extends"), YamlScalar)}
    if all(other in entries and other != name for name, other in named):
        return {}
    paths = [Path(base) for base in bases if base is not None]
    return {name: (path, entry) for path in paths for name, entry in read_entries(path, Problems()).items()}


class _Loader:
    """Turns an entry into a spec."""

    def __init__(
        self, path: Path, entries: dict[str, Entry], bases: dict[str, tuple[Path, Entry]], grammars: GrammarFiles
    ) -> None:
        self.path = path
        self.entries = entries
        self.bases = bases
        self.grammars = grammars

    def load(self, entry: Entry) -> Loaded[Spec]:
        """The entry, loaded; it has no spec when there are errors."""
        problems = Problems()
        grammar = self._grammar(self.path, entry.name.text)
        below: Entry | None = None
        if entry.table.get("extends") is not None:
            found = self._extended(entry, problems)
            if found is None:
                return Loaded(entry, None, tuple(problems.found), entry, grammar)
            path, below = found
            if not files.exists(grammar):
                grammar = self._grammar(path, below.name.text)
        inherited = below is not None and grammar.stem == below.name.text
        whole = entry if below is None else inherit(entry, below)
        read = self.grammars.read(grammar, problems, entry.name.place)
        spec = None
        if read is not None:
            rules, whole = replace_markers(entry, whole, read.rules, inherited, problems)
            spec = self._spec(entry, whole, read._replace(rules=rules), inherited, problems)
        return Loaded(entry, spec, tuple(problems.found), whole, grammar)

    def _spec(self, entry: Entry, whole: Entry, grammar: Grammar, inherited: bool, problems: Problems) -> Spec | None:
        rules = grammar.rules
        map_table, values = whole.mapping("map", problems), whole.mapping("values", problems)
        own_map, own_values = (
            {key.text for key, _ in (table if inherited else entry.mapping(field, Problems())).entries}
            for field, table in (("map", map_table), ("values", values))
        )
        named = Shapes(whole.mapping("shapes", problems), problems)
        meanings = read_map(map_table, named, rules, own_map, problems)
        named.check_used(entry.mapping("shapes", Problems()))
        roles, shapes = meanings.roles, meanings.shapes
        ids = None
        if not problems.failed:  # what a mistake in the map leaves without a meaning is no news
            check_mapped(rules, roles, shapes, map_table.place, problems)
            check_within_calls(rules, roles, shapes, map_table.place, problems)
            ids = read_ids(whole, roles, any(HoleKind.ID in holes(shape) for shape in shapes.values()), problems)
        codecs = read_codecs(values, rules, roles, own_values, problems)
        fixed_names = take_texts(meanings, codecs, map_table, problems)
        named_by_id = ids is not None and "{name}" in ids.form
        plain = read_fields(whole.table, Plain, problems)
        if not any(begins_with_name(rule, roles) for rule in rules.values()):
            plain["no_call"] = plain.pop("reserved", ())
        for rule in plain.get("unwritten", ()):
            if rule not in rules:
                hint = near(rule, rules)
                problems.error("unknown-part", f"expected a rule of the grammar, got `{rule}`",
                               whole.table.place, hint=hint)  # fmt: skip
        literals = Parts(rules).literals
        for marker in itertools.chain(*(whole.texts(field, Problems()) for field in ("lines", "glued", "aside"))):
            check_literal(marker, literals, problems)
        ends = (spelled(end, grammar.spellings, problems) for end in whole.texts("end", problems))
        spec = Spec(
            **plain,
            name=entry.name.text,
            rules=rules,
            roles={k: Role.REF if role is Role.ID else role for k, role in roles.items()} if named_by_id else roles,
            shapes=shapes,
            codecs=codecs,
            written=meanings.written,
            before_call=tuple(meanings.before_call),
            fixed_names=fixed_names,
            comments=grammar.comments,
            code=meanings.code[0] if meanings.code else "",
            ids=None if named_by_id else ids,
            ref=ids.form if ids is not None and named_by_id else "",
            prefill=read_prefill(whole, grammar, problems),
            end=tuple(itertools.chain.from_iterable(ends)),
            misspellings=read_misspellings(entry, whole, literals, problems),
            tagged=any(names_twice(rule, roles) for rule in rules.values()),
            place=entry.name.place,
        )
        return None if problems.failed else spec

    def _grammar(self, path: Path, name: str) -> Path:
        return path.parent / "grammars" / f"{name}.lark"

    def _extended(self, entry: Entry, problems: Problems) -> tuple[Path, Entry] | None:
        """The entry that this one extends, with the file it is in."""
        node = entry.table.get("extends")
        name = entry.text("extends", problems)
        if not name or node is None:
            return None
        beside = self.entries.get(name) if name != entry.name.text else None
        found = self.bases.get(name) if beside is None else (self.path, beside)
        if found is None:
            message = f"expected another entry to extend, got `{name}`"
            hint = near(name, {*self.bases, *self.entries} - {entry.name.text})
            problems.error("unknown-dialect", message, node.place, hint=hint)
            return None
        path, other = found
        if (further := other.table.get("extends")) is not None:
            message = f"expected an entry that stands alone, got `{name}`, which extends another"
            hint = f"extend {describe(further)}, and write what `{name}` changes here too"
            problems.error("extends-twice", message, node.place, hint=hint)
            return None
        return path, other
