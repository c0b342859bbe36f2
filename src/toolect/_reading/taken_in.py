"""The next call, in the string that a lost one ends with: it lacks its last quote, and took the opener in."""

from __future__ import annotations

import re
from collections.abc import Sequence

from toolect._graph.misspelling import is_word
from toolect._graph.node import STRONG

MAX_HEAD = 256
"""Characters after that string that are looked at."""
_UNDIVIDED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]").match
"""A letter of a script that sets no blanks between words: what stands after one may be anything."""
_ESCAPED_BLANKS = ("\\n", "\\r", "\\t")
_HEADER = re.compile(r"[^\"'{}\[\]]*+[\[{]").match
_HEADER_AND_KEY = re.compile(r"[^\"'{}\[\]]*+[\[{]\s*[\w.-]*+\s*:?\s*\Z").match
"""What is left of what comes before a call's JSON without its markers, and a bracket."""


def taken_in(
    said: str, after: str, openers: Sequence[str], markers: Sequence[str], lines: bool = False, is_key: bool = False
) -> int:
    """Where in the string `said`, which `after` comes after, a call ends that is lost; -1 for nowhere.

    Its brackets close there right before a marker, or a word breaks off: what only speaks of a marker sets it apart. A
    key does not speak: it may begin with one. Then come markers, the last of the `openers` among them, and after them
    JSON, of which the string took no more than the first quote. Where the string may have `lines`, line breaks may come
    before the markers, and it ends where that JSON's first key does.
    """
    last, opener = max(((said.rfind(core), core) for core in openers), default=(-1, ""))
    if last < 0:
        return -1
    strong = sorted((core for core in markers if len(core) >= STRONG), key=len, reverse=True)
    head = said[last + len(opener) :] + after
    for core in strong:
        head = head.replace(core, "")
    if (_HEADER_AND_KEY if lines else _HEADER)(head) is None:
        return -1
    end = last
    while core := next((core for core in strong if said[:end].rstrip().endswith(core)), ""):
        end = len(said[:end].rstrip()) - len(core)
    before = said[:end].rstrip("\n") if lines else said[:end]
    closes = any(before.endswith(sign[1]) and before.count(sign[1]) > before.count(sign[0]) for sign in ("{}", "[]"))
    torn = is_word(before[-1:]) and _UNDIVIDED(before[-1:]) is None and not before.endswith(_ESCAPED_BLANKS)
    return end if torn or closes or is_key and before == '"' else -1
