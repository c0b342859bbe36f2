"""Which rows are kept: by the status of their calls, by their tools' schemas, by length."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec

from toolect._chats.conversation_diff import Change
from toolect._message import Call, Json, Status
from toolect._rows.account import Fate, RowRejectedError
from toolect._turns import Assistant
from toolect.conversation import Conversation

if TYPE_CHECKING:
    from toolect._validation import Validator


class Keep(msgspec.Struct, frozen=True):
    """What a row must be to be kept; without anything all are."""

    statuses: tuple[Status, ...] = ()
    """Every call has one of these."""
    valid: bool = False
    """The arguments of every call are what its tool declares, and the tool is declared."""
    calls: bool = False
    """There is a call at least."""
    max_ids: int = 0
    """The ids that a new row may have; 0 for any number."""


def check(conversation: Conversation, keep: Keep) -> None:
    """Raises RowRejectedError for a conversation that is not to be kept."""
    if not (keep.calls or keep.statuses or keep.valid):
        return
    calls = list(_calls(conversation))
    if keep.calls and not calls:
        raise _filtered("no calls")
    if keep.statuses:
        for turn, call in calls:
            if call.status not in keep.statuses:
                raise _filtered(f"a {call.status} call", turn, call.error or call.name)
    if keep.valid:
        schemas = {tool["function"]["name"]: tool["function"].get("parameters") for tool in conversation.tools}
        for turn, call in calls:
            check_call(call, turn, schemas)


def check_call(call: Call, turn: int, schemas: Mapping[str, Json]) -> None:
    """Raises RowRejectedError for a call that its tool does not take."""
    if not call.runnable:
        raise _filtered(f"a {call.status} call", turn, call.error or call.name)
    if call.name not in schemas:
        raise _filtered("a call of a tool that is not declared", turn, call.name)
    violations = _validator(msgspec.json.encode(schemas[call.name])).violations(call.arguments)
    if violations:
        raise _filtered("arguments that the tool does not take", turn, f"{call.name}: {violations[0]}")


def check_length(ids: int, keep: Keep) -> None:
    """Raises RowRejectedError for a row that is too long."""
    if keep.max_ids and ids > keep.max_ids:
        raise _filtered("too many ids", -1, f"expected at most {keep.max_ids:,}, got {ids:,}")


@lru_cache(1024)
def _validator(schema: bytes) -> Validator:
    from toolect._validation import SchemaError, Validator  # needs the extra `schema`

    try:
        return Validator(msgspec.json.decode(schema) or {}, "parameters")
    except SchemaError as error:
        raise _filtered("a tool whose parameters are no JSON Schema", -1, str(error)) from None


def _calls(conversation: Conversation) -> Iterator[tuple[int, Call]]:
    for number, turn in enumerate(conversation.turns):
        if isinstance(turn, Assistant):
            for call in turn.message.calls:
                yield number, call


def _filtered(what: str, turn: int = -1, detail: str = "") -> RowRejectedError:
    return RowRejectedError(Change(what, turn, detail), Fate.FILTERED)
