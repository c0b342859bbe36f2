"""What in free text may be a stop, or the beginning of one: a single search, for the short way of a stream."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from toolect._graph.needle import Needle
from toolect._graph.node import Node
from toolect._graph.spelling import MAX_BLANK, MAX_LEXEME
from toolect._graph.stop_plan import plan_of
from toolect._graph.stops import Calls, Unopened

_AFTER_BRACKET = {"{": r"[^\s\d}\]]", "[": "[/#]"}
"""What a call in JSON, broken perhaps, may go on with; so does the first object of a list."""


class TextSigns(NamedTuple):
    """Looks for what may be more than text in a stretch that more of it came before."""

    search: Callable[[str], re.Match[str] | None]
    """Where that may begin. Without a group, the text ends before it is clear; else there may be a stop."""
    leads: tuple[str, ...]
    """The whitespace that may belong to what is found."""


def text_signs(node: Node) -> TextSigns:
    """The signs of the free text at `node`, made once."""
    return node.made(_signs)


def _signs(node: Node) -> TextSigns:
    plan = plan_of(node)
    whole = [sign for needle in plan.needles if (sign := _sign(needle, plan.direct))]
    likely = [rf"{doubt}(?:\Z|())" for doubt in dict.fromkeys(plan.doubts())]
    signs = "|".join([*dict.fromkeys(whole), *_endings(plan.holds), *likely]) or r"(?!)"
    return TextSigns(re.compile(signs).search, tuple({near.lead for near in plan.near if near.lead}))


def _sign(needle: Needle, direct: bool) -> str:
    """A regular expression for what `needle` is there for; empty where it does not count after text."""
    if needle.stop is None:
        return "" if direct else _bracket(needle.text, MAX_BLANK, _AFTER_BRACKET)
    if isinstance(needle.stop, Unopened):
        return _bracket(needle.text, MAX_LEXEME, {"{": '"', "[": "(?!)"})
    if needle.regex is None and needle.stop.calls is not Calls.NOTHING:  # what follows decides: up to there, it is held
        led = [needle.lead[at:] + needle.text for at in range(len(needle.lead) + 1)]
        return "|".join(rf"{re.escape(marker)}(?:\s{{0,{MAX_BLANK}}}\Z|())" for marker in led)
    return re.escape(needle.text) + "()"


def _bracket(bracket: str, blanks: int, then: dict[str, str]) -> str:
    """A regular expression for `bracket` where a call may begin with it; `then`: what comes next in one."""
    inside = rf"\s{{0,{blanks}}}+(?:\Z|{then[bracket]}()"
    return re.escape(bracket) + inside + (rf"|{_bracket('{', blanks, then)})" if bracket == "[" else ")")


def _endings(words: Iterable[str]) -> list[str]:
    """Regular expressions for `words` at the end of a text, each of which begins with a character."""
    after: dict[str, list[str]] = {}
    for word in words:
        after.setdefault(word[0], []).append(word[1:])
    found = []
    for char, rests in after.items():
        ends = [r"\Z"] * ("" in rests) + _endings(rest for rest in rests if rest)
        found.append(re.escape(char) + (ends[0] if len(ends) == 1 else f"(?:{'|'.join(ends)})"))
    return found
