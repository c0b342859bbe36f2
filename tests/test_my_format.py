"""The table of what a format does and what to write for it: an example of each row is read as it says, and written."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest

import toolect
from toolect._authoring.corpus import describe

pytestmark = pytest.mark.usefixtures("own_registry")

PAGE = Path(__file__).parent.parent / "docs" / "guide" / "dialects.md"
_CELL = re.compile(r"(?<!\\)\|")


class Example(NamedTuple):
    """A dialect in which a row of the table is written, and a text of it."""

    map: str
    rules: str
    """The grammar, without its first rules and the slots."""
    text: str
    says: str
    """What is read, one line a segment."""
    more: str = ""
    """Other fields of the entry."""
    start: str = "(content | call)*"
    written: bool = True
    """Rendering gives the text back."""


SHAPE = "call: call, call/JSON: {name: $name, arguments: $arguments}"
MARKED = 'call: "<call>" JSON "</call>"'
ARGUMENTS = "call: call, NAME: call.name, argument: argument, KEY: argument.key, argument/TEXT: argument.value"
VALUES = "call: call, NAME: call.name, argument: argument, KEY: argument.key, argument/value: argument.value"
WORDS = "NAME: /\\w+/\nKEY: /\\w+/"
LINES = f'call: "[" NAME "]\\n" argument* "[/]"\nargument: KEY ": " TEXT "\\n"\n{WORDS}'
TIDE = 'call tide {"port": "Brest"}'
JSON = '<call>{"name": "tide", "arguments": {"port": "Brest"}}</call>'

ROWS = {
    "writes each call as JSON between markers": Example(SHAPE, MARKED, JSON, TIDE),
    "has other keys than `name` and `arguments`": Example(
        "call: call, call/JSON: {tool: $name, input: $arguments}",
        MARKED, '<call>{"tool": "tide", "input": {"port": "Brest"}}</call>', TIDE,
    ),
    "has several keys for one thing": Example(
        'call: call, call/JSON: {"name|tool": $name, arguments: $arguments}',
        MARKED, '<call>{"tool": "tide", "arguments": {"port": "Brest"}}</call>', TIDE, written=False,
    ),
    "writes JSON without any marker": Example(SHAPE, "call: JSON", JSON[6:-7], TIDE),
    "writes a list of calls": Example(
        "calls/JSON: [{name: $name, arguments: $arguments}]", 'calls: "<call>" JSON "</call>"',
        '<call>[{"name": "tide", "arguments": {"port": "Brest"}}, {"name": "ping", "arguments": {}}]</call>',
        f"{TIDE}\ncall ping {{}}", start="(content | calls)*",
    ),
    "puts the arguments into a string of JSON": Example(
        "call: call, call/JSON: {name: $name, arguments: $arguments.text}",
        MARKED, r'<call>{"name": "tide", "arguments": "{\"port\": \"Brest\"}"}</call>', TIDE,
    ),
    'has the name as the key, `{"tide": {…}}`': Example(
        "call: call, call/JSON: {$name: $arguments}", MARKED, '<call>{"tide": {"port": "Brest"}}</call>', TIDE
    ),
    'has a list of arguments for each name, `{"tide": [{…}, …]}`': Example(
        "first: call, more: call, NAME: call.name, first/JSON: call.arguments, more/JSON: call.arguments",
        'calls: "<call>{" entry (", " entry)* "}</call>"\nentry: first (", " more)* "]"\n'
        'first: "\\"" NAME "\\": [" JSON\nmore: JSON\nNAME: /\\w+/',
        '<call>{"tide": [{"port": "Brest"}, {"port": "Oslo"}], "ping": [{}]}</call>',
        f'{TIDE}\ncall tide {{"port": "Oslo"}}\ncall ping {{}}', start="(content | calls)*", written=False,
    ),
    "has all arguments beside the name": Example(
        'call: call, call/JSON: {name: $name, "*": $arguments}',
        MARKED, '<call>{"name": "tide", "port": "Brest"}</call>', TIDE,
    ),
    "says an id": Example(
        'call: call, call/JSON: {"id?": $id, name: $name, arguments: $arguments}', MARKED,
        '<call>{"id": "c1", "name": "tide", "arguments": {"port": "Brest"}}</call>', f"{TIDE} id=c1",
        'ids: {form: "c{index}"}',
    ),
    "has the name in a tag, `<tide>…</tide>`": Example(
        "call: call, NAME: call.name, call/JSON: $arguments", 'call: "<" NAME ">" JSON "</" NAME ">"\nNAME: /\\w+/',
        '<tide>{"port": "Brest"}</tide>', TIDE,
    ),
    "has one element or line for each argument": Example(ARGUMENTS, LINES, "[tide]\nport: Brest\n[/]", TIDE),
    "has values without types, `2` or `true`": Example(
        ARGUMENTS, LINES, "[tide]\ndays: 2\n[/]", 'call tide {"days": 2}', "values: {argument/TEXT: schema}"
    ),
    "never means anything but text": Example(
        ARGUMENTS, LINES, "[tide]\ndays: 2\n[/]", 'call tide {"days": "2"}', "values: {argument/TEXT: text}"
    ),
    "has entities, `&amp;` or `&#10;`": Example(
        ARGUMENTS, LINES.replace('TEXT "\\n"', '"\\"" TEXT "\\"\\n"'), '[tide]\nport: "&quot; &amp;"\n[/]',
        'call tide {"port": "\\" &"}', "values: {argument/TEXT: {codec: schema, escapes: entities}}",
    ),
    "escapes some signs only, `a&gt;b` or `Port%20Louis/3`": Example(
        ARGUMENTS, f'call: "<tool://" NAME ("?" argument ("&" argument)*)? ">"\nargument: KEY "=" TEXT\n{WORDS}',
        "<tool://tide?port=Port%20Louis/3>", 'call tide {"port": "Port Louis/3"}',
        'values: {argument/TEXT: {escapes: percent, escaped: " &"}}',
    ),
    "writes a quote twice, or with a backslash": Example(
        ARGUMENTS, LINES.replace('TEXT "\\n"', '"\'" TEXT "\'\\n"'), "[tide]\nport: 'it''s'\n[/]",
        'call tide {"port": "it\'s"}', "values: {argument/TEXT: {codec: schema, escapes: apostrophes}}",
    ),
    "writes values as in a URL, `Port%20Louis`": Example(
        ARGUMENTS,
        f'call: "<tool://" NAME ("?" argument ("&" argument)*)? ">"\nargument: KEY "=" TEXT\n{WORDS}',
        "<tool://tide?port=Port%20Louis%20%26%20Co&days=2>", 'call tide {"port": "Port Louis & Co", "days": 2}',
        "values: {argument/TEXT: {codec: schema, escapes: percent}}",
    ),
    "ends a value with its line": Example(
        ARGUMENTS, LINES, "[tide]\nport: Brest: 2\n[/]", 'call tide {"port": "Brest: 2"}'
    ),
    "has calls that begin a line, and prose with the same signs": Example(
        "call: call, NAME: call.name, call/JSON: $arguments", 'call: "(call " NAME " " JSON ")"\nNAME: /\\w+/',
        'I (call it) so.\n(call tide {"port": "Brest"})', f'content "I (call it) so."\n{TIDE}',
        'lines: ["(call "]\n  gaps: {before call: "\\n"}',
    ),
    "has values like Python, TOML, YAML, JSON5, XML": Example(
        VALUES,
        f'%import .values.toml (value)\ncall: "[" NAME "]\\n" argument* "[/]"\n'
        f'argument: KEY " = " value "\\n"\n{WORDS}',
        '[tide]\nport = "Brest"\n[/]', TIDE,
    ),
    'writes calls as code, `tide(port="Brest")`': Example(
        f"statement: code, {VALUES}",
        '%import .values.python_double (value)\nblock: "<py>\\n" (statement "\\n")+ "</py>"\nstatement: call\n'
        f'call: NAME "(" (argument (", " argument)*)? ")"\nargument: KEY "=" value\n{WORDS}',
        '<py>\ntide(port="Brest")\n</py>', TIDE, start="(content | block)*",
    ),
    "holds nothing but one text, such as code": Example(
        "call: call, call/TEXT: {name: python, arguments: {code: $text}}", 'call: "<py>" TEXT "</py>"',
        "<py>print(1)</py>", 'call python {"code": "print(1)"}',
    ),
    "has arguments as a block of YAML": Example(
        "call: call, NAME: call.name, call/TEXT: call.arguments",
        'call: "use: " NAME "\\n" "with:\\n  " TEXT "\\nend"\nNAME: /\\w+/',
        "use: tide\nwith:\n  port: Brest\n  days: 2\nend",
        'call tide {"port": "Brest", "days": 2}', "values: {call/TEXT: {codec: json, spelling: yaml}}",
    ),
    "says something after a call, or between two": Example(
        f"think: reasoning, {SHAPE}", f'think: "<think>" TEXT "</think>"\n{MARKED}', f"{JSON}Well.{JSON}So.",
        f'{TIDE}\ncontent "Well."\n{TIDE}\ncontent "So."', start="think? (content | call)*",
    ),
    "numbers its calls, `1. tide` or `c1 tide`": Example(
        f"NUMBER: {{written: $index}}, NAME: call.name, {SHAPE.partition(',')[0]}, call/JSON: $arguments",
        'call: "c" NUMBER " " NAME " " JSON "\\n"\nNUMBER: /\\d+/\nNAME: /\\w+/', 'c1 tide {"port": "Brest"}\n', TIDE,
    ),
    "has channels for what it says and thinks": Example(
        f"say: content, think: reasoning, {SHAPE}",
        f'say: "<|say|>" TEXT "<|end|>"\nthink: "<|think|>" TEXT "<|end|>"\n{MARKED}',
        f"<|think|>Hm.<|end|><|say|>Well.<|end|>{JSON}", f'reasoning "Hm."\ncontent "Well."\n{TIDE}',
        start="(content | say | think | call)*", written=False,
    ),
    "has escapes in what it says or thinks": Example(
        f"think: reasoning, {SHAPE}", f'think: "<think>" TEXT "</think>"\n{MARKED}', f"<think>a\\nb</think>{JSON}",
        f'reasoning "a\\nb"\n{TIDE}', "values: {think/TEXT: {escapes: json}}", start="(content | think | call)*",
    ),
    "has several calls in one wrapper": Example(
        SHAPE, f'calls: "<calls>" call+ "</calls>"\n{MARKED}', f"<calls>{JSON}{JSON}</calls>", f"{TIDE}\n{TIDE}",
        start="(content | calls)*",
    ),
    "has a sign between calls": Example(
        SHAPE, 'calls: "[" call (", " call)* "]"\n' + MARKED, f"[{JSON}, {JSON}]", f"{TIDE}\n{TIDE}",
        start="(content | calls)*",
    ),
    "leaves a blank line before a call": Example(
        SHAPE, MARKED, f"Well.\n\n{JSON}", f'content "Well."\n{TIDE}', 'gaps: {before call: "\\n\\n"}'
    ),
    "thinks first, `<think>…</think>`": Example(
        f"think: reasoning, {SHAPE}", f'think: "<think>" TEXT "</think>"\n{MARKED}', f"<think>Hm.</think>{JSON}",
        f'reasoning "Hm."\n{TIDE}', start="(content | think | call)*",
    ),
    "thinks in a line, `Thought: …`, or up to an empty line": Example(
        f"think: reasoning, {SHAPE}", f'think: "Thought: " TEXT "\\n"\n{MARKED}', f"Thought: Hm.\nSo.{JSON}",
        f'reasoning "Hm."\ncontent "So."\n{TIDE}', start="think? (content | call)*",
    ),
    "begins to think in the prompt": Example(
        f"think: reasoning, {SHAPE}", f'think: "<think>\\n" TEXT "</think>"\n{MARKED}', f"<think>\nHm.</think>{JSON}",
        f'reasoning "Hm."\n{TIDE}', 'prefill: {"<think>\\n": think}', start="(content | think | call)*",
    ),
    r"ends with `<\|im_end\|>`": Example(
        SHAPE, MARKED, JSON + "<|im_end|>", TIDE, 'end: ["<|im_end|>"]', written=False
    ),
    r"ends with `<\|over\|>`, and nothing else closes its last call": Example(
        "call: call, NAME: call.name, call/JSON: $arguments", 'call: "<call>" NAME " " JSON\nNAME: /\\w+/',
        '<call>tide {"port": "Brest"}<|over|>', TIDE, start='(content | call)* "<|over|>"',
    ),
    "spells a marker in several ways": Example(
        SHAPE, 'call: OPEN JSON "</call>"\nOPEN: "<call>" | "<tool>"', JSON.replace("<call>", "<tool>"), TIDE,
        written=False,
    ),
    "spells one wrong now and then": Example(
        SHAPE, MARKED, JSON.replace("</call>", "</cal>"),
        f"{TIDE}\n  status repaired\n  repair misspelled-marker", 'misspellings: {"</call>": ["</cal>"]}', written=False
    ),
    "has another way that models only now and then write": Example(
        "call: call, other: call, NAME: call.name, call/JSON: $arguments, other/JSON: $arguments",
        'call: "<" NAME ">" JSON "</>"\nother: "[" NAME "]" JSON "[/]"\nNAME: /\\w+/',
        '[tide]{"port": "Brest"}[/]', TIDE, "unwritten: [other]",
        start="(content | call | other)*", written=False,
    ),
    "has tags that look like calls": Example(
        "call: call, NAME: call.name, call/JSON: $arguments", 'call: "<" NAME ">" JSON "</" NAME ">"\nNAME: /\\w+/',
        '<div>{}</div><tide>{"port": "Brest"}</tide>', f'content "<div>{{}}</div>"\n{TIDE}', "reserved: [div, span]",
    ),
}  # fmt: skip
ELSEWHERE = ("has values like nothing else", "is like another one with other markers", "tells its tools in its own way")
"""Rows of which an example is on the page itself, or on another one."""


def table() -> dict[str, str]:
    """The rows of the table: what a format does, and what to write."""
    lines = PAGE.read_text("utf-8").partition("## My format does this\n")[2].partition("\n## ")[0].splitlines()
    cells = [[cell.strip() for cell in _CELL.split(line)[1:-1]] for line in lines if line.startswith("| ")]
    return {row[0]: row[1] for row in cells[2:]}


def test_every_row_has_an_example() -> None:
    """And no example is of a row that is not there any more."""
    assert [*table()] == [row for row in table() if row in ROWS or row in ELSEWHERE]
    assert {*ROWS, *ELSEWHERE} == {*table()}


@pytest.mark.parametrize("row", ROWS)
def test_what_a_row_says_is_so(row: str) -> None:
    """What is to be written stands in the example; that is read as it says, and written as it stands."""
    one = ROWS[row]
    entry = f"d:\n  map: {{content: content, {one.map}}}\n" + (f"  {one.more}\n" if one.more else "")
    used = [slot for slot in ("TEXT", "JSON", "ESCAPED") if re.search(rf"\b{slot}\b", "TEXT " + one.rules)]
    head, _, rest = one.rules.rpartition("(value)\n")
    grammar = f"{head}(value)\n" if head else ""
    grammar += f"start: {one.start}\ncontent: TEXT\n{rest}\n%declare {' '.join(used)}\n"
    said = "".join((entry + grammar).split())
    for part in re.findall(r"`([^`]+)`", table()[row].replace(r"\|", "|")):
        for word in part.split("…") if re.search(r"[:$\"]", part) else ():  # else it is one of several words
            assert "".join(word.split()).strip("{},") in said, f"`{part}` is not in the example"
    dialect = toolect.define(entry, grammar)
    message = dialect.parse(one.text)
    assert describe(message) == one.says
    if one.written:
        assert str(dialect.render(message)) == one.text
