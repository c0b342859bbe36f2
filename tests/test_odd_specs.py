"""Specs that nobody would write: lint never fails on them, and what loads is read in any pieces."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import shipped_corpus

from toolect._authoring.lint import lint
from toolect._compiled import Dialect
from toolect._diagnostic import Diagnostic
from toolect._message import Call
from toolect._spec.load import load_spec, load_specs

VALUES = Path(__file__).resolve().parent.parent / "grammars" / "values"
SLOTS = ("ESCAPED", "ESCAPED_PYTHON", "TEXT")
CLOSERS = ('"</v>"', '";"', '"\\n"', '"\'\\""', '"\\\\"', '("\'" | ";")', "CLOSE", "")
ROLES = ("argument.value", "call.arguments", "argument", "call", "content", "reasoning", "code")
TEXT = 'a <c>f<a=x;y\'z"|</v>)\n\\ ><a="x"></c> b'


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty folder to work in."""
    monkeypatch.chdir(tmp_path)
    Path("grammars").mkdir()


def declare(lines: list[str], roles: str, more: str = "") -> None:
    """Write the spec of a dialect `d`: the lines of its grammar, what its map says, and `more` of its entry."""
    Path("grammars/d.lark").write_text("\n".join(lines) + "\n", "utf-8")
    Path("dialects.yaml").write_text(f"d: {{map: {{{roles}}}{more}}}\n", "utf-8")


def declared(lines: list[str], roles: str, more: str = "") -> Dialect:
    """The dialect that this declares."""
    declare(lines, roles, more)
    return Dialect(load_spec("dialects.yaml", "d"))


def write(argument: str, *more: str, roles: str) -> None:
    """A spec whose arguments are as this rule says."""
    lines = [
        "start: (content | call)*",
        "content: TEXT",
        'call: "<c>" NAME argument* "</c>"',
        f'argument: "<" KEY "=" {argument} ">"',
        r"NAME: /\w+/",
        r"KEY: /\w+/",
        *more,
        "%declare TEXT " + " ".join(SLOTS[:2]),
    ]
    declare(lines, f"content: content, call: call, NAME: call.name, argument: argument, KEY: argument.key, {roles}")


def errors() -> list[Diagnostic]:
    """The errors that lint finds; none of its checks may fail."""
    found = [*lint(Path("dialects.yaml")).diagnostics]
    assert not [d for d in found if d.check == "failed-check"]
    return [d for d in found if d.severity == "error"]


@pytest.mark.parametrize("slot", SLOTS)
@pytest.mark.parametrize("closer", CLOSERS)
def test_any_slot_may_have_any_closer(slot: str, closer: str) -> None:
    """Lint says whether it may, and does not fail; what it admits is read alike in any pieces."""
    kind = "ESCAPED" if slot.startswith("ESCAPED") else slot
    write(f"{slot} {closer}", *["CLOSE: /;+/"] * (closer == "CLOSE"), roles=f"argument/{kind}: argument.value")
    if errors():
        return
    dialect = Dialect(load_spec("dialects.yaml", "d"))
    for end in range(len(TEXT) + 1):
        stream = dialect.stream()
        for char in TEXT[:end]:
            stream.feed(char)
        stream.close()
        assert stream.message == dialect.parse(TEXT[:end])


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("key", ["VALUE", "argument/VALUE"])
def test_a_terminal_holds_no_value(role: str, key: str) -> None:
    """What a terminal reads is a name, an id or a key: any other role is refused where it is given, not dropped."""
    write("VALUE", r"VALUE: /\d+/", roles=f"{key}: {role}")
    _, found = load_specs("dialects.yaml")
    assert [d.check for d in found if d.severity == "error"] == ["wrong-role"]
    assert "got a terminal" in next(d.message for d in found)
    assert errors()


@pytest.mark.parametrize("rule", ["start: (content | call)* VALUE", "call: VALUE", "argument: KEY VALUE"])
def test_a_terminal_needs_a_meaning(rule: str) -> None:
    """Without a role it is refused too, where its text is not that of content."""
    write("TEXT", r"VALUE: /\d+/", roles="argument/TEXT: argument.value")
    text = Path("grammars/d.lark").read_text("utf-8")
    name = rule.split(":")[0]
    lines = [rule if line.startswith(f"{name}:") else line for line in text.splitlines()]
    Path("grammars/d.lark").write_text("\n".join(lines) + "\n", "utf-8")
    assert errors()


def test_broken_calls_where_no_content_may_stand() -> None:
    """A grammar without content in `start` reads broken calls, too."""
    lines = ["start: call*", 'call: "<c>" JSON "</c>"', "%declare JSON"]
    dialect = declared(lines, "call: call, call/JSON: {name: $name, arguments: $arguments}")
    assert [str(call.status) for call in dialect.parse('<c>{"a": 1,}</c>').calls] == ["malformed"]


def test_text_after_a_stray_marker_is_no_part_of_the_call_before_it() -> None:
    """What follows is read as after the text before the marker: an argument has no call there."""
    lines = [
        "start: (content | text | call)*",
        'text: "<a name=\\"long\\">" TEXT "</a>"',
        "content: TEXT",
        'call: "<" NAME ">" argument*',
        'argument: "\\n<a name=\\"" KEY "\\">" TEXT "</a>\\n"',
        r"NAME: /[^\s<>\"]+/",
        r"KEY: /[^\s<>\"]+/",
        "%declare TEXT",
    ]
    roles = "content: content, text: content, call: call, NAME: call.name, argument: argument, KEY: argument.key"
    message = declared(lines, f"{roles}, argument/TEXT: argument.value").parse('<r>0</a><a name="n<')
    assert [call.name for call in message.calls] == ["r"]
    assert message.content == '0<a name="n<'


def test_calls_that_begin_alike_are_told_by_the_marker_after_the_name() -> None:
    """After one name all arguments may come as JSON, or a marker and arguments one by one: the marker decides."""
    lines = [
        "start: (content | each | one)*",
        "content: TEXT",
        'each: "[" NAME ": " argument* "]]"',
        r'argument: "a=\"" KEY "\" " JSON ";"',
        'one: "[" NAME " " JSON ";"',
        "NAME: /[a-z_]+/",
        "KEY: /[a-z_]+/",
        "%declare TEXT JSON",
    ]
    roles = "content: content, one: call, one/JSON: $arguments, each: call, NAME: call.name, argument: argument"
    dialect = declared(lines, f"{roles}, argument/JSON: argument.value, KEY: argument.key")
    tools = [{"type": "function", "function": {"name": "tide", "parameters": {"type": "object"}}}]
    for text in ('[tide: a="day" 1;]]', '[tide {"day": 1};'):
        for known in (None, tools):
            message = dialect.parse(text, tools=known)
            assert [(call.arguments, call.runnable) for call in message.calls] == [({"day": 1}, True)]
            assert shipped_corpus.same(shipped_corpus.stream(dialect, text, tools=known)[0], message)


def test_a_value_ends_where_the_grammar_has_the_next_call() -> None:
    """It need not be a declared tool's, and its line may begin elsewhere."""
    lines = [
        r'start: (content | "<calls>" call ("\n" call)* "</calls>")*',
        "content: TEXT",
        r'call: "<call>\n" NAME "[ARGS]" argument* "\n"',
        r'argument: KEY ": " TEXT "\n"',
        "NAME: /[a-z_]+/",
        "KEY: /[a-z_]+/",
        "%declare TEXT",
    ]
    roles = "content: content, call: call, NAME: call.name, argument: argument, KEY: argument.key"
    dialect, known = declared(lines, f"{roles}, argument/TEXT: argument.value"), [{"name": "tide"}]
    for blanks in ("\n\n\n", " "):
        text = f"<calls><call>\ntide[ARGS]day: 1{blanks}<call>\nmoon[ARGS]day: 2\n\n</calls>"
        message = dialect.parse(text, known)
        assert [call.name for call in message.calls] == ["tide", "moon"]
        assert shipped_corpus.same(shipped_corpus.stream(dialect, text, tools=known)[0], message)


def test_a_short_opener_that_is_cut_off_is_waited_for() -> None:
    """Where another call may begin with two brackets, the first of them says nothing yet."""
    lines = [
        r'start: (content | "[CALLS]" tag | code)*',
        "content: TEXT",
        r'tag: "<" NAME ">\n" "</" NAME ">\n"',
        r'code: "{{" NAME "()" "}}"',
        "NAME: /[a-z_]+/",
        "%declare TEXT",
    ]
    dialect = declared(lines, "content: content, tag: call, code: call, NAME: call.name")
    text = "[CALLS]<tide>{{moon()}}"
    message = dialect.parse(text)
    assert [call.name for call in message.calls] == ["tide", "moon"]
    assert shipped_corpus.same(shipped_corpus.stream(dialect, text)[0], message)


def test_the_name_once_more_proves_a_call_after_short_signs() -> None:
    """In text, `[((f` alone is code: with the name again in a marker it is one, cut off too."""
    lines = [
        r'start: (content | "[" call ("\n" call)* "]")*',
        "content: TEXT",
        r'call: "((" NAME ">\n<" NAME ">\n" JSON ";"',
        "NAME: /[a-z_]+/",
        "%declare TEXT JSON",
    ]
    dialect = declared(lines, "content: content, call: call, call/JSON: $arguments, NAME: call.name")
    text = 'So [((tide>\n<tide>{"day": 1};]'
    for end in range(len(text) + 1):
        message = dialect.parse(text[:end])
        assert end <= text.index("{") or [call.name for call in message.calls] == ["tide"]
        assert shipped_corpus.same(shipped_corpus.stream(dialect, text[:end])[0], message)


def test_a_closer_with_other_spellings_is_implied_in_a_list_without_an_end() -> None:
    """The last call may be of the list, or alone: either way it lacks the same closer."""
    lines = [
        'start: (content | "[CALLS]" call call* | call)*',
        "content: TEXT",
        'call: "((" JSON "</call>"',
        "%declare TEXT JSON",
    ]
    roles = 'content: content, call: call, call/JSON: {"$name": $arguments}'
    dialect = declared(lines, roles, ', misspellings: {"</call>": ["</call"]}')
    text = '[CALLS](({"a": {}}</call>(({"e": {}}'
    message = dialect.parse(text)
    assert [str(call.status) for call in message.calls] == ["ok", "repaired"]
    assert shipped_corpus.same(shipped_corpus.stream(dialect, text)[0], message)


@pytest.mark.parametrize("opener", ["<go>", " to="])
@pytest.mark.parametrize("between", ["<say>\n", "<|say|>"])
@pytest.mark.parametrize(("inside", "body"), [(r'"\n"', "\n"), ("JSON", '{"a": 1}')])
def test_a_marker_that_repeats_the_name(opener: str, between: str, inside: str, body: str) -> None:
    """It is written with the name that was said: nothing is missing in it, and where it is cut off, a call is begun."""
    lines = [
        "start: (content | call)*",
        "content: TEXT",
        f'call: "{opener}" NAME ' + json.dumps(f'{between}<run name="') + rf' NAME "\">" {inside} "</run>"',
        r'NAME: /[^\s"<>]+/',
        "%declare TEXT JSON",
    ]
    roles = "content: content, call: call, NAME: call.name" + ", call/JSON: $arguments" * (inside == "JSON")
    dialect = declared(lines, roles)
    said = f"{opener}moon.tide{between}"
    text = f'{said}<run name="moon.tide">{body}</run>'
    assert dialect.parse(text).clean
    for end in range(len(text) + 1):
        message = dialect.parse(text[:end])
        assert [call.name for call in message.calls] == ["moon.tide"] or end < len(said), text[:end]
        for size in (1, 3):
            pieces = [text[at : min(at + size, end)] for at in range(0, end, size)]
            assert shipped_corpus.same(shipped_corpus.stream(dialect, pieces)[0], message), text[:end]


@pytest.mark.parametrize("outside", ["", " | json"])
def test_calls_that_stand_side_by_side_behind_one_opener(outside: str) -> None:
    """A sign that begins one is a call's there, whatever follows; also where it may begin another kind in content."""
    lines = [
        f'start: (content | "[CALLS]" (code | json)+{outside})*',
        "content: TEXT",
        'code: "[" NAME "(" ")"',
        r'json: "[" NAME "\n```json\n" JSON "))"',
        "NAME: /[a-z_]+/",
        "%declare TEXT JSON",
    ]
    dialect = declared(lines, "content: content, code: call, json: call, json/JSON: $arguments, NAME: call.name")
    for text in ("[CALLS][tide()[moon()", "[CALLS][tide()[moon()[sun()", "[CALLS][tide()[moon() and more"):
        message = dialect.parse(text)
        assert [call.name for call in message.calls] == ["tide", "moon", "sun"][: text.count("()")]
        assert shipped_corpus.same(shipped_corpus.stream(dialect, text)[0], message)


@pytest.mark.parametrize("between", ["@@@@", "@@", "@@" * 200])
@pytest.mark.parametrize("body", ['"GO " JSON', "JSON", '"GO " JSON "@"'])
def test_a_marker_that_others_begin_with_may_come_again(between: str, body: str) -> None:
    """Lint comes to an end where a place leads back to itself."""
    lines = [
        "start: (content | calls)*",
        "content: TEXT",
        f'calls: "@@" call ("{between}" call)* "@@"',
        f"call: {body}",
        "%declare TEXT JSON",
    ]
    declare(lines, "content: content, call: call, call/JSON: {f: $name, a: $arguments}")
    assert not errors()


def test_much_may_be_missing() -> None:
    """What Lark makes twice as many sequences of, each time, loads at once; whether Lark can read it is not asked."""
    many = " ".join(f'"<{number}>"?' for number in range(100))
    lines = ["start: (content | call)*", "content: TEXT", f'call: "<c>" {many} JSON "</c>"', "%declare TEXT JSON"]
    declare(lines, "content: content, call: call, call/JSON: {f: $name, a: $arguments}")
    specs, found = load_specs("dialects.yaml")
    assert [str(d.check) for d in found] == ["too-large"]
    assert Dialect(specs["d"]).parse('<c><7><9>{"f": "tide", "a": {}}</c>').calls[0].name == "tide"


@pytest.mark.parametrize("size", [1, 3, 100])
def test_a_call_of_json_beside_one_of_text(size: int) -> None:
    """What is written before either is not missed before the other."""
    lines = [
        'start: (content | "[CALLS]" (json | code))*',
        "content: TEXT",
        'json: "%%" NAME " " JSON',
        r'code: "%%" NAME "\n" TEXT "]]"',
        "NAME: /[a-z_]+/",
        "%declare TEXT JSON",
    ]
    roles = "content: content, json: call, json/JSON: $arguments, code: call, code/TEXT: {arguments: {code: $text}}"
    dialect = declared(lines, f"{roles}, NAME: call.name")
    for text in ('[CALLS]%%tide {"port": "Brest"}', "[CALLS]%%moon\nday = 3]]"):
        message = dialect.parse(text)
        assert message.exact, message
        assert shipped_corpus.same(shipped_corpus.stream(dialect, re.findall(f"(?s:.{{1,{size}}})", text))[0], message)


def test_what_goes_on_where_no_text_stands() -> None:
    """A marker that begins a call of what is open, and another one outside of it, is the next of what is open."""
    lines = [
        "start: (content | calls | fenced)*",
        "content: TEXT",
        r'angled: "```call\n" JSON ">"',
        r'fenced: "```call\n" JSON "\n```"',
        'calls: "[CALLS]" (angled | fenced)+',
        "%declare TEXT JSON",
    ]
    shape = "{name: $name, arguments: $arguments}"
    dialect = declared(
        lines, f"content: content, angled: call, angled/JSON: {shape}, fenced: call, fenced/JSON: {shape}"
    )
    angled, fenced = (f'```call\n{{"name": "{name}", "arguments": {{}}}}' for name in ("tide", "moon"))
    for text in (f"[CALLS]{angled}>{angled}>", f"[CALLS]{angled}>{fenced}\n```{angled}>", f"[CALLS]{angled}>{angled}"):
        message = dialect.parse(text)
        assert message.exact or not text.endswith((">", "```"))
        assert shipped_corpus.same(shipped_corpus.stream(dialect, text)[0], message)


def test_what_stands_before_a_short_opener_is_known_where_text_is_skipped() -> None:
    """In a broken call, too, a bracket that is glued to a word begins no other call, whole as in a stream."""
    lines = [
        "start: (content | calls | call)*",
        "content: TEXT",
        r'argument: KEY ": " JSON "\n"',
        r'call: "[" NAME ">\n" argument* "[/" NAME ">\n"',
        'calls: "[" call call* "]"',
        "NAME: /[a-z]+/",
        "KEY: /[a-z]+/",
        "%declare TEXT JSON",
    ]
    roles = "content: content, call: call, NAME: call.name, argument: argument, KEY: argument.key"
    dialect = declared(lines, f"{roles}, argument/JSON: argument.value")
    for broken in ("[tide]x", "[tide] "):
        text = f"[[moon>[/moon>{broken}[[sun>x"
        message = dialect.parse(text)
        assert shipped_corpus.same(shipped_corpus.stream(dialect, text)[0], message), broken


def test_a_run_of_brackets_is_the_same_in_pieces() -> None:
    """However many they are, they are read alike whole and in pieces."""
    lines = [
        "start: (content | call | other)*",
        "content: TEXT",
        'call: "[[" JSON "[/CALL]"',
        'other: "[" NAME "]" JSON "[/]"',
        r"NAME: /\w+/",
        "%declare TEXT JSON",
    ]
    roles = "content: content, call: call, call/JSON: {name: $name, arguments: $arguments}"
    dialect = declared(lines, f"{roles}, other: call, other/JSON: call.arguments, NAME: call.name")
    for size in range(3, 16):
        whole, stream = dialect.parse("[" * size), dialect.stream()
        for _ in range(size):
            stream.feed("[")
        stream.close()
        assert stream.message == whole


@pytest.mark.parametrize("start", ["call*", "(call | think)*"])
def test_the_beginning_of_an_opener_with_a_blank_is_gone_over(start: str) -> None:
    """Where no content may stand, what only begins as the opener does is skipped, and the next call is read."""
    lines = [
        f"start: {start}",
        'call: "<act to>" JSON "<end>"',
        *['think: "<say>" TEXT "</say>"'] * ("think" in start),
        "%declare JSON" + " TEXT" * ("think" in start),
    ]
    roles = "call: call, call/JSON: {name: $name, arguments: $arguments}" + ", think: reasoning" * ("think" in start)
    dialect = declared(lines, roles)
    for before in ("<act x", "y <act x", "<act <act ", "<act\n<act t"):
        text = f'{before}<act to>{{"name": "f", "arguments": {{}}}}<end>'
        for end in (len(before), len(text)):
            message = dialect.parse(text[:end])
            shipped_corpus.check_spans(message, text[:end])
            assert len(message.runnable) == (end > len(before)), before
            assert shipped_corpus.same(shipped_corpus.stream(dialect, text[:end])[0], message), before


def test_a_string_in_other_quotes_does_not_take_the_next_argument_in() -> None:
    """It ends with its own quote, and the argument after it is read, as is the next call."""
    lines = [
        "start: (content | call)*",
        "content: TEXT",
        'call: "<|sh|>" NAME argument* "<|/sh|>"',
        'argument: " --" KEY "=" value',
        'value: "\\"" ESCAPED "\\"" -> quoted',
        "     | JSON -> plain",
        "NAME: /[a-z]+/",
        "KEY: /[a-z]+/",
        "%declare TEXT JSON ESCAPED",
    ]
    roles = "content: content, call: call, NAME: call.name, argument: argument, KEY: argument.key"
    dialect = declared(lines, f"{roles}, quoted/ESCAPED: argument.value, plain/JSON: argument.value")
    for sign, end in ("''", "“”", "``"):
        text = f'<|sh|>rm --path={sign}x{end} --note="old"<|/sh|>\n<|sh|>g --b=1<|/sh|>'
        message = dialect.parse(text)
        said = [(call.name, call.arguments, call.runnable) for call in message.calls]
        assert said == [("rm", {"path": "x", "note": "old"}, True), ("g", {"b": 1}, True)], sign
        assert shipped_corpus.same(shipped_corpus.stream(dialect, text)[0], message), sign


@pytest.mark.parametrize("size", [1, 3, 100])
def test_text_in_place_of_json_ends_where_the_grammar_goes_on(size: int) -> None:
    """The argument in the next line is none of it."""
    roles = "content: content, call: call, NAME: call.name, argument: argument, KEY: argument.key"
    roles += ", argument/JSON: argument.value"
    head = ["start: (content | call)*", "content: TEXT", r"NAME: /\w+/", r"KEY: /\w+/", "%declare TEXT JSON"]
    lines = ['call: "<call " NAME ">\\n" argument* "</call>"', 'argument: KEY " = " JSON "\\n"']
    dialect = declared([*head, *lines], roles)
    for given, meant in (("Paris", "Paris"), ("2024-01-01", "2024-01-01"), ("'a b'", "a b")):
        arguments = {"x": meant, "y": 3}
        stream, text = dialect.stream(), f"<call f>\nx = {given}\ny = 3\n</call>"
        for at in range(0, len(text), size):
            stream.feed(text[at : at + size])
        stream.close()
        assert [(call.arguments, call.runnable) for call in stream.message.calls] == [(arguments, True)]
        assert shipped_corpus.same(stream.message, dialect.parse(text))


def test_the_last_marker_of_the_prompt_stands_twice() -> None:
    """It is left out, whole as in pieces."""
    lines = ["start: content* think", "content: TEXT", r'think: "<think>\n" TEXT "\n</think>\n"', "%declare TEXT"]
    dialect = declared(lines, "content: content, think: reasoning", r', prefill: {"<think>\n": think}')
    for text in ("<think>\n</think>", "<think>\nHm.\n</think>\n"):
        message = dialect.parse(text, prefix="<think>\n")
        assert [repair.detail for repair in message.repairs] == ["<think>"]
        assert shipped_corpus.same(shipped_corpus.stream(dialect, text, prefix="<think>\n")[0], message)


@pytest.mark.parametrize(
    "text", ["<c>f<i>f_0<a>{}</c>", "Hi.<c>f<i>f_0<a>{}</c>", "Hi.<c>f<i>f_7<a>{}</c> <c>f<i>f_8<a>{}"]
)
def test_an_id_that_repeats_the_name(text: str) -> None:
    """It is the call's, whatever comes before the call and in whichever pieces."""
    lines = ["start: (content | call)*", "content: TEXT", 'call: "<c>" NAME "<i>" ID "<a>" JSON "</c>"',
             r"NAME: /\w+/", r"ID: /\w+/", "%declare TEXT JSON"]  # fmt: skip
    roles = "content: content, call: call, NAME: call.name, ID: call.id, call/JSON: call.arguments"
    dialect = declared(lines, roles, ', ids: {form: "{name}_{index}"}')
    ids = re.findall(r"<i>(\w+)", text)
    assert [call.id for call in dialect.parse(text).calls] == ids
    for size in (1, 4, 99):
        reader = dialect.stream()
        for at in range(0, len(text), size):
            reader.feed(text[at : at + size])
        reader.close()
        assert [call.id for call in reader.message.calls] == ids


CHANNELS = ['call: "<|do|>" NAME "<|with|>" JSON', r"NAME: /\w+/", "%declare TEXT JSON"]
CALLED = 'Hello.<|do|>f<|with|>{"a": 1}\nDone.'


@pytest.mark.parametrize(
    "lines",
    [
        ["start: (say | call)*", 'say: "<|say|>" TEXT', *CHANNELS],
        ["start: say? call*", 'say: "<|say|>" TEXT "<|end|>"', *CHANNELS],
        ['start: say? call* "<|over|>"', 'say: "<|say|>" TEXT', *CHANNELS],
        ["start: (say | call)*", r'say: "A: " TEXT "\n"', *CHANNELS],
        ["start: call+", *CHANNELS],
    ],
)
def test_text_outside_of_all_markers_is_content(lines: list[str]) -> None:
    """A grammar whose content stands behind a marker, or that has none, loses nothing that a model wrote."""
    said = "say: content, " * (len(lines) > 1 + len(CHANNELS))
    dialect = declared(lines, f"{said}call: call, NAME: call.name, call/JSON: call.arguments")
    for text, content, calls in (("Hello there.", "Hello there.", 0), (CALLED, "Hello.Done.", 1)):
        message, stream = dialect.parse(text), dialect.stream()
        assert (message.content.replace("\n", ""), len(message.runnable)) == (content, calls)
        for char in text:
            stream.feed(char)
        stream.close()
        assert stream.message == message


@pytest.mark.parametrize("call", ['"<c>" JSON "</c>"', "JSON"])
def test_the_gap_between_calls_is_no_whitespace_too_many(call: str) -> None:
    """Also where no content may stand between two of them."""
    lines = ["start: content? call*", "content: TEXT", f"call: {call}", "%declare TEXT JSON"]
    shape = "call/JSON: {name: $name, arguments: $arguments}"
    dialect = declared(lines, f"content: content, call: call, {shape}", ', gaps: {between calls: "\\n\\n"}')
    text = dialect.render([Call("f", {}), Call("g", {"a": 1})])
    assert "\n\n" in text
    assert len(dialect.parse(text, mode="strict").runnable) == 2


def test_text_outside_of_markers_is_no_name() -> None:
    """What a thought may end with, and a call begins with, is the beginning of a call before a name."""
    lines = [
        "start: think? (say | call)*",
        'think: "<|r|>" TEXT "<|end|>" "<|model|>"?',
        'say: "<|say|>" TEXT "<|end|>"',
    ]
    lines += ['call: "<|model|>" NAME "<|with|>" JSON "<|end|>"', r"NAME: /\w+/", "%declare TEXT JSON"]
    roles = "say: content, think: reasoning, call: call, NAME: call.name, call/JSON: call.arguments"
    message = declared(lines, roles).parse('<|r|>Hm.<|end|><|model|>f<|with|>{"a": 1}<|end|>')
    assert (message.reasoning, [call.name for call in message.runnable]) == ("Hm.", ["f"])


def test_a_string_outside_of_calls_is_no_call_that_is_written_again() -> None:
    """Its opener may stand in it."""
    lines = ["start: think? (content | call)*", "content: TEXT", 'think: "(think " "\\"" ESCAPED "\\"" ")\\n"']
    lines += ['call: "<call>" JSON "</call>"', "%declare TEXT ESCAPED JSON"]
    shape = "call/JSON: {name: $name, arguments: $arguments}"
    message = declared(lines, f"content: content, think: reasoning, call: call, {shape}").parse('(think "(think "')
    assert message.reasoning == "(think "


def test_a_misspelt_closer_begins_behind_what_was_passed_on_as_text() -> None:
    """A sign that opens nested elements is text, and is so whole and in pieces."""
    lines = ["start: (content | call)*", "content: TEXT", 'call: "<run tool=" NAME ">\\n" argument* "</run>\\n"']
    lines += ['argument: "<in key=" KEY ">" value "</in>\\n"', r"NAME: /\w+/", r"KEY: /\w+/", "%declare TEXT"]
    roles = "content: content, call: call, NAME: call.name, argument: argument, KEY: argument.key"
    dialect = declared([*lines, "%import .values.xml (value)"], f"{roles}, argument/value: argument.value")
    text = "<run tool=a>\n<in key=a>y<x/in>\n</run>\n"
    assert shipped_corpus.same(shipped_corpus.stream(dialect, text)[0], dialect.parse(text))
