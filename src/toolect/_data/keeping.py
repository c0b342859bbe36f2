"""Filters of rows: by losses, by the status of calls, by the schemas of their tools, and by length."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec

from toolect._chats import conversation_diff
from toolect._chats.conversation_diff import CALLS_UNREAD, DROPPED, SKIPPED, Change
from toolect._message import Call, Json, Status
from toolect._rows.account import Fate, RowRejectedError
from toolect._rows.ignored_fields import LEFT_OUT
from toolect._rows.open_row import DESCRIBED, REST_STAYS
from toolect._turns import Assistant
from toolect.conversation import Conversation

if TYPE_CHECKING:
    from toolect._validation import Validator


class Loss(StrEnum):
    """A kind of loss, as `--allow` and `--refuse` name it."""

    CALLS = "calls"
    """Calls, or which call a result is of."""
    TURNS = "turns"
    RESULTS = "results"
    """The texts of results, or which are errors."""
    CONTENT = "content"
    REASONING = "reasoning"
    """Reasoning, or its signature."""
    ORDER = "order"
    """Texts move before the calls that they followed."""
    TOOLS = "tools"
    PROMPT = "prompt"
    """A system text about tools is left out: the target describes them itself."""
    FIELDS = "fields"
    """Fields of messages that no turn has."""
    TAIL = "tail"
    """Text after the end of an answer, or between turns."""
    WEIGHTS = "weights"
    MARKERS = "markers"
    """Markers in texts, made harmless."""
    OTHER = "other"


WEIGHTS_LEFT = "the weights of answers are left out"
DEFUSED = "a text held markers of the chat, which were made harmless"
SENTENCES: dict[Loss, tuple[str, ...]] = {
    Loss.CALLS: (conversation_diff.OTHER_CALLS, conversation_diff.OTHER_OWNERS, CALLS_UNREAD),
    Loss.TURNS: (conversation_diff.OTHER_TURNS,),
    Loss.RESULTS: (conversation_diff.OTHER_RESULTS, conversation_diff.NO_ERRORS),
    Loss.CONTENT: (conversation_diff.NO_CONTENT, conversation_diff.OTHER_CONTENT),
    Loss.REASONING: (conversation_diff.NO_REASONING, conversation_diff.OTHER_REASONING, conversation_diff.NO_SIGNATURE),
    Loss.ORDER: (conversation_diff.ORDER,),
    Loss.TOOLS: conversation_diff.OF_TOOLS,
    Loss.PROMPT: (DESCRIBED, REST_STAYS),
    Loss.FIELDS: (LEFT_OUT,),
    Loss.TAIL: (DROPPED, SKIPPED),
    Loss.WEIGHTS: (WEIGHTS_LEFT,),
    Loss.MARKERS: (DEFUSED,),
}
"""Sentences of the changes of each kind of loss."""
REFUSED = frozenset((Loss.CALLS,))
"""The losses for which a row is refused, unless they are allowed."""
_BY_SENTENCE = {sentence: loss for loss, sentences in SENTENCES.items() for sentence in sentences}


def loss_of(change: Change) -> Loss:
    """The kind of a change."""
    return _BY_SENTENCE.get(change.what, Loss.OTHER)


def refused(changes: Iterable[Change], losses: frozenset[Loss], conversation: Conversation) -> Change | None:
    """The reason to refuse a row, the first change of a kind that is; None where there is none."""
    for change in changes:
        loss = loss_of(change)
        if loss in losses:
            unread = unread_call(conversation, change.turn) if loss is Loss.CALLS else None
            what, turn, detail = unread or change
            return Change(f"{what}; --allow {loss} keeps it", turn, detail)
    return None


def unread_call(conversation: Conversation, turn: int = -1) -> Change | None:
    """The first call that could not be read, in one turn or in any, with its turn and the cause."""
    for number, one in enumerate(conversation.turns):
        if isinstance(one, Assistant) and turn in (-1, number):
            for call in one.message.calls:
                if not call.runnable:
                    cause = f": {call.error}" if call.error else ""
                    return Change(f"a {call.status} call", number, f"`{call.name or '?'}`{cause}")
    return None


class Keep(msgspec.Struct, frozen=True):
    """Conditions for a row to be kept; without any all rows are."""

    statuses: tuple[Status, ...] = ()
    """Every call has one of these."""
    valid: bool = False
    """The arguments of every call fit the schema of its tool, which is declared."""
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
