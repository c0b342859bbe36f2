"""Measures `toolect data convert`: rows a second beside the plainest loop over them, processes, memory, resuming.

    python -m tools.bench.data_sets [--size MB] [--row MB] [--hard MB] [--rows N] [--to CHAT…] [--write] [--guard]

Rows are conversations of nine messages with two calls and one of twenty lists of tools, made from a seed. Beside all
that a process does with its lines stands the plainest loop over them: `json.loads`, the template of the chat's model by
jinja2 in the sandbox of transformers, compiled beforehand, and `json.dumps`. That checks nothing. Speed is counted in
processor time, as others may share the machine. It takes two minutes of that; a large file is `--size 1000`.

Targets
  speed      at least 1.5 times the rows of that loop, from messages to a transcript
  processes  two convert at least 1.7 times as many rows a second as one
  memory     at most 400 MB for all processes together, whatever the size of the input
  resuming   a run that is killed twice and gone on with writes the same bytes as one that was not
  guard      looking for texts that break out takes at most 0.1 of the time, of rows of which a third hold code, braces
             or `<`, and whose tools have names with `-` and `.` (`--guard` prints this alone, of all chats, or those of
             `--to`, the worst ten)
  coverage   `toolect coverage` reads 3 MB of hard texts a second where their dialects are named, else 1.5
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from functools import partial
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple
from unittest import mock

from jinja2.sandbox import ImmutableSandboxedEnvironment

from toolect import chats
from toolect._chats.answers import Answers
from toolect._chats.marker_scan import Scan
from toolect._chats.read_back_cache import ReadBackCache
from toolect._corpora.sources import Unit, UnitKind
from toolect._data.chunk_results import part_of
from toolect._data.converting import Settings
from toolect._processes import collect_less
from toolect._version import build
from toolect.chat_template.child import environment
from toolect.data import Source, target_of
from tools.bench import hard_corpus
from tools.chats.compare_chats import chat_of
from tools.chats.original_templates import SOURCES, Template, templates
from tools.pages.markdown_text import table
from tools.reports import keep

WORDS = "the tide in Brest rises at five ten and falls again before noon so we wait for it here".split()  # noqa: SIM905
SPEED, BOTH, MEMORY = 1.5, 1.7, 400
NAMED, UNNAMED = 3, 1.5
MB = 1_000_000
REPEATS, WORST = 40, 10
"""How often rows are converted with, without and with the guard; chats that are shown."""


class Rate(NamedTuple):
    """Rows a second of processor time, those of the loop over a template, and how many times these that is."""

    what: str
    rows: float
    plain: float | None

    @property
    def cells(self) -> list[str]:
        """The rate as a row of a table."""
        beside = ["–", "–"] if self.plain is None else [f"{self.plain:,.0f}", f"{self.rows / self.plain:.2f}"]
        return [self.what, f"{self.rows:,.0f}", *beside]


class Run(NamedTuple):
    """A run of the command: its seconds by the clock, its processor time in the process that writes and in those that
    convert, and the MB that all of them took at most together.
    """

    jobs: int
    what: str
    rows: int
    seconds: float
    parent: float
    workers: float
    peak: float
    killed: int = 0

    @property
    def cells(self) -> list[str]:
        """The run as a row of a table."""
        if self.killed:  # what a killed process took is not told to anyone
            micro = ["–", "–"]
        else:
            micro = [f"{1e6 * one / self.rows:,.0f} µs" for one in (self.parent, self.workers)]
        return [
            str(self.jobs), self.what, f"{self.rows:,}", f"{self.rows / self.seconds:,.0f}", *micro,
            f"{self.peak:.0f} MB",
        ]  # fmt: skip


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


def is_compiled() -> bool:
    """True where the reading packages are compiled."""
    return build() == "compiled"


def best(work: Any, count: int) -> float:
    """Items a second of processor time, the best of five runs."""
    times = []
    for _ in range(5):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return count / min(times)


def rates(chats: list[str], count: int) -> list[Rate]:
    """The rates of each chat, with and without reading back, and of rows that are unlike one another."""
    collect_less()
    made = rows()
    given = [next(made) for _ in range(count)]
    unlike = given[: count // 2]
    kinds = (
        ("", given, "sample"), (", --check none", given, "none"), (", --check all", given, "all"),
        (", tools of its own in each row", [*map(with_own_tools, unlike)], "sample"),
        (", dates and quotes in arguments", [*map(with_odd_arguments, unlike)], "sample"),
        (", other arguments in each row", [*map(with_varied_arguments, unlike)], "sample"),
    )  # fmt: skip
    found = []
    for chat in chats:
        template = next((one for one in templates() if chat_of(one) == chat), None)
        for what, each, check in kinds:
            lines = [json.dumps(one).encode() for one in each]
            settings, unit = Settings(target_of(chat, check=check), Source()), unit_of(lines)
            rate = best(partial(part_of, unit, settings, unit.size), len(lines))
            plain = best(plain_loop(lines, template), len(lines)) if template and check == "sample" else None
            found.append(Rate(f"{chat}{what}", rate, plain))
    return found


def plain_loop(lines: Sequence[bytes], template: Template) -> Callable[[], None]:
    """The loop over rows that writes them by a template."""
    compiled = environment(ImmutableSandboxedEnvironment, True, "2026-01-02").from_string(template.text)
    original = template.original
    given: dict[str, Any] = {"add_generation_prompt": False, "documents": None}
    given |= {"bos_token": original.bos_token, "eos_token": original.eos_token}

    def loop() -> None:
        for line in lines:
            row = json.loads(line)
            for message in row["messages"]:
                message["content"] = message["content"] or original.empty
                for call in message.get("tool_calls", ()) if original.arguments == "object" else ():
                    call["function"]["arguments"] = json.loads(call["function"]["arguments"])
            json.dumps(
                {"id": row["id"], "text": compiled.render(**given, messages=row["messages"], tools=row["tools"])}
            )

    return loop


def with_own_tools(row: dict[str, Any]) -> dict[str, Any]:
    """The row with other descriptions of its tools and parameters."""
    draw = random.Random(row["id"])
    return {**row, "tools": tools(draw)}


def with_varied_arguments(row: dict[str, Any]) -> dict[str, Any]:
    """The row with other arguments in each call: under other names, of other types, with other signs in their texts."""
    draw, told = random.Random(row["id"]), json.loads(json.dumps(row))
    for message in told["messages"]:
        for call in message.get("tool_calls", ()):
            values = (draw.random() * 10, draw.randrange(1000), draw.random() < 0.5, [draw.choice(SIGNS)], None)
            texts = [" ".join(draw.choices(SIGNS, k=draw.randint(1, 4))) for _ in range(2)]
            names = draw.sample(("query", "path", "text", "note", "tags", "limit", "ratio"), 4)
            arguments = dict(zip(names, [*texts, draw.choice(values), draw.choice(values)], strict=True))
            call["function"]["arguments"] = json.dumps({"port": f"Brest {row['id']}", **arguments})
    return dict(told)


def with_odd_arguments(row: dict[str, Any]) -> dict[str, Any]:
    """The row with arguments that are more than words."""
    number = row["id"]
    arguments = {"port": f"Brest {number}", "day": number, "when": "2024-05-01", "why": "it's 5 o'clock (\"now\")"}
    function = {"name": "tide", "arguments": json.dumps(arguments)}
    messages = [
        {**one, "tool_calls": [{**call, "function": function} for call in one["tool_calls"]]}
        if "tool_calls" in one
        else one
        for one in row["messages"]
    ]
    return {**row, "messages": messages}


SIGNS = (
    "some words here", "/usr/bin/x.py", "C:\\Users\\me", "https://a.org/b?c=d&e=f#g", "me+you@x.org", "{'a': [1, 2]}",
    "if a < b && c[0] > d:", "naïve “café”", "日本語", "5 o'clock", 'say "hi"', "a|b|c", "^\\d+(\\.\\d+)?$", "100%",
    "one\ntwo",
)  # fmt: skip
SHOWN = (
    "def tide(port):\n    return {'at': [5, 10]} if port else {}",
    "<div class='tide'>\n  <b>High</b> water &amp; low\n</div>",
    '{"port": "Brest", "levels": [{"at": "05:10", "m": 6.1}], "note": "<none>"}',
    'if a < b && c[0] > d: print(f("x"))',
    "SELECT * FROM tides WHERE h > 3; -- `now`",
    "$ ls -l | grep '^d' > out.txt",
)


def with_markup(row: dict[str, Any]) -> dict[str, Any]:
    """The row with names as servers give them to their tools; of each third, a text of each kind holds code."""
    told = json.loads(json.dumps(row).replace('"tide"', '"mcp.tide-server.get-tide"'))
    if row["id"] % 3 == 0:
        draw = random.Random(row["id"])
        for message in told["messages"][1:]:
            if message["content"]:
                message["content"] += f"\n\n{draw.choice(SHOWN)}\n\n{text(draw, 5)}"
            for call in message.get("tool_calls", ()):
                arguments = {"port": "Brest", "day": row["id"], "query": draw.choice(SHOWN)}
                call["function"]["arguments"] = json.dumps(arguments)
    return dict(told)


def guard(chats: Sequence[str], count: int) -> list[list[str]]:
    """Of the worst chats, rows a second with and without looking for texts that break out, and what that takes.

    That is the median of runs with, without and with it again, as others may share the machine. Rows that are refused
    are left out: without the guard they would be written.
    """
    collect_less()
    made = rows()
    lines = [json.dumps(with_markup(next(made))).encode() for _ in range(count)]
    found = []
    for chat in chats:
        for check in ("sample", "none"):
            settings = Settings(target_of(chat, check=check), Source())
            refused = {row.number for row in part_of(unit_of(lines), settings, MB).left}
            kept = [line for number, line in enumerate(lines, 1) if number not in refused]
            if not kept:
                continue
            unit = unit_of(kept)
            part_of(unit, settings, MB)
            runs = [[seconds(unit, settings, looked) for looked in (True, False, True)] for _ in range(REPEATS)]
            takes = median(1 - 2 * without / (one + two) for one, without, two in runs)
            with_it, without = median(min(one, two) for one, _, two in runs), median(run[1] for run in runs)
            rates = f"{len(kept) / with_it:,.0f}", f"{len(kept) / without:,.0f}"
            what = chat if check == "sample" else f"{chat}, --check none"
            found.append([what, str(len(refused)), *rates, f"{takes:.2f}"])
    return sorted(found, key=lambda row: row[-1], reverse=True)[:WORST]


def seconds(unit: Unit, settings: Settings, looked: bool) -> float:
    """The processor time that rows take, with the guard or without."""
    with nullcontext() if looked else unguarded():
        start = time.thread_time()
        part_of(unit, settings, MB)
        return time.thread_time() - start


def unit_of(lines: Sequence[bytes]) -> Unit:
    """Rows as they are converted at a time."""
    data = b"\n".join(lines)
    return Unit("rows", UnitKind.BLOCK, len(data), data=data)


@contextmanager
def unguarded() -> Iterator[None]:
    """Nothing is looked for in texts, and nothing read back for what stands in them.

    Kinds of calls are distinguished all the same: what they lose is known by them.
    """
    with ExitStack() as stack:
        for kind, name, value in (
            (Scan, "suspects", False), (Answers, "doubtful", frozenset()), (Answers, "is_text", True),
            (ReadBackCache, "is_harmless", True),
        ):  # fmt: skip
            stack.enter_context(mock.patch.object(kind, name, lambda *_, value=value: value))
        yield


def run(paths: Sequence[Path], what: str, rows: int, jobs: int, chat: str, out: Path, kills: Sequence[int] = ()) -> Run:
    """A run of the command over files, killed whenever it has written so many bytes more, and begun again."""
    command = [sys.executable, "-m", "toolect", "data", "convert", *map(str, paths), "--to", chat, "-o", str(out)]
    command += ["--format", "json"]
    start, before, parent, peak = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN), 0.0, 0.0
    for limit in (*kills, 0):
        process = subprocess.Popen(
            [*command, "--jobs", str(jobs)], stdout=subprocess.DEVNULL, start_new_session=True
        )  # fmt: skip
        own = 0.0
        while process.poll() is None:
            peak = max(peak, sum(map(resident, family(process.pid))))
            own = max(own, processor(process.pid))
            if limit and written(out) > limit:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            time.sleep(0.2)
        parent += own
        if not limit and process.returncode:
            raise SystemExit(f"expected the command to convert all rows, got exit code {process.returncode}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    whole = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Run(jobs, what, rows, time.perf_counter() - start, parent, max(whole - parent, 0.0), peak, len(kills))


def written(out: Path) -> int:
    """The bytes of the rows in a folder."""
    return sum(path.stat().st_size for path in out.glob("rows-*.jsonl"))


def processor(pid: int) -> float:
    """The seconds of processor time that a process took."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


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
    """A file of that size by one process; by two, which are killed twice; and twice as much by two."""
    with tempfile.TemporaryDirectory() as folder:
        path, again, outs = (
            Path(folder, "in.jsonl"),
            Path(folder, "in2.jsonl"),
            [Path(folder, f"out{n}") for n in range(3)],
        )
        made, size, count = rows(), 0, 0
        with path.open("w") as file:
            while size < megabytes * MB:
                size += file.write(json.dumps(next(made)) + "\n")
                count += 1
        os.link(path, again)
        whole = run([path], f"{megabytes:,} MB", count, 1, chat, outs[0])
        third = written(outs[0]) // 3
        what = f"{megabytes:,} MB, killed twice and resumed"
        killed = run([path], what, count, 2, chat, outs[1], (third, 2 * third))
        if hashed(outs[0]) != hashed(outs[1]):
            raise SystemExit("expected the same bytes of a run that was killed and of one that was not")
        shutil.rmtree(outs[0])
        shutil.rmtree(outs[1])
        return [whole, killed, run([path, again], f"{2 * megabytes:,} MB", 2 * count, 2, chat, outs[2])]


def hashed(out: Path) -> dict[str, bytes]:
    """What is in the files of a folder, each as a short key."""
    found = {}
    for path in sorted(out.iterdir()):
        with path.open("rb") as file:
            found[path.name] = hashlib.file_digest(file, "sha256").digest()
    return found


def one_row(megabytes: int, chat: str) -> list[str]:
    """What becomes of a row of so many MB between two others, with the bound on rows as it is, and without it."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        path, made = Path(folder, "in.jsonl"), rows()
        with path.open("w") as file:
            for filler in ("", "the tide rises " * (megabytes * MB // 15), ""):
                row = next(made)
                row["messages"][1]["content"] += filler
                file.write(json.dumps(row) + "\n")
        for number, most in enumerate((64 << 20, 1 << 30)):
            out = Path(folder, f"out{number}")
            command = [sys.executable, "-m", "toolect", "data", "convert", str(path), "--to", chat, "-o", str(out)]
            done = subprocess.run([*command, "--max-bytes", str(most)], capture_output=True, text=True)
            found.append(done.stdout.partition("\n")[0])
    return found


def page(chat: str, found: list[Rate], large: list[Run], row: int, told: list[str], hard: tuple[float, float]) -> str:
    """The report."""
    alone = large[0].parent + large[0].workers
    covered = [["dialects named", f"{hard[0]:.2f}", f"{NAMED}"], ["found out", f"{hard[1]:.2f}", f"{UNNAMED}"]]
    both = min(alone / large[0].rows / max(large[2].parent, large[2].workers / 2) * large[2].rows, 2)
    versions = ", ".join(f"{name} {version(name)}" for name in ("toolect", "jinja2", "msgspec", "pyarrow"))
    return f"""# Data sets: speed and memory

`make datasets ARGS=--write` writes this page. Rows are conversations of nine messages with two calls and one of twenty
lists of tools, made from a seed; they become transcripts. {os.cpu_count()} cores; others may have used them too,
so processor time tells more than the clock. {"Compiled" if is_compiled() else "Plain Python"} {sys.version.split()[0]};
{versions}; templates of {" and ".join(source.requirement for source in SOURCES)}.

## Speed

Beside it stands the loop that takes each row apart, gives it to the template of the chat's model (jinja2, compiled),
and writes it: rows a second of processor time. It checks nothing. The target is {SPEED} times its rows. The first row
of each shape and each kind of calls is read back, to find out what it loses, and one of a hundred others; `--check all`
reads all back, `--check none` only what may break out.

{table([["to", "rows/s", "by the template", "times that"], *(one.cells for one in found)])}

## Size

`toolect data convert` to {chat}: rows a second by the clock, processor time for a row in the process that writes and in
those that convert, and the memory of all together, of which the target is {MEMORY} MB for any size. By processor time,
two processes that had a core each could convert up to {both:.1f} times as many rows as one; the target is {BOTH}.
Killed twice and gone on with, a run writes the same bytes as one that was not.

{table([["processes", "input", "rows", "rows/s", "writing", "converting", "memory"], *(one.cells for one in large)])}

## One row of {row:,} MB, between two others

With `--max-bytes` as it is, and with 1 GiB:

- {told[0]}
- {told[1]}

## Coverage

`toolect coverage` on texts of all dialects in turn, short and long, half of them broken, and prose, none of them twice
(`tools/bench/hard_corpus.py`): MB a second of processor time, its first seconds among them, in which what is known of
each dialect is made.

{table([["", "MB/s", "target"], *covered])}
"""


def main() -> None:
    """Print the figures, or write them."""
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--size", type=int, default=50, metavar="MB")
    options.add_argument("--row", type=int, default=80, metavar="MB")
    options.add_argument("--hard", type=int, default=6, metavar="MB")
    options.add_argument("--rows", type=int, metavar="N", help="default: 600, of the guard 30")
    options.add_argument("--to", nargs="+", default=[], metavar="CHAT")
    options.add_argument("--write", action="store_true")
    options.add_argument("--guard", action="store_true")
    given = options.parse_args()
    if given.guard:
        print(
            table(
                [
                    ["to", "refused", "rows/s", "without the guard", "it takes"],
                    *guard(given.to or chats(), given.rows or 30),
                ]
            )
        )
        return
    given.to = given.to or ["qwen3", "glm-4.5", "deepseek-v3.2"]
    found = rates(given.to, given.rows or 600)
    large = runs(given.size, given.to[0])
    hard = hard_corpus.rates(given.hard)
    text = page(given.to[0], found, large, given.row, one_row(given.row, given.to[0]), hard)
    print(text)
    if given.write:
        keep("datasets.md", text)


if __name__ == "__main__":
    main()
