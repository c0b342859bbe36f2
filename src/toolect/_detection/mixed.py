"""Reads a text whose dialect nobody named: content is its own, what an opener begins is read by the best dialect.

Which one that is depends on the text alone. Where several dialects may go on, each is tried on the same growing piece
of the text, measured from the opener, until all of them know what they make of it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from toolect import registry
from toolect._detection.bare import BRACKETS, BareJson, shapes_of
from toolect._detection.evidence import PATIENCE, Evidence, Setting
from toolect._detection.findings import Findings, MixedMessage
from toolect._detection.foregone import Foregone, Glance
from toolect._detection.guest import Guest
from toolect._detection.index import Hit, Index
from toolect._detection.stretch import FENCE, QUOTES, Stretch
from toolect._detection.trial import Trial
from toolect._graph.graph import Graph
from toolect._graph.node import Node
from toolect._graph.stop_plan import plan_of
from toolect._reading.answer import WAIT
from toolect._shapes.loose import MAX_GUESSES
from toolect._values.schema import Schema
from toolect.message import Call, RepairKind

_FENCE_LINE = re.compile(r"```[\w+.-]{0,32}[ \t]{0,16}(\r?\n\s{0,64})?")
_QUOTED = {"`": re.compile("`|\n\n"), '"': re.compile("\n"), "'": re.compile("\n")}
"""A quotation mark, and where at the latest the quotation ends that it begins."""
_FENCE_END = re.compile(r"```[ \t]{0,16}(\r?\n|\S)?")


class Mixed:
    """Reads one answer. `buf[pos:]` has not been looked at; `buf[0]` is character `base` of the text."""

    def __init__(
        self, index: Index, schemas: Mapping[str, Schema], policies: Mapping[str, str], streaming: bool, strict: bool
    ) -> None:
        self.found = Findings(streaming, policies.get("after_calls") == "drop")
        self._index, self._schemas, self._policies = index, schemas, policies
        self._streaming, self._strict = streaming, strict
        self._buf, self._pos, self._base = "", 0, 0
        self._late: list[str] = []  # text that came after `buf`
        self._late_size = 0
        self._guest: Guest | None = None
        self._barren = 0  # before here, a long trial has found nothing: only strong openers are tried again
        self._guesses = MAX_GUESSES  # how often broken JSON may still be tried in vain
        self._tried = -1  # where every dialect has been tried in vain
        self._thinks = False  # the guest reads reasoning, in which any dialect may call: `buf` is not its yet
        self._before = ""  # the character before `buf`, in reasoning
        self._rest = ""  # text that the guest has not been given
        self._trial: Trial | None = None
        self._content = Stretch(0)
        self._fenced = False  # the last call stood in a code block that is still open
        self._mute: re.Pattern[str] | None = None  # where the quotation that is open ends
        self._trail = ""  # whitespace that may still belong to a marker
        self._ended = False
        self._whole = False  # nothing comes after `buf`

    # The text

    def feed(self, chunk: str) -> None:
        """Take in `chunk` and read as far as it decides."""
        if self._guest is not None and not self._thinks:
            self._feed_guest(self._guest, chunk, False)
        else:
            self._late.append(chunk)
            self._late_size += len(chunk)
        while self._advance(False):
            pass

    def read(self, text: str) -> None:
        """Read `text`, which is all of it."""
        self._whole = True
        self.feed(text)
        self.close()

    def close(self) -> None:
        """The text is over."""
        while self._advance(True):
            pass

    def begin(self, name: str, opening: str) -> None:
        """The prompt ended with `opening`, which leaves something of a dialect open."""
        guest = self._new_guest(name, 0)
        guest.prefill(opening)
        if not guest.idle:
            self._guest, self._thinks = guest, guest.thinks

    def _advance(self, final: bool) -> bool:
        """Do one thing; False when more text is needed."""
        guest = self._guest
        if self._trial is not None:
            return self._try(self._trial, final)
        if guest is not None:
            if self._thinks:
                return self._think(guest, final)
            if guest.left is None and final:
                self._feed_guest(guest, "", True)
            if guest.left is None and not final:
                return False
            self._take_over(guest)
            return True
        self._merge()
        return self._scan(final)

    def _think(self, guest: Guest, final: bool) -> bool:
        """Let a guest read reasoning on, up to a call of whichever dialect; False when more text is needed."""
        self._merge()
        buf, index, pos = self._buf, self._index, self._pos
        while True:
            at, until = index.search(buf, pos, final)
            if at < 0:
                break
            hits = index.hits(buf, at, False, False, final)
            if hits is None or not final and index.partial(buf, at):
                break
            hits = [h for h in hits if h.opener.call and h.opener.strong and self._calls_in_reasoning(h.dialect)]
            before = buf[at - 1] if at else self._before
            if hits and not (before and before in QUOTES):
                if self._pass_thought(guest, at):
                    self._begin(0, hits)
                return True
            pos = at + 1
        if not self._pass_thought(guest, until):
            return True
        self._pos = max(pos - until, 0)
        if final:
            self._thinks = False
        return final

    def _pass_thought(self, guest: Guest, until: int) -> bool:
        """Text before index `until` is given to a guest that reads reasoning; False when it is over."""
        piece, rest = self._buf[:until], self._buf[until:]
        self._before = piece[-1:] or self._before
        self._buf, self._base, self._pos = rest, self._base + until, 0
        self._feed_guest(guest, piece, False)
        if guest.thinks and guest.left is None:
            return True
        self._thinks, self._buf = False, ""
        if guest.left is None:
            self._feed_guest(guest, rest, False)
        else:
            self._rest += rest
        return False

    def _calls_in_reasoning(self, name: str) -> bool:
        return self._graph(name).policies.reasoning_calls == "parse"

    def _merge(self) -> None:
        if self._late:
            self._buf += "".join(self._late)
            self._late, self._late_size = [], 0

    # Content

    def _scan(self, final: bool) -> bool:
        """Look for the next thing that may begin; False when more text is needed."""
        buf, content = self._buf, self._content
        if self._ended:
            self._after_end()
            return False
        if self._mute is not None:
            return self._quotation(self._mute, final)
        at = until = self._pos
        if not (content.fresh and self._index.named and at < len(buf) and not buf[at].isspace()):
            at, until = self._index.search(buf, at, final)
        if at >= 0:
            self._pass(at)
            if self._look(at, final):
                return True
        else:
            self._pass(until)
        if final:
            content.end(self.found)
        self._buf, self._base, self._pos = buf[self._pos :], self._base + self._pos, 0
        return False

    def _look(self, at: int, final: bool) -> bool:
        """Something may begin at index `at`: find out; False when more text is needed."""
        buf, content = self._buf, self._content
        if not final and self._index.partial(buf, at):
            return False
        if self._fenced and not content.solid and buf.startswith(FENCE, at):
            return self._at_fence(at, final)
        hits = self._index.hits(buf, at, content.in_line, content.fresh, final)
        if hits is None:
            return False
        if not final and any(len(buf) - h.end < len(h.opener.trail) for h in hits if not h.opener.call):
            return False
        if self._tried == self._base + at:
            hits = []
        if self._base + at < self._barren:
            hits = [hit for hit in hits if hit.opener.strong]
        quoted = content.quoted
        if hits and quoted:
            self._mute = _QUOTED[quoted]
            return True
        if hits:
            self._begin(at, hits)
            return True
        if buf.startswith(FENCE, at):
            return self._at_fence(at, final)
        if not quoted:
            for core, trail in self._index.closers.items():
                if buf.startswith(core, at):
                    self.found.repair(RepairKind.STRAY_MARKER, self._base + at, core)
                    self._skip(at + len(core))
                    self._trail = trail
                    return True
            for core in self._index.ends:
                if buf.startswith(core, at) and (content.in_line or not core[0].isalpha()):
                    return self._at_end_token(at, core)
        self._pass(at + 1)
        return True

    def _pass(self, until: int) -> None:
        """What stands before index `until` is content."""
        buf, pos = self._buf, self._pos
        while self._trail and pos < until:
            if buf[pos] != self._trail[0]:
                self._trail = ""
            else:
                self._trail = self._trail[1:]
                pos += 1
                self._content.start = self._base + pos
        if until > pos:
            self._fenced = self._content.add(self.found, buf[pos:until]) and self._fenced
        self._pos = until

    def _quotation(self, until: re.Pattern[str], final: bool) -> bool:
        """Everything up to the end of a quotation is content; False when more text is needed."""
        match = until.search(self._buf, self._pos)
        if match is not None:
            self._mute = None
            self._pass(match.start() + 1)
            return True
        self._pass(len(self._buf) - (not final and self._buf.endswith("\n")))
        if final:
            self._content.end(self.found)
        self._buf, self._base, self._pos = self._buf[self._pos :], self._base + self._pos, 0
        return False

    def _skip(self, end: int) -> None:
        """What stands between the content and index `end` is markup."""
        self._content.end(self.found)
        self._pos = end
        self._content = Stretch(self._base + end)

    # Code blocks and end tokens

    def _at_fence(self, at: int, final: bool) -> bool:
        """A code block begins or ends at index `at`, or it is just text."""
        buf, content = self._buf, self._content
        if self._fenced and not content.solid:
            match = _FENCE_END.match(buf, at)
            if match is not None and match[1] is None and match.end() == len(buf) and not final:
                return False
            if match is not None and (match[1] is None or match[1].endswith("\n")):
                self._fenced = False
                self._skip(at + len(FENCE))
                return True
        match = _FENCE_LINE.match(buf, at) if content.in_line and content.fence is None else None
        if match is not None and match.end() == len(buf) and not final:
            return False
        if match is not None and match[1] is not None and not final and self._index.partial(buf, match.end()):
            return False
        if match is not None and match[1] is not None and self._index.begins(buf, match.end()):
            content.hold_fence(buf[at : match.end()])
            self._pos = match.end()
            return True
        self._pass(at + len(FENCE))
        return True

    def _at_end_token(self, at: int, core: str) -> bool:
        """The end token `core` at index `at` ends the answer when its dialect was in use, or when nothing follows."""
        if self.found.last and core in self._index.traits[self.found.last].ends:
            self._skip(at + len(core))
            self._ended = True
        else:
            self._content.hold_end(core)
            self._pos = at + len(core)
        return True

    def _after_end(self) -> None:
        rest = self._buf[self._pos :]
        if rest.strip() and not any(r.kind is RepairKind.AFTER_END for r in self.found.repairs):
            at = self._base + self._pos + len(rest) - len(rest.lstrip())
            self.found.repair(RepairKind.AFTER_END, at, "text after the end of the answer")
        self._base, self._pos, self._buf = self._base + len(self._buf), 0, ""

    # Trials

    def _begin(self, at: int, hits: list[Hit]) -> None:
        """Dialects may go on at index `at`."""
        if any(hit.opener.strong for hit in hits):
            hits = [hit for hit in hits if hit.opener.strong]
        thinks = not any(hit.opener.call for hit in hits)
        if thinks:
            hits = [min(hits, key=self._misfit)]
        where = self._base + at
        setting = Setting(self._schemas, self._index.order, self.found.last, self._content.shown)
        evidence = Evidence(hits, setting)
        glance, bare, doubtful = None, None, frozenset[str]()
        if self._whole and not thinks and self._guest is None:
            glance = Glance(self._buf, at, self._base, evidence, self._schemas, self._graph, self._new_guest)
        marker = max(hit.end for hit in hits) - at if thinks or evidence.sure else 0
        if not marker:
            json_at, doubtful = evidence.bare(self._buf)
        if doubtful:
            shapes = shapes_of(self._index)
            bare = BareJson(shapes, self._base + json_at, self._schemas, self._guesses > 0)
            doubtful &= shapes.names
        self._trial = Trial(where, evidence, self._new_guest, glance, bare, doubtful, marker, thinks)

    def _misfit(self, hit: Hit) -> tuple[bool, int, bool, int]:
        """How badly the opener of reasoning or content fits the text."""
        trail = hit.opener.trail
        fits = self._buf.startswith(trail, hit.end)
        return (
            not fits,
            -len(trail) if fits else len(trail),
            hit.dialect != self.found.last,
            self._index.order[hit.dialect],
        )

    def _graph(self, name: str) -> Graph:
        return registry.dialect(name).graph(self._policies)

    def _new_guest(self, name: str, at: int) -> Guest:
        return Guest(name, self._graph(name), self._schemas, at, len(self.found.readers), self._streaming, self._strict)

    def _try(self, trial: Trial, final: bool) -> bool:
        """Let the dialects on trial read on; False when more text is needed."""
        self._merge()
        taken = trial.go_on(self._buf, trial.at - self._base, final)
        if taken is WAIT:
            return False
        self._trial = None
        at = trial.at - self._base
        if taken is None:
            self._pass_over(trial, at)
        elif isinstance(taken, Foregone):
            self._follow(taken, at)
        else:
            thinking = self._guest
            if thinking is not None:
                self._feed_guest(thinking, "", True)
                self._leave(thinking)
            self._enter(taken, taken.fed, trial.thinks)
        return True

    def _pass_over(self, trial: Trial, at: int) -> None:
        """No dialect fits at index `at`: it is content."""
        if trial.fed - trial.at > PATIENCE:
            self._barren = max(self._barren, trial.fed)
        self._guesses -= trial.misguessed
        until, thinking = at, self._guest
        if self._buf[at] in BRACKETS:  # what is JSON and no call is passed over as a whole
            until = trial.spent - self._base
        if thinking is not None:
            self._pass_thought(thinking, max(until, at + 1))
        elif until <= at + 1:
            self._tried = trial.at
        else:
            self._pass(until)

    # Guests

    def _follow(self, found: Foregone, at: int) -> None:
        """A dialect reads on from index `at`, where its stride was: a guest does when that stopped in its own text."""
        name, graph, to, node = found
        self._end_content(graph.start, at)
        if not to.left and not to.finished:
            guest = self._guest = self._new_guest(name, self._base + at)
            guest.adopt(to, node)
            rest, self._buf, self._pos = self._buf[to.before :], "", 0
            self._feed_guest(guest, rest, False)
            return
        self.found.keep_segments(name, to.segments, sum(type(s) is Call for s in to.segments))
        self._ended, self._pos = to.finished, to.size if to.finished else to.pos
        self._content = Stretch(self._base + self._pos)

    def _end_content(self, start: Node, at: int) -> None:
        """Content ends before what begins at index `at`, at the node `start` of its dialect."""
        content = self._content
        if content.fence is not None:
            self.found.repair(RepairKind.STRAY_MARKER, content.fence, FENCE)
            self._fenced = True
        content.end_before(self.found, lambda blanks: self._gap(start, at, blanks))

    def _enter(self, guest: Guest, fed: int, thinks: bool) -> None:
        """`guest`, which has read up to character `fed`, reads on."""
        self._end_content(guest.graph.start, guest.at - self._base)
        self._guest = guest
        self.found.events += guest.events
        rest = self._buf[fed - self._base :]
        self._buf, self._pos = "", 0
        if thinks and guest.thinks:
            self._thinks = True
            self._buf, self._base, self._before = rest, fed, ""
            return
        if guest.left is None and rest:
            self._feed_guest(guest, rest, False)
        else:
            self._rest = rest

    def _gap(self, start: Node, at: int, blanks: str) -> int:
        """How many of the blanks before index `at` are written by the dialect that begins there with `start`."""
        if not blanks or not start.text:
            return 0
        return plan_of(start).lead_at(blanks + self._buf[at : at + 256], 0, len(blanks))

    def _feed_guest(self, guest: Guest, chunk: str, final: bool) -> None:
        """Give a guest more text."""
        self._rest = chunk[guest.hear(chunk, final, self.found.events) :]

    def _take_over(self, guest: Guest) -> None:
        """The guest is done: go on where it left."""
        self._leave(guest)
        self._base, rest = guest.rest()
        if guest.left is None:
            self._ended = True
        else:
            self._buf = rest + self._rest
        self._pos, self._rest = 0, ""
        self._content = Stretch(self._base)

    def _leave(self, guest: Guest) -> None:
        """Keep what a guest has read."""
        self.found.keep(guest)
        self._guest, self._thinks = None, False

    # What has been read

    @property
    def pending(self) -> str:
        """Text that arrived and waits for more before it can be told apart."""
        if self._guest is not None:
            return self._guest.pending() + self._buf + "".join(self._late)
        return self._content.waiting + self._buf[self._pos :] + "".join(self._late)

    def message(self) -> MixedMessage:
        """What has been read; in the middle of an answer, what is open comes last."""
        return self.found.message(self._guest, self._content.so_far())
