"""What stands between the things that dialects read: content, code blocks around calls, stray closers, end tokens."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from toolect._detection.arrived import Arrived
from toolect._detection.findings import Findings
from toolect._detection.index import Hit, Index
from toolect._detection.stretch import FENCE, Stretch
from toolect._reading.answer import WAIT, Waiting
from toolect._reading.quotation import mentioned, said
from toolect.message import RepairKind

MAX_VAIN = 128
"""How often in a row an opener is tried in vain in one text. Beyond it: text."""
MAX_LOOKS = 1 << 14
"""Places of a text where something might have begun, and did not. Beyond it: what says so by itself is looked for."""
_FENCE_LINE = re.compile(r"```[\w+.-]{0,32}[ \t]{0,16}(\r?\n\s{0,64})?")
_FENCE_END = re.compile(r"```[ \t]{0,16}(\r?\n|\S)?")


class Content:
    """Reads on in `text` up to a place where something of a dialect may begin."""

    __slots__ = (
        "_fenced",
        "_found",
        "_index",
        "_looks",
        "_needles",
        "_quoted",
        "_text",
        "_trail",
        "_vain",
        "barren",
        "ended",
        "stretch",
        "tried",
    )

    def __init__(self, index: Index, found: Findings, text: Arrived) -> None:
        self._index, self._found, self._text = index, found, text
        self._needles = index.needles
        self.stretch = Stretch(0)
        self.ended = False
        """An end token was the last of the answer."""
        self.barren = 0
        """Before this character, a long trial has found nothing: only strong openers are tried again."""
        self.tried = -1
        """The character where every dialect has been tried in vain."""
        self._vain: dict[str, int] = {}  # how often an opener has been tried in vain since it was not
        self._looks = 0  # how often something might have begun, and did not
        self._fenced = False  # the last call stood in a code block that is still open
        self._quoted = False  # the rest of this line stands in quotation marks
        self._trail = ""  # whitespace that may still belong to a marker

    def go_on(self) -> list[Hit] | Waiting | None:
        """The openers at the place that comes next, where `text` is read up to then; None where nothing was there."""
        text, stretch = self._text, self.stretch
        if self.ended:
            self._after_end()
            return WAIT
        if self._quoted:
            return self._rest_of_line()
        buf = text.buf
        at = until = text.pos
        if not (stretch.fresh and self._needles.names_at(buf, at)):
            at, until = self._needles.search_lines(buf, at, text.final, stretch.in_line)
        if at >= 0:
            self.read_to(at)
            hits = self._look(at)
            if hits is not WAIT:
                return hits
        else:
            self.read_to(until)
        self._pause()
        return WAIT

    def _pause(self) -> None:
        """More text is needed, if there is any."""
        if self._text.final:
            self.stretch.end(self._found)
        self._text.drop()

    def _look(self, at: int) -> list[Hit] | Waiting | None:
        """Something may begin at index `at`: find out."""
        text, stretch, index = self._text, self.stretch, self._index
        buf, base, final = text.buf, text.base, text.final
        if not final and self._needles.partial(buf, at):
            return WAIT
        if self._fenced and not stretch.solid and buf.startswith(FENCE, at):
            return self._at_fence(at)
        hits = index.hits(buf, at, stretch.in_line, stretch.fresh, final)
        if hits is None:
            return WAIT
        if not final and any(len(buf) - h.end < len(h.opener.trail) for h in hits if not h.opener.call):
            return WAIT
        if self.tried == base + at:
            hits = []
        for hit in hits if stretch.solid else ():
            if not hit.opener.call:
                if hit.end >= len(buf) and not final:
                    return WAIT
                if mentioned(hit.opener.core, hit.opener.trail, stretch.line, buf[hit.end : hit.end + 1]):
                    hits = []
                    break
        if base + at < self.barren:
            hits = [hit for hit in hits if hit.opener.strong]
        hits = self.promising(hits)
        core = index.closing(buf, at)
        if core in index.closers and not final and at + len(core) == len(buf):
            return WAIT
        shown = bool(hits or core) and stretch.shows()
        if hits and not shown:
            return hits
        self._looks += 1
        if self._looks % MAX_LOOKS == 0:
            self._needles = index.late({core for core, count in self._vain.items() if count >= MAX_VAIN})
        if buf.startswith(FENCE, at):
            return self._at_fence(at)
        if shown:
            self._quoted = stretch.in_quotes
            self.read_to(at + 1)
        elif core in index.closers and said(stretch.line, buf[at + len(core) : at + len(core) + 1]):
            self.read_to(at + 1)
        elif core in index.closers:
            self._found.repair(RepairKind.STRAY_MARKER, base + at, core)
            self._skip(at + len(core))
            self._trail = index.closers[core]
        elif core and (stretch.in_line or not core[0].isalpha()):
            self._at_end_token(at, core)
        else:
            self.read_to(at + 1)
        return None

    def read_to(self, until: int) -> None:
        """What stands before index `until` is content."""
        text = self._text
        buf, pos = text.buf, text.pos
        while self._trail and pos < until:
            if buf[pos] != self._trail[0]:
                self._trail = ""
            else:
                self._trail = self._trail[1:]
                pos += 1
                self.stretch.start = text.base + pos
        if until > pos:
            self._fenced = self.stretch.add(self._found, buf[pos:until]) and self._fenced
        text.pos = until

    def promising(self, hits: list[Hit]) -> list[Hit]:
        """Those of the openers that have not been tried in vain too often."""
        return [hit for hit in hits if self._vain.get(hit.opener.core, 0) < MAX_VAIN] if self._vain else hits

    def judge(self, openers: Iterable[str], meant: bool) -> None:
        """Something was `meant` by these openers, or nothing was."""
        for core in openers:
            self._vain[core] = 0 if meant else self._vain.get(core, 0) + 1

    def end_before(self, gap: Callable[[str], int]) -> None:
        """A dialect reads from here on; `gap` tells how many of the blanks before are its own."""
        stretch = self.stretch
        if stretch.fence is not None:
            self._found.repair(RepairKind.STRAY_MARKER, stretch.fence, FENCE)
            self._fenced = True
        stretch.end_before(self._found, gap)

    def begin(self) -> None:
        """Content begins again where `text` has been read up to."""
        self.stretch = Stretch(self._text.base + self._text.pos)

    def _rest_of_line(self) -> Waiting | None:
        """Everything up to the end of the line is content."""
        buf = self._text.buf
        at = buf.find("\n", self._text.pos)
        self._quoted = at < 0
        self.read_to(at if at >= 0 else len(buf))
        if at >= 0:
            return None
        self._pause()
        return WAIT

    def _skip(self, end: int) -> None:
        """What stands between the content and index `end` is markup."""
        self.stretch.end(self._found)
        self._text.pos = end
        self.begin()

    def _at_fence(self, at: int) -> Waiting | None:
        """A code block begins or ends at index `at`, or it is just text."""
        buf, stretch, final = self._text.buf, self.stretch, self._text.final
        if self._fenced and not stretch.solid:
            match = _FENCE_END.match(buf, at)
            if match is not None and match[1] is None and match.end() == len(buf) and not final:
                return WAIT
            if match is not None and (match[1] is None or match[1].endswith("\n")):
                self._fenced = False
                self._skip(at + len(FENCE))
                return None
        match = _FENCE_LINE.match(buf, at) if stretch.in_line and stretch.fence is None else None
        end = -1 if match is None else match.end()
        begins = match is not None and match[1] is not None
        if not final and (end == len(buf) or begins and self._needles.partial(buf, end)):
            return WAIT
        if begins and self._needles.begins(buf, end):
            self._trail = ""
            stretch.hold_fence(buf[at:end])
            self._text.pos = end
        else:
            self.read_to(at + len(FENCE))
        return None

    def _at_end_token(self, at: int, core: str) -> None:
        """The end token `core` at index `at` ends the answer when its dialect was in use, or when nothing follows."""
        if self._found.last and core in self._index.traits[self._found.last].ends:
            self._skip(at + len(core))
            self.ended = True
        else:
            self._trail = ""
            self.stretch.hold_end(core)
            self._text.pos = at + len(core)

    def _after_end(self) -> None:
        text = self._text
        rest = text.buf[text.pos :]
        if rest.strip() and not any(r.kind is RepairKind.AFTER_END for r in self._found.repairs):
            at = text.base + text.pos + len(rest) - len(rest.lstrip())
            self._found.repair(RepairKind.AFTER_END, at, "text after the end of the answer")
        text.pos = len(text.buf)
        text.drop()
