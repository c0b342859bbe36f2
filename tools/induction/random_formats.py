# ruff: noqa: E501  (a way of writing is one line)
"""Random formats of tool calls: everything that formats differ in, drawn at random.

A format here is code that writes; nothing of it is known to the inducer, and no grammar is behind it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from random import Random
from xml.sax.saxutils import escape

from toolect.message import Call, Content, Json, Message, Reasoning

_ROOTS = [
    "call",
    "tool",
    "action",
    "invoke",
    "run",
    "exec",
    "fn",
    "step",
    "use",
    "op",
    "task",
    "request",
    "act",
    "do",
    "job",
    "command",
]
_KEYWORDS = ["key", "arg", "param", "field", "input", "name", "slot", "k", "in", "with"]
_WRAPPERS = ["calls", "tools", "actions", "all", "batch", "plan", "steps"]
_NAMES = [
    "name",
    "tool",
    "fn",
    "function",
    "action",
    "call",
    "do",
    "op",
    "method",
    "which",
    "use",
    "cmd",
    "target",
    "skill",
]
_ARGUMENTS = [
    "arguments",
    "args",
    "parameters",
    "params",
    "input",
    "with",
    "payload",
    "body",
    "data",
    "given",
    "fields",
    "kwargs",
]
_SAYS = ["answer", "content", "final", "reply", "response", "say", "speech"]
_THOUGHTS = ["think", "thinking", "thought", "reasoning", "scratchpad", "reflection"]


@dataclass(frozen=True, slots=True)
class Format:
    """A way of writing calls."""

    family: str
    features: frozenset[str]
    inside: Callable[[Call], str]
    """What stands between the marks of one call."""
    carries: Callable[[Json], bool]
    marks: tuple[str, str] = ("", "")
    wrapper: tuple[str, str] | None = None
    between: str = "\n"
    listed: Callable[[list[Call]], str] | None = None
    """All calls of an answer as one piece, in place of the above."""
    thought: tuple[str, str] | None = None
    said: tuple[str, str] = ("", "")
    """What stands around content."""
    following: str = ""
    """What divides all parts of an answer: reasoning, content, calls."""
    gap: str = "\n"
    end: str = ""
    identify: Callable[[], str | None] = lambda: None
    types: tuple[str, ...] = (
        "string",
        "string",
        "string",
        "integer",
        "integer",
        "boolean",
        "number",
        "array",
        "object",
    )
    empty: bool = True
    whole: Callable[[Message], str] | None = None
    """A message as one piece, in place of all of the above."""

    def write(self, message: Message) -> str:
        """The message as text."""
        if self.whole is not None:
            return self.whole(message)
        parts: list[str] = []
        calls = message.calls
        for segment in message.segments:
            if isinstance(segment, Reasoning) and self.thought is not None:
                parts.append(self.thought[0] + segment.text + self.thought[1])
            elif isinstance(segment, Content):
                parts.append(self.said[0] + segment.text + self.said[1] + (self.gap if calls else ""))
        if calls:
            parts.append(self._calls(calls))
        return self.following.join(parts) + self.end

    def _calls(self, calls: list[Call]) -> str:
        if self.listed is not None:
            body = self.listed(calls)
            return self.marks[0] + body + self.marks[1]
        body = self.between.join(self.marks[0] + self.inside(call) + self.marks[1] for call in calls)
        return self.wrapper[0] + body + self.wrapper[1] if self.wrapper else body


@dataclass(slots=True)
class _Draw:
    """What is drawn on the way to a format."""

    random: Random
    features: set[str] = field(default_factory=set)

    def one(self, *options: str) -> str:
        return self.random.choice(options)

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def word(self, words: list[str]) -> str:
        """A word for a marker: a known one, a made-up one, or both."""
        made = "".join(self.random.choice("bdfgklmnprstvz") + self.random.choice("aeiou") for _ in range(2))
        word = self.random.choice(words)
        return self.random.choice((word, word, made, f"{made}_{word}"))


def _marks(draw: _Draw, words: list[str]) -> tuple[str, str, str]:
    """An opener, its closer, and what kind they are."""
    word = draw.word(words)
    up = word.upper()
    kinds = {
        "tag": (f"<{word}>", f"</{word}>"),
        "token": (f"<|{word}|>", draw.one(f"<|/{word}|>", f"<|end_{word}|>", "<|end|>")),
        "begin-end token": (f"<|{word}_begin|>", f"<|{word}_end|>"),
        "wide token": (f"<｜{word}｜>", f"<｜/{word}｜>"),
        "bracket": (f"[{up}]", f"[/{up}]"),
        "at": (f"@@{word}", draw.one("@@end", f"@@/{word}")),
        "words": (f"BEGIN_{up}", f"END_{up}"),
        "hash": (f"#{word}", draw.one("#end", f"#end{word}")),
        "fence": (f"```{word}", "```"),
        "braces": (f"{{{{{word}}}}}", f"{{{{/{word}}}}}"),
        "double": (f"<<{up}>>", draw.one(f"<<END {up}>>", f"<</{up}>>")),
        "rule": (f"--- {word} ---", "--- end ---"),
        "sign": (f"§{word}§", f"§/{word}§"),
        "percent": (f"%%{word}", "%%"),
        "dollar": (f"${word}$", "$/$"),
        "label": (f"{word.capitalize()}:", draw.one("END", ";;", "Done.")),
    }
    kind = draw.one(*kinds)
    return *kinds[kind], kind


_LINED = {"at", "words", "hash", "fence", "rule", "percent", "label"}
"""Marks that stand in lines of their own."""


def _envelope(draw: _Draw, words: list[str], lines: bool) -> tuple[tuple[str, str], str]:
    opener, closer, kind = _marks(draw, words)
    line = "\n" if lines or kind in _LINED or draw.chance(0.4) else ""
    return (opener + line, line + closer), kind


def random_format(random: Random) -> Format:
    """A format, drawn."""
    draw = _Draw(random)
    body = draw.random.choice(_BODIES)(draw)
    lines = "lines" in draw.features
    marks, kind = ("", ""), "none"
    if "headed" not in draw.features or draw.chance(0.7):
        marks, kind = _envelope(draw, _ROOTS, lines)
    if body.listed is not None and kind == "none":
        marks, kind = _envelope(draw, _ROOTS, lines)
    draw.features.add(f"marks: {kind}")
    wrapper = None
    apart = kind in _LINED or kind == "none"
    between = draw.one("\n", "\n", "", "\n\n") if kind not in (_LINED | {"none"}) else draw.one("\n", "\n", "\n\n")
    if body.listed is None and draw.chance(0.3):
        wrapper, _ = _envelope(draw, _WRAPPERS, apart or lines)
        draw.features.add("wrapper")
        if kind != "none" and draw.chance(0.3):
            between = draw.one(",\n", "\n---\n", ", ", ";", " | ")
            draw.features.add("divider")
    thought = None
    if draw.chance(0.4):
        word = draw.word(_THOUGHTS) if draw.chance(0.8) else "think"
        line, after = draw.one("", "\n"), draw.one("", "\n", "\n\n")
        pairs = (
            (f"<{word}>", f"</{word}>"),
            (f"[{word.upper()}]", f"[/{word.upper()}]"),
            (f"<|{word}|>", f"<|/{word}|>"),
        )
        opener, closer = draw.random.choice(pairs)
        thought = (opener + line, line + closer + after)
        draw.features.add("reasoning")
    end = ""
    if draw.chance(0.25):
        end = draw.one("<|im_end|>", "</s>", "<|eot|>", "<eos>", "<|done|>")
        draw.features.add("end token")
    gap = draw.one("\n", "\n\n") if kind in _LINED or lines or kind == "none" else draw.one("\n", "\n\n", " ", "\n")
    following, said = "", ("", "")
    if body.listed is None and wrapper is None and draw.chance(0.08):
        following = between = draw.one("<|next|>", "<|eom|><|start|>assistant", ">>>", "\n===\n", "<|turn|>")
        gap = ""
        draw.features.add("items")
    if draw.chance(0.12):
        word = draw.word(_SAYS)
        said = draw.random.choice(
            ((f"<{word}>\n", f"\n</{word}>"), (f"<|{word}|>", f"<|/{word}|>"), (f"<|part|>{word}<|text|>", "<|end|>"))
        )
        draw.features.add("content marked")
    carries = _carries(body.carries, [*marks, *(wrapper or ()), between if wrapper else "", end, following, *said])
    return Format(
        body.family, frozenset(draw.features), body.inside, carries, marks, wrapper, between, body.listed, thought,
        said, following, gap, end, body.identify, body.types, body.empty,
    )  # fmt: skip


def _texts(value: Json) -> Iterator[str]:
    """All strings in a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _texts(inner)


def _carries(inner: Callable[[Json], bool], markers: list[str]) -> Callable[[Json], bool]:
    """No value has a marker in it."""
    solid = [marker.strip() for marker in markers if marker.strip()]

    def carries(value: Json) -> bool:
        return inner(value) and not any(marker in text for text in _texts(value) for marker in solid)

    return carries


def _without(pattern: str) -> Callable[[Json], bool]:
    """Values in which a pattern is not found."""
    return lambda value: not any(re.search(pattern, text) for text in _texts(value))


def _dumps(draw: _Draw) -> Callable[[Json], str]:
    layout = draw.one("spaced", "spaced", "compact")
    separators = (",", ":") if layout == "compact" else (", ", ": ")
    return lambda value: json.dumps(value, ensure_ascii=False, separators=separators)


def _python(value: Json) -> str:
    return repr(value)


def _script(value: Json) -> str:
    """A value as in JavaScript, keys bare."""
    match value:
        case dict():
            return "{" + ", ".join(f"{key}: {_script(inner)}" for key, inner in value.items()) + "}"
        case list():
            return "[" + ", ".join(map(_script, value)) + "]"
        case _:
            return json.dumps(value, ensure_ascii=False)


def _plain(value: Json) -> str:
    """A value without quotes."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _id(draw: _Draw) -> Callable[[], str | None]:
    form = draw.one("call_{}", "c{}", "{}", "fn-{}", "x{}")
    return lambda: form.format("".join(draw.random.choices("abcdef0123456789", k=8)))


SCALARS = ("string", "string", "string", "integer", "integer", "boolean", "number")


# Bodies: what stands in one call


def _json(draw: _Draw) -> Format:
    """A JSON object, or a list of them."""
    dumps = _dumps(draw)
    if draw.chance(0.15):
        dumps = lambda value: json.dumps(value, ensure_ascii=False, indent=2)  # noqa: E731
        draw.features.add("json: indented")
    name, args = draw.word(_NAMES), draw.word(_ARGUMENTS)
    while args == name:
        args = draw.word(_ARGUMENTS)
    shape = draw.one("flat", "flat", "flat", "nested", "keyed", "text", "swapped", "beside")
    constants = (
        {draw.one("type", "kind", "v"): draw.one("function", "tool", "call")}
        if draw.chance(0.25) and shape != "keyed"
        else {}
    )
    for key in (name, args):
        constants.pop(key, None)
    ident = draw.one("id", "call_id", "ref", "uid") if draw.chance(0.25) and shape != "keyed" else ""
    listed = draw.chance(0.3)
    draw.features |= {f"json: {shape}"} | ({"ids"} if ident else set()) | ({"json: list"} if listed else set())
    nest = draw.word(["function", "call", "fn", "inner"])

    def value(call: Call) -> Json:
        given: Json = call.arguments
        if shape == "keyed":
            return {call.name: given}
        if shape == "text":
            given = json.dumps(given, ensure_ascii=False)
        body: dict[str, Json] = {args: given, name: call.name} if shape == "swapped" else {name: call.name, args: given}
        if shape == "beside":
            body = {name: call.name, **call.arguments}
        if shape == "nested":
            body = {nest: body}
        return {**constants, **({ident: call.id} if ident else {}), **body}

    return Format(
        "json", frozenset(), lambda call: dumps(value(call)), lambda _: True,
        listed=(lambda calls: dumps([value(call) for call in calls])) if listed else None,
        identify=_id(draw) if ident else lambda: None,
    )  # fmt: skip


def _named_json(draw: _Draw) -> Format:
    """A name, then its arguments as one JSON object."""
    dumps = _dumps(draw)
    word = draw.word(_NAMES)
    headers = ("{n}\n{a}", "{n}: {a}", "{n} {a}", "{n}({a})", f"{word}={{n}}\n{{a}}", f"{word}: {{n}}\n{draw.word(_ARGUMENTS)}: {{a}}",
               "{n}<|sep|>{a}", f"<{word}>{{n}}</{word}>{{a}}", "[{n}]\n{a}", "{n} -> {a}", "{n} ({i})\n{a}", "{n}:{i} {a}", "{n}#{i}\n{a}")  # fmt: skip
    header = draw.one(*headers)
    draw.features |= {"lines"} if "\n" in header else set()
    draw.features |= {"ids"} if "{i}" in header else set()
    draw.features.add("header: " + header.replace(word, "W").replace("\n", "\\n")[:24])
    return Format(
        "named json", frozenset(),
        lambda call: header.replace("{n}", call.name).replace("{i}", call.id or "").replace("{a}", dumps(call.arguments)),
        lambda _: True, identify=_id(draw) if "{i}" in header else lambda: None,
    )  # fmt: skip


def _spelling(draw: _Draw, plain: str) -> tuple[Callable[[Json], str], Callable[[Json], bool]]:
    """How values are written one by one: without quotes, where they have no `plain`, or as literals."""
    kind = draw.one("plain", "plain", "json", "json", "python", "script")
    draw.features.add(f"values: {kind}")
    if kind == "plain":
        return _plain, _without(plain)
    if kind == "json":
        return _dumps(draw), lambda _: True
    return (_python if kind == "python" else _script), lambda _: True


def _lines(draw: _Draw) -> Format:
    """One argument per line."""
    write, carries = _spelling(draw, r"\n")
    bullet = draw.one("", "", "- ", "* ", "  ", "• ", ". ", "  - ")
    sign = draw.one(": ", ": ", " = ", "=", " => ", " :: ", " -> ", " := ")
    word = draw.word(_NAMES)
    header = draw.one(
        "{n}",
        "{n}:",
        f"{word}: {{n}}",
        f"{word} = {{n}}",
        "[{n}]",
        "## {n}",
        f"- {word}: {{n}}",
        f"{word} {{n}}",
        "> {n}",
    )
    draw.features |= {"lines", f"bullet: {bullet.strip() or 'none'}", f"sign: {sign.strip()}"}

    def inside(call: Call) -> str:
        rows = [header.replace("{n}", call.name)]
        rows += [f"{bullet}{key}{sign}{write(value)}" for key, value in call.arguments.items()]
        return "\n".join(rows)

    return Format("lines", frozenset(), inside, carries)


def _elements(draw: _Draw) -> Format:
    """One element per argument."""
    word, close = draw.word(_KEYWORDS), ""
    kinds = {
        "named": ("<{k}>", "</{k}>"), "attribute": (f'<{word} name="{{k}}">', f"</{word}>"),
        "equals": (f"<{word}={{k}}>", f"</{word}>"), "colon": (f"<{word}:{{k}}>", f"</{word}>"),
        "bracket": ("[{k}]", "[/{k}]"), "quote": (f"<{word} key='{{k}}'>", f"</{word}>"),
    }  # fmt: skip
    kind = draw.one(*kinds)
    opener, closer = kinds[kind]
    headers = {
        "tag": (f'<{close or draw.word(_ROOTS)} name="{{n}}">', ""), "line": ("{n}\n", ""), "named": ("<{n}>", "</{n}>"),
        "element": ("<name>{n}</name>", ""), "bracket": ("[{n}]", "[/{n}]"),
    }  # fmt: skip
    style = draw.one(*headers)
    head, tail = headers[style]
    line = draw.one("", "\n", "\n", "\n  ")
    pad = draw.one("", "", "\n") if line == "\n" else ""
    draw.features |= {f"element: {kind}", f"element header: {style}"} | ({"padded"} if pad else set())
    entities = draw.chance(0.25) and kind != "bracket"
    draw.features |= {"entities"} if entities else set()

    def inside(call: Call) -> str:
        text = head.replace("{n}", call.name).rstrip("\n" if line.startswith("\n") else "")
        for key, value in call.arguments.items():
            shown = escape(_plain(value)) if entities else _plain(value)
            text += line + opener.replace("{k}", key) + pad + shown + pad + closer.replace("{k}", key)
        end = line[:1] if call.arguments or line or not tail else ""
        return text + end + tail.replace("{n}", call.name)

    return Format("elements", frozenset(), inside, (lambda _: True) if entities else _without(r"[<\[]"))


def _pairs(draw: _Draw) -> Format:
    """Key and value apart, in elements or between special tokens."""
    k, v = draw.random.sample(_KEYWORDS, 1)[0], draw.one("value", "val", "is", "v")
    kinds = {
        "elements": (f"<{k}>", f"</{k}><{v}>", f"</{v}>"), "tokens": (f"<|{k}|>", f"<|{v}|>", ""),
        "closed tokens": (f"<|{k}|>", f"<|{v}|>", "<|e|>"), "wide": ("<｜k｜>", "<｜v｜>", ""), "signs": ("‹", "›", "¦"),
        "brackets": (f"[{k.upper()}]", f"[{v.upper()}]", ""), "quoted tokens": (f"<|{k}|>", '<|"|>', '<|"|>'),
    }  # fmt: skip
    kind = draw.one(*kinds)
    a, b, c = kinds[kind]
    line = draw.one("", "\n") if c or kind != "signs" else ""
    header = draw.one("{n}", "<|name|>{n}<|args|>", "{n}<|sep|>", "<name>{n}</name>", "{n}\n")
    draw.features.add(f"pairs: {kind}")
    needed = not c and not line

    def inside(call: Call) -> str:
        rows = [a + key + b + _plain(value) + c for key, value in call.arguments.items()]
        return header.replace("{n}", call.name) + (line if rows and not header.endswith("\n") else "") + line.join(rows)

    closing = _without(r"[<\[‹¦]|\n" if needed or line else r"[<\[‹¦]")
    return Format("pairs", frozenset(), inside, closing, empty=False)


def _attributes(draw: _Draw) -> Format:
    """All in the attributes of one tag."""
    word, quote = draw.word(_ROOTS), draw.one('"', '"', "'")
    name = draw.one("name", "tool", "fn", "")
    end = draw.one("/>", " />", ">", f"></{word}>")
    entities = draw.chance(0.5)
    opener, closer = draw.random.choice((("<", end), ("<", end), ("[", "]"), ("{% ", " %}")))
    draw.features |= {"headed", f"attributes: {opener}{closer.replace(word, 'W')}"} | (
        {"entities"} if entities else set()
    )

    def quoted(text: str) -> str:
        shown = escape(text, {quote: "&quot;" if quote == '"' else "&apos;"}) if entities else text
        return quote + shown + quote

    def inside(call: Call) -> str:
        head = f"{word} {name}={quoted(call.name)}" if name else f"{word}:{call.name}"
        return opener + "".join([head, *(f" {key}={quoted(_plain(v))}" for key, v in call.arguments.items())]) + closer

    return Format("attributes", frozenset(), inside, _without(r"\n" if entities else r"[\n\"'<>%\]\\&]"), types=SCALARS)


def _lisp(draw: _Draw) -> Format:
    """S-expressions."""
    word = draw.word(_ROOTS)
    style = draw.one(":key", "(key)", "bare")
    head = draw.one(f"({word} {{n}}", "({n}", f'({word} "{{n}}"', f"({word} :name {{n}}")
    draw.features |= {"headed", f"lisp: {style}"}
    pair = {":key": ":{k} {v}", "(key)": "({k} {v})", "bare": "{k} {v}"}[style]
    line = draw.one(" ", " ", "\n  ")

    def inside(call: Call) -> str:
        rows = [
            pair.replace("{k}", key).replace("{v}", json.dumps(v, ensure_ascii=False))
            for key, v in call.arguments.items()
        ]
        return line.join([head.replace("{n}", call.name), *rows]) + ")"

    return Format("s-expressions", frozenset(), inside, lambda _: True, types=SCALARS)


def _code(draw: _Draw) -> Format:
    """As in a programming language."""
    kind = draw.one("python", "python", "json", "script")
    write = {"python": _python, "json": lambda v: json.dumps(v, ensure_ascii=False), "script": _script}[kind]
    sign = draw.one("=", "=", ": ", " = ", ":")
    opener, closer = draw.random.choice((("(", ")"), ("(", ")"), ("{", "}"), (" { ", " }"), ("[", "]"), ("({", "})")))
    comma = draw.one(", ", ", ", ",", "; ")
    prefix = draw.one("", "", "tools.", "call ", "await ", "$")
    draw.features |= {f"code: {kind} {sign.strip()} {opener.strip()}"}

    def inside(call: Call) -> str:
        rows = [f"{key}{sign}{write(value)}" for key, value in call.arguments.items()]
        return prefix + call.name + opener + comma.join(rows) + closer

    return Format("code", frozenset(), inside, lambda _: True)


_BODIES = (_json, _json, _named_json, _lines, _lines, _elements, _elements, _pairs, _attributes, _lisp, _code)
"""How the inside of a call is written, the commoner ones twice."""
FAMILIES = ("json", "named json", "lines", "elements", "pairs", "attributes", "s-expressions", "code")
