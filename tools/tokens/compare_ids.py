"""Holds our ids against those of transformers: random conversations, with and without markup in their texts.

    python -m tools.tokens.compare_ids [--tokenizer NAME] [--count N] [--seed N] [--differences N] [--write]

Texts without markup are compared with `apply_chat_template(tokenize=True)`, those with markup with its
`sanitize_control_tokens=True`. `--write` writes docs/reports/tokens.md. Exit code 0: without markup at least 99.9 % are
the same ids. 1: fewer are.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import toolect
from toolect._shown import alike, percent
from toolect.conversation import Conversation
from toolect.rendered import Unrepresentable
from toolect.tokens import Encoded, encode, load
from tools.chats.original_templates import templates
from tools.chats.random_conversations import MARKUP, Case, cases
from tools.chats.template_texts import messages
from tools.peers.environments import Peer, environment
from tools.tokens import original_tokenizers
from tools.tokens.original_tokenizers import CACHE, ORIGINALS

TRANSFORMERS = "transformers==5.23.0"
REPORT = Path(__file__).parents[2] / "docs" / "reports" / "tokens.md"
SHARE = 0.999

NOTE = """\
Without markup in the texts, ids are compared with `apply_chat_template(tokenize=True)`, with markup with its
`sanitize_control_tokens=True`. `+`: the same where the text is not cut at answers (`cut="none"`); such an answer begins
with a line break, which the template joins to that of the prompt, and no model samples so. All other differences, where
markup is quoted, are beside it: transformers cuts the text around each quoted marker, here it is encoded with the text
around it. Refused: by both. Other text: the template writes another text than the chat, or only one of them refuses.
"""


class Count(NamedTuple):
    """Conversations with the same ids, those that both refuse, those whose text is another, and other differences."""

    same: int
    joined: int
    """The same when the text is not cut at answers."""
    refused: int
    text: int
    differences: tuple[str, ...]

    @property
    def of(self) -> int:
        """Those that can be compared."""
        return self.same + self.joined + len(self.differences)


def quotes(conversation: Conversation) -> bool:
    """True when a text of a conversation holds markup."""
    text = json.dumps(conversation.to_openai(), ensure_ascii=False)
    return any(json.dumps(markup, ensure_ascii=False)[1:-1] in text for markup in MARKUP)


def compared(name: str, given: Sequence[Case], python: Path, shown: int) -> tuple[Count, Count]:
    """Conversations without markup, and those with it."""
    original = ORIGINALS[name]
    template = next(one for one in templates() if original.template in (one.name, *one.copies))
    tokenizer = load(CACHE / name)
    quoted = [quotes(case.conversation) for case in given]
    requests = [request(case, quote, template.original) for case, quote in zip(given, quoted, strict=True)]
    theirs = asked(python, name, template.text, requests)
    chat = toolect.chat(original.chat)
    counts = []
    for kind in (False, True):
        same = joined = refused = text = 0
        differences = []
        for case, quote, their in zip(given, quoted, theirs, strict=True):
            if quote is not kind:
                continue
            try:
                written = chat.render(case.conversation, case.generate, thinking=case.thinking, unsafe="keep")
            except Unrepresentable:
                refused += "error" in their
                text += "error" not in their
                continue
            if "error" in their:
                text += 1
                continue
            ours = encode(written, tokenizer)
            if ours.ids == their["ids"]:
                same += 1
            elif encode(written, tokenizer, cut="none").ids == their["ids"]:
                joined += 1
            elif said(ours.ids, ours) != said(their["ids"], ours):
                text += 1
            else:
                differences.append(difference(ours, their["ids"]))
        counts.append(Count(same, joined, refused, text, tuple(differences)))
        for one in differences[:shown]:
            print(f"{name}: {one}")
    return counts[0], counts[1]


def request(case: Case, quote: bool, original: Any) -> dict[str, Any]:
    """What is asked of transformers."""
    options = {} if case.thinking is None else {"enable_thinking": case.thinking, "thinking": case.thinking}
    return {
        "messages": messages(case.conversation, original),
        "tools": list(case.conversation.tools) or None,
        "generate": case.generate,
        "sanitize": quote,
        "options": options,
    }


def asked(python: Path, name: str, template: str, requests: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The answers of transformers."""
    config = json.loads((CACHE / name / "tokenizer_config.json").read_text(encoding="utf-8"))
    special = {}
    for key in ("bos_token", "eos_token"):
        value = config.get(key)
        if value:
            special[key] = value["content"] if isinstance(value, dict) else value
    question = {
        "file": str(CACHE / name / "tokenizer.json"),
        "special": special,
        "template": template,
        "requests": list(requests),
    }
    script = Path(__file__).with_name("ids_by_transformers.py")
    around = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    command = [str(python), str(script)]
    done = subprocess.run(command, input=json.dumps(question), capture_output=True, text=True, env=around, check=False)
    if done.returncode:
        raise SystemExit(f"expected an answer of {TRANSFORMERS}, got: {done.stderr[-800:]}")
    answers: list[dict[str, Any]] = json.loads(done.stdout)
    return answers


def said(ids: Iterable[int], encoded: Encoded) -> bytes:
    """What ids stand for."""
    return b"".join(map(encoded.tokenizer.piece, ids))


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
    python = environment("transformers", Peer(TRANSFORMERS, {}, requires=["jinja2"]))
    rows = []
    for name in [options.tokenizer] if options.tokenizer else ORIGINALS:
        given = list(cases(options.seed, options.count))
        plain, quoted = compared(name, given, python, options.differences)
        rows.append((name, plain, quoted))
        print(row(*rows[-1]), flush=True)
    if options.write:
        REPORT.write_text(page(rows, options.count, options.seed), encoding="utf-8")
    return int(any(plain.same + plain.joined < SHARE * plain.of for _, plain, _ in rows))


def row(name: str, plain: Count, quoted: Count) -> str:
    """A row of the table."""
    cells = [name, ORIGINALS[name].chat]
    cells += [f"{plain.same} + {plain.joined} of {plain.of} ({percent(plain.same + plain.joined, plain.of)})"]
    cells += [f"{quoted.same} + {quoted.joined} of {quoted.of}"]
    return f"| {' | '.join(cells)} | {plain.refused + quoted.refused} | {plain.text + quoted.text} |"


def page(rows: Iterable[tuple[str, Count, Count]], count: int, seed: int) -> str:
    """The report."""
    today = datetime.date.today().isoformat()
    return "\n".join(
        [
            "# Ids beside those of transformers",
            "",
            f"{count} random conversations for each tokenizer, seed {seed}, {TRANSFORMERS.replace('==', ' ')},",
            f"{today}; `make tokens` prints it.",
            "",
            NOTE,
            "| tokenizer | chat | same ids | same, markup quoted | refused | other text |",
            "| --- | --- | --- | --- | --- | --- |",
            *(row(*one) for one in rows),
            "",
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
