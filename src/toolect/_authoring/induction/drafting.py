"""Rows that nobody wrote: guesses at what pasted answers say, and what a chat template writes for known words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

import msgspec
from msgspec.structs import replace

import toolect
from toolect._authoring.generate.random_values import json_in
from toolect._authoring.induction.equations import tokens
from toolect._authoring.induction.labeled_rows import MAX_TEXT, Row, RowsError
from toolect._message import Call, Json, Message
from toolect._values.toolset import tool_schemas
from toolect._values.vocabulary import json_number
from toolect.chat_template import turns
from toolect.chat_template.probes import PROBES, SIGNS, Style, TemplateProbe
from toolect.chat_template.turn import Turn

_DIVIDER = re.compile(r"^={3,}\r?\n", re.MULTILINE)
_EDGE = re.compile(r"[\n<\[{(`|#@]")


class _Sample(msgspec.Struct):
    text: str


def split_samples(source: str) -> list[str]:
    """The samples of a file: one a line as JSON with `text`, or apart by lines of `===`. Raises RowsError."""
    try:
        texts = [sample.text for sample in msgspec.json.Decoder(_Sample).decode_lines(source)]
    except (msgspec.DecodeError, RecursionError):
        texts = [part.removesuffix("\n").removesuffix("\r") for part in _DIVIDER.split(source) if part.strip()]
    for number, text in enumerate(texts, 1):
        if len(text) > MAX_TEXT:
            raise RowsError(f"sample {number}: expected at most {MAX_TEXT} characters, got {len(text)}: shorten it")
    if not texts:
        raise RowsError("expected samples of what a model wrote, got an empty file")
    return texts


def draft_row(text: str, tools: Sequence[Json]) -> dict[str, Json]:
    """A row of what a text may say."""
    schemas = tool_schemas(tools)
    for found in toolect.detect(text, limit=1):
        message = toolect.dialect(found.dialect).parse(text, tools)
        named = all(call.name in schemas for call in message.calls) or not schemas.declared
        if message.exact and message.calls and named:
            calls = [{"name": call.name, "arguments": call.arguments} for call in message.calls]
            return {"text": text, "content": message.content, "reasoning": message.reasoning, "calls": calls}
    found_calls = [*_stretches(text, schemas)]
    calls = [{"name": name, "arguments": _arguments(behind, schemas[name].names)} for _, name, behind in found_calls]
    ahead = text[: _edge(text, found_calls[0][0])] if found_calls else text
    thought = re.match(r"\s*<(\w[\w:-]*)>\s*(.*?)\s*</\1>\s*", ahead, re.DOTALL)
    content = ahead[thought.end() :] if thought else ahead
    return {"text": text, "content": content.strip(), "reasoning": thought[2] if thought else "", "calls": calls}


def _edge(text: str, first: int) -> int:
    """Start offset of the markup before the first call: its line, or the sign next to the call."""
    start = text.rfind("\n", 0, first) + 1
    if not re.search(r"[.!?:]\s", text[start:first]):
        return start
    edge = _EDGE.search(text, start, first)
    return edge.start() if edge else first


def _stretches(text: str, words: Iterable[str]) -> Iterator[tuple[int, str, str]]:
    """Words in a text, each with its offset, and the text behind it up to the next one."""
    either = "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
    found = [*re.compile(rf"(?<![\w/-])(?:{either})(?![\w-])").finditer(text)] if either else []
    for match, after in zip(found, [*found[1:], None], strict=False):
        yield match.start(), match[0], text[match.end() : after.start() if after else len(text)]


def _arguments(behind: str, keys: Iterable[str]) -> Json:
    """The arguments behind a name: an object of JSON, or the keys of the tool, and behind each its value."""
    for _, _, value in json_in(behind):
        if isinstance(value, dict):
            return value
    arguments: dict[str, Json] = {}
    for _, key, value in _stretches(behind, keys):
        arguments.setdefault(key, _value(value))
    return arguments


def _value(text: str) -> Json:
    """The value behind a key: a literal, or text up to a sign of markup."""
    body = re.sub(r"""^["']?[^\w"'\[{-]*""", "", text, count=1)
    if quoted := re.match(r"""(["'])(.*?)\1""", body, re.DOTALL):
        return quoted[2]
    if body[:1] in ("[", "{"):
        return next((value for start, _, value in json_in(body) if not start), body)
    word = re.split(r"[\n<\])}|;]", body, maxsplit=1)[0].rstrip(" ,\"'")
    number = json_number(word)
    return {"true": True, "false": False, "null": None}.get(word.lower(), word) if number is None else number


MAX_HEADER = 80
"""Characters at the end of a prompt that may open the reasoning."""


def template_rows(source: str, probes: Sequence[TemplateProbe] = (*PROBES, SIGNS)) -> tuple[list[Row], Style | None]:
    """Rows of the texts that a template writes for the probes, in its first style of calls. Raises TemplateError."""
    found = turns(source, probes)[0]
    texts = [turn.text for turn in found]
    texts = [  # behind an end token stands what a model does not write
        text.rstrip() if re.fullmatch(r"<[^<>\s]+>", (tokens(text.rstrip()) or [""])[-1]) else text for text in texts
    ]
    rows = [
        Row(number, text, _visible(turn), _opened(turn))
        for number, (turn, text) in enumerate(zip(found, texts, strict=True), 1)
    ]
    return rows, found[0].style


def _visible(turn: Turn) -> Message:
    """The message of a probe, without ids that the template leaves out."""
    segments = turn.message.segments
    return Message(
        [
            replace(one, id=None) if isinstance(one, Call) and (one.id or "") not in turn.text else one
            for one in segments
        ]
    )


def _opened(turn: Turn) -> str:
    """The end of the prompt that has begun the reasoning of an answer; also of one that has closed it again."""
    thought = turn.message.reasoning
    before, _, after = turn.text.partition(thought or turn.text)
    if not thought or before.strip():
        return ""
    prompt = turn.asked if turn.asked.startswith(turn.prompt) else turn.prompt
    parts = tokens(after)
    at = next((i for i, part in enumerate(parts) if part.strip()), 0)
    closed = prompt.rfind("".join(parts[: at + 1]), max(len(prompt) - MAX_HEADER, 0))
    prompt = prompt[:closed] if closed >= 0 else prompt
    tags = [*re.finditer(r"<[^/<>]*>|\[[^/\[\]]*\]", prompt[-MAX_HEADER:])]
    return prompt[-MAX_HEADER:][tags[-1].start() :] if tags else ""
