"""Chat templates: rendered within bounds, and held against every dialect."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import toolect
from toolect._cli import main
from toolect.chat_template import TemplateError, judge, marked, read_template, sandbox, turns, verdicts
from toolect.chat_template.probes import PROBES
from toolect.chat_template.sandbox import run

TAGS = Path(__file__).parent / "templates" / "tags.jinja"
EXAMPLE = Path(__file__).parent.parent / "examples" / "template.jinja"


def detect(*words: str | Path, text: str | None = None) -> Result:
    """Runs `toolect detect` in this process."""
    return CliRunner().invoke(main, ["detect", *map(str, words)], input=text)


def test_probes_are_rendered_and_read() -> None:
    """A template's turns are what was put in, between the prompt and the end; one dialect reads and writes them all."""
    styles = turns(TAGS.read_text("utf-8"))
    first = styles[0]
    assert [turn.probe for turn in first] == [probe.title for probe in PROBES]
    assert not any(turn.missing for turn in first)
    assert first[0].prompt.endswith("<|im_start|>assistant\n")
    assert first[0].text.startswith("<tool_call>\n{")
    assert first[0].text.endswith("<|im_end|>\n")
    found = verdicts([toolect.dialect(name) for name in toolect.dialects()], styles)
    assert found[0].exact
    assert not any(verdict.exact for verdict in found[1:])


def test_differences_are_told() -> None:
    """A template that writes otherwise is read, and the first differing character is named."""
    source = TAGS.read_text("utf-8").replace('{"name": "', '{ "name": "')
    styles = turns(source)
    found = verdicts([toolect.dialect(name) for name in toolect.dialects()], styles)[0]
    assert found.read == found.turns > found.written
    difference = found.differences[0]
    assert difference.template[difference.at - 1 :].startswith("{ ")
    assert difference.dialect[difference.at - 1 :].startswith('{"')


def test_wrong_readings_are_told() -> None:
    """A dialect that does not read a turn says what it read instead."""
    styles = turns(TAGS.read_text("utf-8"))
    names = [verdict.dialect for verdict in verdicts(map(toolect.dialect, toolect.dialects()), styles)]
    other = next(name for name in toolect.dialects() if name not in names)
    verdict = judge(toolect.dialect(other), styles[0])
    assert not verdict.exact
    assert "expected" in verdict.differences[0].what


@pytest.mark.parametrize(
    ("source", "message"),
    {
        "{% for m in messages %}": "expected a jinja template, got: Unexpected end of template",
        "{{ raise_exception('no tools here') }}": "raises TemplateError: no tools here",
        "{{ ''.__class__.__mro__[1].__subclasses__() }}": "SecurityError",
        "{{ messages.nothing.at_all }}": "raises UndefinedError",
        "plain text": "leaves them out",
        "{% for m in messages %}{{ m.content }}{% endfor %}": "leaves them out",
        "{{ 'a' * 1000000000000 }}": "raises MemoryError",
        "{{ 'a' * 2000000 }}": "longer than 1048576 characters",
        "": "leaves them out",
    }.items(),
)
def test_bad_templates(source: str, message: str) -> None:
    """What is wrong with a template is one sentence."""
    with pytest.raises(TemplateError, match=message) as caught:
        turns(source)
    assert "\n" not in str(caught.value)


def test_loops_end() -> None:
    """A template that does not end is stopped, and that is said."""
    loop = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
    start = time.monotonic()
    with pytest.raises(TemplateError, match="renders in 1 s, got one that does not end"):
        run(loop, [{}], seconds=1)
    assert time.monotonic() - start < 20


def test_only_the_template_takes_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """What Python takes to start is no part of it: a process that comes late renders all the same."""

    class Late(subprocess.Popen):  # type: ignore[type-arg]
        def __init__(self, command: list[str], **options: Any) -> None:
            command[-1] = f"import time; time.sleep(0.6); {command[-1]}"
            super().__init__(command, **options)

    monkeypatch.setattr(subprocess, "Popen", Late)
    assert run("a{{ 1 }}", [{}], seconds=0.2) == ["a1"]


def test_recursion_ends() -> None:
    """A template that calls itself for ever fails by itself."""
    with pytest.raises(TemplateError, match="RecursionError"):
        turns("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}")


def test_read_template(tmp_path: Path) -> None:
    """A tokenizer_config.json holds one template, or several by name."""
    path = tmp_path / "tokenizer_config.json"
    several = [{"name": "default", "template": "a"}, {"name": "tool_use", "template": "b"}]
    for config, expected in (({"chat_template": "a"}, "a"), ({"chat_template": several}, "b")):
        path.write_text(json.dumps(config), "utf-8")
        assert read_template(path) == expected
    for text in ("{", "[]", "{}", '{"chat_template": 3}', "[" * 100_000):
        path.write_text(text, "utf-8")
        with pytest.raises(TemplateError, match=r"- in tokenizer_config\.json"):
            read_template(path)


def test_marked_dialects_are_enough() -> None:
    """Dialects that have left no mark in the turns read none of them."""
    for template in (TAGS, EXAMPLE):
        styles = turns(template.read_text("utf-8"))
        some = marked(styles)
        assert len(some) < len(toolect.dialects())
        assert verdicts(some, styles) == verdicts(map(toolect.dialect, toolect.dialects()), styles)


@pytest.mark.parametrize(
    ("change", "found"),
    {
        # The prompt opens the reasoning, and the history does not show it.
        ("assistant\\n' }}{% endif %}", "assistant\\n<think>\\n' }}{% endif %}"): ("a call", "<tool_call>\n"),
        # The history has other whitespace behind the user's words than the prompt.
        ("{{- '<|im_start|>' + message.role", "{{- '  <|im_start|>' + message.role"): ("content", "I will look"),
        # Something is written before the user's words once an answer follows.
        ("{%- for message in messages %}", "{{ messages | length }}{%- for message in messages %}"): (
            "content",
            "I will look",
        ),
    }.items(),
)
def test_turns_begin_after_the_prompt(change: tuple[str, str], found: tuple[str, str]) -> None:
    """Prompts and histories that differ still show where the answer begins."""
    probe, text = found
    source = TAGS.read_text("utf-8")
    assert change[0] in source
    turn = next(turn for turn in turns(source.replace(*change, 1))[0] if turn.probe == probe)
    assert turn.text.startswith(text)


def test_what_follows_the_end_token_is_not_the_models() -> None:
    """A reminder that the template writes behind the answer is neither read nor compared."""
    source = TAGS.read_text("utf-8").replace("{{- '<|im_end|>\\n' }}", "{{- '<|im_end|>\\nNow think again.' }}")
    styles = turns(source)
    assert "Now think again." in styles[0][0].text
    assert verdicts(marked(styles), styles)[0].exact


def test_detect_template() -> None:
    """`detect --template` draws the dialects that do best, and exits 0 when one reads every turn."""
    result = detect("--template", TAGS)
    assert (result.exit_code, result.stderr) == (0, "")
    name, *rest = result.stdout.splitlines()
    assert name == "hermes"
    assert [line.split() for line in rest[:2]] == [[w, "█" * 20, "8", "of", "8", "turns"] for w in ("reads", "writes")]

    other = detect("--template", EXAMPLE)
    assert other.exit_code == 0
    assert "writes   ████████░░░░░░░░░░░░ 3 of 8 turns" in other.stdout
    assert "missing  reasoning, then a call: reasoning" in other.stdout
    assert r"template  rameter>\n<parameter=hourly>\nTrue\n</parameter>" in other.stdout
    assert r"dialect   rameter>\n<parameter=hourly>\ntrue\n</parameter>" in other.stdout


def test_detect_template_as_json(tmp_path: Path) -> None:
    """One JSON object a dialect; the template may be in a tokenizer_config.json, or on standard input."""
    config = tmp_path / "tokenizer_config.json"
    config.write_text(json.dumps({"chat_template": EXAMPLE.read_text("utf-8")}), "utf-8")
    result = detect("--template", config, "--format", "json", "--limit", "1")
    form = json.loads(result.stdout)
    assert result.exit_code == 0
    assert (form["dialect"], form["read"], form["written"], form["spaced"], form["turns"]) == (
        "qwen3-coder",
        8,
        3,
        0,
        8,
    )
    first = form["differences"][0]
    assert (first["probe"], first["what"]) == ("a call", "is written otherwise")
    assert first["template"][first["at"] :].startswith("True")
    assert form["missing"] == ["reasoning, then a call: reasoning", "reasoning, content and a call: reasoning"]
    for text in (config.read_text("utf-8"), EXAMPLE.read_text("utf-8")):
        assert detect("--template", "-", "--format", "json", "--limit", "1", text=text).stdout == result.stdout


def test_detect_template_that_no_dialect_reads(tmp_path: Path) -> None:
    """One that is read in part is drawn, one that is not read at all is a sentence; both exit 1."""
    source = TAGS.read_text("utf-8")
    part = tmp_path / "part.jinja"
    part.write_text(
        source.replace("{{- message.content or '' }}", "{{- 'Bot: ' + message.content if message.content }}"), "utf-8"
    )
    result = detect("--template", part)
    assert result.exit_code == 1
    assert "No dialect reads every turn of this template." in result.stdout
    assert "expected 'I will look that up.'" in result.stdout

    none = tmp_path / "none.jinja"
    none.write_text(
        source.replace("<tool_call>", "call of ").replace('{"name": "', "").replace('", "arguments": ', ""), "utf-8"
    )
    result = detect("--template", none)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("toolect: expected a template of a known dialect, got turns that none reads - in `")


@pytest.mark.parametrize(
    ("source", "message"),
    {
        "{% for m in messages %}": "expected a jinja template, got: Unexpected end of template",
        "{{ raise_exception('no tools here') }}": "the template raises TemplateError: no tools here",
        "plain text": "expected a chat template that writes tool calls, got one that leaves them out",
        '{"chat_template": 3}': "expected a chat template under `chat_template`, got none",
        "{{ messages | nothing }}": "expected a jinja template, got: No filter named 'nothing'",
    }.items(),
)
def test_detect_bad_template(source: str, message: str) -> None:
    """What is wrong with a template is one sentence on standard error, with exit code 1."""
    result = detect("--template", "-", text=source)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(f"toolect: {message}")
    assert result.stderr.endswith("in standard input\n")
    assert result.stderr.count("\n") == 1


def test_detect_template_that_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    """A template that does not end is one sentence too."""
    monkeypatch.setattr(sandbox.run, "__defaults__", (1.0, False, ""))
    loop = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
    result = detect("--template", "-", text=loop)
    assert result.exit_code == 1
    assert result.stderr.count("\n") == 1
    assert "expected a template that renders in" in result.stderr


def test_detect_template_without_jinja2(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where jinja2 is missing, the sentence says how to get it."""
    (tmp_path / "jinja2").mkdir()
    (tmp_path / "jinja2" / "__init__.py").write_text("raise ImportError", "utf-8")
    here = str(Path(toolect.__file__).parent.parent)
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{here}")
    result = detect("--template", TAGS)
    assert result.exit_code == 1
    assert result.stderr.startswith("toolect: expected jinja2 to render the template, got none: pip install")


def test_detect_template_misuse(tmp_path: Path) -> None:
    """A file that is not there, or two questions at once, are misuse."""
    assert detect("--template", tmp_path / "none.jinja").exit_code == 2
    both = detect("--template", TAGS, "--model", "x")
    assert both.exit_code == 2
    assert both.stderr == "toolect: expected --model or --template, got both: give one of them\n"
