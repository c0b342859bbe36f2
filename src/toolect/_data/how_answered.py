"""What a response says of its answer besides the answer itself: that there is none, or that it was cut off."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from toolect._chats.comparing import Change
from toolect._shown import cut
from toolect.message import BadMessage, Content, Json
from toolect.turns import Assistant, Turn

_FAILED = ("failed", "cancelled", "error")
_CUT = ("length", "max_tokens", "model_context_window_exceeded", "content_filter", "refusal", "incomplete")
SAID = ("content", "text", "tool_calls", "function_call", "reasoning_content", "reasoning", "thinking", "refusal")
"""The fields of a message that make an answer of it."""
LONGEST = 200
"""Characters of a server's error that are told. Beyond it: it is cut."""
CUT_OFF = "the answer was cut off"
EMPTY = "the answer is empty"


def check_answered(response: Json, where: str) -> None:
    """Raises BadMessage for a response, a chunk or a choice that tells of a failure in place of an answer."""
    if not isinstance(response, Mapping):
        return
    code = response.get("status_code")
    why = response.get("error") or response.get("status") or code
    failed = _FAILED + ((code,) if isinstance(code, int) and code >= 400 else ())
    said = (response.get("type"), response.get("status"), response.get("finish_reason"), code)
    if response.get("error") or any(one in failed for one in said):
        if isinstance(why, Mapping):
            why = next((why[name] for name in ("message", "code", "type") if why.get(name)), None)
        told = f", `{cut(str(why), LONGEST)}`" if isinstance(why, str | int) and why is not True else ""
        raise BadMessage("an answer", f"an error{told}", where)


def check_said(message: Mapping[str, Json], where: str) -> None:
    """Raises BadMessage for a message that says nothing: neither text nor calls."""
    if all(message.get(name) is None for name in SAID):
        there = ", ".join(f"`{cut(name, 40)}`" for name in [*message][:8])
        raise BadMessage("an answer with text or calls", f"an object with {there}" if there else "nothing", where)


def why_cut(*said: Json) -> str:
    """What says that the answer was cut off, "" where nothing does."""
    return next((one for one in said if isinstance(one, str) and one in _CUT), "")


def seen_in(turns: Sequence[Turn], cut_by: str) -> list[Change]:
    """What is noted of the last answer: that it was cut off, that it says nothing."""
    number = len(turns) - 1
    found = [Change(CUT_OFF, number, f"`{cut_by}`")] if cut_by else []
    said = turns[-1].message.segments if turns and isinstance(turns[-1], Assistant) else ()
    blank = all(isinstance(one, Content) and not one.text.strip() for one in said)
    return [*found, Change(EMPTY, number)] if blank else found
