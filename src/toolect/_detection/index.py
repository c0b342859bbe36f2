"""The openers of all dialects in one place: what begins at a character of a text, and whose it may be."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from toolect import _cache as cache
from toolect import registry
from toolect._detection.needles import Needles, trie
from toolect._detection.traits import Opener, Traits, traits
from toolect._graph.spelling import MAX_BLANK, MAX_LEXEME, spaced
from toolect._reading.answer import WAIT, Answer
from toolect._reading.probe import past_blank

AHEAD = 96
"""Characters after an opener that decide whether a dialect is worth a trial."""


class Hit(NamedTuple):
    """An opener of some dialects at a place of a text, and where the marker ends."""

    names: tuple[str, ...]
    opener: Opener
    end: int

    def each(self) -> Iterator[Hit]:
        """The same, of one dialect at a time."""
        return (self._replace(names=(name,)) for name in self.names)

    def named(self, text: str) -> str:
        """The name that follows the marker in `text`; empty for none."""
        at = past_blank(text, self.end)
        found = (_regex(regex).match(text, at, at + MAX_LEXEME) for regex in self.opener.patterns)
        return next((match[0] for match in found if match is not None), "")


class Index:
    """What every dialect can be recognised by, made ready for searching."""

    def __init__(self, all_traits: Iterable[Traits]) -> None:
        self.traits = {t.name: t for t in all_traits}
        self.order = {name: i for i, name in enumerate(sorted(self.traits, key=self._rank))}
        """The dialects by how often they are met, then by how much they ask for."""
        openers: dict[str, dict[Opener, list[str]]] = {}
        named: dict[Opener, list[str]] = {}
        self.closers: dict[str, str] = {}
        """The closers of reasoning and content, with the whitespace after them."""
        self.prefill: dict[str, str] = {}
        """The tails of prompts that leave something open, and whose it is."""
        self.ends: frozenset[str] = frozenset(e for t in self.traits.values() for e in t.ends)
        for name in self.order:
            for opener in self.traits[name].openers:
                if opener.needle:
                    openers.setdefault(opener.needle, {}).setdefault(opener, []).append(name)
                else:
                    named.setdefault(opener, []).append(name)
            for core, trail in self.traits[name].closers.items():
                self.closers.setdefault(core, trail)
            for tail in self.traits[name].prefill:
                self.prefill.setdefault(tail, name)
        self.markers = tuple(sorted({m for t in self.traits.values() for m in t.markers}))
        """Every marker that says something about a dialect."""
        self.marked = re.compile(trie(self.markers) if self.markers else r"(?!)").search
        self._openers, self._named = openers, {opener: tuple(names) for opener, names in named.items()}
        self.needles = Needles(openers, named, self.closers, self.ends)
        """What is searched for."""
        closing = sorted({*self.closers, *self.ends}, key=len, reverse=True)
        self._closing = re.compile("|".join(map(re.escape, closing)) or r"(?!)").match
        self._needle = re.compile(trie(openers, longest=True) if openers else r"(?!)").match
        self._at = {needle: _begun(openers, needle) for needle in openers}

    def _rank(self, name: str) -> tuple[int, int, str]:
        return -self.traits[name].models, self.traits[name].breadth, name

    def late(self, vain: Collection[str]) -> Needles:
        """What is left to search for where much was looked at in vain: strong openers, but for the `vain` ones."""
        some = {
            needle: found
            for needle, openers in self._openers.items()
            if (found := [o for o in openers if (o.strong or not o.call) and o.core not in vain])
        }
        return Needles(some, (), self.closers, self.ends)

    def closing(self, text: str, pos: int) -> str:
        """The closer of reasoning or content, or the end token, at `pos`; empty for none."""
        match = self._closing(text, pos)
        return "" if match is None else match[0]

    def calls(self, text: str, pos: int, end: int) -> bool:
        """True when a call may begin in `text[pos:end]`, whatever stands around it."""
        while 0 <= (at := self.needles.search(text, pos, True)[0]) < end:
            if any(hit.opener.call and hit.opener.strong for hit in self.hits(text, at, False, False, True) or ()):
                return True
            pos = at + 1
        return False

    def hits(self, text: str, pos: int, line: bool, fresh: bool, final: bool) -> list[Hit] | None:
        """The openers at `pos` that something of their dialect may follow; None when more text is needed.

        Words are openers only in a `line` of their own, and a name without a marker only where one begins (`fresh`).
        """
        found: list[Hit] = []
        match = self._needle(text, pos)
        if match is not None and not line and text[pos].isalpha():
            match = None
        last = at = -1
        for opener, names in self._at[match[0]] if match is not None else ():
            end = pos + len(opener.core) if opener.core == opener.needle else self._end(opener, text, pos, final)
            if end is None:
                return None
            if end < 0:
                continue
            if end != last:
                last, at = end, past_blank(text, end)
            answer = follows(opener, text, end, at, final)
            if answer is WAIT:
                return None
            if answer is Answer.YES:
                found.append(Hit(names, opener, end))
        for opener, names in self._named.items() if fresh else ():
            match = _regex(opener.core).match(text, pos, pos + MAX_LEXEME)
            if match is None or match.end() == pos:
                continue
            if match.end() == len(text) and not final:
                return None
            answer = follows(opener, text, match.end(), past_blank(text, match.end()), final)
            if answer is WAIT:
                return None
            if answer is Answer.YES:
                found.append(Hit(names, opener, match.end()))
        return found

    def _end(self, opener: Opener, text: str, pos: int, final: bool) -> int | None:
        """Where the opener that begins at `pos` ends; -1 when it is not there, None when more text is needed."""
        match = _spaced(opener.core).match(text, pos)
        if match is not None:
            return match.end()
        rest = text[pos : pos + len(opener.core) + MAX_BLANK]
        near = not final and pos + len(rest) == len(text)
        return None if near and "".join(opener.core.split()).startswith("".join(rest.split())) else -1


def _begun(openers: Mapping[str, Mapping[Opener, list[str]]], needle: str) -> list[tuple[Opener, tuple[str, ...]]]:
    """The openers, each with its dialects, that stand where `needle` does: those with the longest needles first."""
    found = [needle[:size] for size in range(len(needle), 0, -1) if needle[:size] in openers]
    return [(opener, tuple(names)) for one in found for opener, names in openers[one].items()]


def follows(opener: Opener, text: str, end: int, at: int, final: bool) -> Answer:
    """May what stands at `end` come after `opener`? The blanks there end at `at`."""
    if opener.free:
        return Answer.YES
    if opener.json and opener.core in _FIRST:
        whole, part = _FIRST[opener.core]
        if whole.match(text, end) is not None:
            return Answer.YES
        match = part.match(text, end)
        return WAIT if match is not None and match.end() == len(text) and not final else Answer.NO
    rest = text[at : at + AHEAD]
    if not rest:
        return Answer.YES if final else WAIT
    if opener.json and rest[0] in '{["':
        return Answer.YES
    if rest.startswith(opener.follows):
        return Answer.YES
    for regex in opener.patterns:
        match = _regex(regex).match(text, at, at + MAX_LEXEME)
        if match is not None and match.end() > at:
            return _then(opener, text, match.end(), final)
    if at + len(rest) == len(text) and any(mark.startswith(rest) for mark in opener.follows):
        return Answer.YES if final else WAIT
    return Answer.NO


def _then(opener: Opener, text: str, end: int, final: bool) -> Answer:
    """May what stands at `end` come after the name that follows `opener`?"""
    at = past_blank(text, end)
    rest = text[at : at + AHEAD]
    if not opener.then or rest.startswith(opener.then):
        return Answer.YES
    if at + len(rest) < len(text) or not any(mark.startswith(rest) for mark in opener.then):
        return Answer.NO
    return Answer.YES if final else WAIT


_S = r"\s{0,64}"
_KEY = rf"""{_S}(?:"[^"\\\n]{{0,64}}"|'[^'\\\n]{{0,64}}'|\w{{1,64}}){_S}:{_S}["'{{\[tfnTFN\d-]"""
_COLON = rf"{_S}(?::{_S})?"
_PART = rf"""{_S}(?:"[^"\\\n]{{0,64}}(?:"{_COLON})?|'[^'\\\n]{{0,64}}(?:'{_COLON})?|\w{{1,64}}{_COLON})?"""
_FIRST = {
    "{": (re.compile(_KEY), re.compile(_PART)),
    "[": (re.compile(rf"{_S}\{{{_KEY}"), re.compile(rf"{_S}(?:\{{{_PART})?")),
}
"""What the brackets of bare JSON are followed by when they are to hold a call, a key with a value; and a part of it."""


@lru_cache(maxsize=1024)
def _regex(regex: str) -> re.Pattern[str]:
    return re.compile(regex)


@lru_cache(maxsize=1024)
def _spaced(core: str) -> re.Pattern[str]:
    return re.compile(spaced(core))


def index() -> Index:
    """The index of all dialects that are registered now."""
    return _made(registry.fingerprint())


@lru_cache(maxsize=4)
def _made(fingerprint: str) -> Index:
    key = cache.key([fingerprint.encode(), _compiler()])
    found = cache.load("traits", key, list[Traits])
    if found is None:
        found = [traits(registry.spec(name)) for name in registry.dialects()]
        cache.store("traits", key, found)
    return Index(found)


@lru_cache(maxsize=1)
def _compiler() -> bytes:
    return cache.state("_graph/*.py", "_detection/*.py")
