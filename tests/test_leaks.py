"""Markers that are left in the content of a message: those of all dialects, and none that is quoted."""

from __future__ import annotations

import pytest
import shipped_corpus

import toolect
from toolect.registry import dialects

HERMES = toolect.dialect("hermes")
LEFT = [
    ("Done. [/TOOL_CALLS]", "[/TOOL_CALLS]"),
    ("I see </think> The answer is 4.", "</think>"),
    ("Right.\n</function>", "</function>"),
    ("```xml\n<invoke>\n```\n</invoke>", "</invoke>"),
    ("`a` <|tool_calls_section_begin|> b", "<|tool_calls_section_begin|>"),
    ("你好 <｜tool▁calls▁begin｜>", "<｜tool▁calls▁begin｜>"),
    ('<tool_call name="f" arguments={"a": 1}/>', "<tool_call name="),
    ("Well < ｜ DSML ｜ tool_calls>", "<｜DSML｜tool_calls>"),
    ("I look. &lt;tool_calls&gt;", "<tool_calls>"),
    ("I look. \\<tool\\_calls>", "<tool_calls>"),
    ("<|some_new_token|> Hm.", "<|some_new_token|>"),
]
NONE = [
    "Write `</function>` behind it.",
    "```xml\n<tool_calls>\n</tool_calls>\n```",
    "“<|python_tag|>” is a token.",
    "The [TOOL_CALLS] token comes first.",
    "if a < b[0]: <b>json</b> </p> [x]",
    "f(x)[TOOLS]",
]


@pytest.mark.parametrize(("text", "marker"), LEFT)
def test_a_marker_of_another_dialect_is_a_leak(text: str, marker: str) -> None:
    """It is named, the message is not clean, and JSON has it."""
    message = HERMES.parse(text)
    assert message.leaks == (marker,) and not message.clean and message.exact
    assert message.to_dict()["leaks"] == [marker]
    assert type(message).from_dict(message.to_dict()).leaks == (marker,)


@pytest.mark.parametrize("text", NONE)
def test_a_marker_that_is_quoted_is_none(text: str) -> None:
    """Code, quotation marks and sentences may have markers; a message without leaks says nothing of them."""
    message = HERMES.parse(text)
    assert message.leaks == () and message.clean and "leaks" not in message.to_dict()


@pytest.mark.parametrize("name", dialects())
def test_what_a_dialect_writes_leaks_nothing(name: str) -> None:
    """No canonical case has a leak, but for those whose content is about markers."""
    dialect, texts = toolect.dialect(name), 0
    for case in shipped_corpus.cases_of(name):
        message = dialect.parse(case.text, **case.options)
        if case.canonical and message.runnable and not dialect.has_marker(message.content):
            assert message.leaks == (), case
            texts += 1
    assert texts


def test_long_texts_take_linear_time() -> None:
    """A megabyte of quoted and of bare markers is gone through once."""
    for part in ("`<tool_call>` ", "</function> Yes. ", "```\n<tool_call>\n```\n", "“", "<"):
        message = toolect.Message([toolect.Content(part * (1_000_000 // len(part)))])
        assert bool(message.leaks) == (part == "</function> Yes. ")
