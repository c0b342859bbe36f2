"""Transitions: steps over the grammar, from which the node, the context and the actions of a hypothesis all come."""

from __future__ import annotations

from collections.abc import Sequence

from toolect._graph.node import STRONG, Node
from toolect._graph.symbols import ECHOES, Key, Op, OpCode, is_echo
from toolect._graph.trails import Trail
from toolect._search import actions
from toolect._search.hypothesis import Act, Doubt, EdgeContext
from toolect._spec.grammar_model import SlotKind
from toolect._spec.model import Role
from toolect._values.ref import split_ref

_SAID = 4
"""Terminals that are remembered: a field may belong to one that came earlier."""


class Path:
    """Path of a hypothesis, step by step. `ref` is how the dialect writes the name and the id of a call."""

    __slots__ = ("acts", "context", "node", "ref")

    def __init__(self, node: Node, context: EdgeContext, ref: str) -> None:
        self.node, self.context, self.ref = node, context, ref
        self.acts: list[Act] = []

    def add(self, *acts: Act) -> Path:
        """Do something that is no step."""
        self.acts += acts
        return self

    def shift(self, key: Key, start: int, end: int, text: str = "", wrong: bool = False) -> Path:
        """Step over the marker or terminal `key` at characters `start:end`; `text` is that of a terminal."""
        step = self.node.step(key)
        self.acts.append(actions.Shift(self.node, step, key, start, end, text, wrong))
        if isinstance(key, str) and len(key) >= STRONG and self.node.first(key):
            self.context = self.context._replace(opener=key)
        self._step(key, text, start)
        return self

    def imply(self, keys: Sequence[Key], at: int, cut: bool = False) -> Path:
        """Step over symbols that are missing at character `at`; `cut` where another call begins there."""
        for key in keys:
            self.acts.append(actions.Imply(self.node, key, at, cut))
            self._step(key, "", at)
        return self

    def _step(self, key: Key, text: str, at: int) -> None:
        node, context = self.node, self.context
        step = node.step(key)
        call, name, argument, said, doubt, begun, opener, statement, home = context
        if statement is not None and isinstance(key, str):
            statement = statement.over(key)
        context = EdgeContext(call, name, argument, (*said, text)[-_SAID:], doubt, begun, opener, statement, home)
        after = step.node
        tasks = (*step.tasks, *after.arrival) if after.arrival else step.tasks
        self.context = crossed(node, context, tasks, self.ref, at) if tasks else context
        self.node = after

    def skip_text(self, at: int) -> Path:
        """Step over a text slot that is empty at character `at`."""
        self.acts.append(actions.SkipText(self.node, at))
        self._step(SlotKind.TEXT, "", at)
        return self

    def begin(self, kind: SlotKind, at: int) -> Path:
        """A slot begins at character `at`: what that does to the context."""
        self.context = crossed(self.node, self.context, self.node.step(kind).tasks, self.ref, at, fields=False)
        return self

    def end(self, kind: SlotKind, at: int) -> Path:
        """A slot is over at character `at`."""
        node = self.node.step(kind).node
        self.context = crossed(node, self.context, node.arrival, self.ref, at, fields=False)
        self.node = node
        return self

    def over_text(self, at: int) -> Path:
        """A text slot is over at character `at`, from its beginning."""
        self._step(SlotKind.TEXT, "", at)
        return self

    def over_string(self, at: int) -> Path:
        """A string of a value language is over at character `at`, from its beginning."""
        self._step(SlotKind.ESCAPED, "", at)
        return self

    def open_json(self, at: int) -> Path:
        """A JSON value begins at character `at`."""
        self.acts.append(actions.OpenJson(self.node, at))
        if self.context.doubt & ~Doubt.INSIDE:
            self.doubt(self.context.doubt | Doubt.ARGUED)
        return self.begin(SlotKind.JSON, at)

    def close_json(self, at: int) -> Path:
        """It is over."""
        self.acts.append(actions.CloseJson(self.node, at))
        return self.end(SlotKind.JSON, at)

    def fail_json(self, at: int, why: str) -> Path:
        """It cannot be read."""
        self.acts.append(actions.FailJson(self.node, at, why))
        return self.end(SlotKind.JSON, at)

    def close_loose(self, cores: tuple[str, ...], at: int, delimiter: str) -> Path:
        """A value that was read as JSON is over: it stands where the markers `cores` would be all of it."""
        self.acts.append(actions.CloseLoose(self.node, cores, at, delimiter))
        for core in cores:
            self._step(core, "", at)
        return self

    def doubt(self, doubt: int) -> Path:
        """The open call is doubtful."""
        self.context = self.context._replace(doubt=doubt)
        return self


def crossed(node: Node, context: EdgeContext, tasks: Trail, ref: str, at: int, fields: bool = True) -> EdgeContext:
    """The context after the tasks at a symbol, at character `at`: the open call, its name, its argument."""
    if not tasks:
        return context
    call, name, argument, said, doubt, begun, opener, statement, home = context
    for task, back in tasks:
        if isinstance(task, Op):
            if task.code is OpCode.BEGIN_CALL:
                call, name, argument, begun, home = node, task.name, None, at, None
            elif task.code is OpCode.END_CALL:
                call, name, argument, home = None, "", None, None
            elif task.code is OpCode.END_ARGUMENT:
                argument = home = None
            elif task.code is OpCode.BEGIN_ARGUMENT:
                argument, home = argument or "", node
        elif fields and back <= len(said):
            text = said[-back]
            if task.role is Role.NAME:
                name = name or text
            elif task.role is Role.REF:
                name = name or split_ref(ref, text)[0]
            elif task.role is Role.KEY:
                argument = text
                if doubt & ~Doubt.INSIDE:
                    doubt |= Doubt.ARGUED
    return EdgeContext(call, name, argument, said, doubt, begun, opener, statement, home)


def spelled(core: str, context: EdgeContext) -> str:
    """The marker `core` as it is written here: with the name of the open call, the key of its open argument."""
    if not is_echo(core):
        return core
    return core.replace(ECHOES[Role.NAME], context.name).replace(ECHOES[Role.KEY], context.key or "")
