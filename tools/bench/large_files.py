"""Measures `toolect coverage` over files of growing size: its speed, and the memory it takes.

    python -m tools.bench.large_files [--dialect NAME] [--sizes MB…] [--jobs N…] [--broken SHARE]
        [--repeat N] [--json OUT]

The traffic is made from a seed and rendered by the dialect: prose, reasoning, no to three calls with arguments of every
type, one tool in a thousand never seen before, and a share of the messages cut off somewhere. It is read as the dialect
and without being told which it is. The floor is `json.loads` of every line.

Targets
  speed   at least 10 MB for each second of processor time, with and without being told the dialect; the fastest run
          of each counts, because the others shared the processor with somebody else
  memory  the largest process takes at most 1.2 times what it takes for the smallest file
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import toolect
from toolect._message import Call, Content, Json, Message, Reasoning, Segment
from tools.bench.workloads import SENTENCES

MB = 1_000_000
SPEED, GROWTH = 10.0, 1.2
SEED = 20240611
TEMPLATES = 4_000
"""Messages that are rendered; the records repeat them with other names of tools, numbers and cuts."""
STAND_IN = "tool_zzzzzz"
"""The name of a tool that gets a number of its own in each record."""


@dataclass(frozen=True)
class Row:
    """One run: `rate` is MB for each second of processor time, `ratio` how many times the floor that is."""

    megabytes: int
    dialect: str
    jobs: int
    seconds: float
    rate: float
    ratio: float
    peak: float


# The traffic


def messages(rng: random.Random) -> Iterator[Message]:
    """Messages as agents write them."""
    words = " ".join(SENTENCES).split() if not isinstance(SENTENCES, str) else SENTENCES.split()
    values: list[Json] = [True, False, None, 3, -1.5, "Zürich", ["a", "b"], {"min": 1, "max": [2, 3]}, 'say "hi"\n']
    while True:
        segments: list[Segment] = []
        if rng.random() < 0.3:
            segments.append(Reasoning(" ".join(rng.choices(words, k=rng.randint(20, 200)))))
        segments.append(Content(" ".join(rng.choices(words, k=rng.randint(5, 120)))))
        for _ in range(rng.choice((0, 1, 1, 1, 1, 2, 3))):
            name = STAND_IN if rng.random() < 0.001 else rng.choice(("search", "get_weather", "read_file", "run"))
            keys = rng.sample(("query", "city", "path", "days", "limit", "strict", "options"), rng.randint(0, 5))
            arguments: dict[str, Json] = {key: rng.choice(values) for key in keys}
            arguments["text"] = " ".join(rng.choices(words, k=rng.randint(1, 60)))
            segments.append(Call(name, arguments))
        yield Message(segments)


def write(path: Path, megabytes: int, dialect: str, broken: float) -> None:
    """A file of so many MB of JSON lines."""
    rng = random.Random(SEED)
    made = messages(rng)
    render = toolect.dialect(dialect).render
    texts = [str(render(next(made))) for _ in range(TEMPLATES)]
    size, number = 0, 0
    with open(path, "w", encoding="utf-8") as file:
        while size < megabytes * MB:
            text = rng.choice(texts)
            number += 1
            if STAND_IN in text:
                text = text.replace(STAND_IN, f"tool_{number}")
            if rng.random() < broken:
                text = text[: -rng.randint(1, max(len(text) // 2, 1))]
            line = json.dumps({"id": number, "text": text}, ensure_ascii=False) + "\n"
            size += len(line.encode())
            file.write(line)


# Measuring


def floor(path: Path) -> float:
    """Seconds of processor time that `json.loads` of every line takes."""
    start = time.process_time()
    with open(path, encoding="utf-8") as file:
        for line in file:
            json.loads(line)
    return time.process_time() - start


def run(path: Path, dialect: str | None, jobs: int) -> tuple[float, float, float]:
    """Seconds on the clock, seconds of processor time and the MB of the largest process of one `toolect coverage`."""
    told = ["--dialect", dialect] if dialect else []
    code = "from toolect._cli import main; main()"
    arguments = [sys.executable, "-c", code, "coverage", str(path), "--format", "json", "--jobs", str(jobs), *told]
    start = time.perf_counter()
    pid = os.posix_spawn(
        sys.executable, arguments, os.environ, file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    )
    _, status, used = os.wait4(pid, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 1):
        raise SystemExit(f"expected a report on {path}, got exit code {os.waitstatus_to_exitcode(status)}")
    return time.perf_counter() - start, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def main() -> int:
    """Print the figures; 1 when a target is missed."""
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--dialect", default="hermes")
    options.add_argument("--sizes", type=int, nargs="+", default=[64, 256, 1024], metavar="MB")
    options.add_argument("--jobs", type=int, nargs="+", default=[1])
    options.add_argument("--broken", type=float, default=0.005, metavar="SHARE")
    options.add_argument("--repeat", type=int, default=3, metavar="N", help="runs over the smallest file")
    options.add_argument("--json", type=Path, metavar="OUT")
    given = options.parse_args()
    rows: list[Row] = []
    print(f"{'MB':>5}  {'read as':12} {'jobs':>4} {'seconds':>8} {'MB/s/core':>9} {'× floor':>8} {'peak MB':>8}")
    with tempfile.TemporaryDirectory() as folder:
        for size in given.sizes:
            path = Path(folder) / "traffic.jsonl"
            write(path, size, given.dialect, given.broken)
            lowest = floor(path)
            for dialect in (given.dialect, None):
                for jobs in given.jobs * (given.repeat if size == given.sizes[0] else 1):
                    seconds, used, peak = run(path, dialect, jobs)
                    row = Row(size, dialect or "(detected)", jobs, seconds, size / used, used / lowest, peak)
                    rows.append(row)
                    print(
                        f"{row.megabytes:5}  {row.dialect:12} {row.jobs:4} {row.seconds:8.1f} {row.rate:9.1f} "
                        f"{row.ratio:8.1f} {row.peak:8.0f}",
                        flush=True,
                    )
    if given.json:
        given.json.write_text(json.dumps([asdict(row) for row in rows], indent=2) + "\n")
    return int(not kept(rows))


def kept(rows: list[Row]) -> bool:
    """Say which targets are kept; true when all are."""
    ways = {(row.dialect, row.jobs) for row in rows}
    slowest = min(max(row.rate for row in rows if (row.dialect, row.jobs) == way) for way in ways)
    growth = max(
        max(row.peak for row in rows if (row.dialect, row.jobs) == way)
        / next(row.peak for row in rows if (row.dialect, row.jobs) == way)
        for way in ways
    )
    print(f"speed   {slowest:.1f} MB/s at least, target {SPEED:.0f}: {'kept' if slowest >= SPEED else 'missed'}")
    print(f"memory  {growth:.2f} times at most, target {GROWTH}: {'kept' if growth <= GROWTH else 'missed'}")
    return slowest >= SPEED and growth <= GROWTH


if __name__ == "__main__":
    sys.exit(main())
