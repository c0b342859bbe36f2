"""A case of the corpus: a wire text, and what another project's parser makes of it."""

from __future__ import annotations

from typing import Literal

import msgspec

from toolect._message import Json

Match = Literal["exact", "subset", "types", "any"]


class ExpectedCall(msgspec.Struct, forbid_unknown_fields=True):
    """A call that upstream returns; null is not asserted."""

    name: str | None = None
    arguments: Json = None
    arguments_match: Match = "exact"
    arguments_raw: str | None = None
    arguments_contains: list[str] = []
    id: str | None = None


class Expect(msgspec.Struct, forbid_unknown_fields=True):
    """Assertions of upstream; null is not asserted."""

    content: str | None = None
    reasoning: str | None = None
    calls: list[ExpectedCall] | None = None
    calls_match: Literal["all", "min"] = "all"
    min_calls: int = 0
    content_contains: list[str] = []
    content_not_contains: list[str] = []
    reasoning_contains: list[str] = []
    names_include: list[str] = []
    names_not: list[str] = []
    arguments_not_contains: list[str] = []
    error: str | bool | None = None
    must_not_raise: bool = False

    @property
    def about_calls(self) -> bool:
        """True when something is asserted about calls."""
        asserted = self.calls is not None or self.names_include or self.names_not or self.arguments_not_contains
        return bool(asserted or self.min_calls or self.error)

    @property
    def about_text(self) -> bool:
        """True when something is asserted about content or reasoning."""
        parts = self.content_contains or self.content_not_contains or self.reasoning_contains
        return bool(parts) or self.content is not None or self.reasoning is not None


class Case(msgspec.Struct):
    """A wire text and what upstream makes of it."""

    id: str
    text: str
    expect: Expect
    dialect: str | None = None
    source: str = ""
    scope: Literal["tools", "reasoning", "full"] = "full"
    kind: str = "clean"
    notes: str = ""
    tools: Json = None
    chunks: list[str] | None = None
    finished: bool = True
    compare: dict[str, str] | None = None
    generation_prompt: str | None = None
    options: dict[str, Json] = {}
    optional_error: bool = False
    known_broken: Json = None
    min_calls: int = 0

    @property
    def unsplit(self) -> bool:
        """True when upstream left reasoning in the content."""
        return self.scope == "tools" or self.options.get("reasoning_format") == "none"

    def stripped(self, field: str) -> bool:
        """True when upstream compares this field modulo outer whitespace."""
        return (self.compare or {}).get(field) == "strip"
