"""How long something takes: the shortest of many runs, with the garbage collector off."""

from __future__ import annotations

import gc
import json
import time
import tracemalloc
from collections.abc import Callable

from tools.bench.workloads import ARGUMENTS


def best(run: Callable[[], object], seconds: float) -> float:
    """The shortest time one run takes, in µs, looked for during about this long."""
    clock = time.perf_counter
    run()
    start = clock()
    run()
    once = clock() - start
    loops = max(1, int(seconds / 20 / max(once, 1e-7)))
    shortest = once
    enabled = gc.isenabled()
    gc.disable()
    try:
        for _ in range(20 if loops > 1 else 5 if once < seconds else 2):
            start = clock()
            for _ in range(loops):
                run()
            shortest = min(shortest, (clock() - start) / loops)
    finally:
        if enabled:
            gc.enable()
    return shortest * 1e6


def peak(run: Callable[[], object]) -> int:
    """The most bytes that a run holds at one time, besides what it was given."""
    run()
    tracemalloc.start()
    try:
        run()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def machine() -> float:
    """How many µs `json.loads` of 140 characters takes here."""
    text = json.dumps({**ARGUMENTS, "padding": ""}, ensure_ascii=False)
    text = text.replace('"padding": ""', f'"padding": "{"x" * (140 - len(text))}"')
    return best(lambda: json.loads(text), 0.2)
