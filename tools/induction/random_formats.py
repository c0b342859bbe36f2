# ruff: noqa: E501  (a way of writing is one line)
"""Formats to induce: those of `wild.yaml`, and random ones, put together of pieces that formats are made of.

A format here is code that writes messages; nothing of it is known to the inducer, and no grammar is behind it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from urllib.parse import quote
from xml.sax.saxutils import escape

import msgspec
from jinja2 import Environment

from toolect._message import Json, Message
from toolect._values.trees import texts_in
from tools.induction.said import TYPES

WILD = Path(__file__).with_name("wild.yaml")
SCALARS = ("string", "string", "string", "integer", "boolean", "number")


class _Traits(msgspec.Struct, frozen=True, kw_only=True):
    """Features that a format can write."""

    types: tuple[str, ...] = TYPES
    without: str = ""
    """A pattern of what no string holds."""
    shows: str = ""
    """A pattern that the samples have to hold: how a sign is escaped can be seen nowhere else."""
    thinks: bool = False
    single: bool = False
    empty: bool = True

    def carries(self, value: Json) -> bool:
        """True when the format can write the value."""
        return not self.without or not any(re.search(self.without, text) for text in texts_in(value))


class Format(_Traits, frozen=True):
    """A way of writing answers, and what its values may be."""

    name: str
    write: Callable[[Message], str]


class _Wild(_Traits, frozen=True, forbid_unknown_fields=True):
    about: str
    write: str


def wild_formats() -> list[Format]:
    """The formats of `wild.yaml`."""
    environment = Environment(trim_blocks=False, keep_trailing_newline=True)
    environment.filters |= {
        "json": _json, "raw": _raw, "repr": repr, "percent": lambda value: quote(_raw(value), safe=""), "sql": _sql,
        "entities": lambda value: escape(_raw(value), {'"': "&quot;"}), "script": _script,
    }  # fmt: skip
    found = msgspec.yaml.decode(WILD.read_bytes(), type=dict[str, _Wild])

    def write(template: str, message: Message) -> str:
        calls = [{"name": call.name, "arguments": call.arguments} for call in message.calls]
        return environment.from_string(template).render(
            content=message.content, reasoning=message.reasoning, calls=calls,
            program=[{call.name: call.arguments} for call in message.calls],
            actions=[{"use": call.name, "with": call.arguments} for call in message.calls],
        )  # fmt: skip

    return [
        Format(name, partial(write, one.write), **{trait: getattr(one, trait) for trait in _Traits.__struct_fields__})
        for name, one in found.items()
    ]  # fmt: skip


def random_format(seed: int) -> Format:
    """A format, drawn."""
    random = Random(seed)
    word = _word(random)
    opener, closer, lined = random.choice(_marks(_word(random)))
    sign = random.choice(("\n", " ", "\n\n")) if not lined else random.choice(("\n", "\n\n"))
    body, types, without, shows = random.choice((_named, _pairs, _pairs, _elements, _elements, _attributes, _shaped))(
        random, word
    )
    wrap = random.choice(_marks(_word(random))) if random.random() < 0.35 else ("", "", False)
    edge = "\n" if lined or wrap[2] or random.random() < 0.5 else ""
    between = random.choice(("\n", "\n", "\n\n", "")) if not lined else "\n"
    between = random.choice((", ", ";\n", between)) if wrap[0] else between
    thought = random.choice([one for one in _marks(_word(random)) if not one[2]]) if random.random() < 0.5 else None
    end = random.choice(("", "", "", "<|done|>", "</s>", "<|eot_id|>"))
    line = "\n" if lined else random.choice(("", "\n"))
    markers = [*(one.strip() for one in (opener, closer, *wrap[:2], end) if one.strip())]

    def write(message: Message) -> str:
        text = f"{thought[0]}{message.reasoning}{thought[1]}\n" if thought and message.reasoning else ""
        text += message.content + sign * bool(message.content and message.calls)
        if message.calls:
            calls = [
                opener + line + body(call.name, call.arguments or {}, i) + line + closer
                for i, call in enumerate(message.calls, 1)
            ]
            text += (wrap[0] + edge if wrap[0] else "") + between.join(calls) + (edge + wrap[1] if wrap[0] else "")
        return text + end

    barred = "|".join(filter(None, [without, *map(re.escape, markers)]))
    return Format(body.__name__, write, types=types, without=barred, shows=shows, thinks=thought is not None)


Body = Callable[[str, dict[str, Json], int], str]
Drawn = tuple[Body, tuple[str, ...], str, str]
"""Body of a call, types of its values, a pattern of what no string holds, and one of what samples have to show."""


def _word(random: Random) -> str:
    """A made-up word: no list of words can know it."""
    return "".join(random.choice("bdfgklmnprstvz") + random.choice("aeiou") for _ in range(random.choice((2, 3))))


def _marks(word: str) -> list[tuple[str, str, bool]]:
    """Pairs of marks, and whether they stand in lines of their own."""
    up = word.upper()
    return [
        (f"<{word}>", f"</{word}>", False), (f"<|{word}|>", f"<|/{word}|>", False), (f"[{up}]", f"[/{up}]", False),
        (f"{{{{{word}}}}}", f"{{{{/{word}}}}}", False), (f"⟦{word}⟧", f"⟦/{word}⟧", False), (f"<<{up}>>", f"<<END {up}>>", False),
        (f"#{word}", f"#end{word}", True), (f"BEGIN_{up}", f"END_{up}", True), (f"```{word}", "```", True),
        (f"--- {word} ---", "--- end ---", True),
    ]  # fmt: skip


def _named(random: Random, word: str) -> Drawn:
    """A name, then all arguments as one value."""
    head = random.choice(
        (
            "{n}\n{a}",
            "{n}: {a}",
            "{n} {a}",
            "{n}({a})",
            f"{word}={{n}}\n{{a}}",
            "{n} -> {a}",
            f"<{word}>{{n}}</{word}>{{a}}",
            "{i}. {n} {a}",
        )
    )
    spelled = random.choice((_json, _compact, _script, repr))

    def named(name: str, given: dict[str, Json], index: int) -> str:
        return head.replace("{n}", name).replace("{i}", str(index)).replace("{a}", spelled(given))

    return named, TYPES, "", ""


def _pairs(random: Random, word: str) -> Drawn:
    """Keys and values, apart by signs or by lines."""
    bullet, sign = (
        random.choice(("", "- ", "  ", "* ", ":", "--")),
        random.choice((": ", "=", " = ", " => ", " ", " := ")),
    )
    comma, around = random.choice(((", ", "()"), ("; ", "[]"), (" ", None), ("\n", None), ("\n", None)))
    spelled: Callable[[Json], str] = random.choice(
        (_json, _json, _sql, repr, _raw if comma == "\n" and sign != " " else _json)
    )
    bullet = "" if comma in (", ", "; ") else bullet
    head = random.choice((f"{word} {{n}}", "{n}", "[{n}]", f"{word}: {{n}}"))

    def pairs(name: str, given: dict[str, Json], _: int) -> str:
        body = comma.join(f"{bullet}{key}{sign}{spelled(value)}" for key, value in given.items())
        between = "" if around or not body else comma
        return head.replace("{n}", name) + between + (f"{around[0]}{body}{around[1]}" if around else body)

    types = SCALARS if spelled is _sql else TYPES
    return pairs, types, "\n" if spelled is _raw else "", "''" if spelled is _sql else ""


def _elements(random: Random, word: str) -> Drawn:
    """An element for each argument, also for those in objects and lists."""
    kinds = (
        ("<{k}>", "</{k}>"),
        (f'<{word} name="{{k}}">', f"</{word}>"),
        (f"<{word}={{k}}>", f"</{word}>"),
        ("[{k}]", "[/{k}]"),
        (f"<|{word}|>{{k}}<|is|>", "<|.|>"),
    )
    opener, closer = random.choice(kinds)
    head, tail = random.choice(
        ((f'<{word[::-1]} tool="{{n}}">', f"</{word[::-1]}>"), ("{n}\n", ""), ("[{n}]", "[/{n}]"), ("@{n}", "@"))
    )
    line, entities, deep = random.choice(("", "\n", "\n  ")), random.random() < 0.3, random.random() < 0.3

    def written(value: Json) -> str:
        if deep and isinstance(value, dict):
            return "".join(
                opener.replace("{k}", key) + written(inner) + closer.replace("{k}", key) for key, inner in value.items()
            )
        if deep and isinstance(value, list):
            return "".join(f"<item>{written(inner)}</item>" for inner in value)
        return escape(_raw(value)) if entities else _raw(value)

    def elements(name: str, given: dict[str, Json], _: int) -> str:
        rows = [
            line + opener.replace("{k}", key) + written(value) + closer.replace("{k}", key)
            for key, value in given.items()
        ]
        return (
            head.replace("{n}", name).rstrip("\n" if line else "")
            + "".join(rows)
            + "\n" * bool(line)
            + tail.replace("{n}", name)
        )

    return elements, TYPES, "" if entities else r"[<\[&]", "&lt;|&amp;" if entities else ""


def _attributes(random: Random, word: str) -> Drawn:
    """All in the attributes of one tag, texts in quotes and numbers with them or without."""
    quote_, bare = random.choice("\"'"), random.random() < 0.3
    opener, closer = random.choice((("<", "/>"), ("<", " />"), ("[", "]"), ("{% ", " %}")))
    head = random.choice((f"{word}:{{n}}", f"{word} tool={quote_}{{n}}{quote_}", "{n}"))

    def attributes(name: str, given: dict[str, Json], _: int) -> str:
        shown = (
            f" {key}={_raw(value) if bare and not isinstance(value, str) else quote_ + _raw(value) + quote_}"
            for key, value in given.items()
        )
        return opener + head.replace("{n}", name) + "".join(shown) + closer

    return attributes, SCALARS, r"[\n\"'<>%\]\\&]", ""


def _shaped(random: Random, word: str) -> Drawn:
    """A call as one object of JSON, whatever its keys are called."""
    name_key, given_key, kind = (
        word,
        _word(random) + "s",
        random.choice(("flat", "nested", "keyed", "text", "beside", "constant")),
    )
    spelled = random.choice((_json, _compact))

    def shaped(name: str, given: dict[str, Json], _: int) -> str:
        match kind:
            case "nested":
                return spelled({"do": {name_key: name, given_key: given}})
            case "keyed":
                return spelled({name: given})
            case "text":
                return spelled({name_key: name, given_key: _json(given)})
            case "beside":
                return spelled({name_key: name, **given})
        return spelled({**({"v": 1} if kind == "constant" else {}), name_key: name, given_key: given})

    return shaped, TYPES, "", ""


def _json(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)


def _compact(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _raw(value: Json) -> str:
    return value if isinstance(value, str) else _json(value)


def _sql(value: Json) -> str:
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else _json(value)


def _script(value: Json) -> str:
    """A value as in JavaScript, keys bare."""
    match value:
        case dict():
            return "{" + ", ".join(f"{key}: {_script(inner)}" for key, inner in value.items()) + "}"
        case list():
            return "[" + ", ".join(map(_script, value)) + "]"
        case _:
            return _json(value)
