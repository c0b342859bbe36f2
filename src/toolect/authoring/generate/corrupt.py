"""Breaks wire text in the ways that models, servers and tokenizers break it, each under its name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from random import Random
from typing import TypeAlias

from toolect._spec.holes import keys
from toolect._spec.model import Spec
from toolect.authoring.generate import break_json, break_markers
from toolect.authoring.generate.break_json import tokens


class Corruption(StrEnum):
    """A way to break wire text. One that finds nothing to break leaves the text as it is."""

    MISSING_CLOSER = "missing-closer"
    """A marker that ends something is left out."""
    MISSING_OPENER = "missing-opener"
    """A marker that begins something is left out."""
    OPEN_REASONING = "open-reasoning"
    """The marker that ends reasoning is left out."""
    MISSING_SIGN = "missing-sign"
    """The first sign of a marker that begins something is missing."""
    MISSING_WORD = "missing-word"
    """A marker of several words that begins something lacks the first one."""
    DROPPED_CHARACTER = "dropped-character"
    """A character of a marker, or of a key of JSON shapes, is missing."""
    DROPPED_TOKENS = "dropped-tokens"
    """All markers that are one token of the model are gone, as servers drop them that skip special tokens."""
    SPLIT = "split"
    """A sign that does not belong there stands in the middle of a marker."""
    BLANK_IN_MARKER = "blank-in-marker"
    """A blank stands in the middle of a marker."""
    DOUBLED_MARKER = "doubled-marker"
    """A marker stands there twice."""
    SWAPPED_MARKERS = "swapped-markers"
    """Two markers stand in each other's place."""
    ATTRIBUTES = "attributes"
    """What stands between a marker and its end is in other quotes, or in none, or has blanks around its sign."""
    WHITESPACE_DRIFT = "whitespace-drift"
    """Whitespace is more, less, of another kind, or at the side of a marker where there was none."""
    ESCAPED_BREAK = "escaped-break"
    """A line break beside a marker is written as an escape."""
    TRUNCATION = "truncation"
    """The text stops somewhere."""
    CUT_CLOSERS = "cut-closers"
    """The text stops before its last closers, after the last argument."""
    EARLY_END = "early-end"
    """An end token stands before the last closers, which may still follow."""
    LOST_BEGINNING = "lost-beginning"
    """The first characters are gone."""
    FALSE_START = "false-start"
    """A call breaks off, and is written again from its beginning."""
    WRONG_QUOTES = "wrong-quotes"
    """Double quotes are single ones, single ones are double, or all are typographic."""
    SPLICED_GARBAGE = "spliced-garbage"
    """Something that does not belong there stands in the text: halves of markers, signs, controls."""
    NAME_PREFIX = "name-prefix"
    """The name of a tool has a prefix, such as `functions.`."""
    RENAMED_KEY = "renamed-key"
    """A key of the object that is a call is another one."""
    MISSING_COMMA = "missing-comma"
    """JSON lacks a comma; this one and all below are about the JSON in the text."""
    TRAILING_COMMA = "trailing-comma"
    """A comma stands before a closing bracket."""
    MISSING_QUOTE = "missing-quote"
    """A string lacks its first or its last quote."""
    SINGLE_QUOTES = "single-quotes"
    """Strings are between single quotes."""
    TYPOGRAPHIC_QUOTES = "typographic-quotes"
    """Strings are between typographic quotes."""
    UNESCAPED_QUOTE = "unescaped-quote"
    """The quotes in a string are not escaped."""
    RAW_CONTROL = "raw-control"
    """Line breaks or tabs in a string are not escaped."""
    WRONG_ESCAPE = "wrong-escape"
    """A backslash in a string is not escaped, or stands before a sign that needs none."""
    MISSING_BRACE = "missing-brace"
    """A closing bracket is missing."""
    EXTRA_BRACE = "extra-brace"
    """A closing bracket stands there twice."""
    MISSING_COLON = "missing-colon"
    """A colon is missing."""
    UNQUOTED_KEYS = "unquoted-keys"
    """Keys have no quotes."""
    PYTHON_WORDS = "python-words"
    """True, False and None."""
    ODD_LITERAL = "odd-literal"
    """`NaN` and the like for null."""
    COMMENT = "comment"
    """A comment stands in the JSON."""
    ELLIPSIS = "ellipsis"
    """An ellipsis stands before a closing bracket."""
    STRING_VALUES = "string-values"
    """A number, a word or an object is written as a string."""
    FENCED = "fenced"
    """The JSON stands in a fenced block."""


INFORMATION_LOST = frozenset(
    {
        Corruption.TRUNCATION, Corruption.LOST_BEGINNING, Corruption.SWAPPED_MARKERS, Corruption.SPLICED_GARBAGE,
        Corruption.WRONG_QUOTES, Corruption.RENAMED_KEY, Corruption.DROPPED_TOKENS, Corruption.DROPPED_CHARACTER,
        Corruption.SPLIT,
    }
)  # fmt: skip
"""After these the text may not say any more what it said."""


def corrupt(
    text: str, spec: Spec, random: Random, how: Corruption, names: Sequence[str] = (), starts: Sequence[int] = ()
) -> str:
    """`text` broken in the way `how`; the same where there is nothing to break.

    It calls tools of these `names`, with calls that begin at the characters `starts`.
    """
    if how in OF_JSON:
        return OF_JSON[how](text, tokens(text), random)
    if how is Corruption.NAME_PREFIX:
        return break_markers.prefixed(text, names, random)
    if how is Corruption.FALSE_START:
        return break_markers.false_start(text, spec, random, starts)
    if how is Corruption.RENAMED_KEY:
        found = {key for shape in spec.shapes.values() for key in keys(shape)}
        return break_markers.renamed_key(text, sorted(found), random)
    return _OF_MARKERS[how](text, spec, random)


_Way: TypeAlias = Callable[[str, Spec, Random], str]
_OF_MARKERS: dict[Corruption, _Way] = {
    Corruption.MISSING_CLOSER: break_markers.missing_closer,
    Corruption.MISSING_OPENER: break_markers.missing_opener,
    Corruption.OPEN_REASONING: break_markers.open_reasoning,
    Corruption.MISSING_SIGN: break_markers.missing_sign,
    Corruption.MISSING_WORD: break_markers.missing_word,
    Corruption.DROPPED_CHARACTER: break_markers.dropped,
    Corruption.DROPPED_TOKENS: break_markers.dropped_tokens,
    Corruption.SPLIT: break_markers.split,
    Corruption.BLANK_IN_MARKER: break_markers.blank,
    Corruption.DOUBLED_MARKER: break_markers.doubled,
    Corruption.SWAPPED_MARKERS: break_markers.swapped,
    Corruption.ATTRIBUTES: break_markers.attributes,
    Corruption.WHITESPACE_DRIFT: break_markers.drifted,
    Corruption.ESCAPED_BREAK: break_markers.escaped_break,
    Corruption.TRUNCATION: break_markers.truncated,
    Corruption.CUT_CLOSERS: break_markers.cut_closers,
    Corruption.EARLY_END: break_markers.early_end,
    Corruption.LOST_BEGINNING: break_markers.beheaded,
    Corruption.WRONG_QUOTES: break_markers.requoted,
    Corruption.SPLICED_GARBAGE: break_markers.spliced,
}
OF_JSON: dict[Corruption, break_json.Way] = {
    Corruption.MISSING_COMMA: break_json.missing_comma,
    Corruption.TRAILING_COMMA: break_json.trailing_comma,
    Corruption.MISSING_QUOTE: break_json.missing_quote,
    Corruption.SINGLE_QUOTES: break_json.single_quotes,
    Corruption.TYPOGRAPHIC_QUOTES: break_json.typographic_quotes,
    Corruption.UNESCAPED_QUOTE: break_json.unescaped_quote,
    Corruption.RAW_CONTROL: break_json.raw_control,
    Corruption.WRONG_ESCAPE: break_json.wrong_escape,
    Corruption.MISSING_BRACE: break_json.missing_brace,
    Corruption.EXTRA_BRACE: break_json.extra_brace,
    Corruption.MISSING_COLON: break_json.missing_colon,
    Corruption.UNQUOTED_KEYS: break_json.unquoted_keys,
    Corruption.PYTHON_WORDS: break_json.python_words,
    Corruption.ODD_LITERAL: break_json.odd_literal,
    Corruption.COMMENT: break_json.comment,
    Corruption.ELLIPSIS: break_json.ellipsis,
    Corruption.STRING_VALUES: break_json.string_values,
    Corruption.FENCED: break_json.fenced,
}
"""The ways to break JSON, which the way it is laid out must not matter to."""
