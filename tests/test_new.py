# ruff: noqa: E501  (a row is one line)
"""`toolect new`: dialects from rows, what is said of rows that are none, and drafts of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner, Result
from registries import own_registries

import toolect
from toolect._authoring.induction import Row, equations, induce
from toolect._authoring.induction.equations import ContradictionError, Equation, solve
from toolect._cli import main
from toolect._message import Call, Content, Json, Message
from toolect.testing import tools_for
from tools.induction.measure import random_outcome, shipped_outcome, wild_outcome
from tools.induction.random_formats import wild_formats

UNSAID = {"thought-json"}
"""Formats that the language cannot say."""


def row(text: str, *calls: tuple[str, dict[str, Json]], content: str = "", **more: Json) -> Json:
    """A row, as a file has it."""
    made = [{"name": name, "arguments": given} for name, given in calls]
    return {"text": text, "content": content, "calls": made, **more}


HARBOUR = [
    row("I look.\n\n<call:tide>\n<arg:port>Brest</arg>\n<arg:days>2</arg>\n</call>", ("tide", {"port": "Brest", "days": 2}), content="I look."),
    row("<call:tide>\n<arg:port>Oslo</arg>\n</call>\n\n<call:log>\n</call>", ("tide", {"port": "Oslo"}), ("log", {})),
    row("Both.\n\n<call:log>\n</call>\n\n<call:tide>\n<arg:port>A b</arg>\n</call>", ("log", {}), ("tide", {"port": "A b"}), content="Both."),
    row("At noon.", content="At noon."),
    row("<call:tide>\n<arg:port>Kiel</arg>\n<arg:days>10</arg>\n</call>", ("tide", {"port": "Kiel", "days": 10})),
]  # fmt: skip


def new(folder: Path, *words: str, rows: list[Json] | None = None) -> Result:
    """Runs `toolect new`, with rows in a file."""
    path = folder / "rows.jsonl"
    if rows is not None:
        path.write_text("".join(f"{json.dumps(one)}\n" for one in rows))
    given = [*words, str(path)] if rows is not None else [*words]
    return CliRunner().invoke(main, ["new", *given, "--out", str(folder)])


def test_five_rows_make_a_dialect(tmp_path: Path) -> None:
    """Its files are written, it reads what no row has, and writes it; its corpus says what the rows do."""
    done = new(tmp_path, "harbour", rows=HARBOUR)
    assert done.exit_code == 0, done.output
    assert "5 of 5 rows read as they say, 5 written back" in done.output
    again = new(tmp_path, "harbour", rows=HARBOUR)
    assert again.exit_code == 2 and "choose another name" in again.output
    assert new(tmp_path, "harbour", "--force", rows=HARBOUR).exit_code == 0
    with own_registries():
        [name] = toolect.load(tmp_path / "harbour.yaml")
        dialect = toolect.dialect(name)
        text = "Now.\n\n<call:depth>\n<arg:at>here & <there>\n  now</arg>\n<arg:deep>true</arg>\n</call>\n\n<call:log>\n</call>"
        message = dialect.parse(text)
        assert [(call.name, call.arguments) for call in message.calls] == [
            ("depth", {"at": "here & <there>\n  now", "deep": True}),
            ("log", {}),
        ]
        assert str(dialect.render(message)) == text
    assert "call tide {" in (tmp_path / "corpus" / "harbour.txt").read_text()


def test_what_a_row_says_is_its_case(tmp_path: Path) -> None:
    """Also where the dialect reads it otherwise: then lint says so."""
    schema = {"type": "object", "properties": {"port": {"type": "string"}, "days": {"type": "integer"}}}
    (tmp_path / "tools.json").write_text(json.dumps([{"name": "tide", "parameters": schema}]))
    rows = [row(f"<call:tide>\n<arg:port>{port}</arg>\n<arg:days>{days}</arg>\n</call>",
                ("tide", {"port": port, "days": str(days)})) for days, port in enumerate(("Brest", "Rome", "Oslo"))]  # fmt: skip
    done = new(tmp_path, "harbour", "--schemas", str(tmp_path / "tools.json"), rows=rows)
    assert done.exit_code == 1 and "is read with `days` of tide as 0, not" in done.output, done.output
    if (tmp_path / "harbour.yaml").exists():
        assert '"days": "0"' in (tmp_path / "corpus" / "harbour.txt").read_text()
        found = CliRunner().invoke(main, ["lint", str(tmp_path / "harbour.yaml"), "--only", "harbour"])
        assert found.exit_code == 1 and "failing-case" in found.output


@pytest.mark.parametrize(
    ("form", "said"),
    [("c{1}", {"form": "c{index}", "first": 1}), ("{name}_{0}", {"form": "{name}_{index}"}), ("call_{0}", {"form": "call_{index}"})],
)  # fmt: skip
def test_ids_are_counted_as_the_rows_do(form: str, said: Json, tmp_path: Path) -> None:
    """From where they begin, with the name if they say it, which may stand beside them."""
    rows = []
    for names in (["tide"], ["log", "tide"], ["tide", "log"], ["log"], ["tide", "tide"]):
        ids = [
            form.replace("{name}", name).replace("{0}", str(i)).replace("{1}", str(i + 1))
            for i, name in enumerate(names)
        ]
        text = "".join(f'<c>{name}<i>{one}<a>{{"port": "Brest"}}</c>' for name, one in zip(names, ids, strict=True))
        calls = [{"name": n, "id": one, "arguments": {"port": "Brest"}} for n, one in zip(names, ids, strict=True)]
        rows += [{"text": text, "calls": calls}, {"text": f"Well.{text}", "content": "Well.", "calls": calls}]
    done = new(tmp_path, "harbour", rows=rows)
    assert done.exit_code == 0, done.output
    assert yaml.safe_load((tmp_path / "harbour.yaml").read_text())["harbour"]["ids"] == said
    assert "NAME" in (tmp_path / "grammars" / "harbour.lark").read_text()


def test_many_rows(tmp_path: Path) -> None:
    """A few are aligned, all are read: what only a late one shows is found, and what it says wrongly is said."""
    many = [
        row(f"<call:log>\n<arg:text>line {number}</arg>\n</call>", ("log", {"text": f"line {number}"}))
        for number in range(90)
    ]
    done = new(tmp_path, "harbour", rows=[*many, *HARBOUR])
    assert done.exit_code == 0 and "95 of 95 rows read as they say, 95 written back" in done.output, done.output
    wrong = {**many[3], "text": many[3]["text"].replace("line 3", "line 99"), "calls": many[4]["calls"]}
    done = new(tmp_path, "port", rows=[*many, *HARBOUR, wrong])
    assert done.exit_code == 1 and "row 96" in done.output, done.output


def test_what_one_row_alone_shows_is_not_claimed(tmp_path: Path) -> None:
    """It is said which row, and which kind of row would decide."""
    done = new(tmp_path, "harbour", rows=[one for one in HARBOUR if one is not HARBOUR[2]])
    assert done.exit_code == 1
    assert "row 1 alone shows content with a call: one more row like it would decide" in done.output


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([HARBOUR[0], {**HARBOUR[0], "calls": []}], "row 2: expected what row 1 says of the same text"),
        ([HARBOUR[3]], "expected calls in some row, got none in 1"),
        ([], "expected rows, got none"),
        ([{"text": "x"}], "row 1: expected what the text says"),
        ([{"text": 1, "calls": []}], "row 1: expected `str`, got `int` - at `$.text`"),
        ([{**HARBOUR[0], "calls": [{"name": "tide", "arguments": "{}"}]}], "row 1: expected `object`, got `str` - at `$.calls[0].arguments`"),
        ([{**HARBOUR[0], "call": []}], "row 1: object contains unknown field `call`"),
        ([{**HARBOUR[0], "text": "x" * 20000}], "row 1: expected `str` of length <= 16384 - at `$.text`"),
        ([HARBOUR[0], row("<call:log>", ("tide", {"port": "Brest"}))], "row 2: the name `tide` stands nowhere in the text"),
        ([HARBOUR[0], row("<call:tide>\n<arg:port>Rome</arg>\n</call>", ("tide", {"port": "Brest"}))], 'row 2: the value "Brest" of `port` stands nowhere'),
        ([{**HARBOUR[0], "content": "\x01"}], "got the sign '\\x01'"),
        ([row("x", ("tide", {"n": float("nan")}))], "row 1: expected one JSON object on the line"),
        ([*HARBOUR, row('[tide] port="Brest";', ("tide", {"port": "Brest"}))], "in row 6"),
    ],
)  # fmt: skip
def test_bad_rows(rows: list[Json], said: str, tmp_path: Path) -> None:
    """A sentence names the row and the part; nothing is written."""
    done = new(tmp_path, "harbour", rows=rows)
    assert done.exit_code in (1, 2) and said in done.output, done.output
    assert not (tmp_path / "harbour.yaml").exists()


def test_broken_files(tmp_path: Path) -> None:
    """A line that is no JSON is named, as is a file that is too long or not there."""
    (tmp_path / "rows.jsonl").write_text(f"{json.dumps(HARBOUR[0])}\n{{'text': 1}}\n")
    assert (
        "row 2: expected one JSON object on the line" in new(tmp_path, "harbour", str(tmp_path / "rows.jsonl")).output
    )
    (tmp_path / "rows.jsonl").write_text("x" * (1 << 24))
    assert "bytes" in new(tmp_path, "harbour", str(tmp_path / "rows.jsonl")).output
    assert new(tmp_path, "harbour").exit_code == new(tmp_path, "Ha rbour", "rows.jsonl").exit_code == 2


def test_a_known_dialect_is_named(tmp_path: Path) -> None:
    """Unless another one is wanted anyway."""
    text = '<tool_call>\n{"name": "tide", "arguments": {"port": "Brest"}}\n</tool_call>'
    rows = [row(text, ("tide", {"port": "Brest"})), row(text.replace("Brest", "Kiel"), ("tide", {"port": "Kiel"}))]
    done = new(tmp_path, "mine", rows=rows)
    assert done.exit_code == 1 and "reads this already" in done.output
    assert new(tmp_path, "mine", "--anyway", rows=rows).exit_code == 0


def test_drafts(tmp_path: Path) -> None:
    """Rows for pasted answers, of a known dialect and of one that nobody knows, by the declared tools."""
    samples = tmp_path / "samples.txt"
    samples.write_text(
        'I look.\n<tool_call>\n{"name": "tide", "arguments": {"port": "Brest"}}\n</tool_call>\n===\n'
        "Sure.\n\n@@tide\nport: Port-Louis\ndays: 2\n@@end\n===\n"
        "<muse>Hm.</muse>\n@@tide(port='Kiel', days=3)\n===\nAt noon.\n"
    )
    schemas = tmp_path / "tools.json"
    schemas.write_text('[{"name": "tide", "parameters": {"type": "object", "properties": {"port": {}, "days": {}}}}]')
    done = CliRunner().invoke(main, ["new", "--draft", str(samples), "--schemas", str(schemas)])
    assert done.exit_code == 0 and "guesses" in done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(one["content"], one["reasoning"], one["calls"]) for one in rows] == [
        ("I look.", "", [{"name": "tide", "arguments": {"port": "Brest"}}]),
        ("Sure.", "", [{"name": "tide", "arguments": {"port": "Port-Louis", "days": 2}}]),
        ("", "Hm.", [{"name": "tide", "arguments": {"port": "Kiel", "days": 3}}]),
        ("At noon.", "", []),
    ]
    samples.write_bytes(b"@@tide\r\nport: Kiel\r\n===\r\nAt noon.\r\n")
    said = CliRunner().invoke(main, ["new", "--draft", str(samples)]).stdout.splitlines()
    assert [json.loads(line)["text"] for line in said] == ["@@tide\r\nport: Kiel", "At noon."]


@pytest.mark.parametrize("name", [form.name for form in wild_formats()])
def test_formats_of_others(name: str) -> None:
    """From five rows each, held against eight others; those that are claimed are right."""
    made = wild_outcome(name)
    assert made.exact == (name not in UNSAID), made.wrong
    assert made.exact or not made.claimed


def test_random_formats() -> None:
    """Nine of ten; what is claimed reads and writes all that was held out."""
    found = [random_outcome(seed) for seed in range(20)]
    assert sum(one.exact for one in found) >= 18, [one.wrong for one in found if one.wrong]
    assert [one.wrong for one in found if one.claimed and not one.exact] == []


@pytest.mark.parametrize("name", ["hermes", "qwen3-coder", "pythonic", "kimi-k2", "mistral-v3", "glm-4.5", "gemma4"])
def test_shipped_dialects(name: str) -> None:
    """As if they were unknown, from what they write."""
    made = shipped_outcome(name)
    assert made.exact, made.wrong


def test_shapes() -> None:
    """Ids, constants and what some calls lack are found in JSON, whatever its keys are called."""

    def text(name: str, given: Json, ident: str) -> str:
        return f"<<{json.dumps({'ref': ident, 'v': 1, 'op': {'verb': name, 'args': json.dumps(given)}})}>>"

    rows = [
        Row(i, text("tide", {"port": port}, ident), Message([Call("tide", {"port": port}, ident)]))
        for i, (port, ident) in enumerate([("Brest", "a1"), ("Kiel", "b2"), ("Oslo", "c3")], 1)
    ]
    made = induce(rows, tools_for(Message([call for row in rows for call in row.message.calls])))
    assert made.claimed and made.spec is not None
    shape = {"ref": "$id", "v": 1, "op": {"verb": "$name", "args": "$arguments.text"}}
    assert made.spec.entry["map"]["call/JSON"] == shape


def test_content_alone_says_nothing_of_calls() -> None:
    """Content with markers of its own is told from content before a call."""
    rows = [
        Row(1, "<say>Hi.</say>", Message([Content("Hi.")])),
        Row(2, "<say>Hi.</say><do>tide(port='Kiel')</do>", Message([Content("Hi."), Call("tide", {"port": "Kiel"})])),
        Row(3, "<do>tide(port='Brest', days=2)</do><do>log()</do>", Message([Call("tide", {"port": "Brest", "days": 2}), Call("log", {})])),
        Row(4, "<do>log()</do><do>tide(port='it\\'s')</do>", Message([Call("log", {}), Call("tide", {"port": "it's"})])),
    ]  # fmt: skip
    made = induce(rows, tools_for(Message([call for row in rows for call in row.message.calls])))
    assert not made.why and made.dialect is not None
    assert made.dialect.parse("<say>No <b> call.</say>").content == "No <b> call."


def test_equations() -> None:
    """The markers that solve them, fewest first; texts of the same variables that differ contradict each other."""
    given = [
        Equation("(", ("name closer", "argument opener")),
        Equation(", ", ("argument divider", "argument opener")),
        Equation(")", ("call closer",)),
    ]
    found = solve(given)
    assert found == {"name closer": "(", "argument opener": "", "argument divider": ", ", "call closer": ")"}
    with pytest.raises(ContradictionError, match="row 2"):
        solve([*given, Equation("]", ("call closer",), 2, "behind the call")])


def test_a_text_that_cannot_end_so_is_not_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a long text whose end is known, and stands elsewhere, no cuts are tried: there are 90,000."""
    cuts, ways = [], equations._ways
    monkeypatch.setattr(equations, "_ways", lambda *given: cuts.append(given) or ways(*given))
    text = "END " + "a b " * 20
    with pytest.raises(ContradictionError):
        solve([Equation("END", ("end",)), Equation(text, ("one", "two", "three", "four", "end"))])
    assert len(cuts) < 100


def test_a_short_closer_counts_where_its_line_begins(tmp_path: Path) -> None:
    """Values may hold it elsewhere."""
    rows = []
    for number, (name, port) in enumerate([("tide", "Brest"), ("log", "Rome"), ("tide", "Oslo"), ("log", "Bari")]):
        text = f">> {name}\n- port: {port}\n- days: {number}\n<<"
        rows.append(row(text, (name, {"port": port, "days": number})))
        rows.append({**row(f"Well.\n{text}", (name, {"port": port, "days": number})), "content": "Well."})
    done = new(tmp_path, "harbour", rows=rows)
    assert done.exit_code == 0 and '"<<"' in (tmp_path / "harbour.yaml").read_text(), done.output
    with own_registries():
        toolect.load(tmp_path / "harbour.yaml")
        [call] = toolect.dialect("harbour").parse(">> tide\n- port: cat <<EOF\n- days: 1\n<<").calls
        assert call.arguments == {"port": "cat <<EOF", "days": 1}


def test_quotes_stand_where_they_are_opened(tmp_path: Path) -> None:
    """Around the name and each value, so that a quote in a value is escaped."""
    rows = [
        row(f'<call tool="{name}" port="{port}" days="{number}"/>', (name, {"port": port.replace("&lt;", "<"), "days": number}))
        for number, (name, port) in enumerate([("tide", "Brest"), ("log", "Port &lt; 4"), ("tide", "Oslo"), ("log", "a &lt; b")])
    ]  # fmt: skip
    rows += [
        row('<call tool="now"/>', ("now", {})),
        row('<call tool="now"/>\n<call tool="now"/>', ("now", {}), ("now", {})),
    ]
    rows += [{"text": f"Well.\n{rows[0]['text']}", "content": "Well.", "calls": rows[0]["calls"]}]
    new(tmp_path, "harbour", rows=rows)
    grammar = (tmp_path / "grammars" / "harbour.lark").read_text()
    assert r'argument: " " KEY "=\"" TEXT "\""' in grammar, grammar
    assert r'call: "<call tool=\"" NAME "\"" argument* "/>"' in grammar, grammar


def test_the_end_of_an_answer_closes_calls_that_nothing_else_does(tmp_path: Path) -> None:
    """A call of such a dialect that is cut off is not run, as its answer is not over."""
    said = "<|do|>{}<|with|>{}<|over|>".format
    rows = [
        row(said("book", "to=Ritz<|and|>nights=2"), ("book", {"to": "Ritz", "nights": 2})),
        row("<|say|>Both." + said("book", "to=Adlon")[:-8] + said("log", ""), ("book", {"to": "Adlon"}), ("log", {}), content="Both."),
        row("<|say|>None.<|over|>", content="None."),
    ]  # fmt: skip
    assert "3 of 3 rows" in new(tmp_path, "pipe", rows=rows).output
    with own_registries():
        [name] = toolect.load(tmp_path / "pipe.yaml")
        [cut] = toolect.dialect(name).parse("<|do|>book<|with|>to=Ri").calls
    assert cut.status == "truncated"


def test_calls_are_numbered_in_their_openers(tmp_path: Path) -> None:
    """Also where a closer comes before all but the first, and no two of them are the second of their answers."""
    rows = [
        row('Yes.\nCALLS:\n1) tide(port: "Kiel")\nEND', ("tide", {"port": "Kiel"}), content="Yes."),
        row('CALLS:\n1) tide(port: "Oslo")\n2) log()\n3) tide(port: "Cork")\nEND', ("tide", {"port": "Oslo"}), ("log", {}), ("tide", {"port": "Cork"})),
        row("CALLS:\n1) log()\nEND", ("log", {})),
        row("No.", content="No."),
    ]  # fmt: skip
    assert "4 of 4 rows read as they say, 4 written back" in new(tmp_path, "num", rows=rows).output
    assert r'NUMBER: "1" | /\d+/' in (tmp_path / "grammars/num.lark").read_text()


def test_arguments_are_written_as_compact_as_all_rows_have_them(tmp_path: Path) -> None:
    """Also where some arguments have no place for blanks."""
    rows = [
        row('Ok.\n{{tide|{"port":"Kiel","days":2}}}', ("tide", {"port": "Kiel", "days": 2}), content="Ok."),
        row('{{log|{}}}{{tide|{"port":"Sète","days":10}}}', ("log", {}), ("tide", {"port": "Sète", "days": 10})),
    ]
    assert "2 of 2 rows read as they say, 2 written back\n" in new(tmp_path, "tight", rows=rows).output
    assert "layout: compact" in (tmp_path / "tight.yaml").read_text()


def test_a_dialect_that_writes_what_it_does_not_read_is_not_claimed(tmp_path: Path) -> None:
    """The law of round trips is tried; rows that are written otherwise than they stand there are counted."""
    booked: dict[str, Json] = {"hotel": "Adlon", "guests": ["Ann", "Bob"], "smoking": False}
    rows = [
        row("Let me see.\n$ book_room #1 --hotel 'Ritz' --nights 2", ("book_room", {"hotel": "Ritz", "nights": 2}), content="Let me see."),
        row("$ ping #1", ("ping", {})),
        row(
            "$ weather.now #1 --city 'Oslo'\n$ book_room #2 --hotel 'Adlon' --guests [\"Ann\", \"Bob\"] --smoking false",
            ("weather.now", {"city": "Oslo"}), ("book_room", booked),
        ),
        row("All is done.", content="All is done."),
    ]  # fmt: skip
    for one in rows:
        for number, call in enumerate(one["calls"], 1):
            call["id"] = str(number)
    done = new(tmp_path, "cli", rows=rows)
    assert "4 written back, 3 of them to the character" in done.output
    assert "a message that is written is read as something else" in done.output and done.exit_code == 1
