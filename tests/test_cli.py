"""The command line: what it writes, how it exits, and what it says about bad input."""

from __future__ import annotations

import gzip
import json
import os
import re
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from command_line import RUN, on_terminal

import toolect
from toolect._cli import COMMANDS, main
from toolect._cli.message_text import draw, message_of
from toolect._message import Call, Content, Json, Message, MessageError, Reasoning, Repair, RepairKind, Status
from toolect._shown import visible

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"
HERMES = str(EXAMPLES / "hermes.txt")
TRUNCATED = str(EXAMPLES / "truncated.hermes.txt")
MALFORMED = str(EXAMPLES / "malformed.hermes.txt")
CALL = '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>'

WRITING = [f"parse {HERMES} --dialect hermes", f"detect {HERMES}", "show hermes", f"coverage {HERMES}",
           "list", "spec schema", "--version"]  # fmt: skip
"""Commands that write something, each in its own way."""


def invoke(*words: str, text: str | bytes | None = None) -> Result:
    """Runs a command in this process."""
    return CliRunner().invoke(main, words, input=text)


def process(*words: str, text: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Runs a command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", RUN, *words], input=text, capture_output=True, check=False, timeout=300
    )


def test_the_package_is_the_command() -> None:
    """`python -m toolect` is `toolect`."""
    words = [sys.executable, "-m", "toolect", "--version"]
    done = subprocess.run(words, capture_output=True, check=True, timeout=300)
    assert done.stdout.startswith(b"python -m toolect ")


def rows(text: str) -> list[Json]:
    """The values of JSON lines."""
    return [json.loads(line) for line in text.splitlines()]


def test_parse_writes_the_message_as_json() -> None:
    """Outside a terminal `parse` writes one JSON object with segments, spans and repairs."""
    result = invoke("parse", HERMES, "--dialect", "hermes")
    form = json.loads(result.stdout)

    assert result.exit_code == 0
    assert result.stderr == ""
    assert [segment["type"] for segment in form["segments"]] == ["content", "call"]
    call = form["segments"][1]
    assert call["name"] == "search_ferries"
    assert json.loads(call["arguments_text"]) == call["arguments"]
    assert (call["status"], call["repairs"], form["repairs"]) == ("ok", [], [])
    start, end = call["span"]
    assert Path(HERMES).read_text(encoding="utf-8")[start:end].strip().startswith("<tool_call>")


def test_parse_writes_the_chat_completions_shape() -> None:
    """`--format openai` writes an assistant message."""
    message = json.loads(invoke("parse", HERMES, "--dialect", "hermes", "--format", "openai").stdout)

    assert message["role"] == "assistant"
    assert message["tool_calls"][0]["function"]["name"] == "search_ferries"


def test_parse_writes_readable_text() -> None:
    """`--format text` labels each segment and shows each argument on its line."""
    result = invoke("parse", HERMES, "--dialect", "hermes", "--format", "text")

    assert result.stdout.splitlines() == [
        "content",
        "  I'll check the ferry times before we plan the day.",
        "call search_ferries  ok",
        '  from: "Ærøskøbing"',
        '  to: "Svendborg"',
        '  date: "2026-07-04"',
        "  bikes: 2",
    ]


@pytest.mark.parametrize("form", ["json", "openai"])
@pytest.mark.parametrize("name", ["hermes", "kimi-k2", "harmony"])
def test_render_reads_what_parse_writes(name: str, form: str) -> None:
    """Rendering a parsed message gives the model's text again, byte for byte."""
    wire = (EXAMPLES / f"{name}.txt").read_bytes()
    parsed = invoke("parse", "--dialect", name, "--format", form, text=wire)
    result = invoke("render", "--to", name, text=parsed.stdout_bytes)

    assert result.exit_code == 0
    assert result.stdout_bytes == wire


@pytest.mark.parametrize(
    ("file", "status"), [(HERMES, 0), (TRUNCATED, 1), (MALFORMED, 1)], ids=["clean", "truncated", "malformed"]
)
@pytest.mark.parametrize("more", [(), ("--stream",), ("--format", "text")], ids=["whole", "stream", "text"])
def test_the_exit_status_tells_of_problems(file: str, status: int, more: tuple[str, ...]) -> None:
    """A truncated or malformed attempt exits 1, and is named in the output or on standard error."""
    result = invoke("parse", file, "--dialect", "hermes", *more)

    assert result.exit_code == status
    word = re.search("truncated|malformed", result.stdout + result.stderr)
    assert (word is not None) == bool(status)
    assert bool(result.stderr) == (bool(status) and "text" not in more)


def test_a_malformed_attempt_does_not_hide_the_rest() -> None:
    """The text after an unreadable attempt is still content."""
    form = json.loads(invoke("parse", MALFORMED, "--dialect", "hermes").stdout)
    last = form["segments"][-1]

    assert form["segments"][1]["status"] == "malformed"
    assert "eight o'clock" in form["segments"][1]["raw"]
    assert "calendar" in last["text"]


def test_stream_writes_events_as_lines() -> None:
    """`--stream` writes one event a line, and the arguments' parts join to the call's text."""
    events = rows(invoke("parse", HERMES, "--dialect", "hermes", "--stream", "--chunk", "3").stdout)
    whole = json.loads(invoke("parse", HERMES, "--dialect", "hermes").stdout)

    assert {e["type"] for e in events} == {"content", "call-start", "arguments", "call-end"}
    assert len([e for e in events if e["type"] == "arguments"]) > 3
    call = next(e["call"] for e in events if e["type"] == "call-end")
    assert call == whole["segments"][1]
    assert "".join(e["text"] for e in events if e["type"] == "arguments") == call["arguments_text"]
    assert "".join(e["text"] for e in events if e["type"] == "content") == whole["segments"][0]["text"]


def test_stream_writes_chunks_of_a_chat_completion() -> None:
    """`--stream --format openai` writes chat.completion.chunk objects."""
    chunks = rows(invoke("parse", HERMES, "--dialect", "hermes", "--stream", "--format", "openai").stdout)

    assert {chunk["object"] for chunk in chunks} == {"chat.completion.chunk"}
    assert chunks[-1]["choices"][0]["finish_reason"] == "tool_calls"


def test_stream_writes_live_text() -> None:
    """`--stream --format text` shows the arguments as they come and how the call ended."""
    lines = invoke("parse", HERMES, "--dialect", "hermes", "--stream", "--format", "text").stdout.splitlines()

    assert lines[0] == "content"
    assert lines[2] == "call search_ferries"
    assert json.loads(lines[3])["bikes"] == 2
    assert lines[4] == "end  ok"


def test_events_are_written_before_the_input_ends() -> None:
    """While the model is still writing, what is known already has been written."""
    words = [sys.executable, "-c", RUN, "parse", "--dialect", "hermes", "--stream"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdin
        assert child.stdout
        child.stdin.write(b"Some text that is surely no marker.\n")
        child.stdin.flush()
        assert select.select([child.stdout], [], [], 300)[0], "nothing was written"
        first = json.loads(child.stdout.readline())
        assert child.poll() is None
        child.stdin.close()
        child.stdout.read()

    assert first["type"] == "content"
    assert first["text"].startswith("Some")


def test_a_split_character_is_not_an_error() -> None:
    """A UTF-8 character that arrives in two reads is one character."""
    words = [sys.executable, "-c", RUN, "parse", "--dialect", "hermes", "--stream"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdin
        assert child.stdout
        for byte in "Zürich 東京".encode():
            child.stdin.write(bytes([byte]))
            child.stdin.flush()
            time.sleep(0.005)
        child.stdin.close()
        events = rows(child.stdout.read().decode())

    assert "".join(event["text"] for event in events) == "Zürich 東京"


def test_tools_give_raw_values_their_types() -> None:
    """With `--schemas` a raw value is read by its schema."""
    source = ("parse", str(EXAMPLES / "qwen3-coder.txt"), "--dialect", "qwen3-coder", "--prefix", "<think>\n")
    segments = json.loads(invoke(*source, "--schemas", str(EXAMPLES / "tools.json")).stdout)["segments"]

    assert [segment["type"] for segment in segments] == ["reasoning", "content", "call"]
    assert segments[2]["arguments"]["mode"] == 420
    assert segments[2]["arguments"]["overwrite"] is True
    assert segments[2]["arguments"]["content"].splitlines()[1].startswith("    with open")


def test_strict_relaxes_nothing() -> None:
    """What lenient mode repairs, `--strict` does not accept as a clean call."""
    text = CALL.removesuffix("</tool_call>") + "</tool_cal"

    assert invoke("parse", "--dialect", "hermes", "--strict", text=CALL).exit_code == 0
    assert invoke("parse", "--dialect", "hermes", "--strict", text=text).exit_code == 1


@pytest.mark.parametrize("name", ["hermes", "auto"])
def test_parse_explains_itself(name: str) -> None:
    """With `--explain` it shows the readings of each place, and one line where there is only one."""
    text = CALL.removesuffix("}\n</tool_call>") + "\n</tool_call>"

    shown = invoke("parse", "--dialect", name, "--explain", text=text)
    assert shown.exit_code == 0 and "\n  * json_close_all (1)" in shown.stdout
    assert invoke("parse", "--dialect", name, "--explain", text=CALL).stdout == f"{name}: nothing else could be meant\n"
    for wrong in (["--stream"], ["--format", "json"], ["--jsonl"]):
        assert invoke("parse", "--explain", *wrong, text=text).exit_code == 2


@pytest.mark.parametrize("target", ["kimi-k2", "qwen3-coder", "mistral-v13"])
def test_convert_writes_the_other_dialect(target: str) -> None:
    """Converting and parsing again gives the same calls."""
    tools = json.loads((EXAMPLES / "tools.json").read_text())
    result = invoke("convert", HERMES, "--dialect", "hermes", "--to", target)
    before = toolect.dialect("hermes").parse(Path(HERMES).read_text(encoding="utf-8"))
    after = toolect.dialect(target).parse(result.stdout, tools=tools)

    assert [(c.name, c.arguments) for c in after.calls] == [(c.name, c.arguments) for c in before.calls]
    assert after.content.strip() == before.content.strip()
    assert (result.exit_code == 0) == (result.stderr == "")


def test_convert_reports_losses() -> None:
    """What the target cannot carry is said on standard error, and the exit status is 1."""
    result = invoke("convert", TRUNCATED, "--dialect", "hermes", "--to", "kimi-k2")

    assert result.exit_code == 1
    assert result.stderr.startswith("toolect: ")


def test_convert_reports_what_follows_the_end() -> None:
    """It is left out, and that is said, of one message and of many."""
    text = "Hello<|im_end|>\nAnd lost."
    one = invoke("convert", "--dialect", "hermes", "--to", "kimi-k2", text=text)
    assert (one.exit_code, one.stdout.strip()) == (1, "Hello")
    assert one.stderr == (
        "toolect: kimi-k2 leaves a text out (after-end): follows the end of the answer, at 'And lost.'\n"
    )
    many = invoke(
        "convert", "--dialect", "hermes", "--to", "kimi-k2", "--jsonl", text=json.dumps({"text": text}) + "\n"
    )
    assert many.exit_code == 1
    (row,) = rows(many.stdout)
    assert [(loss["slot"], loss["witness"]) for loss in row["losses"]] == [("after-end", "And lost.")]


def test_list_names_every_dialect() -> None:
    """`list` writes one object for each dialect, or readable text."""
    found = rows(invoke("list").stdout)

    assert [row["name"] for row in found] == list(toolect.dialects())
    assert all(row["about"] for row in found)
    assert found[0]["name"] in invoke("list", "--format", "text").stdout


@pytest.mark.parametrize("name", toolect.dialects())
def test_show_tells_all_about_a_dialect(name: str) -> None:
    """`show` gives spec, grammar, template and a sample of each construct, in every dialect."""
    result = invoke("show", name)

    assert result.exit_code == 0
    assert re.findall(r"^\w.*$", result.stdout, re.MULTILINE) == [name, "grammar", "template", "samples"]
    assert "start:" in result.stdout
    assert "⟦" in result.stdout.partition("\ntemplate\n")[2]
    sample = result.stdout.partition("\n  a call\n")[2].partition("\n  content, then a call\n")[0]
    assert "get_weather" in sample
    assert "Zürich" in sample


# Many messages


def test_json_lines_in_json_lines_out() -> None:
    """Each line with a text gives one message; a line that has none gives a labelled record and exit 1."""
    lines = ['"hi"', json.dumps({"text": CALL}), "oops", "3", '{"text": null}', "", json.dumps("\ud800")]
    result = invoke("parse", "--dialect", "hermes", "--jsonl", text="\n".join(lines).encode() + b'\n"\xff"\n"end"')
    found = rows(result.stdout)

    assert result.exit_code == 1
    assert [row.get("line") for row in found] == [None, None, 3, 4, 5, None, 8, None]
    assert found[1]["segments"][-1]["arguments"] == {"a": 1}
    assert found[2]["error"] == "expected JSON, got `Expecting value` at column 1"
    assert found[3]["error"] == 'expected a string or an object with "text", got `int`'
    assert "byte 0xff at offset 1" in found[6]["error"]
    assert found[5]["segments"][0]["text"] == "\ud800"
    assert "4 of 8 messages" in result.stderr


def test_a_line_brings_its_own_tools() -> None:
    """`tools` and `prefix` of a line count for that line only; bad ones are that line's error."""
    text = "hm\n</think>\n\n<tool_call>\n<function=f>\n<parameter=a>\n1\n</parameter>\n</function>\n</tool_call>"
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    lines = [
        {"text": text, "prefix": "<think>\n", "tools": [{"name": "f", "parameters": schema}]},
        {"text": text, "prefix": "<think>\n"},
        {"text": text, "tools": [{"name": 3}]},
        {"text": text, "tools": "no JSON"},
        {"text": text, "tools": "[" * 100_000},
        {"text": text, "prefix": 5},
    ]
    found = rows(invoke("parse", "--dialect", "qwen3-coder", "--jsonl", text="\n".join(map(json.dumps, lines))).stdout)

    assert found[0]["segments"][0]["type"] == "reasoning"
    assert [row["segments"][-1]["arguments"] for row in found[:2]] == [{"a": "1"}, {"a": 1}]
    assert found[2]["line"] == 3
    assert [row["error"] for row in found[2:]] == [
        "expected a tool with a name, got \"{'name': 3}\" - at `$[0]`",
        "expected a list of tools in JSON, got `Expecting value` at column 1 - at `tools`",
        "expected a list of tools in JSON, got too deep a nesting - at `tools`",
        "expected a text, got `int` - at `prefix`: what the prompt ends with",
    ]


def test_json_lines_round_trip() -> None:
    """`parse --jsonl | render --jsonl` gives the texts again, and convert reads the same lines."""
    lines = "\n".join(json.dumps(text) for text in ("hi", CALL))
    parsed = invoke("parse", "--dialect", "hermes", "--jsonl", text=lines).stdout
    rendered = rows(invoke("render", "--to", "hermes", "--jsonl", text=parsed).stdout)
    converted = rows(invoke("convert", "--dialect", "hermes", "--to", "hermes", "--jsonl", text=lines).stdout)

    assert [row["text"] for row in rendered] == ["hi", CALL]
    assert [row["text"] for row in converted] == ["hi", CALL]


def test_a_line_that_is_too_long_is_skipped() -> None:
    """A line over `--max-bytes` becomes a record; the lines after it are read."""
    text = f'"a"\n"{"b" * 200_000}"\n"c"\n'
    found = rows(invoke("parse", "--dialect", "hermes", "--jsonl", "--max-bytes", "100", text=text).stdout)

    assert found[1] == {"line": 2, "error": "expected at most 100 bytes, got more: raise --max-bytes"}
    assert found[2]["segments"][0]["text"] == "c"


# Bad input


def bad_inputs(folder: Path) -> list[tuple[str, list[str], bytes, str]]:
    """A name, a command line, its input, and the sentence it must give."""
    (folder / "latin.txt").write_bytes(b"Z\xfcrich")
    (folder / "many.jsonl").write_bytes(b"")
    (folder / "cut.gz").write_bytes(gzip.compress(b"Hi." * 100)[:20])
    (folder / "cut.jsonl.gz").write_bytes(gzip.compress(b'"Hi."\n' * 100)[:20])
    (folder / "tools.json").write_text('[{"type": "function", "function": {"title": "x"}}]')
    (folder / "deep.json").write_text("[" * 200_000)
    (folder / "tools.py").write_text("")
    dataset = ["data", "convert", f"{folder}/many.jsonl", "-o", f"{folder}/rows", "--to", "ids"]
    parse = ["parse", "--dialect", "hermes"]
    return [
        ("missing", [*parse, f"{folder}/no.txt"], b"", rf"expected a file, got nothing at `{folder}/no.txt`: check"),
        ("directory", [*parse, str(folder)], b"", rf"expected a file, got a directory at `{folder}`: name a file"),
        ("nul", [*parse, "a\0b"], b"", r"expected a readable file, got `embedded null byte`"),
        ("not UTF-8", [*parse, f"{folder}/latin.txt"], b"", r"expected UTF-8, got byte 0xfc at offset 1 of `.*`: conv"),
        ("cut UTF-8", parse, b"a" * 70_000 + b"\xc3", r"expected UTF-8, got byte 0xc3 at offset 70000 of standard inp"),
        ("stream", [*parse, "--stream"], b"ab\xff", r"expected UTF-8, got byte 0xff at offset 2 of standard input"),
        ("no message", ["render", "--to", "hermes"], b"", r"expected a message in JSON, got `Expecting value`"),
        ("many", ["data", "tokens", f"{folder}/many.jsonl", "--tokenizer", folder], b"", r"expected one text, got m"),
        ("table", parse, b"PAR1xxxx", r"expected a text, got a Parquet file in standard input: give a file that ends"),
        ("cut gzip", [*parse, f"{folder}/cut.gz"], b"", r"expected a whole packed file, got one with an error in it"),
        ("cut lines", [*parse, f"{folder}/cut.jsonl.gz"], b"", r"expected to read `.*cut.jsonl.gz`, got `expected a w"),
        ("huge", [*parse, "--max-bytes", "10"], b"a" * 11, r"expected at most 10 bytes, got more in standard input: r"),
        ("no tools", [*parse, "--schemas", f"{folder}/no.json"], b"a", r"expected a file, got nothing at `.*no.json`"),
        ("not JSON", [*parse, "--schemas", f"{folder}/latin.txt"], b"a", r"expected UTF-8, got byte 0xfc"),
        ("tools", [*parse, "--schemas", f"{folder}/tools.json"], b"a", r"expected a tool .* got .* at `\$\[0\]`"),
        ("deep", [*parse, "--schemas", f"{folder}/deep.json"], b"a", r"expected a list of tools in JSON, got too deep"),
        ("module", [*parse, "--schemas", f"{folder}/tools.py"], b"a", r"expected a list of tools in JSON, got a Py"),
        ("no chat", dataset, b"", r"expected the chat to write `ids` in, got none: name it with --chat"),
        ("no ids", [*dataset, "--chat", "qwen3"], b"", r"expected the folder of a tokenizer .* with --tokenizer"),
        ("dialect", ["parse", "--dialect", "hermse"], b"a", r".*hermse.*hermes.*`toolect list`"),
        ("target", ["convert", "--dialect", "hermes", "--to", "hermse"], b"a", r".*hermse.*hermes"),
        ("show", ["show", "hermse"], b"", r".*hermse.*hermes"),
        ("no target", ["render"], b"a", r"Missing option '--to'; see `toolect render --help`"),
        ("auto target", ["render", "--to", "auto"], b"a", r"expected a dialect, got `auto`, which only reads: `tool"),
        ("format", [*parse, "--format", "xml"], b"a", r"Invalid value for '--format': 'xml' is not one of"),
        ("chunk", [*parse, "--stream", "--chunk", "0"], b"a", r"Invalid value for '--chunk': 0 is not in the range"),
        ("option", [*parse, "--frm"], b"a", r"No such option '--frm'"),
        ("command", ["prase"], b"", r"expected a command \(parse, .*\), got `prase`; see"),
        ("jsonl stream", [*parse, "--jsonl", "--stream"], b"a", r"expected one text with --stream, got many"),
        ("no spec", ["list", "--spec", f"{folder}/no.yaml"], b"", r"expected a file, got nothing at `.*no.yaml`"),
        ("message", ["render", "--to", "hermes"], b"hi", r"expected a message in JSON, got `Expecting value`"),
        ("form", ["render", "--to", "hermes"], b'{"segments": [{"type": "call", "name": 3}]}', r"expected `str`, got"),
        ("segment", ["render", "--to", "hermes"], b'{"segments": [{"type": "image"}]}', r".*`\$.segments\[0\].type`"),
        ("role", ["render", "--to", "hermes"], b'{"role": "user", "content": ""}', r".*got 'user' - at `\$.role`"),
        ("number", ["render", "--to", "hermes"], b"3", r"expected an assistant message, got `int` - at `\$`"),
        ("keys", ["render", "--to", "hermes"], b'{"text": "hi"}', r"expected an assistant message, got an object with"),
        ("digits", ["render", "--to", "hermes"], b"9" * 5000, r"expected a message in JSON, got a number with"),
    ]  # fmt: skip


def test_bad_input_gets_one_sentence(tmp_path: Path) -> None:
    """Every misuse exits 2 with nothing written but one sentence: expected, got, where, what to do."""
    for name, words, text, sentence in bad_inputs(tmp_path):
        result = invoke(*words, text=text)

        assert result.exit_code == 2, (name, result.output, result.exception)
        assert result.stderr.count("\n") == 1, (name, result.stderr)
        assert re.match(f"toolect: {sentence}", result.stderr), (name, result.stderr)
        assert result.stdout == "" or name == "stream", (name, result.stdout)


# Without a dialect


def test_parse_needs_no_dialect() -> None:
    """Without `--dialect` each call is read by the dialect that fits, which is told beside it."""
    form = json.loads(invoke("parse", HERMES).stdout)
    call = form["segments"][1]
    assert (call["name"], call["dialect"]) == ("search_ferries", "hermes")
    assert message_of(form).calls[0].name == "search_ferries"
    lines = invoke("parse", HERMES, "--dialect", "auto", "--format", "text").stdout.splitlines()
    assert lines[2] == "call search_ferries  hermes  ok"
    assert rows(invoke("parse", HERMES, "--stream").stdout)[-1]["call"]["name"] == "search_ferries"


def test_convert_needs_no_dialect() -> None:
    """Neither does `convert`."""
    result = invoke("convert", "--to", "kimi-k2", text=CALL)
    assert result.exit_code == 0 and result.stdout.startswith("<|tool_calls_section_begin|>")


@pytest.mark.parametrize("more", [[], ["--stream"], ["--format", "text"]])
def test_parse_says_when_another_dialect_fits(more: list[str]) -> None:
    """No call of the dialect that was named, but one of another: a note says so, and nothing else changes."""
    result = invoke("parse", "--dialect", "kimi-k2", *more, text=CALL)
    assert result.exit_code == 0
    assert result.stderr.startswith("toolect: no kimi-k2 call found; this looks like hermes")
    assert invoke("parse", "--dialect", "kimi-k2", *more, text="All is well.").stderr == ""
    assert invoke("parse", "--dialect", "hermes", *more, text=CALL).stderr == ""


def test_detect_draws_the_evidence() -> None:
    """The best dialect comes first, with its markers, what was read, and what cannot be told apart."""
    result = invoke("detect", HERMES)
    assert result.exit_code == 0 and result.stderr == ""
    assert result.stdout.startswith("hermes")
    assert "  reads    1 call (1 clean)" in result.stdout and "  markers  <tool_call> at 51" in result.stdout


def test_detect_writes_json() -> None:
    """With `--format json` a result is one object a line, as many as --limit allows."""
    found = rows(invoke("detect", HERMES, "--format", "json").stdout)
    assert found[0]["dialect"] == "hermes" and found[0]["calls"] == 1 and found[0]["score"] == 1
    assert len(rows(invoke("detect", HERMES, "--format", "json", "--limit", "1").stdout)) == 1


def test_detect_finds_nothing_in_prose() -> None:
    """A text without a mark of any dialect is said to be one, with status 1."""
    result = invoke("detect", text="All is well.")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "toolect: no dialect has left a mark in this text\n"


def test_detect_explains_a_model() -> None:
    """A model id is told with its dialect and the pattern that leads there."""
    result = invoke("detect", "--model", "someone/Qwen3-Coder-30B-A3B-Instruct-GGUF")
    assert result.exit_code == 0 and result.stdout.splitlines()[0] == "qwen3-coder"
    assert "by the pattern Qwen/Qwen3-Coder*" in result.stdout and "read as qwen-3-coder-30b" in result.stdout
    (found,) = rows(invoke("detect", "--model", "kimi_k2", "--format", "json").stdout)
    assert (found["dialect"], found["by"]) == ("kimi-k2", "name")


def test_detect_tells_how_to_add_a_model() -> None:
    """A model that no pattern matches comes with those that are near, and with what to write."""
    result = invoke("detect", "--model", "qwen/qwem3-coder-next")
    assert result.exit_code == 1 and 'models: ["qwen/qwem3-coder-next"]' in result.stdout
    assert "no pattern matches" in result.stderr


def test_a_broken_spec_is_drawn(tmp_path: Path) -> None:
    """A spec that does not compile exits 2 with its diagnostics, and one that does brings its dialects."""
    bad = tmp_path / "bad.yaml"
    bad.write_text("mine:\n  abut: x\n")
    result = invoke("list", "--spec", str(bad))

    assert result.exit_code == 2
    assert "error[" in result.stderr
    assert f"{bad}:" in result.stderr
    assert re.search(
        r"^toolect: expected a spec that compiles, got \d+ problems? in `.*bad.yaml`", result.stderr, re.MULTILINE
    )


def test_a_spec_of_ones_own(tmp_path: Path) -> None:
    """With `--spec` a dialect of one's own is parsed, rendered and shown without any Python."""
    (tmp_path / "grammars").mkdir()
    grammar = 'start: (content | call)*\ncontent: TEXT\ncall: "<<" JSON ">>"\n%declare TEXT JSON\n'
    (tmp_path / "grammars" / "mine.lark").write_text(grammar)
    spec = tmp_path / "mine.yaml"
    names = "content: content, call: call, call/JSON: {tool: $name, with: $arguments}"
    spec.write_text(f'mine:\n  about: "Mine"\n  source: "https://example.org"\n  map: {{{names}}}\n')
    own = [sys.executable, "-c", RUN]
    text = b'Hi<<{"tool": "f", "with": {"a": 1}}>>'
    words = ["--dialect", "mine", "--spec", str(spec)]
    parsed = subprocess.run([*own, "parse", *words], input=text, capture_output=True, check=True).stdout
    render = [*own, "render", "--to", "mine", "--spec", str(spec)]

    assert json.loads(parsed)["segments"][1]["arguments"] == {"a": 1}
    assert subprocess.run(render, input=parsed, capture_output=True, check=True).stdout == text
    assert (
        b"get_weather"
        in subprocess.run([*own, "show", "mine", "--spec", str(spec)], capture_output=True, check=True).stdout
    )


def test_an_unreadable_file_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that may not be read is named with the system's reason."""

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", refuse)
    result = invoke("parse", HERMES, "--dialect", "hermes")

    assert result.exit_code == 2
    assert "expected a readable file, got `Permission denied`" in result.stderr


def test_failures_of_a_real_process() -> None:
    """Exit status and streams are those of a well-behaved program, with no traceback."""
    for words, text, status in [
        (["parse", "--dialect", "hermes"], CALL.encode(), 0),
        (["parse", "--dialect", "hermes"], b"\xff", 2),
        (["parse", "--dialect", "hermes"], b"<tool_call>\n{", 1),
        ([], b"", 2),
        (["--help"], b"", 0),
    ]:
        done = process(*words, text=text)

        assert done.returncode == status, done.stderr
        assert b"Traceback" not in done.stderr


def test_a_reader_that_goes_away_is_no_error() -> None:
    """A broken pipe ends the program in silence."""
    words = [sys.executable, "-c", RUN, "parse", "--dialect", "hermes", "--jsonl"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        assert child.stdin
        assert child.stdout
        assert child.stderr
        child.stdout.close()
        try:
            child.stdin.write(b'"hi"\n' * 50_000)
            child.stdin.close()
        except BrokenPipeError:
            pass
        said = child.stderr.read()

    assert said == b""
    assert child.returncode == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize(
    ("words", "held"), [*((words, True) for words in WRITING), ("show hermes", False), ("spec schema", False)]
)
def test_a_full_disk_is_said(words: str, held: bool) -> None:
    """Output that cannot be written is one sentence, not a traceback, whoever draws it, and whether it is held back."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"}
    environment |= {} if held else {"PYTHONUNBUFFERED": "1"}
    with open("/dev/full", "wb") as full:
        command = [sys.executable, "-c", RUN, *words.split()]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False, env=environment)

    assert done.returncode == 2
    assert done.stderr == b"toolect: expected to write the output, got `No space left on device`: free some space\n"


@pytest.mark.parametrize("words", ["show hermes", "list", "--version", "parse", "parse --jsonl", "coverage -"])
def test_a_closed_stream_is_said(words: str) -> None:
    """Standard input or output that the shell has closed is an error like any other, and no traceback."""
    closing = "<&-" if words in ("parse", "parse --jsonl", "coverage -") else ">&-"
    command = ["sh", "-c", f'exec "$0" -c "$1" {words} {closing}', sys.executable, RUN]
    done = subprocess.run(command, capture_output=True, check=False, timeout=300)

    assert done.returncode == (1 if words == "coverage -" else 2)
    assert b"Bad file descriptor" in done.stdout + done.stderr and b"Traceback" not in done.stderr


# Terminals


def test_a_terminal_gets_colour_and_a_pipe_does_not() -> None:
    """Readable text is the default on a terminal, coloured; the same text is plain in a pipe."""
    seen = on_terminal(["parse", HERMES, "--dialect", "hermes"])
    plain = invoke("parse", HERMES, "--dialect", "hermes", "--format", "text").stdout

    assert "\x1b[" in seen
    assert re.sub(r"\x1b\[[0-9;]*m", "", seen).replace("\r\n", "\n") == plain


def test_a_table_is_the_same_on_a_terminal() -> None:
    """A table is drawn once: what is on a terminal in colour is what is in a pipe."""
    words = ["coverage", str(EXAMPLES / "traffic.jsonl"), "--jobs", "1"]
    bare = [line.rstrip() for line in re.sub(r"\x1b\[[0-9;]*m", "", on_terminal(words)).splitlines()]
    table = invoke(*words).stdout.split("\n\n")[1].splitlines()
    start = bare.index("Dialects")

    assert len(table) == 5
    assert bare[start : start + 5] == table


def test_a_terminal_never_obeys_the_model(tmp_path: Path) -> None:
    """Control characters of the model's output are escaped, whatever the format."""
    wire = tmp_path / "evil.txt"
    wire.write_text(
        'a\x1b[31m\x07\r\x9b\u202e<tool_call>\n{"name": "f", "arguments": {"a": "\x9b\u202e"}}\n</tool_call>'
    )
    for words in (["--format", "text"], ["--format", "json"], ["--stream"], ["--stream", "--format", "json"]):
        seen = on_terminal(["parse", str(wire), "--dialect", "hermes", *words])
        bare = (
            re.sub(r"\x1b\[[0-9;]*m", "", seen).replace("\r\n", "\n")
            if "json" not in words
            else seen.replace("\r\n", "\n")
        )

        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", bare), words
        assert "\\u001b" in bare and "[31m" in bare, words


def test_visible_escapes_what_a_terminal_obeys() -> None:
    """Controls, direction marks and lone surrogates are escaped; newline and tab are not."""
    assert visible("a\tb\nc\x1b\x7f\x9b\u202e\ud800é😀") == "a\tb\nc\\u001b\\u007f\\u009b\\u202e\\ud800é😀"


def test_text_shows_everything_about_a_call() -> None:
    """Ids, repairs, blocks of text and errors are all shown."""
    message = Message(
        [
            Reasoning("hm\nso"),
            Call("f", {"code": "a\nb"}, id="i", status=Status.REPAIRED, repairs=(Repair(RepairKind.JSON, 7, "x\ny"),)),
            Call("", None, raw="<tool_call>oops", status=Status.MALFORMED, error="no name"),
        ],
        (Repair(RepairKind.AFTER_END, 9),),
    )

    assert "".join(text for _, text in draw(message)).splitlines() == [
        "reasoning", "  hm", "  so",
        "call f  i  repaired", "  code: text", "    a", "    b", "  json at 7: x\\ny",
        "call ?  malformed: no name", "  <tool_call>oops",
        "  after-end at 9",
    ]  # fmt: skip


# The JSON form


@pytest.mark.parametrize(
    "message",
    [
        Message(),
        Message([Content("a", (0, 1)), Reasoning("b\ud800")], (Repair(RepairKind.AFTER_END, 9, "x"),)),
        Message([Call("f", {"a": 1.0}, id="i", spelling='{"a":1.0}', span=(0, 9), status=Status.OK)]),
        Message([Call("f", {}, status=Status.REPAIRED, repairs=(Repair(RepairKind.JSON, 3, "y"),))]),
        Message([Call("f", None, spelling='{"a', raw="<f>", span=(0, 3), status=Status.TRUNCATED, error="cut")]),
        Message(
            [Call("f", {"a": 1}, spelling='{"a": 1', raw="<f>", span=(0, 3), status=Status.TRUNCATED, error="cut")]
        ),
        Message([Call("", None, raw="<f>", span=(0, 3), status=Status.MALFORMED, error="bad")]),
    ],
)
def test_the_form_keeps_everything(message: Message) -> None:
    """A message written as JSON and read again is the same in every field."""
    assert repr(message_of(json.loads(json.dumps(message.to_dict())))) == repr(
        Message(list(message.segments), message.repairs)
    )


def test_a_form_written_by_hand() -> None:
    """A call needs a name and arguments, or their text; nothing else."""
    form = {"segments": [{"type": "call", "name": "f", "arguments": {"a": 1}},
                         {"type": "call", "name": "f", "arguments_text": '{"a":1}'}]}  # fmt: skip

    assert message_of(form).calls == [Call("f", {"a": 1})] * 2
    assert message_of(form).calls[1].arguments_text == '{"a":1}'
    with pytest.raises(MessageError, match=re.escape("expected `int`, got `str` - at `$.segments[0].span[0]`")):
        message_of({"segments": [{"type": "content", "text": "a", "span": ["x", 1]}]})
    with pytest.raises(MessageError, match=re.escape("expected a call's arguments as dict, got str")):
        message_of({"segments": [{"type": "call", "name": "f", "arguments": "{}"}]})


# The program


def test_every_command_has_help() -> None:
    """Each command explains itself, and is listed."""
    listed = invoke("--help").stdout
    for name in COMMANDS:
        result = invoke(*name.split(), "--help")

        assert result.exit_code == 0
        assert f"Usage: toolect {name}" in result.stdout
        assert re.search(rf"^  {name.split()[0]} +\S", listed, re.MULTILINE)


def test_one_message_loads_only_what_it_needs() -> None:
    """Parsing one message to JSON imports neither rich nor the other commands."""
    code = (
        "import sys\nfrom toolect._cli import main\n"
        "try: main(sys.argv[1:])\nexcept SystemExit: pass\n"
        "print([m for m in ('rich', 'toolect._cli.show', 'toolect._cli.render') if m in sys.modules])"
    )
    words = [sys.executable, "-c", code, "parse", HERMES, "--dialect", "hermes"]
    done = subprocess.run(words, capture_output=True, check=True)

    assert done.stdout.splitlines()[-1] == b"[]"
