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

from toolect.authoring.corpus import read
from toolect.authoring.generate.facts import fixed, markers
from toolect.compiled import Dialect
from toolect.message import Call, Content, Message, Reasoning, Segment
from toolect.rendered import Unrepresentable

CORPUS = Path(__file__).parents[2] / "tests" / "corpus"
SIGNS = (
    *"{}[]()<>/,:;=|`\\\"'&#*!-_x7 \n\t\x00\x85\ud83d｜",
    '"""', "'''", "```", "\\\\", '\\"', "\\n", "\\u", "\r\n", "\n\n", "\n ", " \n\t", "//", "/*", "*/", "<!--", "</",
    "<|", "<b>", "<b", "</b>", "f(", "a=", "1,", "1.5e", "f(a=1)", "{}", "[{", "}]", "[[", "((", '"}', "\n]", "]\n",
    '{"a":', '"a",', '"a": "x",', '{"name": "f", "arguments": {}}', "name", "key: ", "- ", "\nx: ", "<think>",
    "</think>", "```js\n", "```python\n", "&lt;", "True", "None", "null", "nul",
)  # fmt: skip
"""What means something to some dialect, or to a language that values are written in."""
CONTENT, REASONING, NAME, KEY, STRING, NUMBER, ID = "contentx", "reasonx", "namex", "keyx", "valuex", "7177", "idx"
PLACES = {
    CONTENT: "content", REASONING: "reasoning", NAME: "name", KEY: "key", STRING: "string", NUMBER: "number", ID: "id",
}  # fmt: skip


class Place(NamedTuple):
    """Where in an answer a text is put: what stands before it and after it."""

    name: str
    before: str
    after: str


class Flood(NamedTuple):
    """A text of any length: a unit many times over at a place, an odd number of times or an even one."""

    place: str
    before: str
    after: str
    unit: str
    then: str = ""
    """A second unit, which comes as often after all of the first."""
    odd: bool = False

    def __str__(self) -> str:
        then = f" + {self.then!r} * N" if self.then else ""
        return f"{self.place}: {self.before!r} + {self.unit!r} * N{then} + {self.after!r}"

    def text(self, size: int) -> str:
        """The text with about `size` characters of the flood in it."""
        count = max(1, size // len(self.unit + self.then))
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
            except Unrepresentable:
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
    """What is repeated: the markers of the dialect, whole and cut, the keys of its objects, and `SIGNS`."""
    own = [*markers(dialect.spec), *fixed(dialect.spec)]
    cut = [marker[:-1] for marker in own] + [marker[: len(marker) // 2] for marker in own]
    return list(filter(None, dict.fromkeys((*own, *cut, *SIGNS))))


def drawn(dialect: Dialect, random: Random) -> Flood:
    """A flood of up to three units, or of a piece of a text where that stands, cut off anywhere, or with a good end."""
    text, found = random.choice(texts(dialect)), units(dialect)
    (place, before, after), then, odd = random.choice(slots(dialect)), "", random.random() < 0.5
    unit = "".join(random.choices(found, k=random.choice((1, 1, 1, 2, 2, 2, 3))))
    kind = random.random()
    if kind < 0.25:
        start = random.randrange(len(text))
        end = random.randint(start + 1, len(text))
        place, before, unit, after = "a piece again", text[:start], text[start:end], text[end:]
    elif kind < 0.35:
        at = random.randrange(len(text) + 1)
        place, before, after = "anywhere", text[:at], text[at:]
    elif kind < 0.45:
        then = random.choice(found)
    cut = random.choice(("", "", after, after, after[: random.randrange(len(after) + 1)], after + text))
    return Flood(place, before, cut, unit, then, odd)
