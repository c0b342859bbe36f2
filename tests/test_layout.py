"""JSON written in each layout."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given

from toolect import testing
from toolect._compiled import Dialect
from toolect._message import Call, Json, Message
from toolect._spec.codec_model import Layout, LayoutKind
from toolect._values.layout import lay_out
from toolect.registry import Registry, shipped


@given(testing.values())
def test_layouts_are_those_of_json(value: Json) -> None:
    """Indented and compact text is what Python's encoder writes, from whatever layout."""
    spaced, indented, compact = (
        json.dumps(value, ensure_ascii=False, indent=indent, separators=separators)
        for indent, separators in ((None, None), (3, None), (None, (",", ":")))
    )
    for text in (spaced, indented, compact):
        assert lay_out(text, Layout(LayoutKind.INDENTED, 3)) == indented
        assert lay_out(text, Layout(LayoutKind.COMPACT)) == compact
        assert lay_out(text, Layout()) == lay_out(text, Layout(LayoutKind.ROWS, 4)) == text


def test_spellings_stay() -> None:
    """Only whitespace between tokens changes."""
    text = '{ "a\\"  : " : " , " ,\t"\\u00e9" : [ 1.50 , 1e3,{ } , [\n] ] }'
    assert lay_out(text, Layout(LayoutKind.COMPACT)) == '{"a\\"  : ":" , ","\\u00e9":[1.50,1e3,{},[]]}'


GRAMMAR = 'start: (content | call)*\ncontent: TEXT\ncall: "<call>" JSON "</call>"\n%declare TEXT JSON\n'
LIST = '[{id: $id, "function": {name: $name, arguments: $arguments}}]'
SAMPLES = {
    "compact": (
        '[{"id":"1","function":{"name":"f","arguments":{"a":[1,2]}}},'
        '{"id":null,"function":{"name":"g","arguments":{}}}]'
    ),
    "rows 2": """[
  {"id": "1", "function": {"name": "f", "arguments": {"a": [1, 2]}}},
  {"id": null, "function": {"name": "g", "arguments": {}}}
]""",
    "indented 1": """[
 {
  "id": "1",
  "function": {
   "name": "f",
   "arguments": {
    "a": [
     1,
     2
    ]
   }
  }
 },
 {
  "id": null,
  "function": {
   "name": "g",
   "arguments": {}
  }
 }
]""",
}
OTHERS = {
    ("compact", "{$name: $arguments}"): '{"f":{"a":[1,2]}}',
    ("indented 2", "{$name: $arguments}"): '{\n  "f": {\n    "a": [\n      1,\n      2\n    ]\n  }\n}',
    ("rows 2", "{name: $name, arguments: $arguments}"): '{"name": "f", "arguments": {"a": [1, 2]}}',
    ("compact", "{n: $name, a: $arguments.text}"): r'{"n":"f","a":"{\"a\": [1, 2]}"}',
    ("indented 1", "{n: $name, a: $arguments.text}"): '{\n "n": "f",\n "a": "{\\"a\\": [1, 2]}"\n}',
}
CALLS = [Call("f", {"a": [1, 2]}, "1"), Call("g", {})]


def written(folder: Path, layout: str, shape: str) -> Dialect:
    """A dialect whose JSON has this layout and shape."""
    (folder / "grammars").mkdir()
    (folder / "grammars" / "d.lark").write_text(GRAMMAR.replace("call)*", "calls)*").replace("call:", "calls:"))
    codec = f"values: {{calls/JSON: {{codec: json, layout: {layout}}}}}"
    (folder / "d.yaml").write_text(f"d:\n  map: {{content: content, calls/JSON: {shape}}}\n  {codec}\n")
    registry = Registry(shipped)
    registry.load(folder / "d.yaml")
    return registry.dialect("d")


@pytest.mark.parametrize("layout", SAMPLES)
def test_a_list_of_calls(layout: str, tmp_path: Path) -> None:
    """Calls in a list are written in the layout, and a text in it is read cleanly and written back."""
    dialect = written(tmp_path, layout, LIST)
    text = f"<call>{SAMPLES[layout]}</call>"
    assert str(dialect.render(Message(CALLS))) == text
    message = dialect.parse(text, mode="strict")
    assert message.exact
    assert str(dialect.render(message)) == text


@pytest.mark.parametrize(("layout", "shape"), OTHERS)
def test_one_call(layout: str, shape: str, tmp_path: Path) -> None:
    """Calls in other shapes."""
    dialect = written(tmp_path, layout, shape)
    text = f"<call>{OTHERS[layout, shape]}</call>"
    assert str(dialect.render(Message(CALLS[:1]))) == text
    assert str(dialect.render(dialect.parse(text))) == text
