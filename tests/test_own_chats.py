"""Chats of one's own: loaded from files, like shipped ones but for what they say, and what is wrong with them told."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import toolect
from toolect import registry
from toolect._authoring.lint import lint
from toolect._chats import chat_registry
from toolect._chats.chat_registry import Chats, shipped
from toolect._cli import main
from toolect._diagnostic import SpecError
from toolect._message import Content, Message
from toolect.conversation import Assistant, Conversation, System, User

ASKED = Conversation((User("When?"),))
OWN = """\
harbour:
  extends: qwen3
  models: ["harbour/*"]
  markers: {"<|im_start|>user\\n": "<|im_start|>guest\\n"}
  system: "You are a pilot."
"""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file with one chat, and chats that nobody else has loaded any into."""
    monkeypatch.setattr(chat_registry, "_chats", Chats(shipped))
    path = tmp_path / "harbour.chats.yaml"
    path.write_text(OWN, "utf-8")
    return path


def test_a_chat_extends_one_that_extends_another(own: Path) -> None:
    """It is found by name and by model, and its markers are other ones than those of the chat it extends."""
    assert toolect.load(own) == ["harbour"]
    assert "harbour" in toolect.chats()
    assert chat_registry.file_of("harbour/pilot-7b") == own
    text = toolect.chat("harbour/pilot-7b").render(ASKED, thinking=False)
    before = toolect.chat("qwen3").render(Conversation([System("You are a pilot."), *ASKED.turns]), thinking=False)
    assert str(text) == str(before).replace("user", "guest")
    assert toolect.chat("harbour").parse(text).turns == ASKED.turns


def test_an_entry_may_stand_in_the_place_of_a_shipped_one(own: Path) -> None:
    """It extends that, and what extends it in its file extends it."""
    own.write_text("qwen3: {extends: qwen3, system: Ho}\nmine: {extends: qwen3}\n")
    plain = str(toolect.chat("qwen3").render(ASKED))
    assert toolect.load(own) == ["qwen3", "mine"]
    said = [str(toolect.chat(name).render(ASKED)) for name in ("qwen3", "mine")]
    assert said == ["<|im_start|>system\nHo<|im_end|>\n" + plain] * 2


def test_another_process_knows_the_same_chats(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They go along with the dialects."""
    toolect.load(own)
    state = pickle.dumps(registry.state())
    monkeypatch.setattr(chat_registry, "_chats", Chats(shipped))
    assert "harbour" not in toolect.chats()
    registry.restore(pickle.loads(state))
    assert toolect.chat("harbour/pilot-7b").name == "harbour"


def test_the_last_file_counts(own: Path) -> None:
    """A file that changes is read anew when it is loaded again; others may extend what is in it."""
    toolect.load(own)
    own.write_text(OWN.replace("a pilot", "a sailor"))
    toolect.load(own)
    more = own.with_name("chats.yaml")
    more.write_text(
        OWN.replace("harbour:", "mate:").replace("qwen3", "harbour").replace("guest", "mate").replace("user", "guest")
    )
    toolect.load(more)
    assert "a sailor" in toolect.chat("harbour").render(ASKED)
    text = str(toolect.chat("mate").render(ASKED))
    assert text.startswith("<|im_start|>system\nYou are a pilot.<|im_end|>\n<|im_start|>mate\nWhen?")


@pytest.mark.parametrize(
    ("entry", "check", "sentence"),
    [
        ("{extends: qwen33}", "unknown-dialect", "did you mean `qwen3`?"),
        ("{extends: m}", "unknown-dialect", "got `m`"),
        ("{extends: chatml, dialect: hermess}", "unknown-dialect", "did you mean `hermes`?"),
        ("{extends: chatml, when: {thnk: never}}", "unknown-part", "did you mean `think`?"),
        ("{extends: chatml, when: {think: latst}}", "wrong-value", "did you mean `latest`?"),
        ("{extends: chatml, when: {think: latest and}}", "wrong-value", "expected a fact, got the end"),
        ("{extends: chatml, when: {think: (latest}}", "wrong-value", "expected `)`, got the end"),
        ("{extends: chatml, when: {think: [latest]}}", "wrong-type", "expected a guard for `think`, got a list"),
        ("{extends: chatml, map: {head: sytem}}", "wrong-value", "did you mean `system`?"),
        ("{extends: chatml, map: {foot: system}}", "unknown-part", "the grammar has no rule `foot`"),
        ("{extends: chatml, map: {gap: user, said: calls}}", "unknown-part", "expected `TEXT` in a rule with a role"),
        ("{extends: chatml, trim: {usr: both}}", "unknown-part", "did you mean `user`?"),
        ("{extends: chatml, trim: {user: bth}}", "wrong-value", "did you mean `both`?"),
        ("{extends: chatml, lost: [tool]}", "wrong-value", "did you mean `tools`?"),
        ("{extends: chatml, systems: lst}", "wrong-value", "did you mean `last`?"),
        ("{extends: chatml, markers: {'<|im_stat|>user': x}}", "unknown-marker", "<|im_stat|>user"),
        ("{extends: chatml, tols: {each: x}}", "unknown-field", "did you mean `tools`?"),
        ("{extends: chatml, tools: {each: '{nme}'}}", "wrong-value", "did you mean `name`?"),
        ("{dialect: hermes}", "missing-grammar", "cannot read"),
        ("text", "wrong-type", "expected a mapping for `m`"),
        ("{extends: n}\nn: {extends: m}", "extends-twice", "which extends this one"),
        (
            "\n".join(["{extends: x0}", *(f"x{at}: {{extends: x{at + 1}}}" for at in range(40)), "x40: {about: x}"]),
            "extends-twice",
            "expected at most 16 entries to extend",
        ),
        ("{extends: chatml, models: [a/b]}\nn: {extends: chatml, models: [a/b]}", "duplicate-model", "leads to both"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_where_it_stands(own: Path, entry: str, check: str, sentence: str) -> None:
    """Each with its place, what was expected, and what may have been meant."""
    own.write_text(f"m: {entry}\n")
    with pytest.raises(SpecError) as raised:
        toolect.load(own)
    found = [one for one in raised.value.diagnostics if one.check == check]
    assert found
    assert sentence in f"{found[0].message} {found[0].help}"
    assert (Path(found[0].place.path).suffix, found[0].place.line > 0) == (".yaml", True)
    assert "m" not in toolect.chats()


def test_the_environment_names_chats_beside_dialects(own: Path) -> None:
    """A folder brings both; a broken file is left out, and said."""
    (own.parent / "chats.yaml").write_text("broken: {extends: nobody}\n")
    (own.parent / "mine.yaml").write_text("mine: {extends: hermes, about: Mine}\n")
    code = "import toolect; print(toolect.dialect('mine'), toolect.chat('harbour/7b'), 'broken' in toolect.chats())"
    env = {**os.environ, "TOOLECT_SPECS": str(own.parent)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, check=True)
    assert done.stdout == "<Dialect mine> <Chat harbour> False\n"
    assert "chats.yaml` are left out: error[unknown-dialect]" in done.stderr
    assert "harbour.chats.yaml" not in done.stderr


def test_the_command_line_takes_them(own: Path) -> None:
    """`--spec` loads them; one with mistakes is a misuse."""
    done = CliRunner().invoke(
        main, ["chat", "render", "--spec", str(own), "--to", "harbour"], input='[{"role": "user", "content": "When?"}]'
    )
    assert done.stdout.startswith("<|im_start|>system\nYou are a pilot.<|im_end|>\n<|im_start|>guest\nWhen?")
    own.write_text("m: {extends: nobody}\n")
    done = CliRunner().invoke(main, ["chat", "render", "--spec", str(own), "--to", "m"], input="[]")
    assert done.exit_code == 2
    assert "expected another entry to extend, got `nobody`" in done.stderr


MISTAKES = {
    "a name that there is not": ("{extends: qwen33}", "unknown-dialect"),
    "a dialect that there is not": ("{extends: chatml, dialect: hermess}", "unknown-dialect"),
    "a guard for no rule": ("{extends: chatml, when: {thnk: never}}", "unknown-part"),
    "a fact that there is not": ("{extends: chatml, when: {think: latst}}", "wrong-value"),
    "a marker that there is not": ("{extends: chatml, markers: {'<|im_stat|>': x}}", "unknown-marker"),
    "a role that does not hold a text": ("{extends: chatml, map: {said: calls}}", "unknown-part"),
    "a wrong end token": ("{extends: chatml, tokens: {end: ['<|done|>']}}", "unlike-end"),
    "a call that is left out": ("{extends: chatml, when: {calls: never}}", "unread-conversation"),
    "content that is left out": ("{extends: chatml, when: {content: not calls}}", "unread-conversation"),
    "tools that are left out": ("{extends: chatml, when: {tools: never}}", "unread-conversation"),
    "a turn that begins as another one": (
        '{extends: chatml, markers: {"<|im_start|>user\\n": "<|im_start|>system\\n"}}', "unread-conversation"
    ),
    "reasoning in a marker that the dialect does not know": (
        '{extends: qwen3, markers: {"<think>\\n": "<thought>\\n", "\\n</think>\\n\\n": "\\n</thought>\\n\\n"}}',
        "unread-conversation",
    ),
    "an opening inside of reasoning that the dialect does not know": (
        '{extends: qwen3, when: {loud: thinking}, markers: {"<think>\\n": "<thought>\\n"}}', "unlike-opening"
    ),
    "a field that there is not": ("{extends: chatml, tols: {each: x}}", "unknown-field"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_in_an_entry_are_found(own: Path, mistake: str) -> None:
    """What people get wrong in a chat, lint tells, under the name of the check that it belongs to."""
    entry, check = MISTAKES[mistake]
    path = own.with_name("chats.yaml")
    path.write_text(f"boat: {entry}\n")
    assert check in {found.check for found in lint(path).diagnostics}


@pytest.mark.parametrize("name", ["chatml", "llama3.1", "gpt-oss"])
def test_sound_chats_have_no_findings(name: str) -> None:
    """What comes with toolect is sound; the whole of it is checked by `make lint`."""
    assert not lint(shipped(), [name]).diagnostics


def test_reasoning_that_only_its_closer_tells(own: Path) -> None:
    """Its opener is a blank: content that ends reasoning is taken for it, from the beginning."""
    grammar = own.parent / "grammars" / "chats" / "bare.lark"
    grammar.parent.mkdir(parents=True)
    grammar.write_text(
        'start: answer*\nanswer: "A:" think? content "."\nthink: " " TEXT "</t>"\ncontent: TEXT\n%declare TEXT\n'
    )
    own.write_text('bare: {map: {think: reasoning}, thoughts: taken, tokens: {end: ["."]}}\n', "utf-8")
    toolect.load(own)
    said = Conversation([Assistant(Message([Content("Hm</t>So")]))])
    assert str(toolect.chat("bare").render(said, unsafe="keep")) == "A: Hm</t>So."
