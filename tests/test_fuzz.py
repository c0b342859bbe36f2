"""The fuzzer: hypothesis draws texts of every dialect, damaged, and makes small what breaks a law of reading.

`make fuzz` is this file by `--hypothesis-profile=deep`, with `--runs` for all of them together, and `--seed`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any

import msgspec
import pytest
import shares
from hypothesis import HealthCheck, find, given, seed, settings
from hypothesis import strategies as st

import toolect
from toolect import registry
from toolect._building.open_call import OpenCall
from toolect._compiled import Dialect, Stream
from toolect._detection.guess import reader as reader_of
from toolect._events import Event
from toolect._message import Call, Content, Message, Repair, RepairKind
from toolect._rendering import roundtrip
from toolect._search import stepping
from toolect._search.island import Island
from tools.fuzz.draw import Subject, runs, subjects
from tools.fuzz.drawn_specs import Drawn, compiled
from tools.fuzz.fuzz_laws import Law, Run, broken, misread, shown

DEEP = settings.default.max_examples > 10
GENERATED = 24 if DEEP else 3
"""Texts of each generator that a subject damages."""
CHANCE = st.randoms(use_true_random=False)


@pytest.mark.parametrize("name", subjects())
def test_laws_hold(name: str, pytestconfig: pytest.Config) -> None:
    """Damaged texts of every dialect, of `auto`, and of dialects that are drawn break no law."""
    subject, written = Subject(name, shares.seed, GENERATED), set[str]()
    runs_of_each = -(-(pytestconfig.getoption("--runs") or 0) // len(subjects()))

    @seed(shares.seed)
    @settings(max_examples=runs_of_each or settings.default.max_examples)
    @given(CHANCE)
    def holds(random: Random) -> None:
        found = broken(subject.dialect, subject.run(random), written)
        assert found is None, shown(found)

    holds()


NOTE = Repair(RepairKind.WHITESPACE, 0)
PARSE, CLOSE = Dialect.parse, Stream.close


def raising(_dialect: Dialect, _text: str, *_: Any, **__: Any) -> Message:
    """Raises."""
    raise RuntimeError("broken")


def long(_dialect: Dialect, text: str, *_: Any, **__: Any) -> Message:
    """Content that ends after the text."""
    return Message([Content(text, (0, len(text) + 1))])


def noting(dialect: Dialect, text: str, *given: Any, **options: Any) -> Message:
    """A repair that a stream does not have."""
    return msgspec.structs.replace(PARSE(dialect, text, *given, **options), repairs=(NOTE,))


def stern(dialect: Dialect, text: str, *given: Any, **options: Any) -> Message:
    """In strict mode, a repair that there is not in lenient mode."""
    reading = noting if options.get("mode") == "strict" else PARSE
    return reading(dialect, text, *given, **options)


def silent(stream: Stream) -> list[Event]:
    """The end of an answer, which is not told."""
    CLOSE(stream)
    return []


BREAKS: dict[Law, tuple[object, str, Callable[..., object]]] = {
    Law.RAISED: (Dialect, "parse", raising),
    Law.SPANS: (Dialect, "parse", long),
    Law.STREAM: (Dialect, "parse", noting),
    Law.EVENTS: (Stream, "close", silent),
    Law.STRICT: (Dialect, "parse", stern),
    Law.SERIAL: (Message, "to_openai", lambda _: {"content": "nothing"}),
    Law.RENDERED: (roundtrip, "render", lambda *_: "nothing"),
}


@pytest.mark.parametrize("law", BREAKS)
def test_a_broken_reader_is_found(law: Law, monkeypatch: pytest.MonkeyPatch) -> None:
    """What breaks a law is found, by its name, and made small."""
    owner, name, wrong = BREAKS[law]
    subject = Subject("hermes", 1, 3)
    subject.names = ("hermes",)
    monkeypatch.setattr(owner, name, wrong)

    def breaks(run: Run) -> bool:
        found = broken(subject.dialect, run)
        return found is not None and found.law is law

    looking = settings(max_examples=200, database=None, derandomize=True, suppress_health_check=list(HealthCheck))
    small = find(CHANCE.map(subject.run), breaks, settings=looking)
    assert len(small.text) < 100 and small.options.keys() <= {"mode", "prefix", "tools"}


def lax(call: OpenCall, end: int, raw: str, _strict: bool) -> Call:
    """A call as lenient mode settles it."""
    return RESULT(call, end, raw, False)


def curt(call: OpenCall, end: int, raw: str, strict: bool) -> Call:
    """A call that ends before its last character."""
    return RESULT(call, max(call.start, end - 1), raw, strict)


RESULT = OpenCall.result
SOUGHT = ("react", "hermes", "qwen3-coder")
WITHIN = 320
"""Runs of each of these in which a fault must show."""
FAULTS: dict[str, tuple[object, str, Callable[..., object], Law]] = {
    "text is not held back": (Island, "held", lambda _plan, buf, _low: len(buf), Law.STREAM),
    "misspelled markers are not held back": (Island, "near_begun", lambda *given: given[3], Law.STREAM),
    "nobody waits for the rest of a name": (stepping, "may_grow", lambda *_: False, Law.STREAM),
    "steps pass on what may be a marker": (stepping, "safe", lambda window, *_: len(window.buf), Law.STREAM),
    "strict mode runs what was repaired": (OpenCall, "result", lax, Law.STRICT),
    "a call ends too early": (OpenCall, "result", curt, Law.SPANS),
}
"""What is put in place of a part of reading, and the law that it breaks."""


@cache
def sought() -> list[tuple[str, list[Run]]]:
    """The runs in which faults are looked for."""
    return [(name, runs(Subject(name, 1, 12), 1, WITHIN)) for name in SOUGHT]


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_in_reading_is_found(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A small fault, somewhere inside, is found in a few texts."""
    owner, name, wrong, law = FAULTS[fault]
    drawn = [(Dialect(registry.spec(one)), texts) for one, texts in sought()]
    monkeypatch.setattr(owner, name, wrong)
    found = (broken(dialect, run) for dialect, texts in drawn for run in texts)
    assert any(finding is not None and finding.law is law for finding in found)


def test_arguments_that_no_text_says_are_found() -> None:
    """The arguments of a call are those that its JSON text spells, and come from its own text."""
    assert not misread(Call("f", {"a": "x y"}), "f(a='x\\ty')")
    assert not misread(Call("f", {"a": "x y"}), "f(a='x  y')")
    assert misread(Call("f", {"a": "x"}), "f(a='y')")
    assert misread(Call("f", {"a": "x"}, span=(0, 8)), "f(a='y')x")
    assert misread(Call("f", {"a": 1}, spelling='{"a": 2}'), '{"a": 2}')
    assert misread(Call("f", {"a": 1}, spelling='{"a": 1'), '{"a": 1')


NAMELESS = [{"name": "", "parameters": {"type": "object", "properties": {}}}]
TOOL_X = [{"name": "x", "parameters": {"type": "object", "properties": {"a": {"type": "string"}}}}]
DROPPING = {"after_calls": "drop"}
FOUND: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("command-r", '```json{"tool_name":"","parameters":{"":[ ]\n  b":', {}),
    ("auto", '{"\'":{"name": "echo", "arguments": "{', {}),
    ("apriel", "[END", {}),
    ("anthropic-tool-use", '{"content":[{type:"tool_use"name:x"] "input":""}}', {"tools": TOOL_X}),
    ("granite-20b-fc", '<function_call>{}-{"name":"","arguments":{', DROPPING),
    ("inkling", "<|content_invoke_tool_json|>{args:{", {"tools": NAMELESS}),
    ("openai-responses", '{"type":"function_call","arguments":"\\"\\\\"', {}),
    ("openai-responses", '{"type":"function_call","arguments":"{} \\n \\\\"', {}),
    ("mistral-v3", '[TOOL_CALLS][/**/{}"":', {}),
    ("openai-function-call", '``````tool_call{"content""i"', {}),
    ("openai-function-call", '```{"":"a", "function_call": {"name": "n1", "arguments": "}{"content": n}', {}),
    ("kimi-k3", '<|open|>tools<|sep|><|open|>call tool="1"<|sep|><|open|>argument key="t" type="string"\t<|sep|>', {}),
    ("dsml-v4", 'n\nDSML｜toolcalls><｜DSML｜invke=0">', {}),
    ("anthropic-xml", "<invoke>m</tool_name>parameters><parameters></parameters>", {}),
    ("command-r7b", '{"tool_call_id":"","tool_name":"{ ","parameters":{', {}),
    ("pythonic", "[y(t='',w='\ud83d\ude00\\u", {}),
    ("pythonic", "[e(a=y'\n", {}),
    ("rwkv", '```json\n{"name":"f","arguments":{"":""},"":""}}', {}),
    ("auto", "<seed:think><seed:tool_call>l><function=ring>\n<parameter=n>1</", {}),
    ("kimi-simple", "##Calling:say\n```{x", {"tools": [{**TOOL_X[0], "name": "say"}]}),
    ("dots", '<dots_function_call>`\n<"', {}),
    ("apriel", "k\nHere are my reasoning steps: x", {}),
    ("auto", "<|end|><|start|>assistant<|channel|>", {}),
    ("dsml-v4.1", 'n\nDSML｜calls><｜DSML｜nvoke=x">', {}),
    ("cohere-cmd5", f"<cofl:tool_calls><cofl:tool_callid={'x' * 511}<:", {}),
    ("dsml-v4", 'n\nDSML｜tool_calls><｜DSML｜invoke``">', {}),
    ("dsml-v4.1", '7\n<｜SML｜calls><｜DSML｜invoke=f">', {}),
    ("rwkv", "<tool_call>{<tool_call>｜<tool_call>o", {"malformed": "content"}),
    ("js-call-block", "````js`avascript\nf(", {"tools": [{**TOOL_X[0], "name": "f"}]}),
    ("auto", "Thought:Action:n Input:Thought:<|start|>assistant", {}),
    ("json", '```call{"type":"function","action":"a","args":{', {}),
    ("js-call-block", "````mjs\n`jaript\nf()", {"tools": [{"name": "f"}]}),
    ("react", "Thought: `Thought:", {}),
    ("openai-responses", '{"type":"function_call","name":"x","arguments":1e5{', {"tools": TOOL_X}),
    ("hermes", '{"name":"g","arguments":{"x""2",x:3}', {}),
    ("llama3-json", '<{python_tag|>{"name":"e","parameters":{', {}),
    ("command-r", 'Action:\n```json\n[\n ame": "1",\n "parameters": {}\n }\n]```\n', {}),
    ("beam", 'to=f<|channel|>analysis<|constrain|>xml<|message|><rfl:parametername="a">b</rfl:parameter>{"c":"4"}', {}),
    ("dots", '<inokename=a><paramete=1">/parameter>\n</invoke>,', {"mode": "strict", "malformed": "content"}),
    (
        "gcml",
        '<｜GCML｜invoe=t><｜GCML｜paramete=s"string="false">0</｜｜parameter></｜GCML｜invoke></｜GCML｜tool_alls></｜GCML｜tool_calls>',
        {"mode": "strict", "malformed": "content"},
    ),
    ("tool-args-array", '[{tool:s}"tool":l",d:d"', {}),
    ("tool-args-array", '[{"tool":"s"}"tool":"l","d":"d"', {}),
    (
        "auto",
        '{"type": "function_call", "name": "f", "arguments": "{}"}k\n```JSON<',
        {"tools": [{"name": "f"}]},
    ),
    (
        "auto",
        "\"{\"\":1```\n<function_calls>\na(a\\'\\'\\'get_x'",
        {"tools": [{"name": "other", "parameters": {"properties": {"a": {"type": "null"}}}}]},
    ),
    ("deepseek-v3.1", '<｜tool▁call▁begin｜>g<｜tool▁sep｜>{"a":[[], "' + "0" * 62 + ',"b', {}),
    (
        "auto",
        "-> tool/function_call\n[<|im_end|><|im_start|>assistant<|im_end|><|im_start|>assistant/",
        {},
    ),
    ("auto", "[TOOL_CALLS]0[ARGS]s[TOOL_CALLS]f[ARGS]{}", {"malformed": "content"}),
    ("direct-xml", "<fe><path></path\nT✿\n</fe>", {}),
    ("hy4", "tool_call>t<arg_key>><arg_value></arg_value\n``\n<arg_key>", {}),
    ("minimax-m2", '1e999\n<inimax:tool_call>{"name":"","arguments":{', {}),
    ("sarashina", "{'name-c'arguments:{''-1" + "0" * 270 + "}}, {'name':", {}),
    ("granite-20b-fc", '{"name":"f","arguments":{}}{name:f","arguments"{a:1}', {}),
    ("direct-xml", "<f></f><d>d<o<s</b", {}),
    ("granite-3", "<|tool_call|>lend<think>n", {"tools": [{**TOOL_X[0], "name": "lend"}]}),
)
"""What the fuzzer found: a dialect, a text, and how it is read."""


@pytest.mark.parametrize(("dialect", "text", "options"), FOUND)
def test_what_was_found_breaks_no_law_any_more(dialect: str, text: str, options: dict[str, Any]) -> None:
    """Each was read differently in chunks, or broke another law."""
    found = [broken(reader_of(dialect), Run(dialect, text, options, (size,))) for size in (1, 2, 3, 5, 8)]
    assert not [shown(finding) for finding in found if finding is not None]


DRAWN = (
    (
        'call: JSON "[/CALL]"',
        "call/JSON: {name: $name, arguments: $arguments}",
        ("[/CALL]", "[/CALL", 'a [/CALL] {"name": "f", "arguments": {}}[/CALL]'),
    ),
    (
        'call: JSON ";" | "[" (JSON | "((" JSON) "]"',
        "call/JSON: {name: $name, arguments: $arguments}",
        ('[(({"name": "f", "arguments": {}}]', '[{"name": "f", "arguments": {}}]', "[(("),
    ),
    (
        'call: "call: " JSON "<|end|>"',
        "call/JSON: {name: $name, arguments: $arguments.text}",
        (
            'call:{"name": "f", "arguments": "call: {', 'call: {"name": "f", "arguments": "call:<|end|>',
            'call: {"name": "f", "arguments": "{\\"a\\": \\"\\\\xcall: <|end|>',
        ),
    ),
    (
        'call: "[CALL]" NAME "\\n" JSON "))"\nNAME: /[a-z]+/',
        "call/JSON: $arguments, NAME: call.name",
        ("[CALL]t))", "[CALL]t\n))", "[CALL]t)"),
    ),
    (
        'calls: "<calls>" call "</calls>"\ncall: NAME "[ARGS]" item* ";"\nitem: "[" KEY "=" JSON "]"\n'
        'other: "call: " JSON "</call>"\nNAME: /[a-z]+/\nKEY: /[a-z]+/',
        "other: call, other/JSON: {name: $name, arguments: $arguments}, NAME: call.name, item: argument, "
        'KEY: argument.key, item/JSON: argument.value}\n  misspellings: {"call:": ["call"]',
        ("<calls>t[ARGS]}<calls>", "<calls>call{</call>", "call: {</call>"),
    ),
    (
        'start: content* calls* call*\ncall: "<call>\\n" NAME ": " item*\nitem: "<k>" KEY "</k>\\n<v>" TEXT "</v>\\n"\n'
        'calls: "<calls>" call ("\\n" call)* "<|done|>"\nNAME: /[a-z]+/\nKEY: /[a-z]+/',
        "NAME: call.name, item: argument, KEY: argument.key, item/TEXT: argument.value",
        ("<calls><call>\ne: <|done|>", "<call>\ne: <call>\nf: ", "<calls><call>\ne: <k>a</k>\n<v> \n\n<|done|>"),
    ),
    (
        'call: "<calls>\\n" (JSON | "[" NAME ">" ) "</calls>" | JSON ";"\nNAME: /[a-z]+/',
        "call/JSON: {name: $name, arguments: $arguments}, NAME: call.name",
        ('<calls>\n[{"name": "f", "arguments": {}}]</calls>', "<calls>\n[f></calls>", "<calls>\n[ ", "<calls>\n[x"),
    ),
    (
        'call: "<" NAME "(" ")" "\\n"\nNAME: /[a-z]+/',
        "NAME: call.name",
        ("<a()\n<<", "<a()\n<b()\n", "<a()\n\n<b"),
    ),
    (
        'start: (content | call | other)*\ncall: JSON ";"\nother: "%%" NAME "<|sep|>" JSON "))"\nNAME: /[a-z0-9]+/',
        "call/JSON: {name: $name, arguments: $arguments}, other: call, other/JSON: $arguments, NAME: call.name",
        ("%%n1<|sep|>x}", "%%n1<|sep|>x}{}", "%%n1<|sep|>x}))"),
    ),
    (
        'start: (content | calls | call)*\ncall: "[" JSON "[/CALL]"\nother: JSON ">"\n'
        'calls: "[" (call | other) (", " (call | other))* "]"',
        'call/JSON: {"$name": $arguments}, other: call, other/JSON: {"$name": $arguments}',
        ("[{call:", "[{[/CALL]", "[`[/CALL]"),
    ),
    (
        'start: (content | calls | other)*\ncall: "[[" NAME "(" item* "}]"\nitem: KEY ": " JSON "\\n"\n'
        'other: JSON "\\n"\ncalls: "<calls>\\n" (call | other) "\\n</calls>"\nNAME: /[a-z]+/\nKEY: /[a-z]+/',
        "NAME: call.name, item: argument, KEY: argument.key, item/JSON: argument.value, other: call, "
        "other/JSON: {name: $name, arguments: $arguments}",
        ("<calls>[[v(", "<calls>\n[[v(k: 1\n}]\n</calls>", '<calls>\n[[{"name": "f", "arguments": {}}'),
    ),
    (
        'start: (content | calls | other)*\ncall: "[{" NAME "\\n" "</call>"\nitem: "[" KEY "=" JSON "]"\n'
        'other: "<" NAME " " item* "</call>"\ncalls: "[" (call | other) "]"\nNAME: /[a-z]+/\nKEY: /[a-z]+/',
        "NAME: call.name, item: argument, KEY: argument.key, item/JSON: argument.value, other: call",
        ("=[<a [{", "=[<a [k=1]</call>]", "[<a ["),
    ),
    (
        'start: (content | call)*\ncall: NAME "=" item*\nitem: KEY ": " JSON "\\n"\nNAME: /[a-z]+/\nKEY: /[a-z]+/',
        "NAME: call.name, item: argument, KEY: argument.key, item/JSON: argument.value",
        ("f=x\nx=}", "f=x\nx=y: 1\n", "f=\nx=y: 1\n"),
    ),
    (
        'call: "[[" NAME ": " TEXT ";"\nNAME: /[a-z]+/',
        "call/TEXT: {arguments: {code: $text}}, NAME: call.name",
        ("[[\n", "[[", "[[\nf"),
    ),
    (
        'start: content* think* call* other*\nthink: "<think>\\n" TEXT "\\n</think>\\n\\n"\n'
        'call: "<|call|>" JSON "<|end|>"\nother: "<" JSON "\\n```"',
        "think: reasoning, other: call, other/JSON: $shape, call/JSON: $shape}\n  gaps: {before call: \"\\n\"".replace(
            "$shape", "{name: $name, arguments: $arguments}"
        ),
        ("x\n<think>", "x\n<", 'x\n<{"name": "f", "arguments": {}}\n```'),
    ),
    (
        'call: "{{" NAME "=" ID " " JSON "</call>"\ncalls: "[" call (", " call)* "]"\nNAME: /\\w+/\nID: /[a-z0-9]+/',
        "call/JSON: $arguments, NAME: call.name, ID: call.id",
        ('.[{{x=1 {"":""}', '.[{{x=1 {"":""}</call>]', ".[{{x=1 y"),
    ),
    (
        'call: "<call>" NAME " " item* "<|end|>"\nitem: KEY ": " JSON "\\n"\nNAME: /\\w+/\nKEY: /\\w+/',
        "NAME: call.name, KEY: argument.key, item: argument, item/JSON: argument.value",
        ('<call>1 f: "', '<call>1 f: "x"\n<|end|>', "<call>1 f: ab", "a <call>1 f: 7\n<|end|> b"),
    ),
    (
        'start: (content | calls | call | other)*\ncalls: "<calls>\\n" (call | other) ("\\n" (call | other))*\n'
        'call: "```call\\n" NAME "(" item* ">"\nitem: "<key>" KEY "</key>" JSON "</value>"\nother: "((" JSON "]"\n'
        "NAME: /\\w+/\nKEY: /\\w+/",
        "NAME: call.name, KEY: argument.key, item: argument, item/JSON: argument.value, other: call, "
        "other/JSON: {name: $name, arguments: $arguments}",
        ('<callsl(>(({"name": "f", "arguments": {}}', '<calls>\n```call\nx(>\n(({"name": "f", "arguments": {}}]'),
    ),
    (
        'start: content* call* other*\ncall: "call: " NAME " " item*\nother: "[" NAME ">" item* "[/" NAME ">"\n'
        'item: "[" KEY "=" TEXT "]"\nNAME: /\\w+/\nKEY: /[^\\s=>\\]]+/',
        "NAME: call.name, KEY: argument.key, item: argument, item/TEXT: argument.value, other: call",
        ("call: f [c=][n>[", "call: f [c=x][n>[d=y][/n>", "call: f [c=][n", "call: f [c=][n>[/n>"),
    ),
    (
        'start: (content | calls | other)*\ncalls: "[CALLS]" (call | other) ("\\n" (call | other))*\n'
        'call: NAME "[ARGS]" "\\n</call>"\nother: "<" NAME ">\\n" "[/" NAME ">\\n"\nNAME: /[^\\s<>\\[\\]]+/',
        "NAME: call.name, other: call",
        ("[CALLS]f[ARGS]\n</call>\n<g>\n[/g>\n\nh[ARGS]\n</call>", "[CALLS]<g>\n[/g>\n\nx\n<g>\n[/g>\n\nf[ARGS]\n"),
    ),
    (
        'call: "call: " NAME "[ARGS]" TEXT "\\n```"\nNAME: /[a-z]+/',
        "NAME: call.name, call/TEXT: {arguments: {code: $text}}",
        ("call:a[ARGS\n```", "call: a[ARGS]\n```", "call: a[ARGS]x\n```"),
    ),
    (
        'start: (content | calls)*\ncalls: "<calls>\\n" call "\\n</calls>"\n'
        'call: "<" NAME ">\\n" "</" NAME ">\\n"\nNAME: /[^\\s<>]+/',
        "NAME: call.name",
        ("<calls><calls>", "<calls><calls><f>\n</f>\n\n</calls>", "<calls><callz>\n</callz>\n\n</calls>"),
    ),
    (
        'start: (content | calls)*\ncalls: "<calls>\\n" (call | other)+ "\\n</calls>"\ncall: JSON "]"\n'
        'other: "[CALL]" NAME " " item* "))"\nitem: "{" KEY ":" TEXT "}"\nNAME: /\\w+/\nKEY: /\\w+/',
        'call/JSON: {"$name": $arguments}, other: call, NAME: call.name, item: argument, KEY: argument.key, '
        "item/TEXT: argument.value",
        ("<calls>c\n{", "<calls>0\n{", '<calls>\n{"f": {}}]\n</calls>', "<calls>[CALL]f {a:1}))\n</calls>"),
    ),
    (
        'start: (content | calls)*\ncalls: "<|tools|>" call+ "<|/tools|>"\n'
        'call: "\\n--- op ---\\nuse " NAME "\\n" item* "--- end ---\\n"\nitem: "  - " KEY ": " TEXT "\\n"\n'
        'NAME: /[^\\s"<>]+/\nKEY: /[^\\s":<>]+/',
        "NAME: call.name, item: argument, KEY: argument.key, item/TEXT: argument.value",
        ("---op---use f -a: x\n--- end --- ", "--- op ---\nuse f\n  - a: x\n--- end --- y\n"),
    ),
    (  # openers and closers that repeat a name or a key
        'start: content* calls* call*\ncall: "<" NAME "><" NAME ">" item* "</" NAME ">" ";"\n'
        'item: KEY ": " JSON "\\n"\ncalls: "[CALLS]" call call*\nNAME: /[A-Za-z_][\\w.-]*/\nKEY: /[A-Za-z_][\\w.-]*/',
        "NAME: call.name, item: argument, KEY: argument.key, item/JSON: argument.value",
        ("<g><", "[CALLS]<g><\nga"),
    ),
    (
        'call: "[" "<call name=\\"" NAME "\\"><" NAME ">" JSON "\\n</call>"\nother: "[" NAME "\\n" TEXT "[/CALL]"\n'
        'NAME: /[^\\s<>()\\[\\]{}":=,]+/',
        "other: call, NAME: call.name, call/JSON: $arguments, other/TEXT: {arguments: {code: $text}}",
        ('[<call name="f"><f>{"e":""}\n</call>', '[<call name="f"><f>{', '<cale="g"><g\n<'),
    ),
    (  # a call may be over where another one begins with JSON
        'call: "[" NAME "]\\n" item*\nitem: "<" KEY ">" JSON ";"\nother: JSON "]]"\nNAME: /\\w+/\nKEY: /\\w+/',
        'NAME: call.name, item: argument, KEY: argument.key, item/JSON: argument.value, other: call, '
        'other/JSON: {"$name": $arguments}',
        ('[f]\n{"x":{', '[f]\n{"x":["', '[f]\n{"x":{}}', '[f]\n{"x":{}}]]', '[f]\n<a>{"x":'),
    ),
    (  # nothing but another call may follow
        'start: content* call*\ncall: JSON "</call>"',
        'call/JSON: {"$name": $arguments}',
        ('{"f": {}}</call>', '{"f": {}}</call>{"f": {}}</call>'),
    ),
    (  # calls that begin alike, and go on with JSON or with arguments
        'call: "[" NAME "(" item* "]]"\nitem: "[" KEY "=" JSON "]"\nother: "[" NAME "(" JSON "\\n"\n'
        "NAME: /\\w+/\nKEY: /[a-z]+/",
        "NAME: call.name, item: argument, KEY: argument.key, item/JSON: argument.value, other: call, "
        "other/JSON: $arguments",
        ('[f([k="', "[f([k=1]]]", "[f(]]", '[f({"a": 1}\n', "[f([1]\n"),
    ),
    (
        'call: "((" "#" NAME "#" NAME "#" JSON "]"\nother: "((" NAME "\\n" TEXT ">"\nNAME: /[a-z]+/',
        "NAME: call.name, call/JSON: $arguments, other: call, other/TEXT: {arguments: {code: $text}}",
        ('((#f#f#{"a": 1}]', "((f\nx>", "((#f#g#{}", "see ((#f"),
    ),
    (  # a string that was mended is told once, in however many pieces it comes
        'call: "<call " NAME ">" item* "]"\nitem: "<arg:" KEY ">" JSON "</arg>"\nNAME: /\\w+/\nKEY: /\\w+/',
        "NAME: call.name, item: argument, KEY: argument.key, item/JSON: argument.value",
        ('<call f><arg:a>{"":"\n>\n>', '<call f><arg:a>"\nab\nc'),
    ),
    (  # of two closers side by side, the first repeats the key
        'call: "<call>\\n" NAME " " item* "[/CALL]"\nitem: KEY ": " TEXT "[/" KEY "]"\nNAME: /\\w+/\nKEY: /\\w+/',
        "NAME: call.name, item: argument, KEY: argument.key, item/TEXT: argument.value",
        ("<call>\nx a: 0[/a][/CALL]", "<call>\nx a: 0[/a]b: 1[/b][/CALL]So. [/b]"),
    ),
    (  # the same closer for keys and for names, but for its last sign
        'call: "[" NAME ">\\n" item* "[/" NAME ">\\n"\nitem: "[" KEY "=" TEXT "[/" KEY "]"\nNAME: /\\w+/\nKEY: /\\w+/',
        "NAME: call.name, item: argument, KEY: argument.key, item/TEXT: argument.value",
        ("[f]\n[a=x[/a][/f>\n", "[f>\n[a=x[/a][b=y[/b][/f>\nSo.", "[f>\n[a=x[/b][/a][/f>\n"),
    ),
    (  # the beginning of a call in a string is not looked for in an escape
        'call: "run " "#call" NUMBER ": " NAME ">" item* ">"\nitem: "a=\\"" KEY "\\" \\"" ESCAPED "\\";"\n'
        "NAME: /\\w+/\nKEY: /\\w+/\nNUMBER: /\\d+/",
        "NUMBER: {written: $index}, NAME: call.name, item: argument, KEY: argument.key, item/ESCAPED: argument.value",
        ('run #call1: a>a="x" "\\r\\\\99\\"_call>x";>',),
    ),
)  # fmt: skip
"""Grammars in which JSON or text may follow where a marker may that begins alike, and texts of each."""


@pytest.mark.parametrize(("rules", "roles", "texts"), DRAWN)
def test_chunks_do_not_matter_in_odd_grammars(rules: str, roles: str, texts: tuple[str, ...]) -> None:
    """What the fuzzer found in dialects that it drew."""
    slots = " ".join(["TEXT", *(slot for slot in ("JSON", "ESCAPED") if slot in rules)])
    top = " | ".join(name for name in ("content", "calls", "call", "other") if f"\n{name}: " in f"\ncontent: \n{rules}")
    start = "" if rules.startswith("start") else f"start: ({top})*\n"
    grammar = f"{start}{rules}\ncontent: TEXT\n%declare {slots}\n"
    entry = f"odd:\n  about: drawn\n  models: []\n  map: {{content: content, call: call, {roles}}}\n"
    dialect = compiled("odd", Drawn(grammar, entry))
    found = [broken(dialect, Run("odd", text, {}, (size,))) for text in texts for size in (1, 2, 3)]
    assert not [shown(finding) for finding in found if finding is not None]


def test_more_repairs_than_a_call_may_have() -> None:
    """Law: what is not read of it any more is a part of it, up to what begins something else."""
    call = Call("tide", {f"k{number}": "v" for number in range(300)})
    broke = []
    for name in toolect.dialects():
        dialect = toolect.dialect(name)
        try:
            text = str(dialect.render(Message([call]))).replace("</", " < /")
        except toolect.RenderError:
            continue
        run = Run(name, text[: len(text) * 9 // 10] + "<think>x</think>", {}, (len(text) // 3,))
        broke += [found for found in [broken(dialect, run)] if found is not None]
    assert not broke
