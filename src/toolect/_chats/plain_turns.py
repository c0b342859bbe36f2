"""The turns of a conversation with nothing unusual about them: what decides how they are written, and their texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from toolect._chats.plain_texts import Key, key_of_call
from toolect.message import Call, Content, Message, Reasoning
from toolect.turns import Assistant, Results, System, Turn, User


class PlainTurns(NamedTuple):
    """Turns whose texts have no blanks at their ends, and whose results are those of the calls before."""

    key: Key
    """The kinds of the turns, and what there is of each: all that decides how they are written but texts and calls."""
    texts: list[str]
    """Of an answer reasoning and content, of a result output, id and name, of any other turn its text."""
    calls: list[Key]
    """What is read back of each call."""
    answers: list[tuple[Message, Sequence[Call]]]
    """The answers with calls, and these."""


def plain_turns(turns: Sequence[Turn]) -> PlainTurns | None:
    """The turns as plain ones; None where there is anything unusual about one."""
    last = next((turn.text for turn in reversed(turns) if type(turn) is User), "")
    key: list[object] = []
    texts: list[str] = []
    keys: list[Key] = []
    answers: list[tuple[Message, Sequence[Call]]] = []
    asked: Sequence[Call] = ()
    for turn in turns:
        if type(turn) is Assistant:
            if turn.text is not None:
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
                else:
                    reasoning = one.text
            texts.append(reasoning)
            texts.append(content)
            key.append((bool(reasoning), bool(content)))
            asked = calls
            if calls:
                answers.append((turn.message, calls))
                ids = set()
                for call in calls:
                    found = key_of_call(call)
                    if found is None:
                        return None
                    keys.append(found)
                    if call.id:
                        ids.add(call.id)
                if ids and len(ids) < len(calls):
                    return None
                names = [call.name for call in calls]
                key.append((bool(ids), *map(names.index, names)))
        elif type(turn) is Results:
            if len(turn.results) != len(asked):
                return None
            key.append(Results)
            for result, call in zip(turn.results, asked, strict=True):
                call_id, name, output = result.call_id, result.name, result.output
                if result.is_error or (call_id or call.id) != call.id or (name or call.name) != call.name:
                    return None
                texts += (output, call_id, name)
                key.append((bool(output), bool(call_id), bool(name)))
            asked = ()
        elif type(turn) is User:
            texts.append(turn.text)
            key.append((User, bool(turn.text), turn.text == last))
            asked = ()
        elif type(turn) is System:
            texts.append(turn.text)
            key.append((System, bool(turn.text), turn.developer))
            asked = ()
        else:
            return None
    return PlainTurns((*key,), texts, keys, answers) if [text.strip() for text in texts] == texts else None
