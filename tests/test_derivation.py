"""Derivations: the tree of a text says what the message says, whatever the text."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
import shares
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from shipped_corpus import all_cases, same

import toolect
from toolect._authoring.derivation import Branch, Derivation, Leaf, derive, explain, parts
from toolect._cli import main
from toolect._cli.tree_text import draw_tree
from toolect._compiled import Dialect
from toolect._message import Content, Repair, RepairKind, Status
from toolect._spec.load import load_spec
from toolect._spec.model import Role
from tools.fuzz.work import grown

CASES = all_cases()


def check(dialect: Dialect, found: Derivation) -> None:
    """What every derivation obeys: leaves tile the text, rules are around them, and no part that the grammar lacks."""
    at = min(0, found.tree.span[0])
    for _, node in found.tree.walk():
        if isinstance(node, Leaf):
            assert at <= node.span[0] <= node.span[1] <= len(found.text), node
            assert not found.text[max(at, 0) : max(node.span[0], 0)].strip(), node
            assert not node.implied or node.span[0] == node.span[1]
            at = node.span[1]
        else:
            assert all(node.span[0] <= child.span[0] and child.span[1] <= node.span[1] for child in node.children)
    assert not found.text[max(at, 0) :].strip()
    assert set(found.edges) <= {part.name for part in parts(dialect)}


def branches(found: Derivation) -> list[Branch]:
    """Every rule of the tree, in order."""
    return [node for _, node in found.tree.walk() if isinstance(node, Branch)]


@pytest.mark.parametrize("name", toolect.dialects())
def test_corpus(name: str) -> None:
    """The message is that of `parse`, and the calls of clean texts are where the tree has them.

    Of a dialect's cases up to twelve are drawn (`--all`: each).
    """
    dialect = toolect.dialect(name)
    for case in shares.share([case for case in CASES if case.dialect == name], 12, name):
        found = derive(dialect, case.text, **case.options)
        assert same(found.message, dialect.parse(case.text, **case.options)), case
        check(dialect, found)
        if found.message.exact and "call" in found.edges and Role.CALL is dialect.spec.roles.get("call"):
            calls = [branch.span for branch in branches(found) if branch.role in (Role.CALL, Role.AGAIN)]
            read = {
                call.span for call in found.message.calls if not call.raw.startswith(("{", "["))
            }  # JSON is one leaf
            assert read <= {*calls}, case
            said = [segment.span for segment in found.message.segments if isinstance(segment, Content)]
            for failure in found.failures:  # text that the grammar has no place for is content, and no damage
                assert any(start <= failure.at < end for start, end in said), (case, failure)


@given(st.randoms(use_true_random=False))
def test_any_text(chance: random.Random) -> None:
    """Broken texts have a derivation too, and the message is that of `parse`."""
    case = chance.choice(CASES)
    dialect = toolect.dialect(case.dialect)
    other = chance.choice(CASES).text
    start, end = sorted(chance.randrange(len(case.text) + 1) for _ in range(2))
    cut = chance.randrange(len(other) + 1)
    for text in (case.text[:start] + case.text[end:], case.text[:start] + other[cut:] + case.text[end:]):
        found = derive(dialect, text)
        assert same(found.message, dialect.parse(text))
        check(dialect, found)
        drawn = "".join(piece for _, piece in draw_tree(found))
        assert drawn.count("\n! ") + drawn.count(" ! ") >= len(found.message.repairs) + len(found.failures)


def test_tree() -> None:
    """Rules, what they read, what that fills, and which options were taken."""
    found = derive(toolect.dialect("qwen3-coder"), "<tool_call>\n<function=f>\n<parameter=x>\n1\n</function>")
    drawn = [
        (depth, node.rule, node.taken)
        if isinstance(node, Branch)
        else (depth, node.name, found.text[slice(*node.span)])
        for depth, node in found.tree.walk()
    ]
    assert drawn == [
        (0, "start", ("start#1", "start#4")),
        (1, "call", ("call#1", "call#2")),
        (2, "<tool_call>", "<tool_call>"),
        (2, "<function=", "<function="),
        (2, "NAME", "f"),
        (2, ">", ">"),
        (2, "argument", ()),
        (3, "<parameter=", "<parameter="),
        (3, "KEY", "x"),
        (3, ">", ">"),
        (3, "TEXT", "1"),
        (3, "</parameter>", ""),
        (2, "</function>", "</function>"),
        (2, "</tool_call>", ""),
    ]
    leaves = {node.name: node for _, node in found.tree.walk() if isinstance(node, Leaf)}
    assert leaves["TEXT"].fills == (Role.VALUE,)
    assert leaves["KEY"].fills == (Role.KEY,)
    assert leaves["</parameter>"].implied
    assert not leaves["</function>"].implied
    assert found.edges == {"start": 1, "start#1": 1, "start#4": 1, "call": 1, "call#1": 1, "call#2": 1, "argument": 1}


def test_first_reading(tmp_path: Path) -> None:
    """Of readings that nothing tells apart, the first in the grammar's order is shown."""
    (tmp_path / "grammars").mkdir()
    both = 'a: "<x>" TEXT "</x>"\nb: "<x>" TEXT "</x>"'
    (tmp_path / "grammars" / "twice.lark").write_text(
        f"start: (content | a | b)*\ncontent: TEXT\n{both}\n%declare TEXT\n"
    )
    (tmp_path / "x.yaml").write_text("twice:\n  map: {content: content, a: reasoning, b: reasoning}\n")
    found = derive(Dialect(load_spec(tmp_path / "x.yaml", "twice")), "<x>1</x><x>2</x>")
    assert [branch.rule for branch in branches(found) if branch.role is Role.REASONING] == ["a", "a"]


def test_shapes() -> None:
    """A JSON slot fills what its shape has holes for."""
    found = derive(toolect.dialect("hermes"), '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>')
    [slot] = [n for _, n in found.tree.walk() if isinstance(n, Leaf) and n.name == "JSON"]
    assert slot.fills == (Role.NAME, Role.ARGUMENTS)


def test_failures() -> None:
    """Where the grammar cannot go on, it says with what it could have, and what came."""
    dialect = toolect.dialect("qwen3-coder")
    found = derive(dialect, "<tool_call>\n<function=f>\nwhat?\n</function>\n</tool_call>")
    assert [str(failure) for failure in found.failures] == [
        "expected `<parameter=` or `<parameter>` or `</function>`, got `what?\n</function>\n</tool` - at 25"
    ]
    assert found.message.calls[0].status is Status.MALFORMED
    cut = derive(dialect, "<tool_call>\n<function=f>\n<parameter=x>\n1")
    assert [str(failure) for failure in cut.failures] == ["expected `</parameter>`, got the end - at 40"]
    json = derive(toolect.dialect("hermes"), '<tool_call>\n{"name": "f", ')
    assert [str(failure) for failure in json.failures] == ["expected the rest of a JSON value, got the end - at 26"]


def test_prompt() -> None:
    """What the prompt wrote comes before character 0."""
    found = derive(toolect.dialect("hermes"), "so\n</think>\n\nyes", prefix="<think>\n")
    assert [branch.span for branch in branches(found) if branch.rule == "think"] == [(-8, 11)]
    assert found.message.reasoning == "so"


def test_parts() -> None:
    """Every part has a name of its own, and the place in a grammar where it begins."""
    for name in toolect.dialects():
        listed = parts(toolect.dialect(name))
        assert len({part.name for part in listed}) == len(listed)
        for part in listed:
            line = Path(part.place.path).read_text("utf-8").split("\n")[part.place.line - 1]
            there = line[part.place.column - 1 :][: part.place.length]
            assert there and (there == part.name or there in part.text), part  # a variant may have other markers


def _list(size: int) -> str:
    """A call with a list of so many numbers."""
    return "[f(a=[" + "1, " * size + "])]"


def test_deep_and_long() -> None:
    """Nesting is bounded, and the work of a long text is linear."""
    dialect = toolect.dialect("pythonic")
    deep = derive(dialect, "[f(a=" + "[" * 5000 + "1")
    assert deep.failures[0].expected == ("less nesting",)
    assert max(depth for depth, _ in deep.tree.walk()) < 2000
    assert not derive(dialect, _list(8_000)).failures
    assert not grown(lambda text: derive(dialect, text), _list)
    assert same(deep.message, dialect.parse(deep.text))


BROKEN = (
    "<tool_call>\n<function=f>\n<parameter=x>\n1\n</function>\n</tool_call>\n"
    "<tool_call>\n<function=g> what\n</tool_call><|im_end|>more"
)
DRAWN = """\
start  0-122  start#1  start#4
  call  0-65  call#1  call#2  → call  repaired
    <tool_call>  0-11
    <function=  12-22
    NAME  22-23  → call.name  f
    >  23-24
    argument  25-41  → argument
      <parameter=  25-36
      KEY  36-37  → argument.key  x
      >  37-38
      TEXT  39-40  → argument.value  1
      </parameter>  41-41  missing
        ! implied-closer at 41: the closer `</parameter>` is missing; the text goes on, or ends, as if it were there
    </function>  41-52
    </tool_call>  53-65
  call  66-108  → call  malformed: expected `<parameter=` or `<parameter>` or `</function>`, got 'w' - at 91
    <tool_call>  66-77
    <function=  78-88
    NAME  88-89  → call.name  g
    >  89-90
    (unread)  91-95  what
      ! expected `<parameter=` or `<parameter>` or `</function>`, got `what\\n</tool_call><|im_en` - at 91
    </function>  96-96  missing
      ! implied-closer at 96: the closer `</function>` is missing; the text goes on, or ends, as if it were there
    </tool_call>  96-108
  (end)  108-122  <|im_end|>more
    ! after-end at 118: this follows the end of the answer and was left out
"""


def tree(dialect: str, *words: str, text: str) -> tuple[int, str]:
    """The status and the output of `toolect parse --tree`."""
    result = CliRunner().invoke(main, ["parse", "--dialect", dialect, "--tree", *words], input=text)
    return result.exit_code, result.output


def test_tree_is_drawn() -> None:
    """Every repair is at its place, and what was expected is said where reading failed."""
    assert tree("qwen3-coder", "--format", "text", text=BROKEN) == (1, DRAWN)
    status, drawn = tree("mistral-v3", "--format", "text", text='[TOOL_CALLS][{"name": "f", "arguments": {}}]')
    assert (status, drawn.splitlines()[-1]) == (0, "call f  ok")  # no rule of its own


def test_tree_as_json() -> None:
    """The same as one object."""
    status, drawn = tree("qwen3-coder", text=BROKEN)
    form = json.loads(drawn)
    assert (status, form["dialect"]) == (1, "qwen3-coder")
    assert [(n["depth"], n["kind"], n["text"]) for n in form["nodes"] if n.get("kind") in ("unread", "end")] == [
        (2, "unread", "what"),
        (1, "end", "<|im_end|>more"),
    ]
    assert [repair["kind"] for repair in form["repairs"]] == ["implied-closer", "implied-closer", "after-end"]
    assert form["failures"][0] == {
        "at": 91, "expected": ["`<parameter=`", "`<parameter>`", "`</function>`"],
        "got": "what\n</tool_call><|im_en", "more": False,
    }  # fmt: skip
    assert form["message"]["segments"][0]["name"] == "f"


def test_tree_misused() -> None:
    """It needs a dialect, one text, and nothing else that is written instead of the message."""
    for words, why in (
        (["auto"], "expected the dialect whose rules are shown"),
        (["hermes", "--jsonl"], "expected one text with --tree"),
        (["hermes", "--stream"], "expected --tree alone, got --stream too"),
    ):
        status, said = tree(*words, text="")
        assert status == 2
        assert why in said


def test_explanations() -> None:
    """Every kind of repair has a sentence."""
    assert len({explain(Repair(kind, 0, "detail")) for kind in RepairKind}) == len(RepairKind)
