"""Terminators of values in calls: tells fast that an argument ends where it was written to end."""

from __future__ import annotations

import re
from functools import cached_property

from toolect._building.quotation import line_before, quoted
from toolect._chats.answers import Answers
from toolect._chats.control_tokens import any_of
from toolect._graph.node import Node
from toolect._message import Call, Json, dumps
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
        if not _has_plain_keys(call.arguments):
            return False
        if self._in_json:
            return not self._answers.has_markup(call.arguments_text)
        if not self._raw or any(map(self._answers.has_word, call.arguments)):
            return False
        return all(map(self._is_raw, call.arguments.values()))

    def none_in_value(self, value: Json) -> bool:
        """True for the value of an argument, a text or a list of them, that holds nothing that may end it."""
        if self._in_json:
            return not self._answers.has_markup(value if isinstance(value, str) else dumps(value))
        return bool(self._raw) and self._is_raw(value)

    def _is_raw(self, value: Json) -> bool:
        """True for a value that holds nothing that may end it, nor the beginning of that at its end."""
        if isinstance(value, str):
            return self._is_raw_text(value)
        text = dumps(value)
        if "\\" in text:  # other notations have other escapes
            return False
        return self._is_raw_text(text) and self._is_raw_text(text.replace('"', "'"))

    def _is_raw_text(self, text: str) -> bool:
        if self._markers.search(text) or quoted(line_before(text, 0, len(text))):
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
        values = [node for node in self._nodes if node.text and node.text_field().role in (Role.VALUE, Role.ARGUMENTS)]
        found = tuple(map(island, values))
        return () if any(one.line_end is not None for one in found) else found

    @cached_property
    def _markers(self) -> re.Pattern[str]:
        """Finds what stands between the parts of an answer and before raw values, which it may begin twice."""
        before = {key for node in self._nodes for key in node.marks if node.step(key).node.text}
        return any_of({*self._answers.markers, *before})

    @cached_property
    def _nodes(self) -> list[Node]:
        """The nodes of the graph; none where there are too many."""
        todo = [self._answers.dialect._graph().start]
        for node in todo:
            todo += [to for key in node.choices if (to := node.step(key).node) not in todo]
            if len(todo) > MAX_NODES:
                return []
        return todo


def _has_plain_keys(value: Json) -> bool:
    """True when no key at any depth is one that a reader might mend."""
    if isinstance(value, dict):
        return all(_is_key(key) and _has_plain_keys(one) for key, one in value.items())
    return not isinstance(value, list) or all(map(_has_plain_keys, value))
