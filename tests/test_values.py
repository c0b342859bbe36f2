"""Value languages: depth, schemas inside of values, and what a stream passes on when."""

from __future__ import annotations

import ast
import random
import time
from pathlib import Path

import pytest
import shares
import shipped_corpus
from msgspec import structs

import toolect
from toolect import registry
from toolect._compiled import Dialect
from toolect._events import ArgumentsDelta
from toolect._message import Call, Content, Json, Message, RepairKind, Status
from toolect._spec.codec_model import Codec, CodecKind
from toolect._spec.grammar_model import Escapes, Seq
from toolect._spec.load import load_spec
from toolect._values.escapes import escape, unescape

TAG = "]<]minimax[>[<"
DEEP = {
    "cohere-cmd5": (
        '<cofl:tool_calls><cofl:tool_call id="0" name="f"><cofl:value name="a" type="list">',
        '<cofl:value type="list">',
    ),
    "functiongemma": ("<start_function_call>call:f{a:", "["),
    "minimax-m3": (f'{TAG}tool_call>\n{TAG}invoke name="f">', f"{TAG}a>"),
}


@pytest.mark.parametrize("name", DEEP)
def test_depth_has_a_bound(name: str) -> None:
    """Values that nest a hundred thousand deep are malformed, soon, in one piece and in many."""
    opener, level = DEEP[name]
    text = opener + level * 100_000
    dialect = toolect.dialect(name)
    start = time.process_time()
    (call,) = dialect.parse(text).calls
    assert call.status is Status.MALFORMED
    assert call.error is not None
    assert "nested too deep" in call.error
    message, _ = shipped_corpus.stream(dialect, (text[i : i + 999] for i in range(0, len(text), 999)))
    assert message.calls == [call]
    assert time.process_time() - start < 10


@pytest.mark.parametrize("name", DEEP)
def test_what_nests_less_is_carried(name: str) -> None:
    """Eighty levels are no trouble."""
    value: Json = "x"
    for _ in range(40):
        value = {"a": [value]}
    message = Message([Call("f", {"a": value})])
    dialect = toolect.dialect(name)
    assert dialect.parse(str(dialect.render(message))).calls[0].arguments == {"a": value}


def deltas(name: str, pieces: list[str], tools: Json = None) -> list[str]:
    """The argument text that each piece makes the stream pass on."""
    stream = toolect.dialect(name).stream(tools=tools)
    return ["".join(e.text for e in stream.feed(piece) if isinstance(e, ArgumentsDelta)) for piece in pieces]


def test_typed_elements_are_passed_on_as_they_arrive() -> None:
    """Text flows; JSON waits until it is complete."""
    pieces = [
        '<cofl:tool_calls><cofl:tool_call id="0" name="f">',
        '<cofl:value name="a" type="list"><cofl:value type="raw">on',
        "e",
        '</cofl:value><cofl:value type="json">{"x": ',
        "1}</cofl:value></cofl:value>",
        "</cofl:tool_call>",
    ]
    assert deltas("cohere-cmd5", pieces) == ["", '{"a": ["on', "e", '", ', '{"x": 1}]', "}"]


def test_elements_wait_until_their_name_does_not_come_again() -> None:
    """Whether a value is one or the first of a list shows at the next name."""
    tags = [f"{TAG}{key}>{value}{TAG}/{key}>" for key, value in (("a", "1"), ("a", "2"), ("b", "x"))]
    pieces = [f'{TAG}tool_call>\n{TAG}invoke name="f">', *tags, f"{TAG}/invoke>\n{TAG}/tool_call>"]
    came = deltas("minimax-m3", pieces)
    assert (came[:3], "".join(came)) == (["", "", ""], '{"a": [1, 2], "b": "x"}')


@pytest.mark.parametrize("name", ["olmo3", "gemma-tool-code"])
@pytest.mark.parametrize("value", ["b", "bc", ["b", "c"], 3])
def test_arguments_are_not_written_without_their_name(name: str, value: Json) -> None:
    """Where arguments may be read without a name, one whose name cannot be written is refused."""
    with pytest.raises(toolect.RenderError, match="argument key: does not match"):
        toolect.dialect(name).render(Message([Call("f", {"first name": value})]))


@pytest.mark.parametrize("name", ["pythonic", "gemma-tool-code", "js-call-block", "gemma4", "seed-oss"])
def test_what_python_refuses_is_no_number(name: str) -> None:
    """No token that looks like a number becomes another number than Python makes of it without a word."""
    text = {
        "pythonic": "[f(a=[{}])]",
        "gemma-tool-code": "```tool_code\nf(a=[{}])\n```",
        "js-call-block": "```js\nf({{a: [{}]}})\n```",
        "gemma4": "<|tool_call>call:f{{a:[{}]}}<tool_call|>",
        "seed-oss": "<seed:tool_call>\n<function=f>\n<parameter=a>[{}]</parameter>\n</function>\n</seed:tool_call>",
    }[name]
    dialect, rng = toolect.dialect(name), random.Random(5)
    for _ in range(2000):
        word = rng.choice("0123456789-+.") + "".join(rng.choices("00112789__.eExXoObB-+aFnj١", k=rng.randint(0, 5)))
        try:
            known = ast.literal_eval(word)
        except (SyntaxError, ValueError):
            known = None
        for call in dialect.parse(text.format(word)).calls:
            found = call.arguments.get("a")
            if call.status in (Status.OK, Status.REPAIRED) and not call.repairs and isinstance(found, list):
                assert all(item == known or isinstance(item, str) for item in found), (word, found, known)


SECTIONS = {
    "<![CDATA[a < b && c]]>": "a < b && c",
    "\n<![CDATA[one\ntwo]]>\n": "one\ntwo",
    "<![CDATA[x[y[0]]]]><![CDATA[>z]]>": "x[y[0]]>z",
    "<![CDATA[]]>": "",
    "<![CDATA[x": "x",
    "<![CDATA[x]]> y": "<![CDATA[x]]> y",
    "x <![CDATA[y]]>": "x <![CDATA[y]]>",
    "<![CDATAx": "<![CDATAx",
    "<": "<",
}
ELEMENTS = [
    "anthropic-xml", "beam", "cohere-cmd5", "direct-xml", "dots", "dsml-v3.2", "gcml", "glm-4.5", "glm-4.7", "hy3",
    "hy4", "k2-horizon", "ling3", "mimo-v2", "minimax-m2", "minimax-m3", "muse", "qwen3-coder", "seed-oss", "step3",
]  # fmt: skip


@pytest.mark.parametrize("name", ELEMENTS)
def test_values_of_elements_may_stand_in_sections(name: str) -> None:
    """CDATA is taken off where all of a value stands in it, in a stream too; what is missing of it is noted."""
    dialect = toolect.dialect(name)
    tools = [{"name": "f", "parameters": {"type": "object", "properties": {"a": {"type": "string"}}}}]
    text = str(dialect.render(Message([Call("f", {"a": "WHOLE"})]), tools))
    for written, meant in SECTIONS.items():
        said = text.replace("WHOLE", written)
        message = dialect.parse(said, tools)
        assert [call.arguments for call in message.calls] == [{"a": meant}], written
        known = [str(repair.kind) for repair in message.calls[0].repairs if repair.kind is not RepairKind.WHITESPACE]
        assert known == (["implied-closer"] if written == "<![CDATA[x" else []), written
        for size in (1, 3, 8):
            pieces = (said[i : i + size] for i in range(0, len(said), size))
            assert shipped_corpus.stream(dialect, pieces, tools=tools)[0] == message, written


@pytest.mark.parametrize("name", ELEMENTS)
@pytest.mark.parametrize("value", [written for written in SECTIONS if written != "<"])
def test_values_that_are_sections_are_carried(name: str, value: str) -> None:
    """What would be read as a section is written in one of its own."""
    dialect = toolect.dialect(name)
    text = dialect.render(Message([Call("f", {"a": value})]))
    assert dialect.parse(text, mode="strict").calls[0].arguments == {"a": value}


def test_what_a_codec_refuses_is_unrepresentable() -> None:
    """A value language whose scalars are texts refuses a number, as an argument would."""
    dialect = Dialect(structs.replace(registry.spec("minimax-m3"), codecs={"scalar/TEXT": Codec(CodecKind.TEXT)}))
    assert dialect.parse(dialect.render(Message([Call("f", {"a": "x"})]))).calls[0].arguments == {"a": "x"}
    with pytest.raises(toolect.RenderError, match="scalar: expected a string, got integer"):
        dialect.render(Message([Call("f", {"a": 1})]))


def test_a_rule_without_a_place_is_unrepresentable() -> None:
    """Content whose rule is empty cannot be written, and raises nothing else."""
    hermes = registry.spec("hermes")
    rules = hermes.rules | {"content": structs.replace(hermes.rules["content"], expr=Seq(()))}
    with pytest.raises(toolect.RenderError):
        Dialect(structs.replace(hermes, rules=rules)).render(Message([Content("x")]))


@pytest.mark.parametrize(
    ("text", "json", "python", "javascript"),
    [
        (r"\n\t\\\"", '\n\t\\"', '\n\t\\"', '\n\t\\"'),
        (r"\u00e9\ud83c\udf0a", "é🌊", "é🌊", "é🌊"),
        (r"\x41", r"\x41", "A", "A"),
        (r"\033[1m\0", r"\033[1m\0", "\x1b[1m\0", "\x1b[1m\0"),
        (r"\a\v", r"\a\v", "\a\v", "\\a\v"),
        (r"\U0001F30A", r"\U0001F30A", "🌊", r"\U0001F30A"),
        (r"\u{1F30A}", r"\u{1F30A}", r"\u{1F30A}", "🌊"),
        ("a\\\nb", "a\\\nb", "ab", "ab"),
        (r"\d \/", r"\d /", r"\d /", r"\d /"),
    ],
)
def test_escapes_are_those_of_the_language(text: str, json: str, python: str, javascript: str) -> None:
    """One that a language does not have stays as it is."""
    languages = (Escapes.JSON, Escapes.PYTHON, Escapes.JAVASCRIPT)
    assert [unescape(text, escapes) for escapes in languages] == [json, python, javascript]


@pytest.mark.parametrize(
    ("text", "toml", "yaml", "signs"),
    [
        (r"\e\b\U0001F30A", "\x1b\b🌊", "\x1b\b🌊", "ebU0001F30A"),
        (r"\x41\N\_", r"\x41\N\_", "A\x85\xa0", "x41N_"),
        ('\\"a\\\nb', '"a\\\nb', '"ab', '"a\nb'),
    ],
)
def test_escapes_of_configuration_files(text: str, toml: str, yaml: str, signs: str) -> None:
    """Each has its own, and where only signs are escaped all others stand for themselves."""
    assert [unescape(text, e) for e in (Escapes.TOML, Escapes.YAML, Escapes.SIGNS)] == [toml, yaml, signs]


@pytest.mark.parametrize(
    ("escapes", "written"),
    [
        (Escapes.JSON, r"\b\f\u000b\n"),
        (Escapes.PYTHON, r"\x08\x0c\x0b\n"),
        (Escapes.JAVASCRIPT, r"\b\f\v\n"),
        (Escapes.SIGNS, "\b\f\v\n"),
    ],
)
def test_how_control_characters_are_written(escapes: Escapes, written: str) -> None:
    """As the language's own printer writes them."""
    assert escape("\b\f\v\n", ['"'], escapes) == written


@pytest.mark.parametrize("escapes", Escapes)
def test_what_is_escaped_is_read_back(escapes: Escapes) -> None:
    """All control characters, quotes and backslashes, whatever follows them."""
    text = "".join(f"{chr(code)}7{chr(code)}" for code in range(128))
    assert unescape(escape(text, '"', escapes), escapes) == text
    assert unescape(escape(text, "'", escapes), escapes) == text


@pytest.mark.parametrize(
    ("text", "entities", "percent"),
    [
        ("&amp;lt; &#10;&#x1F30A;", "&lt; \n🌊", "&amp;lt; &#10;&#x1F30A;"),
        ("&nbsp; &amp &#0xD800; &#55296; &#9999999;", "&nbsp; &amp &#0xD800; &#55296; &#9999999;", None),
        ("%20%C3%A9%F0%9F%8C%8A", None, " é🌊"),
        ("100% %C3%41 %ED%A0%80 %zz", None, "100% %C3A %ED%A0%80 %zz"),
    ],
)
def test_entities_and_percents(text: str, entities: str | None, percent: str | None) -> None:
    """What is no escape stays as it is."""
    assert unescape(text, Escapes.ENTITIES) == (text if entities is None else entities)
    assert unescape(text, Escapes.PERCENT) == (text if percent is None else percent)


AT_ONCE = """\
d:
  map: {content: content, call: call, NAME: call.name, call/TEXT: call.arguments, argument: argument, KEY: argument.key,
        argument/TEXT: argument.value}
  values: {call/TEXT: {codec: json, spelling: %s}, argument/TEXT: {codec: json, spelling: %s}}
"""
AT_ONCE_GRAMMAR = """\
start: (content | call)*
content: TEXT
call: "<call " NAME ">\\n" TEXT "\\n</call>"
    | "<args " NAME ">" argument* "</args>"
argument: "<arg " KEY ">" TEXT "</arg>"
NAME: /\\w+/
KEY: /\\w+/
%declare TEXT
"""


@pytest.mark.parametrize("spelling", ["json", "python", "jinja", "yaml"])
def test_a_text_is_a_value_in_any_notation(tmp_path: Path, spelling: str) -> None:
    """All arguments at once, and the value of one; streams say the same."""
    (tmp_path / "grammars").mkdir()
    (tmp_path / "d.yaml").write_text(AT_ONCE.replace("%s", spelling))
    (tmp_path / "grammars" / "d.lark").write_text(AT_ONCE_GRAMMAR)
    dialect = Dialect(load_spec(tmp_path / "d.yaml", "d"))
    arguments: dict[str, Json] = {"a": "x\n 1", "b": [1, {"c": None}], "d": True, "e": {}, "f": "20", "g": None}
    text = str(dialect.render(Message([Call("f", arguments)])))
    assert text.startswith("<call f>")
    for wire in (text, "<args f><arg b>[1, 2]</arg><arg c>true</arg></args>"):
        whole = dialect.parse(wire)
        stream = dialect.stream()
        for char in wire:
            stream.feed(char)
        stream.close()
        assert stream.message == whole
        assert whole.calls[0].arguments == (arguments if wire == text else {"b": [1, 2], "c": True})


HOSTILE = [
    "</arg>",
    "</call>",
    '"',
    "&lt;",
    "%3C",
    "\\",
    "\\n",
    "\n",
    "a&",
    "é🌊",
    "20",
    20,
    True,
    None,
    [1, "</arg>"],
    {"<": "&"},
]


TWICE = (Escapes.APOSTROPHES, Escapes.QUOTES)
"""They hide nothing but one sign."""


def escaping(folder: Path, slot: str, codec: str, quote: str = "") -> Dialect:
    """A dialect whose values, in a `slot`, have a codec."""
    (folder / "grammars").mkdir()
    (folder / "d.yaml").write_text(f"""\
d:
  map: {{content: content, call: call, NAME: call.name, argument: argument, KEY: argument.key,
        argument/{slot}: argument.value}}
  values: {{NAME: {{escapes: entities}}, KEY: {{escapes: percent}}, argument/{slot}: {codec}}}
""")
    (folder / "grammars" / "d.lark").write_text(f"""\
start: (content | call)*
content: TEXT
call: "<call name=\\"" NAME "\\">" argument* "</call>"
argument: "<arg name=\\"" KEY "\\">{quote}" {slot} "{quote}</arg>"
NAME: /[^"]+/
KEY: /[^"]+/
%declare TEXT ESCAPED
""")
    return Dialect(load_spec(folder / "d.yaml", "d"))


@pytest.mark.parametrize("escapes", [*(e for e in Escapes if e not in TWICE), None])
def test_values_are_escaped_and_typed(tmp_path: Path, escapes: Escapes | None) -> None:
    """Escapes come first, then the type; streams say the same, to the last span."""
    if escapes is None:
        dialect = escaping(tmp_path, "ESCAPED", "schema", "'")
    else:
        dialect = escaping(tmp_path, "TEXT", f"{{codec: schema, escapes: {escapes}}}")
    types = {"s": {"type": "string"}, "n": {"type": ["integer", "boolean", "null"]}, "a": {"type": ["array", "object"]}}
    tools = [{"name": 'f "<', "parameters": {"type": "object", "properties": types}}]
    for value in HOSTILE:
        key = "s" if isinstance(value, str) else "a" if isinstance(value, list | dict) else "n"
        text = str(dialect.render(Message([Call('f "<', {key: value, "%&": "x"})]), tools))
        message = dialect.parse(text, tools)
        assert message.calls[0].arguments == {key: value, "%&": "x"}, text
        stream = dialect.stream(tools=tools)
        for char in text:
            stream.feed(char)
        stream.close()
        assert stream.message == message
        for end in shares.share(range(len(text)), 12, text):
            stream, cut = dialect.stream(tools=tools), dialect.parse(text[:end], tools)
            for char in text[:end]:
                stream.feed(char)
            stream.close()
            assert stream.message == cut


def test_escapes_are_passed_on_as_they_arrive(tmp_path: Path) -> None:
    """Only what may be the beginning of an escape waits."""
    dialect = escaping(tmp_path, "TEXT", "{codec: schema, escapes: entities}")
    tools = [{"name": "f", "parameters": {"type": "object", "properties": {"s": {"type": "string"}}}}]
    stream = dialect.stream(tools=tools)
    pieces = ['<call name="f"><arg name="s">', "a&am", "p;b &", "lt", "; &x", "</arg></call>"]
    texts = ["".join(e.text for e in stream.feed(piece) if isinstance(e, ArgumentsDelta)) for piece in pieces]
    assert "".join(texts) == '{"s": "a&b < &x"}'
    assert texts[:5] == ['{"s": "', "a", "&b ", "", "< "]
