"""Guesses the tools that were declared: which words of samples are names, and which are the keys of their arguments."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import dropwhile
from typing import NamedTuple

from toolect.authoring.scaffold.frames import IDENTIFIER, NEAR, readings
from toolect.authoring.scaffold.json_calls import ARGUMENTS, FEW, IDS, NAMES, NUMBERED, json_values
from toolect.authoring.scaffold.sighting import LOOK
from toolect.authoring.scaffold.structured_calls import Keys, members_of, object_in
from toolect.message import Json

MAX_GUESSES = 6
"""Guesses of which a dialect is made. Beyond it: the likeliest count."""


class Guess(NamedTuple):
    """Tools that the samples may call, and how good a guess that is."""

    tools: dict[str, dict[str, bool]]
    """Keys by name of a tool; True for those that every call has."""
    score: float
    told: int = 0
    """How many keys in JSON say what they hold: a name, arguments."""

    @property
    def declared(self) -> list[Json]:
        """The tools as a request has them."""
        return [
            {
                "name": name,
                "parameters": {
                    "type": "object",
                    "properties": {key: {} for key in keys},
                    "required": [key for key, needed in keys.items() if needed],
                },
            }
            for name, keys in self.tools.items()
        ]


def guesses(texts: Sequence[str]) -> list[Guess]:
    """The tools that samples may call, the likeliest guess first."""
    found: dict[str, Guess] = {}
    for calls, bonus, told in (*_in_json(texts), *_before_json(texts), *_in_frames(texts)):
        guess = _guess(_unprefixed(_bare(calls)), bonus, told)
        if guess is not None:
            key = repr(guess.tools)
            found[key] = max(guess, found.get(key, guess), key=lambda one: one.score)
    return sorted(found.values(), key=lambda one: -one.score)[:MAX_GUESSES]


Calls = Sequence[tuple[str, tuple[str, ...]]]


def shown(calls: Calls) -> Guess | None:
    """The guess that calls make which look like some that are known; none where their names have more in them."""
    if _bare(calls) != calls:
        return None
    bonus = 0.3 if len(calls) < FEW else -0.3  # what is usual tells more than little that was seen
    return _guess(calls, bonus + 0.04 * min(sum(len(keys) for _, keys in calls), 10))


def _bare(calls: Calls) -> Calls:
    """The calls without what stands before or behind every name that is markup: `functions.`, `.call`."""
    while calls and all("." in name and is_markup(name.partition(".")[0]) for name, _ in calls):
        calls = [(name.partition(".")[2], keys) for name, keys in calls]
    while calls and all("." in name and is_markup(name.rpartition(".")[2]) for name, _ in calls):
        calls = [(name.rpartition(".")[0], keys) for name, keys in calls]
    return calls


_PREFIX = re.compile(r"(?:x[-_.])?(?:arg|param)(?:s|ument|eter)?[-_.:]", re.IGNORECASE)
"""What says of a key that it is one, and is none of it."""


def _unprefixed(calls: Calls) -> Calls:
    """The calls without what stands before every key that says that it is one: `X-Arg-`."""
    found = {match[0] if (match := _PREFIX.match(key)) else "" for _, keys in calls for key in keys}
    if len(found) != 1 or "" in found:
        return calls
    prefix = found.pop()
    return [(name, tuple(key.removeprefix(prefix) for key in keys)) for name, keys in calls]


def _guess(calls: Calls, bonus: float, told: int = 0) -> Guess | None:
    """The guess that calls make; None where a key comes twice in one."""
    if not any(keys for _, keys in calls) or any(len({*keys}) < len(keys) for _, keys in calls):
        return None
    by_name: dict[str, list[set[str]]] = defaultdict(list)
    for name, keys in calls:
        by_name[name].append({*keys})
    alike = sum(map(_alike, by_name.values())) / len(calls)
    few = 1 - 0.3 * len(by_name) / len(calls)
    few -= 0.3 * (len(by_name) == 1 and len(calls) > 2)
    words = sum(map(worth, by_name)) / len(by_name)
    known = {key for _, given in calls for key in given}
    words += sum(map(_worth_of_key, known)) / len(known) - 0.5 * any(key in by_name for key in known)
    tools = {
        name: {
            key: all(key in one for one in by_name[name])
            for key in dict.fromkeys(k for n, ks in calls if n == name for k in ks)
        }
        for name in by_name
    }
    return Guess(tools, alike + few + words + bonus, told)


def _alike(calls: Sequence[set[str]]) -> float:
    """How many calls of one name are alike in their keys; those without any are, nearly."""
    given = [keys for keys in calls if keys]
    shared = len(set.intersection(*given)) / len(set.union(*given)) if given else 0
    return len(given) * shared + 0.8 * (len(calls) - len(given))


_MARKUP = frozenset(
    ("action", "actions", "analysis", "api", "arg", "args", "argument", "arguments", "assistant", "begin", "cdata",
     "call", "calls", "channel", "code", "command", "content", "commentary", "end", "exec", "final", "fn",
     "from", "func", "function", "functions", "id", "input", "inputs", "invoke", "invocation", "json", "key",
     "message", "msg", "method", "name", "output", "param", "parameter", "parameters", "params", "plugin",
     "python", "recipient", "request", "response", "result", "role", "run", "section", "self", "sep", "start",
     "string", "system", "tag", "text", "thought", "to", "token", "tool", "tools", "type", "use", "user", "val",
     "value", "values", "with", "xml", "true", "false", "null", "none", "eot", "turn")
)  # fmt: skip
"""Words that markup is made of."""
_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")


def is_markup(word: str) -> bool:
    """True for a word that markup is made of."""
    return all(part.lower() in _MARKUP for part in _PARTS.findall(word)) and not word.isdigit()


def worth(name: str) -> float:
    """What speaks for a word as the name of a tool, and against it."""
    if name.isupper() or is_markup(name):
        return -0.8
    parts = _PARTS.findall(name)
    if 2 * sum(map(is_markup, parts)) > len(parts):
        return -0.4
    if NUMBERED.fullmatch(name):
        return -0.8
    if name[:1].isupper() or not name.isascii() or re.search(r"\d[a-zA-Z]", name):
        return -0.4
    return 0.4 if re.search(r"[a-z\d][_.-][a-z\d]|[a-z][A-Z]", name) else 0.0


_STRUCTURE = frozenset(
    ("action", "arg", "args", "argument", "arguments", "call", "function", "input", "invoke", "param", "parameter",
     "parameters", "tool", "true", "false", "null")
)  # fmt: skip
"""Those that are no keys."""


def _worth_of_key(key: str) -> float:
    if key.isupper() and is_markup(key):
        return -0.8
    if len(_PARTS.findall(key)) > 1 and is_markup(key) or key in _STRUCTURE:
        return -0.5
    return -0.3 if key[:1].isupper() or not key.isascii() else 0.0


def _in_frames(texts: Sequence[str]) -> Iterator[tuple[Calls, float, int]]:
    """Calls whose names and keys stand alike."""
    for reading in readings(texts):
        calls = [(name.text, tuple(key.text for key in given)) for name, given in reading.calls]
        keys = sum(len(given) for _, given in calls)
        if keys:
            empty = sum(not given for _, given in calls)
            silent = 1 - len({name.sample for name, _ in reading.calls}) / len(texts)
            bonus = 0.04 * min(keys, 10) - 0.15 * reading.stray - 0.02 * empty - 0.3 * silent
            yield calls, bonus, 0


def _in_json(texts: Sequence[str]) -> Iterator[tuple[Calls, float, int]]:
    """Calls whose names are strings in JSON, or keys, wherever they are in it."""
    objects = [one for text in texts for _, _, value in json_values(text, python=True) for one in _objects(value)]
    ways: dict[tuple[Keys, Keys | None], list[tuple[str, tuple[str, ...]]]] = defaultdict(list)
    holding: dict[str, list[set[str]]] = defaultdict(list)
    for value in objects:
        members = list(members_of(value))
        if len(value) == 1 and (given := object_in(*value.values())) is not None:
            ways[(), None].append((next(iter(value)), tuple(given)))
        for way, name in members:
            if not isinstance(name, str) or not IDENTIFIER.fullmatch(name):
                continue
            if len(way) == 1:  # the arguments stand behind it
                holding[way[0]].append({key for key, inner in value.items() if object_in(inner) is not None})
                ways[way, None].append((name, tuple(dropwhile(lambda key: key != way[0], value))[1:]))  # noqa: B023
            for inside, inner in members:
                if inside and inside != way[: len(inside)] and (given := object_in(inner)) is not None:
                    ways[way, inside].append((name, tuple(given)))
    for (way, within), calls in ways.items():
        if within is None and way and set.intersection(*holding[way[0]]):  # the arguments are in there
            continue
        named = bool(way) and way[-1] in NAMES
        kept = within is not None and within[-1] in ARGUMENTS
        bonus = _TOLD * (named + kept) - 2 * _TOLD * (bool(way) and way[-1] in IDS) - 0.1 * len(way)
        yield calls, bonus + 0.4 * (within is not None), named + kept


_TOLD = 0.5
"""What a key's own name says of what it holds."""


def _objects(value: Json) -> Iterator[dict[str, Json]]:
    """The objects of a value, but those that are members of others alone."""
    for item in value if isinstance(value, list) else ():
        yield from _objects(item)
    if isinstance(value, dict):
        yield value
        for inner in value.values():
            yield from _objects(inner)


def _before_json(texts: Sequence[str]) -> Iterator[tuple[Calls, float, int]]:
    """Calls whose arguments are an object, with the name before it."""
    found: list[tuple[list[re.Match[str]], str, dict[str, Json]]] = []
    for text in texts:
        at = 0
        for start, end, value in json_values(text):
            if isinstance(value, dict):
                words = list(IDENTIFIER.finditer(text, max(at, start - LOOK), start))
                found.append((words[-NEAR:], text[max(at, start - LOOK) : start], value))
            at = end
    for back in range(1, NEAR + 1):
        if found and all(len(words) >= back for words, _, _ in found):
            yield [(words[-back][0], tuple(value)) for words, _, value in found], 0.3 - 0.05 * back, 0
