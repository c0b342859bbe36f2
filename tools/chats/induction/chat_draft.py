"""A chat as far as it is known: its rules, what they are, and when they are written."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from toolect._message import dumps
from toolect._spec.chat_model import ChatRole
from toolect._spec.prompts import ToolText


class InductionError(Exception):
    """Something that a template does is not understood; one sentence."""


@dataclass
class Draft:
    """The grammar and the entry of a chat, as far as they are known."""

    rules: dict[str, str] = field(default_factory=dict)
    roles: dict[str, ChatRole] = field(default_factory=dict)
    when: dict[str, str] = field(default_factory=dict)
    tools: ToolText | None = None
    quote: str = ""
    """What texts stand between that are values of arguments."""
    notes: list[str] = field(default_factory=list)
    """What was not found out."""

    def add(self, name: str, body: str, role: ChatRole | None = None, guard: str | None = None) -> str:
        """Add a rule; gives its name, which is another one where there is a rule of that name."""
        known, count = name, 1
        while known in self.rules and (self.rules[known], self.roles.get(known), self.when.get(known)) != (
            body, role, guard,
        ):  # fmt: skip
            count += 1
            known = f"{name}_{count}"
        self.rules[known] = body
        if role is not None:
            self.roles[known] = role
        if guard is not None:
            self.when[known] = guard
        return known

    def text(self, text: str, name: str, guard: str) -> str:
        """A rule for a text that is written now and then."""
        return self.add(_named(text, name), dumps(text), None, guard)


def _named(text: str, name: str) -> str:
    """The name of a rule for a text in the rule `name`: its first words, if it has any."""
    words = list(dict.fromkeys(re.findall(r"[a-z]{2,}", text.lower())))[:2]
    return "_".join(words if len(words) > 1 else [name, *words]) if words else "line" if text == "\n" else "gap"


def joined(*parts: str) -> str:
    """The parts of a rule, one after the other; texts beside one another are one."""
    whole: list[str] = []
    for text, other in _TEXT.findall(" ".join(filter(None, parts))):
        if text and whole and whole[-1][-1:] == text[:1]:
            whole[-1] = whole[-1][:-1] + text[1:]
        elif text or other.strip():
            whole.append(text or other.strip())
    return " ".join(whole)


def quoted(text: str) -> str:
    """A text as it stands in a rule; nothing for an empty one."""
    return dumps(text) if text else ""


_TEXT = re.compile(r'("(?:\\.|[^"\\])*")|([^"]+)')
"""A text in a rule, or what stands between texts."""
