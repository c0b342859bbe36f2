"""Measures how many damaged calls are read as what they meant.

    python -m tools.damage.recovered [--dialect NAME]... [--kind CORRUPTION]... [--quick] [--no-tools] [--streamed]
                                     [--show N] [--write]

Each dialect writes a few messages, and its JSON is laid out as Python does it, compact, indented, and with every
character beyond ASCII escaped. Each text is damaged in one place, by each of the generator's corruptions. Of each
damaged text it is asked:
  recovered  are the calls that were meant runnable, and no others?
  labelled   does the message say that something was wrong (it is not `clean`)?
  wrong      is there a runnable call that was not meant?
A damage is none (moot) that leaves a text which strict mode reads without a word, with as many calls as before, of the
same tools and with arguments of the declared types.
So is one that leaves a beginning of the text: of JSON, or where a stream of the good text has not yet told all of the
last arguments. The answer was cut off there, and its last call says that it is truncated.
A false start begins where reading the good text says that a call does: what begins in the middle of one, at an argument
or a comma, is not written again from its beginning, and nobody could tell.
Kinds that destroy what was meant are counted apart. --no-tools declares none, --streamed reads by the character,
--show prints the first damages of each kind that are not recovered.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from random import Random
from typing import NamedTuple

from toolect import registry
from toolect.authoring.generate.break_json import respaced
from toolect.authoring.generate.corrupt import INFORMATION_LOST, OF_JSON, Corruption, corrupt
from toolect.authoring.generate.samples import Sample, rendered
from toolect.compiled import Dialect
from toolect.events import ArgumentsDelta
from toolect.message import Call, Content, Json, Message, Reasoning, Segment, Status, same_json
from tools.pages.markdown_text import table
from tools.reports import keep

TRIES = 5
"""Damages of one kind that are drawn for each text."""
TARGET = 95
"""The percentage of single damages that are to be recovered."""
NAMED = 8
"""Dialects that are named of each damage."""
LAYOUTS: dict[str, dict[str, object]] = {
    "compact": {"separators": (",", ":"), "ensure_ascii": False},
    "indented": {"indent": 2, "ensure_ascii": False},
    "escaped": {},
}
RICH: dict[str, Json] = {
    "city": "Zürich, CH", "days": 3, "hourly": True, "note": 'say "rain"\n\tor it\'s \\done in a:b', "zone": None,
    "tags": ["a", "b"], "where": {"lat": 47.5, "place": {"kind": "lake"}},
}  # fmt: skip
ARGUMENTS: tuple[dict[str, Json], ...] = (
    RICH,
    {key: value for key, value in RICH.items() if value is not None},
    {"city": "Zürich, CH", "days": 3, "hourly": True, "tags": ["a", "b"]},
    {"city": "Zürich", "note": "rain"},
    {"city": "Zürich"},
    {"code": "print(1)"},
)
"""From rich to plain: a dialect is given the first that it can carry."""


class Outcome(NamedTuple):
    """What became of one damaged text."""

    dialect: str
    kind: Corruption
    text: str
    meant: Sequence[Call]
    got: Message
    moot: bool
    recovered: bool
    labelled: bool
    wrong: int


def messages(dialect: Dialect) -> Iterator[Sample]:
    """The texts that a dialect writes of the messages."""
    text, after, thought = Content("I'll look it up."), Content("That's all."), Reasoning("They ask for the weather.")
    other = Call("list_files", {"path": "/tmp"})
    for arguments in ARGUMENTS:
        for name in ("get_weather", *dict.fromkeys(dialect.spec.fixed_names.values())):
            call = Call(name, arguments)
            if rendered(dialect, Message([call])) is None:
                continue
            wanted: list[tuple[list[Segment], ...]] = [
                ([text, call], [call]),
                ([text, call, other], [call, other], [call, call]),
                ([call, after],),
                ([thought, text, call],),
            ]
            seen: set[str] = set()
            for forms in wanted:
                samples = (rendered(dialect, Message(segments)) for segments in forms)
                sample = next((sample for sample in samples if sample is not None), None)
                if sample is not None and sample.text not in seen:
                    seen.add(sample.text)
                    yield sample
            return


def variants(dialect: Dialect, sample: Sample) -> Iterator[str]:
    """The text with its JSON in other layouts, those that are read as the same."""
    yield sample.text
    for layout in LAYOUTS.values():
        text = respaced(sample.text, **layout)
        if text != sample.text and dialect.parse(text, sample.tools).calls == sample.message.calls:
            yield text


def outcomes(
    dialect: Dialect, kinds: Sequence[Corruption], tries: int, tools: bool, streamed: bool
) -> Iterator[Outcome]:
    """Everything that is tried of one dialect."""
    for number, sample in enumerate(messages(dialect)):
        names = sorted({call.name for call in sample.message.calls})
        texts = list(dict.fromkeys(variants(dialect, sample)))
        declared = sample.tools if tools else None
        for kind in kinds:
            seen = set(texts)
            for text in texts if kind in OF_JSON else texts[:1]:
                whole = _whole(dialect, text, sample.tools) if kind is Corruption.CUT_CLOSERS else 0
                starts = [call.span[0] for call in dialect.parse(text, sample.tools).calls if call.span]
                for at in range(tries):
                    random = Random(f"{dialect.name} {number} {kind} {at}")
                    damaged = corrupt(text, dialect.spec, random, kind, names, starts)
                    if damaged not in seen:
                        seen.add(damaged)
                        outcome = judged(dialect, kind, damaged, sample.message.calls, declared, streamed)
                        inside = kind in OF_JSON or len(damaged) < whole
                        cut = inside and text.startswith(damaged) and not outcome.wrong
                        last = outcome.got.calls[-1:] if cut else ()
                        truncated = any(call.status is Status.TRUNCATED for call in last)
                        yield outcome._replace(moot=True) if truncated else outcome


def _whole(dialect: Dialect, text: str, tools: list[Json]) -> int:
    """The character by which a stream of `text` has told all of the last arguments."""
    stream, told = dialect.stream(tools), 0
    for at, char in enumerate(text):
        events = stream.feed(char)
        told = at + 1 if any(isinstance(event, ArgumentsDelta) for event in events) else told
    return told


def judged(
    dialect: Dialect, kind: Corruption, text: str, meant: Sequence[Call], tools: list[Json] | None, streamed: bool
) -> Outcome:
    """Read the damaged text."""
    got = dialect.parse(text, tools)
    if streamed:
        stream = dialect.stream(tools)
        for char in text:
            stream.feed(char)
        stream.close()
        if stream.message != got or stream.message.repairs != got.repairs:
            print(f"the stream differs: {dialect.name} {text!r}")
    runnable = got.runnable
    recovered = len(runnable) == len(meant) and all(map(_alike, runnable, meant))
    wrong = sum(not any(_alike(call, wanted) for wanted in meant) for call in runnable)
    moot = got.clean and len(got.calls) == len(meant) and all(map(_fits, got.calls, meant))
    moot = moot and dialect.parse(text, tools, mode="strict").clean
    return Outcome(dialect.name, kind, text, meant, got, moot, recovered, not got.clean, 0 if moot else wrong)


def _alike(call: Call, wanted: Call) -> bool:
    return call.name == wanted.name and same_json(call.arguments, wanted.arguments)


def _fits(call: Call, wanted: Call) -> bool:
    """True when the call is of the same tool, and its arguments have the types that are declared."""
    kinds = [(type(value), type(wanted.arguments.get(key, value))) for key, value in call.arguments.items()]
    return call.name == wanted.name and all(one is other for one, other in kinds)


class Count:
    """The outcomes of one row."""

    def __init__(self) -> None:
        self.moot = self.tried = self.recovered = self.labelled = self.wrong = 0

    def add(self, outcome: Outcome) -> None:
        """One more."""
        if outcome.moot:
            self.moot += 1
            return
        self.tried += 1
        self.recovered += outcome.recovered
        self.labelled += outcome.labelled
        self.wrong += outcome.wrong

    @property
    def share(self) -> float:
        """The percentage that was recovered."""
        return 100 * self.recovered / max(self.tried, 1)

    def cells(self) -> list[str]:
        """Its figures."""
        if not self.tried:
            return ["0", "", "", "", str(self.moot)]
        labelled = 100 * self.labelled / self.tried
        shares = [_percent(self.share), _percent(labelled)]
        return [str(self.tried), *shares, str(self.wrong), str(self.moot)]


def _percent(share: float) -> str:
    """A percentage that is never rounded up."""
    return f"{int(share * 10) / 10:g}%"


HEAD = ["tried", "recovered", "labelled", "wrong calls", "moot"]


def tables(found: Sequence[Outcome]) -> tuple[str, str, str]:
    """By kind, by dialect, and the cells below the target."""
    kinds: dict[str, Count] = defaultdict(Count)
    dialects: dict[str, Count] = defaultdict(Count)
    cells: dict[tuple[str, str], Count] = defaultdict(Count)
    for one in found:
        lost = one.kind in INFORMATION_LOST
        kinds[f"{one.kind}{' *' if lost else ''}"].add(one)
        kinds["all but *"].add(one) if not lost else None
        if not lost:
            dialects[one.dialect].add(one)
            cells[one.kind, one.dialect].add(one)
    order = [f"{kind}{star}" for kind in Corruption for star in ("", " *")] + ["all but *"]
    kinds = {kind: kinds[kind] for kind in order if kind in kinds}
    low: dict[str, list[tuple[float, str]]] = defaultdict(list)
    for (kind, name), count in cells.items():
        if count.tried and count.share < TARGET:
            low[kind].append((count.share, name))
    return (
        table([["damage", *HEAD], *([kind, *count.cells()] for kind, count in kinds.items())]),
        table([["dialect", *HEAD], *([name, *count.cells()] for name, count in dialects.items())]),
        table(
            [["damage", "dialects", "lowest first"], *([kind, str(len(low[kind])), _names(low[kind])] for kind in low)]
        ),
    )


def _names(rows: list[tuple[float, str]]) -> str:
    """The dialects with the lowest shares."""
    shown = ", ".join(f"{name} {_percent(share)}" for share, name in sorted(rows)[:NAMED])
    return shown + (", …" if len(rows) > NAMED else "")


def show(found: Sequence[Outcome], count: int) -> None:
    """Print the first damages of each kind that were not recovered, or not labelled, or wrong."""
    shown: dict[tuple[str, str], int] = defaultdict(int)
    for one in found:
        what = "WRONG" if one.wrong else "unlabelled" if not one.labelled else "" if one.recovered else "lost"
        if one.moot or not what or what == "lost" and one.kind in INFORMATION_LOST:
            continue
        shown[one.kind, what] += 1
        if shown[one.kind, what] <= count:
            print(f"--- {what} {one.kind} {one.dialect}\n{one.text!r}")
            for call in one.got.calls:
                print(f"  {call.status} {call.name} {call.arguments} {call.error or ''}")
            print(f"  content {one.got.content!r}")


def main(argv: Sequence[str] | None = None) -> int:
    """Measure as the arguments say."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dialect", action="append", choices=registry.dialects(), metavar="NAME")
    parser.add_argument("--kind", action="append", type=Corruption, metavar="CORRUPTION")
    parser.add_argument("--quick", action="store_true", help="one damage of each kind for each text")
    parser.add_argument("--no-tools", action="store_true")
    parser.add_argument("--streamed", action="store_true")
    parser.add_argument("--show", type=int, default=0, metavar="N")
    parser.add_argument("--write", action="store_true", help="write .reports/damage.md")
    options = parser.parse_args(argv)
    found: list[Outcome] = []
    for name in options.dialect or registry.dialects():
        tries = 1 if options.quick else TRIES
        kinds = options.kind or list(Corruption)
        found += outcomes(registry.dialect(name), kinds, tries, not options.no_tools, options.streamed)
    show(found, options.show)
    by_kind, by_dialect, low = tables(found)
    print(by_kind, by_dialect, sep="\n\n")
    if options.write:
        keep("damage.md", _page(by_kind, by_dialect, low))
    return 0


def _page(by_kind: str, by_dialect: str, low: str) -> str:
    return f"""# Damaged calls

`make damage ARGS=--write` writes this page. Each dialect writes a few messages. Each text, its JSON in four layouts, is
damaged in one place by each of [the generator's corruptions](../guide/generate.md#broken-text), and read with the tools
declared.

- **recovered**: the calls that were meant are runnable, and no others;
- **labelled**: the message is not `clean`;
- **wrong calls**: runnable calls that were not meant;
- **moot**: what is left is another good text, which strict mode reads without a word, or a beginning of the text, with
  the last arguments not whole, whose last call says that it is truncated; not counted.

After damages with a star the text may not say any more what it said: there only labels and wrong calls count.

## By damage

{by_kind}

## By dialect

{by_dialect}

## Below {TARGET} %

{low}
"""


if __name__ == "__main__":
    sys.exit(main())
