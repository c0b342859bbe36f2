"""Fused markers: all that may stand between two slots at a node as one regular expression, and what each run does."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, Final, NamedTuple

from toolect._canonical.shaped_json import JsonCallReader
from toolect._graph.node import Node
from toolect._graph.spelling import MAX_LEXEME, ZERO_WIDTH, spaced
from toolect._graph.symbols import ECHOES, Field, Key, Op, OpCode, Terminal, is_echo
from toolect._graph.trails import Trail
from toolect._spec.grammar_model import SlotKind
from toolect._spec.model import Role
from toolect._values.escapes import LEAD

# Plain integers: an enum's members cost a look-up each where they are run.
KEY, BEGIN_CALL, END_CALL, NAME, REF, ID, NAME_AGAIN, KEY_AGAIN, BEGIN_LIST, BEGIN_OBJECT, END_VALUE = range(11)
_ACTS: Final = {Role.PAIR_KEY: KEY, Role.NAME: NAME, Role.REF: REF, Role.KEY: KEY, Role.ID: ID}
VALUES: Final = (Role.VALUE, Role.JSON)
AROUND: Final = (Role.OBJECT, Role.ARRAY)
"""The values that others are in."""
_ENDS: Final = (OpCode.END_CALL, OpCode.END_ARGUMENT, OpCode.END_VALUE)
_FORKS: Final = 2
"""Places in a run where others go on otherwise: each multiplies what has to be tried."""
_UNDECIDED: Final = 4
"""Such places in a row at which nothing is decided. Beyond it: the search reads what stands there."""
_TINES: Final = 3
"""Ways to go on at such a place."""


class RunAction(NamedTuple):
    """An act and its place: the group it takes, or `offset` characters after the end of `group`."""

    act: int
    group: int
    offset: int


class MarkerRun:
    """A run of markers, and where it leads. Its `number` is that of its last group, before what it writes behind."""

    __slots__ = ("actions", "again", "coded", "ends", "first", "json", "key", "last", "node", "number", "then")

    def __init__(self, draft: RunDraft, groups: int, start: int) -> None:
        self.number = groups + draft.groups + 1
        self.actions = tuple(RunAction(a.act, a.group + groups if a.group else start, a.offset) for a in draft.actions)
        self.node, self.json, self.coded = draft.node, draft.json, draft.coded
        self.first, self.last = draft.first, draft.last
        """The first marker; the last one, if it is longer than a sign."""
        self.then: Any = None
        """The route at its end, made when it is first needed."""
        self.again = next((a.group for a in self.actions if a.act == KEY_AGAIN), 0)
        """The group of the key that must be that of the argument before."""
        acts = [action.act for action in self.actions]
        self.ends = self.json is not None and self.json.named and acts and {*acts} == {END_CALL}
        """It ends the call before, and the JSON after it has calls of its own."""
        plain = acts in ([KEY], [KEY_AGAIN, KEY]) and not self.coded and self.json is None
        self.key = self.actions[-1].group if plain else 0
        """The group of an argument's key, where taking it is all there is to do."""


@lru_cache(maxsize=4096)  # values inside of others have the same runs as those around them
def _compiled(regex: str) -> re.Pattern[str]:
    return re.compile(regex)


class Hub:
    """All runs that may be taken at a place: `match.lastindex` tells which one was. It begins after group `start`."""

    __slots__ = ("match", "runs", "start")

    def __init__(self, drafts: list[RunDraft], before: str = "") -> None:
        """`before` matches the text that comes before them, in its first group."""
        parts: list[str] = []
        self.runs: dict[int, MarkerRun] = {}
        self.start = groups = 2 if before else 0
        for draft in drafts:
            parts.append(f"{draft.regex}(){draft.behind}")
            run = MarkerRun(draft, groups, self.start)
            self.runs[run.number] = run
            groups = run.number
        runs = "|".join(parts)
        self.match = _compiled(f"{before}()(?:{runs})" if before else runs).match


class RunDraft:
    """A run in the making: the expression so far, and what it does."""

    __slots__ = (
        "actions", "at", "coded", "first", "groups", "json", "last", "lexemes", "named", "nested", "node", "regex",
        "trail",
    )  # fmt: skip

    def __init__(self, node: Node) -> None:
        self.node = node
        self.regex = self.trail = self.coded = self.first = self.last = ""
        self.actions: tuple[RunAction, ...] = ()
        self.lexemes: tuple[tuple[tuple[int, int], tuple[int, int], int], ...] = ()  # begin, end and group of each
        self.groups = 0
        self.at = (0, 0)  # `at[1]` characters after the end of group `at[0]`
        self.json: JsonCallReader | None = None
        self.nested = self.named = False

    def copy(self) -> RunDraft:
        """A draft that goes on as this one, independently."""
        new = RunDraft(self.node)
        new.regex, new.trail, new.coded, new.first, new.last = self.regex, self.trail, self.coded, self.first, self.last
        new.actions, new.lexemes, new.groups, new.at = self.actions, self.lexemes, self.groups, self.at
        new.json, new.nested, new.named = self.json, self.nested, self.named
        return new

    @property
    def behind(self) -> str:
        """The blanks written behind the last marker; at the end of an answer they may be missing."""
        may_end = self.node.done is not None or self.node.text and self.node.step(SlotKind.TEXT).node.done is not None
        word = self.last[-1:].isalnum()  # alone, it is text
        return rf"(?:{re.escape(self.trail)}|\Z)" if self.trail and may_end and not word else re.escape(self.trail)

    def literal(self, text: str) -> None:
        """`text` comes next."""
        self.regex += re.escape(text)
        self.at = (self.at[0], self.at[1] + len(text))

    def act(self, act: int, group: int = 0, offset: int = 0) -> None:
        """One more act."""
        self.actions += (RunAction(act, group, offset),)

    def tasks(self, tasks: Trail) -> bool:
        """Take over the tasks of a step; False when they are not for this reader."""
        again = positional = False
        for task, back in tasks:
            if back > len(self.lexemes) + 1:
                return False
            begin, end, group = self.lexemes[-back] if back <= len(self.lexemes) else ((0, 0), (0, 0), 0)
            if isinstance(task, Field):
                if task.role is Role.MARKUP:
                    continue
                if task.codec is not None and task.codec.escapes is not None:
                    self.coded += LEAD[task.codec.escapes]
                act = None if task.role is None else _ACTS.get(task.role)
                if act is None or not group:
                    return False
                self.named = self.named or act in (NAME, REF)
                self.act(KEY_AGAIN if again else act, group)
            elif task.code is OpCode.BEGIN_CALL:
                if back > len(self.lexemes) or task.role is not None or task.name:
                    return False
                self.named = False
                self.act(BEGIN_CALL, *begin)
            elif task.code is OpCode.END_CALL:
                self.act(END_CALL, *end)
            elif task.code is OpCode.BEGIN_ARGUMENT:
                positional = True
            elif task.code is OpCode.BEGIN_AGAIN:
                again = True
            elif task.code is OpCode.BEGIN_VALUE:
                self.nested = True
                if task.role is Role.PAIR_KEY:
                    continue
                if task.role not in AROUND or positional:
                    return False
                self.act(BEGIN_LIST if task.role is Role.ARRAY else BEGIN_OBJECT)
            elif task.code is OpCode.END_VALUE and task.role in AROUND:
                self.act(END_VALUE)
        return True

    def over(self, key: str | Terminal, led: bool = True) -> RunDraft | None:
        """The draft that goes over `key`, with what is written before it; None where that is not for this reader."""
        new, node = self.copy(), self.node
        step = node.step(key)
        if led:
            new.literal(self.trail + step.expects)
        begin, group = new.at, 0
        new.last = key if isinstance(key, str) and len(key) > 1 and not is_echo(key) else ""
        if isinstance(key, str):
            new.first = key if not self.lexemes else self.first
            longer = {core for core in (*node.marks, *node.graph.starts) if core.startswith(key) and core != key}
            new.regex += "".join(f"(?!{spaced(core)})" for core in sorted(longer) if not is_echo(core))
            if is_echo(key):
                role = next(role for role, sign in ECHOES.items() if sign in key)
                before, _, after = key.partition(ECHOES[role])
                new.groups += 1
                new.regex += rf"{re.escape(before)}(\S{{1,{MAX_LEXEME}}}?){re.escape(after)}"
                new.act(NAME_AGAIN if role is Role.NAME else KEY_AGAIN, new.groups)
                new.at = (new.groups, len(after))
            else:
                new.literal(key)
            new.regex += node.border(key)
        else:
            group = new.groups = new.groups + 1
            others = [name.regex for name, _ in node.patterns]
            not_here = others[: others.index(key.regex)] + ([node.struct.pattern] if node.marks else [])
            if not node.value and node.graph.starts:
                not_here.append("|".join(map(re.escape, node.graph.starts)))
            new.regex += "".join(f"(?!{regex})" for regex in not_here) + rf"(?![\s{ZERO_WIDTH}])((?>{key.regex}))"
            new.at = (group, 0)
        new.lexemes += ((begin, new.at, group),)
        if not new.tasks(step.tasks):
            return None
        new.trail, new.node = step.trail, step.node
        return new if new.tasks(new.node.arrival) else None

    def before_json(self) -> RunDraft | None:
        """The draft that ends before the JSON of a call."""
        new, node = self.copy(), self.node
        value = node.made(JsonCallReader)
        if value.named and self.named:
            return None  # the name comes again in the value
        new.literal(self.trail + node.choices[SlotKind.JSON][0].expects)
        new.regex += r"(?=[{\[])"
        new.trail = ""
        new.lexemes += ((new.at, new.at, 0),)
        if not new.tasks(node.step(SlotKind.JSON).tasks):
            return None
        new.json, new.node = value, node.step(SlotKind.JSON).node
        return new

    def onwards(self, forks: int = _FORKS) -> Iterator[RunDraft]:
        """The drafts that go on as long as nothing has to be decided."""
        node = self.node
        if forks < -_UNDECIDED:
            return
        undecided = any(back > 0 and not _ends(task) for c in node.choices.values() for task, back in c[0].trail)
        if node.json and (not node.text or node.text_field().role is Role.ARGUMENTS):
            if node.json_field().role in VALUES:
                yield self
                return
            found = [draft for draft in (self.before_json(),) if draft is not None]
            if node.text or len(node.choices) == 1:
                yield from found
                return
            keys = longest_first(node, node.choices)  # what JSON begins with, a marker may
            if (forks or undecided) and len(keys) <= _TINES:
                yield from self.runs(keys, forks - 1)
            yield from found
            return
        keys = longest_first(node, node.choices)
        many = len(keys) > 1 and not undecided and (not forks or len(keys) > _TINES or self.nested)
        if node.text or node.escaped or node.done is not None or many or not keys:
            yield self
        else:
            yield from self.runs(keys, forks - (len(keys) > 1))

    def runs(self, keys: Iterable[Key], forks: int = _FORKS, led: bool = True) -> Iterator[RunDraft]:
        """The drafts that go over one of `keys`, and on."""
        for key in longest_first(self.node, keys):
            new = self.over(key, led)
            if new is not None:
                yield from new.onwards(forks)


def longest_first(node: Node, keys: Iterable[Key]) -> list[str | Terminal]:
    """The markers among `keys` that may come next at `node`, without misspellings, then the terminals."""
    marks = [key for key in keys if isinstance(key, str) and key in node.marks and not node.marks[key]]
    names = [name for name, _ in node.patterns if name in keys]
    return [*sorted(marks, key=len, reverse=True), *names]


def hub(
    node: Node, keys: Iterable[Key], after_text: bool = False, json: bool = False, led: bool = True, before: str = ""
) -> Hub | None:
    """The hub of the runs that begin with `keys` at `node`, or after its text slot, `json` among them.

    What is written before them is a part of them when they are `led` by it. `before`: see `Hub`.
    """
    start = RunDraft(node.step(SlotKind.TEXT).node if after_text else node)
    if after_text and not start.tasks(start.node.arrival):
        return None
    drafts = [*start.runs(keys, led=led)]
    if json and start.node.json and start.node.json_field().role not in VALUES:
        drafts += [draft for draft in (start.before_json(),) if draft is not None]
    return Hub(drafts, before) if drafts else None


def _ends(task: Op | Field) -> bool:
    return isinstance(task, Op) and task.code in _ENDS
