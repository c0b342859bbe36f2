"""Guards of a chat's parts: facts joined by `and`, `or`, `not` and brackets, such as `latest and reasoning`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

from toolect._spec.chat_model import WORDS
from toolect._spec.problems import near

Guard: TypeAlias = Callable[[int], bool]
"""A predicate of facts: true when the guard holds."""

MAX_LENGTH = 200
"""Characters of a guard. Beyond it: `GuardError`."""
_TOKEN = re.compile(r"\s*([a-z-]+|[()]|\S)")


class GuardError(ValueError):
    """A text is no guard; what is wrong with it, and what may have been meant."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


def read_guard(text: str) -> Guard:
    """The guard that a text says. Raises GuardError."""
    if len(text) > MAX_LENGTH:
        raise GuardError(f"expected at most {MAX_LENGTH} characters, got {len(text)}")
    return _Reader(text).read()


class _Reader:
    def __init__(self, text: str) -> None:
        self.tokens = [*_TOKEN.findall(text), ""]
        self.at = 0

    def read(self) -> Guard:
        guard = self.either()
        if self.tokens[self.at]:
            raise GuardError(f"expected `and`, `or` or the end, got {self.got()}")
        return guard

    def either(self) -> Guard:
        guard = self.both()
        while self.taken("or"):
            guard = _either(guard, self.both())
        return guard

    def both(self) -> Guard:
        guard = self.one()
        while self.taken("and"):
            guard = _both(guard, self.one())
        return guard

    def one(self) -> Guard:
        if self.taken("not"):
            inner = self.one()
            return lambda facts: not inner(facts)
        if self.taken("("):
            guard = self.either()
            if not self.taken(")"):
                raise GuardError(f"expected `)`, got {self.got()}")
            return guard
        word = self.tokens[self.at]
        if word in ("always", "never"):
            self.at += 1
            return lambda _: word == "always"
        if word not in WORDS:
            hint = near(word, WORDS) or f"the facts are {', '.join(WORDS)}"
            raise GuardError(f"expected a fact, got {self.got()}", hint)
        self.at += 1
        bit = int(WORDS[word])
        return lambda facts: bool(facts & bit)

    def got(self) -> str:
        """The next token, for messages."""
        return f"`{self.tokens[self.at]}`" if self.tokens[self.at] else "the end"

    def taken(self, word: str) -> bool:
        if self.tokens[self.at] != word:
            return False
        self.at += 1
        return True


def _either(one: Guard, other: Guard) -> Guard:
    return lambda facts: one(facts) or other(facts)


def _both(one: Guard, other: Guard) -> Guard:
    return lambda facts: one(facts) and other(facts)
