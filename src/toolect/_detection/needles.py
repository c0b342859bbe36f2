"""What is searched for in a text whose dialect nobody named: where something of one may begin."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping

from toolect._detection.stretch import FENCE
from toolect._detection.traits import Opener
from toolect._graph.spelling import MAX_BLANK


class Needles:
    """The beginnings of openers, closers and end tokens, ready for searching, and the names that lines begin with."""

    def __init__(
        self,
        openers: Mapping[str, Collection[Opener]],
        named: Collection[Opener],
        closers: Collection[str],
        ends: Collection[str],
    ) -> None:
        """`openers`: by their needles. `named`: without a marker."""
        needles = {*openers, *closers, *(e.split(None, 1)[0] for e in ends), FENCE}
        line = "|".join(map(_named, named))
        self._named = re.compile(line).match if line else None
        guards = {bracket: guard for bracket, guard in _BARE.items() if bracket in needles} | {
            needle: guard for needle, found in openers.items() if (guard := _before_name(needle, found))
        }
        plain = needles - guards.keys()
        anything = re.compile("|".join([trie(plain), *guards.values()]) + (f"|(?m:^)(?={line})" if line else ""))
        self._search, self._match = anything.search, anything.match
        alone = {n for n in openers if n[0].isalpha() and not any(c.startswith((n, n[0])) for c in (*closers, *ends))}
        signs = [*branches(plain - alone), *guards.values()]
        begun = rf"[^\S\n]*{trie(alone)}" if alone else ""
        lines = "|".join(filter(None, (line, begun)))
        # Each branch begins with a sign of its own: then `re` looks for these first.
        self._in_lines = re.compile("|".join([*signs, *([rf"\n(?={lines})"] if lines else [])])).search
        wholes = needles.union(closers, ends)  # those with blanks in them have to be there as a whole
        self.longest = max(map(len, wholes))
        self._beginnings = frozenset(n[:k] for n in wholes for k in range(1, len(n)))
        self._first = re.compile("[" + "".join(map(re.escape, sorted({n[0] for n in needles}))) + "]")

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

    def begins(self, text: str, pos: int) -> bool:
        """True when something may begin at `pos`."""
        return self._match(text, pos) is not None

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


def trie(words: Iterable[str], longest: bool = False) -> str:
    """A regular expression that matches where any of `words` begins, with common beginnings shared.

    It matches the shortest of those that begin there, or the `longest`.
    """
    parts = branches(words, longest)
    return parts[0] if len(parts) == 1 else f"(?:{'|'.join(parts)})"


def branches(words: Iterable[str], longest: bool = False) -> list[str]:
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
