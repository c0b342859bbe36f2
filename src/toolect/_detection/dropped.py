"""Text behind the end of an answer, which is in no message: whoever writes the answer anew leaves it out."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from toolect import registry
from toolect._detection.index import index
from toolect._message import Message, Repair, RepairKind
from toolect._tokens.veil import Veil

SHOWN = 80
"""Characters of what was left out that are shown. Beyond it: it is cut."""
_TOKEN = re.compile(r"(<[^\s<>]{1,40}>)\s*")
CONTROL = re.compile(r"<[|｜][^\s<>]{1,38}[|｜]>")
"""Finds what looks like a control token of a chat."""


def after_end(text: str, repairs: Iterable[Repair]) -> str:
    """The text behind the end of the answer `text`; "" for none, and for nothing but end tokens and blanks."""
    start = next((repair.at for repair in repairs if repair.kind is RepairKind.AFTER_END), len(text))
    read, at = text[:start].rstrip(), start
    while (token := _TOKEN.match(text, at)) and (CONTROL.fullmatch(token[1]) or read.endswith(token[1])):
        at = token.end()
    return text[start:].rstrip() if text[at:].strip() else ""


def is_control(text: str) -> bool:
    """True for a text that is nothing but control tokens, as those at the ends of turns, and blanks."""
    return not _TOKEN.sub("", text).strip()


def with_dropped(text: str, message: Message) -> tuple[Repair, ...]:
    """The repairs of a message that was read from `text`: that something followed its end has that for a detail."""
    if not any(repair.kind is RepairKind.AFTER_END for repair in message.repairs):
        return message.repairs
    rest = after_end(text, message.repairs)
    return tuple(Repair(one.kind, one.at, rest) if one.kind is RepairKind.AFTER_END else one for one in message.repairs)


_CODE = re.compile(r"(?ms)^[ \t]*(```+|~~~+).*?^[ \t]*\1[ \t]*$|(?<!`)(`{1,2})(?!`)[^\n]*?(?<!`)\2(?!`)")
"""Finds what is quoted as code, in a block or in a line."""


def quoted_ends(text: str) -> tuple[Veil, str]:
    """A text with the end tokens hidden that it quotes as code, which end nothing, and what they are hidden by."""
    ends = ends_of_answers(registry.fingerprint())
    veil, token = Veil(ends), re.compile("|".join(map(re.escape, ends)) or "(?!)")
    hidden = _CODE.sub(lambda code: token.sub(lambda end: veil.over(end[0]), code[0]), text)
    return veil, text if veil.off(text) != text else hidden  # a text may have the characters that hide


@lru_cache(1)
def ends_of_answers(_dialects: str) -> tuple[str, ...]:
    """The tokens that end answers in any dialect."""
    return tuple(end for end in index().ends if re.fullmatch(r"<[^<>\s]+>|\[[^][\s]+]", end))
