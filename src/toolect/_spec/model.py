"""A dialect's spec, loaded and typed: what the grammar says and what its parts mean."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import msgspec

from toolect._diagnostic import Place
from toolect._spec.codec_model import Codec
from toolect._spec.costs import COSTS, Costs
from toolect._spec.grammar_model import Expr
from toolect._spec.policies import Policies
from toolect._spec.shape_model import Shape


class Role(StrEnum):
    """Meaning of a node of the grammar. Roles without a dot belong to rules, the others to terminals and slots."""

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
    TUPLE = "tuple"
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


class Computed(StrEnum):
    """A text that rendering finds out, for a terminal that says nothing."""

    NAME = "$name"
    """The name of the call."""
    INDEX = "$index"
    """The number of the call in the answer, from 1."""
    TYPE = "$type"
    """The JSON type of the argument's value, `number` for an integer."""
    LENGTH = "$length"
    """A length. Nothing finds it out, so that a text with a place for it is read, and never written."""


_BLANK = msgspec.Meta(pattern=r"\s*", description="whitespace in quotes")


class Gaps(msgspec.Struct, frozen=True, rename=lambda name: name.replace("_", " ")):
    """The whitespace that rendering writes, and parsing trims, between segments."""

    before_call: Annotated[str, _BLANK] = ""
    between_calls: Annotated[str, _BLANK] = ""


_FORM = msgspec.Meta(
    pattern=r"[^{}]*(\{name\}|(\{name\}[^{}]+)?\{index\})[^{}]*",
    description="a text with `{name}`, or `{index}`, or one and then the other",
)


class IdForm(msgspec.Struct, frozen=True):
    """Form of the id of a call that has none: `form` with its number, counted from `first`, with so many `digits`."""

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
    """Opener of a comment → its closer."""
    code: str = ""
    """The rule of a statement, where calls are code: other statements may stand wherever one may begin."""
    ref: str = ""
    """Form of an id with name and index, e.g. `functions.{name}:{index}`; empty where ids do not say the name."""
    before_call: tuple[str, ...] = ()
    """The rules with the role `content` that are written only where a call follows the content."""
    misspellings: dict[str, tuple[str, ...]] = {}
    """Marker or part of markers → the wrong spellings of it that are accepted."""
    lines: tuple[str, ...] = ()
    """Markers that count only where a line begins."""
    glued: tuple[str, ...] = ()
    """Markers that count only right before a word that begins with no small letter."""
    aside: tuple[str, ...] = ()
    """Markers of what is no place for calls: the policy `aside_calls` says what becomes of one behind them."""
    reserved: tuple[str, ...] = ()
    """Names that are no tool's unless one is declared: tags and functions that prose and code are full of."""
    trailing: tuple[str, ...] = ()
    """Words behind the name in an id that may run into it."""
    unwritten: tuple[str, ...] = ()
    """Rules that are read, and never written."""
    costs: Costs = COSTS
    policies: Policies = Policies()
    written: dict[str, str] = {}
    """Terminal that says nothing → the text that rendering writes for it, or a `Computed`."""
    fixed_names: dict[str, str] = {}
    """Rule with the role `call` → the name of the tool that it always calls."""
    ids: IdForm | None = None
    names: tuple[str, ...] = ()
    """Names of declared tools that its terminals have as literals: see `tool_names.admitting`."""
    tagged: bool = False
    """The name of a call is that of a tag around it: written twice, and fixed nowhere."""
    place: Place = Place("", 1, 1)

    def __repr__(self) -> str:
        return f"<Spec {self.name}>"
