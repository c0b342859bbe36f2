"""Codecs, which make a typed value of the raw text in a slot, and text of a value: the words of an entry's `values`."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from toolect._spec.grammar_model import Escapes


class CodecKind(StrEnum):
    """Kind of a codec: how raw text becomes a typed value, and back."""

    TEXT = "text"
    """The text is the value, a string."""
    JSON = "json"
    """The text is a value in the notation that `spelling` says, JSON if it says none."""
    JSON_OR_TEXT = "json-or-text"
    """Such a value if it is one, else the text."""
    SCHEMA = "schema"
    """By the tool's JSON Schema; without one as `untyped` says."""


class Spelling(StrEnum):
    """Notation of values, strings apart where the text itself may be one."""

    JSON = "json"
    PYTHON = "python"
    JINJA = "jinja"
    """As chat templates print them: true, false and null as Python does, lists and objects as JSON."""
    YAML = "yaml"
    """In blocks."""
    ELEMENTS = "elements"
    """As JSON, and a text in lines of its own; read as elements too, where the schema has an object or a list."""


class LayoutKind(StrEnum):
    """Whitespace between the tokens of JSON when it is written."""

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
    escaped: str | None = None
    """The signs that rendering escapes, besides what escapes begin with; None for those that could end the text."""
    column: int = 0
    """Number of blanks that begin each line of its blocks: those that the grammar has before the first."""
