"""The calls of answers as text alone: as a `Filler` writes them, where nobody asks whose words are whose."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

from toolect._chats.filler import is_marked, item_facts
from toolect._chats.filling import Pair, SlotAnswer, Take
from toolect._chats.ops import Each, Fill, Fixed, Plan
from toolect._chats.plan import Plans
from toolect._chats.writing import Writer
from toolect._message import Call
from toolect._spec.chat_model import ChatRole, ChatSlot

MAX_KNOWN = 4096
"""Kinds of calls that are kept at a time. Beyond it: all are made anew."""
_Held: TypeAlias = tuple[str, Fill, int]


class _Opening(NamedTuple):
    """A text that is always the same, and a place after it, for the argument of that number, or the call (-1)."""

    before: str
    take: Take
    trim: Callable[[str], str] | None
    place: Fill
    argument: int


class _Known(NamedTuple):
    """How calls of a tool with the same arguments are written: open places, what is after them, and what is held."""

    places: tuple[_Opening, ...]
    after: str
    held: tuple[_Held, ...]


class _CallTextError(Exception):
    """Something that a call and its arguments do not tell is written."""


class CallTexts:
    """Writes the calls of one chat. What all calls of a tool with the same arguments have in common is made once."""

    def __init__(self, plans: Plans) -> None:
        self._plans = plans
        self._known: dict[tuple[Any, ...], _Known | None] = {}

    def text(self, op: Fill | Each, said: SlotAnswer, number: int, facts: int, writer: Writer) -> str:
        """What stands in the place of calls that were read; the texts that were filled in are held by the writer."""
        found = self._all(op.rule, said.calls, facts, writer.held) if type(op) is Each else None
        if found is not None:
            return found
        before = len(writer.pieces)
        writer.each_or_fill(op, said, number, facts)
        return "".join([piece[0] for piece in writer.pieces[before:]])

    def _all(self, rule: str, calls: Sequence[Call], facts: int, held: list[_Held]) -> str | None:
        found: list[str] = []
        filled: list[_Held] = []
        last = len(calls) - 1
        for index, call in enumerate(calls):
            arguments, own = call.arguments, item_facts(call, index, last, facts)
            kinds = [isinstance(value, str) and (2 if is_marked(value) else 1) for value in arguments.values()]
            key = rule, own, call.name, *arguments, *kinds
            try:
                known = self._known[key]
            except KeyError:
                known = self._make(key, rule, own, call)
            if known is None:
                return None
            places, after, same = known
            filled += same
            pairs = [*map(Pair, arguments, arguments.values())]
            for before, take, trim, place, argument in places:
                text = take(call, index) if argument < 0 else take(pairs[argument], argument)
                if trim is not None:
                    text = trim(text)
                filled.append((text, place, 0))
                found += (before, text)
            found.append(after)
        held += filled
        return "".join(found)

    def _make(self, key: tuple[Any, ...], rule: str, facts: int, call: Call) -> _Known | None:
        if len(self._known) >= MAX_KNOWN:
            self._known.clear()
        making = _Making(self._plans)
        try:
            making.add(self._plans.item(rule, facts) or (), call, -1, facts)
            known = _Known((*making.places,), making.before, (*making.held,))
        except _CallTextError:
            known = None
        self._known[key] = known
        return known


class _Making:
    """What is known of a call while it is found out."""

    def __init__(self, plans: Plans) -> None:
        self._plans = plans
        self.before = ""
        self.places: list[_Opening] = []
        self.held: list[_Held] = []

    def add(self, plan: Plan, item: Call | Pair, argument: int, facts: int) -> None:
        """Add what is written for a call, or for one of its arguments."""
        for op in plan:
            if isinstance(op, Fixed):
                self.before += op.text
            elif isinstance(op, Fill) and op.take is not None:
                if op.slot in (ChatSlot.NAME, ChatSlot.KEY):
                    text = op.take(item, 0)
                    text = text if op.trim is None else op.trim(text)
                    self.held.append((text, op, 0))
                    self.before += text
                else:
                    self.places.append(_Opening(self.before, op.take, op.trim, op, argument))
                    self.before = ""
            elif isinstance(op, Each) and op.role is ChatRole.ARGUMENT and isinstance(item, Call):
                pairs = [Pair(*one) for one in item.arguments.items()]
                for number, pair in enumerate(pairs):
                    own = item_facts(pair, number, len(pairs) - 1, facts)
                    self.add(self._plans.item(op.rule, own) or (), pair, number, own)
            else:
                raise _CallTextError
