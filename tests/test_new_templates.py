"""Dialects that `toolect new` makes of chat templates: each reads random answers."""

from __future__ import annotations

import pytest

from tools.induction.measure import template_outcome

# ruff: noqa: E501  (a template is one line)

_JSON = "{{ call.function.arguments | tojson(ensure_ascii=False) }}"
_ELEMENTS = (
    '{% for key, value in call.function.arguments.items() %}<arg key="{{ key }}">'
    "{{ value if value is string else value | tojson(ensure_ascii=False) }}</arg>{% endfor %}"
)
_TREE = (
    "{% macro tree(value) %}{% if value is mapping %}{% for key, one in value.items() %}"
    "<{{ key }}>{{ tree(one) }}</{{ key }}>{% endfor %}{% elif value is sequence and value is not string %}"
    "{% for one in value %}<item>{{ tree(one) }}</item>{% endfor %}"
    "{% else %}{{ value if value is string else value | tojson }}{% endif %}{% endmacro %}"
)
_TEMPLATES = {
    "ids that hold the name": (
        "{% if m.content %}{{ m.content }}{% endif %}{% if m.tool_calls %}<|calls|>{% for call in m.tool_calls %}"
        "<|call|>{{ call.id }}<|with|>" + _JSON + "<|done|>{% endfor %}<|called|>{% endif %}<|stop|>\n"
    ),
    "parts under the name of their recipient": (
        "{% if m.content %}you\n{{ m.content }}{% if m.tool_calls %}###{% endif %}{% endif %}"
        "{% for call in m.tool_calls %}{{ call.function.name }}\n" + _JSON
        + "{% if not loop.last %}###{% endif %}{% endfor %}<|stop|>\n"
    ),
    "a recipient behind a blank": (
        "{% if m.reasoning %} for=me<|say|>{{ m.reasoning }}<|next|>bot{% endif %}"
        "{% for call in m.tool_calls %} for={{ call.function.name }}<|say|><runs>\n<run is=\"{{ call.function.name }}\">\n"
        + _ELEMENTS + "</run>\n</runs>{% if not loop.last %}<|next|>bot{% endif %}{% endfor %}"
        "{% if not m.tool_calls %} for=you<|say|>{{ m.content }}{% endif %}<|stop|>"
    ),
    "elements between tokens": (
        "<|open|>muse<|sep|>{{ m.reasoning }}<|close|>muse<|sep|><|open|>say<|sep|>{{ m.content }}<|close|>say<|sep|>"
        "{% if m.tool_calls %}<|open|>runs<|sep|>{% for call in m.tool_calls %}<|open|>run tool=\"{{ call.function.name }}"
        "\"<|sep|>" + _JSON + "<|close|>run<|sep|>{% endfor %}<|close|>runs<|sep|>{% endif %}"
        "<|close|>turn<|sep|>"
    ),
    "reasoning that is left out": (
        "</think>{{ m.content }}{% for call in m.tool_calls %}\n\n<run name=\"{{ call.function.name }}\">"
        + _ELEMENTS + "</run>{% endfor %}<|stop|>"
    ),
    "an answer that goes on behind its end": (
        "{% if m.content %}{{ m.content }}\n<|stop|>\n{% endif %}{% if m.tool_calls %}{% if m.content %}<|bot|>\n{% endif %}"
        "<calls>[{% for call in m.tool_calls %}{\"name\": \"{{ call.function.name }}\", \"arguments\": " + _JSON
        + "}{% if not loop.last %}, {% endif %}{% endfor %}]</calls><|stop|>\n{% endif %}"
    ),
    "elements in elements": _TREE + (
        "{{ m.content }}{% if m.tool_calls %}<calls>{% for call in m.tool_calls %}<run name=\"{{ call.function.name }}\">"
        "{{ tree(call.function.arguments) }}</run>{% endfor %}</calls>{% endif %}<|stop|>\n"
    ),
}  # fmt: skip
"""What an assistant says, by what is particular about it."""
_ASKED = {"elements between tokens": "<|open|>muse<|sep|>", "reasoning that is left out": "<think></think>"}
"""What the prompt ends with that asks for an answer."""


@pytest.mark.parametrize("about", _TEMPLATES)
def test_chat_templates(about: str) -> None:
    """What the probes put in tells what is markup, whatever it looks like."""
    source = (
        "{% for m in messages %}{% if m.role == 'user' %}<|you|>{{ m.content }}\n<|bot|>\n"
        "{% elif m.role == 'assistant' %}" + _TEMPLATES[about] + "{% endif %}{% endfor %}"
        "{% if add_generation_prompt %}" + _ASKED.get(about, "") + "{% endif %}"
    )
    made = template_outcome(about, source)
    assert made is not None
    assert (made.wrong, made.exact, made.claimed) == ("", True, True)
