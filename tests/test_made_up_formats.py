"""Formats that people make up: what is declared is written as it stands, read back, and streamed, cut off anywhere."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest
import shipped_corpus

from toolect import Call, Content, Reasoning, RenderError
from toolect._authoring.lint import lint
from toolect._compiled import Dialect
from toolect._message import Message, Segment
from toolect._spec.load import load_spec

NAMED = "content: content, call: call, NAME: call.name"
KEYED = f"{NAMED}, argument: argument, KEY: argument.key"
THINKING = f"{NAMED}, think: reasoning, {{}}"
VALUES = f"{KEYED}, argument/value: argument.value"
ARGUED = 'call: "<" NAME "(" (argument ("{}" argument)*)? ")>"\nargument: KEY "=" value\nKEY: /\\w+/'
QUOTES = """value: string | number | array
array: "[" (value (", " value)*)? "]"
string: "{0}" TEXT_{1} "{0}"
number: NUMBER
NUMBER: /-?\\d+/
%declare TEXT_{1}"""


WORDS = """value: number | true | string | array | object
object: "(" (pair (" " pair)*)? ")"
pair: key "=" value
key: WORD | "'" TEXT_APOSTROPHES "'"
array: "[" (value (" " value)*)? "]"
string: WORD | "'" TEXT_APOSTROPHES "'"
true: "yes"
number: NUMBER
NUMBER: /-?\\d+(\\.\\d+)?(?![\\w.])/
WORD: /\\w[\\w.-]*/
%declare TEXT_APOSTROPHES"""
SPELLED = """value: scalar | string
string: "\\"" ESCAPED "\\""
scalar: WORD
WORD: /[^\\s">]+/
%declare ESCAPED"""
NESTED = """value: string | number | true | array | object
object: "<|" (pair ("|" pair)*)? "|>"
pair: key ":" value
key: KEY
array: "(" (value ", ")* ")"
string: "<<" TEXT ">>"
true: "T"
number: NUMBER
KEY: /\\w+/
NUMBER: /-?\\d+(?!\\w)/
%declare TEXT"""


class Format(NamedTuple):
    """A dialect, and what is written in it."""

    map: str
    rules: str
    """The grammar, without its start, its content, names and slots."""
    written: dict[str, tuple[Segment, ...]]
    """Text → what it says."""
    values: str = ""
    """A value language, imported as `value`."""
    more: str = ""
    """Other fields of the entry."""
    start: str = "(content | call)*"
    refused: dict[str, tuple[Segment, ...]] = {}  # noqa: RUF012  # nothing changes it
    """Why it cannot be written → a message."""


FORMATS = {
    "an apostrophe in a value is written twice": Format(
        VALUES,
        ARGUED.format(", "),
        {
            "<f(a='it''s', b=2)>": (Call("f", {"a": "it's", "b": 2}),),
            "<f(a=['x''y', '''''', ''''])>So.": (Call("f", {"a": ["x'y", "''", "'"]}), Content("So.")),
        },
        QUOTES.format("'", "APOSTROPHES"),
    ),
    "a quote in a value is written twice": Format(
        VALUES,
        ARGUED.format("; "),
        {'<f(a="5"""; b=[""])>': (Call("f", {"a": '5"', "b": [""]}),)},
        QUOTES.format('\\"', "QUOTES"),
    ),
    "calls are numbered, a letter before the digits": Format(
        f"{NAMED}, NUMBER: {{written: $index}}, call/JSON: $arguments",
        'call: "  c" NUMBER " " NAME " " JSON "\\n"\nNUMBER: /\\d+/',
        {
            '  c1 f {"a": 1}\n  c2 g {}\n': (Call("f", {"a": 1}), Call("g", {})),
            'I can c it.  c1 f {"a": 1}\n': (Content("I can c it."), Call("f", {"a": 1})),
        },
    ),
    "arguments are numbered, a word before the digits": Format(
        f"{KEYED}, argument/TEXT: argument.value",
        'call: "<run " NAME ">\\n" argument* "</run>"\nargument: "#arg" NUMBER " " KEY "=" TEXT "\\n"\n'
        'NUMBER: "1" | /\\d+/\nKEY: /\\w+/',
        {"<run f>\n#arg1 a=x #arg\n#arg1 b=args\n</run>": (Call("f", {"a": "x #arg", "b": "args"}),)},
    ),
    "ids come behind a letter": Format(
        f"{NAMED}, ID: call.id, call/JSON: $arguments",
        'call: "call" ID ": " NAME JSON "\\n"\nID: /\\d{2}-\\d+/',
        {'A can: calls.\ncall20-1: f{"a": 1}\n': (Content("A can: calls.\n"), Call("f", {"a": 1}, "20-1"))},
    ),
    "a thought ends with its line": Format(
        THINKING.format("call/JSON: $arguments"),
        'think: "Thought: " TEXT "\\n"\ncall: "Action: " NAME " " JSON "\\n"',
        {
            'Thought: Hm.\nAction: f {"a": 1}\n': (Reasoning("Hm."), Call("f", {"a": 1})),
            'Thought: Hm.\nSo.\nAnd.Action: f {}\n': (Reasoning("Hm."), Content("So.\nAnd."), Call("f", {})),
            "Thought: Hm.\nSo.\n\nThought: this.": (Reasoning("Hm."), Content("So.\n\nThought: this.")),
            "Thought: Hm.\n": (Reasoning("Hm."),),
        },
        start="think? (content | call)*",
        refused={"holds what ends it": (Reasoning("Hm.\nAnd."), Call("f", {}))},
    ),
    "a thought ends with an empty line, and nothing may be said behind it": Format(
        THINKING.format("argument: argument, KEY: argument.key, argument/TEXT: argument.value"),
        'think: "# " TEXT "\\n\\n"\ncall: "<" NAME ">\\n" argument* "</>\\n"\n'
        'argument: KEY ": " TEXT "\\n"\nKEY: /\\w+/',
        {
            "# Hm.\nHm.\n\n<f>\na: x\n</>\n": (Reasoning("Hm.\nHm."), Call("f", {"a": "x"})),
            "# Hm.\n\nSo.\nAnd.<f>\n</>\n<g>\n</>\n": (
                Reasoning("Hm."), Content("So.\nAnd."), Call("f", {}), Call("g", {}),
            ),
            "<f>\n</>\n": (Call("f", {}),),
            "# Hm.\n\nSo.": (Reasoning("Hm."), Content("So.")),
        },
        start="think? content call*",
    ),
    "a thought ends with an empty line, before a call that begins with its name": Format(
        THINKING.format("call/JSON: $arguments"),
        'think: "* " TEXT "\\n\\n"\ncall: NAME "(" JSON ")\\n"',
        {'* Hm.\nf(x)\n\nf({"a": 1})\n': (Reasoning("Hm.\nf(x)"), Call("f", {"a": 1}))},
        more='  gaps: {before call: "\\n"}\n',
        start="think? content? call*",
    ),
    "what is said ends with its line, too": Format(
        THINKING.format("say: content, call/JSON: $arguments").replace("content: content, ", ""),
        'think: "T: " TEXT "\\n"\nsay: "A: " TEXT "\\n"\ncall: "C: " NAME " " JSON "\\n"',
        {'T: Hm.\nA: So.\nC: f {"a": 1}\n': (Reasoning("Hm."), Content("So."), Call("f", {"a": 1})),
         "T: Hm.\nAnd.\nA: So.\nAnd B.\n": (Reasoning("Hm.\nAnd."), Content("So.\nAnd B."))},
        start="(think | say | call)*",
    ),
    "a value ends with an empty line": Format(
        f"{KEYED}, argument/TEXT: argument.value",
        'call: "* " NAME "\\n\\n" argument* "*end*\\n"\nargument: KEY ":\\n" TEXT "\\n\\n"\nKEY: /\\w+/',
        {"* f\n\na:\nx\nb:\ny\n\nb:\nz\n\n*end*\nSo.": (Call("f", {"a": "x\nb:\ny", "b": "z"}), Content("So."))},
    ),
    "bare words stand beside quoted ones, in lists and objects, too": Format(
        VALUES,
        'call: "<" NAME (" " argument)* ">"\nargument: KEY "=" value\nKEY: /\\w+/',
        {
            "<f k=v k2='a b' n=3 t=yes s='yes' z='3'>So.": (
                Call("f", {"k": "v", "k2": "a b", "n": 3, "t": True, "s": "yes", "z": "3"}), Content("So."),
            ),
            "<f k=(a=b 'c d'=[e 'it''s' (h=(i=1))]) l=[] o=()>": (
                Call("f", {"k": {"a": "b", "c d": ["e", "it's", {"h": {"i": 1}}]}, "l": [], "o": {}}),
            ),
        },
        WORDS,
    ),
    "a bare word has any type, and a quoted one is a text": Format(
        VALUES,
        'call: "$ " NAME (" " argument)* "\\n"\nargument: KEY "=" value\nKEY: /\\w+/',
        {'$ f k=v k2="a b" n=-3 t=true z="3" e="" q=it\'s\n': (
            Call("f", {"k": "v", "k2": "a b", "n": -3, "t": True, "z": "3", "e": "", "q": "it's"}),
        )},
        SPELLED,
    ),
    "which signs are escaped is said": Format(
        f"{KEYED}, argument/TEXT: argument.value",
        'call: "<" NAME argument* " />"\nargument: " " KEY "=\\"" TEXT "\\""\nKEY: /\\w+/',
        {
            '<f a="1 &lt; 2 &gt; &quot;\'&quot; &amp;\n/&gt;" />': (Call("f", {"a": "1 < 2 > \"'\" &\n/>"}),)
        },
        more="  values: {argument/TEXT: {escapes: entities, escaped: \"<>\\\"\"}}\n",
    ),
    "in a string with backslashes, too, and what would end it is refused": Format(
        VALUES,
        'call: "<" NAME (" " argument)* ">"\nargument: KEY "=" value\nKEY: /\\w+/',
        {'<f a="b\\\\c\td\\ne>">': (Call("f", {"a": "b\\c\td\ne>"}),)},
        'value: string\nstring: "\\"" ESCAPED "\\""\n%declare ESCAPED',
        more='  values: {string/ESCAPED: {escaped: "\\n"}}\n',
        refused={"holds what ends it": (Call("f", {"a": 'b"c'}),)},
    ),
    "of a link, blanks and signs": Format(
        f"{KEYED}, argument/TEXT: argument.value",
        'call: "<tool://" NAME ("?" argument ("&" argument)*)? ">"\nargument: KEY "=" TEXT_PERCENT\nKEY: /\\w+/',
        {"<tool://f?a=b%20c/d%26e&g=100%25,é>": (Call("f", {"a": "b c/d&e", "g": "100%,é"}),)},
        more='  values: {argument/TEXT: {escaped: " &>"}}\n',
    ),
    "a quoted text stands before a closer that repeats the key": Format(
        f"{KEYED}, argument/ESCAPED: argument.value",
        'call: "<call " NAME ">\\n" argument* "<end>"\n'
        'argument: "<" KEY ">\\"" ESCAPED "\\"</" KEY ">\\n"\nKEY: /\\w+/',
        {'<call f>\n<a>"x"</a>\n<bb>"q\\"q\\n</a> \\"</a>"</bb>\n<end>So.': (
            Call("f", {"a": "x", "bb": 'q"q\n</a> "</a>'}), Content("So."),
        )},
    ),
    "calls begin with their names, and arguments are JSON": Format(
        f"{KEYED}, argument/JSON: argument.value".replace("content: content, ", ""),
        'calls: "<calls>\\n" call ("; " call)* "\\n</calls>"\n'
        'call: NAME "[ARGS]" argument* "]"\nargument: "[" KEY "=" JSON "]"\nKEY: /\\w+/',
        {'<calls>\nf[ARGS][a="x"][b=[2]]]; g[ARGS][c=3]]\n</calls>': (
            Call("f", {"a": "x", "b": [2]}), Call("g", {"c": 3}),
        )},
        start="calls",
    ),
    "a thought ends with its line where calls may begin with a name": Format(
        THINKING.format("call/JSON: $arguments"),
        'think: "Thought: " TEXT "\\n"\ncall: NAME ": " JSON "<end>\\n"',
        {'Thought: Hm.\nf: {"a": 1}<end>\n': (Reasoning("Hm."), Call("f", {"a": 1}))},
        more='  gaps: {before call: "\\n"}\n',
        start="think? (content | call)*",
    ),
    "words in a row open a call": Format(
        f"{NAMED}, NUMBER: {{written: $index}}, call/JSON: $arguments",
        'call: "#call" "step" NUMBER ": " NAME " " JSON "\\n"\nNUMBER: /\\d+/',
        {'A call, steps.#callstep1: f {"a": 1}\n': (Content("A call, steps."), Call("f", {"a": 1}))},
    ),
    "a letter before digits, where a name may stand as well": Format(
        f"{NAMED}, NUMBER: {{written: $index}}, call/JSON: $arguments, other: call, other/JSON: $arguments",
        'call: "run " "c" NUMBER ": " NAME " " JSON "\\n"\nother: "run " NAME " " JSON "\\n"\nNUMBER: /\\d+/',
        {'run c1: f {"a": 1}\nrun c2: c1 {}\n': (Call("f", {"a": 1}), Call("c1", {}))},
        start="(content | call | other)*",
    ),
    "three brackets open a list of calls": Format(
        f"{NAMED}, call/JSON: $arguments",
        'calls: "[" call ("; " call)* "]"\ncall: "[[" NAME "=" JSON "]]"',
        {'[[[f={"a": 1}]]]': (Call("f", {"a": 1}),), 'So.\n[[[f={}]]; [[g={"b": [[[2]]]}]]]': (
            Content("So.\n"), Call("f", {}), Call("g", {"b": [[[2]]]}),
        )},
        start="(content | calls)*",
    ),
    "closers that repeat a key and a name begin alike": Format(
        f"{KEYED}, argument/TEXT: argument.value",
        'call: "[" NAME ">\\n" argument* "[/" NAME ">\\n"\nargument: "[" KEY "=" TEXT "[/" KEY "]"\nKEY: /\\w+/',
        {"[f>\n[a=x[/b][/a][b=y[/b][/f>\nSo.": (Call("f", {"a": "x[/b]", "b": "y"}), Content("So."))},
    ),
    "closers that repeat a key and a name are one where they are alike": Format(
        f"{KEYED}, argument/TEXT: argument.value",
        'call: "<call " NAME "]" argument* "</" NAME "]\\n"\nargument: "<p " KEY "]" TEXT "</" KEY "]"\nKEY: /\\w+/',
        {"<call a]<p a]x</a]<p b]y</b]</a]\nSo.": (Call("a", {"a": "x", "b": "y"}), Content("So."))},
    ),
    "names stand in lines of their own, and nothing else tells of calls": Format(
        VALUES.replace("argument/value: argument.value", "argument/JSON: argument.value"),
        'calls: "<calls>\\n" call ("\\n" call)* "\\n</calls>"\n'
        'call: NAME (" " argument)*\nargument: KEY "=" JSON\nKEY: /\\w+/',
        {'<calls>\nf\ng a=1 b="x"\nh\n</calls>So.': (
            Call("f", {}), Call("g", {"a": 1, "b": "x"}), Call("h", {}), Content("So."),
        )},
        start="(content | calls)*",
    ),
    "a length stands before each value": Format(
        f"{KEYED}, LENGTH: {{written: $length}}, argument/TEXT: argument.value",
        'call: "<" NAME ">" argument* "</>"\nargument: LENGTH ":" KEY "," LENGTH ":" TEXT ",\\n"\n'
        'LENGTH: /\\d+/\nKEY: /\\w+/',
        {"<f></>": (Call("f", {}),)},
        refused={"how long": (Call("f", {"a": "b"}),)},
    ),
    "objects in objects, between brackets of its own": Format(
        f"{NAMED}, call/value: call.arguments",
        'call: "@" NAME value "\\n"',
        {"So.\n@f<|a:<|b:<|c:(1, <<x|y>>, <|d:T|>, )|>|>|e:<|f:()|>|>\n@g<||>\n": (
            Content("So.\n"),
            Call("f", {"a": {"b": {"c": [1, "x|y", {"d": True}]}}, "e": {"f": []}}),
            Call("g", {}),
        )},
        NESTED,
    ),
}  # fmt: skip


def declared(one: Format, folder: Path) -> Dialect:
    """The dialect of a format, declared in files of an empty folder."""
    (folder / "grammars/values").mkdir(parents=True)
    slots = [slot for slot in ("JSON", "ESCAPED", "TEXT_PERCENT") if slot in one.rules]
    lines = [
        f"start: {one.start}", *["content: TEXT"] * ("content" in one.start), one.rules, "NAME: /\\w+/",
        f"%declare {' '.join(['TEXT', *slots])}",
    ]  # fmt: skip
    if one.values:
        (folder / "grammars/values/mine.lark").write_text(one.values + "\n", "utf-8")
        lines.insert(0, "%import .values.mine (value)")
    (folder / "grammars/d.lark").write_text("\n".join(lines) + "\n", "utf-8")
    (folder / "dialects.yaml").write_text(f"d:\n  map: {{{one.map}}}\n{one.more}", "utf-8")
    return Dialect(load_spec(folder / "dialects.yaml", "d"))


@pytest.fixture(params=FORMATS)
def made(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Format, Dialect]:
    """A format, and its dialect."""
    one = FORMATS[request.param]
    return one, declared(one, tmp_path)


def test_it_is_written_and_read(made: tuple[Format, Dialect]) -> None:
    """Each text says what it is to say, and nothing else is written for that."""
    one, dialect = made
    for text, segments in one.written.items():
        message = dialect.parse(text)
        assert message.exact and shipped_corpus.carried(message, Message(segments)), text
        assert str(dialect.render(Message(segments))) == text


def test_what_has_no_place_is_refused(made: tuple[Format, Dialect]) -> None:
    """The reason is said."""
    one, dialect = made
    for why, segments in one.refused.items():
        with pytest.raises(RenderError, match=why):
            dialect.render(Message(segments))


def test_lengths_are_read_over(tmp_path: Path) -> None:
    """What they count ends where the grammar goes on."""
    one = FORMATS["a length stands before each value"]
    dialect = declared(one, tmp_path)
    message = dialect.parse("So.<f>1:a,3:b,c,\n2:bb,1:d,\n</>")
    assert message.exact and message.calls[0].arguments == {"a": "b,c", "bb": "d"}


def test_chunks_do_not_matter(made: tuple[Format, Dialect]) -> None:
    """Wherever a text is cut off, and in whatever pieces it comes, it is read alike."""
    one, dialect = made
    random = Random(1)
    for text in one.written:
        for end in range(len(text) + 1):
            message = dialect.parse(text[:end])
            for most in (1, 3, 9):
                cuts = [0]
                while cuts[-1] < end:
                    cuts.append(min(end, cuts[-1] + (random.randint(1, most) if most > 3 else most)))
                pieces = [text[at:to] for at, to in pairwise(cuts)]
                streamed, events = shipped_corpus.stream(dialect, pieces)
                assert shipped_corpus.same(streamed, message), text[:end]
                shipped_corpus.check_events(events, streamed)


def test_lint_finds_nothing_wrong(made: tuple[Format, Dialect], tmp_path: Path) -> None:
    """No error; what a format has no place for, and that there are no cases, are no mistakes."""
    assert made and not [one for one in lint(tmp_path / "dialects.yaml").diagnostics if one.severity == "error"]
