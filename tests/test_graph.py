"""The graph of nodes: what its steps are looked up by."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pytest

from toolect import registry
from toolect._authoring.lint import lint
from toolect._compiled import MAX_GRAPHS, Dialect
from toolect._dialect_registry import Registry
from toolect._graph.symbols import Terminal
from toolect._message import Call, Content, Message
from toolect._spec.grammar_model import SlotKind
from toolect._spec.policies import POLICIES, WRITING

CONTENT = "start: (content | call)*\ncontent: TEXT\n"
JSON = "map: {content: content, call: call, call/JSON: {name: $name, arguments: $arguments}}"
KEYED = (
    "map: {content: content, call: call, NAME: call.name, argument: argument, KEY: argument.key, "
    "argument/%s: argument.value}"
)

SPELLED_LIKE_KEYS = {
    "a slot that comes next": (JSON, f'{CONTENT}call: "JSON\\n" JSON "\\nTEXT\\n"\n%declare TEXT JSON\n'),
    "slots on both sides": (
        KEYED % "TEXT",
        f'{CONTENT}call: "TEXT\\n" NAME "\\nJSON\\n" argument* "ESCAPED\\n"\n'
        'argument: "[" KEY "]" TEXT "JSON\\n"\nNAME: /[a-z]+/\nKEY: /[A-Za-z]/\n%declare TEXT\n',
    ),
    "a quoted string": (
        KEYED % "ESCAPED",
        f'{CONTENT}call: "TEXT:" NAME "\\n" argument* "JSON\\n"\n'
        'argument: "TEXT\\n" KEY "=" ESCAPED "ESCAPED\\n"\nNAME: /[a-z]+/\nKEY: /[A-Za-z]/\n%declare TEXT ESCAPED\n',
    ),
    "a terminal's expression": (
        KEYED % "TEXT",
        f'{CONTENT}call: "[a-z]+" NAME "[A-Za-z]" argument* "[0-9]+"\nargument: "<" KEY "=" TEXT "[A-Z]+"\n'
        "NAME: /[a-z]+/\nKEY: /[A-Za-z]/\n%declare TEXT\n",
    ),
}
"""Entry and grammar: each has a marker spelled like a slot or an expression that may stand where the marker may."""


def load(folder: Path, entry: str, grammar: str) -> Dialect:
    """The dialect of an entry and a grammar."""
    (folder / "grammars").mkdir(parents=True)
    (folder / "grammars" / "d.lark").write_text(grammar, "utf-8")
    path = folder / "dialects.yaml"
    path.write_text(f"d:\n  {entry}\n", "utf-8")
    return Registry(lambda: path).dialect("d")


def test_keys_are_kept_apart() -> None:
    """A marker is never equal to a terminal or a slot that is spelled like it."""
    assert len({"TEXT", SlotKind.TEXT, Terminal("TEXT")}) == 3
    assert Terminal("TEXT") == Terminal("TEXT")


@pytest.mark.parametrize("name", SPELLED_LIKE_KEYS)
def test_markers_may_be_spelled_like_keys(tmp_path: Path, name: str) -> None:
    """A grammar whose markers are spelled like its slots or terminals reads, streams and writes like any other."""
    entry, grammar = SPELLED_LIKE_KEYS[name]
    dialect = load(tmp_path, entry, grammar)
    message = Message([Content("(hi)"), Call("f", {"A": "1 2"}), Content("(there)"), Call("g", {})])
    wire = dialect.render(message)
    parsed = dialect.parse(wire)
    assert (parsed.content, parsed.calls, parsed.repairs) == ("(hi)(there)", message.calls, ())
    for size in (1, 3):
        stream = dialect.stream()
        for at in range(0, len(wire), size):
            stream.feed(wire[at : at + size])
        stream.close()
        assert stream.message == parsed
    for cut in range(len(wire)):
        broken = wire[:cut] + wire[cut + 1 :]
        stream = dialect.stream()
        for char in broken:
            stream.feed(char)
        stream.close()
        assert stream.message == dialect.parse(broken), broken
    said = [d.check for d in lint(tmp_path / "dialects.yaml").diagnostics]
    load(tmp_path / "other", entry, re.sub(r'"((?:\\n)?)(TEXT|JSON|ESCAPED|\[)', r'"\1Q\2', grammar))
    assert said == [d.check for d in lint(tmp_path / "other" / "dialects.yaml").diagnostics]


def test_graphs_are_kept_for_a_few_settings_only() -> None:
    """A dialect that is read under ever other policies does not grow without end."""
    dialect, read = Dialect(registry.spec("hermes")), sorted(POLICIES.keys() - WRITING)
    settings = [dict(zip(read, chosen, strict=True)) for chosen in product(*(POLICIES[name] for name in read))]
    graphs = [dialect._graph(one) for one in settings]
    kept = [one for one, graph in zip(settings, graphs, strict=True) if dialect._graph(one) is graph]
    assert len(kept) <= MAX_GRAPHS < len(graphs)
