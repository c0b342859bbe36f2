"""What stands around calls, told apart: the wrapper, what belongs to one call, what divides two, and prose."""

from __future__ import annotations

import re
from collections.abc import Sequence

from toolect._shown import alike
from toolect.authoring.scaffold.dialect_draft import Draft
from toolect.authoring.scaffold.pieces import Prose, Token, is_space, pieces
from toolect.authoring.scaffold.seen import common_end, common_start, tokens
from toolect.authoring.scaffold.thoughts import stem


def before_calls(texts: Sequence[str]) -> list[str]:
    """What stands before the first call of every sample, without the content before that."""
    shared = common_end(map(tokens, texts))
    if any("".join(shared) == text for text in texts) and (len(texts) > 1 or not _spoken(texts[0])):
        return _led(shared)
    if len(set(texts)) == 1 or _spoken("".join(shared)):
        found = pieces("".join(shared), [])
        at = max((i for i, piece in enumerate(found) if isinstance(piece, Prose)), default=-1)
        behind = "".join(str(piece) for piece in found[at + 1 :])
        line = "".join(shared).rpartition("\n")[2]  # a line of its own is no prose, if it looks like none
        shared = tokens(behind if behind.strip() or _spoken(line) or line.replace(" ", "").isalnum() else line)
    while shared and (shared[0].isspace() or shared[0] in _SENTENCE):
        shared = shared[1:]
    return shared


_SENTENCE = (".", "!", "?", ",", ":", ";", "…", ")")


def _led(shared: list[str]) -> list[str]:
    """Without the whitespace that it begins with."""
    at = 0
    while at < len(shared) and shared[at].isspace():
        at += 1
    return shared[at:]


def _spoken(text: str) -> bool:
    """True where two words follow each other, or a sentence of one stands first: that is prose, behind a special token
    only if it is a sentence.
    """
    words = _WORDS if not text.startswith(("<|", "<｜")) else _SAID
    return _WORD.match(text) is not None or words.search(re.sub(r"<[^<>\n]*(?:>|\Z)", "<>", text)) is not None


_WORD = re.compile(r"\s*[^\W\d_]+(?: ?[.!?…]+(?=\s)|[。！？])")
_WORDS = re.compile(r"[^\W\d_]{2,}[,.!?:]?\s+[^\W\d_]+(?![\w=(\[{])")
_SAID = re.compile(r"[^\W\d_]{2,},?\s+[^\W\d_]+(?![\w=(\[{]).*[.!?…:](?:\s|<|\Z)")


def after_calls(texts: Sequence[str], lined: bool = False) -> list[str]:
    """What stands behind the last call of every sample, without content after that.

    Where nothing else does, that is the end of the line, if calls are `lined`: their last value ends with it.
    """
    shared = common_start(map(tokens, texts))
    if not any("".join(shared) == text for text in texts) or _spoken("".join(shared)):
        found = pieces("".join(shared), [])
        at = next((i for i, piece in enumerate(found) if isinstance(piece, Prose)), len(found))
        shared = tokens("".join(str(piece) for piece in found[:at]))
    solid = shared
    while solid and solid[-1].isspace():
        solid = solid[:-1]
    return solid or shared[:1] if lined and shared[:1] == ["\n"] else solid


def gap_before(text: str) -> str:
    """The whitespace between content and a call."""
    return text[len(text.rstrip()) :]


_MANY = re.compile(r"calls|section|requests|functions|actions|tools\b|begin_tool_requests", re.IGNORECASE)


def taken_apart(before: list[str], call: list[Token], after: list[str], between: list[str]) -> Draft:
    """What is around two calls, taken apart: what each of them has, what is around both, and what divides them."""
    head = _lined(before[len(before) - alike(before[::-1], between[::-1]) :])
    inner_before, rest = before[len(before) - head :], between[: len(between) - head]
    tail = alike(rest, after)
    inner_after, divider = rest[:tail], rest[tail:]
    opener, closer = before[: len(before) - head], after[tail:]
    one: list[Token] = [*inner_before, *call, *inner_after]
    if not "".join(opener).strip() and not "".join(closer).strip() and not "".join(divider).strip():
        return Draft(call=tuple(one), between_calls="".join(divider))
    if opener and closer and is_space(one[0]) and one[0] == closer[0] and not divider:  # lines end, not begin
        opener, one, closer = [*opener, str(one[0])], [*one[1:], one[0]], closer[1:]
    elif not closer and opener and divider and not "".join(divider).strip():
        return Draft(tuple(opener), tuple(one), tuple(divider), ())
    return Draft(tuple(opener), tuple(one), tuple(divider), tuple(closer))


def _lined(shared: Sequence[str]) -> int:
    """How many of the tokens that stand before each call are its own: not the signs that the line before ends with."""
    at = shared.index("\n") + 1 if "\n" in shared else 0
    ended = "".join(shared[:at]).strip()
    return len(shared) - (at if ended and not re.search(r"\w", ended) else 0)


def lone_call(before: list[str], call: list[Token], after: list[str]) -> Draft:
    """Calls that come alone: only the names of markers tell that there is a wrapper."""
    solid = [token for token in before if not token.isspace()]
    if len(solid) > 1 and after and _MANY.search(before[0]) and stem(before[0]) == stem(after[-1]):
        opener, inner = before[:1], before[1:]
        closer, rest = after[-1:], after[:-1]
        while inner and inner[0].isspace():
            opener, inner = [*opener, inner[0]], inner[1:]
        while rest and rest[-1].isspace():
            closer, rest = [rest[-1], *closer], rest[:-1]
        return Draft(tuple(opener), (*inner, *call, *rest), (), tuple(closer))
    return Draft(call=(*before, *call, *after))
