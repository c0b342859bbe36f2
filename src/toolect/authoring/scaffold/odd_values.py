"""Values of a new dialect that have more in them than a value, or less: it cuts them at the wrong places."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from toolect._shown import cut, one_line
from toolect._spec.model import Role
from toolect.authoring.derivation import Leaf, LeafKind
from toolect.authoring.scaffold.json_calls import FEW
from toolect.message import Message, dumps

MAX_SHOWN = 60
"""Characters of a value that are shown."""


def odd_values(texts: Sequence[str], leaves: Sequence[Sequence[Leaf]], messages: Sequence[Message]) -> Iterator[str]:
    """Why the arguments that are texts may be others; `leaves` are those of what is read in `texts`."""
    yield from _joined(texts, leaves, messages)
    yield from _escaped(messages)
    yield from _measured(messages)
    yield from _begun_wrongly(messages)
    yield from _cut_wrongly(messages)
    yield from _in_brackets(texts, messages)


_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}|\\n\\n|\\n[A-Z*#-]|\\\"")
_QUOTES = {'"': '"', "'": "'", "«": "»", "“": "”", "‘": "’", "`": "`"}


def _joined(texts: Sequence[str], leaves: Sequence[Sequence[Leaf]], messages: Sequence[Message]) -> Iterator[str]:
    """A value that has in it what stands behind a key, where no call has two arguments."""
    calls = [call for message in messages for call in message.calls]
    if any(len(call.arguments or ()) > 1 for call in calls):
        return
    behind = {
        text[slice(*after.span)].strip()[:1]
        for text, here in zip(texts, leaves, strict=True)
        for leaf, after in pairwise(here)
        if Role.KEY in leaf.fills and after.kind is LeafKind.MARKER
    }
    for value in _strings(messages):
        for sign in behind - {""}:
            if re.search(rf"\w[\"']?\s?{re.escape(sign)}", value):
                shown = cut(one_line(value), MAX_SHOWN)
                yield f"the value `{shown}` may be several: no sample shows two arguments of a call"


def _escaped(messages: Sequence[Message]) -> Iterator[str]:
    """Texts that are as they are written: with their quotes, with escapes of URLs or of strings."""
    values = [value for value in _strings(messages) if value]
    quoted = [value for value in values if len(value) > 1 and _QUOTES.get(value[0]) == value[-1]]
    if 2 * len(quoted) > len(values):
        yield f"the value `{cut(one_line(quoted[0]), MAX_SHOWN)}` stands between quotes, which may be none of it"
    if value := next(filter(_ESCAPE.search, values), None):
        yield f"the value `{cut(one_line(value), MAX_SHOWN)}` has escapes in it that are not read"


def _measured(messages: Sequence[Message]) -> Iterator[str]:
    """Texts that all begin with a number: with their length, or with one in a line of its own."""
    values = [*dict.fromkeys(value for value in _strings(messages) if value)]
    found = [match for match in map(_COUNTED.match, values) if match]
    if not found or len(found) < len(values):
        return
    shown = cut(one_line(values[0]), MAX_SHOWN)
    lined = all(match[2].endswith("\n") for match in found)
    if (lined or len(found) > 1) and all(int(match[1]) in _lengths(match[3]) for match in found):
        yield f"the value `{shown}` begins with its length, which is none of it, and which no grammar can go by"
    if lined and len(found) > 1:
        yield f"the value `{shown}` begins with a number in a line of its own, as all do, which may be none of them"


def _lengths(text: str) -> set[int]:
    """How long a text may be said to be: in characters and in bytes, with the line break at its end and without."""
    return {
        length for one in (text, text.removesuffix("\n")) for length in (len(one), len(one.encode("utf-8", "replace")))
    }


def _begun_wrongly(messages: Sequence[Message]) -> Iterator[str]:
    """Texts that begin too early, with the same word or sign."""
    values = [*dict.fromkeys(value for value in _strings(messages) if value)]
    signs = Counter(match[1] for match in map(_SIGN.match, values) if match)
    for sign, count in signs.most_common(1):
        if 2 * count > len(values):
            yield f"most values begin with `{cut(sign, MAX_SHOWN)}`, which may be none of them"
    first = {value.split(" ")[0] for value in values}
    if len(values) >= FEW and len(first) == 1 and all(" " in value for value in values):
        yield f"all values begin with `{cut(one_line(first.pop()), MAX_SHOWN)}`, which may be none of them"


def _cut_wrongly(messages: Sequence[Message]) -> Iterator[str]:
    """Texts that end in the middle of brackets or quotes, or go over several arguments."""
    values = [*dict.fromkeys(value for value in _strings(messages) if value)]
    broken = [value for value in values if any(value.count(one) != value.count(other) for one, other in _BRACKETS)]
    if value := next(filter(_LONG.match, values), None):
        yield f"the value `{cut(one_line(value), MAX_SHOWN)}` begins with a quote that nothing closes"
    if len(broken) >= FEW or 2 * len(broken) > len(values):
        yield f"the value `{cut(one_line(broken[0]), MAX_SHOWN)}` has a bracket in it without the other one"
    if value := next(filter(_MEMBERS.match, values), None):
        yield f"the value `{cut(one_line(value), MAX_SHOWN)}` is members of JSON, which are several arguments"


def _in_brackets(texts: Sequence[str], messages: Sequence[Message]) -> Iterator[str]:
    """Texts alone in brackets, which are no list in Python: here they may be, and more items be written otherwise."""
    for text, message in zip(texts, messages, strict=True):
        for call in message.calls:
            given = dumps(call.arguments or {})
            for match in _ALONE.finditer(text[slice(*call.span)] if call.span else text):
                if dumps(match[2]) in given:
                    yield f"no sample shows how lists such as `{cut(one_line(match[0]), MAX_SHOWN)}` are written"


_COUNTED = re.compile(r"\s*(\d{1,9})([^\w\n]{0,3}\n|[^\w\n]{1,3})(.*)\Z", re.DOTALL)
"""A number before a text, and what stands between the two."""
_ALONE = re.compile(r"""(?<!\w)\((["'])([^"'\\]+)\1\)""")
_MEMBERS = re.compile(r'\s*"[\w.-]+":\s?\S')
_SIGN = re.compile(r"""([:=|~→]+>?|->|[^\w\s"'`<>(){}\[\]]+(?=\s))""")
"""What divides keys from values, and prose, paths and code do not begin with."""
_LONG = re.compile(r"(\"{3}|'{3})(?!.*\1)[^\n]*\Z")
"""What goes over lines, and is cut at the first one."""
_BRACKETS = (("{", "}"), ("[", "]"), ("(", ")"), ("«", "»"), ("⟦", "⟧"))


def _strings(messages: Sequence[Message]) -> Iterator[str]:
    """The arguments that are texts."""
    for call in (call for message in messages for call in message.calls):
        yield from (value for value in (call.arguments or {}).values() if isinstance(value, str))
