"""Texts made to be slow: whatever means something to a dialect, over and over, at every place of its answers.

All of it comes from the dialect: its markers and keys, whole and cut, what quotes, brackets, escapes and blanks there
are in the languages that values are written in, its answers, and the cases of its corpus.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import NamedTuple

from toolect._authoring.corpus import read
from toolect._authoring.generate.facts import fixed, markers
from toolect._compiled import Dialect
from toolect._message import Call, Content, Message, Reasoning, Segment
from toolect._rendered import RenderError

CORPUS = Path(__file__).parents[2] / "tests" / "corpus"
SIGNS = (
    *"{}[]()<>/,:;=|`\\\"'&#*!-_x7 \n\t\x00\x85\ud83d｜",
    '"""', "'''", "```", "\\\\", '\\"', "\\n", "\\u", "\r\n", "\n\n", "\n ", " \n\t", "//", "/*", "*/", "<!--", "</",
    "<|", "<b>", "<b", "</b>", "f(", "a=", "1,", "1.5e", "f(a=1)", "{}", "[{", "}]", "[[", "((", '"}', "\n]", "]\n",
    '{"a":', '"a",', '"a": "x",', '{"name": "f", "arguments": {}}', "name", "key: ", "- ", "\nx: ", "<think>",
    "</think>", "```js\n", "```python\n", "&lt;", "True", "None", "null", "nul",
)  # fmt: skip
"""Texts with a meaning in some dialect, or in a language that values are written in."""
QUOTED = ("'", '"', "\\", " ", "x", ",", ":", "\n", "`", "“", "”")
"""Texts that quotations are made of."""
NESTED = (
    ("{", "}"), ("[", "]"), ("(", ")"), ("[{", "}]"), ('{"a":', "}"), ('{"a": [', "]}"), ("f(a=", ")"), ("<b>", "</b>"),
    ("[1, [", "]]"), ("{'a': (", ")}"),
)  # fmt: skip
"""Openers and closers: one inside the other, as deep as there is text."""
CONTENT, REASONING, NAME, KEY, STRING, NUMBER, ID = "contentx", "reasonx", "namex", "keyx", "valuex", "7177", "idx"
PLACES = {
    CONTENT: "content", REASONING: "reasoning", NAME: "name", KEY: "key", STRING: "string", NUMBER: "number", ID: "id",
}  # fmt: skip


class Place(NamedTuple):
    """Place of an answer where a text is put: the text before it and after it."""

    name: str
    before: str
    after: str


class Flood(NamedTuple):
    """A text of any length: a unit many times over at a place, an odd number of times or an even one.

    Or one that never repeats exactly: with a number in each unit, or of several units in an order of no kind.
    """

    place: str
    before: str
    after: str
    unit: str
    then: str = ""
    """A second unit, which comes as often after all of the first."""
    odd: bool = False
    number: int = -1
    """Index in the unit at which its number is put; -1 if it has none."""
    others: tuple[str, ...] = ()
    """Other units that may stand in the place of the first."""

    def __str__(self) -> str:
        then = f" + {self.then!r} * N" if self.then else ""
        unit = repr(self.unit)
        if self.number >= 0:
            unit = f"{self.unit[: self.number]!r} + n + {self.unit[self.number :]!r}"
        if self.others:
            unit = f"any of {(self.unit, *self.others)}"
        return f"{self.place}: {self.before!r} + {unit} * N{then} + {self.after!r}"

    def text(self, size: int) -> str:
        """The text with about `size` characters of the flood in it."""
        count = max(1, size // len(self.unit + self.then))
        if self.number >= 0:
            count = max(1, size // (len(self.unit) + len(str(count))))
            first, last = self.unit[: self.number], self.unit[self.number :]
            return self.before + "".join(f"{first}{i}{last}" for i in range(count)) + self.after
        if self.others:
            units = (self.unit, *self.others)
            count = max(1, size * len(units) // sum(map(len, units)))
            return self.before + "".join(Random(count).choices(units, k=count)) + self.after
        count += count % 2 != self.odd
        return self.before + self.unit * count + self.then * count + self.after


def answers(dialect: Dialect) -> Iterator[str]:
    """Answers whose parts have names of their own: with all kinds of segments that the dialect has."""
    arguments = {KEY: STRING, "num": int(NUMBER), "deep": {"list": [STRING, None], "on": True}}
    for id_ in (ID, None):
        call = Call(NAME, arguments, id_)
        text, thought = Content(CONTENT), Reasoning(REASONING)
        tries: list[list[Segment]] = [[text, call], [thought, call], [call], [call, call], [text]]
        for segments in tries:
            try:
                yield str(dialect.render(Message(segments)))
            except RenderError:
                continue


@lru_cache(maxsize=128)
def texts(dialect: Dialect) -> list[str]:
    """Answers of the dialect, and the wire texts of its corpus."""
    path = CORPUS / f"{dialect.name}.txt"
    cases = [case.text for case in read(path)] if path.exists() else []
    return list(filter(None, dict.fromkeys((*answers(dialect), *cases))))


@lru_cache(maxsize=128)
def slots(dialect: Dialect) -> list[Place]:
    """One place for each slot of the dialect, and the beginning and the end of an answer."""
    found: dict[str, Place] = {"nothing": Place("nothing", "", "")}
    for text in answers(dialect):
        for word, name in PLACES.items():
            before, there, after = text.partition(word)
            if there:
                found.setdefault(name, Place(name, before, after))
        found.setdefault("end", Place("end", text, ""))
    return list(found.values())


@lru_cache(maxsize=128)
def units(dialect: Dialect) -> list[str]:
    """Units to repeat: the markers of the dialect, whole and cut, the keys of its objects, and `SIGNS`."""
    own = [*markers(dialect.spec), *fixed(dialect.spec)]
    cut = [marker[:-1] for marker in own] + [marker[: len(marker) // 2] for marker in own]
    return list(filter(None, dict.fromkeys((*own, *cut, *SIGNS))))


@lru_cache(maxsize=128)
def near(dialect: Dialect) -> list[str]:
    """Near misses of the dialect's markers: one sign is missing, twice there, another one, or of the other case."""
    found = []
    for marker in filter(str.strip, markers(dialect.spec)):
        for at in {0, 1 % len(marker), len(marker) // 2, len(marker) - 1}:
            first, sign, last = marker[:at], marker[at], marker[at + 1 :]
            found += [first + last, first + 2 * sign + last, f"{first}x{last}", first + sign.swapcase() + last]
    return list(filter(None, dict.fromkeys(found))) or ["<"]


def drawn(dialect: Dialect, random: Random) -> Flood:
    """A flood of up to three units, or of a piece of a text where that stands, cut off anywhere, or with a good end.

    Some are of what is almost a marker, some are nested, in some each unit has a number, or there are several.
    """
    text, found = random.choice(texts(dialect)), units(dialect)
    (place, before, after), then, odd = random.choice(slots(dialect)), "", random.random() < 0.5
    unit = "".join(random.choices(found, k=random.choice((1, 1, 1, 2, 2, 2, 3))))
    kind = random.random()
    number, others = -1, list[str]()
    if kind < 0.25:
        start = random.randrange(len(text))
        end = random.randint(start + 1, len(text))
        place, before, unit, after = "a piece again", text[:start], text[start:end], text[end:]
    elif kind < 0.35:
        at = random.randrange(len(text) + 1)
        place, before, after = "anywhere", text[:at], text[at:]
    elif kind < 0.45:
        then = random.choice(found)
    elif kind < 0.5:
        unit, then = random.choice(NESTED)
    elif kind < 0.55:
        unit = random.choice(near(dialect))
    elif kind < 0.65:
        others = random.choices(random.choice((found, near(dialect), QUOTED)), k=random.randrange(1, 4))
    elif kind < 0.7:
        place, before, after = "nothing", "", ""
        unit, then = random.choice(texts(dialect)), ""
    if not then and not others and random.random() < 0.3:
        number = random.randrange(len(unit) + 1)
    cut = random.choice(("", "", after, after, after[: random.randrange(len(after) + 1)], after + text))
    return Flood(place, before, cut, unit, then, odd, number, tuple(others))


TOOLS = [
    {"type": "function", "function": {"name": f"f{i}", "parameters": {"type": "object", "properties": {KEY: {}}}}}
    for i in range(500)
]
"""More tools than anybody declares."""


def naming(dialect: Dialect) -> Iterator[Flood]:
    """Floods that name one of `TOOLS` after another: in calls, in what is cut off, and with nothing but a sign."""
    text = next(answers(dialect))
    before, there, after = text.partition(NAME)
    if there:
        for end in (after, after[: len(after) // 2], "", "(", " "):
            yield Flood("tools", "", "", f"{before}f{end}", number=len(before) + 1)
    yield from (Flood("tools", "", "", f"f{end}", number=1) for end in ("(", "\n", '{"a": 1}', ": "))
