"""Calls in reasoning, in every dialect that has both: begun in full, rehearsed, and named in half."""

from __future__ import annotations

import functools

import pytest
import shipped_corpus

import toolect
from toolect import registry
from toolect._message import Call, Content, Json, Message, Reasoning
from toolect._spec.model import Role

REASONING = [n for n in toolect.dialects() if Role.REASONING in registry.spec(n).roles.values() and n != "react"]
"""All but one, in which an answer is either reasoning or content."""
CALLING = [n for n in REASONING if registry.spec(n).policies.reasoning_calls != "ignore"]
TOOLS: list[Json] = [{"name": "ferry", "parameters": {"properties": {"to": {"type": "string"}}}}]
CALL = Call("ferry", {"to": "Oban"})


@functools.cache
def parts(name: str) -> tuple[str, str, str]:
    """What opens and closes reasoning before an answer, and a call."""
    dialect = toolect.dialect(name)
    text = str(dialect.render(Message([Reasoning("Plan it."), Content("Done.")])))
    opener, _, rest = text.partition("Plan it.")
    return opener, rest.partition("Done.")[0], str(dialect.render(Message([CALL])))


def read(name: str, text: str, **how: Json) -> Message:
    """The message, which is the same however the text comes."""
    dialect = toolect.dialect(name)
    message = dialect.parse(text, TOOLS, **how)
    for size in (1, 7):
        chunks = [text[i : i + size] for i in range(0, len(text), size)]
        streamed, events = shipped_corpus.stream(dialect, chunks, tools=TOOLS, **how)
        assert shipped_corpus.plain(streamed) == shipped_corpus.plain(message)
        shipped_corpus.check_events(events, streamed)
    return message


@pytest.mark.parametrize("name", CALLING)
@pytest.mark.parametrize("between", ["\n\n", "\n", ""])
def test_a_call_ends_reasoning_that_is_not_closed(name: str, between: str) -> None:
    """Law: however many markers are missing before it, if it begins where a line may."""
    opener, _, call = parts(name)
    if not call.strip().startswith(toolect.dialect(name)._graph().long_openers):
        pytest.skip("calls begin with short signs, names or JSON, of which reasoning is full")
    message = read(name, f"{opener}Plan it.{between}{call}" if between else f"{opener}Plan it.\n{call.lstrip()}")
    assert message.reasoning.removesuffix("ferry").strip() == "Plan it."  # the author of a call may stand before it
    assert [(c.name, c.arguments) for c in message.runnable] == [("ferry", {"to": "Oban"})]


@pytest.mark.parametrize("name", REASONING)
@pytest.mark.parametrize("policy", ["unclosed", "ignore"])
def test_a_rehearsal_is_no_call(name: str, policy: str) -> None:
    """Law: what is called in reasoning that is closed afterwards is a part of it, where the policy says so."""
    opener, closer, call = parts(name)
    if any(closer.startswith(core) and call.endswith(core) for core in toolect.dialect(name)._graph().markers):
        pytest.skip("calls end with what closes reasoning")
    message = read(name, f"{opener}Plan it.\n{call}\nSo.{closer}Done.", reasoning_calls=policy)
    assert (message.calls, message.content.strip()) == ([], "Done.")
    assert message.reasoning.startswith("Plan it.") and message.reasoning.strip().endswith("So.")


@pytest.mark.parametrize("name", REASONING)
@pytest.mark.parametrize("before", ["Plan it.\n", "\n", ""])
def test_a_rehearsal_is_no_call_without_a_dialect(name: str, before: str) -> None:
    """Law: `auto` runs no call in reasoning that is closed afterwards, unless the dialect runs it."""
    opener, closer, call = parts(name)
    if not before.strip() and any(
        opener.endswith(core) and core in call for core in toolect.dialect(name)._graph().markers
    ):
        pytest.skip("calls have the marker that opens reasoning")
    text = f"{opener}{before}{call}\nSo.{closer}Done."
    found = toolect.auto.parse(text, TOOLS).runnable
    assert not found or toolect.dialect(name).parse(text, TOOLS).runnable


@pytest.mark.parametrize("name", REASONING)
def test_half_an_opener_is_a_part_of_reasoning(name: str) -> None:
    """Law: only a complete opener begins a call there."""
    opener, closer, call = parts(name)
    markers = toolect.dialect(name)._graph().markers
    begun = max((core for core in markers if call.lstrip().startswith(core)), key=len, default="")
    for half in (begun[: len(begun) // 2], begun[len(begun) // 2 :], "ferry"):
        message = read(name, f"{opener}I write {half} and more.{closer}Done.")
        assert (message.calls, message.content.strip()) == ([], "Done.")
