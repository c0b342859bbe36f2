"""The entry and the grammar of a chat that was found out, as values and as the texts of files."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from toolect._chats.control_tokens import control_tokens
from toolect._compiled import Dialect
from toolect._message import Json, dumps
from toolect._spec.chat_load import load_chat
from toolect._spec.chat_model import ChatSpec, Lost
from toolect._spec.prompts import Notation, OutputKind, ToolText
from tools.chats.induction.chat_draft import Draft
from tools.chats.induction.data_spellings import Spellings

WIDTH = 110
"""Characters of a field on one line."""


def entry_of(
    draft: Draft, spellings: Spellings, told: set[str], dialect: Dialect | None, default: str
) -> dict[str, Json]:
    """The fields of the entry; `told` are the kinds of places that were seen."""
    lost = {Lost.TOOLS: not {"t"} & told, Lost.CALLS: not {"a", "k"} & told, Lost.RESULTS: not {"o"} & told}
    known = spellings.arguments
    fields: dict[str, Json] = {
        "dialect": dialect.name if dialect is not None else "",
        "map": {rule: str(role) for rule, role in draft.roles.items() if rule != role},
        "when": dict(draft.when),
        "system": default,
        "tools": changed(draft.tools, ToolText()) if draft.tools is not None and "t" in told else {},
        "arguments": changed(known, Notation()) if known is not None else {},
        "output": str(spellings.output) if spellings.output is not OutputKind.TEXT else "",
        "date": spellings.date if "d" in told else "",
        "lost": [str(one) for one, is_lost in lost.items() if is_lost],
        "tokens": {"end": ends} if (ends := _ends(draft)) else {},
    }
    return {key: value for key, value in fields.items() if value}


def changed(how: Any, usual: Any) -> dict[str, Json]:
    """What of a notation is not as usual."""
    given, plain = msgspec.to_builtins(how), msgspec.to_builtins(usual)
    return _changed(given, plain)


def _changed(given: dict[str, Json], plain: dict[str, Json]) -> dict[str, Json]:
    return {
        key: _changed(value, plain[key]) if isinstance(value, dict) and isinstance(plain[key], dict) else value
        for key, value in given.items()
        if value != plain[key]
    }


_TEXT = re.compile(r'"(?:\\.|[^"\\])*"')


def _ends(draft: Draft) -> list[str]:
    """What ends answers: the first control token of the text behind them."""
    body = draft.rules.get("answer", "")
    texts = [one for one in _TEXT.finditer(body) if one.end() == len(body)]
    text = json.loads(texts[-1][0]) if texts else ""
    tokens = control_tokens([text]) if text.strip() else []
    return tokens[:1] or ([text] if text else [])


def grammar_of(title: str, start: str, draft: Draft) -> str:
    """The grammar: the rules in the order in which they are spoken of."""
    rules = {"start": start, **draft.rules}
    order: dict[str, None] = {}

    def follow(rule: str) -> None:
        if rule in rules and rule not in order:
            order[rule] = None
            for name in re.findall(r"\w+", _TEXT.sub("", rules[rule])):
                follow(name)

    follow("start")
    slots = dict.fromkeys(word for rule in order for word in re.findall(r"\b[A-Z]+\b", _TEXT.sub("", rules[rule])))
    return "\n".join([f"// {title}", *(f"{rule}: {rules[rule]}" for rule in order), f"%declare {' '.join(slots)}", ""])


def spec_of(name: str, entry: Mapping[str, Json], grammar: str) -> ChatSpec:
    """The spec of an entry and its grammar. Raises SpecError."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{name}.chats.yaml"
        file = grammar_file(path, name)
        file.parent.mkdir(parents=True)
        file.write_bytes(grammar.encode())
        path.write_bytes(entry_text(name, entry).encode())
        return load_chat(path, name)


def grammar_file(path: Path, name: str) -> Path:
    """Where the grammar belongs of a chat whose entry is in the file at `path`."""
    return path.parent / "grammars" / "chats" / f"{name}.lark"


def entry_text(name: str, entry: Mapping[str, Json]) -> str:
    """The entry as YAML."""
    return "\n".join([f"{name}:", *(line for key, value in entry.items() for line in _lines(key, value)), ""])


def _lines(key: str, value: Json) -> Iterator[str]:
    line = f"  {key}: {_flow(value)}"
    if not isinstance(value, dict) or len(line) <= WIDTH:
        yield line
        return
    yield f"  {key}:"
    yield from (f"    {_flow(inner)}: {_flow(held)}" for inner, held in value.items())


def _flow(value: Json) -> str:
    """A value on one line; words have no quotes."""
    match value:
        case dict():
            return "{" + ", ".join(f"{_flow(key)}: {_flow(held)}" for key, held in value.items()) + "}"
        case list() | tuple():
            return "[" + ", ".join(dumps(one) for one in value) + "]"
        case str() if re.fullmatch(r"[$a-z][\w ()-]*", value) and value not in (
            "true",
            "false",
            "null",
            "yes",
            "no",
            "on",
            "off",
        ):
            return value
        case _:
            return dumps(value)
