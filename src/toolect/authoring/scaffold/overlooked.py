"""What samples call that a new dialect overlooks: keys and numbers of calls in its markers, calls in its content."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import combinations

from toolect._shown import cut, one_line
from toolect._values.toolset import ToolSchemas, tool_schemas
from toolect.authoring.scaffold.draft_grammar import literals
from toolect.authoring.scaffold.guesses import is_markup
from toolect.message import Call, Content, Json, Message

MAX_SHOWN = 60
"""Characters of what is overlooked that are shown."""
MAX_MARKERS = 40
"""Markers that are held against each other. Beyond it: the first ones."""
MAX_BEGINS = 40
"""Ways in which calls begin that are looked for in contents. Beyond it: the first ones."""
MAX_LEAD = 200
"""Characters before a name, and from there to a key. Beyond it: such calls are not looked for."""


def keys_in_markers(grammar: str, messages: Sequence[Message], tools: Sequence[Json] | None) -> Iterator[str]:
    """Keys of arguments in markers: what stands there are arguments that are not read."""
    schemas = tool_schemas(tools)
    read = (key for message in messages for call in message.calls for key in call.arguments or ())
    known = {key for key in (*read, *(key for name in schemas for key in schemas[name].names)) if not is_markup(key)}
    for marker in literals(grammar):
        if key := next((word for word in _WORDS.findall(marker) if word in known), None):
            shown = cut(one_line(marker), MAX_SHOWN)
            yield f"`{key}` was taken for markup in `{shown}`, and is a key: arguments in it are not read"


def overlooked(grammar: str, messages: Sequence[Message], tools: Sequence[Json] | None) -> Iterator[str]:
    """Why calls may be in the samples that are not read."""
    markers = literals(grammar)
    yield from _numbered(markers)
    if all(len(message.calls) < 2 for message in messages):
        yield from _alone(markers)
    yield from _called(messages, tool_schemas(tools))


def called_in_content(
    texts: Sequence[str], messages: Sequence[Message | None], tools: Sequence[Json] | None
) -> frozenset[str]:
    """Calls that stand in contents: they begin as those do that are read, with what is before a name, and a name."""
    read = [(text, call) for text, one in zip(texts, messages, strict=True) if one is not None for call in one.calls]
    names = {call.name for _, call in read} | {*tool_schemas(tools)}
    contents = [
        one.text for message in messages if message is not None for one in message.segments if isinstance(one, Content)
    ]
    begins = dict.fromkeys(begin for text, call in read if contents for begin in _begins(text, call, names))
    found = [match[0] for one in [*begins][:MAX_BEGINS] for match in map(re.compile(one).search, contents) if match]
    return frozenset(one for one in found if not any(other != one and other.startswith(one) for other in found))


def _begins(text: str, call: Call, names: AbstractSet[str]) -> Iterator[str]:
    """Expressions for the beginning of a call like one that is read, unless it is quoted.

    One is for a name that is called, and one for any name and any key, where a sign follows the key.
    """
    start, end = call.span or (0, 0)
    at = text.find(call.name, start, end)
    lead = text[start:at]
    if at < 0 or not _SIGN.search(lead) or len(lead) > MAX_LEAD:
        return
    after = at + len(call.name)
    yield rf"(?<![\"'`“«]){_loose(lead)}(?:{'|'.join(map(re.escape, sorted(names, key=len, reverse=True)))})(?![\w-])"
    keys = "|".join(map(re.escape, call.arguments or ())) or "(?!)"
    if key := re.compile(rf"(?<![\w-])(?:{keys})([^\w\s])").search(text, after, end):
        between = text[after : key.start()]
        if between and len(between) <= MAX_LEAD:
            yield rf"(?<![\"'`“«]){_loose(lead)}{_NAME}{_loose(between)}{_NAME}{re.escape(key[1])}"


def _loose(text: str) -> str:
    """An expression for a text in which other blanks may stand, and other numbers."""
    return re.sub(r"\d+|\s+|.", lambda part: _LOOSE.get(part[0][:1]) or re.escape(part[0]), text, flags=re.DOTALL)


def _numbered(markers: Sequence[str]) -> Iterator[str]:
    """Words in markers of which only the number differs: the next one would not be read."""
    words = dict.fromkeys(word for marker in markers[:MAX_MARKERS] for word in _WORDS.findall(marker))
    for one, other in combinations([word for word in words if any(map(str.isdigit, word))], 2):
        if _DIGITS.sub("0", one) == _DIGITS.sub("0", other):
            yield f"`{one}` and `{other}` were taken for markup, and count calls: a third one would not be read"


def _alone(markers: Iterable[str]) -> Iterator[str]:
    """Words with a number in markers that no sign of markup touches, where no sample has two calls."""
    for word in filter(_NUMBERED.fullmatch, " ".join(markers).split()):
        yield f"`{cut(word, MAX_SHOWN)}` was taken for markup, and may count calls: no sample shows two of them"


def _called(messages: Sequence[Message], schemas: ToolSchemas) -> Iterator[str]:
    """Declared tools that content names, with arguments behind the name."""
    texts = [one.text for message in messages for one in message.segments if isinstance(one, Content)]
    for name in schemas:
        keys = "|".join(map(re.escape, schemas[name].names)) or "(?!)"
        given = re.compile(_GIVEN.format(re.escape(name), keys))
        if match := next(filter(None, map(given.search, texts)), None):
            shown = cut(one_line(match.string[match.start() :]), MAX_SHOWN)
            yield f"`{shown}` was taken for content, and names a declared tool with arguments"


_GIVEN = r"""(?<![\w.-]){}["'`]?(?:\(|[^\w.,;!?()]{{0,8}}\{{|\W[^{{}}]{{0,60}}?(?<![\w-])(?:{})["'`]?\s?[=:>])"""
"""A name, and behind it what encloses arguments, or a key."""
_LOOSE = dict.fromkeys("0123456789", r"\d+") | dict.fromkeys(" \t\r\n", r"\s+")
_NAME = r"[^\W\d](?:[\w.-]{0,98}\w)?"
_SIGN = re.compile(r"[^\w\s]")
_WORDS = re.compile(r"\w+(?:[.-]\w+)*")
_NUMBERED = re.compile(r"[^\W\d_]*[-_.#]?\d+[.:)]?")
_DIGITS = re.compile(r"\d+")
