"""Finds end tokens of a chat that its answers do not end with, or that its dialect does not know."""

from __future__ import annotations

from collections.abc import Iterator

from toolect._chats.chat_grammar import frame_of
from toolect._spec.chat_model import ChatRole
from toolect._spec.problems import one_of
from toolect.authoring.lint.chat_subject import ChatSubject
from toolect.diagnostic import Diagnostic, warning
from toolect.message import Content, Message


def chat(subject: ChatSubject) -> Iterator[Diagnostic]:
    """A diagnostic for each such token, and for a chat whose answers end with none of them."""
    spec, dialect = subject.spec, subject.chat.dialect
    answers = [spec.rules[name] for name, role in spec.roles.items() if role is ChatRole.ANSWER]
    closers = [closer for rule in answers if (closer := frame_of(rule.expr)[1])]
    own = subject.loaded.entry.table.get("end") is not None  # what another chat says of its dialect is its own affair
    answer = dialect.render(Message([Content("It is high.")]))
    for end in spec.end:
        if own and spec.dialect and end in dialect.parse(answer + end).content:
            yield warning(
                "unlike-end",
                f"`{end}` ends an answer of `{spec.name}`, and is content in `{spec.dialect}`",
                subject.field("end", end),
                help=f"write it under `end` of `{spec.dialect}` too, or leave it out here",
            )
    if spec.end and closers and not any(end in closer for end in spec.end for closer in closers):
        yield warning(
            "unlike-end",
            f"no answer of `{spec.name}` ends with {one_of(spec.end)}",
            subject.rule(ChatRole.ANSWER),
            label=f"it ends with {one_of(closers)}".replace("\n", "\\n"),
            help="write under `end` what the model ends its answers with",
        )
