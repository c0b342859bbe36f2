"""How the ids of samples are made: what is around the number of a call, where that begins, how many digits it has."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain

from toolect._spec.model import Ids
from toolect.message import Message

USUAL = Ids("call_{index}")
"""Where samples do not show it."""
MAX_FIRST = 99
"""The greatest number that the first call of a message can have."""
_NUMBERED = re.compile(r"([^{}]*?)(\d{1,9})([^{}\d]*)")
"""What is before the number of an id, the number, and what is behind it."""


def ids_of(messages: Sequence[Message | None]) -> Ids:
    """How the ids are made that calls are read with: numbered, in the order of the calls of each message.

    One id alone shows that only where its number is one that counting begins with.
    """
    found = [*chain.from_iterable(_numbers(one) for one in messages if one is not None)]
    if not found or None in found:
        return USUAL
    shown = [one for one in found if one is not None]
    around = {(before, behind) for before, _, behind, _ in shown}
    firsts = {int(digits) - at for _, digits, _, at in shown}
    if len(around) > 1 or min(firsts) < 0 or max(firsts) > MAX_FIRST or not _runs(shown):
        return USUAL
    lengths = {len(digits) for _, digits, _, _ in shown}
    padded = any(len(digits) > 1 and digits[0] == "0" for _, digits, _, _ in shown)
    if padded and len(lengths) > 1:
        return USUAL
    ((before, behind),) = around
    return Ids(f"{before}{{index}}{behind}", min(firsts), max(lengths) if padded else 1)


def _numbers(message: Message) -> Iterator[tuple[str, str, str, int] | None]:
    """The ids of a message in parts, each with the place of its call; None for one that has no number."""
    for at, call in enumerate(message.calls):
        if call.id is not None:
            match = _NUMBERED.fullmatch(call.id)
            yield (match[1], match[2], match[3], at) if match else None


def _runs(shown: Sequence[tuple[str, str, str, int]]) -> bool:
    """True where the numbers count calls: those of each answer, or those of all answers one after another."""
    numbers = [int(digits) for _, digits, _, _ in shown]
    if len({*numbers}) == 1:
        return numbers[0] < 2
    anew = len({number - at for number, (*_, at) in zip(numbers, shown, strict=True)}) == 1
    return anew or numbers == [*range(numbers[0], numbers[0] + len(numbers))]
