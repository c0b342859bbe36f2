"""Finds calls whose arguments stand one by one: the declared names and keys are found, and what is left is markup.

A name of a tool and the keys of its parameters are looked up in the samples. Where a key stands as it does elsewhere,
the text up to the next key is how a key is divided from its value, the value, and how the next argument begins; what
all of these have in common is markup.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from toolect._values.schema_keywords import TYPES
from toolect._values.toolset import ToolSchemas
from toolect.authoring.scaffold.pieces import Hole, Mark
from toolect.authoring.scaffold.raw_values import values
from toolect.authoring.scaffold.seen import Arguments, Seen, SeenCall, common_end, common_start, tokens
from toolect.authoring.scaffold.value_ends import Gap, Values

MAX_NAMES = 2_000
"""Names of tools that are looked at in one sample. Beyond it: no calls are found there."""
NEXT = 3
"""Tokens behind a call without arguments that tell that the same may follow those of another."""


class Word(NamedTuple):
    """A name or a key where it stands."""

    start: int
    end: int
    text: str


class Keyed(NamedTuple):
    """A call, found by its words."""

    sample: int
    name: Word
    keys: tuple[Word, ...]
    closing: tuple[Word | None, ...]
    """The keys again, in the closers of arguments."""
    end: int
    """Where the next call's name begins, or the sample ends."""
    closers: tuple[Word, ...] = ()
    """The name again, behind the arguments."""


def keyed_calls(texts: Sequence[str], tools: ToolSchemas) -> Iterator[Seen]:
    """The ways to see keyed arguments in samples."""
    calls = _calls(texts, tools)
    if not any(call.keys for call in calls):
        calls = _calls(texts, tools, _PREFIXED)
    if not any(call.keys for call in calls):
        return
    gaps = [gap for call in calls for gap in _gaps(texts, call, tools)]
    heads = [tokens(texts[call.sample][call.name.end : call.keys[0].start]) for call in calls if call.keys]
    for found in values(gaps, heads):
        seen = _seen(texts, calls, found, heads)
        if seen is not None:
            yield seen


# Names and keys


_METHOD = r"\w+\("
"""What is called of a tool as if that was an object."""
_WHOLE = r"[\w-]"
"""What does not stand before a word."""
_PREFIXED = r"[^\W_]"
"""What does not stand before a key that may have a prefix: `X-Arg-port`."""


def _context(text: str, word: Word) -> tuple[str, str]:
    """What stands before a word and behind it."""
    return text[word.start - 1 : word.start] or "\n", text[word.end : word.end + 1] or "\n"


def _words(
    text: str,
    words: Sequence[str],
    start: int = 0,
    end: int | None = None,
    member: str = "(?!)",
    before: str = _WHOLE,
) -> list[Word]:
    """Where words stand that nothing of `before` stands before; `member` is what may follow that is a part of one."""
    options = "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
    if not options:
        return []
    found = re.compile(rf"(?<!{before})(?:{options})(?![\w-]|\.(?!{member})\w)").finditer(
        text, start, len(text) if end is None else end
    )
    return [Word(*match.span(), match[0]) for match in found]


def _calls(texts: Sequence[str], tools: ToolSchemas, before_key: str = _WHOLE) -> list[Keyed]:
    """The calls by name and keys: names that stand where the others do that all needed keys follow."""
    found: list[tuple[int, Word, int, bool]] = []
    votes: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for sample, text in enumerate(texts):
        words = _words(text, list(tools), member=_METHOD)
        if len(words) > MAX_NAMES:
            continue
        for word, after in zip(words, [*words[1:], None], strict=False):
            end = after.start if after else len(text)
            keys, needed = _keys(tools, word.text)
            there = {key.text for key in _words(text, keys, word.end, end, before=before_key)}
            whole = needed <= there and bool(there or not keys)
            found.append((sample, word, end, whole))
            if keys:
                votes[_context(text, word)].append(whole)
    opening = {context for context, given in votes.items() if 2 * sum(given) > len(given)}
    before = {context[0] for context in opening}
    chosen = []
    for sample, word, _, whole in found:
        context = _context(texts[sample], word)
        if whole and (
            context in opening
            if _keys(tools, word.text)[0]
            else context[0] in before and context not in votes.keys() - opening
        ):
            chosen.append((sample, word))
    return _with_keys(texts, chosen, tools, before_key)


def _keys(tools: ToolSchemas, name: str) -> tuple[list[str], set[str]]:
    """The keys of a tool, and those that every call of it has."""
    schema = tools[name]
    required = schema.node.get("required")
    keys = schema.names
    return keys, {key for key in required if key in keys} if isinstance(required, list) else set()


def _with_keys(
    texts: Sequence[str], chosen: Sequence[tuple[int, Word]], tools: ToolSchemas, before: str
) -> list[Keyed]:
    """The calls with their keys: each where the most of them stand, the earliest of such places."""
    ends = [
        after[1].start if after and after[0] == sample else len(texts[sample])
        for (sample, _), after in zip(chosen, [*chosen[1:], None], strict=False)
    ]
    places: dict[tuple[str, str], dict[tuple[int, str], Word]] = defaultdict(dict)
    later: dict[tuple[str, str], float] = defaultdict(float)
    for call, ((sample, name), end) in enumerate(zip(chosen, ends, strict=True)):
        for rank, word in enumerate(_words(texts[sample], tools[name.text].names, name.end, end, before=before)):
            context = _context(texts[sample], word)
            if (call, word.text) not in places[context]:
                places[context][call, word.text] = word
                later[context] += rank
    order = sorted(places, key=lambda one: (-len(places[one]), later[one]))
    keys: dict[int, dict[str, Word]] = defaultdict(dict)
    for context in order:
        for (call, key), word in places[context].items():
            keys[call].setdefault(key, word)
    made = []
    for call, ((sample, name), end) in enumerate(zip(chosen, ends, strict=True)):
        found = tuple(sorted(keys[call].values()))
        again = [_again(texts[sample], key, after, end) for key, after in zip(found, [*found[1:], None], strict=False)]
        last = found[-1].end if found else name.end
        closers = _words(texts[sample], [name.text], last, end)
        made.append(Keyed(sample, name, found, tuple(again), end, tuple(closers[-1:])))
    if not all(word for one in made for word in one.closing):
        made = [one._replace(closing=(None,) * len(one.keys)) for one in made]
    if not all(one.closers for one in made):
        made = [one._replace(closers=()) for one in made]
    return made


def _again(text: str, key: Word, after: Word | None, end: int) -> Word | None:
    """The key once more, before the next one."""
    found = _words(text, [key.text], key.end, after.start if after else end)
    return found[0] if found else None


# What stands between them


def _gaps(texts: Sequence[str], call: Keyed, tools: ToolSchemas) -> Iterator[Gap]:
    """What follows each key of a call."""
    text = texts[call.sample]
    schema = tools[call.name.text]
    for i, (key, again) in enumerate(zip(call.keys, call.closing, strict=True)):
        last = i + 1 == len(call.keys)
        until = call.closers[0].start if call.closers else call.end
        end = until if last else call.keys[i + 1].start
        member = schema.member(key.text)
        kinds = frozenset(member.types) if member is not None and len(member.types) < len(TYPES) else frozenset()
        closed = text[again.end : end] if again else None
        final = end == len(text) or bool(call.closers)
        yield Gap(text[key.end : again.start if again else end], kinds, last, closed, final)


_QUERY = "?"
"""What is not there without arguments, as in a URL."""


def _seen(texts: Sequence[str], calls: Sequence[Keyed], found: Values, heads: Sequence[Sequence[str]]) -> Seen | None:
    """The calls with their arguments as one stretch each, and the form of one argument."""
    empty = [tokens(texts[call.sample][call.name.end : call.end]) for call in calls if not call.keys]
    opener = common_end([*heads, *([tokens(found.follows)] if found.divided else [])])
    if found.divided and not found.follows.endswith("".join(opener)):
        return None
    begins = "".join(opener) if found.divided else _own(opener, common_start([*heads, *empty]) if empty else None)
    divider = found.follows.removesuffix(begins) if found.divided else ""
    lead = len(begins)
    ends = iter(found.ends)
    made: list[list[SeenCall]] = [[] for _ in texts]
    head = "".join(common_end(heads)).removesuffix(begins)
    lasts = iter(found.ends)
    stops = [_stops(call, lasts) for call in calls]
    behind = [tokens(texts[call.sample][stop : call.end]) for call, stop in zip(calls, stops, strict=True) if call.keys]
    around = _around(head, behind, common_start(empty)) if empty else (_QUERY, "") if head == _QUERY else ("", "")
    parts = tokens(head.removesuffix(around[0]))
    bare = re.compile("".join(r"\d+" if part.isdigit() else re.escape(part) for part in parts))  # calls are numbered
    for call in calls:
        text = texts[call.sample]
        start = end = call.name.end
        if call.keys:
            start = call.keys[0].start - lead - len(around[0])
            end = _stops(call, ends) + len(around[1])
        elif match := bare.match(text, start):
            start = end = match.end()
        marks = [Mark(call.name.start, call.name.end, Hole.NAME), Mark(start, end, Hole.ARGUMENTS)]
        marks += [Mark(word.start, word.end, Hole.NAME) for word in call.closers if word.start >= end]
        made[call.sample].append(SeenCall(call.name.text, tuple(key.text for key in call.keys), tuple(marks)))
    forms = tuple((begins, Hole.KEY, *form) if begins else (Hole.KEY, *form) for form in found.forms)
    return Seen(
        tuple(map(tuple, made)),
        Arguments(forms, divider, found.codec, found.language, found.quote, found.divided, around, found.elements),
    )


def _stops(call: Keyed, ends: Iterator[int]) -> int:
    """Where the last argument of a call ends; `ends` are those of all arguments from its key on."""
    origins = [again.end if again else key.end for key, again in zip(call.keys, call.closing, strict=True)]
    return max((origin + next(ends) for origin in origins), default=call.name.end)


def _around(head: str, behind: Sequence[Sequence[str]], empty: Sequence[str]) -> tuple[str, str]:
    """What stands between a name and its arguments, and behind those, that a call without any does not have."""
    parts, shared = tokens(head), common_start(behind)
    same = len(common_start([parts, empty]))
    rest = empty[same : same + NEXT]
    if same == len(parts) or not rest:
        return "", ""
    at = shared.index(rest[0]) if rest[0] in shared else 0
    solid = "".join(rest).strip() or "".join(rest).startswith("\n")
    follows = any(one[: len(rest)] == rest for one in behind) and solid
    return ("".join(parts[same:]), "".join(shared[:at])) if at or follows else ("", "")


def _own(opener: Sequence[str], head: Sequence[str] | None) -> str:
    """What of a head belongs to the argument, where only one was ever seen at a time: what calls without any do not
    have, or its last tag or sign, with the blank before that.
    """
    if head is not None and len(head) < len(opener):
        return "".join(opener[len(head) :])
    at = len(opener)
    while at and not opener[at - 1].isspace() and opener[at - 1] not in "([{":
        at -= 1
        if opener[at].startswith(("<", "[")):
            break
    return "".join(opener[at - 1 if at and opener[at - 1].strip(" ") == "" else at :])
