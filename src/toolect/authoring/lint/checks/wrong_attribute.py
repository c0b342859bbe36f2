"""Finds cases of the corpus with an attribute that does not hold, or without one that does."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from toolect._shown import one_line
from toolect.authoring.corpus import Case
from toolect.authoring.derivation.explain import explain
from toolect.authoring.lint.departure import MAX_PLACES, Related, uneven
from toolect.authoring.lint.manner import Manner, true, written
from toolect.authoring.lint.subject import Subject
from toolect.diagnostic import Diagnostic, Place, warning
from toolect.message import Message

_FOUND = {
    Manner.CANONICAL: "strict mode reads its text, and rendering gives it back",
    Manner.PARSE_ONLY: "rendering writes another text",
    Manner.LENIENT: "its text is read with repairs",
    Manner.ERROR: "a call in it cannot be run",
}


def check(subject: Subject) -> Iterator[Diagnostic]:
    """A diagnostic for each case, at the attribute or at the title."""
    for case, message in subject.readings:
        said, found = written(case), true(case, message, subject.dialect)
        statuses = [call.status.value for call in message.calls]
        if said is Manner.ERROR is found and case.get("error") not in statuses:
            yield _told(case, said, f"no call in it is {case.get('error')}", _wanted(found, message), ())
        elif said is not found:
            why, related = _FOUND[found], uneven(subject, case, message) if said is Manner.CANONICAL else ()
            if found is Manner.LENIENT:
                related = (*_repairs(case, message), *related)[:MAX_PLACES]
            yield _told(case, said, why, _wanted(found, message), related)


def _told(case: Case, said: Manner, why: str, wanted: str, related: Related) -> Diagnostic:
    names = [name for name, _ in case.attributes]
    line = case.line + 2 + names.index(said) if said else case.line + 1
    place = Place(str(case.path), line, 1, len(f":{said}") if said else len(case.title))
    stated = f"is marked `:{said}`" if said else "is not marked"
    advice = f"write `{wanted}`" if wanted else f"delete `:{said}`"
    told = f"the case `{case.title}` {stated}, but {why}"
    return warning("wrong-attribute", told, place, help=advice, related=related)


def _repairs(case: Case, message: Message) -> Iterator[tuple[Place, str]]:
    """What is repaired in the text of a case, and where it stands in the corpus."""
    first = case.line + len(case.attributes) + 3
    for repair in (*message.repairs, *chain.from_iterable(call.repairs for call in message.calls)):
        at = min(max(repair.at, 0), len(case.text))
        line, column = first + case.text.count("\n", 0, at), at - case.text.rfind("\n", 0, at)
        yield Place(str(case.path), line, column), f"the repair `{repair.kind}`: {one_line(explain(repair))}"


def _wanted(found: Manner, message: Message) -> str:
    """The attribute as it should be written."""
    if found is Manner.ERROR:
        return f":error {next(call.status for call in message.calls if not call.runnable)}"
    return f":{found}" if found else ""
