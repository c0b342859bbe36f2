"""Dialects that a program declares itself, and model ids that it maps."""

from __future__ import annotations

import pickle
import re
from pathlib import Path
from typing import Any

import pytest

import toolect
from toolect import UnknownNameError, registry
from toolect import _files as files
from toolect._dialect_registry import Registry
from toolect.registry import shipped

MAP = "map: {content: content, call: call, call/JSON: {name: $name, arguments: $arguments}}"
GRAMMAR = 'start: (content | call)*\ncontent: TEXT\ncall: "<call>" JSON "</call>"\n%declare TEXT JSON\n'
ENTRY: dict[str, Any] = {
    "map": {"content": "content", "call": "call", "call/JSON": {"name": "$name", "arguments": "$arguments"}},
    "end": ["<end>"],
}
HARBOUR = f"harbour:\n  {MAP}\n  end: ['<end>']\n"


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What these tests compile, kept by its content as ever, is not in the user's cache."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def _unchanged(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test defines is gone after it."""
    monkeypatch.setenv("TOOLECT_CACHE_DIR", str(cache))
    monkeypatch.setattr(registry, "_registry", Registry(shipped))
    monkeypatch.setattr(files, "_given", {})


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A user's file with one spec."""
    path = tmp_path / "mine.yaml"
    path.write_text(f"mine:\n  {MAP}\n", "utf-8")
    (tmp_path / "grammars").mkdir()
    (tmp_path / "grammars" / "mine.lark").write_text(GRAMMAR, "utf-8")
    return path


@pytest.mark.parametrize(
    "given",
    [
        {"entry": {"harbour": ENTRY}},
        {"entry": ENTRY, "name": "harbour"},
        {"entry": HARBOUR},
        {"entry": f"{MAP}\nend:\n- <end>\n", "name": "harbour"},
    ],
)
def test_a_dialect_may_be_given(given: Any) -> None:
    """An entry as a mapping or as text makes a dialect like any other, which is found by name and by its marks."""
    harbour = toolect.define(grammar=GRAMMAR, **given)
    text = '<call>{"name": "f", "arguments": {}}</call>'
    assert toolect.dialect("harbour") is harbour and "harbour" in toolect.dialects()
    assert harbour.render(toolect.Call("f", {})) == text and harbour.spec.end == ("<end>",)
    assert toolect.parse(text).dialects == ("harbour",)
    assert pickle.loads(pickle.dumps(harbour)).parse(text).calls == harbour.parse(text).calls


def test_what_is_given_extends_what_is_there(mine: Path) -> None:
    """An entry may extend a shipped one, a loaded one, one that was given, or the shipped one whose name it takes."""
    toolect.load(mine)
    toolect.define({"harbour": ENTRY}, GRAMMAR)
    for base in ("hermes", "mine", "harbour"):
        assert toolect.define({"other": {"extends": base, "end": ["<o>"]}}).spec.end == ("<o>",)
    for end in ("<p>", "<q>"):
        own = toolect.define({"hermes": {"extends": "hermes", "end": [end]}})
        assert toolect.dialect("hermes") is own and own.spec.end == (end,)
    mine.with_name("late.yaml").write_text("late:\n  extends: harbour\n", "utf-8")
    assert toolect.load(mine.with_name("late.yaml")) == ["late"]


def test_a_given_grammar_imports_shipped_ones() -> None:
    """The value languages need not lie anywhere."""
    grammar = 'start: (content | c)*\ncontent: TEXT\nc: "<c>" call "</c>"\n%import .pythonic (call, NAME, KEY, WORDS)\n'
    dialect = toolect.define({"own": {"extends": "pythonic"}}, grammar + "%declare TEXT\n")
    assert dialect.parse("<c>f(a=True)</c>").calls[0].arguments == {"a": True}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (
            {"entry": {"harbour": ENTRY}, "grammar": GRAMMAR.replace("JSON", "JSN", 1)},
            "<defined>/grammars/harbour.lark:3",
        ),
        ({"entry": "harbour: [", "grammar": GRAMMAR}, "yaml-syntax"),
        ({"entry": {"a/b": ENTRY}, "grammar": GRAMMAR}, "bad-name"),
        ({"entry": ENTRY, "grammar": GRAMMAR}, "fields of an entry without one: give"),
        ({"entry": {"harbour": ENTRY}}, "expected a grammar for `harbour`, got none"),
        ({"entry": {"a": ENTRY, "b": ENTRY}, "grammar": GRAMMAR}, "of one dialect, got 2"),
        ({"entry": {"a": {"end": {1, 2}}}, "grammar": GRAMMAR}, "what YAML can hold"),
        ({"entry": {"other": {"extends": "nothing"}}}, "expected another entry to extend, got `nothing`"),
    ],
)
def test_what_cannot_be_given_is_said(given: Any, expected: str) -> None:
    """A mistake is drawn with its line, though there is no file, and nothing is registered."""
    before = toolect.dialects()
    with pytest.raises(ValueError, match=re.escape(expected)):
        toolect.define(**given)
    assert toolect.dialects() == before


def test_the_text_of_a_spec_is_no_path() -> None:
    """It is said where a text can be given."""
    with pytest.raises(ValueError, match="got its text: give that to define"):
        toolect.load(HARBOUR)


def test_models_are_mapped() -> None:
    """A pattern leads its models to a dialect, also to another one than before; names stay names."""
    toolect.map_model("my-*", "hermes")
    toolect.map_model("Qwen/Qwen3-Coder*", "hermes")
    for model in ("my-7b", "acme/My-7B-GGUF", "Qwen/Qwen3-Coder-30B-A3B-Instruct"):
        assert toolect.dialect(model).name == "hermes"
    toolect.map_model("my-*", "kimi-k2")
    assert toolect.dialect("my-7b").name == "kimi-k2"
    toolect.map_model("qwen3*", "kimi-k2")
    assert toolect.dialect("qwen3-coder").name == "qwen3-coder"
    with pytest.raises(UnknownNameError):
        toolect.map_model("my-*", "nothing-like-it")
    with pytest.raises(ValueError, match="expected a pattern of model ids like `my-"):
        toolect.map_model("*", "hermes")


def test_another_process_knows_the_same(mine: Path) -> None:
    """Files, texts and patterns go along in one value."""
    toolect.load(mine)
    toolect.define({"harbour": {"extends": "mine"}})
    toolect.map_model("my-*", "harbour")
    state = pickle.dumps(registry.state())
    registry._registry = Registry(shipped)
    files._given.clear()
    registry.restore(pickle.loads(state))
    assert toolect.dialect("my-7b").name == "harbour"


@pytest.mark.parametrize("text", [False, True])
@pytest.mark.parametrize(
    ("name", "said"), [("harbour", "got `harbour` again: leave out name="), ("quay", "of `harbour`")]
)
def test_an_entry_that_has_its_name_already(name: str, said: str, text: bool) -> None:
    """One name is enough: two are one error, and not one for each part that is then missing."""
    with pytest.raises(ValueError, match=said) as error:
        toolect.define(HARBOUR if text else {"harbour": ENTRY}, GRAMMAR, name=name)
    assert not isinstance(error.value, toolect.SpecError)
    assert toolect.define(HARBOUR, GRAMMAR).name == "harbour"
