"""What the tools declare decides in every dialect: types, what spells values, wrappers, names, the only parameter."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path

import pytest
import shipped_corpus

import toolect
from toolect._building.doubts import GUESSED
from toolect._message import Call, Content, Json, Message, RepairKind
from toolect._rendered import RenderError
from toolect._values.toolset import tool_schemas

over_all = pytest.mark.parametrize("name", sorted(toolect.dialects()))
SAYS: dict[str, tuple[str, Json]] = {
    "int": ("2", 2), "uint": ("2", 2), "Integer": ("2", 2), "float": ("2.5", 2.5), "FLOAT": ("2.5", 2.5),
    "bool": ("true", True), "Boolean": ("false", False), "list": ("[1]", [1]), "List[int]": ("[1]", [1]),
    "dict": ('{"a": 1}', {"a": 1}), "str": ("2", "2"), "String": ("true", "true"),
}  # fmt: skip
"""A type's name → a text, and the value of that type that it is."""
WRAPPERS = ("arguments", "input", "parameters", "properties")


def tool(name: str = "f", **types: str | dict[str, Json]) -> dict[str, Json]:
    """A tool whose parameters are of these types."""
    declared = {key: {"type": kind} if isinstance(kind, str) else kind for key, kind in types.items()}
    return {"name": name, "parameters": {"type": "object", "properties": declared}}


def written(name: str, call: Call) -> str:
    """The call as the dialect writes it."""
    return str(toolect.dialect(name).render(Message([call])))


def read(name: str, call: Call | str, *tools: dict[str, Json]) -> Call | None:
    """The call as it is read by these declarations, whole and in pieces; None where it is not to be run."""
    wire = call if isinstance(call, str) else written(name, call)
    dialect = toolect.auto if name == "auto" else toolect.dialect(name)
    message, stream = dialect.parse(wire, tools), dialect.stream(tools=tools)
    for char in wire:
        stream.feed(char)
    stream.close()
    assert stream.message == message
    return message.calls[0] if [c.runnable for c in message.calls] == [True] else None


def same(found: Call | None, name: str, arguments: Json) -> bool:
    """True when this call was read, each value of its own type."""
    return found is not None and found.name == name and repr(found.arguments) == repr(arguments)


@over_all
def test_names_of_types(name: str) -> None:
    """Law: a type may have the name that people use, and a text that spells a value of it is that value."""
    for kind, (text, value) in SAYS.items():
        for given in (text, value):
            assert same(read(name, Call("f", {"a": given}), tool(a=kind)), "f", {"a": value}), (kind, given)


@over_all
def test_texts_inside(name: str) -> None:
    """Law: so it is at any depth."""
    inside = {"type": "object", "properties": {"d": {"type": "int"}, "n": {"type": "string"}}}
    declared = tool(a=inside, b={"type": "array", "items": {"type": "number"}})
    found = read(name, Call("f", {"a": {"d": "5", "n": "6"}, "b": ["1", "2.5"]}), declared)
    assert same(found, "f", {"a": {"d": 5, "n": "6"}, "b": [1, 2.5]})


@over_all
def test_wrappers(name: str) -> None:
    """Law: a sole argument that is not declared, with what is declared in it, is taken away; no other is."""
    for word in WRAPPERS:
        for held, is_one in (({"a": 2, "b": "x"}, True), ({"a": 2, "c": "x"}, False)):
            found = read(name, Call("f", {word: held}), tool(a="int", b="string"))
            assert same(found, "f", held if is_one else {word: held}), (word, held)
        declared = tool(**{word: "object", "a": "int"})
        assert same(read(name, Call("f", {word: {"a": 2}}), declared), "f", {word: {"a": 2}}), word


@over_all
def test_names_of_tools(name: str) -> None:
    """Law: a name with others before it is the one declared tool that it ends with; where two fit, it stays."""
    for said in ("ns.f", "f.f", "functions.f", "ns:f", "ns/f"):
        try:
            found = read(name, Call(said, {"a": 2}), tool(a="int"))
        except toolect.RenderError:
            assert said in ("ns:f", "ns/f")  # no name there
            continue
        assert same(found, "f", {"a": 2}), said
    assert same(read(name, Call("g.f", {}), tool("f"), tool("g.f")), "g.f", {})
    found = read(name, Call("x.g.f", {}), tool("f"), tool("g.f"))
    assert found is None or found.name == "x.g.f"


@over_all
def test_an_undeclared_tool_is_called(name: str) -> None:
    """Law: it is reported, where a declaration is not what proves the call; dropping it is a policy."""
    dialect = toolect.dialect(name)
    wire = written(name, Call("other", {"a": 1}))
    kept = dialect.parse(wire, [tool(a="int")], unknown_tool="keep")
    named = shipped_corpus.begins_with_names(dialect)
    assert named or [call.name for call in kept.calls] == ["other"]
    assert dialect.parse(wire, [tool(a="int")], unknown_tool="content").calls == []


ALONE: tuple[tuple[str, str, Json], ...] = (
    ("5", "integer", 5), ("5", "string", "5"), ('"x y"', "string", "x y"), ("[1]", "array", [1]),
    ("true", "boolean", True), ('"5"', "integer", 5),
)  # fmt: skip
"""What stands where all arguments should, the type of the only parameter, and its value."""
ELSEWHERE = {"apertus", "inkling", "openai-chat", "openai-function-call", "openai-responses", "tool-calls-wrapper"}
_WHOLE = re.compile(r'\{\s*"a":\s*1\s*\}|\{\\"a\\": ?1\}')


@over_all
def test_the_only_parameter(name: str) -> None:
    """Law: a value where the object of all arguments should be goes to the only parameter, if it can be that.

    A name on a line, without any marker, needs the object.
    """
    wire = written(name, Call("f", {"a": 1}))
    place = _WHOLE.search(wire)
    if place is None:
        pytest.skip("arguments come one by one")
    if name in ELSEWHERE:
        pytest.skip("arguments are a string in any case, stand before the name, have it as a key, or tell the shape")
    for raw, kind, value in ALONE:
        alone = raw.replace('"', '\\"') if "\\" in place[0] else raw
        text = wire[: place.start()] + alone + wire[place.end() :]
        found = read(name, text, tool(a=kind))
        assert same(found, "f", {"a": value}) if toolect.dialect(name).has_marker(text) else found is None, text
        several = read(name, text, tool(a=kind, b=kind))
        assert several is None or several.arguments.keys().isdisjoint("ab"), text  # of a text that needs no tools


@over_all
def test_a_list_around_all_arguments(name: str) -> None:
    """Law: it is taken away where its one object has nothing but what is declared.

    Where nothing but a name says that there is a call, the object has to follow.
    """
    wire = written(name, Call("f", {"a": 1}))
    place = _WHOLE.search(wire)
    if place is None:
        pytest.skip("arguments come one by one")
    if name == "tool-calls-wrapper":
        pytest.skip("an object tells its calls from other JSON")
    text = f"{wire[: place.start()]}[{place[0]}]{wire[place.end() :]}"
    found = read(name, text, tool(a="integer", b="string"))
    dialect = toolect.dialect(name)
    named = shipped_corpus.begins_with_names(dialect) or not dialect.has_marker(text)
    assert same(found, "f", {"a": 1}) if found is not None else named, text
    other = read(name, text, tool(b="string", c="string"))
    assert other is None or "a" not in other.arguments


@over_all
@pytest.mark.parametrize(("kind", "text"), [("integer", "2"), ("boolean", "true"), ("number", "2.5")])
def test_a_text_that_would_be_a_value_is_not_written(name: str, kind: str, text: str) -> None:
    """Law: `render` refuses a text where the tools declare what it spells, and writes it where they do not."""
    dialect = toolect.dialect(name)
    message = Message([Call("f", {"a": text})])
    with pytest.raises(toolect.RenderError):
        dialect.render(message, tools=[tool(a=kind)])
    assert dialect.render(message, tools=[tool(a="string")])


@over_all
def test_signs_and_case_make_no_other_name(name: str) -> None:
    """Law: a name with the letters of just one declared tool is that one, where it is taken for a name at all."""
    dialect, wire = toolect.dialect(name), written(name, Call("f_g", {"a": 1}))
    for said in ("F_G", "f-g", "fG", "`f_g`", "f_g()", "f_g:", "functions.f_g:0", "functions.F-g"):
        text = wire.replace("f_g", said)
        if [call.name for call in dialect.parse(text, [tool("other")], unknown_tool="keep").calls] == [said]:
            found = read(name, text, tool("f_g", a="int"))
            assert same(found, "f_g", {"a": 1}) and found is not None, text
            assert RepairKind.TOOL_NAME in {repair.kind for repair in found.repairs}, text


def test_signs_around_names() -> None:
    """Two tools with the same letters are told apart by nothing but their names."""
    schemas = tool_schemas([{"name": name, "parameters": {"type": "object"}} for name in ("tide", "Tide", "get_tide")])
    said = ["tide", "TIDE", " tide ", "tide()", "getTide", "get-tide", "**get_tide**", "get_tide:12", "gettides"]
    assert [schemas.called(name) for name in said] == [
        "tide", "TIDE", "tide", "tide", "get_tide", "get_tide", "get_tide", "get_tide", "gettides",
    ]  # fmt: skip


def test_quotes_alone_name_no_tool() -> None:
    """A tool without a name is not what a lone quote stands for; quotes around a name are left out."""
    schemas = tool_schemas([{"name": name, "parameters": {"type": "object"}} for name in ("", "tide")])
    assert [schemas.called(name) for name in ('"', '""', "'tide'", '"tide')] == ['"', '""', "tide", "tide"]
    assert [schemas.called(name) for name in ("a=", "a=tide", "a.")] == ["a=", "tide", "a."]


@over_all
def test_a_name_that_begins_twice(name: str) -> None:
    """Law: the beginning of a declared name, and then all of it, is that name, unless it is very short."""
    for said, meant in {"ttide": "tide", "tidtide": "tide", "get_get_tide": "get_tide"}.items():
        assert same(read(name, Call(said, {"a": "b"}), tool(meant, a="string")), meant, {"a": "b"}), said
    tools = tool_schemas([tool("rm"), tool("tide"), tool("x_tide")])
    for said, meant in {"rrm": "rrm", "x_x_tide": "x_tide", "tide_tide": "tide_tide", "tide": "tide"}.items():
        assert tools.called(said) == meant


PROVED_BY_LINES = {
    *("functionary-v3.2", "gemma-tool-code", "glm4", "js-call-block", "python-call-block", "yaml-xml"),
    "react",
}
"""Where a line break tells that a call begins, or what its fence holds: without any, nothing is run."""


@over_all
def test_line_breaks_that_are_written_as_escapes(name: str) -> None:
    """Between markers they are whitespace, around a name and a value nobody means them; in pieces, too."""
    dialect = toolect.dialect(name)
    tools = [tool("tide_log", days="array")]
    call = Call("tide_log", {"days": [1]}, "functions.tide_log:0" if "{index}" in (dialect.spec.ref or "") else None)
    text = written(name, call).replace("\n", "\\n")
    message = dialect.parse(text, tools)
    ran = [(found.name, found.arguments) for found in message.runnable if found.name == "tide_log"]
    assert ran == [("tide_log", {"days": [1]})] * (name not in PROVED_BY_LINES)
    assert shipped_corpus.same(shipped_corpus.stream(dialect, text, tools=tools)[0], message)


@over_all
def test_what_was_guessed_at_has_what_is_declared(name: str) -> None:
    """Law: a call that lacks its end, or a sign, runs with no other arguments than declared, and no other types."""
    for arguments in ({"b": "x"}, {"a": "x"}, {"a": 2, "b": "x"}):
        wire = written(name, Call("f", arguments))
        for at in range(len(wire)):
            for text in (wire[:at], wire[:at] + wire[at + 1 :]):
                for call in toolect.dialect(name).parse(text, [tool(a="integer")]).runnable:
                    guessed = GUESSED.intersection(repair.kind for repair in call.repairs)
                    assert not guessed or call.name != "f" or call.arguments in ({}, {"a": 2}), (text, call)


def test_names_and_types_of_what_was_guessed_at() -> None:
    """Schemas that refer to others, or name alternatives, are followed; those that are open admit any name."""
    place = {"type": "object", "properties": {"hours": {"type": "array", "items": {"type": "integer"}}}}
    schema: dict[str, Json] = {
        "type": "object",
        "properties": {
            "day": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            "at": {"$ref": "#/$defs/at"},
            "x": {},
        },
        "$defs": {"at": place},
    }
    for more, arguments, why in (
        ({}, '{"day": null, "at": {"hours": [1]}, "x": [{}]}', None),
        ({}, '{"day": [2]}', "expected null or integer, got array - in `day` - at 0"),
        ({}, '{"at": {"hours": [1, "two"]}}', "expected integer, got string - in `at` - at 0"),
        ({}, '{"y": 1}', "expected an argument that the tool has, got `y` - at 0"),
        ({"additionalProperties": True}, '{"y": 1}', None),
        ({"properties": {}}, '{"y": 1}', None),
    ):
        tools = [{"name": "f", "parameters": schema | more}]
        (call,) = toolect.dialect("hermes").parse(f'<tool_call>{{"name": "f", "arguments": {arguments}}}', tools).calls
        assert call.error == why
        assert call.runnable is (why is None)
        whole = toolect.dialect("hermes").parse(f"{call.raw}</tool_call>", tools)
        assert whole.calls[0].runnable


def test_the_guide_names_the_guesses() -> None:
    """Its table tells them from other spellings."""
    table = (Path(__file__).parents[1] / "docs" / "guide" / "python.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `([\w-]+)` \|.*\| guess \|$", table, re.MULTILINE)) == {*GUESSED}


ODD_NAMES = (
    "Answer Tool", "Answer", "Market Trends API", "Tool (v2)", "get[x]", "O'Hara's tool", "21st_x", "1", "天气",
    "查询 天气", "a.b.c", "a-b", "find/it", "f(x)", "x, y", "k=v", "a|b", "a:b", "Rain?", "Get user's info (v2) [beta]",
    "wetter 🌊", "🌊", 'say "hi"', "100%", "/api/v1/x", "search\\file", "C++ run", "it's", "name:", "über_daten",
)  # fmt: skip
"""Names that some server or data set has, and that few grammars have for one."""


@over_all
def test_odd_names(name: str) -> None:
    """Law: a declared name is a name, whatever signs it has: it is written, and read whole, in pieces and by `auto`."""
    tools = [tool(one, a="string", b="integer") for one in ODD_NAMES]
    for one in ODD_NAMES:
        call = Call(one, {"a": "Oslo", "b": 2})
        wire = str(toolect.dialect(name).render(call, tools))
        for reader in (name, "auto"):
            assert same(read(reader, wire, *tools), one, call.arguments), (reader, wire)


@over_all
def test_words_of_openers_are_keys(name: str) -> None:
    """Law: an argument may be called as a word of an opener is: `function call`, `assistant to=`."""
    for key in ("function", "assistant", "commentary", "tool", "action", "call", "json", "text"):
        for arguments in ({key: key}, {"a": "1", key: {key: key}}, {key: 5, "a": "1"}):
            kinds = {one: "object" if isinstance(value, dict) else "string" for one, value in arguments.items()}
            kinds = {one: "integer" if value == 5 else kinds[one] for one, value in arguments.items()}
            found = read(name, Call("f", arguments), tool(**kinds))  # type: ignore[arg-type]
            assert found is not None and found.arguments == arguments, arguments


@over_all
def test_a_call_as_the_arguments(name: str) -> None:
    """Law: arguments that are a call, of the tool or another, are not run: where the tool has such keys, they are."""
    other = tool("g", a="string")
    for keys in (("tool", "args"), ("function", "parameters")):
        call = Call("f", {keys[1]: {"a": "Oslo"}, keys[0]: "f"})
        assert read(name, call, tool(a="string"), other) is None, keys
        found = read(name, call, tool(**{keys[0]: "string", keys[1]: "object"}), other)
        assert found is not None and found.arguments == call.arguments, keys


@pytest.mark.parametrize(
    "text",
    [
        '<tool: function>\nf(a="Oslo")\n</tool>',
        '## Calling: <name>f</name>\n{"a": "Oslo"}',
        '<tool_call>\n<function=f>\n<parameter=a="Oslo"></parameter>\n</function>\n</tool_call>',
        "<tool_call>\n<function=f>\n<parameter=a>\nOslo\n</a=x>\n</function=f>\n</tool_call>",
        '\\<invoke name="x\\_f">\n\\<parameter name="a">Oslo\\</parameter>\n\\</invoke>',
        "<tool_call>function\nf(a = Oslo",
        '<tool: function>\n<tool: function>\nf {"a": "Oslo"}\n</tool>',
    ],
)
def test_what_is_no_name_and_no_value(text: str) -> None:
    """Signs that no name has, attributes and the backslashes of Markdown are no part of a call that runs."""
    tools = [tool(a="string"), tool("x_f", a="string")]
    for reader in ("auto", *sorted(toolect.dialects())):
        found = read(reader, text, *tools)
        assert found is None or same(found, found.name, {"a": "Oslo"}), (reader, found)


WRAPS: tuple[Json, ...] = (
    {"name": "f", "arguments": {"a": "x"}}, {"tool": "f", "args": {"a": "x"}},
    {"function": "f", "parameters": {"a": "x"}},
    {"type": "function", "function": {"name": "f", "arguments": '{"a": "x"}'}}, [{"name": "f", "input": {"a": "x"}}],
)  # fmt: skip


@pytest.mark.parametrize("tag", ["tool_code", "tool_request", "api_call", "use_tool", "function_calls", "invoke"])
def test_json_of_a_call_alone_in_a_tag(tag: str) -> None:
    """It is the call, in any shape that others have, with tools and without; a tag that is a tool is called."""
    for value in WRAPS:
        text = f"<{tag}>\n{json.dumps(value)}\n</{tag}>"
        for tools in ([], [tool(a="string")]):
            assert same(read("auto", text, *tools), "f", {"a": "x"}), (text, tools)
    named = {**tool("g", input="object"), "name": tag}
    named["parameters"]["properties"]["name"] = {"type": "string"}
    found = read("auto", f'<{tag}>{{"name": "f", "input": {{}}}}</{tag}>', named)
    assert same(found, tag, {"name": "f", "input": {}})


@over_all
def test_odd_names_that_are_not_declared(name: str) -> None:
    """Law: nothing of another name runs where a declared one begins as it does."""
    wire = str(toolect.dialect(name).render(Call("Answer Tool", {"a": "Oslo"}), [tool("Answer Tool", a="string")]))
    for tools in ([tool("Answer", a="string")], [tool("Answer", a="string"), tool("a-b", a="string")]):
        found = read(name, wire, *tools)
        assert found is None or not same(found, "Answer", {"a": "Oslo"}), wire


@pytest.mark.parametrize("odd", ["21st.fetch", "天气", "поиск_файлов"])
@pytest.mark.parametrize("name", ["lfm2", "minicpm3"])
def test_what_is_called_behind_an_opener_is_an_attempt(name: str, odd: str) -> None:
    """Whatever its name is, declared or not, it is a malformed call of that name, and no content."""
    wire = str(toolect.dialect(name).render(Call(odd, {"a": "Oslo"}), [tool(odd, a="string")]))
    for reader in (toolect.dialect(name), toolect.auto):
        for tools in ([], [tool("other", b="string")]):
            message = reader.parse(f"Well. {wire}", tools)
            assert [call.name for call in message.calls] == [odd] and not message.runnable
            assert message.content.strip() == "Well."


@pytest.mark.parametrize(
    "name", ["dots", "dsml-v3.2", "inkling", "lfm2", "minimax-m2", "mistral-v11", "mistral-v13", "react"]
)
def test_no_other_form_is_written_for_an_odd_name(name: str) -> None:
    """A name that is not declared, and that the form has no place for, is refused: it was written in an older form."""
    dialect = toolect.dialect(name)
    tool = {"type": "function", "function": {"name": "Answer Tool", "parameters": {"type": "object", "properties": {}}}}
    call = toolect.Call("Answer Tool", {"port": "Brest"})
    with pytest.raises(toolect.RenderError, match="name"):
        dialect.render(call)
    plain = str(dialect.render(toolect.Call("tide_x", {"port": "Brest"})))
    assert str(dialect.render(call, [tool])) == plain.replace("tide_x", "Answer Tool")


SIGNS = {":": ("=", " = ", "=>", ":=", " := "), ": ": ("=", " = ", " => ", ":= "), "=": (":", ": ", ":=")}
"""What stands between a key and its value, and what of other languages stands there instead."""
TEXTUAL = {"openai-chat", "openai-function-call", "openai-responses", "yaml-xml"}
"""Where a server has written the arguments, or any text is a value: nothing of them runs."""


@over_all
def test_signs_of_other_languages_between_keys_and_values(name: str) -> None:
    """Law: `=` for `:` and `:` for `=` are slips, before any value and of one key or all; no value grows by them."""
    tools, arguments = (
        [tool("save", code="string", at="string", top="integer")],
        {"at": "a.md", "code": "f(1)", "top": 2},
    )
    wire = written(name, Call("save", arguments))
    for sign, others in SIGNS.items():
        for other, keys in ((other, keys) for other in others for keys in ("code", "at", "top", "code|at|top")):
            key = rf"""(?<![\w<|/])((?:\\?["'])?(?:{keys})(?:\\?["'])?){sign}(?=[<"'0-9fa\\])"""
            text = re.sub(key, lambda match, other=other: match[1] + other, wire)
            for reader in (name, "auto") if text != wire else ():
                found = read(reader, text, *tools)
                assert found is None if name in TEXTUAL else same(found, "save", arguments), (reader, text)


ASIDE = (
    '<|channel|>analysis to=functions.tide <|constrain|>json<|message|>{"port": "Brest"}<|call|>',
    ' to=functions.tide<|channel|>analysis json<|message|>{"port": "Brest"}<|call|>',
    'analysisHm.assistantanalysis to=functions.tide json{"port": "Brest"}',
)
"""Calls on gpt-oss' analysis channel, one behind a detokenizer that drops special tokens."""
ON_ITS_CHANNEL = (
    '<|channel|>commentary to=functions.tide <|constrain|>json<|message|>{"port": "<|channel|>analysis"}<|call|>',
    'assistantcommentary to=functions.tide json{"port": "Brest"}',
)


@pytest.mark.parametrize("text", [*ASIDE, *ON_ITS_CHANNEL])
def test_calls_on_a_channel_for_reasoning(text: str) -> None:
    """They run, are malformed, or are content, as the policy says; those on their own channel run always."""
    dialect, tools = toolect.dialect("harmony"), [tool("tide", port="string")]
    for policy in ("run", "malformed", "content"):
        message = dialect.parse(text, tools, aside_calls=policy)  # type: ignore[arg-type]  # of the three
        stream = dialect.stream(tools=tools, aside_calls=policy)  # type: ignore[arg-type]  # of the three
        events = [event for char in text for event in stream.feed(char)] + stream.close()
        assert stream.message == message
        runs = policy == "run" or text in ON_ITS_CHANNEL
        assert [call.name for call in message.runnable] == ["tide"] * runs
        assert [call.name for call in message.calls] == ["tide"] * (runs or policy == "malformed")
        is_content = policy == "content" and not runs
        assert ("functions.tide" in message.content) is is_content
        assert is_content is not any(isinstance(event, toolect.CallStart) for event in events)
        assert runs or is_content or "analysis" in (message.calls[0].error or "")


@over_all
def test_calls_of_nobody_are_content_with_the_blanks_around_them(name: str) -> None:
    """Where what is no call of a tool stays in the content, no blank between it and the text before is lost."""
    dialect = toolect.dialect(name)
    for said in ([Content("So."), Call("f", {"a": "1"})], [Call("f", {"a": "1"}), Call("g", {"a": "1"})]):
        try:
            text = str(dialect.render(Message(said)))
        except RenderError:
            continue
        found = dialect.parse(text, [tool("other")], unknown_tool="content").segments
        for one, other in itertools.pairwise(found):
            assert one.span is None or other.span is None or not text[one.span[1] : other.span[0]].isspace()


@pytest.mark.parametrize("after", ["json", "commentary", "commentary json", "<|channel|>commentary"])
@pytest.mark.parametrize("reader", ["harmony", "auto"])
def test_a_name_that_runs_into_its_header(reader: str, after: str) -> None:
    """It is the declared one; of a tool that is declared by all of it, it is that one."""
    text = f'<|channel|>commentary to=functions.tide{after}<|message|>{{"a": "Oslo"}}<|call|>'
    assert same(read(reader, text, tool("tide", a="string")), "tide", {"a": "Oslo"})
    other = tool("tidejson", a="string")
    if after == "json":
        assert same(read(reader, text, tool("tide", a="string"), other), "tidejson", {"a": "Oslo"})


@pytest.mark.parametrize("said", ["functions.tide:call_0", "tide:call_12", "functions.tide#3", "functions.tide!166"])
def test_numbers_of_calls_behind_names(said: str) -> None:
    """They are no part of the name."""
    text = f'<|tool_calls_section_begin|><|tool_call_begin|>{said}<|tool_call_argument_begin|>{{"a": "Oslo"}}'
    for reader in ("kimi-k2", "auto"):
        found = read(reader, f"{text}<|tool_call_end|><|tool_calls_section_end|>", tool("tide", a="string"))
        assert same(found, "tide", {"a": "Oslo"})


def test_a_short_id_says_no_name() -> None:
    """The call is that of the only tool that its arguments fit, and else malformed."""
    begins = "<|tool_calls_section_begin|><|tool_call_begin|>"
    for said in ("call_abc123", "call_1"):
        text = f"{begins}{said}<|tool_call_argument_begin|>{{}}<|tool_call_end|>"
        for arguments, runs in (('{"a": "Oslo"}', True), ('{"name": "tide", "b": "Oslo"}', False)):
            found = read("kimi-k2", text.replace("{}", arguments), tool("tide", a="string"))
            assert same(found, "tide", {"a": "Oslo"}) is runs


def test_escaped_markers_make_no_value() -> None:
    """A proxy has escaped an answer: what is left of a call in it does not run."""
    text = "&lt;start_function_call&gt;call:tide{a:&lt;escape&gt;Oslo&lt;escape&gt;}&lt;end_function_call&gt;"
    found = toolect.auto.parse(text, tools=[tool("tide", a="string")])
    assert not found.runnable and not found.clean


@pytest.mark.parametrize("reader", ["react", "auto"])
def test_a_line_of_yaml_is_no_text(reader: str) -> None:
    """The only parameter is not given its own name; another word before a colon is text."""
    search = {"name": "find", "parameters": {"type": "object", "properties": {"query": {"type": "string"}}}}
    assert read(reader, "Action: find\nAction Input:\n  query: tides", search) is None
    assert same(read(reader, "Action: find\nAction Input: Re: tides", search), "find", {"query": "Re: tides"})


@pytest.mark.parametrize(
    ("reader", "text"),
    [
        ("harmony", "<|channel|>commentary to=functions.tide <|constrain|>json<|message|><|call|>"),
        ("kimi-k2", "<|tool_call_begin|>functions.tide:0<|tool_call_argument_begin|><|tool_call_end|>"),
        ("functionary-v3.1", "<function=tide></function>"),
    ],
)
def test_nothing_where_arguments_should_be(reader: str, text: str) -> None:
    """It is no argument of a tool that requires some, and all of one that has none."""
    needs = {"name": "tide", "parameters": {**tool("tide", a="string")["parameters"], "required": ["a"]}}
    assert read(reader, text, needs) is None
    assert same(read(reader, text, tool("tide")), "tide", {})


@pytest.mark.parametrize("reader", ["qwen3-coder", "mimo-v2", "auto"])
def test_a_declared_tool_behind_an_opener_is_another_call(reader: str) -> None:
    """The call before it lacks its closers; the opener is none too many."""
    calls = "".join(f"<function={name}>\n<parameter=a>\n{name}\n</parameter>\n" for name in ("tide", "moon"))
    text = f"<tool_call>\n{calls}</function>\n</tool_call>"
    dialect = toolect.auto if reader == "auto" else toolect.dialect(reader)
    found = dialect.parse(text, [tool("tide", a="string"), tool("moon", a="string")])
    assert [call.name for call in found.runnable] == ["tide", "moon"]


@pytest.mark.parametrize("tag", ["toolcall", "tool", "tool_calls", "function_call", "tools"])
def test_a_tag_around_the_call_of_another_dialect(tag: str) -> None:
    """Without a dialect, too, what is in it is the call, and the tag is a leak."""
    text = f"<{tag}>\n<function=tide>\n<parameter=a>\nOslo\n</parameter>\n</function>\n</{tag}>"
    found = toolect.auto.parse(text, [tool("tide", a="string")])
    assert [(call.name, call.arguments) for call in found.runnable] == [("tide", {"a": "Oslo"})]
    assert found.leaks


def test_one_tool_is_no_list() -> None:
    """A tool that stands in the place of a list is refused by what is expected there."""
    with pytest.raises(toolect.MessageError, match=r"^expected a list of tools, got \{'name': 'f'\} - at `\$`"):
        toolect.dialect("hermes").parse("x", {"name": "f"})  # type: ignore[arg-type]
