"""JSON repair: where no token fits, every edit that makes one fit: a token put in, left out, or taken for another.

Two edits go back: to the last quote, which was one of the string's own, or began the next string.
"""

from __future__ import annotations

import re
from typing import Any, Final

from toolect._graph.node import Node
from toolect._graph.spelling import ZERO_WIDTH
from toolect._message import RepairKind
from toolect._search.actions import BreakOff, DropLoose, Fail, FailJson, MendJson, Note, OpenJson, PutJson
from toolect._search.blank_end import blank_end
from toolect._search.code_state import begin_again
from toolect._search.follow import JSON, after_value, shaped, way_to_json
from toolect._search.hypothesis import Act, EdgeContext, Hypothesis, Mode
from toolect._search.json_ends import (
    NEAR,
    NEXT_KEY,
    QUOTED_OBJECT,
    after_json,
    close,
    ended_string,
    key_cost,
    skipped,
    takes_arguments,
)
from toolect._search.json_state import EmittedValue, JsonState, Next, Slips, closers
from toolect._search.json_texts import quoted_json, torn_word, word_as_json
from toolect._search.path import Path
from toolect._search.torn_strings import is_torn_member
from toolect._search.window import LOOK, Window
from toolect._spec.model import Role

_JOINING: Final = r"(?:\+|&|\|\||\?\?|or\b|and\b)"
_EXPRESSION: Final = re.compile(
    rf"""(?:{_JOINING}\s*|(?<=\s))"(?:[^"\\]|\\.){{0,4096}}+"\s*(?:[,}}\]]|{_JOINING}\s*")""", re.DOTALL
).match
"""An operator, or a blank, and another string after one."""
MAX_REOPENED: Final = 32
"""Quotes of one value that may turn out to be in a string. Beyond it: they end it."""
_BACK: Final = 200
_UNIT: Final = 10
_AFTER_NAME: Final = 3
_SAID: Final = 4096
SCALAR: Final = re.compile(r"[-+.\w]+")
QUOTES: Final = {
    '"': '"',
    "'": "'",
    "“": "“”",
    "”": "“”",
    "„": "“”",
    "‘": "’",
    "’": "’",
    "«": "»",
    "＂": "＂",
    "`": "`",
}
_SPACE: Final = re.compile(r"[ \t\n\r]*")
_BARE_KEY: Final = re.compile(r"[A-Za-z_][\w.-]*(?=\s*(?::|=))")
_BARE_TEXT: Final = re.compile(r"[^\s,\]}\"'{\[][^,\]}\"\n{\[]*")
_BARE_MEMBER: Final = re.compile(r"[^\s,\]}\"'{\[](?:[^,\]}\"\n{\[]|,(?!\s*[\w.-]+\s*[:=]))*")
"""One between the keys of a value language whose quotes are tokens: a comma before no key is in it."""
_HALF_KEY: Final = re.compile(r'[\w.-]{1,64}"\s*[:=]')
_HALF_TEXT: Final = re.compile(r'(?:[^"\\\n]|\\.){1,120}"\s*[,}\]]')
_TORN_WORD: Final = re.compile(r"[A-Za-z]+(?:\s+[A-Za-z]+)*(?=\s*[,\]})])")
_STRUCTURE: Final = re.compile(r"\s*[\]}]*\s*[,:]\s*[\[{]*\s*")
_COMMENT: Final = re.compile(r"//[^\n]*\n|/\*.*?\*/|#[^\n]*\n|\\[nrt]", re.DOTALL)
_DOTS: Final = re.compile(r"(?:\.\.\.|…)\s*,?(?=\s*[\]}])")
_TRIPLE: Final = re.compile(r'"""|\'\'\'')
_FENCE: Final = re.compile(r"```\w{0,16}\s*(?=[{\[])")
_BEFORE_NEXT: Final = re.compile(r"\s*(?:[\]}]\s*)*,\s*\Z")
_BARE_NEXT: Final = re.compile(r"\s*(?:[\]}]\s*)*,\s*[A-Za-z_]\w*\s*[:=]")
_KEYWORD: Final = re.compile(r"[A-Za-z_]\w*\s*=")
_COLON_BEFORE: Final = re.compile(r"\s*:")
_CLOSES: Final = re.compile(r"\s*[,}\])]")
_WIDE: Final = {"：": ":", "，": ",", "｛": "{", "｝": "}", "［": "[", "］": "]", ";": ","}
_TEXT_SIGNS: Final = "/$#@%&*~^\\"
_VALUES: Final = (Role.VALUE, Role.JSON)


def edits(window: Window, one: Hypothesis, at: int, why: tuple[int, int] | int | str | None) -> list[Hypothesis]:
    """The hypotheses that follow at index `at`, where no token fits.

    `why` says more: where a string is over, as indices; how many brackets are missing before a key: -1, one too many.
    """
    found = _Edits(window, one, at)
    if isinstance(why, tuple):
        return found.over_in_string(why)
    if isinstance(why, str):
        return found.sole_argument(why)
    if why == -1:
        return found.closed_early()
    if why:
        return found.misplaced(why)
    return found.all()


class _Edits:
    """The edits at one place of a value: index `i` of `buf`, which is a part of the text, and character `at`."""

    def __init__(self, window: Window, one: Hypothesis, index: int) -> None:
        low = max(0, index - _BACK)
        self.window, self.one = window, one
        self.state: JsonState = one.state
        self.buf, self.i = window.buf[low : index + LOOK], index - low
        self.base = window.base + low
        self.at = window.base + index
        self.costs = window.costs
        self.char = self.buf[self.i : self.i + 1]
        self.found: list[Hypothesis] = []
        self.shaped = self.state.bare or shaped(one.node)

    # Making hypotheses

    def edit(
        self,
        cost: int,
        pos: int,
        expects: Next,
        put: str | None = None,
        why: str = "",
        style: int = Slips.NONE,
        fails: str = "",
        **more: Any,
    ) -> Hypothesis:
        """An edit after all before it is passed on: put in `put`, go on at character `pos`. A style costs once.

        What is put in may end a call, so what is to be noted of that comes first.
        """
        state = self.state.copy()
        telling = EmittedValue(state)
        telling.upto(self.at)
        if fails:
            telling.acts.append(Fail(fails))
        if why:
            telling.acts.append(MendJson(self.at, why))
        if put is not None:
            telling.acts.append(PutJson(put, self.at + (len(put) if "key" in more else 0)))  # a key keeps its place
        state.expects, state.emitted = expects, pos
        return self._make(self._once(state, cost, style), pos, state, telling, more)

    def instead(self, cost: int, put: str, why: str, style: int = Slips.NONE, pos: int = -1, **more: Any) -> Hypothesis:
        """An edit in place of the signs between the last token and here."""
        state = self.state.copy()
        state.pending = ""
        telling = EmittedValue(state)
        telling.upto(self.since)
        telling.acts += [MendJson(self.at, why), PutJson(put, self.at)]
        state.emitted = self.at
        return self._make(self._once(state, cost, style), self.at if pos < 0 else pos, state, telling, more)

    def _once(self, state: JsonState, cost: int, style: int) -> int:
        if state.styles & style:
            return 0
        state.styles |= style
        return cost

    def _make(self, cost: int, pos: int, state: JsonState, telling: EmittedValue, more: dict[str, Any]) -> Hypothesis:
        for name, value in more.items():
            setattr(state, name, value)
        new = self.window.stay(self.one, cost, pos, Mode.JSON, state, *telling)
        self.found.append(new)
        return new

    def go_on(self, cost: int, expects: Next) -> Hypothesis:
        """No edit: the string that begins here, as it is."""
        state = self.state.copy()
        telling = EmittedValue(state)
        telling.upto(self.at + 1)
        state.string, state.quote, state.expects = self.at + 1, '"', expects
        return self._make(cost, self.at + 1, state, telling, {})

    # Where more is known

    def over_in_string(self, span: tuple[int, int]) -> list[Hypothesis]:
        """Brackets and a marker stand in a string: its last quote is missing, or they are its own."""
        costs, window = self.costs, self.window
        self.found.append(ended_string(window, self.one, costs.json_end_quote, self.at))
        end = window.base + span[1]
        state = self.state.copy()
        state.past = end
        self.found.append(window.stay(self.one, costs.weak_in_text + 1, end, Mode.JSON, state))
        return self.found

    def misplaced(self, count: int) -> list[Hypothesis]:
        """A key is one of the arguments, and stands deeper than they do: brackets are missing before it."""
        self._between()
        self._closed(count, self.costs.json_close * count, "expected a bracket")
        self.go_on(1, Next.IN_KEY)
        return self.found

    def sole_argument(self, key: str) -> list[Hypothesis]:
        """The text that begins here is an argument of a tool that has no other, and not all of them."""
        put, cost = f'{{{quoted_json(key)}: "', self.costs.json_text
        new = self._open(put, cost, Next.IN_STRING, self.at + 1, '"', "the only argument")
        new.state.sole = True
        self.found[-1] = self.window.stay(
            new, 0, new.pos, Mode.JSON, new.state, Note(RepairKind.POSITIONAL, self.at, key)
        )
        return self.found

    def closed_early(self) -> list[Hypothesis]:
        """A member comes after the bracket here that has no place there: the bracket is too many, or that is text."""
        state, at, costs = self.state, self.at, self.costs
        self.edit(costs.json_drop, at + 1, Next.AFTER_VALUE, None, "a bracket too many")
        new = state.copy()
        telling = EmittedValue(new)
        telling.upto(at + 1)
        new.stack, new.expects = state.stack[:-1], Next.AFTER_VALUE
        one = self._make(2 * costs.json_drop, at + 1, new, telling, {})
        if not new.stack:
            self.found[-1] = close(self.window, one, at + 1)
        return self.found

    def _between(self) -> None:
        telling = EmittedValue(self.state)
        pending, self.since = telling.between()
        self.gap = ""
        if self.state.expects in (Next.KEY, Next.VALUE_AFTER_COMMA):
            self.gap = (pending + self.window.raw(self.since, self.at)).strip()

    def _closed(self, count: int, cost: int, why: str) -> None:
        """Brackets are put in, before a comma that is there."""
        stack = self.state.stack
        put = closers(stack[len(stack) - count :]) if count else ""
        left = stack[: len(stack) - count]
        self.instead(cost, put, why, pending=",", stack=left, expects=Next.KEY)

    # All edits

    def all(self) -> list[Hypothesis]:
        """Every edit of the table."""
        window, state, one, at, costs = self.window, self.state, self.one, self.at, self.costs
        graph = window.graph
        self._between()
        said = window.raw(max(state.string, at - _SAID), at)
        openers = (*graph.long_openers, *graph.ends)
        opener = next((core for core in openers if self.buf.startswith(core, self.i)), None)
        unit = self._unit()
        if unit and self.buf.startswith(unit, self.i):
            opener = unit
        if self._begins_again(unit, opener) and opener == unit:
            return self.found
        marked = state.last_quote is not None and any(x in said for x in (*graph.closers, *graph.long_openers))
        spoilt = bool(opener or self.found or marked)
        if not opener and self._go_back():
            return [skipped(window, one, at, "strings put together")]
        if self._another_sign() or self._comment():
            return self.found
        match state.expects:
            case Next.AFTER_VALUE:
                self._after_value()
            case Next.KEY | Next.KEY_OR_END:
                self._key()
            case Next.COLON:
                self._colon()
            case _:
                self._value()
        self._next_argument()
        self._all_closed()
        self._next_unit(unit)
        self.found.append(skipped(window, one, at if opener or not spoilt else state.string, "broken"))
        if spoilt:
            for new in self.found:
                if new.mode is Mode.SKIPPED:
                    new.cost += costs.break_off - costs.skip
                elif new.mode is Mode.JSON and new.state.emitted != new.state.unit:
                    new.cost += costs.swallowed
        return self.found

    def _unit(self) -> str | None:
        """The opening brackets and keys of the call's object, or of the call."""
        state, context = self.state, self.one.context
        start = state.unit if self.shaped else context.begun
        size = _UNIT if self.shaped else max(_UNIT, len(context.name) + _AFTER_NAME)
        if start + size + 2 >= self.at or not self.shaped and context.call is None:
            return None
        unit = self.window.raw(start, start + size)
        if not self.shaped and self.window.raw(start, start + LOOK).startswith(self.window.graph.long_openers):
            return None  # it is looked for as such
        return unit if len(unit) == size and (unit[0] == "{" or not self.shaped) else None

    def _begins_again(self, unit: str | None, opener: str | None) -> bool:
        """The call is written again from its beginning, here or in the last string."""
        state, window, one = self.state, self.window, self.one
        again = -1
        whole = state.called and state.expects is Next.AFTER_VALUE and len(state.stack) <= state.depth
        if unit and opener == unit and whole:
            return False
        if unit and not opener and state.last_quote is not None:
            said = window.raw(state.string, self.at + len(unit) + 2)
            place = said.find(unit)
            again = place + state.string if place >= 0 and not self._is_quoted(said[:place]) else -1
        elif unit and opener == unit:
            again = self.at
        if again < max(state.unit + 1, state.string - 1):
            return False
        if not self.shaped:
            self.found.append(self._call_again(again))
            return True
        call = one.context.call
        if call is not None and (way := way_to_json(call)) is not None:
            path = Path(call, EdgeContext(), window.ref)
            path.add(FailJson(one.node, again, "it is written again"), BreakOff(again))
            path.imply(way.path, again).open_json(again)
            cost = self.costs.break_off - 2
            self.found.append(window.make(one, cost, again, Mode.JSON, JsonState(again, False), path))
            return True
        new = self._anew(self.costs.break_off - 2, again, "it is written again")
        new.state.start = again + (state.expects is Next.COLON and again == state.string - 1)
        return True

    def _anew(self, cost: int, at: int, why: str) -> Hypothesis:
        """The value, or the list that it is, begins anew at character `at`: the call in it cannot be read."""
        state = JsonState(at, False)
        state.stack = "[" if self.state.stack[:1] == "[" else ""
        acts: list[Act] = [FailJson(self.one.node, at, why), OpenJson(self.one.node, at)]
        if state.stack:
            acts.append(PutJson(state.stack, at))
        self.found.append(self.window.stay(self.one, cost, at, Mode.JSON, state, *acts))
        return self.found[-1]

    def _next_unit(self, unit: str | None) -> None:
        """Another call of the list comes soon."""
        if unit is None or not self.shaped or self.state.stack[:1] != "[":
            return
        match = re.compile(rf"[}}\]]\s*,\s*(?={re.escape(unit)})").search(self.buf, self.i)
        if match is not None:
            got = re.split(r"[\s,\]}]", self.buf[self.i : match.start()].strip())[0]
            why = f"expected a JSON value, got {got!r} - at {self.at}"
            self._anew(self.costs.skip - 1, self.base + match.end(), why)

    def _is_quoted(self, said: str) -> bool:
        """True when a string that goes up to a call ends with an opener behind a blank: it shows the call."""
        said = said.rstrip()
        opener = next((core for core in self.window.graph.long_openers if said.endswith(core)), "")
        return bool(opener) and said[: -len(opener)][-1:].isspace()

    def _call_again(self, at: int) -> Hypothesis:
        """The call begins again at character `at`: this one was broken off."""
        one, why = self.one, "it is written again"
        ends: list[Act] = [Fail(why), DropLoose()] if self.state.loose else [FailJson(one.node, at, why)]
        return begin_again(self.window, one, self.costs.break_off - 2, at, *ends)

    def _go_back(self) -> bool:
        """The last quote was one of the string's own, or is missing earlier; True where strings are put together."""
        state, window, costs = self.state, self.window, self.costs
        if state.last_quote is None or state.after_string <= state.last_quote:
            return False
        if state.expects not in (Next.AFTER_VALUE, Next.KEY, Next.VALUE_AFTER_COMMA, Next.COLON):
            return False
        colon = state.expects is Next.COLON
        item = not state.in_object and self.char == '"'
        if state.expects is Next.AFTER_VALUE and not item and _EXPRESSION(self.buf, self.i):
            return True
        if state.reopened < MAX_REOPENED:
            new = state.copy()
            telling = EmittedValue(new)
            telling.string_upto(state.last_quote)
            telling.acts.append(MendJson(state.last_quote, "a quote of its own"))
            new.expects, new.last_quote = Next.IN_KEY if colon else Next.IN_STRING, None
            if state.empty and is_torn_member(
                window.raw(max(state.string, state.last_quote - _BACK), state.last_quote)
            ):
                telling.acts.append(Fail(f"a string lacks its last quote - at {state.string}"))
            cost = self._once(new, costs.json_reopen, Slips.REOPEN)
            since = window.raw(state.piece, state.last_quote)
            if state.piece > state.string and len(since) < _UNIT and _STRUCTURE.fullmatch(since):
                cost += costs.json_reopen  # what stands between two quotes is no text
            first = state.piece <= state.string
            new.styles = new.styles | Slips.ODD if first else new.styles ^ Slips.ODD
            new.reopened += 1
            new.piece = state.after_string
            self.found.append(window.stay(self.one, cost, state.after_string, Mode.JSON, new, *telling))
        text = window.raw(max(state.string, state.last_quote - NEAR), state.last_quote)
        begins = state.last_quote - len(text)
        if colon:
            match = _COLON_BEFORE.search(text)
            if match is not None and match.start():
                cost = costs.json_end_quote - 1
                self.found.append(ended_string(window, self.one, cost, begins + match.start(), Next.COLON))
        elif state.expects is Next.AFTER_VALUE and (state.quote == '"' or state.empty):
            match = _BEFORE_NEXT.search(text) or (_BARE_NEXT.search(text) if state.empty else None)
            if match is not None and (match.start() or len(text) < NEAR):
                place = begins + match.start()
                if place >= max(state.emitted, state.string):
                    self.found.append(ended_string(window, self.one, costs.json_end_quote - 1, place))
        return False

    def _another_sign(self) -> bool:
        """A sign of Chinese, a semicolon, or another blank, which is all that it can be."""
        char, stack, state = self.char, self.state.stack, self.state
        if not char or not (
            char in _WIDE and (char != ";" or state.expects is Next.AFTER_VALUE) or char.isspace() or char in ZERO_WIDTH
        ):
            return False
        sign = _WIDE.get(char, " ")
        if sign in "{[":
            stack += sign
        elif sign in "}]":
            stack = stack[:-1]
        expects = {
            ":": Next.VALUE, ",": Next.KEY if state.in_object else Next.VALUE_AFTER_COMMA, "{": Next.KEY_OR_END,
            "[": Next.VALUE_OR_END, "}": Next.AFTER_VALUE, "]": Next.AFTER_VALUE, " ": state.expects,
        }[sign]  # fmt: skip
        new = self.edit(self.costs.json_slip, self.at + 1, expects, sign, "another sign", Slips.WIDE, stack=stack)
        if expects is Next.AFTER_VALUE and not stack:
            self.found[-1] = close(self.window, new, self.at + 1)
        return True

    def _comment(self) -> bool:
        """A comment, or an ellipsis, which is all that it can be."""
        match = _COMMENT.match(self.buf, self.i)
        if match is None and self.state.expects not in (Next.COLON, Next.KEY_OR_END):
            match = _DOTS.match(self.buf, self.i)
        if match is None:
            return False
        end = self.base + match.end()
        self.instead(self.costs.json_comment, "", "a comment", Slips.COMMENT, end, pending=self.gap, emitted=end)
        return True

    def _begins_value(self) -> bool:
        char = self.char
        return char in QUOTES or char in "{[-" or char.isalnum()

    def _after_value(self) -> None:
        costs, stack, at, char, buf, i = self.costs, self.state.stack, self.at, self.char, self.buf, self.i
        in_object = self.state.in_object
        if char in "}]":
            if ("{" if char == "}" else "[") in stack:
                put, left = "}" if in_object else "]", stack[:-1]
                self.edit(costs.json_close, at, Next.AFTER_VALUE, put, f"expected `{char}`", stack=left)
            self.edit(costs.json_drop, at + 1, Next.AFTER_VALUE, None, "a bracket too many")
            return
        other = char in QUOTES and char != '"'
        key = NEXT_KEY.match(buf, i) or _BARE_KEY.match(buf, i) or other or _HALF_KEY.match(buf, i)
        if stack and (key if in_object else self._begins_value()):
            expects = Next.KEY if in_object else Next.VALUE_AFTER_COMMA
            said = "" if self.state.last_quote is None else self.window.raw(self.state.string, self.state.last_quote)
            cost = costs.json_comma + costs.swallowed * bool(said and not said.strip("[{ "))  # it is JSON in a string
            self.edit(cost, at, expects, ",", "expected `,`", Slips.COMMA)
        elif char == '"':
            self.edit(costs.json_drop, at + 1, Next.AFTER_VALUE, None, "a quote too many")
        elif char == ":" and stack and not in_object:
            self.edit(costs.json_drop + 1, at + 1, Next.AFTER_VALUE, None, "a colon too many")

    def _key(self) -> None:
        costs, at, char, state = self.costs, self.at, self.char, self.state
        key = _BARE_KEY.match(self.buf, self.i)
        if char in QUOTES and char != '"':
            self._open('"', costs.json_slip, Next.IN_KEY, at + 1, QUOTES[char], "other quotes", Slips.QUOTE)
        elif key is not None:
            end = self.base + key.end()
            self.edit(costs.json_key, end, Next.COLON, f'"{key[0]}"', "a bare key", Slips.KEY, key=key[0])
        elif _HALF_KEY.match(self.buf, self.i):
            cost = costs.json_first_quote + (costs.swallowed if state.even else 0)
            self._open('"', cost, Next.IN_KEY, at, '"', "expected a quote")
        elif char and char in ",{":
            self.edit(costs.json_drop, at + 1, state.expects, None, f"`{char}` too many")
        if char and char in "}]" and self.gap == ",":
            self.instead(costs.json_trailing, "", "a comma too many", expects=Next.AFTER_VALUE)

    def _open(
        self, put: str, cost: int, expects: Next, pos: int, quote: str, why: str, style: int = Slips.NONE
    ) -> Hypothesis:
        """A string begins at character `pos`, up to a quote of `quote`."""
        return self.edit(cost, pos, expects, put, why, style, string=pos, quote=quote)

    def _colon(self) -> None:
        costs, at = self.costs, self.at
        if self.char == "=":
            width = 2 if self.buf.startswith("=>", self.i) else 1
            self.edit(costs.json_colon, at + width, Next.VALUE, ":", "expected `:`", Slips.COLON)
        elif self._begins_value():
            new = self.edit(costs.json_colon, at, Next.VALUE, ":", "expected `:`", Slips.COLON)
            new.cost += key_cost(self.window, self.one.node, new.state, self.char)

    def _value(self) -> None:
        costs, state, at, char, buf, i, base = self.costs, self.state, self.at, self.char, self.buf, self.i, self.base
        stack, after_comma = state.stack, state.expects is Next.VALUE_AFTER_COMMA
        bare = _BARE_MEMBER if state.delimiter and state.in_object else _BARE_TEXT
        word, text, triple = SCALAR.match(buf, i), bare.match(buf, i), _TRIPLE.match(buf, i)
        end = buf.find(triple[0], i + 3) if triple is not None else -1
        if end >= 0:
            put = quoted_json(buf[i + 3 : end])
            self.edit(costs.json_slip, base + end + 3, Next.AFTER_VALUE, put, "three quotes")
        elif char == "=" and buf[i - 1 : i] == ":":
            self.edit(costs.json_drop, at + 1, state.expects, None, "`=` too many", Slips.COLON)
        elif char == '"' and QUOTED_OBJECT.match(buf, i) and takes_arguments(self.one, state):
            self.edit(costs.json_drop, at + 1, Next.VALUE, None, "an object between quotes", Slips.QUOTED)
        elif after_comma and char == '"' and "{" in stack and NEXT_KEY.match(buf, i):
            self._closed(len(stack) - stack.rindex("{") - 1, costs.json_close, "expected `]`")
            self._open('"', costs.json_drop, Next.IN_STRING, at + 1, '"', "")
        elif after_comma and state.empty and "{" in stack and _BARE_KEY.match(buf, i):
            self._closed(len(stack) - stack.rindex("{") - 1, costs.json_close, "expected `]`")
        elif char in QUOTES and char != '"':
            self._open('"', costs.json_slip, Next.IN_STRING, at + 1, QUOTES[char], "other quotes", Slips.QUOTE)
        elif word is not None and not (state.empty and word[0] == "NaN") and (put_word := word_as_json(word[0])):
            self.edit(costs.json_word, base + word.end(), Next.AFTER_VALUE, put_word, "another word", Slips.WORD)
        elif (torn := _TORN_WORD.match(buf, i) or text) is not None and (put_word := torn_word(torn[0])):
            why = "a word that is torn, or stands twice"
            self.edit(costs.json_word, base + torn.end(), Next.AFTER_VALUE, put_word, why)
        elif word is not None and "infinity" in word[0].lower():
            pass
        elif self._delimiter_missing():
            self._open('"', costs.json_first_quote, Next.IN_STRING, at, state.delimiter, "a quote is missing")
        elif stack and char and (word is not None or char in _TEXT_SIGNS) and not takes_arguments(self.one, state):
            if _HALF_TEXT.match(buf, i):
                self._open('"', costs.json_first_quote, Next.IN_STRING, at, '"', "a quote is missing")
            if text is not None and (state.delimiter or not state.empty):
                put = quoted_json(text[0].rstrip())
                self.edit(costs.json_text, base + text.end(), Next.AFTER_VALUE, put, "a bare text")
        elif char == "," and stack and not state.in_object:
            self.edit(costs.json_drop, at + 1, state.expects, None, "a comma too many")
        elif char and char in "]}" and after_comma and self.gap == ",":
            self.instead(costs.json_trailing, "", "a comma too many", expects=Next.AFTER_VALUE)
        elif char == "}" and state.expects is Next.VALUE_OR_END:
            self.edit(costs.json_close, at, Next.AFTER_VALUE, "]", "expected `]`", stack=stack[:-1])
        elif char == '"':
            self.go_on(0, Next.IN_STRING)
        if not stack:
            self._alone()

    def _delimiter_missing(self) -> bool:
        """True when the next quote of a value language ends a string that had none to begin it."""
        delimiter = self.state.delimiter
        if not delimiter or not self.state.stack:
            return False
        end = self.buf.find(delimiter, self.i, self.i + 120)
        return end > 0 and _CLOSES.match(self.buf, end + len(delimiter)) is not None

    def _alone(self) -> None:
        """A text, or a fence, where the value should begin."""
        costs, state, node, buf, i = self.costs, self.state, self.one.node, self.buf, self.i
        if state.delimiter if state.loose else node.json_field().role in _VALUES:
            marks = (
                after_value(node, state.empty).marks if state.empty else after_json(node) or node.step(JSON).node.marks
            )
            ends = [end for core in marks if (end := buf.find(core, i)) >= i + bool(state.empty)]
            lines = None if state.empty else blank_end(node.step(JSON).node)
            ends += [] if lines is None or (line := lines.regex.search(buf, i)) is None else [line.start()]
            text = buf[i : min(ends)].strip() if ends else ""
            if ends and not (state.empty and any(quote in text for quote in QUOTES)):
                end = self.base + min(ends)
                put = quoted_json(text)
                new = self.edit(costs.json_text, end, Next.AFTER_VALUE, put, "a bare text")
                self.found[-1] = close(self.window, new, end)
        if (fence := _FENCE.match(buf, i)) is not None:
            self.edit(costs.json_fence, self.base + fence.end(), Next.VALUE, None, "a fence", Slips.FENCED)

    def _next_argument(self) -> None:
        """In a value language the next argument comes: all brackets are missing."""
        state = self.state
        if not (state.empty and state.stack and self.gap == "," and _KEYWORD.match(self.buf, self.i)):
            return
        comma = self.since + self.window.raw(self.since, self.at).find(",")
        if comma < self.since:  # it was put in
            return
        cost = self.costs.json_close_all * len(state.stack)
        put = state.closers()
        new = self.instead(cost, put, "expected a bracket", stack="", expects=Next.AFTER_VALUE, emitted=comma)
        self.found[-1] = close(self.window, new, comma)

    def _all_closed(self) -> None:
        """Close all brackets: the text behind the value follows."""
        window, state, one, at, buf, costs = self.window, self.state, self.one, self.at, self.buf, self.costs
        if state.expects is not Next.AFTER_VALUE or not state.stack or not self.char:
            return
        i = _SPACE.match(buf, self.i).end()  # type: ignore[union-attr]  # matches the empty string
        graph, nexts = window.graph, after_json(one.node)
        opens = any(buf.startswith(core, i) for core in graph.long_openers)
        unit = self._unit()
        opens = opens or unit is not None and buf.startswith(unit, i)
        fits = any(buf.startswith(core, i) for core in (*nexts, *graph.ends))
        line = "\n" in window.raw(self.since, at) + buf[max(self.i - 2, 0) : self.i]
        words = self.char.isalpha() and (line or self.char.isupper() and len(state.stack) == 1)
        if not (fits or opens or words):
            return
        cost = costs.json_close_all * len(state.stack) + (costs.json_close if words and not fits else 0)
        fails = opens and self._breaks_off(after_value(one.node, state.empty), i)
        marker = next((core for core in nexts if buf.startswith(core, i)), None)
        if marker is not None and state.last_quote is not None and buf.startswith('"', i + len(marker)):
            cost, fails = cost + costs.swallowed, True
        put = state.closers()
        why = f"another call begins - at {at}" if fails else ""
        new = self.edit(cost, at, Next.AFTER_VALUE, put, f"expected `{put}`", fails=why, stack="", bare=False, found=3)
        self.found[-1] = close(window, new, at)

    def _breaks_off(self, after: Node, i: int) -> bool:
        """True when the call that begins at index `i` leaves this one without more brackets than its own."""
        stack, openers = self.state.stack, self.window.graph.long_openers
        inner = len(stack) - (shaped(self.one.node) and 1 + (stack[0] == "["))
        allowed = any(core in after.marks for core in openers if self.buf.startswith(core, i))
        return inner > allowed
