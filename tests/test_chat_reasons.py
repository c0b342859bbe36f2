"""Why templates have no chat, or differ from it: said where it is so, and nowhere else."""

from __future__ import annotations

import pytest

from tools.chats.compare_chats import MIN_STALE, Compared, Difference, reasons, unreasoned
from tools.chats.original_templates import Original, Template
from tools.random_conversations import cases

(CASE,) = cases(1, 1)
TEMPLATE = Template("trl/harbour", "", (), Original())
DIFFERENCE = Difference(CASE, "a", "b")


@pytest.mark.parametrize(
    ("one", "said", "count", "wrong"),
    [
        (Compared(TEMPLATE, ""), False, 1, "it has no chat"),
        (Compared(TEMPLATE, ""), True, 1, ""),
        (Compared(TEMPLATE, "harbour", 199, 0, (DIFFERENCE,)), False, 1, "the chat differs"),
        (Compared(TEMPLATE, "harbour", 200), False, 1, ""),
        (Compared(TEMPLATE, "harbour", 200), True, MIN_STALE, "is stale"),
        (Compared(TEMPLATE, "harbour", 20), True, MIN_STALE - 1, ""),
    ],
)
def test_reasons_are_demanded_where_something_is_missing(one: Compared, said: bool, count: int, wrong: str) -> None:
    known = {"trl/harbour": "It tells of tides."} if said else {}
    found = [line for line in unreasoned([one], known, count) if "no such template" not in line]
    assert bool(found) == bool(wrong)
    assert all(wrong in line for line in found)


def test_each_reason_says_something() -> None:
    assert all(text.endswith(".") for text in reasons().values())
