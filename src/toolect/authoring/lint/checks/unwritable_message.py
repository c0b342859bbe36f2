"""Finds messages that any dialect should carry, or that this one reads, and that cannot be written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from toolect._rendering.call import NO_ID
from toolect.authoring.generate import derivations
from toolect.authoring.lint.attempt import Trial, are_apart, attempt, told
from toolect.authoring.lint.subject import Subject
from toolect.diagnostic import Diagnostic, warning
from toolect.message import Call, Content, Message, Reasoning
from toolect.rendered import Unrepresentable

DERIVED = 40
"""Texts that are made from the grammar; every alternative is in one of the first."""
_FITTED = ("name", "id", "argument key")
"""What has to fit an expression when it is written: another spelling may be read with more."""
_KINDS: dict[str, tuple[type, ...]] = {
    "content": (Content,),
    "a call": (Call,),
    "a call without arguments": (Call,),
    "a call with two arguments": (Call,),
    "two calls": (Call, Call),
    "three calls": (Call, Call, Call),
    "content before a call": (Content, Call),
    "reasoning": (Reasoning,),
}
_ARGUMENTS = {"a call without arguments": 0, "a call with two arguments": 2}
"""How many arguments the call of a kind has."""


def check(subject: Subject) -> Iterator[Diagnostic]:
    """A diagnostic for each kind of message that is always refused, or one of the corpus."""
    found = list(_of_a_kind(subject))
    yield from found or islice(_of_texts(subject), 1)


def _of_a_kind(subject: Subject) -> Iterator[Diagnostic]:
    refused: set[tuple[type, ...]] = set()
    for kind, types in _KINDS.items():
        trials = [trial for trial in subject.trials if _is(trial, types, _ARGUMENTS.get(kind))]
        if trials and types not in refused and all(trial.text is None for trial in trials):
            refused.add(types)
            yield _refused(subject, f"{kind} cannot be written", trials[0], told(trials[0].message))


def _is(trial: Trial, types: Sequence[type], arguments: int | None) -> bool:
    """True for messages of these segments; for those with reasoning in them where that is what is looked for."""
    kinds = [type(segment) for segment in trial.message.segments]
    if arguments is not None and any(len(call.arguments) != arguments for call in trial.message.calls):
        return False
    return Reasoning in kinds if tuple(types) == (Reasoning,) else kinds == list(types)


def _of_texts(subject: Subject) -> Iterator[Diagnostic]:
    """A diagnostic for each text in strict mode whose message has no place in the grammar."""
    dialect = subject.dialect
    clean = (case for case, _ in subject.readings if case.clean and not case.has("policy"))
    read = [(case.text, dialect.parse(case.text, **case.options | {"mode": "strict"})) for case in clean]
    derived = [(sample.text, sample.message) for sample in derivations(dialect, DERIVED, seed=0)]
    for text, message in (*read, *sorted(derived, key=lambda pair: len(pair[0]))):
        trial = attempt(dialect, Message(message.segments))
        refused = trial.refusal is not None and trial.refusal.slot not in _FITTED
        if refused and message.clean and are_apart(message.segments):
            yield _refused(subject, "this text can be read, and what it says cannot be written", trial, text)


def _advice(refusal: Unrepresentable | None) -> str:
    """What to do where a message is refused for this reason."""
    if refusal is not None and refusal.reason == NO_ID:
        return 'say how ids are made: `ids: {form: "call_{index}"}`'
    if refusal is not None and refusal.slot == "content" and refusal.reason.startswith("no place"):
        return "let it stand there: `start: think? (content | call)*` for texts before, between and after calls"
    return "give it a place in the grammar, with a role in `map`"


def _refused(subject: Subject, message: str, trial: Trial, witness: str) -> Diagnostic:
    segments = trial.message.segments
    return warning(
        "unwritable-message",
        message,
        subject.places.segment(segments[-1]) if segments else subject.places.rule("start"),
        label=str(trial.refusal),
        witness=witness,
        reading=told(trial.message) if witness != told(trial.message) else "",
        help=_advice(trial.refusal),
        related=((subject.places.rule("start"), "the order of an answer"),) if len(segments) > 1 else (),
    )
