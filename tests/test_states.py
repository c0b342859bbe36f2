"""What checks of grammars stand on: the parser's states, and readings of short texts."""

from __future__ import annotations

from pathlib import Path

import pytest

import toolect
from toolect._authoring.lint import states
from toolect._authoring.lint.grammar_checks import too_large
from toolect._authoring.lint.states import States
from toolect._authoring.lint.subject import Subject
from toolect._diagnostic import Place
from toolect._spec.grammar_model import Alt, Literal, Ref, Seq
from toolect._spec.load import load_entries, read_entries
from toolect._spec.model import Rule
from toolect._spec.problems import Problems
from toolect._spec.readings import two_readings
from toolect.registry import shipped


def test_every_state_of_a_small_dialect() -> None:
    found = States(toolect.dialect("qwen3-coder"))
    call = "<tool_call>\n<function=a>\n"
    argument = f"{call}<parameter=a>\na"
    texts = [state.text for state in found.found]
    assert found.complete
    assert texts[0] == "" and {call, argument} <= {*texts}


def test_a_text_leads_where_it_says() -> None:
    """Where an answer may end, the text of the state is one that strict mode reads."""
    for name in ("hermes", "qwen3-coder", "mistral-v11", "kimi-k2", "beam"):
        dialect = toolect.dialect(name)
        for state in States(dialect).found:
            message = dialect.parse(state.text)
            if state.node.done is not None and not state.text.isspace():
                assert (
                    not any(call.status in ("truncated", "malformed") for call in message.calls) or "{}" in state.text
                )


def test_bounds_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = read_entries(shipped(), Problems())
    (loaded,) = load_entries(shipped(), entries, ["qwen3-coder"])
    for bound, value in (("MAX_STATES", 3), ("MAX_CHOICES", 9)):
        with monkeypatch.context() as patch:
            patch.setattr(states, bound, value)
            subject = Subject(Path(shipped()), loaded)
            (found,) = too_large(subject)
            assert "states of the grammar were looked at" in found.message


def _rules(**written: object) -> dict[str, Rule]:
    return {name: Rule(name, expr, Place("", 1, 1)) for name, expr in written.items()}  # type: ignore[arg-type]


def test_readings() -> None:
    x, end = Literal("x"), Literal("!")
    two = two_readings(_rules(start=Alt((Ref("a"), Ref("b"))), a=Seq((x, end)), b=Seq((Ref("c"), end)), c=x))
    assert two is not None
    assert (two.text, two.trees) == ("x!", 'a("x" "!"), or b(c("x") "!")')
    assert two_readings(_rules(start=Alt((Ref("a"), Ref("b"))), a=x, b=end)) is None


def test_readings_are_bounded() -> None:
    """A rule that begins with itself, and one that grows on both sides, take no longer."""
    loop = Alt((Seq((Ref("a"), Ref("a"))), Ref("a"), Literal("x")))
    two_readings(_rules(start=Ref("a"), a=loop))
    both = Alt((Seq((Literal("("), Ref("a"), Literal(")"), Ref("a"))), Literal("x")))
    assert two_readings(_rules(start=Ref("a"), a=both)) is None
