"""Writes one call: its name, its id, its arguments."""

from __future__ import annotations

import re
from collections.abc import Sequence

from toolect._message import Call, Json, dumps
from toolect._rendered import Part, RenderError
from toolect._rendering.ids import names_call
from toolect._rendering.output import RenderedOutput
from toolect._rendering.value import ValueWriter
from toolect._rendering.walk import DataCursor, Leaf, Walk
from toolect._shapes.write import unfit
from toolect._spec.codec_model import Codec, CodecKind
from toolect._spec.grammar_model import Pattern, Ref, Slot, SlotKind
from toolect._spec.model import Computed, Role, Spec
from toolect._spec.shape_model import Hole, HoleKind
from toolect._values.codec import encode, faithful
from toolect._values.json_lexemes import decode
from toolect._values.ref import join_ref
from toolect._values.schema import NO_SCHEMA, Schema
from toolect._values.schema_keywords import TYPES, type_of
from toolect._values.trees import is_finite, with_sorted_keys

READ_BACK = "would not be read back as it is"
"""The reason why a value is refused that is written as another one is."""
NO_ID = "the call has none, and the dialect does not say how they are made (`ids`)"
"""The reason why a call is refused."""


class CallWriter(Walk):
    """Writes call number `number`. The items are the entries of its arguments; in an argument, its value."""

    def __init__(
        self, spec: Spec, out: RenderedOutput, markers: Sequence[str], call: Call, number: int, schema: Schema | None
    ) -> None:
        super().__init__(spec, out, markers)
        self.call, self.number, self.schema = call, number, schema
        self.values = ValueWriter(spec, out, markers)

    def write(self, name: str) -> None:
        """Write the call as rule `name`."""
        arguments = self.call.arguments
        if not isinstance(arguments, dict):
            raise RenderError("arguments", "expected an object", dumps(arguments))
        cursor = DataCursor(sorted(arguments.items()) if self.sort else list(arguments.items()))
        self.expr(self.spec.rules[name].expr, name, cursor)
        if not cursor.done:
            raise self.passed_over or RenderError("arguments", "no place for them here", dumps(arguments))

    def part(self, part: Leaf, inside: str, cursor: DataCursor, closer: str) -> None:
        """Write a rule, a terminal or a slot of a call."""
        match part:
            case Ref(name):
                self.rule(name, inside, cursor)
            case Pattern(regex, name):
                self.terminal(regex, name, inside, cursor, closer)
            case Slot():
                self.slot(part, inside, cursor, closer)

    def part_takes(self, part: Leaf, inside: str, cursor: DataCursor) -> bool:
        """True when the call has what `part` holds."""
        match part:
            case Ref(name):
                return self.rule_takes(name, inside, cursor)
            case Pattern(_, name):
                return self.terminal_takes(name, inside, cursor)
            case Slot():
                return not cursor.done

    # Rules

    def rule(self, name: str, inside: str, cursor: DataCursor) -> None:
        """Write rule `name`: an argument, a value, or what holds them."""
        role = self.spec.roles.get(name)
        if self.is_arguments(name, inside):
            self.values.write(name, DataCursor([self.call.arguments]))
            cursor.at = len(cursor.items)
        elif self.spec.rules[name].value:
            self.values.write(name, cursor)
        elif role is Role.ARGUMENT and cursor.key is not None:
            raise RenderError(f"argument {cursor.key!r}", "its name cannot be written")
        elif role is Role.ARGUMENT:
            if cursor.key is not None:
                raise RenderError("argument key", "has no place here", cursor.key)
            key, value = cursor.take("argument")
            self.expr(self.spec.rules[name].expr, name, DataCursor([value], key))
        elif role in (Role.CONTENT, Role.REASONING, Role.CALL):
            raise RenderError(role, "no place for it inside a call")
        else:
            self.expr(self.spec.rules[name].expr, name, cursor)

    def rule_takes(self, name: str, inside: str, cursor: DataCursor) -> bool:
        """True when rule `name` needs the next argument, or the value."""
        role = self.spec.roles.get(name)
        if self.is_arguments(name, inside):
            return not cursor.done
        if role is Role.ARGUMENT:  # inside of another it is one without a name, which is read, and never written
            return not cursor.done and cursor.key is None
        if self.spec.rules[name].value:
            return self.values.rule_takes(name, cursor)
        if role in (Role.CONTENT, Role.REASONING, Role.CALL):
            return False
        return self.takes(self.spec.rules[name].expr, name, cursor)

    def is_arguments(self, name: str, inside: str) -> bool:
        """True when rule `name` of a value language holds all arguments there."""
        return self.spec.rules[name].value and self.spec.roles.get(f"{inside}/{name}") is Role.ARGUMENTS

    # Terminals

    def written(self, inside: str, name: str, cursor: DataCursor) -> str | None:
        """Text written for a terminal without data; the name, the number or the type where the spec says so."""
        match super().written(inside, name, cursor):
            case Computed.NAME:
                return self.call.name
            case Computed.INDEX:
                return str(self.number + 1)
            case Computed.TYPE:
                return "" if cursor.done else type_of(cursor.next).replace("integer", "number")
            case text:
                return text

    def terminal(self, regex: str, name: str, inside: str, cursor: DataCursor, closer: str) -> None:
        """Write the name, the id, or the key of the argument."""
        match self.role(inside, name):
            case Role.NAME:
                self.fits(regex, self.escaped(name, inside, self.call.name, closer), "name", Part.NAME)
            case Role.REF:
                self.fits(regex, self.ref(), "id", Part.ID)
            case Role.ID:
                if not self.call.id:
                    raise RenderError("id", NO_ID, self.call.name)
                self.fits(regex, self.escaped(name, inside, self.call.id, closer), "id", Part.ID)
            case Role.KEY if cursor.key is not None:
                self.fits(regex, self.escaped(name, inside, cursor.key, closer), "argument key", Part.KEY)
            case _:
                raise RenderError(name, "nothing in a call fills this terminal")

    def terminal_takes(self, name: str, inside: str, cursor: DataCursor) -> bool:
        """True when the call has what the terminal holds."""
        match self.role(inside, name):
            case Role.NAME | Role.REF:
                return True
            case Role.ID:
                return self.call.id is not None
            case Role.KEY:
                return cursor.key is not None
            case _:
                return False

    def ref(self) -> str:
        """The composite id: the call's own where that names it, else a new one."""
        template, call = self.spec.ref, self.call
        if call.id is not None and names_call(template, call.id, call.name):
            return call.id
        return join_ref(template, call.name, self.number)

    # Slots

    def slot(self, slot: Slot, inside: str, cursor: DataCursor, closer: str) -> None:
        """Write the arguments, or the value of one."""
        kind = slot.kind
        role = self.role(inside, kind.value)
        default = CodecKind.JSON if kind is SlotKind.JSON or role is Role.ARGUMENTS else CodecKind.TEXT
        codec = self.spec.codecs.get(f"{inside}/{kind}") or Codec(default)
        if kind is SlotKind.JSON and role is not Role.VALUE:
            self.json(inside)
            cursor.at = len(cursor.items)
        elif role is Role.ARGUMENTS:
            text = self.plain_arguments(codec, cursor)
            self.out.write(self.escaped(slot, inside, text, closer), Part.ARGUMENTS)
        elif cursor.key is None:
            raise RenderError(f"{inside}/{kind}", "nothing in a call fills this slot")
        else:
            text = self.value(codec, cursor.key, cursor.take("argument"))
            self.out.write(self.escaped(slot, inside, text, closer), Part.VALUE)

    def json(self, inside: str) -> None:
        """Write the call in the shape of the JSON slot."""
        shape = self.spec.shapes.get(f"{inside}/JSON") or Hole(HoleKind.ARGUMENTS)
        spell, layout = lambda call: arguments_text(call, self.sort), self.layout(inside)
        for piece in unfit(shape, [self.call], 0, spell, layout)[0]:
            self.out.write(piece.text, piece.part)

    def plain_arguments(self, codec: Codec, cursor: DataCursor) -> str:
        """Text written for arguments: all at once, or the value of the only one, where the codec has its key."""
        arguments = self.call.arguments
        cursor.at = len(cursor.items)
        if codec.key is None:
            return encode(codec, with_sorted_keys(arguments) if self.sort else arguments)
        if list(arguments) != [codec.key]:
            raise RenderError("arguments", f"expected one, under the key {codec.key!r}", dumps(arguments))
        return self.value(codec, codec.key, arguments[codec.key])

    def value(self, codec: Codec, key: str, value: Json) -> str:
        """Text written for the value of argument `key`, by its codec. Raises RenderError where it is not read back."""
        schema = (self.schema or NO_SCHEMA).member(key)
        if codec.quoted and not (isinstance(value, str) and re.search(codec.quoted, value)):
            why = "is not one of the strings that this spelling is for"
            raise RenderError(f"argument {key!r}", why, dumps(value))
        try:
            text = encode(codec, value)
        except ValueError as error:
            raise RenderError(f"argument {key!r}", str(error), dumps(value)) from None
        if not faithful(codec, value, schema):
            types = TYPES if schema is None else schema.types
            declared = "no type declared" if types is TYPES else f"declared {' or '.join(types)}"
            raise RenderError(f"argument {key!r}", f"{READ_BACK} ({declared})", text)
        return text


def arguments_text(call: Call, sort: bool) -> str:
    """The arguments as JSON text: the model's own spelling where there is one, unless they are to be sorted.

    A spelling with a key twice says more than the arguments do, and is not written.
    """
    if not isinstance(call.arguments, dict):
        raise RenderError("arguments", "expected an object", dumps(call.arguments))
    if not is_finite(call.arguments):
        raise RenderError("arguments", "expected finite numbers", dumps(call.arguments))
    if sort:
        return dumps(with_sorted_keys(call.arguments))
    text = call.arguments_text
    return dumps(call.arguments) if _doubled(text) else text


def _doubled(text: str) -> bool:
    """True for JSON text with a key twice in an object."""
    try:
        return decode(text, 0)[2]
    except (ValueError, StopIteration, RecursionError):
        return False  # reading it back tells
