"""Incremental lexer: the JSON arguments of a call that is open, and how much of their text is surely theirs."""

from __future__ import annotations

import re
from typing import Final

from toolect._graph.node import Node
from toolect._search.json_ends import MAYBE_KEY, NEAR, NEXT_KEY, QUOTED_OBJECT, held, more_begun, over_before

_BLANKS: Final = re.compile(r"[ \t\n\r]*+").match
_STRING: Final = re.compile(r'(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+').match
_PLAIN: Final = re.compile(r'[^"\\\x00-\x1f,\]}]*[^"\\\x00-\x1f,\]}\s]\Z').match
"""More of a string, of which nothing waits."""
_KEY: Final = re.compile(r'"([^"\\\x00-\x1f]*+)("[ \t\n\r]*+)?').match
_WORD: Final = re.compile(r"[-+.\w]+").match
_SCALAR: Final = re.compile(r"(?:true|false|null|-?(?:0|[1-9]\d{0,99})(?:\.\d+)?)\Z").match
"""A scalar that is surely a finite number, or none."""
MAX_OPEN: Final = 16
"""Brackets that are open. Beyond it: the search reads the answer."""


class ArgumentLexer:
    """The object of arguments that begins at index `start`, in the JSON of `node`, `outer` brackets deep.

    `names` are those of its members that are declared; `known` the other keys that may follow it.
    """

    __slots__ = ("over", "sent", "_at", "_expects", "_keys", "_known", "_names", "_node", "_openers", "_outer",
                 "_stack", "_string")  # fmt: skip

    def __init__(self, node: Node, start: int, outer: int, names: frozenset[str], known: frozenset[str]) -> None:
        self.sent = self._at = start
        """Up to where it has been passed on."""
        self.over = False
        """Its last bracket has come."""
        self._node, self._outer, self._names, self._known = node, outer, names, known
        self._openers = node.graph.long_openers
        self._stack, self._expects, self._string = "", "value", -1
        self._keys = set[str]()

    def plain(self, chunk: str, size: int) -> bool:
        """True when a chunk, with which `size` characters have come, is only more of the string that is open."""
        if self._string < 0 or self.sent < size - len(chunk) or _PLAIN(chunk) is None:
            return False
        self._at = self.sent = size
        return True

    def more(self, buf: str) -> bool:
        """Move on over what has come; False where the search has to read it."""
        size = len(buf)
        while not self.over:
            if self._string >= 0:
                if not self._in_string(buf):
                    return False
                if self._string >= 0:
                    return True
            at = _BLANKS(buf, self._at).end()  # type: ignore[union-attr]  # matches the empty string
            if at == size:
                return True
            then = self._token(buf, at)
            if then <= at:
                return then == at
            self._at = then
        return True

    def _in_string(self, buf: str) -> bool:
        size, end = len(buf), _STRING(buf, self._at).end()  # type: ignore[union-attr]  # matches the empty string
        low, depth = max(self._at - NEAR, self._string), self._outer + len(self._stack)
        if over_before(buf, self._node, depth, low, end) is not None:
            return False
        self.sent = max(self.sent, held(buf, self._node, max(self.sent, end - NEAR), end))
        self._at = end
        if end < size and buf[end] == '"':
            self._at, self._string, self._expects = end + 1, -1, "after"
            return True
        return end == size or buf[end] == "\\" and size - end < len(r"\u0000")

    def _token(self, buf: str, at: int) -> int:
        """Where the token at index `at` ends; `at` where more text has to come, -1 for one that does not fit."""
        char, expects, stack = buf[at], self._expects, self._stack
        if expects == "after":
            if char == ",":
                self._expects = "key" if stack[-1] == "{" else "item"
                return at + 1
            return self._close(buf, at) if char == ("}" if stack[-1] == "{" else "]") else -1
        if expects == "key" or expects == "first":
            if char == "}" and expects == "first":
                return self._close(buf, at)
            return self._key(buf, at) if char == '"' else -1
        if char == '"' and stack:
            if expects == "item" and (MAYBE_KEY.match(buf, at, at + NEAR + 16) or NEXT_KEY.match(buf, at)):
                return -1 if NEXT_KEY.match(buf, at) else at
            if len(buf) - at < len('""') + 1:
                return at
            if buf.startswith('"""', at) or QUOTED_OBJECT.match(buf, at):
                return -1
            self.sent = self._string = at + 1
            return at + 1
        if char == "{" or char == "[" and stack:
            if len(stack) == MAX_OPEN:
                return -1
            self._stack, self._expects, self.sent = stack + char, "first" if char == "{" else "empty", at + 1
            return at + 1
        if char == "]" and expects == "empty":
            return self._close(buf, at)
        match = _WORD(buf, at) if stack else None
        if match is None or match.end() == len(buf):
            return -1 if match is None else at
        self._expects = "after"
        return match.end() if _SCALAR(match[0]) else -1

    def _key(self, buf: str, at: int) -> int:
        match = _KEY(buf, at)
        assert match is not None
        end = match.end()
        if end == len(buf) and end - at <= NEAR:
            return at
        key, inner = match[1], len(self._stack) > 1
        if match[2] is None or buf[end : end + 1] != ":" or any(opener in key for opener in self._openers):
            return -1
        if key in self._names if inner else key in self._keys:
            return -1
        if self._outer and _BLANKS(buf, end + 1).end() == len(buf):  # type: ignore[union-attr]  # as above
            return at
        if not inner:
            self._keys.add(key)
        self.sent, self._expects = end + 1, "value"
        return end + 1

    def _close(self, buf: str, at: int) -> int:
        stack = self._stack[:-1]
        if not stack.endswith("{"):  # a member may come after it, where none can: it is one too many
            key = more_begun(buf, at + 1)
            if key is None or key and (stack or key not in self._known):
                return -1 if key else at
        self._stack, self._expects, self.sent, self.over = stack, "after", at + 1, not stack
        return at + 1
