"""Fills plans with the data of turns: texts, each with its origin and the number of its turn."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date as Date  # noqa: N812
from typing import Any

from toolect._chats.filling import Data, Pair, SlotAnswer, tools_text
from toolect._chats.plan import Plans
from toolect._chats.plan_ops import Each, Fill, Fixed, Plan
from toolect._message import Call
from toolect._rendered import RenderError
from toolect._spec.chat_model import ChatRole, ChatSlot, Fact
from toolect._transcript import Given
from toolect._turns import Results, ToolResult

_FIRST_ITEM, _LAST_ITEM, _NAMED = int(Fact.FIRST_ITEM), int(Fact.LAST_ITEM), int(Fact.NAMED)
_HAS_ID, _ARGUMENTS, _IS_TEXT = int(Fact.HAS_ID), int(Fact.ARGUMENTS), int(Fact.IS_TEXT)
_IS_MARKED = int(Fact.IS_MARKED)
_NO_ITEM = ~(_FIRST_ITEM | _LAST_ITEM | _NAMED | _HAS_ID | _ARGUMENTS | _IS_TEXT | _IS_MARKED)
_is_date = re.compile(r"[\w ,.:;/+()-]*").fullmatch
is_marked = re.compile(r"[<&\n]").search
"""Finds the signs for which an argument is marked."""


class PlanFiller:
    """Fills the plans of one chat, for `tools` that are on offer."""

    def __init__(self, plans: Plans, tools: Sequence[Mapping[str, Any]] = (), day: Date | str | None = None) -> None:
        self.plans, self.spec = plans, plans.spec
        self.tools, self.day = tools, day
        self.pieces: list[Given] = []
        self.system = ""
        """The system text at the head, which is of turn `system_turn`."""
        self.system_turn = -1
        self.caller: SlotAnswer | None = None
        """The last answer with calls."""
        self.counts: dict[type, int] = {}
        self.all_tools: str | None = None
        """The text of all tools, where they stand in one place."""

    def fill(self, plan: Plan, data: Data, number: int, facts: int, index: int = 0) -> None:
        """Write a plan with its data."""
        for op in plan:
            if type(op) is Fixed:
                self.pieces.append((op[0], op[1], number))
            elif type(op) is Fill:
                take, trim = op.take, op.trim
                text = self.value(op, data) if take is None else take(data, index)
                self.put(text if trim is None else trim(text), op, number)
            else:
                assert isinstance(op, Each)
                self.each(op, data, number, facts)

    def each(self, op: Each, data: Data, number: int, facts: int) -> None:
        """Write one by one the tools, the results or calls of a turn, or the arguments of a call."""
        items = self.items(op, data)
        last = len(items) - 1
        for index, item in enumerate(items):
            own = item_facts(item, index, last, facts)
            plan = self.plans.item(op.rule, own)
            if plan is not None:
                self.fill(plan, item, number, own, index)

    def items(self, op: Each, data: Data) -> Sequence[Any]:
        """The items that are written one by one."""
        if op.role is ChatRole.RESULT and isinstance(data, Results):
            return data.results
        if op.role is ChatRole.CALL and isinstance(data, SlotAnswer):
            return data.calls
        if op.role is ChatRole.ARGUMENT and isinstance(data, Call) and isinstance(data.arguments, dict):
            return [Pair(key, value) for key, value in data.arguments.items()]
        if op.role is ChatRole.TOOL:
            return self.tools
        return ()

    def value(self, op: Fill, data: Data) -> str:
        """The text of a place, for which more than the data is needed."""
        match op.slot:
            case ChatSlot.CALLED:
                return self.caller.calls[0].name if self.caller else ""
            case ChatSlot.SAID:
                return self.caller.content if self.caller else ""
            case ChatSlot.COUNT:
                self.counts[type(data)] = count = self.counts.get(type(data), -1) + 1
                return str(count)
            case ChatSlot.TOOLS:
                if self.all_tools is None:
                    self.all_tools = tools_text(self.spec, self.tools)
                return self.all_tools
            case ChatSlot.DATE:
                day = self.day if self.day is not None else Date.today()
                day = day if isinstance(day, str) else day.strftime(self.spec.date)
                if _is_date(day) is None:
                    raise RenderError("date", "expected words and numbers", day)
                return day
        raise RenderError(f"{op.rule}/{op.slot}", "nothing in the turn fills this slot")

    def put(self, text: str, op: Fill, number: int) -> None:
        """Write a text into its place."""
        self.pieces.append((text, op.origin, number))


def item_facts(item: Any, index: int, last: int, facts: int) -> int:
    """The facts of one of several things, of which the last has number `last`; `facts` are those around it."""
    own = facts & _NO_ITEM | (_FIRST_ITEM if index == 0 else 0) | (_LAST_ITEM if index == last else 0)
    if isinstance(item, ToolResult):
        own |= (_NAMED if item.name else 0) | (_HAS_ID if item.call_id else 0)
    elif isinstance(item, Call):
        own |= (_HAS_ID if item.id else 0) | (_ARGUMENTS if item.arguments else 0)
    elif isinstance(item, Pair) and isinstance(item.value, str):
        own |= _IS_TEXT | _IS_MARKED if is_marked(item.value) else _IS_TEXT
    return own
