"""Measures `toolect dataset`: rows a second beside the plainest loop over the same rows, processes, and memory.

    python -m tools.bench.data_sets [--size MB] [--rows N] [--to CHAT…] [--write]

Rows are conversations of nine messages with two calls and one of twenty lists of tools, made from a seed. The floor is
`json.loads` and `json.dumps` of each row. Speed is counted in processor time, as others may share the machine.

Targets
  speed      at least 0.35 of the rows of the floor, from messages to a transcript
  processes  two convert at least 1.7 times as many rows a second as one
  memory     at most 400 MB for all processes together, whatever the size of the input
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from toolect._data.converting import Settings, convert
from toolect._data.parting import encoded
from toolect.data import Kind, Source, target_of
from tools.pages.markdown_text import table

PAGE = Path("docs/reports/datasets.md")
WORDS = [
    "the",
    "tide",
    "in",
    "Brest",
    "rises",
    "at",
    "five",
    "ten",
    "and",
    "falls",
    "again",
    "before",
    "noon",
    "so",
    "we",
    "wait",
    "for",
    "it",
    "here",
]
SPEED, BOTH, MEMORY = 0.35, 1.7, 400
MB = 1_000_000


class Rate(NamedTuple):
    """Rows a second of processor time, and how many times the floor's that is."""

    what: str
    rows: float
    share: float


class Run(NamedTuple):
    """A run of the command: rows a second by the clock, and the MB that its processes took at most together."""

    jobs: int
    megabytes: int
    rows: float
    peak: float


def text(draw: random.Random, words: int) -> str:
    """So many words."""
    return " ".join(draw.choice(WORDS) for _ in range(words))


def tools(draw: random.Random) -> list[dict[str, Any]]:
    """Three tools."""
    properties = {"port": {"type": "string", "description": text(draw, 6)}, "day": {"type": "integer"}}
    schema = {"type": "object", "properties": properties, "required": ["port"]}
    return [
        {"type": "function", "function": {"name": name, "description": text(draw, 12), "parameters": schema}}
        for name in ("tide", "wind", "route")
    ]


def rows() -> Iterator[dict[str, Any]]:
    """Rows without end."""
    draw = random.Random(17)
    lists = [tools(draw) for _ in range(20)]
    for number in range(sys.maxsize):
        messages: list[dict[str, Any]] = [{"role": "system", "content": text(draw, 30)}]
        for turn in range(2):
            function = {"name": "tide", "arguments": json.dumps({"port": "Brest", "day": turn})}
            call = {"id": f"call_{turn}", "type": "function", "function": function}
            messages += [
                {"role": "user", "content": text(draw, 25)},
                {"role": "assistant", "content": None, "tool_calls": [call]},
                {"role": "tool", "tool_call_id": f"call_{turn}", "content": text(draw, 20)},
                {"role": "assistant", "content": text(draw, 60)},
            ]
        yield {"id": number, "messages": messages, "tools": draw.choice(lists)}


def best(work: Any, count: int) -> float:
    """Items a second of processor time, the best of five runs."""
    times = []
    for _ in range(5):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return count / min(times)


def rates(chats: list[str], count: int) -> tuple[float, list[Rate]]:
    """The floor, and the rates of each chat, with and without reading back."""
    made = rows()
    lines = [json.dumps(next(made)).encode() for _ in range(count)]
    floor = best(lambda: [json.dumps(json.loads(line)) for line in lines], count)
    decode = msgspec.json.Decoder().decode
    found = []
    for chat in chats:
        for compare in (True, False):
            settings = Settings(target_of(chat, compare=compare), Source(Kind.MESSAGES))

            def work(settings: Settings = settings) -> None:
                for line in lines:
                    for outcome in convert(decode(line), settings):
                        for row in outcome.rows:
                            encoded(row)

            rate = best(work, count)
            found.append(Rate(f"{chat}{'' if compare else ', --no-compare'}", rate, rate / floor))
    return floor, found


def run(path: Path, megabytes: int, jobs: int, chat: str, out: Path) -> Run:
    """One run of the command over a file."""
    command = [sys.executable, "-m", "toolect", "dataset", str(path), "--to", chat, "-o", str(out), "--json"]
    start = time.perf_counter()
    process = subprocess.Popen([*command, "--jobs", str(jobs)], stdout=subprocess.DEVNULL)
    peak = 0.0
    while process.poll() is None:
        peak = max(peak, sum(map(resident, family(process.pid))))
        time.sleep(0.2)
    seconds = time.perf_counter() - start
    if process.returncode:
        raise SystemExit(f"expected the command to convert all rows, got exit code {process.returncode}")
    with path.open("rb") as file:
        count = sum(1 for _ in file)
    return Run(jobs, megabytes, count / seconds, peak)


def family(pid: int) -> list[int]:
    """A process and those that it started."""
    found = [pid]
    for one in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = one.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid:
            found += family(int(one.parent.name))
    return found


def resident(pid: int) -> float:
    """The MB of memory that a process has of its own."""
    try:
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) / 1024
    except OSError:
        pass
    return 0.0


def runs(megabytes: int, chat: str) -> list[Run]:
    """Runs over a file of that size, by one process and by two."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "in.jsonl"
        made, size = rows(), 0
        with path.open("w") as file:
            while size < megabytes * MB:
                size += file.write(json.dumps(next(made)) + "\n")
        found = [run(path, megabytes, jobs, chat, Path(folder) / f"out{jobs}") for jobs in (1, 2)]
        same = [(Path(folder) / f"out{jobs}" / "rows-00000.jsonl").read_bytes() for jobs in (1, 2)]
        assert same[0] == same[1], "expected the same bytes of one process and of two"
        return found


def page(floor: float, found: list[Rate], large: list[Run]) -> str:
    """The report."""
    speeds = [[one.what, f"{one.rows:,.0f}", f"{one.share:.2f}"] for one in found]
    sizes = [[str(one.jobs), f"{one.megabytes:,} MB", f"{one.rows:,.0f}", f"{one.peak:.0f} MB"] for one in large]
    times = large[1].rows / large[0].rows
    return f"""# Data sets: speed and memory

`make datasets ARGS=--write` writes this page. Rows are conversations of nine messages with two calls and one of twenty
lists of tools, made from a seed; they become transcripts. {os.cpu_count()} cores; others may have used them too.

## Speed

The floor is `json.loads` and `json.dumps` of each row: {floor:,.0f} rows a second of processor time. The target is
{SPEED} of it. Reading each new row back, to find out what it lost, is most of the work; `--no-compare` leaves that out.

{table([["to", "rows/s", "of the floor"], *speeds])}

## Size

`toolect dataset`, by the clock, reading back included. Memory is that of all processes together; the target is
{MEMORY} MB for any size. Two processes convert {times:.2f} times as many rows as one; the target is {BOTH}.

{table([["processes", "input", "rows/s", "memory"], *sizes])}
"""


def main() -> None:
    """Print the figures, or write them."""
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--size", type=int, default=2000, metavar="MB")
    options.add_argument("--rows", type=int, default=2000, metavar="N")
    options.add_argument("--to", nargs="+", default=["chatml"], metavar="CHAT")
    options.add_argument("--write", action="store_true")
    given = options.parse_args()
    floor, found = rates(given.to, given.rows)
    text = page(floor, found, runs(given.size, given.to[0]))
    print(text)
    if given.write:
        PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
