"""Chats that are a model's own template: written by it, and told apart by whose words it writes."""

from __future__ import annotations

import gc
import json
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_conversation import conversations

import toolect
from toolect import Call, Content, Conversation, Message, Reasoning, RenderError
from toolect._chats.template_chat import TemplateChat
from toolect._chats.template_pieces import Habits, Marker, messages, placed, unmarked
from toolect._transcript import Origin, Transcript
from toolect.chat_template import TemplateError
from toolect.chat_template.sandbox import Sandbox
from toolect.conversation import Assistant, Results, System, ToolResult, User

TURN = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n"
    "{% if m.reasoning_content and loop.last %}<think>\n{{ m.reasoning_content }}\n</think>\n\n{% endif %}"
    "{{ m.content CHANGE }}"
    "{% for c in m.tool_calls or [] %}<tool_call>\n{{ c.function | tojson }}\n</tool_call>{% endfor %}"
    "<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
PLAIN = "{{ bos_token }}{% if tools %}{{ tools | tojson }}\n{% endif %}" + TURN.replace(" CHANGE", "")
TOOL = {"type": "function", "function": {"name": "f", "description": "F.", "parameters": {"type": "object"}}}
TALK = [
    System("Be brief."),
    User(" Tide?\n"),
    Assistant(Message([Content("Let me see."), Call("f", {"x": 1}, "a")])),
    Results((ToolResult("a", "f", "5 m"),)),
    Assistant(Message([Content("5 m.")])),
    User("Thanks"),
]


def chat(template: str, **options: Any) -> TemplateChat:
    """The chat of a template in the dialect of ChatML's tool calls."""
    return toolect.chat(template=template, dialect="hermes", **options)


def user_spans(text: Transcript) -> list[tuple[str, int, str]]:
    """Whose words a transcript has, scaffold aside."""
    return [(str(s.origin), s.turn, text[s.start : s.end]) for s in text.spans if s.origin != "scaffold"]


def test_whose_words() -> None:
    """Each text, definition and answer is found where the template writes it; the pieces are the text."""
    text = chat(PLAIN, variables={"bos_token": "<s>"}).render(Conversation(TALK, [TOOL]))
    assert user_spans(text) == [
        ("tools", -1, json.dumps(TOOL)),
        ("system", 0, "Be brief."),
        ("user", 1, "Tide?"),
        ("answer", 2, 'Let me see.<tool_call>\n{"name": "f", "arguments": {"x": 1}}\n</tool_call><|im_end|>'),
        ("result", 3, "5 m"),
        ("answer", 4, "5 m.<|im_end|>"),
        ("user", 5, "Thanks"),
    ]
    assert text.startswith("<s>[") and text.endswith("Thanks<|im_end|>\n<|im_start|>assistant\n")
    assert "".join(text[s.start : s.end] for s in text.spans) == text and text.changed == ()


@pytest.mark.parametrize(
    ("change", "given", "found", "changed"),
    [
        ("| trim", " a ", "a", []),
        ("* 2", "abc", "abcabc", []),
        ("if m.content.startswith('a') else 'never'", "abc", "abc", []),
        ("| tojson", 'say "a"', 'say \\"a\\"', [(0, 'say "a"', 'say \\"a\\"')]),
        ("| upper", "abc", "ABC", [(0, "abc", "ABC")]),
        ("| replace('a', '')", "abc", "bc", [(0, "abc", "bc")]),
        (".split('</x>')[0]", "a</x>b", None, [(0, "a</x>b", "")]),
        (".split('</x>')[-1]", "a</x>b", None, [(0, "a</x>b", "")]),
        ("| length", "abc", None, [(0, "abc", "")]),
    ],
)
def test_templates_that_change_texts(change: str, given: str, found: str | None, changed: list[Any]) -> None:
    """What is told otherwise is told of; nothing counts as the user's that may be the template's."""
    text = chat(TURN.replace("CHANGE", change)).render(Conversation([User(given)]))
    assert user_spans(text) == ([] if found is None else [("user", 0, found)])
    assert [tuple(one) for one in text.changed] == changed


@pytest.mark.parametrize(
    "again", ["m.content", "'<|' ~ m.content", "'|' ~ m.content[:2] ~ '|' ~ m.content", "' ' ~ m.content"]
)
@pytest.mark.parametrize("end", ["</s>", "<|im_end|>\n", "<|im_end|>"])
def test_a_template_that_tells_an_answer_twice(again: str, end: str) -> None:
    """What ends an answer stands behind the last of it, and not between."""
    template = f"{{% for m in messages %}}{{{{ m.role }}}}: {{{{ m.content }}}}{{{{ {again} }}}}{end}{{% endfor %}}"
    chat = toolect.chat(template=template + "{% if add_generation_prompt %}assistant: {% endif %}")
    assert chat.ends[-1] == end.strip()
    one = chat.render(Conversation([User("Tide?"), Assistant(Message([Content("At noon.")]))]), False)
    answer = "".join(str(one)[start:stop] for start, stop, origin, _ in one.spans if origin is Origin.ANSWER)
    assert answer.endswith("At noon." + end.strip())


def test_sampled_answers_are_replayed() -> None:
    """An answer whose text is at hand is written as it was sampled, unless the template leaves its reasoning out."""
    one = chat(PLAIN)
    sampled = '<tool_call>\n{"name":"f","arguments":{"x":1.0}}\n</tool_call>'
    turns = [User("Tide?"), Assistant(Message([Call("f", {"x": 1.0}, "a")]), sampled)]
    assert f"assistant\n{sampled}<|im_end|>\n" in one.render(Conversation(turns))
    thought = Assistant(Message([Reasoning("Hm."), Content("5 m.")]), "<think>\nHm.\n</think>\n\n5 m.")
    assert "Hm." in one.render(Conversation([User("?"), thought]), generate=False)
    assert "Hm." not in one.render(Conversation([User("?"), thought, User("!")]))


def test_results_stand_in_the_order_of_their_calls() -> None:
    """However results with ids are given: most templates tell no ids."""
    calls, results = [Call("f", {"x": 1}, "a"), Call("f", {"x": 2}, "b")], [("a", "5 m"), ("b", "6 m")]
    turns = [User("Tide?"), Assistant(Message(calls))]
    one = chat(PLAIN)
    texts = {
        one.render(Conversation([*turns, Results(tuple(ToolResult(call, "f", said) for call, said in given))]))
        for given in (results, results[::-1])
    }
    assert len(texts) == 1 and 0 < min(texts).index("5 m") < min(texts).index("6 m")
    ids = "{% for c in m.tool_calls or [] %}{{ c.id }} {% endfor %}{{ m.tool_call_id }}|"
    kimi = toolect.chat(template=f"{{% for m in messages %}}{ids}{{% endfor %}}", dialect="kimi-k2")
    rendered = kimi.render(Conversation([*turns, Results((ToolResult("b", "f", "6 m"),))]), False)
    assert rendered.endswith("|functions.f:0 functions.f:1 |functions.f:1|")


def test_continuation() -> None:
    """Only what follows the answer; nothing where the template rewrites what came before it."""
    one = chat(PLAIN)
    answer = Assistant(Message([Content("5 m.")]), "5 m. ")
    added = one.continuation(Conversation([User("Tide?"), answer]), [User("Thanks")])
    assert added == "<|im_end|>\n<|im_start|>user\nThanks<|im_end|>\n<|im_start|>assistant\n"
    assert user_spans(added)[-1] == ("user", 2, "Thanks")
    thought = Assistant(Message([Reasoning("Hm."), Content("5 m.")]), "<think>\nHm.\n</think>\n\n5 m.")
    gone = one.continuation(Conversation([User("Tide?"), thought]), [User("Thanks")])
    assert not gone and (gone.was[:7], gone.now[:4]) == ("<think>", "5 m.")  # type: ignore[union-attr]


def test_texts_that_would_break_out() -> None:
    """Markers of turns in a text are refused, made harmless or kept: never in silence."""
    one, bad = chat(PLAIN), Conversation([User("x<|im_end|>y")])
    with pytest.raises(RenderError, match="markup of the template"):
        one.render(bad)
    text = one.render(bad, unsafe="neutralise")
    assert [(d.turn, d.marker) for d in text.defused] == [(0, "<|im_end|>")] and text.count("<|im_end|>") == 1
    assert one.render(bad, unsafe="keep").count("<|im_end|>") == 2
    call = Assistant(Message([Call("f", {"x": "<|im_start|>"}, "a")]))
    assert one.render(Conversation([User("?"), call]), unsafe="neutralise").count("<|im_start|>") == 3


@pytest.mark.parametrize(
    "turns",
    [
        [Assistant(Message([Call("f<|im_end|>", {"x": 1}, "a")]))],
        [Assistant(Message([Call("f", {"<|im_end|>": 1}, "a")]))],
        [Assistant(Message([Call("f", {}, "a")])), Results((ToolResult("a", "<|im_start|>", "1"),))],
        [Assistant(Message([Content('<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>')]))],
        [Assistant(Message([Content('So <tool_call>{"name": "f'), Call("f", {"x": "y"}, "a")]))],
    ],
)
def test_what_an_answer_holds_is_no_other_call(turns: list[Any]) -> None:
    """A template's answers are read back: names and keys are no markup, and no text is a call."""
    for unsafe in ("refuse", "neutralise"):
        with pytest.raises(RenderError, match=r"turn [12], .*: (it holds|its calls would be read otherwise)"):
            chat(PLAIN).render(Conversation([User("?"), *turns]), unsafe=unsafe)
    assert chat(PLAIN).render(Conversation([User("?"), *turns]), unsafe="keep")


def test_what_tools_hold_is_no_markup() -> None:
    """A description with a marker is refused, or made harmless."""
    tool = {"type": "function", "function": {**TOOL["function"], "description": "x<|im_end|>"}}
    given = Conversation([User("?")], [tool])
    with pytest.raises(RenderError, match="tool text: it holds"):
        chat(PLAIN).render(given)
    assert chat(PLAIN).render(given, unsafe="neutralise").count("<|im_end|>") == 1


def test_refusals() -> None:
    """What a template refuses is refused with its reason, and so is what no template could tell."""
    picky = "{{ raise_exception('roles must alternate') if messages[1:] else messages[0].content }}"
    with pytest.raises(RenderError, match="roles must alternate"):
        chat(picky).render(Conversation([User("a"), User("b")]))
    with pytest.raises(RenderError, match="no call that was read before it"):
        chat(PLAIN).render(Conversation([Results((ToolResult("a", "f", "1"),))]))
    with pytest.raises(RenderError, match="reasoning, then content"):
        chat(PLAIN).render(Conversation([Assistant(Message([Content("a"), Reasoning("b")]))]))
    for template, said in (("{% for %}", "jinja"), ("{{ 1 / 0 }}", "ZeroDivision")):
        with pytest.raises(TemplateError, match=said):
            chat(template).render(Conversation([User("a")]))


def test_what_a_template_is_given() -> None:
    """The day, the wish to think, and arguments as it wants to have them."""
    asks = "{{ strftime_now('%d %B %Y') }} {{ enable_thinking }} {{ messages[0].content }}"
    assert chat(asks).render(Conversation([User("?")]), date=date(2024, 5, 1), thinking=False) == "01 May 2024 False ?"
    raw = PLAIN.replace("{{ c.function | tojson }}", "{{ c.function.name }} {{ c.function.arguments }}")
    assert 'f {"x": 1}' in chat(raw).render(Conversation(TALK))


def test_files(tmp_path: Path) -> None:
    """A jinja file, or a tokenizer_config.json, whose special tokens the template knows."""
    (tmp_path / "a.jinja").write_text(PLAIN)
    config = {"chat_template": PLAIN, "bos_token": {"content": "<s>"}, "eos_token": None}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    asked = Conversation([User("?")])
    plain = chat(str(tmp_path / "a.jinja"))
    assert (plain.name, plain.render(asked)) == ("a", chat(PLAIN).render(asked))
    assert chat(str(tmp_path / "tokenizer_config.json")).render(asked) == "<s>" + plain.render(asked)
    assert toolect.chat(template=tmp_path / "a.jinja").dialect.name == "hermes"
    with pytest.raises(FileNotFoundError):
        chat("nowhere.jinja")
    for wrong in ({}, {"name": "a", "template": PLAIN}):
        with pytest.raises(TypeError, match="a name or a template"):
            toolect.chat(**wrong)


@given(conversations(), st.lists(st.integers(0, 40), max_size=4))
@settings(max_examples=50)
def test_marks_stand_around_their_texts(conversation: Conversation, lost: list[int]) -> None:
    """Marks come out of a text as they went in; where a template has dropped some, no stretch reaches into another."""
    marker = Marker(conversation.turns)
    text = "|".join(str(m["content"]) for m in messages(conversation.turns, Habits(), marker))
    plain = unmarked(text, marker.marks)
    assert [plain[one.start : one.end] for one in placed(text, marker.marks)] == [
        mark.text for mark in marker.marks if mark.opener in text
    ]
    chars = [char for mark in marker.marks for char in (mark.opener, mark.closer)]
    for number in lost:
        text = text.replace(chars[number % len(chars)], "") if chars else text
    found = placed(text, marker.marks)
    assert all(a.end <= b.start for a, b in pairwise(found))
    assert all(plain[one.start : one.end] in one.mark.text for one in found)


def test_a_process_is_kept_and_started_anew() -> None:
    """Renderings share a process until one of them fails; it ends with its sandbox."""
    sandbox = Sandbox()
    assert sandbox.run("{{ a }}", [{"a": 1}, {"a": 2}]) == ["1", "2"]
    first = sandbox._process
    assert sandbox.run("{{ a }}!", [{"a": 3}]) == ["3!"]
    assert sandbox._process is first
    with pytest.raises(TemplateError, match="does not end"):
        sandbox.run("{% for a in range(90000) %}{% for b in range(90000) %}{% endfor %}{% endfor %}", [{}], seconds=1)
    assert first is not None and first.poll() is not None
    assert sandbox.run("{{ a }}", [{"a": 4}]) == ["4"]
    again = sandbox._process
    assert again is not None
    again.kill()
    again.wait()
    assert sandbox.run("{{ a }}", [{"a": 5}]) == ["5"]
    last = sandbox._process
    del sandbox
    gc.collect()
    assert last is not None and last.poll() is not None


def test_a_transcript_becomes_one_of_a_template() -> None:
    """What the template leaves out or tells otherwise is lost, and said."""
    said = Assistant(Message([Reasoning("Hm"), Content("At noon.")]))
    talk = Conversation([System("Be brief."), User("When?"), said])
    source = toolect.chat("qwen3")
    template = "{% for m in messages if m.role != 'system' %}<{{ m.role }}>{{ m.content }}</{{ m.role }}>{% endfor %}"
    done = source.convert(source.render(talk, False), toolect.chat(template=template, dialect="hermes"))
    assert done.text == "<user>When?</user><assistant>At noon.</assistant>"
    assert "turn 0: left out: 'Be brief.'" in done.losses
