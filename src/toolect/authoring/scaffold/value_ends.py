"""What follows the keys of a call, and how it is written once the end of each value is known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from toolect.authoring.scaffold.nested_values import Elements
from toolect.authoring.scaffold.pieces import Hole, Token
from toolect.authoring.scaffold.seen import common_start, tokens


class Gap(NamedTuple):
    """What follows a key: how it is divided from its value, the value, and what comes up to the next key."""

    text: str
    kinds: frozenset[str]
    """The JSON types that are declared of the value; none if nothing is."""
    last: bool
    """No key follows: the end of the call, and more, is in the text."""
    closed: str | None
    """What follows the key where it comes again behind its value; `text` ends before it."""
    final: bool
    """The sample ends here."""


class Values(NamedTuple):
    """How values are written, and where each ends."""

    ends: tuple[int, ...]
    """Characters from the end of the key, or of its repetition, to the end of the argument, for each gap."""
    forms: tuple[tuple[Token, ...], ...]
    """What follows the key in one argument."""
    divided: bool
    """Arguments were seen that follow one another."""
    follows: str
    """What stands between an argument and the next key."""
    codec: str = ""
    language: str = ""
    quote: str = ""
    """What strings of the value language stand between, if that is its own."""
    elements: Elements | None = None
    """How the elements are written that values are made of."""


def finished(gaps: Sequence[Gap], lead: str, ends: Sequence[int], notation: str) -> Values | None:
    """The values with what closes an argument, which all have, and what divides two; None where these differ."""
    hole: Token = {"": Hole.TEXT, "json": Hole.JSON}.get(notation, Hole.VALUE)
    rests = [gap.text[end:] for gap, end in zip(gaps, ends, strict=True)]
    closed = all(gap.closed is not None for gap in gaps)
    if closed and len(set(rests)) > 1:
        return None
    after = [gap.closed or "" for gap in gaps] if closed else rests
    inner = {rest for gap, rest in zip(gaps, after, strict=True) if not gap.last}
    if len(inner) > 1:
        return None
    last = [tokens(rest) for gap, rest in zip(gaps, after, strict=True) if gap.last]
    between = next(iter(inner), "")
    closer = "".join(common_start([*map(tokens, inner), *last]) if inner else _own(common_start(last), closed))
    ends = [len(closer) if closed else end + len(closer) for end in ends]
    form: tuple[Token, ...] = (lead, hole, rests[0], Hole.KEY, closer) if closed else (lead, hole, closer)
    form = tuple(part for part in form if part)
    if notation == "json" and not closed and '"' not in lead and not _tells_words(gaps, lead):
        hole, notation = Hole.VALUE, "python_json"
        form = tuple(Hole.VALUE if part is Hole.JSON else part for part in form)
    language = _language(gaps, notation) if hole is Hole.VALUE else ""
    return Values(tuple(ends), (form,), bool(inner), between.removeprefix(closer), "", language)


def _own(shared: Sequence[str], closed: bool) -> list[str]:
    """What closes a lone argument: a closing tag, its end where its key comes again, or a quote; and its line."""
    at = 0
    if closed:
        at = next((i + 1 for i, token in enumerate(shared[:2]) if token in ">])}"), 0)
    elif shared and (shared[0].startswith(("</", "[/")) or shared[0] in "\"'"):
        at = 1
    return list(shared[: at + 1] if shared[at : at + 1] == ["\n"] else shared[:at])


def _tells_words(gaps: Sequence[Gap], lead: str) -> bool:
    """True where a value shows how true and false are spelled."""
    return any(gap.text.startswith(("true", "false"), len(lead)) for gap in gaps)


def _language(gaps: Sequence[Gap], notation: str) -> str:
    """The value language of a notation, in the spelling that is seen."""
    if notation != "python":
        return notation
    texts = " ".join(gap.text for gap in gaps)
    return "python" if texts.count("'") >= texts.count('"') else "python_double"
