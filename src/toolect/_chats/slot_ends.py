"""Ends of a slot of a transcript: the runs that may follow it, and the search for them."""

from __future__ import annotations

import re
from collections.abc import Container
from typing import NamedTuple

from toolect._chats.prompt_tools import Definitions
from toolect._chats.slot_runs import SlotRun
from toolect._segments import Repair, RepairKind

MAX_SIGNS = 2
"""Characters of an opener that texts may hold. Beyond it: a turn that begins ends what is open."""
_SPACE = re.compile(r"\s+")
_BLANK = re.compile(r"\s*")


class Exit(NamedTuple):
    """End of a slot, and the run that follows up to `after`: None where nothing that fits follows."""

    end: int
    after: int
    run: SlotRun | None
    repairs: tuple[Repair, ...] = ()


class Ends:
    """Runs that may follow at one state, and the search for them."""

    def __init__(
        self,
        runs: tuple[SlotRun, ...],
        openers: tuple[SlotRun, ...],
        tokens: tuple[str, ...],
        last: int,
        tools: frozenset[int],
        inner: tuple[str, ...] = (),
        after: tuple[str, ...] = (),
    ) -> None:
        """`inner` texts stand inside of an answer; `after` one of these tokens, where there are any, results begin."""
        self.inner, self.after = inner, after
        self.runs, self.last = runs, last
        self.tools = tools
        """The states at which a definition in JSON begins."""
        self.openers = [run for run in openers if len(run.text.strip()) > MAX_SIGNS and run.state != last]
        self.by_core: dict[str, list[SlotRun]] = {}
        for run in runs:
            if run.text:
                self.by_core.setdefault(_core(run.text), []).append(run)
        self.opening: dict[str, list[SlotRun]] = {}
        for run in self.openers:
            self.opening.setdefault(_core(run.text), []).append(run)
        closers = {token for token in tokens if any(run.text.lstrip().startswith(token) for run in runs)}
        self.closers = closers
        cores = sorted({*self.by_core, *self.opening, *closers}, key=len, reverse=True)
        self.by_core = _whole(self.by_core, cores)
        self.opening = _whole(self.opening, cores)
        self.finder = re.compile("|".join(map(re.escape, cores))) if cores else None
        self.silent = next((run for run in runs if not run.text and run.state == last), None)
        self._relaxed: dict[str, re.Pattern[str]] = {}

    @property
    def cores(self) -> tuple[str, ...]:
        """Words that are searched for: the first of each run that may follow."""
        return tuple({*self.by_core, *self.opening, *self.closers})

    def needed(self, left_out: Container[SlotRun] = ()) -> set[str]:
        """Words without which no run stands in a text: the first of each run, or its longest if that is common.

        A bracket counts behind a token `after` which results begin, where there are any.
        """
        runs = [run for run in self.runs if run.text.strip() or run.text and run.state != self.last]
        found = set(self.closers)
        for run in (*runs, *self.openers):
            core = _core(run.text)
            if self.after and len(core) <= MAX_SIGNS:
                found |= {token + core for token in self.after}
            elif len(core) > MAX_SIGNS and not core.isalpha():
                found.add(core)
            elif run not in left_out:
                found.add(max(run.text.split() or [run.text], key=len))
        return found

    @property
    def prose(self) -> set[str]:
        """Texts that may follow and begin with a word that any text may hold."""
        return {run.text for run in (*self.runs, *self.openers) if _core(run.text).isalpha()}

    def match(self, text: str, at: int, empty: bool = True) -> Exit | None:
        """The run that stands at `at`; perhaps an `empty` one."""
        for run in self.runs:
            if (
                (run.text or empty)
                and text.startswith(run.text, at)
                and (run.state != self.last or len(text) == at + len(run.text))
            ):
                if run.state != self.last and len(text) == at + len(run.text):
                    # An answer of which nothing came is none: the transcript ends in what asks for it.
                    ended = next((r for r in self.runs if r.text == run.text and r.state == self.last), None)
                    run = ended or run
                return Exit(at, at + len(run.text), run)
        start = _BLANK.match(text, at)
        assert start is not None
        for run in self.runs:
            if run.text.strip() and (found := self._relax(run).match(text, start.end())):
                if run.state == self.last and found.end() != len(text):
                    continue
                repair = Repair(RepairKind.WHITESPACE, at, text[at : found.end()][:40])
                return Exit(at, found.end(), run, (repair,))
        return None

    def next(self, text: str, at: int) -> Exit | None:
        """The first run from `at` on: it has a marker, so that reading gets on."""
        pos = at
        while self.finder is not None and (found := self.finder.search(text, pos)):
            start = found.start()
            if (matched := self.match(text, start, empty=False)) is not None:
                return matched._replace(end=start)
            pos = start + 1
        return None

    def leave(self, text: str, at: int, pos: int, definitions: Definitions) -> Exit:
        """The exit from the slot that begins at `at`, not before `pos`."""
        while self.finder is not None and (found := self.finder.search(text, pos)):
            start, core = found.start(), found[0]
            inner = next((one for one in self.inner if one.startswith(core) and text.startswith(one, start)), "")
            if inner and start + len(inner) < len(text):
                pos = start + len(inner)  # an end inside of an answer, which goes on
                continue
            if self.after and len(core) <= MAX_SIGNS and not text.endswith(self.after, at, start):
                pos = start + 1  # a bracket of a text or of an argument
                continue
            for run in self.by_core.get(core, ()):
                lead = 0 if run.text.startswith(core) else len(_lead(run.text))
                if start - lead < at or not text.startswith(run.text, start - lead):
                    continue
                end = start - lead + len(run.text)
                if run.state == self.last and end != len(text):
                    continue
                if end == len(text) and run.state != self.last:
                    run = next((r for r in self.runs if r.text == run.text and r.state == self.last), run)
                if run.state in self.tools and definitions.end(end) < 0:
                    run = next((r for r in self.runs if r.text == run.text and r.state not in self.tools), run)
                return Exit(start - lead, end, run)
            for run in self.by_core.get(core, ()):
                if len(run.text.strip()) > MAX_SIGNS and (relaxed := self._relax(run).match(text, start)):
                    if run.state == self.last and relaxed.end() != len(text):
                        continue
                    end = start - _shared(text, at, start, _lead(run.text))
                    repair = Repair(RepairKind.WHITESPACE, end, text[end : relaxed.end()][:40])
                    return Exit(end, relaxed.end(), run, (repair,))
            for run in self.opening.get(core, ()):
                if text.startswith(run.text.lstrip(), start):
                    return Exit(start, start, None, (Repair(RepairKind.IMPLIED_CLOSER, start),))
            if core in self.closers:
                ended = start + len(core) == len(text)
                repairs = () if ended else (Repair(RepairKind.STRAY_MARKER, start, core),)
                blanks = next((_lead(run.text) for run in self.runs if run.text.lstrip().startswith(core)), "")
                return Exit(start - _shared(text, at, start, blanks), start + len(core), None, repairs)
            pos = start + 1
        if self.silent is not None:
            return Exit(len(text), len(text), self.silent)
        cut = self._cut(text, at)
        return Exit(cut, len(text), None, (Repair(RepairKind.IMPLIED_CLOSER, cut),))

    def _cut(self, text: str, at: int) -> int:
        """Start index of a marker that the end of the text cuts off; the end when there is none."""
        best = len(text)
        for run in self.runs:
            whole = run.text
            for length in range(min(len(whole) - 1, len(text) - at, 64), 0, -1):
                if text.endswith(whole[:length]) and whole[:length].strip():
                    best = min(best, len(text) - length)
                    break
        return best

    def _relax(self, run: SlotRun) -> re.Pattern[str]:
        pattern = self._relaxed.get(run.text)
        if pattern is None:
            words = _SPACE.split(run.text.strip())
            tail = run.text[len(run.text.rstrip()) :]
            end = "".join(f"(?:{re.escape(sign)})?" for sign in tail)
            pattern = self._relaxed[run.text] = re.compile(r"\s*".join(map(re.escape, words)) + end)
        return pattern


def _core(text: str) -> str:
    """The first word of a run, which is searched for."""
    words = text.split(None, 1)
    return words[0] if words else text


def _whole(runs: dict[str, list[SlotRun]], cores: list[str]) -> dict[str, list[SlotRun]]:
    """For each core the runs that may begin where it is found, longest first: those of shorter cores too."""
    return {
        core: sorted((run for own, some in runs.items() for run in some if _may_begin(core, own, run)), key=_longest)
        for core in cores
    }


def _may_begin(core: str, own: str, run: SlotRun) -> bool:
    return core.startswith(own) or run.text.startswith(core)


def _longest(run: SlotRun) -> tuple[int, int]:
    return -len(run.text), len(run.steps)


def _lead(text: str) -> str:
    return text[: len(text) - len(text.lstrip())]


def _shared(text: str, at: int, start: int, lead: str) -> int:
    """Number of the blanks at the end of `lead` that stand before `start`."""
    for length in range(len(lead), 0, -1):
        if start - length >= at and text.startswith(lead[-length:], start - length):
            return length
    return 0
