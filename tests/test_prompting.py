"""Tools and results in prompts: printers of any JSON Schema, and that no output is read as a call."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import shares
from hypothesis import given, settings
from hypothesis import strategies as st

import toolect
from toolect import registry
from toolect._compiled import Dialect
from toolect._prompting.notation import spell
from toolect._prompting.python import docstring, signature
from toolect._prompting.schemas import MAX_PARTS
from toolect._prompting.tools import write_tools
from toolect._prompting.typescript import comment, jsdoc, type_arguments, typescript
from toolect._rendered import RenderError
from toolect._spec.chat_load import load_chats
from toolect._spec.prompts import Notation, Syntax, ToolText
from toolect._turns import Results, ToolResult
from toolect.agent.models import messages

SCHEMAS: dict[str, dict[str, Any]] = json.loads(Path(__file__).with_name("schemas.json").read_text("utf-8"))
TYPESCRIPT = "typescript@5.9.2"


def tool(schema: Any, name: str = "f", description: str = "Does it.") -> dict[str, Any]:
    """An OpenAI tool object."""
    return {"type": "function", "function": {"name": name, "description": description, "parameters": schema}}


# Printers


@pytest.fixture(scope="module")
def tsc(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """TypeScript's compiler, fetched once, or for each run without pytest's cache."""
    if not shutil.which("node") or not shutil.which("npm"):
        pytest.skip("expected node and npm on the machine, got none")
    cache = getattr(request.config, "cache", None)
    folder = tmp_path_factory.mktemp("tsc") if cache is None else cache.mkdir("tsc")
    found = folder / "node_modules/typescript/lib/tsc.js"
    if not found.exists():
        words = "npm install --fetch-retries=0 --no-save --no-audit --no-fund --prefix"
        command = [*words.split(), str(folder), TYPESCRIPT]
        try:
            subprocess.run(command, check=True, capture_output=True, timeout=60)
        except (subprocess.SubprocessError, OSError) as error:
            pytest.skip(f"expected npm to fetch {TYPESCRIPT}, got {type(error).__name__}")
    return found


def test_types_compile(tsc: Path, tmp_path: Path) -> None:
    """What is printed for each schema is TypeScript, in strict mode: JSDoc types and function types alike."""
    styles = (Notation(), Notation(indent=2, trailing=Notation().trailing.NONE), Notation(open=True))
    rows = []
    for name, schema in SCHEMAS.items():
        rows.append(f"{jsdoc(f'For {name} */ */')}\ndeclare function {name}(args: {typescript(schema)}): unknown;")
        for number, how in enumerate(styles):
            rows.append(f"{comment(name)}\ntype {name}{number} = {type_arguments(schema, how)} => any;")
    file = tmp_path / "tools.ts"
    file.write_text("\n".join(rows) + "\nexport {};\n", "utf-8")
    command = ["node", str(tsc), "--strict", "--noEmit", "--lib", "es2022", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout


def test_signatures_pass_mypy(tmp_path: Path) -> None:
    """What is printed for each schema is Python, with types that mypy accepts in strict mode."""
    rows = ["from typing import Any, Literal"]
    for name, schema in SCHEMAS.items():
        rows.append(f'def {name}({signature(schema)}) -> object:\n    """{docstring(schema, name)}"""\n    return None')
    file = tmp_path / "tools.py"
    file.write_text("\n\n\n".join(rows) + "\n", "utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "--config-file", "", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=tmp_path)
    assert done.returncode == 0, done.stdout


def test_docstrings_say_what_was_said() -> None:
    """Quotes, backslashes and NUL come through Python's own reading of the text."""
    said = 'a "quoted" """text""" \\n with \0 and "'
    source = f'def f({signature({})}):\n    """{docstring({}, said)}"""'
    space: dict[str, Any] = {}
    exec(compile(source, "f", "exec"), space)  # our own text, not a model's
    assert space["f"].__doc__ == said


@pytest.mark.parametrize(
    ("name", "type_", "signed"),
    [
        ("optional", "{\n  first?: string;\n  second: number;\n}", "second: int, first: str | None = None"),
        ("nullable", "{\n  a: string | null;\n  b?: number | null;\n"
         "  c?: Record<string, unknown> | unknown[] | null;\n}",
         "a: str | None, b: int | None = None, c: dict[str, Any] | list[Any] | None = None"),
        ("tuples", "{\n  point: [number, number];\n  open?: [string, ...(unknown)[]];\n"
         "  typed?: [string, ...(number)[]];\n}",
         "point: list[float], open: list[Any] | None = None, typed: list[str | int] | None = None"),
        ("no_parameters", "{}", ""),
    ],
)  # fmt: skip
def test_types_say_what_the_schema_says(name: str, type_: str, signed: str) -> None:
    """Required and optional, null, tuples, nothing."""
    assert typescript(SCHEMAS[name]) == type_
    assert signature(SCHEMAS[name]) == signed


@cache
def cycle() -> dict[str, Any]:
    """A schema that holds itself."""
    schema: dict[str, Any] = {"type": "object", "properties": {}}
    schema["properties"]["again"] = schema
    schema["anyOf"] = [schema, {"items": schema}]
    return schema


@cache
def bomb() -> dict[str, Any]:
    """A small schema whose references stand for 10^12 others."""
    part = {f"p{i}": {"anyOf": [{"$ref": f"#/$defs/p{i + 1}"}] * 10} for i in range(12)} | {"p12": {"type": "null"}}
    return {"type": "object", "properties": {"x": {"$ref": "#/$defs/p0"}}, "$defs": part}


def wide() -> dict[str, Any]:
    """A schema with 20,000 fields."""
    return {"type": "object", "properties": {f"f{i}": {"type": "string", "description": "x"} for i in range(20_000)}}


@cache
def tower() -> dict[str, Any]:
    """Lists in lists, far deeper than Python may call."""
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(3_000):
        schema = {"type": "array", "items": schema}
    return {"type": "object", "properties": {"x": schema}}


@pytest.mark.parametrize("make", [cycle, bomb, tower])
@pytest.mark.parametrize("name", registry.dialects())
def test_huge_and_cyclic_schemas_are_bounded(name: str, make: Callable[[], dict[str, Any]]) -> None:
    """Definitions of schemas without end have one, and stay short, in every dialect."""
    assert len(registry.dialect(name).render_tools([tool(make())])) < 1_000_000


def test_wide_schemas_are_cut() -> None:
    """Signatures tell of so many fields and no more."""
    assert typescript(wide()).count("string") <= MAX_PARTS + 1
    assert docstring(wide(), "").count(": x") <= MAX_PARTS


@pytest.mark.parametrize("name", registry.dialects())
def test_any_schema_can_be_told(name: str) -> None:
    """All schemas of the set, at once; control characters, NUL and lone surrogates in names and descriptions too."""
    dialect = registry.dialect(name)
    odd = '\0\x1b\ud800 \r\u2028*/ ```"""'
    fields = {"type": "object", "properties": {odd: {"type": odd, "description": odd, odd: odd}}, "required": [odd]}
    tools = [tool(schema, key) for key, schema in SCHEMAS.items()] + [tool(fields, "odd", odd)]
    text = dialect.render_tools(tools)
    assert all(key in text for key in SCHEMAS)


def test_notations() -> None:
    """The same data in each of the spellings."""
    data = {"b": [1, None, True], "a": {"x": "é\n"}}
    assert spell(data, Notation()) == '{"b": [1, null, true], "a": {"x": "é\\n"}}'
    assert spell(data, Notation(compact=True, sorted=True)) == '{"a":{"x":"é\\n"},"b":[1,null,true]}'
    assert spell(data, Notation(indent=1)) == '{\n "b": [\n  1,\n  null,\n  true\n ],\n "a": {\n  "x": "é\\n"\n }\n}'
    assert spell(data, Notation(Syntax.PYTHON)) == "{'b': [1, None, True], 'a': {'x': 'é\\n'}}"
    assert spell(data, Notation(Syntax.PYTHON, sorted=True)) == "{'a': {'x': 'é\\n'}, 'b': [1, None, True]}"
    assert spell(data, Notation(Syntax.BARE, quote="|")) == "{b:[1,null,true],a:{x:|é\n|}}"


def test_texts_of_parameters() -> None:
    """Fields, their heading, what is required, and the other keywords."""
    how = ToolText(
        "[{tools}]",
        "{name}{fields}|{others}",
        parameter=" {name}:{type}:{hint}:{required}:{description}:{schema}:{others}",
        head=" with",
        other="<{key}={value}>",
        required=("!", "?"),
    )
    schema = {"type": "object", "properties": {"a": {"enum": [1], "type": "integer"}}, "required": ["a"]}
    written = write_tools(how, [tool(schema, "f"), tool({}, "g")])
    field = ' with a:integer:Literal[1]:!::{"enum": [1], "type": "integer"}:<type=integer><enum=[1]>'
    assert written == f'[f{field}|<required=["a"]>\ng|]'


def test_tools_are_told_by_signatures() -> None:
    """The types have the family's words; what is required is told apart."""
    how = ToolText(
        each="{name}({signature}) {parameters}",
        optional="{name}: {required} = None",
        required=("{hint}", "Optional[{hint}]"),
        comma=",",
        types={"string": "str", "any": "Any"},
        empty="{}",
    )
    fields = {"port": {"type": "string"}, "day": {"type": "integer"}, "who": {"type": "string"}}
    schema = {"type": "object", "properties": fields, "required": ["port"]}
    tide, now = {"name": "tide", "parameters": schema}, {"name": "now", "parameters": {"type": "object"}}
    written = write_tools(how, [tide, now])
    assert written.startswith("tide(port: str,day: Optional[Any] = None,who: Optional[str] = None) {")
    assert written.endswith('}}, "required": ["port"]}\nnow() {}')


def test_signs_are_escaped_as_the_family_does() -> None:
    tide = {"name": "tide", "description": "High & <low> \"é\" 'x'"}
    html = ToolText(each="{description}", notation=Notation(html=True))
    assert write_tools(html, [tide]) == "High &amp; &lt;low&gt; &#34;é&#34; &#39;x&#39;"
    ascii_only = ToolText(tool="$description", notation=Notation(ascii=True))
    assert write_tools(ascii_only, [{"name": "tide", "description": "é"}]) == '"\\u00e9"'
    assert spell([None, "a"], Notation(Syntax.BARE, null="None")) == '[None,"a"]'


def test_fields_are_told_in_sentences() -> None:
    """The outermost fields are not set in; what is nested is."""
    place = {"type": "object", "description": "Where", "properties": {"lat": {"type": "number"}}}
    days = {"type": "integer", "description": "How long.", "default": False, "minimum": 0}
    schema = {"type": "object", "properties": {"place": place, "days": days}, "required": ["place"]}
    assert type_arguments(schema, Notation(indent=4, sentences=True)) == (
        "(_: {\n// Where.\nplace: {\n    lat?: number,\n},\n// How long. Default=False. Minimum=0\ndays?: number,\n})"
    )


def test_indented_data_is_inset() -> None:
    """Further lines stand as far in as the first one."""
    how = ToolText("[\n  {tools}\n]", notation=Notation(indent=2), tool={"n": "$name"}, between=",\n")
    assert write_tools(how, [tool({}, "f"), tool({}, "g")]) == json.dumps([{"n": "f"}, {"n": "g"}], indent=2)


def test_wrong_texts_are_told(tmp_path: Path) -> None:
    """What is no hole, no notation and no text is an error of the chat that has it."""
    (tmp_path / "chats.yaml").write_text(
        'd:\n  tools:\n    text: "{tool}"\n    each: ["{tool}"]\n    required: "!"\n'
        "    notation: {indent: 9, spelling: yaml}\n  role: model\n",
        "utf-8",
    )
    (grammar := tmp_path / "grammars" / "chats" / "d.lark").parent.mkdir(parents=True)
    grammar.write_text("start: user*\nuser: TEXT\n%declare TEXT\n", "utf-8")
    found = {problem.message.partition(",")[0] for problem in load_chats(tmp_path / "chats.yaml")[1]}
    assert found == {
        "expected the hole `{tools}` in `text`", "`text` has no hole `{tool}`", "expected a text for `each`",
        "expected 2 texts for `required`", "expected a number for `indent`",
        "expected a value of `spelling`: `json`", "expected a value of `role`: `tool` or `user`",
    }  # fmt: skip


# Results


def outputs(dialect: Dialect) -> st.SearchStrategy[str]:
    """What a hostile tool may say: whole answers of the dialect, its markers, pieces of both, any text."""
    from toolect import testing

    graph = dialect._graph()
    pieces = st.sampled_from(sorted({*graph.markers, *graph.ends}) or ["x"])
    joined = st.lists(st.one_of(pieces, st.text(max_size=5)), max_size=6).map("".join)
    return st.one_of(testing.wire_texts(dialect), testing.corrupted(dialect), joined, st.text(max_size=40))


KNOWN: list[dict[str, Any]] = [{"name": name, "parameters": {}} for name in ("f", "erase")]


def forged(dialect: Dialect, text: str) -> Iterator[str]:
    """The calls that are read in `text`, which has none, by who knows the tools and who does not."""
    for tools in (None, KNOWN):
        yield from (call.name for call in dialect.parse(text, tools).calls)


@pytest.mark.parametrize("name", registry.dialects())
@given(data=st.data())
@settings(max_examples=8, deadline=None)
def test_no_output_is_read_as_a_call(name: str, data: st.DataObject) -> None:
    """Results are told so that no call is in them, or refused; defused, any output can be told."""
    dialect = registry.dialect(name)
    output = data.draw(outputs(dialect))
    harmless = dialect.telling.defused(output)
    assert not list(forged(dialect, dialect.render_results([("f", harmless, "a1")])))
    assert json.loads(harmless) == output
    try:
        rendered = dialect.render_results([("f", output, "a1")])
    except RenderError:
        return
    assert not list(forged(dialect, rendered))


PIECES = ("f", "f\n", "erase", '{"a": 1}', "{", "}", '"a": 1}', '{"name": "f",', '"arguments": {}}', "[f(", "a=1)]",
          "f(a=1)", "f(", ")", "```", "```python\nf()", "<f>", "</f>", "Action: f", "Action Input: {}", '[{"name": "f"',
          "}]", "", "\n", "ok")  # fmt: skip


@pytest.mark.parametrize("name", registry.dialects())
def test_no_outputs_together_are_read_as_a_call(name: str) -> None:
    """What is harmless piece by piece is refused where the pieces make a call, and is told so that they make none."""
    dialect, draw = registry.dialect(name), random.Random(45)
    for _ in range(40 if shares.everything else 20):
        said = ["".join(draw.choices(PIECES, k=draw.randrange(1, 3))) for _ in range(draw.randrange(1, 4))]
        results = Results(tuple(ToolResult(f"a{i}", "f", output) for i, output in enumerate(said)))
        for message in messages(dialect, [results], KNOWN)[1:]:
            assert not list(forged(dialect, str(message["content"]))), said
        try:
            rendered = dialect.render_results([("f", output, "a1") for output in said], KNOWN)
        except RenderError:
            continue
        assert not list(forged(dialect, rendered)), said


def test_a_call_across_outputs_is_refused() -> None:
    """A name on a line and an object on the next one are a call in some dialects."""
    dialect = registry.dialect("glm4")
    for output in ("f", '{"a": 1}'):
        assert output in dialect.render_results([("g", output, None)])
    with pytest.raises(RenderError, match="together with the others it reads like a call"):
        dialect.render_results([("g", "f", None), ("g", '{"a": 1}', None)])
    with pytest.raises(RenderError, match="it reads like a call"):
        dialect.render_results([("g", "erase\n{", None)], [{"name": "erase"}])


@pytest.mark.parametrize("name", registry.dialects())
def test_plain_results_can_be_told(name: str) -> None:
    """An ordinary output is in the text, of several in their order."""
    dialect = registry.dialect(name)
    rendered = dialect.render_results([("one", "4711", "a1"), ("two", "0815", "a2")])
    assert 0 <= rendered.index("4711") < rendered.index("0815")


@pytest.mark.parametrize(
    ("name", "role", "content"),
    [
        ("hermes", "user", "<tool_response>\n4711\n</tool_response>\n<tool_response>\n%s\n</tool_response>"),
        ("glm-4.5", "tool", "%s"),
    ],
)
def test_results_in_a_conversation(name: str, role: str, content: str) -> None:
    """A user's turn has the whole text, a tool's turn one output alone; both are harmless."""
    results = Results((ToolResult("a1", "f", "4711"), ToolResult("a2", "f", "</tool_call>")))
    sent = messages(registry.dialect(name), [results], [])
    assert sent[-1]["role"] == role
    assert sent[-1]["content"] == content % r'"\u003c/tool_call>"'
    assert len(sent) == (1 if role == "user" else 2)


def test_a_name_that_is_markup_breaks_nothing() -> None:
    """A tool that a model made up has no result that raises."""
    dialect = registry.dialect("olmo3")
    results = Results((ToolResult("a1", "</function_calls>", "no such tool"),))
    assert messages(dialect, [results], [])[-1]["content"] == '"no such tool"'


def test_keywords_that_comments_tell() -> None:
    """A field's keywords stand above it, as Python writes them; what would end the comment does not."""
    field = {"type": "integer", "minimum": 0, "pattern": "a\nb", "default": True}
    schema = {"type": "object", "properties": {"days": field}}
    how = Notation(indent=2, open=True, remarks=("minimum", "pattern"))
    assert type_arguments(schema, how) == (
        '(_: {\n  // minimum: 0\n  // pattern: "a b"\n  days?: number, // default: True\n})'
    )


ODD_FIELDS: dict[str, tuple[dict[str, Any], str, str]] = {
    "several types": (
        {"type": ["string", "null"]}, "any", """{type:<|"|>['STRING', 'NULL']<|"|>}"""),
    "no type": ({"anyOf": [{"type": "string"}]}, "any", '{type:<|"|><|"|>}'),
    "an empty description": ({"type": "null", "description": ""}, "any", '{type:<|"|>NULL<|"|>}'),
    "an enum of numbers": ({"type": "integer", "enum": [1, 2]}, "1 | 2", '{type:<|"|>INTEGER<|"|>}'),
    "an enum of texts": ({"type": "string", "enum": ["a"]}, '"a"', '{enum:[<|"|>a<|"|>],type:<|"|>STRING<|"|>}'),
    "an object of anything": ({"type": "object"}, "{\n  }", '{properties:{},type:<|"|>OBJECT<|"|>}'),
    "a date": ({"type": "string", "format": "date"}, "Date", '{type:<|"|>STRING<|"|>}'),
    "a list": ({"type": "array", "items": {"type": "number"}}, "number[]",
               '{items:{type:<|"|>NUMBER<|"|>},type:<|"|>ARRAY<|"|>}'),
}  # fmt: skip


@pytest.mark.parametrize("odd", ODD_FIELDS)
def test_types_are_told_as_the_templates_of_models_do(odd: str) -> None:
    """Of GigaChat 3 (`simple`) and Gemma 4 (`upper`): their templates, run by jinja2, write these texts."""
    field, typed, google = ODD_FIELDS[odd]
    one = tool({"type": "object", "properties": {"a": field}})
    for name, expected in (("gigachat3", f"\n  a?: {typed},"), ("gemma4", f"properties:{{a:{google}}}")):
        how = toolect.chat(name).spec.tools
        assert how is not None and expected in write_tools(how, [one])


def test_a_tool_without_a_description_is_told_without_one() -> None:
    """Nemotron 3 tells an empty one; GigaChat 3 has no comment for it."""
    for name, said, expected in (
        ("nemotron-3", None, "<name>f</name>\n<parameters>"),
        ("nemotron-3", "", "<name>f</name>\n<description></description>\n<parameters>"),
        ("nemotron-3", "Does it.\n", "<name>f</name>\n<description>Does it.</description>\n<parameters>"),
        ("gigachat3", "", "{\ntype f = () => any;"),
        ("gigachat3", "Does it.", "{\n// Does it.\ntype f = () => any;"),
    ):
        one = tool({"type": "object", "properties": {}}, description="")
        one["function"] |= {"description": said} if said is not None else {}
        if said is None:
            del one["function"]["description"]
        how = toolect.chat(name).spec.tools
        assert how is not None and expected in write_tools(how, [one])
