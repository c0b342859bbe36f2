"""What a cold process pays before its first answer."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from functools import partial

from tools.bench.workloads import SENTENCES

AROUND = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""The environment of such a process: what Python makes of a source once is kept, as it is where a package is used."""


def start(names: Sequence[str], repeats: int) -> dict[str, float]:
    """Milliseconds of each step, by its name; the first parse is that of the slowest of these dialects."""
    around, imported = (_least(["-c", f"import {name}"], repeats) for name in ("msgspec", "toolect"))
    command = ["-c", "from toolect._cli import main; main()", "parse", "--dialect", names[0], "--format", "json"]
    return {
        "import toolect, over msgspec": imported - around,
        "first parse": max(_first_parse(name, repeats) for name in names),
        "command, one message": _least(command, repeats),
    }


def _least(arguments: Sequence[str], repeats: int) -> float:
    def once() -> float:
        start = time.perf_counter()
        done = subprocess.run(
            [sys.executable, *arguments], input=SENTENCES, text=True, capture_output=True, check=False, env=AROUND
        )
        return (time.perf_counter() - start) * 1000 if done.returncode == 0 else math.inf

    once()
    return min(once() for _ in range(repeats))


def _first_parse(name: str, repeats: int) -> float:
    code = (
        "import time, toolect\n"
        "start = time.perf_counter()\n"
        f"toolect.dialect({name!r}).parse({SENTENCES!r})\n"
        "print(time.perf_counter() - start)"
    )
    command = [sys.executable, "-c", code]
    run = partial(subprocess.run, command, text=True, capture_output=True, check=True, env=AROUND)
    runs = [run() for _ in range(repeats + 1)]
    return min(float(run.stdout) * 1000 for run in runs[1:])
