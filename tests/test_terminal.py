"""Terminals and signals: control signs are never obeyed, interrupted commands say so, and leave no process behind."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command_line import RUN, on_terminal

ROOT = Path(__file__).resolve().parent.parent
EVIL = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202e\r\x08"
"""Signs that set a title, clear the screen, colour, turn the direction of text, and go back."""
CALL = '<tool_call>\n{"name": "f", "arguments": {"a": %s}}\n</tool_call>'
SGR = re.compile(r"\x1b\[[\d;]*m")

SHOWN = {
    "message": ["parse", "answer.txt"],
    "events": ["parse", "answer.txt", "--stream"],
    "tree": ["parse", "answer.txt", "--dialect", "hermes", "--tree"],
    "many": ["parse", "many.jsonl", "--format", "text"],
    "lines": ["parse", "many.jsonl"],
    "wire": ["convert", "answer.txt", "--to", "qwen3-coder"],
    "readings": ["parse", "answer.txt", "--explain"],
    "detection": ["detect", "answer.txt"],
    "transcript": ["chat", "render", "messages.json", "--to", "qwen3"],
    "origins": ["chat", "render", "messages.json", "--to", "qwen3", "--origins"],
    "rules": ["chat", "render", "messages.json", "--to", "qwen3", "--tree"],
    "list": ["list", "evil", "--spec", "evil.yaml"],
    "show": ["show", "evil", "--spec", "evil.yaml"],
    "rendered": ["render", "message.json", "--to", "hermes"],
    "conversation": ["chat", "parse", "transcript.txt", "--chat", "qwen3"],
    "conversation's origins": ["chat", "parse", "transcript.txt", "--chat", "qwen3", "--origins"],
    "conversation's rules": ["chat", "parse", "transcript.txt", "--chat", "qwen3", "--tree"],
    "other transcript": ["chat", "convert", "transcript.txt", "--chat", "qwen3", "--to", "llama3.1"],
    "results": ["chat", "run", "answer.txt", "--tools", "tools.py"],
    "score": ["eval", "many.jsonl", "--format", "text"],
    "rows": ["data", "convert", "many.jsonl", "odd.jsonl", "--to", "qwen3", "-o", "rows", "--jobs", "1"],
    "drafts": ["new", "--draft", "answer.txt"],
    "induced": ["new", "odd", "answers.jsonl"],
    "features": ["spec", "features", "evil", "--spec", "evil.yaml"],
    "generated": ["spec", "generate", "evil", "--spec", "evil.yaml"],
    "tools": ["parse", "answer.txt", "--schemas", "odd.jsonl"],
    "template": ["new", "odd", "--template", "answer.txt"],
    "lint": ["lint", "evil.yaml", "--jobs", "1"],
    "report": ["coverage", "many.jsonl", "--jobs", "1"],
    "matrix": ["coverage", "many.jsonl", "--matrix", "--jobs", "1"],
    "no such dialect": ["parse", "answer.txt", "--dialect", EVIL],
    "no such command": [EVIL],
    "no such option": ["parse", f"--{EVIL}"],
    "no such file": ["parse", EVIL],
    "no such spec": ["list", "--spec", "broken.yaml"],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of files that hold control signs wherever they can."""
    folder = tmp_path_factory.mktemp("evil")
    text = f"{EVIL}Hi.\n{CALL % json.dumps(EVIL, ensure_ascii=False)}\n{CALL % EVIL}"
    (folder / "answer.txt").write_text(text, "utf-8", newline="")
    (folder / "many.jsonl").write_text(json.dumps({"text": text, "source": EVIL}) + "\n", "utf-8")
    (folder / "messages.json").write_text(json.dumps([{"role": "user", "content": EVIL}]), "utf-8")
    message = {"content": EVIL, "calls": [{"name": "f", "arguments": {"a": EVIL, EVIL: 1}}]}
    (folder / "message.json").write_text(json.dumps(message), "utf-8")
    (folder / "answers.jsonl").write_text(json.dumps({"text": text, **message}) + "\n", "utf-8")
    transcript = f"<|im_start|>user\n{EVIL}<|im_end|>\n<|im_start|>assistant\n{text}<|im_end|>\n<|im_start|>{EVIL}\n"
    (folder / "transcript.txt").write_text(transcript, "utf-8", newline="")
    (folder / "tools.py").write_text(f"def f(a: str):\n    'Say.'\n    return {EVIL!r} + a\n", "utf-8")
    odd = [{"messages": [{"role": EVIL, "content": EVIL}]}, {EVIL: EVIL}, {"messages": EVIL}, {"name": EVIL}]
    (folder / "odd.jsonl").write_text("".join(json.dumps(one) + "\n" for one in odd) + EVIL, "utf-8", newline="")
    about = json.dumps(f"{EVIL} x", ensure_ascii=True)
    roles = "{content: content, call: call, call/JSON: {name: $name, arguments: $arguments}}"
    (folder / "evil.yaml").write_text(f"evil:\n  about: {about}\n  map: {roles}\n", "utf-8")
    (folder / "broken.yaml").write_text(f"evil:\n  {about}: x\n", "utf-8")
    (folder / "grammars").mkdir()
    grammar = 'start: (content | call)*\ncontent: TEXT\ncall: "<my>" JSON "</my>"\n%declare TEXT JSON\n'
    (folder / "grammars" / "evil.lark").write_text(grammar, "utf-8")
    return folder


@pytest.mark.parametrize("what", SHOWN)
def test_a_terminal_obeys_nothing_that_is_shown(what: str, folder: Path) -> None:
    """Of what data holds every control sign is an escape; colours are the only ones that toolect writes."""
    bar = what in ("lint", "report", "matrix", "score", "rows", "features")  # is drawn on standard error
    seen = SGR.sub("", on_terminal(SHOWN[what], folder, errors=not bar)).replace("\r\n", "\n")
    assert seen.strip()
    assert not re.findall(r"[^\n\t -~\xa0-\u2029\u202f-\u2065\u206a-\U0010ffff]", seen), seen


WORK = {
    "lint": ["lint", "--jobs", "2"],
    "coverage": ["coverage", "long.jsonl", "--jobs", "2"],
    "parse": ["parse", "long.jsonl", "--jobs", "2"],
    "data": ["data", "convert", "long.jsonl", "--to", "messages", "-o", "rows", "--jobs", "2"],
}


def children(pid: int) -> list[int]:
    """The processes that a process has started."""
    return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()]


def runs(pid: int) -> bool:
    """True for a process that has not ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("ascii").rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def until(held: float, what: object) -> bool:
    """Waits until `what()` holds, at most so many seconds."""
    end = time.monotonic() + held
    while not what() and time.monotonic() < end:  # type: ignore[operator]
        time.sleep(0.05)
    return bool(what())  # type: ignore[operator]


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs /proc to see processes")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=lambda one: one.name)
@pytest.mark.parametrize("work", WORK)
def test_a_stopped_command_leaves_nobody_behind(work: str, number: signal.Signals, tmp_path: Path) -> None:
    """It says in one sentence by what it was ended, and so does its exit status; its processes end with it."""
    row = json.dumps({"messages": [{"role": "assistant", "content": CALL % 1}], "text": CALL % 1}) + "\n"
    if work != "lint":
        (tmp_path / "long.jsonl").write_text(row * 400_000, "utf-8")
    words = [sys.executable, "-c", RUN, *WORK[work]]
    with subprocess.Popen(
        words, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True
    ) as command:
        assert command.stderr is not None
        assert until(120, lambda: len(children(command.pid)) >= 3), "expected two processes, and what tracks them"
        workers = children(command.pid)
        if number == signal.SIGINT:
            os.killpg(command.pid, number)  # as Ctrl-C does
        else:
            os.kill(command.pid, number)
        said = command.stderr.read().decode()
        status = command.wait(timeout=120)
    assert until(60, lambda: not any(map(runs, workers))), "expected no process to be left"
    if number == signal.SIGKILL:
        assert status == -9
        return
    word = "interrupted" if number == signal.SIGINT else "terminated"
    assert (status, said) == (128 + number, f"toolect: {word} by {number.name}\n")


def test_watching_ends_by_ctrl_c(tmp_path: Path) -> None:
    """With exit status 130, and a sentence."""
    (tmp_path / "dialects.yaml").write_text("", "utf-8")
    with subprocess.Popen(
        [sys.executable, "-c", RUN, "lint", "--watch"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as command:
        assert command.stdout is not None and command.stderr is not None
        command.stdout.readline()
        command.send_signal(signal.SIGINT)
        assert command.stderr.read().endswith(b"toolect: interrupted by SIGINT\n")
        assert command.wait(timeout=60) == 130
