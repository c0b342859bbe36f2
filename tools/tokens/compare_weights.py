"""Holds what is taught against tinker-cookbook: its renderers and ours, on the same random conversations.

Where both write another text, the template of the model judges: its prompt for the last answer, and what follows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple
from unicodedata import normalize

from toolect._authoring.generate.small_conversations import ChatCase
from toolect._message import Call, Message, Reasoning
from toolect.chat_template import TemplateError
from toolect.conversation import Assistant, Conversation, Results, System, Turn
from toolect.tokens import Tokenizer, load
from tools.chats.original_templates import templates
from tools.chats.template_texts import rendered
from tools.markdown_text import table
from tools.random_conversations import cases
from tools.tokens.asking import asked, quotes, said
from tools.tokens.original_tokenizers import CACHE

THOUGHTS, TOOLS, CALLS = "thoughts", "tools", "calls"


class Family(NamedTuple):
    """A renderer of theirs, ours in its place, the tokenizer, the template that judges, what theirs cannot carry."""

    theirs: str
    ours: str
    tokenizer: str
    template: str
    thinking: bool | None = None
    without: frozenset[str] = frozenset()
    own: tuple[str, str] | None = None
    """A text of the template that is not the model's own, and the model's own."""


_QWEN3, _GPT_OSS = "llama.cpp/Qwen-Qwen3-0.6B", "llama.cpp/openai-gpt-oss-120b"
_DEEPSEEK = "llama.cpp/deepseek-ai-DeepSeek-V3.1"
_CLOSED = ("<think></think>", "</think>")
FAMILIES = (
    Family("qwen3", "qwen3", "qwen3", _QWEN3),
    Family("qwen3_disable_thinking", "qwen3/no-thinking", "qwen3", _QWEN3, False, frozenset({THOUGHTS})),
    Family("qwen3_instruct", "qwen3-instruct", "qwen3", "trl/qwen3_instruct_2507"),
    Family("llama3", "llama3", "llama3_1", "trl/llama3", None, frozenset({THOUGHTS, TOOLS, CALLS})),
    Family("deepseekv3", "deepseek-v3.1/no-thinking", "deepseek_v3_1", _DEEPSEEK, False, frozenset({TOOLS}), _CLOSED),
    Family(
        "deepseekv3_thinking", "deepseek-v3.1/thinking", "deepseek_v3_1", _DEEPSEEK, True, frozenset({TOOLS}), _CLOSED
    ),
    Family("gpt_oss_medium_reasoning", "gpt-oss", "gptoss", _GPT_OSS),
)


class Outcome(NamedTuple):
    """Outcome of one conversation; `known` where it is one of the differences that are meant."""

    kind: str
    about: str = ""
    known: bool = True


SAME, WEIGHTS, TEXT, IDS = "same", "weights", "as the template", "cut"
THEIRS, NEITHER, REFUSED = "theirs is", "neither is", "refused"


def conversations(family: Family, count: int, seed: int, quoting: bool) -> Iterator[ChatCase]:
    """Random conversations that end with an answer, with markup in their texts or without."""
    found = 0
    for case in cases(seed, count * 40):
        turns = [*_carried(case.conversation.turns, family.without)]
        while turns and not isinstance(turns[-1], Assistant):
            turns.pop()
        if len(turns) < 2 or turns[0] == System(""):  # theirs know no empty system text
            continue
        tools = () if TOOLS in family.without else case.conversation.tools
        conversation = Conversation(turns, tools)
        if quotes(conversation) is quoting:
            yield ChatCase(case.number, conversation, False, family.thinking)
            found += 1
        if found == count:
            return


def _carried(turns: Iterable[Turn], without: frozenset[str]) -> Iterator[Turn]:
    """The turns as a renderer can carry them."""
    lost = tuple(kind for kind, word in ((Reasoning, THOUGHTS), (Call, CALLS)) if word in without)
    for turn in turns:
        if isinstance(turn, Assistant):
            kept = [segment for segment in turn.message.segments if not isinstance(segment, lost)]
            if kept or not turn.message.segments:
                yield Assistant(Message(kept))
        elif not (isinstance(turn, Results) and CALLS in without):
            yield turn


def compared(family: Family, given: Sequence[ChatCase]) -> list[Outcome]:
    """Outcome of each conversation."""
    template = next(one for one in templates() if family.template in (one.name, *one.copies))
    if family.own is not None:
        template = template._replace(text=template.text.replace(*family.own))
    question = {
        "theirs": family.theirs, "ours": f"toolect/{family.ours}",
        "conversations": [case.conversation.to_openai() for case in given],
    }  # fmt: skip
    answers = asked("training", "tinker_examples", family.tokenizer, question)
    tokenizer = load(CACHE / family.tokenizer)
    before = [Conversation(case.conversation.turns[:-1], case.conversation.tools) for case in given]
    prompts = rendered(
        template, [case._replace(conversation=one, generate=True) for case, one in zip(given, before, strict=True)]
    )
    wholes = rendered(template, given)
    return [
        outcome(answer["theirs"], answer["ours"], prompt, whole, tokenizer)
        for answer, prompt, whole in zip(answers, prompts, wholes, strict=True)
    ]


def outcome(
    theirs: Any, ours: Any, prompt: str | TemplateError, whole: str | TemplateError, tokenizer: Tokenizer
) -> Outcome:
    """Outcome of one conversation."""
    if "error" in theirs or "error" in ours:
        return Outcome(REFUSED, str(ours.get("error") or theirs.get("error")))
    if theirs == ours:
        return Outcome(SAME)
    texts = [normalize("NFC", said(tokenizer, one["ids"])) for one in (theirs, ours)]
    about = f"{texts[0]!r} of theirs, {texts[1]!r} of ours"
    if theirs["ids"] == ours["ids"]:
        return Outcome(WEIGHTS, about, _teaches_nothing(theirs, ours, tokenizer))
    if texts[0] == texts[1]:
        return Outcome(IDS, about)
    right = [follows(prompt, whole, text) for text in texts]
    return Outcome(TEXT if right == [False, True] else THEIRS if right == [True, False] else NEITHER, about)


def _teaches_nothing(theirs: Any, ours: Any, tokenizer: Tokenizer) -> bool:
    """True when theirs teach more, and that is a reasoning of nothing."""
    pairs = zip(theirs["ids"], theirs["weights"], ours["weights"], strict=True)
    more = [number for number, their, our in pairs if their != our and their]
    return said(tokenizer, more).split() == ["<think>", "</think>"]


def follows(prompt: str | TemplateError, whole: str | TemplateError, text: str) -> bool:
    """True when a text is the prompt that a template asks with, and what the template makes of the answer.

    A template may write what came before otherwise once there is an answer: then the prompt alone counts.
    """
    if not isinstance(prompt, str) or not isinstance(whole, str):
        return False
    prompt, whole = normalize("NFC", prompt), normalize("NFC", whole)
    return whole.rstrip() == text.rstrip() if whole.startswith(prompt) else text.startswith(prompt)


KINDS = (SAME, WEIGHTS, IDS, TEXT, THEIRS, NEITHER, REFUSED)
NOTE = """\
For each renderer of tinker-cookbook that has a chat here: random conversations that end with an answer, taught by both
(`LAST_ASSISTANT_MESSAGE`). Both take tools by `create_conversation_prefix_with_tools`. *Weights*: the same ids, other
weights, as theirs teach a reasoning of nothing. *Cut*: the same text, other ids. *As the template*: another text, and
ours is what the template of the model writes, its prompt and its answer; the next two columns are where it is not. The
template of DeepSeek V3.1 is that of llama.cpp with the model's own `</think>` for its `<think></think>`, the vocabulary
that of V3 with two names restored. llama3 has neither tools nor reasoning, DeepSeek V3 no tools.
"""


def section(count: int, seed: int, shown: int = 0) -> tuple[str, bool]:
    """The table, and whether all that differs is the template's, or meant."""
    rows: list[tuple[str, ...]] = [("renderer", "ours", "of", *KINDS)]
    well = True
    for quoting in (False, True):
        for family in FAMILIES:
            given = conversations(family, count // 4 if quoting else count, seed, quoting)
            found = compared(family, [*given])
            kinds = Counter(one.kind for one in found)
            well = well and all(one.known for one in found) and (quoting or not kinds[THEIRS] + kinds[NEITHER])
            name = f"{family.theirs}, markup quoted" if quoting else family.theirs
            rows.append((name, f"toolect/{family.ours}", str(len(found)), *(str(kinds[kind]) for kind in KINDS)))
            for one in [one for one in found if one.kind in (THEIRS, NEITHER) or not one.known][:shown]:
                print(f"{name}: {one.kind}: {one.about}")
    return f"{NOTE}\n{table(rows)}\n", well
