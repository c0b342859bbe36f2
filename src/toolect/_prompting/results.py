"""Results of calls as a dialect writes them into the prompt, so that nothing in them is read as a call."""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from toolect._prompting.notation import fill, filled, inset, spell
from toolect._reading.reader import Reader
from toolect._spec.prompts import OutputKind, ResultText
from toolect.message import Json, dumps
from toolect.rendered import Unrepresentable


class Output(NamedTuple):
    """What came of one call."""

    name: str
    output: str
    id: str | None = None


def write_results(
    dialect: Reader, how: ResultText, outputs: Iterable[Output], tools: Iterable[Mapping[str, Any]] = ()
) -> str:
    """The text that tells a model what came of its calls; `tools` are declared, and so is each that was called.

    Raises `Unrepresentable` for an output in which the dialect's markup stands, or that reads like a call, alone or
    with the others: it could be taken for one, or for the end of the result. `defused` makes a harmless one of it.
    """
    outputs = list(outputs)
    known = [*({"name": name} for name in dict.fromkeys(one.name for one in outputs)), *tools]
    markup = forbidden(dialect, how)
    told = []
    for index, one in enumerate(outputs):
        holes = _holes(how, one, index)
        for slot, text in holes.items():
            if f"{{{slot}}}" not in how.each:
                continue
            if found := next((marker for marker in markup if marker in text), None):
                raise Unrepresentable(f"result {slot}", f"it holds `{found}`, which is markup here", text)
        told.append(fill(how.each, holes))
        if has_calls(dialect, told[-1], known):
            raise Unrepresentable("result output", "it reads like a call", one.output)
    whole = fill(how.text, {"results": inset(how.text, "results", how.between.join(told))})
    if has_calls(dialect, whole, known):
        raise Unrepresentable("result output", "together with the others it reads like a call", whole)
    return whole


def has_calls(dialect: Reader, text: str, tools: Iterable[Mapping[str, Any]]) -> bool:
    """True when there is a call in `text` for a reader who knows the tools, or for one who does not."""
    return bool(dialect.parse(text).calls or dialect.parse(text, list(tools)).calls)


def _holes(how: ResultText, one: Output, index: int) -> dict[str, str]:
    """What the holes of `how.each` stand for."""
    holes = {"name": one.name, "id": one.id or "", "index": str(index), "output": written(how.output, one.output)}
    if "{result}" in how.each:
        value: Json = _value(one.output) if how.output is OutputKind.JSON else one.output
        values = {"$output": value, "$name": one.name, "$id": one.id, "$index": str(index)}
        holes["result"] = inset(how.each, "result", spell(filled(how.result, values), how.notation))
    return holes


def written(kind: OutputKind, output: str) -> str:
    """An output as text, as a JSON string, or as the JSON that it is."""
    match kind:
        case OutputKind.TEXT:
            return output
        case OutputKind.STRING:
            return dumps(output)
        case OutputKind.JSON:
            return output if _is_json(output) else dumps(output)


def forbidden(dialect: Reader, how: ResultText) -> Sequence[str]:
    """What may not stand in an output: markers of calls, end tokens, and the text around a result."""
    graph = dialect.graph()
    around = [piece.strip() for text in (how.each, how.text) for piece in re.split(r"\{[a-z]+\}", text)]
    found = {*graph.markers, *graph.ends, *(line for piece in around for line in piece.split("\n"))}
    # Short ones are punctuation; code and prose are full of it.
    return sorted((marker for marker in found if len(marker) >= 4), key=lambda marker: (-len(marker), marker))


def defused(dialect: Reader, how: ResultText, output: str, tools: Iterable[Mapping[str, Any]] = ()) -> str:
    """An output without markup: a JSON string in which signs of every marker are spelled by their numbers.

    Where that still reads like a call, all signs are; where even that does, all characters.
    """
    markup = forbidden(dialect, how)
    for hidden in _hidden(markup, output):
        text = _hide(output, hidden)
        try:
            write_results(dialect, how, [Output("", text)], tools)
        except Unrepresentable:
            continue
        return text
    return _hide(output, output)


def _hidden(markup: Iterable[str], output: str) -> Iterator[Container[str]]:
    """Which characters to spell by their numbers: few, then more."""
    plain = dumps(output)
    signs = {
        next((sign for sign in marker if _is_sign(sign)), marker.strip()[0]) for marker in markup if marker in plain
    }
    yield signs
    yield {sign for sign in output if _is_sign(sign)} | signs


def _is_sign(sign: str) -> bool:
    return not (sign.isalnum() or sign.isspace())


def _hide(text: str, hidden: Container[str]) -> str:
    """`text` as a JSON string with the characters in `hidden` spelled by their numbers."""
    return '"' + "".join(_spelled(sign) if sign in hidden else dumps(sign)[1:-1] for sign in text) + '"'


def _spelled(sign: str) -> str:
    return f"\\u{ord(sign):04x}" if ord(sign) < 0x10000 else json.dumps(sign)[1:-1]


def _value(text: str) -> Json:
    """The JSON that a text is; a text that is none stays one, and so does a JSON string, with its escapes."""
    try:
        value: Json = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return text if isinstance(value, str) else value


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
