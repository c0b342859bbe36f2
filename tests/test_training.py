"""What a model is taught: what it wrote itself, each answer once, in the text that it was sampled in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import pytest
import shares
from hypothesis import given
from row_samples import alike, odd_calls, own_tools
from row_samples import conversation as any_conversation
from small_tokenizers import SMALL, byte_level
from test_chats import LAW, TIDE, conversations, every_chat

import toolect
from toolect._chats.continuing import Written
from toolect._chats.marker_scan import Scan
from toolect._message import Call, Content, Message, Reasoning
from toolect._rendered import RenderError
from toolect._training.sampled_texts import sampled_texts
from toolect._transcript import Origin, Transcript
from toolect.conversation import Assistant, Conversation, Results, System, ToolResult, User
from toolect.training import IGNORED, Example, Teach, examples, pack

THOUGHT = Message([Reasoning("hm"), Content("Sure."), Call("tide", {"port": "Brest"}, "a")])
LONG = Conversation(
    [
        System("Be brief."), User("Tide?"), Assistant(THOUGHT), Results((ToolResult("a", "tide", "no port", True),)),
        Assistant(Message([Reasoning("so"), Content("At 5.")])), User("Thanks"), Assistant(Message([Content("Bye.")])),
    ],
    [TIDE],
)  # fmt: skip


def taught(example: Example) -> str:
    """The text that is taught."""
    return "".join(one["text"] for one in example.segments() if one["label"])


def shown(conversation: Conversation, chat: str, teach: Any = "all", **options: Any) -> list[str]:
    """What is taught, example by example."""
    return [taught(one) for one in examples(conversation, toolect.chat(chat), byte_level(), teach, **options)]


CUT: dict[str, tuple[Message, str]] = {
    "content": (Message([Content("The tide is hi")]), "The tide is hi"),
    "reasoning": (Message([Reasoning("so we")]), "<think>\nso we"),
    "call": (Message([Call("tide", {})]), '<tool_call>\n{"name": "tide", "arguments": {}}\n</tool_call>'),
}


@pytest.mark.parametrize("last", CUT)
def test_the_end_of_an_answer_that_was_cut_off_is_not_taught(last: str) -> None:
    """Nor is what the chat closes it with: its model did not come to that. The answers before are taught whole."""
    message, said = CUT[last]
    one = Conversation(
        [*LONG.turns[:4], Assistant(Message([Content("At 5.")])), User("So?"), Assistant(message)], [TIDE]
    )
    found = shown(one, "qwen3", Teach(cut=(6,)), thinking=True)
    assert found[-1].endswith(said) and "At 5.<|im_end|>" in "".join(found)
    assert not shown(one, "qwen3", thinking=True)[-1].endswith(said)
    assert shown(one, "qwen3", Teach(cut=(6,), reasoning=False, content=False, failed=False), thinking=True)


def written(write: Callable[[], Transcript]) -> object:
    """All that is known of a text; why there is none."""
    try:
        text = write()
    except RenderError as error:
        return str(error)
    return str(text), text.pieces, text.defused, text.author and text.author.texts


@pytest.mark.parametrize("name", shares.share(toolect.chats(), 63, "what grows"))
def test_what_grows_is_what_is_rendered(name: str) -> None:
    """The first turns of a conversation are written as if there were no others, whatever was written before.

    So it is in half of the chats, which are drawn (`--all`: in each).
    """
    chat, random = toolect.chat(name), Random(name)
    parts = [part for one in (*chat.tokens, *chat.dialect._graph().openers) for part in (one[:2], one, one[1:])]
    for number in range(8):
        drawn = alike(random, own_tools(random), random, parts) if number % 2 else any_conversation(random)
        given = odd_calls(drawn, random, parts) if number % 4 == 1 else drawn
        turns = [turn for turn in given.turns for _ in range(1 + (number == 3 and not isinstance(turn, System)))]
        turns = [turn for turn in turns if number < 6 or random.random() < 0.8]
        one = Conversation(turns, given.tools)
        unsafe: Any = ("refuse", "neutralise", "keep")[number % 3]
        options: Any = {"thinking": random.choice((None, None, True, False)), "date": "2026-01-01", "unsafe": unsafe}
        grows, anew = chat.beginning(one, **options), Written.beginning(chat, one, **options)
        for size in range(len(turns) + 1):
            for wish in ((False, False), (True, False), (True, True)):
                shown = written(lambda: grows(size, *wish)), written(lambda: anew(size, *wish))  # noqa: B023
                assert shown[0] == shown[1], (size, wish, options, one)


@pytest.mark.parametrize("name", shares.share(toolect.chats(), 40, "no turn"))
def test_no_turn_is_looked_at_too_often(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twice as many rounds are twice as much work: so many texts are looked at before they are written.

    A third of the chats is drawn (`--all`: each); the code is the same for all.
    """
    chat, looked = toolect.chat(name), [0]
    seen = Scan.suspects

    def suspects(scan: Scan, held: Sequence[Any], *rest: Any) -> bool:
        looked[0] += len(held) + 1
        return seen(scan, held, *rest)

    monkeypatch.setattr(Scan, "suspects", suspects)

    def work(rounds: int) -> int:
        turns: list[Any] = [User("Tide?")]
        for number in range(rounds):
            call = Call("tide", {"port": "Brest"}, f"call{number:05}")
            turns.append(Assistant(Message([Reasoning("hm"), call])))
            turns.append(Results((ToolResult(call.id or "", "tide", "low"),)))
        one = Conversation([*turns, Assistant(Message([Content("So.")]))], [TIDE])
        looked[0] = 0
        answers = {number for number, turn in enumerate(one.turns) if isinstance(turn, Assistant)}
        list(sampled_texts(one, chat, answers, {"date": "2026-01-01"}))
        return looked[0]

    try:
        few = work(10)
    except RenderError:
        return
    assert work(40) < 4.5 * few


@every_chat
@LAW
@given(conversations())
def test_what_the_model_wrote_is_taught_once(name: str, conversation: Conversation) -> None:
    """No id of a prompt is taught, each of an answer is, with the one it stops with; it follows what asks for it."""
    chat = toolect.chat(name)
    try:
        found = examples(conversation, chat, byte_level(), date="2026-01-01")
    except RenderError:
        return
    said = [number for number, turn in enumerate(conversation.turns) if isinstance(turn, Assistant)]
    assert [number for example in found for number in example.answers] == said
    for example in found:
        for token, label in zip(example.encoded.tokens, example.labels, strict=True):
            fresh = token.origin is Origin.ANSWER and token.turn in example.answers
            assert label == (token.id if fresh else IGNORED)
        for number in example.answers:
            own = [t for t in example.encoded.tokens if t.turn == number and t.origin is Origin.ANSWER]
            start, last = min(t.start for t in own), own[-1]
            said = example.encoded.text[start : last.end]
            end = max(filter(said.endswith, chat.ends), key=len)  # the model stops after each answer
            assert said != end and not said.removesuffix(end).endswith(end)
            before = Conversation(conversation.turns[:number], conversation.tools)
            prompts = {chat.render(before, True, date="2026-01-01", thinking=thinking) for thinking in (None, False)}
            assert example.encoded.text[:start] in prompts
    assert all(example.reason for example in found[:-1]) and not found[-1].reason


@pytest.mark.parametrize("small", SMALL)
def test_a_rewritten_history_is_several_examples(small: str) -> None:
    """Reasoning is dropped after the next question: what was sampled before is not taught as it is told then."""
    first, second = examples(LONG, toolect.chat("qwen3"), SMALL[small]())
    assert (first.answers, second.answers) == ((2, 4), (6,))
    assert taught(first).startswith("<think>\nhm\n</think>\n\nSure.\n<tool_call>")
    assert taught(first).endswith("<think>\nso\n</think>\n\nAt 5.<|im_end|>")
    assert taught(second) == "Bye.<|im_end|>"  # its empty reasoning is what the prompt asked for
    assert second.encoded.text.endswith("<think>\n\n</think>\n\nBye.<|im_end|>")
    assert "for turn 6 `qwen3` writes otherwise what came before: from character" in first.reason


@pytest.mark.parametrize("name", ["qwen3", "deepseek-v3.1", "gpt-oss"])
def test_answers_without_reasoning_are_one_text(name: str) -> None:
    """Each stands behind a prompt that may ask for it; gpt-oss ends the answers of history with another token."""
    turns = [turn for number in range(8) for turn in (User("Hi"), Assistant(Message([Content(f"Bye {number}.")])))]
    chat = toolect.chat(name)
    found = examples(Conversation(turns), chat, byte_level(), date="2026-01-01")
    assert len(found) == (8 if name == "gpt-oss" else 1)
    said = "".join(map(taught, found))
    assert [f"Bye {number}.{chat.ends[0]}" in said for number in range(8)] == [True] * 8
    assert name == "gpt-oss" or len(said) == 8 * len(f"Bye 0.{chat.ends[0]}")


def test_what_is_taught_can_be_chosen() -> None:
    end, call = "<|im_end|>", '<tool_call>\n{"name": "tide", "arguments": {"port": "Brest"}}\n</tool_call>'
    first = f"<think>\nhm\n</think>\n\nSure.\n{call}{end}<think>\nso\n</think>\n\nAt 5.{end}"
    assert shown(LONG, "qwen3") == [first, f"Bye.{end}"]
    assert shown(LONG, "qwen3", "last") == [f"Bye.{end}"]
    assert shown(LONG, "qwen3", [4]) == [f"<think>\nso\n</think>\n\nAt 5.{end}"]
    assert shown(LONG, "qwen3", "calls") == [f"\n{call}{end}", ""]
    assert shown(LONG, "qwen3", Teach(reasoning=False)) == [f"Sure.\n{call}{end}At 5.{end}", f"Bye.{end}"]
    assert shown(LONG, "qwen3", Teach(end=False)) == [first.replace(end, ""), "Bye."]
    last = max(number for number, turn in enumerate(LONG.turns) if isinstance(turn, Assistant))
    for answers in ("all", "last", (last,)):  # one of weight 0 has no labels, however it is chosen
        assert f"Bye.{end}" not in shown(LONG, "qwen3", Teach(answers, weights={last: 0}))
    failed = shown(LONG, "qwen3", Teach(failed=False))
    assert failed == [first.replace(call, ""), f"Bye.{end}"]
    assert shown(Conversation([User("Hi")]), "qwen3") == []
    for odd, message in (
        (["x"], "expected numbers of answers"),
        (1, "expected teach 'all', 'last'"),
        (None, "got None"),
        (Teach(1), "expected teach"),
        (Teach("no"), "expected teach"),
        ({2: 1}, "expected teach"),
        ([1], "(2, 4, 6), got 1"),
        ("no", "expected teach"),
    ):
        with pytest.raises(ValueError, match="expected") as caught:
            shown(LONG, "qwen3", odd)
        assert message in str(caught.value)


def test_a_prefilled_opening_is_never_taught() -> None:
    """Whoever asked without thinking has written the empty reasoning; whoever asked with it has not."""
    conversation = Conversation([User("Hi"), Assistant(Message([Content("Bye.")]))])
    for thinking in (None, False):
        (example,) = examples(conversation, toolect.chat("qwen3"), byte_level(), thinking=thinking)
        assert taught(example) == "Bye.<|im_end|>" and "</think>\n\nBye." in example.encoded.text
    (example,) = examples(conversation, toolect.chat("qwen3"), byte_level(), thinking=True)
    assert taught(example) == "<think>\n\n</think>\n\nBye.<|im_end|>"


def test_an_opened_reasoning_is_closed_and_an_end_is_taught_once() -> None:
    """An answer without reasoning, after a prompt that opened one; one whose dialect ends answers by itself."""
    call = Call("tide", {}, "a")
    for said in (Message([Content("Bye.")]), Message([call]), Message([Content("Sure."), call])):
        conversation = Conversation([User("Hi"), Assistant(said)], [TIDE])
        chat = toolect.chat("deepseek-v3.1")
        (example,) = examples(conversation, chat, byte_level(), thinking=True)
        assert "<｜Assistant｜><think></think>" in example.encoded.text and taught(example).startswith("</think>")
        read = chat.dialect.parse(taught(example), [TIDE], prefix="<｜Assistant｜><think>")
        assert (read.content, len(read.calls)) == (said.content, len(said.calls)) and not read.repairs
    conversation = Conversation(
        [User("Hi"), Assistant(Message([Reasoning("hm"), call])), Results((ToolResult("a", "tide", "5"),)),
         Assistant(Message([Reasoning("so"), Content("At 5.")]))],
        [TIDE],
    )  # fmt: skip
    for example in examples(conversation, toolect.chat("gpt-oss"), byte_level(), date="2026-01-01"):
        assert "<|return|><|return|>" not in example.encoded.text


ENDS = {
    "glm-4.7": "<tool_call>tide<arg_key>port</arg_key><arg_value>Brest</arg_value></tool_call><|observation|>~<|user|>",
    "apertus": '<|tools_prefix|>[{"tide": {"port": "Brest"}}]<|tools_suffix|>~<|assistant_end|>',
    "reka-edge": ' <tool_call>\n{"name": "tide", "arguments": {"port": "Brest"}}\n</tool_call>\n\n<sep>~\n\n<sep>',
    "qwen3": '<tool_call>\n{"name": "tide", "arguments": {"port": "Brest"}}\n</tool_call><|im_end|>~<|im_end|>',
}


@pytest.mark.parametrize("name", ENDS)
def test_the_end_of_each_answer_is_taught_and_written_once(name: str) -> None:
    """Also where a model stops with what the next turn begins with, with more than a token, or amid a turn."""
    chat, call = toolect.chat(name), Call("tide", {"port": "Brest"}, "abcdefghi")
    called, end = ENDS[name].split("~")
    turns = [User("Tide?"), Assistant(Message([call])), Results((ToolResult("abcdefghi", "tide", "5"),))]
    for size in (2, 5):
        one = Conversation([*turns, Assistant(Message([Content("Low.")])), User("Why?")][:size], [TIDE])
        found = examples(one, chat, byte_level(), date="2026-01-01")
        said = "".join(map(taught, found))
        assert said.replace(" Low", "Low") == (called if size == 2 else f"{called}Low.{end}")
    asked = User("Tide?"), User("Why?")
    texts = {
        chat.render(Conversation([asked[0], Assistant(Message(), text), asked[1]]), False, date="2026-01-01")
        for text in ("Low.", f"Low.{end}")
    }
    assert len(texts) == 1 and f"Low.{end}" in texts.pop()


def test_what_was_sampled_is_taught_as_it_was() -> None:
    """Also where the chat would write it otherwise: blanks, JSON without them, reasoning that it drops."""
    text = '<think>hm</think><tool_call>{"name":"tide","arguments":{"port":"Brest"}}</tool_call>'
    message = toolect.dialect("hermes").parse(text)
    conversation = Conversation([User("Tide?"), Assistant(message, text), User("?"), Assistant(message, text)], [TIDE])
    for chat in ("qwen3", "qwen2.5"):
        found = examples(conversation, toolect.chat(chat), byte_level())
        assert "".join(map(taught, found)) == f"{text}<|im_end|>" * 2
        assert [number for example in found for number in example.answers] == [1, 3]
    ids = [number for sign in text for number in byte_level().encode(sign, add_special_tokens=False).ids]
    (kept,) = examples(conversation, toolect.chat("qwen3"), byte_level(), [1], sampled={1: ids, 3: ids})
    assert [label for label in kept.labels if label != IGNORED][:-1] == ids


def test_a_template_teaches_as_a_chat_does() -> None:
    """The template of a model, where no chat is declared: the same rules."""
    pytest.importorskip("jinja2", reason="no jinja2 here: the extra `template` brings it")
    template = (
        "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
        "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
    )
    conversation = Conversation(
        [User("Hi"), Assistant(Message([Content("Yo")])), User("?"), Assistant(Message([Content("No")]))]
    )
    chat = toolect.chat(template=template, dialect="hermes")
    (example,) = examples(conversation, chat, byte_level())
    assert taught(example) == "Yo<|im_end|>No<|im_end|>" and example.answers == (1, 3)


def test_rows() -> None:
    """Rows as trainers take them, one by one or packed."""
    found = examples(LONG, toolect.chat("qwen3"), byte_level())
    columns = found[0].columns()
    assert {len(column) for column in columns.values()} == {len(found[0].ids)}
    assert [number for number, mask in zip(columns["input_ids"], columns["assistant_masks"], strict=True) if mask] == [
        label for label in columns["labels"] if label != IGNORED
    ]
    size = sum(len(example.ids) for example in found)
    (row,) = pack(found, size)
    assert row.lengths == [len(example.ids) for example in found] and len(row.labels) == len(row.weights) == size
    assert row.positions[row.lengths[0] :][:3] == [0, 1, 2]
    assert len(pack(found, size - 1)) == 2
    with pytest.raises(ValueError, match="in example 0"):
        pack(found, 10)
    assert "".join(one["text"] for one in found[0].segments()) == found[0].encoded.text
