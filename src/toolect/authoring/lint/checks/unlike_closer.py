"""Finds closers that do not match what they close: another name, another quote, another bracket."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from toolect._spec.grammar_model import Literal
from toolect._spec.leaves import leaves
from toolect._spec.model import Rule
from toolect.authoring.lint.subject import Subject
from toolect.diagnostic import Diagnostic, warning

_WORD = r"[^\W\d](?:[\w.:▁-]*\w)?"
_TAG = re.compile(rf"<(/?)([|｜]?)({_WORD})(?:[|｜]?>)?|\[(/?)()({_WORD})\]")
_BEGIN, _END = (
    re.compile(r"(?i)(?<![a-z])(begin|start|open)(?![a-z])"),
    re.compile(r"(?i)(?<![a-z])(end|stop|close)(?![a-z])"),
)
_SIGNS = {"(": ")", "[": "]", "{": "}", '"': '"', "'": "'", "`": "`", "“": "”", "«": "»"}


class Tag(NamedTuple):
    """A marker that opens or closes: what stands around its name, the name, and the marker."""

    form: str
    name: str
    opens: bool
    text: str
    """As it is written."""
    marker: str
    """The whole marker that it is in."""


def check(subject: Subject) -> Iterator[Diagnostic]:
    """A diagnostic for each closer whose opener is in no rule, where an opener of its rule has none.

    Also for an opener that comes twice and is not closed, and for a closer that comes before its opener.
    """
    tags = {rule.name: [*_tags(rule)] for rule in subject.spec.rules.values() if not rule.value}
    opened = {(tag.form, tag.name) for found in tags.values() for tag in found if tag.opens}
    closed = {(tag.form, tag.name) for found in tags.values() for tag in found if not tag.opens}
    for name, found in tags.items():
        openers = [tag for tag in found if tag.opens and (tag.form, tag.name) not in closed]
        for closer in (tag for tag in found if not tag.opens and (tag.form, tag.name) not in opened):
            before = [tag for tag in openers if tag.form == closer.form and found.index(tag) < found.index(closer)]
            if before:
                opener = before[-1]
                yield _told(subject, name, opener.marker, closer.marker, opener.text, closer.text)
        yield from _twice(subject, name, openers)
        yield from _turned(subject, name, found)
    for rule in subject.spec.rules.values():
        for one, two in () if rule.value else _signs(rule):
            yield _told(subject, rule.name, one, two, one.strip()[-1], two.strip()[0])


def _twice(subject: Subject, rule: str, openers: list[Tag]) -> Iterator[Diagnostic]:
    """A diagnostic for an element that opens where it should close."""
    for first, second in pairwise(openers):
        if first.form == "<" and first.text == second.text and first.text.endswith(">"):
            yield warning(
                "unlike-closer",
                f"`{first.text}` opens twice in `{rule}`, and nothing closes it",
                subject.places.marker(second.marker, rule, last=True),
                label="opens again",
                help=f"did you mean `</{first.name}>`?",
            )


def _turned(subject: Subject, rule: str, found: list[Tag]) -> Iterator[Diagnostic]:
    """A diagnostic for an element that closes before it opens."""
    for closer in (tag for tag in found if not tag.opens and tag.form == "<"):
        same = [tag for tag in found if (tag.form, tag.name) == (closer.form, closer.name)]
        if len(same) == 2 and same[0] is closer and same[1].marker != closer.marker:
            opener = same[1]
            yield warning(
                "unlike-closer",
                f"`{closer.text}` stands before `{opener.text}` in `{rule}`",
                subject.places.within(closer.marker, closer.text, rule),
                label="closes what opens after it",
                related=((subject.places.within(opener.marker, opener.text, rule), "opens here"),),
                help="let them change places",
            )


def _tags(rule: Rule) -> Iterator[Tag]:
    """The tags in the markers of a rule, in order: elements, and tokens that begin or end something."""
    for part in leaves(rule.expr):
        for text in part.texts if isinstance(part, Literal) else ():
            for match in _TAG.finditer(text):
                slash, bar, name = match[1] or match[4] or "", match[2] or "", match[3] or match[6]
                form = match[0][0] + bar
                begins, ends = _BEGIN.search(name), _END.search(name)
                if bar and (begins or ends):
                    word = begins or ends
                    assert word is not None
                    yield Tag(form, name[: word.start()] + "…" + name[word.end() :], begins is not None, match[0], text)
                elif not bar and form == "<" or slash:
                    yield Tag(form, name, not slash, match[0], text)


def _signs(rule: Rule) -> Iterator[tuple[str, str]]:
    """Markers around one part of a rule: one ends with a quote or bracket, the other begins with another one."""
    parts = [*leaves(rule.expr)]
    closed: Literal | None = None
    for before, part, after in zip(parts, parts[1:], parts[2:], strict=False):
        if isinstance(before, Literal) and isinstance(after, Literal) and not isinstance(part, Literal):
            opener, closer = before.text.strip(), after.text.strip()
            if not opener[-1:] or opener[-1] not in _SIGNS or before is closed and len(opener) == 1:
                continue
            if closer[:1] == _SIGNS[opener[-1]]:
                closed = after  # it is a closer, and opens nothing
            elif closer[:1] in {*_SIGNS.values()}:
                yield before.text, after.text


def _told(subject: Subject, rule: str, opener: str, closer: str, one: str, two: str) -> Diagnostic:
    return warning(
        "unlike-closer",
        f"`{one}` is closed by `{two}` in `{rule}`",
        subject.places.within(closer, two, rule),
        label="closes something else",
        related=((subject.places.within(opener, one, rule), "opened here"),),
        help="spell both alike",
    )
