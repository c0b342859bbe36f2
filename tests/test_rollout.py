"""Roll-outs: ids that only grow, masks of what was sampled, and which chats write on after an answer."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import shares
from small_tokenizers import SMALL, byte_level
from test_chats import TIDE

import toolect
from toolect._message import Call, Content, Message, Reasoning, Segment
from toolect._rendered import RenderError
from toolect.conversation import Assistant, Conversation, ToolResult, User
from toolect.tokens import TokenIdError
from toolect.training import IGNORED, Rollout, examples

PAGE = (Path(__file__).parents[1] / "docs/guide/rollouts.md").read_text("utf-8")
DAY = "2026-01-01"
CALL = Call("tide", {"port": "Brest"}, "abcdefghi")


def sampled(chat: Any, conversation: Conversation, tokenizer: Any = None) -> list[int]:
    """The ids of the last answer, as it is taught."""
    last = len(conversation.turns) - 1
    (one,) = examples(conversation, chat, tokenizer or byte_level(), [last], date=DAY)
    return [label for label in one.labels if label != IGNORED]


def ids_of(text: str) -> list[int]:
    ids: list[int] = byte_level().encode(text, add_special_tokens=False).ids
    return ids


def appended(name: str, thought: str) -> str | None:
    """What the chat writes on after a call and an answer: "all", "results" or "none"; None where it has no calls."""
    chat = toolect.chat(name)
    thoughts: list[Segment] = [Reasoning(thought)] if thought else []
    rollout = Rollout(chat, byte_level(), Conversation([User("Tide?")], [TIDE]), date=DAY)
    done = "none"
    for said in ([*thoughts, CALL], [*thoughts, Content("At 5.")]):
        whole = Conversation([*rollout.conversation.turns, Assistant(Message(said))], [TIDE])
        try:
            ids = sampled(chat, whole)
        except RenderError:
            return None
        before = rollout.prompt_ids
        rollout.answer(ids)
        try:
            if done == "none":
                rollout.results(["5"])
            else:
                rollout.append([User("Thanks")])
        except RenderError:
            return done
        assert rollout.ids[: len(before) + len(ids)] == [*before, *ids] and not rollout.cut_off
        done = "results" if done == "none" else "all"
    return done


@pytest.mark.parametrize("name", shares.share(toolect.chats(), 60, "what can be appended"))
def test_the_page_lists_the_chats_that_rewrite(name: str) -> None:
    """A chat that stands in no row of the table writes on whatever comes."""
    plain, thinking = appended(name, ""), appended(name, "hm")
    rows = re.findall(r"^\| (.+?) \| (.+?) \|$", PAGE, re.MULTILINE)
    listed = [what for what, names in rows if f"`{name}`" in names]
    if plain is None and thinking is None:
        expected = []
    else:
        shown = {"all": "results and questions", "results": "results", "none": "nothing"}
        after = [shown[plain or "all"], shown[thinking or plain or "all"]]
        expected = [] if after == ["results and questions"] * 2 else [f"{after[0]}; after a thought {after[1]}"]
    assert [one for one in listed if "after a thought" in one] == expected


@pytest.mark.parametrize("small", SMALL)
def test_masks_and_probabilities_are_of_what_was_sampled(small: str) -> None:
    chat, tokenizer = toolect.chat("qwen3"), SMALL[small]()
    asked = Conversation([User("Tide?")], [TIDE])
    rollout = Rollout(chat, tokenizer, asked)
    first = sampled(chat, Conversation([User("Tide?"), Assistant(Message([Reasoning("hm"), CALL]))], [TIDE]), tokenizer)
    prompt = rollout.prompt_ids
    turn = rollout.answer(first, [-0.5] * len(first))
    assert turn.message.reasoning == "hm" and [call.arguments for call in turn.message.runnable] == [CALL.arguments]
    rollout.results(["12:04"])
    between = rollout.prompt_ids[len(prompt) + len(first) :]
    rollout.answer(first)
    columns = rollout.columns()
    assert columns["prompt_ids"] == prompt and columns["completion_ids"] == [*first, *between, *first]
    assert columns["env_mask"] == [1] * len(first) + [0] * len(between) + [1] * len(first)
    assert columns["logprobs"] == [-0.5] * len(first) + [0.0] * (len(between) + len(first))
    assert {len(column) for name, column in columns.items() if name != "prompt_ids"} == {2 * len(first) + len(between)}


def test_an_answer_that_was_cut_off_has_no_end_of_its_own() -> None:
    """What the chat closes it with stands in the text, and is not of the model."""
    rollout = Rollout(toolect.chat("qwen3"), byte_level(), Conversation([User("Tide?")]))
    said = ids_of("At f")
    rollout.answer(said)
    assert rollout.cut_off
    rollout.append([User("Yes?")])
    (end,) = ids_of("<|im_end|>")
    at = rollout.ids.index(end, len(rollout.ids) - rollout.mask[::-1].index(1))
    assert rollout.mask[at] == 0 and sum(rollout.mask) == len(said)


def test_what_is_wrong_with_a_roll_out_is_said() -> None:
    chat = toolect.chat("qwen3")
    rollout = Rollout(chat, byte_level(), Conversation([User("Tide?")], [TIDE]))
    with pytest.raises(TypeError, match="expected a list of results, got str: put it into a list"):
        rollout.results("12:04")
    with pytest.raises(TokenIdError, match=r"got 'H' \(str\)"):
        rollout.answer("Hi")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="expected results of 0 calls, got 1"):
        rollout.results(["5"])
    with pytest.raises(ValueError, match="expected a log-probability for each of 2 ids, got 1"):
        rollout.answer([1, 2], [0.5])
    rollout.answer(ids_of("<think>\nhm\n</think>\n\nAt 5.<|im_end|>"))
    with pytest.raises(ValueError, match="expected results or a turn of the user after an answer"):
        rollout.answer([1])
    before = rollout.columns()
    with pytest.raises(
        RenderError, match=r"turn 2: `qwen3` rewrites what came before: from character \d+ .*begin anoth"
    ):
        rollout.append([User("Thanks")])
    assert rollout.columns() == before
    called = Rollout(chat, byte_level(), Conversation([User("Tide?")], [TIDE]))
    called.answer(ids_of('<tool_call>\n{"name": "tide", "arguments": {}}\n</tool_call><|im_end|>'))
    called.results([ToolResult("", "tide", "no port", True)])
    assert called.conversation.turns[-1].results[0].is_error  # type: ignore[union-attr]


@pytest.mark.parametrize("name", toolect.chats())
def test_an_answer_is_read_as_its_chat_reads_it(name: str) -> None:
    """What the grammar of a chat has around the text of an answer is none of it."""
    chat, asked = toolect.chat(name), Conversation([User("Hi")])
    answered = Conversation([*asked.turns, Assistant(Message([Content("At noon.")]))])
    prompt, whole = chat.render(asked), chat.render(answered, generate=False)
    end = max(whole.rfind(one) + len(one) if one in whole[len(prompt) :] else 0 for one in chat.ends)
    if whole.startswith(prompt) and end and not prompt.rstrip().endswith("<think>"):
        turn = chat.answer(str(whole[len(prompt) : end]), asked)
        assert (turn.message.content, turn.message.calls) == ("At noon.", [])


@pytest.mark.parametrize("name", ["qwen3.5", "nemotron-3", "minimax-m2", "deepseek-r1", "qwen3", "glm-4.7"])
@pytest.mark.parametrize("ended", [False, True])
def test_an_answer_goes_on_from_what_the_prompt_opened(name: str, ended: bool) -> None:
    """The thought that a prompt begins is none of the content; the end is none of it, nor of the text."""
    chat = toolect.chat(name)
    asked = Conversation([User("Hi")])
    opens = chat.render(asked).rstrip().endswith("<think>")
    said = ("" if opens else "<think>\n") + "hm\n</think>\n\nYo."
    turn = chat.answer(said + (chat.ends[0] if ended else ""), asked)
    assert (turn.message.reasoning.strip(), turn.message.content.strip(), turn.text) == ("hm", "Yo.", said)
    quiet = chat.answer("Yo.", asked, thinking=False)
    if not chat.render(asked, thinking=False).rstrip().endswith("<think>"):
        assert (quiet.message.reasoning, quiet.message.content) == ("", "Yo.")
