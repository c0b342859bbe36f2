"""The policies of a dialect, and what each may be set to."""

from __future__ import annotations

from typing import Literal as Choice
from typing import TypedDict, get_args, get_type_hints

import msgspec


class Policies(msgspec.Struct, frozen=True, rename="kebab"):
    """Choices between readings that users demand opposite things of (see docs/guide/dialects.md)."""

    reasoning_calls: Choice["unclosed", "parse", "ignore"] = "unclosed"
    """A call inside reasoning: it ends what is not closed after it, it ends any, or it is a part of it."""
    unknown_tool: Choice["keep", "content"] = "keep"
    """A call of a tool that is not among `tools`."""
    malformed: Choice["report", "content", "salvage"] = "report"
    """An attempt that cannot be read; `salvage` makes a call of what json-repair reads, where nothing is lost."""
    unwrapped: Choice["accept", "content"] = "accept"
    """A call without its wrapper's opener."""
    after_calls: Choice["keep", "drop"] = "keep"
    """Text after the calls."""
    aside_calls: Choice["run", "malformed", "content"] = "run"
    """A call behind one of the markers `aside`, as on a channel that is for reasoning."""
    coercion: Choice["spec", "none"] = "spec"
    """Typed values out of raw text."""
    repeated_keys: Choice["last", "first", "list", "malformed"] = "last"
    """Value that counts where an argument comes twice."""
    key_order: Choice["as-is", "sorted"] = "as-is"
    """Object keys when rendering."""


class ReadingPolicies(TypedDict, total=False):
    """The policies that one reading may set, in place of those of the dialect's entry; see `Policies`."""

    reasoning_calls: Choice["unclosed", "parse", "ignore"]
    unknown_tool: Choice["keep", "content"]
    malformed: Choice["report", "content", "salvage"]
    unwrapped: Choice["accept", "content"]
    after_calls: Choice["keep", "drop"]
    aside_calls: Choice["run", "malformed", "content"]
    coercion: Choice["spec", "none"]
    repeated_keys: Choice["last", "first", "list", "malformed"]


POLICIES: dict[str, tuple[str, ...]] = {
    name: get_args(hint) for name, hint in get_type_hints(Policies).items() if get_args(hint)
}
"""Every policy with its settings, the default first."""
WRITING = frozenset({"key_order"})
"""The policies of rendering, which takes them from the entry: reading has nothing to do with them."""
