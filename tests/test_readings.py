"""Readings of short texts, which checks of grammars stand on."""

from __future__ import annotations

from toolect._diagnostic import Place
from toolect._spec.grammar_model import Alt, Literal, Ref, Seq
from toolect._spec.model import Rule
from toolect._spec.readings import two_readings


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
