"""Finds characters that are not what they look like: of other alphabets, bars, blanks, escaped newlines."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from toolect._spec.document import Items, Node, Table, Text
from toolect.authoring.lint.places import Word
from toolect.authoring.lint.subject import Subject
from toolect.diagnostic import Diagnostic, Place, warning

_FIELDS = ("end", "gaps", "prefill", "misspellings", "markers", "map")
_BARS = "|｜¦ǀ│∣"
_ESCAPED = re.compile(r"(?<!\\)\\[nrt]")


def check(subject: Subject) -> Iterator[Diagnostic]:
    """A diagnostic for each such character in a marker of the grammar's own files, or in a text of the entry."""
    met: set[Place] = set()
    bars: dict[str, Word] = {}
    for word in (word for word in subject.places.words if word.marker):
        for sign in _BARS:
            if sign in word.text:
                bars.setdefault(sign, word)
        yield from _of(word.text, word.place, met)
    if len(bars) > 1:
        first, second = sorted(bars.values(), key=lambda word: word.place.line)[:2]
        yield warning(
            "odd-character",
            f"the bars of `{first.text.strip()}` and `{second.text.strip()}` are different characters",
            second.place,
            related=((first.place, "the other one"),),
            help="copy the marker from the model's template",
        )
    for field, value in subject.loaded.entry.table.entries:
        for node in _texts(value) if field.text in _FIELDS else ():
            yield from _of(node.text, node.place, met)


def _of(text: str, place: Place, met: set[Place]) -> Iterator[Diagnostic]:
    found = next(_odd(text), None)
    if found is not None and place not in met:
        met.add(place)
        what, advice = found
        yield warning("odd-character", f"{what} in `{_shown(text)}`", place, help=advice)


def _odd(text: str) -> Iterator[tuple[str, str]]:
    """What is odd about a text, and what to do about it."""
    if match := _ESCAPED.search(text):
        name = {"n": "a newline", "r": "a carriage return", "t": "a tab"}[match[0][1]]
        yield f"a backslash and the letter `{match[0][1]}`", f'for {name} write `"{match[0]}"`, between double quotes'
    for sign in text:
        kind = unicodedata.category(sign)
        if kind == "Cf" or kind == "Zs" and sign != " ":
            said = f"U+{ord(sign):04X} ({unicodedata.name(sign, 'no name').lower()})"
            yield f"the character {said}, which nobody sees,", "delete it, or write it as an escape if the model does"
    for word in re.findall(r"[^\W\d_]+", text):
        if is_mixed(word):
            sign, script = next((sign, script) for sign, script in _scripts(word).items() if script != "LATIN")
            yield f"the letter `{sign}` is {script.capitalize()}", "copy the marker from the model's template"


def is_mixed(word: str) -> bool:
    """True for a word with letters of several alphabets that look alike."""
    return len({*_scripts(word).values()}) > 1


def _scripts(word: str) -> dict[str, str]:
    return {sign: script for sign in word if (script := unicodedata.name(sign, "").split(" ")[0]) in _SCRIPTS}


_SCRIPTS = ("LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE")


def _texts(node: Node) -> Iterator[Text]:
    match node:
        case Text():
            yield node
        case Items(items):
            for item in items:
                yield from _texts(item)
        case Table(entries):
            for key, value in entries:
                yield key
                yield from _texts(value)


def _shown(text: str) -> str:
    """A text with what nobody sees spelled out."""
    return "".join(c if c.isprintable() and c != "\xa0" else ascii(c)[1:-1] for c in text.strip())
