"""Misspellings of markers: the only definition of how near a text is to one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from toolect._graph.node import STRONG
from toolect._graph.spelling import LETTERS, MAX_BLANK, beginning
from toolect._graph.symbols import is_echo

TWICE = 2
"""Characters of an opener that is one too many where it stands twice. With fewer: the second one is text."""
QUOTES = frozenset("\"'“”‘’")
MORE = -2
"""The text ends before it is clear how a marker is spelled."""
NO = -1
_PART = 3
"""Characters of a part of a marker that is searched for."""
_FIRMLY, _LOOSELY = 12, 5
"""Characters by which a marker differs from other texts: where each must be right, and where one may be wrong."""
_SIGN = re.compile(r"[^\w\s.,:;!?'\"()*#-]|_").search
"""A sign that prose has no use for."""
_SIGNS = re.compile(r"[\W_]*").match
_CLOSING = ("</", "[/")
"""Beginnings of closers, which no opener is misspelt as."""
_NAMED = "name="
_ATTRIBUTE = re.compile(
    rf"\s{{1,{MAX_BLANK}}}(?:(name)\s{{0,{MAX_BLANK}}}=|(?:n|na|nam|name\s{{0,{MAX_BLANK}}})?\Z)"
).match
"""The attribute that some formats have before the sign, and others leave out; no group where the text ends in it."""
_CLOSING_ATTRIBUTE = re.compile(rf"(?:=|\s{{1,{MAX_BLANK}}}(?=[^\s<>]))[^\s<>]{{0,{MAX_BLANK}}}(?=(>|\Z))").match
"""The opener's attribute, repeated before the end of a closing tag; an empty group where the text ends in it."""
_VALUE = r"""(?:"[^"<>\n]{0,64}"|'[^'<>\n]{0,64}'|[^\s"'<>=]{1,64})"""
_ATTRIBUTES = re.compile(
    rf"(?:\s{{1,4}}(?!name\s{{0,4}}=)[A-Za-z_][\w:.-]{{0,31}}\s{{0,4}}=\s{{0,4}}{_VALUE}){{1,4}}\s{{0,4}}(?=>)"
).match
_BEGUN_ATTRIBUTES = re.compile(r"\s{1,4}(?:[A-Za-z_][^<>\n]{0,256})?\Z").match
"""Attributes before the end of a tag that has none, but for a name, which others have; and what may become some."""
_FIRST_WORD = re.compile(r"(\W*+)[^\W_]++[_ ]?+(?=.*[^\W\d_]{3})", re.DOTALL).match
"""The signs and the first word of a marker that has more."""


def near(core: str, buf: str, pos: int, final: bool) -> tuple[int, int]:
    """The number of characters of the marker `core` that differ at `buf[pos:]`, and its end there.

    Case, blanks and quotes are free, and so are its first signs, and its first word. Otherwise one character may be
    missing, wrong or too many, in a marker of `STRONG` letters or signs. A negative end is `NO` marker, or says that
    `MORE` text is needed, of one that is not `final`.
    """
    end = _first(_ends(core, buf, pos, 0))
    if end != NO or len(core) < STRONG:
        return 0, end
    for rest in _beheaded(core):
        if (end := _first(_ends(rest, buf, pos, 0))) != NO:
            return 1, end
    ends = _ends(core, buf, pos, 1)
    if MORE in ends and not final:
        return 1, MORE
    return 1, next((end for end in ends if buf[end - 1 : end] == core[-1]), _first(ends))


def near_before(core: str, buf: str, low: int, at: int, own: str = "") -> tuple[int, int] | None:
    """The start and end of the marker `core`, misspelt, in `buf[low:at]`, with nothing but blanks after it.

    It begins with one of its first signs, which are those of its `own` part where a name or key is repeated in it.
    """
    signs, start = leading_signs(own or core), max(low, at - _reach(core))
    said = buf[start:at].rstrip()
    for pos, char in enumerate(said):
        begins = char in signs and not buf.startswith(core, start + pos)
        if begins and any(end == len(said) for end in _all_ends(core, said, pos)):
            return start + pos, start + len(said)
    return None


def around(core: str, buf: str, at: int, until: int, final: bool) -> Iterator[tuple[int, int]]:
    """The spans of `core`, misspelt, that contain `buf[at:until]`; `MORE` in place of an end that is not there yet."""
    low = at if core.startswith(buf[at:until]) else max(0, at - len(core) - 1)
    goes_on = likely(core, headless=True)
    for match in _begins(core).finditer(buf, low, at + 1 + LETTERS):
        pos = match.start()
        if pos > at:
            break
        closes = buf.startswith(_CLOSING, pos) or buf[max(0, pos - 1) : pos] == "/" and "/" not in leading_signs(core)
        if closes or goes_on.match(buf, pos) is None:
            continue
        _, end = near(core, buf, pos, final)
        if end >= until or end == MORE and not final:
            yield pos, end


def parts(core: str) -> set[str]:
    """Parts of `core`: in any misspelling of it one is whole. None for what looks like prose."""
    run = max(core.split(), key=len)
    half = len(run) // 2
    rest = run[half:] if _SIGN(run, half) is not None else core[core.index(run) + half :]
    found = {run[:half], rest, *(rest for rest in _beheaded(core)[-1:] if " " not in rest)}
    return {part for part in found if len(part) >= _PART and _SIGN(part) is not None} if leading_signs(core) else set()


def begins_with(core: str, headless: bool) -> list[str]:
    """Expressions for the beginning of the marker `core`, misspelt: its first signs or, `headless`, its first word."""
    return [*_starts(core, headless).values()]


def begins_likely(core: str, headless: bool) -> list[str]:
    """The same, each with how the marker goes on then: few other texts do. It matches less where the text ends."""
    return [start + _goes_on(core, sign) for sign, start in _starts(core, headless).items()]


def _starts(core: str, headless: bool) -> dict[str, str]:
    """The characters that `core`, misspelled, may begin with, each as a regular expression that begins with it."""
    signs = leading_signs(core)
    word = core[len(signs) :] if headless else ""
    return {sign: re.escape(sign) for sign in signs} | ({word[0]: beginning(word)} if word else {})


def _goes_on(core: str, first: str) -> str:
    """A regular expression that holds wherever `core`, misspelled, goes on after the character `first`."""
    if is_echo(core):
        return ""
    if len(core) < STRONG:
        return r"(?!)"
    units = _units(core)
    ways = [_told(_units(rest)[1:_FIRMLY], False) for rest in _beheaded(core) if rest[0] == first]
    for edits, rest in ((True, units[1:]), (False, units[2:])):
        if units[not edits : 2 - edits] == [re.escape(first)]:
            ways.append(_told(rest[:_LOOSELY], edits))
    ways += [_told(units[1:_LOOSELY], False), _told(units[:_LOOSELY], False)]
    return f"(?:{'|'.join(dict.fromkeys(ways))})"


def _units(core: str) -> list[str]:
    """The characters of `core` as regular expressions, up to where it may be written in quite another way."""
    units: list[str] = []
    for at, char in enumerate(core):
        if char in QUOTES or core.startswith(_NAMED, at):
            break
        if char == "=":
            units.append("[=n]")  # or the attribute that some formats have before it
            break
        if not char.isspace():
            units.append(f"(?i:{char})" if char.isalpha() else re.escape(char))
    return units


def _told(units: list[str], edits: bool) -> str:
    """A regular expression for `units`, blanks between them, as far as the text goes; with `edits` one may be wrong."""
    if not units:
        return ""
    first, rest = units[0], units[1:]
    ways = [r"\Z", first + _told(rest, edits)]
    if edits:
        after = _told(rest, False)
        ways += [after, f"(?s:.){after}", f"(?s:.){_told(units, False)}"]
    return rf"\s{{0,{MAX_BLANK}}}+(?:{'|'.join(ways)})"


def any_of(patterns: Iterable[str]) -> re.Pattern[str]:
    """Any of these regular expressions, fast where each begins with a character."""
    return re.compile("|".join(sorted(set(patterns))) or r"(?!)")


@lru_cache(512)
def likely(core: str, headless: bool) -> re.Pattern[str]:
    """Finds where the marker `core`, misspelled, is likely to begin."""
    return any_of(begins_likely(core, headless))


@lru_cache
def _begins(core: str) -> re.Pattern[str]:
    return any_of(begins_with(core, headless=True))


def is_word(char: str) -> bool:
    """True for what words are made of."""
    return char.isalnum() or char == "_"


def _reach(core: str) -> int:
    """The most characters that a misspelled marker and the blanks after it are looked for in."""
    return len(core) + 1 + 2 * MAX_BLANK


def leading_signs(core: str) -> str:
    """The signs that `core` begins with."""
    return _SIGNS(core)[0]  # type: ignore[index]  # matches the empty string


@lru_cache(512)
def _beheaded(core: str) -> list[str]:
    """The forms of `core` without its first signs, or without its first word."""
    signs = range(len(leading_signs(core)), 0, -1)
    found = [core[size:] for size in signs if len(core) - size >= STRONG]
    word = _FIRST_WORD(core)
    if word is not None and len(core) - word.end() + word.end(1) >= STRONG:
        found.append(word[1] + core[word.end() :])
    return found


def _all_ends(core: str, buf: str, pos: int) -> Iterator[int]:
    """Wherever `core`, misspelled, may end that begins at `buf[pos]`."""
    if len(core) >= STRONG:
        for rest in _beheaded(core):
            yield from _ends(rest, buf, pos, 0)
        yield from _ends(core, buf, pos, 1)


def _first(ends: list[int]) -> int:
    return next((end for end in ends if end >= 0), MORE if ends else NO)


def _ends(core: str, buf: str, pos: int, edits: int, bare: bool = False) -> list[int]:
    """Wherever `core`, with at most `edits` other characters, ends that begins at `buf[pos]`; `MORE` among them.

    A tag may have attributes, unless it is to be `bare`.
    """
    i, at, size, n, blank = 0, pos, len(core), len(buf), MAX_BLANK
    while i < size:
        want = core[i]
        if at < n and buf[at] == want and want != "=" and want > " ":
            i, at = i + 1, at + 1  # as most are
            continue
        if want.isspace():
            i, at = i + 1, at + (at < n and buf[at].isspace())
            continue
        if want == "=" and (named := _ATTRIBUTE(buf, at)) is not None:
            at = n if named[1] is None else named.end(1)
        elif i == size - 1 and want == ">" and core.startswith("</"):
            said = _CLOSING_ATTRIBUTE(buf, at)
            if said is not None and not said[1]:
                return [MORE]
            at = at if said is None else said.end()
        elif i == size - 1 and want == ">" and not bare and (i == 0 or is_word(core[i - 1]) or core[i - 1] in QUOTES):
            said = _ATTRIBUTES(buf, at)
            if said is None and _BEGUN_ATTRIBUTES(buf, at) is not None:
                return [MORE, *_ends(want, buf, at, edits, True)]
            at = at if said is None else said.end()
        if at == n:
            return [MORE, n] if edits and i == size - 1 else [MORE]
        got = buf[at]
        if got.lower() == want.lower():
            i, at = i + 1, at + 1
        elif got.isspace() and at > pos and blank:
            at, blank = at + 1, blank - 1
        elif core.startswith(_NAMED, i):
            i += len(_NAMED) - 1
        elif want in QUOTES:
            i, at = i + 1, at + (got in QUOTES)
        elif not edits:
            return []
        else:
            ways = ((i + 1, at), (i + 1, at + 1), (i, at + 1))
            return [end for k, j in ways for end in _ends(core[k:], buf, j, edits - 1)]
    return [at]
