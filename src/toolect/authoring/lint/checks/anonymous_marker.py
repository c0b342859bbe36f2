"""Finds markers that several rules write out instead of sharing a name."""

from __future__ import annotations

from collections.abc import Iterator

from toolect.authoring.lint.places import Word
from toolect.authoring.lint.subject import Subject
from toolect.diagnostic import Diagnostic, warning

LONG = 8
"""Characters that a marker has at least to be worth a name."""
MANY = 3
"""Definitions that write it out."""


def check(subject: Subject) -> Iterator[Diagnostic]:
    """A diagnostic for each such marker, at its first copy."""
    copies: dict[tuple[str, str], list[Word]] = {}
    for word in subject.places.words:
        if word.marker and len(word.text.strip()) >= LONG:
            copies.setdefault((word.place.path, word.text), []).append(word)
    alone = {key: words for key, words in copies.items() if len(words) > 1}
    for (_, text), words in alone.items():
        named = next((w for w in words if w.definition.isupper() and _is_all(w, subject)), None)
        written = [w for w in words if w.definition.islower()]
        if named is not None and written:
            message = f"the marker `{text.strip()}` is written out, although `{named.definition}` is its name"
            hint = f"write `{named.definition}`"
            yield warning(
                "anonymous-marker", message, written[0].place, related=((named.place, "its name"),), help=hint
            )
        elif len({w.definition for w in written}) >= MANY:
            message = f"the marker `{text.strip()}` is written out in {len({w.definition for w in written})} rules"
            related = tuple((w.place, "again here") for w in written[1:])
            hint = f"give it a name: `END: {_quoted(text)}`"
            yield warning("anonymous-marker", message, written[0].place, related=related, help=hint)


def _is_all(word: Word, subject: Subject) -> bool:
    """True when the terminal that `word` stands in is that marker and nothing else."""
    name = word.definition
    return sum(w.definition == name != w.text for w in subject.places.words) == 1


def _quoted(text: str) -> str:
    """`text` as a grammar writes it."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
