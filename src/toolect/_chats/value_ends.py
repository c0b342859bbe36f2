"""Terminators of values in calls: tells fast that an argument ends where it was written to end."""

from __future__ import annotations

from functools import cached_property

from toolect._building.quotation import QUOTES, line_before, quoted
from toolect._chats.answers import Answers
from toolect._chats.control_tokens import Needles, has_any
from toolect._graph.node import Node
from toolect._message import Json, dumps
from toolect._search.island import Island, island
from toolect._spec.codec_model import Codec, CodecKind, Spelling
from toolect._spec.model import Role

MAX_NODES = 256
"""Nodes from the beginning of an answer on in which raw values are looked for. Beyond it: calls are read back."""
_OF_ARGUMENTS = frozenset((Role.ARGUMENTS, Role.ARGUMENT, Role.KEY, Role.VALUE))


class ValueEnds:
    """What may end the arguments of calls in one dialect."""

    def __init__(self, answers: Answers) -> None:
        self._answers, self._spec = answers, answers.dialect.spec

    def marker_in(self, name: str) -> bool:
        """True for a name that holds a marker of more than a sign."""
        return bool(self._long_markers.within(name))

    def none_in_value(self, value: Json) -> bool:
        """True for the value of an argument, a text or a list of them, that holds nothing that may end it."""
        if self._in_json:
            return not self._long_markers.within(value if isinstance(value, str) else dumps(value))
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
        if text.lstrip().startswith(self._before) or self._long_markers.within(text):
            return False
        if has_any(QUOTES, text) and quoted(line_before(text, 0, len(text))):
            return False
        islands = (one for one in self._raw if one.first.search(text))
        return all(one.regex.search(text) is None and one.held(text, 0) == len(text) for one in islands)

    @cached_property
    def _in_json(self) -> bool:
        """True when all arguments are JSON."""
        spec = self._spec
        plain = all(map(_is_json, spec.codecs.values())) and bool(spec.shapes) and not spec.code
        is_whole = _OF_ARGUMENTS.isdisjoint(spec.roles.values())
        return plain and is_whole and not any(rule.value for rule in spec.rules.values())

    @cached_property
    def _long_markers(self) -> Needles:
        """Finds markers of more than a sign: a bracket alone is none in JSON or a raw text."""
        return Needles(marker for marker in self._answers.markers if len(marker) > 1)

    @cached_property
    def _raw(self) -> tuple[Island, ...]:
        """What is looked for in arguments that are raw texts; nothing where some are not, or end at blanks."""
        spec = self._spec
        if spec.code or Role.VALUE not in spec.roles.values():
            return ()
        values = [node for node in self._nodes if node.text and node.text_field().role in (Role.VALUE, Role.ARGUMENTS)]
        found = tuple(map(island, values))
        return () if any(one.line_end is not None for one in found) else found

    @cached_property
    def _before(self) -> tuple[str, ...]:
        """What stands before raw values, which it may begin twice."""
        return (*{key for node in self._nodes for key in node.marks if node.step(key).node.text},)

    @cached_property
    def _nodes(self) -> list[Node]:
        """The nodes of the graph outside of value languages; none where there are too many."""
        todo = [self._answers.dialect._graph().start]
        for node in todo:
            todo += [to for key in node.choices if not (to := node.step(key).node).value and to not in todo]
            if len(todo) > MAX_NODES:
                return []
        return todo


def _is_json(codec: Codec) -> bool:
    """True for a codec of JSON as everybody writes it."""
    return codec.kind is CodecKind.JSON and codec.spelling is Spelling.JSON and codec.escapes is None
