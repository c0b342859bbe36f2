"""Parts of an answer: content, reasoning and calls, as plain data."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from enum import StrEnum
from json.encoder import c_make_encoder, encode_basestring, encode_basestring_ascii  # type: ignore[attr-defined]
from typing import Any, TypeAlias, TypeVar

import msgspec

from toolect._errors import ToolectError

# A JSON value. The one place where `Any` is honest: its type is the model's choice.
Json: TypeAlias = Any
Span: TypeAlias = tuple[int, int]
"""The first character of a part of a text, and the one behind its last."""
T = TypeVar("T")


class Status(StrEnum):
    """Outcome of an attempt at a call."""

    OK = "ok"
    """Read as the dialect writes it."""
    REPAIRED = "repaired"
    """Read after at least one repair that is more than whitespace or another spelling of a value."""
    TRUNCATED = "truncated"
    """The input ended inside it; what arrived is kept, and it must not be run."""
    MALFORMED = "malformed"
    """An attempt that could not be read, for the reason in `error`; `raw` is its text."""


class RepairKind(StrEnum):
    """Kind of a repair: the relaxation by which a text was read."""

    WHITESPACE = "whitespace"
    """Whitespace between markers that the dialect does not write, or lacks."""
    IMPLIED_OPENER = "implied-opener"
    """A wrapper's opener was missing."""
    IMPLIED_CLOSER = "implied-closer"
    """A closer was missing, at the end or before a marker that can only follow it."""
    STRAY_MARKER = "stray-marker"
    """A marker out of place: a closer too many was absorbed, an opener that no call follows was left in the text.

    So was other text that nothing has a place for there, and content that may have been meant as a call.
    """
    MISSPELLED_MARKER = "misspelled-marker"
    """A marker was written in a way the spec lists as a misspelling."""
    JSON = "json"
    """Broken JSON was repaired."""
    UNESCAPED = "unescaped"
    """A quote or a line break inside a quoted string was not escaped."""
    DOUBLE_ENCODED = "double-encoded"
    """An arguments object arrived as a JSON string, or the other way round."""
    MISSING_ARGUMENTS = "missing-arguments"
    """A call without arguments was read as one with an empty object, or an argument without a value was left out."""
    LIST = "list"
    """A single call stood for a list of calls, or a list for a single one."""
    DUPLICATE_KEY = "duplicate-key"
    """An argument came more than once; the last one counts."""
    POSITIONAL = "positional"
    """An argument had no name; it got the one that the tool's schema has at its place, or its only one."""
    COERCION = "coercion"
    """A value did not have the spelling its declared type asks for."""
    WRAPPED = "wrapped"
    """All arguments stood inside of one that the tool does not have."""
    SHAPE = "shape"
    """The JSON of a call had the shape of another format, or its arguments stood beside the name."""
    TOOL_NAME = "tool-name"
    """The name of a tool was written in other letters or signs, or had another before it, as that of a module."""
    UNKNOWN_TOOL = "unknown-tool"
    """Code calls something that is no tool: it is content."""
    SALVAGED = "salvaged"
    """The arguments are what json-repair made of them: only where the policy `malformed` asks for that."""
    AFTER_END = "after-end"
    """Text followed the end of the answer."""


class Repair(msgspec.Struct, frozen=True, repr_omit_defaults=True):
    """One relaxation: its kind, the character offset in the wire text, and what was found or supplied."""

    kind: RepairKind
    at: int
    detail: str = ""


class Violation(msgspec.Struct, frozen=True, repr_omit_defaults=True):
    """One thing in the arguments of a call that its tool does not take; `path` is a JSONPath such as `$.days[0]`.

    It is `name` where the tool is not declared.
    """

    path: str
    expected: str
    got: str
    limit: bool = False
    """Validation did not come to an end: it is not known whether the arguments fit."""

    def __str__(self) -> str:
        return f"expected {self.expected}, got {self.got} - at `{self.path}`"


class Content(msgspec.Struct, frozen=True, eq=False, repr_omit_defaults=True, tag="content"):
    """Text for the user; `span` is the characters of the wire text it was read from."""

    text: str
    span: Span | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Content) and self.text == other.text

    def __ne__(self, other: object) -> bool:
        return not self == other  # a Struct brings its own __ne__, which would compare field by field

    def __hash__(self) -> int:
        return hash(("content", self.text))


class Reasoning(msgspec.Struct, frozen=True, eq=False, repr_omit_defaults=True, tag="reasoning"):
    """The model's thinking; `span` is the characters of the wire text it was read from.

    `signature` is Anthropic's proof of it, which its API asks for where it is sent again. In comparisons it does not
    count.
    """

    text: str
    span: Span | None = None
    signature: str = ""
    opaque: dict[str, Json] | None = None
    """Fields that its provider wants back as they came: see `Call.opaque`. An encrypted thought has no text."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reasoning) and self.text == other.text

    def __ne__(self, other: object) -> bool:
        return not self == other  # a Struct brings its own __ne__, which would compare field by field

    def __hash__(self) -> int:
        return hash(("reasoning", self.text))


class Call(msgspec.Struct, frozen=True, eq=False, repr_omit_defaults=True, tag="call"):
    """One attempt to call a tool.

    `arguments` is the parsed JSON value (an object, unless the attempt is malformed). Two calls are equal when
    name, arguments, id and runnability are: layout (`span`, `raw`, `repairs`, the arguments' spelling) does not count.
    """

    name: str
    arguments: Json
    id: str | None = None
    spelling: str | None = None
    """The arguments as the model spelled them in JSON, where that differs from `dumps(arguments)`."""
    raw: str = ""
    span: Span | None = None
    status: Status = Status.OK
    repairs: tuple[Repair, ...] = ()
    error: str | None = None
    """Reason why a malformed or truncated attempt could not be read, or the violations as text."""
    violations: tuple[Violation, ...] = ()
    """Violations of its tool's declaration, where that was validated: with any, it must not be run."""
    opaque: dict[str, Json] | None = None
    """Fields that its provider wants back as they came, as `extra_content` with Gemini's thought signature, by name."""

    def __post_init__(self) -> None:
        if isinstance(self.name, str) and (isinstance(self.arguments, dict) or not self.runnable):
            return
        if not isinstance(self.name, str):
            raise TypeError(f"expected a call's name as str, got {kind_of(self.name)}")
        if self.arguments is not None or self.spelling is None:  # what is spelled may be read later
            hint = ": read it with json.loads" if isinstance(self.arguments, str) else ""
            raise TypeError(f"expected a call's arguments as dict, got {kind_of(self.arguments)}{hint}")

    @property
    def arguments_text(self) -> str:
        """The arguments as JSON text: the model's own where there is one. Incomplete when truncated."""
        return dumps(self.arguments) if self.spelling is None else self.spelling

    @property
    def runnable(self) -> bool:
        """True for a call that may be executed."""
        return (self.status is Status.OK or self.status is Status.REPAIRED) and not self.violations

    def to_dict(self) -> dict[str, Json]:
        """The call as a dictionary of JSON: all of it, `arguments_text` too. `from_dict` reads it."""
        try:
            dumps(self.arguments)
            arguments = self.arguments
        except (TypeError, ValueError, RecursionError):
            arguments = None
        form = {
            "type": "call",
            "name": self.name,
            "arguments": arguments,
            "arguments_text": self.arguments_text if arguments is self.arguments else self.spelling or "",
            "id": self.id,
            "status": self.status.value,
            "repairs": msgspec.to_builtins(self.repairs),
            "span": self.span,
        }
        if self.opaque:
            form["opaque"] = self.opaque
        if self.violations:
            form["violations"] = msgspec.to_builtins(self.violations)
        return form if self.runnable else {**form, "error": self.error, "raw": self.raw}

    @classmethod
    def from_dict(cls, form: Json) -> Call:
        """The call of a dictionary with `name` and `arguments` or `arguments_text` at least. Raises MessageError."""
        return converted(call_fields(form), cls)

    @property
    def salvaged(self) -> dict[str, Json] | None:
        """The arguments that json-repair makes of a call which must not be run: for people, never to run.

        None for a runnable call, where there are no arguments, and where they are too long or too deep for it. It is
        made anew each time.
        """
        if self.runnable:
            return None
        from toolect._salvage import salvaged  # not part of starting up

        text = self.spelling
        if text is None:
            return self.arguments if isinstance(self.arguments, dict) and self.arguments else None
        return salvaged(text, self.raw)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Call)
            and self.name == other.name
            and self.id == other.id
            and self.runnable == other.runnable
            and same_json(self.arguments, other.arguments)
        )

    def __ne__(self, other: object) -> bool:
        return not self == other  # a Struct brings its own __ne__, which would compare field by field

    def __hash__(self) -> int:
        return hash(("call", self.name, self.id))


Segment: TypeAlias = Content | Reasoning | Call


def kind_of(value: object) -> str:
    """Type of a value, for the `got` of an error."""
    return "None" if value is None else type(value).__name__


def check_type(given: object, kind: type, what: str) -> None:
    """Raise TypeError for what is given as `what`, and is of another type."""
    if not isinstance(given, kind):
        raise TypeError(f"expected {what} as {kind.__name__}, got {kind_of(given)}")


def not_text(given: object) -> TypeError:
    """The error for what is given as a model's text and is none."""
    hint = ": decode it first" if isinstance(given, bytes | bytearray) else ""
    return TypeError(f"expected a model's text as str, got {kind_of(given)}{hint}")


def dumps(value: Json) -> str:
    """`value` as JSON text: ", " and ": " between, no ASCII escaping, as chat templates print it."""
    return encode_basestring(value) if type(value) is str else _encode(value)


def encoder(
    *, ascii_only: bool = False, sort_keys: bool = False, comma: str = ", ", colon: str = ": "
) -> Callable[[Json], str]:
    """Encoder of values as JSON on one line. It raises TypeError, ValueError, RecursionError for what is no JSON.

    Reuse it: `json` makes one anew for each value, which takes longer than to encode most values.
    """
    plain = json.JSONEncoder(
        ensure_ascii=ascii_only, check_circular=False, sort_keys=sort_keys, separators=(comma, colon)
    )
    if c_make_encoder is None:
        return plain.encode
    text = encode_basestring_ascii if ascii_only else encode_basestring
    chunks = c_make_encoder(None, plain.default, text, None, colon, comma, sort_keys, False, True)
    return lambda value: "".join(chunks(value, 0))


_encode = encoder()


def same_json(a: Json, b: Json) -> bool:
    """True when two JSON values are the same value of the same type: 1, 1.0 and true all differ, and 0.0 and -0.0."""
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same_json(v, b[k]) for k, v in a.items())
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same_json, a, b))
    if isinstance(a, float):
        return repr(a) == repr(b)  # tells zeros apart by their sign, and takes no number for not a number
    return bool(a == b)


class MessageError(ToolectError, ValueError):
    """Error for what is no message or no conversation: what was expected, what came, where, and what to do."""

    __module__ = "toolect"

    def __init__(self, expected: str, got: str, where: str, advice: str = "") -> None:
        super().__init__(f"expected {expected}, got {got} - at `{where}`{f': {advice}' if advice else ''}")
        self.expected, self.got, self.where, self.advice = expected, got, where, advice

    def __reduce__(self) -> tuple[type[MessageError], tuple[str, str, str, str]]:
        return MessageError, (self.expected, self.got, self.where, self.advice)


def call_fields(form: Json) -> Json:
    """A call's dictionary as its fields: arguments and spelling that belong together."""
    if not isinstance(form, Mapping):
        return form
    fields = {"type": "call", "arguments": None, "spelling": form.get("arguments_text"), **form}
    if not isinstance(text := fields["spelling"], str):
        return fields
    if fields["arguments"] is None and fields.get("status") != Status.MALFORMED:
        try:
            fields["arguments"] = json.loads(text)
        except (ValueError, RecursionError):
            return fields
    try:
        return {**fields, "spelling": None} if text == dumps(fields["arguments"]) else fields
    except (TypeError, ValueError, RecursionError):
        return fields


def converted(form: Json, kind: type[T]) -> T:
    """Instance of `kind` from a dictionary. Raises MessageError, with the place."""
    try:
        return msgspec.convert(form, kind)
    except msgspec.ValidationError as error:
        what, _, where = str(error).partition(" - at ")
        # What msgspec finds begins with a capital, what the segments themselves refuse does not.
        expected, _, got = what.removeprefix("Expected ").removeprefix("expected ").partition(", got ")
        expected = expected if got else "a message as `to_dict` makes it"
        raise MessageError(expected, got or what, where.strip("`") or "$") from None
    except UnicodeEncodeError:
        raise MessageError("a message as `to_dict` makes it", "half of a character in a name or a list", "$") from None
