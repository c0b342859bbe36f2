"""What stands around calls in JSON, and beside their names and arguments: content, reasoning, ids, constants."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from toolect.authoring.scaffold.json_calls import IDS, NUMBERED, member
from toolect.authoring.scaffold.seen import SeenCall
from toolect.message import Json, dumps

CALL = "\0call"
"""Where a call is in what is around it."""


def merged(wraps: Sequence[Json]) -> Json:
    """What is around the calls in all values: each member where one of them has it, with what it says in all."""
    objects = sorted((wrap for wrap in wraps if isinstance(wrap, dict)), key=len, reverse=True)
    lists = [wrap[0] for wrap in wraps if isinstance(wrap, list)]
    if not objects:
        return [merged(lists)] if lists else wraps[0]
    keys: list[str] = []
    for wrap in objects:
        for key, after in zip([*wrap][::-1], [None, *[*wrap][::-1]], strict=False):
            if key not in keys:
                keys.insert(keys.index(after) if after is not None else len(keys), key)
    whole: dict[str, Json] = {}
    for key in keys:
        found = [wrap[key] for wrap in objects if key in wrap]
        if not key.endswith("?"):
            whole[key] = merged(found)
        elif said := further(key.removesuffix("?"), found, taken="$id" in whole.values()):
            whole |= {one: what for one, what in said.items() if what not in whole.values() or what[:1] != "$"}
        elif _is_number(key.removesuffix("?"), found):
            whole[key] = found[0]
    return whole


def _is_number(key: str, given: Sequence[Json]) -> bool:
    """True for a number that is always the same, and no id: the version of a format is one."""
    numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in given)
    return numbers and len({*map(dumps, given)}) == 1 and key not in IDS


def saying(call: SeenCall, shape: Json) -> SeenCall:
    """The call, with the content that is in the same JSON."""
    return call._replace(said="\n".join(_said(call.within, shape)), within=None)


def _said(value: Json, shape: Json) -> Iterator[str]:
    """What stands where a shape has content."""
    if isinstance(shape, dict) and isinstance(value, dict):
        for key, inner in shape.items():
            yield from _said(value.get(key.removesuffix("?")), inner)
    elif isinstance(shape, list) and isinstance(value, list):
        for item in value:
            yield from _said(item, shape[0])
    elif shape == "$content" and isinstance(value, str):
        yield value


def filled(wrap: Json, shape: Json) -> Json:
    """What is around the calls, with the shape of one in the place of each."""
    if wrap == CALL:
        return shape
    if isinstance(wrap, list):
        return [filled(item, shape) for item in wrap]
    if isinstance(wrap, dict):
        return {key: filled(inner, shape) for key, inner in wrap.items()}
    return wrap


def further(key: str, given: Sequence[Json], taken: bool) -> dict[str, str]:
    """What a member says that is neither name nor arguments: an id, content, or nothing new."""
    texts = [value for value in given if isinstance(value, str)]
    apart = len({*texts}) > 1 and (
        all(map(NUMBERED.fullmatch, texts))
        or len({*texts}) == len(texts)
        and all(re.fullmatch(r"[\w.:-]{1,64}", text) for text in texts)
    )
    if not taken and texts and (key in IDS or apart):
        return {f"{key}?": "$id"}
    said = member(key, texts)
    return {f"{key}?": said} if said is not None else {}
