"""The generator: it is reproducible, reaches everything, and what it draws is what it says."""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
import sys
from collections import Counter
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
import shares
from click.testing import CliRunner, Result
from hypothesis import Phase, find, given, settings
from registries import own_registries

import toolect
from toolect import testing
from toolect._authoring import generate
from toolect._authoring.derivation import derive, parts
from toolect._authoring.generate import Corruption
from toolect._authoring.generate.corruption import OF_JSON, respaced
from toolect._authoring.laws import plain
from toolect._cli import main
from toolect._message import Call, Content, Message, Reasoning, Status
from toolect._rendering.walk import Walk
from toolect._validation import Validator
from toolect._values.toolset import tool_schemas

over_all = pytest.mark.parametrize("name", sorted(toolect.dialects()))
RUN = [sys.executable, "-c", "from toolect._cli import main; main()"]
COUNT = 60
"""Enough texts to take every part of any shipped grammar."""


# What is drawn


@pytest.mark.parametrize("name", shares.share(sorted(toolect.dialects()), 47, "parts"))
def test_every_part_is_taken(name: str) -> None:
    """The first texts from the grammar take every part of it, and their calls can be run.

    Half of the dialects are drawn (`--all`: each).
    """
    dialect = toolect.dialect(name)
    drawn = list(generate.derivations(dialect, COUNT, 7))
    assert len(drawn) == COUNT
    taken = {part for sample in drawn for part in derive(dialect, sample.text, sample.tools).edges}
    assert {part.name for part in parts(dialect)} <= taken
    for sample in drawn:
        assert dialect.parse(sample.text, sample.tools) == sample.message
        assert all(call.runnable for call in sample.message.calls), sample.text


@over_all
def test_samples_are_read_back(name: str) -> None:
    """A rendered message is read back in strict mode, without repairs."""
    dialect = toolect.dialect(name)
    drawn = list(generate.samples(dialect, 50, 7))
    assert len(drawn) == 50
    for sample in drawn:
        back = dialect.parse(sample.text, sample.tools, mode="strict")
        assert back == sample.message and back.exact, sample.text
        assert dialect.render(sample.message, sample.tools) == sample.text
        assert len(sample.text) < 4000


def test_rendering_reaches_what_it_can(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred and fifty samples make rendering write every part that others make it write."""
    written: set[tuple[str, int]] = set()
    expr = Walk.expr

    def noted(self: Walk, part: object, inside: str, *rest: object) -> None:
        expr(self, part, inside, *rest)  # type: ignore[arg-type]  # passed on as they come
        written.add((inside, id(part)))

    monkeypatch.setattr(Walk, "expr", noted)
    for name in ("pythonic", "command-r7b"):
        dialect = toolect.dialect(name)
        found = []
        for count, seed in ((150, 7), (300, 8)):
            written.clear()
            assert sum(1 for _ in generate.samples(dialect, count, seed)) == count
            found.append(frozenset(written))
        assert found[1] <= found[0], name


@over_all
def test_small_messages_come_first(name: str) -> None:
    """The systematic messages are few, in order of size, and show what the dialect is for."""
    messages = list(generate.minimal(toolect.dialect(name)))
    assert len(messages) <= 60
    assert len(set(messages)) == len(messages)
    assert [len(m.segments) for m in messages] == sorted(len(m.segments) for m in messages)
    values = [call.arguments["a"] for m in messages for call in m.calls if "a" in call.arguments]
    assert {type(value) for value in values} == {str, int, float, bool, type(None), list, dict}
    assert any(len(m.calls) == 3 for m in messages)


def test_the_same_seed_gives_the_same() -> None:
    """Samples, derivations and corruptions depend on the seed alone, and a longer run begins with a shorter one."""
    dialect = toolect.dialect("pythonic")
    for draw in (generate.samples, generate.derivations):
        once, again, other = (list(draw(dialect, count, seed)) for count, seed in ((80, 7), (90, 7), (80, 8)))
        assert plain(once) == plain(again[:80])
        assert plain(once) != plain(other)


def test_hostile_messages_try_to_be_mistaken() -> None:
    """Hostile samples hold markers, controls and long numbers, and are representable all the same."""
    dialect = toolect.dialect("hermes")
    texts = "".join(sample.text for sample in generate.samples(dialect, 300, 7, hostile=True))
    for odd in ("<tool_call", "\\u001b", "\ud83d", "9007199254740993"):
        assert odd in texts


GRAMMAR = 'start: (content | call)*\ncontent: TEXT\ncall: "<c>" JSON "</c>"\n%declare TEXT JSON\n'


def test_a_grammar_of_ones_own(tmp_path: Path) -> None:
    """The generator knows nothing but the spec."""
    (tmp_path / "grammars").mkdir()
    (tmp_path / "grammars" / "mine.lark").write_text(GRAMMAR)
    entry = "mine:\n  map: {content: content, call: call, call/JSON: {do: $name, 'with|using': $arguments}}\n"
    (tmp_path / "my.yaml").write_text(entry)
    words = ["spec", "generate", "mine", "-n", "40", "--spec", str(tmp_path / "my.yaml")]
    done = subprocess.run([*RUN, *words], capture_output=True, check=True)  # alone: what it loads is known to all
    texts = [row["text"] for row in map(json.loads, done.stdout.splitlines())]
    assert any('{"do": "f", "with": {}}' in text for text in texts)
    assert any('"using"' in text for text in texts)


# Corruptions


RICH = {"a": 'say "x"\n\tor it\'s \\done', "b": {"path": [1, None, True]}}


@pytest.mark.parametrize("how", Corruption)
def test_corruptions_break(how: Corruption) -> None:
    """Each way changes texts of some dialect, gives nothing back that is another text, and is mostly noticed."""
    random = Random(7)
    broken = noticed = 0
    for name in ("hermes", "minimax-m2", "harmony"):
        dialect = toolect.dialect(name)
        rich = [Message([Reasoning("Hm."), Call("get_time", RICH)]), Message([Call("get_time", RICH)])]
        made = [sample for message in rich if (sample := generate.rendered(dialect, message)) is not None]
        for sample in (*made * 10, *generate.samples(dialect, 40, 7)):
            if sample.message.calls:
                names = [call.name for call in sample.message.calls]
                text = generate.corrupt(sample.text, dialect.spec, random, how, names)
                assert isinstance(text, str)
                broken += text != sample.text
                message = dialect.parse(text, sample.tools)
                noticed += not (message == sample.message and message.exact)
    assert broken >= 10
    assert noticed >= broken / 3


MARKED = """start: (content | think | call)*
content: TEXT
think: "<think>\\n" TEXT "\\n</think>\\n\\n"
call: "<tool_call>\\n" JSON "\\n</tool_call>" | "<|call|>" JSON "</call>" | "<call name=\\"" NAME "\\">" JSON "</call>"
NAME: /\\w+/
%declare TEXT JSON
"""


def test_each_corruption_has_an_example() -> None:
    """What it makes of a text is among what may become of that text."""
    entry = {"map": {"content": "content", "think": "reasoning", "call": "call", "NAME": "call.name",
                     "call/JSON": {"any": [{"name": "$name", "arguments": "$arguments"}, "$arguments"]}},
             "end": ["<|im_end|>"]}  # fmt: skip
    with own_registries():
        spec = toolect.define(entry, MARKED, name="marked").spec
    wrong = []
    for how in Corruption:
        drawn = {generate.corrupt(how.before, spec, Random(seed), how, ["tide"]) for seed in range(400)}
        wrong += [] if how.after in drawn and how.before != how.after else [how]
    assert not wrong


@pytest.mark.parametrize("how", sorted(set(OF_JSON) - {Corruption.STRING_VALUES}))
def test_json_is_broken(how: Corruption) -> None:
    """What has become of the JSON of a text is no JSON any more, however it was laid out."""
    text = str(toolect.dialect("json").render(Message([Call("get_time", RICH)])))
    for layout in ({}, {"separators": (",", ":")}, {"indent": 1}):
        laid = respaced(text, **layout)
        assert json.loads(laid) == json.loads(text)
        broken = generate.corrupt(laid, toolect.dialect("json").spec, Random(7), how)
        assert broken != laid
        with pytest.raises(msgspec.DecodeError):
            msgspec.json.decode(broken)


@pytest.mark.parametrize("how", Corruption)
def test_nothing_to_break(how: Corruption) -> None:
    """An empty text stays empty, unless something is added to it."""
    spec = toolect.dialect("hermes").spec
    assert bool(generate.corrupt("", spec, Random(1), how)) == (how is Corruption.SPLICED_GARBAGE)


def test_no_text_comes_twice() -> None:
    """A dialect that can say little ends; all others go on with what was not there before."""
    texts = [sample.text for sample in islice(generate.mixed(toolect.dialect("llama-builtin"), 7), 300)]
    assert len(texts) == len(set(texts)) > 100


# Calls of tools that are declared


def objects(**properties: Any) -> dict[str, Any]:
    """The schema of an object that has all of these members."""
    return {"type": "object", "properties": properties, "required": [*properties]}


SCHEMAS: dict[str, dict[str, Any]] = {
    "numbers": objects(
        a={"type": "integer", "minimum": 3, "exclusiveMaximum": 5}, b={"type": "number", "exclusiveMinimum": 0},
        c={"type": "integer", "multipleOf": 5, "minimum": 11}, d={"type": "integer", "maximum": -5},
    ),
    "lists": objects(
        a={"type": "array", "items": {"type": "string", "maxLength": 3}, "minItems": 2, "maxItems": 3},
        b={"type": "array", "prefixItems": [{"const": 1}, {"type": "boolean"}], "items": False},
    ),
    "texts": objects(a={"type": "string", "pattern": "^[a-z]+@[a-z]+$"}, b={"minLength": 9, "type": "string"}),
    "either": objects(a={"oneOf": [{"type": "integer"}, objects(k={"enum": ["x", 3, None]})]}, b={"type": ["null"]}),
    "together": {"allOf": [objects(x={"const": 0}), {"$ref": "#/$defs/y"}], "$defs": {"y": objects(y={"const": 1})}},
    "itself": {"type": "object", "properties": {"again": {"$ref": "#"}, "n": {"type": "integer"}}, "required": ["n"]},
    "maps": objects(a={"type": "object", "additionalProperties": {"type": "integer"}}),
    "nothing": {},
    "conditions": {
        "type": "object", "properties": {"k": {"enum": ["a", "b"]}, "v": {}}, "required": ["k", "v"],
        "if": {"properties": {"k": {"const": "a"}}}, "then": {"properties": {"v": {"type": "integer"}}},
        "else": {"properties": {"v": {"type": "string"}}},
    },
    "sets": objects(a={"type": "array", "items": {"enum": [1, 2, 3]}, "minItems": 2, "uniqueItems": True}),
}  # fmt: skip


@pytest.mark.parametrize("dialect", ["hermes", "qwen3-coder", "gemma4", "pythonic"])
def test_calls_of_declared_tools(dialect: str) -> None:
    """Their arguments are what the schemas admit, and come back from the text."""
    tools = [{"name": name, "parameters": schema} for name, schema in SCHEMAS.items()]
    called = Counter[str]()
    for sample in generate.samples(toolect.dialect(dialect), 100, 7, tools=tools):
        assert toolect.dialect(dialect).parse(sample.text, tools) == sample.message
        for call in sample.message.calls:
            assert Validator(SCHEMAS[call.name], call.name).violations(call.arguments) == []
            called[call.name] += 1
    assert called.keys() == SCHEMAS.keys()


@pytest.mark.parametrize(
    "schema",
    [
        objects(again={"$ref": "#"}),
        objects(again={"allOf": [{"$ref": "#/properties/again"}]}),
        objects(a={"type": "array", "minItems": 10**12}, b={"minLength": 10**12, "type": "string"}),
        objects(a={"type": "integer", "multipleOf": -1, "minimum": math.inf}, b={"multipleOf": 0, "type": "number"}),
        objects(a={"pattern": "(", "type": "string"}, b={"type": "no such type"}, c=3),
    ],
)
def test_schemas_that_nothing_fits(schema: dict[str, Any]) -> None:
    """Something is drawn, and soon."""
    tools = tool_schemas([{"name": "f", "parameters": schema}])
    drawn = generate.message(toolect.dialect("hermes"), Random(7), tools=tools)
    assert drawn.calls
    assert all(call.arguments.keys() == schema["properties"].keys() for call in drawn.calls)


def test_a_schema_that_nothing_fits_is_said(tmp_path: Path) -> None:
    """No arguments are written that it refuses."""
    file = tmp_path / "tools.json"
    file.write_text('[{"name": "f", "parameters": {"properties": {"v": {"enum": []}}, "required": ["v"]}}]', "utf-8")
    done = CliRunner().invoke(main, ["spec", "generate", "hermes", "--schemas", str(file)])
    assert (done.exit_code, "no arguments were found that the schemas admit" in done.stderr) == (1, True)


# Strategies


@given(testing.messages("hermes"))
def test_messages(message: Message) -> None:
    """Messages come by the name of the dialect."""
    assert all(isinstance(segment, Content | Reasoning | Call) for segment in message.segments)


@given(testing.samples("qwen3-coder", hostile=True))
def test_samples(sample: generate.Sample) -> None:
    """A sample's text says its message."""
    assert toolect.dialect("qwen3-coder").parse(sample.text, sample.tools) == sample.message


@given(testing.corrupted("hermes"))
def test_corrupted(text: str) -> None:
    """Broken text is text."""
    assert isinstance(toolect.dialect("hermes").parse(text), Message)


@given(testing.chunkings("some text"))
def test_chunkings(chunks: list[str]) -> None:
    """Chunks are the text."""
    assert "".join(chunks) == "some text"


def test_failures_shrink() -> None:
    """Hypothesis finds the smallest calls that have what is looked for, and empties what is beside them."""
    quiet = settings(max_examples=200, deadline=None, database=None, derandomize=True, phases=tuple(Phase))
    found = find(testing.messages("hermes", hostile=True), lambda message: len(message.calls) == 2, settings=quiet)
    assert found.calls == [Call("f", {}), Call("f", {})]
    assert not found.content and not found.reasoning


@given(testing.samples("hermes", tools=[{"name": "book", "parameters": objects(n={"type": "integer"})}]))
def test_samples_of_tools(sample: generate.Sample) -> None:
    """All calls are of the tools."""
    assert all(call.name == "book" and isinstance(call.arguments["n"], int) for call in sample.message.calls)


def test_failures_are_shown_as_one_writes_them() -> None:
    """The example that fails is a message, and not the way in which it was drawn."""

    @settings(database=None, derandomize=True, phases=tuple(Phase))
    @given(testing.messages("hermes"))
    def nobody_calls(message: Message) -> None:
        assert not message.calls

    with pytest.raises(AssertionError) as failed:
        nobody_calls()
    (shown, *_) = failed.value.__notes__
    assert "message=Message(segments=[Call(name='f', arguments={})])" in shown


def test_without_hypothesis() -> None:
    """Who lacks hypothesis is told what to install, in one sentence."""
    code = "import sys; sys.modules['hypothesis'] = None\nimport toolect.testing"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert (
        last.startswith("toolect.MissingExtraError: expected hypothesis, got none: pip install ")
        and "[testing]" in last
    )


# The command line


def invoke(*words: str) -> Result:
    """Runs a command in this process."""
    return CliRunner().invoke(main, words)


def test_the_command_writes_json_lines() -> None:
    """Each line has a text, the message it says, and the tools it calls."""
    result = invoke("spec", "generate", "kimi-k2", "-n", "30", "--seed", "7")
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert result.exit_code == 0 and len(rows) == 30
    assert Counter(row["canonical"] for row in rows) == {True: 15, False: 15}
    dialect = toolect.dialect("kimi-k2")
    for row in rows:
        assert (row["dialect"], row["corruption"]) == ("kimi-k2", None)
        message = dialect.parse(row["text"], row["tools"])
        assert [s["type"] for s in row["message"]["segments"]] == [type(s).__name__.lower() for s in message.segments]


def test_the_command_is_reproducible() -> None:
    """The bytes depend on the seed, not on the order of sets."""
    words = [*RUN, "spec", "generate", "xlam", "-n", "60", "--seed", "7", "--corrupt"]
    one, two = (
        subprocess.run(words, capture_output=True, check=True, env={**os.environ, "PYTHONHASHSEED": seed}).stdout
        for seed in ("1", "2")
    )
    assert one == two and one.count(b"\n") == 60


def test_the_command_corrupts() -> None:
    """Corrupted lines name the way; with none named, every way occurs."""
    result = invoke("spec", "generate", "hermes", "-n", "400", "--corrupt", "any")
    rows = [json.loads(line) for line in result.stdout.strip().split("\n")]
    left = {how.value for how in Corruption} - {row["corruption"] for row in rows}
    assert len(left) < 8, left
    assert all(segment["span"] is None for row in rows for segment in row["message"]["segments"])
    result = invoke("spec", "generate", "hermes", "-n", "5", "--corrupt", "truncation", "--format", "text")
    assert re.findall(r"^=== (\d+) (.*) ===$", result.stdout, re.MULTILINE) == [
        (str(i), "truncation") for i in range(1, 6)
    ]


def test_what_cannot_be_broken_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """A dialect without quotes cannot have wrong ones: the command ends, and says why."""
    monkeypatch.setattr("toolect._cli.spec.PATIENCE", 5)
    result = invoke("spec", "generate", "functiongemma", "-n", "3", "--corrupt", "wrong-quotes")
    assert result.exit_code == 1
    assert "expected 3 messages to break by wrong-quotes" in result.stderr


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("spec", "generate", "herms"), "did you mean `hermes`"),
        (("spec", "generate", "hermes", "-n", "-1"), "-1 is not in the range"),
        (("spec", "generate", "hermes", "--corrupt", "badly"), "'badly' is not one of 'any', 'missing-closer'"),
        (
            (
                "spec",
                "generate",
            ),
            "Missing argument 'DIALECT'",
        ),
        (("spec", "generate", "auto"), "which only reads"),
    ],
)
def test_misuse(words: tuple[str, ...], expected: str) -> None:
    """One sentence, exit code 2."""
    result = invoke(*words)
    assert result.exit_code == 2
    assert expected in result.stderr


def test_status_of_drawn_calls() -> None:
    """Drawn calls are runnable."""
    drawn = generate.message(toolect.dialect("hermes"), Random(7), hostile=True)
    assert all(call.status is Status.OK for call in drawn.calls)
