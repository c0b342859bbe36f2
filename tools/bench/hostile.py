"""Texts made to be slow: whatever means something to a dialect, over and over, at every place of its answers."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from random import Random
from typing import NamedTuple

from toolect._spec.model import Spec
from toolect.authoring.generate.facts import fixed, markers
from toolect.compiled import Dialect
from toolect.message import Call, Content, Message, Reasoning, Segment
from toolect.rendered import Unrepresentable

SIGNS = (
    *"{}[]()<>/,:;=|`\\\"'&#*!-_x7 \n\t\x00\x85\ud83d｜",
    '"""', "'''", "```", "\\\\", '\\"', "\\n", "\\u", "\r\n", "\n\n", "\n ", " \n\t", "//", "/*", "*/", "<!--", "</",
    "<|", "<b>", "<b", "</b>", "f(", "a=", "1,", "1.5e", "f(a=1)", "{}", "[{", "}]", "[[", '{"a":', '"a",', '"a": "x",',
    '{"name": "f", "arguments": {}}', "name", "key: ", "- ", "\nx: ", "<think>", "&lt;", "True", "nul",
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
    """A text of any length: a unit many times over at a place."""

    place: str
    before: str
    after: str
    unit: str

    def __str__(self) -> str:
        return f"{self.place}: {self.before!r} + {self.unit!r} * N + {self.after!r}"

    def text(self, size: int) -> str:
        """The text with about `size` characters of the flood in it."""
        return self.before + self.unit * max(1, size // len(self.unit)) + self.after


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


def everywhere(dialect: Dialect) -> list[Place]:
    """Every place between two signs of unlike kinds in the answers."""
    found: dict[str, Place] = {}
    for text in answers(dialect):
        for at in range(1, len(text)):
            if text[at - 1].isalnum() != text[at].isalnum() or not text[at].isalnum() and text[at - 1] != text[at]:
                found.setdefault(text[:at], Place(f"after {text[:at][-12:]!r}", text[:at], text[at:]))
    return list(found.values())


def units(spec: Spec) -> list[str]:
    """What is repeated: the markers of the dialect, whole and cut, the keys of its objects, and `SIGNS`."""
    own = [*markers(spec), *fixed(spec)]
    cut = [marker[:-1] for marker in own] + [marker[: len(marker) // 2] for marker in own]
    return list(filter(None, dict.fromkeys((*own, *cut, *SIGNS))))


def pairs(spec: Spec) -> list[str]:
    """Two of them in turn."""
    own = [*dict.fromkeys(chain(fixed(spec), markers(spec)))]
    signs = [unit for unit in SIGNS if len(unit) < 4]
    found = [a + b for a in own for b in (*own, *signs)] + [b + a for a in own for b in signs]
    return list(dict.fromkeys((*found, *(a + b for a in signs for b in signs if a != b))))


def floods(places: list[Place], found: list[str], sample: int, random: Random) -> list[Flood]:
    """Each of these texts at each of these places, with nothing after it, and with what belongs there.

    With a `sample`, only so many of them, drawn at random.
    """
    ends = [Place(place.name, place.before, after) for place in places for after in sorted({place.after, ""})]
    every = range(len(ends) * len(found))
    chosen = random.sample(every, min(sample, len(every))) if sample else every
    return [Flood(*ends[at // len(found)], found[at % len(found)]) for at in chosen]
