"""Writes a message in a dialect by walking its grammar: literals as they stand, holes filled from the message."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

from toolect.compile.network import frame
from toolect.engine.builder import join_ref, split_ref
from toolect.engine.codec import declared_types, encode, escape, faithful, property_schema, tool_schemas
from toolect.ir import Call, Content, Json, Message, Reasoning, Segment, dumps, same_json
from toolect.spec.model import (
    Alt,
    Codec,
    CodecKind,
    Const,
    Expr,
    Hole,
    HoleKind,
    Keyed,
    Literal,
    Many,
    Obj,
    OneOf,
    Pattern,
    Ref,
    Repeat,
    Role,
    Seq,
    Shape,
    Slot,
    SlotKind,
)

if TYPE_CHECKING:
    from toolect.compiled import Dialect


class Unrepresentable(ValueError):
    """The dialect cannot carry a value: `slot` names the place, `reason` says why, `witness` shows it."""

    def __init__(self, slot: str, reason: str, witness: str = "") -> None:
        shown = f": {witness[:80]!r}" if witness else ""
        super().__init__(f"{slot}: {reason}{shown}")
        self.slot, self.reason, self.witness = slot, reason, witness

    def __reduce__(self) -> tuple[Any, ...]:
        return Unrepresentable, (self.slot, self.reason, self.witness)


class Part(StrEnum):
    """What a stretch of rendered text is."""

    MARKUP = "markup"
    CONTENT = "content"
    REASONING = "reasoning"
    NAME = "name"
    ID = "id"
    KEY = "key"
    VALUE = "value"
    ARGUMENTS = "arguments"


class PartSpan(NamedTuple):
    """Characters `start:end` of the rendered text are `part`, of segment number `segment` (-1 for none)."""

    start: int
    end: int
    part: Part
    segment: int


class Rendered(str):
    """Wire text that knows which of its characters are markup, and which come from where: `spans` tile it."""

    __slots__ = ("spans",)
    spans: tuple[PartSpan, ...]

    def __new__(cls, text: str, spans: tuple[PartSpan, ...] = ()) -> Rendered:
        self = super().__new__(cls, text)
        self.spans = spans
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Rendered, (str(self), self.spans)


class Cursor:
    """The data that a stretch of grammar is filled from, in order."""

    __slots__ = ("at", "call", "items", "key")

    def __init__(self, items: Sequence[Any], call: Call | None = None, key: str = "") -> None:
        self.items, self.at = items, 0
        self.call, self.key = call, key

    @property
    def next(self) -> Any:
        return self.items[self.at] if self.at < len(self.items) else _NOTHING


_NOTHING = object()
_ROLES = frozenset(r.value for r in Role)
_PARTS = {Role.CONTENT: Part.CONTENT, Role.REASONING: Part.REASONING}
_VALUES: dict[Role, Any] = {
    Role.OBJECT: lambda v: isinstance(v, dict),
    Role.ARRAY: lambda v: isinstance(v, list),
    Role.STRING: lambda v: isinstance(v, str),
    Role.NUMBER: lambda v: isinstance(v, int | float) and not isinstance(v, bool),
    Role.TRUE: lambda v: v is True,
    Role.FALSE: lambda v: v is False,
    Role.NULL: lambda v: v is None,
}


class Renderer:
    """Renders one message."""

    def __init__(self, dialect: Dialect, schemas: Mapping[str, Mapping[str, Any]]) -> None:
        self.spec = dialect.spec
        self.calling = dialect.graph().network.calling
        self.schemas = schemas
        self.out: list[tuple[str, Part, int]] = []
        self.segment = -1
        self.calls = 0
        self.inside = False
        self.before: Segment | None = None
        self.sort = dialect.spec.policies.key_order == "sorted"

    # Writing

    def write(self, text: str, part: Part = Part.MARKUP) -> None:
        if text:
            self.out.append((text, part, -1 if part is Part.MARKUP else self.segment))

    def rendered(self) -> Rendered:
        spans: list[PartSpan] = []
        at = 0
        for text, part, segment in self.out:
            if spans and spans[-1].part is part and spans[-1].segment == segment:
                spans[-1] = spans[-1]._replace(end=at + len(text))
            else:
                spans.append(PartSpan(at, at + len(text), part, segment))
            at += len(text)
        return Rendered("".join(text for text, _, _ in self.out), tuple(spans))

    def message(self, segments: Sequence[Segment]) -> None:
        cursor = Cursor(segments)
        self.expr(self.spec.rules["start"].expr, "start", cursor)
        if cursor.at < len(segments):
            left = segments[cursor.at]
            kind = type(left).__name__.lower()
            raise Unrepresentable(kind, f"no place for {kind} here", _sample(left))

    # The walk

    def expr(self, expr: Expr, rule: str, cursor: Cursor, closer: str = "") -> None:
        """Write `expr` of `rule`, taking data from `cursor`; `closer` is the marker that follows a slot."""
        match expr:
            case Literal(text):
                self.write(text)
            case Seq(items):
                for i, item in enumerate(items):
                    after = items[i + 1] if i + 1 < len(items) else None
                    self.expr(item, rule, cursor, after.text if isinstance(after, Literal) else closer)
            case Repeat(item, least, once):
                done = 0
                while self.takes(item, rule, cursor) or done < least:
                    at = cursor.at
                    self.expr(item, rule, cursor)
                    done += 1
                    if once or cursor.at == at:
                        break
            case Alt(items):
                self.choose([i for i in items if self.takes(i, rule, cursor)] or list(items), rule, cursor, closer)
            case Ref(name):
                self.reference(name, rule, cursor)
            case Pattern(regex, name):
                self.pattern(regex, name, rule, cursor)
            case Slot(kind):
                self.slot(kind, rule, cursor, closer)

    def choose(self, items: list[Expr], rule: str, cursor: Cursor, closer: str) -> None:
        """Write the first of `items` that can carry the data."""
        for i, item in enumerate(items):
            mark, at = len(self.out), cursor.at
            state = self.segment, self.calls, self.before
            try:
                self.expr(item, rule, cursor, closer)
                if cursor.call is not None and cursor.at < len(cursor.items) and i + 1 < len(items) and cursor.at == at:
                    raise Unrepresentable("arguments", "no place for them here")
                return
            except Unrepresentable:
                if i + 1 == len(items):
                    raise
                del self.out[mark:]
                cursor.at = at
                self.segment, self.calls, self.before = state

    def takes(self, expr: Expr, rule: str, cursor: Cursor) -> bool:
        """True when the first thing that `expr` needs is what `cursor` has next."""
        if cursor.next is _NOTHING:
            return False
        match expr:
            case Literal():
                return False
            case Seq(items):
                for item in items:
                    if self.takes(item, rule, cursor):
                        return True
                    if not (isinstance(item, Literal) or isinstance(item, Repeat) and item.least == 0):
                        return False
                return False
            case Alt(items):
                return any(self.takes(i, rule, cursor) for i in items)
            case Repeat(item):
                return self.takes(item, rule, cursor)
            case Ref(name):
                return self.reference_takes(name, cursor)
            case Pattern(_, name):
                return self.role(rule, name) in (Role.NUMBER, Role.PAIR_KEY, Role.NAME, Role.REF, Role.KEY)
            case Slot(kind):
                return kind is not SlotKind.JSON or self.shape(rule) is None or isinstance(cursor.next, Call) or (
                    not isinstance(cursor.next, Content | Reasoning)
                )

    def reference_takes(self, name: str, cursor: Cursor) -> bool:
        role, data = self.spec.roles.get(name), cursor.next
        inner = self.spec.rules[name]
        if inner.value and name in _ROLES:
            test = _VALUES.get(Role(name))
            return test is None or test(data)
        match role:
            case Role.CONTENT | Role.REASONING:
                if not isinstance(data, Content if role is Role.CONTENT else Reasoning):
                    return False
                return role is Role.REASONING or self.canonical(name, cursor)
            case Role.CALL:
                return isinstance(data, Call)
            case Role.ARGUMENT:
                return cursor.call is not None
        if self.shape(name) is not None and self.inner_calls(name):
            kinds = every_hole(self.shape(name))
            return isinstance(data, Call) or HoleKind.CONTENT in kinds and self.content_then_call(cursor)
        return self.takes(inner.expr, name, cursor)

    def content_then_call(self, cursor: Cursor) -> bool:
        """True when content is next and a call after it."""
        after = cursor.items[cursor.at + 1] if cursor.at + 1 < len(cursor.items) else None
        return isinstance(cursor.next, Content) and isinstance(after, Call)

    def canonical(self, name: str, cursor: Cursor) -> bool:
        """Is rule `name` the one that content is written with here?"""
        chosen = self.spec.canonical
        if not chosen:
            return True
        before_call = "content before call" in chosen and self.content_then_call(cursor)
        return name == chosen["content before call" if before_call else "content"]

    def reference(self, name: str, rule: str, cursor: Cursor) -> None:
        role, inner = self.spec.roles.get(name), self.spec.rules[name]
        if inner.value and self.spec.roles.get(f"{rule}/{name}") is Role.ARGUMENTS:
            assert cursor.call is not None
            self.value(Role(name), name, Cursor([cursor.call.arguments], cursor.call))
            cursor.at = len(cursor.items)
            return
        if inner.value and name in _ROLES:
            self.value(Role(name), name, cursor)
            return
        if role in (Role.CONTENT, Role.REASONING):
            segment = cursor.next
            if segment is _NOTHING:
                raise Unrepresentable(name, "the grammar needs one here")
            self.segment += 1
            self.expr(inner.expr, name, Cursor([segment]))
            self.before = segment
            cursor.at += 1
            return
        outermost = name in self.calling and not self.inside and isinstance(cursor.next, Call)
        if outermost:
            self.gap()
            self.inside = True
        try:
            if role is Role.CALL:
                self.call(name, cursor)
            elif role is Role.ARGUMENT:
                self.argument(name, cursor)
            else:
                self.expr(inner.expr, name, cursor)
        finally:
            if outermost:
                self.inside = False

    def gap(self) -> None:
        """The whitespace between a call and what is before it."""
        gaps, before = self.spec.gaps, self.before
        if isinstance(before, Call):
            self.write(gaps.between_calls)
        elif isinstance(before, Content) or isinstance(before, Reasoning) and self.open_ended(Role.REASONING):
            self.write(gaps.before_call)

    def open_ended(self, role: Role) -> bool:
        """True when the rule of `role` ends in its slot, with no marker after it."""
        for name, known in self.spec.roles.items():
            if known is role and name in self.spec.rules:
                expr = self.spec.rules[name].expr
                return isinstance(expr.items[-1] if isinstance(expr, Seq) else expr, Slot)
        return False

    # Calls

    def call(self, name: str, cursor: Cursor) -> None:
        call = cursor.next
        if not isinstance(call, Call):
            raise Unrepresentable("call", "the grammar needs a call here")
        if not isinstance(call.arguments, dict):
            raise Unrepresentable("arguments", "expected an object", dumps(call.arguments))
        self.segment += 1
        entries = list(call.arguments.items())
        inner = Cursor(sorted(entries) if self.sort else entries, call)
        self.expr(self.spec.rules[name].expr, name, inner)
        if inner.at < len(inner.items):
            raise Unrepresentable("arguments", "no place for them here", dumps(call.arguments))
        self.calls += 1
        self.before = call
        cursor.at += 1

    def argument(self, name: str, cursor: Cursor) -> None:
        key, value = cursor.next
        self.expr(self.spec.rules[name].expr, name, Cursor([value], cursor.call, key))
        cursor.at += 1

    def pattern(self, regex: str, name: str, rule: str, cursor: Cursor) -> None:
        call = cursor.call
        match self.role(rule, name):
            case Role.NAME if call is not None:
                self.fits(regex, call.name, "name", Part.NAME)
            case Role.REF if call is not None:
                self.fits(regex, self.ref(call), "id", Part.ID)
            case Role.ID if call is not None:
                self.fits(regex, call.id or "", "id", Part.ID)
            case Role.KEY:
                self.fits(regex, cursor.key, "argument key", Part.KEY)
            case Role.NUMBER:
                self.fits(regex, dumps(cursor.next), "number", Part.VALUE)
                cursor.at += 1
            case Role.PAIR_KEY:
                self.fits(regex, cursor.next, "object key", Part.VALUE)
                cursor.at += 1
            case _:
                raise Unrepresentable(name, "nothing in a message fills this terminal")

    def ref(self, call: Call) -> str:
        """The composite id of `call`: its own where that names the call, else a new one."""
        template = self.spec.ref
        if "{index}" in template and call.id is not None and split_ref(template, call.id)[0] == call.name:
            return call.id
        return join_ref(template, call.name, self.calls)

    def fits(self, regex: str, text: str, slot: str, part: Part) -> None:
        if re.fullmatch(regex, text) is None:
            raise Unrepresentable(slot, f"does not match /{regex}/", text)
        self.write(text, part)

    # Slots

    def role(self, rule: str, name: str) -> Role | None:
        spec = self.spec
        if spec.rules[rule].value:
            return Role(rule) if rule in (Role.NUMBER, Role.PAIR_KEY) else Role.STRING
        return spec.roles.get(f"{rule}/{name}") or spec.roles.get(name) or spec.roles.get(rule)

    def shape(self, rule: str) -> Shape | None:
        return self.spec.shapes.get(f"{rule}/JSON")

    def inner_calls(self, rule: str) -> bool:
        """True when the JSON slot of `rule` holds whole calls."""
        return HoleKind.NAME in every_hole(self.shape(rule)) and self.spec.roles.get(rule) is not Role.CALL

    def slot(self, kind: SlotKind, rule: str, cursor: Cursor, closer: str) -> None:
        role = self.role(rule, kind)
        if kind is SlotKind.JSON and role is not Role.VALUE:
            self.json(rule, cursor)
            return
        if role in _PARTS:
            segment = cursor.next
            self.write(segment.text if segment is not _NOTHING else "", _PARTS[role])
            cursor.at += 1
            return
        if self.spec.rules[rule].value:
            text = cursor.next
            if kind is SlotKind.ESCAPED:
                text = escape(text, closer)
            elif frame(closer)[1] and frame(closer)[1] in text:
                raise Unrepresentable("string", "holds the marker that ends it", frame(closer)[1])
            self.write(text, Part.VALUE)
            cursor.at += 1
            return
        codec = self.spec.codecs.get(f"{rule}/{kind}")
        if role is Role.ARGUMENTS:
            self.plain_arguments(codec, cursor)
            return
        codec = codec or Codec(CodecKind.JSON if kind is SlotKind.JSON else CodecKind.TEXT)
        value = cursor.next
        schema = property_schema(self.schemas.get(cursor.call.name if cursor.call else ""), cursor.key)
        try:
            text = encode(codec, value)
        except ValueError as error:
            raise Unrepresentable(f"argument {cursor.key!r}", str(error), dumps(value)) from None
        if not faithful(codec, value, schema):
            types = " or ".join(declared_types(schema))
            raise Unrepresentable(f"argument {cursor.key!r}", f"would not be read back as it is (declared {types})", text)
        self.write(text, Part.VALUE)
        cursor.at += 1

    def plain_arguments(self, codec: Codec | None, cursor: Cursor) -> None:
        """Arguments as plain text: one string under the codec's key."""
        key = codec.key if codec is not None and codec.key else "value"
        if [k for k, _ in cursor.items] != [key] or not isinstance(cursor.items[0][1], str):
            raise Unrepresentable("arguments", f"expected one string under the key {key!r}", dumps(dict(cursor.items)))
        self.write(cursor.items[0][1], Part.ARGUMENTS)
        cursor.at += 1

    # JSON

    def json(self, rule: str, cursor: Cursor) -> None:
        shape = self.shape(rule) or Hole(HoleKind.ARGUMENTS)
        if cursor.call is not None:
            self.unit(shape, cursor.call)
            cursor.at = len(cursor.items)
            return
        run: list[Call] = []
        content: Content | None = None
        if HoleKind.CONTENT in every_hole(shape) and isinstance(cursor.next, Content):
            content = cursor.next
            cursor.at += 1
            self.segment += 1
        while isinstance(cursor.next, Call):
            run.append(cursor.next)
            cursor.at += 1
        if not run:
            raise Unrepresentable("call", "the grammar needs a call here")
        self.fill(shape, run, content)
        self.before = run[-1]

    def fill(self, shape: Shape, run: list[Call], content: Content | None) -> None:
        """Write a shape that holds a run of calls."""
        match shape:
            case Many(item):
                self.write("[")
                for i, call in enumerate(run):
                    if i:
                        self.write(", ")
                    self.segment += 1
                    self.unit(item, call)
                    self.calls += 1
                self.write("]")
            case Obj(fields) if any(isinstance(f.shape, Many) for f in fields):
                first = True
                for field in fields:
                    if isinstance(field.shape, Hole) and field.shape.kind is not HoleKind.CONTENT and field.optional:
                        continue
                    self.write(("{" if first else ", ") + dumps(field.keys[0]) + ": ")
                    first = False
                    if isinstance(field.shape, Hole):
                        self.write(dumps(None if content is None else content.text), Part.CONTENT)
                    elif isinstance(field.shape, Const):
                        self.write(dumps(field.shape.value))
                    else:
                        self.fill(field.shape, run, content)
                self.write("}")
            case OneOf(shapes):
                self.fill(shapes[0], run, content)
            case _:
                if len(run) > 1:
                    raise Unrepresentable("call", "one call at most fits here", run[1].name)
                self.segment += 1
                self.unit(shape, run[0])
                self.calls += 1

    def unit(self, shape: Shape, call: Call) -> None:
        """Write the shape of one call."""
        match shape:
            case Hole(kind):
                self.hole(kind, call)
            case Const(value):
                self.write(dumps(value))
            case Keyed(inner):
                self.write("{")
                self.write(dumps(call.name), Part.NAME)
                self.write(": ")
                self.unit(inner, call)
                self.write("}")
            case Obj(fields):
                shown = [f for f in fields if not (f.optional and f.shape == Hole(HoleKind.ID) and call.id is None)]
                for i, field in enumerate(shown):
                    self.write(("{" if i == 0 else ", ") + dumps(field.keys[0]) + ": ")
                    self.unit(field.shape, call)
                self.write("}" if shown else "{}")
            case Many(item):
                self.write("[")
                self.unit(item, call)
                self.write("]")
            case OneOf(shapes):
                self.unit(shapes[0], call)

    def hole(self, kind: HoleKind, call: Call) -> None:
        match kind:
            case HoleKind.NAME:
                self.write(dumps(call.name), Part.NAME)
            case HoleKind.ID:
                self.write(dumps(call.id), Part.ID)
            case HoleKind.ARGUMENTS:
                self.write(self.arguments(call), Part.ARGUMENTS)
            case HoleKind.ARGUMENTS_TEXT:
                self.write(dumps(self.arguments(call)), Part.ARGUMENTS)
            case _:
                self.write("null")

    def arguments(self, call: Call) -> str:
        """The arguments as JSON text: the model's own spelling where there is one."""
        if not isinstance(call.arguments, dict):
            raise Unrepresentable("arguments", "expected an object", dumps(call.arguments))
        if _has_strange(call.arguments):
            raise Unrepresentable("arguments", "expected finite numbers, got", dumps(call.arguments))
        if call.runnable and call.spelling is not None and not self.sort:
            return call.spelling
        return dumps(_sorted(call.arguments) if self.sort else call.arguments)

    # Value languages

    def value(self, role: Role, name: str, cursor: Cursor) -> None:
        """Write the next value of `cursor` with the value language's rule `name`."""
        value = cursor.next
        expr = self.spec.rules[name].expr
        test = _VALUES.get(role)
        if test is not None and not test(value):
            raise Unrepresentable(name, "has no place for this value", dumps(value))
        match role:
            case Role.OBJECT:
                entries = sorted(value.items()) if self.sort else list(value.items())
                self.whole(expr, name, Cursor(entries, cursor.call))
            case Role.ARRAY:
                self.whole(expr, name, Cursor(value, cursor.call))
            case Role.PAIR:
                key, inner = value
                self.expr(expr, name, Cursor([key, inner], cursor.call))
            case Role.TRUE | Role.FALSE | Role.NULL:
                self.expr(_first_literal(expr), name, cursor)
            case Role.NUMBER:
                if isinstance(value, float) and (value != value or abs(value) == float("inf")):
                    raise Unrepresentable("number", "expected a finite number", str(value))
                self.expr(expr, name, Cursor([value], cursor.call))
            case _:
                self.expr(expr, name, Cursor([value], cursor.call))
        cursor.at += 1

    def whole(self, expr: Expr, name: str, inner: Cursor) -> None:
        """Write a container: all of its items must find a place."""
        options = expr.items if isinstance(expr, Alt) else (expr,)
        self.expr(options[0], name, inner)
        if inner.at < len(inner.items):
            raise Unrepresentable(name, "no place for all items", "")


def _first_literal(expr: Expr) -> Expr:
    return expr.items[0] if isinstance(expr, Alt) else expr


def _sorted(value: Json) -> Json:
    if isinstance(value, dict):
        return {k: _sorted(v) for k, v in sorted(value.items())}
    return [_sorted(v) for v in value] if isinstance(value, list) else value


def _has_strange(value: Json) -> bool:
    if isinstance(value, float):
        return value != value or abs(value) == float("inf")
    if isinstance(value, dict):
        return any(map(_has_strange, value.values()))
    return isinstance(value, list) and any(map(_has_strange, value))


def every_hole(shape: Shape | None) -> frozenset[HoleKind]:
    """All holes of a shape, those in its lists too."""
    match shape:
        case Hole(kind):
            return frozenset((kind,))
        case Many(item):
            return every_hole(item)
        case Keyed(inner):
            return every_hole(inner) | {HoleKind.NAME}
        case Obj(fields):
            return frozenset().union(*(every_hole(f.shape) for f in fields))
        case OneOf(shapes):
            return frozenset().union(*map(every_hole, shapes))
        case _:
            return frozenset()


def _sample(segment: Segment) -> str:
    return segment.name if isinstance(segment, Call) else segment.text


def render(dialect: Dialect, message: Message, tools: Any = None) -> Rendered:
    """`message` in the dialect's canonical spelling, checked by reading it back.

    Raises Unrepresentable, naming slot, reason and witness, when the dialect cannot carry the message.
    """
    for segment in message.segments:
        if isinstance(segment, Call) and not segment.runnable:
            raise Unrepresentable("call", f"a {segment.status} call has no canonical spelling", segment.raw)
    given = list(tools) if tools is not None else None
    stated = given if given is not None else _tools_of(message)
    renderer = Renderer(dialect, tool_schemas(stated))
    renderer.message(message.segments)
    text = renderer.rendered()
    back = dialect.parse(text, stated)
    if not _same(dialect, back, message):
        _blame(dialect, text, message, back)
    return text


def _same(dialect: Dialect, back: Message, message: Message) -> bool:
    """True when the message read back is `message`; ids that the dialect has no place for do not count."""
    if len(back.segments) != len(message.segments):
        return False
    for new, old in zip(back.segments, message.segments, strict=True):
        if isinstance(new, Call) and isinstance(old, Call):
            carried = old.id is None or new.id is None or new.id == old.id or "{index}" in dialect.spec.ref
            if new.name != old.name or not carried or not new.runnable or not same_json(new.arguments, old.arguments):
                return False
        elif new != old:
            return False
    return True


def _blame(dialect: Dialect, text: str, message: Message, back: Message) -> None:
    """Say which value cannot be carried, and the shortest reason that shows it."""
    graph = dialect.graph()
    markers = sorted((*graph.markers, *graph.ends), key=len, reverse=True)
    for segment in message.segments:
        for slot, value in _texts(segment):
            for marker in markers:
                if marker in value:
                    raise Unrepresentable(slot, "holds a marker of the dialect", marker)
    for new, old in zip(back.segments, message.segments, strict=False):
        if new != old:
            raise Unrepresentable(type(old).__name__.lower(), "would not be read back as it is", _sample(old))
    raise Unrepresentable("message", "would not be read back as it is", text)


def _texts(segment: Segment) -> list[tuple[str, str]]:
    if not isinstance(segment, Call):
        return [(type(segment).__name__.lower(), segment.text)]
    found = [("name", segment.name)]
    for key, value in segment.arguments.items():
        found += [("argument key", key), (f"argument {key!r}", value if isinstance(value, str) else dumps(value))]
    return found


def _tools_of(message: Message) -> list[dict[str, Any]]:
    """Tools whose parameters have just the types that the message's arguments have."""
    types: dict[str, dict[str, set[str]]] = {}
    for segment in message.segments:
        if isinstance(segment, Call) and isinstance(segment.arguments, dict):
            keys = types.setdefault(segment.name, {})
            for key, value in segment.arguments.items():
                keys.setdefault(key, set()).add(_type_of(value))
    return [
        {"name": name, "parameters": {"properties": {k: {"type": sorted(t)} for k, t in keys.items()}}}
        for name, keys in types.items()
    ]


def _type_of(value: Json) -> str:
    kinds = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}
    return kinds.get(type(value), "null")
