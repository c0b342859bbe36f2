"""JSON: the edges of a value. What is strict is gone over in runs; where it breaks, edits lead on (`json_edits`)."""

from __future__ import annotations

import re
from typing import Final

from toolect._graph.node import STRONG, Node
from toolect._graph.symbols import is_echo
from toolect._message import Json
from toolect._search.actions import Fail, OpenLoose, PutJson, RawJson
from toolect._search.follow import VALUES, ShapeKeys, shape_keys, shaped
from toolect._search.hypothesis import WAIT, Expansion, Hypothesis, Mode, Onwards, Waits
from toolect._search.json_edits import QUOTES, SCALAR, edits
from toolect._search.json_ends import (
    MAX_EVIDENCE,
    MAX_NESTED,
    MAYBE_KEY,
    NEAR,
    NEXT_KEY,
    QUOTED_OBJECT,
    after_fence,
    at_end,
    close,
    closed_before_marker,
    closed_early,
    held,
    key_cost,
    misplaced,
    name_cost,
    over_before,
    said,
    takes_arguments,
)  # fmt: skip
from toolect._search.json_state import IN_TEXT, LOOSE, EmittedValue, JsonState, Next, Slips
from toolect._search.path import Path
from toolect._search.performer import Performer
from toolect._search.torn_strings import is_enclosed
from toolect._search.window import LOOK, Window
from toolect._spec.costs import FAR
from toolect._values.json_lexemes import MAX_DEPTH, complete

_EARLY: Final = -1
_ENCODED: Final = '{["\\ \t\n'
"""First signs of JSON in a string."""
_SPACE: Final = re.compile(r"[ \t\n\r]*")
_CONTROL: Final = re.compile(r"[\x00-\x1f]")
_MEMBER: Final = re.compile(r'\}\s*,\s*"')
"""A member after an object: a bracket may be one too many."""
_ODD: Final = re.compile(r"[\\\x00-\x1f]")
"""Finds a sign that is not as it stands in a string of JSON."""
_NUMBER: Final = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?\Z")
_RUNS: Final = {q: re.compile(rf"(?:[^{q}\\]+|\\.)*", re.DOTALL) for q in {*QUOTES.values()}}


# Beginnings


def begin(window: Window, one: Hypothesis, cost: int, at: int, path: Path, bare: bool) -> Hypothesis:
    """The hypothesis that a JSON value begins at character `at`; a `bare` one stands without markers."""
    path.open_json(at)
    return window.make(one, cost, at, Mode.JSON, JsonState(at, bare), path)


def spare(window: Window, one: Hypothesis, at: int, empty: tuple[str, ...]) -> Hypothesis | None:
    """The reading of a value of a value language as JSON, should it be broken: it waits until it is woken."""
    if not empty:
        return None
    inner = {**one.node.marks, **(one.node.step("{").node.marks if "{" in one.node.marks else {})}
    long = (core for core in inner if len(core) >= STRONG and not core.isalpha() and not is_echo(core))
    state = JsonState(at, False)
    state.styles, state.empty, state.delimiter = LOOSE, empty, next(long, "")
    found = window.stay(one, window.costs.spare, at, Mode.JSON, state, OpenLoose())
    found.spare = None
    return found


def wrapped(window: Window, one: Hypothesis, cost: int, at: int) -> Hypothesis:
    """The hypothesis that the object at character `at` has all arguments, where the dialect has them one by one."""
    state = JsonState(at, False)
    state.styles, state.wrapped = LOOSE, True
    return window.stay(one, cost, at, Mode.JSON, state, OpenLoose())


def woken(window: Window, one: Hypothesis, at: int) -> list[Hypothesis]:
    """The spare reading of the value that `one` cannot read at character `at`, from its beginning on."""
    other, one.spare = one.spare, None
    if other is None or other.spare is not None or at - other.pos > FAR:
        return []
    other.spare = other  # it is used once
    other.cost = one.cost + window.costs.spare
    return [other]


# Strict JSON


def expand(window: Window, one: Hypothesis, final: bool) -> Expansion:
    """The hypotheses that follow one in a JSON value."""
    state: JsonState = one.state
    strict = not state.stack and state.expects is Next.VALUE and not state.bare and not shaped(one.node)
    if strict and (found := _whole(window, one, final)) is not None:
        return found
    if state.expects is Next.AFTER_VALUE and not state.stack:
        if not state.styles & Slips.FENCED:
            return [close(window, one, one.pos)]
        unfenced = after_fence(window, one, final)
        return WAIT if isinstance(unfenced, Waits) else [unfenced]
    state = state.copy()
    return _Run(window, one, state, EmittedValue(state)).go(final)


def complete_value(window: Window, one: Hypothesis, final: bool) -> tuple[Json, int] | None:
    """A strict value that is there as a whole, and holds no marker that might end it; and the index where it ends."""
    buf, node = window.buf, one.node
    at = one.emitted - window.base
    if buf[at : at + 1] not in ("{", "["):
        return None
    found = complete(buf, at, False)
    if found is None or found[2]:
        return None
    value, end, _ = found
    if closed_early(window, node, one.state, end - 1, final):
        return None
    over = node.made(closed_before_marker)
    if (
        over is not None
        and over.search(buf, at, end)
        or any(buf.find(x, at, end) >= 0 for x in window.graph.long_openers)
    ):
        return None
    return value, end


def _whole(window: Window, one: Hypothesis, final: bool) -> list[Hypothesis] | None:
    found = complete_value(window, one, final)
    if found is None:
        return None
    (value, end), base = found, window.base
    at, one.emitted = one.emitted - base, base + end
    state = one.state.copy()
    state.expects, state.emitted = Next.AFTER_VALUE, base + end
    cost = window.costs.fits * (MAX_EVIDENCE - _lacking(value, MAX_EVIDENCE))
    after = window.stay(one, cost, base + end, Mode.JSON, state, RawJson(base + at, base + end))
    return [close(window, after, base + end)]


def _lacking(value: Json, wanted: int) -> int:
    """Number of keys, of so many `wanted`, that a value lacks."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for one in inner:
        wanted -= isinstance(value, dict)
        if wanted > 0 and isinstance(one, dict | list):
            wanted = _lacking(one, wanted)
        if wanted <= 0:
            break
    return max(wanted, 0)


def step(window: Window, one: Hypothesis, final: bool, to: Performer) -> bool:
    """Go on in place, with nothing to weigh, as far as strict JSON goes; True where more text is needed."""
    state: JsonState = one.state
    if not state.stack and state.expects is Next.VALUE:
        found = complete_value(window, one, final)
        at = one.emitted - window.base
        if found is not None and not window.tools.declared and _MEMBER.search(window.buf, at, found[1]) is None:
            to.feed_json(window.buf[at : found[1]], one.emitted)
            state.expects = Next.AFTER_VALUE
            state.emitted = one.pos = one.emitted = window.base + found[1]
            return False
    passing = _Passing(state, window, to)
    run = _Run(window, one, state, passing)
    run.forward(final, True)
    passing.flush()
    one.pos = one.emitted = window.base + run.at
    if final or not state.stack and state.expects is Next.AFTER_VALUE or not run.waits(False):
        return False
    if run.at < len(window.buf) and state.expects not in IN_TEXT:
        window.needs(one.pos + run.wanted)
    return True


class _Passing(EmittedValue):
    """Emission at once, in runs of strict JSON."""

    __slots__ = ("_start", "_to", "_window")

    def __init__(self, state: JsonState, window: Window, to: Performer) -> None:
        super().__init__(state)
        self._window, self._to, self._start = window, to, state.emitted

    def upto(self, at: int) -> None:
        """Pass on all up to character `at`, which is in no string."""
        state, end = self.state, self.state.last_quote
        if state.pending or end is not None and not (self._plain(end) and state.after_string == end + 1):
            self.flush()
            super().upto(at)
            self._perform()
        else:
            state.last_quote, state.emitted = None, max(at, state.emitted)

    def string_upto(self, at: int) -> None:
        """Pass on the string that is open up to character `at`."""
        if self._plain(at):
            self.state.emitted = max(at, self.state.emitted)
        else:
            self.flush()
            super().string_upto(at)
            self._perform()

    def flush(self) -> None:
        """Pass on what has been gone over, and that it cannot be read."""
        end, base = self.state.emitted, self._window.base
        if end > self._start:
            self._to.feed_json(self._window.buf[self._start - base : end - base], self._start)
            self._start = end
        self._perform()

    def _plain(self, end: int) -> bool:
        """True when the open string, up to character `end`, is as JSON has it."""
        state, base = self.state, self._window.base
        return state.quote == '"' and _ODD.search(self._window.buf, state.emitted - base, end - base) is None

    def _perform(self) -> None:
        for act in self.acts:
            act.perform(self._to)
        self.acts.clear()
        self._start = self.state.emitted


def _keys(node: Node) -> ShapeKeys | None:
    return shape_keys(node) if shaped(node) else None


class _Run:
    """Goes over strict JSON from where a hypothesis is."""

    __slots__ = ("at", "cost", "keys", "one", "seen", "state", "telling", "wanted", "why", "window")

    def __init__(self, window: Window, one: Hypothesis, state: JsonState, telling: EmittedValue) -> None:
        self.window, self.one, self.state, self.telling = window, one, state, telling
        self.at = one.emitted - window.base
        self.keys = shape_keys(one.node) if state.bare else one.node.made(_keys)
        self.cost = 0
        self.why: tuple[int, int] | int | str | None = None
        """In a string, where brackets and a marker stand; before a key, how many brackets are missing: -1, if one is
        too many; before a text, the argument that it is."""
        self.wanted = LOOK
        """Characters that are needed to tell what is wrong."""

    def forward(self, final: bool, alone: bool) -> None:
        """Go on up to the end of the value, or where no token fits; to the next one that costs, if not `alone`."""
        state = self.state
        while not self.cost and (self._string(final) if state.expects in IN_TEXT else self._token(final)):
            if not state.stack and state.expects is Next.AFTER_VALUE:
                break
            if alone:
                self.cost = 0

    def waits(self, final: bool) -> bool:
        """True when more text has to tell what comes here."""
        size, in_text = len(self.window.buf), self.state.expects in IN_TEXT
        return self.why is None and (self.at == size or in_text or not final and size - self.at < self.wanted)

    def go(self, final: bool) -> Expansion:
        """The hypotheses at the end of the run."""
        state, window = self.state, self.window
        self.forward(final, False)
        base, size, one = window.base, len(window.buf), self.one
        place = base + self.at
        there = window.stay(one, self.cost, place, Mode.JSON, state, *self.telling)
        waits = not self.cost and (state.stack or state.expects is not Next.AFTER_VALUE) and self.waits(final)
        if final or not waits:
            one.emitted = base + size if waits else place
        if self.cost:
            return [there]
        if state.expects is Next.AFTER_VALUE and not state.stack:
            return [close(window, there, place)]
        if waits:
            if final:
                return at_end(window, there, base + size)
            if self.at < size and state.expects not in IN_TEXT:
                window.needs(place + self.wanted)
            return Onwards(there) if self.telling.acts or there.pos > one.emitted else WAIT
        return edits(window, there, self.at, self.why)

    def _string(self, final: bool) -> bool:
        """Go over the string that is open; False where that is not all here, or may be over before its end."""
        state, buf, base = self.state, self.window.buf, self.window.base
        size, quote, at = len(buf), state.quote, self.at
        if len(quote) > 2:
            end, width = buf.find(quote, at), len(quote)
            if end < 0:
                self.at = size if final else max(at, size - width)
                return False
        else:
            end, width = _RUNS[quote].match(buf, at).end(), 1  # type: ignore[union-attr]  # matches the empty string
            if state.styles & Slips.QUOTED and (twice := buf.find("\\\\", at, end)) >= 0:
                self.telling.acts.append(Fail(f"expected one escape of each sign, got two - at {base + twice}"))
            if state.expects is Next.IN_STRING:
                slip = None if state.styles & Slips.NEWLINE else _CONTROL.search(buf, at, end)
                end = end if slip is None else slip.end()
                if not self._look_through(end):
                    return False
                if slip is not None:
                    self.at, self.cost = end, self.window.costs.json_slip
                    state.styles |= Slips.NEWLINE
                    return True
        self.at = end
        if end == size or buf[end] == "\\":
            return False
        if state.reopened and state.expects is Next.IN_STRING and is_enclosed(buf[max(state.string - base, 0) : end]):
            self.at = end + width
            return True
        state.last_quote, state.after_string = base + end, base + end + width
        if state.expects is Next.IN_KEY:
            state.key, state.expects = self.window.raw(state.string, state.last_quote), Next.COLON
        else:
            state.expects = Next.AFTER_VALUE
            if state.sole:
                state.pending, state.sole = "}", False
            elif self.keys is not None and state.key in self.keys.name and len(state.stack) <= MAX_NESTED:
                state.name = said(self.window, state)
        self.at = end + width
        return True

    def _sole_argument(self, at: int) -> str | None:
        """The argument that is the text at index `at`, which stands in the place of all arguments, as JSON."""
        state, one, tools = self.state, self.one, self.window.tools
        if state.loose or one.node.json_field().role in VALUES or self.window.buf[at + 1 : at + 2] in _ENCODED:
            return None
        if self.keys is None:
            place = not state.stack and not shaped(one.node)
        else:
            place = bool(state.found & 2) and state.depth == len(state.stack) and state.key in self.keys.arguments
        name = state.name or one.context.name
        sole = tools.of(name).sole if place and name in tools else None
        member = None if sole is None else tools.of(name).member(sole)
        return sole if member is not None and "string" in member.types else None

    def _look_through(self, end: int) -> bool:
        """Pass on what can only be the string's own; False where the value may be over in it."""
        state, window, node, base = self.state, self.window, self.one.node, self.window.base
        low = max(self.at - NEAR, state.string - base, state.past - base)
        over = over_before(window, node, state, low, end)
        if over is not None:
            self.at, self.why = over[0], over
            return False
        self.telling.string_upto(base + held(window.buf, node, max(state.emitted - base, end - NEAR), end))
        return True

    def _token(self, final: bool) -> bool:
        """Go over the next token; False where none fits, or it is not all here."""
        state, buf = self.state, self.window.buf
        at = self.at = _SPACE.match(buf, self.at).end()  # type: ignore[union-attr]  # matches the empty string
        if at == len(buf):
            return False
        char, expects = buf[at], state.expects
        if state.delimiter and expects not in (Next.AFTER_VALUE, Next.COLON) and buf.startswith(state.delimiter, at):
            return self._delimiter(at)
        match expects:
            case Next.AFTER_VALUE:
                return self._after_value(char, at, final)
            case Next.KEY | Next.KEY_OR_END:
                return self._key(char, at, final)
            case Next.COLON:
                return self._colon(char, at, final)
            case _:
                return self._value(char, at, final)

    def _delimiter(self, at: int) -> bool:
        """A string between the quotes of a value language begins."""
        state, place = self.state, self.window.base + at
        self.telling.upto(place)
        self.telling.acts.append(PutJson('"', place))
        state.emitted = state.string = place + len(state.delimiter)
        state.quote = state.delimiter
        state.expects = Next.IN_KEY if state.expects in (Next.KEY, Next.KEY_OR_END) else Next.IN_STRING
        self.at = at + len(state.delimiter)
        return True

    def _after_value(self, char: str, at: int, final: bool) -> bool:
        state = self.state
        closes = char == "}" and state.in_object or char == "]" and not state.in_object
        if char != "," and not closes:
            return False
        in_call = not state.depth or len(state.stack) <= state.depth
        if state.last_quote is not None and state.bare and self.keys and in_call and len(state.stack) <= MAX_NESTED:
            self.cost = name_cost(self.window, self.one, state)
        self.at = at + 1
        if closes:
            return self._close_bracket(at, final)
        state.expects = Next.KEY if state.in_object else Next.VALUE_AFTER_COMMA
        return True

    def _close_bracket(self, at: int, final: bool) -> bool:
        """Go over a bracket that closes; False where that may be one too many."""
        early = closed_early(self.window, self.one.node, self.state, at, final)
        if early:
            self.at, self.cost = at, 0
            self.wanted, self.why = (len(self.window.buf) - at + 1, None) if early is WAIT else (0, _EARLY)
            return False
        self.at = at + 1
        self.telling.upto(self.window.base + self.at)
        self.state.stack = self.state.stack[:-1]
        self.state.expects = Next.AFTER_VALUE
        return True

    def _key(self, char: str, at: int, final: bool) -> bool:
        state, place = self.state, self.window.base + at
        if char == "}" and state.expects is Next.KEY_OR_END:
            return self._close_bracket(at, final)
        if char != '"':
            return False
        if state.even and state.last_quote is not None and NEXT_KEY.match(self.window.buf, at) is None:
            self.wanted = LOOK  # in what may be the second half of a quotation, something else than a key comes
            return False
        missing = None if state.expects is Next.KEY_OR_END else misplaced(self.window, state, self.one.context, at)
        if isinstance(missing, Waits):
            if not final:
                self.wanted = len(self.window.buf) + 1 - at
                return False
        elif missing:
            self.why = missing
            return False
        self._begin_string(place, Next.IN_KEY)
        return True

    def _begin_string(self, place: int, expects: Next) -> None:
        state = self.state
        self.telling.upto(place + 1)
        state.string, state.quote, state.expects = place + 1, '"', expects
        self.at = place + 1 - self.window.base

    def _colon(self, char: str, at: int, final: bool) -> bool:
        state, window, buf = self.state, self.window, self.window.buf
        marked = state.last_quote is not None and any(x in state.key for x in window.graph.long_openers)
        if char != ":" or marked:
            return False
        sign = _SPACE.match(buf, at + 1).end()  # type: ignore[union-attr]  # matches the empty string
        if self.keys is not None and sign == len(buf) and not final:
            self.wanted = sign + 1 - at
            return False
        self.telling.upto(window.base + at + 1)
        self.at, state.expects = at + 1, Next.VALUE
        self.cost += key_cost(window, self.one.node, state, buf[sign : sign + 1])
        return True

    def _value(self, char: str, at: int, final: bool) -> bool:
        state, buf, place, expects = self.state, self.window.buf, self.window.base + at, self.state.expects
        if char == '"':
            if expects is Next.VALUE_AFTER_COMMA:  # a key perhaps: the list was not closed
                maybe = not final and MAYBE_KEY.match(buf, at, at + NEAR + 16)
                if NEXT_KEY.match(buf, at) and "{" in state.stack or maybe:
                    self.wanted = len(buf) + 1 - at if maybe else LOOK
                    return False
            if not final and len(buf) - at < 3:
                self.wanted = 3
                return False
            if buf.startswith('"""', at):
                return False
            if buf.startswith('"{', at) and (inner := QUOTED_OBJECT.match(buf, at)) is not None:
                if inner.end() == len(buf) and not final:
                    self.wanted = len(buf) + 1 - at
                    return False
                if inner[1] and takes_arguments(self.one, state):
                    return False
            if (sole := self._sole_argument(at)) is not None:
                self.why = sole
                return False
            self._begin_string(place, Next.IN_STRING)
            return True
        if char in "{[":
            if len(state.stack) >= MAX_DEPTH:
                return False
            self.telling.upto(place + 1)
            if char == "{" and state.stack in ("", "["):
                state.unit = place
            state.stack += char
            self.at, state.expects = at + 1, Next.KEY_OR_END if char == "{" else Next.VALUE_OR_END
            return True
        if char == "]" and expects is Next.VALUE_OR_END:
            return self._close_bracket(at, final)
        match = SCALAR.match(buf, at)
        if match is None or match.end() == len(buf) and not final:
            self.wanted = LOOK if match is None else len(buf) + 1 - at
            return False
        if match[0] not in ("true", "false", "null") and not _NUMBER.match(match[0]):
            return False
        self.at, state.expects = match.end(), Next.AFTER_VALUE
        self.telling.upto(self.window.base + self.at)
        return True
