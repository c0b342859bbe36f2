"""Corruption: wire text broken in the ways that models, servers and tokenizers break it, as one table.

A way that finds nothing to break leaves the text as it is. Each has an example: a text, and what may become of it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from itertools import pairwise
from random import Random
from typing import NamedTuple, TypeAlias

from toolect._authoring.generate.facts import closers, fixed, markers, openers
from toolect._authoring.generate.random_values import hostile, json_in
from toolect._message import dumps
from toolect._spec.holes import keys
from toolect._spec.model import Role, Spec


class Wire(NamedTuple):
    """A wire text of a dialect, with the `names` of its calls and the characters where they begin, as far as known."""

    text: str
    spec: Spec
    names: Sequence[str] = ()
    starts: Sequence[int] = ()

    def put(self, start: int, end: int, new: str) -> str:
        """The text with another one at characters `start:end`."""
        return self.text[:start] + new + self.text[end:]


Break: TypeAlias = Callable[[Wire, Random], str]
Said: TypeAlias = Callable[[str, Random], str]
"""Substitute for a marker or a token."""


Span: TypeAlias = tuple[int, int]


# Markers


def _one(places: Callable[[Wire], Sequence[Span]], said: Said) -> Break:
    """One of some places is written otherwise."""

    def breaks(wire: Wire, random: Random) -> str:
        if not (found := places(wire)):
            return wire.text
        start, end = random.choice(found)
        return wire.put(start, end, said(wire.text[start:end], random))

    return breaks


def _places(text: str, wanted: Iterable[str]) -> list[Span]:
    """Spans of the markers in the text."""
    either = "|".join(map(re.escape, wanted))
    return [match.span() for match in re.finditer(either, text)] if either else []


def _long(wanted: Iterable[str]) -> list[str]:
    """Those of the markers that are more than a bracket or another sign."""
    return [marker for marker in wanted if len(marker.strip()) > 1]


def _stripped(wanted: Iterable[str]) -> list[str]:
    return _long(map(str.strip, wanted))


def _marker(which: Callable[[Spec], list[str]], said: Said) -> Break:
    """One of the markers of a kind is written otherwise."""
    return _one(lambda wire: _places(wire.text, which(wire.spec)), said)


def _none(_old: str, _random: Random) -> str:
    return ""


def _with_inside(*signs: str) -> Said:
    """One of these signs stands somewhere in it."""

    def said(old: str, random: Random) -> str:
        at = random.randint(1, len(old) - 1)
        return old[:at] + random.choice(signs) + old[at:]

    return said


def _with_less(old: str, random: Random) -> str:
    at = random.randint(0, len(old) - 1)
    return old[:at] + old[at + 1 :]


_SPECIAL = re.compile(r"<?[|｜].*[|｜]>?|\[/?[A-Z_]+\]")
"""A marker that is one token of the model, which detokenizers drop."""


def _dropped_tokens(wire: Wire, _random: Random) -> str:
    special = [marker for marker in markers(wire.spec) if _SPECIAL.fullmatch(marker)]
    return re.sub("|".join(map(re.escape, special)), "", wire.text) if special else wire.text


_ATTRIBUTE = re.compile(r"""(=)(")?((?:(?<=")[^"<>\n]+|(?<!")[\w.:/-]+))(?(2)")""")
_ATTRIBUTES = ('="{}"', "='{}'", "={}", ' = "{}"', ' ="{}"')


def _attributes(wire: Wire) -> list[Span]:
    ends = tuple({end for marker in markers(wire.spec) for end in ("=", '="') if marker.endswith(end)})
    found = _ATTRIBUTE.finditer(wire.text) if ends else ()
    return [match.span() for match in found if wire.text[: match.start(3)].endswith(ends)]


def _respelled(old: str, random: Random) -> str:
    word = old.strip("='\" ")
    return random.choice([way for way in _ATTRIBUTES if way.format(word) != old]).format(word)


def _swapped(wire: Wire, random: Random) -> str:
    text = wire.text
    found = list(re.finditer("|".join(map(re.escape, fixed(wire.spec))), text))
    one = random.choice(found) if found else None
    others = [match for match in found if one and match[0] != one[0]]
    if one is None or not others:
        return text
    first, second = sorted((one, random.choice(others)), key=re.Match.start)
    return wire.put(first.start(), second.end(), second[0] + text[first.end() : second.start()] + first[0])


_DRIFT = ("", " ", "\n", "\n\n", "\t ", "\r\n")
_QUOTED = re.compile(r"""(?<=[=(\[{:,\s])(["'])(?:\\.|(?!\1)[^\\\n])*\1(?=[)\]},:])""")


def _drifted(wire: Wire, random: Random) -> str:
    text = wire.text
    strings = [(token.start, token.end) for token in tokens(text) if token.text[0] == '"']
    strings += [match.span() for match in _QUOTED.finditer(text)]  # a blank in a string is a part of it
    places = [match.span() for match in re.finditer(r"\s+", text)]
    beside = _places(text, fixed(wire.spec))
    places += [(at, at) for at in random.choice(beside)] if beside else []
    places = [(at, end) for at, end in places if not any(first < at < last for first, last in strings)]
    if not places:
        return text
    start, end = random.choice(places)
    return wire.put(start, end, random.choice([blank for blank in _DRIFT if blank != text[start:end]]))


def _breaks_beside(wire: Wire) -> list[Span]:
    """Line breaks between two markers, or one and a bracket: elsewhere they may be a part of a value."""
    text, cores = wire.text, sorted(set(_stripped(markers(wire.spec))), key=len, reverse=True)
    found = _places(text, [*cores, *"{}[]"]) if cores else []
    places = [(end, start) for (begin, end), (start, last) in pairwise(found) if max(end - begin, last - start) > 1]
    return [(start, end) for start, end in places if "\n" in text[start:end] and text[start:end].isspace()]


# The text around the markers


def _early_end(wire: Wire, random: Random) -> str:
    places = _last_closers(wire)
    if not places or not wire.spec.end:
        return wire.text
    at = random.choice(places)
    return wire.text[:at] + wire.spec.end[0] + random.choice(("", wire.text[at:]))


def _last_closers(wire: Wire) -> list[int]:
    """Start offsets of the closers at the end of the text, the last one first; not those of an argument."""
    text, spec = wire.text, wire.spec
    inner = set(closers(spec, Role.ARGUMENT)) | set("\"'")
    outer = [marker for marker in closers(spec) if marker.strip() not in inner and marker not in inner]
    places, at = [], len(text.rstrip())
    while closer := next((marker for marker in outer if text.endswith(marker, 0, at)), ""):
        at -= len(closer)
        places.append(at)
        at = len(text[:at].rstrip())
    return places


def _false_start(wire: Wire, random: Random) -> str:
    """One of the calls breaks off; at an opener or in JSON where the starts of calls are not known."""
    text, spec = wire.text, wire.spec
    if wire.starts:
        start = end = random.choice(wire.starts)
    else:
        found = _places(text, openers(spec, Role.CALL))
        inside = next(((at, at + 1) for at, _, _ in json_in(text)), (-1, -1))
        start, end = random.choice(found) if found else inside
    if start < 0:
        return text
    closing = [text.find(closer, end) for closer in closers(spec) if len(closer) > 1 or closer in "}])"]
    last = min((at for at in closing if at >= end), default=end)
    return text[: random.randint(end, last)] + text[start:]


_QUOTES = (('"', "'"), ("'", '"'), ("\"'", "”’"))


def _requoted(wire: Wire, random: Random) -> str:
    ways = [(old, new) for old, new in _QUOTES if any(quote in wire.text for quote in old)]
    return wire.text.translate(str.maketrans(*random.choice(ways))) if ways else wire.text


def _spliced(wire: Wire, random: Random) -> str:
    at = random.randint(0, len(wire.text))
    return wire.put(at, at, hostile(markers(wire.spec), random) or "{")


_PREFIXES = ("functions.", "tools.", "functions::", "function.")


def _before_names(wire: Wire) -> list[Span]:
    either = "|".join(map(re.escape, wire.names))
    found = re.finditer(rf"(?<![\w.])(?:{either})(?![\w.])", wire.text) if either else ()
    return [(match.start(), match.start()) for match in found]


_OTHER_KEYS = ("params", "args", "input", "kwargs", "tool_args")


def _renamed_key(wire: Wire, random: Random) -> str:
    known = sorted({key for shape in wire.spec.shapes.values() for key in keys(shape)})
    found = [match.span(1) for match in re.finditer(r'"(\w+)"\s*:\s*[{"]', wire.text) if match[1] in known]
    if not found:
        return wire.text
    return wire.put(*random.choice(found), random.choice([key for key in _OTHER_KEYS if key not in known]))


# JSON

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)")


class JsonToken(NamedTuple):
    """A piece of JSON at characters `start:end`; `key` for a string that a colon follows."""

    text: str
    start: int
    end: int
    key: bool
    depth: int
    """Brackets that are open there, its own among them."""
    filled: bool
    """True for a closing bracket with content between it and its opening one."""


def tokens(text: str) -> list[JsonToken]:
    """The tokens of all JSON in `text`."""
    found: list[JsonToken] = []
    for start, end, _ in json_in(text):
        matches = list(_TOKEN.finditer(text, start, end))
        depth, last = 0, ""
        for match, after in zip(matches, [*matches[1:], None], strict=True):
            word = match[0]
            depth += word in "{["
            key = word[0] == '"' and after is not None and after[0] == ":"
            found.append(JsonToken(word, *match.span(), key, depth, word in "}]" and last not in ("{", "[")))
            depth -= word in "}]"
            last = word
    return found


def respaced(text: str, **layout: object) -> str:
    """`text` with its JSON laid out anew, as `json.dumps` does it with `layout`."""
    for start, end, _ in reversed([*json_in(text)]):
        text = text[:start] + json.dumps(json.loads(text[start:end]), **layout) + text[end:]  # type: ignore[arg-type]
    return text


Wanted: TypeAlias = Callable[[JsonToken], bool]


def _token(wanted: Wanted, said: Said) -> Break:
    """One of the tokens is written otherwise."""
    return _one(lambda wire: [(token.start, token.end) for token in tokens(wire.text) if wanted(token)], said)


def _tokens(wanted: Wanted, *ways: Said, alone: bool = False) -> Break:
    """All of the tokens are written otherwise, in the same way; or one of them, where it may be `alone`."""

    def breaks(wire: Wire, random: Random) -> str:
        found, said = [token for token in tokens(wire.text) if wanted(token)], random.choice(ways)
        if alone and found and not random.randint(0, 1):
            found = [random.choice(found)]
        text = wire.text
        for token in reversed(found):
            text = text[: token.start] + said(token.text, random) + text[token.end :]
        return text

    return breaks


def _is(*words: str) -> Wanted:
    return lambda token: token.text in words


def _is_string(token: JsonToken) -> bool:
    return token.text[0] == '"'


def _strings(regex: str) -> Wanted:
    return lambda token: _is_string(token) and re.search(regex, token.text) is not None


def _escapes(sign: str) -> Wanted:
    return lambda token: _is_string(token) and any(match[1] == sign for match in _ESCAPE.finditer(token.text))


def _unescaped(escape: str, sign: str) -> Said:
    return lambda old, _: _ESCAPE.sub(lambda match: sign if match[1] == escape else match[0], old)


def _between(left: str, right: str) -> Said:
    return lambda old, _: left + old[1:-1] + right


def _either(*ways: Break) -> Break:
    """One of the ways that find something to break, whichever is drawn first."""

    def breaks(wire: Wire, random: Random) -> str:
        texts = (way(wire, random) for way in random.sample(ways, len(ways)))
        return next((text for text in texts if text != wire.text), wire.text)

    return breaks


def _missing_comma(wire: Wire, random: Random) -> str:
    """Two words stay apart: without a blank they would be another one."""
    found = [token for token in tokens(wire.text) if token.text == ","]
    if not found:
        return wire.text
    token = random.choice(found)
    apart = re.match(r"\w,[\w.-]", wire.text[token.start - 1 : token.end + 1])
    return wire.put(token.start, token.end, " " if apart else "")


_SCALAR = re.compile(r"-?\d[\d.eE+-]*|true|false|null")


def _string_values(wire: Wire, random: Random) -> str:
    """A number, a word or an object inside the outermost value."""
    inner = [token for token in tokens(wire.text) if token.depth > 1]
    found = [token for token in inner if token.text == "{" or _SCALAR.fullmatch(token.text)]
    if not found:
        return wire.text
    token = random.choice(found)
    if token.text != "{":
        return wire.put(token.start, token.end, f'"{token.text}"')
    value, end = json.JSONDecoder().raw_decode(wire.text, token.start)
    return wire.put(token.start, end, dumps(dumps(value)))


_WITHIN = re.compile(r"(?:```\w*\s*|[=(,:\[{]\s*)\Z")
"""Text before a value that is in a fenced block, or in an expression."""


def _fenced(wire: Wire, random: Random) -> str:
    text, fence = wire.text, random.choice(("```json\n", "```\n"))
    for start, end, _ in reversed([*json_in(text)]):
        if _WITHIN.search(text[:start]) is None:
            text = f"{text[:start]}{fence}{text[start:end]}\n```{text[end:]}"
    return text


_BAD_ESCAPE = r"\\\\(?=[^\\/\"bfnrtu])"
_PYTHON = {"true": "True", "false": "False", "null": "None"}
_COMMENTS = (" // as asked\n", " /* as asked */ ", " # as asked\n")
_TYPOGRAPHIC = ("“”", "‘’", "„“", "«»")


_CALL = '<tool_call>\n{"name": "tide", "arguments": {}}\n</tool_call>'


class Corruption(StrEnum):
    """A way to break wire text: what it does, a text, what may become of it, and the function.

    From `MISSING_COMMA` on it is the JSON that is broken.
    """

    what: str
    before: str
    after: str
    breaks: Break

    def __new__(
        cls, name: str, what: str = "", before: str = "", after: str = "", breaks: Break = lambda wire, _: wire.text
    ) -> Corruption:
        """The member of a row of the table."""
        made = str.__new__(cls, name)
        made._value_, made.what, made.before, made.after, made.breaks = name, what, before, after, breaks
        return made

    # fmt: off
    MISSING_CLOSER = ("missing-closer", "a marker that ends something is left out",
        _CALL, '<tool_call>\n{"name": "tide", "arguments": {}}', _marker(lambda spec: _long(closers(spec)), _none))
    MISSING_OPENER = ("missing-opener", "a marker that begins something is left out",
        _CALL, '{"name": "tide", "arguments": {}}\n</tool_call>', _marker(lambda spec: _long(openers(spec)), _none))
    OPEN_REASONING = ("open-reasoning", "the marker that ends reasoning is left out",
        "<think>\nHm.\n</think>\n\nHi.", "<think>\nHm.Hi.", _marker(lambda spec: closers(spec, Role.REASONING), _none))
    MISSING_SIGN = ("missing-sign", "the first sign of a marker that begins something is missing",
        "<tool_call>", "tool_call>", _marker(lambda spec: _stripped(openers(spec)), lambda old, _: old[1:]))
    MISSING_WORD = ("missing-word", "a marker of several words that begins something lacks the first one",
        "<tool_call>", "<call>",
        _marker(lambda spec: [one for one in openers(spec) if len(re.findall(r"[^\W_]+", one)) > 1],
                lambda old, _: re.sub(r"[^\W_]+[_ ]?", "", old, count=1)))
    DROPPED_CHARACTER = ("dropped-character", "a character of a marker, or of a key of JSON shapes, is missing",
        "<tool_call>", "<tol_call>", _marker(lambda spec: _stripped(fixed(spec)), _with_less))
    DROPPED_TOKENS = ("dropped-tokens", "markers that are one token are gone, as servers skip them",
        "<|call|>{}</call>", "{}</call>", _dropped_tokens)
    SPLIT = ("split", "a sign that does not belong there stands in the middle of a marker",
        "<tool_call>", "<tool-_call>",
        _marker(lambda spec: _stripped(markers(spec)), _with_inside("-", "\u200b", "<", "x")))
    BLANK_IN_MARKER = ("blank-in-marker", "a blank stands in the middle of a marker",
        "<tool_call>", "<tool _call>", _marker(lambda spec: _stripped(markers(spec)), _with_inside(" ", "\n")))
    DOUBLED_MARKER = ("doubled-marker", "a marker stands there twice",
        "<tool_call>", "<tool_call><tool_call>",
        _marker(lambda spec: [*_long(markers(spec)), *_stripped(markers(spec))], lambda old, _: old * 2))
    SWAPPED_MARKERS = ("swapped-markers", "two markers stand in each other's place",
        _CALL, '\n</tool_call>{"name": "tide", "arguments": {}}<tool_call>\n', _swapped)
    ATTRIBUTES = ("attributes", "what a marker holds is in other quotes, or in none, or has blanks beside it",
        '<call name="tide">', "<call name='tide'>", _one(_attributes, _respelled))
    WHITESPACE_DRIFT = ("whitespace-drift", "whitespace is more, less, of another kind, or where there was none",
        _CALL, '<tool_call>\n\n{"name": "tide", "arguments": {}}\n</tool_call>', _drifted)
    ESCAPED_BREAK = ("escaped-break", "a line break beside a marker is written as an escape",
        _CALL, '<tool_call>\\n{"name": "tide", "arguments": {}}\n</tool_call>',
        _one(_breaks_beside, lambda old, _: old.replace("\n", "\\n")))
    TRUNCATION = ("truncation", "the text stops somewhere",
        "<tool_call>", "<tool", lambda wire, random: wire.text[: random.randint(0, max(0, len(wire.text) - 1))])
    CUT_CLOSERS = ("cut-closers", "the text stops before its last closers, after the last argument",
        _CALL, '<tool_call>\n{"name": "tide", "arguments": {}}',
        lambda wire, random: wire.text[: random.choice(_last_closers(wire) or [len(wire.text)])])
    EARLY_END = ("early-end", "an end token stands before the last closers, which may still follow",
        _CALL, '<tool_call>\n{"name": "tide", "arguments": {}}<|im_end|>', _early_end)
    LOST_BEGINNING = ("lost-beginning", "the first characters are gone",
        "<tool_call>", "_call>", lambda wire, random: wire.text[random.randint(1, max(1, min(30, len(wire.text)))) :])
    FALSE_START = ("false-start", "a call breaks off, and is written again from its beginning",
        _CALL, f'<tool_call>\n{{"name": "ti{_CALL}', _false_start)
    WRONG_QUOTES = ("wrong-quotes", "double quotes are single ones, single ones are double, or all are typographic",
        '{"a": 1}', "{'a': 1}", _requoted)
    SPLICED_GARBAGE = ("spliced-garbage", "something else stands in the text: halves of markers, signs, controls",
        "", "{", _spliced)
    NAME_PREFIX = ("name-prefix", "the name of a tool has a prefix, such as `functions.`",
        _CALL, _CALL.replace("tide", "functions.tide"), _one(_before_names, lambda _, random: random.choice(_PREFIXES)))
    RENAMED_KEY = ("renamed-key", "a key of the object that is a call is another one",
        _CALL, _CALL.replace("arguments", "params"), _renamed_key)
    MISSING_COMMA = "missing-comma", "a comma is missing", '{"a": 1, "b": 2}', '{"a": 1 "b": 2}', _missing_comma
    TRAILING_COMMA = ("trailing-comma", "a comma stands before a closing bracket",
        '{"a": 1}', '{"a": 1,}', _token(lambda token: token.filled, lambda old, _: "," + old))
    MISSING_QUOTE = ("missing-quote", "a string lacks its first or its last quote",
        '{"a": 1}', '{a": 1}', _token(_is_string, lambda old, random: random.choice((old[1:], old[:-1]))))
    SINGLE_QUOTES = ("single-quotes", "strings are between single quotes, as Python writes them",
        '{"a": "\\""}', "{'a': '\"'}",
        _tokens(_strings("^[^']*$"), lambda old, _: f"'{old[1:-1]}'".replace('\\"', '"')))
    TYPOGRAPHIC_QUOTES = ("typographic-quotes", "strings are between typographic quotes, all of them or one",
        '{"a": 1}', "{“a”: 1}", _tokens(_is_string, *(_between(*pair) for pair in _TYPOGRAPHIC), alone=True))
    UNESCAPED_QUOTE = ("unescaped-quote", "the quotes in a string are not escaped",
        r'{"a": "say \"b\""}', '{"a": "say "b""}', _token(_escapes('"'), _unescaped('"', '"')))
    RAW_CONTROL = ("raw-control", "line breaks or tabs in a string are not escaped", r'{"a": "b\nc"}', '{"a": "b\nc"}',
        _either(_token(_escapes("n"), _unescaped("n", "\n")), _token(_escapes("t"), _unescaped("t", "\t"))))
    WRONG_ESCAPE = ("wrong-escape", "a backslash in a string is not escaped, or stands before a sign that needs none",
        '{"a": "it\'s"}', '{"a": "it\\\'s"}', _either(_token(_strings("'"), lambda old, _: old.replace("'", "\\'")),
                _token(_strings(_BAD_ESCAPE), lambda old, _: re.sub(_BAD_ESCAPE, r"\\", old))))
    MISSING_BRACE = ("missing-brace", "a closing bracket is missing",
        '{"a": [1]}', '{"a": [1}', _token(_is("}", "]"), _none))
    EXTRA_BRACE = ("extra-brace", "a closing bracket stands there twice",
        '{"a": [1]}', '{"a": [1]]}', _token(_is("}", "]"), lambda old, _: old * 2))
    MISSING_COLON = "missing-colon", "a colon is missing", '{"a": 1}', '{"a" 1}', _token(_is(":"), _none)
    UNQUOTED_KEYS = ("unquoted-keys", "keys have no quotes, all of them or one", '{"a": 1}', "{a: 1}",
        _tokens(lambda token: token.key and token.text[1:-1].isidentifier(), _between("", ""), alone=True))
    PYTHON_WORDS = ("python-words", "words are those of Python",
        '{"a": null}', '{"a": None}', _tokens(_is(*_PYTHON), lambda old, _: _PYTHON[old]))
    ODD_LITERAL = ("odd-literal", "`NaN` and the like stand for null",
        '{"a": null}', '{"a": NaN}', _token(_is("null"), lambda _, random: random.choice(("NaN", "undefined"))))
    COMMENT = ("comment", "a comment stands in the JSON", '{"a": 1}', '{ /* as asked */ "a": 1}',
        _token(_is(",", "{", "["), lambda old, random: old + random.choice(_COMMENTS)))
    ELLIPSIS = ("ellipsis", "an ellipsis stands before a closing bracket", '{"a": 1}', '{"a": 1, ...}',
        _token(lambda token: token.filled, lambda old, random: random.choice((", ", ",")) + "..." + old))
    STRING_VALUES = ("string-values", "a number, a word or an object is written as a string",
        '[{"a": 1}]', '[{"a": "1"}]', _string_values)
    FENCED = ("fenced", "the JSON stands in a fenced block, unless it is a part of an expression",
        '{"a": 1}', '```json\n{"a": 1}\n```', _fenced)
    # fmt: on


OF_JSON = frozenset([*Corruption][[*Corruption].index(Corruption.MISSING_COMMA) :])
"""The ways to break JSON, which the way it is laid out must not matter to."""


def corrupt(
    text: str, spec: Spec, random: Random, how: Corruption, names: Sequence[str] = (), starts: Sequence[int] = ()
) -> str:
    """`text` broken in the way `how`; it calls tools of these `names`, with calls that begin at characters `starts`."""
    return how.breaks(Wire(text, spec, names, starts), random)
