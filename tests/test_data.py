"""Data sets: rows of every kind read, written as every other, and accounted for; jobs, whoever does them."""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
import shares
from click.testing import CliRunner
from msgspec.structs import replace
from row_samples import (
    ANYTHING,
    alike,
    conversation,
    nested,
    odd_calls,
    own_tools,
    places,
    replaced,
    said,
    tool,
)  # fmt: skip
from small_tokenizers import byte_level

import toolect
from toolect import Content, Conversation, Message
from toolect._chats import round_trips
from toolect._chats.conversation_diff import IDS, NO_SIGNATURE, ORDER, changes
from toolect._chats.grammar_chat import Chat
from toolect._chats.tool_prompt import ToolPrompt
from toolect._cli import main
from toolect._corpora.any_json import decoded, encoded
from toolect._data.checkpoint import CheckpointStore
from toolect._data.chunk_results import in_lines
from toolect._data.converting import Settings, convert
from toolect._data.job import UNIT, Job, JobProgress, by_processes, run
from toolect._data.row_report import report_of
from toolect._data.row_targets import SPELLED, UNSIGNED
from toolect._data.tallies import Tallies
from toolect._exchange.embedded_tools import definitions_in
from toolect._message import Json, Status
from toolect._rendered import RenderError
from toolect._rows.finish_reasons import CUT_OFF, EMPTY
from toolect._rows.ignored_fields import LEFT_OUT
from toolect._rows.normalize import FREE_FORM
from toolect._rows.open_row import (
    MAY_TELL,
    OF_ANOTHER,
    REST_STAYS,
    RESULT_HAS_ELEMENT,
    SAME_IDS,
    TOOLS_UNREAD,
    besides,
)
from toolect._rows.row_fields import row_kinds
from toolect._rows.transcript_rows import TOOLS_UNREAD as TRANSCRIPT_TOOLS
from toolect.conversation import Assistant, System, User
from toolect.data import Convert, Fate, Form, Keep, Loss, Source, Target, find_out, kind_of, meaning, read, target_of

PLAIN = [Form.MESSAGES, Form.SHAREGPT, Form.ANTHROPIC, Form.RESPONSES, Form.TRL]
ROWS = 35 if shares.everything else 16
"""Conversations that are written in each chat: over 2,000 in all (`--all`: over 4,000), each form at least once."""
FORMS = 35
"""Conversations in a few forms, so many that in each chat some are told without being read back."""
CALL = {"id": "c1", "type": "function", "function": {"name": "tide", "arguments": '{"a": 1}'}}
ASKED = [{"role": "user", "content": "When?"}, {"role": "assistant", "content": None, "tool_calls": [CALL]}]
ANSWERED = {
    "messages": [*ASKED[:1], {"role": "assistant", "content": "Noon."}],
    "tools": [{"type": "function", "function": {"name": "tide", "parameters": {"type": "object", "properties": {}}}}],
}


def tools_told(one: Conversation) -> set[str]:
    """The names of the tools, as far as they can be read."""
    return {named["function"]["name"] for named in one.tools if "function" in named}


@pytest.mark.parametrize("name", toolect.chats())
def test_what_is_lost_in_a_chat_is_reported(name: str) -> None:
    """Messages → chat → messages is the identity for rows that are called converted, and for no others."""
    chat, convert = toolect.chat(name), Convert(target_of(name, date="2026-01-01"))
    random = Random(name)
    for _ in range(ROWS):
        given = conversation(random)
        row = given.to_openai()
        (outcome,) = convert.outcomes(row)
        if outcome.account.fate is Fate.REFUSED:
            assert outcome.account.reason is not None and not outcome.rows
            continue
        back = chat.parse(outcome.rows[0]["text"])
        same = said(back) == said(Conversation.from_openai(row["messages"]))
        unread = any("function" not in one for one in back.tools)
        same = same and (unread or tools_told(back) == tools_told(given))
        if same and not unread:
            same = all(a == b for a, b in zip(back.tools, given.tools, strict=True))
        assert (outcome.account.fate is Fate.CONVERTED) == same, (outcome.account.changes, row, outcome.rows)


@pytest.mark.parametrize("name", toolect.chats())
def test_what_is_not_read_back_is_known(name: str) -> None:
    """What is said of a conversation without reading it back is what reading it back would have said."""
    chat, tools = toolect.chat(name), [(tool("tide"), tool("wind")), (tool("tide"),), ()]
    random, known = Random(name), 0
    whole = [*chat.tokens, *chat.dialect._graph().openers]
    parts = [part for one in whole for at in range(1, len(one)) for part in (one[:at], one[at:])]
    for seed in range(FORMS):
        given = alike(Random(seed % 5), tools[seed % 3], random, parts)
        try:
            with pytest.MonkeyPatch.context() as patch:
                read: list[str] = []
                patch.setattr(chat, "parse", lambda text, read=read: read.append(text) or Chat.parse(chat, text))
                trip = chat.round_trip(given, date="2026-01-01", check="sample")
        except RenderError:
            continue
        known += not read
        assert trip.text == chat.render(given, False, date="2026-01-01")
        back = chat.parse(trip.text)
        assert [*trip.changes] == [one for one in changes(given, back) if one.what != IDS], trip.text
    assert known or name == "openai-chat", "expected a shape that was known"  # there all of an answer is markup


@pytest.mark.parametrize("name", toolect.chats())
def test_what_is_odd_and_not_read_back_is_known(name: str) -> None:
    """Rows with tools that no other row has, and with odd arguments, lose what reading all of them back would say."""
    chat, random = toolect.chat(name), Random(name)
    whole = [*chat.tokens, *chat.dialect._graph().openers]
    parts = [part for one in whole for at in range(1, len(one)) for part in (one[:at], one[at:], one)]
    for seed in range(FORMS):
        form = Random(seed % 4)
        drawn = alike(form, own_tools(random if seed % 3 else Random(seed % 4)) if seed % 4 else (), random, ())
        given = odd_calls(drawn, random, parts)
        try:
            plain = chat.round_trip(given, date="2026-01-01", check="none") if seed % 2 else None
            trip = chat.round_trip(given, date="2026-01-01", check="sample")
        except RenderError:
            continue
        assert plain is None or (str(plain.text), plain.changes) == (str(trip.text), ())
        assert trip.text == chat.render(given, False, date="2026-01-01")
        back = chat.parse(trip.text)
        assert [*trip.changes] == [one for one in changes(given, back) if one.what != IDS], trip.text


@pytest.mark.parametrize("name", ["deepseek-v3.1", "qwen3", "gpt-oss"])
@pytest.mark.parametrize("called", ["tide", "mcp__sea.tide-at"])
def test_calls_of_a_kind_are_read_back_once(name: str, called: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where names are odd, values are more than words, and other words are said about the tools each time."""
    chat = toolect.chat(name)
    for cache in ("_cache", "_round_trips"):
        monkeypatch.delitem(vars(chat), cache, raising=False)  # what others have filled
    read: list[str] = []
    monkeypatch.setattr(chat, "parse", lambda text: read.append(text) or Chat.parse(chat, text))
    counts = []
    for number in range(8):
        call = {"name": called, "arguments": json.dumps({"port": f"Brest {number}", "at": f"2024-05-0{number + 1}"})}
        answered = [
            ASKED[0],
            {"role": "assistant", "content": None, "tool_calls": [{**CALL, "function": call}]},
            {"role": "tool", "tool_call_id": "c1", "content": "noon"},
            {"role": "assistant", "content": "So"},
        ]
        about = {**tool(called)["function"], "description": f"It is {number}" if name != "gpt-oss" else "It is so"}
        given = Conversation.from_openai(answered, [{"type": "function", "function": about}])
        read.clear()
        chat.round_trip(given, check="sample")
        counts.append(len(read))
    assert any(counts) and sum(map(bool, counts[2:])) <= 1, counts  # one of a hundred is read all the same


def test_what_is_kept_of_conversations_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of rows that are all of other shapes no more are kept than there is room for."""
    monkeypatch.setattr(round_trips, "MAX_SHAPES", 8)
    chat = toolect.chat("chatml")
    monkeypatch.delitem(vars(chat), "_round_trips", raising=False)  # what others have filled
    for rounds in range(1, 40):
        turns = [User("tide"), Assistant(Message([Content("So.")]))] * rounds
        given = Conversation(turns)
        assert chat.round_trip(given, check="sample").text == chat.render(given, False)
        assert len(chat._round_trips._changes) <= 8


@pytest.mark.parametrize("name", ["qwen3", "deepseek-v3.1", "gpt-oss", "glm-4.5", "hermes", "mistral-nemo"])
def test_a_sample_of_examples_says_what_all_say(name: str, tmp_path: Path) -> None:
    """Ids whose texts are not read back lose what reading them back would say."""
    byte_level().save(str(tmp_path / "tokenizer.json"))
    sample, whole = (
        Convert(target_of("ids", chat=name, tokenizer=str(tmp_path), check=check, date="2026-01-01"))
        for check in ("sample", "all")
    )
    random, tools, lost = Random(name), (tool("tide"), tool("wind")), 0
    for seed in range(FORMS):
        row = alike(Random(seed % 4), tools if seed % 3 else (), random, ("<", "f(x)")).to_openai()
        (found,), (expected,) = sample.outcomes(row), whole.outcomes(row)
        assert found == expected
        lost += found.account.fate is Fate.CHANGED
    assert lost or name != "deepseek-v3.1", "expected rows that lose something"


@pytest.mark.parametrize("name", ["glm-4.5", "glm-4.7"])
def test_an_end_that_begins_the_next_turn_is_no_turn(name: str, tmp_path: Path) -> None:
    """What ends the last answer of an example is taught; it is no loss that it would begin a turn of the user."""
    byte_level().save(str(tmp_path / "tokenizer.json"))
    target = target_of("ids", chat=name, tokenizer=str(tmp_path), check="all")
    found = Convert(target)({"messages": [ASKED[0], {"role": "assistant", "content": "Noon."}]})
    assert (found["account"]["status"], found["account"]["changes"]) == ("converted", [])


def test_tokens_that_the_vocabulary_lacks_are_noted(tmp_path: Path) -> None:
    """Ids of another model's vocabulary spell the markers of the chat as any text may."""
    byte_level().save(str(tmp_path / "tokenizer.json"))
    for chat, spelled in (("qwen3", ""), ("mistral-nemo", "`<s>`, `[INST]`, `[/INST]`")):
        found = Convert(target_of("ids", chat=chat, tokenizer=str(tmp_path)))({"messages": ANSWERED["messages"]})
        assert found["account"]["notes"] == ([f"{SPELLED}: {spelled}"] if spelled else []), chat


def _calling(*calls: dict[str, Any], result: str = "noon") -> dict[str, Any]:
    answer = {"role": "assistant", "content": None, "tool_calls": [*calls]}
    results = [{"role": "tool", "tool_call_id": one["id"], "content": result} for one in calls]
    return {"messages": [ASKED[0], answer, *results], "tools": ANSWERED["tools"]}


@pytest.mark.parametrize(
    ("row", "note"),
    [
        (_calling(CALL, CALL), f"turn 1: {SAME_IDS}"),
        (_calling({"id": "c", "type": "custom", "custom": {"name": "tide", "input": "x"}}), f"turn 1: {FREE_FORM}"),
        (_calling(CALL, result="<tool_response>\nnoon"), f"turn 2: {RESULT_HAS_ELEMENT}"),
        ({"messages": [{"role": "system", "content": '<tools>[{"name": "tide", "parameters": {]</tools>'}, *ASKED[:1]]},
         f"turn 0: {TOOLS_UNREAD}"),
        ({"messages": [{"role": "system", "content": "Tools are within <tools></tools>."}, *ASKED[:1]]},
         None),
    ],
    ids=["ids", "custom", "closer", "definitions", "words"],
)  # fmt: skip
def test_what_is_odd_in_a_row_is_noted(row: dict[str, Any], note: str | None) -> None:
    """What is written otherwise, or stays unread, is said."""
    assert Convert(target_of("messages"))(row)["account"]["notes"] == ([note] if note else [])


def test_a_name_of_a_column_that_holds_nothing_hides_no_other() -> None:
    """An empty list of tools stands beside the old column `functions`, which has them."""
    row = Convert(target_of("messages"))({"messages": ASKED[:1], "tools": [], "functions": ANSWERED["tools"]})
    assert row["tools"] == ANSWERED["tools"]


def test_types_of_other_languages_become_those_of_json_schema() -> None:
    """ToolACE has Python's types, which no API takes."""
    given = {"a": "int", "b": "float", "c": "bool", "d": "List[str]", "e": "any", "f": "string"}
    schema = {"type": "dict", "properties": {name: {"type": kind} for name, kind in given.items()}}
    row = {"messages": ASKED[:1], "tools": [{"name": "tide", "parameters": schema}]}
    made = Convert(target_of("anthropic"))(row)["tools"][0]["input_schema"]
    kinds = {name: one["type"] for name, one in made["properties"].items()}
    assert kinds == {"a": "integer", "b": "number", "c": "boolean", "d": "array", "e": "any", "f": "string"}
    assert made["type"] == "object" and made["properties"]["d"]["items"] == {"type": "string"}


def test_all_kinds_of_rows_are_reported(tmp_path: Path) -> None:
    """Kinds that come behind the first rows are among those that a file was read as."""
    turns = [{"from": "human", "value": "q"}, {"from": "gpt", "value": "a"}]
    rows = [{"messages": ANSWERED["messages"]}] * 70 + [{"question": "q", "answer": "a"}] * 20
    (tmp_path / "in.jsonl").write_bytes(b"".join(encoded(row) + b"\n" for row in [*rows, {"conversations": turns}]))
    done = run(Job((str(tmp_path / "in.jsonl"),), str(tmp_path / "out"), Settings(target_of("messages")), unit=900), 1)
    assert [*done.sources] == ["messages, columns, sharegpt"]


@pytest.mark.parametrize(("text", "known"), [("noon", True), ("noon <|im", False), (" noon", False), ("", False)])
def test_what_could_be_read_otherwise_is_read_back(text: str, known: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A text that something may be cut off from, or that may make a marker with what follows, has no shape."""
    chat, read = toolect.chat("chatml"), []
    for words in ("tide", text):
        read.clear()
        monkeypatch.setattr(chat, "parse", lambda text: read.append(text) or Chat.parse(chat, text))
        chat.round_trip(Conversation([User(words), Assistant(Message([Content("So.")]))]), check="sample")
    assert (not read) == known


@pytest.mark.parametrize("form", PLAIN)
def test_forms_are_read_back(form: Form) -> None:
    """Every form of messages tells the conversation again; what it cannot is refused or reported."""
    random = Random(form)
    kept = 0
    for table in (False, True):
        for _ in range(100):
            given = conversation(random)
            (outcome,) = Convert(target_of(form, table=table)).outcomes(given.to_openai())
            if outcome.account.fate is Fate.REFUSED:
                assert form in (Form.SHAREGPT, Form.TRL), outcome.account
                continue
            (row,) = outcome.rows
            row = json.loads(json.dumps(row))
            same = said(read(row)) == said(given)
            assert (outcome.account.fate is Fate.CONVERTED) == same, outcome.account
            kept += same
    assert kept > 60


def test_calls_in_texts_are_found_out() -> None:
    """ShareGPT rows with calls in the text are read in the dialect that they are in."""
    random = Random(1)
    for name in ("hermes", "qwen3-coder", "glm-4.5"):
        given = [one for one in (conversation(random) for _ in range(20)) if any(t for t in one.turns)]
        rows = []
        for one in given:
            (outcome,) = Convert(target_of("sharegpt", dialect=name)).outcomes(one.to_openai())
            rows += [json.loads(json.dumps(row)) for row in outcome.rows if outcome.account.fate is Fate.CONVERTED]
        source = find_out(rows, Source())
        alike = {"glm-4.5": ("glm-4.5", "glm-4.7")}.get(name, (name,))  # they differ in line breaks only
        assert source.seen == "sharegpt"
        assert source.dialect in alike
        for row in rows:
            again = Convert(target_of("messages"), source)(row)
            assert again["account"]["status"] == "converted", again


def definition(name: str, **schema: object) -> dict[str, Any]:
    return {"name": name, "description": f"Does {name}", "parameters": {"type": "object", "properties": {}, **schema}}


TWO_TOOLS = [definition("tide"), definition("harbour", required=[])]
ONE, OTHER = map(json.dumps, TWO_TOOLS)
FLINT = "You are Captain Flint. Answer in verse, always.\nNever lie!"
TELLING = {
    "in an element": f"Call one of <tools>\n{ONE}\n{OTHER}\n</tools>",
    "a list in prose": f"Here is a list of functions:\n{json.dumps(TWO_TOOLS, indent=1)}\nUse [func1(x=1)] for {{1}}.",
    "one after the other": f"Functions, if [1] {{required}} -\n{ONE}\n\n{OTHER}\n",
    "below headings": f"# Functions\n\n## tide\n\n{ONE}\n\n## harbour\n\n{OTHER}\nCall them as {{{CALL}}}",
    "as Python prints them": f"You have access to the following APIs: {TWO_TOOLS}",
    "with Python's types": f"Some: {json.dumps([definition(one['name'], type='dict') for one in TWO_TOOLS])}. [{{}}]",
}
"""System texts that tell of the same two tools."""
BESIDES = {
    "in an element": "Call one of",
    "a list in prose": "Here is a list of functions:\n\nUse [func1(x=1)] for {1}.",
    "one after the other": "Functions, if [1] {required} -",
    "below headings": f"# Functions\n\nCall them as {{{CALL}}}",
    "as Python prints them": "You have access to the following APIs:",
    "with Python's types": "Some:",
}
"""What these texts say besides, which no chat that is known writes around tools."""


@pytest.mark.parametrize("telling", TELLING)
@pytest.mark.parametrize(("kind", "results"), [("messages", "tool"), ("messages", "user"), ("sharegpt", "tool")])
def test_texts_may_tell_of_tools_and_results(telling: str, results: str, kind: str) -> None:
    """Where calls stand in texts, so do the tools in the system's, and results in elements, whoever says them."""
    call = '<tool_call>\n{"name": "tide", "arguments": {"a": 1}}\n</tool_call>'
    two = "<tool_response>\nHigh\n</tool_response>\n<tool_response>\n3 <b>\n</tool_response>"
    said = [("system", TELLING[telling]), ("user", "<b>When?</b>"), ("assistant", f"{call}\n{call}"), (results, two)]
    said += [("assistant", "At noon."), ("user", "<tool_response>\nno call was made\n</tool_response>")]
    keys = ("role", "content") if kind == "messages" else ("from", "value")
    row = {"messages" if kind == "messages" else "conversations": [dict(zip(keys, one, strict=True)) for one in said]}
    source = find_out([row], Source())
    assert (source.seen, source.dialect) == (kind, "hermes")
    one = Convert(target_of("messages"), source)(row)
    assert one["account"]["status"] == "changed", one
    assert "described the tools" in one["account"]["changes"][0]
    assert [tool["function"]["name"] for tool in one["tools"]] == ["tide", "harbour"]
    assert [(message["role"], message["content"]) for message in one["messages"]] == [
        ("system", BESIDES[telling]), ("user", "<b>When?</b>"), ("assistant", ""), ("tool", "High"),
        ("tool", "3 <b>"),
        ("assistant", "At noon."), ("user", "<tool_response>\nno call was made\n</tool_response>"),
    ]  # fmt: skip


@pytest.mark.parametrize("telling", TELLING)
def test_texts_tell_of_tools_that_are_not_declared(telling: str) -> None:
    """Also where calls stand beside the texts; tools that are declared are those."""
    row = {"messages": [{"role": "system", "content": TELLING[telling]}, *ASKED]}
    convert = Convert(target_of("messages"), Source("messages"))
    (one,) = convert.rows(row)
    assert [tool["function"]["name"] for tool in one["tools"]] == ["tide", "harbour"]
    assert [message["role"] for message in one["messages"]] == ["system", "user", "assistant"]
    assert one["account"]["status"] == "changed"
    given = {**row, "tools": [tool("tide")]}
    assert convert(given)["messages"][0]["content"] == TELLING[telling]
    assert len(convert(given)["tools"]) == 1


def _described(name: str, tools: list[dict[str, Any]]) -> str:
    """How a chat tells of tools; nothing where it does not."""
    one = toolect.chat(name)
    try:
        return ToolPrompt(one.spec, one.dialect).tools(tools)
    except RenderError:
        return ""


def test_what_chats_write_around_tools_is_left_out() -> None:
    """Whichever chat's words tell of the tools, a persona before or behind them stays, and nothing else."""
    texts = {name: text for name in toolect.chats() if definitions_in(text := _described(name, TWO_TOOLS))}
    others = set()
    for name, text in texts.items():
        for before, behind in ((f"{FLINT}\n\n", ""), ("", f"\n\n{FLINT}"), ("", "")):
            rest = besides(before + text + behind).text
            assert rest.count(FLINT) == bool(before + behind)
            others |= {name} if rest not in (FLINT, "") else set()
    assert len(texts) > 80
    assert others == {"muse"}  # it tells of each tool twice, and the first time in words of its own


@pytest.mark.parametrize("quote", "'\"")
def test_a_prompt_is_known_with_either_quotes(quote: str) -> None:
    """Hermes' says how calls are written with single quotes in its data set, and with double ones elsewhere."""
    schema = "{'title': 'FunctionCall', 'type': 'object', 'properties': {'arguments': {'title': 'Arguments', 'type': "
    schema += "'object'}, 'name': {'title': 'Name', 'type': 'string'}}, 'required': ['arguments', 'name']}"
    says = "Use the following pydantic model json schema for each tool call you will make: "
    form = "<tool_call>\n{'arguments': <args-dict>, 'name': <function-name>}\n</tool_call>"
    text = f"{FLINT}\n<tools> {json.dumps(TWO_TOOLS)} </tools> " + f"{says}{schema}\n{form}".replace("'", quote)
    assert besides(text, row_kinds().prompts).text == FLINT


@pytest.mark.parametrize("to", ["messages", "sharegpt", "qwen3"])
@pytest.mark.parametrize("declared", [True, False])
def test_a_persona_beside_tools_stays(to: str, declared: bool) -> None:
    """The tools are declared, and who the model is is still said; also where the row has the tools in a column."""
    call = '<tool_call>\n{"name": "tide", "arguments": {"a": 1}}\n</tool_call>'
    system = f"{FLINT}\n<tools>{ONE}</tools>\nYou live in 1750."
    said = [("system", system), ("human", "When?"), ("gpt", call)]
    row: dict[str, Any] = {"conversations": [{"from": who, "value": text} for who, text in said]}
    row |= {"tools": f"[{ONE}]"} if declared else {}
    convert = Convert(target_of(to), Source("sharegpt", dialect="hermes"))
    one = convert(row)
    source = Source("transcript", chat=to) if "text" in one else Source()
    again = read({key: value for key, value in one.items() if key != "account"}, source)
    assert again.turns[0] == System(f"{FLINT}\n\nYou live in 1750.")
    assert [tool["function"]["name"] for tool in again.tools] == ["tide"]
    (change,) = one["account"]["changes"]
    assert change.startswith(REST_STAYS) and one["account"]["notes"] == []


def test_a_text_that_names_the_tools_stays() -> None:
    """What only names them, or defines others, cannot be left out: it stays, and that is noted."""
    convert = Convert(target_of("sharegpt"), Source("sharegpt", dialect="hermes"))
    for system in (f"{FLINT} Use `tide` for tides.", f"{FLINT}\n{ONE}\n{OTHER}"):
        said = [{"from": "system", "value": system}, {"from": "human", "value": "When?"}]
        one = convert({"conversations": said, "tools": f"[{ONE}]"})
        assert one["conversations"] == said
        assert [defined["function"]["name"] for defined in json.loads(one["tools"])] == ["tide"]
        assert one["account"]["status"] == "converted" and one["account"]["notes"][0].startswith(MAY_TELL)


BEGINNINGS = ["[{", '[{"name": ', '{"name": "f", ', '[{"a": 1}, ', '{"name": "f", "parameters": []}', '[{"a": [']
BEGINNINGS += [text.replace('"', "'") for text in BEGINNINGS[1:]]


@pytest.mark.parametrize("text", BEGINNINGS)
def test_texts_full_of_what_begins_as_tools_do(text: str) -> None:
    """A system text that only looks as if it told of tools tells of none, in bounded work."""
    row = {"messages": [{"role": "system", "content": text * 20_000}, {"role": "user", "content": "Hi"}]}
    one = Convert(target_of("messages"), Source("messages", dialect="hermes"))(row)
    assert one["account"]["status"] == "converted"
    assert "tools" not in one or not one["tools"]


# What rows there are


def lines(name: str) -> list[dict[str, Any]]:
    """The objects of a file beside this one."""
    text = (Path(__file__).parent / "rows" / name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize("case", lines("kinds.jsonl"), ids=lambda case: case["kind"])
def test_kinds_are_found_out(case: dict[str, Any]) -> None:
    """Each kind of row is told apart, and says the same question and the same call."""
    kind, row = case["kind"], case["row"]
    assert kind_of(row) == kind
    source = find_out([row], Source())
    assert source.seen == kind
    one = Convert(target_of("messages"), source)({**row, "id": 7})
    assert one["account"]["status"] in ("converted", "changed"), one
    assert one["id"] == 7
    turns = [message for message in one["messages"] if message["role"] != "system"]
    assert [message["role"] for message in turns] == ["user", "assistant"]
    assert turns[0]["content"] == "When?"
    function = turns[1]["tool_calls"][0]["function"]
    assert (function["name"], function["arguments"]) == ("tide", {"a": 1})


@pytest.mark.parametrize("name", toolect.chats())
def test_tools_of_a_transcript_are_kept_or_missed(name: str) -> None:
    """Tools that a transcript tells of are declared in the row, or it is said that they are not."""
    tools = [{"type": "function", "function": one} for one in TWO_TOOLS]
    try:
        asked = Conversation([User("When?"), Assistant(Message([Content("Now.")]))], tools)
        text = str(toolect.chat(name).render(asked))
    except RenderError:
        return  # it tells of no tools, or of no answers
    if not all(one["name"] in text for one in TWO_TOOLS):
        return
    one = Convert(target_of("messages"), Source("transcript", chat=name))({"text": text})
    kept = [tool["function"]["name"] for tool in one.get("tools") or ()]
    assert kept == ["tide", "harbour"] or any(TRANSCRIPT_TOOLS in why for why in one["account"]["changes"]), one


def test_a_transcript_is_read_in_its_chat() -> None:
    """Texts with the turns of a chat are transcripts; which chat is found out."""
    row = Convert(target_of("llama3.1"))({"messages": ASKED, "tools": [tool("tide")]})
    source = find_out([{"text": row["text"]}] * 3, Source())
    assert source.seen == "transcript" and source.chat.startswith("llama3")
    one = Convert(target_of("messages"), Source("transcript", chat="llama3.1"))({"text": row["text"]})
    assert [message["role"] for message in one["messages"]] == ["user", "assistant"]


@pytest.mark.parametrize(
    "name", ["llama3.1", "functionary-v3.1", "functionary-v3.2", "qwen3", "hermes", "deepseek-v3.1"]
)
def test_of_chats_with_the_same_markers_the_one_is_found_that_writes_so(name: str) -> None:
    """Which chat a transcript is of is found out by its calls and its tools, not by its tokens alone."""
    given, day = Conversation.from_openai(ASKED, [tool("tide")]), "26 Jul 2026"
    text = toolect.chat(name).render(given, False, date=day)
    found = find_out([{"text": str(text)}] * 3, Source())
    assert found.seen == "transcript"
    assert toolect.chat(found.chat).render(given, False, date=day) == text


@pytest.mark.parametrize("to", ["messages", "sharegpt", "qwen3"])
@pytest.mark.parametrize("case", lines("hostile.jsonl"), ids=lambda case: json.dumps(case["row"])[:40])
def test_hostile_rows_are_labelled(case: dict[str, Any], to: str) -> None:
    """Whatever a row is, it becomes a row, or a reason; nothing raises."""
    (outcome,) = Convert(target_of(to)).outcomes(case["row"])
    column = json.dumps(outcome.account.column(), ensure_ascii=False)
    assert any(word in column for word in case["reported"]) or outcome.account.fate is Fate.REFUSED, column
    assert outcome.rows or outcome.account.reason


@pytest.mark.parametrize("case", lines("answers.jsonl"), ids=lambda case: json.dumps(case["row"]["response"])[:60])
def test_what_a_response_says_of_its_answer(case: dict[str, Any]) -> None:
    """One that tells of a failure, or has no answer, is no row; an answer that was cut off, or is empty, is noted."""
    (outcome,) = Convert(target_of("messages")).outcomes(case["row"])
    remarks = [*map(str, outcome.account.notes), str(outcome.account.reason or "")]
    assert outcome.account.fate.value == case["fate"], remarks
    assert any(case["reported"] in one for one in remarks) and any(remarks) is bool(case["reported"]), remarks


def told_of(row: dict[str, Any]) -> list[Json]:
    """Who says what in a row of messages, and with which calls."""
    return [
        [one["role"], one["content"] or (None if one.get("tool_calls") else "")]
        + [[call["function"]["name"], call["function"]["arguments"]] for call in one.get("tool_calls", ())]
        for one in row["messages"]
    ]


@pytest.mark.parametrize("case", lines("turns.jsonl"), ids=lambda case: case["about"])
def test_what_a_row_tells_is_a_turn_or_is_told(case: dict[str, Any]) -> None:
    """What columns and steps say is in the turns; what is not, or is missing, is a change, a note or a reason."""
    source = Source(dialect=case.get("dialect", ""))
    (outcome,) = Convert(target_of("messages"), source).outcomes(case["row"])
    assert [told_of(row) for row in outcome.rows] == ([case["said"]] if "said" in case else []), outcome.account
    assert [*map(str, outcome.account.changes)] == case.get("changes", [])
    assert [*map(str, outcome.account.notes)] == case.get("notes", [])
    assert case.get("reason", "") in str(outcome.account.reason or "")
    assert bool(outcome.account.reason) is ("reason" in case)


def test_what_was_cut_off_is_taught_without_an_end(tmp_path: Path) -> None:
    """A row of ids teaches what was said before the limit came, and not that the answer ends there."""
    byte_level().save(str(tmp_path / "tokenizer.json"))
    target = target_of("ids", chat="qwen3", tokenizer=str(tmp_path), teach="last")
    for why, taught in (("length", "The cu"), ("stop", "The cu<|im_end|>")):
        choice = {"message": {"content": "The cu"}, "finish_reason": why}
        row = Convert(target)({"request": {"messages": ASKED[:1]}, "response": {"choices": [choice]}})
        ids = [label for label in row["labels"] if label >= 0]
        assert byte_level().decode(ids, skip_special_tokens=False) == taught, row["account"]


@pytest.mark.parametrize("name", ["label", "kto_tag"])
def test_an_answer_that_is_not_wanted_is_not_taught(name: str, tmp_path: Path) -> None:
    """A row of KTO keeps its label; what it calls bad is not among the labels of ids."""
    byte_level().save(str(tmp_path / "tokenizer.json"))
    target = target_of("ids", chat="qwen3", tokenizer=str(tmp_path))
    for wanted in (True, False, None):
        row = {"prompt": ASKED[:1], "completion": [{"role": "assistant", "content": "No."}], name: wanted}
        made = Convert(target)(row)
        assert any(label >= 0 for label in made["labels"] or ()) is (wanted is not False), made["account"]
        kept = Convert(target_of("trl"))(row)
        assert (kept["completion"], kept[name]) == (row["completion"], wanted)


def test_a_long_call_in_a_text_is_a_call() -> None:
    """Calls with long arguments are found where no tools are declared, and no dialect is named."""
    text = '<tool_call>\n{"name": "tide", "arguments": {"port": "%s"}}\n</tool_call>' % ("x" * 30_000)
    row = Convert(target_of("messages"))({"prompt": "When?", "completion": text})
    assert row["messages"][1]["tool_calls"][0]["function"]["arguments"] == {"port": "x" * 30_000}


@pytest.mark.parametrize("thought", ["", "<think>\nHm.\n</think>\n\n"])
def test_ids_that_come_again_are_counted(tmp_path: Path, thought: str) -> None:
    """A chat that drops earlier reasoning makes a row of each answer; the report says how many more ids."""
    byte_level().save(str(tmp_path / "tokenizer.json"))
    said = [{"role": role, "content": text} for role, text in (("user", "Why?"), ("assistant", f"{thought}So."))]
    (tmp_path / "in.jsonl").write_bytes(b"".join(encoded({"messages": said * n}) + b"\n" for n in (1, 3)))
    target = ["--to", "ids", "--chat", "qwen3", "--tokenizer", str(tmp_path)]
    out = tmp_path / "out"
    done = CliRunner().invoke(main, ["data", "convert", str(tmp_path / "in.jsonl"), *target, "-o", str(out)])
    written = [json.loads(line) for line in (out / "rows-00000.jsonl").read_text().splitlines()]
    sizes = [len(row["input_ids"]) for row in written]
    assert len(sizes) == (4 if thought else 2)
    more = f"; ids: {sum(sizes) / (sizes[0] + max(sizes)):.2g} ×"
    assert (more in done.output) is bool(thought), done.output


@pytest.mark.parametrize("case", lines("beside.jsonl"), ids=lambda case: json.dumps(case["row"])[:60])
def test_what_messages_have_besides_is_told(case: dict[str, Any]) -> None:
    """Fields of messages that are not read make a row a changed one, which `strict` refuses; empty ones do not."""
    (outcome,) = Convert(target_of("messages")).outcomes(case["row"])
    dropped = [change.detail for change in outcome.account.changes if change.what == LEFT_OUT]
    assert dropped == ([", ".join(f"`{name}`" for name in case["left"])] if case["left"] else []), outcome.account
    (strict,) = Convert(target_of("messages"), refused=frozenset(Loss)).outcomes(case["row"])
    assert bool(strict.rows) is not bool(case["left"])


OPAQUE: list[dict[str, Any]] = [
    {"messages": [{"role": "user", "content": "q"},
                  {"role": "assistant", "content": "a", "reasoning": "x", "reasoning_details": [{"type": "t"}]}]},
    {"input": [{"role": "user", "content": "q"},
               {"type": "reasoning", "id": "rs", "summary": [], "content": [{"type": "reasoning_text", "text": "x"}],
                "encrypted_content": "e"},
               {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "a"}]}]},
]  # fmt: skip


@pytest.mark.parametrize("row", OPAQUE, ids=["reasoning_details", "encrypted_content"])
def test_what_a_provider_wants_back_is_missed(row: dict[str, Any]) -> None:
    """Forms for training have no place for it, which is a loss that `strict` refuses."""
    (outcome,) = Convert(target_of("messages")).outcomes(row)
    assert outcome.rows and [change.what for change in outcome.account.changes] == [NO_SIGNATURE]
    (strict,) = Convert(target_of("messages"), refused=frozenset(Loss)).outcomes(row)
    assert not strict.rows


SIGNED = {
    "system": "Be brief.",
    "messages": [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm", "signature": "sig=="}, "a"]},
    ],
}


@pytest.mark.parametrize("to", [*PLAIN, *toolect.chats()])
@pytest.mark.parametrize("signature", ["sig==", ""])
def test_signatures_are_kept_or_missed(signature: str, to: str) -> None:
    """Only one form tells what proves a reasoning; there, a reasoning that nothing proves is noted."""
    row = json.loads(json.dumps(SIGNED).replace("sig==", signature))
    for _ in range(2):  # also where the form is known
        for outcome in convert(row, Settings(target_of(to, date="2026-01-01"), Source("anthropic"))):
            changes = {change.what for change in outcome.account.changes}
            assert (UNSIGNED in {note.what for note in outcome.account.notes}) is (to == "anthropic" and not signature)
            if not outcome.rows:
                continue
            if to == "anthropic":
                assert not changes and outcome.rows[0]["messages"][1]["content"][0]["signature"] == signature
            elif not {"the reasoning is left out", "the reasoning differs", "other turns"} & changes:
                assert (NO_SIGNATURE in changes) is bool(signature)


@pytest.mark.parametrize(
    ("ids", "named", "note"),
    [
        (False, ["wind", "tide"], None),
        (False, ["wind", ""], None),
        (False, ["tide", "tide"], "`tide`, and the call is of `wind`"),
        (False, ["tide", "wave"], "`wave`, and the call is of `wind`"),
        (True, ["tide", "wind"], None),
        (True, ["", ""], None),
        (True, ["wind", "tide"], "`wind`, and the call is of `tide`"),
    ],
)
def test_results_that_name_another_tool_are_noted(ids: bool, named: list[str], note: str | None) -> None:
    """Where the id, or the order, says another call than the name: the result is of that, and the name stays."""
    calls = [
        {"function": {"name": name, "arguments": "{}"}} | ({"id": name[0]} if ids else {}) for name in ("tide", "wind")
    ]
    results = [
        {"role": "tool", "content": name}
        | ({"name": name} if name else {})
        | ({"tool_call_id": "tw"[at]} if ids else {})
        for at, name in enumerate(named)
    ]
    messages = [{"role": "assistant", "tool_calls": calls}, *results]
    row: Any = {"messages": messages, "tools": [tool("tide"), tool("wind")]}
    (outcome,) = convert(row, Settings(Target(Form.MESSAGES)))
    notes = [one.detail for one in outcome.account.notes if one.what == OF_ANOTHER]
    assert notes == ([note] if note else [])
    assert outcome.account.fate is Fate.CONVERTED
    names = [one["name"] for one in outcome.rows[0]["messages"] if one["role"] == "tool"]
    assert all(one in ("", name) for one, name in zip(named, names, strict=True))


@pytest.mark.parametrize("after", [["text"], ["tool_use"], ["text", "tool_use"], ["thinking", "tool_use"], []])
def test_a_text_that_moves_before_a_call_is_a_change(after: list[str]) -> None:
    """Where a form has one place for texts, and they followed a call, that is told otherwise; elsewhere it is not."""
    blocks: dict[str, dict[str, Json]] = {
        "text": {"text": "so"}, "thinking": {"thinking": "hm"}, "tool_use": {"id": "y", "name": "tide", "input": {}},
    }  # fmt: skip
    call = {"type": "tool_use", "id": "x", "name": "tide", "input": {}}
    content = [{"type": "text", "text": "Now "}, call, *({"type": kind, **blocks[kind]} for kind in after)]
    row = {"messages": [ASKED[0], {"role": "assistant", "content": content}]}
    moved = bool({"text", "thinking"} & {*after})
    (outcome,) = Convert(target_of("messages")).outcomes(row)
    assert any(change.what == ORDER for change in outcome.account.changes) is moved
    (exact,) = Convert(target_of("anthropic")).outcomes(row)
    assert exact.account.fate is Fate.CONVERTED, exact.account


def test_each_answer_has_its_own_notes() -> None:
    """What is noted of one of several answers is not noted of those after it."""
    choices = [{"message": {"content": text}, "finish_reason": "length" if text else "stop"} for text in ("he", "")]
    row = {"request": {"messages": ASKED[:1]}, "response": {"choices": choices}}
    one, two = (outcome.account.notes for outcome in Convert(target_of("messages")).outcomes(row))
    assert [note.what for note in one] == [CUT_OFF] and [note.what for note in two] == [EMPTY]


NULLABLE = tool("tide")["function"]["parameters"] | {"required": ["b"]}
OTHER_HABITS: list[dict[str, Any]] = [
    {
        "messages": [
            ASKED[0],
            {"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "tide", "arguments": {"b": None}}}]},
            {"role": "tool", "tool_call_id": "c", "name": "tide", "content": [{"type": "text", "text": "noon"}]},
        ],
        "tools": [{"type": "function", "function": {"name": "tide", "parameters": NULLABLE}}],
    },
    {
        "messages": [
            {"role": "system", "content": f"<tools>{json.dumps(tool('tide'))}</tools>"},
            {"role": "assistant", "content": '<tool_call>\n{"name": "tide", "arguments": {"a": 1}}\n</tool_call>'},
            {"role": "user", "content": "<tool_response>\nnoon\n</tool_response>"},
        ]
    },
    {"trajectory": [{"role": "user", "text": "q"}, {"thought": "t", "action": "a", "observation": "o"}]},
    {"request": {"messages": ASKED}, "response": {"choices": [{"message": {"function_call": CALL["function"]}}]}},
    {"instruction": "i", "input": "about", "output": "o", "system": "s", "history": [["q", "a"]]},
    {"question": "q", "trajectory": [{"thought": "t", "action": {"name": "f", "arguments": {}}, "observation": [1]}]},
    {"trajectory": [{"action": "f", "action_input": {"a": 1}, "observation": "o"}]},
    {
        "conversations": [
            {"from": "function_call", "value": '[{"name": "f", "arguments": {}}, {"name": "g", "arguments": {}}]'},
            {"from": "observation", "value": "[1, 2]"},
        ]
    },
]
"""Rows as some write them who have habits of their own."""


def good_rows(random: Random) -> Iterator[dict[str, Any]]:
    """Rows of every kind, with what most of them have."""
    yield from (case["row"] for case in lines("kinds.jsonl"))
    yield from OTHER_HABITS
    for form in PLAIN:
        for row in Convert(target_of(form)).rows(conversation(random).to_openai()):
            yield {key: value for key, value in row.items() if key != "account"}


def test_odd_values_anywhere_end_nothing() -> None:
    """Whatever stands at any place of a row of any kind: it becomes rows, or a reason; both can be written and counted.

    It does so whatever is written, and whatever the row was said to be; and it does not keep a job from finding out
    what its rows are.
    """
    random = Random(11)
    sources = [Source(kind.name) for kind in row_kinds().kinds]
    sources += [Source("transcript", chat="qwen3"), Source(dialect="hermes"), Source(dialect="auto"), Source()]
    targets = [*map(target_of, [*PLAIN, "qwen3", "gpt-oss"]), target_of("sharegpt", dialect="hermes")]
    values = len(ANYTHING) if shares.everything else 2
    for good in good_rows(random):
        known = find_out([good], Source())
        for row in odd_rows(good, random, values):
            find_out([row], Source())
            for source in (known, random.choice(sources)):
                target = replace(random.choice(targets), table=random.random() < 0.3)
                settings = Settings(target, source, Keep(valid=random.random() < 0.5), distinct=True)
                tallies = Tallies()
                for outcome, lines in map(in_lines, convert(row, settings)):
                    assert len(lines.splitlines()) == len(outcome.rows)
                    assert bool(lines) != bool(outcome.account.reason)
                    assert encoded(outcome.account.column())
                    tallies.add(outcome, "in.jsonl", 1)
                assert encoded(tallies.state())
                Convert(target, source).rows(row)


def odd_rows(good: Json, random: Random, most: int) -> Iterator[Json]:
    """The row with so many values at each place where none of them belongs, and one that is nested without end."""
    for place in places(good):
        for value in [*random.sample(ANYTHING, most), nested(20_000)]:
            yield replaced(good, place, value)


def test_deep_rows_are_refused() -> None:
    """Nesting without end is a reason, not an error."""
    for row in (
        {"messages": nested(20_000)},
        {"messages": ASKED, "tools": [tool("tide") | {"x": nested(20_000)}]},
        {"messages": [{"role": "assistant", "tool_calls": [{"name": "f", "arguments": {"a": nested(20_000)}}]}]},
    ):
        (outcome,) = Convert(target_of("qwen3")).outcomes(row)
        assert outcome.account.fate is Fate.REFUSED


def test_nulls_of_tables_are_undone() -> None:
    """Arguments that a table made alike lose the nulls that the tool does not take, and no others."""
    schema = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": ["string", "null"]}, "c": None}}
    tools = [{"type": "function", "function": {"name": "tide", "parameters": schema, "strict": None}}]
    call = {"function": {"name": "tide", "arguments": {"a": None, "b": None, "z": None}}}
    one = Convert(target_of("messages"))({"messages": [{"role": "assistant", "tool_calls": [call]}], "tools": tools})
    assert one["messages"][0]["tool_calls"][0]["function"]["arguments"] == {"b": None}
    assert "c" not in one["tools"][0]["function"]["parameters"]["properties"]
    assert len(one["account"]["notes"]) == 2


# What is kept


def test_filters_say_why() -> None:
    """Rows that were not asked for are filtered, with the reason."""
    schema = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
    declared = [{"type": "function", "function": {"name": "tide", "parameters": schema}}]
    row = {"messages": ASKED, "tools": declared}
    plain = {"messages": [{"role": "user", "content": "x"}]}
    to = target_of("messages")
    for keep, given, reason in (
        (Keep(valid=True), row, "arguments that the tool does not take"),
        (Keep(valid=True), {"messages": ASKED}, "not declared"),
        (Keep(calls=True), plain, "no calls"),
        (Keep((Status.REPAIRED,)), row, "a ok call"),
    ):
        (outcome,) = Convert(to, keep=keep).outcomes(given)
        assert outcome.account.fate is Fate.FILTERED and reason in str(outcome.account.reason)
    (outcome,) = Convert(to, keep=Keep((Status.OK,), False, True)).outcomes(row)
    assert outcome.account.fate is Fate.CONVERTED


def test_strict_refuses_what_is_not_exact() -> None:
    """With `strict` a change is a reason."""
    row = {
        "messages": [{"role": "user", "content": "x"}, {"role": "assistant", "content": "y", "reasoning_content": "z"}]
    }
    assert Convert(target_of("qwen2.5"))(row)["account"]["status"] == "changed"
    assert Convert(target_of("qwen2.5"), refused=frozenset(Loss))(row)["account"]["reason"].startswith(
        "turn 1: the reasoning"
    )


def test_meaning_does_not_depend_on_spelling() -> None:
    """The same calls and texts have one key, whatever ids, order of keys and kind of row; others have another."""
    random = Random(5)
    for _ in range(50):
        given = conversation(random)
        keys = {meaning(given)}
        for form in (Form.MESSAGES, Form.ANTHROPIC, Form.RESPONSES):
            (outcome,) = Convert(target_of(form)).outcomes(given.to_openai())
            keys |= {meaning(read(row)) for row in outcome.rows if outcome.account.fate is Fate.CONVERTED}
        assert len(keys) == 1
    two = [{**CALL, "id": name} for name in ("x", "y")]
    results = [{"role": "tool", "tool_call_id": name, "content": name} for name in ("x", "y")]
    rows = [[ASKED[0], {"role": "assistant", "tool_calls": two}, *some] for some in (results, results[::-1])]
    assert len({meaning(Conversation.from_openai(row)) for row in rows}) == 1
    texts = [Convert(target_of("qwen3"))({"messages": row}) for row in rows]
    assert texts[0] == texts[1] and texts[0]["account"]["status"] == "converted"
    one = Conversation.from_openai(ASKED)
    other = json.loads(json.dumps(ASKED).replace("1}", "2}"))
    assert meaning(one) != meaning(Conversation.from_openai(other))


# In other people's hands


def test_converters_are_picklable() -> None:
    """A converter goes to another process, as do its outcomes."""
    convert = Convert(target_of("qwen3"), Source("messages"))
    again = pickle.loads(pickle.dumps(convert))
    assert again == convert and again({"messages": ASKED}) == convert({"messages": ASKED})


def test_batches_are_columns() -> None:
    """A batch of columns becomes one; a row of several answers becomes several rows."""
    convert = Convert(target_of("messages"))
    found = convert.batch({"messages": [ASKED, "x"], "id": [1, 2]})
    assert found["id"] == [1, 2] and found["messages"][1] is None
    assert [one["status"] for one in found["account"]] == ["converted", "refused"]
    log = {"request": {"messages": ASKED[:1]}, "response": {"choices": [{"message": {"content": c}} for c in "ab"]}}
    assert len(convert.rows(log)) == 2
    assert convert(log)["account"]["status"] == "refused"


def test_chunks_of_a_log_are_joined_by_their_index() -> None:
    """Calls whose parts take turns are those calls; a refusal is content, and `function_call` is a call."""

    def said(*deltas: Json) -> Json:
        chunks = [{"choices": [{"index": 0, "delta": delta}]} for delta in deltas]
        chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        row = {"request": {"messages": ASKED[:1]}, "response": chunks}
        return Convert(target_of("messages"))(row)["messages"][-1]

    heads = [{"index": at, "id": name, "function": {"name": name, "arguments": ""}} for at, name in enumerate("fg")]
    texts = [{"index": at, "function": {"arguments": f'{{"{name}": 1}}'}} for at, name in enumerate("xy")]
    merged = said(*({"tool_calls": [one]} for one in heads + texts))
    assert merged["content"] == ""
    assert [(one["id"], one["function"]) for one in merged["tool_calls"]] == [
        ("f", {"name": "f", "arguments": {"x": 1}}), ("g", {"name": "g", "arguments": {"y": 1}}),
    ]  # fmt: skip
    assert said({"refusal": "I "}, {"refusal": "won't."})["content"] == "I won't."
    (call,) = said(*({"function_call": one} for one in ({"name": "f"}, {"arguments": "{"}, {"arguments": "}"})))[
        "tool_calls"
    ]
    assert call["function"] == {"name": "f", "arguments": {}}


# Jobs


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of rows of which some are broken, some say the same, and the last one is cut off."""
    random = Random(3)
    path = tmp_path_factory.mktemp("corpus") / "in.jsonl"
    with path.open("w") as file:
        for number in range(240):
            row = conversation(random).to_openai()
            file.write(json.dumps({"id": number, **row}) + "\n")
            if number % 20 == 0:
                file.write(json.dumps({"id": -number, **row}) + "\n")
                file.write(random.choice(["{broken", "[]", "null", "", '"text"', '{"messages": 3}']) + "\n")
        file.write('{"messages": [{"role": "user", "con')
    return path


def job(corpus: Path, folder: Path, to: str = "qwen3", parquet: bool = False, **options: Any) -> Job:
    """A job in units so small that there are many."""
    target = target_of(to, table=parquet)
    return Job((str(corpus),), str(folder), Settings(target, distinct=True), parquet, unit=16_000, **options)


def files(folder: Path) -> dict[str, bytes]:
    """The files of a folder."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


class InterruptedJobError(Exception):
    """What a job is interrupted by here."""


def interrupted(after: int) -> Any:
    """A runner that is interrupted after so many units."""

    def runner(work: Iterator[Any], jobs: int, limit: int) -> Iterator[Any]:
        for number, done in enumerate(by_processes(work, jobs, limit)):
            if number == after:
                raise InterruptedJobError
            yield done

    return runner


@pytest.mark.parametrize("parquet", [False, True], ids=["jsonl", "parquet"])
def test_a_job_goes_on(corpus: Path, tmp_path: Path, parquet: bool) -> None:
    """A job that is interrupted, twice, writes the same bytes, and so do several processes; the counts add up."""
    options: dict[str, Any] = {"parquet": parquet, "shard": 60_000}
    done = run(job(corpus, tmp_path / "whole", **options), 1)
    whole = files(tmp_path / "whole")
    assert len(whole) > 3
    shared = run(job(corpus, tmp_path / "shared", **options), 2)
    assert files(tmp_path / "shared") == whole
    broken = job(corpus, tmp_path / "broken", **options)
    for after in (3, 4):
        with pytest.raises(InterruptedJobError):
            run(broken, 1, runner=interrupted(after))
    resumed = run(broken, 1)
    assert files(tmp_path / "broken") == whole
    reports = [report_of(one, job(corpus, tmp_path)) for one in (done, shared, resumed)]
    assert reports[0] == reports[1] == reports[2]
    assert sum(reports[0].fates.values()) == reports[0].rows == reports[0].lines
    assert reports[0].fates["duplicate"] >= 12
    assert reports[0].written == reports[0].fates["converted"] + reports[0].fates["changed"]


def test_a_job_goes_on_behind_a_full_file(corpus: Path, tmp_path: Path) -> None:
    """Files are cut after the same rows wherever a job was interrupted, and hold no more than one row too many."""
    options: dict[str, Any] = {"shard": 10_000}
    run(job(corpus, tmp_path / "whole", **options), 1)
    whole = files(tmp_path / "whole")
    for after in range(1, 5):
        broken = job(corpus, tmp_path / f"{after}", **options)
        with pytest.raises(InterruptedJobError):
            run(broken, 1, runner=interrupted(after))
        run(broken, 1)
        assert files(tmp_path / f"{after}") == whole
    for name, data in whole.items():
        rows = data.splitlines(keepends=True)
        assert len(data) - len(rows[-1]) < 10_000 or not name.startswith("rows"), name


def test_a_killed_process_goes_on(corpus: Path, tmp_path: Path) -> None:
    """A process that is killed leaves what the next one goes on with."""
    big = tmp_path / "big.jsonl"
    big.write_bytes(corpus.read_bytes().rpartition(b"\n")[0] * 3)
    code = (
        "from toolect._data.job import *; from toolect._data.converting import Settings; from toolect.data import *;"
        f"run(Job(({str(big)!r},), {{!r}}, Settings(target_of('qwen3'), distinct=True), unit=16_000), 1)"
    )
    subprocess.run([sys.executable, "-c", code.format(str(tmp_path / "whole"))], check=True)
    for _ in range(2):
        process = subprocess.Popen([sys.executable, "-c", code.format(str(tmp_path / "killed"))])
        before = size(tmp_path / "killed")
        for _ in range(600):
            time.sleep(0.02)
            if size(tmp_path / "killed") > before + 20_000 or process.poll() is not None:
                break
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    subprocess.run([sys.executable, "-c", code.format(str(tmp_path / "killed"))], check=True)
    assert files(tmp_path / "killed") == files(tmp_path / "whole")


def size(folder: Path) -> int:
    """The bytes of the rows in a folder."""
    return sum(path.stat().st_size for path in folder.glob("rows-*")) if folder.is_dir() else 0


def test_other_work_is_not_gone_on_with(corpus: Path, tmp_path: Path) -> None:
    """A folder of another job, or of anything else, is left alone."""
    with pytest.raises(InterruptedJobError):
        run(job(corpus, tmp_path / "o"), 1, runner=interrupted(2))
    with pytest.raises(ValueError, match="same files and options"):
        run(job(corpus, tmp_path / "o", "llama3.1"), 1)
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "mine").write_text("x")
    with pytest.raises(ValueError, match="empty folder"):
        run(job(corpus, tmp_path / "x"), 1)


def test_tables_keep_everything(tmp_path: Path) -> None:
    """Columns of mixed types are kept as text, those that come late beside the account."""
    parquet = pytest.importorskip("pyarrow.parquet")
    rows: list[Json] = [{"messages": ASKED, "n": 1, "mixed": 1, "s": "a"}] * 70
    rows += [{"messages": ASKED, "n": "x", "mixed": {"a": 1}, "late": [1]}, {"messages": ASKED, "mixed": "s"}]
    rows[1] = {"messages": ASKED, "n": 2, "mixed": "text"}
    path = tmp_path / "in.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    run(Job((str(path),), str(tmp_path / "o"), Settings(target_of("messages", table=True)), True), 1)
    found = parquet.read_table(tmp_path / "o" / "rows-00000.parquet").to_pylist()
    assert len(found) == 72
    assert [json.loads(found[at]["mixed"]) for at in (0, 1, 70)] == [1, "text", {"a": 1}]
    assert found[70]["n"] is None and json.loads(found[70]["account"]["columns"]) == {"n": "x", "late": [1]}
    again = Convert(target_of("messages"))(found[0])
    assert again["messages"][1]["tool_calls"][0]["function"]["arguments"] == {"a": 1}


@pytest.mark.parametrize("pair", [False, True], ids=["answers", "pairs"])
def test_trl_is_given_lists_of_messages(pair: bool, tmp_path: Path) -> None:
    """TRL takes what is no list for a text: each message is of the type of JSON, which `datasets` reads as objects."""
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    calls = [{"type": "function", "function": {"name": name, "arguments": {name: 1}}} for name in "fg"]
    answer = [{"role": "assistant", "content": "", "tool_calls": calls}]
    said: dict[str, Any] = {"chosen": answer, "rejected": "b"} if pair else {"completion": answer}
    row = {"prompt": [{"role": "user", "content": "q"}], **said}
    given = tmp_path / "rows.jsonl"
    given.write_text("\n".join(json.dumps({**row, "id": number}) for number in range(3)))
    command = ["data", "convert", str(given), "--to", "trl", "--parquet", "-o", str(tmp_path / "o")]
    assert CliRunner().invoke(main, command).exit_code == 0
    table = parquet.read_table(tmp_path / "o" / "rows-00000.parquet")
    names = ("prompt", "chosen", "rejected") if pair else ("prompt", "completion")
    assert ("completion" in table.column_names) is not pair  # one that is empty would be the text that is looked at
    for name in names:
        assert table.schema.field(name).type == pyarrow.list_(pyarrow.json_())
    message = json.loads(table.to_pylist()[0][names[1]][0])
    assert [call["function"]["arguments"] for call in message["tool_calls"]] == [{"f": 1}, {"g": 1}]
    command = ["data", "convert", str(tmp_path / "o"), "--to", "messages", "-o", str(tmp_path / "again")]
    assert CliRunner().invoke(main, command).exit_code == 0
    again = [json.loads(line) for line in (tmp_path / "again" / "rows-00000.jsonl").read_text().splitlines()]
    assert [one["id"] for one in again] == [0, 1, 2] and len(again[0]["messages"][1]["tool_calls"]) == 2


@pytest.mark.parametrize("table", [False, True])
def test_sides_of_a_pair_begin_where_they_differ(table: bool) -> None:
    """A better answer that calls first has its call and the result among what is chosen."""
    better = [
        ASKED[1],
        {"role": "tool", "tool_call_id": "c1", "content": "noon"},
        {"role": "assistant", "content": "Noon."},
    ]
    pair = {"prompt": ASKED[:1], "chosen": better, "rejected": [{"role": "assistant", "content": "No."}]}
    row = Convert(target_of("trl", table=table))(pair)
    assert row["account"]["status"] == "converted", row["account"]
    opened = {
        name: [json.loads(one) if table else one for one in row[name]] for name in ("prompt", "chosen", "rejected")
    }
    roles = {name: [one["role"] for one in messages] for name, messages in opened.items()}
    assert roles == {"prompt": ["user"], "chosen": ["assistant", "tool", "assistant"], "rejected": ["assistant"]}


def test_tools_without_a_place_are_said_to_be_left_out() -> None:
    """A template that writes no tools at all loses them, whatever their number."""
    (change,) = Convert(target_of("deepseek-v3.1"))(ANSWERED)["account"]["changes"]
    assert change == "tools are left out: the target has no place for them: 1"


@pytest.mark.parametrize("parquet", [False, True], ids=["jsonl", "parquet"])
def test_a_lone_surrogate_ends_no_job(parquet: bool, tmp_path: Path) -> None:
    """In JSON lines it stays the escape that it was, wherever it stands; a row with one is refused for a table."""
    pytest.importorskip("pyarrow")
    good: dict[str, Any] = {"messages": ASKED, "tools": [tool("tide")], "n": "x"}
    odd = [replaced(good, place, "\ud800") for place in [*places(good)][1:]] + [good | {"\ud800": 1}, good]
    path = tmp_path / "in\udcff.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in odd))
    command = [
        "data",
        "convert",
        str(path),
        "--to",
        "messages",
        "-o",
        str(tmp_path / "o"),
        "--format",
        "json",
        "--jobs",
        "1",
    ]
    page = ["--html", str(tmp_path / "page.html")]
    done = CliRunner().invoke(main, [*command, *page, *(["--parquet"] if parquet else [])])
    assert done.exit_code == 1, done.output
    report: Any = decoded((tmp_path / "o" / "report.json").read_bytes())
    assert report["lines"] == len(odd)
    assert any("lone surrogate" in reason["what"] for reason in report["reasons"]) is parquet
    if not parquet:
        rows = [decoded(line) for line in (tmp_path / "o" / "rows-00000.jsonl").read_bytes().splitlines()]
        assert any(row["n"] == "\ud800" for row in rows) and any("\ud800" in row for row in rows)
        assert any(row["messages"][0]["content"] == "\ud800" for row in rows)
        notes = CheckpointStore(tmp_path / "n", b"")
        place = notes.load()
        place.path, place.tallies = str(path), {"tools": ["\ud800", 10**400]}
        notes.store(place)
        assert (notes.load().path, notes.load().tallies) == (place.path, place.tallies)


def test_the_command(corpus: Path, tmp_path: Path) -> None:
    """`toolect data convert` writes rows and a report, says what it found, and refuses what makes no sense."""
    out = tmp_path / "rows"
    page = tmp_path / "page.html"
    done = CliRunner().invoke(
        main,
        [
            "data",
            "convert",
            str(corpus),
            "--to",
            "qwen3",
            "-o",
            str(out),
            "--format",
            "json",
            "--html",
            str(page),
            "--jobs",
            "1",
        ],
    )
    assert done.exit_code == 1, done.output
    summary = json.loads(done.stdout)
    assert summary == json.loads((out / "report.json").read_text())
    assert sum(summary["fates"].values()) == summary["rows"] == summary["lines"]
    assert f"{summary['written']:,}" in page.read_text().replace(" ", " ")
    for wrong in (["--to", "nothing"], ["--to", "ids"], ["--kind", "nothing"], ["--to-dialect", "nothing"]):
        command = ["data", "convert", str(corpus), "--to", "messages", "-o", str(tmp_path / "w"), *wrong]
        failed = CliRunner().invoke(main, command)
        assert failed.exit_code == 2 and "expected" in failed.stderr, wrong


def test_the_command_shares_its_work_out(corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Units are small whatever the size of the files that are written: so there is work for every process."""
    given: list[Job] = []
    monkeypatch.setattr("toolect._data.job.run", lambda job, *_: given.append(job) or JobProgress())
    done = CliRunner().invoke(
        main, ["data", "convert", str(corpus), "--to", "qwen3", "-o", str(tmp_path), "--shard", "7"]
    )
    assert done.exit_code == 0, done.output
    assert (given[0].unit, given[0].shard) == (UNIT, 7 << 20)


def test_other_processes_know_chats_that_were_loaded(corpus: Path, tmp_path: Path) -> None:
    """Several processes write in a chat of one's own what one does."""
    specs = tmp_path / "own.chats.yaml"
    specs.write_text('harbour: {extends: qwen3, markers: {"<|im_start|>user\\n": "<|im_start|>guest\\n"}}\n', "utf-8")
    code = (
        "import sys, toolect; from toolect._data.job import *; from toolect.data import target_of\n"
        "if __name__ == '__main__':\n"
        "    toolect.load(sys.argv[1]); settings = Settings(target_of('harbour'))\n"
        "    for jobs in (1, 2): run(Job((sys.argv[2],), f'{sys.argv[3]}/{jobs}', settings, unit=40_000), jobs)\n"
    )
    script = tmp_path / "jobs.py"
    script.write_text(code, "utf-8")
    subprocess.run([sys.executable, str(script), str(specs), str(corpus), str(tmp_path / "out")], check=True)
    assert files(tmp_path / "out" / "1") == files(tmp_path / "out" / "2")
    assert b"<|im_start|>guest" in files(tmp_path / "out" / "2")["rows-00000.jsonl"]


def test_a_target_is_said() -> None:
    """A target is a form or a chat; one that lacks something says what."""
    assert target_of("Qwen/Qwen3-8B") == Target(Form.TEXT, "qwen3")
    with pytest.raises(ValueError, match="expected the chat"):
        target_of("ids")
    with pytest.raises(ValueError, match="tokenizer"):
        target_of("ids", chat="qwen3")


def test_arrow_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    """Rows of Arrow files and streams are read; of one that is cut off those before, and the end is labelled."""
    arrow = pytest.importorskip("pyarrow")
    rows = [{"id": number, "messages": json.dumps(ASKED)} for number in range(40)]
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "dataset_info.json").write_text("{}")
    table = arrow.Table.from_pylist(rows)
    for name, open_one in (("a.arrow", arrow.ipc.new_stream), ("b.arrow", arrow.ipc.new_file)):
        with open_one(str(folder / name), table.schema) as writer:
            for batch in table.to_batches(max_chunksize=7):
                writer.write_batch(batch)
    cut = (folder / "a.arrow").read_bytes()
    (folder / "c.arrow").write_bytes(cut[: len(cut) * 2 // 3])
    (folder / "d.parquet").write_bytes(b"PAR1 cut off")
    done = run(Job((str(folder),), str(tmp_path / "o"), Settings(target_of("messages"))), 1)
    assert done.fates["refused"] == 2 and done.fates["converted"] > 90
    assert {reason for (_, reason), _ in done.tallies.reasons.top()} == {"unreadable"}
