"""Finds openings of answers that the chat's dialect does not know as the end of a prompt."""

from __future__ import annotations

from collections.abc import Iterator

from toolect._chats.plan import Plans
from toolect._chats.turn_facts import literal_facts
from toolect._spec.chat_model import ChatRole, Fact
from toolect.authoring.lint.chat_subject import ChatSubject
from toolect.diagnostic import Diagnostic, warning
from toolect.message import Reasoning

_SAID = "It is high."
_AFTER = (Fact.AFTER_USER, Fact.AFTER_RESULTS)


def chat(subject: ChatSubject) -> Iterator[Diagnostic]:
    """A diagnostic for each opening that leaves reasoning open, or closes it, where the dialect reads on otherwise."""
    plans, dialect = Plans(subject.spec), subject.chat.dialect
    if not plans.thought_opener:  # what such a chat writes for reasoning is not the chat's to tell
        return
    openings = {
        plans.opening(literal_facts(thinking, True) | int(after))
        for thinking in (None, True, False)
        for after in _AFTER
    }
    for opening in sorted(openings - {""}):
        begun = dialect.parse(_SAID, prefix=opening).segments
        inside = bool(begun) and isinstance(begun[0], Reasoning)
        opened = opening.rfind(plans.thought_opener) > opening.rfind(plans.thought_closer)
        if inside != opened:
            wanted, got = ("reasoning", "content") if opened else ("content", "reasoning")
            yield warning(
                "unlike-opening",
                f"after the opening of `{subject.name}` an answer begins with {wanted}, `{dialect.name}` reads {got}",
                subject.rule(ChatRole.OPENING),
                witness=opening,
                help=f"name the end of the opening under `prefill` of `{dialect.name}`, or open the answer otherwise",
            )
