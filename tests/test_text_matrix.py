"""Tables of texts and dialects: `toolect coverage --matrix` and `toolect detect --matrix`; many messages drawn."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeAlias

import pytest
from click.testing import CliRunner, Result

import toolect
from toolect import Call, Content, Message
from toolect._cli import main, text_matrix
from toolect._cli.text_matrix import MatrixReading
from toolect._corpora.records import Record

Pair: TypeAlias = tuple[Record, object]

CALL = Message([Content("Let me look."), Call("tide", {"port": "Brest"})])
NAMES = ("hermes", "kimi-k2", "mistral-v13")


def invoke(*words: str | Path, text: str | None = None) -> Result:
    """Runs a command in this process."""
    return CliRunner().invoke(main, [str(word) for word in words], input=text)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An answer in each of three dialects, one without a call, one that is cut off, and a line that is none."""
    texts = [str(toolect.dialect(name).render(CALL)) for name in NAMES]
    texts += ["No call.", texts[0][:-25]]
    path = tmp_path_factory.mktemp("texts") / "answers.jsonl"
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts) + "oops\n", "utf-8")
    return path


def test_the_table_of_texts_and_dialects(corpus: Path) -> None:
    """A line for each text, a column for each dialect that fits one best, what is read, and how many are read well."""
    result = invoke("coverage", corpus, "--matrix", "--jobs", "1")
    head, *lines, last = result.stdout.splitlines()
    assert head.split() == ["text", *NAMES]
    assert [line.split()[0] for line in lines] == [f"{corpus}:{number}" for number in range(1, 6)]
    for at, line in enumerate(lines[:3]):
        cells = [cell.strip() for cell in line.split("  ") if cell.strip()][2:]
        assert [cell == "1 ok" for cell in cells] == [at == column for column in range(3)], line
    assert lines[3].split()[-3:] == ["·", "·", "·"] and "1 truncated" in lines[4]
    assert last.split() == ["calls", "read", "well", *["1", "of", "5"] * 3]
    assert result.exit_code == 1 and "answers.jsonl:6 is left out: expected JSON" in result.stderr


def test_the_table_as_data(corpus: Path) -> None:
    """JSON has an object for each text; any number of processes writes the same; dialects are those that are named."""
    words = ["coverage", corpus, "--matrix", "--dialect", "kimi-k2", "--dialect", "hermes", "--format", "json"]
    alone = invoke(*words, "--jobs", "1")
    rows = [json.loads(line) for line in alone.stdout.splitlines()]
    assert len(rows) == 5 and rows[0]["where"].endswith("answers.jsonl:1") and rows[3]["text"] == "No call."
    assert rows[0]["dialects"]["hermes"] == {"calls": 1, "status": "ok", "leaks": 0}
    assert list(rows[0]["dialects"]) == ["kimi-k2", "hermes"] and rows[1]["dialects"]["hermes"]["calls"] == 0
    assert invoke(*words, "--jobs", "2").stdout == alone.stdout
    assert len(invoke(*words, "--limit", "2").stdout.splitlines()) == 2


def test_how_well_dialects_fit_texts(corpus: Path) -> None:
    """`detect --matrix` has the scores of detection."""
    rows = [json.loads(line) for line in invoke("detect", corpus, "--matrix", "--format", "json").stdout.splitlines()]
    for row in rows:
        scores = {name: found.score for found in toolect.detect(row["text"], limit=1000) for name in found.dialects}
        assert row["dialects"] == {name: scores.get(name, 0.0) for name in NAMES}
    assert "100%" in invoke("detect", corpus, "--matrix").stdout


def test_what_a_table_says_of_a_reading() -> None:
    """Calls with the worst of their statuses, and markers that are left over."""
    assert [str(MatrixReading(*one)) for one in ((0, "", 0), (2, "ok", 0), (1, "malformed", 2), (0, "", 1))] == [
        "·", "2 ok", "1 malformed + 2 leaks", "1 leak",
    ]  # fmt: skip
    readings = (0, "", 0), (1, "repaired", 0), (1, "truncated", 0), (1, "ok", 1)
    assert [MatrixReading(*one).clean for one in readings] == [True, True, False, False]


def test_tables_that_make_no_sense(corpus: Path, tmp_path: Path) -> None:
    """Each is one sentence."""
    (tmp_path / "plain.jsonl").write_text('{"text": "Hi."}\n', "utf-8")
    for words, why in (
        (["coverage", corpus, "--limit", "3"], "expected --matrix with --limit"),
        (["coverage", corpus, "--matrix", "--html", tmp_path / "a.html"], "expected --matrix or --html, got both"),
        (["coverage", "--matrix"], "what dialects can carry is `toolect spec features`"),
        (["coverage", tmp_path / "none.jsonl", "--matrix"], "expected a corpus, got nothing"),
    ):
        result = invoke(*words)
        assert result.exit_code == 2 and why in result.stderr and result.stderr.count("\n") == 1, result.stderr
    silent = invoke("coverage", tmp_path / "plain.jsonl", "--matrix")
    assert silent.exit_code == 1 and "no dialect has left a mark" in silent.stderr


def test_long_corpora_are_read_by_several_processes(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it is worth it, and only there."""
    used: list[int] = []

    def shared_out(work: Iterable[Record], jobs: int, look: Callable[[Record], object], *_: object) -> Iterator[Pair]:
        used.append(jobs)
        return ((one, look(one)) for one in work)

    monkeypatch.setattr(text_matrix, "in_order", shared_out)
    monkeypatch.setattr(text_matrix, "cores", lambda: 5)
    invoke("coverage", corpus, "--matrix")
    assert {*used} == {1}
    used.clear()
    monkeypatch.setattr(text_matrix, "ALONE", 2)
    assert invoke("coverage", corpus, "--matrix").exit_code == 1 and set(used) == {5}


def test_many_messages_are_drawn_one_below_the_other(corpus: Path) -> None:
    """Each as it is drawn alone, with its number before it, and a line that is no message as what it is."""
    result = invoke("parse", corpus, "--format", "text")
    parts = result.stdout.split("=== ")[1:]
    assert [part.partition("\n")[0] for part in parts] == [f"{number} ===" for number in range(1, 7)]
    text = json.loads(corpus.read_text("utf-8").splitlines()[1])["text"]
    assert parts[1].partition("\n")[2] == invoke("parse", "--format", "text", text=text).stdout
    assert "call tide  kimi-k2  functions.tide:0  ok" in parts[1] and "truncated" in parts[4]
    assert parts[5] == "6 ===\nline 6: expected JSON, got `Expecting value` at column 1\n"
    assert result.exit_code == 1
    assert invoke("parse", corpus, "--format", "text", "--jobs", "2").stdout == result.stdout


def test_a_table_says_that_it_is_cut(tmp_path: Path) -> None:
    """Without a limit the first hundred texts are shown, and the rest is mentioned; with one it is what was wished."""
    path = tmp_path / "many.jsonl"
    path.write_text((json.dumps({"text": "No call."}) + "\n") * 101, "utf-8")
    said = invoke("coverage", path, "--matrix", "--dialect", "hermes", "--jobs", "1")
    assert "the first 100 texts: --limit N takes more" in said.stderr
    said = invoke("coverage", path, "--matrix", "--dialect", "hermes", "--jobs", "1", "--limit", "50")
    assert "--limit" not in said.stderr
