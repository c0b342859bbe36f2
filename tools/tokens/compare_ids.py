"""Holds our ids against those of others: random conversations, with and without markup in their texts.

    python -m tools.tokens.compare_ids [--tokenizer NAME] [--count N] [--seed N] [--differences N] [--write]

Texts without markup are compared with `apply_chat_template(tokenize=True)`, those with markup with its
`sanitize_control_tokens=True`. Then mistral-common, tinker-cookbook and trainers are asked, all but with `--tokenizer`.
`--write` writes .reports/tokens.md. Exit code 0: without markup at least 99.9 % are the same ids, and what
tinker-cookbook writes otherwise the template of the model writes as here. 1: not so.
"""

from __future__ import annotations

import argparse
import datetime
import sys
from collections import Counter
from collections.abc import Sequence
from typing import Any

import toolect
from toolect._authoring.generate.small_conversations import ChatCase
from toolect._chats.grammar_chat import Chat
from toolect._rendered import RenderError
from toolect._shown import alike
from toolect._transcript import Origin
from toolect.tokens import Encoded, Tokenizer, encode, load
from tools.chats.original_templates import templates
from tools.chats.template_texts import messages
from tools.markdown_text import table
from tools.peers.environments import answers, peers, run
from tools.random_conversations import cases
from tools.reports import keep
from tools.tokens import compare_weights, original_tokenizers
from tools.tokens.asking import asked, quotes, said
from tools.tokens.original_tokenizers import CACHE, ORIGINALS

SHARE = 0.999

NOTE = """\
Without markup in the texts, ids are compared with `apply_chat_template(tokenize=True)`, with markup with its
`sanitize_control_tokens=True`. *Joined*: the same ids where the text is not cut at answers (`cut="none"`), and the tool
has seen that the first difference is one id of a prompt and an answer at once. Such an answer begins with white space
that the template's text joins to that of the prompt; a model that is asked has the prompt's id already, and samples
another. DeepSeek V3's template writes the calls of a second round without the role that asks for an answer: their line
break stands right behind what the user said. *Around quotes*: the first difference is at a quoted marker: transformers
cuts the text around each, here it is encoded with the text around it. *Refused*: by both. *Other text*: the template
writes another text than the chat, or only one of them refuses.
"""
MISTRAL = """\
With the tokenizer of mistral-common 1.13.1 (Tekken, v3) ids are compared with its own `encode_chat_completion`, for the
chat `mistral-nemo-common`. The template of the model, which `mistral-nemo` follows, does not escape quotes and line
breaks in definitions and results. *By mistral-common*: it refuses answers of nothing. *By the chat*: mistral-common
joins turns of one role that stand side by side, the chat refuses them.
"""


OUTCOMES = ("same", "joined", "around quotes", "else", "refused", "other text")
"""Outcomes of a conversation; the last two cannot be compared."""


def compared(name: str, given: Sequence[ChatCase], shown: int) -> tuple[Counter[str], Counter[str]]:
    """Outcomes of conversations without markup, and of those with it."""
    original = ORIGINALS[name]
    template = next(one for one in templates() if original.template in (one.name, *one.copies))
    tokenizer, chat = load(CACHE / name), toolect.chat(original.chat)
    requests = [request(case, quotes(case.conversation), template.original) for case in given]
    theirs = asked("transformers", "ids_by_transformers", name, {"template": template.text, "requests": requests})
    counts = Counter[str](), Counter[str]()
    for case, one, their in zip(given, requests, theirs, strict=True):
        found, ours = _outcome(case, chat, tokenizer, their)
        counts[one["sanitize"]][found] += 1
        if ours and counts[one["sanitize"]][found] <= shown:
            print(f"{name}: {difference(ours, their['ids'])}")
    return counts


def _outcome(case: ChatCase, chat: Chat, tokenizer: Tokenizer, their: Any) -> tuple[str, Encoded | None]:
    """Outcome of a conversation, and our ids where others are not explained."""
    try:
        written = chat.render(case.conversation, case.generate, thinking=case.thinking, unsafe="keep")
    except RenderError:
        return "refused" if "error" in their else "other text", None
    if "error" in their:
        return "other text", None
    ours = encode(written, tokenizer)
    if ours.ids == their["ids"]:
        return "same", None
    if astride(ours, encode(written, tokenizer, cut="none"), their["ids"]):
        return "joined", None
    if said(tokenizer, ours.ids) != said(tokenizer, their["ids"]):
        return "other text", None
    return ("around quotes", None) if beside_a_quote(ours, their["ids"]) else ("else", ours)


def right(counts: Counter[str]) -> bool:
    """True when nearly all ids that can be compared are the same."""
    return counts["same"] + counts["joined"] >= SHARE * sum(counts[one] for one in OUTCOMES[:4])


def astride(ours: Encoded, joined: Encoded, theirs: Sequence[int]) -> bool:
    """True when not cutting gives their ids, and the first that differs is of a prompt and an answer at once."""
    if joined.ids != theirs:
        return False
    start, end = joined.spans[alike(ours.ids, theirs)]
    kinds = [one.origin is Origin.ANSWER for one in ours.origins if one.start < end and start < one.end]
    return len({*kinds}) == 2


def beside_a_quote(ours: Encoded, theirs: Sequence[int]) -> bool:
    """True when the first id that differs touches a marker that is quoted, or the text between two of them."""
    start, end = ours.spans[min(alike(ours.ids, theirs), len(ours.ids) - 1)]
    return any(a - 1 <= end and start <= b + 1 for a, b in ours.quoted)


def request(case: ChatCase, quote: bool, original: Any) -> dict[str, Any]:
    """Request to transformers."""
    options = {} if case.thinking is None else {"enable_thinking": case.thinking, "thinking": case.thinking}
    return {
        "messages": messages(case.conversation, original),
        "tools": list(case.conversation.tools) or None,
        "generate": case.generate,
        "sanitize": quote,
        "options": options,
    }


def difference(ours: Encoded, theirs: Sequence[int]) -> str:
    """The first ids that are not the same, as their texts."""
    at = alike(ours.ids, theirs)
    piece = ours.tokenizer.piece
    pieces = [[piece(number).decode("utf-8", "replace") for number in ids[at : at + 4]] for ids in (ours.ids, theirs)]
    token = ours.tokens[min(at, len(ours.ids) - 1)]
    return f"in {token.origin} of turn {token.turn}: {pieces[0]} here, {pieces[1]} there"


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokenizer", choices=[*ORIGINALS])
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--differences", type=int, default=0)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    original_tokenizers.fetch()
    rows: list[tuple[str, ...]] = [("tokenizer", "chat", "texts", *OUTCOMES)]
    same = True
    for name in [options.tokenizer] if options.tokenizer else ORIGINALS:
        found = compared(name, list(cases(options.seed, options.count)), options.differences)
        for kind, counts in zip(KINDS, found, strict=True):
            rows.append((name, ORIGINALS[name].chat, kind, *(str(counts[one]) for one in OUTCOMES)))
            print("  ".join(rows[-1]), flush=True)
        same = same and right(found[0])
    print(table(rows))
    if options.tokenizer:
        return int(not same)
    mistral = by_mistral(list(cases(options.seed, options.count)))
    weights, well = compare_weights.section(options.count * 2 // 5, options.seed, options.differences)
    trained = run("training", "tools.tokens.trainers", capture_output=True)
    print(mistral, weights, trained.stdout, trained.stderr[-800:] if trained.returncode else "", sep="\n")
    if options.write:
        keep("tokens.md", page(table(rows), options.count, options.seed, mistral, weights, trained.stdout))
    return int(not (same and well and trained.returncode == 0))


KINDS = ("no markup", "markup quoted")
"""Texts of conversations."""


def by_mistral(given: Sequence[ChatCase]) -> str:
    """The rows of mistral-common."""
    requests = []
    for case in given:
        asked_of = {"tools": None, **case.conversation.to_openai(), "generate": case.generate}
        for message in asked_of["messages"]:
            message.pop("reasoning_content", None)  # it has none
        requests.append(asked_of)
    question = {"chat": "mistral-nemo-common", "requests": requests}
    counts = Counter[str](), Counter[str]()
    for case, one in zip(given, answers("training", "tools.tokens.mistral_ids", question), strict=True):
        counts[quotes(case.conversation)][mistral_outcome(one["theirs"], one["ours"], one["joined"])] += 1
    rows = [(kind, *(str(found[one]) for one in MISTRAL_OUTCOMES)) for kind, found in zip(KINDS, counts, strict=True)]
    return f"{MISTRAL}\n{table([('texts', *MISTRAL_OUTCOMES), *rows])}\n"


MISTRAL_OUTCOMES = ("same", "joined", "other text", "other ids", "refused by both", "by mistral-common", "by the chat")


def mistral_outcome(theirs: Any, ours: Any, joined: Any) -> str:
    """Outcome of one conversation."""
    refused = "error" in theirs, "error" in ours
    if any(refused):
        return {(True, True): "refused by both", (True, False): "by mistral-common"}.get(refused, "by the chat")
    if theirs["ids"] == ours["ids"]:
        return "same"
    return (
        "joined" if theirs["ids"] == joined["ids"] else "other text" if theirs["text"] != ours["text"] else "other ids"
    )


def page(rows: str, count: int, seed: int, mistral: str, weights: str, trained: str) -> str:
    """The report."""
    training = peers()["training"]
    packages = ", ".join(
        one.replace("==", " ") for one in (training.package, *training.requires[:5], *training.besides)
    )
    about = f"{count} random conversations for each tokenizer, seed {seed}, {datetime.date.today().isoformat()}"
    parts = [f"# Ids and weights beside those of others\n\n{about}; `make tokens` prints it.", f"{packages}."]
    sections = {"transformers": f"{NOTE}\n{rows}\n", "mistral-common": mistral, "tinker-cookbook": weights}
    parts += [f"## {title}\n\n{text}" for title, text in (sections | {"Trainers": trained}).items()]
    return "\n\n".join(parts)


if __name__ == "__main__":
    sys.exit(main())
