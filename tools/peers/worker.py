"""Runs in the environment of one package: reads texts with it, and times that, as lines of JSON ask.

    python -m tools.peers.worker READER

READER is a module of `readers/` with a class `Reader`. A line holds a "format" as the package calls it, "tools",
"markers" and a "text" or "chunks". With "say": "whole" or "streamed" the answer is the calls and the content; with
"time": "whole" or "streamed" it is the shortest time in µs. This file imports nothing but the reader, because it runs
under the packages of each environment.
"""

from __future__ import annotations

import gc
import json
import signal
import sys
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from io import TextIOWrapper
from typing import Any, Protocol

LEAST = 3
"""Readings of a text, at least, before a time counts."""
LIMIT = 20
"""Seconds of processor time that one answer may take; some packages need minutes for a long text in short chunks."""


class TooLongError(BaseException):
    """An answer takes longer than it may; no `Exception`, because some packages catch all of those."""


class Reader(Protocol):
    """One package's reader of one format."""

    def whole(self) -> Callable[[str], Any]:
        """A reader of one complete text; made anew for each, before the clock runs."""

    def streamed(self) -> Callable[[Sequence[str]], Any]:
        """A reader of one text that comes in chunks, up to its end; made anew for each, before the clock runs."""

    def result(self, got: Any) -> tuple[list[tuple[str, Any]], str]:
        """The names and arguments of the calls, and the content, of what was read; not timed."""


def shortest(make: Callable[[], Callable[[Any], Any]], given: Any, seconds: float) -> float:
    """The shortest time in µs that one reading takes, looked for during about this long."""
    clock = time.perf_counter
    read = make()
    start = clock()
    read(given)
    once = clock() - start
    loops = max(1, int(seconds / 8 / max(once, 1e-7)))
    best = once
    gc.disable()
    try:
        for _ in range(max(LEAST, 8 if loops > 1 else int(seconds / once))):
            readers = [make() for _ in range(loops)]
            start = clock()
            for read in readers:
                read(given)
            best = min(best, (clock() - start) / loops)
    finally:
        gc.enable()
    return best * 1e6


def answer(reader: Reader, asked: dict[str, Any]) -> dict[str, Any]:
    """Answer one line."""
    how = asked.get("say") or asked["time"]
    make: Callable[[], Callable[[Any], Any]] = reader.whole if how == "whole" else reader.streamed
    given = asked["text"] if how == "whole" else asked["chunks"]
    if "time" in asked:
        return {"us": shortest(make, given, asked["seconds"])}
    calls, content = reader.result(make()(given))
    return {"calls": calls, "content": content}


def _give_up(*_: object) -> None:
    raise TooLongError(f"longer than {LIMIT} s")


def answers(answer: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Answer every line of the input; one with `error` where that raises, or takes too long."""
    signal.signal(signal.SIGVTALRM, _give_up)
    output, sys.stdout = sys.stdout, sys.stderr  # what a package prints is none of our answers
    for stream in (sys.stdin, output):
        assert isinstance(stream, TextIOWrapper)
        stream.reconfigure(encoding="utf-8", errors="surrogatepass")
    for line in sys.stdin:
        try:
            signal.setitimer(signal.ITIMER_VIRTUAL, LIMIT)
            found = json.dumps(answer(json.loads(line)), ensure_ascii=False)
        except (Exception, TooLongError) as error:  # a package that raises is a result
            found = json.dumps({"error": f"{type(error).__name__}: {error}"[:200]})
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        print(found, file=output, flush=True)


def main() -> None:
    """Answer for the package of a reader."""
    module = import_module(f"tools.peers.readers.{sys.argv[1]}")
    readers: dict[str, Reader] = {}

    def read(asked: dict[str, Any]) -> dict[str, Any]:
        key = json.dumps([asked["format"], asked["tools"]])
        if key not in readers:
            readers[key] = module.Reader(asked["format"], asked["tools"], asked["markers"])
        return answer(readers[key], asked)

    answers(read)


if __name__ == "__main__":
    main()
