"""The JSON Schema for editors: it admits every spec that loads, and tells what an editor should mark."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
import yaml

from toolect._authoring.editor_schema import chat_schema, editor_schema
from toolect._chats import chat_registry
from toolect.registry import shipped

VALIDATOR = jsonschema.Draft202012Validator(editor_schema())
CHATS = jsonschema.Draft202012Validator(chat_schema())
ROOT = Path(__file__).parent.parent
FORMATS = ROOT / "tests" / "formats" / "formats.yaml"


@pytest.mark.parametrize("path", [shipped(), FORMATS], ids=str)
def test_specs_are_valid(path: Path) -> None:
    """What toolect loads, an editor accepts."""
    assert [error.message for error in VALIDATOR.iter_errors(yaml.safe_load(path.read_text("utf-8")))] == []


def test_chats_are_valid() -> None:
    """What toolect loads, an editor accepts: of chats too."""
    text = chat_registry.shipped().read_text("utf-8")
    assert [error.message for error in CHATS.iter_errors(yaml.safe_load(text))] == []


@pytest.mark.parametrize("name", ["dialects", "chats"])
def test_the_files_are_up_to_date(name: str) -> None:
    """What editors read is what `toolect spec schema NAME > NAME.schema.json` writes."""
    schema = {"dialects": editor_schema, "chats": chat_schema}[name]()
    assert (ROOT / f"{name}.schema.json").read_text("utf-8") == json.dumps(schema, indent=2) + "\n"


def test_they_are_schemas() -> None:
    """By their own schema."""
    jsonschema.Draft202012Validator.check_schema(editor_schema())
    jsonschema.Draft202012Validator.check_schema(chat_schema())


@pytest.mark.parametrize(
    "entry",
    [
        {"map": {}, "mpa": {}},
        {"map": {"call": "cal"}},
        {"map": {}, "values": {"a/TEXT": "schem"}},
        {"map": {}, "values": {"a/TEXT": {"codec": "schema", "escape": "json"}}},
        {"map": {}, "values": {"a/JSON": {"layout": "rows"}}},
        {"map": {}, "gaps": {"before call": "x"}},
        {"map": {}, "policies": {"unwrapped": "keep"}},
        {"map": {}, "end": "<eos>"},
        {"about": "neither a map nor another entry"},
        "a text",
    ],
    ids=str,
)
def test_mistakes_are_marked(entry: object) -> None:
    """Fields, roles, codecs, options and policies that there are not, and values of another kind."""
    assert not VALIDATOR.is_valid({"d": entry})


@pytest.mark.parametrize(
    "entry",
    [
        {"extends": "chatml", "whn": {}},
        {"extends": "chatml", "when": {"think": "latest & reasoning"}},
        {"map": {"head": "sys"}},
        {"trim": {"user": "all"}},
        {"lost": ["tool"]},
        {"end": "<eos>"},
        {"tools": {"ech": "{name}"}},
        {"systems": "second"},
        {"markers": ["<s>"]},
        {"output": "yaml"},
        "a text",
    ],
    ids=str,
)
def test_mistakes_in_chats_are_marked(entry: object) -> None:
    """Fields, roles and words that there are not, and values of another kind."""
    assert not CHATS.is_valid({"d": entry})
