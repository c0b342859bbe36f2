"""Remarks on answers from beside their text: no answer, a cut-off one, or calls without results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from toolect import registry
from toolect._chat_completion import CUT
from toolect._chats.conversation_diff import Change
from toolect._detection.dropped import ends_of_answers
from toolect._message import Content, Json, Message, MessageError
from toolect._objects import holding
from toolect._shown import cut
from toolect._turns import Assistant, Results, Turn, User

_FAILED = ("failed", "cancelled", "error")
SAID = ("content", "text", "tool_calls", "function_call", "reasoning_content", "reasoning", "thinking", "refusal")
"""The fields of a message that make an answer of it."""
LONGEST = 200
"""Characters of a server's error that are shown. Beyond it: it is cut."""
CUT_OFF = "the answer was cut off"
EMPTY = "the answer is empty"
UNSAID = "a turn says nothing"
NO_RESULT = "calls have no result"


def check_answered(response: Json, where: str) -> None:
    """Raises MessageError for a response, a chunk or a choice with an error in place of an answer."""
    if not isinstance(response, Mapping):
        return
    code = response.get("status_code")
    why = response.get("error") or response.get("status") or code
    failed = _FAILED + ((code,) if isinstance(code, int) and code >= 400 else ())
    said = (response.get("type"), response.get("status"), response.get("finish_reason"), code)
    if response.get("error") or any(one in failed for one in said):
        if isinstance(why, Mapping):
            why = next((why[name] for name in ("message", "code", "type") if why.get(name)), None)
        shown = f", `{cut(str(why), LONGEST)}`" if isinstance(why, str | int) and why is not True else ""
        raise MessageError("an answer", f"an error{shown}", where)


def check_said(message: Mapping[str, Json], where: str) -> None:
    """Raises MessageError for a message that says nothing: neither text nor calls."""
    if all(message.get(name) is None for name in SAID):
        raise MessageError("an answer with text or calls", holding(message) if message else "nothing", where)


def why_cut(*said: Json) -> str:
    """Return the finish reason by which an answer was cut off, "" for none."""
    return next((one for one in said if isinstance(one, str) and one in CUT), "")


def seen_in(turns: Sequence[Turn], cut_by: str) -> list[Change]:
    """A note that the last answer was cut off, if it was."""
    return [Change(CUT_OFF, len(turns) - 1, f"`{cut_by}`")] if cut_by else []


def unsaid(turn: Turn) -> Change | None:
    """A note on an empty turn; None for any other."""
    if isinstance(turn, Assistant):
        for one in turn.message.segments:
            if type(one) is not Content or one.text and not one.text.isspace():
                return None
        return Change(EMPTY)
    if isinstance(turn, Results):
        texts = [one.output for one in turn.results if not one.media]
    else:
        texts = [] if isinstance(turn, User) and turn.media else [turn.text]
    for text in texts:
        if not text or text.isspace():
            return Change(UNSAID, detail="result" if isinstance(turn, Results) else type(turn).__name__.lower())
    return None


def without_result(turns: Sequence[Turn], calls: Mapping[int, int]) -> Iterator[Change]:
    """Notes on calls after which the conversation goes on without a result of each; the last may have none.

    `calls` is the number of runnable calls by turn: others need no result.
    """
    first, last, made, results = -1, -1, 0, -1  # of the answers before that are answered together
    for number, turn in enumerate(turns):
        kind = type(turn)
        if isinstance(turn, Results):
            results = max(results, 0) + len(turn.results)
            continue
        if made and (results >= 0 or kind is User):
            if results < made:
                yield Change(NO_RESULT, first, f"{made - max(results, 0)} of {made}")
            made = 0
        if kind is Assistant:
            results = -1
            if number in calls:
                first, last = (first if made else number), number
                made += calls[number]
    if made > max(results, 0) and last < len(turns) - 1:
        yield Change(NO_RESULT, first, f"{made - max(results, 0)} of {made}")


END_TOKENS = "end tokens in the text of an answer are no content"


def without_end(message: Message) -> Message:
    """A message without the end tokens of models that its text ends with; the same object where there are none."""
    last = message.segments[-1] if message.segments else None
    if type(last) is not Content or not last.text.rstrip().endswith((">", "]")):
        return message
    text = last.text
    while (
        end := next((one for one in ends_of_answers(registry.fingerprint()) if text.rstrip().endswith(one)), "")
    ) and end:
        text = text.rstrip().removesuffix(end)
    if text is last.text:
        return message
    return Message([*message.segments[:-1], *([Content(text.rstrip())] if text.strip() else [])], message.repairs)
