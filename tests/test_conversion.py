"""From one dialect to another: what can come through does, and what cannot is reported."""

from __future__ import annotations

import toolect
from toolect._conversion import Loss, carry
from toolect.message import Call, Content, Message, Reasoning

ROME = Call("get_time", {"place": "Rome"})


def test_what_fits_only_beside_a_call_is_kept() -> None:
    """Reasoning that the target can write with a call, but not alone, comes through."""
    message = Message([Reasoning("Hm."), ROME])
    target = toolect.dialect("anthropic-tool-use")
    done = carry(message, target)
    assert not done.losses
    assert target.parse(done.text) == message


def test_what_does_not_fit_costs_nothing_else() -> None:
    """The segments that the target has no words for are left out, each with its reason; all others are kept."""
    target = toolect.dialect("mistral-v11")
    done = carry(Message([Reasoning("Hm."), Content("Let me look."), ROME, Reasoning("So."), ROME]), target)
    assert [loss.segment for loss in done.losses] == [0, 3]
    assert {loss.slot for loss in done.losses} == {"reasoning"}
    back = target.parse(done.text)
    assert back.content == "Let me look."
    assert [call.name for call in back.calls] == ["get_time", "get_time"]


def test_an_id_that_does_not_fit_does_not_cost_its_call() -> None:
    """Where the target wants ids of another form, a call gets a new one, and the old one is the loss."""
    target = toolect.dialect("mistral-v11")
    done = carry(Message([Call("f", {"a": 1}, "0"), Call("f", {"a": 2}, "a1B2c3D4e")]), target)
    assert done.losses == (Loss(0, "id", "does not fit the place for it", "0"),)
    calls = target.parse(done.text).calls
    assert [call.arguments for call in calls] == [{"a": 1}, {"a": 2}]
    assert calls[1].id == "a1B2c3D4e"


def test_a_call_that_cannot_run_is_reported() -> None:
    """A truncated call is left out, and what is whole beside it is kept."""
    done = toolect.convert('Look.\n<tool_call>\n{"name": "f", "arguments": {"a": "b', "hermes", "kimi-k2")
    assert done.text == "Look."
    assert [loss.slot for loss in done.losses] == ["call"]
