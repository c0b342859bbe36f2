"""Measures induction: `python -m tools.induction.measure [SET]... [--count N] [--seed N] [--wrong] [--write]`.

A format is induced from five rows, and held against eight messages that were held out: they have to be read exactly,
whole and streamed, and written back. SETs are `wild`, formats of others that no dialect covers; `random` ones; and
`shipped`, each dialect as if it was unknown, from what it writes. `templates` are the chat templates of models, asked
with the probes of `toolect new --template` and held against what they write for random messages. All sets by default.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from random import Random
from typing import NamedTuple

import toolect
from toolect._authoring.induction import Induced, Row, RowsError, check_rows, induce, prove
from toolect._authoring.induction.drafting import template_rows
from toolect._authoring.lint.runner import each
from toolect._message import Json
from toolect._processes import cores
from toolect._rendered import RenderError
from toolect.chat_template import TemplateError, judge, turns
from toolect.chat_template.probes import TOOLS, TemplateProbe
from toolect.chat_template.verdict import OTHERWISE, SPACED
from tools.chats.original_templates import templates
from tools.induction.random_formats import Format, random_format, wild_formats
from tools.induction.said import HELD_OUT, SAMPLES, TYPES, Plan, Tool, random_call, random_message, random_tools
from tools.markdown_text import table
from tools.reports import keep

HEAD = """# Induction

How well [`toolect new`](../cli.md#toolect-new) makes dialects, held against what it was not shown: eight messages of
each format, which have to be read exactly, whole and streamed, and written back; for chat templates twelve. *Claimed*
are those with exit code 0: every row is also read by a dialect of the others.
"""


class Drawn(NamedTuple):
    """Rows of a format, those that are held out, and the tools."""

    rows: list[Row]
    held_out: list[Row]
    tools: list[Json]


class Outcome(NamedTuple):
    """Result of inducing one format."""

    name: str
    exact: bool
    claimed: bool
    seconds: float
    wrong: str = ""


def drawn(form: Format, seed: int) -> Drawn:
    """Random messages as a format writes them."""
    random = Random(f"{form.name} {seed}")
    tools = random_tools(random, form.types, form.empty)

    def row(plan: Plan) -> Row:
        reasoning = form.thinks and random.random() < 0.6
        plan = Plan(plan.content, min(plan.calls, 1) if form.single else plan.calls, reasoning)
        message = random_message(random, plan, lambda: random_call(random, tools, form.carries))
        return Row(0, form.write(message), message)

    rows = [row(plan) for plan in SAMPLES]
    thoughts = 0
    while not _shows(form, rows) and thoughts < 400:  # samples show what there is
        rows, thoughts = [row(plan) for plan in SAMPLES], thoughts + 1
        if thoughts % 40 == 0:
            tools = random_tools(random, form.types, form.empty)
    return Drawn(_numbered(rows), _numbered(map(row, HELD_OUT)), [tool.declared() for tool in tools])


def _shows(form: Format, rows: Sequence[Row]) -> bool:
    thought = [row for row in rows if row.message.reasoning]
    if form.thinks and not (
        any(row.message.content for row in thought) and any(not row.message.content for row in thought)
    ):
        return False
    return not form.shows or any(re.search(form.shows, row.text) for row in rows)


def _numbered(rows: Iterator[Row] | Sequence[Row]) -> list[Row]:
    return [row._replace(number=number) for number, row in enumerate(rows, 1)]


def shipped(name: str, seed: int) -> Drawn | None:
    """Random messages as a shipped dialect writes them; None for one that carries none of them."""
    dialect, random = toolect.dialect(name), Random(f"{name} {seed}")
    for attempt in range(30):
        kinds = random_tools(random, TYPES if attempt < 20 else ("string",), empty=attempt < 10)
        row = partial(_written, dialect, random, kinds)
        first = row(Plan(False, 1))
        thinks = first is not None and row(Plan(True, 0, True)) is not None
        rows = [_nearest(row, plan, thinks, random) for plan in (*SAMPLES, *HELD_OUT)]
        if first is not None and all(rows):
            found = [one for one in rows if one is not None]
            tools = [tool.declared() for tool in kinds]
            return Drawn(_numbered(found[: len(SAMPLES)]), _numbered(found[len(SAMPLES) :]), tools)
    return None


def _nearest(row: Callable[[Plan], Row | None], plan: Plan, thinks: bool, random: Random) -> Row | None:
    """A row as planned, or as much of it as the dialect can write."""
    plan = Plan(plan.content, plan.calls, thinks and random.random() < 0.7)
    less = (plan, Plan(plan.content, min(plan.calls, 1)), Plan(False, plan.calls), Plan(False, 1))
    return next(filter(None, (row(one) for one in less if one.calls or one.content)), None)


def _written(dialect: toolect.Dialect, random: Random, kinds: list[Tool], plan: Plan) -> Row | None:
    """A random message, as the dialect writes it and reads it."""
    tools = [tool.declared() for tool in kinds]
    for _ in range(25):
        message = random_message(random, plan, lambda: random_call(random, kinds))
        try:
            row = Row(0, str(dialect.render(message, tools)), message)
        except RenderError:
            continue
        if prove(dialect, [row], tools).back:
            return row
    return None


def outcome(name: str, given: Drawn | None) -> Outcome:
    """The result of `toolect new` on rows."""
    if given is None:
        return Outcome(name, False, False, 0, "carries no random message")
    begun = time.process_time()
    try:
        made = induce(check_rows(given.rows), given.tools)
    except RowsError as error:
        return Outcome(name, False, False, 0, str(error))
    seconds = time.process_time() - begun
    proof = prove(made.dialect, given.held_out, given.tools) if made.dialect is not None else made.proof
    exact = proof.back == len(given.held_out)
    return Outcome(name, exact, made.claimed, seconds, "" if exact else made.why or proof.wrong)


def template_outcome(name: str, source: str, seed: int = 0) -> Outcome | None:
    """Result of `toolect new --template` on a chat template; None where it writes no calls. Raises TemplateError."""
    rows, style = template_rows(source)
    begun = time.process_time()
    try:
        made: Induced = induce(check_rows(rows), TOOLS, left_out=False)
    except RowsError as error:
        return Outcome(name, False, False, 0, str(error))
    seconds = time.process_time() - begun
    if made.dialect is None or style is None:
        return Outcome(name, False, False, seconds, made.why)
    random = Random(seed)
    probes = [
        TemplateProbe(
            f"random {i}",
            random.choice(("", "Here is what I know.", "I will check that; a moment.")),
            random.choice(("", "The user wants to know more.")),
            tuple(_asked(random) for _ in range(random.choice((1, 1, 2, 3)))),
        )
        for i in range(12)
    ]
    found = judge(made.dialect, turns(source, probes, (style,))[0]).differences
    unread = [one for one in found if one.what not in (OTHERWISE, SPACED) and "cannot be written" not in one.what]
    wrong = f"{unread[0].probe}: {unread[0].what}" if unread else ""
    return Outcome(name, not wrong, made.claimed, seconds, wrong and (made.why or wrong))


def _asked(random: Random) -> tuple[str, dict[str, Json]]:
    """A call of one of the tools of the probes."""
    text = random.choice(("Bern", "Zürich at night", 'a "quoted" word', "1 < 2 & 3", "C:\\temp", "two\nlines"))
    forecast: dict[str, Json] = {"city": text, "days": random.randint(-2, 40), "hourly": random.random() < 0.5}
    note: dict[str, Json] = {"text": text, "size": random.choice((0.25, 2.5)), "tags": ["a", text], "meta": {"k": True}}
    return random.choice((("get_forecast", forecast), ("save_note", note), ("list_notes", {})))


def wild_outcome(name: str, seed: int = 0) -> Outcome:
    """The result on one of the formats of others."""
    return outcome(name, drawn(next(form for form in wild_formats() if form.name == name), seed))


def random_outcome(seed: int) -> Outcome:
    """The result on the random format of a seed."""
    form = random_format(seed)
    return outcome(f"{seed} {form.name}", drawn(form, seed))


def shipped_outcome(name: str, seed: int = 0) -> Outcome:
    """The result on a shipped dialect as if it was unknown."""
    return outcome(name, shipped(name, seed))


def _template(at: int) -> Outcome | None:
    one = templates()[at]
    try:
        return template_outcome(one.name, one.text)
    except TemplateError:
        return None


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    sets = ("wild", "random", "shipped", "templates")
    parser.add_argument("sets", nargs="*", metavar="SET", help=", ".join(sets))
    parser.add_argument("--count", type=int, default=200, help="how many random formats; 200 by default")
    parser.add_argument("--seed", type=int, default=0, help="the seed of the messages, and of the first random format")
    parser.add_argument("--jobs", type=int, default=cores(), help="so many at a time; one for each core by default")
    parser.add_argument("--wrong", action="store_true", help="name what is not induced")
    parser.add_argument("--write", action="store_true", help="write the table into .reports/induction.md")
    options = parser.parse_args()
    rows = [("formats", "induced exactly", "claimed, of them exact", "seconds of processor time, mean and most")]
    wrong = []
    for name in options.sets or sets:
        run: dict[str, Callable[[], Iterator[Outcome | None]]] = {
            "wild": lambda: each(
                partial(wild_outcome, seed=options.seed), [one.name for one in wild_formats()], options.jobs
            ),
            "random": lambda: each(random_outcome, range(options.seed, options.seed + options.count), options.jobs),
            "shipped": lambda: each(partial(shipped_outcome, seed=options.seed), toolect.dialects(), options.jobs),
            "templates": lambda: each(_template, range(len(templates())), options.jobs),
        }
        found = [one for one in run[name]() if one is not None]
        exact, claimed = [one for one in found if one.exact], [one for one in found if one.claimed]
        seconds = [one.seconds for one in found]
        counts = f"{len(exact)} of {len(found)}", f"{len(claimed)}, {sum(one.exact for one in claimed)}"
        rows.append((name, *counts, f"{sum(seconds) / len(seconds):.2f}, {max(seconds):.2f}"))
        wrong += [f"- {name}: {one.name}: {one.wrong}" for one in found if not one.exact]
    print(table(rows), "", *(wrong if options.wrong else ()), sep="\n")
    if options.write:
        keep("induction.md", f"{HEAD}\n{table(rows)}\n")


if __name__ == "__main__":
    main()
