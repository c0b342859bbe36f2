"""A prompt that ends with what opens reasoning: the answer begins inside of it, in every dialect that reasons."""

from __future__ import annotations

import pytest

import toolect
from toolect import registry
from toolect._spec.model import Role
from toolect.message import Content, Message, Reasoning

THINKING = [n for n in toolect.dialects() if Role.REASONING in registry.spec(n).roles.values() and n != "react"]
"""All but one, in which an answer is either reasoning or content."""


@pytest.mark.parametrize("name", THINKING)
def test_the_prompt_may_open_reasoning(name: str) -> None:
    """Whatever whitespace the template writes after the marker."""
    dialect = toolect.dialect(name)
    text = str(dialect.render(Message([Reasoning("Plan it."), Content("Done.")])))
    opener, _, rest = text.partition("Plan it.")
    closer, core = rest.partition("Done.")[0], opener.rstrip()
    for tail in (opener, core, f"{core} ", f"{core}\n", f"{core}\n\n"):
        for lead in ("", "\n"):
            message = dialect.parse(f"{lead}Plan it.{closer}Done.", prefix=f"<|user|>What?<|assistant|>\n{tail}")
            assert (message.reasoning.strip(), message.content.strip()) == ("Plan it.", "Done."), (tail, lead)
        assert dialect.parse("Done.", prefix=f"{tail}Plan it.{closer}").content == "Done.", tail


@pytest.mark.parametrize(
    "tail", ["<think>", "<think>\n", "[THINK]", "<mm:think>\n", "<|START_THINKING|>", "<think>\n\n"]
)
def test_without_a_dialect(tail: str) -> None:
    """The marker is known, whoever writes it."""
    assert toolect.parse("Plan it.", prefix=f"<|assistant|>{tail}").reasoning == "Plan it."
    assert toolect.parse("Plan it.", prefix=f"{tail}And?</think>").content == "Plan it."
