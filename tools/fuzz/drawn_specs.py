"""Dialects that nobody wrote: a grammar and an entry drawn from the parts that formats are made of."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import NamedTuple

from toolect._spec.load import load_spec
from toolect.compiled import Dialect
from toolect.diagnostic import SpecError

ROOT = Path(__file__).resolve().parents[2]
DRAWN = "drawn"
"""What the names of drawn dialects begin with; the number after it says which."""
_OPENERS = (
    "<call>", "<call>\n", "[CALL]", "[", "[[", "{{", "<|call|>", "call: ", "```call\n", "@", "((", "<", "%%", "[{",
)  # fmt: skip
_CLOSERS = ("</call>", "\n</call>", "[/CALL]", "]", "]]", "}}", "<|end|>", "\n", "\n```", "))", ">", ";", "}]")
_MIDDLES = ("(", ": ", "\n", "[ARGS]", " ", "<|sep|>", ">", "\n```json\n", "=")
_WRAPS = (("<calls>", "</calls>"), ("<calls>\n", "\n</calls>"), ("[", "]"), ("[CALLS]", ""), ("<|calls|>", "<|done|>"))
_JOINTS = ("", "\n", ", ", "; ", "<|next|>")
_ARGUMENTS = (
    ("<arg:", ">", "</arg>\n"), ("<key>", "</key>\n<value>", "</value>\n"), ("", ": ", "\n"), ('a="', '" ', ";"),
    ("<p name=\"", '">\n', "\n</p>\n"), ("[", "=", "]"), ("{", ":", "}"),
)  # fmt: skip
_SHAPES = (
    "{name: $name, arguments: $arguments}",
    '{name: $name, "arguments|parameters": $arguments, "id?": $id}',
    "[{name: $name, arguments: $arguments}]",
    '{"$name": $arguments}',
    "{type: call, function: {name: $name, arguments: $arguments.text}}",
)
_GAPS = (
    r'{before call: "\n"}', r'{between calls: "\n"}', r'{before call: "\n\n", between calls: "\n"}',
)  # fmt: skip
_NAMES = (r"[A-Za-z_][\w.-]*", r'[^\s<>()\[\]{}":=,]+', r"\w+")
_CODECS = ("schema", "json-or-text", "text", "json")
_LANGUAGES = ("python", "javascript", "python_json")


class Drawn(NamedTuple):
    """A grammar and its entry."""

    grammar: str
    entry: str


def drawn_dialect(name: str) -> Dialect:
    """The dialect of this name: the first of those that its number gives that loads."""
    return _made(name)[0]


def drawn_files(name: str) -> Drawn:
    """The grammar and the entry of that dialect."""
    return _made(name)[1]


@lru_cache(maxsize=256)
def _made(name: str) -> tuple[Dialect, Drawn]:
    random = Random(name)
    while True:
        drawn = _drawn(random, name)
        try:
            return compiled(name, drawn), drawn
        except SpecError:
            continue


def compiled(name: str, drawn: Drawn) -> Dialect:
    """The dialect of these files. Raises SpecError."""
    with TemporaryDirectory() as temporary:
        folder = Path(temporary)
        (folder / "grammars").mkdir()
        (folder / "grammars" / "values").symlink_to(ROOT / "grammars" / "values")
        (folder / "grammars" / f"{name}.lark").write_text(drawn.grammar, "utf-8")
        (folder / "dialects.yaml").write_text(drawn.entry, "utf-8")
        return Dialect(load_spec(folder / "dialects.yaml", name))


def _drawn(random: Random, name: str) -> Drawn:
    """Any grammar and entry: most load, and mean something."""
    rules, roles, extra = ["content: TEXT"], {"content": "content"}, dict[str, str]()
    values, imported = dict[str, str](), set[str]()
    top = ["content"]
    if random.randrange(2):
        rules.append('think: "<think>" TEXT "</think>"')
        roles["think"] = "reasoning"
        top.append("think")
        extra["prefill"] = '{"<think>": think}'
    calls = [f"call{number}" for number in range(random.choice((1, 1, 2, 3)))]
    for call in calls:
        rules.append(f"{call}: {_call(random, call, roles, values, imported)}")
        roles[call] = "call"
    either = " | ".join(calls)
    if random.randrange(2):
        opener, closer = random.choice(_WRAPS)
        joint = random.choice(_JOINTS)
        more = f"{_marker(joint)} " if joint else ""
        rules.append(f"calls: {_marker(opener)} ({either}) ({more}({either}))* {_marker(closer)}")
        top += ["calls"] if random.randrange(2) else ["calls", *calls[:1]]
    else:
        top += calls
    terminals = [f"NAME: /{random.choice(_NAMES)}/", f"KEY: /{random.choice(_NAMES)}/", "ID: /[a-z0-9]+/"]
    text = "\n".join((*rules, *terminals))
    used = [line for line in terminals if line.partition(":")[0] in " ".join(rules)]
    order = f"({' | '.join(top)})*" if random.randrange(3) else " ".join(f"{part}*" for part in top)
    lines = [
        *(f"%import .values.{language} (value)" for language in imported), f"start: {order}", *rules, *used,
        "%declare TEXT" + " JSON" * ("JSON" in text),
    ]  # fmt: skip
    roles |= {t: f"call.{t.lower()}" for t in ("NAME", "ID") if any(line.startswith(t) for line in used)}
    if random.randrange(3) == 0:
        extra["gaps"] = random.choice(_GAPS)
    if random.randrange(2):
        extra["end"] = '["<|im_end|>"]'
    if values:
        extra["values"] = _flow(values)
    entry = [f"{name}:", "  about: drawn", "  models: []", f"  map: {_flow(roles)}"]
    return Drawn("\n".join(lines) + "\n", "\n".join((*entry, *(f"  {k}: {v}" for k, v in extra.items()))) + "\n")


def _call(random: Random, call: str, roles: dict[str, str], values: dict[str, str], imported: set[str]) -> str:
    """The expression of a call, whose parts get their roles."""
    opener, closer = _marker(random.choice((*_OPENERS, ""))), _marker(random.choice((*_CLOSERS, "")))
    middle = _marker(random.choice(_MIDDLES))
    match random.randrange(5):
        case 0 | 1:
            roles[f"{call}/JSON"] = random.choice(_SHAPES)
            return f"{opener} JSON {closer}"
        case 2:
            roles[f"{call}/JSON"] = "$arguments"
            identity = f" {_marker(random.choice(_MIDDLES))} ID" if random.randrange(4) == 0 else ""
            return f"{opener} NAME{identity} {middle} JSON {closer}"
        case 3:
            before, between, after = map(_marker, random.choice(_ARGUMENTS))
            roles |= {"KEY": "argument.key", f"{call}_argument": "argument", f"{call}_argument/TEXT": "argument.value"}
            values[f"{call}_argument/TEXT"] = random.choice(_CODECS)
            inner = f"{call}_argument: {before} KEY {between} TEXT {after}"
            return f"{opener} NAME {middle} {call}_argument* {closer}\n{inner}"
    imported.add(next(iter(imported), random.choice(_LANGUAGES)))
    roles |= {"KEY": "argument.key", f"{call}_argument": "argument", f"{call}_argument/value": "argument.value"}
    sign = random.choice(('"="', '": "'))
    inside = f'({call}_argument (", " {call}_argument)*)?'
    return f'{opener} NAME "(" {inside} ")" {closer}\n{call}_argument: KEY {sign} value'


def _marker(text: str) -> str:
    """A marker as a grammar spells it; nothing for no text."""
    return json.dumps(text) if text else ""


def _flow(pairs: dict[str, str]) -> str:
    """A mapping as an entry has it."""
    return "{" + ", ".join(f"{key}: {value}" for key, value in pairs.items()) + "}"
