"""Draws texts of a dialect, damages them, and draws how each is to be read: by hypothesis, or by any other `Random`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import islice
from pathlib import Path
from random import Random
from typing import NamedTuple

from toolect import registry
from toolect._authoring.corpus import read
from toolect._authoring.generate import corrupt, mixed
from toolect._authoring.generate.corruption import Corruption
from toolect._authoring.generate.facts import facts
from toolect._authoring.generate.random_values import garbage
from toolect._compiled import Dialect
from toolect._detection.auto import Auto, auto
from toolect._detection.index import index
from toolect._message import Json
from toolect._rendering.roundtrip import tools_of
from toolect._spec.policies import POLICIES, WRITING
from tools.fuzz.damage import damaged, grafted
from tools.fuzz.drawn_specs import DRAWN, drawn_dialect
from tools.fuzz.fuzz_laws import Run

CORPUS = Path(__file__).resolve().parents[2] / "tests" / "corpus"
LONGEST = 1200
"""Characters of a text that is read: what breaks a law is short, and long texts take the time of many."""
MANNERS = 5
"""Settings of policies that the runs of a subject take turns with, beside none: each makes a graph of its own."""
SEVERAL = 8
"""Subjects that are `auto`, and as many that are drawn: each reads texts of other dialects, or is another one."""
FOREIGN = 3
"""Dialects whose texts a subject of `auto` reads."""
TYPES = ("string", "integer", "number", "boolean", "array", "object", "null")
POLICIES_READ = {name: values for name, values in POLICIES.items() if name not in WRITING}


class Text(NamedTuple):
    """A text, and the tools that it calls."""

    text: str
    tools: list[Json]


class Texts:
    """Texts of one dialect, the shortest first: `count` of each generator, and those of its corpus."""

    def __init__(self, dialect: Dialect, seed: int, count: int) -> None:
        self.dialect, self.markers = dialect, facts(dialect).markers
        sources = (mixed(dialect, seed), mixed(dialect, seed, hostile=True))
        made = [Text(one.text, one.tools) for source in sources for one in islice(source, count)]
        known = corpus(dialect.name)
        self.drawn, self.known = (
            sorted(some, key=lambda one: len(one.text)) or [Text("", [])] for some in (made, known)
        )

    def draw(self, random: Random) -> Text:
        """One of them, or garbage."""
        kind = random.randrange(8)
        return (
            Text(garbage(self.markers, random), [])
            if kind == 7
            else random.choice(self.drawn if kind > 2 else self.known)
        )


@cache
def corpus(name: str) -> tuple[Text, ...]:
    """The texts of a dialect's cases; of those that declare no tools, with the tools that they call."""
    path = CORPUS / f"{name}.txt"
    cases = [case for case in read(path) if len(case.text) <= LONGEST] if path.exists() else []
    dialect = registry.dialect(name) if cases else None
    return tuple(
        Text(one.text, one.options.get("tools") or tools_of(dialect.parse(one.text, **one.options)))
        for one in cases
        if dialect is not None
    )


class Subject:
    """Subject of a run, made anew with its graphs: a shipped dialect, `auto-N`, or `drawn-N`, a random one."""

    def __init__(self, name: str, seed: int, count: int) -> None:
        random, names = Random(f"{name} {seed}"), registry.dialects()
        self.names: Sequence[str] = names
        self.dialect: Dialect | Auto = auto
        if name.startswith(registry.AUTO):
            self.sources = [Texts(registry.dialect(one), seed, count) for one in random.sample(names, FOREIGN)]
        else:
            self.dialect = made = (
                drawn_dialect(f"{name}-{seed}") if name.startswith(DRAWN) else Dialect(registry.spec(name))
            )
            self.sources = [Texts(made, seed, count)]
        prefill = self.dialect.spec.prefill if isinstance(self.dialect, Dialect) else index().prefill
        self.prefill = sorted(prefill)
        self.manners: list[dict[str, Json]] = [{}]
        for _ in range(MANNERS):
            some = {
                policy: random.choice(values) for policy, values in POLICIES_READ.items() if not random.randrange(3)
            }
            self.manners += [{}, some]

    def run(self, random: Random) -> Run:
        """A text, and how it is read; the same for the same choices."""
        text, tools = self._text(random)
        options: dict[str, Json] = {}
        if declared := _declared(tools, random):
            options["tools"] = declared
        if random.randrange(8) == 7:
            options["mode"] = "strict"
        if self.prefill and random.randrange(6) == 5:
            options["prefix"] = random.choice(self.prefill)
        options |= random.choice(self.manners)
        sizes = [random.choice((1, 2, 3, 5, 8, 30, 100)) for _ in range(random.choice((1, 1, 2, 4)))]
        return Run(self.dialect.name, text[:LONGEST], options, tuple(sizes))

    def _text(self, random: Random) -> Text:
        """A text of one of the sources, damaged most of the time.

        Others come after it perhaps, those of any dialect too, where it ends or is broken off, or after a marker.
        """
        source = random.choice(self.sources)
        text, tools = source.draw(random)
        for _ in range(random.choice((0, 0, 0, 1, 2))):
            cases = corpus(random.choice(self.names)) if random.randrange(3) == 2 else ()
            more = random.choice(cases) if cases else random.choice(self.sources).draw(random)
            tools = [*tools, *more.tools]
            if cases and random.randrange(2):
                text = grafted(text, more.text, random, source.markers)
                continue
            if random.randrange(4) == 3:
                text = text[: random.randint(0, len(text))]
            text += random.choice(("", "", " ", "\n", "\nok\n", "\n\n")) + more.text
        if random.randrange(3) == 2:
            text = corrupt(text, source.dialect.spec, random, random.choice(list(Corruption)))
        foreign = random.randrange(5) == 4
        markers = facts(registry.dialect(random.choice(self.names))).markers if foreign else source.markers
        return Text(damaged(text, random, markers, random.choice((0, 1, 1, 2, 2, 3, 5))), tools)


def subjects() -> list[str]:
    """The names of all that is fuzzed."""
    several = [f"{name}-{number}" for name in (registry.AUTO, DRAWN) for number in range(SEVERAL)]
    return [*registry.dialects(), *several]


def runs(subject: Subject, seed: int, count: int) -> list[Run]:
    """`count` runs; the same seed gives the same."""
    random = Random(seed)
    return [subject.run(random) for _ in range(count)]


def _declared(tools: Sequence[Json], random: Random) -> list[Json]:
    """None of the tools, some or all, some with other types for their arguments, or other ones."""
    match random.randrange(6):
        case 0 | 1:
            return []
        case 2:
            tools = [{"name": "f"}, {"name": "other", "parameters": {"type": "object", "properties": {"a": {}}}}]
        case 3:
            tools = [tool for tool in tools if random.randrange(2)]
    named = {(tool.get("function") or tool)["name"]: tool for tool in tools}
    return [_retyped(tool, random) if random.randrange(3) == 2 else tool for tool in named.values()]


def _retyped(tool: Json, random: Random) -> Json:
    """The tool with another type for some of its arguments."""
    function = tool.get("function") or tool
    properties = dict((function.get("parameters") or {}).get("properties") or {})
    for key in properties:
        if random.randrange(2):
            properties[key] = {"type": random.choice((*TYPES, ["string", random.choice(TYPES)]))}
    return {"name": function["name"], "parameters": {"type": "object", "properties": properties}}
