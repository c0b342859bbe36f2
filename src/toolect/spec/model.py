"""A dialect's spec, loaded and typed: what the grammar says and what its parts mean."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeAlias

import msgspec

from toolect.diagnostic import Place
from toolect.ir import Json
from toolect.spec.prompt import ResultText, ToolText


class SlotKind(StrEnum):
    """The holes a grammar may `%declare`."""

    TEXT = "TEXT"
    """Free text, possibly empty, up to the first marker that may follow."""
    JSON = "JSON"
    """One JSON value, scanned with its strings."""
    ESCAPED = "ESCAPED"
    """Text in which a backslash hides the next character from the closer."""


class Literal(msgspec.Struct, frozen=True, tag="literal"):
    """A marker: `text` is what rendering writes, `others` are accepted besides."""

    text: str
    others: tuple[str, ...] = ()
    name: str = ""


class Pattern(msgspec.Struct, frozen=True, tag="pattern"):
    """A terminal written as a regular expression (Python's `re`)."""

    regex: str
    name: str


class Slot(msgspec.Struct, frozen=True, tag="slot"):
    """A hole filled with data."""

    kind: SlotKind


class Ref(msgspec.Struct, frozen=True, tag="ref"):
    """Another rule; `again` when it is a pair's key for the second time, which must be the same text."""

    rule: str
    again: bool = False


class Seq(msgspec.Struct, frozen=True, tag="seq"):
    """One after the other."""

    items: tuple[Expr, ...]


class Alt(msgspec.Struct, frozen=True, tag="alt"):
    """One of several; rendering takes the first that can carry the data."""

    items: tuple[Expr, ...]


class Repeat(msgspec.Struct, frozen=True, tag="repeat"):
    """`item` at least `least` (0 or 1) times; at most once when `once`."""

    item: Expr
    least: int
    once: bool = False


Expr: TypeAlias = Literal | Pattern | Slot | Ref | Seq | Alt | Repeat


class Role(StrEnum):
    """What a node of the grammar means. Those without a dot belong to rules, the others to terminals and slots."""

    CONTENT = "content"
    REASONING = "reasoning"
    CALL = "call"
    NAME = "call.name"
    ID = "call.id"
    REF = "call.ref"
    ARGUMENTS = "call.arguments"
    INDEX = "call.index"
    ARGUMENT = "argument"
    KEY = "argument.key"
    TYPE = "argument.type"
    VALUE = "argument.value"
    AGAIN = "call.again"
    MARKUP = "markup"
    # Rules of the value languages under grammars/values/: the rule's own name is its role.
    OBJECT = "object"
    PAIR = "pair"
    PAIR_KEY = "key"
    ARRAY = "array"
    STRING = "string"
    NUMBER = "number"
    TRUE = "true"
    FALSE = "false"
    NULL = "null"
    SCALAR = "scalar"
    JSON = "json"


class Rule(msgspec.Struct, frozen=True):
    """A grammar rule; `value` is true for one imported from a value language."""

    name: str
    expr: Expr
    place: Place
    value: bool = False


class HoleKind(StrEnum):
    """What a hole of a JSON shape holds."""

    NAME = "$name"
    ARGUMENTS = "$arguments"
    ARGUMENTS_TEXT = "$arguments.text"
    ID = "$id"
    CONTENT = "$content"
    REASONING = "$reasoning"


class Hole(msgspec.Struct, frozen=True, tag="hole"):
    """A hole in a shape."""

    kind: HoleKind


class Const(msgspec.Struct, frozen=True, tag="const"):
    """A fixed value: it must match, and is written back."""

    value: Json


class Field(msgspec.Struct, frozen=True):
    """A key of an object shape: `keys[0]` is rendered if it is `written`, the others are accepted.

    An `optional` one may be missing.
    """

    keys: tuple[str, ...]
    shape: Shape
    optional: bool = False
    written: bool = True


class Obj(msgspec.Struct, frozen=True, tag="obj"):
    """An object with these fields, in rendering order. Other keys are arguments if `rest`, else they are ignored."""

    fields: tuple[Field, ...]
    rest: bool = False


class Keyed(msgspec.Struct, frozen=True, tag="keyed"):
    """An object whose single key is the name: `{$name: <shape>}`."""

    shape: Shape


class Many(msgspec.Struct, frozen=True, tag="many"):
    """A list of calls."""

    item: Shape


class OneOf(msgspec.Struct, frozen=True, tag="one-of"):
    """The first shape that fits; the first one is rendered."""

    shapes: tuple[Shape, ...]


Shape: TypeAlias = Hole | Const | Obj | Keyed | Many | OneOf


class CodecKind(StrEnum):
    """How raw text becomes a typed value, and back."""

    TEXT = "text"
    """The text is the value, a string."""
    JSON = "json"
    """The text is JSON."""
    JSON_OR_TEXT = "json-or-text"
    """JSON if it is JSON, else the text."""
    SCHEMA = "schema"
    """By the tool's JSON Schema; without one as `untyped` says."""
    ENTITIES = "entities"
    """The text with `&amp;` and its like for signs."""
    ELEMENTS = "elements"
    """As `schema`; objects and lists may be written as elements, and a text in lines of its own."""
    YAML = "yaml"
    """The text is a YAML mapping: all arguments."""


class Spelling(StrEnum):
    """Whose notation values other than strings are written in."""

    JSON = "json"
    PYTHON = "python"


class StopKind(StrEnum):
    """Which markers end a slot."""

    ALL = "all"
    """Its closers, end tokens, and those that could only follow a closer which is missing."""
    CLOSER = "closer"
    """Its closers alone."""


class LayoutKind(StrEnum):
    """Where JSON has whitespace between its tokens when it is written."""

    SPACED = "spaced"
    """A blank after each comma and colon."""
    COMPACT = "compact"
    """None at all."""
    ROWS = "rows"
    """Each call of a list on a line of its own, indented; spaced otherwise."""
    INDENTED = "indented"
    """Each key and each item on a line of its own, indented by its depth."""


class Layout(msgspec.Struct, frozen=True):
    """A layout, and the blanks that `rows` and `indented` indent by."""

    kind: LayoutKind = LayoutKind.SPACED
    indent: int = 0


class Codec(msgspec.Struct, frozen=True):
    """A slot's value codec. `scalars` are true, false and null; `containers` are lists and objects.

    `key`: a plain text stands for the object `{key: text}`. `strings`: rendering fills the slot with nothing but
    strings in which this expression is found. `stops`: which markers end it.
    """

    kind: CodecKind
    scalars: Spelling = Spelling.JSON
    untyped: CodecKind = CodecKind.JSON_OR_TEXT
    key: str | None = None
    layout: Layout = Layout()
    containers: Spelling = Spelling.JSON
    strings: str | None = None
    stops: StopKind = StopKind.ALL


class Policies(msgspec.Struct, frozen=True):
    """What users demand opposite things of (see docs/dialects.md)."""

    reasoning_calls: str = "parse"
    """A call inside reasoning: parse | ignore."""
    unknown_tool: str = "keep"
    """A call of a tool that is not among `tools`: keep | content."""
    malformed: str = "report"
    """An attempt that cannot be read: report | content."""
    unwrapped: str = "accept"
    """A call without its wrapper's opener: accept | content."""
    after_calls: str = "keep"
    """Text after the calls: keep | drop."""
    coercion: str = "spec"
    """Typed values out of raw text: spec | none."""
    repeated_keys: str = "last"
    """Which value of an argument that comes twice counts: last | first | list | malformed."""
    key_order: str = "as-is"
    """Object keys when rendering: as-is | sorted."""


POLICIES: dict[str, tuple[str, ...]] = {
    "reasoning_calls": ("parse", "ignore"),
    "unknown_tool": ("keep", "content"),
    "malformed": ("report", "content"),
    "unwrapped": ("accept", "content"),
    "after_calls": ("keep", "drop"),
    "coercion": ("spec", "none"),
    "repeated_keys": ("last", "first", "list", "malformed"),
    "key_order": ("as-is", "sorted"),
}
"""Every policy with its settings, the default first."""
WRITING = frozenset({"key_order"})
"""The policies of rendering, which takes them from the entry: reading has nothing to do with them."""


class Gaps(msgspec.Struct, frozen=True):
    """The whitespace that rendering writes, and parsing trims, between segments."""

    before_call: str = ""
    between_calls: str = ""


class Ids(msgspec.Struct, frozen=True):
    """How a call without an id gets one: `form` with its number, which counts from `first` and has so many `digits`."""

    form: str
    first: int = 0
    digits: int = 1


class Spec(msgspec.Struct, frozen=True):
    """One dialect, loaded.

    `roles` and `shapes` and `codecs` have keys as in the entry's `map`: a rule (`call`), a terminal (`NAME`), or a
    terminal, slot or rule inside a rule (`argument/TEXT`). The longer key wins.
    """

    name: str
    rules: dict[str, Rule]
    roles: dict[str, Role]
    shapes: dict[str, Shape] = {}
    codecs: dict[str, Codec] = {}
    about: str = ""
    source: str = ""
    models: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    gaps: Gaps = Gaps()
    prefill: dict[str, str] = {}
    """Prompt tail → the rule it leaves open, or `start` when it leaves none open."""
    end: tuple[str, ...] = ()
    no_call: tuple[str, ...] = ()
    """Names of tools that do not exist: calling one says that no call is made."""
    comments: dict[str, str] = {}
    """What a comment begins with → what it ends with."""
    code: str = ""
    """The rule of a statement, where calls are code: other statements may stand wherever one may begin."""
    ref: str = ""
    """How `call.ref` combines name and index, e.g. `functions.{name}:{index}`."""
    canonical: dict[str, str] = {}
    """`content before call` → the rule that rendering uses there."""
    misspellings: dict[str, tuple[str, ...]] = {}
    reserved: tuple[str, ...] = ()
    """Names that are no tool's unless one is declared: tags and functions that prose and code are full of."""
    policies: Policies = Policies()
    markup: dict[str, str] = {}
    """Terminal with the role `markup` → what rendering writes for it, or `$name` for the name of the call."""
    fixed_names: dict[str, str] = {}
    """Rule with the role `call` → the name of the tool that it always calls."""
    ids: Ids | None = None
    tools: ToolText | None = None
    results: ResultText | None = None
    place: Place = Place("", 1, 1)
