"""A run of markers between two slots, in the making: one regular expression for it, and what matching that does.

Long, for one draft: the expression, its groups and the tasks that name them grow together, and are no use apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from toolect._graph.needle import fixed
from toolect._graph.node import STRONG, Node
from toolect._graph.rivals import rivals_of
from toolect._graph.spelling import MAX_BLANK, MAX_LEXEME, gapped, spaced
from toolect._graph.symbols import ECHOES, Field, Key, Op, OpCode, Terminal, is_echo
from toolect._graph.trails import Trail
from toolect._reading.acts import (
    BEGIN_CALL,
    BEGIN_LIST,
    BEGIN_OBJECT,
    END_CALL,
    END_VALUE,
    ID,
    KEY,
    KEY_AGAIN,
    NAME,
    NAME_AGAIN,
    REF,
    Action,
)
from toolect._reading.calls_in_json import JsonCalls, json_calls
from toolect._reading.look_ahead import says_little
from toolect._reading.scalars import AROUND
from toolect._spec.grammar_model import SlotKind
from toolect._spec.model import Role
from toolect._values.escapes import LEAD


def settled(node: Node) -> bool:
    """True when nothing before `node` decides what is done after it, and no value or statement is open."""
    if node.graph.network.spec.code and not node.text and node.coding is None:
        return False
    trails = (task for choices in node.choices.values() for choice in choices for task in choice.trail)
    return not node.value and not any(back for _, back in (*trails, *(node.done or ())))


class RunDraft:
    """A trace in the making: the expression so far, and what it does."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self.regex: list[str] = []
        self.actions: list[Action] = []
        self.groups = 0
        self.at = (0, 0)  # `at[1]` characters after the end of group `at[0]`
        self.lexemes: list[tuple[tuple[int, int], tuple[int, int], int]] = []  # begin, end and group of each
        self.json: JsonCalls | None = None
        self.bare = False
        self.coded, self.nested = "", False
        self.proven = False  # a marker came after the name
        self.strong = False  # a marker that is not short has come
        self.little = False  # nothing but a short sign has come, which says little after a name
        self.trail = ""  # what the last marker writes after itself, which `regex` does not have yet
        self.trails: tuple[str, ...] = ("",)
        self.margin = 0  # how much longer the last marker might turn out to be
        self.last: str | Terminal = ""
        self.forks = 0  # how many places it has come over where it might have ended
        self.doubtful = False  # text might stand where a terminal does: a short marker after that proves nothing
        self.cuts: list[RunDraft] | None = None  # where to put the beginnings from which reading can go on
        self.unproven: tuple[tuple[RunDraft, str], ...] = ()  # beginnings, each with what must follow to prove it

    @property
    def named(self) -> bool:
        """True when the name of the call that is open has come."""
        acts = [action.act for action in self.actions if action.act in (NAME, REF, BEGIN_CALL)]
        return bool(acts) and acts[-1] != BEGIN_CALL

    @property
    def is_proven(self) -> bool:
        """True when reading lexeme by lexeme can go on where it leads, and it cannot be prose about calls.

        Text or JSON follows, or a marker came after a name.
        """
        return self._is_sure and (self.json is not None or self.node.text or self.proven)

    @property
    def is_clean(self) -> bool:
        """True when that can be done there if the open call had a name before."""
        return self._is_sure and not any(action.act == BEGIN_CALL for action in self.actions)

    @property
    def _is_sure(self) -> bool:
        sure = settled(self.node) and not self.nested
        if self.node.coding is not None:
            return sure and any(action.act == END_CALL for action in self.actions)  # code is read for the calls in it
        return sure

    def copy(self) -> RunDraft:
        """A draft that goes on as this one, independently."""
        twin = RunDraft(self.node)
        twin.regex, twin.actions, twin.lexemes = list(self.regex), list(self.actions), list(self.lexemes)
        twin.last = self.last
        twin.groups, twin.at, twin.coded, twin.nested = self.groups, self.at, self.coded, self.nested
        twin.proven, twin.forks, twin.doubtful = self.proven, self.forks, self.doubtful
        twin.strong, twin.little = self.strong, self.little
        twin.trail, twin.trails, twin.margin = self.trail, self.trails, self.margin
        twin.cuts, twin.unproven = self.cuts, self.unproven
        return twin

    def literal(self, text: str) -> None:
        """`text` comes next."""
        self.regex.append(re.escape(text))
        self.at = (self.at[0], self.at[1] + len(text))

    def echo(self, core: str) -> None:
        """The marker `core` comes next, which repeats a name or a key."""
        role = next(role for role, sign in ECHOES.items() if sign in core)
        before, _, after = core.partition(ECHOES[role])
        self.groups += 1
        self.regex.append(rf"{re.escape(before)}(\S{{1,{MAX_LEXEME}}}?){re.escape(after)}")
        self.actions.append(Action(NAME_AGAIN if role is Role.NAME else KEY_AGAIN, self.groups, 0))
        self.at = (self.groups, len(after))

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
                self.actions.append(Action(KEY_AGAIN if again else act, group, 0))
            elif task.code is OpCode.BEGIN_CALL:
                if back > len(self.lexemes) or task.role is not None or task.name:
                    return False
                self.actions.append(Action(BEGIN_CALL, *begin))
                self.proven = False
            elif task.code is OpCode.END_CALL:
                self.actions.append(Action(END_CALL, *end))
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
                self.actions.append(Action(BEGIN_LIST if task.role is Role.ARRAY else BEGIN_OBJECT, 0, 0))
            elif task.code is OpCode.END_VALUE and task.role in AROUND:
                self.actions.append(Action(END_VALUE, 0, 0))
        return True

    def over(self, key: str | Terminal, skip_lead: bool = False) -> list[RunDraft]:
        """The drafts that go over `key` and on as long as nothing has to be decided."""
        step = self.node.step(key)
        rival = self.node.json and isinstance(key, str) and key[0] in "{["  # JSON may be meant, if it goes on so
        rivals = [terminal for terminal, _ in self.node.patterns]
        later = rivals[rivals.index(key) + 1 :] if isinstance(key, Terminal) else []
        if not skip_lead:
            self.literal(self.trail + step.expects)
        begin, group = self.at, 0
        apart: list[str] = []
        if isinstance(key, str):
            if self.doubtful and len(key) < STRONG:
                return []
            self.doubtful = False
            little = says_little("", key, step.node)
            self.little = little and not self.lexemes
            little = little and type(self.last) is Terminal and not self.strong
            self.proven = self.proven or self.named and not little
            self.strong = self.strong or len(key) >= STRONG
            longer = [fixed(core) for core in self.node.marks if core.startswith(key) and core != key]
            others, own = rivals_of(self.node).get(key, ((), ()))
            longer += others
            apart = [f"(?!{gapped(core).pattern})" for core in own]
            apart += [f"(?!{spaced(core)})" for core in longer if len(core) > len(key)]  # the longest marker counts
            self.regex += apart
            if is_echo(key):
                self.echo(key)
            else:
                self.literal(key)
            if key.isidentifier():
                self.regex.append(r"(?!\w)")  # a word is read only where it ends
            longest = max(len(core) for core in self.node.marks if core.startswith(key))
            self.margin = max(longest, self.margin) - len(key)
        else:
            self.little = False
            self.groups += 1
            group = self.groups
            marker = f"(?!{self.node.struct.pattern})" if self.node.marks else ""  # it counts before a terminal
            marker += _none_of(rivals[: rivals.index(key)])
            self.regex.append(rf"{marker}(?!\s)((?>{key.regex}))")  # blanks before it are not its own
            self.at = (group, 0)
            if self.node.marks:  # one of them might be there in part
                self.margin = max(self.margin, self.node.longest + MAX_BLANK)
        self.lexemes.append((begin, self.at, group))
        self.last = "" if self.node.value else key
        if not self.tasks(step.tasks):
            return []
        self.trail, self.trails = step.trail, step.trails
        self.node = node = step.node
        if not self.tasks(node.arrival):
            return []
        if rival or isinstance(key, str) and is_echo(key):
            self.unproven = ()  # what it would prove is not told by it alone, nor by a marker without what it repeats
        if self.cuts is not None and not rival:
            self.cut(self.cuts, key, apart)
        if node.json and (not node.text or node.text_field().role is Role.ARGUMENTS):
            drafts = self.copy().end() if node.json_field().role not in _VALUES else [self.copy()]
            if node.text:
                twin = self.copy()
                twin.doubtful = True
                for terminal in longest_first(node, [terminal for terminal, _ in node.patterns]):
                    drafts += twin.copy().over(terminal)
            if len(node.choices) == 1 or node.text:
                return drafts
        elif node.text or node.escaped or node.done is not None:
            if isinstance(key, Terminal) and node.text:
                self.regex.append(r"(?!\Z)")  # a name that the text ends with need not be one
            return [self] if node.text or node.escaped else [self._sole(later)]
        else:
            drafts = []
        undecided = any(back > 0 and not _ends(task) for c in node.choices.values() for task, back in c[0].trail)
        keys = longest_first(node, node.choices)
        closed = bool(self.actions) and self.actions[-1].act == END_VALUE and not node.value
        whole = (len(node.choices) > 1 or closed) and not undecided and not self.doubtful  # a run may end here
        if whole:
            self.forks += 1
            if self.forks > _MOST_FORKS or len(keys) > _MOST_TINES or self.nested or node.coding is not None:
                return [self._sole(later)]
        marked = [draft for key in keys for draft in self.copy().over(key)]
        here = [self._sole(later)] if whole and not rival else []
        return [*marked, *drafts, *here]  # what JSON begins with, a marker may

    def _sole(self, others: Iterable[Terminal]) -> RunDraft:
        """The draft, which ends here: what comes next would tell whether its last lexeme is one of the `others`."""
        self.regex[-1] = _none_of(others) + self.regex[-1]
        return self

    def cut(self, cuts: list[RunDraft], key: str | Terminal, apart: list[str]) -> None:
        """Put a draft that ends here, after `key` and before what that writes after itself, to `cuts`.

        `apart` are expressions that tell `key` from what else begins as it does.
        """
        more = (
            rf"(?!\s|\S{{{MAX_LEXEME}}})(?>{key.regex})"
            if isinstance(key, Terminal)
            else "".join((*apart, re.escape(fixed(key))))
        )
        self.unproven = tuple((draft, rf"{rest}\s{{0,{MAX_BLANK}}}{more}") for draft, rest in self.unproven)
        if not isinstance(key, str) or key[-1].isalnum():
            return  # nothing shows where it ends
        draft = self.copy()
        draft.trail = ""
        weak = self.node.json and len(self.node.choices) == 1 and len(key) < STRONG
        if weak:
            draft.regex.append(_BRACKET)  # a short sign after a name says nothing without its JSON
        if draft.is_clean or draft.is_proven:
            cuts.append(draft)
        if not draft.is_proven and settled(self.node) and not self.nested:
            self.unproven += ((draft.copy(), ""),)
        if self.proven and not weak:
            for early, rest in self.unproven:
                twin = early.copy()
                twin.proven = True
                twin.regex.append(f"(?={rest})")
                cuts.append(twin)
            self.unproven = ()

    def end(self) -> list[RunDraft]:
        """The draft ends in the JSON slot of its node."""
        node = self.node
        if node.json_field().role in _VALUES:
            return []
        value = json_calls(node)
        step = node.step(SlotKind.JSON)
        if value.named and self.named:
            return []  # the name comes again in the value
        self.literal(self.trail + node.choices[SlotKind.JSON][0].expects)
        self.regex.append(_OBJECTS if isinstance(self.last, str) and self.last.isalnum() else r"(?=[{\[])")
        self.trail, self.trails = "", ("",)
        self.lexemes.append((self.at, self.at, 0))
        if not self.tasks(step.tasks):
            return []
        self.lexemes.pop()
        self.json = value
        self.node = step.node
        return [self]


_BRACKET = rf"(?=\s{{0,{MAX_BLANK}}}[{{\[])"
_OBJECTS = rf"(?=\{{|\[\s{{0,{MAX_BLANK}}}[{{\]])"
"""After a word a list must be one of objects: it may be code."""
_MOST_FORKS = 2
"""Places in a run where others go on otherwise: each multiplies what has to be tried."""
_MOST_TINES = 3
"""Ways to go on at such a place."""
_VALUES = (Role.VALUE, Role.JSON)
_ACTS = {Role.PAIR_KEY: KEY, Role.NAME: NAME, Role.REF: REF, Role.KEY: KEY, Role.ID: ID}


def longest_first(node: Node, keys: Iterable[Key]) -> list[str | Terminal]:
    """The markers among `keys` that may come next at `node`, without misspellings, then the terminals."""
    found = [key for key in keys if key in node.choices and not isinstance(key, SlotKind)]
    marks = [key for key in found if isinstance(key, str) and not node.marks[key]]
    return [*sorted(marks, key=len, reverse=True), *(key for key in found if isinstance(key, Terminal))]


def _none_of(terminals: Iterable[Terminal]) -> str:
    """A regular expression for a place where none of `terminals` stands."""
    return "".join(f"(?!{terminal.regex})" for terminal in terminals)


def _ends(task: Op | Field) -> bool:
    return isinstance(task, Op) and task.code in (OpCode.END_CALL, OpCode.END_ARGUMENT, OpCode.END_VALUE)
