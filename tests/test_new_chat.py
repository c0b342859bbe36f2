"""A chat is proposed for a chat template: what is found out, what is claimed, and what is not."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import toolect
from toolect._cli import main
from toolect._message import Content, Message, Reasoning
from toolect._spec.chat_model import Fact
from toolect.conversation import Assistant, Conversation, System, User
from tools.chats import new_chat
from tools.chats.induction.proposing import spec_of
from tools.chats.induction.regions import which

HARBOUR = """\
{%- set said = messages[0].content if messages and messages[0].role == 'system' else 'You are a pilot.' %}
{{- '<|start|><|role|>captain<|say|>' + said }}
{%- if tools %}{{- '\\n\\nTools:\\n' }}{% endif %}
{%- for tool in tools or [] %}{{- tool.function | tojson + '\\n' }}{% endfor %}
{{- '<|over|>\\n' }}
{%- for message in messages %}
{%- if message.role == 'user' %}{{- '<|role|>guest<|say|>' + message.content | trim + '<|over|>\\n' }}
{%- elif message.role == 'assistant' %}
{{- '<|role|>pilot<|say|>' }}
{%- if message.reasoning_content and loop.last %}{{- '<muse>' + message.reasoning_content + '</muse>\\n' }}{% endif %}
{{- message.content }}
{%- for call in message.tool_calls or [] %}
{{- '<|act|>' + call.function.name + ' ' + call.function.arguments | tojson + '<|done|>' }}
{%- endfor %}
{{- '<|over|>\\n' }}
{%- elif message.role == 'tool' %}{{- '<|role|>harbour<|say|>' + message.content + '<|over|>\\n' }}
{%- elif not loop.first %}{{- raise_exception('One captain only!') }}
{%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
{{- '<|role|>pilot<|say|>' }}
{%- if enable_thinking is defined and not enable_thinking %}{{- '<muse></muse>\\n' }}{% endif %}
{%- endif %}
"""
SHOUTING = """\
{%- for message in messages %}{{- message.role + ': ' + message.content | upper + '\\n' }}{% endfor %}
{%- if add_generation_prompt %}{{- 'assistant: ' }}{% endif %}
"""


pytestmark = pytest.mark.usefixtures("own_registry")


def propose(folder: Path, template: str, *options: str) -> int:
    """The exit code of proposing the chat `mine` for a template, in a folder."""
    path = folder / "mine.jinja"
    path.write_text(template, "utf-8")
    return new_chat.main(["mine", str(path), "--into", str(folder), *options])


def test_a_family_that_nobody_knows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its dialect and its chat are found, tried, and said to do what the template does."""
    (tmp_path / "mine.jinja").write_text(HARBOUR, "utf-8")
    words = ["new", "mine", "--template", str(tmp_path / "mine.jinja"), "--out", str(tmp_path)]
    assert CliRunner().invoke(main, words).exit_code == 0
    toolect.load(tmp_path / "mine.yaml")
    assert propose(tmp_path, HARBOUR, "--dialect", "mine") == 0
    assert "it writes 200 of 200 conversations as the template does" in capsys.readouterr().out
    assert toolect.load(tmp_path / "mine.chats.yaml") == ["mine"]
    chat = toolect.chat("mine")
    spec = chat.spec
    assert spec.system == "You are a pilot."
    assert spec.refuse == {"One captain only!": "notice"}
    assert spec.trim == {"user": "both"}
    assert spec.when["think"] == "reasoning and last"
    thought = Assistant(Message([Reasoning("Hm."), Content("At noon.")]))
    text = chat.render(Conversation([User(" When? "), thought]), generate=False)
    assert text.endswith("guest<|say|>When?<|over|>\n<|role|>pilot<|say|><muse>Hm.</muse>\nAt noon.<|over|>\n")
    assert [type(turn) for turn in chat.parse(text).turns] == [User, Assistant]


def test_what_a_template_does_beyond_chats_is_not_claimed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The files are written, as a beginning; where the two part is shown."""
    assert propose(tmp_path, SHOUTING) == 1
    said = capsys.readouterr().err
    assert "no chat is proposed" in said or "the chat is a beginning" in said


def test_what_is_no_template(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is said where."""
    assert propose(tmp_path, "{% for") == 2
    assert "mine.jinja" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("facts", "guard"),
    [
        ([(Fact.CALLS, True), (Fact.CONTENT, False)], "not content"),
        ([(Fact.CALLS | Fact.CONTENT, True), (Fact.CONTENT, False), (Fact.CALLS, False)], "content and calls"),
        ([(Fact.CALLS, True), (Fact.CONTENT, True), (Fact(0), False)], "content or calls"),
        ([(Fact.CALLS, True)], "always"),
        ([(Fact.CALLS, True), (Fact.CALLS, False)], None),
    ],
)
def test_the_shortest_guard(facts: list[tuple[Fact, bool]], guard: str | None) -> None:
    """Of those that tell the true from the false, and none where nothing does."""
    assert which((int(one), label) for one, label in facts) == guard


def test_entries_are_what_was_found() -> None:
    """Texts that YAML would read as something else are quoted."""
    entry = {"about": "no", "system": "yes: #1", "when": {"head": "given"}, "tokens": {"end": ["<|end|>"]}}
    grammar = 'start: head? user*\nhead: TEXT "\\n"\nuser: "U" TEXT\n%declare TEXT\n'
    spec = spec_of("mine", {**entry, "map": {"head": "system"}}, grammar)
    assert (spec.about, spec.system, spec.when, spec.end) == ("no", "yes: #1", {"head": "given"}, ("<|end|>",))
    assert System(spec.system)
