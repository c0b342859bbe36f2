"""Drafts of rows: what pasted samples may say, as rows for their author to correct.

Nothing of a draft is taken for true. A known dialect is asked first; then JSON with a declared name in it is a call,
and else the words of the declared tools are looked for, with what stands behind each key.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence

import toolect
from toolect._authoring.generate.json_values import json_in
from toolect._authoring.induction.labeled_rows import MAX_TEXT, RowsError
from toolect._message import Json
from toolect._values.toolset import ToolSchemas, tool_schemas

_DIVIDER = re.compile(r"^={3,}\n", re.MULTILINE)
_EDGE = re.compile(r"[\n<\[{(`|#@]")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")


def split_samples(source: str) -> list[str]:
    """The samples of a file: one a line as JSON with `text`, or apart by lines of `===`. Raises RowsError."""
    lines = [line for line in source.split("\n") if line.strip()]
    texts = [*filter(None, map(_text, lines))]
    if not lines or len(texts) < len(lines):
        texts = [part.removesuffix("\n") for part in _DIVIDER.split(source) if part.strip()]
    for number, text in enumerate(texts, 1):
        if len(text) > MAX_TEXT:
            raise RowsError(f"sample {number}: expected at most {MAX_TEXT} characters, got {len(text)}: shorten it")
    if not texts:
        raise RowsError("expected samples of what a model wrote, got an empty file")
    return texts


def _text(line: str) -> str:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return ""
    return value["text"] if isinstance(value, dict) and isinstance(value.get("text"), str) else ""


def draft_row(text: str, tools: Sequence[Json]) -> dict[str, Json]:
    """A row of what a text may say."""
    schemas = tool_schemas(tools)
    for found in toolect.detect(text, limit=1):
        message = toolect.dialect(found.dialect).parse(text, tools)
        named = all(call.name in schemas for call in message.calls) or not schemas.declared
        if message.exact and message.calls and named:
            calls = [{"name": call.name, "arguments": call.arguments} for call in message.calls]
            return _row(text, message.content, message.reasoning, calls)
    found_calls = [*_json_calls(text, schemas)] or [*_word_calls(text, schemas)]
    first = min((at for at, _ in found_calls), default=len(text))
    edges = [match.start() for match in _EDGE.finditer(text, 0, first)]
    ahead = text[: _line(text, edges, first)] if found_calls else text
    thought = re.match(r"\s*<(\w[\w:-]*)>\s*(.*?)\s*</\1>\s*", ahead, re.DOTALL)
    content = ahead[thought.end() :] if thought else ahead
    return _row(text, content.strip(), thought[2] if thought else "", [call for _, call in found_calls])


def _row(text: str, content: str, reasoning: str, calls: list[Json]) -> dict[str, Json]:
    return {"text": text, "content": content, "reasoning": reasoning, "calls": calls}


def _line(text: str, edges: Sequence[int], first: int) -> int:
    """Where the markup before the first call begins: with its line, or the sign that is next to it."""
    start = text.rfind("\n", 0, first) + 1
    if not re.search(r"[.!?:]\s", text[start:first]):
        return start
    return next((edge for edge in edges if edge >= start), first)


def _json_calls(text: str, schemas: ToolSchemas) -> Iterator[tuple[int, Json]]:
    """Objects with the name of a tool, and the object that is with it."""
    for start, _, value in json_in(text):
        yield from ((start, call) for call in _calls_in(value, schemas))


def _calls_in(value: Json, schemas: ToolSchemas) -> Iterator[Json]:
    if isinstance(value, dict):
        names = [inner for inner in value.values() if isinstance(inner, str) and inner in schemas]
        given = [inner for inner in value.values() if isinstance(inner, dict)]
        if names:
            yield {"name": names[0], "arguments": given[0] if given else {}}
            return
        for key, inner in value.items():
            if key in schemas and isinstance(inner, dict):
                yield {"name": key, "arguments": inner}
            else:
                yield from _calls_in(inner, schemas)
    elif isinstance(value, list):
        for item in value:
            yield from _calls_in(item, schemas)


def _stretches(text: str, words: Iterable[str]) -> Iterator[tuple[int, str, str]]:
    """Where words stand in a text, each with what stands behind it up to the next one."""
    either = "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
    found = [*re.compile(rf"(?<![\w/-])(?:{either})(?![\w-])").finditer(text)] if either else []
    for match, after in zip(found, [*found[1:], None], strict=False):
        yield match.start(), match[0], text[match.end() : after.start() if after else len(text)]


def _word_calls(text: str, schemas: ToolSchemas) -> Iterator[tuple[int, Json]]:
    """Names of tools, and behind each of them the values of its keys."""
    for at, name, behind in _stretches(text, schemas):
        whole = next((value for _, _, value in json_in(behind) if isinstance(value, dict)), None)
        arguments: dict[str, Json] = whole or {}
        for _, key, value in _stretches(behind, schemas[name].names) if whole is None else ():
            arguments.setdefault(key, _value(value))
        yield at, {"name": name, "arguments": arguments}


def _value(text: str) -> Json:
    """What stands behind a key: a literal, or text up to a sign of markup."""
    body = re.sub(r"""^["']?[^\w"'\[{-]*""", "", text, count=1)
    if number := _NUMBER.match(body):
        rest = body[number.end() :]
        if not rest[:1].isalnum():
            return json.loads(number[0]) if not re.match(r"-?0\d", number[0]) else number[0]
    if quoted := re.match(r"""(["'])(.*?)\1""", body, re.DOTALL):
        return quoted[2]
    if body[:1] in ("[", "{"):
        return next((value for start, _, value in json_in(body) if not start), body)
    word = re.split(r"[\n<\])}|;]", body, maxsplit=1)[0].rstrip(" ,\"'")
    return {"true": True, "false": False, "null": None}.get(word.lower(), word)
