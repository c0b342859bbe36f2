"""Map values that give a part both a role and a text: `{markup: ":opensource"}`, `{call: python}`."""

from __future__ import annotations

import re

from toolect.spec.document import Node, Table, Text, describe
from toolect.spec.model import HoleKind, Pattern, Role
from toolect.spec.problems import Problems

_WORDS = (Role.MARKUP.value, Role.CALL.value)


def is_worded(node: Node) -> bool:
    """True when a map value is a role with a text, and not a shape."""
    if not isinstance(node, Table) or len(node.entries) != 1:
        return False
    key, value = node.entries[0]
    if key.text not in _WORDS or not isinstance(value, Text):
        return False
    return not value.text.startswith("$") or key.text == Role.MARKUP and value.text == HoleKind.NAME


def read_worded(node: Node, problems: Problems) -> tuple[Role, Text] | None:
    """The role and its text."""
    assert isinstance(node, Table)
    ((key, value),) = node.entries
    if isinstance(value, Text) and (value.text or not value.plain):
        return Role(key.text), value
    what = "the name of a tool" if key.text == Role.CALL else "what rendering writes"
    problems.error("wrong-type", f"expected {what} for `{key.text}`, got {describe(value)}", value.place)
    return None


def check_written(text: Text, patterns: list[Pattern], problems: Problems) -> None:
    """What is written for a terminal must be read as that terminal; a name is checked when there is one."""
    for pattern in patterns:
        if text.text != HoleKind.NAME and re.fullmatch(pattern.regex, text.text) is None:
            message = f"expected a text that the terminal `{pattern.name}` matches, got `{text.text}`"
            problems.error("wrong-value", message, text.place, hint=f"the terminal is /{pattern.regex}/")
