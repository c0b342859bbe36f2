"""Finds texts that are read differently when they arrive in chunks."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from toolect._spec.costs import COSTS
from toolect.authoring.generate.facts import facts
from toolect.authoring.laws import same, stream
from toolect.authoring.lint.attempt import Trial, shorten, told
from toolect.authoring.lint.subject import Subject
from toolect.diagnostic import Diagnostic, warning
from toolect.message import Json, Message

TEXTS = 40
"""Texts that are read in chunks, for each dialect."""

_LOOKS = "look for an expression that looks around; if there is none, this is a mistake in toolect"
_DEAR = "with the costs of the entry it is cheaper to repair this than to read it"


def check(subject: Subject) -> Iterator[Diagnostic]:
    """A diagnostic with a short text that is read differently in chunks."""

    def read(trial: Trial, text: str) -> tuple[Message, Message]:
        return subject.dialect.parse(text, trial.tools), stream(subject.dialect, text, tools=trial.tools)[0]

    for trial, found in sorted(_texts(subject), key=lambda one: len(one[1])):
        if same(*read(trial, found)):
            continue
        text = shorten(found, lambda less, trial=trial: not same(*read(trial, less)))  # type: ignore[misc]
        whole, parts = read(trial, text)
        own = subject.spec.costs != COSTS
        yield warning(
            "chunk-variance",
            "this text is read differently when it arrives character by character",
            subject.places.segment(trial.message.segments[-1]),
            label=_DEAR if own else "something in here looks at what follows",
            witness=text,
            reading=_apart(whole, parts),
            help="take back what the entry says of `costs`" if own else _LOOKS,
        )
        return


def _apart(whole: Message, parts: Message) -> str:
    """Both readings; where they say the same, the first detail that differs."""
    if told(whole) != told(parts):
        return f"{told(whole)}   or   {told(parts)}"
    where, one, other = next(_unlike(whole, parts), ("", "", ""))
    return f"{told(whole)}, where `{where}` is {one!r} as a whole and {other!r} in pieces"


def _unlike(one: Json, other: Json, path: str = "") -> Iterator[tuple[str, Json, Json]]:
    """Where two readings differ, innermost: what leads there, and what they have."""
    if isinstance(one, list | tuple) and isinstance(other, list | tuple) and len(one) == len(other):
        for number, pair in enumerate(zip(one, other, strict=True)):
            yield from _unlike(*pair, f"{path}[{number}]")
    elif hasattr(one, "__struct_fields__") and type(one) is type(other):
        for field in one.__struct_fields__:
            yield from _unlike(getattr(one, field), getattr(other, field), f"{path}.{field}".strip("."))
    elif not same(one, other):
        yield path, one, other


def _texts(subject: Subject) -> Iterator[tuple[Trial, str]]:
    """Texts as the dialect writes them, and broken ones."""
    random = Random(subject.name)
    markers = facts(subject.dialect).markers
    written = [(trial, str(trial.text)) for trial in subject.trials if trial.text is not None]
    for trial, text in random.sample(written, min(TEXTS // 2, len(written))):
        at = random.randint(0, len(text))
        yield trial, text
        yield trial, text[:at] + random.choice((*markers, "")) + text[at:] if random.random() < 0.5 else text[:at]
