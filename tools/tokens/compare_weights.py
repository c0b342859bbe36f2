"""Holds what is taught against tinker-cookbook: its renderers and ours, on the same random conversations.

Where both write another text, the template of the model judges: its prompt for the last answer, and what follows.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, combinations
from typing import Any, NamedTuple
from unicodedata import normalize

from toolect._authoring.generate.small_conversations import ChatCase
from toolect._message import Call, Message, Reasoning
from toolect.chat_template import TemplateError
from toolect.conversation import Assistant, Conversation, Results, System, Turn
from toolect.tokens import Tokenizer, load
from tools.chats.original_templates import templates
from tools.chats.template_texts import rendered
from tools.pages.markdown_text import table
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
    """What of the template is not the model's own, and what that has."""


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


def _without(pattern: str, by: str = "") -> Callable[[str], str]:
    found = re.compile(pattern, re.DOTALL)
    return lambda text: found.sub(by, text)


def _unescaped(text: str) -> str:
    r"""A text whose JSON spells no character as `\uXXXX`."""
    return normalize("NFC", re.sub(r"(?:\\u[0-9a-f]{4})+", lambda match: json.loads(f'"{match[0]}"'), text))


def _unquoted(text: str) -> str:
    """A text of gpt-oss whose results are no JSON."""
    result = re.compile(r'(?<=to=assistant<\|channel\|>commentary<\|message\|>)".*?"(?=<\|end\|>)', re.DOTALL)
    return result.sub(lambda match: str(json.loads(match[0], strict=False)), text)


def _tools_of_gpt_oss(text: str) -> str:
    """A text of gpt-oss without what it says of tools."""
    text = re.sub(r"(<\|end\|><\|start\|>system<\|message\|>|\n)Calls to these tools.*?'functions'\.", "", text)
    text = re.sub(r"# Tools\n.*?// namespace functions", "", text, flags=re.DOTALL)
    developer = re.compile(r"<\|start\|>developer<\|message\|>(.*?)<\|end\|>", re.DOTALL)
    return developer.sub(lambda match: match[1].strip(), text)


CLASSES: Mapping[str, Callable[[str], str]] = {
    "JSON is in ASCII": _unescaped,
    "each result has a turn of its own": _without(
        r"</tool_response><\|im_end\|>\n<\|im_start\|>user\n<tool_response>", "</tool_response>\n<tool_response>"
    ),
    "reasoning of earlier answers is kept, or is not": _without(
        r"<think>.*?</think>(\n\n)?|<\|channel\|>analysis<\|message\|>.*?<\|end\|><\|start\|>assistant"
    ),
    "an empty line before calls that follow reasoning": _without(r"\n+(?=<tool_call>)"),
    "white space around texts is kept": _without(r"(?<=<\|end_header_id\|>)\s+|\s+(?=<\|eot_id\|>)"),
    "a role before answers that go on": _without(
        r"((?<=<｜end▁of▁sentence｜>)|(?<=<｜begin▁of▁sentence｜>))<｜Assistant｜>((<think>)?</think>)?"
    ),
    "no end after calls, or after nothing": _without(
        r"(?<=<｜tool▁calls▁end｜>)<｜end▁of▁sentence｜>|((?<=</think>)|(?<=<｜Assistant｜>))<｜end▁of▁sentence｜>"
    ),
    "tools are told otherwise": _tools_of_gpt_oss,
    "`<|constrain|>` before `json`": _without(r"<\|constrain\|>"),
    "results are no JSON": _unquoted,
    "words before a call are no reasoning": _without(
        r"(?<=<\|start\|>assistant)<\|channel\|>(commentary|analysis)<\|message\|>((?!<\|end\|>).)*"
        r"<\|end\|><\|start\|>assistant(?= to=)"
    ),
}
"""What theirs write otherwise: each makes a text of theirs and one of ours the same where only that differs."""
SEVERAL = "several calls of one answer, of which the template writes one"
QUOTED = "quoted markers become ids"
EMPTY = "the empty reasoning is taught"
CUT = "the same text, cut between a turn's header and its text"
AS_ABOVE = "as without markup"
MOST = 4
"""Classes that are tried together."""


class Outcome(NamedTuple):
    """What came of one conversation, and the classes of what differs."""

    kind: str
    classes: tuple[str, ...] = ()
    about: str = ""


SAME, WEIGHTS, TEXT, IDS = "same", "weights", "as the template", "cut"
THEIRS, NEITHER, REFUSED, UNEXPLAINED = "theirs is", "neither is", "refused", "unexplained"


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
    """What came of each conversation."""
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
        outcome(case, answer["theirs"], answer["ours"], prompt, whole, tokenizer)
        for case, answer, prompt, whole in zip(given, answers, prompts, wholes, strict=True)
    ]


def outcome(
    case: ChatCase,
    theirs: Any,
    ours: Any,
    prompt: str | TemplateError,
    whole: str | TemplateError,
    tokenizer: Tokenizer,
) -> Outcome:
    """What came of one conversation, and why."""
    if "error" in theirs or "error" in ours:
        by = " and ".join(name for name, one in (("theirs", theirs), ("ours", ours)) if "error" in one)
        also = by == "ours" and isinstance(whole, TemplateError)
        why = str(ours.get("error") or theirs.get("error"))
        reason = re.sub(
            r"['\"].*", "", why.partition(": ")[2].split(":")[-2 if by == "ours" and not also else 0]
        ).strip()
        return Outcome(REFUSED, (f"refused by {by}{' and the template' if also else ''}: {reason}",), why)
    if theirs == ours:
        return Outcome(SAME)
    texts = [normalize("NFC", said(tokenizer, one["ids"])) for one in (theirs, ours)]
    about = f"{texts[0]!r} of theirs, {texts[1]!r} of ours"
    if theirs["ids"] == ours["ids"]:
        return Outcome(WEIGHTS, (EMPTY,) if _teaches_nothing(theirs, ours, tokenizer) else (UNEXPLAINED,), about)
    if texts[0] == texts[1]:
        more = _markers(theirs["ids"], tokenizer) - _markers(ours["ids"], tokenizer)
        return Outcome(IDS, (QUOTED if more else CUT,), about)
    right = [follows(prompt, whole, text) for text in texts]
    kind = TEXT if right == [False, True] else THEIRS if right == [True, False] else NEITHER
    return Outcome(kind, tuple(_classes(case, *texts)) or (UNEXPLAINED,), about)


def _teaches_nothing(theirs: Any, ours: Any, tokenizer: Tokenizer) -> bool:
    """True when theirs teach more, and that is a reasoning of nothing."""
    pairs = zip(theirs["ids"], theirs["weights"], ours["weights"], strict=True)
    more = [number for number, their, our in pairs if their != our and their]
    return said(tokenizer, more).split() == ["<think>", "</think>"]


def _markers(ids: Iterable[int], tokenizer: Tokenizer) -> Counter[int]:
    added = {*tokenizer.added.values()}
    return Counter(number for number in ids if number in added)


def follows(prompt: str | TemplateError, whole: str | TemplateError, text: str) -> bool:
    """True when a text is the prompt that a template asks with, and what the template makes of the answer.

    A template may tell what came before otherwise once there is an answer: then the prompt alone counts.
    """
    if not isinstance(prompt, str) or not isinstance(whole, str):
        return False
    prompt, whole = normalize("NFC", prompt), normalize("NFC", whole)
    return whole.rstrip() == text.rstrip() if whole.startswith(prompt) else text.startswith(prompt)


def _classes(case: ChatCase, theirs: str, ours: str) -> Sequence[str]:
    """The fewest classes that explain how two texts differ."""
    useful = [name for name, change in CLASSES.items() if (change(theirs), change(ours)) != (theirs, ours)]
    for some in chain.from_iterable(combinations(useful, size) for size in range(1, MOST + 1)):
        changed = [theirs, ours]
        for name in some:
            changed = [CLASSES[name](text) for text in changed]
        if changed[0] == changed[1]:
            return some
    several = any(len(turn.message.calls) > 1 for turn in case.conversation.turns if isinstance(turn, Assistant))
    return [SEVERAL] if several and "<|call|>" in theirs else []


KINDS = (SAME, WEIGHTS, IDS, TEXT, THEIRS, NEITHER, REFUSED)
NOTE = """\
For each renderer of tinker-cookbook that has a chat here: random conversations that end with an answer, taught by both
(`LAST_ASSISTANT_MESSAGE`). Both take tools by `create_conversation_prefix_with_tools`. *Weights*: the same ids, other
weights. *Cut*: the same text, other ids. *As the template*: another text, and ours is what the template of the model
writes, its prompt and its answer; the next two columns are where it is not. The template of DeepSeek V3.1 is that of
llama.cpp with the model's own `</think>` for its `<think></think>`, the vocabulary that of V3 with two names restored.
llama3 has neither tools nor reasoning, DeepSeek V3 no tools.
"""


def section(count: int, seed: int, shown: int = 0) -> tuple[str, bool]:
    """The tables, and whether all that differs is explained."""
    rows: list[tuple[str, ...]] = [("renderer", "ours", "of", *KINDS)]
    notes: list[tuple[str, ...]] = [("renderer", "what", "conversations")]
    well = True
    for quoting in (False, True):
        for family in FAMILIES:
            given = conversations(family, count // 4 if quoting else count, seed, quoting)
            found = compared(family, [*given])
            if quoting:  # the changes that tell classes apart would change what is quoted, too
                found = [one if one.kind != TEXT else one._replace(classes=(AS_ABOVE,)) for one in found]
            kinds, classes = Counter(one.kind for one in found), Counter(name for one in found for name in one.classes)
            well = well and not classes[UNEXPLAINED] and (quoting or not kinds[THEIRS] + kinds[NEITHER])
            name = f"{family.theirs}, markup quoted" if quoting else family.theirs
            rows.append((name, f"toolect/{family.ours}", str(len(found)), *(str(kinds[kind]) for kind in KINDS)))
            notes += [(name, why, str(times)) for why, times in classes.most_common()]
            for one in [one for one in found if one.kind in (THEIRS, NEITHER) or UNEXPLAINED in one.classes][:shown]:
                print(f"{name}: {one.kind}: {one.about}")
    told = "What of theirs differs, told by the tool: a change of the texts that makes both the same, or by the ids."
    return f"{NOTE}\n{table(rows)}\n\n{told}\n\n{table(notes)}\n", well
