"""Dialects that nobody wrote: a grammar and an entry drawn from the parts that formats are made of."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import NamedTuple

from toolect._compiled import Dialect
from toolect._diagnostic import SpecError
from toolect._spec.load import load_spec

ROOT = Path(__file__).resolve().parents[2]
DRAWN = "drawn"
"""Prefix of the names of drawn dialects; their number follows."""
_OPENERS = (
    "<call>", "<call>\n", "[CALL]", "[", "[[", "{{", "<|call|>", "call: ", "```call\n", "@", "((", "<", "%%", "[{",
    "<act to>", '<|act to="', "run ", "#call",
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
_ECHOES = (
    ("", " <", ">"), ("", ">\n<", ">\n"), ("<", "><", ">"), ('<call name="', '"><', ">"), ("", "[", "]"),
    ("#", "#", "#"),
)  # fmt: skip
"""Texts around a name that an opener says twice."""
_GAPS = (
    r'{before call: "\n"}', r'{between calls: "\n"}', r'{before call: "\n\n", between calls: "\n"}',
)  # fmt: skip
_THOUGHTS = (
    ("<think>", "</think>"), ("<think>\n", "\n</think>\n\n"), ("[THINK]", "[/THINK]"), ("Thought: ", "\n"),
    ("# ", "\n\n"), ("T: ", "\n"), ("<t>", "\n\n"),
)  # fmt: skip
_SAID = (("A: ", "\n"), ("Answer: ", "\n\n"), ("<|say|>", "<|end|>"))
_NUMBERED = ("  c", "c", "#call", "step", "<")
"""Texts before the number of a call."""
_OBJECTS = (("{", "}"), ("(", ")"), ("<|", "|>"), ("obj(", ")"), ("<o>", "</o>"), ("begin ", " end"))
_LISTS = (("[", "]"), ("<", ">"), ("list(", ")"), ("<l>", "</l>"))
_COMMAS = (", ", " ", ";", "|", "\n")
_COLONS = ("=", ": ", " => ", " ")
_STRINGS = (
    '"\\"" ESCAPED "\\""', '"\'" TEXT_APOSTROPHES "\'"', '"`" TEXT "`"', '"<<" TEXT ">>"', '"\\"" TEXT_QUOTES "\\""',
    '"\'" ESCAPED_SIGNS "\'"',
)  # fmt: skip
_BARE = ("", "", "string: WORD | {}", "string: {} | WORD", "scalar: WORD\nstring: {}", "scalar: TEXT\nstring: {}")
_WORDS = (r"[A-Za-z_][\w.-]*", r"[^\s\"'<>|;,=(){}:`\[\]]+", r"[^\W\d]\w*")
_AFTER_BLANKS = ("\n", ">", " />", "]", "")
_TRUE = ("true", "yes", "#t", "T")
_ESCAPES = ("json", "entities", "percent", "signs", "quotes")
_ESCAPED = ("", "", '"<>"', '" &\\n"')
_NAMES = (r"[A-Za-z_][\w.-]*", r'[^\s<>()\[\]{}":=,]+', r"\w+")
_TERMINALS = {"NAME": _NAMES, "KEY": _NAMES, "ID": (r"[a-z0-9]+", r'[^"<]+'), "NUMBER": (r"\d+",)}
_MEANINGS = {"NAME": "call.name", "KEY": "argument.key", "ID": "call.id"}
_CODECS = ("schema", "json-or-text", "text", "json")
_LANGUAGES = ("python", "javascript", "python_json")


class Drawn(NamedTuple):
    """A grammar and its entry."""

    grammar: str
    entry: str
    values: str = ""
    """A value language of its own, imported as `own`."""


def drawn_dialect(name: str) -> Dialect:
    """The dialect of this name: the first of those that its number gives that loads."""
    return _made(name)[0]


def drawn_files(name: str) -> Drawn:
    """The grammar and the entry of that dialect."""
    return _made(name)[1]


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
        (folder / "grammars" / "values").mkdir(parents=True)
        (folder / "grammars" / "values" / "own.lark").write_text(drawn.values, "utf-8")
        (folder / "grammars" / f"{name}.lark").write_text(drawn.grammar, "utf-8")
        (folder / "dialects.yaml").write_text(drawn.entry, "utf-8")
        return Dialect(load_spec(folder / "dialects.yaml", name))


def _drawn(random: Random, name: str) -> Drawn:
    """Any grammar and entry: most load, and mean something."""
    maker = _Maker(random)
    return Drawn(maker.grammar(), maker.entry(name), maker.own)


class _Maker:
    """Builder of one dialect, with what has been drawn of it."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.rules = ["content: TEXT"]
        self.roles = {"content": "content"}
        self.values: dict[str, str] = {}
        self.extra: dict[str, str] = {}
        self.language = self.own = ""
        self.markers: list[str] = []

    def some(self, one_in: int) -> bool:
        """True once in `one_in` times."""
        return not self.random.randrange(one_in)

    def marker(self, choices: Sequence[str]) -> str:
        """A marker as a grammar spells it; nothing for no text."""
        text = self.random.choice(choices)
        self.markers += [text] if text else []
        return json.dumps(text) if text else ""

    def grammar(self) -> str:
        """The grammar."""
        random, top = self.random, ["content"]
        if self.some(8):  # nothing is said beside calls and thoughts
            self.rules.clear()
            self.roles.clear()
            top.clear()
        if self.some(2):
            opener, closer = random.choice(_THOUGHTS)
            self.rules.append(f"think: {json.dumps(opener)} TEXT {json.dumps(closer)}")
            self.roles["think"] = "reasoning"
            self.extra["prefill"] = f"{{{json.dumps(opener)}: think}}"
            top.insert(random.randrange(len(top) + 1), "think")
        if self.some(6):
            opener, closer = random.choice(_SAID)
            self.rules.append(f"say: {json.dumps(opener)} TEXT {json.dumps(closer)}")
            self.roles["say"] = "content"
            top.append("say")
        calls = [f"call{number}" for number in range(random.choice((1, 1, 2, 3)))]
        for call in calls:
            self.roles[call] = "call"
            self.rules.append(f"{call}: {self.call(call)}")
        either = " | ".join(calls)
        if self.some(2):
            (opener, closer), joint = random.choice(_WRAPS), self.marker(_JOINTS)
            self.rules.append(f"calls: {json.dumps(opener)} ({either}) ({joint} ({either}))* {self.marker((closer,))}")
            top += ["calls"] if self.some(2) else ["calls", *random.sample(calls, random.randint(1, len(calls)))]
        else:
            top += calls
        order = " ".join(part + random.choice(("*", "*", "?", "")) for part in top)
        order = order if self.some(2) else f"({' | '.join(top)})*"
        rules = "\n".join(self.rules)
        terminals = [
            f"{terminal}: /{random.choice(regexes)}/" for terminal, regexes in _TERMINALS.items() if terminal in rules
        ]
        self.roles |= {name: role for name, role in _MEANINGS.items() if name in rules}
        slots = [slot for slot in ("TEXT", "JSON", "ESCAPED") if re.search(rf"\b{slot}\b", rules)]
        imports = [f"%import .values.{self.language} (value)"] if self.language else []
        lines = [*imports, f"start: {order}", rules, *terminals, f"%declare {' '.join(slots)}"]
        return "\n".join(lines) + "\n"

    def entry(self, name: str) -> str:
        """The entry of the grammar."""
        random, extra = self.random, self.extra
        if self.some(3):
            extra["gaps"] = random.choice(_GAPS)
        if self.some(2):
            extra["end"] = '["<|im_end|>"]'
        if self.some(3) and (long := [marker for marker in self.markers if len(marker.strip()) > 4]):
            marker = random.choice(long).strip()
            extra["misspellings"] = f"{{{json.dumps(marker)}: [{json.dumps(marker[:-1])}]}}"
        if self.values:
            extra["values"] = _flow(self.values)
        lines = [f"{name}:", "  about: drawn", "  models: []", f"  map: {_flow(self.roles)}"]
        return "\n".join((*lines, *(f"  {key}: {value}" for key, value in extra.items()))) + "\n"

    def call(self, call: str) -> str:
        """The expression of a call, whose parts get their roles."""
        random = self.random
        opener, closer = self.marker((*_OPENERS, "")), self.marker((*_CLOSERS, ""))
        middle = self.marker(_MIDDLES)
        if self.some(4):
            opener = f"{opener} {self.marker(_NUMBERED)} NUMBER {self.marker((' ', ': ', '>'))}"
            self.roles["NUMBER"] = "{written: $index}"
        match random.randrange(9):
            case 0 | 1:
                self.roles[f"{call}/JSON"] = random.choice(_SHAPES)
                return f"{opener} JSON {closer}"
            case 2:
                self.roles[f"{call}/JSON"] = "$arguments"
                identity = f"{self.marker(_MIDDLES)} ID" if self.some(4) else ""
                return f"{opener} NAME {identity} {middle} JSON {closer}"
            case 3:
                self.roles[f"{call}/TEXT"] = "{arguments: {code: $text}}"
                return f"{opener} NAME {middle} TEXT {self.marker(_CLOSERS)}"
            case 4:
                return f"{opener} NAME {middle} {self.arguments(call)} {closer}"
            case 5:
                opener, after = self.marker(("<", "<call ", "[")), self.marker((">", ">\n", "]"))
                return f"{opener} NAME {after} {self.arguments(call)} {self.marker(('</', '[/'))} NAME {after}"
            case 6:
                before, between, after = random.choice(_ECHOES)
                parts = (self.marker((before,)), "NAME", json.dumps(between), "NAME", json.dumps(after))
                opener = f"{opener} {' '.join(parts)}"
                if self.some(2):
                    self.roles[f"{call}/JSON"] = "$arguments"
                    return f"{opener} JSON {closer}"
                closing = self.marker(("</", "[/", "/"))
                return f"{opener} {self.arguments(call)} {closing} NAME {json.dumps(after)} {closer}"
        if not self.language:
            self.language = random.choice((*_LANGUAGES, "own", "own", "own"))
            self.own = self.own_language() if self.language == "own" else ""
        if self.some(3):
            self.roles[f"{call}/value"] = "call.arguments"
            return f"{opener} NAME {self.marker((' ', '(', ': '))} value {closer}"
        self.roles[f"{call}_argument"] = "argument"
        self.roles[f"{call}_argument/value"] = "argument.value"
        self.rules.append(f"{call}_argument: KEY {self.marker(('=', ': '))} value")
        if self.some(2):
            return f'{opener} NAME (" " {call}_argument)* {self.marker(_AFTER_BLANKS)}'
        return f'{opener} NAME "(" ({call}_argument (", " {call}_argument)*)? ")" {closer}'

    def own_language(self) -> str:
        """A value language: objects and lists in brackets, quoted strings, and perhaps bare words beside them."""
        random = self.random
        (begin, end), (first, last) = random.choice(_OBJECTS), random.choice(_LISTS)
        comma, other, colon = (json.dumps(random.choice(signs)) for signs in (_COMMAS, _COMMAS, _COLONS))
        string, bare = random.choice(_STRINGS), random.choice(_BARE)
        strings = (bare or "string: {}").format(string)
        lines = [
            f"value: number | true | {'scalar | ' * ('scalar' in strings)}string | array | object",
            f"object: {json.dumps(begin)} (pair ({comma} pair)*)? {json.dumps(end)}",
            f"pair: key {colon} value",
            f"key: WORD{random.choice(('', f' | {string}'))}",
            f"array: {json.dumps(first)} (value ({other} value)*)? {json.dumps(last)}",
            strings,
            "number: NUMBER",
            f"true: {json.dumps(random.choice(_TRUE))}",
            r"NUMBER: /-?\d+(\.\d+)?(?![\w.])/",
            f"WORD: /{random.choice(_WORDS)}/",
        ]
        slots = sorted(set(re.findall(r"\b(?:TEXT|ESCAPED)\w*", strings + string)))
        return "\n".join([*lines, f"%declare {' '.join(slots)}"]) + "\n"

    def arguments(self, call: str) -> str:
        """Arguments one after the other, each with its key."""
        argument, before, between, after = f"{call}_argument", *self.random.choice(_ARGUMENTS)
        slot = self.random.choice(("TEXT", "TEXT", "JSON", "ESCAPED"))
        self.roles |= {argument: "argument", f"{argument}/{slot}": "argument.value"}
        if slot == "ESCAPED":
            between, after = f'{between}"', f'"{after}'
        elif slot == "TEXT":
            codec = self.random.choice(_CODECS)
            if self.some(3):
                escaped = self.random.choice(_ESCAPED)
                escaped = f", escaped: {escaped}" if escaped else ""
                codec = f"{{codec: {codec}, escapes: {self.random.choice(_ESCAPES)}{escaped}}}"
            self.values[f"{argument}/TEXT"] = codec
        parts = [self.marker((before,)), "KEY", self.marker((between,)), slot, self.marker((after,))]
        if self.some(4):  # the key once more
            quote = '"' * (slot == "ESCAPED")
            parts[-1] = f"{self.marker((f'{quote}</', f'{quote}[/'))} KEY {self.marker(('>', ']', ';'))}"
        self.rules.append(f"{argument}: {' '.join(parts)}")
        return f"{argument}*"


def _flow(pairs: dict[str, str]) -> str:
    """A mapping as an entry has it."""
    return "{" + ", ".join(f"{key}: {value}" for key, value in pairs.items()) + "}"
