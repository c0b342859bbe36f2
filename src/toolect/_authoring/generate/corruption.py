"""Corruption: wire text broken in the ways that models, servers and tokenizers break it, as one table.

A way that finds nothing to break leaves the text as it is. Each has an example: a text, and what may become of it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from itertools import pairwise
from random import Random
from typing import NamedTuple, TypeAlias

from toolect._authoring.generate.facts import closers, fixed, markers, openers
from toolect._authoring.generate.texts import hostile
from toolect._message import dumps
from toolect._spec.holes import keys
from toolect._spec.model import Role, Spec


class Corruption(StrEnum):
    """A way to break wire text: `WAYS` says what it does. From `MISSING_COMMA` on it is the JSON that is broken."""

    MISSING_CLOSER = "missing-closer"
    MISSING_OPENER = "missing-opener"
    OPEN_REASONING = "open-reasoning"
    MISSING_SIGN = "missing-sign"
    MISSING_WORD = "missing-word"
    DROPPED_CHARACTER = "dropped-character"
    DROPPED_TOKENS = "dropped-tokens"
    SPLIT = "split"
    BLANK_IN_MARKER = "blank-in-marker"
    DOUBLED_MARKER = "doubled-marker"
    SWAPPED_MARKERS = "swapped-markers"
    ATTRIBUTES = "attributes"
    WHITESPACE_DRIFT = "whitespace-drift"
    ESCAPED_BREAK = "escaped-break"
    TRUNCATION = "truncation"
    CUT_CLOSERS = "cut-closers"
    EARLY_END = "early-end"
    LOST_BEGINNING = "lost-beginning"
    FALSE_START = "false-start"
    WRONG_QUOTES = "wrong-quotes"
    SPLICED_GARBAGE = "spliced-garbage"
    NAME_PREFIX = "name-prefix"
    RENAMED_KEY = "renamed-key"
    MISSING_COMMA = "missing-comma"
    TRAILING_COMMA = "trailing-comma"
    MISSING_QUOTE = "missing-quote"
    SINGLE_QUOTES = "single-quotes"
    TYPOGRAPHIC_QUOTES = "typographic-quotes"
    UNESCAPED_QUOTE = "unescaped-quote"
    RAW_CONTROL = "raw-control"
    WRONG_ESCAPE = "wrong-escape"
    MISSING_BRACE = "missing-brace"
    EXTRA_BRACE = "extra-brace"
    MISSING_COLON = "missing-colon"
    UNQUOTED_KEYS = "unquoted-keys"
    PYTHON_WORDS = "python-words"
    ODD_LITERAL = "odd-literal"
    COMMENT = "comment"
    ELLIPSIS = "ellipsis"
    STRING_VALUES = "string-values"
    FENCED = "fenced"


class Wire(NamedTuple):
    """A wire text of a dialect, with the `names` of its calls and the characters where they begin, as far as known."""

    text: str
    spec: Spec
    names: Sequence[str] = ()
    starts: Sequence[int] = ()

    def put(self, start: int, end: int, new: str) -> str:
        """The text with something else at characters `start:end`."""
        return self.text[:start] + new + self.text[end:]


Break: TypeAlias = Callable[[Wire, Random], str]
Said: TypeAlias = Callable[[str, Random], str]
"""What stands in the place of a marker or a token."""


def corrupt(
    text: str, spec: Spec, random: Random, how: Corruption, names: Sequence[str] = (), starts: Sequence[int] = ()
) -> str:
    """`text` broken in the way `how`; it calls tools of these `names`, with calls that begin at characters `starts`."""
    return WAYS[how].breaks(Wire(text, spec, names, starts), random)


# Markers


def _place(text: str, wanted: Iterable[str], random: Random) -> tuple[int, int] | None:
    """Where in the text one of the markers stands; nothing when none does."""
    either = "|".join(re.escape(marker) for marker in wanted)
    found = [match.span() for match in re.finditer(either, text)] if either else []
    return random.choice(found) if found else None


def _long(wanted: Iterable[str]) -> list[str]:
    """Those of the markers that are more than a bracket or another sign."""
    return [marker for marker in wanted if len(marker.strip()) > 1]


def _stripped(wanted: Iterable[str]) -> list[str]:
    return _long(map(str.strip, wanted))


def _marker(which: Callable[[Spec], list[str]], said: Said) -> Break:
    """One of the markers of a kind is written otherwise."""

    def breaks(wire: Wire, random: Random) -> str:
        found = _place(wire.text, which(wire.spec), random)
        return wire.text if found is None else wire.put(*found, said(wire.text[slice(*found)], random))

    return breaks


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


def _of_words(spec: Spec) -> list[str]:
    return [marker for marker in openers(spec) if len(re.findall(r"[^\W_]+", marker)) > 1]


def _twice(spec: Spec) -> list[str]:
    whole = _long(markers(spec))
    return [*whole, *map(str.strip, whole)]


_SPECIAL = re.compile(r"<?[|｜].*[|｜]>?|\[/?[A-Z_]+\]")
"""A marker that is one token of the model, which detokenizers drop."""


def _dropped_tokens(wire: Wire, _random: Random) -> str:
    special = [marker for marker in markers(wire.spec) if _SPECIAL.fullmatch(marker)]
    return re.sub("|".join(map(re.escape, special)), "", wire.text) if special else wire.text


_ATTRIBUTE = re.compile(r"""(=)(")?((?:(?<=")[^"<>\n]+|(?<!")[\w.:/-]+))(?(2)")""")
_ATTRIBUTES = ('="{}"', "='{}'", "={}", ' = "{}"', ' ="{}"')


def _attributes(wire: Wire, random: Random) -> str:
    text = wire.text
    ends = tuple({end for marker in markers(wire.spec) for end in ("=", '="') if marker.endswith(end)})
    found = [match for match in _ATTRIBUTE.finditer(text) if ends and text[: match.start(3)].endswith(ends)]
    if not found:
        return text
    match = random.choice(found)
    return wire.put(
        *match.span(), random.choice([w for w in _ATTRIBUTES if w.format(match[3]) != match[0]]).format(match[3])
    )


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
    places += [(at, at) for at in _place(text, fixed(wire.spec), random) or ()]
    places = [(at, end) for at, end in places if not any(first < at < last for first, last in strings)]
    if not places:
        return text
    start, end = random.choice(places)
    return wire.put(start, end, random.choice([blank for blank in _DRIFT if blank != text[start:end]]))


def _escaped_break(wire: Wire, random: Random) -> str:
    """Between two markers, or one and a bracket: elsewhere it may be a part of a value."""
    text, cores = wire.text, sorted(set(_stripped(markers(wire.spec))), key=len, reverse=True)
    either = "|".join(map(re.escape, cores))
    found = [match.span() for match in re.finditer(rf"(?:{either})|[{{}}\[\]]", text)] if either else []
    places = [(end, start) for (begin, end), (start, last) in pairwise(found) if max(end - begin, last - start) > 1]
    places = [(start, end) for start, end in places if "\n" in text[start:end] and text[start:end].isspace()]
    if not places:
        return text
    start, end = random.choice(places)
    return wire.put(start, end, text[start:end].replace("\n", "\\n"))


# The text around the markers


def _cut_closers(wire: Wire, random: Random) -> str:
    places = _last_closers(wire)
    return wire.text[: random.choice(places)] if places else wire.text


def _early_end(wire: Wire, random: Random) -> str:
    places = _last_closers(wire)
    if not places or not wire.spec.end:
        return wire.text
    at = random.choice(places)
    return wire.text[:at] + wire.spec.end[0] + random.choice(("", wire.text[at:]))


def _last_closers(wire: Wire) -> list[int]:
    """Where the closers begin that stand at the end of the text, one after the other; not those of an argument."""
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
    """One of the calls breaks off; where nobody says where they begin, something does."""
    text, spec = wire.text, wire.spec
    if wire.starts:
        start = end = random.choice(wire.starts)
    else:
        found = _place(text, openers(spec, Role.CALL), random)
        start, end = found or next(((at, at + 1) for at, _ in values(text)), (-1, -1))
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


def _prefixed(wire: Wire, random: Random) -> str:
    either = "|".join(map(re.escape, wire.names))
    found = [match.start() for match in re.finditer(rf"(?<![\w.])(?:{either})(?![\w.])", wire.text)] if either else []
    at = random.choice(found) if found else None
    return wire.text if at is None else wire.put(at, at, random.choice(_PREFIXES))


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
    """There is something between the bracket that opens and this one, which closes."""


def values(text: str) -> Iterator[tuple[int, int]]:
    """Where the JSON objects and lists stand in `text`, outermost, those with something in them."""
    decode = json.JSONDecoder().raw_decode
    at = 0
    while (match := re.compile(r"[{\[]").search(text, at)) is not None:
        at = match.start()
        try:
            value, end = decode(text, at)
        except (ValueError, RecursionError):
            at += 1
            continue
        if value:
            yield at, end
        at = end


def tokens(text: str) -> list[JsonToken]:
    """The tokens of all JSON in `text`."""
    found: list[JsonToken] = []
    for start, end in values(text):
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
    for start, end in reversed(list(values(text))):
        text = text[:start] + json.dumps(json.loads(text[start:end]), **layout) + text[end:]  # type: ignore[arg-type]
    return text


Wanted: TypeAlias = Callable[[JsonToken], bool]


def _token(wanted: Wanted, said: Said) -> Break:
    """One of the tokens is written otherwise."""

    def breaks(wire: Wire, random: Random) -> str:
        found = [token for token in tokens(wire.text) if wanted(token)]
        if not found:
            return wire.text
        token = random.choice(found)
        return wire.put(token.start, token.end, said(token.text, random))

    return breaks


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
"""What stands before a value that is in a fenced block, or in an expression."""


def _fenced(wire: Wire, random: Random) -> str:
    text, fence = wire.text, random.choice(("```json\n", "```\n"))
    for start, end in reversed(list(values(text))):
        if _WITHIN.search(text[:start]) is None:
            text = f"{text[:start]}{fence}{text[start:end]}\n```{text[end:]}"
    return text


_BAD_ESCAPE = r"\\\\(?=[^\\/\"bfnrtu])"
_PYTHON = {"true": "True", "false": "False", "null": "None"}
_COMMENTS = (" // as asked\n", " /* as asked */ ", " # as asked\n")
_TYPOGRAPHIC = ("“”", "‘’", "„“", "«»")


class CorruptionKind(NamedTuple):
    """What a corruption does, a text, and what may become of it."""

    what: str
    before: str
    after: str
    breaks: Break


_CALL = '<tool_call>\n{"name": "tide", "arguments": {}}\n</tool_call>'
_C = Corruption
WAYS: dict[Corruption, CorruptionKind] = {
    _C.MISSING_CLOSER: CorruptionKind("a marker that ends something is left out",
        _CALL, '<tool_call>\n{"name": "tide", "arguments": {}}', _marker(lambda spec: _long(closers(spec)), _none)),
    _C.MISSING_OPENER: CorruptionKind("a marker that begins something is left out",
        _CALL, '{"name": "tide", "arguments": {}}\n</tool_call>', _marker(lambda spec: _long(openers(spec)), _none)),
    _C.OPEN_REASONING: CorruptionKind("the marker that ends reasoning is left out",
        "<think>\nHm.\n</think>\n\nHi.", "<think>\nHm.Hi.", _marker(lambda spec: closers(spec, Role.REASONING), _none)),
    _C.MISSING_SIGN: CorruptionKind("the first sign of a marker that begins something is missing",
        "<tool_call>", "tool_call>", _marker(lambda spec: _stripped(openers(spec)), lambda old, _: old[1:])),
    _C.MISSING_WORD: CorruptionKind("a marker of several words that begins something lacks the first one",
        "<tool_call>", "<call>", _marker(_of_words, lambda old, _: re.sub(r"[^\W_]+[_ ]?", "", old, count=1))),
    _C.DROPPED_CHARACTER: CorruptionKind("a character of a marker, or of a key of JSON shapes, is missing",
        "<tool_call>", "<tol_call>", _marker(lambda spec: _stripped(fixed(spec)), _with_less)),
    _C.DROPPED_TOKENS: CorruptionKind(
        "all markers that are one token of the model are gone, as servers drop them that skip special tokens",
        "<|call|>{}</call>", "{}</call>", _dropped_tokens),
    _C.SPLIT: CorruptionKind("a sign that does not belong there stands in the middle of a marker",
        "<tool_call>", "<tool-_call>",
        _marker(lambda spec: _stripped(markers(spec)), _with_inside("-", "\u200b", "<", "x"))),
    _C.BLANK_IN_MARKER: CorruptionKind("a blank stands in the middle of a marker",
        "<tool_call>", "<tool _call>", _marker(lambda spec: _stripped(markers(spec)), _with_inside(" ", "\n"))),
    _C.DOUBLED_MARKER: CorruptionKind("a marker stands there twice",
        "<tool_call>", "<tool_call><tool_call>", _marker(_twice, lambda old, _: old * 2)),
    _C.SWAPPED_MARKERS: CorruptionKind("two markers stand in each other's place",
        _CALL, '\n</tool_call>{"name": "tide", "arguments": {}}<tool_call>\n', _swapped),
    _C.ATTRIBUTES: CorruptionKind(
        "what stands between a marker and its end is in other quotes, or in none, or has blanks around its sign",
        '<call name="tide">', "<call name='tide'>", _attributes),
    _C.WHITESPACE_DRIFT: CorruptionKind(
        "whitespace is more, less, of another kind, or at the side of a marker where there was none",
        _CALL, '<tool_call>\n\n{"name": "tide", "arguments": {}}\n</tool_call>', _drifted),
    _C.ESCAPED_BREAK: CorruptionKind("a line break beside a marker is written as an escape",
        _CALL, '<tool_call>\\n{"name": "tide", "arguments": {}}\n</tool_call>', _escaped_break),
    _C.TRUNCATION: CorruptionKind("the text stops somewhere",
        "<tool_call>", "<tool", lambda wire, random: wire.text[: random.randint(0, max(0, len(wire.text) - 1))]),
    _C.CUT_CLOSERS: CorruptionKind("the text stops before its last closers, after the last argument",
        _CALL, '<tool_call>\n{"name": "tide", "arguments": {}}', _cut_closers),
    _C.EARLY_END: CorruptionKind("an end token stands before the last closers, which may still follow",
        _CALL, '<tool_call>\n{"name": "tide", "arguments": {}}<|im_end|>', _early_end),
    _C.LOST_BEGINNING: CorruptionKind("the first characters are gone",
        "<tool_call>", "_call>",
        lambda wire, random: wire.text[random.randint(1, max(1, min(30, len(wire.text)))) :]),
    _C.FALSE_START: CorruptionKind("a call breaks off, and is written again from its beginning",
        _CALL, f'<tool_call>\n{{"name": "ti{_CALL}', _false_start),
    _C.WRONG_QUOTES: CorruptionKind("double quotes are single ones, single ones are double, or all are typographic",
        '{"a": 1}', "{'a': 1}", _requoted),
    _C.SPLICED_GARBAGE: CorruptionKind(
        "something that does not belong there stands in the text: halves of markers, signs, controls",
        "", "{", _spliced),
    _C.NAME_PREFIX: CorruptionKind("the name of a tool has a prefix, such as `functions.`",
        _CALL, _CALL.replace("tide", "functions.tide"), _prefixed),
    _C.RENAMED_KEY: CorruptionKind("a key of the object that is a call is another one",
        _CALL, _CALL.replace("arguments", "params"), _renamed_key),
    _C.MISSING_COMMA: CorruptionKind("a comma is missing", '{"a": 1, "b": 2}', '{"a": 1 "b": 2}', _missing_comma),
    _C.TRAILING_COMMA: CorruptionKind("a comma stands before a closing bracket",
        '{"a": 1}', '{"a": 1,}', _token(lambda token: token.filled, lambda old, _: "," + old)),
    _C.MISSING_QUOTE: CorruptionKind("a string lacks its first or its last quote",
        '{"a": 1}', '{a": 1}', _token(_is_string, lambda old, random: random.choice((old[1:], old[:-1])))),
    _C.SINGLE_QUOTES: CorruptionKind("strings are between single quotes, as Python writes them",
        '{"a": "\\""}', "{'a': '\"'}", _tokens( lambda token: _is_string(token) and "'" not in token.text,
        lambda old, _: f"'{old[1:-1]}'".replace('\\"', '"'), )),
    _C.TYPOGRAPHIC_QUOTES: CorruptionKind("strings are between typographic quotes, all of them or one",
        '{"a": 1}', "{“a”: 1}", _tokens(_is_string, *(_between(*pair) for pair in _TYPOGRAPHIC), alone=True)),
    _C.UNESCAPED_QUOTE: CorruptionKind("the quotes in a string are not escaped",
        r'{"a": "say \"b\""}', '{"a": "say "b""}', _token(_escapes('"'), _unescaped('"', '"'))),
    _C.RAW_CONTROL: CorruptionKind("line breaks or tabs in a string are not escaped",
        r'{"a": "b\nc"}', '{"a": "b\nc"}',
        _either(_token(_escapes("n"), _unescaped("n", "\n")), _token(_escapes("t"), _unescaped("t", "\t")))),
    _C.WRONG_ESCAPE: CorruptionKind("a backslash in a string is not escaped, or stands before a sign that needs none",
        '{"a": "it\'s"}', '{"a": "it\\\'s"}', _either(
        _token(lambda token: _is_string(token) and "'" in token.text, lambda old, _: old.replace("'", "\\'")),
        _token( lambda token: _is_string(token) and re.search(_BAD_ESCAPE, token.text) is not None,
        lambda old, _: re.sub(_BAD_ESCAPE, r"\\", old), ), )),
    _C.MISSING_BRACE: CorruptionKind("a closing bracket is missing",
        '{"a": [1]}', '{"a": [1}', _token(_is("}", "]"), _none)),
    _C.EXTRA_BRACE: CorruptionKind("a closing bracket stands there twice",
        '{"a": [1]}', '{"a": [1]]}', _token(_is("}", "]"), lambda old, _: old * 2)),
    _C.MISSING_COLON: CorruptionKind("a colon is missing", '{"a": 1}', '{"a" 1}', _token(_is(":"), _none)),
    _C.UNQUOTED_KEYS: CorruptionKind("keys have no quotes, all of them or one",
        '{"a": 1}', "{a: 1}",
        _tokens(lambda token: token.key and token.text[1:-1].isidentifier(), _between("", ""), alone=True)),
    _C.PYTHON_WORDS: CorruptionKind(
        "words are those of Python", '{"a": null}', '{"a": None}', _tokens(_is(*_PYTHON), lambda old, _: _PYTHON[old]),
        ),
    _C.ODD_LITERAL: CorruptionKind("`NaN` and the like stand for null",
        '{"a": null}', '{"a": NaN}', _token(_is("null"), lambda _, random: random.choice(("NaN", "undefined")))),
    _C.COMMENT: CorruptionKind("a comment stands in the JSON",
        '{"a": 1}', '{ /* as asked */ "a": 1}',
        _token(_is(",", "{", "["), lambda old, random: old + random.choice(_COMMENTS))),
    _C.ELLIPSIS: CorruptionKind("an ellipsis stands before a closing bracket",
        '{"a": 1}', '{"a": 1, ...}',
        _token(lambda token: token.filled, lambda old, random: random.choice((", ", ",")) + "..." + old)),
    _C.STRING_VALUES: CorruptionKind(
        "a number, a word or an object is written as a string", '[{"a": 1}]', '[{"a": "1"}]', _string_values,
        ),
    _C.FENCED: CorruptionKind("the JSON stands in a fenced block, unless it is a part of an expression",
        '{"a": 1}', '```json\n{"a": 1}\n```', _fenced),
}  # fmt: skip

OF_JSON = frozenset([*Corruption][[*Corruption].index(Corruption.MISSING_COMMA) :])
"""The ways to break JSON, which the way it is laid out must not matter to."""
