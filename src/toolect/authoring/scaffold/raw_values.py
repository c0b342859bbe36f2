"""How values are written that follow keys: as literals of a notation, or raw between what they all have around them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from html import unescape
from itertools import islice
from urllib.parse import unquote

from toolect.authoring.scaffold.nested_values import NESTED, elements
from toolect.authoring.scaffold.notations import NOTATIONS, Literal, json_literal, quoted_by
from toolect.authoring.scaffold.pieces import Hole, Token
from toolect.authoring.scaffold.seen import common_end, common_start, tokens
from toolect.authoring.scaffold.value_ends import Gap, Values, finished

FEW = 4
"""Values from which on what they begin with in common is taken for markup."""


def values(gaps: Sequence[Gap], heads: Sequence[Sequence[str]]) -> Iterator[Values]:
    """The ways in which all the values may be written, the narrowest first.

    `heads` are what stands between the name of a call and its first key, in tokens.
    """
    shared = common_start([tokens(gap.text) for gap in gaps])
    length = len("".join(shared))
    for notation, read in NOTATIONS.items():
        yield from _literal(gaps, read, length, notation)
    for quote in _quotes(gaps, length):
        yield from _literal(gaps, quoted_by(quote), length, "gemma", quote)
    yield from _typed_by_words(gaps, heads)
    for lead in _leads(shared, len({gap.text for gap in gaps})):
        yield from _raw(gaps, lead, heads)


def _literal(
    gaps: Sequence[Gap], read: Callable[[str, int], Literal | None], length: int, notation: str, quote: str = ""
) -> Iterator[Values]:
    """The values as literals of a notation, from the first place on where all of them are."""
    for at in range(length + 1):
        found = [_typed(read(gap.text, at), gap) for gap in gaps]
        if all(found):
            ends = [one.end for one in found if one]
            if any(ENTITY.search(gap.text, at, end) for gap, end in zip(gaps, ends, strict=True)):
                return  # quotes of XML, not of the notation
            made = finished(gaps, gaps[0].text[:at], ends, notation)
            if made is not None:
                yield made._replace(quote=quote)
                return


def _quotes(gaps: Sequence[Gap], length: int) -> Iterator[str]:
    """What stands around all texts, and around nothing else."""
    firsts = Counter("".join(tokens(gap.text[length:])[:1]) for gap in gaps if gap.kinds in ({"string"}, frozenset()))
    quotes = (quote for quote, _ in firsts.most_common() if len(quote) > 2 and not quote[0].isalnum())
    for quote in islice(quotes, 1):
        texts = [gap.text[length:] for gap in gaps if gap.kinds == {"string"} or gap.text.startswith(quote, length)]
        closed = all(text.startswith(quote) and text.count(quote) > 1 for text in texts)
        if closed and len(texts) < len(gaps):
            yield quote


_KINDS = {"string": "string", "integer": "number", "number": "number"}


def _typed_by_words(gaps: Sequence[Gap], heads: Sequence[Sequence[str]]) -> Iterator[Values]:
    """Values with a word before them that tells a text from other data: `type="string"`, `string="true"`."""
    shared = common_start([tokens(gap.text) for gap in gaps])
    at = len("".join(shared))
    words = [next(iter(tokens(gap.text[at:])), "") for gap in gaps]
    kinds = [_kind(gap, at, word) for gap, word in zip(gaps, words, strict=True)]
    text = {word for word, kind in zip(words, kinds, strict=True) if kind == "string"}
    data = {word for word, kind in zip(words, kinds, strict=True) if kind == "data"}
    if not any(gap.kinds for gap in gaps):  # texts that look like data are texts
        data -= text
    if len(text) != 1 or not data or text & data or not all(word.isalpha() for word in words):
        return
    bare = [
        gap._replace(text=gap.text[:at] + gap.text[at + len(word) :]) for gap, word in zip(gaps, words, strict=True)
    ]
    behind = "".join(common_start([tokens(gap.text[at:]) for gap in bare]))
    behind = "".join(_unworded(tokens(behind)[::-1])[::-1])
    if not behind:
        return
    for found in _raw(bare, "".join(shared) + behind, heads):
        closed = all(gap.closed is not None for gap in gaps)
        ends = found.ends if closed else [end + len(word) for end, word in zip(found.ends, words, strict=True)]
        rest = found.forms[0][1:]
        lead = "".join(shared)
        one = (lead + text.pop() + behind, *rest)
        other = tuple(Hole.JSON if part is Hole.TEXT else part for part in rest)
        two: tuple[Token, ...] = (
            (lead + data.pop() + behind, *other) if len(data) == 1 else (lead, Hole.TYPE, behind, *other)
        )
        yield found._replace(ends=tuple(ends), forms=(one, two), codec="text")
        return


def _kind(gap: Gap, at: int, word: str) -> str:
    """Whether a value behind a word is declared as text, or else looks like it."""
    if gap.kinds:
        return "string" if gap.kinds == {"string"} else "data"
    text = gap.text[at + len(word) :].lstrip("\"'>|<sep \n")
    literal = json_literal(text, 0)
    return "data" if literal and not text[literal.end : literal.end + 1].isalnum() else "string"


def _typed(literal: Literal | None, gap: Gap) -> Literal | None:
    """The literal if its type is the declared one."""
    if literal is None or not gap.kinds or literal.kind in gap.kinds or literal.kind == "null":
        return literal
    return literal if literal.kind == "number" and "integer" in gap.kinds else None


def _leads(shared: Sequence[str], several: int) -> Iterator[str]:
    """What may stand between a key and its value: signs and tags; words only between them."""
    whole = "".join(_unworded(shared[::-1])[::-1])
    first = next((at for at, token in enumerate(shared) if token[0].isalnum()), len(shared))
    short = "".join(shared[:first])
    yield from dict.fromkeys((whole, short) if several > 1 else (short, whole))


def _unworded(shared: Sequence[str]) -> list[str]:
    """Without the words that it begins with: values are words more often than markup is."""
    at = 0
    while at < len(shared) and (shared[at][0].isalnum() or shared[at][0] == "_"):
        at += 1
    return list(shared[at:])


def _raw(gaps: Sequence[Gap], lead: str, heads: Sequence[Sequence[str]]) -> Iterator[Values]:
    """Values without quotes of a notation, which end where markup follows."""
    at = len(lead)
    rests = [gap.text[at:] for gap in gaps]
    if all(gap.closed is not None for gap in gaps):
        closer = "".join(_unworded(common_end([tokens(rest) for rest in rests])))
        if closer:
            ends = [len(gap.text) - len(closer) for gap in gaps]
            yield from _checked(gaps, lead, ends)
            yield from _nested(gaps, lead, ends, closer)
        return
    inner = [tokens(rest) for gap, rest in zip(gaps, rests, strict=True) if not gap.last]
    stops = [_divider(inner, heads)] if inner else []
    stops += [
        _unworded(common_end([tokens(rest) for gap, rest in zip(gaps, rests, strict=True) if gap.last and gap.final]))
    ]
    tried = set()
    for stop in stops:
        for count in range(len(stop), 0, -1):
            ends = _stopped(gaps, at, "".join(stop[:count]), "".join(stops[0]) if inner else "")
            if ends and tuple(ends) not in tried:
                tried.add(tuple(ends))
                yield from _checked(gaps, lead, ends)


def _nested(gaps: Sequence[Gap], lead: str, ends: Sequence[int], closer: str) -> Iterator[Values]:
    """The values as elements in one another, as the arguments are."""
    found = [(gap.text[len(lead) : end], gap.kinds) for gap, end in zip(gaps, ends, strict=True)]
    how = elements(found, closer) if lead == ">" else None
    made = finished(gaps, lead, ends, NESTED) if how is not None else None
    *form, end = made.forms[0] if made is not None else ("",)
    if made is not None and end[:1] == ">":  # what follows that begins the next one
        follows, forms = f"{end[1:]}{made.follows}", ((*form, ">"),)
        yield made._replace(ends=(1,) * len(ends), forms=forms, follows=follows, elements=how)


def _divider(inner: Sequence[Sequence[str]], heads: Sequence[Sequence[str]]) -> list[str]:
    """What stands between a value and the next key: what all have there, as far as it is markup.

    Where few were seen, that is how an argument begins, and the tags and signs before it.
    """
    shared = _unworded(common_end(inner))
    if len({"".join(one) for one in inner}) >= FEW:
        return shared
    at = len(shared) - len(common_end([shared, *heads]))
    while at and not (shared[at - 1][0].isalnum() or shared[at - 1] == " "):
        at -= 1
    return shared[at:]


def _stopped(gaps: Sequence[Gap], at: int, stop: str, divider: str) -> list[int]:
    """Where each value ends: before what divides arguments, or before `stop`; nothing if one never does."""
    ends = []
    for gap in gaps:
        if not gap.last:
            end = len(gap.text) - len(divider)
        else:
            begun = gap.text.startswith("<![CDATA[", at)
            end = gap.text.find(stop, max(gap.text.find("]]>", at), at) if begun else at)
            if end < 0 and gap.final and not stop.strip():
                end = len(gap.text)
        if end < at:
            return []
        ends.append(end)
    return ends


_FORMS = {
    "integer": re.compile(r"[-+]?\d+"),
    "number": re.compile(r"[-+]?[\d.]+(?:[eE][-+]?\d+)?"),
    "boolean": re.compile(r"true|false", re.IGNORECASE),
    "null": re.compile(r"null|none", re.IGNORECASE),
    "array": re.compile(r"\[.*\]|\(.*\)", re.DOTALL),
    "object": re.compile(r"\{.*\}", re.DOTALL),
    "string": re.compile(r".*", re.DOTALL),
}
_CDATA = re.compile(r"<!\[CDATA\[.*\]\]>", re.DOTALL)
_PERCENT = re.compile(r"%[0-9A-Fa-f]{2}")
_IN_URL = re.compile(r"(?:[\w.~!*'():/?@,;+-]|%[0-9A-Fa-f]{2})*", re.ASCII)
ENTITY = re.compile(r"&(?:amp|lt|gt|quot|apos|#\d+|#x[0-9a-fA-F]+);")


def _checked(gaps: Sequence[Gap], lead: str, ends: Sequence[int]) -> Iterator[Values]:
    """The values if each looks like what is declared of it."""
    found = [gap.text[len(lead) : end] for gap, end in zip(gaps, ends, strict=True)]
    percent = any(map(_PERCENT.search, found)) and all(map(_IN_URL.fullmatch, found))
    for gap, value in zip(gaps, map(unquote, found) if percent else found, strict=True):
        if gap.kinds and not any(_FORMS[kind].fullmatch(value.strip()) for kind in gap.kinds if kind in _FORMS):
            return
    options = []
    words = {
        unescape(value.strip())
        for gap, value in zip(gaps, found, strict=True)
        if "string" not in gap.kinds or len(gap.kinds) > 1
    }
    if any(value[:1] in ("[", "{") and json_literal(value, 0) is None for value in words):
        options.append("spelling: python")
    elif words & {"True", "False", "None"} and not words & {"true", "false", "null"}:
        options.append("spelling: jinja")
    if any(map(ENTITY.search, found)) and not any("<" in value for value in found):
        options.append("escapes: entities")
    marked = any('\\"' in value or "\\\\" in value for value in found)
    if lead.endswith('"') and marked and "escapes: entities" not in options and all(map(_is_escaped, found)):
        options.append("escapes: json")
    if percent:
        options.append("escapes: percent")
    codec = f"{{{', '.join(['codec: schema', *options])}}}" if options else "schema"
    made = finished(gaps, lead, ends, "")
    if made is not None and any(_CDATA.fullmatch(value) for value in found):
        lead_in, *rest = made.forms[0]
        at = rest.index(Hole.TEXT)
        quoted = (
            f"{lead_in}<![CDATA[",
            *rest[: at + 1],
            f"]]>{rest[at + 1] if rest[at + 1 :] else ''}",
            *rest[at + 2 :],
        )
        yield made._replace(forms=(quoted, made.forms[0]), codec=codec)
    elif made is not None:
        yield made._replace(codec=codec)


def _is_escaped(value: str) -> bool:
    """True for the inside of a JSON string."""
    return json_literal(f'"{value}"', 0) == Literal(len(value) + 2, "string")
