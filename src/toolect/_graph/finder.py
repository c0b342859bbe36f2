"""Where words come next in a text that may be arriving. Each is looked for once, however many look for it."""

from __future__ import annotations

import re


class Finder:
    """What has been found out of `text`, whose first character is number `base` of the wire text."""

    __slots__ = ("_absent", "_known", "_matches", "base", "text")

    def __init__(self, text: str, base: int = 0) -> None:
        self.text, self.base = text, base
        self._known: dict[str, tuple[int, int]] = {}  # from which index a word was looked for, and where it is, or -1
        self._matches: dict[re.Pattern[str], tuple[int, re.Match[str] | None]] = {}  # the same of expressions
        self._absent = _NOTHING  # from which index to which one a word does not begin

    def next(self, word: str, pos: int) -> int:
        """The first index of `word` from `pos` on, or -1."""
        known = self._known.get(word)
        start = pos
        if known is not None:
            begin, at = known
            if pos >= begin:
                if at < 0 or at >= pos:
                    return at
            else:  # whoever looked for it before began further on
                back = self.text.find(word, pos, begin + len(word) - 1)
                at = at if back < 0 else back
                self._known[word] = pos, at
                return at
        elif self._absent and word in self._absent:
            begin, end = self._absent[word]
            if begin <= pos < end:
                start = end
        at = self.text.find(word, start)
        self._known[word] = pos, at
        return at

    def search(self, regex: re.Pattern[str], pos: int) -> re.Match[str] | None:
        """The first match of `regex` from `pos` on."""
        known = self._matches.get(regex)
        if known is not None and pos >= known[0] and (known[1] is None or known[1].start() >= pos):
            return known[1]
        match = regex.search(self.text, pos)
        self._matches[regex] = pos, match
        return match

    def moved(self, text: str, base: int) -> Finder:
        """What is known of `text`, which has more of the wire text at its end, and perhaps less at its beginning."""
        new, absent = Finder(text, base), {}
        gone, size = base - self.base, min(len(self.text) - base + self.base, len(text))
        for word, (begin, at) in self._known.items():
            if at < 0:
                absent[word] = max(begin - gone, 0), size - len(word) + 1
            elif gone <= at <= gone + size - len(word):
                new._known[word] = max(begin - gone, 0), at - gone
        new._absent = absent
        return new


_NOTHING: dict[str, tuple[int, int]] = {}
