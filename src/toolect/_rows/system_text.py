"""What a system text says besides telling of tools.

The definitions go, and what stands around them if a chat that is known, or a data set whose prompt is declared, writes
it there, or it has no words of its own.
All else stays: a persona and instructions cannot be distinguished.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise, takewhile
from string import punctuation
from typing import NamedTuple

from toolect._chats.chat_registry import chat, chats
from toolect._exchange.embedded_tools import embedded_tools
from toolect._spec.chat_model import ChatRole, ChatSpec
from toolect._spec.grammar_model import Literal, Ref
from toolect._spec.leaves import leaves

MAX_KEPT = 64
"""Texts that are kept for rows to come. Beyond it: they are looked at again."""
MAX_SENTENCE = 2_000
"""Characters of a sentence. Beyond it: it is only known as a whole."""
_SENTENCE = re.compile(r"\S[^\n]*?(?:[.!?:]+(?=\s|\Z)|(?=\n)|\Z)")
_OPENER = re.compile(r"(?:<(\w[\w.-]{0,40})>|\[([A-Z_]{1,40})\]|(`{3,9})\w{0,20})\s{0,100}\Z")
_LOOK = 200
"""Characters before definitions in which the opener of a tag is looked for."""


class Besides(NamedTuple):
    """The names of the tools that a text defines, and what it says besides."""

    names: frozenset[str]
    text: str


@lru_cache(MAX_KEPT)
def besides(system: str, prompts: tuple[str, ...] = ()) -> Besides:
    """What a system text says besides telling of tools, as `prompts` do; all of it where it defines none."""
    found = embedded_tools(system)
    if not found.spans:
        return Besides(frozenset(), system)
    names = frozenset(tool["function"]["name"] for tool in found.tools)
    known = _known((*chats(),), prompts) | {_key(name) for name in names}
    edges = [0, *(edge for span in _widened(system, found.spans) for edge in span), len(system)]
    gaps = [(edges[at], edges[at + 1]) for at in range(0, len(edges), 2)]
    kept = [
        _kept(system, start, end, known, behind=at > 0, before=at + 1 < len(gaps))
        for at, (start, end) in enumerate(gaps)
    ]
    spans = [span for span in kept if span[0] < span[1]]
    breaks = ["\n\n" if "\n" in system[one[1] : other[0]] else " " for one, other in pairwise(spans)]
    texts = [system[start:end].rstrip() for start, end in spans]
    return Besides(names, "".join(part for pair in zip(texts, [*breaks, ""], strict=False) for part in pair))


def _widened(text: str, spans: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The spans with the tags and fences that are around each of them, and around nothing else."""
    for start, end in spans:
        while (opener := _OPENER.search(text, max(0, start - _LOOK), start)) is not None:
            tag, token, fence = opener.groups()
            closer = f"</{tag}>" if tag else f"[/{token}]" if token else fence
            closed = re.compile(rf"\s{{0,100}}{re.escape(closer)}").match(text, end)
            if closed is None:
                break
            start, end = opener.start(), closed.end()
        yield start, end


def _kept(text: str, start: int, end: int, known: frozenset[str], behind: bool, before: bool) -> tuple[int, int]:
    """What stays of `start:end`, where definitions are `behind` its start, or its end stands `before` some."""
    found = [match.span() for match in _SENTENCE.finditer(text, start, end)]

    def goes(span: tuple[int, int]) -> bool:
        said = _key(text[slice(*span)])
        if not said or said in known:
            return True
        cuts = range(1, len(said) if len(said) < MAX_SENTENCE else 0)  # a chat may write the rest in several ways
        return any(said[:at] in known and said[at:] in known for at in cuts)

    if behind:
        found = found[sum(1 for _ in takewhile(goes, found)) :]
    if before:
        found = found[: len(found) - sum(1 for _ in takewhile(goes, reversed(found)))]
    return (found[0][0], found[-1][1]) if found else (start, start)


@lru_cache(4)
def _known(names: tuple[str, ...], prompts: tuple[str, ...]) -> frozenset[str]:
    """The sentences that chats and prompts have around the definitions of tools."""
    texts = (*(text for name in names for text in _around_tools(chat(name).spec)), *prompts)
    parts = (part for text in texts for part in (text, _CLOSED.sub("", text), _OPENED.sub("", text)))
    return frozenset(_key(sentence) for part in parts for sentence in _SENTENCE.findall(part))


_CLOSED = re.compile(r"\A\s*</\w+>")
_OPENED = re.compile(r"<\w+>\s*\Z")


def _around_tools(spec: ChatSpec) -> Iterator[str]:
    """The texts of a chat that tell of tools."""
    roles = (ChatRole.TOOLS, ChatRole.TOOL)
    todo = [name for name, role in spec.roles.items() if role in roles]
    for rule in todo:
        for leaf in leaves(spec.rules[rule].expr):
            if isinstance(leaf, Literal):
                yield leaf.text
            elif isinstance(leaf, Ref) and leaf.rule not in {*todo, *spec.roles}:
                todo.append(leaf.rule)
    if spec.tools is not None:
        yield from _HOLE.split(spec.tools.text)
        yield from _HOLE.split(spec.tools.each)


_HOLE = re.compile(r"\{[\w/]+\}")


def _key(sentence: str) -> str:
    """A sentence without its blanks, and without the signs of a heading or a list; nothing of what is only signs."""
    key = "".join(sentence.split())
    return key.strip("#*`-") if key.strip(punctuation) else ""
