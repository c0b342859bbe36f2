"""Reads a text whose dialect nobody named: content is its own, what an opener begins is read by the best dialect.

Which one that is depends on the text alone: several dialects may be tried on it, from the opener on. Long, for one
machine: what it holds back, and who reads, is settled by whichever step comes next.
"""

from __future__ import annotations

from collections.abc import Mapping

from toolect._detection.arrived import Arrived
from toolect._detection.bare import BRACKETS
from toolect._detection.content import Content
from toolect._detection.evidence import PATIENCE, Evidence, Setting
from toolect._detection.findings import Findings, MixedMessage
from toolect._detection.foregone import Foregone
from toolect._detection.guest import LAST_PIECE, Guest
from toolect._detection.guests import Guests
from toolect._detection.index import Hit, Index
from toolect._detection.trial import Trial
from toolect._graph.node import Node
from toolect._graph.stop_plan import plan_of
from toolect._reading.answer import WAIT
from toolect._reading.quotation import MAX_LINE, quoted
from toolect._shapes.loose import MAX_GUESSES
from toolect._values.toolset import ToolSchemas
from toolect.message import Call

MAX_TOLL = 8192
"""Places of a text where a dialect is taken, each as often as its trial counts. Beyond it: that one reads the rest."""


class Mixed:
    """Reads one answer."""

    def __init__(
        self, index: Index, schemas: ToolSchemas, policies: Mapping[str, str], streaming: bool, strict: bool
    ) -> None:
        self.found = Findings(streaming, policies.get("after_calls") == "drop")
        self._index = index
        self._text = Arrived()
        self._content = Content(index, self.found, self._text)
        self._guests = Guests(schemas, policies, streaming, strict)
        self._guest: Guest | None = None
        self._thinks = False  # the guest reads reasoning, in which any dialect may call: `_text` is not its yet
        self._before = ""  # the last characters before what is unread, in reasoning
        self._sought = 0  # no call begins before this character, in any reasoning from here on
        self._toll = 0  # what all trials count for in which a dialect was taken
        self._trial: Trial | None = None
        self._guesses = MAX_GUESSES  # how often broken JSON may still be tried in vain

    # The text

    def feed(self, chunk: str) -> None:
        """Take in `chunk` and read as far as it decides."""
        if self._guest is not None and not self._thinks:
            self._text.buf = chunk  # nothing of it was left
            self._hear(self._guest)
        else:
            self._text.add(chunk)
        while self._advance():
            pass

    def read(self, text: str) -> None:
        """Read `text`, which is all of it."""
        self._text.whole = self._text.final = True
        self.feed(text)

    def close(self) -> None:
        """The text is over."""
        self._text.final = True
        while self._advance():
            pass

    def begin(self, name: str, opening: str) -> None:
        """The prompt ended with `opening`, which leaves something of a dialect open."""
        guest = self._guests.new(name, 0)
        guest.prefill(opening)
        if not guest.idle:
            self._guest, self._thinks = guest, guest.thinks

    def _advance(self) -> bool:
        """Do one thing; False when more text is needed."""
        guest, final = self._guest, self._text.final
        if self._trial is not None:
            return self._try(self._trial)
        if guest is not None:
            if self._thinks:
                return self._think(guest)
            if guest.left is None and final:
                self._hear(guest, True)
            if guest.left is None and not final:
                return False
            self._take_over(guest)
            return True
        self._text.gather()
        hits = self._content.go_on()
        if hits is WAIT:
            return False
        if hits:
            self._begin(hits)
        return True

    # Reasoning

    def _think(self, guest: Guest) -> bool:
        """Let a guest read reasoning on, up to a call of whichever dialect; False when more text is needed."""
        text, index = self._text, self._index
        text.gather()
        buf, base, final = text.buf, text.base, text.final
        while True:
            at, until = index.needles.search(buf, max(text.pos, self._sought - base), final)
            hits = index.hits(buf, at, False, False, final) if at >= 0 else None
            if hits is None or not final and index.needles.partial(buf, at):
                break
            calls = [called for hit in self._content.promising(hits) if (called := self._calling(hit)).names]
            self._sought = base + at + (not calls)
            if not calls:
                continue
            if not self._pass_thought(guest, at):
                return True
            if not quoted(self._before.rpartition("\n")[2]):
                self._begin(calls)
                return True
            if not self._pass_thought(guest, at + 1):
                return True
        self._sought = max(self._sought, base + until)
        if not self._pass_thought(guest, until):
            return True
        text.drop()
        if final:
            self._thinks = False
        return final

    def _pass_thought(self, guest: Guest, until: int) -> bool:
        """Text before index `until` is given to a guest that reads reasoning; False when it is over.

        It comes in pieces, so that little is taken of what follows.
        """
        size = MAX_LINE
        while self._pass_piece(guest, min(until, self._text.pos + size)):
            if self._text.pos >= until:
                return True
            size = min(2 * size, LAST_PIECE)
        return False

    def _pass_piece(self, guest: Guest, until: int) -> bool:
        """The same, of a piece."""
        piece, read, events = self._text.take(until), 0, self.found.events
        self._before = (self._before + piece)[-MAX_LINE:]
        while read < len(piece) and guest.thinks and guest.thought is None:  # it has not opened yet
            again = next((len(core) for core in guest.graph.think_openers if piece.startswith(core, read)), 1)
            read += guest.hear(piece[read : read + again], 0, False, events)
        thought = guest.thought
        if guest.left is None:
            read = guest.hear(piece, read, False, events)
        self._text.pos += read - len(piece)
        if guest.thinks and guest.left is None and guest.thought is thought:
            return True
        self._thinks = False
        if guest.left is None:
            self._hear(guest)
        return False

    def _calling(self, hit: Hit) -> Hit:
        """Of an opener in reasoning, the dialects that call there."""
        if not (hit.opener.call and hit.opener.strong):
            return hit._replace(names=())
        calling = (name for name in hit.names if self._guests.graph(name).policies.reasoning_calls == "parse")
        return hit._replace(names=tuple(calling))

    # Trials

    def _begin(self, hits: list[Hit]) -> None:
        """Dialects may go on where the text has been read up to."""
        text, found = self._text, self.found
        if any(hit.opener.strong for hit in hits):
            hits = [hit for hit in hits if hit.opener.strong or self._names_tool(hit)]
        if not any(hit.opener.call for hit in hits) and (len(hits) > 1 or len(hits[0].names) > 1):
            hits = [min((one for hit in hits for one in hit.each()), key=self._misfit)]
        setting = Setting(self._guests.schemas, self._index.order, found.last, self._content.stretch.shown)
        self._guests.count = len(found.readers)
        alone = text.whole and self._guest is None
        self._trial = Trial(
            text, self._index, Evidence(hits, setting, text.buf), self._guests, alone, self._guesses > 0
        )

    def _names_tool(self, hit: Hit) -> bool:
        """True when a whole name follows an opener, that of a declared tool."""
        name = hit.named(self._text.buf) if hit.opener.then else ""
        return name in self._guests.schemas

    def _misfit(self, hit: Hit) -> tuple[bool, int, bool, int]:
        """How badly the opener of reasoning or content fits the text."""
        trail, (name,) = hit.opener.trail, hit.names
        fits = self._text.buf.startswith(trail, hit.end)
        return not fits, -len(trail) if fits else len(trail), name != self.found.last, self._index.order[name]

    def _try(self, trial: Trial) -> bool:
        """Let the dialects on trial read on; False when more text is needed."""
        taken = trial.go_on()
        if taken is WAIT:
            return False
        self._trial = None
        self._content.judge(trial.openers, taken is not None)
        at = trial.at - self._text.base
        if taken is None:
            self._pass_over(trial, at)
            return True
        self._toll += trial.toll
        if isinstance(taken, Foregone):
            self._follow(taken, at)
        else:
            thinking = self._guest
            if thinking is not None:
                thinking.hear("", 0, True, self.found.events)
                self._leave(thinking)
            self._enter(taken, at, trial.thinks)
        return True

    def _pass_over(self, trial: Trial, at: int) -> None:
        """No dialect fits at index `at`: it is content."""
        text, content, thinking = self._text, self._content, self._guest
        if trial.fed - trial.at > PATIENCE:
            content.barren = max(content.barren, trial.fed)
        self._guesses -= trial.misguessed
        until = at
        if text.buf[at] in BRACKETS:  # what is JSON and no call is passed over as a whole
            until = trial.spent - text.base
        if thinking is not None:
            self._pass_thought(thinking, max(until, at + 1))
        elif until <= at + 1:
            content.tried = trial.at
        else:
            content.read_to(until)

    # Guests

    def _follow(self, found: Foregone, at: int) -> None:
        """A dialect reads on from index `at`, where its stride was: a guest does when that stopped in its own text."""
        name, graph, to, node = found
        self._end_content(graph.start, at)
        text, content = self._text, self._content
        if not to.left and not to.finished:
            guest = self._guest = self._guests.new(name, text.base + at)
            guest.adopt(to, node)
            text.pos = to.before
            self._hear(guest)
            return
        self.found.keep_segments(name, to.segments, sum(type(s) is Call for s in to.segments))
        content.ended, text.pos = to.finished, to.size if to.finished else to.pos
        self._begin_again(name)

    def _end_content(self, start: Node, at: int) -> None:
        """Content ends before what begins at index `at`, at the node `start` of its dialect."""
        buf = self._text.buf

        def gap(blanks: str) -> int:
            if not blanks or not start.text:
                return 0
            return plan_of(start).lead_at(blanks + buf[at : at + 256], 0, len(blanks))

        self._content.end_before(gap)

    def _enter(self, guest: Guest, at: int, thinks: bool) -> None:
        """`guest`, which has read from index `at` on, reads on."""
        self._end_content(guest.graph.start, at)
        known = len(self.found.readers)  # reasoning that was open may have ended with a call
        if self._guests.strict or self._guests.count != known:
            self._guests.count = known
            guest = self._guests.again(guest, self._text.buf[at : guest.fed - self._text.base])
        self._guest = guest
        self.found.events += guest.events
        self._text.pos = guest.fed - self._text.base
        if thinks and guest.thinks:
            self._thinks, self._before = True, ""
        elif guest.left is None:
            self._hear(guest)

    def _hear(self, guest: Guest, final: bool = False) -> None:
        """Give a guest the text: what it leaves unread stays there."""
        text = self._text
        text.pos = guest.hear(text.buf, text.pos, final, self.found.events)
        if guest.left is None:
            text.base, text.buf, text.pos = text.base + len(text.buf), "", 0

    def _take_over(self, guest: Guest) -> None:
        """The guest is done: go on where it left."""
        self._leave(guest)
        text, left = self._text, guest.left
        if left is None:
            self._content.ended = True
        elif left < text.base:
            text.base, text.buf, text.pos = left, guest.raw(left, text.base) + text.buf, 0
        else:
            text.pos = left - text.base
        self._begin_again(guest.name)

    def _begin_again(self, name: str) -> None:
        """The dialect `name` has read what is its own: content follows, or it reads on when enough were heard."""
        self._content.begin()
        if self._toll >= MAX_TOLL and not self._content.ended:
            text = self._text
            self._guests.count = len(self.found.readers)
            self._guest = self._guests.new(name, text.base + text.pos, alone=True)
            self._hear(self._guest)

    def _leave(self, guest: Guest) -> None:
        """Keep what a guest has read."""
        self.found.keep(guest)
        self._guests.mending = max(self._guests.mending, guest.mending)
        self._guest, self._thinks = None, False

    # What has been read

    @property
    def torn(self) -> int:
        """The number of the first call after one that broke off in the middle."""
        return min(self.found.torn, self.found.torn if self._guest is None else self._guest.torn)[1]

    @property
    def pending(self) -> str:
        """Text that arrived and waits for more before it can be told apart."""
        if self._guest is not None:
            return self._guest.pending() + self._text.rest
        return self._content.stretch.waiting + self._text.rest

    def message(self) -> MixedMessage:
        """What has been read; in the middle of an answer, what is open comes last."""
        return self.found.message(self._guest, self._content.stretch.so_far(), self._text.final)
