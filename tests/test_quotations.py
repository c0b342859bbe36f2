"""What is quoted is not called, and what stands beside a quotation is."""

from __future__ import annotations

import pytest
import shares
import shipped_corpus

import toolect
from toolect._detection.guess import reader as reader_of
from tools.conformance.quotations import TOOLS, Quotation, quotations

CALL = '<tool_call>{"name": "get_weather", "arguments": {}}</tool_call>'
RUN = {
    *(("inkling", frame) for frame in ("first", "item of spans", "comparison")),  # the text begins with the name
    *((name, "comparison") for name in ("harmony", "llm-jp-harmony")),  # their end token ends the quotation
    *(("openai-chat", frame) for frame in ("quotes", "parenthesis of quotes")),  # as the quotes of its JSON do
}
"""Quotations that are run all the same."""


def test_nothing_that_is_quoted_is_run() -> None:
    """Calls of every dialect in code spans and quotation marks, read whole and in pieces, as it and without one.

    A quarter of them is drawn (`--all`: all).
    """

    def check(quoted: Quotation) -> None:
        for name in (quoted.dialect, "auto"):
            dialect = reader_of(name)
            message = dialect.parse(quoted.text, TOOLS)
            pieces = [quoted.text[i : i + 3] for i in range(0, len(quoted.text), 3)]
            assert shipped_corpus.same(shipped_corpus.stream(dialect, pieces, tools=TOOLS)[0], message)
            if name == "auto" or quoted[:2] not in RUN:
                assert message.runnable == [], name

    quoted = list(quotations())
    shipped_corpus.each(shares.share(quoted, len(quoted) // 4, "quoted"), check)


@pytest.mark.parametrize(
    "before",
    [
        "I call `get_weather`:",
        "I call `get_weather`\n",
        "Lists begin with `[`\n",
        "It is `{`, then\n",
        'It was `f: {"a": `\n',
        'He said "hi"',
        "It's that, isn't it? ",
        "The screen is 5'",
        "One ` alone\n",
        '"Sure," it says.\n',
        "```\n",
        "Use `a` and ``b``, then ",
        "“Well” ",
    ],
)
@pytest.mark.parametrize("name", ["hermes", "auto"])
def test_what_stands_beside_a_quotation_is_called(name: str, before: str) -> None:
    """Marks that are closed, or that quote nothing, hide no call."""
    dialect = reader_of(name)
    message = dialect.parse(before + CALL, TOOLS)
    assert [call.name for call in message.runnable] == ["get_weather"]
    assert shipped_corpus.same(shipped_corpus.stream(dialect, list(before + CALL), tools=TOOLS)[0], message)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("hyperclovax-14b", "Put it in /think mode, then call."),
        ("hyperclovax-14b", "There is\n/think and more."),
        ("react", "Write Thought: and go on."),
        ("hermes", "Use the <think> tag to reason."),
    ],
)
def test_a_sentence_names_what_opens_reasoning(name: str, text: str) -> None:
    """It goes on around it; at the beginning of a line, on its own, the same marker counts."""
    for dialect in (toolect.dialect(name), toolect.auto):
        assert dialect.parse(text).content == text
        assert shipped_corpus.stream(dialect, list(text))[0].content == text
    assert toolect.dialect("react").parse("So.\nThought: on.").reasoning == "on."
    assert toolect.dialect("hermes").parse("So.<think>\non\n</think>").reasoning == "on"


def test_a_quotation_ends_with_its_paragraph() -> None:
    """A quotation that nothing closes hides what comes in its paragraph, and nothing after it."""
    parse = toolect.dialect("hermes").parse
    assert parse(f"It writes `{CALL}\n{CALL}", TOOLS).calls == []
    assert len(parse(f"It writes `{CALL}\n\n{CALL}", TOOLS).calls) == 1
    assert len(parse(f"It writes `<tool_call>`.\n{CALL}", TOOLS).calls) == 1


@pytest.mark.parametrize("name", toolect.dialects())
def test_a_word_that_is_a_marker_is_a_word_in_a_sentence(name: str) -> None:
    """`json` in prose closes nothing and opens nothing, whole and in pieces, in its dialect and without one."""
    for word in sorted(core for core in toolect.dialect(name)._graph().markers if core.isalpha()):
        for text in (f"The {word} is here.", f"```{word}\n1\n```", f"So: {word}"):
            for dialect in (toolect.dialect(name), toolect.auto):
                assert dialect.parse(text).content == text
                assert shipped_corpus.stream(dialect, list(text))[0].content == text
