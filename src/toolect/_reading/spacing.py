"""The whitespace between lexemes: what has come, held against what the dialect writes there."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from toolect._graph.node import Node
from toolect._graph.spelling import MAX_LEXEME, cut_off
from toolect._reading.answer import WAIT, Answer
from toolect._reading.builder import Builder
from toolect._reading.probe import Probe, View
from toolect._spec.grammar_model import SlotKind
from toolect._spec.model import Role
from toolect.message import RepairKind


class Place(View, Protocol):
    """What has arrived of a text, read up to `buf[pos]`."""

    pos: int


def or_json(node: Node) -> bool:
    """May JSON stand at `node` in place of the free text of a call?"""
    return bool(node.json) and node.text_field().role not in (Role.CONTENT, None)


class Spacing:
    """The whitespace after the last lexeme. It is not looked at while `loose`: a repair took it in."""

    __slots__ = ("_begun", "_space", "_to", "_trail", "_trails", "come", "loose", "returns", "written")

    def __init__(self) -> None:
        self.come = ""  # since the last lexeme
        self._to = 0  # the character where that ends
        self.loose = False
        self._trails: tuple[str, ...] = ("",)  # what the last marker may write after itself
        self._trail = ""  # what of it has not come yet
        self.written = ""  # what is written after the last marker, and before the text that follows
        self._space = ""  # what is written before the text that follows
        self._begun = False  # what the text that follows begins with is part of that already
        self.returns = False  # the line break before it has a carriage return

    def after(self, trail: str, trails: tuple[str, ...]) -> None:
        """A marker was read that writes `trail`, the first of `trails`, after itself."""
        self.come = ""
        self._trail, self._trails, self.loose = trail, trails, False
        self.written = trail

    def took(self, text: str, at: int) -> None:
        """More whitespace came, at character `at`: it goes on what came before it if nothing was left out between."""
        if at != self._to or len(self.come) <= MAX_LEXEME:
            self.come = self.come + text if at == self._to else text
        self._to = at + len(text)

    def right_before(self, at: int) -> str:
        """The whitespace that ends at character `at`."""
        return self.come if at == self._to else ""

    def after_stray(self, trail: str) -> None:
        """A closer of text was read that closes nothing."""
        self._trail, self.loose = trail, True

    def over_trail(self, text: str, pos: int) -> int:
        """The index after what the last marker writes after itself, when just that is at `text[pos]`; -1 when not."""
        if self.come or self.loose or self._begun or not text.startswith(self._trail, pos):
            return -1
        return pos + len(self._trail)

    def before_string(self, source: Place) -> bool:
        """Go over what the opener of a string writes after itself, which may be missing; False for more text."""
        buf, trail = source.buf, self._trail
        if not source.final and len(buf) - source.pos < len(trail) and cut_off(trail, buf, source.pos):
            return False
        if buf.startswith(trail, source.pos):
            source.pos += len(trail)
        self.clear()
        return True

    def clear(self) -> None:
        """Nothing is written after the last lexeme."""
        self._trail = self.come = ""
        self._trails = ("",)

    def check(self, builder: Builder, at: int, leads: Collection[str], lead: str) -> None:
        """Note it when the whitespace before character `at` is not what the dialect writes there."""
        come = self.come
        if come != self._trails[0] + lead and not any(come == trail + lead for trail in self._trails for lead in leads):
            builder.note(RepairKind.WHITESPACE, at, f"expected {self._trails[0] + lead!r}")

    def before_text(self, source: Place, builder: Builder, node: Node) -> bool:
        """Go over what is written before the free text of `node`; False when more text is needed."""
        buf, n, final = source.buf, len(source.buf), source.final
        if not self._begun:
            space = node.choices[SlotKind.TEXT][0].expects
            if space:
                probe = Probe(source, node, source.pos)
                comes = probe.space()
                at = probe.pos
                lexeme = probe.next() if comes is Answer.YES else None
                if comes is WAIT or lexeme is WAIT:
                    return False
                if lexeme is not None and isinstance(lexeme.key, str) and node.lead(lexeme.key) != space:
                    space = ""  # it stands before text only
                elif or_json(node) and buf[at : at + 1] in ("{", "["):
                    space = node.choices[SlotKind.JSON][0].expects
            self._space = space
            self._trail += space
            self.written += space
            self._begun, self.returns = True, False
        while self._trail:
            if source.pos == n:
                if not final:
                    return False
                break
            if buf[source.pos] == "\r" and self._trail[0] == "\n":
                if source.pos + 1 == n and not final:
                    return False
                if buf.startswith("\n", source.pos + 1):
                    builder.note(RepairKind.WHITESPACE, source.base + source.pos, f"expected {self._trail!r}")
                    source.pos, self.returns = source.pos + 1, True
            if buf[source.pos] != self._trail[0]:
                others = node.choices[SlotKind.TEXT]
                bare = "" in self._trails and any(not choice.expects for choice in others)
                bare = bare and self._trail == self._trails[0] + others[0].expects
                if not self.loose and not bare:
                    at = source.base + source.pos
                    builder.note(RepairKind.WHITESPACE, at, f"expected {self._trail!r}")
                break
            source.pos += 1
            self._trail = self._trail[1:]
        self.clear()
        self.loose = False
        return True

    def instead(self, at: int) -> None:
        """What comes after all, at character `at`, is not the text that it was gone over for."""
        self.come, self._to = self._space, at

    def settled(self) -> None:
        """It is known what comes after it."""
        self._begun = False
