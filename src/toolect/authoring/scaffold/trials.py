"""Whether a new dialect holds for more than its samples: it writes plain calls of all tools, and reads them again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from toolect._shown import cut, one_line
from toolect._values.schema import Schema
from toolect._values.schema_keywords import type_of
from toolect._values.toolset import ToolSchemas, tool_schemas
from toolect.authoring.scaffold.pieces import Hole
from toolect.authoring.scaffold.raw_values import ENTITY
from toolect.authoring.scaffold.seen import Arguments
from toolect.compiled import Dialect
from toolect.message import Call, Json, Message, dumps, same_json
from toolect.rendered import Unrepresentable

MAX_TRIALS = 40
"""Messages that are tried. Beyond it: no more."""
_TEXTS = ("two words", "en-GB", "Zürich", "3 or 4: all")
_PLAIN: dict[str, Sequence[Json]] = {
    "integer": (-2, 30),
    "number": (0.5, -12.25),
    "boolean": (True, False),
    "array": (["one", "two words"],),
    "object": ({"deep": "two words"},),
    "null": (None,),
}


def failed_trial(dialect: Dialect, messages: Sequence[Message], tools: Sequence[Json] | None) -> str:
    """The first plain call that the dialect cannot write and read again, and why; "" if there is none."""
    schemas = tool_schemas(tools)
    seen = {call.name: call for message in messages for call in message.calls}
    made = [Message([call]) for name in schemas for call in _calls(name, schemas)]
    for name, call in seen.items():
        if name not in schemas:
            made += [Message([varied]) for varied in _varied(call)]
    several = [call for message in made[:3] for call in message.calls]
    for message in [*made[:MAX_TRIALS], Message(several)]:
        said = ", ".join(f"{call.name} {dumps(call.arguments)}" for call in message.calls)
        try:
            text = str(dialect.render(message, tools))
        except Unrepresentable as error:
            return f"{cut(one_line(said), 100)} cannot be written: {error}"
        read = dialect.parse(text, tools).calls
        if [call.name for call in read] != [call.name for call in message.calls] or not all(
            one.runnable and same_json(one.arguments, other.arguments)
            for one, other in zip(read, message.calls, strict=True)
        ):
            return f"{cut(one_line(said), 100)} is not read as it is written: {cut(one_line(text), 100)}"
    return ""


def _calls(name: str, schemas: ToolSchemas) -> Iterator[Call]:
    """Plain calls of a declared tool."""
    schema = schemas[name]
    required = schema.node.get("required")
    keys = [key for key in schema.names if not isinstance(required, list) or key in required]
    for i in range(len(_TEXTS) if keys else 1):
        yield Call(name, {key: _value(schema.member(key), i) for key in keys})


def _value(schema: Schema | None, i: int) -> Json:
    kind = schema.types[0] if schema is not None and len(schema.types) < 7 else "string"
    if schema is not None and isinstance(options := schema.node.get("enum"), list) and options:
        return options[i % len(options)]
    options = _PLAIN.get(kind, _TEXTS)
    return options[i % len(options)]


def _varied(call: Call) -> Iterator[Call]:
    """A call whose texts are others."""
    for text in _TEXTS[:2]:
        yield Call(
            call.name,
            {key: text if isinstance(value, str) else value for key, value in (call.arguments or {}).items()},
        )


def unshown(arguments: Arguments, messages: Sequence[Message], tools: Sequence[Json] | None) -> str:
    """What the declared tools ask for that no sample shows, so that how it is written was guessed; "" for nothing."""
    schemas = tool_schemas(tools)
    members = [schemas[name].member(key) for name in schemas for key in schemas[name].names]
    wanted = {kind for member in members if member is not None and len(member.types) == 1 for kind in member.types}
    values = [value for message in messages for call in message.calls for value in (call.arguments or {}).values()]
    wanted = wanted if schemas.declared else {"string"}
    literal = not any(Hole.TEXT in form for form in arguments.forms)
    for kind in ("string", "object") if literal else ("string",):
        if kind in wanted and not any(type_of(value) == kind for value in values):
            return f"no sample shows how {'a text' if kind == 'string' else 'an object'} is written as an argument"
    texts = [value for value in values if isinstance(value, str)]
    if any(text[:1] == text[-1:] == "\n" for text in texts):
        return "no sample shows whether the line breaks around a text are a part of it"
    if any(map(ENTITY.search, map(dumps, values))):
        return "an argument has an entity such as `&lt;` in it: no sample shows that it is none"
    if 2 * sum("<" in text or ">" in text for text in texts) > len(texts):
        return "most texts that are arguments have `<` or `>` in them, which may be markup"
    if not arguments.several and any(len(schemas[name].names) > 1 for name in schemas):
        return "no sample shows how two arguments follow one another"
    return ""
