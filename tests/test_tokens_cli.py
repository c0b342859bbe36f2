"""`toolect data tokens`: a conversation drawn as ids."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from small_tokenizers import byte_level
from test_training import LONG

from toolect._cli import main

CHATML = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


@pytest.fixture
def given(tmp_path: Path) -> list[str]:
    """A conversation and a tokenizer in files, as words of the command."""
    said = LONG.to_openai()
    said["messages"][1]["content"] = "Tide? <b>No</b> <tool_call>"
    (tmp_path / "said.json").write_text(json.dumps(said))
    (tmp_path / "tokenizer.json").write_text(byte_level().to_str())
    return ["data", "tokens", str(tmp_path / "said.json"), "--tokenizer", str(tmp_path)]


def test_ids_are_drawn(given: list[str]) -> None:
    """Each id is a box, those that are taught another one; what is odd is said below."""
    done = CliRunner().invoke(main, [*given, "--chat", "qwen3"])
    assert done.exit_code == 0
    assert "example 1 of 2" in done.stdout and "example 2 of 2" in done.stdout
    assert "[<|im_start|>]" in done.stdout and "⟦<|im_end|>⟧" in done.stdout
    assert "1 quoted marker, encoded as text: '<tool_call>'" in done.stdout
    assert "another example follows: for turn 6 `qwen3` writes otherwise" in done.stdout
    boxes = [
        json.loads(line)
        for line in CliRunner().invoke(main, [*given, "--chat", "qwen3", "--format", "json"]).stdout.splitlines()
    ]
    assert [len(one["tokens"]) for one in boxes] == [len(one["input_ids"]) for one in boxes]
    assert [call["call"] for call in boxes[0]["calls"]] == ["tide"]


def test_markers_and_ends_that_a_vocabulary_has_not_are_said(given: list[str]) -> None:
    done = CliRunner().invoke(main, [*given, "--chat", "glm-4.5"])
    assert done.exit_code == 0
    assert "`<arg_key>` is " in done.stdout and "here: text can spell it" in done.stdout


def test_a_page_holds_the_texts_and_obeys_none(given: list[str], tmp_path: Path) -> None:
    pytest.importorskip("jinja2", reason="no jinja2 here: the extra `template` brings it")
    done = CliRunner().invoke(main, [*given, "--chat", "qwen3", "--html", str(tmp_path / "page.html")])
    page = (tmp_path / "page.html").read_text()
    assert (
        done.exit_code == 0 and "<b>No" not in page and "&lt;|im_start|&gt;" in page and 'class="answer taught"' in page
    )
    done = CliRunner().invoke(main, [*given, "--chat", "qwen3", "--html", str(tmp_path / "none" / "page.html")])
    assert done.exit_code == 2 and "got `No such file or directory`" in done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--chat", "no-such-chat"], "no chat, alias or model is named"),
        (["--chat", "qwen3", "--tokenizer", "/nowhere"], "expected tokenizer.json or tekken.json"),
    ],
)
def test_misuse_is_said(given: list[str], words: list[str], message: str) -> None:
    done = CliRunner().invoke(main, [*given, *words])
    assert done.exit_code == 2 and message in done.stderr and "Traceback" not in done.output


def test_the_template_beside_the_tokenizer_is_a_chat(given: list[str], tmp_path: Path) -> None:
    """Without a chat it writes the conversation; beside one, it is said where it writes otherwise."""
    pytest.importorskip("jinja2", reason="no jinja2 here: the extra `template` brings it")
    (tmp_path / "chat_template.jinja").write_text(CHATML)
    done = CliRunner().invoke(main, [*given[:2], str(tmp_path / "plain.json"), *given[3:]])
    assert done.exit_code == 2
    (tmp_path / "plain.json").write_text('[{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Yo"}]')
    words = ["data", "tokens", str(tmp_path / "plain.json"), *given[3:]]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0 and "⟦Y⟧⟦o⟧⟦<|im_end|>⟧" in done.stdout
    for short in ("m.content[:1]", "m.content | length"):
        (tmp_path / "chat_template.jinja").write_text(CHATML.replace("m.content", short))
        done = CliRunner().invoke(main, words)
        assert done.exit_code == 0 and "turn 1: nothing of the answer is written as it was said" in done.stdout
    (tmp_path / "chat_template.jinja").write_text(CHATML)
    done = CliRunner().invoke(main, [*words, "--chat", "qwen2.5"])
    assert done.exit_code == 0 and "writes otherwise than qwen2.5 from character" in done.stderr
    done = CliRunner().invoke(main, [*words, "--chat", "chatml"])
    assert done.exit_code == 0 and "otherwise" not in done.stderr
