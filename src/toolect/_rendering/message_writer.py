"""Writes the segments of a message: content, reasoning and calls, in the order that the grammar gives them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate

from toolect._graph.graph import Graph
from toolect._message import Call, Content, Reasoning, Segment
from toolect._rendered import Part, RenderError
from toolect._rendering.call import CallWriter, arguments_text
from toolect._rendering.ids import with_ids
from toolect._rendering.output import RenderedOutput
from toolect._rendering.walk import NOTHING, DataCursor, Leaf, Walk
from toolect._search.blank_end import blank_end_of
from toolect._shapes.write import unfit
from toolect._spec.codec_model import Layout
from toolect._spec.grammar_model import Pattern, Ref, Seq, Slot, SlotKind
from toolect._spec.holes import holes
from toolect._spec.model import Role, Spec
from toolect._spec.shape_model import TEXTS, Hole, HoleKind, Shape
from toolect._values.schema import Schema

_TEXTS: dict[Role | None, tuple[type[Content | Reasoning], Part]] = {
    Role.CONTENT: (Content, Part.CONTENT),
    Role.REASONING: (Reasoning, Part.REASONING),
}


class MessageWriter(Walk):
    """Writes a message. The items are its segments; in content and reasoning, the one segment."""

    def __init__(self, spec: Spec, graph: Graph, schemas: Mapping[str, Schema], out: RenderedOutput) -> None:
        super().__init__(spec, out, graph.starts)
        self.graph, self.calling, self.schemas = graph, graph.network.calling, schemas
        self.numbers: list[int] = []
        """Segment number → how many calls are before it."""
        self.among_calls = False
        """True inside a rule that holds calls, after its gap."""

    def write(self, segments: Sequence[Segment]) -> None:
        """Write `segments`; all of them must find a place."""
        self.numbers = list(accumulate((isinstance(s, Call) for s in segments), initial=0))
        cursor = DataCursor(with_ids(self.spec.ids, segments))
        self.expr(self.spec.rules["start"].expr, "start", cursor)
        if not cursor.done:
            kind = word_for(cursor.next)
            raise RenderError(kind, f"no place for {kind} here", sample_of(cursor.next))

    def part(self, part: Leaf, inside: str, cursor: DataCursor, closer: str) -> None:
        """Write a rule or a slot; terminals hold data only in calls."""
        match part:
            case Ref(name):
                self.rule(name, cursor)
            case Pattern(_, name):
                raise RenderError(name, "nothing in a message fills this terminal")
            case Slot():
                self.slot(part, inside, cursor, closer)

    def part_takes(self, part: Leaf, inside: str, cursor: DataCursor) -> bool:
        """True when `part` begins with a segment like the next one."""
        match part:
            case Ref(name):
                return self.rule_takes(name, cursor)
            case Pattern():
                return False
            case Slot(kind):
                return self.slot_takes(kind, inside, cursor)

    # Rules

    def rule(self, name: str, cursor: DataCursor) -> None:
        """Write rule `name`: content, reasoning, a call, or what holds them."""
        role = self.spec.roles.get(name)
        if role in _TEXTS:
            self.text(name, cursor)
        elif name in self.calling and not self.among_calls and isinstance(cursor.next, Call):
            self.gap(cursor)
            self.among_calls = True
            try:
                self.rule(name, cursor)
            finally:
                self.among_calls = False
        elif role is Role.CALL:
            self.call(name, cursor)
        else:
            self.expr(self.spec.rules[name].expr, name, cursor)

    def rule_takes(self, name: str, cursor: DataCursor) -> bool:
        """True when rule `name` begins with a segment like the next one."""
        match self.spec.roles.get(name):
            case Role.CONTENT:
                here = name not in self.spec.before_call or content_before_call(cursor)
                return here and isinstance(cursor.next, Content)
            case Role.REASONING:
                return isinstance(cursor.next, Reasoning)
            case Role.CALL:
                return isinstance(cursor.next, Call) and self.spec.fixed_names.get(name) in (None, cursor.next.name)
            case Role.AGAIN:
                return False
            case _:
                return self.takes(self.spec.rules[name].expr, name, cursor)

    def text(self, name: str, cursor: DataCursor) -> None:
        """Write content or reasoning as rule `name`; content that is a text alone may be none."""
        role = self.spec.roles[name]
        if role is Role.CONTENT and isinstance(self.spec.rules[name].expr, Slot) and not self.rule_takes(name, cursor):
            return
        if not isinstance(cursor.next, _TEXTS[role][0]):
            raise RenderError(role, f"expected {role} here, got {word_for(cursor.next)}", sample_of(cursor.next))
        self.out.segment = cursor.at
        self.expr(self.spec.rules[name].expr, name, DataCursor([cursor.take(role)]))

    def call(self, name: str, cursor: DataCursor) -> None:
        """Write a call as rule `name`."""
        call = self.next_call(cursor)
        fixed = self.spec.fixed_names.get(name)
        if fixed not in (None, call.name):
            raise RenderError("name", f"expected a call of {fixed!r}", call.name)
        self.out.segment = cursor.at
        number, schema = self.numbers[cursor.at], self.schemas.get(call.name)
        CallWriter(self.spec, self.out, self.markers, call, number, schema).write(name)
        cursor.at += 1

    def next_call(self, cursor: DataCursor) -> Call:
        """The next segment, which must be a call."""
        call = cursor.next
        if not isinstance(call, Call):
            raise RenderError("call", f"expected a call here, got {word_for(call)}", sample_of(call))
        return call

    # Gaps

    def gap(self, cursor: DataCursor) -> None:
        """Write the whitespace between a call and what is before it."""
        before = cursor.items[cursor.at - 1] if cursor.at else None
        if isinstance(before, Call):
            self.out.write(self.spec.gaps.between_calls)
        elif isinstance(before, Content) or isinstance(before, Reasoning) and self.reasoning_is_open():
            self.out.write(self.spec.gaps.before_call)

    def reasoning_is_open(self) -> bool:
        """True when reasoning ends in its slot, with no marker after it."""
        for name, role in self.spec.roles.items():
            if role is Role.REASONING and name in self.spec.rules:
                expr = self.spec.rules[name].expr
                return isinstance(expr.items[-1] if isinstance(expr, Seq) else expr, Slot)
        return False

    # Slots

    def slot(self, slot: Slot, inside: str, cursor: DataCursor, closer: str) -> None:
        """Write the text of a segment, or a run of calls in JSON."""
        kind = slot.kind
        role = self.role(inside, kind.value)
        if kind is SlotKind.JSON:
            self.json(inside, cursor)
        elif role is not None and role in _TEXTS:
            text = self.escaped(slot, inside, "" if cursor.done else cursor.take(inside).text, closer)
            ends = blank_end_of(self.graph, inside) if closer.isspace() else None
            if ends is not None and (blank := ends.regex.search(text + closer)) and blank.start() < len(text):
                raise RenderError(role, "holds what ends it", blank[0])
            self.out.write(text, _TEXTS[role][1])
        else:
            raise RenderError(f"{inside}/{kind}", "nothing in a message fills this slot")

    def slot_takes(self, kind: SlotKind, inside: str, cursor: DataCursor) -> bool:
        """True when the slot holds a segment like the next one."""
        if kind is not SlotKind.JSON:
            return not cursor.done
        if isinstance(cursor.next, Call):
            return True
        shape = self.shape(inside)
        if holes(shape).isdisjoint(TEXTS):
            return False
        try:
            _, after = unfit(shape, cursor.items, cursor.at, lambda _: "", Layout())
        except RenderError:
            return False
        return any(isinstance(segment, Call) for segment in cursor.items[cursor.at : after])

    def shape(self, inside: str) -> Shape:
        """The shape of the JSON slot of rule `inside`."""
        return self.spec.shapes.get(f"{inside}/JSON") or Hole(HoleKind.ARGUMENTS)

    def json(self, inside: str, cursor: DataCursor) -> None:
        """Write the calls that are next in one shape, and the texts beside them where the shape holds them."""
        spell, layout = lambda call: arguments_text(call, self.sort), self.layout(inside)
        pieces, cursor.at = unfit(self.shape(inside), cursor.items, cursor.at, spell, layout)
        for piece in pieces:
            self.out.segment = piece.segment
            self.out.write(piece.text, piece.part)


def content_before_call(cursor: DataCursor) -> bool:
    """True when content is next and a call after it."""
    after = cursor.items[cursor.at + 1] if cursor.at + 1 < len(cursor.items) else None
    return isinstance(cursor.next, Content) and isinstance(after, Call)


def word_for(segment: object) -> str:
    """The word for a segment."""
    return "nothing" if segment is NOTHING else type(segment).__name__.lower()


def sample_of(segment: object) -> str:
    """Text that identifies a segment: its text, or the name of a call."""
    match segment:
        case Call(name):
            return name
        case Content(text) | Reasoning(text):
            return text
        case _:
            return ""
