"""Finds words of markers that are one letter away from a word that other markers have, or all formats."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from toolect._shown import alike
from toolect._spec.document import Items, Node, Table, Text
from toolect._spec.grammar_model import Literal
from toolect._spec.leaves import leaves
from toolect.authoring.lint.checks.odd_character import is_mixed
from toolect.authoring.lint.subject import Subject
from toolect.diagnostic import Diagnostic, warning

WORDS = frozenset({
    "action", "answer", "argument", "arguments", "assistant", "begin", "call", "calls", "channel", "code", "commentary",
    "content", "execute", "final", "function", "functions", "input", "invoke", "message", "name", "observation",
    "output", "parameter", "parameters", "python", "reasoning", "response", "result", "section", "start", "system",
    "think", "thinking", "thought", "tool", "tools", "use", "user", "value",
})  # fmt: skip
"""Words that markers are made of."""
_WORD = re.compile(r"[^\W\d_]+")
_SHORT = 4
"""Shorter words are like too many others."""


def check(subject: Subject) -> Iterator[Diagnostic]:
    """A diagnostic for each such word that stands in one marker alone."""
    markers = {
        text: rule.name
        for rule in subject.spec.rules.values()
        if not rule.value
        for part in leaves(rule.expr)
        if isinstance(part, Literal)
        for text in part.texts
    }
    uses = Counter(word for text in markers for word in {*_words(text)})
    table = subject.loaded.whole.table
    beside = {word for field in ("end", "prefill") for word in _texts(table.get(field))}
    told: set[str] = set()
    for text, rule in markers.items():
        for word in dict.fromkeys(_words(text)):
            if uses[word] > 1 or word in beside or word.casefold() in WORDS or is_mixed(word):
                continue
            meant = _near(word, {other for other in (*uses, *beside) if not is_mixed(other)}) or _near(word, WORDS)
            if meant is not None and meant not in told:
                told.add(word)
                yield warning(
                    "misspelled-marker",
                    f"`{word}` in `{text.strip()}` is one letter away from `{meant}`",
                    subject.places.within(text, word, rule),
                    help=f"did you mean `{text.strip().replace(word, meant)}`?",
                )


def _words(text: str) -> list[str]:
    return _WORD.findall(text)


def _texts(node: Node | None) -> Iterator[str]:
    match node:
        case Text(text):
            yield from _words(text)
        case Items(items):
            for item in items:
                yield from _texts(item)
        case Table(entries):
            for key, value in entries:
                yield from _words(key.text)
                yield from _texts(value)


def _near(word: str, known: Iterable[str]) -> str | None:
    """A word that `word` becomes when a letter is added, taken away, doubled or changes places with the next one."""
    folded = word.casefold()
    for other in sorted(known):
        meant = other.casefold()
        if len(meant) >= _SHORT and _is_slip(folded, meant):
            return other
    return None


def _is_slip(word: str, meant: str) -> bool:
    if word.rstrip("s") == meant.rstrip("s"):  # one of several
        return False
    start = alike(word, meant)
    rest, right = word[start:], meant[start:]
    if rest[:2] == right[:2][::-1] and rest[2:] == right[2:]:
        return True
    long = len(meant) > _SHORT
    return (start > 0 or long) and (rest[1:] == right or rest == right[1:] or long and rest[1:] == right[1:])
