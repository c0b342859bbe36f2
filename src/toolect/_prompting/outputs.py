"""Outputs of tools as a prompt has them: as they are, as JSON, and so that nothing in them is markup."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Iterator

from toolect._message import dumps
from toolect._spec.prompts import OutputKind


def written(kind: OutputKind, output: str) -> str:
    """An output as text, as a JSON string, or as the JSON that it is."""
    match kind:
        case OutputKind.TEXT:
            return output
        case OutputKind.STRING:
            return dumps(output)
        case OutputKind.JSON:
            return output if _is_json(output) else dumps(output)


def harmless(markup: Iterable[str], output: str) -> Iterator[str]:
    """An output without markup: JSON strings in which signs are spelled by their numbers, few of them, then more."""
    plain = dumps(output)
    signs = {
        next((sign for sign in marker if _is_sign(sign)), marker.strip()[0]) for marker in markup if marker in plain
    }
    for hidden in (signs, {sign for sign in output if _is_sign(sign)} | signs, output):
        yield _hide(output, hidden)


def _is_sign(sign: str) -> bool:
    return not (sign.isalnum() or sign.isspace())


def _hide(text: str, hidden: Container[str]) -> str:
    """`text` as a JSON string with the characters in `hidden` spelled by their numbers."""
    return '"' + "".join(_spelled(sign) if sign in hidden else dumps(sign)[1:-1] for sign in text) + '"'


def _spelled(sign: str) -> str:
    return f"\\u{ord(sign):04x}" if ord(sign) < 0x10000 else json.dumps(sign)[1:-1]


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
