"""What all commands share: files read for what they are, columns that are kept, help, completion, missing packages."""

from __future__ import annotations

import gzip
import json
import os
import pty
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import click
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest
import shares
import zstandard
from click.testing import CliRunner, Result
from command_line import RUN, on_terminal

import toolect
from toolect import _extras as extras
from toolect import _processes as processes
from toolect._cli import COMMANDS, examples, main, many
from toolect._cli.lint import coloured
from toolect._cli.moved import MOVED_COMMANDS, MOVED_OPTIONS
from toolect._cli.terminal import progress
from toolect._corpora.sources import unpacked
from toolect._message import Json

ROOT = Path(__file__).resolve().parent.parent
CALL = '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>'
ROWS: list[dict[str, Json]] = [
    {"id": 7, "text": CALL, "from": {"deep": [1]}},
    {"id": 8, "text": "Hi.", "from": None},
]


def invoke(*words: str | Path, text: str | bytes | None = None) -> Result:
    """Runs a command in this process."""
    return CliRunner().invoke(main, [str(word) for word in words], input=text)


def rows(text: str) -> list[Json]:
    """The values of JSON lines."""
    return [json.loads(line) for line in text.splitlines()]


def lines(values: list[dict[str, Json]]) -> bytes:
    """The values as JSON lines."""
    return "".join(json.dumps(value) + "\n" for value in values).encode()


def table(path: Path) -> None:
    """The rows as a Parquet file."""
    pq.write_table(pa.table({key: [row[key] for row in ROWS] for key in ("id", "text")}), path)


FILES: dict[str, Callable[[Path], object]] = {
    "a.jsonl": lambda path: path.write_bytes(lines(ROWS)),
    "a.ndjson": lambda path: path.write_bytes(lines(ROWS)),
    "a.jsonl.gz": lambda path: path.write_bytes(gzip.compress(lines(ROWS[:1])) + gzip.compress(lines(ROWS[1:]))),
    "a.jsonl.zst": lambda path: path.write_bytes(
        zstandard.compress(lines(ROWS[:1])) + zstandard.compress(lines(ROWS[1:]))
    ),
    "packed.jsonl": lambda path: path.write_bytes(gzip.compress(lines(ROWS))),
    "a.parquet": table,
}


@pytest.mark.parametrize("name", FILES)
def test_many_messages_are_read_for_what_they_are(name: str, tmp_path: Path) -> None:
    """By the name of a file and by what is in it, commands read each message, in order, and keep the other columns."""
    FILES[name](path := tmp_path / name)
    parsed = rows(invoke("parse", path).stdout)
    assert [row["id"] for row in parsed] == [7, 8] and "text" not in parsed[0]
    assert [row["segments"][0]["type"] for row in parsed] == ["call", "content"]
    converted = rows(invoke("convert", path, "--to", "kimi-k2").stdout)
    assert converted[0]["text"] == toolect.convert(CALL, to="kimi-k2").text and converted[0]["losses"] == []
    assert [row["id"] for row in rows(invoke("detect", path).stdout)] == [7, 8]
    assert [row["dialect"] for row in rows(invoke("detect", path).stdout)] == ["hermes", None]
    (tmp_path / "m.jsonl").write_text("".join(json.dumps(row) + "\n" for row in parsed))
    rendered = rows(invoke("render", tmp_path / "m.jsonl", "--to", "hermes").stdout)
    assert [(row["id"], row["text"]) for row in rendered] == [(7, CALL), (8, "Hi.")]
    if name != "a.parquet":
        assert parsed[0]["from"] == converted[0]["from"] == rendered[0]["from"] == {"deep": [1]}


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_one_message_may_be_packed(pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    """In a file of any name, and on standard input."""
    (path := tmp_path / "answer.txt").write_bytes(pack(CALL.encode()))
    for result in (invoke("parse", path), invoke("parse", text=path.read_bytes())):
        assert json.loads(result.stdout)["segments"][0]["name"] == "f"


def test_a_packed_file_is_whole_or_an_error(tmp_path: Path) -> None:
    """One that is cut off anywhere is said to be, and never read as a shorter one."""
    for pack in (gzip.compress, zstandard.compress):
        data = pack(bytes(range(256)) * 40)
        for end in (5, len(data) // 2, len(data) - 1):
            (path := tmp_path / "cut").write_bytes(data[:end])
            with open(path, "rb") as file, pytest.raises(ValueError, match="expected a whole packed file"):
                unpacked(file).read()


def test_any_number_of_processes_writes_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines that cannot be used are numbered as in the file, whoever reads them."""
    values = [{"id": n, "text": CALL * (n % 4)} if n % 7 else {"id": n, "other": "x"} for n in range(300)]
    (path := tmp_path / "a.jsonl").write_bytes(lines(values) + b"oops\n\n" + lines(values))
    monkeypatch.setattr(many, "UNIT", 4_000)
    alone = invoke("parse", path, "--jobs", "1")
    assert alone.exit_code == 1 and "of 601 messages have problems" in alone.stderr
    (one := tmp_path / "one.jsonl").write_text("oops\n")
    assert "1 of 1 message has problems" in invoke("parse", one).stderr
    assert [row["line"] for row in rows(alone.stdout) if "line" in row][-1] == 302 + 295
    assert invoke("parse", path, "--jobs", "2").stdout == alone.stdout
    converted = invoke("convert", path, "--to", "kimi-k2", "--jobs", "1").stdout
    assert invoke("convert", path, "--to", "kimi-k2", "--jobs", "2").stdout == converted


def test_long_files_are_read_on_all_cores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """More than one process is used where that is worth it, and only there."""
    (path := tmp_path / "a.jsonl").write_bytes(lines(ROWS) * 50)
    used: list[int] = []

    def jobs_given(_work: object, jobs: int, *_: object) -> list[object]:
        used.append(jobs)
        return []

    monkeypatch.setattr(many, "in_order", jobs_given)
    monkeypatch.setattr(many, "cores", lambda: 5)
    assert len(rows(invoke("parse", path).stdout)) == 100 and used == []
    monkeypatch.setattr(many, "ALONE", 10)
    invoke("parse", path)
    assert used == [5]
    assert processes.cores() >= 1


def test_a_line_is_answered_before_the_next() -> None:
    """Of standard input each line is written when it has come."""
    with subprocess.Popen(
        [sys.executable, "-c", RUN, "parse", "--jsonl"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdin and child.stdout
        for text in ("one", "two"):
            child.stdin.write(json.dumps(text).encode() + b"\n")
            child.stdin.flush()
            assert json.loads(child.stdout.readline())["segments"][0]["text"] == text
        child.stdin.close()


def test_the_column_of_the_text(tmp_path: Path) -> None:
    """It is found under its usual names, or is the one that is named; a line without one says what there is."""
    values: list[dict[str, Json]] = [{"completion": "a", "reply": "b"}, {"reply": "c"}, {"text": 3}]
    (path := tmp_path / "a.jsonl").write_bytes(lines(values))
    first, second, third = rows(invoke("parse", path).stdout)
    assert (first["segments"][0]["text"], first["reply"]) == ("a", "b")
    assert second["error"].endswith('got an object with "reply": name its column with --field')
    assert second["reply"] == "c" and third["line"] == 3
    named = rows(invoke("convert", path, "--to", "hermes", "--field", "reply").stdout)
    assert [row.get("reply") for row in named] == ["b", "c", None]
    (path := tmp_path / "tools.jsonl").write_bytes(lines([{"text": CALL, "tools": '[{"name": "f"}]'}]))
    assert rows(invoke("parse", path).stdout)[0]["tools"] == '[{"name": "f"}]'


@pytest.mark.parametrize("words", [["parse"], ["convert", "--to", "hermes"], ["parse", "--stream", "--format", "json"]])
def test_empty_input_is_an_empty_answer(words: list[str], tmp_path: Path) -> None:
    """A model that said nothing is no misuse, in one file or in many."""
    (tmp_path / "a.txt").write_text("")
    (tmp_path / "a.jsonl").write_text("")
    result = invoke(*words, tmp_path / "a.txt")
    assert result.exit_code == 0 and result.stderr == ""
    assert result.stdout in ("", '{"segments": [], "repairs": []}\n')
    if "--stream" not in words:
        assert invoke(*words, tmp_path / "a.jsonl").stdout == ""
        assert invoke(*words, tmp_path / "a.jsonl").exit_code == 0


def test_a_terminal_is_told_that_it_is_waited_for() -> None:
    """Without FILE, somebody who types is told so; a pipe is not."""
    ours, theirs = pty.openpty()
    words = [sys.executable, "-c", RUN, "parse", "--dialect", "hermes"]
    with subprocess.Popen(words, stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        os.close(theirs)
        assert child.stderr and child.stdout
        assert child.stderr.readline().startswith(b"toolect: reading what you type")
        os.write(ours, b"Hi.\n\x04")
        assert json.loads(child.stdout.read())["segments"][0]["text"].startswith("Hi.")
    os.close(ours)
    assert invoke("parse", text="Hi.").stderr == ""


def test_run_reads_many(tmp_path: Path) -> None:
    """The calls of each line are executed, its results stand beside its columns."""
    (tmp_path / "tools.py").write_text('def f(a: int) -> int:\n    """Adds one."""\n    return a + 1\n')
    (path := tmp_path / "a.jsonl").write_bytes(lines(ROWS))
    found = rows(invoke("chat", "run", path, "--tools", tmp_path / "tools.py").stdout)
    assert [[result["output"] for result in row["results"]] for row in found] == [["2"], []]
    assert [row["id"] for row in found] == [7, 8]


def test_render_tells_its_spans() -> None:
    """With --spans the text comes with what each stretch of it is; the spans tile it."""
    message = json.dumps({"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": '{"a": 1}'}}]})
    found = json.loads(invoke("render", "--to", "hermes", "--spans", text=message).stdout)
    assert found["text"] == CALL
    assert "".join(CALL[span["start"] : span["end"]] for span in found["spans"]) == CALL
    assert [span["part"] for span in found["spans"]] == ["markup", "name", "markup", "arguments", "markup"]


def test_list_takes_a_pattern() -> None:
    """A part of a name, an alias, a model or the description; else what the pattern leads to as a model."""

    def names(pattern: str) -> list[str]:
        return [row["name"] for row in rows(invoke("list", pattern).stdout)]

    assert "qwen3-coder" in names("qwen3_coder") and "hermes" in names("Qwen/Qwen3")
    assert names("deepseek-v3*") == names("DEEPSEEK-V3") and "deepseek-v3.1" in names("deepseek-v3*")
    assert names("unsloth/Qwen3-8B-GGUF") == ["hermes"]
    result = invoke("list", "nothing-like-this")
    assert result.exit_code == 1 and result.stderr.count("\n") == 1 and "nothing-like-this" in result.stderr
    assert invoke("list", "[").exit_code in (0, 1)


def test_chats_are_listed() -> None:
    """All of them, those of a pattern, or the one that a model's id leads to; another id leads to none."""
    assert [row["name"] for row in rows(invoke("chat", "list").stdout)] == toolect.chats()
    assert {"name": "llama3.1", "dialect": "llama3-json"}.items() <= rows(invoke("chat", "list", "llama3.1").stdout)[
        0
    ].items()
    assert [row["name"] for row in rows(invoke("chat", "list", "acme/Qwen3-8B-GGUF").stdout)] == ["qwen3"]
    assert "dialect: llama3-json" in invoke("chat", "list", "llama3.1", "--format", "text").stdout
    result = invoke("chat", "list", "nothing-like-this")
    assert result.exit_code == 1 and "toolect chat list" in result.stderr


def test_detect_uses_the_text_and_the_model(tmp_path: Path) -> None:
    """Of dialects that read the text alike the model's comes first; a text that speaks against it is told."""
    (path := tmp_path / "a.txt").write_text(CALL)
    (first, *_) = rows(invoke("detect", path, "--format", "json").stdout)
    alike = first["same"][-1]
    (both, *_) = rows(invoke("detect", path, "--format", "json", "--model", alike).stdout)
    assert both["dialect"] == alike and both["model"] and first["dialect"] in both["same"]
    against = invoke("detect", path, "--model", "moonshotai/Kimi-K2-Instruct")
    assert against.stdout.endswith("The text fits hermes, but its model's id leads to kimi-k2.\n")
    unknown = invoke("detect", path, "--model", "no/such-model")
    assert unknown.exit_code == 0 and unknown.stdout.startswith("hermes") and "text alone counts" in unknown.stderr
    silent = invoke("detect", "-", "--model", "Qwen/Qwen3-8B", text="Hi.")
    assert silent.exit_code == 0 and silent.stdout.startswith("hermes") and "no dialect has left" in silent.stderr


# Help, completion, packages


def test_every_command_has_an_example(tmp_path: Path) -> None:
    """The help of each ends with one, and each does what a new user wants, but for those that need a model.

    Six commands are drawn (`--all`: each of them).
    """
    assert {*examples()} == {*COMMANDS}
    (tmp_path / "answer.txt").write_text(CALL)
    (tmp_path / "harbour.txt").write_text('Hi.\n[[use]]{"name": "tide", "arguments": {"port": "Brest"}}[[done]]')
    (tmp_path / "corpus.jsonl").write_bytes(lines(ROWS))
    (tmp_path / "messages.json").write_text(
        '[{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho"}]'
    )
    (tmp_path / "tools.py").write_text('def f(a: int) -> int:\n    """Adds one."""\n    return a + 1\n')
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    shim = tmp_path / "bin" / "toolect"
    shim.parent.mkdir()
    shim.write_text(f'#!/bin/sh\nexec {sys.executable} -c "{RUN}" "$@"\n')
    shim.chmod(0o755)
    spec = "my:\n  map: {content: content, call: call, call/JSON: {name: $name, arguments: $arguments}}\n"
    (tmp_path / "my.yaml").write_text(spec)
    (tmp_path / "grammars").mkdir()
    grammar = 'start: (content | call)*\ncontent: TEXT\ncall: "<my>" JSON "</my>"\n%declare TEXT JSON\n'
    (tmp_path / "grammars" / "my.lark").write_text(grammar)
    there = {**os.environ, "PATH": f"{shim.parent}:{os.environ['PATH']}", "HOME": str(tmp_path)}
    for name, shown in shares.share([*examples().items()], 6, "examples"):
        shown_help = invoke(*name.split(), "--help").stdout
        for line in shown:
            assert f"  {line}\n" in shown_help
            if name not in ("agent", "data tokens", "play", "serve"):
                done = subprocess.run(
                    line, shell=True, cwd=tmp_path, env=there, capture_output=True, text=True, check=False, timeout=300
                )
                assert done.returncode in ((0, 1) if name in ("eval", "lint", "new") else (0,)), (line, done.stderr)
                assert "Traceback" not in done.stderr, (line, done.stderr)
    assert invoke("-h").stdout == invoke("--help").stdout


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["parse", "--dialect", "qwen3"], "qwen3-coder"),
        (["convert", "--to", "qwen3_x"], "qwen3_xml"),
        (["show", "kimi"], "kimi-k2"),
        (["list", "kimi"], "kimi-k2"),
        (["coverage", "--dialect", "kimi"], "kimi-k2"),
        (["sp"], "spec"),
        (["spec", "gen"], "generate"),
        (["render", "--sp"], "--spans"),
    ],
)
def test_shells_complete_dialects(words: list[str], expected: str) -> None:
    """Names and aliases of dialects are completed wherever one is asked for, commands and options as well."""
    there = {
        "COMP_WORDS": " ".join(["toolect", *words]),
        "COMP_CWORD": str(len(words)),
        "_TOOLECT_COMPLETE": "bash_complete",
    }
    done = subprocess.run(
        [sys.executable, "-c", RUN],
        env={**os.environ, **there},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert f"plain,{expected}" in done.stdout.splitlines(), done


@pytest.mark.parametrize(
    ("package", "words", "extra"),
    [
        ("pyarrow", ["parse", "a.parquet"], "data"),
        ("pyarrow", ["parse", "a.jsonl.zst"], "data"),
        ("jinja2", ["detect", "--template", "a.jinja"], "template"),
        ("pydantic", ["chat", "run", "a.txt", "--tools", "tools.py"], "agent"),
        (
            "httpx",
            ["agent", "Hi.", "--tools", "tools.py", "--url", "http://localhost:1", "--model", "m", "--yes"],
            "agent",
        ),
    ],
)
def test_a_missing_package_is_one_sentence(package: str, words: list[str], extra: str, tmp_path: Path) -> None:
    """It says which, and how to install it from where this installation came."""
    FILES["a.parquet"](tmp_path / "a.parquet")
    FILES["a.jsonl.zst"](tmp_path / "a.jsonl.zst")
    (tmp_path / "a.jinja").write_text("x")
    (tmp_path / "a.txt").write_text("x")
    (tmp_path / "tools.py").write_text('def f(a: int) -> int:\n    """Adds one."""\n    return a + 1\n')
    blocked = tmp_path / "blocked" / package
    blocked.mkdir(parents=True)
    (blocked / "__init__.py").write_text(f"raise ModuleNotFoundError('no', name='{package}')\n")
    path = os.pathsep.join([str(blocked.parent), str(Path(toolect.__file__).parent.parent)])
    done = subprocess.run(
        [sys.executable, "-c", RUN, *words], cwd=tmp_path, env={**os.environ, "PYTHONPATH": path},
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode in (1, 2) and done.stdout == ""
    assert done.stderr.startswith(f"toolect: expected {package}") and done.stderr.count("\n") == 1, done.stderr
    assert f"[{extra}]" in done.stderr


@pytest.mark.parametrize(
    ("origin", "expected"),
    [
        (None, "pip install 'toolect[data]'"),
        ({"url": "file:///src/my%20toolect", "dir_info": {}}, "pip install '/src/my toolect[data]'"),
        ({"url": "file:///src/t", "dir_info": {"editable": True}}, "pip install -e '/src/t[data]'"),
        ({"url": "file:///d/t.whl", "archive_info": {}}, "pip install 'toolect[data] @ file:///d/t.whl'"),
        (
            {"url": "https://git.example/t", "vcs_info": {"vcs": "git", "commit_id": "abc"}},
            "pip install 'toolect[data] @ git+https://git.example/t@abc'",
        ),
    ],
)
def test_hints_know_where_this_came_from(
    origin: Json, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From a checkout, an archive, a repository or an index, an extra is installed from there."""
    info = tmp_path / "toolect-9.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: toolect\nVersion: 9\n")
    if origin is not None:
        (info / "direct_url.json").write_text(json.dumps(origin))
    monkeypatch.syspath_prepend(str(tmp_path))
    assert extras.command("data") == expected
    assert re.fullmatch(r"expected x for y, got none: pip install .*", extras.missing("x", "data", "for y"))


def test_lint_is_drawn_in_colour_on_a_terminal(tmp_path: Path) -> None:
    """The check stands out; in a pipe, and without its colours, the text is the same."""
    (tmp_path / "my.yaml").write_text("my:\n  abut: x\n  map: {content: content}\n")
    words = ["lint", "my.yaml", "--jobs", "1"]
    command = [sys.executable, "-c", RUN, *words]
    plain = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False).stdout
    drawn = on_terminal(words, tmp_path).replace("\r\n", "\n")
    assert "\x1b[1;31merror[unknown-field]" in drawn and "\x1b" not in plain
    assert re.sub(r"\x1b\[[\d;]*m", "", drawn) == plain and "error[unknown-field]" in plain


def test_colours_change_no_text() -> None:
    """Whatever a diagnostic shows, its pieces are its text."""
    for text in (
        "error[a-b]: x\n --> f:1:2\n  |\n1 | a: b | c\n  |    ^^^ here\n ::: g:1:1\n = help: do\n\n",
        "odd\n",
        "| ^",
        "1 |",
    ):
        assert "".join(piece for _, piece in coloured(text)) == text


def test_long_work_tells_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal there is a bar; elsewhere nothing is drawn."""
    with progress() as advance:
        advance(1, 2)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    for unit in ("", "dialects"):
        with progress(unit=unit) as advance:
            advance(1, 2)
        with progress(shown=False) as advance:
            advance(1, 2)


# Words of before


def test_words_of_before_say_the_words_of_now() -> None:
    """Each is one sentence with the new one, and exit status 2; the new one is there."""
    for before, now in MOVED_COMMANDS.items():
        result = invoke(before, "x")
        assert result.exit_code == 2 and result.stderr.startswith(f"toolect: `toolect {before}` is now `toolect {now}`")
        assert now in COMMANDS and before not in COMMANDS
    for command, moved in MOVED_OPTIONS.items():
        for before, now in moved.items():
            for words in ([before, "x"], [f"{before}=x"]):
                result = invoke(*command.split(), *words)
                assert result.exit_code == 2 and result.stderr.count("\n") == 1
                assert result.stderr.startswith(f"toolect: `{before}` is now `{now}`"), (command, result.stderr)
            where = re.match(r"toolect ((?:(?:chat|spec|data) )?\w+)", now)
            text = invoke(*(where[1] if where else command).split(), "--help").stdout
            assert all(re.search(rf"{word}\b", text) for word in re.findall(r"--[\w-]+", now)), (command, before)
    gone = invoke("dataset", "a.jsonl", "--from", "log", "--to=messages", "--keep-told")
    assert gone.stderr.startswith(
        "toolect: `toolect dataset` is now `toolect data convert`; `--from` is now `--kind`; `--keep-told` is now"
    )
    assert "_TOOLECT_COMPLETE=bash_source toolect" in invoke("completion", "bash").stderr


def test_the_changelog_has_the_words_of_before() -> None:
    """Its table is the one that the commands have."""
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    for before, now in MOVED_COMMANDS.items():
        assert f"| `toolect {before}` | `toolect {now}` |\n" in text
    for command, moved in MOVED_OPTIONS.items():
        for before, now in moved.items():
            assert f"| `{command} {before}` | `{now}` |\n" in text


def test_an_option_has_one_meaning() -> None:
    """An option of one name takes one kind of value wherever it is."""
    kinds: dict[str, set[tuple[str, bool]]] = {}
    context = click.Context(main)
    for path in COMMANDS:
        command: click.Command = main
        for word in path.split():
            assert isinstance(command, click.Group)
            found = command.get_command(context, word)
            assert found is not None
            command = found
        for option in command.params:
            if isinstance(option, click.Option):
                kinds.setdefault(option.opts[-1], set()).add((option.metavar or option.type.name, option.is_flag))
    assert {name: found for name, found in kinds.items() if len(found) > 1} == {
        "--to": {("DIALECT", False), ("CHAT", False), ("FORM", False)},  # what is written
        "--check": {("CHECK", False), ("choice", False)},  # what is checked: laws of specs, rows of a data set
    }
