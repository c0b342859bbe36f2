"""Turns of a kind of rows as messages of an API: speakers, parts, calls and results."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from toolect._chat_completion import ARGUMENTS, arguments_in
from toolect._exchange.embedded_tools import one_each
from toolect._exchange.media import are_parts
from toolect._message import Json, MessageError, dumps
from toolect._objects import got, holding, word
from toolect._rows.ignored_fields import LEFT, left_out, of_turn
from toolect._rows.open_row import OpenRow
from toolect._rows.patterns import Holes, Pattern, opened, unread
from toolect._rows.row_fields import Api, Speaker, TurnShape
from toolect._rows.row_holes import STEP, is_step, take_of_turn
from toolect._values.literals import read_literal

_KNOWN = frozenset(("system", "developer", "user", "assistant", "tool", "function"))
_THOUGHT = {"role", "reasoning_content"}
_CALLS = ("tool_calls", "function_call")
"""Fields of calls, which are never left out."""
_OF_CALLS = "the JSON of a call"


class ShapedTurns(NamedTuple):
    """Messages of the shape's API, and what turns tell besides: a system text, tools, what ended answers.

    `left` are the fields of each turn that are not read.
    """

    messages: list[Json]
    system: list[Json]
    tools: list[Json]
    ends: list[Json]
    left: list[list[str]]


def shaped_turns(turns: Sequence[Json], shape: TurnShape, where: str) -> ShapedTurns:
    """Messages of turns. Raises MessageError for a turn that the shape does not know."""
    shaped = ShapedTurns([], [], [], [], [])
    once: set[Json] = set()
    for number, turn in enumerate(turns):
        at = f"{where}[{number}]"
        shaped.left.append([])
        if _first_fit(shape.skip, turn) is not None:
            continue
        if shape.fields.order:
            _add(shaped.messages, _spoken(turn, number, shape, at), shape)
        elif not shape.each:
            if isinstance(turn, Mapping) and turn.get("tools") and turn.get("role") in ("system", "developer"):
                shaped.tools.append(turn["tools"])
                turn = {name: value for name, value in turn.items() if name != "tools"}
            _add(shaped.messages, _message(turn, shape, at), shape)
        else:
            for one in _matched(turn, shape, at, shaped, once):
                _add(shaped.messages, one, shape)
    return shaped


def _spoken(turn: Json, number: int, shape: TurnShape, where: str) -> Json:
    """A message of a turn that is a text: who speaks is known by its number."""
    if not isinstance(turn, str):
        raise MessageError("a text", word(turn), where)
    return {"role": shape.fields.order[number % len(shape.fields.order)].value, "content": turn}


# Messages whose fields have the names of an API, or nearly


def _message(turn: Json, shape: TurnShape, where: str) -> Json:
    """A message with the names of the API; one that has them already is the same object."""
    if not isinstance(turn, Mapping):
        return turn
    if shape.fields.api is Api.ANTHROPIC and isinstance(blocks := opened(turn.get("content")), list):
        return {**turn, "content": blocks}
    if shape.fields.api is not Api.OPENAI:
        return turn
    role = turn.get("role")
    speaks = turn.get("content") is not None or turn.get("tool_calls")
    if speaks and type(role) is str and role in _KNOWN and "from" not in turn:
        return turn
    key = next((name for name in shape.fields.role if turn.get(name) is not None), "role")
    said = turn.get(key)
    if said is None and key == "role":
        return turn
    speaker = _speaker(said, shape, f"{where}.{key}")
    names = shape.fields.text if key == "from" else (*shape.fields.text[1:], shape.fields.text[0])
    name = next((one for one in names if turn.get(one) not in (None, "")), None) or next(iter(names))
    others = {
        k: v for k, v in turn.items() if k not in (key, name) and not (k in names and v in (None, "", turn.get(name)))
    }
    text = turn.get(name)
    if key == "from" and not (text is None or isinstance(text, str | list)):
        raise MessageError("text", f"`{type(text).__name__}`", f"{where}.{name}")
    ids = others.get("tool_call_ids")
    if speaker is Speaker.TOOL and not others.get("tool_call_id") and isinstance(ids, list) and len(ids) == 1:
        others["tool_call_id"] = others.pop("tool_call_ids")[0]
    return _said(speaker, _inside(text, str(said), speaker, shape), others, f"{where}.{name}")


def _speaker(said: Json, shape: TurnShape, where: str) -> Speaker:
    """The speaker for a word, in letters of any case. Raises MessageError for an unknown one."""
    speaker = (shape.roles.get(said) or shape.roles.get(said.lower())) if isinstance(said, str) else None
    if speaker is None:
        words = "`user` or `gpt`" if where.endswith(".from") else "`user` or `assistant`"
        raise MessageError(f"who speaks, as {words}", word(said), where, "`roles` of a file for --rows has more")
    return speaker


def _inside(text: Json, role: str, speaker: Speaker, shape: TurnShape) -> Json:
    """A text without the element that a speaker's texts stand in, where it is nothing but that."""
    tag = shape.fields.within.get(role) or (shape.fields.within.get(speaker.value) if role != "assistant" else None)
    if tag is None or not isinstance(text, str) or speaker is Speaker.TOOL:
        return text
    whole = re.fullmatch(rf"\s*<{re.escape(tag)}>(.*)</{re.escape(tag)}>\s*", text, re.DOTALL)
    return whole[1].strip() if whole is not None else text


def _said(speaker: Speaker, text: Json, others: Mapping[str, Json], where: str) -> dict[str, Json]:
    match speaker:
        case Speaker.REASONING:
            return {"role": "assistant", "reasoning_content": text, **others}
        case Speaker.CALLS:
            return {"role": "assistant", "tool_calls": calls_in(text, where), **others}
        case _:
            left = {LEFT: ["content"]} if "content" in others else {}
            return {**others, "role": speaker.value, "content": text, **left}


def calls_in(text: Json, where: str) -> Json:
    """The calls that a text is the JSON of, one or a list, maybe each in an element."""
    value = opened(text)
    if not isinstance(value, str):
        return value if isinstance(value, list) else [value]
    inside = re.sub(r"\A\s*<tool_call>|</tool_call>\s*\Z", "", value)
    elements = [one.strip() for one in re.split(r"</tool_call>\s*<tool_call>", inside)]
    found = [opened(one) for one in elements]
    if not found or not all(isinstance(one, Mapping | list) for one in found):
        found = [_loose(one, where) for one in elements]
    return [call for one in found for call in (one if isinstance(one, list) else [one])]


_QUOTED = re.compile(r"""\{\s*"name":\s*("(?:[^"\\]|\\.)*"),\s*"arguments":\s*'(.*)'\s*\}""", re.DOTALL)


def _loose(text: str, where: str) -> Json:
    """A call whose arguments are JSON between single quotes, or a display of Python's. Raises MessageError for none."""
    quoted = _QUOTED.fullmatch(text.strip())
    try:
        if quoted:
            return {"name": json.loads(quoted[1]), "arguments": json.loads(quoted[2])}
        return json.loads(text) if text.lstrip("[ \n")[:2] != "{'" else read_literal(text)
    except (ValueError, RecursionError):
        raise MessageError(_OF_CALLS, "a text that is no JSON", where) from None


def _add(messages: list[Json], message: Json, shape: TurnShape) -> None:
    """Add a message: reasoning and calls of one answer are one message, and so are parts of one with the same id."""
    if shape.fields.api is Api.ANTHROPIC and isinstance(message, Mapping) and message.get("id"):
        at = next((at for at in reversed(range(len(messages))) if not _are_results(messages[at])), -1)
        begun = messages[at] if at >= 0 else None
        if isinstance(begun, Mapping) and begun.get("id") == message["id"] and _goes_on(message, messages[at + 1 :]):
            messages[at] = {**begun, "content": [*_blocks(begun.get("content")), *_blocks(message.get("content"))]}
            return
    last = messages[-1] if messages and shape.fields.api is not Api.ANTHROPIC else None
    if not (isinstance(last, Mapping) and isinstance(message, Mapping)):
        messages.append(message)
    elif message.get("role") == last.get("role") == "assistant" and (
        last.keys() == _THOUGHT and "reasoning_content" not in message
        or "tool_calls" in message and message.keys().isdisjoint(("content", "reasoning_content"))
    ):  # fmt: skip
        calls = [*(last.get("tool_calls") or ()), *(message.get("tool_calls") or ())]
        messages[-1] = {**last, **message, **({"tool_calls": calls} if calls else {})}
    else:
        messages.append(message)


def _goes_on(message: Mapping[str, Json], results: Sequence[Json]) -> bool:
    """True for a further part of an answer: after `results` it has only calls, and follows none of these."""
    if any(message.get("after") == one.get("uuid") is not None for one in results):
        return False
    blocks = _blocks(message.get("content"))
    return not results or all(isinstance(one, Mapping) and one.get("type") == "tool_use" for one in blocks)


def _are_results(message: Json) -> bool:
    """True for a message with nothing but results, which may stand between the parts of an answer."""
    blocks = message.get("content") if isinstance(message, Mapping) else None
    listed = blocks if isinstance(blocks, list) else []
    return bool(listed) and all(isinstance(one, Mapping) and one.get("type") == "tool_result" for one in listed)


def _blocks(content: Json) -> list[Json]:
    return content if isinstance(content, list) else [{"type": "text", "text": content}] if content else []


# Turns that patterns read


def _matched(turn: Json, shape: TurnShape, where: str, shaped: ShapedTurns, once: set[Json]) -> Iterator[Json]:
    """The messages of a turn that a pattern reads."""
    found = _first_fit(shape.each, turn)
    if found is None:
        raise MessageError(f"a turn: {shape.fields.about}", f"one of another kind, with {_fields(turn)}", where)
    holes = found.holes
    shaped.system.extend(holes.get("system", ()))
    shaped.tools.extend(holes.get("tools", ()))
    shaped.ends.extend(holes.get("end", ()))
    if "once" in holes:
        key = dumps([*holes["once"], *holes.get("message", ())])
        if key in once:
            return
        once.add(key)
    if "message" not in holes:
        if holes.keys() - {"system", "tools"}:  # what tells of the system is no message
            shaped.left[-1] += _left(found, turn, shape)
    else:  # a record around a message says nothing
        inside = _first_fit(shape.each, holes["message"][0])
        if inside is None:
            yield {**holes["message"][0], **{name: holes[name][0] for name in ("uuid", "after") if name in holes}}
            return
        holes |= inside.holes
        shaped.left[-1] += _left(inside, holes["message"][0], shape)
    yield from _of_holes(holes, shape, where, shaped)
    if (name := next((one for one in shaped.left[-1] if one in _CALLS), None)) is not None:
        raise MessageError("calls as such turns have them", f"`{name}`, which is not read", where)


class _Fit(NamedTuple):
    """A pattern that fits, and its holes."""

    pattern: Pattern
    holes: Holes


def _first_fit(patterns: Sequence[Pattern], value: Json) -> _Fit | None:
    """The first pattern that fits, and its holes; None where none does."""
    return next((_Fit(one, found) for one in patterns if (found := one.fit(value, take_of_turn)) is not None), None)


def _left(found: _Fit, value: Json, shape: TurnShape) -> list[str]:
    """The fields that a pattern does not read, but for those to ignore."""
    return [name for name in unread(found.pattern, value, take_of_turn) if name not in shape.fields.ignore]


def _fields(value: Json) -> str:
    return ", ".join(f"`{name}`" for name in [*value][:8]) if isinstance(value, Mapping) else word(value)


def _of_holes(holes: Holes, shape: TurnShape, where: str, shaped: ShapedTurns) -> Iterator[Json]:
    if "user" in holes and "assistant" in holes:  # a question with its answer
        yield {"role": "user", "content": _joined(holes["user"])}
        holes = {name: values for name, values in holes.items() if name != "user"}
    role = holes.get("role", ["user" if "user" in holes else "assistant"])[0]
    speaker = _speaker(role, shape, f"{where}.role")
    parts: list[Holes] = []
    said_before = len(shaped.system)
    for number, part in enumerate(holes["parts"][0] if "parts" in holes else ()):
        found = _first_fit(shape.parts, part)
        if found is None:
            raise MessageError("a part that is known", _fields(part), f"{where}.parts[{number}]")
        parts.append(found.holes)
        shaped.system.extend(found.holes.pop("system", ()))
        shaped.left[-1] += _left(found, part, shape)
    if "parts" not in holes or holes.keys() & _SAYING:  # what is thought or said beside parts comes before their calls
        parts.insert(len(parts) if "name" in holes else 0, holes)
    if speaker is not Speaker.ASSISTANT:
        yield from (result for one in parts for result in _results(one, speaker))
        texts, nothing = _texts(parts), "system" not in holes and len(shaped.system) == said_before
        if speaker is not Speaker.TOOL and (texts or nothing and not any("output" in one for one in parts)):
            yield {"role": speaker.value, "content": _joined(texts)}
        return
    step: list[Holes] = []
    for one in parts:
        if step and "output" in step[-1] and "output" not in one:  # what is said after a result is another answer
            yield from _answer(step, False, shape)
            step = []
        step.append(one)
    yield from _answer(step, not ("system" in holes or len(step) < len(parts)), shape)


def _answer(parts: Sequence[Holes], even_empty: bool, shape: TurnShape) -> Iterator[Json]:
    """The message of an answer, with its calls, and their results."""
    texts = _texts(parts)
    results = [result for one in parts for result in _results(one, Speaker.ASSISTANT)]
    made = [call for one in parts if "output" not in one or "arguments" in one for call in _made(one, shape)]
    calls = [*{str(call.get("id") or at): call for at, call in enumerate(made)}.values()]  # in a part and beside, too
    thoughts = [text for one in parts for text in one.get("reasoning", ())]
    message: dict[str, Json] = {"role": "assistant"}
    if texts or not (thoughts or calls):
        message["content"] = _joined(texts)
    if thoughts:
        message["reasoning_content"] = _joined(thoughts)
    if failed := [call for one in parts for listed in one.get("failed", ()) for call in opened(listed)]:
        message["invalid_tool_calls"] = failed
    if texts or thoughts or calls or failed or even_empty and not results:
        yield message | ({"tool_calls": calls} if calls else {})
    yield from results


def _texts(parts: Sequence[Holes]) -> list[Json]:
    texts = [text for one in parts for name in _TEXTS for text in one.get(name, ()) if text]
    return [[*map(_part, texts)]] if any("media" in one for one in parts) else texts


def _results(holes: Holes, speaker: Speaker) -> Iterator[Json]:
    """The result that a part has, or several, each with the id of its call."""
    if not ("output" in holes or speaker is Speaker.TOOL and "text" in holes):
        return
    outputs, ids = holes.get("output") or holes["text"], holes.get("of") or holes.get("id", [])
    name = "" if "arguments" in holes else _first(holes, "name")
    each = [*zip(outputs, ids, strict=True)] if len(ids) == len(outputs) else [(_result(outputs), _first(holes, "of"))]
    errors = holes.get("error", [])
    for number, (given, call_id) in enumerate(each):
        failed = errors[number] if len(errors) == len(each) else _first(holes, "error")
        known = {"tool_call_id": call_id and str(call_id), "name": name, "is_error": str(failed or "") not in _WELL}
        content = given if isinstance(given, str) or _are_parts(given) else dumps(given)
        yield {"role": "tool", "content": content} | {key: value for key, value in known.items() if value}


def _result(outputs: Sequence[Json]) -> Json:
    """One result of several: the list of objects, or a text."""
    objects = [*map(opened, outputs)] if len(outputs) > 1 else []
    return objects if objects and all(isinstance(one, Mapping) for one in objects) else _joined(outputs)


def _are_parts(content: Json) -> bool:
    """True for a list of parts of a message, False for any other list."""
    texts = isinstance(content, list) and all(isinstance(one, Mapping) and one.get("type") == "text" for one in content)
    return texts or isinstance(content, list) and are_parts(content)


_WELL = ("", "success", "False")
"""Error values of a result that is no error."""
_TEXTS = ("text", "user", "assistant", "media")
"""The holes with a speaker's text."""


def _part(text: Json) -> Json:
    return {"type": "text", "text": text} if isinstance(text, str) else text


_SAYING = frozenset(("text", "user", "assistant", "output", "name", "failed", "reasoning"))
"""The holes with content of a turn."""


def _made(holes: Holes, shape: TurnShape) -> Iterator[Json]:
    """The calls of which a pattern has the names and arguments, or the JSON."""
    for text in holes.get("calls", ()):
        for call in calls_in(text, "calls"):
            made = call.get("function") if isinstance(call, Mapping) else None
            whole = isinstance(made, Mapping) and {
                **made,
                "arguments": _given(made.get("name"), made.get("arguments"), shape),
            }
            yield {**call, "function": whole} if whole else call
    names, arguments, ids = (holes.get(key, []) for key in ("name", "arguments", "id"))
    for number, name in enumerate(names):
        given = arguments[number] if number < len(arguments) else {}
        call_id = ids[number] if number < len(ids) and len(ids) == len(names) else None
        yield {
            "id": call_id,
            "type": "function",
            "function": {"name": name, "arguments": _given(name, given, shape) if given is not None else {}},
        }


def _given(name: Json, arguments: Json, shape: TurnShape) -> Json:
    """The arguments of a call; a text alone is the one argument of a tool that is given such."""
    key = shape.fields.given.get(name) if isinstance(name, str) and isinstance(opened(arguments), str) else None
    return arguments if key is None else {key: arguments}


def _first(holes: Holes, name: str) -> str:
    return next((str(one) for one in holes.get(name, ()) if one), "")


def _joined(texts: Sequence[Json]) -> Json:
    """One text of several; a list of parts as it is."""
    if all(isinstance(text, str) for text in texts):
        return "".join(texts)
    return texts[0] if len(texts) == 1 else "".join(text if isinstance(text, str) else dumps(text) for text in texts)


# Steps of agents as messages: what was thought and said, the calls that were made, and what came of them


_INPUT = "action_input"
"""Field with the arguments of an action that is only a name."""
_NAMES = ("name", "tool", "tool_name")
_READ = frozenset((*_NAMES, *ARGUMENTS, "function", "id", "type"))
_A_CALL = "a call, an object with `name` and `arguments`"
_TEXT = "text"


class StepMessages(NamedTuple):
    """The messages of a step, and its fields that are not read."""

    messages: list[Json]
    left: list[str]


def messages_of_steps(one: OpenRow, steps: Json, where: str) -> list[Json]:
    """The messages of steps, and of messages among them. Raises MessageError."""
    messages: list[Json] = []
    left: list[list[str]] = []
    for number, step in enumerate(steps):
        at = f"{where}[{number}]"
        if is_step(step):
            found = step_of(one, step, at)
            messages += found.messages
            left.append(found.left)
        else:
            messages += shaped_turns([step], one.shape, at).messages
            left.append([])
    one.changes += left_out(left)
    return messages


def step_of(one: OpenRow, step: Mapping[str, Json], where: str) -> StepMessages:
    """The messages of an agent's step: its answer and what it observed. Raises MessageError."""
    actions, read = _actions(step)
    calls = [_call(action, f"{where}.action") for action in actions]
    left = [*of_turn(step, STEP | read)]
    left += [f"action.{name}" for action in actions for name in of_turn(action, _READ)]
    thought, response = (_text(step, name, where) for name in ("thought", "response"))
    action = "" if calls else _text(step, "action", where)
    said = response or "\n\n".join(filter(None, (thought.strip(), action.strip())))
    left += [name for name, text in (("thought", thought), ("action", action)) if text.strip() not in said]
    spoken = len(one.spoken(said).calls)
    if calls and spoken:  # the text has calls already
        left, calls = [*left, "action"], []
    message = {"role": "assistant", "content": said, **({"tool_calls": calls} if calls else {})}
    role = "tool" if calls or spoken else "user"
    observed = [{"role": role, "content": text} for text in _observed(step.get("observation"), len(calls) or spoken)]
    return StepMessages([message, *observed] if said or calls or not observed else observed, left)


def _text(step: Mapping[str, Json], name: str, where: str) -> str:
    value = step.get(name)
    if not value or isinstance(value, str):
        return value or ""
    raise MessageError("a text or a call" if name == "action" else "a text", got(value), f"{where}.{name}")


def _actions(step: Mapping[str, Json]) -> tuple[list[Json], frozenset[str]]:
    """The calls in an action that is no text, and the further fields that they were read from."""
    action, given = opened(step.get("action")), opened(step.get(_INPUT))
    if isinstance(action, str) and action.strip() and isinstance(given, Mapping):
        return [{"name": action.strip(), "arguments": given}], frozenset((_INPUT,))
    actions = action if isinstance(action, list) else [action] if isinstance(action, Mapping) and action else []
    is_text = isinstance(step.get("action"), str) and not all(map(_is_call, actions))
    return ([] if is_text else actions), frozenset()


def _is_call(action: Json) -> bool:
    return isinstance(action, Mapping) and (
        isinstance(action.get("function"), Mapping) or bool(_first_text(action, _NAMES))
    )


def _call(action: Json, where: str) -> Json:
    """A call, with the names of the chat-completions API. Raises MessageError for anything else."""
    if not isinstance(action, Mapping):
        raise MessageError(_A_CALL, got(action), where)
    if isinstance(action.get("function"), Mapping):
        return action
    name = _first_text(action, _NAMES)
    arguments = arguments_in(action)
    if not name or arguments is None and any(of_turn(action, _READ)):
        raise MessageError(_A_CALL, holding(action), where)
    return {"id": action.get("id"), "name": action[name], "arguments": arguments}


def _first_text(action: Mapping[str, Json], names: tuple[str, ...]) -> str:
    """The first of the keys that the action has a text under."""
    return next((name for name in names if isinstance(action.get(name), str) and action[name]), "")


def _observed(observation: Json, calls: int) -> list[str]:
    """The texts that an observation is: one for each call, where it is a list of as many."""
    if observation is None:
        return []
    given = observation if isinstance(observation, list) else []
    typed = [part for part in given if isinstance(part, Mapping) and part.get("type") == _TEXT]
    parts = [part[_TEXT] for part in typed if isinstance(part.get(_TEXT), str)]
    if parts and len(parts) == len(given):
        return parts if len(parts) == calls else ["".join(parts)]
    return one_each(observation if isinstance(observation, str) else dumps(observation), calls)
