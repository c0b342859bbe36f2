"""An inverted index: the beginnings of what all dialects write, each with the dialects that write it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from toolect import _cache as cache
from toolect import registry
from toolect._compiled import Dialect
from toolect._detection.traits import LATER, Opener, Traits, traits
from toolect._graph.misspelling import MORE, around, begins_with, parts
from toolect._graph.needle import fixed
from toolect._graph.node import STRONG
from toolect._graph.spelling import MAX_BLANK, MAX_LEXEME, ZERO_WIDTH, spaced, squeeze
from toolect._graph.symbols import is_echo
from toolect._search.hypothesis import WAIT, Waits
from toolect._search.island import beginnings
from toolect._search.pass_through import Stops
from toolect._values.toolset import NO_TOOLS, ToolSchemas

AHEAD = 96
"""Characters after an opener that decide of which dialects it may be."""
MOST = 10
"""Ways to go on at one place. Beyond it: the dialects that are met less often are left out."""
_BLANKS = re.compile(r"\s*")
_LAYOUT = re.compile(rf"[\s{ZERO_WIDTH}]*")
_IS_JSON = re.compile(r"(?:```\w{0,16}\s*)?[{\[]|\"")
"""Matches where JSON begins, be it in a code block."""
_FENCE = 24
_COUNTED = re.compile(r"(?:[:_-]\d{1,9})?\s*")
"""Matches the running number of a call behind its name."""
_FIRST_KEY = re.compile(r"""(?:[\[{]\s*){1,3}(?:["'“”„«`]*(\w*)|\Z)""")
_KEYS = re.compile(r"""["'“”„](\w+)["'“”]\s*[:：]""")
_MEMBERS = re.compile(r"""["'“”„](\w+)["'“”]\s*[:：]\s*(?:"((?:[^"\\]|\\.)*))?""")
"""The key of a member, and its value where that is a string."""
_FLAT = re.compile(r"[\[\s]*\{(?:[^{}\[\]]|[{\[][^{}\[\]]*[}\]])*\}")
"""An object, or the first one of a list, with one other level in it at most."""
_PART = 32
_KEPT = 256
_NAME = re.compile(r"\s*([^\W\d][\w.:/-]*)(\(?)")
_TOLD = re.compile(r'\(\s*\w+\s*=[^=]|\s*\n\s*\{\s*"|>\s*\{(?:\s*"|\})')
"""Matches text after the name of a call: an argument with its name, or JSON below or in an element."""
_COMMENT = re.compile(r"\s*(?:#|//|/\*)")
_WORDS = re.compile(r"_*[^\W_A-Z]+(?:_+[^\W_A-Z]+)+\Z")
"""Words with underscores between them, as programs name what can be called, and pages and prose do not."""


class Hit(NamedTuple):
    """An opener at a place of a text, where it ends, and the dialects that go on alike there."""

    opener: Opener
    end: int
    names: tuple[str, ...]


class Index:
    """Index of the traits by which dialects are recognised, made ready for searching."""

    def __init__(self, all_traits: Iterable[Traits]) -> None:
        self.traits = {t.name: t for t in all_traits}
        self.order = {name: i for i, name in enumerate(sorted(self.traits, key=self._rank))}
        """The dialects by how often they are met, then by how much they ask for."""
        self.prefill: dict[str, str] = {}
        """The tails of prompts that leave something open, and whose it is."""
        self.closers: dict[str, str] = {}
        self.ends: dict[str, str] = {}
        self.signs: dict[str, list[str]] = {}
        self.bare: dict[int, list[str]] = {}
        self._openers: dict[str, dict[tuple[str, int], list[tuple[str, Opener]]]] = {}
        self._texts = {t.name: frozenset(t.bare.texts) for t in self.traits.values() if t.bare is not None}
        self._keys = {t.name: frozenset(t.bare.keys) for t in self.traits.values() if t.bare is not None}
        self._argued = frozenset(key for t in self.traits.values() if t.bare is not None for key in t.bare.arguments)
        self._parts: dict[str, list[str]] = {}
        self._near: dict[str, dict[int, tuple[str, Opener]]] = {}
        led: dict[str, list[str]] = {}
        for name in self.order:
            self._add(self.traits[name], led)
        self.led = {re.compile(words): names for words, names in led.items()}
        """Finds names with which calls begin on a line of their own, each with the dialects that have such calls."""
        held = dict.fromkeys(t.led_held for t in self.traits.values() if t.led_held)
        self.led_held = re.compile("|".join(held) or "(?!)")
        self.markers = tuple(sorted({m for t in self.traits.values() for m in t.markers}))
        """Every marker that says something about a dialect."""
        needles = [*self._openers, *self.closers, *self.ends]
        self.regex = re.compile(_trie({*needles, "{", "["}))
        """Finds where something may begin."""
        self._cores = sorted({c for found in self._openers.values() for c, _ in found} | {*self.closers, *self.ends})
        self.longest = max(map(len, self._cores), default=1) + 8
        squeezed = [squeeze(core) for core in self._cores]
        self._begun = frozenset(core[:size] for core in squeezed for size in range(1, len(core)))
        self._first = re.compile("[" + re.escape("".join(sorted({core[0] for core in self._cores}))) + "{[]")
        strong = {core for core in (*self._cores, *self.markers) if len(core) >= STRONG and not is_echo(core)}
        self.strong = re.compile(_trie(strong))
        """Matches what is a marker of some dialect."""
        self._beginnings: dict[str, str] = {}
        """The dialect of each beginning of an opener."""
        for (core, _), owners in (kind for kinds in self._openers.values() for kind in kinds.items()):
            for size in range(STRONG, len(core)):
                self._beginnings.setdefault(core[:size], owners[0][0])
        begun = {way for core in self._near for way in begins_with(core, headless=True) if way[-1] != " "}
        self.near_begun = re.compile("|".join(sorted(begun)) or "(?!)")
        """Matches what a misspelt opener may begin with."""
        self.near = re.compile(_trie({*self._parts}, words=False))
        """Finds parts of openers that may be misspelt."""
        self.anything = re.compile("|".join([r"[\n`(<\[{]", self.regex.pattern, self.near.pattern]))
        """Finds where something may begin, be it on a line of its own, spelled otherwise, or behind a name."""
        self._stops: dict[Stops, Stops] = {}

    def _rank(self, name: str) -> tuple[int, int, str]:
        return -self.traits[name].models, self.traits[name].breadth, name

    def _add(self, t: Traits, led: dict[str, list[str]]) -> None:
        for tail in t.prefill:
            self.prefill.setdefault(tail, t.name)
        for core in t.closers:
            self.closers.setdefault(core, t.name)
        for end in t.ends:
            self.ends.setdefault(end, t.name)
        for sign in t.signs:
            self.signs.setdefault(sign, []).append(t.name)
        if t.led:
            led.setdefault(t.led, []).append(t.name)
        if t.bare is not None:
            self.bare.setdefault(t.bare.kind, []).append(t.name)
        for opener in t.openers:
            if opener.closer:
                continue
            needle = fixed(opener.core).split(None, 1)[0] if fixed(opener.core).strip() else ""
            if needle:
                kinds = self._openers.setdefault(needle, {})
                kinds.setdefault((opener.core, opener.kind), []).append((t.name, opener))
            if opener.near:
                if opener.core not in self._near:
                    for part in parts(opener.core):
                        self._parts.setdefault(part, []).append(opener.core)
                self._near.setdefault(opener.core, {}).setdefault(opener.kind, (t.name, opener))

    # What begins at a place

    def hits(self, buf: str, at: int, final: bool, tools: ToolSchemas) -> list[Hit] | int:
        """The openers that stand at index `at`, of each dialect the longest: those that what follows fits, if any.

        A name after a short one must be that of a tool, or look like one. Where more text has to tell: the length that
        `buf` has to have.
        """
        found = self._openers_at(buf, at, final)
        if isinstance(found, Waits):
            return len(buf) + 1
        groups: dict[tuple[str, int], list[str]] = {}
        respaced = {name: not buf.startswith(opener.trail, end) for name, (opener, end) in found.items()}
        for name in sorted(found, key=lambda name: (found[name][0].wrong, respaced[name], self.order[name])):
            opener, end = found[name]
            groups.setdefault((opener.core, opener.kind), []).append(name)
        hits = [Hit(*found[names[0]], tuple(names)) for names in groups.values()]
        fits, rest, strong = list[Hit](), list[Hit](), self.strong.match(buf, at) is not None
        for hit in hits:
            answer = follows(hit.opener, buf, hit.end, final, tools)
            if isinstance(answer, Waits):
                return max(len(buf) + 1, _needed(hit.opener, buf, hit.end))
            core = hit.opener.core
            if core[0] == "`" and (
                not answer
                and not (hit.opener.code and (tools.declared or _COMMENT.match(buf, hit.end)))
                or buf[hit.end : hit.end + 1].isalnum()
            ):
                continue
            weak = len(core) < STRONG and not core[0].isalnum()
            if core[0] == "`" and hit.opener.keys:
                begin = _BLANKS.match(buf, hit.end).end()  # type: ignore[union-attr]  # matches the empty string
                key, other = _FIRST_KEY.match(buf, begin), self.strong.match(buf, begin)
                if (
                    key is not None
                    and (key[1] or "") not in hit.opener.keys
                    or other is not None
                    and other[0][-1] == "]"
                ):
                    continue
            if weak and strong and not tools.declared:
                continue
            if weak and (not answer or hit.opener.patterns and not tool_like(buf, hit.end, tools)):
                continue
            if hit.opener.keys if core[0] == "`" else core == "[" and hit.opener.follows:
                if not final and len(buf) - hit.end < AHEAD:
                    return hit.end + AHEAD
                meant = not tools.declared or tools.names.search(buf, hit.end, hit.end + AHEAD) is not None
                if self._tells_nothing(buf, hit.end, tools) or core == "[" and not meant:
                    continue
            (fits if answer else rest).append(hit)
        end = max((hit.end for hit in fits if hit.opener.keys), default=-1)
        begin = _BLANKS.match(buf, end).end() if end >= 0 and len(fits) > 1 else -1  # type: ignore[union-attr]
        if begin == len(buf) and not final:
            return begin + 1
        if begin >= 0 and buf[begin : begin + 1] in ("{", "["):
            if not final and len(buf) - end < AHEAD:
                return end + AHEAD
            members = _MEMBERS.findall(buf[end : end + AHEAD])
            fits.sort(key=lambda hit: sum(_is_odd(hit.opener, *member) for member in members))
        if not fits and any(hit.opener.call for hit in rest):  # right before the opener of another's call it is text
            inner = _BLANKS.match(buf, max(hit.end for hit in rest)).end()  # type: ignore[union-attr]  # as above
            if not final and len(buf) - inner < self.longest:
                return inner + self.longest
            others = self._openers_at(buf, inner, True)
            assert not isinstance(others, Waits)
            cores = {opener.core for opener, _ in others.values() if opener.call and len(opener.core) >= STRONG}
            if cores and cores.isdisjoint(hit.opener.core for hit in rest):
                return []
        called = [hit for hit in fits if len(hit.opener.core) < STRONG and tools.declared]
        return called or [*fits, *rest][:MOST]

    def _openers_at(self, buf: str, at: int, final: bool) -> dict[str, tuple[Opener, int]] | Waits:
        """Of each dialect the longest opener that stands at index `at`, and where it ends."""
        found: dict[str, tuple[Opener, int]] = {}
        for needle, kinds in self._at(buf, at):
            for (core, _), owners in kinds.items():
                end = self._end(core, needle, buf, at, final)
                if end is None:
                    return WAIT
                for name, opener in owners if end >= 0 else ():
                    if name not in found or end > found[name][1]:
                        found[name] = opener, end
        return found

    def _at(self, buf: str, at: int) -> Iterator[tuple[str, dict[tuple[str, int], list[tuple[str, Opener]]]]]:
        for size in range(1, 40):
            needle = buf[at : at + size]
            if needle in self._openers:
                yield needle, self._openers[needle]

    def _end(self, core: str, needle: str, buf: str, at: int, final: bool) -> int | None:
        """The end of the marker that begins at index `at`; -1 when it is not there, None when more text is needed."""
        core = fixed(core)
        if core == needle:
            return at + len(core)
        match = _spaced(core).match(buf, at)
        if match is not None:
            return match.end()
        rest = buf[at : at + len(core) + MAX_BLANK]
        near = not final and at + len(rest) == len(buf)
        return None if near and squeeze(core).startswith(squeeze(rest)) else -1

    def bare_at(self, buf: str, at: int, final: bool, tools: ToolSchemas) -> list[str] | Waits:
        """The dialects, one for each shape, that may have a call as bare JSON at index `at`."""
        match = _FIRST_KEY.match(buf, at)
        if match is None or match[1] and buf[match.start(1) - 1] == "[":
            return []
        if not final and len(buf) - at < AHEAD:
            return WAIT
        key, cut, keys = match[1] or "", match.end() == len(buf), _KEYS.findall(buf[at : at + AHEAD])
        if not (key or keys or cut):
            return []
        found, argued = [], not self._tells_nothing(buf, at, tools)
        for names in self.bare.values():
            bare = self.traits[names[0]].bare
            assert bare is not None
            known = bare.open and (key in tools if tools.declared else _WORDS.match(key) is not None)
            keyed = argued and any(one == key or cut and key and one.startswith(key) for one in bare.keys)
            if known or keyed or argued and sum(one in bare.keys for one in keys) > 1:
                found.append(min(names, key=self._bare_rank))
        found.sort(key=self._bare_rank)
        members = _MEMBERS.findall(buf[at : at + AHEAD])
        encoded = {key for key, text in members if text[:1] == "{"}
        found.sort(
            key=lambda name: (
                sum(key not in self._keys[name] for key in keys) + len(encoded - self._texts[name]),
                self.has_any_key(name),
            )
        )
        return found[:MOST]

    def _tells_nothing(self, buf: str, at: int, tools: ToolSchemas) -> bool:
        """True when an object at index `at` is over, and neither has the key of arguments nor names a declared tool."""
        match = _FLAT.match(buf, at, at + AHEAD)
        if match is None or tools.declared and tools.names.search(match[0]) is not None:
            return False
        return self._argued.isdisjoint(_KEYS.findall(match[0]))

    def _bare_rank(self, name: str) -> tuple[bool, int, int]:
        bare = self.traits[name].bare
        assert bare is not None
        return bare.open, len(bare.keys) if bare.open else bare.cost, self.order[name]

    def meets(self, name: str, buf: str, at: int) -> bool:
        """True when the JSON at index `at` has its arguments where a dialect has them, though any key may be a tool."""
        bare = self.traits[name].bare
        return bare is not None and any(key in bare.arguments for key in _KEYS.findall(buf[at : at + AHEAD]))

    def has_any_key(self, name: str) -> bool:
        """True when any key may be a tool in the JSON of a dialect."""
        bare = self.traits[name].bare
        return bare is not None and bare.open

    def ends_at(self, buf: str, at: int) -> bool:
        """True when nothing but end tokens and blanks follow index `at`."""
        rest = buf[at : at + _KEPT]
        for end in self.ends:
            rest = rest.replace(end, "")
        return not rest.strip() or any(end.startswith(rest.strip()) for end in self.ends)

    def misspelt(self, buf: str, at: int, final: bool) -> list[str] | Waits:
        """The dialects, one of each kind, an opener of which stands at index `at` or around it, spelled otherwise.

        Those come first that what follows fits.
        """
        found: dict[int, tuple[bool, int, str]] = {}
        text = buf[at : at + _PART]
        for part in self._parts if self.near.search(text) is not None else ():
            start = at + text.find(part)
            for core in self._parts[part] if start >= at else ():
                for pos, end in around(core, buf, start, start + len(part), final):
                    if end == MORE:
                        return WAIT
                    headless = buf[pos] != core[0] and pos > 0 and buf[pos - 1] in "</[|`_"
                    if pos != at and start != at or headless or self.strong.match(buf, pos) is not None:
                        continue
                    for kind, (name, opener) in self._near[core].items():
                        fits = follows(opener, buf, end, final)
                        if isinstance(fits, Waits):
                            return WAIT
                        found.setdefault(kind, (not fits, self.order[name], name))
        return [name for *_, name in sorted(found.values())][:MOST]

    def named(self, buf: str, end: int) -> list[str]:
        """The dialects in which a call goes on as it does behind index `end`, where its name stands."""
        at = _COUNTED.match(buf, end).end()  # type: ignore[union-attr]  # matches the empty string
        sign = max((s for s in self.signs if buf.startswith(s, at)), key=len, default="")
        names = [*self.signs.get(sign, ()), *(self.signs.get(LATER, ()) if sign == "{" else ())]
        kinds: dict[int, str] = {}
        for name in names:
            kinds.setdefault(self.traits[name].named, name)
        return list(kinds.values())[:MOST]

    def calling(self, buf: str, at: int) -> list[str]:
        """All dialects of which a call may begin at index `at`, whichever tools there are."""
        found, bare = self._openers_at(buf, at, True), self.bare_at(buf, at, True, NO_TOOLS)
        assert not isinstance(found, Waits) and not isinstance(bare, Waits)
        calls = {name: hit for name, hit in found.items() if hit[0].call}
        names = [name for name, (opener, end) in calls.items() if opener.free or follows(opener, buf, end, True)]
        names = names or [name for name, (opener, _) in calls.items() if len(opener.core) >= STRONG]
        names += [other for name in bare for other in self._alike(name)]
        if tool_like(buf, at, NO_TOOLS):
            names += [name for words, led in self.led.items() if words.match(buf, at) is not None for name in led]
        return names

    def _alike(self, name: str) -> list[str]:
        """The dialects that have the same bare JSON."""
        bare = self.traits[name].bare
        return [] if bare is None else self.bare[bare.kind]

    # What may come yet

    def held(self, buf: str, low: int) -> int:
        """The index from which on something may begin that is not all there."""
        at = max(low, len(buf) - self.longest - MAX_BLANK)
        while (match := self._first.search(buf, at)) is not None:
            at = match.start()
            inside = buf[at].isalnum() and at > 0 and (buf[at - 1].isalnum() or buf[at - 1] == "_")
            if buf[at] in "{[" or not inside and squeeze(buf[at:]) in self._begun:
                return at
            at += 1
        return len(buf)

    def stops(self, own: Stops) -> Stops:
        """The signs and words that may end a text: those of the dialect's `own`, and those of all dialects."""
        if own not in self._stops:
            signs = "".join(sorted({core[0] for core in self._cores if not core[0].isalnum()}))
            begun = beginnings({squeeze(core) for core in self._cores if core[0].isalnum()}, r"\s*", [])
            words = [f"[{re.escape(signs)}]", self.anything.pattern, own.signs.pattern]
            begins = [self.near_begun.pattern, own.begins.pattern, rf"(?<!\w)(?:{begun.pattern})"]
            self._stops[own] = Stops(re.compile("|".join(words)), re.compile("|".join(begins)))
        return self._stops[own]

    def torn(self, buf: str, low: int, end: int) -> tuple[int, str]:
        """The index of an opener that is broken off before index `end`, and its dialect; `end` and "" for none."""
        at = max(low, end - self.longest)
        while (match := self._first.search(buf, at, end)) is not None:
            at = match.start()
            if name := self._beginnings.get(buf[at:end], ""):
                return at, name
            at += 1
        return end, ""


def _is_odd(opener: Opener, key: str, text: str) -> bool:
    """True when the JSON after an opener has no such key, or none with such a text."""
    if not opener.keys:
        return False
    encoded = text[:1] == "{" and key not in opener.texts
    return key not in opener.keys or encoded or bool(text) and text not in opener.constants.get(key, (text,))


def tool_like(buf: str, at: int, tools: ToolSchemas) -> bool:
    """True when the name at index `at` is a declared tool's, or, where none is declared, looks like one.

    Pages and sources are full of `<li>` and `f()`.
    """
    match = _NAME.match(buf, at)
    if tools.odd_names and tools.names.match(buf, _BLANKS.match(buf, at).end()):  # type: ignore[union-attr]  # as above
        return True
    if match is None:
        return False
    name, bracket = match.groups()
    if tools.declared:
        return name in tools
    if _TOLD.match(buf, match.end(1)) is not None:
        return True
    return _WORDS.match(name) is not None and (not bracket or buf.startswith("()", match.end(1)))


def follows(opener: Opener, buf: str, end: int, final: bool, tools: ToolSchemas = NO_TOOLS) -> bool | Waits:
    """May what stands at index `end` come after `opener`, if not any text may?"""
    at = _LAYOUT.match(buf, end).end()  # type: ignore[union-attr]  # matches the empty string
    if at == len(buf) or buf[at] == "`" and len(buf) - at < _FENCE and not final:
        return True if final else WAIT
    if opener.json and _IS_JSON.match(buf, at):
        return True
    if not final and len(buf) < _needed(opener, buf, end):
        return WAIT
    rest = squeeze(buf[at : at + AHEAD // 2 if opener.inner else at + AHEAD])
    if rest.startswith(opener.follows):
        behind = rest[max(len(mark) for mark in opener.follows if rest.startswith(mark)) :]
        return not opener.inner or behind[:1] != "<" or any(_regex(regex).match(behind) for regex in opener.inner)
    named = tools.names.match(buf, at) if tools.odd_names else None
    for regex in opener.patterns:
        match = named or _regex(regex).match(buf, at, at + MAX_LEXEME)
        if match is not None and match.end() > at:
            rest = squeeze(buf[match.end() : match.end() + AHEAD])
            if not opener.then or rest.startswith(opener.then):
                return True
            if len(buf) - match.end() < AHEAD and any(mark.startswith(rest) for mark in opener.then):
                return True if final else WAIT
            return False
    return final and any(mark.startswith(rest) for mark in opener.follows)


def _needed(opener: Opener, buf: str, end: int) -> int:
    """The length that a text has to have, where what stands at index `end` may come after `opener`."""
    at = _LAYOUT.match(buf, end).end()  # type: ignore[union-attr]  # matches the empty string
    longest = max(map(len, opener.follows), default=0)
    return at + (AHEAD // 2 if opener.patterns or opener.inner else min(longest, AHEAD // 2))


def _trie(texts: Collection[str], words: bool = True) -> str:
    """An expression for any of these texts, the longest first, by their first signs, of which a search is quick.

    What begins with a letter is found only where a word does, if they are `words`.
    """
    rests: dict[str, list[str]] = {}
    for text in sorted(texts, key=len, reverse=True):
        rests.setdefault(text[0], []).append(re.escape(text[1:]))
    found = []
    for first, ends in rests.items():
        sign = re.escape(first)
        bound = rf"(?<!\w{sign})" if words and first.isalnum() else ""
        found.append(f"{sign}{bound}(?:{'|'.join(ends)})")
    return "|".join(found) or "(?!)"


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
        found = [traits(Dialect(registry.spec(name))) for name in registry.dialects()]
        cache.store("traits", key, found)
    return Index(found)


@lru_cache(maxsize=1)
def _compiler() -> bytes:
    return cache.state("_graph/*.py", "_search/*.py", "_detection/*.py")
