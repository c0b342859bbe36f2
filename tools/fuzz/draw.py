"""Draws texts of a dialect, and how each is to be read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import NamedTuple

from toolect import registry
from toolect._authoring.corpus import read
from toolect._authoring.generate import corrupt, mixed
from toolect._authoring.generate.corruption import Corruption
from toolect._authoring.generate.facts import facts
from toolect._authoring.generate.texts import garbage
from toolect._compiled import Dialect
from toolect._detection.auto import Auto
from toolect._detection.index import index
from toolect._message import Json
from toolect._rendering.roundtrip import tools_of
from toolect._spec.policies import POLICIES, WRITING
from tools.fuzz.damage import damaged, grafted
from tools.fuzz.fuzz_laws import Run
from tools.fuzz.odd_messages import odd_samples

CORPUS = Path(__file__).resolve().parents[2] / "tests" / "corpus"
LONGEST = 1200
"""Characters of a text that is read: what breaks a law is short, and long texts take the time of many."""
FEW, KEPT = 6, 24
"""Texts of the generators that there are at once, and at most, to be damaged again and again."""
OFTEN = 24
"""So often a text is drawn again before another is generated: making one costs as much as reading many."""
MANNERS = 5
"""Settings of policies that the runs of a block take turns with, beside none: each makes a graph of its own."""
TYPES = ("string", "integer", "number", "boolean", "array", "object", "null")
SIZES = ((1,), (1,), (2,), (3,), (5,))
POLICIES_READ = {name: values for name, values in POLICIES.items() if name not in WRITING}


class Text(NamedTuple):
    """A text before it is damaged, and the tools that it calls."""

    text: str
    tools: list[Json]


class Texts:
    """Texts of one dialect: of its corpus, of the generators as it is written and as it is read, and garbage."""

    def __init__(self, dialect: Dialect, seed: int, random: Random) -> None:
        self.dialect, self._random = dialect, random
        self.known = corpus(dialect.name)
        self.markers = facts(dialect).markers
        self._sources = [
            mixed(dialect, seed), mixed(dialect, seed, hostile=True), odd_samples(dialect, random, self.markers),
        ]  # fmt: skip
        self._drawn: list[Text] = []

    def draw(self) -> Text:
        """One of them."""
        random = self._random
        match random.randrange(8):
            case 0 | 1 | 2 if self.known:
                return random.choice(self.known)
            case 3:
                return Text(garbage(self.markers, random), [])
        if len(self._drawn) < FEW or not random.randrange(OFTEN):
            found = next(random.choice(self._sources), None)
            if found is not None:
                self._drawn = [*self._drawn[-KEPT:], Text(found.text, found.tools)]
        return random.choice(self._drawn) if self._drawn else Text("", [])


@cache
def corpus(name: str) -> tuple[Text, ...]:
    """The texts of a dialect's cases; of those that declare no tools, with the tools that they call."""
    path = CORPUS / f"{name}.txt"
    if not path.exists():
        return ()
    dialect = registry.dialect(name)
    found = []
    for case in read(path):
        if len(case.text) <= LONGEST:
            tools = case.options.get("tools") or tools_of(dialect.parse(case.text, **case.options))
            found.append(Text(case.text, tools))
    return tuple(found)


def runs(dialect: Dialect | Auto, seed: int, count: int) -> Iterator[Run]:
    """So many runs; the same seed gives the same."""
    random = Random(f"{dialect.name} {seed}")
    names = list(registry.dialects())
    own = [Texts(dialect, seed, random)] if isinstance(dialect, Dialect) else []
    manners: list[dict[str, Json]] = [{}, *(_manner(random) for _ in range(MANNERS))]
    foreign: list[Texts] = []
    while count:
        if not own and (len(foreign) < 3 or not random.randrange(40)):
            foreign = [*foreign[-2:], Texts(registry.dialect(random.choice(names)), seed, random)]
        text, tools = _text(own or foreign, random, names)
        if len(text) <= LONGEST:
            count -= 1
            options = _options(dialect, tools, random) | random.choice((manners[0], random.choice(manners)))
            yield Run(dialect.name, text, options, _sizes(random))


def _text(sources: Sequence[Texts], random: Random, names: Sequence[str]) -> Text:
    """A text of one of the sources, damaged most of the time.

    Others come after it perhaps, those of any dialect too, where it ends or is broken off, or after one of its markers.
    """
    source = random.choice(sources)
    text, tools = source.draw()
    while random.random() < 0.25:
        cases = corpus(random.choice(names)) if not random.randrange(3) else ()
        more = random.choice(cases) if cases else random.choice(sources).draw()
        tools = [*tools, *more.tools]
        if cases and random.randrange(2):
            text = grafted(text, more.text, random, source.markers)
            continue
        if not random.randrange(4):
            text = text[: random.randint(0, len(text))]
        text += random.choice(("", "", " ", "\n", "\nok\n", "\n\n")) + more.text
    if random.random() < 0.3:
        text = corrupt(text, source.dialect.spec, random, random.choice(list(Corruption)))
    markers = source.markers if random.random() < 0.8 else facts(registry.dialect(random.choice(names))).markers
    return Text(damaged(text, random, markers, random.choice((0, 1, 1, 2, 2, 3, 5))), tools)


def _manner(random: Random) -> dict[str, Json]:
    """Settings of some policies."""
    return {name: random.choice(values) for name, values in POLICIES_READ.items() if not random.randrange(3)}


def _options(dialect: Dialect | Auto, tools: list[Json], random: Random) -> dict[str, Json]:
    """How the text is read, policies apart."""
    options: dict[str, Json] = {}
    if declared := _declared(tools, random):
        options["tools"] = declared
    if not random.randrange(8):
        options["mode"] = "strict"
    prefill = sorted(dialect.spec.prefill if isinstance(dialect, Dialect) else index().prefill)
    if prefill and not random.randrange(6):
        options["prefix"] = random.choice(prefill)
    return options


def _declared(tools: list[Json], random: Random) -> list[Json]:
    """None of the tools, some or all, some with other types for their arguments, or other ones."""
    match random.randrange(6):
        case 0 | 1:
            return []
        case 2:
            tools = [{"name": "f"}, {"name": "other", "parameters": {"type": "object", "properties": {"a": {}}}}]
        case 3:
            tools = [tool for tool in tools if random.randrange(2)]
    named = {(tool.get("function") or tool)["name"]: tool for tool in tools}
    return [_retyped(tool, random) if not random.randrange(3) else tool for tool in named.values()]


def _retyped(tool: Json, random: Random) -> Json:
    """The tool with another type for some of its arguments."""
    function = tool.get("function") or tool
    properties = dict((function.get("parameters") or {}).get("properties") or {})
    for key in properties:
        if random.randrange(2):
            properties[key] = {"type": random.choice((*TYPES, ["string", random.choice(TYPES)]))}
    return {"name": function["name"], "parameters": {"type": "object", "properties": properties}}


def _sizes(random: Random) -> tuple[int, ...]:
    """How long the chunks are."""
    if random.randrange(3):
        return random.choice(SIZES)
    return tuple(random.choice((1, 2, 4, 8, 30, 100)) for _ in range(random.randint(1, 4)))
