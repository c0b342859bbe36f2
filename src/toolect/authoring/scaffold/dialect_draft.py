"""What samples show of a dialect: samples without what is around calls, the draft, and what it has to read in them."""

from __future__ import annotations

from typing import NamedTuple

from toolect._spec.model import Ids
from toolect.authoring.scaffold.ids_seen import USUAL
from toolect.authoring.scaffold.pieces import Hole, Mark, Token
from toolect.authoring.scaffold.seen import Arguments, SeenCall
from toolect.authoring.scaffold.thoughts import Thought, Wrap
from toolect.message import Json


class Draft(NamedTuple):
    """What the samples show of a dialect; each part as the grammar is to have it."""

    opener: tuple[Token, ...] = ()
    """What stands before all calls, where they share a wrapper."""
    call: tuple[Token, ...] = ()
    """One call, with holes."""
    divider: tuple[Token, ...] = ()
    """What stands between two calls inside the wrapper."""
    closer: tuple[Token, ...] = ()
    arguments: Arguments | None = None
    shape: Json = None
    layout: str = ""
    listed: bool = False
    thought: Thought | None = None
    wrap: Wrap | None = None
    following: str = ""
    """What divides all parts of an answer: content, calls."""
    divided_thought: bool = False
    """And from reasoning."""
    before_call: str = ""
    between_calls: str = ""
    reference: str = "functions.{name}:{index}"
    """How an id combines name and number, where there is such a one."""
    ids: Ids = USUAL
    """How the id of a call is made that has none."""
    end: tuple[str, ...] = ()
    quoted: bool = False
    """An apostrophe is in a name or a key, and so no sign of markup."""

    @property
    def bare(self) -> bool:
        """True when calls begin with their JSON: no marker tells where content ends."""
        return (*self.opener, *self.call)[:1] == (Hole.JSON,)

    @property
    def wrapped(self) -> bool:
        """True when calls stand in a wrapper."""
        return bool(self.opener or self.closer or "".join(self.divider).strip())


class Stripped(NamedTuple):
    """A sample without its end tokens, and where its reasoning is."""

    text: str
    thoughts: tuple[Mark, ...] = ()
    """Where there is reasoning, or content, if that is known."""
    content: str | None = None
    """The content, if it is known."""

    @property
    def hidden(self) -> str:
        """The text with blanks in place of the reasoning."""
        text = self.text
        for mark in self.thoughts:
            text = text[: mark.start] + " " * (mark.end - mark.start) + text[mark.end :]
        return text


class Prepared(NamedTuple):
    """Samples without what is around calls: their end tokens, and how reasoning and content are written."""

    samples: list[Stripped]
    thought: Thought | None = None
    ends: tuple[str, ...] = ()
    wrap: Wrap | None = None
    gap: str = ""
    """Whitespace between content and a call, if it is known."""
    following: str = ""
    """What divides content from calls, if it is known that an answer goes on after it."""
    divided_thought: bool = False
    """And from reasoning."""


class Expected(NamedTuple):
    """What a sample was seen to say."""

    calls: tuple[SeenCall, ...]
    content: str
