"""Coverage: what a corpus holds is counted right, however it is shared out and whatever is wrong with it."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from html.parser import HTMLParser
from pathlib import Path

import msgspec
import pytest
import shares
from click.testing import CliRunner, Result
from jinja2 import UndefinedError
from shipped_corpus import all_cases

import toolect
from toolect._authoring.derivation import derive, parts
from toolect._cli import main
from toolect._corpora import examine as run
from toolect._corpora import report as report_module
from toolect._corpora import sources
from toolect._corpora.examine import Examiner, Options
from toolect._corpora.page import draw_page
from toolect._corpora.reading import Reader, Watch
from toolect._corpora.report import Report, report
from toolect._corpora.stats import MAX_SOURCES, OTHERS, Stats
from toolect._corpora.tally import Tally
from toolect._detection.leaks import leaks
from toolect._message import Call, Content, Json, Reasoning
from toolect._shown import percent

CALL = '<tool_call>\n{"name": "search", "arguments": {"q": "tea", "n": 3}}\n</tool_call>'
CASES = all_cases()
BROKEN = '<tool_call>\n{"name": "search", "arguments": oops}\n</tool_call>'
CUT = '<tool_call>\n{"name": "search", "arguments": {"q": "te'
CODER = "<tool_call>\n<function=f>\n<parameter=k>\nv\n</parameter>\n</function>\n</tool_call>"
HOSTILE = '<tool_call>\n{"name": "</script><b>", "arguments": {"x": "\\u0000<img src=x>\\u202e\\ud800"}}\n</tool_call>'


def invoke(*words: str, text: bytes | None = None) -> Result:
    """Runs `toolect coverage` in this process."""
    return CliRunner().invoke(main, ["coverage", *words], input=text)


def write(path: Path, values: Iterable[Json]) -> Path:
    """A file of JSON lines."""
    path.write_text("".join(json.dumps(value) + "\n" for value in values))
    return path


def counted(*paths: Path | str, jobs: int = 1, **options: Json) -> Report:
    """The report on these files."""
    found = [str(path) for path in paths]
    return report(run.coverage(found, Options(**options), jobs), len(found))


def figures(found: Report) -> dict[str | None, tuple[int, int, int, int, int, int]]:
    """Messages, calls and calls by status of each dialect."""
    return {
        d.name: (
            f.messages, f.calls, f.ok, f.repaired, f.truncated, f.malformed
        )
        for d in found.dialects
        for f in (d.figures,)
    }  # fmt: skip


# What is counted


def test_calls_are_counted_by_dialect_and_status(tmp_path: Path) -> None:
    """Without being told, each text is read in the dialect that it is in."""
    texts = [CALL, f"Look: {CALL}\n{CALL}", BROKEN, CUT, CODER, "Just prose."]
    found = counted(write(tmp_path / "a.jsonl", [{"text": text} for text in texts]))

    assert figures(found) == {"hermes": (4, 5, 3, 0, 1, 1), "qwen3-coder": (1, 1, 1, 0, 0, 0), None: (1, 0, 0, 0, 0, 0)}
    assert (found.messages, found.lines, found.problems) == (6, 6, 2)
    hermes = found.dialects[0]
    assert [(tool.name, tool.calls, tool.arguments) for tool in hermes.tools] == [
        ("search", 3, {"n": {"integer": 3}, "q": {"string": 3}})
    ]
    assert {(u.status, u.cause, u.count) for u in hermes.unparsed} == {
        ("malformed", "expected a JSON value, got …", 1),
        ("truncated", "the input ended inside the call", 1),
    }
    assert {u.examples[0].where for u in hermes.unparsed} == {f"{tmp_path}/a.jsonl:3", f"{tmp_path}/a.jsonl:4"}


def test_every_case_of_the_corpus_is_counted_as_it_is_read() -> None:
    """The calls, statuses and repairs of a report are those of `parse`, in every dialect."""
    for name in ("hermes", "qwen3-coder", "harmony", "gemma4", "kimi-k2", "pythonic"):
        cases = [case for case in CASES if case.dialect == name and not case.options.keys() - {"tools"}]
        stats = Stats()
        reader = Reader([name])
        for case in cases:
            tools = tuple(case.options.get("tools", ()))
            (read,) = reader.read(case.text, tools, "")
            expected = toolect.dialect(name).parse(case.text, tools or None)

            assert read.message == expected, case
            assert [c.repairs for c in read.calls] == [c.repairs for c in expected.calls], case
        assert stats.problems == 0


@pytest.mark.parametrize("name", ["hermes", "qwen3-coder", "mistral-v3", "harmony", "gemma4", "pythonic", "glm-4.7"])
def test_what_is_taken_of_a_grammar_is_what_derivations_take(name: str) -> None:
    """Reading at full speed notes, of each text, exactly the parts that deriving it would."""
    texts = [case.text for case in CASES if case.dialect == name and not case.options] * 2
    watch = Watch(toolect.dialect(name))

    assert texts
    for text in texts:
        assert watch.read(text)[1] == {*derive(toolect.dialect(name), text).edges}, text


def test_parts_of_a_grammar_that_never_came_are_named(tmp_path: Path) -> None:
    """A rule that no message takes is listed with its text and place."""
    path = write(tmp_path / "a.jsonl", [{"text": CALL}])
    grammar = counted(path, dialects=("hermes",)).dialects[0].grammar

    assert grammar is not None
    assert grammar.parts == len(parts(toolect.dialect("hermes")))
    assert grammar.taken + len(grammar.never) == grammar.parts
    assert [(n.kind, n.name) for n in grammar.never if n.kind == "rule"] == [("rule", "content"), ("rule", "think")]
    assert "hermes.lark" in grammar.never[0].place


def test_messages_are_counted_for_each_part_of_a_grammar(tmp_path: Path) -> None:
    """A part has the number of messages that took it, however often each did."""
    texts = ["Hi.", CALL, f"{CALL}\n{CALL}", f"Hi. {CALL}"]
    found = counted(write(tmp_path / "a.jsonl", [{"text": one} for one in texts]), dialects=("hermes",))
    grammar = found.dialects[0].grammar

    assert grammar is not None
    assert {one.name: one.messages for one in grammar.took if one.kind == "rule"} == {
        "start": 4,
        "content": 2,
        "call": 3,
    }


def test_markers_outside_of_calls_are_leaks(tmp_path: Path) -> None:
    """A marker of any dialect in content, reasoning or arguments is told with the dialects that have it."""
    text = f"<think>\nuse [TOOL_CALLS]?\n</think>\n\n{CALL.replace('tea', '</parameter> tea')}"
    found = counted(write(tmp_path / "a.jsonl", [{"text": text}]), dialects=("hermes",)).dialects[0]

    assert [(leak.marker, leak.within, leak.count) for leak in found.leaks] == [
        ("</parameter>", "arguments", 1),
        ("[TOOL_CALLS]", "reasoning", 1),
    ]
    assert "mistral-v3" in found.leaks[1].dialects
    assert [leak.marker for leak in leaks([Content("if a < b[0]: <b>json</b>"), Call("f", {"x": ["<arg_key>"]})])] == [
        "<arg_key>"
    ]
    assert leaks([Reasoning("plain"), Content("{}")]) == []
    assert leaks([Content("It writes `<tool_call>`."), Content("```\n<tool_call>\n```\n")]) == []


def test_the_source_of_texts_is_their_folder(tmp_path: Path) -> None:
    """A file of a text alone is none of its own, unless it holds several."""
    for name in "ab":
        (tmp_path / f"{name}.txt").write_text(f"{name}\n---\n{name}")
    for separator, names in (("", {str(tmp_path)}), ("---", {str(tmp_path / "a.txt"), str(tmp_path / "b.txt")})):
        stats = run.coverage([str(tmp_path)], Options(separator=separator))
        assert {source for source, _ in stats.counts} == names


def test_other_dialects_are_tried_on_what_failed(tmp_path: Path) -> None:
    """Of messages that failed, it is told which dialect would have read them."""
    found = counted(write(tmp_path / "a.jsonl", [{"text": CODER}, {"text": BROKEN}]), dialects=("hermes",))

    assert found.dialects[0].others.tried == 2
    assert found.dialects[0].others.read_by["qwen3-coder"] == 1


def test_several_dialects_read_everything(tmp_path: Path) -> None:
    """Each given dialect reads each message, and the best of them is told."""
    path = write(tmp_path / "a.jsonl", [{"text": CALL}, {"text": CODER}, {"text": CODER}, {"text": "prose"}])
    found = counted(path, dialects=("hermes", "qwen3-coder"))

    assert {d.name: (d.figures.messages, d.best) for d in found.dialects} == {"hermes": (4, 1), "qwen3-coder": (4, 3)}
    assert found.problems == 0  # what a dialect fails at that reads it worse than another is no problem of the corpus


def test_a_record_says_how_it_is_read(tmp_path: Path) -> None:
    """A record's own source, dialect and tools count."""
    coder = CODER.replace("\nv\n", "\n7\n")
    tools = [{"name": "f", "parameters": {"properties": {"k": {"type": "string"}}}}]
    records = [
        {"text": coder, "source": "x", "dialect": "qwen3_coder"},
        {"text": coder, "source": "y", "tools": tools},
        {"text": coder, "tools": json.dumps(tools)},
        {"text": coder, "tools": "nonsense", "dialect": "nonsuch"},
    ]
    found = counted(write(tmp_path / "a.jsonl", records))

    assert [(s.source, s.dialect, s.figures.calls) for s in found.sources] == [
        (f"{tmp_path}/a.jsonl", "qwen3-coder", 2), ("x", "qwen3-coder", 1), ("y", "qwen3-coder", 1),
    ]  # fmt: skip
    assert found.dialects[0].tools[0].arguments == {"k": {"integer": 2, "string": 2}}
    assert {bad.trouble for bad in found.troubles} == {"bad tools", "unknown dialect"}


# Where texts come from


@pytest.mark.parametrize(
    "record",
    [
        {"completion": CALL}, {"output": CALL}, {"response": CALL}, {"content": CALL}, CALL, {"text": [CALL]},
        {"messages": [{"role": "user", "content": BROKEN}, {"role": "assistant", "content": CALL}]},
        {"messages": [{"role": "assistant", "content": [{"type": "text", "text": CALL}]}]},
        {"conversations": [{"from": "human", "value": BROKEN}, {"from": "gpt", "value": CALL}]},
        {"role": "assistant", "content": CALL}, [{"text": CALL}], {"text": None, "output": CALL},
    ],
)  # fmt: skip
def test_the_text_is_found(tmp_path: Path, record: Json) -> None:
    """The usual fields and conversations are looked through; what others than the model said is not read."""
    assert figures(counted(write(tmp_path / "a.jsonl", [record]))) == {"hermes": (1, 1, 1, 0, 0, 0)}


def test_a_field_is_given_by_its_path(tmp_path: Path) -> None:
    """A path leads through objects and lists; where it leads nowhere, that is said."""
    path = write(tmp_path / "a.jsonl", [{"choices": [{"message": {"content": CALL}}], "text": "no"}, {"choices": []}])
    found = counted(path, field="choices.0.message")

    assert figures(found) == {"hermes": (1, 1, 1, 0, 0, 0)}
    assert found.troubles[0].examples[0].text == (
        "expected a text of a model in `choices.0.message`, got an object with `choices`"
    )


def test_calls_that_are_given_as_such_are_not_read(tmp_path: Path) -> None:
    """A turn with `tool_calls` is structured already."""
    turn = {"role": "assistant", "content": CALL, "tool_calls": [{"id": "a"}, {"id": "b"}]}
    found = counted(write(tmp_path / "a.jsonl", [{"messages": [turn]}]))

    assert (found.messages, found.structured, found.structured_calls, found.problems) == (0, 1, 2, 0)


def test_files_of_every_kind_say_the_same(tmp_path: Path) -> None:
    """JSON lines, packed or not, Parquet, text and standard input are read alike."""
    texts = [CALL, CODER, "prose", CUT]
    lines = write(tmp_path / "a.jsonl", [{"text": text} for text in texts]).read_bytes()
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(lines))
    (tmp_path / "c.txt").write_text("\n%%\n".join(texts))
    expected = figures(counted(tmp_path / "a.jsonl"))

    assert figures(counted(tmp_path / "b.jsonl.gz")) == expected
    assert figures(counted(tmp_path / "c.txt", separator="\n%%\n")) == expected
    given = json.loads(invoke("-", "--format", "json", text=lines).stdout)
    assert [(d["name"], d["figures"]["calls"]) for d in given["dialects"]] == [
        (name, row[1]) for name, row in expected.items()
    ]
    for i, text in enumerate(texts):
        (tmp_path / "texts").mkdir(exist_ok=True)
        (tmp_path / "texts" / f"{i}.txt").write_text(text)
    assert figures(counted(tmp_path / "texts")) == expected


def test_the_folder_of_a_conversion_is_a_corpus(tmp_path: Path) -> None:
    """Its rows are, and not what it says of those that it left out."""
    write(tmp_path / "rows-00000.jsonl", [{"text": CALL}])
    for name in ("left-out-00000.jsonl", "report.json"):
        write(tmp_path / name, [{"text": CUT}])
    assert [Path(one).name for one in sources.files([str(tmp_path)])] == ["rows-00000.jsonl"]
    (tmp_path / "report.json").unlink()
    assert len(sources.files([str(tmp_path)])) == 2  # these are somebody's own


def test_parquet_is_read_by_row_groups(tmp_path: Path) -> None:
    """Rows have numbers over all row groups, and columns that nobody asked for are not read."""
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    texts = [CALL, CALL, None, CUT]
    parquet.write_table(pyarrow.table({"id": [1, 2, 3, 4], "text": texts}), tmp_path / "a.parquet", row_group_size=3)
    found = counted(tmp_path / "a.parquet")

    assert figures(found) == {"hermes": (3, 3, 2, 0, 1, 0)}
    assert found.dialects[0].unparsed[0].examples[0].where == f"{tmp_path}/a.parquet:4"
    assert found.troubles[0].examples[0].where == f"{tmp_path}/a.parquet:3"


# Bad input


def test_bad_lines_are_counted_and_named(tmp_path: Path) -> None:
    """Nothing that is wrong with a corpus ends its reading; each kind has examples with file and line."""
    good = json.dumps({"text": CALL}).encode()
    lines = [b'{"text": ', b'{"text": "\xff"}', b"", b'{"other": 1, "more": 2}', b"[" * 100_000, b'{"text": NaN}',
             b'{"text": "' + b"x" * 3000 + b'"}', b'{"text": "\\ud800"}', b"\xef\xbb\xbf" + good, good]  # fmt: skip
    (tmp_path / "a.jsonl").write_bytes(b"\n".join(lines))
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(good)[:-9])
    (tmp_path / "c.parquet").write_bytes(b"PAR1 nonsense")
    (tmp_path / "d.txt").write_bytes(b"\xff\xfe")
    found = counted(tmp_path / "a.jsonl", tmp_path / "b.jsonl.gz", tmp_path / "d.txt", max_bytes=2000)
    troubles = {bad.trouble: [example.where.rpartition("/")[2] for example in bad.examples] for bad in found.troubles}

    assert troubles == {
        "not JSON": ["a.jsonl:1"], "not UTF-8": ["a.jsonl:2", "d.txt:1"], "no text": ["a.jsonl:4", "a.jsonl:6"],
        "too long": ["a.jsonl:5", "a.jsonl:7"], "unreadable": ["b.jsonl.gz"],
    }  # fmt: skip
    assert figures(found)["hermes"] == (2, 2, 2, 0, 0, 0)
    if shutil.which("true") and pytest.importorskip("pyarrow"):
        assert counted(tmp_path / "c.parquet").troubles[0].trouble == "unreadable"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["{}/no.jsonl"], r"expected a corpus, got nothing at `.*/no\.jsonl`: check the path"),
        (["{}/empty"], r"expected a folder with a corpus in it, got none at `.*/empty`: name a file"),
        (
            ["{}/a.jsonl", "--html", "{}/no/r.html"],
            r"expected to write the report, got `No such file .*`: name another",
        ),
        (["{}/a.jsonl", "--html", "{}"], r"expected to write the report, got `Is a directory` at"),
        (["{}/a.jsonl", "--dialect", "hermse"], r".*hermse.*hermes.*`toolect list`"),
        ([], r"expected a corpus, got none: name a file or a folder"),
    ],
)
def test_misuse_is_one_sentence(tmp_path: Path, words: list[str], sentence: str) -> None:
    """What cannot be done is said before any work is."""
    write(tmp_path / "a.jsonl", [{"text": CALL}])
    (tmp_path / "empty").mkdir()
    result = invoke(*(word.format(tmp_path) for word in words))

    assert result.exit_code == 2, result.output
    assert re.match(f"toolect: {sentence}", result.stderr), result.stderr
    assert result.stdout == ""
    assert not (tmp_path / "no").exists()


def test_the_exit_status_tells_of_problems(tmp_path: Path) -> None:
    """0 when everything was read, 1 when an attempt failed or a line was bad."""
    assert invoke(str(write(tmp_path / "a.jsonl", [{"text": CALL}, {"text": "hi"}]))).exit_code == 0
    assert invoke(str(write(tmp_path / "b.jsonl", [{"text": CUT}]))).exit_code == 1
    assert invoke(str(write(tmp_path / "c.jsonl", [{"text": CALL}, {"x": 1}]))).exit_code == 1


# However it is shared out


def test_the_result_does_not_depend_on_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Any number of processes finds the same, in units of any file, with the right lines."""
    monkeypatch.setattr(sources, "UNIT", 5_000)
    monkeypatch.setattr(run, "ALONE", 0)
    texts = [CALL, CODER, "prose", CUT, BROKEN, f"{CALL}\n{CALL}", HOSTILE]
    records: list[Json] = [{"text": texts[i % 7], "source": f"s{i % 3}"} for i in range(120)]
    records[99] = {"bad": 1}
    path = write(tmp_path / "a.jsonl", records)
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(path.read_bytes()))
    paths = [tmp_path / "a.jsonl", tmp_path / "b.jsonl.gz"]
    alone, together = counted(*paths, jobs=1), counted(*paths, jobs=2)

    assert alone == together
    assert alone.lines == 240
    assert [example.where for example in alone.troubles[0].examples] == [f"{path}:100", f"{tmp_path}/b.jsonl.gz:100"]


def test_a_unit_does_not_depend_on_those_before_it(tmp_path: Path) -> None:
    """Who counted what before has no say in how a text is read, nor in what is taken of a grammar."""
    coder = write(tmp_path / "a.jsonl", [{"text": CODER}])
    thought = write(tmp_path / "b.jsonl", [{"text": "<think>\nhm\n</think>\n\nhi"}])
    (first,), (second,) = (list(sources.units(str(path), 1 << 20)) for path in (coder, thought))
    used, fresh = Examiner(Options()), Examiner(Options())
    used.count(first)

    assert report(used.count(second), 1) == report(fresh.count(second), 1)


def test_a_clean_text_is_no_repaired_one_of_another_dialect(tmp_path: Path) -> None:
    """Whatever came before, what a dialect writes is read without a repair, if not always in its own name."""
    written = []
    for name in toolect.dialects():
        text = str(toolect.dialect(name).render(toolect.Call("search", {"q": "tide"})))
        if all(call.status == "ok" for call in toolect.parse(text).calls):
            written.append({"text": text})
    for seed in range(2):
        drawn = shares.share(written, 50, f"order {seed}") * 2
        for order in (drawn, drawn[::-1]):
            found = figures(counted(write(tmp_path / "a.jsonl", order)))
            assert not sum(repaired for *_, repaired, _, _ in found.values()), found


def test_counts_stay_small() -> None:
    """A tally keeps the commonest keys, knows how much it dropped, and adds up."""
    tally: Tally[str] = Tally(3)
    for i in range(1000):
        tally.add(f"rare {i}")
        tally.add("often")
    other: Tally[str] = Tally(3)
    other.add("other", 5)
    tally.merge(other, 0)

    assert len(tally.counts) <= 6
    assert tally.top()[:2] == [("often", 1000), ("other", 5)]
    assert tally.total == 2005
    assert tally.more(2) == 1000
    stats = Stats()
    for i in range(3 * MAX_SOURCES):
        stats.count(f"source {i}", "hermes").messages += 1
    assert len(stats.counts) == MAX_SOURCES + 1
    assert stats.counts[OTHERS, "hermes"].messages == 2 * MAX_SOURCES


# How it is told


def test_the_text_report(tmp_path: Path) -> None:
    """The report for a reader has figures, what never came, leaks, and what failed with its place."""
    path = write(tmp_path / "a.jsonl", [{"text": CALL + " </parameter>"}, {"text": BROKEN}, {"bad": 1}])
    drawn = invoke(str(path)).stdout

    for line in (
        "2 messages in 1 file, 2 calls", "dialect  messages  calls  ok  repaired  truncated  malformed  runnable",
        "hermes          2      2   1         0          0          1    50.0 %", "never rule think:",
        "leak      1 × </parameter> in",
        "malformed 1 × expected a JSON value, got …", f"{path}:2: ", f"{path}:3: expected",
    ):  # fmt: skip
        assert line in drawn, (line, drawn)
    alone = write(tmp_path / "b.jsonl", [{"text": CALL}])
    assert invoke(str(alone)).stdout.startswith("1 message in 1 file, 1 call\n")


def test_the_json_report_has_its_shape(tmp_path: Path) -> None:
    """What `--format json` writes is the report, whole."""
    path = write(tmp_path / "a.jsonl", [{"text": CALL}, {"text": HOSTILE}, {"text": CUT}])
    drawn = invoke(str(path), "--format", "json").stdout

    assert msgspec.json.decode(drawn, type=Report) == counted(path)


POLICY = """"Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">"""


class Page(HTMLParser):
    """What is on a page: its tags, and what could load or run something."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.loads: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A tag begins."""
        self.tags.add(tag)
        for key, value in attrs:
            if key.startswith("on") or key in ("src", "href") and not (value or "").startswith(("#", "data:")):
                self.loads.append(f"{tag} {key}={value}")

    def handle_data(self, data: str) -> None:
        """Text."""
        self.text += data


@pytest.fixture(scope="module")
def html(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report on texts that would like to be more than that."""
    folder = tmp_path_factory.mktemp("html")
    texts = [CALL, HOSTILE, CUT, BROKEN, CODER, "prose <script>alert(1)</script> </style> [TOOL_CALLS]\x00\x1b[31m"]
    path = write(
        folder / "a<b>.jsonl",
        [{"text": text, "source": "<i>s</i>"} for text in texts] + [{"text": CALL}, {"x": "<script>"}],
    )
    result = invoke(str(path), "--html", str(folder / "report.html"))
    assert result.exit_code == 1, result.output
    return folder / "report.html"


def test_the_page_holds_everything_and_loads_nothing(html: Path) -> None:
    """One file: no scripts, no addresses; data is shown and never obeyed."""
    source = html.read_text("utf-8")
    page = Page()
    page.feed(source)

    assert not page.tags & {"script", "img", "b<", "i", "iframe", "object"} - {"i"}
    assert page.loads == []
    assert POLICY in source
    assert "http" not in source.replace("http-equiv", "")
    for text in ("</script><b>", "\\u0000", "\\u202e", "\\ud800", "<i>s</i>", "What failed", "Samples", "[TOOL_CALLS]"):
        assert text in page.text, text
    assert 'class="name" title="name of a call"' in source


@pytest.mark.parametrize("key", ["text", "source", "dialect", "name"])
def test_a_lone_surrogate_is_an_escape_in_a_page(key: str, tmp_path: Path) -> None:
    """Wherever one stands in a corpus: the page can be written, and so can the figures in it."""
    odd = {"text": CALL.replace("search", "f\ud800")} if key == "name" else {"text": BROKEN, key: f"{BROKEN} \ud800"}
    done = invoke(
        str(write(tmp_path / "a.jsonl", [odd, {"text": CALL, "source": "s"}])), "--html", str(tmp_path / "page.html")
    )
    assert done.exception is None or isinstance(done.exception, SystemExit), done.output
    assert "\\ud800" in (tmp_path / "page.html").read_text("utf-8") or key == "dialect"


def test_the_page_in_a_browser(html: Path, tmp_path: Path) -> None:
    """A browser draws it without a word on its console and without asking for anything."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("no chromium is installed")
    quiet = ["--headless", "--no-sandbox", "--no-first-run", "--disable-gpu", "--disable-quic", "--disable-sync",
             "--disable-background-networking", "--disable-component-update",
             f"--user-data-dir={tmp_path}"]  # fmt: skip
    log = tmp_path / "net.json"
    done = subprocess.run(
        [chromium, *quiet, "--enable-logging=stderr", f"--log-net-log={log}", "--dump-dom", html.as_uri()],
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip

    assert "CONSOLE" not in done.stderr, done.stderr
    assert "What failed" in done.stdout
    asked = re.findall(r'\{site=file:[^}]*\}","url":"(?!file:|data:)([^"]+)"', log.read_text())  # not by the browser
    assert not asked, asked


def test_text_on_a_page_is_escaped() -> None:
    """What is not HTML stays text, in elements and attributes, and what nobody sees is written as an escape."""
    hostile = '<a href="x">\x00\r\ud800'
    page = draw_page("page.html", title=hostile, lead="", facts=[(hostile, 0, hostile)], sections=[])
    assert page.count("&lt;a href=&#34;x&#34;&gt;\\u0000\\r\\ud800") == 4
    assert '<b><span class="nil">0</span></b>' in page
    with pytest.raises(UndefinedError):
        draw_page("page.html", title="", lead="", facts=[])


def test_a_share_in_per_cent() -> None:
    """A share is never rounded to nothing or all."""
    assert [percent(*pair) for pair in ((0, 9), (9, 9), (1, 10_000), (9_999, 10_000), (1, 3), (0, 0))] == [
        "0 %", "100 %", "<0.1 %", ">99.9 %", "33.3 %", "0 %",
    ]  # fmt: skip


def test_a_run_of_its_own_needs_no_parquet(tmp_path: Path) -> None:
    """Without pyarrow, everything but Parquet is read, and Parquet is a sentence."""
    code = "import sys; sys.modules['pyarrow'] = None; from toolect._cli import main; main()"
    (tmp_path / "a.parquet").write_bytes(b"")
    done = subprocess.run(
        [sys.executable, "-c", code, "coverage", str(tmp_path / "a.parquet")],
        capture_output=True,
        check=False,
        timeout=300,
    )

    assert done.returncode == 2
    assert done.stderr.startswith(b"toolect: expected pyarrow for Parquet, got none: pip install ")
    assert b"[data]" in done.stderr and done.stderr.count(b"\n") == 1


def test_a_page_needs_jinja2(tmp_path: Path) -> None:
    """Without jinja2 a page is a sentence, before any work is done; the report on the screen goes on."""
    path = write(tmp_path / "a.jsonl", [{"text": CALL}])
    code = "import sys; sys.modules['jinja2'] = None; from toolect._cli import main; main()"
    words = [sys.executable, "-c", code, "coverage", str(path), "--jobs", "1"]
    page = subprocess.run([*words, "--html", str(tmp_path / "r.html")], capture_output=True, check=False, timeout=300)
    text = subprocess.run(words, capture_output=True, check=False, timeout=300)

    assert page.returncode == 2
    assert page.stderr.startswith(b"toolect: expected jinja2 to write a page, got none: pip install ")
    assert b"[report]" in page.stderr and page.stderr.count(b"\n") == 1
    assert not (tmp_path / "r.html").exists()
    assert text.returncode == 0


def test_every_key_of_the_json_is_documented() -> None:
    """The page about coverage names each field of the report."""
    page = (
        (Path(__file__).parent.parent / "docs" / "guide" / "coverage.md").read_text("utf-8").partition("## The JSON")[2]
    )
    kinds = [
        kind for kind in vars(report_module).values() if isinstance(kind, type) and issubclass(kind, msgspec.Struct)
    ]
    keys = {name for kind in kinds if kind.__module__ == report_module.__name__ for name in kind.__struct_fields__}

    assert len(keys) > 30
    assert not [key for key in sorted(keys) if f"`{key}`" not in page]
