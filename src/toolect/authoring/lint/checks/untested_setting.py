"""Finds settings of an entry that no case of its corpus shows: end tokens, misspellings, policies and the like."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import structs

from toolect._rendering.ids import with_ids
from toolect._spec.costs import COSTS, Costs
from toolect._spec.document import Table
from toolect._spec.model import Ids
from toolect._spec.policies import POLICIES, WRITING
from toolect.authoring.corpus import describe
from toolect.authoring.lint.manner import gives_back
from toolect.authoring.lint.subject import Subject
from toolect.compiled import Dialect
from toolect.diagnostic import Diagnostic, warning
from toolect.message import Call, dumps

Setting = tuple[tuple[str, ...], str]
"""Where a setting is in the entry, and what no case does."""


def check(subject: Subject) -> Iterator[Diagnostic]:
    """A diagnostic for each setting of the dialect's own entry that no case shows."""
    if subject.cases:
        for path, what in (*_texts(subject), *_tails(subject), *_ids(subject), *_costs(subject), *_policies(subject)):
            message = f"no case of `{subject.name}` {what}"
            yield warning("untested-setting", message, subject.places.entry(*path), help="add a case that shows it")


def _texts(subject: Subject) -> Iterator[Setting]:
    """What a text would be read otherwise without."""
    spec = subject.spec
    wrong = {
        (right, one): _less(spec.misspellings, right, one) for right, all_ in spec.misspellings.items() for one in all_
    }
    comments = spec.comments if subject.loaded.grammar.stem == subject.name else ()
    settings: list[tuple[tuple[str, ...], dict[str, Any]]] = [
        *((("end", token), {"end": tuple(t for t in spec.end if t != token)}) for token in spec.end),
        *((("reserved", name), {"no_call": tuple(n for n in spec.no_call if n != name)}) for name in spec.no_call),
        *((("comments", o), {"comments": {k: v for k, v in spec.comments.items() if k != o}}) for o in comments),
        *((("misspellings", *path), {"misspellings": left}) for path, left in wrong.items()),
    ]
    for path, without in settings:
        if (path[0] == "comments" or _own(subject, path[0])) and not _matters(subject, without, path[-1]):
            yield path, f"needs `{dumps(path[-1])[1:-1]}` to be read"


def _less(misspellings: dict[str, tuple[str, ...]], right: str, wrong: str) -> dict[str, tuple[str, ...]]:
    return misspellings | {right: tuple(one for one in misspellings[right] if one != wrong)}


def _tails(subject: Subject) -> Iterator[Setting]:
    """The tails of prompts; of several that fit, the longest counts."""
    tails = subject.spec.prefill if _own(subject, "prefill") else {}
    prefixes = [case.options.get("prefix", "") for case, _ in subject.readings]
    used = {max((tail for tail in tails if prefix.endswith(tail)), key=len, default="") for prefix in prefixes}
    for tail in tails:
        if tail not in used:
            yield ("prefill", tail), f"has `:prefix {dumps(tail)}`"


def _ids(subject: Subject) -> Iterator[Setting]:
    """The id of the first call that comes without one."""
    if subject.spec.ids is not None and _own(subject, "ids"):
        made = first_id(subject.spec.ids)
        if not any(call.id == made for _, message in subject.readings for call in message.calls):
            yield ("ids", "form"), f"has a call with the first id that is made, `{made}`"


def first_id(ids: Ids) -> str | None:
    """The id that the first call of a message gets if it comes without one."""
    (made,) = with_ids(ids, [Call("f", {})])
    return made.id if isinstance(made, Call) else None


def _costs(subject: Subject) -> Iterator[Setting]:
    """The costs that are not as by default: a case must be read otherwise by default."""
    for field in structs.fields(Costs):
        cost = getattr(COSTS, field.name)
        if getattr(subject.spec.costs, field.name) == cost or not _own(subject, "costs", field.encode_name):
            continue
        if not _matters(subject, {"costs": structs.replace(subject.spec.costs, **{field.name: cost})}):
            yield ("costs", field.encode_name), f"is read otherwise with the cost {cost}"


def _policies(subject: Subject) -> Iterator[Setting]:
    """The policies that are not as by default: a case must be read, or written, otherwise by default."""
    for name, (default, *_) in POLICIES.items():
        written = name.replace("_", "-")
        if getattr(subject.spec.policies, name) == default or not _own(subject, "policies", written):
            continue
        policies = structs.replace(subject.spec.policies, **{name: default})
        if not _matters(subject, {"policies": policies}, writing=name in WRITING):
            yield ("policies", written), f"would mean something else without `{written}`"


def _matters(subject: Subject, other: dict[str, Any], text: str = "", *, writing: bool = False) -> bool:
    """True when a case, one with `text` in it, is read or written in another way with `other` settings."""
    changed = Dialect(structs.replace(subject.spec, **other))
    for case, message in subject.readings:
        if text not in case.text:
            continue
        if (
            gives_back(case, message, changed) != gives_back(case, message, subject.dialect)
            if writing
            else (describe(changed.parse(case.text, **case.options)) != describe(message))
        ):
            return True
    return False


def _own(subject: Subject, *path: str) -> bool:
    """True when the entry itself has the field, or a key of it: what it inherits is shown by another corpus."""
    field = subject.loaded.entry.table.get(path[0])
    return field is not None and (len(path) == 1 or isinstance(field, Table) and field.get(path[1]) is not None)
