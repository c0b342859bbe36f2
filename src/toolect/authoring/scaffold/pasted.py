"""Samples, and what a new dialect makes of them: what it reads and writes, what it leaves over, and its corpus."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from toolect._values.toolset import tool_schemas
from toolect.authoring.corpus import Case, describe
from toolect.authoring.lint.update import true
from toolect.authoring.scaffold.dialect_draft import Expected
from toolect.authoring.scaffold.pieces import has_markers
from toolect.compiled import Dialect
from toolect.message import Json, Message, Status, dumps, same_json
from toolect.rendered import Unrepresentable


class Sample(NamedTuple):
    """What a model wrote, under a title, and the end of the prompt if that opened its reasoning."""

    title: str
    text: str
    prefix: str = ""
    message: Message | None = None
    """What it says, if that is known."""


_CUTS = (0.6, 0.75, 0.9)
"""Where a call is cut off, as parts of its length."""


def cases(samples: Sequence[Sample], messages: Sequence[Message | None], dialect: Dialect, path: Path) -> list[Case]:
    """The samples as cases; below each one what the dialect reads in it, or nothing where that is not clean.

    The last case is the beginning of a sample, if a call is cut off in it.
    """
    pairs = list(zip(samples, messages, strict=True))
    return [*(_case(dialect, *pair, path) for pair in pairs), *islice(_cut(dialect, pairs, path), 1)]


def _case(dialect: Dialect, sample: Sample, message: Message | None, path: Path) -> Case:
    attributes = [("prefix", dumps(sample.prefix))] if sample.prefix else []
    if message is None:
        return Case(path, 1, f"{sample.title}: not read yet", tuple(attributes), sample.text, "")
    title = f"{sample.title}: check that this is what it says"
    case = Case(path, 1, title, tuple(attributes), sample.text, describe(message))
    manner = true(case, message, dialect)  # what is read clean is canonical, or read only
    return replace(case, attributes=(*attributes, (str(manner), ""))) if manner else case


def _cut(dialect: Dialect, pairs: Iterable[tuple[Sample, Message | None]], path: Path) -> Iterator[Case]:
    """The beginnings of samples in which a call is cut off, as cases."""
    for sample, whole in pairs:
        if whole is None or not whole.calls or sample.prefix:
            continue
        start, end = whole.calls[-1].span or (0, len(sample.text))
        for share in _CUTS:
            text = sample.text[: start + int((end - start) * share)].rstrip()
            message = dialect.parse(text)
            if [call.status for call in message.calls[-1:]] == [Status.TRUNCATED]:
                attributes = (("error", str(Status.TRUNCATED)),)
                yield Case(path, 1, f"{sample.title}, cut off", attributes, text, describe(message))


def _written(dialect: Dialect, message: Message, tools: Sequence[Json] | None = None) -> str | None:
    """What rendering makes of the message."""
    try:
        return str(dialect.render(message, tools))
    except Unrepresentable:
        return None


def writes(dialect: Dialect, sample: Sample, tools: Sequence[Json] | None, ends: Sequence[str]) -> bool:
    """True when rendering what is read in a sample gives the sample back, end tokens aside."""
    text = sample.text
    for end in ends:
        text = text.removesuffix(end)
    return _written(dialect, dialect.parse(text, tools, prefix=sample.prefix), tools) == text


def read(
    dialect: Dialect, sample: Sample, tools: Sequence[Json] | None = None, expected: Expected | None = None
) -> Message | None:
    """What the dialect reads in a sample, if it is clean, every call has a name, and none is left in the content.

    With `expected` it is what the sample was seen to say.
    """
    message = dialect.parse(sample.text, tools, prefix=sample.prefix)
    if sample.message is not None:
        return message if _says(message, sample.message) else None
    if not message.clean or not all(call.name for call in message.calls) or has_markers(message.content):
        return None
    if tools and not {call.name for call in message.calls} <= {*tool_schemas(tools)} or run_together(sample, message):
        return None
    if expected is not None:
        calls = [(call.name, frozenset(call.arguments or ())) for call in message.calls]
        wanted = [(call.name, frozenset(call.keys or ())) for call in expected.calls]
        if calls != wanted or "".join(message.content.split()) != "".join(expected.content.split()):
            return None
    return message


_SIDE_BY_SIDE = re.compile(r"""(?=((["'])([^"'\\]+)\2\s+(["'])([^"'\\]+)\4))""")


def run_together(sample: Sample, message: Message) -> str:
    """Strings of a sample with nothing but blanks between them that are read as one, as Python does; "" for none.

    In other notations they are the items of a list.
    """
    for match in _SIDE_BY_SIDE.finditer(sample.text):
        for call in message.calls:
            if call.span is None or call.span[0] <= match.start() < call.span[1]:
                shown = dumps(call.arguments or {})
                if dumps(match[3] + match[5])[1:-1] in shown and dumps(match[1])[1:-1] not in shown:
                    return match[1]
    return ""


def _says(message: Message, put: Message) -> bool:
    """True when a message says what was put in, outer whitespace of texts aside."""
    return (
        len(message.calls) == len(put.calls)
        and all(
            one.name == other.name and one.runnable and same_json(one.arguments, other.arguments)
            for one, other in zip(message.calls, put.calls, strict=True)
        )
        and message.content.strip() == put.content.strip()
        and message.reasoning.strip() == put.reasoning.strip()
    )


_SIGNS = re.compile(r"[<>{}\[\]|@#§$%^~=`‹›¦]|--+|/\w")
_KEYED = re.compile(r"\w_\w|^[ \t]{0,40}[-*•.]?[ \t]{0,8}\w{1,60}[ \t]{0,8}[:=][ \t]{0,8}\S|\w\(", re.MULTILINE)
"""What prose has rarely, and markup often; and what calls look like that have no other signs."""


def residue(messages: Sequence[Message | None], tools: Sequence[str]) -> frozenset[str]:
    """What the contents have that looks like markup which was not understood.

    That is what most contents beside calls share, a tool's name in an answer that calls nothing, and where no call was
    found at all whatever prose does not have.
    """
    found = [message for message in messages if message is not None and message.content]
    beside = [set(_SIGNS.findall(message.content)) for message in found if message.calls]
    called = any(message.calls for message in messages if message is not None)
    alone = [message.content for message in found if not message.calls]
    left = {sign for sign in set().union(*beside) if 2 * sum(sign in one for one in beside) > len(beside)}
    lines = Counter(
        line for message in found if message.calls for line in {*message.content.split("\n")} if line.strip()
    )
    left |= {line.strip() for line, count in lines.items() if count > 2 and 2 * count > len(beside)}
    left |= {name for name in tools for text in alone if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)}
    if not called:
        left |= {sign for text in alone for signs in (_SIGNS, _KEYED) for sign in signs.findall(text)}
    return frozenset(left)
