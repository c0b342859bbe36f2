"""Checks of a corpus: files that cannot be read, or that are not there, and its coverage."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import NamedTuple

from msgspec import structs

from toolect._authoring.corpus import CorpusError, describe, read
from toolect._authoring.derivation import PartKind, derive, parts
from toolect._authoring.lint.subject import Subject
from toolect._authoring.lint.update import gives_back
from toolect._compiled import Dialect
from toolect._diagnostic import Diagnostic, Place, warning
from toolect._message import Call
from toolect._rendering.ids import with_ids
from toolect._spec.document import Items, YamlTable, read_text
from toolect._spec.document import YamlScalar as Written
from toolect._spec.model import IdForm, Spec
from toolect._spec.problems import Problems


def unreadable_corpus(subject: Subject) -> Iterator[Diagnostic]:
    """The errors that keep the file from being read, else each line that cannot be used."""
    check, file = "unreadable-corpus", subject.corpus_file
    if file is None or not file.exists():
        return
    problems = Problems()
    read_text(file, problems, check)
    yield from (structs.replace(d, check=check) for d in problems.found)
    for error in () if problems.found else _wrong(file):
        place = Place(str(file), error.line, 1)
        yield Diagnostic(check, error.reason, place, help="docs/guide/corpus.md describes the format")


def _wrong(file: Path) -> Iterator[CorpusError]:
    try:
        cases = read(file)
    except CorpusError as error:
        yield error
        return
    for case, part in product(cases, ("options", "expectations")):
        try:
            getattr(case, part)
        except CorpusError as error:
            yield error


def missing_corpus(subject: Subject) -> Iterator[Diagnostic]:
    """The dialect's corpus, where it should be there and is not."""
    file = subject.corpus_file
    if file is not None and not file.is_file():
        message = f"the dialect `{subject.name}` has no corpus"
        yield warning("missing-corpus", message, subject.place, help=f"write what the model wrote into `{file}`")


class Gap(NamedTuple):
    """Something that no case shows: in words, and where it is."""

    what: str
    place: Place


def uncovered(subject: Subject) -> Iterator[Diagnostic]:
    """One report of all that the corpus does not show of the dialect's own entry and grammar."""
    gaps = [*_settings(subject)]
    if subject.readings:  # that the file is missing, or cannot be read, is found by other checks
        gaps += [*_texts(subject), *_parts(subject)]
    for first, *others in [gaps] if gaps else []:
        more = f", and {len(others)} more" if others else ""
        yield warning(
            "uncovered",
            f"no case of `{subject.name}` shows {first.what}{more}",
            first.place,
            related=tuple((gap.place, f"nor {gap.what}") for gap in others),
            help="add a case that does, or leave out what no text needs; `--update` writes what is read",
        )


def _parts(subject: Subject) -> Iterator[Gap]:
    """The alternatives and options of the dialect's own grammar that no text takes."""
    own, name = str(subject.loaded.grammar), subject.loaded.grammar.stem
    options = [part for part in parts(subject.dialect) if part.place.path == own and part.kind is not PartKind.RULE]
    left = {part.name: part for part in options} if name == subject.name else {}
    for case, _ in sorted(subject.readings, key=lambda one: -len(one[0].text)):
        if not left:
            return
        taken = derive(subject.dialect, case.text, **case.options).edges
        left = {name: part for name, part in left.items() if not taken.get(name)}
    yield from (Gap(f"the {part.kind} `{part.text}`", part.place) for part in left.values())


_TOLD = ("end", "prefill", "misspellings")
"""Fields with texts: a case has to have them."""
_CHANGING = ("values", "gaps", "costs", "policies")
"""Fields with settings: a case has to be read, or written, otherwise without them."""


def _keys(subject: Subject, fields: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """The ways to what the entry itself says in these fields: keys and items, options of a codec among them."""
    for field, value in subject.loaded.entry.table.entries:
        if field.text not in fields:
            continue
        if isinstance(value, Items):
            yield from ((field.text, item.text) for item in value.items if isinstance(item, Written))
        for key, inner in value.entries if isinstance(value, YamlTable) else ():
            if field.text == "values" and isinstance(inner, Written) and inner.text == "text":
                continue  # the default, said beside others
            if field.text == "misspellings" and isinstance(inner, Items):
                yield from ((field.text, key.text, one.text) for one in inner.items if isinstance(one, Written))
                continue
            yield field.text, key.text
            if field.text == "values" and isinstance(inner, YamlTable):
                yield from (
                    (field.text, key.text, option.text) for option, _ in inner.entries if option.text != "codec"
                )


def _texts(subject: Subject) -> Iterator[Gap]:
    """Texts that the entry names and no case has, and ids that are never made."""
    prefixes = [case.options.get("prefix", "") for case, _ in subject.readings]
    texts = [case.text for case, _ in subject.readings]
    for keys in _keys(subject, _TOLD):
        said = re.compile(re.sub(r"\\\{\w+\\\}", "(?s:.*)", re.escape(keys[-1])))  # `{NAME}`: any spelling
        if not any(map(said.search, prefixes if keys[0] == "prefill" else texts)):
            yield Gap(f"`{keys[-1]}` of `{keys[0]}`", subject.places.entry(*keys))
    made = first_id(subject.spec.ids) if subject.spec.ids is not None else None
    for keys in _keys(subject, ("ids",)):
        if made is not None and not any(call.id == made for _, message in subject.readings for call in message.calls):
            yield Gap(f"the first id that is made, `{made}`", subject.places.entry(*keys))


def _settings(subject: Subject) -> Iterator[Gap]:
    """Settings that change nothing, or nothing in any case."""
    for keys in _keys(subject, _CHANGING):
        without = subject.without(*keys)
        if without == subject.spec:
            yield Gap(f"what `{keys[-1]}` of `{keys[0]}` changes: nothing does", subject.places.entry(*keys))
        elif without is not None and subject.readings and not _matters(subject, without):
            yield Gap(f"what `{keys[-1]}` of `{keys[0]}` changes", subject.places.entry(*keys))


def _matters(subject: Subject, without: Spec) -> bool:
    """True when a case is read or written in another way with this spec."""
    other = Dialect(without)
    return any(
        case.clean
        and gives_back(case, message, other) is not case.canonical
        or describe(other.parse(case.text, **case.options)) != describe(message)
        for case, message in subject.readings
    )


def first_id(ids: IdForm) -> str | None:
    """The id that the first call of a message gets if it comes without one."""
    (made,) = with_ids(ids, [Call("f", {})])
    return made.id if isinstance(made, Call) else None


CHECKS = {"unreadable-corpus": unreadable_corpus, "missing-corpus": missing_corpus}
COVERAGE = {"uncovered": uncovered}
