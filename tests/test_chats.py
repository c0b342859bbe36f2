"""Chats: conversations written, read back and continued, whatever the texts in them are."""

from __future__ import annotations

import contextlib
import itertools
import json
import re
from pathlib import Path
from random import Random
from typing import Literal

import pytest
import shares
from click.testing import CliRunner, Result
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toolect import openai, registry
from toolect._authoring.generate.small_conversations import ChatCase
from toolect._authoring.lint import chat_checks as talks
from toolect._chats.chat_grammar import texts_of
from toolect._chats.chat_registry import chat, chats, looks_like
from toolect._chats.grammar_chat import Chat
from toolect._chats.plan import Plans
from toolect._chats.prompt_tools import MAX_FAILED, Definitions
from toolect._chats.slot_ends import Ends, Exit
from toolect._chats.transcript_writer import Unsafe
from toolect._cli import main
from toolect._message import Call, Content, Message, Reasoning, Segment, Status
from toolect._names import UnknownNameError
from toolect._rendered import RenderError
from toolect._spec.chat_model import Thoughts
from toolect._transcript import Origin, Transcript
from toolect.conversation import Assistant, Conversation, Results, System, ToolResult, Turn, User
from toolect.data import Convert, Source, target_of
from tools.fuzz import work

TIDE = {
    "type": "function",
    "function": {
        "name": "tide",
        "description": "High water",
        "parameters": {"type": "object", "properties": {"port": {"type": "string"}}, "required": ["port"]},
    },
}
CALL = Call("tide", {"port": "Brest"}, "abcdefghi")
WORDS = st.text(st.sampled_from("ab é\n<|>_"), min_size=1, max_size=12).filter(lambda text: text == text.strip())
LAW = settings(
    max_examples=20 if shares.everything else 8,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=True,
)
every_chat = pytest.mark.parametrize("name", chats())


@st.composite
def conversations(draw: st.DrawFn) -> Conversation:
    """Conversations that a chat may be fit for: turns in the usual order, texts of few signs."""
    turns: list[Turn] = [System(draw(WORDS))] if draw(st.booleans()) else []
    tools = [TIDE] if draw(st.booleans()) else []
    for _ in range(draw(st.integers(1, 3))):
        turns.append(User(draw(WORDS)))
        if tools and draw(st.booleans()):
            said: list[Segment] = [Content(draw(WORDS))] if draw(st.booleans()) else []
            calls = [Call("tide", {"port": draw(WORDS)}, f"abcdefgh{i}") for i in range(draw(st.integers(1, 2)))]
            turns.append(Assistant(Message([*said, *calls])))
            turns.append(Results(tuple(ToolResult(call.id or "", "tide", draw(WORDS)) for call in calls)))
        thought: list[Segment] = [Reasoning("hm " + draw(WORDS))] if draw(st.booleans()) else []
        turns.append(Assistant(Message([*thought, Content(draw(WORDS))])))
    return Conversation(turns, tools)


def rendered(one: Chat, conversation: Conversation, generate: bool = False) -> Transcript | None:
    """The conversation's text, if the chat can carry it."""
    try:
        return one.render(conversation, generate, date="2026-01-01")
    except RenderError:
        return None


def content_of(conversation: Conversation, lost: set[str]) -> list[object]:
    """What a chat has to bring back: all but ids, and what it does not tell."""
    tools = [] if "tools" in lost else conversation.tools
    found: list[object] = [[tool["function"]["name"] for tool in tools if tool["type"] == "function"]]
    for turn in conversation.turns:
        match turn:
            case Assistant(message):
                calls = [] if "calls" in lost else [(call.name, call.arguments) for call in message.calls]
                said = "" if "content" in lost and message.calls else message.content.strip()
                found.append((said, "" if "reasoning" in lost else message.reasoning, calls))
            case Results(results) if "results" not in lost:
                found.append([result.output for result in results])
            case System(text) | User(text):
                found.append((type(turn).__name__, text))
    return found


def drops(conversation: Conversation, text: str) -> bool:
    """True when the reasoning of a turn is not in the text."""
    said = [turn.message.reasoning for turn in conversation.turns if isinstance(turn, Assistant)]
    return text.count("hm ") < sum(bool(reasoning) for reasoning in said)


@every_chat
@LAW
@given(conversations())
def test_what_is_written_is_read_back(name: str, conversation: Conversation) -> None:
    text = rendered(chat(name), conversation)
    if (
        text is None
        or "turns" in chat(name).spec.lost
        and any(isinstance(turn, Results) for turn in conversation.turns)
    ):
        return
    back = chat(name).parse(text)
    lost = {System} if isinstance(conversation.turns[0], System) and not isinstance(back.turns[0], System) else set()
    if lost:  # a system text that stands in the user's turn is the user's for a reader
        assert "system" in chat(name).spec.lost
        return
    if any(tool["type"] == "text" for tool in back.tools):  # the notation does not carry schemas
        conversation, back = Conversation(conversation.turns), Conversation(back.turns, repairs=back.repairs)
    unsaid = {*chat(name).spec.lost, *(["reasoning"] if drops(conversation, text) else [])}
    assert content_of(back, unsaid) == content_of(conversation, unsaid)
    assert not back.repairs


@every_chat
@LAW
@given(conversations())
def test_what_is_read_is_written_again(name: str, conversation: Conversation) -> None:
    text = rendered(chat(name), conversation)
    if text is not None and not {"system", "turns"} & {*chat(name).spec.lost}:
        assert chat(name).render(chat(name).parse(text), False, date="2026-01-01") == text


PARALLEL = [[], ["abcdefgh0", "abcdefgh1", "abcdefgh2"], ["abcdefgh0", "", "abcdefgh2"]]


@every_chat
@pytest.mark.parametrize("ids", PARALLEL, ids=["none", "all", "some"])
def test_results_are_told_of_their_calls(name: str, ids: list[str]) -> None:
    """In whatever order results with ids are given, they stand in that of their calls, and name the ids of these."""
    one = chat(name)
    calls = [
        Call("tide", {"port": port}, call_id or None) for port, call_id in zip("abc", ids or [""] * 3, strict=True)
    ]
    results = [ToolResult(call.id or "", "tide", f"low at {call.arguments['port']}") for call in calls]
    orders = [*itertools.permutations(results)] if all(ids) and ids else [tuple(results)]
    given = [Conversation([User("Tide?"), Assistant(Message(calls)), Results(order)], [TIDE]) for order in orders]
    texts = {rendered(one, conversation) for conversation in given}
    assert len(texts) == 1
    text = texts.pop()
    if text is None or {"calls", "results", "turns"} & {*one.spec.lost}:
        return
    assert {one.round_trip(conversation, date="2026-01-01").text for conversation in given} == {text}
    assert {one.beginning(conversation, date="2026-01-01")(3, False) for conversation in given} == {text}
    assert all(not any("results" in loss for loss in one.losses(conversation, text)) for conversation in given)
    _, answer, results_read = one.parse(text).turns[-3:]
    assert isinstance(answer, Assistant) and isinstance(results_read, Results)
    assert [result.output for result in results_read.results] == [result.output for result in results]
    for call, result in zip(answer.message.calls, results_read.results, strict=True):
        assert not call.id or not result.call_id or call.id == result.call_id
        assert not result.call_id or call.id or result.call_id in ids


@every_chat
def test_a_prompt_has_the_tools_and_the_calls(name: str) -> None:
    """What the template has no place for stands in words; where the dialect has none, the prompt is refused."""
    one, call = chat(name), Call("tide", {"port": "Brest"}, "abcdefgh0")
    turns = [
        User("Tide?"),
        Assistant(Message([call])),
        Results((ToolResult("abcdefgh0", "tide", "12:04"),)),
        User("So?"),
    ]
    talk = Conversation(turns, [TIDE])
    try:
        text = one.prompt(talk, date="2026-01-01")
    except RenderError:
        assert rendered(one, talk) is None or not one.dialect.name
        return
    assert "Brest" in text and "tide" in text.partition("Tide?")[0]
    if not {"tools", "calls"} & {*one.spec.lost}:
        assert text == one.render(talk, date="2026-01-01")


@pytest.mark.parametrize("effort", ["low", "medium", "high"])
@every_chat
def test_an_effort_is_told_where_the_chat_tells_it(name: str, effort: Literal["low", "medium", "high"]) -> None:
    """It is read back as the same conversation; elsewhere it asks for nothing."""
    talk = Conversation([User("Tide?")])
    text = chat(name).render(talk, thinking=effort, date="2026-01-01")
    plain = chat(name).render(talk, date="2026-01-01")
    assert text == plain.replace("Reasoning: medium", f"Reasoning: {effort}")
    assert chat(name).parse(text) == chat(name).parse(plain)


@pytest.mark.parametrize("name", [name for name in chats() if "tools" in chat(name).spec.lost])
def test_tools_in_words_do_not_break_out(name: str) -> None:
    """What a tool says of itself may hold no marker, though the words around it say how calls are written."""
    one = chat(name)
    evil = {**TIDE, "function": {**TIDE["function"], "description": f"{one.tokens[0]}{one.tokens[-1]}"}}
    try:
        one.prompt(Conversation([User("?")], [TIDE]))
    except RenderError:  # the dialect has no words
        return
    with pytest.raises(RenderError):
        one.prompt(Conversation([User("?")], [evil]))
    harmless = one.prompt(Conversation([User("?")], [evil]), unsafe="neutralise")
    assert {type(turn) for turn in one.parse(harmless).turns} - {System} == {User}
    before, same, after = one.dialect.render_tools([evil]).partition(evil["function"]["description"])
    written = "".join(text for text, origin, _ in harmless.pieces if origin is Origin.TOOLS)
    assert not same or written.startswith(before) and written.endswith(after)  # nothing else is written otherwise


@every_chat
def test_a_prompt_opens_no_thoughts_before_an_answer(name: str) -> None:
    """What the chat has no place for stands in the dialect's words, as content and calls."""
    calls = Assistant(Message([Content("I look."), Call("tide", {"port": "Brest"}, "abcdefgh0")]))
    talk = [User("?"), calls, Results((ToolResult("abcdefgh0", "tide", "12:04"),))]
    given = Conversation(talk, [TIDE])
    with contextlib.suppress(RenderError):
        prompt, text = (
            [turn.message.reasoning for turn in chat(name).parse(one).turns if isinstance(turn, Assistant)]
            for one in (chat(name).prompt(given), chat(name).render(given))
        )
        assert prompt == text


HIDES_ITS_END = {"gigachat3"}
"""Chats whose end token is read as text behind a quote that is left open: they refuse such content."""


@every_chat
@pytest.mark.parametrize("arguments", ['{"port": "Brest"', '{"port": "Brest"}}', "{'port': 'Brest'", "port=Brest", ""])
def test_a_call_that_could_not_be_read_is_content(name: str, arguments: str) -> None:
    """What a client sends back of it begins a call in no chat, so that its words stay whole."""
    broken = Call("tide", None, "abcdefgh0", spelling=arguments, status=Status.MALFORMED)
    talk = Conversation([User("?"), Assistant(Message([broken]))], [TIDE]).unread_as_text()
    try:
        chat(name).render(Conversation([User("?"), Assistant(Message([Content("x")]))], [TIDE]))
    except RenderError:
        return
    if name not in HIDES_ITS_END:
        assert "`tide`" in chat(name).render(talk, False)


@every_chat
def test_what_is_made_harmless_keeps_its_words(name: str) -> None:
    """A broken call that an answer holds is split, and not the sentences around it."""
    said = 'A long text. <tool_call>\n{"name": "tide", "arguments": {"port": "x" "y": }}\n</tool_call> Sorry, all.'
    talk = Conversation(
        [User("?"), Assistant(Message([Content(said), Call("tide", {"port": "Brest"}, "abcdefgh0")]))], [TIDE]
    )
    try:
        prompt = chat(name).render(talk, False, unsafe="neutralise")
    except RenderError:
        return
    assert "A long text." in prompt or "A long text" not in prompt.replace("\u200b", "")


@pytest.mark.parametrize("model", ["Qwen/Qwen3-30B-A3B-Thinking-2507", "Qwen/Qwen3-Next-80B-A3B-Thinking"])
@pytest.mark.parametrize("thinking", [None, True, False])
def test_models_that_always_think(model: str, thinking: bool | None) -> None:
    """Their cards: the template itself writes `<think>`, so an answer has the closer alone."""
    prompt = chat(model).prompt(Conversation([User("?")]), thinking=thinking)
    assert prompt.endswith("<|im_start|>assistant\n<think>\n")


@pytest.mark.parametrize("said", ["get weather please", '{"name": "f", "arguments": {"query": 3 4}}'])
def test_an_invalid_call_that_comes_back_keeps_its_text(said: str) -> None:
    """A client sends what it was sent, `invalid_tool_calls` too, whose `raw` is all that the model wrote."""
    raw = f"<tool_call>\n{said}\n</tool_call>"
    sent = openai.completion(registry.dialect("hermes").parse(raw))["choices"][0]["message"]
    turn = Conversation.from_openai([sent]).unread_as_text().turns[0]
    assert isinstance(turn, Assistant) and turn.message.content == raw


MAKING = [name for name in chats() if chat(name).dialect.spec.ids or "{index}" in chat(name).dialect.spec.ref]


@pytest.mark.parametrize("name", MAKING)
def test_made_ids_are_told_with_the_results(name: str) -> None:
    """Where a chat makes the ids of calls, each is written again with the result."""
    calls = [Call("tide", {"port": port}) for port in "ab"]
    results = Results((ToolResult("", "tide", "ebbing"), ToolResult("", "tide", "rising")))
    text = rendered(chat(name), Conversation([User("Tide?"), Assistant(Message(calls)), results], [TIDE]))
    assert text is not None
    answer = chat(name).parse(text).turns[-2]
    assert isinstance(answer, Assistant)
    tail = text[text.index("ebbing") - 120 :]
    assert all(call.id and text.count(call.id) > 1 and call.id in tail for call in answer.message.calls)


def test_results_in_another_order_are_read_back_as_they_were(tmp_path: Path) -> None:
    """`chat render --compare` finds nothing to say of the order of results, which is none."""
    calls = [
        {"id": one, "type": "function", "function": {"name": "tide", "arguments": json.dumps({"port": one})}}
        for one in "ab"
    ]
    results = [{"role": "tool", "tool_call_id": one, "content": f"{one} is low"} for one in "ba"]
    messages = [{"role": "user", "content": "Tide?"}, {"role": "assistant", "tool_calls": calls}, *results]
    (path := tmp_path / "talk.json").write_text(json.dumps({"messages": messages, "tools": [TIDE]}))
    done = CliRunner().invoke(main, ["chat", "render", str(path), "--to", "qwen3", "--compare"])
    assert done.stdout.index("a is low") < done.stdout.index("b is low"), done.output
    assert "results" not in done.stderr and "other calls" not in done.stderr, done.stderr


@every_chat
@pytest.mark.parametrize("ids", PARALLEL[:2], ids=["none", "all"])
def test_results_that_follow_are_told_of_their_calls(name: str, ids: list[str]) -> None:
    """What is appended to an answer names the ids that are written in it, also those that were sampled."""
    one = chat(name)
    calls = [Call("tide", {"port": port}, ids[at] if ids else None) for at, port in enumerate("ab")]
    results = Results(tuple(ToolResult(call.id or "", "tide", f"low at {call.arguments['port']}") for call in calls))
    turns = [User("Tide?"), Assistant(Message(calls))]
    try:
        whole = one.render(Conversation([*turns, results], [TIDE]), date="2026-01-01")
        after = one.continuation(Conversation(turns, [TIDE]), [results], date="2026-01-01")
        said = str(one.dialect.render(Message([Call(call.name, call.arguments) for call in calls]), [TIDE]))
    except RenderError:
        return
    assert not after or whole.endswith(after)
    sampled = Assistant(Message(calls), said, one.dialect.name)
    text = one.render(Conversation([User("Tide?"), sampled, results], [TIDE]), False, date="2026-01-01")
    back = one.parse(text)
    known = [call.id for turn in back.turns if isinstance(turn, Assistant) for call in turn.message.calls]
    named = [result.call_id for turn in back.turns if isinstance(turn, Results) for result in turn.results]
    assert not all(known) or not any(named) or known == named


@every_chat
@LAW
@given(
    conversations(), st.floats(0, 1), st.sampled_from(["", "<|im_start|>", "<|im_end|>", "\n", "<|eot_id|>x", "</s>"])
)
def test_whatever_is_cut_or_put_in_is_read(name: str, conversation: Conversation, part: float, put: str) -> None:
    text = rendered(chat(name), conversation, True)
    if text is None:
        return
    cut = text[: int(len(text) * part)] + put
    for broken in (cut, cut + text[len(cut) :]):
        spans = chat(name).parse(broken).spans
        assert "".join(broken[span.start : span.end] for span in spans) == broken


@every_chat
def test_spans_say_whose_words_they_are(name: str) -> None:
    turns = [
        System("Sys one."),
        User("Use one."),
        Assistant(Message([CALL])),
        Results((ToolResult("abcdefghi", "tide", "Res one."),)),
    ]
    text = rendered(chat(name), Conversation(turns, [TIDE]), True) or rendered(
        chat(name), Conversation(turns[:2]), True
    )
    text = text or chat(name).render(Conversation(turns[1:2]), True)
    said = {origin: "".join(text[s.start : s.end] for s in text.spans if s.origin is origin) for origin in Origin}
    assert sum(map(len, said.values())) == len(text)
    assert ("Sys one." in said[Origin.SYSTEM]) == ("Sys one." in text)
    assert said[Origin.USER] == "Use one."
    if "Res one." in text:
        assert "Res one." in said[Origin.RESULT]
        assert "tide" not in said[Origin.SCAFFOLD]
        assert "Brest" in said[Origin.ANSWER] or "calls" in chat(name).spec.lost


@every_chat
def test_a_text_does_not_break_out(name: str) -> None:
    token = chat(name).tokens[0]
    turns = [User(f"So {token} it goes")]
    with pytest.raises(RenderError, match=re.escape(token)):
        chat(name).render(Conversation(turns))
    harmless = chat(name).render(Conversation(turns), unsafe="neutralise")
    assert token not in str(harmless).split("So ")[1].split(" it goes")[0]
    assert [one.marker for one in harmless.defused] == [token]
    kept = chat(name).render(Conversation(turns), unsafe="keep")
    assert f"So {token} it goes" in kept
    assert not kept.defused


@every_chat
@pytest.mark.parametrize("output", ["Sunny, 20 degrees", "05:10\n17:34\n", '{"high": ["05:10", "17:34"], "low": null}'])
def test_the_result_of_a_single_call_is_one(name: str, output: str) -> None:
    """A sign that stands between several results is one of the text where one call waits."""
    call = Assistant(Message([Call("tide", {"port": "Brest"}, "abcdefghi")]))
    one, outputs = chat(name), []
    for result in ("Out", output):
        results = Results((ToolResult("abcdefghi", "tide", result),))
        turns = [User("When?"), call, results, Assistant(Message([Content("Soon.")]))]
        text = rendered(one, Conversation(turns, [TIDE]))
        read = [turn.results for turn in one.parse(text).turns if isinstance(turn, Results)] if text else []
        outputs.append([one.output.strip() for results in read for one in results])
    if outputs[0] != ["Out"]:
        pytest.skip("no place for calls or results")
    assert outputs[1] == [output.strip()]


HOSTILE = ("so {} it goes", "{} it goes", "x{}x{}", "so {}")
TRIED = 24
"""Texts that are tried against a chat by a policy."""


def turns_with(text: str) -> dict[str, list[Turn]]:
    """A text as each of those who are not to be trusted writes it."""
    asked, said = User("When?"), Assistant(Message([Content("At noon.")]))
    results = Results((ToolResult("abcdefghi", "tide", text),))
    return {
        "system": [System(text), asked, said],
        "user": [User(text), said, asked],
        "result": [asked, Assistant(Message([CALL])), results, said],
        "content": [asked, Assistant(Message([Content(text)])), asked],
        "reasoning": [asked, Assistant(Message([Reasoning(text), Content("At noon.")]))],
    }


@every_chat
@pytest.mark.parametrize("policy", ["refuse", "neutralise"])
def test_no_text_of_the_grammar_leads_out_of_a_slot(name: str, policy: Unsafe) -> None:
    """Whatever the chat writes itself, as the text of others: it is refused, made harmless, or read as what it is.

    Of all that it writes, in each of the forms, up to `TRIED` are drawn for a policy (`--all`: every one).
    """
    one = chat(name)
    thoughts = "" if one.spec.thoughts is Thoughts.KEPT else Plans(one.spec).thought_closer
    words = {form for text in [*texts_of(one.spec), *one.ends] for form in (text, text.strip()) if form.strip()}
    texts = [form.replace("{}", word) for word in sorted(words) for form in HOSTILE]
    for text in shares.share(texts, TRIED, f"{name} {policy}"):
        for who, turns in turns_with(text).items():
            if who == "content" and thoughts and thoughts in text:
                continue  # declared: what stands before it is reasoning
            tools = [TIDE] if who in ("result", "content") else []  # some chats have them before the system text
            trip = talks.talk(one, ChatCase(0, Conversation(turns, tools), False, None), policy)
            if trip.text is None or not trip.text.defused and text.strip() not in trip.text:
                continue
            if trip.text.defused and "turns" not in one.spec.lost:
                back = one.parse(trip.text)
                assert [type(turn) for turn in back.turns if not isinstance(turn, System)] in (
                    [type(turn) for turn in turns if not isinstance(turn, System)],
                    [type(turn) for turn in turns if not isinstance(turn, System | Results)],
                ), (who, text)
            elif not trip.text.defused:
                assert talks.unlike(one, trip) is None, (who, text)


@every_chat
@pytest.mark.parametrize("text", ['{"json": [1, 2]}', "{", "[1]", "f(x)"])
def test_a_reasoning_may_say_the_same_as_the_content(name: str, text: str) -> None:
    """Where each may hold a text, both may, also where the chat drops the reasoning later."""

    def carried(reasoning: str, content: str) -> bool:
        answer = Assistant(Message([Reasoning(reasoning), Content(content)]))
        turns = [User("When?"), answer, User("On?"), answer]
        return talks.talk(chat(name), ChatCase(0, Conversation(turns, []), False, None), "refuse").text is not None

    assert carried(text, text) or not (carried(text, "Well.") and carried("Well.", text))


@every_chat
def test_what_was_sampled_is_not_rewritten(name: str) -> None:
    answer = Assistant(Message([Content("It is  high.")]), "It is  high.")
    before = Conversation([User("When?"), answer])
    prompt = chat(name).render(Conversation([User("When?")]), thinking=None)
    added = chat(name).continuation(before, [User("And then?")])
    if isinstance(added, Transcript):
        whole = chat(name).render(Conversation([*before.turns, User("And then?")]))
        assert prompt + "It is  high." + added == whole
        assert added.spans[-1].end == len(added)
    else:
        assert added.at <= len(prompt) + len("It is  high.")
        assert added.was != added.now


@st.composite
def sampled(draw: st.DrawFn) -> Conversation:
    """Conversations with answers that have their texts, with reasoning told apart or left in the content."""
    turns: list[Turn] = [User(draw(st.sampled_from(["When?", "", "On?"])))]
    for _ in range(draw(st.integers(1, 3))):
        thought: list[Segment] = [Reasoning("hm")] if draw(st.booleans()) else []
        said = draw(st.sampled_from(["At noon.", " ", "", "hm</think>At noon.", "<think>\nhm\n</think>\nAt noon."]))
        calls: list[Segment] = [CALL][: draw(st.integers(0, 1))]
        text = draw(st.sampled_from([None, "As sampled.", "<think>\nhm\n</think>\n\nAs sampled."]))
        turns.append(Assistant(Message([*thought, Content(said), *calls]), text))
        if calls:
            turns.append(Results((ToolResult("", "tide", "12:04"),) * draw(st.integers(1, 2))))
        turns.append(draw(st.sampled_from([User("When?"), User(""), User("On?"), System("Brief.")])))
    return Conversation(turns, [TIDE] if draw(st.booleans()) else [])


@every_chat
@LAW
@given(sampled(), st.sampled_from([None, True, False]))
def test_what_was_written_before_changes_nothing(name: str, conversation: Conversation, thinking: bool | None) -> None:
    """A chat that has written much writes the same as one that is new."""
    found_texts = []
    for one in (chat(name), Chat(chat(name).spec, chat(name).dialect)):
        try:
            found_texts.append(str(one.render(conversation, thinking=thinking, date="2026-01-01", unsafe="neutralise")))
        except RenderError as error:
            found_texts.append(str(error))
    assert found_texts[0] == found_texts[1]


def test_a_call_that_a_chat_does_not_write_is_not_read_back() -> None:
    """Also where a later answer is written as it was sampled."""
    asked = User("When?"), Assistant(Message([Content(" "), CALL])), Results((ToolResult("", "tide", "12:04"),))
    turns = [*asked, User("When?"), Assistant(Message([Content("At noon.")]), "As sampled."), User("When?")]
    known = chat("llama-cpp-deepseek-r1")
    assert "As sampled." in Chat(known.spec, known.dialect).render(Conversation(turns))


def test_reasoning_that_was_left_in_the_content_is_another_shape() -> None:
    """An answer whose reasoning is told is written from its message, one that has it in its content as sampled."""
    one = Chat(chat("qwen3").spec, chat("qwen3").dialect)
    with_thought = Message([Reasoning("hm"), Content("At noon.")])
    left = Message([Content("hm</think>At noon.")])
    texts = [
        one.render(Conversation([User("When?"), Assistant(said, "As sampled."), User("On?")]))
        for said in (with_thought, left)
    ]
    assert ["As sampled." in text for text in texts] == [False, True]


@pytest.mark.parametrize(
    ("name", "content", "left"),
    [
        ("qwq", "hm</think>At noon.", "At noon."),
        ("gemma4", "<|channel>thought\nhm<channel|>At noon.", "At noon."),
        ("gemma4", "At <|channel>thought\nhm<channel|>noon.", "At noon."),
        ("gemma4", "At noon.<channel|>", "At noon."),
        ("gemma4", "At <channel|>noon.", "At noon."),
    ],
)
def test_of_content_the_reasoning_is_left_out(name: str, content: str, left: str) -> None:
    """As the model's template leaves it out: Gemma's all from an opener to a closer, QwQ's all before a closer."""
    text = chat(name).render(Conversation([User("When?"), Assistant(Message([Content(content)]))]), False)
    assert [turn.message.content for turn in chat(name).parse(text).turns if isinstance(turn, Assistant)] == [left]


@pytest.mark.parametrize("name", shares.share(chats(), 40, "a thousand turns"))
def test_a_thousand_turns(name: str) -> None:
    """More turns than Python may call, in a third of the chats (`--all`: in each): turns are read by the same code."""
    turns = [turn for n in range(500) for turn in (User(f"u{n}"), Assistant(Message([Content(f"a{n}")])))]
    text = chat(name).render(Conversation(turns), False)
    read = chat(name).parse(text).turns
    assert read[-1].message.content == "a499"  # type: ignore[union-attr]
    assert len(read) == 1000


@every_chat
def test_chats_take_linear_time(name: str) -> None:
    """Four times the text, or the turns, take about four times the work, whatever the text is made of.

    One text is drawn for each chat (`--all`: three).
    """
    one, random = chat(name), Random(name)
    words = [*texts_of(one.spec), *one.tokens, "{", '\n{"a":', "\n", "x"]
    for _ in range(3 if shares.everything else 1):
        unit = "".join(random.choice(words)[:80] for _ in range(random.randint(1, 3)))
        assert not work.grown(one.parse, lambda size, unit=unit: unit * (size // len(unit) + 1)), unit

    def write(text: str) -> None:
        turns = [turn for n in range(len(text) // 40) for turn in (User(f"u{n}"), Assistant(Message([Content("a")])))]
        one.render(Conversation(turns), unsafe="neutralise")
        one.continuation(Conversation(turns), [User("On?")], unsafe="neutralise")

    assert not work.grown(write, lambda size: "x" * size)


def test_definitions_that_are_none_are_counted() -> None:
    """After so many that break off, a transcript is searched for no more of them."""
    begun = '{"a":'
    text = begun * (MAX_FAILED + 1) + "{}"
    found = Definitions(None, text)
    assert found.end(len(text) - 2) == len(text)
    assert {found.end(at * len(begun)) for at in range(MAX_FAILED + 1)} == {-1}
    assert found.end(len(text) - 2) == -1


def test_reasoning_is_kept_after_the_last_user_turn() -> None:
    think = Assistant(
        Message([Reasoning("Hm"), CALL]),
        '<think>\nHm\n</think>\n\n<tool_call>\n{"name": "tide", "arguments": {"port": "Brest"}}\n</tool_call>',
    )
    turns = [User("When?"), think]
    result = Results((ToolResult("", "tide", "At noon"),))
    assert "At noon" in str(chat("qwen3").continuation(Conversation(turns, [TIDE]), [result]))
    rewritten = chat("qwen3").continuation(Conversation(turns, [TIDE]), [result, User("Thanks")])
    assert not rewritten
    assert rewritten.was.startswith("hink>\nHm")  # type: ignore[union-attr]


def test_what_is_said_beside_calls_may_stand_behind_results() -> None:
    """A reader takes it for an answer of its own, and writes that again as it was."""
    turns = [User("When?"), Assistant(Message([Content("I look."), CALL])), Results((ToolResult("", "tide", "Noon"),))]
    text = chat("gemma4").render(Conversation([*turns, User("Thanks.")], [TIDE]))
    assert "<tool_response|>I look.<turn|>\n<|turn>user\nThanks." in text
    back = chat("gemma4").parse(text)
    assert not back.repairs
    assert [turn.message.content for turn in back.turns if isinstance(turn, Assistant)] == ["", "I look."]
    assert str(chat("gemma4").render(back)) == str(text)


def test_an_unknown_chat() -> None:
    with pytest.raises(UnknownNameError, match=r"qwen2\.5"):
        chat("qwen25")


MESSAGES = json.dumps(
    [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "When?"},
     {"role": "assistant", "content": "At noon."}, {"role": "user", "content": "And then?"},
     {"role": "assistant", "content": "At midnight."}]
)  # fmt: skip


def talk(*args: str, text: str) -> Result:
    """Runs `toolect chat render`, or `parse` and `convert` where `--chat` names what the text is."""
    verb = "render" if "--chat" not in args else "convert" if "--to" in args else "parse"
    return CliRunner().invoke(main, ["chat", verb, *args], input=text)


def test_a_transcript_is_explained() -> None:
    """Each rule with its role and guard, what its slots hold, and repairs where they are."""
    done = talk("--chat", "qwen3", "--tree", text="<|im_start|>user\nHi<|im_start|>assistant\nHel")
    assert done.exit_code == 1
    assert "user  → user\n  <|im_start|>user\\n\n  TEXT  17–19  Hi\n" in done.stdout
    assert "  (implied-closer at character 19)\n" in done.stdout
    tree = talk("--to", "qwen3", "--tree", text=MESSAGES)
    assert tree.exit_code == 0
    assert "head  when system or tools" in tree.stdout


def test_a_conversation_in_three_families_is_read_back() -> None:
    done = talk("--to", "qwen2.5", "--to", "glm-4.5", "--to", "deepseek-v3.1", "--compare", text=MESSAGES)
    assert done.exit_code == 0
    assert done.stderr.count("read back as it was") == 3


def test_what_is_told_otherwise_is_said_in_a_sentence() -> None:
    """It is exit status 1, also where it is no more than the ids of calls."""
    call = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": "Hi"}, {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": "x"}, {"role": "assistant", "content": "Ho"},
    ]  # fmt: skip
    done = talk("--to", "qwen3", "--compare", text=json.dumps(messages))
    assert done.exit_code == 1
    assert done.stderr == "toolect: qwen3: read back otherwise: the ids of calls are left out\n"


UNREAD = (
    "<|im_start|>user\nHi<|im_end|>\nlost one<|im_start|>assistant\nHello<|im_end|>\n"
    "<|im_start|>user\nSo?<|im_end|>\nlost two"
)
"""A transcript with texts that are of no turn."""


def test_what_a_transcript_says_between_turns_is_lost() -> None:
    """Wherever it is written anew that is told: in another chat, in rows, by the command. Control tokens are none."""
    losses = chat("qwen3").convert(UNREAD, chat("glm-4.5")).losses
    assert [loss for loss in losses if "between the turns" in loss] == [
        f"a text between the turns is left out: \nlost {which}" for which in ("one", "two")
    ]
    row = Convert(target_of("messages"), Source("transcript", chat="qwen3"))({"text": UNREAD})
    assert [
        change.endswith(f"lost {which}")
        for change, which in zip(row["account"]["changes"], ("one", "two"), strict=True)
    ]
    done = talk("--chat", "qwen3", "--to", "glm-4.5", text=UNREAD)
    assert done.exit_code == 1 and done.stderr.count("lost") == 2
    plain = UNREAD.replace("lost one", "").replace("lost two", "")
    assert not chat("qwen3").convert(plain, chat("glm-4.5")).losses


@pytest.mark.parametrize("name", ["gigachat3", "nemotron-nano-v2", "hyperclovax-14b"])
def test_what_follows_the_end_of_an_answer_in_a_transcript_is_lost(name: str) -> None:
    """It is in no turn; where the answer is written as it was sampled it is there."""
    one = chat(name)
    end = next(iter(one.dialect._graph().ends))
    asked = Conversation([User("Hi"), Assistant(Message([Content("Hello")]))])
    text = str(one.render(asked, False)).replace("Hello", f"Hello{end}lost", 1)
    losses = one.convert(text, chat("glm-4.5")).losses
    assert any(loss.startswith("turn 1: what follows the end of an answer is left out: lost") for loss in losses)
    assert "lost" in one.convert(text, one, unsafe="keep").text
    done = talk("--chat", name, "--to", "glm-4.5", text=text)
    assert done.exit_code == 1 and "what follows the end" in done.stderr
    row = Convert(target_of("messages"), Source("transcript", chat=name))({"text": text})
    assert row["account"]["status"] == "changed" and "what follows the end" in row["account"]["changes"][0]


def test_a_transcript_of_another_chat_says_which_it_looks_like() -> None:
    text = talk("--to", "llama3.1", text=MESSAGES).stdout
    done = talk("--chat", "qwen3", text=text)
    assert done.exit_code == 2
    assert re.search(r"looks like .*`llama3", done.stderr)


MODELS = Path(__file__).parent / "model_ids.txt"


OWN_TEMPLATES = {("qwen2.5-coder", "hermes"): "the template of Qwen2.5, of whose calls the model makes code blocks"}
"""What a model writes and what its template has, where these are known to differ."""


def test_the_chat_of_a_model_reads_what_the_model_writes() -> None:
    """No pattern of a chat takes models that write another dialect than the chat has, nor one of a dialect."""
    wrong, met = [], 0
    ids = [line.partition(" ")[::2] for line in MODELS.read_text("utf-8").splitlines() if not line.startswith("#")]
    patterns = [
        *(one for name in registry.dialects() for one in registry.spec(name).models),
        *(one for name in chats() for one in chat(name).spec.models),
    ]
    fitting = [(pattern.replace("*", more), "") for pattern in patterns for more in ("", "x", "-8b", "-instruct-2501")]
    models = shares.share([*ids, *fitting], 1_000, "models")
    for model, writes in models:
        try:
            found, writes = chat(model), writes or registry.resolve(model)
        except UnknownNameError:
            continue
        met += writes != "-"
        has = found.dialect.name
        if has and has != writes != "-" and (writes, has) not in OWN_TEMPLATES:
            wrong.append(f"{model}: writes {writes}, chat {found.spec.name} has {has}")
    assert wrong == []
    assert met > len(models) // 8


def test_chats_of_models_come_before_those_of_none() -> None:
    """Many chats have the turns of ChatML; a text of it looks like one that some model was trained on."""
    text = talk("--to", "qwen3", text=MESSAGES).stdout
    assert chat(looks_like(text)[0]).spec.models


@pytest.mark.parametrize("name", chats())
def test_a_chat_writes_what_its_dialect_does(name: str) -> None:
    """Thoughts, content and calls together, but for what the model's template refuses itself."""
    one, call, refused = chat(name), Call("f", {"a": 1}), set[str]()
    tools = [{"name": "f", "parameters": {"type": "object", "properties": {"a": {"type": "integer"}}}}]
    for thoughts, words, count in itertools.product(([], [Reasoning("r")]), ([], [Content("Hi")]), (0, 1, 2)):
        message = Message([*thoughts, *words, *[call] * count])
        try:
            one.dialect.render(message, tools=tools)
        except RenderError:
            continue
        try:
            one.render(Conversation([User("Q"), Assistant(message)], tools), False)
        except RenderError as error:
            refused.add(error.reason)
    assert refused <= {*one.spec.refuse}


def test_calls_that_could_not_be_read_are_said() -> None:
    """As `parse` does: with the turn, and exit status 1, wherever the transcript goes."""
    call = '<tool_call>\n{"name": "f", "arguments": [1]}\n</tool_call>'
    broken = f"<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n{call}"
    for more in ((), ("--origins",), ("--to", "qwen2.5")):
        done = talk("--chat", "qwen3", *more, text=broken + "<|im_end|>\n")
        assert done.exit_code == 1
        assert done.stderr.startswith("toolect: turn 1: call 0 (`f`) is malformed: expected")
    assert talk("--chat", "qwen3", text=broken.replace("[1]", "{}") + "<|im_end|>\n").exit_code == 0


def test_a_system_text_beside_messages_is_told() -> None:
    """As Anthropic's requests have it; two are refused."""
    asked = [{"role": "user", "content": "When?"}]
    for system in ("Be brief.", [{"type": "text", "text": "Be brief."}]):
        done = talk("--to", "qwen3", text=json.dumps({"system": system, "messages": asked}))
        assert done.stdout.startswith("<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nWhen?")
    assert talk("--to", "qwen3", text=json.dumps({"system": "", "messages": asked})).exit_code == 0
    two = {"system": "A", "messages": [{"role": "system", "content": "B"}, *asked]}
    odd = {"system": 3, "messages": asked}
    for body, why in ((two, "one system text, got another one in `messages` - at `system`"), (odd, "at `system`")):
        done = talk("--to", "qwen3", text=json.dumps(body))
        assert done.exit_code == 2 and why in done.stderr


def test_origins_are_drawn() -> None:
    text = talk("--to", "qwen3", text=MESSAGES).stdout
    assert "[user 1]When?" in talk("--chat", "qwen3", "--origins", text=text).stdout


@pytest.mark.parametrize("name", ["mistral-nemo", "mistral-small-3.2"])
def test_ids_have_the_size_that_a_template_asks_for(name: str) -> None:
    """Ids of other servers are made anew, and the results name them; one that fits is kept."""
    calls = [Call("tide", {"port": "Brest"}, one) for one in ("call_1", "abcdefghi", None, "toolu_é1234")]
    results = tuple(ToolResult(one, "tide", "5") for one in ("call_1", "abcdefghi", "", "toolu_é1234"))
    said = Assistant(Message(calls[:2])), Results(results[:2]), Assistant(Message(calls[2:])), Results(results[2:])
    text = chat(name).render(Conversation([User("Tide?"), *said], [TIDE]), False, date="2026-01-01")
    back = chat(name).parse(text)
    ids = [call.id for turn in back.turns if isinstance(turn, Assistant) for call in turn.message.calls]
    assert ids == [result.call_id for turn in back.turns if isinstance(turn, Results) for result in turn.results]
    assert ids[1] == "abcdefghi" and all(re.fullmatch("[a-zA-Z0-9]{9}", one or "") for one in ids)


def test_deepseek_v3_is_not_asked_to_think() -> None:
    """Its template opens no reasoning; that of R1 does."""
    asked = {name: chat(name).render(Conversation([User("Hi")])) for name in ("deepseek-v3", "deepseek-r1")}
    assert asked["deepseek-v3"].endswith("<｜Assistant｜>") and asked["deepseek-r1"].endswith(
        "<｜Assistant｜><think>\n"
    )


@every_chat
def test_the_default_system_text_is_no_turn(name: str) -> None:
    """A chat's own system text is nobody's turn; who gives it is told so, and of all else that is lost."""
    one = chat(name)
    turns: list[Turn] = [User("When?"), Assistant(Message([Content("Soon.")]))]
    assert not any(isinstance(turn, System) for turn in one.parse(one.render(Conversation(turns), False)).turns)
    if one.spec.system is not None:
        given = Conversation([System(one.spec.system), *turns], [TIDE])
        text = one.render(given, False)
        losses = [loss for loss in one.losses(given, text) if "tools" not in loss]
        is_alike = text == one.render(Conversation(turns, [TIDE]), False)
        assert losses == (
            ["turn 0: the system text is left out, or read back as the one that the chat has by itself"]
            if is_alike
            else []
        )
        heads: list[list[Turn]] = [[], [System(one.spec.system)]]
        if not any(token in one.spec.system for token in one.tokens):
            heads.append([System(one.spec.system), System("Be brief.")])
        else:
            with pytest.raises(RenderError, match="turn 0, user text"):
                one.render(Conversation([User(one.spec.system), *turns[1:]]), False)
        for head in heads:
            for tools in ([], [TIDE]):
                text = one.render(Conversation([*head, *turns], tools), False)
                assert one.render(one.parse(text), False) == text


@every_chat
def test_tools_with_lists_are_told(name: str) -> None:
    """A notation with brackets in it, as `string[]`, ends nothing."""
    ports = {"type": "object", "properties": {"ports": {"type": "array", "items": {"type": "string"}}}}
    tool = {"type": "function", "function": {"name": "tides", "description": "All [of them]", "parameters": ports}}
    rendered = chat(name).render(Conversation([User("[1]?"), Assistant(Message([Content("Soon.")]))], [tool]), False)
    turns = chat(name).parse(rendered).turns
    assert [type(turn) for turn in turns if not isinstance(turn, System)] == [User, Assistant]


@every_chat
def test_torn_transcripts_are_read_to_their_end(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The beginning of one and the end of another: each slot that is left brings the reading further."""
    left, leave, random = 0, Ends.leave, Random(name)

    def counted(self: Ends, text: str, at: int, pos: int, definitions: Definitions) -> Exit:
        nonlocal left
        left += 1
        assert left <= len(text), text
        return leave(self, text, at, pos, definitions)

    monkeypatch.setattr(Ends, "leave", counted)
    answer = Message([Content("I look."), CALL])
    asked = [User("Hi"), Assistant(answer), Results((ToolResult("abcdefghi", "tide", "5 m"),))]
    done, texts = Assistant(Message([Content("5 m.")])), [""]
    for turns in ([*asked, done], [*asked, done, User("So?"), done], [System("Be brief."), User("Hi"), done]):
        with contextlib.suppress(RenderError):
            texts.append(chat(name).render(Conversation(turns, [TIDE]), False))
    for one, other in random.choices([*itertools.product(texts, texts)], k=150):
        left = 0
        chat(name).parse(one[: random.randint(0, len(one))] + other[random.randint(0, len(other)) :])
