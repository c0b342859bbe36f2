"""Terminators of values in calls: tells fast that an argument ends where it was written to end."""

from __future__ import annotations

import re
from functools import cached_property

from toolect._building.quotation import line_before, quoted
from toolect._chats.answers import Answers
from toolect._message import Call, dumps
from toolect._search.island import Island, island
from toolect._spec.model import Role

MAX_NODES = 256
"""Nodes from the beginning of an answer on in which raw values are looked for. Beyond it: calls are read back."""
_is_key = re.compile(r"[A-Za-z0-9_.-]+").fullmatch
_OF_ARGUMENTS = frozenset((Role.ARGUMENTS, Role.ARGUMENT, Role.KEY, Role.VALUE))


class ValueEnds:
    """What may end the arguments of calls in one dialect."""

    def __init__(self, answers: Answers) -> None:
        self._answers, self._spec = answers, answers.dialect.spec

    def none_in(self, call: Call) -> bool:
        """True when nothing ends an argument but what is written after it: in JSON a quote, in a raw text a marker."""
        if self._in_json:
            return self._answers.markup.search(call.arguments_text) is None
        keys, texts = call.arguments, (one if isinstance(one, str) else dumps(one) for one in call.arguments.values())
        if not self._raw or not all(_is_key(key) and not self._answers.has_word(key) for key in keys):
            return False
        return all(map(self._is_raw, texts))

    def _is_raw(self, text: str) -> bool:
        """True for a value that holds nothing that may end it, nor the beginning of that at its end."""
        if self._answers.markup.search(text) or quoted(line_before(text, 0, len(text))):
            return False
        return all(one.regex.search(text) is None and one.held(text, 0) == len(text) for one in self._raw)

    @cached_property
    def _in_json(self) -> bool:
        """True when all arguments are JSON."""
        spec = self._spec
        plain = not spec.codecs and not spec.code and _OF_ARGUMENTS.isdisjoint(spec.roles.values())
        return plain and bool(spec.shapes) and not any(rule.value for rule in spec.rules.values())

    @cached_property
    def _raw(self) -> tuple[Island, ...]:
        """What is looked for in arguments that are raw texts; nothing where some are not, or end at blanks."""
        spec = self._spec
        if spec.code or Role.VALUE not in spec.roles.values() or any(rule.value for rule in spec.rules.values()):
            return ()
        todo = [self._answers.dialect._graph().start]
        for node in todo:
            todo += [to for key in node.choices if (to := node.step(key).node) not in todo]
            if len(todo) > MAX_NODES:
                return ()
        values = [node for node in todo if node.text and node.text_field().role in (Role.VALUE, Role.ARGUMENTS)]
        found = tuple(map(island, values))
        return () if any(one.line_end is not None for one in found) else found
