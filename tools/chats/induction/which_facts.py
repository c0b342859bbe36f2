"""When something is written: the shortest guard that holds where it was seen, and nowhere else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations

from toolect._spec.chat_model import WORDS, Fact

_LIKELY = (
    Fact.CONTENT, Fact.CALLS, Fact.REASONING, Fact.TOOLS, Fact.GIVEN, Fact.SYSTEM_TEXT, Fact.NO_THINKING, Fact.THINKING,
    Fact.LATEST, Fact.AFTER_USER, Fact.AFTER_RESULTS, Fact.AFTER_ANSWER, Fact.FIRST, Fact.LAST, Fact.FIRST_ITEM,
    Fact.IS_TEXT, Fact.ARGUMENTS, Fact.SEVERAL_CALLS, Fact.FIRST_USER, Fact.LAST_USER, Fact.AFTER_CALLS, Fact.ROUND,
)  # fmt: skip
"""The facts that templates ask for; of two guards of one length that with the first ones counts."""
_FACTS = (*_LIKELY, *(fact for fact in WORDS.values() if fact not in _LIKELY))
_WORD = {fact: word for word, fact in WORDS.items()}
MAX_LITERALS = 48
"""Facts, and what is not so, that guards are made of. Beyond it: the less likely ones are left out."""


def which(examples: Iterable[tuple[int, bool]]) -> str | None:
    """The guard that tells the facts of examples that are true from those of others; None where none of three does."""
    known: dict[int, bool] = {}
    for facts, label in examples:
        if known.setdefault(facts, label) != label:
            return None
    rows = list(known)
    whole = (1 << len(rows)) - 1
    wanted = sum(1 << at for at, facts in enumerate(rows) if known[facts])
    if wanted in (0, whole):
        return "always" if wanted else "never"
    masks: dict[int, str] = {}
    for fact in _FACTS:
        mask = sum(1 << at for at, facts in enumerate(rows) if facts & fact)
        for held, words in ((mask, _WORD[fact]), (whole & ~mask, f"not {_WORD[fact]}")):
            if held not in (0, whole):
                masks.setdefault(held, words)
    return next(_guards(masks, wanted), None)


def _guards(masks: dict[int, str], wanted: int) -> Iterator[str]:
    """The guards that hold where `wanted` says, the shortest first."""
    if wanted in masks:
        yield masks[wanted]
    chosen = list(masks.items())[:MAX_LITERALS]
    above = [(mask, words) for mask, words in chosen if mask & wanted == wanted]
    below = [(mask, words) for mask, words in chosen if mask & wanted == mask]
    for some, joint in ((above, " and "), (below, " or ")):
        for (a, one), (b, two) in combinations(some, 2):
            if (a & b if some is above else a | b) == wanted:
                yield f"{one}{joint}{two}"
    for (b, one), (c, two) in combinations(chosen, 2):
        yield from (f"{words} and ({one} or {two})" for a, words in above if a & (b | c) == wanted)
        yield from (f"{one} and {two} or {words}" for a, words in below if a | (b & c) == wanted)
    for (a, one), (b, two), (c, three) in combinations(above, 3):
        if a & b & c == wanted:
            yield f"{one} and {two} and {three}"
    for (a, one), (b, two), (c, three) in combinations(below, 3):
        if a | b | c == wanted:
            yield f"{one} or {two} or {three}"
