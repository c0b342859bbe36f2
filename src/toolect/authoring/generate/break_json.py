"""Breaks the JSON in a wire text as models break it: each way says the same as before, to whoever reads kindly."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from random import Random
from typing import NamedTuple, TypeAlias

from toolect.message import dumps

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)")
_COMMENTS = (" // as asked\n", " /* as asked */ ", " # as asked\n")
_WORDS = {"true": "True", "false": "False", "null": "None"}
_SCALAR = re.compile(r"-?\d[\d.eE+-]*|true|false|null")
_LITERALS = ("NaN", "undefined")
_WITHIN = re.compile(r"(?:```\w*\s*|[=(,:\[{]\s*)\Z")
"""What stands before a value that is in a fenced block, or in an expression."""
_TYPOGRAPHIC = (("“", "”"), ("‘", "’"), ("„", "“"), ("«", "»"))


class Token(NamedTuple):
    """A piece of JSON at characters `start:end`; `key` for a string that a colon follows."""

    text: str
    start: int
    end: int
    key: bool
    depth: int
    """Brackets that are open there, its own among them."""


Way: TypeAlias = Callable[[str, list[Token], Random], str]
"""Breaks a text whose JSON has these tokens; the same text where there is nothing to break."""


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


def tokens(text: str) -> list[Token]:
    """The tokens of all JSON in `text`."""
    found: list[Token] = []
    for start, end in values(text):
        matches = list(_TOKEN.finditer(text, start, end))
        depth = 0
        for match, after in zip(matches, [*matches[1:], None], strict=True):
            word = match[0]
            depth += word in "{["
            found.append(Token(word, *match.span(), word[0] == '"' and after is not None and after[0] == ":", depth))
            depth -= word in "}]"
    return found


def respaced(text: str, **layout: object) -> str:
    """`text` with its JSON laid out anew, as `json.dumps` does it with `layout`."""
    for start, end in reversed(list(values(text))):
        text = text[:start] + json.dumps(json.loads(text[start:end]), **layout) + text[end:]  # type: ignore[arg-type]
    return text


def _pick(found: list[Token], random: Random) -> Token | None:
    return random.choice(found) if found else None


def _put(text: str, token: Token | None, new: str) -> str:
    """The text with something else in a token's place."""
    return text if token is None else text[: token.start] + new + text[token.end :]


def _put_all(text: str, changes: list[tuple[Token, str]]) -> str:
    for token, new in sorted(changes, key=lambda change: change[0].start, reverse=True):
        text = _put(text, token, new)
    return text


def _strings(found: list[Token]) -> list[Token]:
    return [token for token in found if token.text[0] == '"']


def _closing(text: str, found: list[Token]) -> list[Token]:
    """The brackets that close something with anything in it."""
    return [token for token in found if token.text in "}]" and text[: token.start].rstrip()[-1:] not in ("{", "[")]


def missing_comma(text: str, found: list[Token], random: Random) -> str:
    """Two words stay apart: without a blank they would be another one."""
    token = _pick([token for token in found if token.text == ","], random)
    if token is None:
        return text
    return _put(text, token, " " if re.match(r"\w,[\w.-]", text[token.start - 1 : token.end + 1]) else "")


def trailing_comma(text: str, found: list[Token], random: Random) -> str:
    token = _pick(_closing(text, found), random)
    return _put(text, token, f",{token.text}") if token else text


def missing_quote(text: str, found: list[Token], random: Random) -> str:
    token = _pick(_strings(found), random)
    return _put(text, token, random.choice((token.text[1:], token.text[:-1]))) if token else text


def single_quotes(text: str, found: list[Token], _random: Random) -> str:
    """All strings are as Python writes them, where it writes single quotes."""
    plain = [token for token in _strings(found) if "'" not in token.text]
    return _put_all(text, [(token, f"'{token.text[1:-1]}'".replace('\\"', '"')) for token in plain])


def typographic_quotes(text: str, found: list[Token], random: Random) -> str:
    """All strings, or one of them."""
    strings, (left, right) = _strings(found), random.choice(_TYPOGRAPHIC)
    chosen = strings if random.randint(0, 1) else [random.choice(strings)] if strings else []
    return _put_all(text, [(token, left + token.text[1:-1] + right) for token in chosen])


def missing_brace(text: str, found: list[Token], random: Random) -> str:
    return _put(text, _pick([token for token in found if token.text in "}]"], random), "")


def extra_brace(text: str, found: list[Token], random: Random) -> str:
    token = _pick([token for token in found if token.text in "}]"], random)
    return _put(text, token, token.text * 2) if token else text


def unescaped_quote(text: str, found: list[Token], random: Random) -> str:
    return _unescaped(text, found, random, '"', '"')


def raw_control(text: str, found: list[Token], random: Random) -> str:
    """Line breaks or tabs in a string are as they are."""
    escape, sign = random.choice((("n", "\n"), ("t", "\t")))
    changed = _unescaped(text, found, random, escape, sign)
    return _unescaped(text, found, random, "n", "\n") if changed == text else changed


def wrong_escape(text: str, found: list[Token], random: Random) -> str:
    """A backslash stands for itself, or before a sign that needs none."""
    if random.randint(0, 1):
        token = _pick([token for token in _strings(found) if "'" in token.text], random)
        if token is not None:
            return _put(text, token, token.text.replace("'", "\\'"))
    places = [token for token in _strings(found) if re.search(r"\\\\[^\\/\"bfnrtu]", token.text)]
    token = _pick(places, random)
    return _put(text, token, re.sub(r"\\\\(?=[^\\/\"bfnrtu])", r"\\", token.text)) if token else text


def _unescaped(text: str, found: list[Token], random: Random, escape: str, sign: str) -> str:
    """All these escapes in one string are the sign that they stand for."""
    held = [t for t in _strings(found) if any(match[1] == escape for match in _ESCAPE.finditer(t.text))]
    token = _pick(held, random)
    if token is None:
        return text
    return _put(text, token, _ESCAPE.sub(lambda m: sign if m[1] == escape else m[0], token.text))


def python_words(text: str, found: list[Token], _random: Random) -> str:
    return _put_all(text, [(token, _WORDS[token.text]) for token in found if token.text in _WORDS])


def comment(text: str, found: list[Token], random: Random) -> str:
    token = _pick([token for token in found if token.text in ",{["], random)
    return _put(text, token, token.text + random.choice(_COMMENTS)) if token else text


def unquoted_keys(text: str, found: list[Token], random: Random) -> str:
    """All keys that are words, or one of them."""
    named = [token for token in found if token.key and token.text[1:-1].isidentifier()]
    chosen = named if random.randint(0, 1) else [random.choice(named)] if named else []
    return _put_all(text, [(token, token.text[1:-1]) for token in chosen])


def missing_colon(text: str, found: list[Token], random: Random) -> str:
    return _put(text, _pick([token for token in found if token.text == ":"], random), "")


def odd_literal(text: str, found: list[Token], random: Random) -> str:
    return _put(text, _pick([token for token in found if token.text == "null"], random), random.choice(_LITERALS))


def ellipsis(text: str, found: list[Token], random: Random) -> str:
    token = _pick(_closing(text, found), random)
    return _put(text, token, f"{random.choice((', ', ','))}...{token.text}") if token else text


def string_values(text: str, found: list[Token], random: Random) -> str:
    """A number, a word or an object inside the outermost value is written as a string."""
    scalars = [token for token in found if _SCALAR.fullmatch(token.text) and token.depth > 1]
    inner = [token for token in found if token.text == "{" and token.depth > 1]
    token = _pick(scalars + inner, random)
    if token is None:
        return text
    if token.text != "{":
        return _put(text, token, f'"{token.text}"')
    value, end = json.JSONDecoder().raw_decode(text, token.start)
    return text[: token.start] + dumps(dumps(value)) + text[end:]


def fenced(text: str, _found: list[Token], random: Random) -> str:
    """Each object or list stands in a fenced block, unless it does already, or is a part of an expression."""
    fence = random.choice(("```json\n", "```\n"))
    for start, end in reversed(list(values(text))):
        if _WITHIN.search(text[:start]) is None:
            text = f"{text[:start]}{fence}{text[start:end]}\n```{text[end:]}"
    return text
