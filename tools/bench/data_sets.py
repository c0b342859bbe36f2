"""Measures `toolect data convert`: rows a second beside the plainest loop over them, processes, memory.

    python -m tools.bench.data_sets [--size MB] [--hard MB] [--rows N] [--to CHAT…] [--write] [--guard]

Rows are conversations of nine messages with two calls and one of twenty lists of tools, made from a seed. Beside all
that a process does with its lines stands the plainest loop over them: `json.loads`, the template of the chat's model by
jinja2 in the sandbox of transformers, compiled beforehand, and `json.dumps`. That checks nothing. Speed is counted in
processor time, as others may share the machine. It takes two minutes of that; a large file is `--size 1000`.

Targets
  speed      at least 1.5 times the rows of that loop, from messages to a transcript
  processes  two convert at least 1.7 times as many rows a second as one
  memory     at most 400 MB for all processes together, whatever the size of the input
  guard      looking for texts that break out takes at most 0.1 of the time, of rows of which a third hold code, braces
             or `<`, and whose tools have names with `-` and `.` (`--guard` prints this alone, of all chats, or those of
             `--to`, the worst ten)
  coverage   `toolect coverage` reads 3 MB of hard texts a second where their dialects are named, else 1.5
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from functools import partial
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple
from unittest import mock

from jinja2.sandbox import ImmutableSandboxedEnvironment

from toolect import chats, registry
from toolect._chats.answers import Answers
from toolect._chats.marker_scan import Scan
from toolect._chats.read_back_cache import ReadBackCache
from toolect._corpora.examine import coverage
from toolect._corpora.sources import Unit, UnitKind
from toolect._data.chunk_results import part_of
from toolect._data.converting import Settings
from toolect._message import Json
from toolect._processes import collect_less
from toolect._version import build
from toolect.chat_template.child import environment
from toolect.data import Source, target_of
from tools.chats.compare_chats import chat_of
from tools.chats.original_templates import SOURCES, Template, templates
from tools.judge import drawn_texts
from tools.markdown_text import table
from tools.reports import keep

WORDS = "the tide in Brest rises at five ten and falls again before noon so we wait for it here".split()  # noqa: SIM905
SPEED, BOTH, MEMORY = 1.5, 1.7, 400
NAMED, UNNAMED = 3, 1.5
MB = 1_000_000
REPEATS, WORST = 40, 10
"""Runs of a chat's rows with, without and again with the guard; chats that are shown."""


class Run(NamedTuple):
    """A run of the command: its processes, rows, seconds by the clock, and the MB that all took at most together."""

    jobs: int
    rows: int
    seconds: float
    peak: float

    @property
    def cells(self) -> list[str]:
        """The run as a row of a table."""
        return [str(self.jobs), f"{self.rows:,}", f"{self.rows / self.seconds:,.0f}", f"{self.peak:.0f} MB"]


def text(draw: random.Random, words: int) -> str:
    """`words` random words."""
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


def rates(chats: list[str], count: int) -> list[list[str]]:
    """Rows a second of processor time, those of the loop over a template, and how many times these that is.

    Of each chat, with and without reading back, and of rows that are unlike one another.
    """
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
            plain = best(plain_loop(lines, template), len(lines)) if template and check == "sample" else 0
            beside = [f"{plain:,.0f}", f"{rate / plain:.2f}"] if plain else ["–", "–"]
            found.append([f"{chat}{what}", f"{rate:,.0f}", *beside])
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
    draw, varied = random.Random(row["id"]), json.loads(json.dumps(row))
    for message in varied["messages"]:
        for call in message.get("tool_calls", ()):
            values = (draw.random() * 10, draw.randrange(1000), draw.random() < 0.5, [draw.choice(SIGNS)], None)
            texts = [" ".join(draw.choices(SIGNS, k=draw.randint(1, 4))) for _ in range(2)]
            names = draw.sample(("query", "path", "text", "note", "tags", "limit", "ratio"), 4)
            arguments = dict(zip(names, [*texts, draw.choice(values), draw.choice(values)], strict=True))
            call["function"]["arguments"] = json.dumps({"port": f"Brest {row['id']}", **arguments})
    return dict(varied)


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
    marked = json.loads(json.dumps(row).replace('"tide"', '"mcp.tide-server.get-tide"'))
    if row["id"] % 3 == 0:
        draw = random.Random(row["id"])
        for message in marked["messages"][1:]:
            if message["content"]:
                message["content"] += f"\n\n{draw.choice(SHOWN)}\n\n{text(draw, 5)}"
            for call in message.get("tool_calls", ()):
                arguments = {"port": "Brest", "day": row["id"], "query": draw.choice(SHOWN)}
                call["function"]["arguments"] = json.dumps(arguments)
    return dict(marked)


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


def run(path: Path, rows: int, jobs: int, chat: str, out: Path) -> Run:
    """A run of the command over a file."""
    command = [sys.executable, "-m", "toolect", "data", "convert", str(path), "--to", chat, "-o", str(out)]
    began, peak = time.perf_counter(), 0.0
    process = subprocess.Popen(
        [*command, "--jobs", str(jobs), "--format", "json"], stdout=subprocess.DEVNULL, start_new_session=True
    )
    while process.poll() is None:
        peak = max(peak, megabytes(process.pid))
        time.sleep(0.1)
    if process.returncode:
        raise SystemExit(f"expected the command to convert all rows, got exit code {process.returncode}")
    return Run(jobs, rows, time.perf_counter() - began, peak)


def megabytes(session: int) -> float:
    """The memory of all processes of a session, of each without what is a file's."""
    found = 0
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended
            if os.getsid(int(place.name)) == session:
                found += sum(map(int, re.findall(r"RssAnon:\s*(\d+)", (place / "status").read_text())))
    return found / 1024


def runs(size: int, chat: str) -> list[Run]:
    """Runs on a file of `size` MB, by one process and by two."""
    with tempfile.TemporaryDirectory() as folder:
        path, made, count = Path(folder, "in.jsonl"), rows(), 0
        with path.open("w") as file:
            while file.tell() < size * MB:
                file.write(json.dumps(next(made)) + "\n")
                count += 1
        return [run(path, count, jobs, chat, Path(folder, str(jobs))) for jobs in (1, 2)]


def hard_texts(size: int) -> Iterator[dict[str, Json]]:
    """Records with `size` bytes of text, none twice: messages of all dialects, whole and damaged, and prose."""
    seen: set[str] = set()
    for seed in itertools.count():
        for draw in (drawn_texts.undamaged, drawn_texts.lossless, drawn_texts.lossy, drawn_texts.prose):
            for one in draw(200, random.Random(seed), registry.dialects()):
                if one.text.strip() and one.text not in seen:
                    seen.add(one.text)
                    yield {"text": one.text, "dialect": one.dialect}
                    size -= len(one.text.encode("utf-8", "replace"))
                if size <= 0:
                    return


def coverage_rates(size: int) -> tuple[float, float]:
    """MB of text that one process reads in a second of processor time: where the dialect is named, and where not."""
    collect_less()
    made, found = list(hard_texts(size * MB)), []
    with tempfile.TemporaryDirectory() as folder:
        for fields in (("text", "dialect"), ("text",)):
            path = Path(folder, f"{len(fields)}.jsonl")
            path.write_text("".join(json.dumps({f: one[f] for f in fields}) + "\n" for one in made), encoding="utf-8")
            began = time.process_time()
            coverage([str(path)], jobs=1)
            found.append(size / (time.process_time() - began))
    return found[0], found[1]


def page(chat: str, found: list[list[str]], size: int, large: list[Run], hard: tuple[float, float]) -> str:
    """The report."""
    covered = [["dialects named", f"{hard[0]:.2f}", f"{NAMED}"], ["found out", f"{hard[1]:.2f}", f"{UNNAMED}"]]
    one, two = (run.rows / run.seconds for run in large)
    versions = ", ".join(f"{name} {version(name)}" for name in ("toolect", "jinja2", "msgspec", "pyarrow"))
    return f"""# Data sets: speed and memory

`make datasets ARGS=--write` writes this page. Rows are conversations of nine messages with two calls and one of twenty
lists of tools, made from a seed; they become transcripts. {os.cpu_count()} cores; others may have used them too,
so processor time tells more than the clock. Python {sys.version.split()[0]}, {build()};
{versions}; templates of {" and ".join(source.requirement for source in SOURCES)}.

## Speed

Beside it stands the loop that takes each row apart, gives it to the template of the chat's model (jinja2, compiled),
and writes it: rows a second of processor time. It checks nothing. The target is {SPEED} times its rows. The first row
of each shape and each kind of calls is read back, to find out what it loses, and one of a hundred others; `--check all`
reads all back, `--check none` only what may break out.

{table([["to", "rows/s", "by the template", "times that"], *found])}

## Size

`toolect data convert` of {size} MB to {chat}: rows a second by the clock, and the memory of all processes together, of
which the target is {MEMORY} MB for any size. Two processes convert {two / one:.1f} times as many rows as one; the
target, on cores of their own, is {BOTH}.

{table([["processes", "rows", "rows/s", "memory"], *(run.cells for run in large)])}

## Coverage

`toolect coverage` on texts of all dialects, as they are written and damaged, and prose, none of them twice: MB a second
of processor time, its first seconds among them, in which what is known of each dialect is made.

{table([["", "MB/s", "target"], *covered])}
"""


def main() -> None:
    """Print the figures, or write them."""
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--size", type=int, default=50, metavar="MB")
    options.add_argument("--hard", type=int, default=6, metavar="MB")
    options.add_argument("--rows", type=int, metavar="N", help="default: 600, of the guard 30")
    options.add_argument("--to", nargs="+", default=[], metavar="CHAT")
    options.add_argument("--write", action="store_true")
    options.add_argument("--guard", action="store_true")
    given = options.parse_args()
    if given.guard:
        head = ["to", "refused", "rows/s", "without the guard", "it takes"]
        print(table([head, *guard(given.to or chats(), given.rows or 30)]))
        return
    given.to = given.to or ["qwen3", "glm-4.5", "deepseek-v3.2"]
    found = rates(given.to, given.rows or 600)
    large = runs(given.size, given.to[0])
    text = page(given.to[0], found, given.size, large, coverage_rates(given.hard))
    print(text)
    if given.write:
        keep("datasets.md", text)


if __name__ == "__main__":
    main()
