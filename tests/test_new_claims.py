"""What `toolect new` does not claim: dialects that read their samples, and give out less than these say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import toolect
from toolect.authoring.scaffold import Sample, Scaffold, known, scaffold, trying
from toolect.authoring.scaffold.not_read import why_unread
from toolect.cli import main
from toolect.message import Json
from tools.induction.measure import random_outcome


def tool(name: str, **kinds: str) -> Json:
    """A declared tool; its parameters with their types."""
    return {
        "name": name,
        "parameters": {"type": "object", "properties": {key: {"type": kind} for key, kind in kinds.items()}},
    }


TOOLS = [tool("get_tide", port="string", days="integer"), tool("list_ports"), tool("send-note", text="string")]
CALLS: list[tuple[str, dict[str, Json]]] = [
    ("get_tide", {"port": "Brest", "days": 3}),
    ("send-note", {"text": "come at ten"}),
    ("get_tide", {"port": "Le Havre", "days": 12}),
    ("list_ports", {}),
]


def induced(texts: list[str], tools: list[Json] | None = None) -> Scaffold:
    """The dialect of samples."""
    samples = [Sample(f"Sample {i}", text) for i, text in enumerate(texts, 1)]
    return scaffold("new", samples, Path("new.yaml"), tools)


def spec(made: Scaffold) -> str:
    """The entry of a new dialect."""
    return made.files[Path("new.yaml")]


def planned(*calls: tuple[str, dict[str, Json]], **said: str) -> str:
    """An answer that is one object: what is said, and steps."""
    steps = [{"step": i, "do": {name: given}} for i, (name, given) in enumerate(calls, 1)]
    return json.dumps({**said, "plan": steps})


@pytest.mark.parametrize("tools", [None, TOOLS])
@pytest.mark.parametrize("keys", [("action", "input"), ("step", "with")])
def test_prose_in_the_object_of_a_call_is_told(keys: tuple[str, str], tools: list[Json] | None) -> None:
    """No shape has it there: the calls are read, and what is not given out is said."""
    texts = [json.dumps({"thought": f"Now for {name}.", keys[0]: name, keys[1]: given}) for name, given in CALLS[:3]]
    made = induced(texts, tools)
    assert [call.name for one in made.messages if one for call in one.calls] == [name for name, _ in CALLS[:3]]
    assert "what `thought` holds is given out nowhere" in made.doubt


@pytest.mark.parametrize("tools", [None, TOOLS])
def test_prose_beside_calls_in_json_is_content_or_reasoning(tools: list[Json] | None) -> None:
    """Sentences are no constants; a number that runs is said to be given out nowhere."""
    made = induced(
        [
            planned(CALLS[0], say="I look up the tide."),
            planned(*CALLS[1:3], thought="Two things to do, then."),
            planned(CALLS[2], thought="Well, I know that.", say="One moment."),
            planned(CALLS[3]),
        ],
        tools,
    )
    assert '"say?": $content' in spec(made) and '"thought?": $reasoning' in spec(made)
    assert made.doubt.startswith("what `step` holds is given out nowhere: 1, 2") and not made.unread
    message = made.dialect.parse(planned(CALLS[3], thought="No.", say="Yes, I do."))
    assert (message.content, message.reasoning) == ("Yes, I do.", "No.")


def wrapped(ref: str, name: str, given: dict[str, Json]) -> str:
    """A call in an envelope that has an id."""
    return f"@@RUN {json.dumps({'ref': ref, 'v': 1, 'op': {'verb': name, 'with': given}})}@@"


def test_ids_are_no_constants_and_no_names() -> None:
    """What one sample shows may be always the same, or an id: that is said; several show that it is one."""
    made = induced([wrapped("c-01", *CALLS[0])], TOOLS)
    assert "c-01" not in spec(made) and "c-01" in made.doubt
    several = [wrapped("c-01", *CALLS[0]), wrapped("c-01", *CALLS[1]) + wrapped("c-02", *CALLS[2])]
    made = induced([*several, wrapped("c-01", *CALLS[2]), f"Well.\n{wrapped('c-01', *CALLS[0])}"])
    [*_, call] = made.dialect.parse(several[1]).calls
    assert (call.name, call.id) == ("get_tide", "c-02")


def test_numbers_in_markers_that_few_calls_show() -> None:
    """A header that one call has may be another one in the next."""
    made = induced(['POST /get_tide HTTP\nCall-Id: 0003\n\n{"port": "Brest", "days": 3}'], TOOLS)
    assert made.doubt == "`0003` was taken for markup, which so few calls do not show"


def keyed(*calls: tuple[str, list[dict[str, Json]]]) -> str:
    """Lists of arguments by the name of their tool."""
    return f"<|fn|>{json.dumps(dict(calls))}<|/fn|>"


def test_arguments_in_markers() -> None:
    """What stands between two calls and has a key in it is no marker, but a call."""
    [(tide, given), (note, said), (_, other), _] = CALLS
    made = induced([f"On it.\n{keyed((tide, [given, other]), ('list_ports', [{}]))}", keyed((note, [said]))], TOOLS)
    assert not made.sound and "`port` was taken for markup in" in made.doubt


def test_what_to_do_where_a_name_is_not_certain() -> None:
    """It is said where the name was seen, and which word looks more like one."""
    made = induced([f"On it.\n{keyed(('get_tide', [CALLS[0][1]]))}", keyed(("list_ports", [{}]))])
    assert made.doubt == (
        '`fn` was taken for the name of a tool in `<|fn|>{"get_tide": [{"port": "B…`, which so few calls do not show:'
        " say with --tools, or with --name and --key, which words are names and keys;"
        " for `get_tide` that is `--name get_tide`"
    )


def test_what_to_do_with_the_sample_that_is_odd() -> None:
    """What is read in it is said, or that it is not read."""
    texts = [f"<go>{name} {json.dumps(given)}</go>" for name, given in CALLS[:3]]
    odd = 'send-note {"text": "stay"}\n' + texts[0]
    assert induced([*texts, odd], TOOLS).doubt == (
        "how calls are written was seen without Sample 4, which may be of another format:"
        " run it without that, or mend the grammar"
    )


@pytest.mark.parametrize("tools", [None, TOOLS])
def test_words_that_count_calls(tools: list[Json] | None) -> None:
    """`c1` and `c2` in markers: a third call would not be read. Where no sample has two calls, nobody can tell."""
    lines = [f'c{i} = {name}({", ".join(f"{k}={v!r}" for k, v in given.items())})\n' for i, (name, given) in
             [(1, CALLS[0]), (2, CALLS[1]), (1, CALLS[2]), (1, CALLS[3])]]  # fmt: skip
    texts = [f"<|do|>\n{one}<|/do|>" for one in ("".join(lines[:2]), *lines[2:])]
    for samples in (texts, texts * 3):
        made = induced(samples, tools)
        assert not made.sound and "c2" in made.doubt, made.doubt
    made = induced(texts[1:] * 2, TOOLS)
    assert not made.sound and "`c1` was taken for markup" in made.doubt


def test_calls_in_content() -> None:
    """A declared tool that an answer names with arguments is one of its calls, also where another one is read."""
    texts = [f"<go>{name} {json.dumps(given)}</go>" for name, given in CALLS]
    assert induced(texts, TOOLS).sound
    for left in ('send-note {"text": "stay"}', "get_tide(port='Brest')", "get_tide\nport: Brest\ndays: 3"):
        made = induced([*texts, f"{left}\n{texts[0]}"], TOOLS)
        assert not made.sound, left
    assert induced([*texts, f"I look with get_tide (or so).\n{texts[0]}"], TOOLS).sound


@pytest.mark.parametrize("sign", ["=", ":", "~", "|"])
def test_values_that_begin_with_a_sign(sign: str) -> None:
    """What most values begin with is of the markup, also where one of them hides that."""
    texts = [
        f'I look.\n\n+++ get_tide\nport {sign} "Brest"\ndays {sign} 3\n+++',
        f'+++ send-note\nto {sign} ["ida", "bo"]\ntext {sign} "Dear Ida,\nall well."\n+++\n\n+++ list_ports\n+++',
    ]
    assert induced(texts).doubt in (
        f"most values begin with `{sign}`, which may be none of them",
        "`all` was taken for markup, which so few samples do not show",
    )


def test_a_quote_that_goes_over_lines() -> None:
    """A value that begins with three quotes ends with them, and not with its line."""
    note = '+++ send-note\ntext: """Dear Ida,\nall: well."""\n+++'
    made = induced([note, "+++ get_tide\nport: Brest\ndays: 3\n+++", "+++ list_ports\n+++"])
    assert not made.sound


def test_content_that_one_sample_does_not_end() -> None:
    """What stands between content and a call may end the one, or begin the other."""
    said, call = "<|c|>out<|b|>{}<|e|>", '<|c|>run<|t|>get_tide<|b|>{"port": "Brest", "days": 3}<|e|>'
    made = induced([said.format("I'll look at the tide first.") + call], TOOLS)
    assert made.doubt == "one sample does not show what ends the content that begins with `<|c|>out<|b|>`"
    made = induced([said.format("I look.") + call], TOOLS)
    assert made.doubt == "`I look.` was taken for markup, which so few samples do not show"


def test_values_that_are_several() -> None:
    """Where no call is seen to have two arguments, a value may hold the others."""
    texts = ["[get_tide](port~«Brest»; days~3)", "[send-note](text~«come at ten»)\n[get_tide](port~«Rome»; days~1)"]
    made = induced([*texts, "I go.\n[get_tide](port~«Le Havre»; days~12)\n[list_ports]()"])
    assert not made.sound


def test_escapes_that_are_not_read() -> None:
    """Values with the escapes of a URL in them are read as that; where they are no URL, that is said."""
    url = "-> tool://send-note?text={}\n"
    made = induced([url.format("come%20at%20ten"), "So.\n" + url.format("stay"), url.format("a%20b%2C%20c") * 2])
    assert [call.arguments for call in made.dialect.parse(url.format("two%20words")).calls] == [{"text": "two words"}]
    made = induced([url.format("come%20at%20ten") + "-> tool://list_ports\n", url.format("a <b>, %2C c")], TOOLS)
    assert not made.sound


@pytest.mark.parametrize("mark", ["*Thinking:* {}\n\n---\n\n", "#!think\n{}\n#!done\n", "~~{}~~\n", "@@MUSE\n{}\n@@\n"])
def test_content_that_begins_with_a_sign(mark: str) -> None:
    """Reasoning with markers of its own is read as that; where it does not show what ends it, that is said."""
    call = '@@get_tide\nport: "{}"\ndays: {}\n@@end'
    texts = [call.format("Brest", 3), mark.format("The user asks for a tide.") + call.format("Le Havre", 12)]
    texts += [f"I look.\n{call.format('Rome', 2)}", mark.format("It is late,\nand dark.") + call.format("Oslo", 0)]
    made = induced(texts, TOOLS)
    message = made.dialect.parse(mark.format("Something else.") + call.format("Bergen", 1), TOOLS)
    assert made.sound and message.reasoning.strip() == "Something else."
    heading = [text.replace(mark.format("It is late,\nand dark."), "## Well\nIt is late.\n\n") for text in texts]
    assert not induced(heading, TOOLS).sound


def test_where_a_sample_is_not_read(tmp_path: Path) -> None:
    """What is wrong there, the text and its place."""
    texts = ["<go>get_tide\nport = Brest\ndays = 3\n</go>", "<go>get_tide\nport = Le Havre\ndays = 12\n</go>"]
    texts += ["So.\n<go>send-note\ntext = Well\n</go>", "Look:\n<go>get_tide soon\nport = Oslo\n</go>"]
    files = [tmp_path / f"{i}.txt" for i in range(len(texts))]
    for path, text in zip(files, texts, strict=True):
        path.write_text(text)
    (tmp_path / "tools.json").write_text(json.dumps(TOOLS))
    words = ["new", "mine", *map(str, files), "--tools", str(tmp_path / "tools.json"), "--into", str(tmp_path)]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 1
    told = next(line for line in result.output.splitlines() if "Sample 4" in line)
    assert "the whitespace before this is not what the dialect writes" in told
    assert told.endswith("`soon\\nport = Oslo\\n</go>` in line 2, column 14")


def lisp(port: str, *tags: str) -> str:
    """A call as an expression, with a list whose items have nothing but blanks between them."""
    return f'(call! book :port "{port}" :tags ({" ".join(map(json.dumps, tags))}))'


BOOK: list[Json] = [tool("book", port="string", tags="array")]


@pytest.mark.parametrize("brackets", ["()", "[]"])
@pytest.mark.parametrize("form", ["{}", "book(port={}, tags={})", "<book port={} tags={}/>"])
def test_strings_side_by_side_are_no_string(brackets: str, form: str) -> None:
    """As Python reads them they are one, but a list may be written so: it is neither claimed nor written down."""
    given = [("Brest", "a", "b"), ("Le Havre", "x", "y", "z"), ("Oslo", "one")]
    texts = [lisp(*one) for one in given]
    if form != "{}":
        texts = [form.format(json.dumps(port), f"({' '.join(map(json.dumps, tags))})") for port, *tags in given]
    texts = [text.replace('("', f'{brackets[0]}"').replace('")', f'"{brackets[1]}') for text in texts]
    made = induced(texts, BOOK)
    assert made.unread[:2] == ("Sample 1", "Sample 2")
    assert [case.expected for case in made.cases[:2]] == ["", ""]
    assert '`"a" "b"` may be a list' in why_unread(made.dialect, Sample("", texts[0]), (), BOOK)
    text = form.format('"Rome"', '["a", "b"]') if form != "{}" else lisp("Rome").replace("()", '["a", "b"]')
    [call] = made.dialect.parse(text, BOOK).calls
    assert call.arguments == {"port": "Rome", "tags": ["a", "b"]}


def test_a_string_in_brackets_is_no_list() -> None:
    """Where no list has two items, how one is written is not seen; quotes in the text of a value are its own."""
    assert induced([lisp("Brest", "a"), lisp("Oslo", "one")], BOOK).doubt == (
        'no sample shows how lists such as `("a")` are written'
    )
    code = [tool("run", code="string", days="integer")]
    texts = [
        f"@@run\ncode: {text}\ndays: {days}\n@@end" for days, text in enumerate(['say "a" "b"', 'f("x" "y")', "1"])
    ]
    assert not induced(texts, code).unread


def test_the_strings_are_told(tmp_path: Path) -> None:
    """Where no sample is read, what was seen is said all the same, with exit code 1."""
    (tmp_path / "tools.json").write_text(json.dumps(BOOK))
    (tmp_path / "1.txt").write_text(lisp("Brest", "a", "b"))
    words = ["new", "mine", str(tmp_path / "1.txt"), "--tools", str(tmp_path / "tools.json"), "--into", str(tmp_path)]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 1 and 'Sample 1 is not read: the strings `"a" "b"` may be a list' in result.output


RUN = '§§{{"name": "get_tide", "arguments": {{"port": "{}", "days": 3}}}}§/§'.format


@pytest.mark.parametrize("said", ["Look.", "Voilà !", "Yes! Wait.", "好的。"])
@pytest.mark.parametrize("count", [1, 2])
def test_a_sentence_of_one_word_is_content(said: str, count: int) -> None:
    """It stands before calls, and is none of their markers."""
    calls = "\n".join(map(RUN, ["Brest", "Oslo"][:count]))
    made = induced([f"{said}\n{calls}"], TOOLS)
    assert made.sound and made.messages[0] is not None and made.messages[0].content.strip() == said
    assert str(made.dialect.render(made.dialect.parse(RUN("Rome"), TOOLS), TOOLS)) == RUN("Rome")


@pytest.mark.parametrize("text", ["Sure\n{}\n{}", "Okay:\n{}\n{}", "{}\nThen:\n{}", "{}\n{}\nDone.", "我来查一下\n{}"])
def test_a_word_that_few_samples_show_is_no_marker(text: str) -> None:
    """Whether it is prose, one sample does not show, and no two: three do."""
    ports = [("Brest", "Oslo"), ("Rome", "Ulm"), ("Bonn", "Bern")]
    texts = [text.format(*map(RUN, two)) for two in ports]
    for count in (1, 2):
        assert "was taken for markup, which so few samples do not show" in induced(texts[:count], TOOLS).doubt
    assert induced(texts, TOOLS).sound


def test_signs_around_a_call_are_not_known() -> None:
    """A dialect that leaves them in the content does not read a sample already."""
    assert known(toolect.dialect("json"), [Sample("", RUN("Brest").strip("§/"))])
    assert not known(toolect.dialect("json"), [Sample("", f"Look.\n{RUN('Brest')}")])


def rows(*calls: tuple[str, dict[str, Json]]) -> str:
    """Calls as the rows of a table, with their numbers."""
    lines = [f"| {i} | `{name}` | {json.dumps(given)} |" for i, (name, given) in enumerate(calls, 1)]
    return "\n".join(["| # | tool | arguments |", "|---|---|---|", *lines]) + "\n"


@pytest.mark.parametrize("tools", [None, TOOLS])
def test_rows_with_numbers(tools: list[Json] | None) -> None:
    """The number of a row is written, and no part of a marker; a third row is one more call."""
    texts = [rows(CALLS[0]), f"I look.\n\n{rows(*CALLS[1:3])}", rows(*CALLS[:2]), f"Well.\n\n{rows(CALLS[2])}"]
    made = induced([*texts, rows(CALLS[3])], tools)
    assert made.sound, made.doubt
    message = made.dialect.parse(rows(*CALLS), tools)
    assert message.clean and [(call.name, call.arguments) for call in message.calls] == CALLS
    assert str(made.dialect.render(message, tools)) == rows(*CALLS).removesuffix("\n")


def test_objects_that_show_no_layout() -> None:
    """`{}` is the same in each layout: others tell, in whatever order they come."""
    texts = [f"<go>{name} {json.dumps(given)}</go>" for name, given in (*CALLS[3:] * 3, *CALLS[:2])]
    for order in (texts, texts[::-1]):
        assert "layout" not in spec(induced(order, TOOLS))


def test_what_is_not_written_back(tmp_path: Path) -> None:
    """Samples that a new dialect would write in another way are counted, and the first one is shown."""
    texts = [f"Look.\n\n<go>get_tide {json.dumps(CALLS[0][1])}</go>", "No.\n<go>list_ports {}</go>"]
    files = [tmp_path / f"{i}.txt" for i in range(len(texts))]
    for path, text in zip(files, texts, strict=True):
        path.write_text(text)
    (tmp_path / "tools.json").write_text(json.dumps(TOOLS))
    words = ["new", "mine", *map(str, files), "--tools", str(tmp_path / "tools.json"), "--into", str(tmp_path)]
    output = CliRunner().invoke(main, words).output
    assert "1 of 2 samples would be written as they are" in output
    assert (
        "in Sample 2 it would write `\\n<go>list_ports {}</go>` for `<go>list_ports {}</go>` in line 2, column 1"
        in output
    )


def test_what_is_tried_is_told_and_comes_to_an_end() -> None:
    """Each way that is tried is counted; when the time is over the best found so far counts, and that is said."""
    texts = ["(run get_tide Brest 3)", "I look.\n(run get_tide Oslo 12)\n(run list_ports)", "(run send-note later)"]
    told: list[int] = []
    with trying(told.append, 60):
        induced(texts)
    assert told == [*range(1, len(told) + 1)] and len(told) > 1
    few: list[int] = []
    with trying(few.append, -1):
        made = induced(texts)
    assert 0 < len(few) < len(told)
    assert not made.sound and made.remarks[-1].startswith("after -1 s no more ways to read the samples were tried")


@pytest.mark.parametrize("declared", [True, False])
def test_formats_that_people_make_up(declared: bool) -> None:
    """Tables, lists, queries, requests, plans: what is not induced is not claimed, and most are."""
    outcomes = {
        seed: random_outcome(seed, odd=True, declared=declared) for seed in (*range(6), 17, 22, 38, 58, 61, 101)
    }
    assert [(seed, one.wrong) for seed, one in outcomes.items() if one.claimed and not one.exact] == []
    assert sum(one.exact for one in outcomes.values()) > 5
