"""Finds the calls of a sample: JSON with a name and arguments, elements one per argument, calls as in Python."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from toolect.ir import Json
from toolect.scaffold.pieces import Hole, Mark, Prose, Token

NAMES = ("name", "tool_name", "tool", "function_name", "function", "action", "recipient_name")
ARGUMENTS = (
    "arguments", "parameters", "args", "input", "params", "tool_input", "action_input", "kwargs", "tool_args",
)  # fmt: skip
IDS = ("id", "call_id", "tool_call_id")
MAX_STARTS = 2_000
"""Brackets of a sample at which a value is looked for."""
IDENTIFIER = r"[A-Za-z_](?:[\w.:/-]*\w)?"


class Sighting(NamedTuple):
    """What a sample holds: the marks of its calls, the shape of their JSON, and the forms of one argument."""

    marks: tuple[Mark, ...]
    shape: Json = None
    arguments: tuple[tuple[Token, ...], ...] = ()
    listed: bool = False
    """Code with its calls in a list."""


def sight(text: str, reasoning: Sequence[Mark]) -> Sighting:
    """The calls of a sample outside of its reasoning, as the first way of writing them that it has; perhaps none."""
    hidden = text
    for mark in reasoning:
        hidden = hidden[: mark.start] + " " * (mark.end - mark.start) + hidden[mark.end :]
    for look in (_elements, _json, _tags, _code):
        found = look(hidden)
        if found.marks:
            return found
    return Sighting(())


# JSON


def _json(text: str) -> Sighting:
    """JSON values that hold calls, or arguments with the name before them."""
    marks: list[Mark] = []
    shape: Json = None
    for start, end, value in _values(text):
        named = shape_of(value)
        if named is not None:
            shape = shape or named
            marks.append(Mark(start, end, Hole.JSON))
        elif isinstance(value, dict):
            name = _name_before(text, start, end)
            if name:
                marks += [*name, Mark(start, end, Hole.JSON)]
                if len(name) > 1:  # a tag that is the name closes after the value
                    marks[-1], marks[-2] = marks[-2], marks[-1]
            elif _keyed(value):
                shape = shape or {"$name": "$arguments"}
                marks.append(Mark(start, end, Hole.JSON))
    return Sighting(tuple(marks), shape)


def _values(text: str) -> Iterator[tuple[int, int, Json]]:
    """The JSON objects and lists of objects in a text, outermost ones only."""
    decoder = json.JSONDecoder()
    at = 0
    for _ in range(MAX_STARTS):
        match = re.compile(r"[\[{]").search(text, at)
        if match is None:
            return
        try:
            value, end = decoder.raw_decode(text, match.start())
        except (ValueError, RecursionError):
            at = match.end()
            continue
        inner = value[0] if isinstance(value, list) and value else value
        if isinstance(inner, dict):
            yield match.start(), end, value
            at = end
        else:
            at = match.end()


def shape_of(value: Json) -> Json:
    """The shape of a value that holds a name and arguments; None for any other."""
    if isinstance(value, list):
        inner = shape_of(value[0]) if value else None
        if inner is None and value and _keyed(value[0]):
            inner = {"$name": "$arguments"}
        return None if inner is None else [inner]
    if not isinstance(value, dict):
        return None
    name = next((key for key in NAMES if isinstance(value.get(key), str)), None)
    given = next((key for key in ARGUMENTS if _arguments(value.get(key)) is not None), None)
    if name is not None and given is not None:
        return {
            _key(key, key in (name, given)): _field(key, value[key], name, given)
            for key in value
            if _kept(value, key, name, given)
        }
    nested = {key: shape_of(inner) for key, inner in value.items()}
    calls = [key for key, inner in nested.items() if inner is not None]
    if len(calls) != 1:
        return None
    return {
        _key(key, key == calls[0]): nested[key] or _field(key, value[key], "", "")
        for key in value
        if key in calls or _kept(value, key, "", "")
    }


def _kept(value: dict[str, Json], key: str, name: str, given: str) -> bool:
    """True for keys that a shape says something of."""
    return key in (name, given, *IDS, "content") or isinstance(value[key], str)


def _key(key: str, needed: bool) -> str:
    return key if needed else f"{key}?"


def _field(key: str, value: Json, name: str, given: str) -> Json:
    if key == name:
        return "$name"
    if key == given:
        return _arguments(value)
    if key in IDS:
        return "$id"
    return "$content" if key == "content" else value


def _arguments(value: Json) -> str | None:
    """The hole for arguments: an object, or one that is encoded once more."""
    if isinstance(value, dict):
        return "$arguments"
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            return "$arguments.text" if isinstance(json.loads(value), dict) else None
        except (ValueError, RecursionError):
            return None
    return None


def _keyed(value: Json) -> bool:
    """True for an object whose only key may be a name, with the arguments below it."""
    return isinstance(value, dict) and len(value) == 1 and all(isinstance(inner, dict) for inner in value.values())


_BEFORE = (
    re.compile(rf"<[^<>\s=]+=({IDENTIFIER})>\s*\Z"),
    re.compile(rf"<[^<>]*?\b(?:name|tool)=\"({IDENTIFIER})\"[^<>]*>\s*\Z"),
    re.compile(
        rf"(?:\A|(?<=[\s>\]:=.]))({IDENTIFIER})(?:\s*<[|｜]?[^<>]*>(?:json|code)?|\s*\[[A-Z_]+\]|\s*```\w*|\s*$)*\s*\Z"
    ),
    re.compile(
        rf"(?:\A|(?<=[\s>\]:=.]))({IDENTIFIER})\s*^[^\w\n]{{0,4}}\w[\w ]{{0,20}}[^\w\n{{]{{1,4}}\Z", re.MULTILINE
    ),
)
"""The name where it stands before its arguments, in a tag or between markers."""
_LOOK = 300
"""Characters before the arguments in which the name is looked for."""


def _name_before(text: str, start: int, end: int) -> list[Mark]:
    """The name before the arguments `text[start:end]`, twice when it is a tag; nothing if there is none."""
    base = max(0, start - _LOOK)
    before = text[base:start]
    tag = re.search(rf"<({IDENTIFIER})>\s*\Z", before)
    if tag is not None and (close := re.match(rf"\s*</({re.escape(tag[1])})>", text[end:])):
        return [_mark(tag, base), _mark(close, end)]
    for pattern in _BEFORE:
        match = pattern.search(before)
        if match is not None:
            return [_name(match, base)]
    return []


def _mark(match: re.Match[str], base: int, what: Hole = Hole.NAME) -> Mark:
    return Mark(base + match.start(1), base + match.end(1), what)


def _name(match: re.Match[str], base: int) -> Mark:
    """The mark of a name, which may have a running number, or a prefix that is none of it."""
    if re.fullmatch(r"(functions\.)[\w-]+:\d+", match[1]):
        return _mark(match, base, Hole.REF)
    mark = _mark(match, base)
    prefix = re.match(r"functions\.", match[1])
    return mark._replace(start=mark.start + prefix.end()) if prefix else mark


# Elements


_KEYED = (
    re.compile(r"<([^<>\s=\"/]+)(=)([^<>\"\s]+)()>"),
    re.compile(r"<([^<>=\"/]*[^<>\s=\"/])(\s+(?:name|key)=\")([^<>\"]+)(\"[^<>]*)>"),
    re.compile(r"<([a-z_]+)(:)([A-Za-z_]\w*)()>"),
)
"""A tag with a key, or a name, in it."""
_PAIR = re.compile(
    r"<(?P<key>[^<>\s/]*key[^<>\s]*)>(?P<k>[^<>\n]+)</(?P=key)>(?P<space>\s*)<(?P<value>[^<>\s/]*val[^<>\s]*)>(?P<v>.*?)</(?P=value)>",
    re.DOTALL,
)


class _Argument(NamedTuple):
    """One argument: its characters, and its form around key and value."""

    start: int
    end: int
    value: str
    before: str
    between: str
    after: str


def _elements(text: str) -> Sighting:
    """Elements with the key in their tag, or as pairs of a key and a value element."""
    found = [
        _Argument(
            m.start(), m.end(), m["v"], f"<{m['key']}>", f"</{m['key']}>{m['space']}<{m['value']}>", f"</{m['value']}>"
        )
        for m in _PAIR.finditer(text)
    ]
    names: list[Mark] = []
    for keyed in _KEYED if not found else ():
        for match in keyed.finditer(text):
            tag, sign, _, rest = match.groups()
            closer = f"</{tag}>"
            end = text.find(closer, match.end())
            if end < 0:
                continue
            inner = text[match.end() : end]
            if keyed.search(inner) or not found and text.count(f"<{tag}{sign}") == 1 and "<" in inner:
                names.append(Mark(match.start(3), match.end(3), Hole.NAME))
            else:
                between = f"{rest}>"
                found.append(_Argument(match.start(), end + len(closer), inner, f"<{tag}{sign}", between, closer))
        if found:
            break
        names.clear()
    return _grouped(text, found, names)


def _tags(text: str) -> Sighting:
    """Elements named after their keys, inside one named after the tool."""
    for match in re.finditer(rf"<({IDENTIFIER})>(\s*)(.*?)(\s*)</(\1)>", text, re.DOTALL):
        base = match.start(3)
        inner = list(re.finditer(r"<([A-Za-z_]\w*)>([^<>]*)</\1>", match[3]))
        if inner and not re.sub(r"<([A-Za-z_]\w*)>[^<>]*</\1>|\s+", "", match[3]):
            found = [_Argument(base + m.start(), base + m.end(), m[2], "<", ">", "</\0>") for m in inner]
            names = [Mark(match.start(i), match.end(i), Hole.NAME) for i in (1, 5)]
            return _grouped(text, found, names)
    return Sighting(())


def _grouped(text: str, found: list[_Argument], names: list[Mark]) -> Sighting:
    """Arguments that nothing but whitespace divides are those of one call."""
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
    gap = text[longest[0].end : longest[1].start] if len(longest) > 1 else _space_after(text, longest[0].end)
    indent = gap.rpartition("\n")[2] if "\n" in gap else ""
    gap = gap.removesuffix(indent) if indent else gap
    marks: list[Mark] = []
    for group in groups:
        start, end = group[0].start, group[-1].end
        start -= len(indent) if text[:start].endswith(indent) else 0
        end += len(gap) if text.startswith(gap, end) else 0
        here = [name for name in names if name.end <= start and (not marks or name.start >= marks[-1].end)]
        if not here:
            match = re.search(rf"(?:\A|(?<=[\s>]))({IDENTIFIER})(?:<[^<>]*>)?\s*\Z", text[:start])
            here = [_name(match, 0)] if match else []
        marks += [*here[-1:], Mark(start, end, Hole.ARGUMENTS)]
        marks += [name for name in names if name.start >= end][:1] if len(names) == 2 and len(groups) == 1 else []
    lines = all(one.value.startswith("\n") and one.value.endswith("\n") and len(one.value) > 1 for one in found)
    forms = dict.fromkeys(tuple(_form(one, indent, gap, "\n" if lines else "")) for one in longest)
    return Sighting(tuple(marks), None, tuple(forms))


def _form(one: _Argument, indent: str, gap: str, line: str) -> Iterator[Token]:
    """An argument with holes; its text may stand in lines of its own, and `gap` comes after it."""
    yield from (indent + one.before, Hole.KEY, one.between + line, Hole.TEXT)
    head, again, tail = one.after.partition("\0")
    yield line + head + ("" if again else gap)
    if again:
        yield from (Hole.KEY, tail + gap)


def _space_after(text: str, at: int) -> str:
    return text[at : at + len(text[at:]) - len(text[at:].lstrip())]


# Code


def _code(text: str) -> Sighting:
    """Calls with keyword arguments, one or a list of them, that Python reads."""
    marks: list[Mark] = []
    listed = False
    at = 0
    for match in re.finditer(rf"(?<![\w.])(\[?){IDENTIFIER}\(", text):
        if match.start() < at:
            continue
        end = _closing(text, match.start())
        if end > 0 and _is_calls(text[match.start() : end]):
            marks.append(Mark(match.start(), end, Hole.CODE))
            listed = listed or bool(match[1])
            at = end
    return Sighting(tuple(marks), listed=listed)


def _closing(text: str, start: int) -> int:
    """Where the bracket that opens first after `start` closes, outside of strings; -1 if it does not."""
    depth, quote = 0, ""
    for match in re.compile(r"\\.|[\[\](){}\"']", re.DOTALL).finditer(text, start):
        sign = match[0]
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "\"'":
            quote = sign
        elif sign in "([{":
            depth += 1
        elif sign in ")]}":
            depth -= 1
            if depth == 0:
                return match.end()
    return -1


def _is_calls(source: str) -> bool:
    try:
        node = ast.parse(source, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    calls = node.elts if isinstance(node, ast.List) else [node]
    return bool(calls) and all(
        isinstance(call, ast.Call) and not call.args and all(keyword.arg for keyword in call.keywords) for call in calls
    )


# Reasoning


_THOUGHT = re.compile(
    r"([<\[][|｜]?)((?:\w*[:_])?(?:think|thinking|thought|thoughts|reason|reasoning|reflection|scratchpad|analysis|muse|plan)\w*)"
    r"([|｜]?[>\]])(\s*)(.*?)(\s*)(\1/\2\3)(\s*)",
    re.DOTALL | re.IGNORECASE,
)


class Thought(NamedTuple):
    """How reasoning is written: its tags, with the whitespace that belongs to them."""

    opener: str
    closer: str


def thoughts(text: str) -> tuple[list[Mark], Thought | None]:
    """The reasoning of a sample: where it is, and how it is written."""
    marks: list[Mark] = []
    form: Thought | None = None
    for match in _THOUGHT.finditer(text):
        lead, tag, tail, before, inner, after, closer, behind = match.groups()
        if inner:
            form = form or Thought(lead + tag + tail + before, after + closer + behind)
        marks.append(Mark(match.start(), match.end(), Prose(inner, reasoning=True)))
    return marks, form
