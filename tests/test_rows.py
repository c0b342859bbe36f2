"""Rows of public shapes: each tells what its writer was given, or is refused; none is read as anything else."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest
import shares
from row_samples import conversation, odd_calls, said
from row_shapes import SHAPES, Row, features

import toolect
from toolect import Call, Conversation, Message, Status, tokens, training
from toolect._chats.conversation_diff import changes
from toolect._corpora.records import Record, records
from toolect._corpora.table_cells import unique
from toolect._data.converting import Settings
from toolect._data.converting import convert as converted
from toolect._data.job import Job, run
from toolect._data.row_report import report_of
from toolect._diagnostic import SpecError
from toolect._message import Json
from toolect._rendered import RenderError
from toolect._rows.account import RowRejectedError
from toolect._rows.row_fields import lint_rows, row_kinds, shipped
from toolect._rows.row_readers import readings
from toolect._rows.row_source import Source
from toolect.conversation import Assistant, System, User
from toolect.data import Convert, Keep, Loss, find_out, kind_of, read, target_of

MOST = 40
"""Conversations of which each shape that has room for them writes one."""
CALL = '<tool_call>\n{"name": "tide", "arguments": {"a": 1}}\n</tool_call>'
TIDE = {"type": "function", "function": {"name": "tide", "parameters": {"type": "object", "properties": {}}}}


def content_of(one: Conversation, lacks: frozenset[str]) -> Any:
    """What is compared of a conversation: without the system text where the shape has a prompt of its own."""
    turns = [turn for turn in one.turns if not ("prompt" in lacks and isinstance(turn, System))]
    names = [] if "tools" in lacks else [tool["function"]["name"] for tool in one.tools]
    return said(Conversation(turns, one.tools)), names


@pytest.mark.parametrize("name", SHAPES)
def test_rows_of_public_shapes_tell_what_was_written(name: str) -> None:
    """A row is what it was written from, alone and in a file, and is never silently another conversation."""
    shape, random, found = SHAPES[name], Random(3), Counter[str]()
    for number in range(MOST * 8):
        one = conversation(random)
        one = odd_calls(one, random, ()) if number % 3 == 1 and "prompt" not in shape.lacks else one
        if shape.lacks & {*features(one)}:
            continue
        try:
            row = json.loads(json.dumps(shape.write(one)))
        except RenderError:  # the dialect of its texts has no spelling for a value
            continue
        for source in (Source(), find_out([row], Source())):
            try:
                read_back = readings(row, source)[0].conversation
            except RowRejectedError as error:
                found[f"refused: {error}"] += 1
                continue
            assert content_of(read_back, shape.lacks) == content_of(one, shape.lacks), row
            found["exact"] += 1
        if found["exact"] >= MOST:
            break
    assert found["exact"] >= 0.95 * found.total() > 0, found


@pytest.mark.parametrize("name", [name for name, shape in SHAPES.items() if "prompt" not in shape.lacks])
def test_coverage_reads_the_rows_that_data_sets_have(name: str) -> None:
    """A corpus of such rows has the answers, and no row of it is one without a text; events are read line by line."""
    random = Random(4)
    one = next(c for c in (conversation(random) for _ in range(999)) if not SHAPES[name].lacks & {*features(c)})
    row = json.loads(json.dumps(SHAPES[name].write(one)))
    if isinstance(row, dict):
        found = [*records(row, "")]
        assert found and all(isinstance(record, Record) for record in found), found


@pytest.mark.parametrize("name", SHAPES)
def test_a_part_that_is_missing_or_odd_is_never_another_part(name: str) -> None:
    """A row with a null at any of its upper places is read or refused: nothing else is raised."""
    random = Random(5)
    one = next(c for c in (conversation(random) for _ in range(999)) if not SHAPES[name].lacks & {*features(c)})
    row = json.loads(json.dumps(SHAPES[name].write(one)))
    places = [*row] if isinstance(row, dict) else range(len(row))
    for place in places:
        for value in (None, 3, [], {}, "x"):
            odd = row.copy()
            odd[place] = value
            Convert(target_of("messages")).outcomes(odd)


def public(name: str = "public.jsonl") -> list[dict[str, Any]]:
    """Rows as the cards of public data sets show them, with what they tell, or why they are refused."""
    return [json.loads(line) for line in (Path(__file__).parent / "rows" / name).read_text().splitlines()]


def shown(messages: list[dict[str, Any]]) -> list[Json]:
    """Who says what, with which thoughts and calls; a part that is no text by its type."""
    return [
        [one["role"], said if isinstance(said := one["content"], str) else [p.get("text", p["type"]) for p in said]]
        + ([{"thought": one["reasoning_content"]}] if one.get("reasoning_content") else [])
        + [[call["function"]["name"], call["function"]["arguments"]] for call in one.get("tool_calls", ())]
        for one in messages
    ]


@pytest.mark.parametrize("case", public(), ids=lambda case: case["about"])
def test_rows_of_public_data_sets(case: dict[str, Any]) -> None:
    """Each tells its conversation, both sides of a pair and its tools, alone as in a file; or it is refused."""
    for source in (Source(), find_out([case["row"]], Source())):
        (outcome,) = Convert(target_of("messages"), source).outcomes(case["row"])
        row = outcome.rows[0] if outcome.rows else {}
        assert case.get("reason", "") == str(outcome.account.reason or "")
        assert shown(row.get("messages", ())) == case.get("said", [])
        assert shown(row.get("rejected_messages", [])[-1:]) == ([case["rejected"]] if "rejected" in case else [])
        assert [tool["function"]["name"] for tool in row.get("tools") or ()] == case.get("tools", [])


@pytest.mark.parametrize("case", public("choices.jsonl"), ids=lambda case: case["about"])
def test_several_answers_to_one_request_are_a_row_each(case: dict[str, Any]) -> None:
    """None is lost, none follows another one, and what cut one off is noted of that alone."""
    found = Convert(target_of("messages")).outcomes(case["row"])
    assert [[one["content"] for one in outcome.rows[0]["messages"][1:]] for outcome in found] == [
        [text] for text in case["answers"]
    ]
    cut = [at for at, one in enumerate(found) if any("cut off" in str(note) for note in one.account.notes)]
    assert cut == case.get("cut", [])


def padded(value: Json) -> Json:
    """The value as a table has it: the objects of a list have the same fields, `null` where they had none."""
    if isinstance(value, dict):
        return {name: padded(one) for name, one in value.items()}
    listed = [*map(padded, value)] if isinstance(value, list) else []
    if listed and all(isinstance(one, dict) for one in listed):
        names = dict.fromkeys(name for one in listed for name in one)
        return [{name: one.get(name) for name in names} for one in listed]
    return listed or value


@pytest.mark.parametrize("case", public(), ids=lambda case: case["about"])
def test_what_a_table_adds_to_a_row_changes_nothing(case: dict[str, Any]) -> None:
    """Nulls in the objects of lists, and further columns."""
    row, kept = case["row"], ("messages", "rejected_messages")
    other = padded({**row, "lang": "en", "score": 3, "split": None} if isinstance(row, dict) else row)
    for source in (Source(), find_out([row], Source())):
        one, two = (Convert(target_of("messages"), source).outcomes(each)[0].rows for each in (row, other))
        assert [[each.get(name) for name in kept] for each in one] == [
            [each.get(name) for name in kept] for each in two
        ]


# What users declare

MINE = """
turns:
  mine:
    about: "Turns of a desk"
    roles: {desk: assistant, guest: user}
    each:
      - {who: $role, did: {fn: $name, with: $arguments}}
      - {who: $role, said: $text}
rows:
  mine:
    about: "Tickets"
    source: "https://desk.example"
    row: {log: $turns, kit?: $tools}
    turns: mine
"""


def test_a_kind_of_ones_own(tmp_path: Path) -> None:
    """A file of kinds says how rows are read that nothing else knows."""
    path = tmp_path / "mine.yaml"
    path.write_text(MINE)
    row = {"log": [{"who": "guest", "said": "When?"}, {"who": "desk", "did": {"fn": "tide", "with": {"a": 1}}}]}
    assert kind_of(row) is None
    assert kind_of(row, Source(files=(str(path),))) == "mine"
    user, answer = read(row, Source(files=(str(path),))).turns
    assert (user.text, answer.message.calls[0].arguments) == ("When?", {"a": 1})
    with pytest.raises(ValueError, match=r"expected who speaks, .*got 'clerk'"):
        read({"log": [{"who": "clerk", "said": "x"}]}, Source(files=(str(path),)))
    with pytest.raises(ValueError, match="one of another kind, with `who`, `did`"):
        read({"log": [{"who": "desk", "did": 3}]}, Source(files=(str(path),)))


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("$turns", "$turn", "expected a hole, got `$turn`"),
        ("turns: mine", "turns: nine", "no turns are named `nine`"),
        ("desk: assistant", "desk: clerk", "expected a value of"),
        ("row: {log: $turns, kit?: $tools}", "row: {log: $tools}", "expected a hole for what a row tells"),
        ("row: {log: $turns, kit?: $tools}", "row: [{log: $turns}, 3]", "expected a pattern of a row"),
        ("said: $text", 'said: "/(/"', "expected a regular expression"),
        ("said: $text", "said: [$text, $name]", "expected a list of one pattern"),
        ("  mine:\n    about", "  mine:\n    abuot", "unknown field `abuot`"),
    ],
)
def test_what_is_wrong_with_a_kind_is_said(old: str, new: str, sentence: str, tmp_path: Path) -> None:
    """Each mistake in a file of kinds has its place, for `toolect lint` and for who reads rows with it."""
    path = tmp_path / "mine.yaml"
    path.write_text(MINE.replace(old, new, 1))
    found = lint_rows(path)
    assert any(sentence in one.message and one.place.line > 1 for one in found), found
    with pytest.raises(SpecError):
        row_kinds((str(path),))


def test_shipped_kinds_have_no_problems() -> None:
    """All that is shipped is read, and no kind stands behind another that takes all its rows."""
    assert lint_rows(shipped()) == []


# What is kept, and what is lost


def test_pairs_are_one_row_with_both_sides() -> None:
    """Nothing of the worse side stands where the better one is taught."""
    pair = {"prompt": "Hi", "chosen": "Hello.", "rejected": "No."}
    row = Convert(target_of("qwen3"))(pair)
    assert "Hello." in row["text"] and "No." not in row["text"] and "No." in row["rejected_text"]
    row = Convert(target_of("trl"))(pair)
    assert [row[name][-1]["content"] for name in ("prompt", "chosen", "rejected")] == ["Hi", "Hello.", "No."]
    apart = {"chosen": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "x"}],
             "rejected": [{"role": "user", "content": "b"}, {"role": "assistant", "content": "y"}]}  # fmt: skip
    assert "one prompt for both sides" in Convert(target_of("trl"))(apart)["account"]["reason"]


def test_a_tree_has_a_conversation_for_each_way_through() -> None:
    """The answers to one question, and what follows each."""
    leaf = {"role": "assistant", "text": "At noon.", "replies": [{"role": "prompter", "text": "Sure?", "replies": []}]}
    row = {
        "message_tree_id": "m",
        "prompt": {"role": "prompter", "text": "When?", "replies": [leaf, {**leaf, "replies": []}]},
    }
    found = [outcome.rows[0]["messages"] for outcome in Convert(target_of("messages")).outcomes(row)]
    assert [[one["content"] for one in each] for each in found] == [
        ["When?", "At noon.", "Sure?"],
        ["When?", "At noon."],
    ]
    deep: Any = {"role": "prompter", "text": "x", "replies": []}
    for _ in range(3000):
        deep = {"role": "assistant", "text": "x", "replies": [deep]}
    assert len(Convert(target_of("messages")).outcomes({"message_tree_id": "m", "prompt": deep})) == 1


def test_a_result_keeps_its_own_elements() -> None:
    """Only the elements that results stand in go, whatever else a message has."""
    call = {"function": {"name": "tide", "arguments": {}}}
    for text, kept in (("<html>hi</html>", "<html>hi</html>"), ("<tool_response>\nnoon\n</tool_response>", "noon")):
        messages = [{"role": "user", "content": "When?"}, {"role": "assistant", "tool_calls": [call]},
                    {"role": "tool", "content": text, "cost": 1}]  # fmt: skip
        assert Convert(target_of("messages"))({"messages": messages})["messages"][2]["content"].strip() == kept


def test_results_inside_an_answer_are_results() -> None:
    """An answer that goes on behind the result of its call is an answer, a result and an answer."""
    text = f"{CALL}\n<tool_response>\nnoon\n</tool_response>\nAt noon."
    row = {"messages": [{"role": "user", "content": "When?"}, {"role": "assistant", "content": text}], "tools": [TIDE]}
    kinds = [type(turn).__name__ for turn in read(row).turns]
    assert kinds == ["User", "Assistant", "Results", "Assistant"]
    quoted = "So it looks: <tool_response>\nnoon\n</tool_response>"
    row["messages"][1]["content"] = quoted
    assert read(row).turns[1].message.content == quoted


def test_the_old_tool_prompt_can_be_dropped() -> None:
    """What a system text says beside the definitions stays, unless all of it is to go."""
    system = f"Answer as JSON in <tool_call> tags.\n<tools>{json.dumps(TIDE)}</tools>"
    row = {"messages": [{"role": "system", "content": system}, {"role": "user", "content": "When?"}]}
    assert Convert(target_of("messages"))(row)["messages"][0]["content"] == "Answer as JSON in <tool_call> tags."
    dropped = Convert(target_of("messages"), Source(drop_prompt=True))(row)
    assert [message["role"] for message in dropped["messages"]] == ["user"] and dropped["tools"]


@pytest.mark.parametrize("end", ["<|im_end|>", "</s>", " <|eot_id|>\n", "<|im_end|>\n<|endoftext|>"])
def test_end_tokens_are_no_content(end: str) -> None:
    """What models end answers with is left out, and noted; within a text it stays."""
    row = {"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": f"Noon <|im_end|> a.{end}"}]}
    found = Convert(target_of("messages"))(row)
    assert found["messages"][1]["content"] == "Noon <|im_end|> a." and "end tokens" in found["account"]["notes"][0]


def test_a_call_that_no_dialect_reads_is_no_content() -> None:
    """An answer that begins with a declared tool and a bracket is a call, or its row is refused."""
    odd = {"name": "tide (tables)", "parameters": {"type": "object", "properties": {}}}
    said = [{"from": "user", "value": "When?"}, {"from": "assistant", "value": '[tide (tables)(port="Brest"'}]
    row = Convert(target_of("messages"))({"conversations": [*said], "tools": [odd]})
    assert row["account"]["status"] == "refused" or row["messages"][1]["tool_calls"]


def test_a_call_in_another_dialect_than_the_first_rows_is_read() -> None:
    """What a file was found to be does not lose the calls of rows that are otherwise."""

    def row(text: str) -> dict[str, Any]:
        return {"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": text}], "tools": [TIDE]}

    hermes = [row(CALL)] * 4
    source = find_out(hermes, Source())
    assert source.dialect == "hermes"
    for text in (
        '[TOOL_CALLS][{"name": "tide", "arguments": {"a": 1}}]',
        "<function=tide>\n<parameter=a>\n1\n</parameter>\n</function>",
    ):
        (reading,) = readings(row(text), source)
        assert reading.conversation.turns[1].message.calls, text


def test_calls_are_not_lost_unless_that_is_allowed() -> None:
    """A chat that writes one call of two, or none, gets no such row, and no such answer is taught."""
    calls = [{"id": f"call{n:05}", "type": "function", "function": {"name": "tide", "arguments": "{}"}} for n in (1, 2)]
    row = {
        "messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": None, "tool_calls": calls}],
        "tools": [TIDE],
    }
    lossy = Convert(target_of("gpt-oss"))(row)
    assert lossy["account"]["status"] == "refused", lossy
    assert "--allow calls" in lossy["account"]["reason"] or "cannot carry" in lossy["account"]["reason"]
    broken = {
        "messages": [
            {"role": "user", "content": "q"},
            {"role": "assistant", "tool_calls": [{"function": {"name": "tide", "arguments": "{"}}]},
        ]
    }
    (outcome,) = Convert(target_of("messages")).outcomes(broken)
    assert outcome.account.reason is not None and outcome.account.reason.turn == 1
    assert "`tide`: " in outcome.account.reason.detail
    (outcome,) = Convert(target_of("messages"), refused=frozenset()).outcomes(broken)
    assert outcome.rows


def byte_tokenizer(folder: Path, *markers: str) -> None:
    """A tokenizer of single bytes, and of some markers, in a folder."""
    tokenizers = pytest.importorskip("tokenizers")
    letters = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    made = tokenizers.Tokenizer(tokenizers.models.BPE({letter: at for at, letter in enumerate(letters)}, []))
    made.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = tokenizers.decoders.ByteLevel()
    made.add_tokens([tokenizers.AddedToken(one, normalized=False) for one in markers])
    made.save(str(folder / "tokenizer.json"))


def test_no_chat_teaches_an_answer_without_its_calls(tmp_path: Path) -> None:
    """Each chat writes all calls of an answer that is taught, or raises: some write one of two, or none."""
    byte_tokenizer(tmp_path)
    own, found = tokens.load(str(tmp_path)), Counter[str]()
    for name in toolect.chats():
        chat = toolect.chat(name)
        for size in (1, 2):
            calls = [Call("tide", {"a": number}, f"call0000{number}") for number in range(size)]
            one = Conversation([User("When?"), Assistant(Message(calls))], [TIDE])
            try:
                (example,) = training.examples(one, chat, own)
            except toolect.RenderError:
                found["raised"] += 1
                continue
            found["taught"] += 1
            answer = example.encoded.text.rpartition("When?")[2]
            assert all(f"{number}" in answer for number in range(size)) and "tide" in answer, (name, answer)
    assert found["raised"] > 20 and found["taught"] > 180, found


# Files


def test_files_of_events_and_documents_are_rows(tmp_path: Path) -> None:
    """A session is one row, and so is a JSON value over several lines, or each item of a list of rows."""
    random = Random(1)
    one = next(c for c in (conversation(random) for _ in range(99)) if not SHAPES["claude_code"].lacks & {*features(c)})
    (tmp_path / "session.jsonl").write_text(
        "".join(json.dumps(line) + "\n" for line in SHAPES["claude_code"].write(one))
    )
    rows = [SHAPES["openai_messages"].write(one)] * 3
    (tmp_path / "list.json").write_text(json.dumps(rows, indent=1))
    (tmp_path / "line.json").write_text(json.dumps(rows))
    (tmp_path / "one.json").write_text(json.dumps(rows[0], indent=1))
    for name, count in (("session.jsonl", 1), ("list.json", 3), ("line.json", 3), ("one.json", 1)):
        done = run(Job((str(tmp_path / name),), str(tmp_path / f"out-{name}"), Settings(target_of("messages"))), 1)
        assert done.fates["refused"] == 0 and done.written == count, (name, done.fates)


def test_answers_of_a_batch_are_joined_with_their_requests(tmp_path: Path) -> None:
    """An answer alone is refused, and says how it is read; with the file of requests it is a conversation."""
    asked = {"custom_id": "b", "body": {"messages": [{"role": "user", "content": "When?"}], "tools": [TIDE]}}
    body = {"choices": [{"message": {"role": "assistant", "content": "Noon."}, "finish_reason": "stop"}]}
    answer = {"id": "x", "custom_id": "b", "response": {"status_code": 200, "body": body}, "error": None}
    path = tmp_path / "requests.jsonl"
    path.write_text("no json\n" + json.dumps({**asked, "custom_id": "a"}) + "\n" + json.dumps(asked) + "\n")
    assert "--join" in Convert(target_of("messages"))(answer)["account"]["reason"]
    convert = Convert(target_of("messages"), Source(join=str(path)))
    row = convert(answer)
    assert [message["content"] for message in row["messages"]] == ["When?", "Noon."] and row["tools"]
    assert "none of `c`" in convert({**answer, "custom_id": "c"})["account"]["reason"]
    failed = {**answer, "response": {"status_code": 500, "body": {}}, "error": {"message": "overloaded"}}
    assert "error" in convert(failed)["account"]["reason"]


def test_columns_that_are_kept_are_what_they_were(tmp_path: Path) -> None:
    """Times of any precision and year, numbers that are not finite, and two columns, or fields in one, of one name."""
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    said = json.dumps([{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}])
    times = pa.array([1700000000123456789, None], pa.timestamp("ns"))
    far = pa.array([300_000_000_000_000, -90_000_000_000_000], pa.timestamp("ms"))
    pairs = pa.StructArray.from_arrays([pa.array(["a", "b"]), times], names=["same", "same"])
    columns = {"messages": [said] * 2, "ns": times, "far": far, "x": [float("nan"), float("-inf")], "pair": pairs}
    columns["list"] = pa.ListArray.from_arrays(pa.array([0, 1, 2], pa.int32()), pairs)
    arrays = [
        *(one if isinstance(one, pa.Array) else pa.array(one) for one in columns.values()),
        pa.array([1, 2]),
        pa.array(["a", "b"]),
    ]
    parquet.write_table(pa.Table.from_arrays(arrays, names=[*columns, "same", "same"]), tmp_path / "in.parquet")
    job = Job((str(tmp_path / "in.parquet"),), str(tmp_path / "t"), Settings(target_of("messages", table=True)), True)
    assert run(job, 1).written == 2
    table = parquet.read_table(tmp_path / "t" / "rows-00000.parquet")
    assert table["ns"].combine_chunks().equals(times) and table["far"].combine_chunks().equals(far)
    assert [str(one) for one in table["x"].to_pylist()] == ["nan", "-inf"]
    assert table["same"].to_pylist() == [1, 2] and table["same_2"].to_pylist() == ["a", "b"]
    assert run(Job(job.paths, str(tmp_path / "j"), Settings(target_of("messages"))), 1).written == 2
    first = json.loads((tmp_path / "j" / "rows-00000.jsonl").read_text().splitlines()[0])
    assert (first["ns"], first["far"][:5], str(first["x"])) == ("2023-11-14 22:13:20.123456789", "11476", "nan")
    assert first["list"] == [first["pair"]] == [{"same": "a", "same_2": "2023-11-14 22:13:20.123456789"}]
    assert unique(["a", "a", "a_2", "a"]) == ["a", "a_3", "a_2", "a_4"]


def test_times_that_python_does_not_have_refuse_no_row(tmp_path: Path) -> None:
    """Beyond the year 9999, or of an unknown zone, however deep they stand; what is broken is said of its file."""
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    far, lost = pa.timestamp("us"), pa.timestamp("us", tz="Mars/Olympus")
    said = json.dumps([{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}])
    columns = {
        "messages": pa.array([said]),
        "map": pa.array([[("a", 2**62)]], pa.map_(pa.string(), far)),
        "pair": pa.array([[2**62]], pa.list_(far, 1)),
        "words": pa.array([2**62], far).dictionary_encode(),
        "zone": pa.array([[7]], pa.list_(lost)),
        "inner": pa.array([{"a": [{"b": 2**62}]}], pa.struct([("a", pa.list_(pa.struct([("b", far)])))])),
        "months": pa.array([(1, 2, 3)], pa.month_day_nano_interval()),
    }
    table = pa.table(columns)
    broken = pa.table({"messages": pa.array([b"\xff"]).view(pa.string())})
    for name, rows, written in (("in", table, 1), ("broken", broken, 0)):
        with pa.ipc.new_file(tmp_path / f"{name}.arrow", rows.schema) as file:
            file.write_table(rows)
        parquet.write_table(rows.drop(["months"]) if written else rows, tmp_path / f"{name}.parquet")
        for ending in ("arrow", "parquet"):
            out = tmp_path / f"{name}-{ending}"
            job = Job((str(tmp_path / f"{name}.{ending}"),), str(out), Settings(target_of("messages")))
            assert run(job, 1).written == written
            if written:
                row = json.loads((out / "rows-00000.jsonl").read_text().splitlines()[0])
                assert row["zone"] == [7] and str(2**62) in row["map"][0][1] and str(2**62) in row["inner"]["a"][0]["b"]


def test_forms_are_what_chat_templates_take() -> None:
    """Arguments are objects, and a message of calls alone has a text."""
    random = Random(2)
    for _ in range(20):
        for form, columns in (("messages", ["messages"]), ("trl", ["prompt", "completion"])):
            for row in Convert(target_of(form)).rows(conversation(random).to_openai()):
                for message in (one for name in columns for one in row[name]):
                    assert isinstance(message["content"], str)
                    for call in message.get("tool_calls", ()):
                        assert isinstance(call["function"]["arguments"], dict)


@pytest.mark.parametrize("field", [{"weight": 0}, {"loss": False}, {"train": False}])
def test_weights_reach_the_loss_mask(field: dict[str, Any], tmp_path: Path) -> None:
    """An answer that is not taught by its row has no labels; in messages its weight stays."""
    said = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "one", **field},
            {"role": "user", "content": "b"}, {"role": "assistant", "content": "two"}]  # fmt: skip
    assert Convert(target_of("messages"))({"messages": said})["messages"][1]["weight"] == 0
    byte_tokenizer(tmp_path, "<|im_start|>", "<|im_end|>")
    own = tokens.load(str(tmp_path))
    rows = Convert(target_of("ids", chat="qwen2.5", tokenizer=str(tmp_path))).rows({"messages": said})
    taught = b"".join(own.piece(label) for row in rows for label in row["labels"] if label >= 0).decode()
    assert taught.startswith("two") and "one" not in taught
    assert (
        Convert(target_of("sharegpt"), refused=frozenset({Loss.WEIGHTS}))({"messages": said})["account"]["status"]
        == "refused"
    )


def test_answers_of_conversations_are_assistants() -> None:
    """The shapes cover what conversations have: calls, results, reasoning, several at once."""
    random = Random(0)
    seen = Counter(name for _ in range(200) for name in features(conversation(random)))
    assert {"calls", "parallel", "results", "reasoning", "both", "system"} <= seen.keys()
    assert all(isinstance(turn, Assistant) for turn in conversation(random).turns[-1:])


ASKED: Json = {"role": "user", "content": "Q"}
SAYS = {"role": "assistant", "content": "A"}


@pytest.mark.parametrize(
    ("row", "turns"),
    [
        ({"prompt": "Q", "chosen": [ASKED, SAYS], "rejected": [ASKED, {**SAYS, "content": "B"}]}, "user assistant"),
        ({"prompt": "P", "chosen": [ASKED, SAYS], "rejected": [ASKED, SAYS]}, "the prompt of a pair"),
        ({"system": "S", "messages": [{"role": "system", "content": "S"}, ASKED, SAYS]}, "system user assistant"),
        ({"system": "S", "messages": [{"role": "system", "content": "T"}, ASKED, SAYS]}, "at `system`"),
        ({"messages": [ASKED, {"role": "assistant", "content": "", "toolInvocations": [{}]}]}, "`toolInvocations`"),
        ({"messages": [ASKED, {**SAYS, "weight": "much"}]}, "at `weight`"),
        ({"role": "prompter", "text": "Q", "message_id": "m"}, "no conversation"),
    ],
)
def test_what_stands_twice_or_in_no_place_is_read_once_or_refused(row: Json, turns: str) -> None:
    """A pair that repeats its prompt, a second system text, words in a field that is not read."""
    try:
        found = " ".join(type(turn).__name__.lower() for turn in readings(row, Source())[0].conversation.turns)
    except RowRejectedError as error:
        found = str(error)
    assert turns in found and (turns == found or "expected" in found)


@pytest.mark.parametrize("field", ["arguments", "args", "input", "parameters"])
def test_arguments_have_other_names_in_some_rows(field: str) -> None:
    """Calls whose arguments stand under another name keep them."""
    for call in ({"name": "tide", field: {"port": "Brest"}}, {"function": {"name": "tide", field: {"port": "Brest"}}}):
        row = {"messages": [ASKED, {"role": "assistant", "content": None, "tool_calls": [call]}]}
        (found,) = readings(row, Source())
        assert found.conversation.turns[1].message.calls[0].arguments == {"port": "Brest"}


@pytest.mark.parametrize(("given", "weight"), [("0", 0.0), ("false", 0.0), (False, 0.0), ("0.5", 0.5), (1, None)])
def test_weights_may_be_texts(given: Json, weight: float | None) -> None:
    """A weight that a table has made a text of is one."""
    (found,) = readings({"messages": [ASKED, {**SAYS, "weight": given}]}, Source())
    assert found.weights.get(1) == weight


# Texts whose rows declare no tools, transcripts, and rows beside others

UNMARKED = [
    '```python\nget_time(city="Oslo")\n```',
    'So:\n```python\ndf = load_data(path="x.csv")\nprint(df)\n```\nDone.',
    '```js\nfetchData("x")\n```',
    '{"name": "Alice", "parameters": {"age": 3}}',
    '[{"name": "Alice", "arguments": {}}]',
    '{"action": "buy", "action_input": {"n": 1}}',
    'Action: buy\nAction Input: {"n": 1}',
    "[tide(a=1)]",
    'functools[{"name": "tide", "arguments": {}}]',
]
"""What anybody may write: calls only where there are tools."""
MARKED = [
    CALL,
    '[TOOL_CALLS][{"name": "tide", "arguments": {"a": 1}}]',
    "<function=tide>\n<parameter=a>\n1\n</parameter>\n</function>",
    '<|tool_call_begin|>functions.tide:0<|tool_call_argument_begin|>{"a": 1}<|tool_call_end|>',
]
CHATML = (
    "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nYes<|im_end|>\n"
)


def answered(text: str) -> Row:
    return {"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": text}]}


def outcome(row: Json, source: Source) -> Json:
    return [(one.rows, one.account.column()) for one in Convert(target_of("messages"), source).outcomes(row)]


@pytest.mark.parametrize("text", UNMARKED)
def test_without_tools_code_and_json_are_answers(text: str) -> None:
    """They are no calls, alone or beside rows with calls; a dialect that is named, or a result, makes them calls."""
    row, thought = answered(text), answered(f"<think>\nHm.\n</think>\n\n{text}")
    for source in (Source(), find_out([row], Source()), find_out([answered(CALL), row], Source())):
        assert read(row, source).turns[1].message.segments == [toolect.Content(text)]
        message = read(thought, source).turns[1].message
        assert (message.content, message.calls) == (text, [])
    assert read(row, Source(dialect="")).turns[1].message.content == text
    assert read(row, Source(dialect="auto")).turns[1].message.calls
    followed = {"messages": [*row["messages"], {"role": "tool", "content": "1"}]}
    assert read(followed, find_out([followed], Source())).turns[1].message.calls


@pytest.mark.parametrize("text", ["```xml\nCALL\n```", "So:\n\n```\nCALL\n```\n\nThat is all.", "It writes `CALL`."])
def test_without_tools_a_call_in_a_code_block_is_an_answer(text: str) -> None:
    """It shows how calls are written."""
    row = answered(text.replace("CALL", CALL))
    for source in (Source(), find_out([row], Source()), find_out([answered(CALL), row], Source())):
        assert read(row, source).turns[1].message.segments == [toolect.Content(row["messages"][1]["content"])]


def test_control_tokens_in_answers_are_noted() -> None:
    """They stay, as whoever writes of them means them; an answer that went on into other turns is seen so."""
    row = Convert(target_of("messages"))(answered("Noon.<|im_end|>\n<|im_start|>user\nMore?"))
    assert row["account"]["notes"] == [
        "turn 1: markers stand in the text of an answer, and stay there: <|im_end|>, <|im_start|>"
    ]


@pytest.mark.parametrize(
    "text", ["<think>hm</think>Noon.", "[THINK]hm[/THINK]Noon.", "<|channel|>analysis<|message|>hm<|end|>"
             "<|start|>assistant<|channel|>final<|message|>Noon."],
)  # fmt: skip
def test_reasoning_in_texts_is_reasoning(text: str) -> None:
    """Whichever dialect it is in, also where no row has calls."""
    message = read(answered(text)).turns[1].message
    assert (message.reasoning.strip(), message.content.strip()) == ("hm", "Noon.")


@pytest.mark.parametrize(
    "prompt", ["<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n<think>\n", "Human: Hi\n\nAssistant:"]
)
def test_a_prompt_in_the_place_of_a_question_is_noted(prompt: str) -> None:
    """It is read as what a user says, and that is noted; so is an answer to nothing."""
    rows = (
        {"prompt": prompt, "completion": "Yes"},
        {"prompt": "Is `Assistant:` one?", "completion": "Yes"},
        {"text": "Yes"},
    )
    noted = [Convert(target_of("messages"))(row)["account"]["notes"] for row in rows]
    assert "prompt of a model" in noted[0][0] and not noted[1] and "answer to nothing" in noted[2][0]


@pytest.mark.parametrize("text", MARKED)
def test_without_tools_what_has_markers_is_a_call(text: str) -> None:
    """Also behind code that is none."""
    row = answered(f"```python\nload(x=1)\n```\n{text}")
    for source in (Source(), find_out([row], Source())):
        message = read(row, source).turns[1].message
        assert [call.name for call in message.calls] == ["tide"] and "load(x=1)" in message.content


def test_the_outcome_of_a_row_is_that_which_it_has_alone() -> None:
    """Rows of all shapes in one file: what the first ones are changes nothing."""
    random, rows = Random(7), [answered(text) for text in (*UNMARKED, *MARKED)]
    rows += [{"text": CHATML}, {"text": CHATML, "id": 3}, {"output": CALL}, {"question": "q", "answer": "a"}, {"x": 1}]
    for shape in SHAPES.values():
        found = (one for one in (conversation(random) for _ in range(99)) if not shape.lacks & {*features(one)})
        for one, _ in zip(found, range(2), strict=False):
            with suppress(RenderError):
                rows.append(json.loads(json.dumps(shape.write(one))))
    for _ in range(3):
        random.shuffle(rows)
        mixed = find_out(rows, Source())
        for row in rows:
            assert outcome(row, mixed) == outcome(row, find_out([row], Source())), row


def test_a_transcript_with_calls_is_not_read_as_the_chat_of_those_before_it() -> None:
    """Where that chat leaves the calls in the text, another one is found."""
    call = Conversation.from_openai(
        [{"role": "user", "content": "q"}, {"role": "assistant", "tool_calls": [
            {"type": "function", "function": {"name": "tide", "arguments": "{}"}}]}], [TIDE])  # fmt: skip
    text = str(toolect.chat("functools").render(call, False))
    mixed = find_out([{"text": CHATML}] * 5, Source())
    assert outcome({"text": text}, mixed) == outcome({"text": text}, find_out([{"text": text}], Source()))
    assert read({"text": text}, mixed).turns[-1].message.calls


PROSE = "One thing.\n\n- two\n- three\n\n```python\nx = y[0] < 3\n```"


@pytest.mark.parametrize("name", shares.share(toolect.chats(), 60, "transcripts read back"))
def test_which_chat_wrote_a_transcript_is_found_out_or_it_is_refused(name: str) -> None:
    """Whatever ordinary texts it holds: blank lines, lists, code."""
    answer, called = {"role": "assistant", "content": PROSE}, {"name": "tide", "arguments": "{}"}
    calls = [{"role": "assistant", "tool_calls": [{"id": "call00001", "type": "function", "function": called}]},
             {"role": "tool", "tool_call_id": "call00001", "content": "noon\n\nsharp"}]  # fmt: skip
    asked = {"role": "user", "content": PROSE}
    given = [
        ([{"role": "system", "content": "Be brief.\n\nBe kind."}, asked, answer, asked, answer], None),
        ([asked, *calls, answer], [TIDE]),
    ]
    for messages, tools in given:
        try:
            text = str(toolect.chat(name).render(Conversation.from_openai(messages, tools), False))
        except RenderError:  # a chat without systems or tools, or whose turns end at a blank line
            continue
        row = {"text": text}
        try:
            (found,) = readings(row, find_out([row], Source()))
            (right,) = readings(row, Source("transcript", chat=name))
        except RowRejectedError:
            continue
        assert not changes(right.conversation, found.conversation, ids=False)


@pytest.mark.parametrize("name", ["qwen3", "llama3", "llama3.1", "gemma3", "phi-3", "mistral-small-3.2", "deepseek-v3"])
def test_a_blank_line_is_no_marker(name: str) -> None:
    """That some chat ends its turns at one makes no transcript of another unreadable, and takes no system turn away."""
    said = [{"role": "system", "content": "Be brief.\n\nBe kind."}, {"role": "user", "content": "Hi\n\nyou"},
            {"role": "assistant", "content": "One.\n\nTwo."}]  # fmt: skip
    row = {"text": str(toolect.chat(name).render(Conversation.from_openai(said), False))}
    found = Convert(target_of("messages"), find_out([row], Source()))(row)
    assert found["account"]["status"] == "converted"
    assert "".join(one["content"] for one in found["messages"]).count("\n\n") >= 3


def pair(rejected: str, target: str = "trl", **given: Any) -> Row:
    """What becomes of a pair whose better answer is a call, with this as the other."""
    row = {"prompt": "q", "chosen": CALL, "rejected": rejected, "tools": [TIDE]}
    return Convert(target_of(target), Source(dialect="hermes"), **given)(row)


def test_what_was_seen_in_the_rejected_side_is_told() -> None:
    """Its repairs are notes, its losses are losses, and the status of its calls counts."""
    broken = CALL.replace("1}}", "2}")
    (note,) = pair(broken)["account"]["notes"]
    assert "calls were repaired: the rejected side: json" in note
    assert pair(broken, keep=Keep((Status.OK,)))["account"]["status"] == "filtered"
    assert pair(CALL.replace("1}}", "2}}"), keep=Keep((Status.OK,)))["account"]["status"] == "converted"
    tail = pair(CALL.replace("1}}", "2}}") + "<|im_end|>\nAnd more.")["account"]
    assert tail["status"] == "changed" and "the rejected side" in tail["changes"][0]
    assert pair("No.<|im_end|>" + CALL)["account"]["status"] == "refused"


def test_a_pair_whose_sides_are_read_alike_is_refused() -> None:
    """A repair may undo the one difference: such a pair teaches nothing."""
    for target in ("trl", "messages"):
        found = pair(CALL.replace("1}}", "1}"), target)["account"]
        assert found["status"] == "refused" and "the same" in found["reason"]
    assert pair("No.")["account"]["status"] == "converted"


def test_pairs_are_the_same_if_both_sides_are() -> None:
    """Several rejected answers to one that was chosen are several pairs."""
    row = {"prompt": "q", "chosen": "a"}
    settings = Settings(target_of("trl"), distinct=True)
    found = [converted({**row, "rejected": one}, settings)[0].key for one in "bcb"]
    assert found[0] == found[2] != found[1]


def lang(*messages: Json) -> Row:
    """A row of LangChain's messages."""
    return {"messages": [{"type": "human", "content": "q"}, *messages]}


INVALID = [{"name": "tide", "args": "{bad", "id": "t9", "error": "no JSON"}]
LANG_CALL = {"type": "ai", "content": "", "tool_calls": [{"name": "tide", "args": {}, "id": "t9"}]}


@pytest.mark.parametrize(
    "row",
    [
        lang({"type": "ai", "content": "", "tool_calls": [], "invalid_tool_calls": INVALID}),
        lang({"type": "ai", "content": [], "tool_calls": [], "invalid_tool_calls": INVALID}),
        lang({"type": "ai", "data": {"content": "", "invalid_tool_calls": INVALID}}),
        lang({"lc": 1, "id": ["AIMessage"], "kwargs": {"content": "", "invalid_tool_calls": INVALID}}),
        {
            "messages": [
                {"role": "user", "content": "q"},
                {"role": "assistant", "invalid_tool_calls": INVALID, "content": ""},
            ]
        },
    ],
)
def test_calls_that_were_given_as_invalid_stay_calls(row: Row) -> None:
    """They are malformed ones, as those that are read from texts."""
    (call,) = read(row).turns[-1].message.calls
    assert (call.name, call.status, call.spelling) == ("tide", "malformed", "{bad")
    assert Convert(target_of("trl"))(row)["account"]["status"] == "refused"


BEDROCK = [
    {"role": "user", "content": [{"text": "q"}]},
    {"role": "assistant", "content": [{"toolUse": {"toolUseId": "t9", "name": "tide", "input": {}}}]},
]
VERCEL = [
    {"role": "user", "content": "q"},
    {"role": "assistant", "content": [{"type": "tool-call", "toolCallId": "t9", "toolName": "tide", "input": {}}]},
]
RESULT = {"type": "tool-result", "toolCallId": "t9", "toolName": "tide"}


@pytest.mark.parametrize(
    ("row", "failed"),
    [
        (lang(LANG_CALL, {"type": "tool", "content": "x", "tool_call_id": "t9", "status": "error"}), True),
        (lang(LANG_CALL, {"type": "tool", "content": "x", "tool_call_id": "t9", "status": "success"}), False),
        (lang(LANG_CALL, {"type": "tool", "data": {"content": "x", "tool_call_id": "t9", "status": "error"}}), True),
        (
            {
                "messages": [
                    *BEDROCK,
                    {
                        "role": "user",
                        "content": [{"toolResult": {"toolUseId": "t9", "content": [{"text": "x"}], "status": "error"}}],
                    },
                ]
            },
            True,
        ),
        (
            {
                "messages": [
                    *VERCEL,
                    {"role": "tool", "content": [{**RESULT, "output": {"type": "error-text", "value": "x"}}]},
                ]
            },
            True,
        ),
        (
            {
                "messages": [
                    *VERCEL,
                    {"role": "tool", "content": [{**RESULT, "output": {"type": "text", "value": "x"}}]},
                ]
            },
            False,
        ),
        ({"messages": [*VERCEL, {"role": "tool", "content": [{**RESULT, "result": "x", "isError": True}]}]}, True),
        ({"messages": [*VERCEL, {"role": "tool", "content": [{**RESULT, "result": "x", "isError": False}]}]}, False),
    ],
)
def test_results_of_failures_stay_such(row: Row, failed: bool) -> None:
    """A target that has no place for that says so."""
    (result,) = read(row).turns[-1].results
    assert (result.output, result.is_error) == ("x", failed)
    found = Convert(target_of("messages"))(row)["account"]
    assert found["status"] == ("changed" if failed else "converted")


def test_types_in_capital_letters_become_those_of_json_schema() -> None:
    """Gemini's API takes both; templates and validators know one. Names and values stay what they are."""
    inner = {
        "type": "ARRAY",
        "items": {"type": "OBJECT", "properties": {"type": {"type": "STRING", "enum": ["STRING"]}}},
    }
    schema = {"type": "OBJECT", "properties": {"type": {"type": "INTEGER"}, "OBJECT": inner}, "required": ["OBJECT"]}
    row = {"contents": [{"role": "user", "parts": [{"text": "q"}]}, {"role": "model", "parts": [{"text": "a"}]}],
           "tools": [{"functionDeclarations": [{"name": "f", "parameters": schema}]}]}  # fmt: skip
    found = Convert(target_of("messages"))(row)
    assert found["tools"][0]["function"]["parameters"] == {
        "type": "object", "required": ["OBJECT"], "properties": {
            "type": {"type": "integer"}, "OBJECT": {"type": "array", "items": {
                "type": "object", "properties": {"type": {"type": "string", "enum": ["STRING"]}}}}},
    }  # fmt: skip
    assert "spelled otherwise" in found["account"]["notes"][0]


@pytest.mark.parametrize(("field", "thought"), [("B", "B\n\nA"), ("A", "A")])
def test_reasoning_in_a_field_and_in_the_text(field: str, thought: str) -> None:
    """Both are kept, one below the other; once where they are the same."""
    answer = {"role": "assistant", "content": "<think>\nA\n</think>\n\nN", "reasoning_content": field}
    found = Convert(target_of("trl"))({"messages": [{"role": "user", "content": "q"}, answer]})
    assert found["completion"][0]["reasoning_content"] == thought and found["completion"][0]["content"] == "N"


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ([1, 2], "no object: expected an object as a row, got a list with `int`"),
        ({"conversation_a": [ASKED], "conversation_b": [ASKED], "winner": "tie"},
         "expected 'model_a' or 'model_b', got 'tie' - at `winner`"),
    ],
)  # fmt: skip
def test_why_a_row_is_none(row: Any, reason: str) -> None:
    """What it is, or which words its column may have."""
    (outcome,) = Convert(target_of("messages")).outcomes(row)
    assert str(outcome.account.reason) == reason


def test_how_many_calls_a_chat_writes_is_told() -> None:
    """One that writes a call of several says so."""
    calls = [{"type": "function", "function": {"name": "tide", "arguments": {"a": n}}} for n in range(2)]
    row = {"tools": [TIDE], "messages": [{"role": "user", "content": "q"}, {"role": "assistant", "tool_calls": calls}]}
    reason = Convert(target_of("gpt-oss"))(row)["account"]["reason"]
    assert "the calls differ" in reason and reason.endswith("2 became 1")


def test_an_image_in_another_form_is_the_same() -> None:
    """A result of Anthropic's API that is nothing but an image is no empty one, and is whole in messages."""
    source = {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}
    shown = {"type": "image", "source": source}
    result = {"type": "tool_result", "tool_use_id": "t", "content": [shown]}
    row = {"messages": [
        {"role": "user", "content": [{"type": "text", "text": "q"}, shown]},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "shot", "input": {}}]},
        {"role": "user", "content": [result]}, {"role": "assistant", "content": "ok"},
    ]}  # fmt: skip
    for target in ("messages", "responses", "anthropic"):
        account = Convert(target_of(target))(row)["account"]
        assert account["status"] == "converted" and not any("says nothing" in note for note in account["notes"])
    shown["cache_control"] = {"type": "ephemeral"}
    assert Convert(target_of("messages"))(row)["account"]["status"] == "changed"


END = "ChatML ends with `<|im_end|>`."


@pytest.mark.parametrize(
    ("text", "content", "fate"),
    [
        (f"{END} I look.\n{CALL}", f"{END} I look.", "converted"),
        (f"```\nHi<|im_end|>\n```\n{CALL}", "```\nHi<|im_end|>\n```", "converted"),
        (f"<think>\n{END}\n</think>\n\nSo.\n{CALL}", "So.", "converted"),
        (f"It ends with <|im_end|> always.\n{CALL}", "", "refused"),
        ("Use `a<|im_end|>\n<|im_start|>user\nand `b`", "Use `a", "changed"),
    ],
)  # fmt: skip
def test_a_quoted_end_token_ends_no_answer(text: str, content: str, fate: str) -> None:
    """What is behind it is read, and a call behind one that is not quoted refuses its row."""
    row = {"tools": [TIDE], "messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": text}]}
    found = Convert(target_of("messages"), Source(dialect="hermes"))(row)
    assert found["account"]["status"] == fate
    if fate != "refused":
        assert found["messages"][1]["content"] == content
        assert ("tool_calls" in found["messages"][1]) == (CALL in text)


LLAMA = "<|start_header_id|>{}<|end_header_id|>\n\n{}<|eot_id|>"
THOUGHT = f"{CHATML}<|im_start|>user\nBye<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\nsee you<|im_end|>\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (LLAMA.format("user", "Hi") + LLAMA.format("assistant", "Yes"), "Hi|Yes"),
        (THOUGHT, "Be brief.|Hi|Yes|Bye|see you"),
        ("Do it.\n\n### Instruction:\nAdd.\n\n### Input:\n1 1\n\n### Response:\n2", "Do it.|Add.\n\n1 1|2"),
        ("### Human: Hi### Assistant: Yes### Human: Bye", "Hi|Yes|Bye"),
        ("\n\nHuman: Hi\n\nAssistant: Yes", "Hi|Yes"),
        ("<s>[INST] <<SYS>>\nX\n<</SYS>>\n\nHi [/INST] Yes </s><s>[INST] Bye [/INST] No </s>", "X|Hi|Yes|Bye|No"),
        ("<|system|>\n</s>\n<|user|>\nHi</s>\n<|assistant|>\nYes</s>\n", "|Hi|Yes"),
        ("A chat. USER: Hi ASSISTANT: Yes</s>", "--kind"),
        ("<human>: Hi\n<bot>: Yes", "--kind"),
        ("[|Human|]Hi[|AI|]Yes", "--kind"),
        ("<|prompter|>Hi<|endoftext|><|assistant|>Yes<|endoftext|>", "--kind"),
    ],
)  # fmt: skip
def test_a_transcript_is_read_without_leftovers_or_refused(text: str, said: str) -> None:
    """Which chat, or which words, begin its turns is found out; where none leaves nothing, `--kind` is to say it."""
    row = Convert(target_of("messages"), find_out([{"text": text}], Source()))({"text": text})
    if said == "--kind":
        assert row["account"]["status"] == "refused" and said in row["account"]["reason"], row
    else:
        assert "|".join(message["content"] for message in row["messages"]) == said


@pytest.mark.parametrize(
    "columns",
    ["question answer", "Question Response", "problem solution", "query response", "query answer", "inputs targets",
     "human assistant", "user assistant", "prompt response", "prompt answer", "input output", "input target",
     "instruction output", "question output"],
)  # fmt: skip
def test_pairs_of_columns_are_questions_with_answers(columns: str) -> None:
    """The names that public data sets give them."""
    asked, said = columns.split()
    found = read({asked: "q", said: "a"})
    assert found.turns == (User("q"), Assistant(Message([toolect.Content("a")])))


def test_a_question_with_choices_is_no_question_alone() -> None:
    """What would be left out of a question refuses the row; what a kind wants is said."""
    for row in ({"question": "q", "choices": ["a", "b"], "answer": "a"}, {"question": "q", "answer": 1}):
        assert Convert(target_of("messages"))(row)["account"]["status"] == "refused"
    odd = Convert(target_of("messages"), Source("answer"))({"question": "q", "answr": "a"})
    assert "expected a row of `answer`, with text|output|response|content" in odd["account"]["reason"]


def test_placeholders_are_images_where_columns_hold_as_many() -> None:
    """What they are stays in its column; without one they are text, and with more or fewer that is said."""
    said = [{"from": "human", "value": "<image>\nWhat?"}, {"from": "gpt", "value": "A cat."}]
    row = Convert(target_of("messages"))({"conversations": said, "image": "a.png"})
    assert row["messages"][0]["content"] == [{"type": "image"}, {"type": "text", "text": "\nWhat?"}]
    assert (row["image"], row["account"]["notes"]) == ("a.png", [])
    text = Convert(target_of("qwen2.5-vl"))({"conversations": said, "image": "a.png"})
    assert "<|image_pad|>" in text["text"] and text["account"]["status"] == "converted"
    assert Convert(target_of("sharegpt"))({"conversations": said, "image": "a.png"})["conversations"] == said
    assert Convert(target_of("qwen3"))({"conversations": said, "image": "a.png"})["account"]["status"] == "refused"
    for images, notes in ((None, 0), (["a.png", "b.png"], 1)):
        row = Convert(target_of("messages"))({"conversations": said, "images": images})
        assert (row["messages"][0]["content"], len(row["account"]["notes"])) == ("<image>\nWhat?", notes)


def test_what_a_refused_row_changes_is_in_no_report(tmp_path: Path) -> None:
    """Only rows that are written are changed ones."""
    (tmp_path / "rows.jsonl").write_text(json.dumps({**answered("a"), "tools": [TIDE]}) + "\n")
    settings = Settings(target_of("gemma2"), refused=frozenset(Loss))
    job = Job((str(tmp_path / "rows.jsonl"),), str(tmp_path / "out"), settings)
    found = report_of(run(job, 1), job)
    assert found.fates["refused"] == 1 and not found.changes, found


ANTHROPIC_STREAM: list[Json] = [
    {"type": "message_start", "message": {"role": "assistant", "content": []}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": "", "signature": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "Hm."}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "Cpg"}},
    {"type": "content_block_start", "index": 1, "content_block": {"type": "redacted_thinking", "data": "Ero"}},
    {"type": "content_block_start", "index": 2,
     "content_block": {"type": "tool_use", "id": "c", "name": "tide", "input": {}}},
    {"type": "content_block_delta", "index": 2, "delta": {"type": "input_json_delta", "partial_json": '{"a"'}},
    {"type": "content_block_delta", "index": 2, "delta": {"type": "input_json_delta", "partial_json": ": 1}"}},
    {"type": "message_delta", "delta": {"stop_reason": "tool_use"}},
]  # fmt: skip
STREAMS: dict[str, list[Json]] = {
    "anthropic": ANTHROPIC_STREAM,
    "responses": [
        {"type": "response.created", "response": {"status": "in_progress", "output": []}},
        {"type": "response.completed", "response": {"status": "completed", "output": [
            {"type": "function_call", "call_id": "c", "name": "tide", "arguments": '{"a": 1}'}]}},
    ],
    "gemini": [
        {"candidates": [{"content": {"role": "model", "parts": [{"text": "I look."}]}}]},
        {"candidates": [{"content": {"parts": [{"functionCall": {"name": "tide", "args": {"a": 1}}}]},
                         "finishReason": "STOP"}]},
    ],
    "ollama": [
        {"message": {"role": "assistant", "content": "I "}, "done": False},
        {"message": {"content": "look.", "tool_calls": [{"function": {"name": "tide", "arguments": {"a": 1}}}]},
         "done": False},
        {"message": {"content": ""}, "done": True, "done_reason": "stop"},
    ],
}  # fmt: skip


@pytest.mark.parametrize("api", STREAMS)
def test_streams_of_other_apis_are_answers_of_a_log(api: str) -> None:
    """Their text, thoughts and calls, whole; a stream without its end is refused, and so is a call in half."""
    request: Json = {"messages": [{"role": "user", "content": "Tide?"}], "tools": [TIDE]}
    if api == "gemini":
        request = {"contents": [{"role": "user", "parts": [{"text": "Tide?"}]}]}
    message = read({"request": request, "response": STREAMS[api]}).turns[1].message
    assert [(call.name, call.arguments) for call in message.runnable] == [("tide", {"a": 1})]
    assert message.content == ("I look." if api in ("gemini", "ollama") else "")
    if api == "anthropic":
        said = toolect.anthropic.response(message)["content"]
        assert said[:2] == [{"type": "thinking", "thinking": "Hm.", "signature": "Cpg"},
                            {"type": "redacted_thinking", "data": "Ero"}]  # fmt: skip
        with pytest.raises(ValueError, match="a call that can be read"):
            read({"request": request, "response": [*ANTHROPIC_STREAM[:7], ANTHROPIC_STREAM[8]]})
    with pytest.raises(ValueError, match="a stream that ends"):
        read({"request": request, "response": STREAMS[api][:-1]})
