"""Finds what a dialect can carry and no case shows: parallel calls, reasoning, no arguments, text, a cut."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from toolect.authoring.generate.minimal import OSLO, ROME, TEXT, THOUGHT
from toolect.authoring.laws import carried
from toolect.authoring.lint.subject import Subject
from toolect.compiled import Dialect
from toolect.diagnostic import Diagnostic, Place, warning
from toolect.message import Call, Content, Message, Segment, Status
from toolect.rendered import Unrepresentable

_TRIED = 3
"""Cases of the corpus whose calls are tried where a made-up one finds no place."""


class Feature(NamedTuple):
    """Something that a corpus should show: in words, whether a message shows it, and messages that do."""

    about: str
    shows: Callable[[Message], bool]
    compose: Callable[[Call, Call], Sequence[Sequence[Segment]]]
    cut: bool = False
    """It is not the text of such a message, but a part of it."""


FEATURES = (
    Feature("two calls", lambda message: len(message.runnable) > 1, lambda one, two: [[one, two]]),
    Feature("text before a call", lambda message: _after_text(message.segments), lambda one, _: [[TEXT, one]]),
    Feature(
        "reasoning",
        lambda message: bool(message.reasoning.strip()),
        lambda one, _: [[THOUGHT, TEXT], [THOUGHT, one]],
    ),
    Feature(
        "a call without arguments",
        lambda message: any(call.arguments == {} for call in message.runnable),
        lambda one, _: [[Call(one.name, {}, one.id)]],
    ),
    Feature(
        "a call that is cut off",
        lambda message: any(call.status is Status.TRUNCATED for call in message.calls),
        lambda one, _: [[one]],
        cut=True,
    ),
)


def check(subject: Subject) -> Iterator[Diagnostic]:
    """A diagnostic for each feature that no case shows, with a text that does."""
    if not subject.cases:  # that the file is missing, or cannot be read, is found by other checks
        return
    for about, text in missing(subject.dialect, [message for _, message in subject.readings], [(ROME, OSLO)]):
        yield warning(
            "missing-case",
            f"no case of `{subject.name}` shows {about}",
            Place(str(subject.corpus_file), 1, 1),
            witness=text,
            help=f"add a case with it{_marked(subject.dialect, text)}, better still with what the model wrote; "
            "`--update` writes what is read",
        )


def _marked(dialect: Dialect, text: str) -> str:
    """With which attribute a case has to say so that a call in it cannot be run: without it, nothing is written."""
    status = next((call.status for call in dialect.parse(text).calls if not call.runnable), None)
    return f" and the attribute `:error {status}`" if status is not None else ""


def missing(
    dialect: Dialect, messages: Sequence[Message], calls: Sequence[tuple[Call, Call]] = ()
) -> Iterator[tuple[str, str]]:
    """What no message shows, in words, each with a text that does, of one of the `calls` or else of the messages'."""
    own = [(call, call) for message in messages for call in message.runnable[:1]]
    for feature in FEATURES:
        if any(map(feature.shows, messages)):
            continue
        texts = _texts(feature, dialect, [*calls, *own[:_TRIED]])
        text = next((text for text in texts if feature.shows(dialect.parse(text))), "")
        if text:
            yield feature.about, text


def _after_text(segments: Sequence[Segment]) -> bool:
    pairs = pairwise(segments)
    return any(isinstance(one, Content) and one.text.strip() and isinstance(two, Call) for one, two in pairs)


def _texts(feature: Feature, dialect: Dialect, calls: Iterable[tuple[Call, Call]]) -> Iterator[str]:
    """What the dialect writes for the feature, as far as it can carry it."""
    for pair in calls:
        for segments in feature.compose(*pair):
            message = Message(segments)
            try:
                text = str(dialect.render(message))
            except Unrepresentable:
                continue
            if carried(dialect.parse(text), message, dialect.spec.ids is not None):
                yield text[: len(text) * 2 // 3] if feature.cut else text
