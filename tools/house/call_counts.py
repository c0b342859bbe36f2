"""Counts the calls of functions, the functions and the files that reading one answer takes, on a dialect that is warm.

    python -m tools.house.call_counts

Prints JSON. Only functions of toolect count, not those of its dependencies. It uses nothing but the public names, so
that another checkout can be measured: PYTHONPATH=CHECKOUT/src.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType

import toolect
from toolect import Call, Content, Message

SOURCE = str(Path(toolect.__file__).parent)
DIALECT = "hermes"
CHUNK = 7
WARM = 5
"""How often an answer is read before the calls are counted: the first times, nodes and plans are made."""


def answers() -> dict[str, Callable[[], object]]:
    """What is counted: an answer as the template writes it, one that lacks a newline, and the first one in chunks."""
    dialect = toolect.dialect(DIALECT)
    text = str(dialect.render(Message([Content("Let me see."), Call("get_weather", {"city": "Oslo"})])))
    flawed = text.replace("}\n<", "}<")
    assert flawed != text
    chunks = [text[at : at + CHUNK] for at in range(0, len(text), CHUNK)]

    def streamed() -> object:
        stream = dialect.stream()
        for chunk in chunks:
            stream.feed(chunk)
        stream.close()
        return stream.message

    return {
        "canonical": lambda: dialect.parse(text),
        "flawed": lambda: dialect.parse(flawed),
        "streamed": streamed,
    }


def counted(run: Callable[[], object]) -> Counter[CodeType]:
    """How often each function of toolect is called in one run."""
    calls: Counter[CodeType] = Counter()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(SOURCE):
            calls[frame.f_code] += 1

    for _ in range(WARM):
        run()
    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(None)
    return calls


def main() -> None:
    """Print the figures of every answer: calls, functions, files."""
    figures = {}
    for name, run in answers().items():
        calls = counted(run)
        files = {code.co_filename for code in calls}
        figures[name] = [calls.total(), len(calls), len(files)]
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
