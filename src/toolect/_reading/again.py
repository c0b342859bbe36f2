"""A call that broke off and is written again: its own beginning comes once more in the middle of it, or after it."""

from __future__ import annotations

from collections.abc import Sequence

from toolect._graph.misspelling import MORE

MAX_AGAIN = 1 << 14
"""Characters of a call that may come before it is written again. Beyond it: it is not looked for."""
_LEAST = 8
"""Characters that have to be the same: a bracket or a sign alone comes twice in any JSON."""
_OPENER = 64
"""Characters that an opener before it may have, with blanks."""


def written_again(text: str, end: int, final: bool, openers: Sequence[str] = (), closed: bool = False) -> int:
    """Where in `text`, which begins with a call that breaks off before index `end`, that call begins again.

    All that came before is repeated there, perhaps after one of the `openers`. It may begin at `end` if an opener
    stands there, and the call is not `closed`: one that has all its brackets ends there, and what follows is another.
    -1 for nowhere, MORE where text that has not come, unless it is `final`, would tell.
    """
    head, until = text[:_LEAST], MAX_AGAIN + _LEAST
    if end < _LEAST:
        return -1
    at = text.find(head, _LEAST, until)
    opens = not closed and text.startswith(tuple(openers), end)
    begins = not (final or closed) and len(text) > end and any(opener.startswith(text[end:]) for opener in openers)
    while at >= 0:
        start = _before(text, at, openers)
        if start > end or start == end and not opens:
            return -1
        if start >= _LEAST:
            if text.startswith(text[:start], at):
                return start
            if not final and text.startswith(text[at:]):
                return MORE
        at = text.find(head, at + 1, until)
    if final or len(text) > until:
        return -1
    if begins or opens and len(text) - end < _OPENER + _LEAST:
        return MORE
    return MORE if any(head.startswith(text[k:]) for k in range(len(text) - _LEAST + 1, min(end, len(text)))) else -1


def _before(text: str, at: int, openers: Sequence[str]) -> int:
    """Where what comes before index `at` ends: an opener right before it is not a part of that."""
    end = len(text[max(at - _OPENER, 0) : at].rstrip()) + max(at - _OPENER, 0)
    return next((end - len(opener) for opener in openers if text.endswith(opener, 0, end)), at)
