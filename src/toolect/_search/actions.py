"""Actions: what a hypothesis does to the message if it wins, as data."""

from __future__ import annotations

from typing import NamedTuple

from toolect._graph.node import Node, Step
from toolect._graph.symbols import Key
from toolect._message import RepairKind
from toolect._search.json_texts import as_json
from toolect._search.performer import Performer
from toolect._spec.grammar_model import SlotKind


class Shift(NamedTuple):
    """A marker or terminal is read."""

    node: Node
    step: Step
    key: Key
    start: int
    end: int
    text: str
    wrong: bool

    def perform(self, to: Performer) -> None:
        """Do it."""
        to.shift(*self)


class Imply(NamedTuple):
    """A symbol is missing."""

    node: Node
    key: Key
    at: int
    cut: bool

    def perform(self, to: Performer) -> None:
        """Do it."""
        to.imply(*self)


class SkipText(NamedTuple):
    """A text slot is empty."""

    node: Node
    at: int

    def perform(self, to: Performer) -> None:
        """Do it."""
        to.enter(self.node, SlotKind.TEXT, self.at)
        to.leave(self.node, SlotKind.TEXT, self.at)


class TextBegin(NamedTuple):
    """A text slot begins."""

    node: Node
    at: int

    def perform(self, to: Performer) -> None:
        """Do it."""
        to.open_text(*self)


class NoText(NamedTuple):
    """It was none after all."""

    def perform(self, to: Performer) -> None:
        """Do it."""
        to.island = to.tail = None


class MoreText(NamedTuple):
    """The text goes on up to a character."""

    upto: int

    def perform(self, to: Performer) -> None:
        """Do it."""
        to.more_text(self.upto)


class CloseText(NamedTuple):
    """The text is over."""

    end: int

    def perform(self, to: Performer) -> None:
        """Do it."""
        to.close_text(self.end)


class OpenString(NamedTuple):
    """A string of a value language begins."""

    node: Node
    at: int

    def perform(self, to: Performer) -> None:
        """Do it."""
        to.open_string(*self)


class MoreString(NamedTuple):
    """It goes on."""

    start: int
    end: int

    def perform(self, to: Performer) -> None:
        """Do it."""
        to.more_string(*self)


class CloseString(NamedTuple):
    """It is over."""

    node: Node
    at: int

    def perform(self, to: Performer) -> None:
        """Do it."""
        to.close_string(*self)


class CutString(NamedTuple):
    """The input ends in it."""

    def perform(self, to: Performer) -> None:
        """Do it."""
        to.cut_string()


class OpenJson(NamedTuple):
    """A JSON value begins."""

    node: Node
    at: int

    def perform(self, to: Performer) -> None:
        """Do it."""
        to.open_json(*self)


class RawJson(NamedTuple):
    """JSON as it stands in the answer."""

    start: int
    end: int

    def perform(self, to: Performer) -> None:
        """Do it."""
        to.feed_json(to.raw(self.start, self.end), self.start)


class StringJson(NamedTuple):
    """More of a string between the quotes `quote`, and then `close`: its end, or nothing."""

    start: int
    end: int
    quote: str
    close: str

    def perform(self, to: Performer) -> None:
        """Do it."""
        text = to.raw(self.start, self.end)
        found = as_json(text, self.quote)
        own = self.quote == text[:1] == '"'  # it is listed where it was taken for one of the string's own
        before, after = text[own:], found[2 * own :]
        if before != after and not to.odd_string:
            differs = (i for i, (a, b) in enumerate(zip(before, after, strict=False), self.start + own) if a != b)
            to.mend_json(next(differs, self.start + len(text) - 1), "a sign in a string")
        to.odd_string = (to.odd_string or before != after) and not self.close
        to.feed_json(found + self.close, self.start)


class PutJson(NamedTuple):
    """JSON that is put in before character `at`."""

    text: str
    at: int

    def perform(self, to: Performer) -> None:
        """Do it."""
        to.feed_json(self.text, self.at - len(self.text))


class PassOver(NamedTuple):
    """The beginning of a call at character `at` is text: of a value of the open one, or of content."""

    at: int

    def perform(self, to: Performer) -> None:
        """Do it."""
        to.builder.draft.pass_over(self.at)


class MendJson(NamedTuple):
    """Something is mended in the open value."""

    at: int
    why: str

    def perform(self, to: Performer) -> None:
        """Do it."""
        to.mend_json(*self)


class CloseJson(NamedTuple):
    """The open value is over."""

    node: Node
    at: int

    def perform(self, to: Performer) -> None:
        """Do it."""
        to.close_json(*self)


class FailJson(NamedTuple):
    """The open value cannot be read."""

    node: Node
    at: int
    why: str

    def perform(self, to: Performer) -> None:
        """Do it."""
        to.fail_json(*self)


class OpenLoose(NamedTuple):
    """A value of a value language is read as JSON."""

    def perform(self, to: Performer) -> None:
        """Do it."""
        to.loose = []


class DropLoose(NamedTuple):
    """The input ends in it."""

    def perform(self, to: Performer) -> None:
        """Do it."""
        to.loose = None


class CloseLoose(NamedTuple):
    """It is over."""

    node: Node
    cores: tuple[str, ...]
    at: int
    delimiter: str

    def perform(self, to: Performer) -> None:
        """Do it."""
        to.close_loose(*self)


class CloseWrapped(NamedTuple):
    """An object of all arguments is over, where the dialect has them one by one."""

    start: int
    end: int

    def perform(self, to: Performer) -> None:
        """Do it."""
        to.close_wrapped(*self)


class ForgetArgument(NamedTuple):
    """An argument has no value."""

    at: int

    def perform(self, to: Performer) -> None:
        """Do it."""
        to.forget_argument(self.at)


class CodeBegin(NamedTuple):
    """Code that is no call begins behind character `start`: content, or the rest of a call that `failed`."""

    start: int
    failed: bool

    def perform(self, to: Performer) -> None:
        """Do it."""
        to.open_code(*self)


class MoreCode(NamedTuple):
    """It goes on up to a character."""

    upto: int

    def perform(self, to: Performer) -> None:
        """Do it."""
        to.more_code(self.upto)


class CloseCode(NamedTuple):
    """It is over."""

    def perform(self, to: Performer) -> None:
        """Do it."""
        to.close_code()


class Note(NamedTuple):
    """A repair is made."""

    kind: RepairKind
    at: int
    detail: str

    def perform(self, to: Performer) -> None:
        """Do it."""
        to.note(*self)


class Fail(NamedTuple):
    """The open call cannot be read."""

    why: str

    def perform(self, to: Performer) -> None:
        """Do it."""
        to.fail(self.why)


class DropValues(NamedTuple):
    """The values that are open are none."""

    def perform(self, to: Performer) -> None:
        """Do it."""
        to.drop_values()


class Unexpected(NamedTuple):
    """Nothing that the grammar has is here, or what should be here `instead`."""

    node: Node
    at: int
    instead: str = ""

    def perform(self, to: Performer) -> None:
        """Do it."""
        to.lost(*self)


class BreakOff(NamedTuple):
    """The open call is over, and another begins."""

    at: int

    def perform(self, to: Performer) -> None:
        """Do it."""
        to.break_off(self.at)


class Attempt(NamedTuple):
    """Malformed attempt at a call, with the tool's name."""

    node: Node
    at: int
    name: str

    def perform(self, to: Performer) -> None:
        """Do it."""
        to.attempt(*self)


class EndAnswer(NamedTuple):
    """The answer is over."""

    node: Node
    at: int

    def perform(self, to: Performer) -> None:
        """Do it."""
        to.finish(*self)
