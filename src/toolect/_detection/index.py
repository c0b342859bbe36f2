"""The openers of all dialects in one place: what begins at a character of a text, and whose it may be."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from toolect import _cache as cache
from toolect import registry
from toolect._detection.stretch import FENCE
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
        needles = {*openers, *self.closers, *(e.split(None, 1)[0] for e in self.ends), FENCE}
        self._names = {opener: tuple(names) for opener, names in named.items()}
        line = "|".join(map(_named, named))
        self._named = re.compile(line).match if line else None
        guards = {bracket: guard for bracket, guard in _BARE.items() if bracket in needles} | {
            needle: guard for needle, found in openers.items() if (guard := _before_name(needle, found))
        }
        found = [trie(needles - guards.keys()), *guards.values()]
        anything = re.compile("|".join(found) + (f"|(?m:^)(?={line})" if line else ""))
        self._search, self._match = anything.search, anything.match
        alone = {
            n
            for n in openers
            if n[0].isalpha() and not any(c.startswith((n, n[0])) for c in (*self.closers, *self.ends))
        }
        signs = [*_branches(needles - guards.keys() - alone), *guards.values()]
        begun = rf"[^\S\n]*{trie(alone)}" if alone else ""
        lines = "|".join(filter(None, (line, begun)))
        # Each branch begins with a sign of its own: then `re` looks for these first.
        self._in_lines = re.compile("|".join([*signs, *([rf"\n(?={lines})"] if lines else [])]) or r"(?!)").search
        closing = sorted({*self.closers, *self.ends}, key=len, reverse=True)
        self._closing = re.compile("|".join(map(re.escape, closing)) or r"(?!)").match
        self._needle = re.compile(trie(openers, longest=True) if openers else r"(?!)").match
        self._at = {needle: _begun(openers, needle) for needle in openers}
        wholes = needles.union(closing)  # those with blanks in them have to be there as a whole
        self.longest = max(map(len, wholes))
        self._beginnings = frozenset(n[:k] for n in wholes for k in range(1, len(n)))
        self._first = re.compile("[" + "".join(map(re.escape, sorted({n[0] for n in needles}))) + "]")

    def _rank(self, name: str) -> tuple[int, int, str]:
        return -self.traits[name].models, self.traits[name].breadth, name

    def search(self, text: str, pos: int, final: bool) -> tuple[int, int]:
        """The first index from `pos` on where something begins, or -1, and up to where nothing can begin any more."""
        match = self._search(text, pos)
        return self._found(text, pos, -1 if match is None else match.start(), final)

    def search_lines(self, text: str, pos: int, final: bool, in_line: bool) -> tuple[int, int]:
        """The same, but words only where a line begins with them; `in_line` says that one begins at `pos`."""
        if in_line:
            at = _blank(text, pos).end()  # type: ignore[union-attr]  # matches the empty string
            if self._match(text, at) is not None:
                return self._found(text, pos, at, final)
        match = self._in_lines(text, pos)
        at = -1 if match is None else match.start()
        if at >= 0 and text[at] == "\n":
            at += 1
            if not self.names_at(text, at):
                at = _blank_in_line(text, at).end()  # type: ignore[union-attr]  # as above
        return self._found(text, pos, at, final)

    def _found(self, text: str, pos: int, found: int, final: bool) -> tuple[int, int]:
        at = len(text) if found < 0 else found
        if not final and len(text) - at < self.longest:
            until = self.hold_from(text, pos)
            if until < at:
                return -1, until
        return (at, at) if found >= 0 else (-1, len(text))

    def names_at(self, text: str, pos: int) -> bool:
        """True when a name may stand at `pos` that begins a call without a marker."""
        return self._named is not None and self._named(text, pos) is not None

    def closing(self, text: str, pos: int) -> str:
        """The closer of reasoning or content, or the end token, at `pos`; empty for none."""
        match = self._closing(text, pos)
        return "" if match is None else match[0]

    def begins(self, text: str, pos: int) -> bool:
        """True when something may begin at `pos`."""
        return self._match(text, pos) is not None

    def calls(self, text: str, pos: int, end: int) -> bool:
        """True when a call may begin in `text[pos:end]`, whatever stands around it."""
        while 0 <= (at := self.search(text, pos, True)[0]) < end:
            if any(hit.opener.call and hit.opener.strong for hit in self.hits(text, at, False, False, True) or ()):
                return True
            pos = at + 1
        return False

    def hold_from(self, text: str, pos: int) -> int:
        """The index from which the end of `text` may be the beginning of something."""
        n = len(text)
        at = max(pos, n - self.longest)
        while (match := self._first.search(text, at)) is not None:
            at = match.start()
            if text[at:] in self._beginnings:
                return at
            at += 1
        return n

    def partial(self, text: str, pos: int) -> bool:
        """True when `text[pos:]` may be the beginning of something longer."""
        return len(text) - pos < self.longest and text[pos:] in self._beginnings

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
        for opener, names in self._names.items() if fresh else ():
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


_BARE = {
    "{": rf"""\{{(?=\s{{0,{MAX_BLANK}}}(?:["'\w]|\Z))""",
    "[": rf"""\[(?=\s{{0,{MAX_BLANK}}}(?:[{{"'_]|[^\W\d]|\Z))""",
}
"""What matches a bracket that something may begin with: most that stand in code are none."""


_blank = re.compile(r"\s*").match
_blank_in_line = re.compile(r"[^\S\n]*").match


def _before_name(needle: str, openers: Iterable[Opener]) -> str:
    """Matches a sign that is the whole of all `openers` that begin with it, when what may follow it does: a name.

    Empty where something else may follow, or where the name may hold the sign.
    """
    names = {regex for opener in openers for regex in opener.patterns}
    after = {mark for opener in openers for mark in opener.then}
    plain = all(o.core == needle and o.patterns and not (o.free or o.json or o.follows) for o in openers)
    if len(needle) > 1 or not plain or any(re.search(regex, needle) for regex in names):
        return ""
    blank = rf"\s{{0,{MAX_BLANK}}}"
    then = f"{blank}(?:{'|'.join(map(re.escape, after))}|\\Z)" if after and all(len(m) == 1 for m in after) else ""
    return rf"{re.escape(needle)}(?={blank}(?:(?>{'|'.join(names)}){then}|\Z))"


def _named(opener: Opener) -> str:
    """Matches a name without a marker that begins a call, when what is near may follow it."""
    after = [re.escape(mark) for mark in opener.follows] + ([r"""[{\["]"""] if opener.json else [])
    if opener.free or opener.patterns:
        return opener.core
    return rf"{opener.core}\s{{0,{MAX_BLANK}}}(?:{'|'.join(after)}|\Z)"


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


def trie(words: Iterable[str], longest: bool = False) -> str:
    """A regular expression that matches where any of `words` begins, with common beginnings shared.

    It matches the shortest of those that begin there, or the `longest`.
    """
    parts = _branches(words, longest)
    return parts[0] if len(parts) == 1 else f"(?:{'|'.join(parts)})"


def _branches(words: Iterable[str], longest: bool = False) -> list[str]:
    """The branches of such an expression, one for each first character."""
    groups: dict[str, list[str]] = {}
    for word in sorted(words):
        groups.setdefault(word[0], []).append(word[1:])
    parts = []
    for first, rests in groups.items():
        more = [rest for rest in rests if rest]
        inner = trie(more, longest) if more and (longest or len(more) == len(rests)) else ""
        parts.append(re.escape(first) + (inner if len(more) == len(rests) or not inner else f"(?:{inner})?"))
    return parts


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
