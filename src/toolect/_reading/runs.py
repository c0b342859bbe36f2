"""Runs of markers between two slots: all that may begin at a place as one regular expression, and where each leads."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from functools import lru_cache
from typing import Any

from toolect._graph.needle import fixed
from toolect._graph.node import Node
from toolect._graph.spelling import is_plain, may_grow
from toolect._graph.symbols import Key, Terminal
from toolect._graph.trails import Trail
from toolect._reading.acts import BEGIN_CALL, END_CALL, KEY, KEY_AGAIN, NAME, Action
from toolect._reading.run_draft import RunDraft, longest_first
from toolect._spec.grammar_model import SlotKind


@lru_cache(maxsize=4096)  # values inside of others have the same runs as those around them
def _compiled(regex: str) -> re.Pattern[str]:
    return re.compile(regex)


class Trace:
    """A run of markers with one regular expression, and where it leads."""

    __slots__ = (
        "actions", "again", "bare", "clean", "coded", "cut", "does", "empty", "ends", "json", "key_group", "last",
        "lexemes", "little", "nested", "next_key", "node", "number", "open", "opens", "proven", "proves", "shuts",
        "start", "then", "trail_size", "trails", "whole",
    )  # fmt: skip

    def __init__(self, draft: RunDraft, groups: int, start: int = 0) -> None:
        """`groups` have the expressions of the place before this one; the run begins after the group `start`."""
        self.number = groups + draft.groups + 1
        """Its last group, which no other trace of the place has."""
        self.start = start
        """The group that it begins after; 0 for what was matched itself."""
        self.actions = tuple(Action(a.act, a.group + groups if a.group else start, a.offset) for a in draft.actions)
        self.node = draft.node
        self.then: Any = None
        """How a stride goes on there: the route, made when it is first needed."""
        self.last = draft.last
        """The last marker or terminal; nothing for one inside of a value."""
        ends = type(draft.last) is Terminal and draft.json is None and not is_plain(draft.last.regex)
        self.open = draft.lexemes[-1][2] + groups if ends else 0
        """The group of the terminal that the run ends with, when more text may be a part of that."""
        self.trails = draft.trails
        """What the last marker may write after itself, first what it does write."""
        self.trail_size = len(draft.trail)
        """How many characters of that the expression has at its end."""
        self.json = draft.json
        """What takes the JSON after the run."""
        self.bare = draft.bare
        """True when nothing but itself says that this JSON is a call."""
        first = self.actions[0] if len(self.actions) == 1 else None
        self.key_group = first.group if first is not None and first.act == KEY else 0
        """The group of the argument's key, when taking it is all there is to do."""
        acts = [action.act for action in self.actions]
        self.opens = draft.json is not None and draft.json.named and acts == [BEGIN_CALL] and not draft.nested
        """True when a call begins whose name is in the JSON, and that is all."""
        self.shuts = draft.json is None and acts == [END_CALL] and not draft.nested
        """True when a call ends, and that is all."""
        self.coded = draft.coded
        """What escapes in a name or key begin with: texts that have any are not read here."""
        self.nested = draft.nested
        """True when a value of a value language begins."""
        self.again = next((action.group for action in self.actions if action.act == KEY_AGAIN), 0)
        """The group of the key that must be that of the argument before."""
        keys = acts in ([KEY], [KEY_AGAIN, KEY]) and not self.nested and not self.coded
        self.next_key = self.actions[-1].group if keys else 0
        """The group of the argument's key, when taking it as it stands is all that remains to do."""
        said = next((action.group for action in self.actions if action.act == NAME), 0)
        begun = (KEY in acts or draft.json is not None) and not self.nested
        self.proves = said if begun else 0
        """The group of the name, when arguments come after it: of a tool that is declared, this can only be a call."""
        self.empty = said if KEY not in acts and draft.json is None and not self.nested else 0
        """The group of the name, when nothing of arguments has come."""
        whole = acts == [BEGIN_CALL, NAME, END_CALL] and draft.node.over
        self.whole = self.empty if whole else 0
        """The group of the name, when the call has no arguments, and ends."""
        self.ends = draft.json is not None and draft.node.over
        """True when the call ends with the JSON after the run."""
        self.lexemes = len(draft.lexemes)
        self.does = bool(self.actions) or draft.json is not None
        """True when it does anything but lead on."""
        self.cut = draft.cuts is not None
        """True for the beginning of a run: what follows it is not as it should be, and a stride ends there."""
        self.proven, self.clean, self.little = draft.is_proven, draft.is_clean, draft.little

    def grows(self, match: re.Match[str], text: str) -> bool:
        """May more text than `text` be a part of the terminal that it ends with?"""
        last = self.last
        return (
            self.open > 0 and type(last) is Terminal and may_grow(last.regex, text, match.start(self.open), len(text))
        )

    def leads(self, route: Any) -> Any:
        """It leads to `route`, which is kept."""
        self.then = route
        return route


class Hub:
    """All traces that may be taken at a place: `regex.lastindex` tells which one was."""

    __slots__ = ("_make", "_shorter", "begins", "margin", "match", "traces")

    def __init__(
        self,
        drafts: list[RunDraft],
        begins: tuple[str, ...] = (),
        make: Callable[[], Hub | None] | None = None,
        before: str = "",
    ) -> None:
        """`begins` is what its runs begin with; `make` makes what `shorter` is.

        `before` matches the text that comes before them, in its first group.
        """
        parts: list[str] = []
        self.traces: dict[int, Trace] = {}
        start = groups = 2 if before else 0
        for draft in drafts:
            parts.append("".join(draft.regex) + re.escape(draft.trail) + "()")
            trace = Trace(draft, groups, start)
            self.traces[trace.number] = trace
            groups = trace.number
        runs = "|".join(parts)
        self.match = _compiled(f"{before}()(?:{runs})" if before else runs).match
        self.margin = max(draft.margin for draft in drafts)
        """How many more characters have to be there for what was matched not to turn out to be something longer."""
        self.begins = begins
        self._make = make
        self._shorter: Hub | None = None

    def shorter(self, text: str, at: int) -> Hub | None:
        """The beginnings of its runs from which reading lexeme by lexeme can go on, if one may be at index `at`."""
        make = self._make  # another thread may be doing the same
        if make is not None and text.startswith(self.begins, at):
            self._shorter, self._make = make(), None
        return self._shorter


def build(
    node: Node, keys: Iterable[Key], after_text: bool = False, bare: bool = False, led: bool = True, before: str = "",
    ends: bool = False, lined: Collection[Key] = (),
) -> Hub | None:  # fmt: skip
    """The hub of the traces that begin with `keys` at `node` (or after its text slot), `bare` JSON among them.

    What is written before them is a part of them when they are `led` by it, but for text; and so is what `ends` with
    the text before. Those of the `keys` that are `lined` count only with the end of their line after them. `before`:
    see `Hub`.
    """
    skip = after_text or not led
    start = node.step(SlotKind.TEXT).node if after_text else node
    found = longest_first(start, keys)
    arrival = start.arrival if after_text or ends else ()
    made = [draft for key in found for draft in _over(RunDraft(start), arrival, key, skip)]
    if bare:
        made += RunDraft(start if start.json else node).end()
        for draft in made:
            draft.bare = draft.json is not None  # where JSON may stand alone, its wrapper says no more than itself
    if not made:
        return None
    if before:
        return Hub(made, before=before)

    def shorter() -> Hub | None:
        cuts: list[RunDraft] = []
        for key in (key for key in found if key not in lined):
            draft = RunDraft(start)
            draft.cuts = cuts
            _over(draft, arrival, key, skip)
        return Hub(sorted(cuts, key=lambda draft: (-len(draft.lexemes), not draft.proven))) if cuts else None

    begins = tuple(
        ("" if skip else start.choices[key][0].expects) + fixed(key) if isinstance(key, str) else "" for key in found
    )
    return Hub(made, begins, None if start.graph.network.spec.code else shorter)


def _over(draft: RunDraft, arrival: Trail, key: str | Terminal, skip: bool) -> list[RunDraft]:
    """The drafts that go over `key`, after the tasks of an `arrival`."""
    return draft.over(key, skip_lead=skip) if draft.tasks(arrival) else []
