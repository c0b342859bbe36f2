"""Finds cases of the corpus that are not read as they say."""

from __future__ import annotations

from collections.abc import Iterator

from toolect.authoring.corpus import Case, CorpusError, describe
from toolect.authoring.lint.departure import unlike
from toolect.authoring.lint.manner import true
from toolect.authoring.lint.subject import Subject
from toolect.authoring.lint.update import doubtful
from toolect.compiled import Dialect
from toolect.diagnostic import Diagnostic, Place
from toolect.message import Message


def check(subject: Subject) -> Iterator[Diagnostic]:
    """A diagnostic for each case, at the first line that does not hold."""
    for case, message in subject.readings:
        try:
            expected = case.expectations
        except CorpusError:  # which has a check of its own
            continue
        said = describe(message).splitlines()
        wanted = [line for _, line in expected]
        if said != wanted:
            place, label = _difference(case, expected, said)
            yield Diagnostic(
                "failing-case",
                f"the case `{case.title}` " + ("is not read as it says" if expected else "does not say what is read"),
                place,
                label=label,
                witness=case.text,
                reading="; ".join(line.strip() for line in said) or "nothing",
                help=_help(case, message, subject.dialect),
                related=unlike(subject, case, wanted, message) if wanted else (),
            )


def _difference(case: Case, expected: list[tuple[int, str]], said: list[str]) -> tuple[Place, str]:
    """The first line that differs, and what is read in its stead."""
    for (number, line), got in zip(expected, said, strict=False):
        if line != got:
            return Place(str(case.path), number, 1, len(line)), f"is read as `{got.strip()}`"
    if len(expected) > len(said):
        number, line = expected[len(said)]
        return Place(str(case.path), number, 1, len(line)), "nothing else is read"
    if expected:
        number, line = expected[-1]
        return Place(str(case.path), number, 1, len(line)), f"after this comes `{said[len(expected)].strip()}`"
    return Place(str(case.path), case.line + 1, 1, len(case.title)), ""


def _help(case: Case, message: Message, dialect: Dialect) -> str:
    if case.has("error"):
        what = "the texts of its broken calls" if case.expected.strip() else "what is read"
        return f"mend the dialect, or the case: of a case of `:error`, `--update` writes {what}, and no more"
    status = next((call.status for call in message.calls if not call.runnable), None)
    if status is not None:
        return f"mend the dialect, or write `:error {status}` and what is read if that is right"
    accept = " --accept" if case.expected.strip() or doubtful(case, true(case, message, dialect)) else ""
    return f"mend the dialect; if what is read is right, `toolect lint --update{accept}` writes it"
