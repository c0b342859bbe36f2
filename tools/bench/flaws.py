"""What a text becomes that departs in one place from what its dialect writes.

blank   a blank more in the JSON, or else a newline less beside a marker
keys    the keys of the objects of calls the other way round, where calls are JSON
closer  without its last marker
double  with its last marker twice
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from toolect._compiled import Dialect
from toolect._message import Json
from tools.bench.workloads import Wire, markers, payloads

FLAWS = ("blank", "keys", "closer", "double")


def flawed(dialect: Dialect, wire: Wire) -> Iterator[tuple[str, str]]:
    """The flaws that the text admits, each with the text that has it."""
    text = wire.text
    found = payloads(text, wire.calls)
    if found:
        yield "blank", text.replace(found[0], found[0][:1] + " " + found[0][1:], 1)
        swapped = text
        for payload in found:
            swapped = swapped.replace(payload, json.dumps(_turned(json.loads(payload)), ensure_ascii=False))
        if swapped != text:
            yield "keys", swapped
    places = sorted((text.rfind(marker), -len(marker), marker) for marker in markers(dialect.spec) if len(marker) > 2)
    places = [place for place in places if place[0] >= 0]
    if not found and (lines := [at + len(m) for at, _, m in places if text.startswith("\n", at + len(m))]):
        yield "blank", text[: lines[0]] + text[lines[0] + 1 :]
    if places:
        at, _, last = places[-1]
        yield "closer", text[:at] + text[at + len(last) :]
        yield "double", text[:at] + last + text[at:]


def _turned(value: Json) -> Json:
    if isinstance(value, list):
        return [_turned(item) for item in value]
    return dict(reversed(value.items())) if isinstance(value, dict) else value
