"""Wire text of one dialect as wire text of another, with a report of what was lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from toolect._compiled import Dialect, Tools
from toolect._detection.dropped import SHOWN, after_end
from toolect._detection.guess import reader
from toolect._message import Call, Message, Said, Segment, not_text
from toolect._renamed import renamed_parameters
from toolect._rendered import Part, RenderError
from toolect.registry import AUTO, dialect


class Loss(msgspec.Struct, frozen=True):
    """A loss: segment number `segment`, the slot that could not be carried over, the reason, and a witness.

    The segment is left out. But where the slot is `id` its call is written without it, and where it is `border` its
    text is written as one with the text before it. Where it is `after-end` it is no segment, -1, that is left out, but
    what follows the end of the answer.
    """

    segment: int
    slot: str
    reason: str
    witness: str = ""


class Conversion(msgspec.Struct, frozen=True):
    """The converted text, the message in it, and what was lost."""

    text: str
    message: Message
    losses: tuple[Loss, ...] = ()


@renamed_parameters(target="to")
def convert(
    text: str | Said, source: str = AUTO, *, to: str, tools: Tools | None = None, prefix: str = ""
) -> Conversion:
    """`text` of the dialect `source` in the dialect `to`. Segments that it cannot carry are left out and reported.

    Without a source, each part is read in the dialect that fits. What is no text but a message, see `Message.of`, is
    read already. Raises UnknownNameError.
    """
    given = list(tools) if tools is not None else None
    reading, writer = reader(source), dialect(to)
    if text is None or isinstance(text, bytes | bytearray):
        raise not_text(text)
    if isinstance(text, str):
        message = reading.parse(text, given, prefix=prefix)
        done = carry(message, writer, given)
        rest = after_end(text, message.repairs)
        return replace(done, losses=(*done.losses, Loss(-1, AFTER_END, _NOT_READ, rest[:SHOWN]))) if rest else done
    return carry(Message.of(text), writer, given)


def carry(message: Message, writer: Dialect, given: Sequence[Mapping[str, Any]] | None = None) -> Conversion:
    """`message` in the dialect `writer`, without the segments that it cannot carry; `given` are tools."""
    losses: dict[int, Loss] = {}
    whole: dict[int, Segment] = {}
    for i, segment in enumerate(message.segments):
        if isinstance(segment, Call) and not segment.runnable:
            losses[i] = Loss(i, "call", f"{segment.status}: {segment.error}", segment.raw[:80])
        else:
            whole[i] = segment
    attempt = _Attempt(writer, given, whole)
    attempt.fill()
    losses |= attempt.losses()
    return Conversion(attempt.text, message, tuple(losses[i] for i in sorted(losses)))


MAX_TRIED = 8
"""Times that a message may be written to find segments that fit together. Beyond it: the others are left out."""
MAX_APART = 1024
"""Segments that are tried one by one where a message cannot be written as it is. Beyond it: neighbouring texts of one
kind are written as one, and of what is still too many the first ones count."""
_FREE = 1 << 18
"""Characters that may be written for that in any case."""
_MOST = 1 << 20
"""Characters of a message for which more may be written."""
_SEGMENT = 256
"""Characters that a segment costs beside its text: as many are written, and read back, in that time."""


class _Attempt:
    """Finds the segments that a dialect can carry together: those that fit alone first, calls before texts."""

    def __init__(self, writer: Dialect, given: Sequence[Mapping[str, Any]] | None, whole: dict[int, Segment]) -> None:
        self._writer, self._given, self._whole = writer, given, whole
        self._left = MAX_TRIED * min(_cost(whole), _MOST) + _FREE
        self._alone: dict[int, RenderError] = {}  # why it does not fit, even if there is nothing else
        self._unfit: dict[int, RenderError] = {}  # why it is left out beside the others
        self._changed: dict[int, Loss] = {}
        self._kept: dict[int, Segment] = {}
        self.text = ""
        """The text of the segments that are kept."""

    def fill(self) -> None:
        """Keep all segments, or as many as can be."""
        if self._try(self._whole) is None:
            return
        if len(self._whole) > MAX_APART:
            self._join_texts()
            if self._try(self._whole) is None:
                return
        fit: dict[int, Segment] = {}
        for number, (i, segment) in enumerate(self._whole.items()):
            one = self._fitting(i, segment) if number < MAX_APART else segment
            if one is not None:
                fit[i] = one
        self._try({})
        self._add({i: one for i, one in fit.items() if isinstance(one, Call)})
        self._add({i: one for i, one in fit.items() if not isinstance(one, Call)})
        self._add({i: one for i, one in self._whole.items() if i in self._alone})

    def _join_texts(self) -> None:
        """Neighbouring texts of one kind are one."""
        parts: dict[int, list[str]] = {}
        first, before = 0, None
        for i, segment in self._whole.items():
            if isinstance(segment, Call):
                before = None
            elif type(segment) is before:
                parts[first].append(segment.text)
                self._changed[i] = _bordering(i, segment.text)
            else:
                first, before, parts[i] = i, type(segment), [segment.text]
        whole = {i: segment for i, segment in self._whole.items() if i not in self._changed}
        self._whole = {
            i: one if isinstance(one, Call) else replace(one, text="".join(parts[i])) for i, one in whole.items()
        }

    def losses(self) -> dict[int, Loss]:
        """Losses of the segments that are left out or changed, by their numbers."""
        found = dict(self._changed)
        for i, why in self._unfit.items():
            found[i] = self._loss(i, self._alone.get(i), why)
        return found

    def _loss(self, i: int, alone: RenderError | None, why: RenderError) -> Loss:
        from toolect._rendering.message_writer import word_for  # not part of starting up

        kind = word_for(self._whole[i])
        if alone is None:
            return Loss(i, kind, f"no place beside the others: {why.slot}: {why.reason}", why.witness)
        if alone.slot == Part.ID:
            return Loss(i, kind, f"{alone.slot}: {alone.reason}", alone.witness)
        return Loss(i, alone.slot, alone.reason, alone.witness)

    def _write(self, segments: Mapping[int, Segment]) -> str | RenderError:
        try:
            return self._writer.render(Message(tuple(segments.values())), self._given)
        except RenderError as error:
            return error

    def _fitting(self, i: int, segment: Segment) -> Segment | None:
        """The segment as it can be written alone: an id is no reason to lose a call."""
        why = self._write({i: segment})
        if not isinstance(why, RenderError):
            return segment
        if isinstance(segment, Call) and segment.id is not None:
            free = replace(segment, id=None)
            found = self._write({i: free})
            if not isinstance(found, RenderError):
                self._changed[i] = Loss(i, Part.ID, why.reason, why.witness)
                return free
            why = found
        self._alone[i] = why
        return None

    def _add(self, more: dict[int, Segment]) -> None:
        """Keep as many of these as fit beside what is kept, the first ones first."""
        todo = [more] if more else []
        while todo:
            group = todo.pop()
            if self._left < 0:
                self._unfit |= dict.fromkeys(group, _TOO_MANY)
                continue
            found = self._try(self._kept | group)
            if found is None:
                continue
            if len(group) > 1:
                halves = [*group.items()]
                middle = len(halves) // 2
                todo += (dict(halves[middle:]), dict(halves[:middle]))
                continue
            ((i, segment),) = group.items()
            if not self._joined(i, segment):
                self._unfit[i] = found

    def _try(self, segments: dict[int, Segment]) -> RenderError | None:
        """Keep just these; or why they cannot be."""
        self._left -= _cost(segments)
        if self._left < 0:
            return _TOO_MANY
        segments = dict(sorted(segments.items()))
        found = self._write(segments)
        if isinstance(found, RenderError):
            return found
        self._kept, self.text = segments, found
        return None

    def _joined(self, i: int, segment: Segment) -> bool:
        """True when a text can be kept as one with the text of its kind that is written before it."""
        at = max((at for at in self._kept if at < i), default=i)
        before = self._kept.get(at)
        if before is None or isinstance(before, Call) or isinstance(segment, Call) or type(before) is not type(segment):
            return False
        if self._try(self._kept | {at: replace(before, text=before.text + segment.text)}):
            return False
        self._changed[i] = _bordering(i, segment.text)
        return True


_TOO_MANY = RenderError("message", "too many ways to leave something out")
BORDER = "border"
"""The slot of a loss that is none of text: two texts became one."""
AFTER_END = "after-end"
"""The slot of a loss that is no segment: what follows the end of an answer, and is not read."""
_NOT_READ = "follows the end of the answer"


def _bordering(i: int, text: str) -> Loss:
    """The text of segment `i` runs into the one before it."""
    return Loss(i, BORDER, "would run into the text before it", text[:80])


def _cost(segments: Mapping[int, Segment]) -> int:
    return sum(_SEGMENT + len(one.arguments_text if isinstance(one, Call) else one.text) for one in segments.values())
