"""Which turns a template refuses, found out from those that it does not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations

from toolect._authoring.generate.random_conversations import ChatCase
from toolect._spec.chat_model import WORDS, Fact
from toolect._spec.guards import Guard, read_guard
from tools.chats.induction.told_facts import facts_of

_USUAL = ("out-of-turn", "user and odd or (answer or results or notice) and not odd")
"""What templates mean that say that roles must alternate."""


def refusals(
    rendered: Sequence[ChatCase], refused: Sequence[tuple[ChatCase, str]], default: bool
) -> tuple[dict[str, str], list[str]]:
    """The guards of turns that a template refuses, by its reasons; and the reasons whose turns are not plain to see."""
    fine = [_facts(case, default) for case in rendered]
    reasons: dict[str, list[list[int]]] = {}
    for case, why in refused:
        reasons.setdefault(re.sub(r"^the template raises \w+: ", "", why), []).append(_facts(case, default))
    found = {why: next((guard for guard in _guards(wrong) if _tells(guard, wrong, fine)), "")
             for why, wrong in reasons.items()}  # fmt: skip
    return {why: guard for why, guard in found.items() if guard}, [why for why, guard in found.items() if not guard]


def _facts(case: ChatCase, default: bool) -> list[int]:
    """The facts of each turn, or those of a conversation without any."""
    found = facts_of(case, default)
    return found.turns or [found.head | int(Fact.EMPTY | Fact.UNASKED)]


def _tells(guard: str, wrong: Sequence[Sequence[int]], fine: Sequence[Sequence[int]]) -> bool:
    """True for a guard that holds for a turn of each conversation that is refused, and of no other."""
    read = _read(guard)
    return all(any(map(read, facts)) for facts in wrong) and not any(any(map(read, facts)) for facts in fine)


@cache
def _read(guard: str) -> Guard:
    return read_guard(guard)


def _guards(wrong: Sequence[Sequence[int]]) -> Iterator[str]:
    """The guards that may say what is wrong."""
    yield from _USUAL
    words = [word for word, fact in WORDS.items() if all(any(one & fact for one in facts) for facts in wrong)]
    yield from words
    yield from (f"{one} and {two}" for one, two in combinations([*words, *(f"not {word}" for word in WORDS)], 2))
