"""Holds our ids against those of others: random conversations, with and without markup in their texts.

    python -m tools.tokens.compare_ids [--tokenizer NAME] [--count N] [--seed N] [--differences N] [--write]

Texts without markup are compared with `apply_chat_template(tokenize=True)`, those with markup with its
`sanitize_control_tokens=True`. Then mistral-common, tinker-cookbook and trainers are asked, all but with `--tokenizer`.
`--write` writes .reports/tokens.md. Exit code 0: without markup at least 99.9 % are the same ids, and all that
tinker-cookbook writes otherwise is explained. 1: not so.
"""

from __future__ import annotations

import argparse
import datetime
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import toolect
from toolect._authoring.generate.random_conversations import ChatCase, cases
from toolect._rendered import RenderError
from toolect._shown import alike
from toolect._transcript import Origin
from toolect.tokens import Encoded, encode, load
from tools.chats.original_templates import templates
from tools.chats.template_texts import messages
from tools.peers.environments import answers, peers, run
from tools.reports import keep
from tools.tokens import compare_weights, original_tokenizers, token_speed
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


class Count(NamedTuple):
    """Conversations with the same ids, those that both refuse, those whose text is another, and other differences."""

    same: int
    joined: int
    """The same when the text is not cut at answers."""
    refused: int
    text: int
    around: int
    """Other ids from a quoted marker on."""
    differences: tuple[str, ...]

    @property
    def of(self) -> int:
        """Those that can be compared."""
        return self.same + self.joined + self.around + len(self.differences)


def compared(name: str, given: Sequence[ChatCase], shown: int) -> tuple[Count, Count]:
    """Conversations without markup, and those with it."""
    original = ORIGINALS[name]
    template = next(one for one in templates() if original.template in (one.name, *one.copies))
    tokenizer = load(CACHE / name)
    quoted = [quotes(case.conversation) for case in given]
    requests = [request(case, quote, template.original) for case, quote in zip(given, quoted, strict=True)]
    theirs = asked("transformers", "ids_by_transformers", name, {"template": template.text, "requests": requests})
    chat = toolect.chat(original.chat)
    counts = []
    for kind in (False, True):
        same = joined = refused = text = around = 0
        differences = []
        for case, quote, their in zip(given, quoted, theirs, strict=True):
            if quote is not kind:
                continue
            try:
                written = chat.render(case.conversation, case.generate, thinking=case.thinking, unsafe="keep")
            except RenderError:
                refused += "error" in their
                text += "error" not in their
                continue
            if "error" in their:
                text += 1
                continue
            ours = encode(written, tokenizer)
            if ours.ids == their["ids"]:
                same += 1
            elif astride(ours, encode(written, tokenizer, cut="none"), their["ids"]):
                joined += 1
            elif said(tokenizer, ours.ids) != said(tokenizer, their["ids"]):
                text += 1
            elif beside_a_quote(ours, their["ids"]):
                around += 1
            else:
                differences.append(difference(ours, their["ids"]))
        counts.append(Count(same, joined, refused, text, around, tuple(differences)))
        for one in differences[:shown]:
            print(f"{name}: {one}")
    return counts[0], counts[1]


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
    """What is asked of transformers."""
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
    rows = []
    for name in [options.tokenizer] if options.tokenizer else ORIGINALS:
        given = list(cases(options.seed, options.count))
        plain, quoted = compared(name, given, options.differences)
        rows.append((name, plain, quoted))
        print(row(*rows[-1]), flush=True)
    if options.tokenizer:
        return int(any(plain.same + plain.joined < SHARE * plain.of for _, plain, _ in rows))
    mistral = by_mistral(list(cases(options.seed, options.count)))
    weights, well = compare_weights.section(options.count * 2 // 5, options.seed, options.differences)
    trained = run("training", "tools.tokens.trainers", capture_output=True)
    print(mistral, weights, trained.stdout, trained.stderr[-800:] if trained.returncode else "", sep="\n")
    if options.write:
        keep("tokens.md", page(rows, options.count, options.seed, mistral, weights, trained.stdout))
    same = all(plain.same + plain.joined >= SHARE * plain.of for _, plain, _ in rows)
    return int(not (same and well and trained.returncode == 0))


def by_mistral(given: Sequence[ChatCase]) -> str:
    """The rows of mistral-common."""
    requests = []
    for case in given:
        said = {"tools": None, **case.conversation.to_openai(), "generate": case.generate}
        for message in said["messages"]:
            message.pop("reasoning_content", None)  # it has none
        requests.append(said)
    question = {"chat": "mistral-nemo-common", "requests": requests}
    found_by = answers("training", "tools.tokens.mistral_ids", question)
    lines = []
    for kind in (False, True):
        found: Counter[str] = Counter()
        for case, answer in zip(given, found_by, strict=True):
            if quotes(case.conversation) is kind:
                found[mistral_outcome(answer["theirs"], answer["ours"], answer["joined"])] += 1
        cells = ["markup quoted" if kind else "no markup", *(str(found[one]) for one in MISTRAL_OUTCOMES)]
        lines.append(f"| {' | '.join(cells)} |")
    head = f"| texts | {' | '.join(MISTRAL_OUTCOMES)} |"
    return "\n".join([MISTRAL, head, "| --- " * (len(MISTRAL_OUTCOMES) + 1) + "|", *lines, ""])


MISTRAL_OUTCOMES = ("same", "joined", "other text", "other ids", "refused by both", "by mistral-common", "by the chat")


def mistral_outcome(theirs: Any, ours: Any, joined: Any) -> str:
    """What came of one conversation."""
    refused = "error" in theirs, "error" in ours
    if any(refused):
        return {(True, True): "refused by both", (True, False): "by mistral-common"}.get(refused, "by the chat")
    if theirs["ids"] == ours["ids"]:
        return "same"
    return (
        "joined" if theirs["ids"] == joined["ids"] else "other text" if theirs["text"] != ours["text"] else "other ids"
    )


def row(name: str, plain: Count, quoted: Count) -> str:
    """A row of the table."""
    cells = [name, ORIGINALS[name].chat]
    cells += [f"{plain.same} of {plain.of}", str(plain.joined), str(len(plain.differences))]
    cells += [f"{quoted.same} of {quoted.of}", str(quoted.joined), str(quoted.around), str(len(quoted.differences))]
    return f"| {' | '.join(cells)} | {plain.refused + quoted.refused} | {plain.text + quoted.text} |"


def page(
    rows: Iterable[tuple[str, Count, Count]], count: int, seed: int, mistral: str, weights: str, trained: str
) -> str:
    """The report."""
    today = datetime.date.today().isoformat()
    training = peers()["training"]
    used = (training.package, *training.requires[:5], *training.besides)
    packages = ", ".join(one.replace("==", " ") for one in used)
    return "\n".join(
        [
            "# Ids and weights beside those of others",
            "",
            f"{count} random conversations for each tokenizer, seed {seed}, {today}; `make tokens` prints it.",
            "",
            f"{packages}.",
            "",
            "## transformers",
            "",
            NOTE,
            "| tokenizer | chat | same | joined | else | same, markup quoted | joined | around quotes | else | refused "
            "| other text |",
            "| --- " * 11 + "|",
            *(row(*one) for one in rows),
            "",
            "## mistral-common",
            "",
            mistral,
            "## tinker-cookbook",
            "",
            weights,
            "## Trainers",
            "",
            trained,
            "## Speed",
            "",
            token_speed.WORDS,
            *token_speed.rows(0.5),
            "",
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
