"""Conversations: as APIs and data sets have them and back, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from row_samples import ANYTHING, conversation, nested, places, replaced

import toolect
from toolect import Call, Content, Conversation, Message, MessageError, Reasoning, RenderError, Status
from toolect._turns import PendingCalls
from toolect.conversation import Assistant, Results, System, ToolResult, Turn, User

TEXTS = st.text(max_size=12)
SOME = st.text(min_size=1, max_size=12)
NAMES = st.sampled_from(["f", "get_time", "a-b"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXTS, inner, max_size=2),
    max_leaves=4,
)
SCHEMAS = st.dictionaries(SOME, st.fixed_dictionaries({"type": st.sampled_from(["string", "integer"])}), max_size=2)


@st.composite
def tools(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Tool objects with names of their own."""
    return [
        {
            "type": "function",
            "function": {
                "name": name,
                **draw(st.fixed_dictionaries({}, optional={"description": TEXTS, "strict": st.booleans()})),
                "parameters": {"type": "object", "properties": draw(SCHEMAS)},
            },
        }
        for name in draw(st.lists(NAMES, max_size=2, unique=True))
    ]


@st.composite
def answers(draw: st.DrawFn, ids: list[str], most: int = 3) -> Message:
    """Reasoning, content and calls, in the order in which APIs tell them; every call has an id of its own."""
    segments = [
        *([Reasoning(draw(SOME))] if draw(st.booleans()) else []),
        *([Content(draw(SOME))] if draw(st.booleans()) else []),
    ]
    for name in draw(st.lists(NAMES, max_size=most)):
        ids.append(f"c{len(ids)}")
        segments.append(Call(name, draw(st.dictionaries(TEXTS, JSON, max_size=2)), ids[-1]))
    return Message(segments)


@st.composite
def conversations(draw: st.DrawFn, system: bool = True, errors: bool = False) -> Conversation:
    """Conversations in the order that every API knows: each call has its result in the turn after it."""
    turns: list[Turn] = [System(draw(TEXTS))] if system and draw(st.booleans()) else []
    ids: list[str] = []
    for _ in range(draw(st.integers(0, 3))):
        turns.append(User(draw(TEXTS)))
        for _ in range(draw(st.integers(0, 2))):
            message = draw(answers(ids))
            turns.append(Assistant(message))
            if not message.calls:
                break
            failed = st.booleans() if errors else st.just(False)
            results = [ToolResult(call.id or "", call.name, draw(TEXTS), draw(failed)) for call in message.calls]
            turns.append(Results(tuple(draw(st.permutations(results)))))
    return Conversation(turns, draw(tools()))


def bare(turn: Turn) -> Turn:
    """A turn without what rows do not tell: ids, and how the model spelled its answer."""
    match turn:
        case Assistant(message):
            kept = [Call(s.name, s.arguments) if isinstance(s, Call) else s for s in message.segments]
            return Assistant(Message([s for s in kept if not isinstance(s, Reasoning)]))
        case Results(results):
            return Results(tuple(ToolResult("", one.name, one.output) for one in results))
        case _:
            return turn


def in_order(conversation: Conversation) -> Conversation:
    """The results in the order of their calls, which is how those without ids are told; nothing else than rows tell."""
    turns = []
    for turn in conversation.turns:
        if isinstance(turn, Results):
            turn = Results(tuple(sorted(turn.results, key=lambda one: int(one.call_id[1:]))))
        turns.append(bare(turn))
    return Conversation(turns, conversation.tools)


def same(a: Conversation, b: Conversation) -> bool:
    """True for the same turns and tools, whether lists or tuples."""
    return list(a.turns) == list(b.turns) and list(a.tools) == list(b.tools)


FORMS: dict[str, tuple[Callable[[Conversation], dict[str, Any]], Callable[..., Conversation]]] = {
    "openai": (Conversation.to_openai, Conversation.from_openai),
    "anthropic": (Conversation.to_anthropic, Conversation.from_anthropic),
    "responses": (Conversation.to_responses, Conversation.from_responses),
    "sharegpt": (lambda one: {"row": one.to_sharegpt("hermes")}, Conversation.from_sharegpt),
}
"""How each form is written, and read again."""


@pytest.mark.parametrize("form", FORMS)
def test_what_is_no_conversation_is_a_bad_message(form: str) -> None:
    """Whatever stands at any place of what is read: it is read, or said to be none. Nothing else is raised."""
    random = Random(7)
    write, read = FORMS[form]
    for _ in range(3):
        body = write(conversation(random))
        for place in [*places(body)][1:]:
            for value in [*random.sample(ANYTHING, 8), nested(20_000)]:
                with suppress(MessageError):
                    read(**replaced(body, place, value))


@given(conversations())
def test_openai_and_back(conversation: Conversation) -> None:
    """Chat-completions messages hold a conversation, also as the JSON that a client sends."""
    body = json.loads(json.dumps(conversation.to_openai()))
    assert same(Conversation.from_openai(**body), conversation)
    assert Conversation.from_openai(**body).to_openai() == body


@given(conversations(errors=True))
def test_anthropic_and_back(conversation: Conversation) -> None:
    """Anthropic's messages hold a conversation, errors too."""
    body = json.loads(json.dumps(conversation.to_anthropic()))
    assert same(Conversation.from_anthropic(**body), conversation)
    assert Conversation.from_anthropic(**body).to_anthropic() == body


def test_what_proves_a_reasoning_is_kept() -> None:
    """What comes with a signature goes back with it, also one without words; in comparisons it does not count."""
    blocks = [
        {"type": "thinking", "thinking": "hm", "signature": "s1"},
        {"type": "thinking", "thinking": "", "signature": "s2"},
        {"type": "text", "text": "a"},
    ]
    messages = [{"role": "user", "content": "q"}, {"role": "assistant", "content": blocks}]
    one = Conversation.from_anthropic(messages)
    assert one.to_anthropic()["messages"] == messages
    assert Conversation.from_openai(messages).to_anthropic()["messages"] == messages
    assert Reasoning("hm", signature="s1") == Reasoning("hm")


@given(conversations())
def test_responses_and_back(conversation: Conversation) -> None:
    """The items of the Responses API hold a conversation."""
    body = json.loads(json.dumps(conversation.to_responses()))
    assert same(Conversation.from_responses(**body), conversation)
    assert Conversation.from_responses(**body).to_responses() == body


@given(conversations())
def test_rows_and_back(conversation: Conversation) -> None:
    """Rows hold a conversation, with calls and results as JSON in turns of their own."""
    plain = in_order(conversation)
    row = json.loads(json.dumps(plain.to_sharegpt()))
    assert same(Conversation.from_sharegpt(row, None), plain)


@given(conversations())
def test_rows_in_a_dialect_and_back(conversation: Conversation) -> None:
    """Rows hold a conversation in the model's own texts: whatever they can carry is read again."""
    plain = in_order(conversation)
    try:
        row = plain.to_sharegpt("hermes")
    except RenderError:
        return
    back = Conversation.from_sharegpt(json.loads(json.dumps(row)), "hermes")
    assert [*map(bare, back.turns)] == plain.turns and same(Conversation([], back.tools), Conversation([], plain.tools))
    assert back.to_sharegpt("hermes") == row


@given(conversations())
def test_from_one_api_to_another(conversation: Conversation) -> None:
    """What one API was told, all are told alike."""
    there = Conversation.from_anthropic(**conversation.to_anthropic())
    assert same(Conversation.from_responses(**there.to_responses()), conversation)


CALL = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
ASKED: list[dict[str, Any]] = [{"role": "user", "content": "?"}, {"role": "assistant", "tool_calls": [CALL]}]


@pytest.mark.parametrize(
    ("messages", "expected", "where"),
    [
        ([{"role": "tool", "tool_call_id": "a", "content": "1"}], "after the answer", "messages[0]"),
        ([*ASKED, {"role": "tool", "tool_call_id": "b", "content": "1"}], "one of `a`", "messages[2]"),
        ([*ASKED, *[{"role": "tool", "content": "1"}] * 2], "has none yet", "messages[3]"),
        ([*ASKED, {"role": "user"}, {"role": "tool", "tool_call_id": "a"}], "after the answer", "messages[3]"),
        ([{"role": "user", "content": [{"type": "hologram"}]}], "type text", "messages[0].content[0].type"),
        ([{"role": "user", "content": 3}], "text or a list", "messages[0].content"),
        ([{"role": "user", "content": [{"type": "thinking", "thinking": "x"}]}], "text", "messages[0].content"),
        ([{"role": "judge"}], "a role", "messages[0].role"),
        (["hello"], "a message", "messages[0]"),
        ("hello", "a list of messages", "messages"),
        ([{"role": "assistant"}], None, ""),
    ],
)  # fmt: skip
def test_refused_messages(messages: Any, expected: str | None, where: str) -> None:
    """What no conversation can be: the error says what was expected, and where."""
    if expected is None:
        assert Conversation.from_openai(messages).turns == (Assistant(Message()),)
        return
    with pytest.raises(MessageError) as error:
        Conversation.from_openai(messages)
    assert expected in error.value.expected and error.value.where == where and f"at `{where}`" in str(error.value)


@pytest.mark.parametrize("function", [{"name": "now"}, {"name": "now", "parameters": None}])
def test_tools_without_parameters(function: dict[str, Any]) -> None:
    """OpenAI's API: to leave `parameters` out defines a function with an empty list of them."""
    whole = {"type": "function", "function": {"name": "now", "parameters": {"type": "object", "properties": {}}}}
    for tool in ({"type": "function", "function": function}, {"type": "function", **function}):
        assert Conversation.from_openai([], [tool]).tools == (whole,)


@pytest.mark.parametrize(
    ("given", "expected", "where"),
    [
        ([{"name": "f"}], "a JSON Schema of the parameters", "tools[0].parameters"),
        ([{"function": {"name": "f"}}], "a JSON Schema", "tools[0].function.parameters"),
        ([{"name": "f", "parameters": []}], "a JSON Schema", "tools[0].parameters"),
        ([{"name": "f", "parameters": {"type": "string"}}], "of type object", "tools[0].parameters.type"),
        ([{"type": "web_search"}], 'the type "function"', "tools[0].type"),
        ([{"parameters": {}}], "a name", "tools[0].name"),
        (["f"], "a tool object", "tools[0]"),
        ("{", "a list of tools", "tools"),
        ('"[]"', "a list", "tools"),
    ],
)
def test_refused_tools(given: Any, expected: str, where: str) -> None:
    """Definitions that define no function, or none that could be told of."""
    with pytest.raises(MessageError) as error:
        Conversation.from_openai([], given)
    assert expected in error.value.expected and error.value.where == where


def test_every_way_to_define_a_tool() -> None:
    """Tool objects stay as they are; flat ones, those of other APIs and JSON text become such."""
    schema = {"type": "object", "properties": {"x": {"type": "string"}}}
    tool = {"type": "function", "function": {"name": "f", "description": "F.", "parameters": schema}}
    flat = {"name": "f", "description": "F.", "parameters": schema}
    for one in (tool, flat, {"type": "function", **flat}, {"name": "f", "description": "F.", "input_schema": schema}):
        for listed in ([one], json.dumps([one])):
            assert Conversation.from_openai([], listed).tools == (tool,)


def test_results_find_their_calls() -> None:
    """Results without ids are told in the order of the calls, and get their names."""
    calls = [Call("f", {}, "a"), Call("g", {}), Call("h", {}, "a")]
    results = [ToolResult("a", "", "1"), ToolResult("", "", "2"), ToolResult("a", "", "3")]
    body = Conversation([User("?"), Assistant(Message(calls)), Results(tuple(results))]).to_openai()
    answer, *others = body["messages"][1:]
    assert [call["id"] for call in answer["tool_calls"]] == ["a", "call_1", "call_2"]
    assert [(one["name"], one["tool_call_id"]) for one in others] == [("f", "a"), ("g", "call_1"), ("h", "call_2")]


def test_unread_calls_are_told_as_text() -> None:
    """What is no call for anybody else has no result either: the user says what came of it."""
    broken = Call("f", None, spelling='{"x', raw='<call>{"x', status=Status.TRUNCATED)
    turns = [Assistant(Message([broken])), Results((ToolResult("", "f", "cannot be read", True),))]
    assert Conversation(turns).to_openai()["messages"] == [
        {"role": "assistant", "content": '<call>{"x'},
        {"role": "user", "content": "cannot be read"},
    ]


def test_unread_calls_keep_their_names() -> None:
    """Where the server had taken the name out of the words, they are told with it, on lines of their own."""
    broken = Call("f", None, spelling='{"x', status=Status.MALFORMED)
    nameless = Call("", None, spelling='{"y', status=Status.MALFORMED)
    one = Conversation([Assistant(Message([Content("Hm."), broken, Call("g", {}, "a"), nameless]))])
    (said,) = one.to_openai()["messages"]
    assert said["content"] == 'Hm.\n`f`: `{"x`\n{"y' and [call["id"] for call in said["tool_calls"]] == ["a"]
    blocks = one.to_anthropic()["messages"][0]["content"]
    assert [block["text"] for block in blocks if block["type"] == "text"] == ["Hm.", '`f`: `{"x`', '{"y']
    items = [item["content"][0]["text"] for item in one.to_responses()["input"] if item["type"] == "message"]
    assert items == ["Hm.", '`f`: `{"x`', '{"y']


def test_what_a_conversation_is_made_of() -> None:
    """Anything but lists of turns and tools is a mistake of the program."""
    for turns in (User("x"), "x", ["x"], [{"role": "user"}]):
        with pytest.raises(TypeError, match="expected"):
            Conversation(turns)  # type: ignore[arg-type]


USED = {"type": "tool_use", "id": "a", "name": "f", "input": {}}
TOLD = {"type": "tool_result", "tool_use_id": "a", "content": "1"}


@pytest.mark.parametrize(
    ("messages", "expected", "where"),
    [
        ([{"role": "system", "content": "x"}], "user or assistant", "messages[0].role"),
        ([{"role": "user", "content": [TOLD]}], "after the answer", "messages[0].content[0]"),
        ([{"role": "assistant", "content": [USED]}, {"role": "user", "content": ["So: ", TOLD]}],
         "results before", "messages[1].content[1]"),
        ([{"role": "assistant", "content": [{"type": "image"}]}], "a block", "messages[0].content[0].type"),
        ([{"role": "user", "content": ["a", {"type": "hologram"}]}], "a part", "messages[0].content[1].type"),
        ([{"role": "assistant", "content": 3}], "text or a list", "messages[0].content"),
    ],
)  # fmt: skip
def test_refused_blocks(messages: Any, expected: str, where: str) -> None:
    """What Anthropic's messages cannot say, with its place."""
    with pytest.raises(MessageError) as error:
        Conversation.from_anthropic(messages)
    assert expected in error.value.expected and error.value.where == where


@pytest.mark.parametrize(
    ("items", "expected", "where"),
    [
        ([{"type": "web_search_call"}], "an item", "input[0].type"),
        ([{"type": "function_call_output", "call_id": "a", "output": ""}], "after the answer", "input[0]"),
        ([{"role": "judge"}], "a role", "input[0].role"),
        (
            [{"type": "message", "role": "user", "content": [{"type": "hologram"}]}],
            "a part",
            "input[0].content[0].type",
        ),
        (3, "text or a list", "input"),
    ],
)
def test_refused_items(items: Any, expected: str, where: str) -> None:
    """What the items of the Responses API cannot say, with its place."""
    with pytest.raises(MessageError) as error:
        Conversation.from_responses(items)
    assert expected in error.value.expected and error.value.where == where


def test_a_late_system_turn() -> None:
    """Anthropic's system text stands before all messages."""
    with pytest.raises(RenderError, match="others come first"):
        Conversation([User("x"), System("y")]).to_anthropic()


DEFINED = {"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}
TELLING = f"You call functions. <tools> [{json.dumps(DEFINED)}] </tools>"


@pytest.mark.parametrize(
    ("said", "outputs"),
    [
        ('<tool_response>\n{"name": "f", "content": {"x": 1}}\n</tool_response>', ['{"x": 1}']),
        ('<tool_response>{"x": "</tool_response>"}</tool_response>', ['{"x": "</tool_response>"}']),
        ("<r>\n1\n</r>\n<r>2</r>", ["1", "2"]),
        ("<r>1</r> and more", ["<r>1</r> and more"]),
        ("<r>1</r><s>2</s>", ["<r>1</r><s>2</s>"]),
        ("<r>1", ["<r>1"]),
        ('{"x": 1}', ['{"x": 1}']),
    ],
)
def test_results_in_rows(said: str, outputs: list[str]) -> None:
    """Results in elements of one name are told apart; any other text is a result as it is."""
    calls = '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>' * 2
    row = {"conversations": [{"from": "gpt", "value": calls}, {"from": "tool", "value": said}]}
    (_, results_turn) = Conversation.from_sharegpt(row).turns
    assert isinstance(results_turn, Results) and [one.output for one in results_turn.results] == outputs


def test_rows_that_tell_of_tools_in_the_system_text() -> None:
    """Nobody tells of them twice: either the text does, or whoever writes the conversation."""
    row: dict[str, Any] = {"conversations": [{"from": "system", "value": TELLING}, {"from": "human", "value": "?"}]}
    for one in (row, row | {"tools": json.dumps([DEFINED])}):
        assert Conversation.from_sharegpt(one) == Conversation([System(TELLING), User("?")])
        assert Conversation.from_sharegpt(one, retell=True) == Conversation([User("?")], [DEFINED])


@pytest.mark.parametrize(
    ("row", "expected", "where"),
    [
        ({}, "a list", "conversations"),
        ({"conversations": [{"from": "judge", "value": ""}]}, "one of system", "conversations[0].from"),
        ({"conversations": [{"from": ["gpt"], "value": ""}]}, "one of system", "conversations[0].from"),
        ({"conversations": [{"from": "gpt", "value": 3}]}, "text", "conversations[0].value"),
        ({"conversations": [{"from": "function_call", "value": "f()"}]}, "the JSON", "conversations[0].value"),
        ({"conversations": [{"from": "observation", "value": "1"}]}, "after the answer", "conversations[0]"),
        ({"conversations": [], "tools": [{"name": "f"}]}, "a JSON Schema", "tools[0].parameters"),
    ],
)
def test_refused_rows(row: Any, expected: str, where: str) -> None:
    """What no row says, with its place."""
    with pytest.raises(MessageError) as error:
        Conversation.from_sharegpt(row)
    assert expected in error.value.expected and error.value.where == where


def test_what_rows_cannot_carry() -> None:
    """Reasoning and text after a call have no turns of their own."""
    for segments in ([Reasoning("hm")], [Call("f", {}), Content("so")]):
        with pytest.raises(RenderError, match="name a dialect"):
            Conversation([Assistant(Message(segments))]).to_sharegpt()


ENDLESS: list[Any] = [
    '{"a": 1e999}', '{"a": [-1e999]}', '{"a": NaN}',
    {"a": float("inf")}, {"a": [{"b": -float("inf")}]}, {"a": float("nan")},
]  # fmt: skip


@pytest.mark.parametrize("given", ENDLESS, ids=str)
def test_a_number_that_no_json_says_makes_a_broken_call(given: Any) -> None:
    """It is no argument, in text as among values, as in a model's text; nothing writes it as JSON, or as null."""
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": given}}
    read = [Conversation.from_openai([{"role": "assistant", "tool_calls": [call]}])]
    if isinstance(given, dict):
        block = {"type": "tool_use", "id": "c", "name": "f", "input": given}
        read.append(Conversation.from_anthropic([{"role": "assistant", "content": [block]}]))
    for one in read:
        (turn,) = one.turns
        assert isinstance(turn, Assistant) and turn.message.calls[0].status is Status.MALFORMED
        assert "expected a" in (turn.message.calls[0].error or "")
        assert json.loads(json.dumps(one.to_openai(), allow_nan=False))


@pytest.mark.parametrize("number", [float("inf"), float("nan")])
def test_a_number_that_no_json_says_is_not_written(number: float) -> None:
    """Where a program puts it into a call itself, whatever would write that refuses."""
    one, other = (Conversation([User("q"), Assistant(Message([Call("f", {"a": a}, "c")]))]) for a in (1.5, number))
    write: list[Callable[[Conversation], object]] = [
        Conversation.to_openai, Conversation.to_anthropic, Conversation.to_responses, Conversation.to_sharegpt,
        toolect.chat("qwen3").render, toolect.chat("qwen3-coder").round_trip, toolect.chat("gpt-oss").round_trip,
    ]  # fmt: skip
    for each in write:
        each(one)
        with pytest.raises((MessageError, RenderError), match=r"finite|JSON"):
            each(other)


@pytest.mark.parametrize("name", ["", *toolect.dialects()])
def test_rows_tell_which_call_each_result_is_of(name: str) -> None:
    """In whatever order the results came, whatever ids the calls had: read back, each is of its call."""
    calls = [Call("tide", {"day": 1}, "a1"), Call("wind", {}, "b2"), Call("tide", {"day": 2}, "c3")]
    results = [ToolResult(call.id or "", call.name, f"of {call.id}") for call in calls]
    turns = [User("q"), Assistant(Message(calls)), Results((results[2], results[0], results[1]))]
    try:
        row = Conversation(turns).to_sharegpt(name or None)
    except RenderError:
        return
    asked, results_turn = Conversation.from_sharegpt(row, name or None).turns[1:]
    assert isinstance(asked, Assistant) and isinstance(results_turn, Results)
    found = PendingCalls()
    found.follow(asked)
    pairs = [
        (call and call.arguments.get("day"), one.output)
        for call, one in zip(found.follow(results_turn), results_turn.results, strict=True)
    ]
    assert pairs == [(1, "of a1"), (None, "of b2"), (2, "of c3")]


BROKEN = {"id": "c1", "type": "function", "function": {"name": "sh", "arguments": '{"a": '}}
WHOLE = {"id": "c2", "type": "function", "function": {"name": "ls", "arguments": "{}"}}


@pytest.mark.parametrize("named", [True, False], ids=["by id", "by order"])
@pytest.mark.parametrize("calls", [[BROKEN], [BROKEN, WHOLE], [WHOLE, BROKEN]], ids=["alone", "first", "last"])
def test_the_result_of_a_broken_call_is_of_that(calls: list[dict[str, Any]], named: bool) -> None:
    """A server answers it with an error; that stays its result, and the others stay theirs."""
    calls_read = [
        {"role": "tool", "content": f"of {one['function']['name']}"} | ({"tool_call_id": one["id"]} if named else {})
        for one in calls
    ]
    asked = {"role": "user", "content": "q"}
    one = Conversation.from_openai([asked, {"role": "assistant", "tool_calls": calls}, *calls_read])
    items = [
        *({"type": "function_call", "call_id": one["id"], **one["function"]} for one in calls),
        *({"type": "function_call_output", "call_id": one["id"], "output": "o"} for one in calls),
    ]
    for read in (one, Conversation.from_responses([asked, *items])):
        (results,) = (turn.results for turn in read.turns if isinstance(turn, Results))
        assert [result.name for result in results] == [call["function"]["name"] for call in calls]
    assert Conversation.from_openai(**one.to_openai()).to_openai() == one.to_openai()


def test_where_results_are_missing_a_broken_call_has_none() -> None:
    """Of two calls and one result without an id, that is the result of the call that could be run."""
    messages = [{"role": "assistant", "tool_calls": [BROKEN, WHOLE]}, {"role": "tool", "content": "o"}]
    turn = Conversation.from_openai(messages).turns[1]
    assert isinstance(turn, Results) and [result.name for result in turn.results] == ["ls"]


@pytest.mark.parametrize(
    ("names", "named", "of"),
    [
        (["f", "g"], ["g", "f"], [1, 0]),
        (["f", "g"], ["g", ""], [1, 0]),
        (["f", "g"], ["", "f"], [1, 0]),
        (["f", "g", "f"], ["f", "f", "g"], [0, 2, 1]),
        (["f", "g"], ["h", "f"], [1, 0]),
        (["f", "g"], ["f", "f"], [0, 1]),
    ],
)
def test_results_without_ids_are_of_the_calls_that_they_name(names: list[str], named: list[str], of: list[int]) -> None:
    """Where the name says nothing, the order counts."""
    calls = [{"function": {"name": name, "arguments": json.dumps({"n": at})}} for at, name in enumerate(names)]
    results = [{"role": "tool", "name": name, "content": f"{at}"} for at, name in enumerate(named)]
    one = Conversation.from_openai([{"role": "assistant", "tool_calls": calls}, *results])
    written = one.to_openai()["messages"]
    ids = [call["id"] for call in written[0]["tool_calls"]]
    assert [message["tool_call_id"] for message in written[1:]] == [ids[at] for at in of]
    assert [message["name"] for message in written[1:]] == [
        name or names[at] for name, at in zip(named, of, strict=True)
    ]


IDS = st.sampled_from(["", "a", "b", "c"])
CALLED = st.sampled_from(["", "f", "g", "h"])


def paired(calls: list[Call], results: list[ToolResult]) -> list[Call | None]:
    """Which call each result is of, found the long way round."""
    left = [*enumerate(calls)]

    def take(fits: Callable[[Call], bool]) -> Call | None:
        found = next((one for one in left if fits(one[1])), None)
        left[:] = [one for one in left if one is not found]
        return found[1] if found else None

    found = [take(lambda call, one=one: bool(call.id) and call.id == one.call_id) for one in results]
    few = found.count(None) < len(left)
    for by_name in (True, False):
        for at, one in enumerate(results):

            def fits(call: Call, one: ToolResult = one, by_name: bool = by_name) -> bool:
                return not (one.call_id and call.id) and (not by_name or one.name == call.name)

            found[at] = (
                found[at] or few and take(lambda call, fits=fits: call.runnable and fits(call)) or take(fits) or None
            )
    return found


@given(
    st.lists(st.tuples(IDS, CALLED, st.booleans()), max_size=6),
    st.lists(st.lists(st.tuples(IDS, CALLED), max_size=4), max_size=3),
)
def test_results_find_their_calls_at_once(
    asked: list[tuple[str, str, bool]], turns: list[list[tuple[str, str]]]
) -> None:
    """By ids, by names, in the order in which they are left, over several turns of results; broken ones last."""
    calls = [
        Call(name or "k", {"n": number}, one or None, status=Status.OK if whole else Status.MALFORMED)
        for number, (one, name, whole) in enumerate(asked)
    ]
    waiting = PendingCalls()
    waiting.follow(Assistant(Message(calls)))
    for turn in turns:
        results = [ToolResult(one, name, "o") for one, name in turn]
        found = waiting.follow(Results(tuple(results)))
        assert list(found) == paired(calls, results)
        calls = [call for call in calls if call not in found]
        assert waiting.calls == calls


SEVERAL = [
    {"role": "system", "content": "Be brief."}, {"role": "developer", "content": "Be kind."},
    {"role": "user", "content": "When?"},
]  # fmt: skip


def test_several_system_messages_are_kept_where_there_are_places() -> None:
    """The APIs that have roles for them keep them; that of Anthropic has one text."""
    said = Conversation.from_openai(SEVERAL)
    assert said.to_openai()["messages"] == SEVERAL
    items = said.to_responses()["input"]
    assert [item["role"] for item in items] == ["system", "developer", "user"]
    assert Conversation.from_responses(items).turns == said.turns
    assert said.to_anthropic()["system"] == "Be brief.\n\nBe kind."
    assert [turn["from"] for turn in said.to_sharegpt()["conversations"]] == ["system", "system", "human"]


@pytest.mark.parametrize("name", toolect.chats())
def test_several_system_messages_in_a_chat(name: str) -> None:
    """A chat tells all of them, in their order, or says that it has no place for any."""
    chat = toolect.chat(name)
    try:
        one = str(chat.render(Conversation.from_openai([{"role": "system", "content": "Be.\n\nIt."}, SEVERAL[2]])))
    except toolect.RenderError:
        return  # it has no place for the system, or none for an empty line
    text = str(chat.render(Conversation.from_openai(SEVERAL)))
    assert "Be." in one and text.index("Be brief.") < text.index("Be kind.") < text.index("When?")


@pytest.mark.parametrize("name", toolect.chats())
def test_a_prompt_has_all_system_messages(name: str) -> None:
    """One further back stands in its place, or at the head; a chat that has none for the system says so."""
    chat, late = toolect.chat(name), {"role": "system", "content": "Be kind."}
    said = [SEVERAL[0], SEVERAL[2], {"role": "assistant", "content": "Noon."}, late, {"role": "user", "content": "So?"}]
    try:
        chat.render(Conversation.from_openai([{"role": "system", "content": "Be.\n\nIt."}, SEVERAL[2]]))
    except toolect.RenderError:
        return
    text = str(chat.prompt(Conversation.from_openai(said)))
    assert all(one["content"] in text for one in said)


GRAMMAR = {"type": "grammar", "syntax": "lark", "definition": 'start: "a"'}


@pytest.mark.parametrize(
    ("tool", "grammar"),
    [
        ({"type": "custom", "name": "apply_patch", "description": "Patch."}, ""),
        ({"type": "custom", "custom": {"name": "apply_patch", "description": "Patch."}}, ""),
        ({"type": "custom", "name": "apply_patch", "description": "Patch.", "format": GRAMMAR}, 'start: "a"'),
        ({"type": "custom", "custom": {
            "name": "apply_patch", "description": "Patch.", "format": {"type": "grammar", "grammar": GRAMMAR},
        }}, 'start: "a"'),
    ],
)  # fmt: skip
def test_a_free_form_tool_takes_one_text(tool: dict[str, Any], grammar: str) -> None:
    """Its definition and its calls are those of a function with one parameter, in both APIs."""
    function = Conversation.from_openai([], [tool]).tools[0]["function"]
    assert (function["name"], function["description"]) == ("apply_patch", "Patch.")
    text = function["parameters"]["properties"]["input"]
    assert (
        text["type"] == "string" and grammar in text.get("description", "") and bool(grammar) == ("description" in text)
    )
    patch = {"name": "apply_patch", "input": "*** Begin Patch\n{"}
    said = [
        Conversation.from_openai(
            [{"role": "assistant", "tool_calls": [{"id": "a", "type": "custom", "custom": patch}]},
             {"role": "tool", "tool_call_id": "a", "content": "Done."}], [tool],
        ),
        Conversation.from_responses(
            [{"type": "custom_tool_call", "call_id": "a", **patch},
             {"type": "custom_tool_call_output", "call_id": "a", "output": "Done."}], tools=[tool],
        ),
    ]  # fmt: skip
    assert said[0] == said[1]
    assert said[0].turns[0] == Assistant(Message([Call("apply_patch", {"input": "*** Begin Patch\n{"}, "a")]))
    assert "*** Begin Patch" in str(toolect.chat("hermes-3").render(said[0]))


@pytest.mark.parametrize(
    "call",
    [{"type": "custom"}, {"type": "custom", "custom": {}}, {"type": "custom", "custom": {"name": "f", "input": 3}}],
)
def test_a_free_form_call_without_a_name_or_text_is_refused(call: dict[str, Any]) -> None:
    """The error has the place."""
    with pytest.raises(MessageError, match=r"tool_calls\[0\]"):
        Conversation.from_openai([{"role": "assistant", "tool_calls": [call]}])


@pytest.mark.parametrize("others", [(), (Results((ToolResult("a", "f", "1"),)),)])
def test_a_call_without_a_result_is_not_sent_to_anthropic(others: tuple[Turn, ...]) -> None:
    """The API refuses it: where others follow, it is named; what waits at the end may still get its result."""
    asked = Assistant(Message([Call("f", {}, "a"), Call("g", {}, "b")]))
    with pytest.raises(toolect.RenderError, match=r"call.*`?g|call.*`?f"):
        Conversation([User("?"), asked, *others, User("Well?")]).to_anthropic()
    assert len(Conversation([User("?"), asked]).to_anthropic()["messages"]) == 2
    both = Results((ToolResult("b", "g", "2"), ToolResult("a", "f", "1")))
    assert len(Conversation([User("?"), asked, both, User("Well?")]).to_anthropic()["messages"]) == 4
