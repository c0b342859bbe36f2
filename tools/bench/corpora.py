"""Prints how long `toolect parse` takes for a message of a corpus, in its dialect and without: JSON in, JSON out.

    python -m tools.bench.corpora

Two messages of three have a call after some sentences; prose is words of the guides, without markup.
"""

from __future__ import annotations

import json
import random
import re
import time
from pathlib import Path

import toolect
from toolect import Call, Content, Message
from toolect._cli.parse import _record
from toolect._cli.terminal import encoded
from toolect.registry import AUTO
from tools.pages.markdown_text import table

GUIDES = Path(__file__).resolve().parents[2] / "docs" / "guide"
DIALECTS = ("hermes", "qwen3-coder", "llama3-json", "mistral-v13", "deepseek-v3.1", "kimi-k2", "glm-4.5", "glm-4.7")
PROSE = (300, 2_000, 20_000)
"""Characters of texts without a call."""
MESSAGES, TIMES = 1_000, 3
OPTIONS = {"tools": None, "mode": "lenient", "prefix": ""}


def calls(name: str, draw: random.Random) -> list[str]:
    """Messages of a dialect."""
    said = "I'll look this up for you. "
    texts: list[str] = []
    for number in range(MESSAGES):
        content = Content(said * draw.randint(1, 20))
        call = Call("search", {"query": "words of a query " * draw.randint(1, 20), "page": number})
        texts.append(toolect.dialect(name).render(Message([content, call] if number % 3 else [content])))
    return texts


def prose(size: int, draw: random.Random) -> list[str]:
    """Texts of about so many characters."""
    pages = (page.read_text(encoding="utf-8") for page in sorted(GUIDES.glob("*.md")))
    words = re.sub(r"(?s)```.*?```|[`<>\[\]{}()|#*]", "", "\n".join(pages)).split(" ") * 2
    starts = (draw.randrange(len(words) // 2) for _ in range(MESSAGES * PROSE[0] // size + 20))
    return [" ".join(words[at : at + size // 6]) for at in starts]


def took(name: str, texts: list[str]) -> float:
    """Microseconds for a message, the least of some runs."""
    lines = [json.dumps({"id": number, "text": text}) for number, text in enumerate(texts)]
    least = float("inf")
    for _ in range(TIMES):
        start = time.process_time()
        for line in lines:
            encoded(_record(name, "json", OPTIONS, "", json.loads(line))[0])
        least = min(least, time.process_time() - start)
    return 1e6 * least / len(lines)


def main() -> None:
    """Prints the table."""
    draw = random.Random(4)
    corpora = {name: (name, calls(name, draw)) for name in DIALECTS}
    corpora |= {f"prose, {size:,} characters": (DIALECTS[0], prose(size, draw)) for size in PROSE}
    rows = [("messages of", "in the dialect, µs", "auto, µs", "times")]
    for title, (name, texts) in corpora.items():
        named, auto = took(name, texts), took(AUTO, texts)
        rows.append((title, f"{named:.0f}", f"{auto:.0f}", f"{auto / named:.1f}"))
    print(table(rows))


if __name__ == "__main__":
    main()
