"""`toolect agent` and `toolect chat run`: what they write, how they exit, and what they say when something is wrong."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import chat_server
import pytest
from chat_server import Reply, serving
from click.testing import CliRunner, Result
from command_line import RUN

from toolect._cli import main
from toolect._message import Call, Message

TOOLS = '''
"""Tools of a harbour."""


def tide(port: str, day: int = 0) -> dict:
    """Tells the tide.

    Args:
        port: Where.
        day: How many days ahead.
    """
    return {"port": port, "day": day, "low": "04:10"}


def sink(ship: str) -> str:
    """Sinks a ship."""
    raise RuntimeError(f"{ship} does not sink")
'''
CALL = '<tool_call>\n{"name": "tide", "arguments": {"port": "Brest"}}\n</tool_call>'


def invoke(*words: str, text: str | None = None) -> Result:
    """Runs a command in this process."""
    return CliRunner().invoke(main, words, input=text)


def rows(result: Result) -> list[dict[str, Any]]:
    """The JSON lines that a command wrote."""
    return [json.loads(line) for line in result.stdout.splitlines()]


@pytest.fixture
def tools(tmp_path: Path) -> str:
    """A file of tools."""
    path = tmp_path / "harbour.py"
    path.write_text(TOOLS, encoding="utf-8")
    return str(path)


def ask(url: str, tools: str, *words: str) -> Result:
    """`toolect agent` with a model of that server, which runs tools at once."""
    return invoke("agent", "How low?", "--url", url, "--model", "m", "--tools", tools, "--yes", *words)


# toolect agent


def test_json_says_what_happens(tools: str) -> None:
    """One event a line: the call as it forms, its execution, the answer."""
    script = [chat_server.calls(("tide", '{"port": "Brest"}')), chat_server.text("Low at ", "04:10.")]
    with serving(script) as server:
        result = ask(server.url, tools)
    assert result.exit_code == 0, result.stderr
    events = rows(result)
    kinds = [event["type"] for event in events]
    assert sorted(kind for kind in kinds if kind not in ("arguments", "content")) == [
        "answered", "answered", "call-end", "call-start", "done", "tool-finished", "tool-started",
    ]  # fmt: skip
    assert kinds.index("call-end") < kinds.index("tool-started") < kinds.index("tool-finished")
    (finished,) = (event for event in events if event["type"] == "tool-finished")
    assert json.loads(finished["output"])["low"] == "04:10" and finished["is_error"] is False
    assert "".join(event["text"] for event in events if event["type"] == "content") == "Low at 04:10."
    result = server.requests[1]["messages"][-1]
    assert result["role"] == "tool" and json.loads(result["content"])["port"] == "Brest"
    assert [tool["function"]["name"] for tool in server.requests[0]["tools"]] == ["tide", "sink"]


def test_text_draws_what_happens(tools: str) -> None:
    """For people: the text, the call and its arguments, the result with its time."""
    with serving([chat_server.text("Wait.\n", CALL), chat_server.text("Low at 04:10.")]) as server:
        result = ask(server.url, tools, "--format", "text", "--dialect", "hermes")
    assert result.exit_code == 0, result.stderr
    for said in ("Wait.", "call tide", '{"port": "Brest"}', "result tide", " ms", '"low": "04:10"', "Low at 04:10."):
        assert said in result.stdout
    assert "tools" not in server.requests[0] and "<tools>" in json.dumps(server.requests[0]["messages"])


def test_nobody_can_be_asked(tools: str) -> None:
    """Tools that somebody has to allow are not run where nobody can."""
    for words in ([], ["--ask"]):
        result = invoke("agent", "Hi", "--url", "http://127.0.0.1:9/v1", "--model", "m", "--tools", tools, *words)
        assert result.exit_code == 2
        assert result.stderr.splitlines()[-1].endswith(
            "expected --yes, got a run in which nobody can be asked before a tool runs"
        )


def test_without_tools_nobody_is_asked() -> None:
    """A question alone needs no `--yes`."""
    with serving([chat_server.text("Low at 04:10.")]) as server:
        result = invoke("agent", "How low?", "--url", server.url, "--model", "m", "--format", "text")
    assert (result.exit_code, result.stdout.strip()) == (0, "content\n  Low at 04:10."), result.stderr


def test_a_server_that_does_not_answer_lists_no_models() -> None:
    """Nobody knows its only model; it is not said that it has none."""
    result = invoke("agent", "Hi", "--url", "http://127.0.0.1:9/v1", "--retries", "0")
    assert result.stderr.strip().endswith(
        "expected the name of a model, got none: the server at http://127.0.0.1:9/v1 lists none: is it running?"
    )


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("missing.py", "missing.py"),
        ("no_such_module_here", "no_such_module_here"),
        ("x = (", "broken.py"),
        ("x = 1", "broken.py"),
        ("raise ValueError('boom')", "boom"),
    ],
)
def test_wrong_tools_are_misuse(tmp_path: Path, source: str, said: str) -> None:
    """A tools file that is missing, broken or empty is one sentence, for both commands."""
    name = source if source.isidentifier() else str(tmp_path / source)
    if " " in source:
        path = tmp_path / "broken.py"
        path.write_text(source, encoding="utf-8")
        name = str(path)
    for words in (["chat", "run"], ["agent", "Hi", "--url", "http://127.0.0.1:9/v1", "--model", "m", "--yes"]):
        result = invoke(*words, "--tools", name, text="")
        assert result.exit_code == 2, result.output
        assert said in result.stderr.splitlines()[-1] and "expected" in result.stderr
        assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (Reply(status=500, body=b"down"), "500"),
        (Reply(status=401, body=b'{"error": {"message": "wrong key sk-secret"}}'), "401"),
        (Reply(body=b"<html>"), "expected"),
        (chat_server.text("Half an answ", cut=40), "expected"),
    ],
)
def test_a_server_that_fails_is_exit_status_1(tools: str, reply: Reply, said: str, monkeypatch: Any) -> None:
    """One sentence on standard error, and the key is never in it."""
    monkeypatch.setenv("TOOLECT_API_KEY", "sk-secret")
    with serving([reply]) as server:
        result = ask(server.url, tools, "--retries", "0")
    assert result.exit_code == 1, result.output
    assert said in result.stderr and "sk-secret" not in result.output and "Traceback" not in result.stderr
    assert server.headers[0]["authorization"] == "Bearer sk-secret"


def test_nobody_listens(tools: str) -> None:
    """A refused connection is exit status 1, an address that is none is misuse."""
    result = ask("http://127.0.0.1:9/v1", tools, "--retries", "0")
    assert result.exit_code == 1 and "127.0.0.1:9" in result.stderr
    assert ask("harbour", tools).exit_code == 2


def test_a_model_that_calls_for_ever(tools: str) -> None:
    """The answers that are asked for are bounded: exit status 1, and the sentence says so."""
    with serving(lambda _: chat_server.text(CALL)) as server:
        result = ask(server.url, tools, "--dialect", "hermes", "--max-iterations", "2")
    assert result.exit_code == 1 and "2 answers" in result.stderr
    assert len(server.requests) == 2


def test_an_unknown_dialect_is_misuse(tools: str) -> None:
    """With what was meant."""
    result = ask("http://127.0.0.1:9/v1", tools, "--dialect", "hermse")
    assert result.exit_code == 2 and "did you mean `hermes`" in result.stderr


@pytest.mark.parametrize("form", ["text", "json"])
def test_one_call_at_a_time_is_asked_about(tools: str, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer goes to the call that was asked about, and nothing is written over an open question."""
    monkeypatch.setattr("toolect._cli.agent._somebody_is_there", lambda: True)
    open_: list[str] = []
    asked: list[str] = []

    def confirm(question: str, **_: Any) -> bool:
        assert not open_, f"{question} while {open_} is open"
        open_.append(question)
        written = sys.stdout.buffer.getvalue()  # type: ignore[attr-defined]  # the runner's
        time.sleep(0.1)
        assert sys.stdout.buffer.getvalue() == written  # type: ignore[attr-defined]  # as above
        open_.clear()
        asked.append(question)
        return "Brest" in question

    monkeypatch.setattr("click.confirm", confirm)
    ports = [CALL, CALL.replace("Brest", "Cadiz"), CALL.replace("tide", "tied"), CALL.replace('"Brest"', "3")]
    with serving([chat_server.text(*ports, *["more "] * 30, pause=0.01, size=200), chat_server.text("Low.")]) as server:
        words = ["--url", server.url, "--model", "m", "--tools", tools, "--dialect", "hermes", "--format", form]
        result = invoke("agent", "How low?", *words)
    assert result.exit_code == 0, result.output
    assert sorted(asked) == ['run tide({"port": "Brest"})?', 'run tide({"port": "Cadiz"})?']
    sent_back = server.requests[1]["messages"][-1]["content"]
    assert sent_back.count("04:10") == 1 and sent_back.count("the user said no") == 1
    if form == "json":
        assert [row["index"] for row in rows(result) if row["type"] == "tool-started"] == [0]


def test_a_server_that_leaves_calls_unread(tools: str) -> None:
    """Markup is no answer: exit status 1, and the sentence says which dialect it looks like."""
    with serving([chat_server.text(CALL)]) as server:
        result = ask(server.url, tools)
    assert result.exit_code == 1 and "looks like `hermes`" in result.stderr


def test_an_answer_that_was_cut_off(tools: str) -> None:
    """It is said: exit status 1."""
    with serving([chat_server.text("Low at", finish="length")]) as server:
        result = ask(server.url, tools, "--format", "text")
    assert result.exit_code == 1 and "Low at" in result.stdout and "limit of tokens" in result.stderr


HARBOUR = f"'{sys.executable}' '{Path(__file__).with_name('mcp_harbour.py')}'"
"""An MCP server that has the tools `tide`, `sink` and others."""


def test_tools_of_an_mcp_server(tools: str) -> None:
    """Beside those of a module, or alone."""
    script = [chat_server.calls(("sink", '{"ship": "Vasa"}')), chat_server.text("It does not.")]
    with serving(script * 2) as server:
        words = ["How?", "--url", server.url, "--model", "m", "--yes"]
        alone = invoke("agent", *words, "--mcp", HARBOUR)
        both = invoke("agent", *words, "--mcp", HARBOUR, "--tools", tools)
    assert alone.exit_code == 0 and "Vasa does not sink" in alone.stdout, alone.output
    assert both.exit_code == 1 and "got `tide`, which is registered already" in both.stderr


# toolect chat run


@pytest.mark.parametrize(
    ("text", "status", "said"),
    [
        (CALL, 0, '"low": "04:10"'),
        (CALL.replace("tide", "tied"), 1, "did you mean tide?"),
        (CALL.replace('"Brest"', "3"), 1, "at `$.port`"),
        (CALL[:-30], 1, "truncated"),
        (CALL.replace("tide", "sink").replace("port", "ship"), 1, "Brest does not sink"),
        ("No call.", 0, ""),
    ],
)
def test_run_executes_calls(tools: str, text: str, status: int, said: str) -> None:
    """Exit status 0 when every call came to something, 1 when one did not: the result says why."""
    result = invoke("chat", "run", "--dialect", "hermes", "--tools", tools, text=text)
    assert result.exit_code == status, result.output
    assert [said in row["output"] for row in rows(result)] == [True] * bool(said)
    drawn = invoke("chat", "run", "--dialect", "hermes", "--tools", tools, "--format", "text", text=text)
    assert drawn.exit_code == status and said in drawn.stdout and ("  error" in drawn.stdout) == bool(status)


def test_run_keeps_the_order(tools: str) -> None:
    """Results come in the order of the calls, also those that were not executed."""
    wrong = CALL.replace("tide", "tied")
    result = invoke("chat", "run", "--dialect", "hermes", "--tools", tools, text=f"{CALL}\n{wrong}\n{CALL}")
    assert [row["is_error"] for row in rows(result)] == [False, True, False] and result.exit_code == 1


def test_run_reads_what_parse_writes(tools: str) -> None:
    """Messages of `parse`, in either format, are read without naming a dialect; code too."""
    for form in ("json", "openai"):
        parsed = invoke("parse", "--dialect", "hermes", "--format", form, text=CALL)
        result = invoke("chat", "run", "--tools", tools, text=parsed.stdout)
        assert [row["name"] for row in rows(result)] == ["tide"] and result.exit_code == 0
    code = '```python\nx = plot(1)\ntide("Brest", day=2)\n```'
    (row,) = rows(invoke("chat", "run", "--tools", tools, "--dialect", "python-call-block", text=code))
    assert json.loads(row["output"]) == {"port": "Brest", "day": 2, "low": "04:10"}


def asking(*ports: str, call_id: str = "") -> dict[str, Any]:
    """A message with a call for each of the ports."""
    given = [{"function": {"name": "tide", "arguments": json.dumps({"port": port})}} for port in ports]
    return {"role": "assistant", "tool_calls": [call | ({"id": call_id} if call_id else {}) for call in given]}


@pytest.mark.parametrize(
    ("messages", "ports"),
    [
        ([asking("Brest")], ["Brest"]),
        ([asking("Brest", "Calais")], ["Brest", "Calais"]),
        ([asking("Brest", "Calais"), {"role": "tool", "content": "low"}], ["Calais"]),
        ([asking("Brest", call_id="a"), {"role": "tool", "tool_call_id": "a", "content": "low"}], []),
        ([asking("Brest"), {"role": "tool", "content": "low"}, asking("Calais")], ["Calais"]),
        ([asking("Brest"), {"role": "user", "content": "Never mind."}], []),
        ([], []),
    ],
)
@pytest.mark.parametrize("wrap", [False, True], ids=["list", "object"])
def test_run_executes_what_waits(tools: str, messages: list[Any], ports: list[str], wrap: bool) -> None:
    """Of a conversation the calls without a result are executed; that there are none is said."""
    given = [{"role": "user", "content": "Tide?"}, *messages]
    text = json.dumps({"messages": given, "model": "m"} if wrap else given)
    result = invoke("chat", "run", "--tools", tools, text=text)
    assert [json.loads(row["output"])["port"] for row in rows(result)] == ports and result.exit_code == 0
    assert ("found no call to execute" in result.stderr) is not bool(ports)
    (row,) = rows(invoke("chat", "run", "--jsonl", "--tools", tools, text=text))
    assert [json.loads(one["output"])["port"] for one in row["results"]] == ports


def test_run_executes_the_answer_beside_a_conversation(tools: str) -> None:
    """A response, or a column of text, is what is to be executed; the messages beside it are what was asked."""
    asked = {"messages": [{"role": "user", "content": "Tide?"}, asking("Calais")]}
    response = asked | {"choices": [{"message": asking("Brest")}]}
    (row,) = rows(invoke("chat", "run", "--tools", tools, text=json.dumps(response)))
    assert json.loads(row["output"])["port"] == "Brest"
    (row,) = rows(invoke("chat", "run", "--jsonl", "--tools", tools, text=json.dumps(asked | {"completion": CALL})))
    assert [json.loads(one["output"])["port"] for one in row["results"]] == ["Brest"] and "messages" in row


def test_run_refuses_what_is_no_conversation(tools: str) -> None:
    """Messages that make none are not taken for a text without calls."""
    given = [asking("Brest", call_id="a"), {"role": "tool", "tool_call_id": "b", "content": "low"}]
    result = invoke("chat", "run", "--tools", tools, text=json.dumps(given))
    assert result.exit_code == 2 and "for the id `b`" in result.stderr and "in the conversation" in result.stderr
    (row,) = rows(invoke("chat", "run", "--jsonl", "--tools", tools, text=json.dumps(given)))
    assert "for the id `b`" in row["error"]


def test_results_have_ids_of_their_own(tools: str) -> None:
    """Two calls with one id are two: so are their results."""
    first, second = rows(
        invoke("chat", "run", "--tools", tools, text=json.dumps(asking("Brest", "Calais", call_id="a")))
    )
    assert first["call_id"] == "a" and second["call_id"] not in ("", "a")


def test_run_without_tools_is_misuse() -> None:
    """One of the options is needed."""
    result = invoke("chat", "run", text=CALL)
    assert result.exit_code == 2 and "--tools, or a server with --mcp" in result.stderr


def test_run_with_an_mcp_server(tools: str) -> None:
    """Its tools run, for one answer and for many; that it cannot be reached, or has a name that is taken, is said."""
    sink = CALL.replace("tide", "sink").replace("port", "ship").replace("Brest", "Vasa")
    drawn = invoke("chat", "run", "--dialect", "hermes", "--mcp", HARBOUR, "--format", "text", text=CALL)
    assert drawn.exit_code == 0 and "result tide" in drawn.stdout, drawn.output
    lines = "".join(json.dumps({"text": text}) + "\n" for text in (sink, "None.", sink))
    many = rows(invoke("chat", "run", "--jsonl", "--mcp", HARBOUR, text=lines))
    assert [[result["is_error"] for result in row["results"]] for row in many] == [[True], [], [True]]
    both = invoke("chat", "run", "--tools", tools, "--mcp", HARBOUR, text=sink)
    assert both.exit_code == 2 and "got `tide`, which is registered already" in both.stderr
    gone = invoke("chat", "run", "--mcp", "no-such-server", text=sink)
    assert gone.exit_code == 2 and "expected an MCP server at no-such-server" in gone.stderr


# What tools do besides


LOUD = '''
"""Tools that print."""
import os, subprocess, sys

print("import", flush=True)


def loud(word: str) -> str:
    """Prints."""
    print(f"print {word}")
    os.write(1, b"write\\n")
    subprocess.run([sys.executable, "-c", "print('child')"], check=True)
    return word


async def later(word: str) -> str:
    """Prints, too."""
    print(f"later {word}")
    return word
'''
SAID = ("import", "print a", "write", "child", "later b")


@pytest.mark.parametrize("kind", ["run", "lines", "agent"])
def test_what_tools_print_is_no_result(kind: str, tmp_path: Path) -> None:
    """Nor what their module prints, or a program that they start: it goes to standard error."""
    (tmp_path / "loud.py").write_text(LOUD, encoding="utf-8")
    calls = [Call("loud", {"word": "a"}), Call("later", {"word": "b"})]
    text = json.dumps(Message(calls).to_openai())
    made = chat_server.calls(("loud", '{"word": "a"}'), ("later", '{"word": "b"}'))
    with serving([made, chat_server.text("Done.")]) as server:
        asking = ["agent", "?", "--url", server.url, "--model", "m", "--yes"]
        words = {"run": ["chat", "run"], "lines": ["chat", "run", "--jsonl"], "agent": asking}[kind]
        command = [sys.executable, "-c", RUN, *words, "--tools", str(tmp_path / "loud.py")]
        done = subprocess.run(command, input=text, capture_output=True, check=False, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert all(isinstance(json.loads(line), dict) for line in done.stdout.splitlines()) and done.stdout
    assert [said for said in SAID if said not in done.stderr] == []


def test_a_module_that_ends_the_program_is_said(tmp_path: Path) -> None:
    """With the reason, as for one that fails."""
    (tmp_path / "gone.py").write_text("raise SystemExit(3)")
    result = invoke("chat", "run", "--tools", str(tmp_path / "gone.py"), text="{}")
    assert result.exit_code == 2 and "which fails: SystemExit: 3" in result.stderr
