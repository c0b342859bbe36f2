"""Messages of which a seed draws names and values, written in a dialect; what they mean is what was put in.

Rendering would read back what it wrote, and refuse what is read otherwise; `write` does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from random import Random
from typing import NamedTuple

from toolect._compiled import Dialect
from toolect._message import Call, Content, Json, Message, Reasoning, Segment
from toolect._rendered import RenderError
from toolect._rendering.roundtrip import tools_of, write

NAMES = ("get_weather", "list_ferries", "book_table", "send_letter", "find_trails", "lend_book", "plan_route")
KEYS = ("city", "note", "day", "zone", "kind", "owner", "count", "place", "label", "where", "tags", "limit")
WORDS = ("Zürich", "harbour", "north gate", "Łódź", "tea", "seven boats", "Ana", "plum", "low tide", "橋", "Brest, FR")
HARD = ('say "{}"\n\tor it\'s \\{} in a:b', '{}: it\'s {}\n- "so"', "a\\b {} (c), 'd' {}", '"{}" & {};\n  more')
SAYS = ("I'll look it up.", "One moment.", "Let me see, then.")
AFTER = ("That's all.", "Done, then.")
THOUGHTS = ("They ask for it.", "First the one, then the other.")


class Written(NamedTuple):
    """A message, what it is written as, and the tools that it calls."""

    calls: Sequence[Call]
    text: str
    tools: list[Json]
    longer: str
    """The text of another message, whose last call has one more argument; empty where there is none."""


def written(dialect: Dialect, random: Random) -> Iterator[Written]:
    """A message of each form that the dialect has a place for."""
    name, other = random.sample(NAMES, 2)
    call, second = Call(name, arguments(random, random.choice((5, 7, 9)))), Call(other, arguments(random, 2))
    text, after, thought = (kind(random.choice(said)) for kind, said in _TEXTS)
    forms: list[tuple[list[Segment], ...]] = [
        ([text, call], [call]),
        ([text, call, second], [call, second], [call, call]),
        ([call, after],),
        ([thought, text, call], [thought, call]),
    ]
    seen: set[str] = set()
    for tries in forms:
        found = next(filter(None, (_written(dialect, segments) for segments in tries)), None)
        if found is not None and found.text not in seen:
            seen.add(found.text)
            yield found


_TEXTS = ((Content, SAYS), (Content, AFTER), (Reasoning, THOUGHTS))


def arguments(random: Random, count: int) -> dict[str, Json]:
    """`count` arguments, from plain to rich, in any order, with other keys and values each time."""
    word = partial(random.choice, WORDS)
    rich: list[Json] = [
        word(), word(), random.randrange(100), random.random() < 0.5, [word(), word()],
        random.choice(HARD).format(word(), word()), {"at": random.randrange(99) / 2, "in": {"kind": word()}},
        word(), None,
    ]  # fmt: skip
    found = random.sample(rich[:count], count)
    return dict(zip(random.sample(KEYS, count), found, strict=True))


def _written(dialect: Dialect, segments: list[Segment]) -> Written | None:
    """The message of these segments, if there is a place for each of them."""
    longer = [*segments]
    at = max(at for at, segment in enumerate(segments) if isinstance(segment, Call))
    last = segments[at]
    assert isinstance(last, Call)
    longer[at] = Call(last.name, {**last.arguments, "zz": last.arguments[next(reversed(last.arguments))]})
    message = Message(segments)
    tools = tools_of(message)
    text, more = (_wire(dialect, said, tools) for said in (message, Message(longer)))
    return None if text is None else Written(message.calls, text, tools, more or "")


def _wire(dialect: Dialect, message: Message, tools: list[Json]) -> str | None:
    try:
        return str(write(dialect, message, tools))
    except RenderError:
        return None
