"""The next call, in the string that a lost one ends with: it lacks its last quote, and took the opener in."""

from __future__ import annotations

import re
from collections.abc import Sequence

from toolect._graph.misspelling import is_word
from toolect._graph.node import STRONG

MAX_HEAD = 256
"""Characters after that string that are looked at."""
_ESCAPED_BLANKS = ("\\n", "\\r", "\\t")
_HEADER = re.compile(r"[^\"'{}\[\]]*+[\[{]").match
"""What is left of what comes before a call's JSON without its markers, and a bracket."""


def taken_in(said: str, after: str, openers: Sequence[str], markers: Sequence[str], lines: bool = False) -> int:
    """Where in the string `said`, which `after` comes after, a call ends that is lost; -1 for nowhere.

    Its brackets close there before a marker, or a word breaks off: what only speaks of a marker sets it apart. Then
    come markers, the last of the `openers` among them, and after them JSON, of which the string took no more than the
    first quote. Where the string may have `lines`, a line break may come after the word.
    """
    last, opener = max(((said.rfind(core), core) for core in openers if len(core) >= STRONG), default=(-1, ""))
    if last < 0:
        return -1
    strong = sorted((core for core in markers if len(core) >= STRONG), key=len, reverse=True)
    head = said[last + len(opener) :] + after
    for core in strong:
        head = head.replace(core, "")
    if _HEADER(head) is None:
        return -1
    end = last
    while core := next((core for core in strong if said[:end].rstrip().endswith(core)), ""):
        end = len(said[:end].rstrip()) - len(core)
    before = said[:end].rstrip()
    torn = (
        said[len(before) : end] in ("", "\n" if lines else "")
        and is_word(before[-1:])
        and not before.endswith(_ESCAPED_BLANKS)
    )
    return end if torn or before.endswith(("}", "]")) else -1
