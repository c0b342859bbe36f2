"""The texts that the benchmark reads, and how it times.

Workloads, rendered by each dialect from the same messages:
  short     two sentences of prose and one call with about 120 characters of arguments
  parallel  two sentences and eight such calls
  code20    one call with a string of 20 kB of Python source code, code200 one of 200 kB
  prose20   20 kB of prose without a call
A dialect that cannot carry prose beside a call gets the call alone. A flaw is a departure in one place:
  blank     a blank more in the JSON, or else a newline less beside a marker
  keys      the keys of the objects of calls the other way round, where calls are JSON
  closer    without the last marker
  double    with the last marker twice
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from timeit import Timer
from typing import NamedTuple

from toolect._compiled import Dialect
from toolect._message import Call, Content, Json, Message
from toolect._spec.model import Spec
from tools.conformance.chunked import literals

WORKLOADS = ("short", "parallel", "code20", "code200", "prose20")
CHUNK = 4
"""Characters of a chunk."""
SENTENCES = "I'll look up the forecast for the coming days. That should tell us whether to bring an umbrella."
ARGUMENTS = {
    "city": "Zürich",
    "days": 3,
    "unit": "celsius",
    "hourly": True,
    "note": "say if it rains in the morning, and how much",
}
TOOLS: list[Json] = [
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "description": "The weather of some days.",
            "parameters": {
                "type": "object",
                "properties": {
                    "city": {"type": "string"},
                    "days": {"type": "integer"},
                    "unit": {"type": "string"},
                    "hourly": {"type": "boolean"},
                    "note": {"type": "string"},
                },
            },
        },
    },
    {
        "type": "function",
        "function": {
            "name": "write_file",
            "description": "Writes a file.",
            "parameters": {
                "type": "object",
                "properties": {"path": {"type": "string"}, "content": {"type": "string"}},
            },
        },
    },
    {"type": "function", "function": {"name": "list_files", "parameters": {"type": "object", "properties": {}}}},
]
"""Declared tools: those that are called, and one that is not."""
# What many repetitions of look like a source file: quotes, backslashes, newlines, brackets and comparisons.
FUNCTION = '''def step_{n}(values: dict[str, int], limit: int = {n}) -> str:
    """Return the values below `limit`, one a line."""
    lines = []
    for key, value in sorted(values.items()):
        if value < limit and not key.startswith("_"):
            lines.append(f"{key!r:>12} = {value:04d}\\t# {{kept}}")
    return "\\n".join(lines) or 'nothing below ' + str(limit)


'''
PROSE = (
    "The river rises in the hills north of the town, and for most of the year it is no wider than a lane. In spring it "
    "floods the meadows (as it did in 1987, 1994 and 2013), and then the farmers bring their cattle up to the village. "
    '"We have always lived with it," one of them says; it\'s not a complaint.\n\n'
)


def message(workload: str) -> Message:
    """The message of a workload."""
    call = Call("get_weather", ARGUMENTS)
    match workload:
        case "short":
            return Message([Content(SENTENCES), call])
        case "parallel":
            return Message([Content(SENTENCES), *[call] * 8])
        case "code20" | "code200":
            return Message([Call("write_file", {"path": "steps.py", "content": code(int(workload[4:]) * 1000)})])
        case "prose20":
            return Message([Content(prose(20_000))])
    raise ValueError(workload)


def code(size: int) -> str:
    """Python source code of this many characters."""
    count = size // len(FUNCTION) + 2
    return "".join(FUNCTION.replace("{n}", str(n)) for n in range(count))[:size]


def prose(size: int) -> str:
    """English prose of this many characters."""
    return (PROSE * (size // len(PROSE) + 1))[:size].strip()


class Wire(NamedTuple):
    """A workload as a dialect writes it; `alone` when the prose had to go."""

    text: str
    calls: list[Call]
    alone: bool


def wire(dialect: Dialect, workload: str) -> Wire | None:
    """A workload's wire text; none when the dialect cannot write it, or reads something else than was written."""
    whole = message(workload)
    alone = Message([segment for segment in whole.segments if isinstance(segment, Call)])
    for said in (whole, alone) if alone.segments else (whole,):
        try:
            text = str(dialect.render(said))
        except ValueError:
            continue
        if _says(dialect.parse(text), said):
            return Wire(text, said.calls, said is not whole)
    return None


def _says(got: Message, said: Message) -> bool:
    calls = [(call.name, call.arguments) for call in got.runnable]
    return calls == [(call.name, call.arguments) for call in said.calls] and got.content.strip() == said.content.strip()


# Chunks


def tags(dialect: Dialect) -> list[str]:
    """The tags that the dialect's markers are made of, longest first: what a model's special tokens stand for."""
    found = {tag for marker in markers(dialect.spec) for tag in re.findall(r"<[^<>]*>?|\[\w+\]", marker)}
    return sorted(found, key=lambda tag: (-len(tag), tag))


def pieces(text: str, whole: Sequence[str] = ()) -> list[str]:
    """A text in chunks of four characters, but for these tags, which come whole."""
    parts = re.split(f"({'|'.join(map(re.escape, whole))})", text) if whole else [text]
    return [
        chunk
        for index, part in enumerate(parts)
        for chunk in ([part] if index % 2 else [part[at : at + CHUNK] for at in range(0, len(part), CHUNK)])
        if chunk
    ]


# Flaws


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


# Markup


def markers(spec: Spec) -> list[str]:
    """The canonical markers of a dialect and its end tokens, without their outer whitespace."""
    found: dict[str, None] = {}
    for rule in spec.rules.values():
        if not rule.value:
            found.update(dict.fromkeys(literal.text.strip() for literal in literals(rule.expr)))
    found.update(dict.fromkeys(end.strip() for end in spec.end))
    return [marker for marker in found if marker]


def payloads(text: str, calls: Sequence[Call]) -> list[str]:
    """The JSON objects and arrays of a text, outermost, when they hold all the calls' arguments; else nothing."""
    found: list[str] = []
    decode = json.JSONDecoder().raw_decode
    at = 0
    while (at := _next_bracket(text, at)) >= 0:
        try:
            value, end = decode(text, at)
        except ValueError:
            at += 1
            continue
        if value and (isinstance(value, dict) or isinstance(value[0], dict)):
            found.append(text[at:end])
        at = end
    return found if found and len("".join(found)) >= sum(len(call.arguments_text) for call in calls) else []


def _next_bracket(text: str, at: int) -> int:
    places = [place for bracket in "{[" if (place := text.find(bracket, at)) >= 0]
    return min(places, default=-1)


# Timing


def best(run: Callable[[], object], seconds: float) -> float:
    """The shortest time one run takes, in µs, looked for during about this long."""
    timer = Timer(run)
    run()
    once = timer.timeit(1)
    loops = max(1, int(seconds / 20 / max(once, 1e-7)))
    return 1e6 * min(once, min(timer.repeat(20 if loops > 1 else 5 if once < seconds else 2, loops)) / loops)
