"""Clear text: slots of free text without a sign of any marker but the one that ends them, and that marker's run."""

from __future__ import annotations

import re
from typing import Final

from toolect._building.element import in_element
from toolect._building.quotation import is_glued, line_before, quoted, said
from toolect._canonical.answer_state import TEXT, AnswerState, Route
from toolect._canonical.marker_runs import Hub, hub
from toolect._graph.needle import fixed
from toolect._graph.node import STRONG, Node
from toolect._graph.spelling import MAX_LEXEME
from toolect._graph.symbols import is_echo
from toolect._graph.trails import layout
from toolect._message import Content, Json, Reasoning
from toolect._search.follow import nests
from toolect._search.island import Island, island
from toolect._search.text_edges import after_key
from toolect._spec.codec_model import CodecKind, Spelling
from toolect._spec.model import Role
from toolect._values.codec import decode, decode_arguments, decode_plain, is_plain, respelled
from toolect._values.escapes import LEAD
from toolect._values.schema import Schema
from toolect._values.text_values import NOTHING, is_broken, sniff

_COMMON: Final = frozenset(" \t\n.,:;!?'\"()-/*#&%")
"""Signs that many texts have."""
_SECTION: Final = "<!"
_NO_KINDS: Final[dict[str, str]] = {}


class TextSlot(Route):
    """A text slot. `late` has the runs after it, `clear` takes most texts together with them."""

    __slots__ = ("clear", "codec", "element", "escapes", "late", "lead", "leads", "part", "plan", "search", "space")

    def __init__(self, node: Node) -> None:
        super().__init__(node)
        plan = self.plan = island(node)
        field = node.text_field()
        self.codec = field.codec
        escapes = None if field.codec is None else field.codec.escapes
        self.escapes = "" if escapes is None else LEAD[escapes]
        self.element = in_element(node)
        self.space = node.choices[TEXT][0].expects
        ends = [
            core
            for core, ways in plan.ways.items()
            if not ways[0].cost and core in plan.after.marks and self._ends(core)
        ]
        self.leads = {core: _lead(plan, core) for core in ends}
        json = plan.content and plan.json is not None and plan.after.json
        self.late = hub(node, ends, after_text=True, json=json, led=False)
        self.search = plan.regex.search
        self.part = max(map(len, plan.parts), default=1)
        calls = [core for core in ends if plan.after.calling(core)]
        self.lead = next((self.leads[core] for core in (*calls, *ends)), plan.gap if json else "")
        self.clear: Hub | None = None
        """Matches the text as its first group, and the run behind it."""
        signs = {fixed(core)[0] for core in plan.cores + plan.echoes} | ({"{", "["} if plan.json else set())
        plain = not any(sign.isalnum() or sign in _COMMON for sign in signs) and signs.isdisjoint(self.lead)
        ends = [core for core in ends if self.leads[core] == self.lead]
        if plain and signs and all(map(fixed, ends)):
            some = "[^" + "".join(map(re.escape, sorted(signs))) + "]*+"
            behind = f"(?<={re.escape(self.lead)})" if self.lead else ""
            before = f"{re.escape(self.space)}({some}){behind}"
            self.clear = hub(node, ends, after_text=True, json=json, led=False, before=before)

    def _ends(self, core: str) -> bool:
        return not self.plan.after.marks[core]

    def odd(self, to: AnswerState, pos: int, where: int, bare: bool = False) -> bool:
        """True when something in the text from index `pos` to `where` may begin something else.

        A bracket there that may be `bare` JSON may as well be in the middle of an opener.
        """
        plan, buf = self.plan, to.buf
        if plan.near is not None and (where > pos or bare):
            limit = where + STRONG if bare else where
            part = plan.near.search(buf, pos, limit + self.part)
            if part is not None and part.start() < limit:
                return True
        if plan.led_words is not None and (led := plan.led_words.search(buf, pos, where + MAX_LEXEME)) is not None:
            return led.start() <= where
        if to.declared and where > pos and plan.content and plan.named is not None:
            return any(buf.find(name, pos, where) >= 0 for name in to.tools.by_name)
        return False

    def first(self, to: AnswerState, pos: int) -> tuple[int, int, re.Match[str] | None]:
        """Indices of the end of the text from `pos` on, and of the marker behind it, which may match; -1 for none."""
        buf, match = to.buf, None
        if self.clear is not None and (match := self.clear.match(buf, pos - len(self.space))) is not None:
            where = match.end(1)
            return where - len(self.lead), where, match
        found = self.search(buf, pos)
        if found is None:
            return -1, -1, None
        where = found.start()
        lead = self.leads.get(found[0])
        if lead is None:
            if not (self.plan.echoes or found[0] in "{["):
                return -2, where, None
            lead = next((lead for core, lead in self.leads.items() if to.spelled(core) == found[0]), self.plan.gap)
        end = where - len(lead)
        if end < pos or not buf.startswith(lead, end) or self.plan.torn(buf, pos, where) < where:
            return -2, where, None
        return end, where, None

    def over(self, to: AnswerState, where: int, match: re.Match[str] | None) -> Route | None:
        """Go over the run of markers at index `where`."""
        if match is not None and self.clear is not None:
            return to.over(self.clear, match, where)
        return None if self.late is None else to.cross(self.late, where)

    def whole(self, to: AnswerState) -> tuple[str, int, int, re.Match[str] | None] | None:
        """The text up to the marker that ends it, from where it begins to where that does; None where it is unclear."""
        if not to.buf.startswith(self.space, to.pos):
            return None
        pos = to.pos + len(self.space)
        end, where, match = self.first(to, pos)
        if end < pos or to.buf[where] in self.escapes and to.buf.startswith(to.buf[where] * 2, where):
            return None  # it may be escaped by itself
        piece = to.buf[pos:end]
        return None if self.doubtful(piece, to.last) else (piece, pos, where, match)

    def doubtful(self, piece: str, last: str) -> bool:
        """True when something in the text, after the marker `last`, has to be looked at."""
        if last and (piece.startswith(last) or piece[:1].isspace() and piece.lstrip().startswith(last)):
            return last not in self.plan.after.marks  # it stands there once more
        if self.escapes and any(lead in piece for lead in self.escapes):
            return True
        return piece[-1:] == "\r" and self.lead != "" or self.element and _SECTION in piece

    def typed(self, piece: str, schema: Schema | None) -> Json:
        """The value of a text. Raises ValueError for what the search has to read."""
        assert self.codec is not None
        if self.codec.spelling is Spelling.ELEMENTS and schema is not None and schema.lists:
            raise ValueError("one of several elements, perhaps")
        value = decode(self.codec, piece, schema)
        if schema is not None and isinstance(value, str) and is_broken(value, schema.types):
            raise ValueError("broken JSON")
        if value is not piece and respelled(self.codec, piece, value):
            raise ValueError("read otherwise than written")
        return value


def _lead(plan: Island, core: str) -> str:
    """The blanks written before a marker that ends the text."""
    lead = plan.after.lead(core)
    if plan.after.calling(core) and len(plan.gap) > len(lead):
        return plan.gap
    return lead


def _shown(to: AnswerState, pos: int, where: int, core: str) -> bool:
    """True when what stands at index `where` may be quoted, or named in a sentence."""
    if to.buf[where - 1 : where] == "\n":
        return False
    line = line_before(to.buf, pos, where)
    if not line:
        return False
    end = where + len(core)
    return "`" in line or quoted(line) or said(line, to.buf[end : end + 1])


class ContentRun(TextSlot):
    """Content, up to the first marker that opens something, or to the end."""

    __slots__ = ("_alike", "_direct", "_named", "_open", "_textless")

    def __init__(self, node: Node) -> None:
        super().__init__(node)
        plan = self.plan
        json = plan.json is not None and node.json
        right = [core for core, wrong in node.marks.items() if not wrong]
        self._direct = hub(node, right, json=json, led=bool(self.space))
        """Markers that may come in place of the text."""
        self._named = hub(node, [name for name, _ in node.patterns], led=False) if node.patterns else None
        """Calls that begin with their name in its place."""
        others = [core for core in self.leads if core not in node.marks]
        json = plan.json is not None and not node.json and plan.after.json
        self._textless = hub(node, others, after_text=True, json=json, led=False)
        """Markers that may come after it, where it is empty."""
        self._alike = self._direct is None and plan.led_words is None
        """Markers lead on in the same way, whether text is before them or not."""
        self._open = plan.after.done is not None

    def _ends(self, core: str) -> bool:
        return super()._ends(core) and not (core in self.node.graph.lines or is_echo(core))

    def go(self, to: AnswerState) -> Route | None:
        buf, pos = to.buf, to.pos
        if to.called:
            return None  # the call may end here or go on
        if pos == to.size and to.segments:
            to.finished = self._open
            return None
        if self._named is not None and (match := self._named.match(buf, pos)) is not None:
            to.strong = False
            return to.over(self._named, match, pos)
        if self.space:
            if pos == to.size:
                to.finished = self._open
            if not buf.startswith(self.space, pos):
                return self._at_once(to, pos, pos)
            pos += len(self.space)
        end, where, match = self.first(to, pos)
        if where < 0:
            self._over(to, pos)
            return None
        piece = buf[pos:where]
        if not piece or piece.isspace():
            if match is not None and self.clear is not None and self._alike:
                core = self.clear.runs[match.lastindex].first  # type: ignore[index]  # every expression has a group
                to.strong = len(core) >= STRONG
                return None if self.odd(to, where, where, not core) else to.over(self.clear, match, where)
            return self._at_once(to, pos, where)
        if end < pos:
            self._end_token(to, pos, where)
            return None
        if match is not None and self.clear is not None:
            core = self.clear.runs[match.lastindex].first  # type: ignore[index]  # every expression has a group
        else:
            core = "" if (found := self.search(buf, where)) is None else found[0]
        if end < where and not (piece := buf[pos:end]).strip():
            return None
        bare = core in ("", "{", "[") and core not in self.leads
        if self.odd(to, pos, where, bare) or piece[-1] == "\r" or _shown(to, pos, where, core):
            return None
        if bare and after_key(piece):
            return None
        if core in self.node.graph.think_openers:
            return None
        if len(core) < STRONG and core in self.leads:
            line = line_before(buf, pos, where)
            if is_glued(line) or buf.startswith(core, where + len(core)) or buf.endswith(core, pos, where):
                return None
            to.prose = bool(line.strip())
        count, to.strong = len(to.segments), len(core) >= STRONG
        then = self.over(to, where, match)
        if then is not None:
            to.segments.insert(count, Content(piece, (pos, end)))
        return then

    def _at_once(self, to: AnswerState, pos: int, where: int) -> Route | None:
        """Over the markers at index `where`, which no text is before."""
        for runs in (self._direct, self._textless):
            if runs is not None and (match := runs.match(to.buf, where)) is not None:
                first = runs.runs[match.lastindex].first  # type: ignore[index]  # as above
                if self.odd(to, pos, where, not first):
                    return None
                to.strong = len(first) >= STRONG
                if pos < where and "\n" in self.leads.get(first, self.lead) and to.buf[where - 1] != "\n":
                    return None
                return to.over(runs, match, where)
        self._end_token(to, pos, where)
        return None

    def _end_token(self, to: AnswerState, pos: int, where: int) -> None:
        """The answer may be over at index `where`: an end token stands there, and nothing after it."""
        for core, spelled in self.plan.ends.items():
            ends = to.buf.startswith(core, where) and not to.buf[where + len(core) :].strip() and spelled == core
            if ends and (core not in self.plan.ways or self.plan.ways[core][0].cost):
                self._over(to, pos, where)

    def _over(self, to: AnswerState, pos: int, end: int = -1) -> None:
        """The rest of the text, up to index `end`, is content."""
        size, plan = to.size if end < 0 else end, self.plan
        if not self._open or self.odd(to, pos, size):
            return
        if self.clear is None and plan.first.search(to.buf, max(pos, size - plan.longest), size) is not None:
            return  # a marker that is cut off, perhaps
        piece = to.buf[pos:size]
        if piece.isspace():
            if not to.segments:
                return
        elif piece:
            if plan.held(piece, 0) < len(piece):
                return
            to.segments.append(Content(piece, (pos, size)))
        to.finished = True


class Thought(TextSlot):
    """Reasoning."""

    __slots__ = ()

    def go(self, to: AnswerState) -> Route | None:
        found = self.whole(to)
        if found is None:
            return None
        piece, pos, where, match = found
        if self.odd(to, pos, where) or _shown(to, pos, where, ""):
            return None
        if piece:
            to.segments.append(Reasoning(piece, (pos, pos + len(piece))))
        to.before = pos + len(piece)
        return self.over(to, where, match)


class Value(TextSlot):
    """The value of an argument."""

    __slots__ = ("_json", "_nests", "_plain", "_sniffs")

    def __init__(self, node: Node) -> None:
        super().__init__(node)
        codec, kinds = self.codec, (CodecKind.JSON_OR_TEXT, CodecKind.SCHEMA)
        self._sniffs = (
            codec is not None and codec.kind in kinds and codec.untyped in kinds
            and codec.spelling in (Spelling.JSON, Spelling.JINJA)
        )  # fmt: skip
        self._json, self._nests = node.json, nests(node)
        self._plain = codec is not None and is_plain(codec)

    def go(self, to: AnswerState) -> Route | None:
        key, tools, clear, buf = to.key, to.tools, self.clear, to.buf
        if key is None or not to.called or to.frames or self._nests:
            return None
        tool, entries, pos, last = tools.of(to.name), to.entries, to.pos, to.last
        kinds = tool.kinds if self._plain else _NO_KINDS
        while True:
            match = None if clear is None else clear.match(buf, pos)
            if match is None:
                to.pos, to.last = pos, last
                found = self.whole(to)
                if found is None:
                    return None
                piece, start, where, _ = found
            else:
                start, where = match.span(1)
                piece = match[1][: -len(self.lead)] if self.lead else match[1]
                if self.doubtful(piece, last):
                    return None
            kind = kinds.get(key)
            value = piece if kind == "string" else self._value(piece, tool, key, kind, to.declared)
            if value is NOTHING:
                return None
            entries.append((key, value))
            run = None if match is None or clear is None else clear.runs[match.lastindex]  # type: ignore[index]
            if run is None or match is None or not run.key or run.then is not self or match.end() - where > MAX_LEXEME:
                to.before, to.key = start + len(piece), None
                return self.over(to, where, match)
            if run.again and match[run.again] != key:
                return None
            key = to.key = match[run.key]
            pos, last = match.end(), run.last

    def _value(self, piece: str, tool: Schema, key: str, kind: str | None, declared: bool) -> Json:
        """The value of `piece`, `NOTHING` where the search has to read it.

        It is the argument `key` of `tool`, of this `kind` if that is plain. `declared`: tools are.
        """
        assert self.codec is not None
        if self._json and piece.lstrip()[:1] in ("{", "[", "`"):
            return NOTHING
        if kind is not None and (value := decode_plain(self.codec, piece, kind)) is not NOTHING:
            return value
        if self._sniffs and not declared:
            value = sniff(piece)
            return NOTHING if value is not piece and respelled(self.codec, piece, value) else value
        try:
            return self.typed(piece, tool.member(key))
        except ValueError:
            return NOTHING


class Element(TextSlot):
    """A scalar of a value language, as free text."""

    __slots__ = ("_direct",)

    def __init__(self, node: Node) -> None:
        super().__init__(node)
        self._direct = hub(node, node.marks, led=False)
        """A list or an object in its place."""

    def go(self, to: AnswerState) -> Route | None:
        if self._direct is not None and (match := self._direct.match(to.buf, to.pos)) is not None:
            return to.over(self._direct, match, to.pos)
        found = self.whole(to)
        if found is None:
            return None
        piece, pos, where, match = found
        try:
            value: Json = piece if self.codec is None else self.typed(piece, to.schema())
        except ValueError:
            return None
        if self.odd(to, pos, where) or not to.give(value):
            return None
        to.before = pos + len(piece)
        return self.over(to, where, match)


class Mapping(TextSlot):
    """All arguments as one text."""

    __slots__ = ()

    def go(self, to: AnswerState) -> Route | None:
        assert self.codec is not None
        found = self.whole(to)
        if found is None or not to.called or to.entries:
            return None
        piece, pos, where, match = found
        try:
            to.entries = [*decode_arguments(self.codec, piece, to.tools.get(to.name)).items()]
        except ValueError:
            return None
        to.before = pos + len(piece)
        return None if self.odd(to, pos, where) else self.over(to, where, match)


def text_slot(node: Node) -> Route:
    """The route at `node`, which takes free text; one that knows no step where the search has to read it."""
    field = node.text_field()
    plan = island(node)
    if plan.line_end is not None or plan.after.done is not None and layout(plan.after.done):
        return Route(node)
    match field.role:
        case None:
            return Route(node)
        case Role.CONTENT:
            return Route(node) if field.codec is not None and field.codec.escapes is not None else ContentRun(node)
        case Role.REASONING:
            return Thought(node)
        case Role.VALUE:
            return Value(node)
        case Role.STRING if not (node.patterns or node.json) and (not node.marks or nests(node)):
            return Element(node)
        case Role.ARGUMENTS if field.codec is not None and field.codec.key is None and not node.json:
            return Mapping(node)
        case _:
            return Route(node)
