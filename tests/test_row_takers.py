"""Rows as their takers read them: the chat templates of TRL, out of its own package."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from small_tokenizers import byte_level

import toolect
from toolect.conversation import Conversation, User
from toolect.data import Convert, target_of
from toolect.training import Rollout

TRL = "trl==1.16.0"
ARGUMENTS = {"city": "Paris", "days": 3, "where": {"x": 1.5}}
TOOL = {
    "type": "function",
    "function": {
        "name": "get_weather", "description": "Tells the weather.",
        "parameters": {
            "type": "object", "required": ["city"],
            "properties": {
                "city": {"type": "string", "description": "where"}, "days": {"type": "integer", "description": "n"},
                "where": {"type": "object", "properties": {"x": {"type": "number", "description": "x"}}},
            },
        },
    },
}  # fmt: skip
CALL = {"id": "call00001", "type": "function", "function": {"name": "get_weather", "arguments": json.dumps(ARGUMENTS)}}
ROW = {
    "messages": [
        {"role": "user", "content": "When?"}, {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "call00001", "name": "get_weather", "content": "noon"},
        {"role": "assistant", "content": "Noon."},
    ],
    "tools": [TOOL],
}  # fmt: skip


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """TRL's package, as a file."""
    folder = tmp_path_factory.mktemp("trl")
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", TRL, "-d", str(folder)]
    done = subprocess.run(command, capture_output=True, timeout=180, check=False)
    found = next(iter(folder.glob("*.whl")), None)
    if done.returncode or found is None:
        pytest.skip(f"{TRL} cannot be downloaded here: its code is not asked")
    return found


@pytest.fixture(scope="module")
def templates(wheel: Path) -> dict[str, str]:
    """The templates that TRL has for models, by name."""
    with zipfile.ZipFile(wheel) as held:
        names = [name for name in held.namelist() if name.endswith(".jinja") and "_training" not in name]
        return {Path(name).stem: held.read(name).decode() for name in names}


def test_a_roll_out_has_the_columns_that_grpo_asks_for(wheel: Path) -> None:
    """Its trainer names those that a `rollout_func` must have, and the mask that it may have; all are of one length."""
    with zipfile.ZipFile(wheel) as held:
        source = held.read("trl/trainer/grpo_trainer.py").decode()
    (found,) = re.findall(r"required_keys = (\{.*\})", source)
    rollout = Rollout(toolect.chat("qwen3"), byte_level(), Conversation([User("When?")]))
    rollout.answer(byte_level().encode("Noon.<|im_end|>", add_special_tokens=False).ids)
    columns = rollout.columns()
    assert {*ast.literal_eval(found), "env_mask"} == {*columns} and 'pop("env_mask"' in source
    assert len({len(columns[name]) for name in columns if name != "prompt_ids"}) == 1


def rendered(template: str, messages: list[dict[str, Any]]) -> str:
    """What transformers make of a template."""
    jinja2 = pytest.importorskip("jinja2")
    from jinja2.ext import Extension
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    class Generation(Extension):
        tags = {"generation"}  # noqa: RUF012  # as jinja2 has it

        def parse(self, parser: Any) -> Any:
            next(parser.stream)
            return parser.parse_statements(("name:endgeneration",), drop_needle=True)

    def refuse(why: str) -> None:
        raise jinja2.TemplateError(why)

    extensions = ["jinja2.ext.loopcontrols", Generation]
    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=extensions)
    environment.filters["tojson"] = lambda value, **options: json.dumps(value, **{"ensure_ascii": False, **options})
    environment.globals |= {"raise_exception": refuse, "strftime_now": lambda _: "2026-01-01"}
    known = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>", "add_generation_prompt": False}
    return str(environment.from_string(template).render(messages=messages, tools=[TOOL], **known))


def verdict(template: str, messages: list[dict[str, Any]]) -> str:
    """What became of the one call: right, wrong, not written, or refused by the template."""
    try:
        answer = rendered(template, messages).split("When?")[-1]
    except Exception:
        return "raises"
    if "get_weather" not in answer:
        return "not written"
    calls = [(call.name, call.arguments) for call in toolect.parse(answer, [TOOL]).runnable]
    return "right" if ("get_weather", ARGUMENTS) in calls else "wrong"


@pytest.mark.parametrize("form", ["messages", "trl"])
def test_no_template_of_trl_writes_a_row_wrongly(templates: dict[str, str], form: str) -> None:
    """Through a file of JSON lines, as trainers load it: 27 of its 41 templates write the call, and none wrongly."""
    row = json.loads(json.dumps(Convert(target_of(form))(ROW)))
    messages = row["messages"] if form == "messages" else [*row["prompt"], *row["completion"]]
    found = Counter(verdict(template, messages) for template in templates.values())
    assert found["wrong"] == 0 and found["right"] >= 27, found
    given = Counter(verdict(template, ROW["messages"]) for template in templates.values())  # type: ignore[arg-type]
    assert given["right"] < found["right"], "the messages of the API do as well: nothing was tried"
