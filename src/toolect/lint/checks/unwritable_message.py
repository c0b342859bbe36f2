"""Finds messages that any dialect should carry, or that this one reads, and that cannot be written.

They are content, a call with and without arguments, two calls, content before a call; reasoning where a part of the
grammar is for it; and what is read in the cases of the corpus that are no mistakes of the model.

## Why is this bad?

The dialect can be read and not written, so a conversation cannot be rendered again, nor converted to this dialect.

## Example

```lark
start: content | call
```

Content before a call has no place.

## Use instead

```lark
start: content? call*
```
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from toolect.diagnostic import Diagnostic, warning
from toolect.ir import Call, Content, Message, Reasoning
from toolect.lint.losses import home
from toolect.lint.subject import Subject
from toolect.lint.trial import Trial, attempt, told

_KINDS: dict[str, tuple[type, ...]] = {
    "content": (Content,),
    "a call": (Call,),
    "two calls": (Call, Call),
    "content before a call": (Content, Call),
    "reasoning": (Reasoning,),
}


def check(subject: Subject) -> Iterator[Diagnostic]:
    """A diagnostic for each kind of message that is always refused, or one of the corpus."""
    found = list(_of_a_kind(subject))
    yield from found or _of_the_corpus(subject)


def _of_a_kind(subject: Subject) -> Iterator[Diagnostic]:
    for kind, types in _KINDS.items():
        trials = [trial for trial in subject.trials if _is(trial, types)]
        if trials and all(trial.text is None for trial in trials):
            yield _refused(subject, f"{kind} cannot be written", trials[0], told(trials[0].message))


def _is(trial: Trial, types: Sequence[type]) -> bool:
    """True for messages of these segments; for those with reasoning in them where that is what is looked for."""
    kinds = [type(segment) for segment in trial.message.segments]
    return Reasoning in kinds if tuple(types) == (Reasoning,) else kinds == list(types)


def _of_the_corpus(subject: Subject) -> Iterator[Diagnostic]:
    """A diagnostic for the first case in strict mode whose message has no place in the grammar."""
    for case in subject.cases:
        if case.clean and not case.has("policy") and not case.has("skip"):
            message = subject.dialect.parse(case.text, **case.options | {"mode": "strict"})
            trial = attempt(subject.dialect, Message(message.segments))
            if message.clean and trial.text is None:
                yield _refused(subject, "this text can be read, and what it says cannot be written", trial, case.text)
                return


def _refused(subject: Subject, message: str, trial: Trial, witness: str) -> Diagnostic:
    return warning(
        "unwritable-message",
        message,
        home(subject, trial.message.segments[-1]),
        label=str(trial.refusal),
        witness=witness,
        reading=told(trial.message) if witness != told(trial.message) else "",
        help="give it a place in the grammar, with a role in `map`",
    )
