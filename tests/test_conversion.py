"""From one dialect to another: what can come through does, and what cannot is reported."""

from __future__ import annotations

import random

import pytest

import toolect
from toolect._conversion import Conversion, Loss, carry
from toolect._message import Call, Content, Message, Reasoning, Segment
from toolect._rendering.roundtrip import tools_of

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
    done = toolect.convert('Look.\n<tool_call>\n{"name": "f", "arguments": {"a": "b', "hermes", to="kimi-k2")
    assert done.text == "Look."
    assert [loss.slot for loss in done.losses] == ["call"]
    check(done, "kimi-k2")


@pytest.mark.parametrize("source", ["hermes", "qwen3-coder", "seed-oss"])
def test_what_follows_the_end_is_a_loss(source: str) -> None:
    """A text after the end token is read by nobody: it is told as lost; another end token, and blanks, are nothing."""
    (end, *_) = toolect.dialect(source)._graph().ends
    rest = "And\nlost.\n"
    done = toolect.convert(f"Hello{end}\n{rest}", source, to="kimi-k2")
    assert (done.text, done.losses) == (
        "Hello",
        (Loss(-1, "after-end", "follows the end of the answer", rest.rstrip()),),
    )
    (loss,) = toolect.convert(f"Hello{end}{end}{rest}", source, to="kimi-k2").losses
    assert loss.witness == f"{end}{rest}".rstrip()
    for nothing in ("", "\n", end, f"\n{end} {end}\n", f"{end}<|endoftext|>"):
        assert not toolect.convert(f"Hello{end}{nothing}", source, to="kimi-k2").losses


@pytest.mark.parametrize("name", toolect.dialects())
def test_what_is_left_of_nothing_is_written(name: str) -> None:
    """A message of which nothing can be written is an empty text, and every part of it is a loss."""
    lost = Call("", {"\ud800": ""}, "\n")
    for segments in ([], [Reasoning("")], [lost], [Content("<|im_end|>"), lost]):
        check(carry(Message(segments), toolect.dialect(name)), name)


def test_a_call_that_is_left_out_is_no_loss_of_an_id() -> None:
    """Where neither the id nor the name fits, it is the call that is lost, by its name."""
    for name, slot in (("solar-open", "name"), ("kimi-k2", "call"), ("harmony", "call")):
        done = carry(Message([ROME, Call("a b", {}, "x y")]), toolect.dialect(name))
        assert [(loss.segment, loss.slot) for loss in done.losses] == [(1, slot)], name
        assert "a b" in done.losses[0].witness
        check(done, name)


def test_texts_that_become_one_are_all_there() -> None:
    """Where the target has no border between two texts they are written as one, and that is said."""
    text = "<|channel|>commentary<|message|>One.<|end|><|start|>assistant<|channel|>final<|message|>Two.<|return|>"
    done = toolect.convert(text, "harmony", to="hermes")
    assert done.text == "One.Two."
    assert done.losses == (Loss(1, "border", "would run into the text before it", "Two."),)


def test_a_text_does_not_cost_a_call() -> None:
    """Where a text and a call do not fit together it is the text that is left out, and it says what it was."""
    message = Message([Content("One."), Reasoning("Hm."), ROME])
    for name in toolect.dialects():
        done = carry(message, toolect.dialect(name))
        assert [call.name for call in toolect.dialect(name).parse(done.text).calls] == ["get_time"], name
        check(done, name)


WORDS = (
    "",
    "a",
    "Sure.\n\n",
    "</tool_call>",
    "<|im_end|>",
    "\ud800",
    "```",
    "[TOOL_CALLS]",
    '"}}',
    "<x>",
    "  ",
    "\\",
    "it's",
)
IDS = (None, None, None, "", "call_1", " ", "x y", "functions.f:0", "abcDEF123", "z" * 50)
NAMES = ("f", "f", "f", "g.h", "a b", "", "functions.f", "no_function", "1f", "</x>")


def drawn(draw: random.Random) -> Segment:
    """A segment of any kind, mostly of odd texts."""
    value = draw.choice([*WORDS, 1, True, None, 1.5, [], {"a": "b"}, [1, "a"]])
    call = Call(draw.choice(NAMES), {draw.choice(["a", "b", "x y", ""]): value}, draw.choice(IDS))
    return draw.choice([Content(draw.choice(WORDS)), Reasoning(draw.choice(WORDS)), call])


def test_every_segment_comes_through_or_is_a_loss() -> None:
    """Whatever the message, the losses are all that is missing in the text."""
    draw = random.Random(44)
    for name in toolect.dialects():
        for _ in range(4):
            check(carry(Message([drawn(draw) for _ in range(draw.randrange(5))]), toolect.dialect(name)), name)


def check(done: Conversion, name: str) -> None:
    """All that is no loss is read in the text again."""
    lost = {loss.segment for loss in done.losses if loss.slot not in ("id", "border")}
    kept = [segment for i, segment in enumerate(done.message.segments) if i not in lost]
    back = toolect.dialect(name).parse(done.text, tools_of(done.message))
    calls = [(call.name, call.arguments) for call in kept if isinstance(call, Call)]
    assert [(call.name, call.arguments) for call in back.runnable] == calls, done
    assert back.content == "".join(segment.text for segment in kept if isinstance(segment, Content)), done
    assert back.reasoning == "".join(segment.text for segment in kept if isinstance(segment, Reasoning)), done
