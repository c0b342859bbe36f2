"""New dialects: what samples show is induced, and nothing that is there is overwritten."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest
import shares
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st
from shipped_corpus import cases_of, read

import toolect
from toolect._spec.load import load_spec, load_specs
from toolect.authoring.scaffold import Sample, Scaffold, scaffold
from toolect.cli import main
from toolect.cli.new import MAX_SAMPLE
from toolect.compiled import Dialect
from toolect.message import Call, Content, Message, Reasoning, same_json
from toolect.registry import shipped
from tools.induction.measure import differing, drawn, random_outcome, shipped_outcome
from tools.induction.measure import induced as induced_from

EXAMPLES = Path(__file__).parent.parent / "examples"
READ = (Path(__file__).parent / "induced.txt").read_text().split()
"""Dialects of which one call is enough to induce a dialect that reads it."""
TIDES = "I will look at the tides.\n\n<call:tide_table>\n<arg:port>Brest</arg>\n<arg:days>2</arg>\n</call>\n"
WINDS = (
    "<muse>They sail.</muse>\n<call:tide_table>\n<arg:port>Brest</arg>\n</call>\n<call:wind>\n<arg:hours>3</arg>\n"
    "</call><|done|>"
)
ENTRY = """\
harbour:
  about: "Calls with one element per argument, after <call:"
  map:
    content: content
    think: reasoning
    call: call
    NAME: call.name
    argument: argument
    KEY: argument.key
    argument/TEXT: argument.value
  values: {argument/TEXT: schema}
  gaps: {before call: "\\n\\n", between calls: "\\n"}
  end: ["<|done|>"]
"""
GRAMMAR = r"""// harbour: Calls with one element per argument, after <call:. Induced from corpus/harbour.txt
start: (content | think | call)*
content: TEXT
think: "<muse>" TEXT "</muse>\n"
call: "<call:" NAME ">\n" argument* "</call>"
argument: "<arg:" KEY ">" TEXT "</arg>\n"
NAME: /[^\s"'<>]+/
KEY: /[^\s"'<>]+/
%declare TEXT
"""


def loaded(made: Scaffold, folder: Path) -> Dialect:
    """The dialect that is scaffolded, from its files."""
    for path, text in made.files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return Dialect(load_spec(folder / "new.yaml", "new"))


def induced(folder: Path, *texts: str) -> tuple[Scaffold, Dialect]:
    """What is scaffolded from texts."""
    samples = [Sample(f"Sample {i}", text) for i, text in enumerate(texts, 1)]
    made = scaffold("new", samples, folder / "new.yaml")
    return made, loaded(made, folder)


def new(folder: Path, *words: str, text: str | None = None) -> Result:
    """Runs `toolect new` in a folder."""
    return CliRunner().invoke(main, ["new", *words, "--into", str(folder)], input=text)


# Inducing


def test_keys_hold_no_quotes(tmp_path: Path) -> None:
    """Other quotes than those of the samples are none of a key."""
    text = '<use tool="{}">\n<in name="port">Brest</in>\n<in name="days">2</in>\n</use>'
    _, dialect = induced(tmp_path, *map(text.format, ("tide", "list_ports", "tide")))
    for keys in (['"port"'], ['"port"', '"days"']):
        broken = text.format("tide")
        for key in keys:
            broken = broken.replace(key, key.replace('"', "'"))
        [call] = dialect.parse(broken).calls
        assert call.arguments == {"port": "Brest", "days": 2}


def test_keys_with_an_apostrophe(tmp_path: Path) -> None:
    """Where the samples have one, it is a part of a key."""
    tools = [{"name": "tide", "parameters": {"type": "object", "properties": {"o'clock": {}, "port": {}}}}]
    texts = [f"<call:tide>\n<arg:o'clock>{hour}</arg>\n<arg:port>Brest</arg>\n</call>" for hour in (3, 4)]
    made = scaffold("new", [Sample(text, text) for text in texts], tmp_path / "new.yaml", tools)
    assert made.sound and loaded(made, tmp_path).parse(texts[0]).calls[0].arguments == {"o'clock": 3, "port": "Brest"}


@pytest.mark.parametrize("name", shares.share(READ, 43, "one call"))
def test_one_call_is_enough(name: str, tmp_path: Path) -> None:
    """The first single call of a dialect's corpus is read to the same call by a dialect that is induced from it.

    Half of those dialects are drawn (`--all`: each of them); `make induction` induces many more formats.
    """
    wanted = toolect.dialect(name)
    for case in cases_of(name):
        plain = not any(map(case.has, ("error", "lenient", "prefix", "policy")))
        message = wanted.parse(case.text, **case.options) if plain else Message()
        if len(message.calls) == 1 and message.clean and message.calls[0].arguments:
            break
    _, dialect = induced(tmp_path, case.text)
    [call] = dialect.parse(case.text, **case.options).calls
    assert (call.name, call.runnable) == (message.calls[0].name, True)
    assert same_json(call.arguments, message.calls[0].arguments)


A, B = Call("get_weather", {"city": "Bern", "days": 3}), Call("get_time", {"place": "Oslo"})
FORMS = {
    "sections": '<calls>\n<tool>\n{"name": "get_weather", "arguments": {"city": "Bern", "days": 3}}\n</tool>\n<tool>\n'
    '{"name": "get_time", "arguments": {"place": "Oslo"}}\n</tool>\n</calls>',
    "encoded": '[{"id": "a", "type": "function", "function": {"name": "get_weather", "arguments": '
    '"{\\"city\\": \\"Bern\\", \\"days\\": 3}"}}, {"id": "b", "type": "function", "function": {"name": "get_time", '
    '"arguments": "{\\"place\\": \\"Oslo\\"}"}}]',
    "keyed": '<|go|>{"get_weather": {"city": "Bern", "days": 3}}<|/go|><|go|>{"get_time": {"place": "Oslo"}}<|/go|>',
    "named": '[RUN]get_weather[WITH]{"city": "Bern", "days": 3}[RUN]get_time[WITH]{"place": "Oslo"}',
    "attributes": '<run name="get_weather">\n  <in name="city">Bern</in>\n  <in name="days">3</in>\n</run>\n'
    '<run name="get_time">\n  <in name="place">Oslo</in>\n</run>',
    "pairs": "<run>get_weather\n<a_key>city</a_key><a_value>Bern</a_value>\n<a_key>days</a_key><a_value>3</a_value>\n"
    "</run>\n<run>get_time\n<a_key>place</a_key><a_value>Oslo</a_value>\n</run>",
    "code": '<|run|>[get_weather(city="Bern", days=3), get_time(place="Oslo")]<|/run|>',
}


@pytest.mark.parametrize("form", FORMS)
def test_what_repeats_is_found(form: str, tmp_path: Path) -> None:
    """Two calls, content and reasoning: sections, separators and gaps are told from what each call has."""
    text = FORMS[form]
    made, dialect = induced(tmp_path, text, f"Look:\n\n{text}", f"[THINK]\nWell.\n[/THINK]\n{text}", "No.<|over|>")
    assert (made.read, made.calls) == (4, 6)
    for start, sample in (([], text), (["Look:"], f"Look:\n\n{text}")):
        message = dialect.parse(sample)
        assert message.clean
        assert [s.text.rstrip() for s in message.segments if not isinstance(s, Call)] == start
        assert [(call.name, call.arguments) for call in message.calls] == [(c.name, c.arguments) for c in (A, B)]
    assert dialect.parse(f"[THINK]\nWell.\n[/THINK]\n{text}").segments[0] == Reasoning("Well.")
    assert dialect.parse("No.<|over|>") == Message([Content("No.")])


def test_files(tmp_path: Path) -> None:
    """The three files, as they are for a pasted answer of each kind."""
    for name, text in (("a.txt", TIDES), ("b.txt", WINDS)):
        (tmp_path / name).write_text(text)
    result = new(tmp_path, "harbour", str(tmp_path / "a.txt"), str(tmp_path / "b.txt"))
    assert result.exit_code == 0, result.output
    corpus = tmp_path / "corpus" / "harbour.txt"
    assert result.output.splitlines()[-3:] == [
        "2 of 2 samples are read clean, with 3 calls",
        f"toolect: no sample shows a call without arguments: look at what is made up of it in {corpus}",
        f"next: toolect lint {tmp_path / 'harbour.yaml'}",
    ]
    assert (tmp_path / "harbour.yaml").read_text() == ENTRY
    assert (tmp_path / "grammars" / "harbour.lark").read_text() == GRAMMAR
    cases = read(tmp_path / "corpus" / "harbour.txt")
    *cases, cut, made_up = cases
    assert made_up.title == "A call without arguments: made up, as no sample has one"
    assert made_up.expected == "call tide_table {}"
    assert [case.text for case in cases] == [TIDES, WINDS]
    assert TIDES.startswith(cut.text) and cut.get("error") == "truncated"
    assert "check" in cases[0].title
    assert cases[1].expected == 'reasoning "They sail."\ncall tide_table {"port": "Brest"}\ncall wind {"hours": 3}'


def test_reasoning_that_the_prompt_opened(tmp_path: Path) -> None:
    """A sample that begins inside of its reasoning has the opener as its prefix."""
    call = '<go>\n{"name": "f", "arguments": {}}\n</go>'
    made, dialect = induced(tmp_path, f"Hm.\n</think>\n\n{call}")
    assert made.read == 1
    assert dialect.spec.prefill == {"<think>\n": "think"}
    assert read(tmp_path / "corpus" / "new.txt")[0].options == {"prefix": "<think>\n"}


def test_what_shows_no_call(tmp_path: Path) -> None:
    """Text without calls makes files that load, and claim nothing."""
    made, dialect = induced(tmp_path, "Hello.")
    assert (made.read, made.calls) == (1, 0)
    assert dialect.parse("Hello.") == Message([Content("Hello.")])
    made, _ = induced(tmp_path, "A <run: f; now /> of a kind.")
    assert made.read == 0
    [case] = read(tmp_path / "corpus" / "new.txt")
    assert ("not read yet" in case.title, case.expected) == (True, "")


TAGS = '<a>|</a>|<call:f>|</call>|<f=g>|<p name="k">|</p>|[T]|<think>|</think>|<k_key>|</k_key>|<k_value>|</k_value>'
CALLS = '{"name": "f", "arguments": {"a": 1}}|{"a": {"b": 1}}|f(a=1)|[f()]|Action: |<\\x7cx\\x7c>|```'
SIGNS = [*'{}[]:x\n "/\\\0\x85é', "------"]
PIECES = st.sampled_from([*TAGS.split("|"), *CALLS.replace("\\x7c", "\uff5c").split("|"), *SIGNS])


@given(st.lists(st.lists(PIECES, max_size=12).map("".join), min_size=1, max_size=3))
def test_any_samples(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    """Whatever the samples are, the files load, and the corpus holds them."""
    folder = tmp_path_factory.mktemp("new")
    induced(folder, *texts)
    assert [case.text for case in read(folder / "corpus" / "new.txt")][: len(texts)] == texts


@pytest.mark.parametrize("part", ["f(", "<k_key>a</k_key><k_value>", "<a=b>", " ", "tool", '{"a": 1} '])
def test_hostile_samples(part: str) -> None:
    """What opens and never ends takes no more than a moment."""
    before = time.process_time()
    scaffold("new", [Sample("Sample", part * (MAX_SAMPLE // len(part)))], Path("new.yaml"))
    assert time.process_time() - before < 3


# What nobody has seen


@pytest.mark.parametrize("first", shares.share(range(0, 60, 20), 1, "formats"))
def test_random_formats(first: int) -> None:
    """Nine of ten drawn formats are induced from five samples, and none of the others is said to be read.

    Here of twenty, with `--all` of sixty, and of as many as one has time for with `make induction`.
    """
    outcomes = {seed: random_outcome(seed) for seed in range(first, first + 20)}
    assert [(seed, one.wrong) for seed, one in outcomes.items() if one.claimed and not one.exact] == []
    assert sum(one.exact for one in outcomes.values()) >= 18


@pytest.mark.parametrize("seed", [36, 71, 86, 89])
def test_random_formats_without_tools(seed: int) -> None:
    """Tags that are tools' names, names that close a call, members and ids before the name: five samples show them."""
    one = drawn(seed)
    made = induced_from(one.samples)
    assert made.sound and not any(differing(made.dialect, one.held_out, one.declared))


@pytest.mark.parametrize("seed", [0, 4, 11, 16, 20, 21, 22, 34, 44, 53, 84])
def test_new_dialects_lint_clean(seed: int) -> None:
    """What lint asks of a new dialect is settled: cases that no sample has, odd spellings, keys that may be markers."""
    outcome = random_outcome(seed, linted=True)
    assert outcome.claimed and outcome.clean


TOOLS = """[{"name": "find_berth", "parameters": {"type": "object", "properties": {"port": {"type": "string"},
"nights": {"type": "integer"}}, "required": ["port", "nights"]}}]"""


@pytest.mark.parametrize(
    "call",
    [
        "BEGIN_CALL\nfind_berth\nport: {}\nnights: {}\nEND_CALL",
        "@@find_berth\n- port = {}\n- nights = {}\n@@end",
        "#call find_berth\nport={}\nnights={}\n#end",
        '<do tool="find_berth" port="{}" nights="{}"/>',
        '(call find_berth :port "{}" :nights {})',
        "<|run|>find_berth<|k|>port<|v|>{}<|k|>nights<|v|>{}<|stop|>",
        '[go]{{"vug": "find_berth", "zam": {{"port": "{}", "nights": {}}}}}[/go]',
        "[find_berth]\nport = '{}'\nnights = {}\n[/find_berth]",
        "X-Tool: find_berth\nX-Arg-port: {}\nX-Arg-nights: {}\n.",
        "find_berth({{port: '{}', nights: {}}});;",
    ],
)
def test_closers_that_are_no_tags(call: str, tmp_path: Path) -> None:
    """Declared tools say what are names and keys; unseen values are read, and the exit code says so."""
    texts = [call.format("Brest", 2), f"Let me look.\n\n{call.format('Port of Oslo', -1)}", "I have nothing to call."]
    texts.append(f"{call.format('Le-Havre', 30)}\n{call.format('Gdynia', 4)}")
    files = [tmp_path / f"{i}.txt" for i in range(len(texts))]
    for path, text in zip(files, texts, strict=True):
        path.write_text(text)
    (tmp_path / "tools.json").write_text(TOOLS)
    result = new(tmp_path, "mine", *map(str, files), "--tools", str(tmp_path / "tools.json"))
    assert result.exit_code == 0, result.output
    dialect = Dialect(load_spec(tmp_path / "mine.yaml", "mine"))
    [read_call] = dialect.parse(call.format("St Malo", 12), json.loads(TOOLS)).calls
    assert (read_call.name, read_call.arguments) == ("find_berth", {"port": "St Malo", "nights": 12})


HARBOUR = [*json.loads(TOOLS), {"name": "list_ports", "parameters": {"type": "object", "properties": {}}}]


def query(name: str, **arguments: str) -> str:
    """A call as a URL."""
    return f"<tool://{name}?{'&'.join(f'{key}={quote(value)}' for key, value in arguments.items())}>"


def tables(name: str, **arguments: str) -> str:
    """A call as TOML, with a table for its arguments if it has any."""
    lines = "".join(f"{key} = {value if value.isdigit() else json.dumps(value)}\n" for key, value in arguments.items())
    return f'[[call]]\ntool = "{name}"\n' + (f"[call.with]\n{lines}" if lines else "")


def mail(name: str, **arguments: str) -> str:
    """A call as headers, whose keys have a prefix."""
    lines = "".join(f"X-Arg-{key}: {value}\n" for key, value in arguments.items())
    return f"X-Tool: {name}\n{lines}."


@pytest.mark.parametrize("declared", [True, False])
@pytest.mark.parametrize("form", [query, tables, mail])
def test_odd_notations(form: Callable[..., str], declared: bool) -> None:
    """Percent escapes, a table that is there for arguments alone, keys with a prefix: with tools and without."""
    calls = [("Brest", "2"), ("Port Louis", "30"), ("Gdynia & Sopot", "4"), ("Ærø", "7")]
    one, two, three, four = (form("find_berth", port=port, nights=nights) for port, nights in calls)
    ports, end = form("list_ports"), "#--" if form is tables else ""
    texts = [
        one + end,
        f"I look.\n\n{two}{end}",
        f"{three}\n{one}{end}",
        f"Both, then.\n\n{ports}\n{four}{end}",
        "Nothing.",
    ]
    tools = HARBOUR if declared else None
    made = induced_from(texts, tools)
    assert made.sound
    message = made.dialect.parse(f"{ports}\n{form('find_berth', port='St. Malo (50 %)', nights='12')}{end}", tools)
    assert [call.name for call in message.runnable] == ["list_ports", "find_berth"]
    assert message.calls[1].arguments == {"port": "St. Malo (50 %)", "nights": 12}


def test_no_call_with_tools_declared(tmp_path: Path) -> None:
    """Markup that nothing is made of is not content in the corpus; it is said what to write by hand."""
    (tmp_path / "tools.json").write_text(TOOLS)
    result = new(tmp_path, "mine", "--tools", str(tmp_path / "tools.json"), text="%% find_berth %%")
    assert result.exit_code == 1
    for words in ("found no call in 1 sample", "`find_berth` is named in Sample 1", "write by hand", "call: "):
        assert words in result.output
    [case] = read(tmp_path / "corpus" / "mine.txt")
    assert ("not read yet" in case.title, case.expected) == (True, "")


def test_words_as_options(tmp_path: Path) -> None:
    """Names and keys can be told one by one."""
    text = "RUN find_berth WITH port: Brest; nights: 2 DONE"
    words = ["--name", "find_berth", "--key", "port", "--key", "nights"]
    new(tmp_path, "mine", *words, text=text)
    [call] = Dialect(load_spec(tmp_path / "mine.yaml", "mine")).parse(text).calls
    assert (call.name, call.arguments) == ("find_berth", {"port": "Brest", "nights": 2})


def test_questions_on_a_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where somebody can answer, it is asked which words are names and keys."""
    monkeypatch.setattr("toolect.cli.new.words.asks", lambda: True)
    (tmp_path / "a.txt").write_text("@@run find_berth\nport = Brest\nnights = 2\n@@end")
    words = ["new", "mine", str(tmp_path / "a.txt"), "--into", str(tmp_path)]
    result = CliRunner().invoke(main, words, input="n\nfind_berth\nport, nights\n")
    assert "Which tools are called" in result.output
    [call] = Dialect(load_spec(tmp_path / "mine.yaml", "mine")).parse((tmp_path / "a.txt").read_text()).calls
    assert (call.name, call.arguments) == ("find_berth", {"port": "Brest", "nights": 2})
    (tmp_path / "b.txt").write_text(TIDES)
    words = ["new", "yours", str(tmp_path / "b.txt"), "--into", str(tmp_path)]
    result = CliRunner().invoke(main, words, input="y\ny\n")
    assert "Are these the names of the tools that are called: tide_table?" in result.output
    assert "1 of 1 sample is read clean" in result.output


# The command


def test_known_dialects_are_told(tmp_path: Path) -> None:
    """What is known needs no new dialect; a variant of it is one line."""
    sample = str(EXAMPLES / "hermes.txt")
    result = new(tmp_path, "mine", sample)
    assert (result.exit_code, list(tmp_path.iterdir())) == (1, [])
    assert "`hermes` reads this already" in result.output
    assert new(tmp_path, "mine", sample, "--like", "hermes").exit_code == 0
    assert (tmp_path / "mine.yaml").read_text() == 'mine:\n  extends: hermes\n  about: "Like hermes"\n'
    assert not (tmp_path / "grammars").exists()
    assert new(tmp_path, "other", sample, "--anyway").exit_code == 0
    assert (tmp_path / "grammars" / "other.lark").exists()


def test_appending(tmp_path: Path) -> None:
    """An entry goes into a file that is there; the others beside it."""
    spec = tmp_path / "my.yaml"
    spec.write_text("# mine\nold:\n  extends: hermes")
    run = CliRunner().invoke
    assert run(main, ["new", "harbour", "--append", str(spec)], input=TIDES).exit_code == 0
    assert spec.read_text().startswith("# mine\nold:\n  extends: hermes\n\nharbour:\n")
    assert [*load_specs(spec, shipped())[0]] == ["old", "harbour"]
    again = run(main, ["new", "harbour", "--append", str(spec)], input=TIDES)
    assert (again.exit_code, "choose another" in again.output) == (2, True)


def test_templates(tmp_path: Path) -> None:
    """A chat template is as good as samples."""
    result = new(tmp_path, "mine", "--anyway", "--no-chat", "--template", str(EXAMPLES / "template.jinja"))
    assert result.exit_code == 0, result.output
    assert "8 of 8 samples are read clean, with 8 calls" in result.output
    bad = new(tmp_path, "other", "--template", str(EXAMPLES / "hermes.txt"))
    assert (bad.exit_code, bad.output.count("\n")) == (2, 1)


@pytest.mark.parametrize("there", ["harbour.yaml", "grammars/harbour.lark", "corpus/harbour.txt"])
def test_nothing_is_overwritten(there: str, tmp_path: Path) -> None:
    """A file that is there stays, and none of the others is written."""
    path = tmp_path / there
    path.parent.mkdir(exist_ok=True)
    path.write_text("mine")
    result = new(tmp_path, "harbour", text=TIDES)
    assert (result.exit_code, path.read_text()) == (2, "mine")
    assert result.output.count("\n") == 1
    assert [p for p in tmp_path.rglob("*") if p.is_file()] == [path]


@pytest.mark.parametrize("words", [["Bad Name"], ["auto"], ["x", "--append", "none.yaml"], ["x", "none.txt"]])
def test_misuse(words: list[str], tmp_path: Path) -> None:
    """What cannot be is refused in one sentence."""
    result = CliRunner().invoke(main, ["new", *words], input=TIDES)
    assert (result.exit_code, result.output.count("\n")) == (2, 1)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_unwritable_folder(tmp_path: Path) -> None:
    """A folder that cannot be written to is named."""
    tmp_path.chmod(0o500)
    result = new(tmp_path, "harbour", text=TIDES)
    assert (result.exit_code, "choose another folder" in result.output) == (2, True)


CALL_OF = '<|part|>call<|text|>{{"name": "find_berth", "arguments": {{"port": "{}", "nights": 2}}}}<|end|>'
ITEMS = {
    "divided": ("<|part|>answer<|text|>{}<|end|>", "<|part|>plan<|text|>{}<|end|>", "<|next|>model"),
    "as wide as its marks": ("<reply>\n{}\n</reply>\n", "<musing>\n{}\n</musing>\n", ""),
    "a divider alone": ("{}", "<musing>{}</musing>\n", "\n===\n"),
}


@pytest.mark.parametrize("form", ITEMS)
def test_content_and_reasoning_have_marks_of_their_own(form: str, tmp_path: Path) -> None:
    """What stands around content and reasoning, and what divides all parts of an answer, is no part of them."""
    content, reasoning, divider = ITEMS[form]

    def written(*parts: str) -> str:
        return divider.join(parts)

    said, thought = content.format("I look for both now."), reasoning.format("They want to moor.")
    texts = [
        written(CALL_OF.format("Brest")),
        written(said, CALL_OF.format("Lorient"), CALL_OF.format("Vannes")),
        written(thought, CALL_OF.format("Roscoff")),
        written(thought, content.format("One moment, please."), CALL_OF.format("Brest")),
    ]
    samples = [Sample(f"Sample {i}", text) for i, text in enumerate(texts, 1)]
    made = scaffold("new", samples, tmp_path / "new.yaml", json.loads(TOOLS))
    assert not made.unread
    message = made.dialect.parse(written(reasoning.format("Well, well."), content.format("Yes."), texts[0]))
    assert (message.reasoning.strip(), message.content.strip()) == ("Well, well.", "Yes.")
    assert [call.arguments for call in message.calls] == [{"port": "Brest", "nights": 2}]


UNDECLARED = ["beam", "dsml-v4", "dsml-v4.1", "functiongemma", "gemma4", "minicpm5", "mistral-v11", "pythonic",
              "sarashina", "solar-open"]  # fmt: skip


@pytest.mark.parametrize("name", shares.share(UNDECLARED, 5, "undeclared"))
def test_five_samples_without_tools(name: str) -> None:
    """More samples are no worse than one: what one of them shows, or what is read by that, counts for all.

    Half of these dialects are drawn (`--all`: each); `make induction` counts them all.
    """
    outcome = shipped_outcome(name, 5, declared=False)
    assert outcome is not None and outcome.calls, outcome


@pytest.mark.parametrize("name", ["beam", "functionary-v2", "functionary-v3.2", "glm4", "harmony", "muse", "react"])
def test_five_samples_of_answers_in_parts(name: str) -> None:
    """Five answers with content and reasoning among them are read as the shipped dialect reads them."""
    outcome = shipped_outcome(name, 5, declared=True)
    assert outcome is not None and outcome.exact, outcome
