"""Chat templates: rendered within bounds, and held against every dialect."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
import templates as tool

import toolect
from toolect.chat_template import PROBES, read_template, turns
from toolect.sandbox import BadTemplate, run
from toolect.verdict import judge, verdicts

TAGS = Path(__file__).parent / "templates" / "tags.jinja"


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
    with pytest.raises(BadTemplate, match=message) as caught:
        turns(source)
    assert "\n" not in str(caught.value)


def test_loops_end() -> None:
    """A template that does not end is stopped."""
    loop = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
    start = time.monotonic()
    with pytest.raises(BadTemplate, match=r"does not end|dies"):
        run(loop, [{}], seconds=1)
    assert time.monotonic() - start < 20


def test_recursion_ends() -> None:
    """A template that calls itself for ever fails by itself."""
    with pytest.raises(BadTemplate, match="RecursionError"):
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
        with pytest.raises(BadTemplate, match=r"- in tokenizer_config\.json"):
            read_template(path)


def test_tool(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The maintainer's tool prints a row for each template, and says what is no template."""
    assert tool.main([str(TAGS), "--differences"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].split() == ["1", "templates", "8", "8", "8"]
    bad = tmp_path / "bad.jinja"
    bad.write_text("{% oops %}", "utf-8")
    assert tool.main([str(bad), str(tmp_path / "none.jinja")]) == 1
    error = capsys.readouterr().err
    assert "bad.jinja: expected a jinja template" in error
    assert "none.jinja: " in error


def test_tool_reads_the_corpus(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Turns that somebody else rendered are held against their dialect, and differences are shown."""
    turn = turns(TAGS.read_text("utf-8"))[0][0]
    found = verdicts(map(toolect.dialect, toolect.dialects()), [[turn]])[0]
    calls = [{"name": call.name, "arguments": call.arguments} for call in turn.message.calls]
    case = {
        "id": "x#one", "dialect": found.dialect, "model": "x", "text": turn.text, "generation_prompt": turn.prompt,
        "tools": None, "expect": {"content": "", "reasoning": "", "calls": calls},
    }  # fmt: skip
    wrong = case | {"id": "x#two", "text": turn.text.replace(": ", ":  ", 1)}
    other = case | {"id": "x#three", "expect": {"content": "", "reasoning": "", "calls": []}}
    (tmp_path / "template.jsonl").write_text("\n".join(map(json.dumps, (case, wrong, other))), "utf-8")
    assert tool.main(["--corpus", str(tmp_path), "--differences"]) == 1
    out = capsys.readouterr().out
    assert out.splitlines()[-1].split() == ["1", "templates", "3", "2", "1"]
    assert "two: is written otherwise" in out
    assert "three: calls" in out
