"""Damage that servers do to streamed calls: deltas of calls, and what becomes of them on the way."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from random import Random
from typing import Any

Made = tuple[str, dict[str, Any]]
"""A call as the model meant it: its name and arguments."""
Parts = list[dict[str, Any]]

TOOLS: list[dict[str, Any]] = [
    {"type": "function", "function": {"name": name, "parameters": {"type": "object", "properties": properties}}}
    for name, properties in (
        ("wipe", {"folder": {"type": "string"}}),
        ("copy", {"folder": {"type": "string"}, "to": {"type": "object"}}),
        ("now", {}),
    )
]


def calls(random: Random) -> list[Made]:
    """One to four calls of the tools, each with arguments if its tool has any."""
    made: list[Made] = []
    for number in range(random.randrange(1, 5)):
        folder = random.choice(["tmp", "}", '{"', "\\", "null", "é｜"]) + str(number)
        made.append(random.choice([
            ("wipe", {"folder": folder}), ("copy", {"folder": folder, "to": {"n": number}}), ("now", {}),
        ]))  # fmt: skip
    return made


def deltas(random: Random, made: list[Made]) -> list[Parts]:
    """The parts of each call as the API has them: its name first, then the arguments in pieces."""
    parts: list[Parts] = []
    for number, (name, arguments) in enumerate(made):
        text = json.dumps(arguments)
        cuts = sorted(random.choices(range(len(text) + 1), k=random.randrange(4)))
        pieces = [text[a:b] for a, b in itertools.pairwise([0, *cuts, len(text)])]
        head = {"index": number, "id": f"c{number}", "type": "function", "function": {"name": name, "arguments": ""}}
        parts.append([head, *({"index": number, "function": {"arguments": piece}} for piece in pieces if piece)])
    return parts


def whole(call: Parts) -> tuple[dict[str, Any], str]:
    """The part of a call that has its name, and its arguments."""
    head = next(part for part in call if part["function"].get("name"))
    return head, "".join(part["function"]["arguments"] for part in call)


def no_index(_: Random, parts: list[Parts]) -> None:
    """Nobody counts."""
    for part in itertools.chain(*parts):
        part.pop("index", None)


def all_zero(_: Random, parts: list[Parts]) -> None:
    """All calls have one index."""
    for part in itertools.chain(*parts):
        part["index"] = 0


def shifted(_: Random, parts: list[Parts]) -> None:
    """Arguments have the index of the next call."""
    for part in itertools.chain(*parts):
        if not part["function"].get("name"):
            part["index"] = part.get("index", 0) + 1


def wrong_index(random: Random, parts: list[Parts]) -> None:
    """Arguments have any index."""
    for part in itertools.chain(*parts):
        if not part["function"].get("name"):
            part["index"] = random.randrange(len(parts) + 1)


def changing_ids(random: Random, parts: list[Parts]) -> None:
    """Each part has an id of its own."""
    for part in itertools.chain(*parts):
        part["id"] = f"x{random.randrange(10**9)}"


def empty_words(random: Random, parts: list[Parts]) -> None:
    """What is not there is an empty text, or the text of a null."""
    nothing = random.choice(["", "null", None])
    for part in itertools.chain(*parts):
        if "name" not in part["function"]:
            part["id"] = part["function"]["name"] = nothing
        elif not part["function"]["arguments"]:
            part["function"]["arguments"] = nothing


def no_ids(_: Random, parts: list[Parts]) -> None:
    """No call has an id."""
    for part in itertools.chain(*parts):
        part.pop("id", None)


def one_id(_: Random, parts: list[Parts]) -> None:
    """All calls have the same id."""
    for part in itertools.chain(*parts):
        part["id"] = "call"


def repeated_ids(_: Random, parts: list[Parts]) -> None:
    """Each part has the id of its call."""
    for call in parts:
        for part in call:
            part["id"] = next((one["id"] for one in call if one.get("id")), None)


def repeated_names(_: Random, parts: list[Parts]) -> None:
    """Each part has the name of its call."""
    for call in parts:
        for part in call:
            part["function"]["name"] = next(one["function"]["name"] for one in call if one["function"].get("name"))


def late_names(_: Random, parts: list[Parts]) -> None:
    """The name comes after the arguments."""
    for call in parts:
        call.sort(key=lambda part: bool(part["function"].get("name")))


def placeholders(random: Random, parts: list[Parts]) -> None:
    """An empty object, or a null, comes before the arguments."""
    for part in itertools.chain(*parts):
        if part["function"].get("name") and not part["function"]["arguments"]:
            part["function"]["arguments"] = random.choice(["{}", "null", "{ }"])


def objects(_: Random, parts: list[Parts]) -> None:
    """Each call comes whole, its arguments as an object."""
    for call in parts:
        head, text = whole(call)
        call[:] = [{**head, "function": {**head["function"], "arguments": json.loads(text)}}]


def copied(random: Random, parts: list[Parts]) -> None:
    """A call comes again, whole or in the same parts."""
    for call in parts:
        head, text = whole(call)
        once = {**head, "function": {**head["function"], "arguments": text}}
        call += random.choice([[once], json.loads(json.dumps(call))])


def doubled(_: Random, parts: list[Parts]) -> None:
    """Each part comes twice."""
    for call in parts:
        call[:] = [json.loads(json.dumps(part)) for part in call for _ in range(2)]


def cumulative(_: Random, parts: list[Parts]) -> None:
    """Each part has all arguments before it, too."""
    for call in parts:
        texts = itertools.accumulate(part["function"]["arguments"] or "" for part in call)
        for part, text in zip(call, [*texts], strict=True):
            part["function"]["arguments"] = text


def copied_arguments(_: Random, parts: list[Parts]) -> None:
    """The arguments come again, whole."""
    for call in parts:
        head, text = whole(call)
        call.append({"index": head.get("index"), "function": {"arguments": text}})


def heads_first(_: Random, parts: list[Parts]) -> None:
    """All names come before all arguments."""
    heads = [call.pop(0) for call in parts]
    parts.insert(0, heads)


Damage = Callable[[Random, list[Parts]], None]
SHAPES: tuple[Damage, ...] = (cumulative, objects, copied, copied_arguments, doubled)
"""Damage to what the calls are, which comes first."""
ADDRESSES: tuple[Damage, ...] = (
    placeholders, empty_words, late_names, no_index, all_zero, changing_ids, no_ids, repeated_ids, repeated_names,
    one_id, heads_first,
)  # fmt: skip
"""Damage to where their parts belong."""
UNSURE: tuple[Damage, ...] = (shifted, wrong_index)
"""Damage that nobody can undo."""


def damaged(random: Random, made: list[Made], *kinds: Damage) -> Parts:
    """The parts of these calls, after these kinds of damage."""
    parts = deltas(random, made)
    order = (*SHAPES, *ADDRESSES, *UNSURE)
    for kind in sorted(kinds, key=order.index):
        kind(random, parts)
    return [*itertools.chain(*parts)]
