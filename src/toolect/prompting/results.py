"""Results of calls as a dialect writes them into the prompt, so that nothing in them is read as a call."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from toolect.ir import Json, dumps
from toolect.prompting.holes import fill, filled
from toolect.prompting.notation import inset, spell
from toolect.rendered import Unrepresentable
from toolect.spec.prompt import OutputKind, ResultText

if TYPE_CHECKING:
    from toolect.compiled import Dialect


class Output(NamedTuple):
    """What came of one call."""

    name: str
    output: str
    id: str | None = None


def write_results(dialect: Dialect, how: ResultText, outputs: Iterable[Output]) -> str:
    """The text that tells a model what came of its calls.

    Raises `Unrepresentable` for an output in which the dialect's markup stands: it could be read as a call, or as the
    end of the result. `defused` makes a harmless one of it.
    """
    markup = forbidden(dialect, how)
    told = []
    for index, one in enumerate(outputs):
        output = written(how.output, one.output)
        holes = {"name": one.name, "id": one.id or "", "index": str(index), "output": output}
        if "{result}" in how.each:
            value: Json = _value(one.output) if how.output is OutputKind.JSON else one.output
            values = {"$output": value, "$name": one.name, "$id": one.id, "$index": str(index)}
            holes["result"] = inset(how.each, "result", spell(filled(how.result, values), how.notation))
        for slot, text in holes.items():
            if found := next((marker for marker in markup if marker in text), None):
                raise Unrepresentable(f"result {slot}", f"it holds `{found}`, which is markup here", text)
        told.append(fill(how.each, holes))
    return fill(how.text, {"results": how.between.join(told)})


def written(kind: OutputKind, output: str) -> str:
    """An output as text, as a JSON string, or as the JSON that it is."""
    match kind:
        case OutputKind.TEXT:
            return output
        case OutputKind.STRING:
            return dumps(output)
        case OutputKind.JSON:
            return output if _is_json(output) else dumps(output)


def forbidden(dialect: Dialect, how: ResultText) -> Sequence[str]:
    """What may not stand in an output: markers of calls, end tokens, and the text around a result."""
    graph = dialect.graph()
    around = [piece.strip() for text in (how.each, how.text) for piece in re.split(r"\{[a-z]+\}", text)]
    found = {*graph.markers, *graph.ends, *(line for piece in around for line in piece.split("\n"))}
    # Short ones are punctuation; code and prose are full of it.
    return sorted((marker for marker in found if len(marker) >= 4), key=lambda marker: (-len(marker), marker))


def defused(dialect: Dialect, how: ResultText, output: str) -> str:
    """An output without markup: a JSON string in which one sign of every marker is spelled by its number."""
    text = dumps(output)
    for marker in forbidden(dialect, how):
        while marker in text:
            at = text.index(marker) + next(i for i, sign in enumerate(marker) if not sign.isspace())
            text = f"{text[:at]}\\u{ord(text[at]):04x}{text[at + 1 :]}"
    return text


def _value(text: str) -> Json:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _is_json(text: str) -> bool:
    return _value(text) is not text or text == ""
