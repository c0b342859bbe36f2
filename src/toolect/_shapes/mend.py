"""Mends broken JSON where it breaks: the reader that met it is given what was meant, and reads on.

What was read stays as it was spelled, and nothing of it is taken back that was passed on: a mender adds a comma, skips
a bracket, escapes a sign, or takes a quote that was held for one of the string's own. Where it is not clear what was
meant, nothing is. Long, for one mender: at each kind of place it tries one mend after the other, and what it has tried
counts for the next.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from toolect._shapes.meant import ESCAPE, WORDS, escaped, number_of
from toolect._shapes.mendable import Mendable
from toolect._shapes.odd_strings import (
    OddString,
    bare,
    bare_key,
    begins_triple,
    is_escaped,
    other_quotes,
    torn_key,
    triple,
)
from toolect._shapes.open_value import Expect
from toolect._shapes.what_follows import closers_follow, closes_more, key_follows, lacks_comma, member_follows
from toolect._values.json_lexemes import MAX_DEPTH, Broken, unquote
from toolect._values.text_values import read_json

FENCE = re.compile(r"\s*```\w{0,16}\s*(?=[{\[])")
"""The beginning of a fenced block around a value."""
NONE_MISSING = -1
"""No bracket may be missing."""
MAX_REPAIR = 1 << 17
"""Characters of broken JSON that a repair is tried on. Beyond it: `malformed`."""
MAX_MENDING = 1 << 19
"""Characters of broken JSON in one answer, each as often as a repair looks for the end. Beyond it: `malformed`."""

_SKIPPED = re.compile(r"(?://[^\n]*|/\*(?:[^*]|\*(?!/))*+\*/|#[^\n]*|(?:\.\.\.|…)[ \t]*,?|\\[nrt])\s*")
"""Comments, an ellipsis, and escapes where blanks should be."""
_TORN = re.compile(r'[^"],\s*"\s*\Z')
_LAST_STRING = re.compile(r'"[\w.-]*"\s*\Z')
_WORD = re.compile(r"[\w.+-]+")
_STRING = re.compile(r'"((?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+)"')
_WIDE = {"：": ":", "，": ",", "｛": "{", "｝": "}", "［": "[", "］": "]"}
"""JSON's signs as Chinese is typed."""
_WHOLE_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"\s*', re.DOTALL).fullmatch
_JOINING = r"(?:\+|&|\|\||\?\?|or\b|and\b)"
_EXPRESSION = re.compile(
    rf"""(?:{_JOINING}\s*|(?<=\s))"(?:[^"\\]|\\.){{0,4096}}+"\s*(?:[,}}\]]|{_JOINING}\s*")""", re.DOTALL
).match
"""An operator, or a blank, and another string after one."""
_INFINITY = "infinity"
_ASSIGNED = re.compile(r"=>?")


def _ignore(_at: int, _why: str) -> None:
    """Nobody asks what was mended here: what it is a part of is noted."""


class Mender:
    """Reads the rest of broken JSON: `text` begins with character `base`; `note` is told of each repair."""

    __slots__ = ("_base", "_doubled", "_mended", "_note", "_reader", "_single", "_text", "_torn", "_why")

    def __init__(self, reader: Mendable, text: str, base: int = 0, note: Callable[[int, str], None] = _ignore) -> None:
        self._reader, self._text, self._base, self._note = reader, text, base, note
        self._mended = self._torn = False  # something was; a string lacked its last quote: nothing else may be wrong
        self._why: Broken | None = None  # what is wrong here, until it is told
        self._single = False  # no three quotes end a string any more
        self._doubled = text.rfind("\\\\")  # the last backslash that is escaped

    def read(self, broken: Broken, missing: int = MAX_DEPTH) -> int:
        """Read on where reading was `broken`: where the value ends. Raises Broken where nobody knows what was meant.

        The brackets that are open where the text ends are closed, `missing` of them at most in the middle of arguments,
        and none after a comma or an opening one. Where that is 0, the text is cut off there: -1.
        """
        reader, text, base = self._reader, self._text, self._base
        pos = broken.resume - base
        if reader.expect is Expect.DONE:
            return broken.resume  # what comes after it is not its own
        if pos < len(text) or reader.expect in (Expect.STRING, Expect.SCALAR):
            pos = self._mend(broken)
        while True:
            try:
                pos = reader.feed(text, pos, base, True)
            except Broken as again:
                pos = self._mend(again)
                continue
            if reader.done:
                return base + pos
            if reader.passing and not missing:
                return -1
            more = reader.is_between or reader.is_begun
            if reader.passing and (len(reader.nesting) > missing or missing < MAX_DEPTH and more):
                raise Broken(base + pos, "expected the end of the arguments")
            self.close(base + pos)
            return base + pos

    def _mend(self, broken: Broken) -> int:
        """Mend what is `broken`; the index from which on to read."""
        inside = self._reader.expect is Expect.STRING and not self._reader.encloses
        pos = (broken.at if inside else broken.resume) - self._base  # a wrong escape has been gone over
        if not broken.limit and 0 <= pos <= len(self._text) and not self._torn:
            self._why = broken
            found = self._found(pos)
            if found >= 0:
                self._tell()
                self._mended = True
                return found
        raise broken

    def _tell(self) -> None:
        """Note what is mended: a call that ends with that is told before it ends."""
        why, self._why = self._why, None
        if why is not None:
            self._note(why.at, why.why)

    def _found(self, pos: int) -> int:
        """Where to read on after mending at index `pos`, or -1."""
        reader = self._reader
        expect = reader.expect
        if expect is Expect.STRING:
            return self._in_string(pos)
        if expect is Expect.SCALAR:
            return self._scalar(pos)
        if pos == len(self._text) or not reader.nesting and expect is not Expect.VALUE:
            return -1
        char = self._text[pos]
        if char.isspace():
            return pos + 1  # a blank that JSON does not know
        if char in _WIDE:
            return self._put(_WIDE[char], pos + 1)
        match = _SKIPPED.match(self._text, pos)
        if match is not None and expect is not Expect.COLON and not (match[0][0] in ".…" and self._is_left_out(match)):
            return match.end()
        if expect in (Expect.KEY, Expect.KEY_OR_END):
            return self._key(pos)
        if expect in (Expect.VALUE, Expect.VALUE_OR_END):
            return self._value(pos)
        if expect is Expect.COLON:
            return self._colon(pos)
        return self._after_value(pos)

    def _is_left_out(self, ellipsis: re.Match[str]) -> bool:
        """Does an ellipsis stand for the value of a key, or for all that is between two brackets?"""
        reader, after = self._reader, self._text[ellipsis.end() : ellipsis.end() + 1]
        alone = reader.is_begun and (not after or after in "}]")
        return alone or reader.expect is Expect.VALUE and reader.nesting[-1:] != [False]

    def _put(self, new: str, pos: int) -> int:
        """The reader reads `new` in place of what stands before index `pos`."""
        self._tell()
        self._reader.feed(new, 0, self._base + pos - len(new), False)
        return pos

    def close(self, end: int) -> None:
        """Close what is open at the end of the text, character `end`. Raises Broken in the middle of something."""
        reader = self._reader
        if reader.is_between and not reader.drop_comma():
            raise Broken(end, "expected a value")
        if reader.expect in (Expect.STRING, Expect.COLON):
            raise Broken(end, "expected the end of a string")
        closers = "".join("}" if is_object else "]" for is_object in reversed(reader.nesting))
        self._note(end, f"expected `{closers[:1]}`")
        for closer in closers:
            self._put(closer, end - self._base)  # all that is open ends there

    def _once(self, pos: int) -> bool:
        """True when there is more from index `pos` on, and nobody can ask how often it is escaped."""
        return self._doubled < pos < len(self._text)

    # In the middle of strings and words

    def _in_string(self, pos: int) -> int:
        text = self._text
        if self._reader.encloses:
            return pos if self._once(pos) and self._reader.uncover() else self._encoded(pos)
        match = ESCAPE.match(text, pos)
        if match is None:
            return -1
        if text[pos] in "\r\n":
            if (end := self._before_comma(pos)) >= 0:
                return end
            if not self._mended and closers_follow(text, pos, self._reader.nesting):  # the last string ends its line
                self._torn = True
                return self._put('"', pos)
        return self._put(escaped(match), match.end())

    def _before_comma(self, at: int) -> int:
        """Where the comma is at which a string before index `at` ends that lacks its last quote, or -1.

        The next key comes there, or the next string of a list.
        """
        reader = self._reader
        follows = member_follows(self._text, at, reader.nesting[-1:] == [True])
        size = reader.end_before_comma() if follows and not self._mended else -1
        self._torn = size >= 0
        return at - size if self._torn else -1

    def _encoded(self, pos: int) -> int:
        """What is broken is inside of arguments that are a string: these are lost where they cannot be mended."""
        reader = self._reader
        match = _STRING.match(self._text, max(reader.start - self._base, 0))
        if match is None:
            return -1
        inner, taken = reader.inner
        inside = unquote(match[1])
        said = read_json(inside) if inner.encloses else None
        if isinstance(said, str):  # a text in quotes of its own
            reader.abandon(said)
            return pos
        try:
            if inside[Mender(inner, inside).read(Broken(taken, "")) :].strip(" \t\r\n,;]}"):
                raise Broken(0, "expected the end")
        except Broken:
            reader.abandon(unquote(match[1]))
            return pos
        reader.end_encoded()
        return match.end()

    def _scalar(self, end: int) -> int:
        """A word or number that is none in JSON."""
        word = self._reader.word
        known = WORDS.get(word.lower()) or number_of(word)
        if known:
            self._reader.replace(known)
            return end
        if word.lower() == _INFINITY:
            return -1  # neither a text nor a number that JSON has
        self._reader.again()
        return self._meant(bare(self._text, end - len(word)), end - len(word)) if len(word) <= end else -1

    def _triple(self, pos: int) -> OddString | None:
        """The string between three quotes that begins at index `pos`."""
        if self._single or not begins_triple(self._text, pos):
            return None
        found = triple(self._text, pos, self._reader.nesting[-1:] != [False])
        self._single = found is None
        return found

    # Between them

    def _key(self, pos: int) -> int:
        """Something else than a key in double quotes."""
        reader, text = self._reader, self._text
        char = text[pos]
        if char == ",":
            return pos + 1
        if char in "}]" and reader.drop_comma():
            return pos
        if char == "{" and reader.nesting[-2:] == [False, True] and reader.drop_comma():
            self._put("}", pos)
            reader.add_comma()
            return pos  # the next item of the list stands in the one before
        if char == "{" and reader.expect is Expect.KEY_OR_END and key_follows(text, pos + 1):
            return pos + 1  # the brace is doubled
        found = self._meant(bare_key(text, pos), pos)
        found = found if found >= 0 else self._loose(pos, ":")
        return found if found >= 0 else self._reopened()

    def _value(self, pos: int) -> int:
        """No value begins here."""
        reader, text = self._reader, self._text
        char = text[pos]
        if char in "]}" and reader.drop_comma():
            return pos
        if char == "," and reader.nesting and not reader.nesting[-1]:
            return pos + 1
        if not reader.nesting and (match := FENCE.match(text, pos)) is not None:
            return match.end()
        if char in "+." and (match := _WORD.match(text, pos)) is not None and (known := number_of(match[0])):
            return self._put(known, match.end())
        found = self._loose(pos, ",}]")
        if found < 0 and char == "/":
            found = self._meant(bare(text, pos), pos)
        return found if found >= 0 else self._reopened()

    def _colon(self, pos: int) -> int:
        """Something else follows a key."""
        text = self._text
        match = _ASSIGNED.match(text, pos)
        if match is not None:
            return self._put(":", match.end())
        start = self._reader.start - self._base
        torn = torn_key(text, start) if start >= 0 else None
        if torn is not None and torn[1] <= pos:
            self._reader.undo_key()
            return self._put(torn[0] + ":", torn[1])
        word = _WORD.match(text, pos)
        if text[pos] in "\"{['“" or word is not None and (word[0].lower() in WORDS or number_of(word[0])):
            return self._put(":", pos)
        return self._reopened()

    def _after_value(self, pos: int) -> int:
        """Neither a comma nor the right bracket follows a value."""
        reader, text = self._reader, self._text
        char = text[pos]
        nesting = reader.nesting
        if char in "}]":
            return self._put("}" if nesting[-1] else "]", pos) if closes_more(text, pos, nesting) else pos + 1
        if (found := self._triple(max(pos - 2, 0))) is not None and reader.reopen() >= 0:
            return self._put(found[0][1:], found[1])
        if char == '"' and re.compile(r"\s*[,}\]]").match(text, pos + 1) and not reader.can_reopen:
            return pos + 1
        if char == ":" and reader.end_list():
            return pos
        if char == ":" and not nesting[-1] and not reader.passing:
            item = _LAST_STRING.search(text, max(pos - 64, 0), pos)
            if item is not None:
                reader.again()
                reader.feed("{", 0, self._base + item.start(), False)
                return self._put(item[0].rstrip() + ":", pos + 1)
        if _TORN.search(text, max(pos - 64, 0), pos) is not None:  # a string lacks its last quote
            return self._before_comma(text.rfind('"', 0, pos))
        if lacks_comma(text, pos, nesting[-1], reader.can_reopen):
            reader.add_comma()
            return pos
        start = reader.start - self._base
        if start >= 0 and _WHOLE_STRING(text, start, pos) is not None and _EXPRESSION(text, pos) is not None:
            return -1  # strings put together: what comes of that is for a program to say
        return -1 if char == ":" else self._reopened()

    def _reopened(self) -> int:
        """The quote that ended the last string was one of its own."""
        end = self._reader.reopen()
        if end >= 0 and self._text[: end - self._base - 1].endswith((",", ", ", ":", ": ")):
            return -1  # it would be if a quote were missing before
        return -1 if end < 0 else self._put('\\"', end - self._base)

    def _loose(self, pos: int, after: str) -> int:
        """A string between other quotes: the first that may close it, with one of `after` behind it, does."""
        text = self._text
        found = self._triple(pos)
        if found is None and (self._once(pos) or not is_escaped(text, pos)):
            found = other_quotes(text, pos, after)
        return self._meant(found, pos)

    def _meant(self, found: OddString | None, pos: int) -> int:
        """The reader reads the string that was meant at index `pos`, if there is one: where what stands there ends."""
        if found is None:
            return -1
        said, end = found
        self._put(said[:1], pos + 1)  # a string begins where its first sign stands
        return self._put(said[1:], end)
