"""A dialect's spec, loaded and typed: what the grammar says and what its parts mean."""

from __future__ import annotations

from enum import Enum, StrEnum
from typing import Annotated, TypeAlias, get_args, get_type_hints
from typing import Literal as Choice

import msgspec

from toolect.diagnostic import Place
from toolect.message import Json


class SlotKind(Enum):
    """The holes a grammar may `%declare`; no string is equal to one, as a marker may be spelled like it."""

    TEXT = "TEXT"
    """Free text, possibly empty, up to the first marker that may follow."""
    JSON = "JSON"
    """One JSON value, scanned with its strings."""
    ESCAPED = "ESCAPED"
    """Text in which a backslash hides the next character from the closer."""

    __hash__ = object.__hash__  # steps are looked up by it: Enum's own hash is a call of Python

    def __str__(self) -> str:
        return self.value


class Escapes(StrEnum):
    """What stands for signs that a text could not hold otherwise."""

    JSON = "json"
    PYTHON = "python"
    JAVASCRIPT = "javascript"
    ENTITIES = "entities"
    """Those of XML: `&amp;`, `&lt;` and the others that it names, and `&#10;`."""
    PERCENT = "percent"
    """Bytes of UTF-8, as in URLs: `%20`."""
    TOML = "toml"
    YAML = "yaml"
    SIGNS = "signs"
    """A backslash before a sign that would mean something: line breaks and all others stand as they are."""
    APOSTROPHES = "apostrophes"
    """`''` is one."""
    QUOTES = "quotes"
    """`""` is one."""


QUOTED: dict[str, Escapes] = {
    "ESCAPED": Escapes.JSON,
    **{f"ESCAPED_{escapes.name}": escapes for escapes in (Escapes.PYTHON, Escapes.JAVASCRIPT)},
    **{f"ESCAPED_{escapes.name}": escapes for escapes in (Escapes.TOML, Escapes.YAML, Escapes.SIGNS)},
}
"""Whose escapes the slots have in which a backslash hides the quote, by their names in grammars."""
PLAIN: dict[str, Escapes] = {
    f"TEXT_{escapes.name}": escapes
    for escapes in (Escapes.ENTITIES, Escapes.PERCENT, Escapes.APOSTROPHES, Escapes.QUOTES)
}
"""Whose escapes the texts have that no backslash has anything to do with, by their names in grammars."""


class Literal(msgspec.Struct, frozen=True, tag="literal"):
    """A marker: `text` is what rendering writes, `others` are accepted besides."""

    text: str
    others: tuple[str, ...] = ()
    name: str = ""


class Pattern(msgspec.Struct, frozen=True, tag="pattern"):
    """A terminal written as a regular expression (Python's `re`)."""

    regex: str
    name: str
    written: str = ""
    """What rendering writes for it, where the grammar says so; reading keeps nothing of such a terminal."""


class Slot(msgspec.Struct, frozen=True, tag="slot"):
    """A hole filled with data."""

    kind: SlotKind
    refused: tuple[str, ...] = ()
    """What cannot stand in an `ESCAPED` slot unless it is escaped: a line break, what begins a computed value."""
    operator: str = ""
    """A regular expression for what cannot follow the string that an `ESCAPED` slot is in: what computes with it."""
    escapes: Escapes = Escapes.JSON
    """What a backslash means in an `ESCAPED` slot, and in a `TEXT` slot what else than itself a sign may be."""

    @property
    def name(self) -> str:
        """Its name in grammars."""
        return next(name for name, slot in SLOTS.items() if slot.kind is self.kind and slot.escapes is self.escapes)


SLOTS: dict[str, Slot] = {kind.value: Slot(kind) for kind in SlotKind} | {
    name: Slot(kind, escapes=escapes)
    for kind, names in ((SlotKind.ESCAPED, QUOTED), (SlotKind.TEXT, PLAIN))
    for name, escapes in names.items()
}
"""The slots by their names in grammars."""


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
    ARGUMENTS = "call.arguments"
    ARGUMENT = "argument"
    KEY = "argument.key"
    VALUE = "argument.value"
    CODE = "code"
    AGAIN = "call.again"
    REF = "call.ref"  # no word of a map: of an id that says the name too, by the form of `ids`
    MARKUP = "markup"  # no word of a map: of a terminal that says nothing, whose text is written as `written` says
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


class Computed(StrEnum):
    """A text that rendering finds out, for a terminal that says nothing."""

    NAME = "$name"
    """The name of the call."""
    INDEX = "$index"
    """The number of the call in the answer, from 1."""
    TYPE = "$type"
    """The JSON type of the argument's value, `number` for an integer."""


class Const(msgspec.Struct, frozen=True, tag="const"):
    """A fixed value: it must match, and is written back."""

    value: Json


class Member(msgspec.Struct, frozen=True):
    """A key of an object shape: `keys[0]` is rendered if it is `written`, the others are accepted.

    An `optional` one may be missing.
    """

    keys: tuple[str, ...]
    shape: Shape
    optional: bool = False
    written: bool = True


class Obj(msgspec.Struct, frozen=True, tag="obj"):
    """An object with these fields, in rendering order. Other keys are arguments if `rest`, else they are ignored."""

    fields: tuple[Member, ...]
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
    """The text is a value in the notation that `spelling` says, JSON if it says none."""
    JSON_OR_TEXT = "json-or-text"
    """Such a value if it is one, else the text."""
    SCHEMA = "schema"
    """By the tool's JSON Schema; without one as `untyped` says."""


class Spelling(StrEnum):
    """Whose notation values are written in, strings apart where the text itself may be one."""

    JSON = "json"
    PYTHON = "python"
    JINJA = "jinja"
    """As chat templates print them: true, false and null as Python does, lists and objects as JSON."""
    YAML = "yaml"
    """In blocks."""
    ELEMENTS = "elements"
    """As JSON, and a text in lines of its own; read as elements too, where the schema has an object or a list."""


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
    """A slot's value codec. `spelling` is that of true, false, null, lists and objects.

    `key`: a plain text stands for the object `{key: text}`. `quoted`: nothing but its closers ends the slot, and
    rendering fills it with nothing but strings in which this regular expression is found.
    """

    kind: CodecKind
    spelling: Spelling = Spelling.JSON
    untyped: CodecKind = CodecKind.JSON_OR_TEXT
    key: str | None = None
    layout: Layout = Layout()
    quoted: str | None = None
    escapes: Escapes | None = None
    """Those of a slot or terminal that is not quoted."""


class Policies(msgspec.Struct, frozen=True, rename="kebab"):
    """What users demand opposite things of (see docs/guide/dialects.md)."""

    reasoning_calls: Choice["parse", "unclosed", "ignore"] = "parse"
    """A call inside reasoning: it ends it, it ends only what is not closed after it, or it is a part of it."""
    unknown_tool: Choice["keep", "content"] = "keep"
    """A call of a tool that is not among `tools`."""
    malformed: Choice["report", "content"] = "report"
    """An attempt that cannot be read."""
    unwrapped: Choice["accept", "content"] = "accept"
    """A call without its wrapper's opener."""
    after_calls: Choice["keep", "drop"] = "keep"
    """Text after the calls."""
    coercion: Choice["spec", "none"] = "spec"
    """Typed values out of raw text."""
    repeated_keys: Choice["last", "first", "list", "malformed"] = "last"
    """Which value of an argument that comes twice counts."""
    key_order: Choice["as-is", "sorted"] = "as-is"
    """Object keys when rendering."""


POLICIES: dict[str, tuple[str, ...]] = {
    name: get_args(hint) for name, hint in get_type_hints(Policies).items() if get_args(hint)
}
"""Every policy with its settings, the default first."""
WRITING = frozenset({"key_order"})
"""The policies of rendering, which takes them from the entry: reading has nothing to do with them."""


_BLANK = msgspec.Meta(pattern=r"\s*", description="whitespace in quotes")


class Gaps(msgspec.Struct, frozen=True, rename=lambda name: name.replace("_", " ")):
    """The whitespace that rendering writes, and parsing trims, between segments."""

    before_call: Annotated[str, _BLANK] = ""
    between_calls: Annotated[str, _BLANK] = ""


_FORM = msgspec.Meta(
    pattern=r"[^{}]*(\{name\}|(\{name\}[^{}]+)?\{index\})[^{}]*",
    description="a text with `{name}`, or `{index}`, or one and then the other",
)


class Ids(msgspec.Struct, frozen=True):
    """How a call without an id gets one: `form` with its number, which counts from `first` and has so many `digits`."""

    form: Annotated[str, _FORM]
    first: Annotated[int, msgspec.Meta(ge=0, le=99)] = 0
    digits: Annotated[int, msgspec.Meta(ge=1, le=99)] = 1


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
    """Reserved names where no call begins with its name: calling one says that no call is made."""
    comments: dict[str, str] = {}
    """What a comment begins with → what it ends with."""
    code: str = ""
    """The rule of a statement, where calls are code: other statements may stand wherever one may begin."""
    ref: str = ""
    """How an id combines name and index, e.g. `functions.{name}:{index}`; empty where ids do not say the name."""
    before_call: tuple[str, ...] = ()
    """The rules with the role `content` that are written only where a call follows the content."""
    misspellings: dict[str, tuple[str, ...]] = {}
    """Marker or part of markers → the wrong spellings of it that are accepted."""
    lines: tuple[str, ...] = ()
    """Markers that count only where a line begins."""
    reserved: tuple[str, ...] = ()
    """Names that are no tool's unless one is declared: tags and functions that prose and code are full of."""
    policies: Policies = Policies()
    written: dict[str, str] = {}
    """Terminal that says nothing → the text that rendering writes for it, or a `Computed`."""
    fixed_names: dict[str, str] = {}
    """Rule with the role `call` → the name of the tool that it always calls."""
    ids: Ids | None = None
    place: Place = Place("", 1, 1)

    def __repr__(self) -> str:
        return f"<Spec {self.name}>"
