"""The turns of a conversation with nothing unusual about them: what decides how they are written, and their texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from toolect._chats.marker_scan import JOINT
from toolect._chats.plain_texts import Key, has_plain_names, key_of_call
from toolect._message import Call, Content, Reasoning
from toolect._turns import Assistant, Results, Turn, User


class Calling(NamedTuple):
    """An answer with calls: the number of its turn, and what is read back of each call, None where that is to see."""

    number: int
    turn: Assistant
    calls: Sequence[Call]
    keys: Sequence[Key | None]


class PlainTurns(NamedTuple):
    """Turns whose texts have no blanks at their ends, and whose results are those of the calls before."""

    key: Key
    """The kinds of the turns, and what there is of each: all that decides how they are written but texts and calls."""
    texts: list[str]
    """Of an answer reasoning and content, of a result output, id and name, of any other turn its text."""
    whole: str
    """The texts, joined."""
    answers: list[Calling]
    """The answers with calls."""
    said: list[str]
    """The reasoning and the content of answers."""


_USER, _LAST, _NO_TEXT, _RESULTS, _SYSTEM, _DEVELOPER = -1, -2, -3, -4, -5, -6
"""What turns begin with in a key, but for answers."""


def plain_turns(turns: Sequence[Turn]) -> PlainTurns | None:
    """The turns as plain ones; None where there is anything unusual about one."""
    last = next((turn.text for turn in reversed(turns) if type(turn) is User), "")
    key: list[int] = []
    texts: list[str] = []
    answers: list[Calling] = []
    said: list[str] = []
    asked: Sequence[Call] = ()
    for number, turn in enumerate(turns):
        if isinstance(turn, Assistant):
            if asked or turn.text is not None:
                return None
            content = reasoning = ""
            calls: list[Call] = []
            for one in turn.message.segments:
                if isinstance(one, Call):
                    calls.append(one)
                elif calls or content or not one.text or reasoning and isinstance(one, Reasoning):
                    return None
                elif isinstance(one, Content):
                    content = one.text
                elif one.signature:
                    return None
                else:
                    reasoning = one.text
            texts += (reasoning, content)
            said += (reasoning, content)
            key.append((1 if reasoning else 0) + (2 if content else 0))
            if calls:
                named = shape_of(calls)
                if named is None:
                    return None
                key += named
                answers.append(Calling(number, turn, calls, [key_of_call(call) for call in calls]))
                asked = calls
        elif isinstance(turn, User):
            text = turn.text
            texts.append(text)
            key.append((_LAST if text == last else _USER) if text else _NO_TEXT)
            asked = ()
        elif isinstance(turn, Results):
            results = turn.results
            if len(results) != len(asked):
                return None
            key.append(_RESULTS)
            for result, call in zip(results, asked, strict=True):
                call_id, name, output = result.call_id, result.name, result.output
                if result.is_error or (call_id or call.id) != call.id or (name or call.name) != call.name:
                    return None
                texts += (output, call_id, name)
                key.append((1 if output else 0) + (2 if call_id else 0) + (4 if name else 0))
            asked = ()
        elif asked:
            return None
        else:
            texts.append(turn.text)
            key += (_DEVELOPER if turn.developer else _SYSTEM, 1 if turn.text else 0)
    if [text.strip() for text in texts] != texts:
        return None
    whole = JOINT.join(texts)
    return PlainTurns((*key,), texts, whole, answers, said)


def shape_of(calls: Sequence[Call]) -> list[int] | None:
    """How many calls an answer has, whether they have ids, and which names are alike; None for unusual ones."""
    count = len(calls)
    if count == 1:
        return [4, 1 if calls[0].id else 0] if has_plain_names(calls[0]) else None
    ids = {call.id for call in calls if call.id}
    if ids and len(ids) < count or not all(map(has_plain_names, calls)):
        return None
    names = [call.name for call in calls]
    return [3 + count, 1 if ids else 0, *map(names.index, names)]
