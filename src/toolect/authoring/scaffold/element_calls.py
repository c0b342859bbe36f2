"""Finds calls whose arguments are elements, one for each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from toolect.authoring.scaffold.pieces import Hole, Mark, Token, space_after
from toolect.authoring.scaffold.sighting import IDENTIFIER, LOOK, MAX_STARTS, Finder, Sighting, name_mark

_KEYED = (
    re.compile(r"<([^<>\s=\"/]+)(=)([^<>\"\s]+)()>"),
    re.compile(r"<([^<>=\"/]*[^<>\s=\"/])(\s+(?:name|key)=\")([^<>\"]+)(\"[^<>]*)>"),
    re.compile(r"<([a-z_]+)(:)([A-Za-z_]\w*)()>"),
)
"""A tag with a key, or a name, in it."""
_PAIR = re.compile(
    r"<(?P<key>[^<>\s/]{0,60}key[^<>\s]{0,60})>(?P<k>[^<>\n]+)</(?P=key)>(?P<space>\s*)<(?P<value>[^<>\s/]{1,60})>"
)
"""A key in an element of its own, and the opener of the value's."""
_PYTHON, _JSON = {"True", "False", "None"}, {"true", "false", "null"}


class _Argument(NamedTuple):
    """One argument: its characters, and its form around key and value."""

    start: int
    end: int
    value: str
    before: str
    between: str
    after: str


def elements(text: str) -> Sighting:
    """Elements with the key in their tag, or as pairs of a key and a value element."""
    finder = Finder(text)
    found = list(_pairs(text, finder))
    names: list[Mark] = []
    bare: list[int] = []
    for keyed in _KEYED if not found else ():
        matches = [(m, finder.find(f"</{m[1]}>", m.end())) for m in islice(keyed.finditer(text), MAX_STARTS)]
        around = {m[1] for m, end in matches if end >= 0 and keyed.search(text, m.end(), end)}
        for match, end in matches:
            tag, sign, _, rest = match.groups()
            inner = text[match.end() : max(end, match.end())]
            if end >= 0 and (tag in around or text.count(f"<{tag}{sign}") == 1 and "<" in inner):
                names.append(Mark(match.start(3), match.end(3), Hole.NAME))
                bare += [] if inner.strip() else [end]
            elif end >= 0:
                found.append(
                    _Argument(match.start(), end + len(tag) + 3, inner, f"<{tag}{sign}", f"{rest}>", f"</{tag}>")
                )
        if found:
            break
        names.clear()
    return _grouped(text, found, names, bare)


def _pairs(text: str, finder: Finder) -> Iterator[_Argument]:
    """Arguments as pairs of elements."""
    for match in islice(_PAIR.finditer(text), MAX_STARTS):
        closer = f"</{match['value']}>"
        end = finder.find(closer, match.end())
        if end >= 0:
            before, between = f"<{match['key']}>", f"</{match['key']}>{match['space']}<{match['value']}>"
            yield _Argument(match.start(), end + len(closer), text[match.end() : end], before, between, closer)


_PLAIN = re.compile(r"<([A-Za-z_]\w*)>([^<>]*)</\1>|\s+")


def named_tags(text: str) -> Sighting:
    """Elements named after their keys, inside one named after the tool."""
    finder = Finder(text)
    for match in islice(re.finditer(rf"<({IDENTIFIER})>", text), MAX_STARTS):
        end = finder.find(f"</{match[1]}>", match.end())
        if end < 0 or _PLAIN.sub("", text[match.end() : end]):
            continue
        inner = [m for m in _PLAIN.finditer(text, match.end(), end) if m[1]]
        if inner:
            found = [_Argument(m.start(), m.end(), m[2], "<", ">", "</\0>") for m in inner]
            closing = Mark(end + 2, end + 2 + len(match[1]), Hole.NAME)
            return _grouped(text, found, [Mark(*match.span(1), Hole.NAME)], closing=[closing])
    return Sighting(())


def _grouped(
    text: str, found: list[_Argument], names: list[Mark], bare: Sequence[int] = (), closing: Sequence[Mark] = ()
) -> Sighting:
    """Arguments that nothing but whitespace divides are those of one call; at `bare` a call has none.

    `closing` are names that come again in the closers of calls.
    """
    groups: list[list[_Argument]] = []
    for one in found:
        if groups and not text[groups[-1][-1].end : one.start].strip():
            groups[-1].append(one)
        else:
            groups.append([one])
    if not groups:
        return Sighting(())
    if not names and all(one.value.lstrip().startswith("{") for one in found):
        return Sighting(())  # a name, and the arguments as JSON
    longest = max(groups, key=len)
    gap = text[longest[0].end : longest[1].start] if len(longest) > 1 else space_after(text, longest[0].end)
    indent = gap.rpartition("\n")[2] if "\n" in gap else ""
    gap = gap.removesuffix(indent) if indent else gap
    marks: list[Mark] = []
    for start, end in sorted([*((group[0].start, group[-1].end) for group in groups), *((at, at) for at in bare)]):
        if start == end:
            marks += [*[name for name in names if name.end <= start][-1:], Mark(start, end, Hole.ARGUMENTS)]
            continue
        start -= len(indent) if text[:start].endswith(indent) else 0
        end += len(gap) if text.startswith(gap, end) else 0
        here = [name for name in names if name.end <= start and (not marks or name.start >= marks[-1].end)]
        if not here:
            match = re.search(rf"(?:\A|(?<=[\s>]))({IDENTIFIER})(?:<[^<>]*>)?\s*\Z", text[max(0, start - LOOK) : start])
            here = [name_mark(match, max(0, start - LOOK))] if match else []
        marks += [*here[-1:], Mark(start, end, Hole.ARGUMENTS)]
        marks += [name for name in closing if name.start >= end][:1]
    if not any(mark.what in (Hole.NAME, Hole.REF) for mark in marks):
        return Sighting(())
    lines = all(one.value.startswith("\n") and one.value.endswith("\n") and len(one.value) > 1 for one in found)
    forms = dict.fromkeys(tuple(_form(one, indent, gap, "\n" if lines else "")) for one in longest)
    words = {one.value.strip() for one in found}
    return Sighting(tuple(marks), None, tuple(forms), python=bool(words & _PYTHON) and not words & _JSON)


def _form(one: _Argument, indent: str, gap: str, line: str) -> Iterator[Token]:
    """An argument with holes; its text may stand in lines of its own, and `gap` comes after it."""
    yield from (indent + one.before, Hole.KEY, one.between + line, Hole.TEXT)
    head, again, tail = one.after.partition("\0")
    yield line + head + ("" if again else gap)
    if again:
        yield from (Hole.KEY, tail + gap)
