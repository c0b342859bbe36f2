"""Segments as an assistant message of the chat-completions API, both ways."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

import msgspec

from toolect._objects import (
    Object,
    as_list,
    as_object,
    as_text,
    field,
    got,
    holding,
    not_finite,
    opaque_in,
    opaque_of,
    plain,
    word,
)
from toolect._segments import Call, Content, Json, MessageError, Reasoning, Repair, RepairKind, Segment, Status, dumps


def new_id() -> str:
    """An id for a call that has none: `call_` and 24 hexadecimal digits."""
    return f"call_{os.urandom(12).hex()}"


class Ids:
    """Call ids that are unique within one answer, and not among those `taken`: the wire's, or what `mint` makes."""

    def __init__(self, taken: Iterable[str] = (), mint: Callable[[], str] = new_id) -> None:
        self._given, self._mint = {*taken}, mint

    def give(self, wire: str | None) -> str:
        """`wire`, unless there is none or an earlier call has it already."""
        chosen = wire or self._mint()
        while chosen in self._given:
            chosen = self._mint()
        self._given.add(chosen)
        return chosen


def with_ids(segments: Sequence[Segment], ids: Ids | None = None) -> tuple[Segment, ...]:
    """The segments with an id on every call, each its own; of `ids` those that must not be run have none."""
    made = ids or Ids()
    return tuple(
        msgspec.structs.replace(s, id=made.give(s.id)) if isinstance(s, Call) and (s.runnable or ids is None) else s
        for s in segments
    )


def assistant_message(
    segments: Sequence[Segment], only_runnable: bool = True, free_form: Collection[str] = ()
) -> dict[str, Json]:
    """The assistant message that has these segments; calls of the tools `free_form` have a text.

    Attempts that must not be run are listed under `invalid_tool_calls`, unless `only_runnable` is off.
    """
    ids = Ids()
    calls: list[Json] = []
    invalid: list[Json] = []
    for call in (segment for segment in segments if isinstance(segment, Call)):
        if call.runnable or not only_runnable:
            where = f"$.tool_calls[{len(calls)}].function"
            kept, inner = (opaque_of(opaque, "call") for opaque in (call.opaque, (call.opaque or {}).get("function")))
            if call.name in free_form:
                custom = {"name": call.name, FREE_FORM: free_form_text(call)}
                calls.append({"id": ids.give(call.id), "type": "custom", "custom": custom, **kept})
                continue
            function = {"name": call.name, "arguments": arguments_text(call, where), **inner}
            calls.append({"id": ids.give(call.id), "type": "function", "function": function, **kept})
        else:
            invalid.append(invalid_call(call, f"$.invalid_tool_calls[{len(invalid)}]"))
    content = "".join(segment.text for segment in segments if isinstance(segment, Content))
    out: dict[str, Json] = {"role": "assistant", "content": content or (None if calls else "")}
    if reasoning := "".join(segment.text for segment in segments if isinstance(segment, Reasoning)):
        out["reasoning_content"] = reasoning
    for segment in segments:
        out |= opaque_of(segment.opaque, "message") if isinstance(segment, Reasoning) else {}
    if calls:
        out["tool_calls"] = calls
    if invalid:
        out["invalid_tool_calls"] = invalid
    return out


def invalid_call(call: Call, where: str = "$") -> dict[str, Json]:
    """An attempt that must not be run, as `invalid_tool_calls` lists it."""
    said: dict[str, Json] = {"name": call.name, "arguments": arguments_text(call, where), "id": call.id,
                             "status": call.status.value, "error": call.error}  # fmt: skip
    return said | {"raw": call.raw} if call.raw else said


def arguments_text(call: Call, where: str = "$") -> str:
    """The arguments as JSON text; a repaired call's own text counts only if it is JSON for the same value."""
    try:
        if call.status is Status.REPAIRED and call.spelling is not None:
            return call.spelling if _spells(call.spelling, call.arguments) else dumps(call.arguments)
        text = call.arguments_text
        number = not_finite(call.arguments) if call.runnable and ("Infinity" in text or "NaN" in text) else None
    except (TypeError, ValueError, RecursionError) as error:
        raise MessageError("arguments that JSON can carry", f"`{_why(error)}`", f"{where}.arguments") from None
    if number is not None:
        raise MessageError("arguments that JSON can carry", f"the number `{dumps(number)}`", f"{where}.arguments")
    return text


THOUGHTS = ("reasoning_content", "reasoning", "thinking")
"""The names that servers and templates have for a message's reasoning."""
_SIMPLE = frozenset(("role", "content", "tool_calls"))
"""The only keys of most messages."""
_TEXTS = {"text": "text", "input_text": "text", "output_text": "text", "refusal": "refusal", "thinking": "thinking"}
"""The types of parts that are text, and under which name each has it."""


def segments_of(obj: Object, where: str = "$") -> list[Segment]:
    """Segments of an assistant message, of the first of a response's `choices`, or of tool calls, else MessageError."""
    if type(obj) is dict and obj.keys() <= _SIMPLE and obj.get("role") == "assistant":  # nearly all messages are
        calls, content = obj.get("tool_calls"), obj.get("content")
        if content is None or type(content) is str:
            said: list[Segment] = [Content(content)] if content else []
            if calls is not None:
                said += _calls(as_list(calls, f"{where}.tool_calls"), f"{where}.tool_calls")
            return said
    if isinstance(obj, Sequence) and not isinstance(obj, str | bytes):
        return list(_calls(obj, where))
    if field(obj, "role") is None and _is_call(obj):
        return list(_calls([obj], where))
    if (choices := field(obj, "choices")) is not None:
        choice = as_list(choices, f"{where}.choices")[:1]
        if not choice:
            raise MessageError("at least one choice", "none", f"{where}.choices")
        said = segments_of(field(choice[0], "message"), f"{where}.choices[0].message")
        return cut_off(said) if field(choice[0], "finish_reason") in CUT else said
    keys = ("role", "content", "tool_calls", "function_call", *THOUGHTS, "refusal")
    if all(field(obj, key) is None for key in keys) and not (isinstance(obj, Mapping) and "content" in obj):
        advice = "it has `content`, `tool_calls` or both" if isinstance(obj, Mapping) else ""
        raise MessageError("an assistant message", holding(obj), where, advice)
    if (role := field(obj, "role")) not in (None, "assistant"):
        raise MessageError('the role "assistant"', word(role), f"{where}.role")
    return list(_segments(obj, where))


def _is_call(obj: Object) -> bool:
    """True for one tool call, which stands for a list of one."""
    return field(obj, "type") == "function" or isinstance(obj, Mapping) and {"name", "arguments"} <= obj.keys()


def _segments(obj: Object, where: str) -> Iterator[Segment]:
    for key in THOUGHTS:
        if text := as_text(field(obj, key), f"{where}.{key}"):
            break
    if (opaque := opaque_in(obj, "message", where)) or text:
        yield Reasoning(text, opaque=opaque)
    yield from content_of(field(obj, "content"), f"{where}.content")
    if refusal := as_text(field(obj, "refusal"), f"{where}.refusal"):
        yield Content(refusal)
    calls = field(obj, "tool_calls")
    legacy = field(obj, "function_call")
    if calls is not None:
        yield from _calls(as_list(calls, f"{where}.tool_calls"), f"{where}.tool_calls")
    if legacy is not None and not calls:
        yield named_call(legacy, None, f"{where}.function_call")
    for i, item in enumerate(as_list(field(obj, "invalid_tool_calls") or [], f"{where}.invalid_tool_calls")):
        yield _invalid(item, f"{where}.invalid_tool_calls[{i}]")


def content_of(value: Object, where: str) -> Iterator[Segment]:
    """Content is a text or a list of parts; a part holds its text under the name of its type."""
    if value is None or isinstance(value, str):
        yield from [Content(value)] if value else []
        return
    for i, part in enumerate(as_list(value, where, "text or a list of parts")):
        yield from part_texts(part, f"{where}[{i}]")


def part_texts(part: Object, at: str) -> Iterator[Segment]:
    """Segments of one part of a message's content. Raises MessageError for a part that is no text."""
    kind = "text" if isinstance(part, str) else field(part, "type")
    if not isinstance(kind, str) or kind not in _TEXTS:
        advice = "leave it out, or say in words what it shows"
        raise MessageError("a part of type text, refusal or thinking", word(kind), f"{at}.type", advice)
    text = part if isinstance(part, str) else field(part, _TEXTS[kind])
    if kind == "thinking" and not isinstance(text, str):
        yield from (Reasoning(inner.text) for inner in content_of(text, f"{at}.{kind}") if isinstance(inner, Content))
    elif kind == "thinking":
        signature = as_text(field(part, "signature"), f"{at}.signature")
        if (text := as_text(text, f"{at}.{kind}")) or signature:
            yield Reasoning(text, signature=signature)
    elif text := as_text(text, f"{at}.{kind}"):
        yield Content(text)


FREE_FORM = "input"
"""The argument that is the text of a call of a free-form tool, one of type `custom`."""


def free_form_call(obj: Object, call_id: str, where: str) -> Call:
    """The call of a free-form tool, which takes one text. Raises MessageError."""
    name, text = as_text(field(obj, "name"), f"{where}.name"), as_text(field(obj, FREE_FORM), f"{where}.{FREE_FORM}")
    if not name:
        raise MessageError("a name", "none", f"{where}.name")
    return Call(name, {FREE_FORM: text}, call_id or None)


def free_form_text(call: Call) -> str:
    """The text of a call of a free-form tool; its arguments as JSON where these are not one text."""
    text = call.arguments.get(FREE_FORM) if call.arguments and len(call.arguments) == 1 else None
    return text if isinstance(text, str) else arguments_text(call)


def _calls(items: Sequence[Object], where: str) -> Iterator[Call]:
    for i, item in enumerate(items):
        at = f"{where}[{i}]"
        if field(as_object(item, at, "a tool call"), "role") is not None:
            raise MessageError("a tool call", "a whole message: give that alone", at)
        if (kind := field(item, "type")) not in (None, "function", "custom"):
            raise MessageError('the type "function" or "custom"', word(kind), f"{at}.type")
        call_id = as_text(field(item, "id"), f"{at}.id")
        if kind == "custom":
            yield free_form_call(field(item, "custom"), call_id, f"{at}.custom")
            continue
        # Datasets write the function's fields directly into the call.
        function = field(item, "function")
        flat = function is None and field(item, "name") is not None
        call = named_call(item, call_id, at) if flat else named_call(function, call_id, f"{at}.function")
        opaque = opaque_of_call(item, function, at)
        yield msgspec.structs.replace(call, opaque=opaque) if opaque else call


def opaque_of_call(item: Object, function: Object, where: str) -> dict[str, Json] | None:
    """Opaque fields of a call, those of its function under `function`; None without any. Raises MessageError."""
    inner = None if function is None else opaque_in(function, "call", f"{where}.function")
    return {**(opaque_in(item, "call", where) or {}), **({"function": inner} if inner else {})} or None


ARGUMENTS = ("arguments", "args", "input", "parameters", "tool_input")
"""Fields for the arguments of a call: OpenAI's, LangChain's, Anthropic's, Llama's, and those of agents."""


def arguments_in(function: Object) -> Object:
    """The arguments in an object with the name of a call, whichever field they are in; None for none."""
    return next((given for key in ARGUMENTS if (given := field(function, key)) is not None), None)


def named_call(function: Object, call_id: str | None, where: str) -> Call:
    """The call of an object with `name` and `arguments`. Raises MessageError."""
    if function is None or isinstance(function, str | int | float | Sequence):
        raise MessageError("an object with `name` and `arguments`", got(function), where)
    name, given = as_text(field(function, "name"), f"{where}.name"), arguments_in(function)
    if not name:
        raise MessageError("a name", "none", f"{where}.name")
    return given_call(name, given, call_id or None, f"{where}.arguments")


def given_call(name: str, given: Object, call_id: str | None, where: str) -> Call:
    """The call with arguments as an API gives them, an object or its JSON text, if any; malformed with other values."""
    if given is None or given in ([], ()) or (isinstance(given, str) and not given.strip()):
        return without_arguments(name, call_id)
    if isinstance(given, str):
        return spelled_call(name, given, call_id)
    value = plain(given, where)
    if isinstance(value, dict):
        return plain_call(name, value, call_id)
    error = f"expected an object, got {got(given)}"
    return Call(name, None, call_id, spelling=dumps(value), status=Status.MALFORMED, error=error)


def without_arguments(name: str, call_id: str | None) -> Call:
    """The call of which nothing said that it has arguments."""
    return Call(name, {}, call_id, status=Status.REPAIRED, repairs=(Repair(RepairKind.MISSING_ARGUMENTS, 0),))


BROKEN_OFF = (
    "length", "max_tokens", "max_output_tokens", "model_context_window_exceeded", "abort", "cancelled", "error",
)  # fmt: skip
"""Finish reasons of engines and APIs for an answer that was cut off."""
CUT = (*BROKEN_OFF, "content_filter", "refusal", "incomplete")
"""The same, and those of one that was filtered."""


def cut_off(segments: Sequence[Segment]) -> list[Segment]:
    """The segments of an answer that was cut off: its last call is truncated, unless it has whole arguments."""
    *before, last = segments or (None,)
    if not isinstance(last, Call) or last.status is Status.OK:
        return [*segments]
    lacks = any(mend.kind is RepairKind.MISSING_ARGUMENTS for mend in last.repairs)
    return [*before, truncated(last, last.spelling or "")] if lacks or not last.runnable else [*segments]


def truncated(call: Call, spelling: str) -> Call:
    """The call, in which its answer was cut off."""
    error = "the answer was cut off inside the call"
    return msgspec.structs.replace(
        call, arguments=None, spelling=spelling, status=Status.TRUNCATED, repairs=(), error=error
    )


def plain_call(name: str, arguments: dict[str, Json], call_id: str | None) -> Call:
    """The call with these arguments: malformed where a number in them is not finite, which no JSON says."""
    if (number := not_finite(arguments)) is None:
        return Call(name, arguments, call_id)
    error = f"expected a finite number, got {dumps(number)}"
    return Call(name, None, call_id, spelling=dumps(arguments), status=Status.MALFORMED, error=error)


def spelled_call(name: str, text: str, call_id: str | None) -> Call:
    """The call with the arguments that `text` spells in JSON: always one, malformed if they cannot be read."""
    return _at_once(name, text, call_id) or _patiently(Call(name, None, call_id, spelling=text), text)


def read_arguments(call: Call, text: str) -> Call:
    """`call` with the arguments that `text` spells in JSON: always a call, malformed if they cannot be read."""
    return _at_once(call.name, text, call.id) or _patiently(call, text)


def _at_once(name: str, text: str, call_id: str | None) -> Call | None:
    """The call where `text` is spelled as we spell it, so that no key stands in it twice."""
    try:
        arguments = _decode(text)
        if type(arguments) is dict and dumps(arguments) == text:
            return Call(name, arguments, call_id)
    except (ValueError, RecursionError):
        pass
    return None


def _patiently(call: Call, text: str) -> Call:
    repairs: list[Repair] = []
    try:
        value = _loads(text, repairs) if text.strip() else None
        if isinstance(value, str):
            value = _loads(value, repairs) if value.strip() else None
            repairs.append(Repair(RepairKind.DOUBLE_ENCODED, 0))
        if value is None or value == []:  # an empty object, as some servers write it
            return without_arguments(call.name, call.id)
        if not isinstance(value, dict):
            raise ValueError(f"expected an object, got {got(value)}")
        spelling = None if dumps(value) == text else text
    except (ValueError, RecursionError) as error:
        return msgspec.structs.replace(call, arguments=None, status=Status.MALFORMED, error=_why(error))
    status = Status.REPAIRED if repairs else Status.OK
    return msgspec.structs.replace(call, arguments=value, spelling=spelling, status=status, repairs=tuple(repairs))


def _invalid(item: Object, where: str) -> Call:
    """An attempt that `assistant_message` listed as invalid stays one."""
    name, text = as_text(field(item, "name"), f"{where}.name"), as_text(arguments_in(item), f"{where}.arguments")
    error = as_text(field(item, "error"), f"{where}.error")
    status = Status.TRUNCATED if field(item, "status") == Status.TRUNCATED else Status.MALFORMED
    call_id, raw = (as_text(field(item, key), f"{where}.{key}") for key in ("id", "raw"))
    if name and status is Status.TRUNCATED:  # its arguments are all that was said, and no markup
        raw = ""
    return Call(name or "", None, call_id or None, spelling=text or "", status=status, error=error, raw=raw)


_decode = msgspec.json.Decoder().decode


def _loads(text: str, repairs: list[Repair]) -> Json:
    def pairs(items: list[tuple[str, Json]]) -> dict[str, Json]:
        out = dict(items)
        if len(out) < len(items):
            repairs.append(Repair(RepairKind.DUPLICATE_KEY, 0))
        return out

    def refuse(word: str) -> Json:
        raise ValueError(f"expected a JSON value, got {word}")

    def finite(word: str) -> float:
        number = float(word)
        if number - number != 0:
            raise ValueError(f"expected a finite number, got {word[:40]}")
        return number

    return json.loads(text, object_pairs_hook=pairs, parse_constant=refuse, parse_float=finite)


def _spells(text: str, value: Json) -> bool:
    """True where every reader finds this value in `text`: of a key that stands in it twice some take the first."""
    repairs: list[Repair] = []
    try:
        return dumps(_loads(text, repairs)) == dumps(value) and not repairs
    except (ValueError, RecursionError):
        return False


def _why(error: Exception) -> str:
    """Why JSON could not be read or written, in a few words."""
    if isinstance(error, RecursionError):
        return "nested too deeply"
    if isinstance(error, json.JSONDecodeError):
        return f"not JSON at character {error.pos}: {error.msg}"
    text = str(error)
    return f"a number of more than {sys.get_int_max_str_digits()} digits" if "int_max_str" in text else text
